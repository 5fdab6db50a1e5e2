//! Driven motion: positions, velocities and accelerations that drives determine.
//!
//! - `driven`: assembly at each sample; `driven_integration`: states that drives do not determine by
//!   position (rolling, auxiliary states); `dyads`, `closed_form`: planar linkages without iteration;
//! - `inverse_kinematics`: points and attitudes to reach; `singular_configuration`: rank loss.

pub(crate) mod closed_form;
pub mod driven;
pub(crate) mod driven_integration;
pub(crate) mod dyads;
pub mod inverse_kinematics;
pub(crate) mod singular_configuration;
