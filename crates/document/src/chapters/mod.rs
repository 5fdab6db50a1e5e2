//! The chapters of a document.
//!
//! - `symbols`, `topology`, `bodies`: the notation and the mechanism;
//! - `vectors`, `scalars`: kinematics and equations of motion; `linear`: small departures;
//!   `hybrid`: events;
//! - `listing`: M, k, q as older programs print them.

pub(crate) mod bodies;
pub(crate) mod hybrid;
pub(crate) mod linear;
pub mod listing;
pub(crate) mod scalars;
pub(crate) mod symbols;
pub mod topology;
pub(crate) mod vectors;
