//! Constraints: kinds and rows, higher pairs, couplings.
//!
//! - `constraint_kind`, `constraint`: kinds and rows; `pairs`, `coupling`: by surfaces, threads, gears, drives;
//! - `track`, `cam`, `rolling`, `surface`: by curves, profiles, planes and curved surfaces; `contact_geometry`: how these look;
//! - `angle_wrapping`: angles without whole turns.

pub(crate) mod angle_wrapping;
pub mod cam;
pub mod constraint;
pub mod constraint_kind;
pub mod contact_geometry;
pub mod coupling;
pub mod pairs;
pub mod rolling;
pub mod surface;
pub mod track;
