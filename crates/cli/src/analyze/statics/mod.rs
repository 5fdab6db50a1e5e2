//! Series of equilibria.
//!
//! - `series`: equilibria over a parameter.

pub mod series;
