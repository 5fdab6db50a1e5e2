//! Forms in which constraints hold during a motion.
//!
//! - `projection`: projection of each step onto the constraints; `ggl`: Gear-Gupta-Leimkuhler;
//! - `partitioning`: coordinate partitioning and Baumgarte; `minimal_coordinates`: closed form, with
//!   `dead_point_switching`; `inactive_constraints`: rows that wait for a parameter.

pub(crate) mod dead_point_switching;
pub(crate) mod ggl;
pub(crate) mod inactive_constraints;
pub(crate) mod minimal_coordinates;
pub(crate) mod partitioning;
pub(crate) mod projection;
