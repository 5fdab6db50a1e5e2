//! Events and singular states on the way.
//!
//! - `event_bracketing`: where to look at event functions; `event`: sign changes located on dense output;
//! - `singularity_extrapolation`: the motion continued beyond a state at which the right-hand side is not determined.

pub(crate) mod event;
pub(crate) mod event_bracketing;
pub(crate) mod singularity_extrapolation;
