//! Series of equilibria, and steady motions that are wanted.
//!
//! - `continuation`: equilibria over a parameter, through limit points;
//! - `closed_contacts`: contacts that are closed where a question begins;
//! - `trim`: steady motions in which some quantities have wanted values.

pub(crate) mod closed_contacts;
pub mod continuation;
pub mod trim;
