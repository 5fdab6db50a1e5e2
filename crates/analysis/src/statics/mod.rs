//! Series of equilibria, and steady motions that are wanted.
//!
//! - `continuation`: equilibria over a parameter, through limit points;
//! - `trim`: steady motions in which some quantities have wanted values.

pub mod continuation;
pub mod trim;
