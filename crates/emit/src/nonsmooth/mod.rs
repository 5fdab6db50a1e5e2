//! Sliding along discontinuities of the state (Filippov) in written programs.
//!
//! - `mode_program`: the motion with the side of each switch given; `sliding`: motion along a switching
//!   surface; `filippov_weights`: weights of the two sides; `active_set`: begin and end of sliding.

pub(crate) mod active_set;
pub(crate) mod filippov_weights;
pub(crate) mod mode_program;
pub(crate) mod sliding;
