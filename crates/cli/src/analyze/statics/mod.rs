//! Series of equilibria, and steady motions.
//!
//! - `series`: equilibria over a parameter; `trim`: a steady motion with wanted values.

pub mod series;
pub mod trim;
