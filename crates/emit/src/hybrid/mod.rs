//! Events, discontinuities in time and impulses as parts of a straight-line program.
//!
//! - `discontinuities`: switching times of functions of time; `time_events`: conditions of the clock;
//! - `events`: both as parts of the program; `reset`: assignments under constraints; `impulse`: jumps
//!   of prescribed rates; `singularity`: detection of singular positions.

pub(crate) mod discontinuities;
pub(crate) mod events;
pub(crate) mod impulse;
pub(crate) mod reset;
pub(crate) mod singularity;
pub(crate) mod time_events;
