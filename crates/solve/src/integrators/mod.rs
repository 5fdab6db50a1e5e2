//! Integrators, one file each, and what they have in common.
//!
//! - `rk4`, `dopri5`, `dop853`, `radau5`, `bdf`: the methods;
//! - `tableau`, `stepper`: what every method has in common; `order_conditions`: the tableaux against the theory, a test;
//! - `control`: error norm, first step size, step size control; `stiffness`: when an explicit method is held back by stability.

pub(crate) mod bdf;
pub(crate) mod continuation;
pub(crate) mod control;
pub(crate) mod dop853;
pub(crate) mod dopri5;
#[cfg(test)]
pub(crate) mod order_conditions;
pub(crate) mod radau5;
pub(crate) mod rk4;
pub(crate) mod stepper;
pub(crate) mod stiffness;
pub(crate) mod tableau;
