//! Implicit methods on the sparse residual.
//!
//! - [`iteration_matrix`]: M, C and K with the constraints, factorised; one matrix serves every method and every index;
//! - [`generalised_alpha`]: order 2 with numerical damping, positions of the constraints imposed;
//! - [`history`]: values of past steps, differentiated and extrapolated; [`bdf`]: backward differentiation of orders 1 to 6
//!   on index 3, stabilised index 2 and index 1.

pub mod bdf;
pub mod generalised_alpha;
pub mod history;
pub mod iteration_matrix;

use crate::mechanism::Mechanism;

/// A step that was accepted.
pub struct Step<'s> {
    /// Times at both ends.
    pub times: [f64; 2],
    /// States at both ends.
    pub states: [&'s [f64]; 2],
    /// The state at a time inside.
    pub inside: &'s dyn Fn(f64) -> Vec<f64>,
}

/// Called after each step; `false` ends the motion.
pub type EachStep<'a, 'm> = dyn FnMut(&mut Mechanism<'m>, &Step<'_>) -> bool + 'a;

/// How far and how finely a method walks.
#[derive(Clone, Copy, Debug)]
pub struct Walk {
    /// Times of start and end.
    pub ends: (f64, f64),
    /// Relative and absolute tolerance.
    pub tolerances: (f64, f64),
    /// The first step, if given.
    pub first: Option<f64>,
    /// The longest step.
    pub longest: f64,
    /// The most steps.
    pub limit: u64,
}
