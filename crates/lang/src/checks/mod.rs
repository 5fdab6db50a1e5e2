//! Checks of statements that are well formed one by one.
//!
//! - `constraint_check`: constraints that contradict one another; `geometry_check`: impossible sizes;
//! - `unused`: names without a use; `omissions`: no gravity, no degree of freedom.

pub(crate) mod constraint_check;
pub(crate) mod geometry_check;
pub(crate) mod omissions;
pub(crate) mod unused;
