//! Monitors of a motion: singular positions, lost redundancy, small angles that grow.
//!
//! - `singularity`: positions in which constraint rows lose rank; `redundancy_loss`: rows that are
//!   redundant at the start only; `small_angle_check`: small coordinates that did not stay small.

pub(crate) mod redundancy_loss;
pub(crate) mod singularity;
pub(crate) mod small_angle_check;
