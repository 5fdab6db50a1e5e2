//! Systems of nonlinear equations r(x) = 0, possibly redundant or underdetermined: damped Newton with least-norm steps.
//!
//! ```text
//! [step]      d = −J⁺ r, the shortest of the best linear corrections (rank-revealing, by singular values)
//! [descent]   |r(x + λd)|² ≤ |r(x)|² − 2·10⁻⁴ λ |J d|²,   λ = 1, 1/2, 1/4, …
//! ```
//!
//! The least-norm step moves an underdetermined system to a near solution and lets redundant but consistent equations
//! pass. Where |r| has a stationary point that is no root, the answer says so and gives the rank: the equations contradict one
//! another there. Dennis & Schnabel, Numerical Methods for Unconstrained Optimization (1983), ch. 6; Deuflhard, Newton
//! Methods for Nonlinear Problems (2004), ch. 4.

use crate::jacobian::forward_difference;
use crate::linear::{Matrix, least_norm};
use crate::system::Failure;
use std::fmt;

/// Equations to be solved.
pub trait Equations {
    /// The number of unknowns.
    fn n_unknowns(&self) -> usize;

    /// The number of equations.
    fn n_equations(&self) -> usize;

    /// Writes r(x) into `r`.
    fn residual(&mut self, x: &[f64], r: &mut [f64]) -> Result<(), Failure>;

    /// Writes the exact ∂r/∂x into `j` and answers `true`; `false` asks for finite differences.
    fn jacobian(&mut self, _x: &[f64], _j: &mut Matrix) -> Result<bool, Failure> {
        Ok(false)
    }
}

/// When to be content and when to give up.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NewtonOptions {
    /// A root is reached when every |r_i| is below this …
    pub residual: f64,
    /// … or when the correction is below this, relative to 1 + |x|, and the residual no longer falls.
    pub step: f64,
    /// The number of iterations.
    pub max_iterations: usize,
    /// Singular values of the Jacobian below this fraction of the largest count as zero.
    pub rank_tolerance: f64,
    /// No correction moves an unknown farther than this.
    pub max_step: f64,
}

impl Default for NewtonOptions {
    fn default() -> Self {
        NewtonOptions {
            residual: 1e-12,
            step: 1e-14,
            max_iterations: 100,
            rank_tolerance: 1e-10,
            max_step: f64::INFINITY,
        }
    }
}

/// A root and how it was found.
#[derive(Clone, Debug, PartialEq)]
pub struct Root {
    /// The solution.
    pub x: Vec<f64>,
    /// The largest |r_i| there.
    pub residual: f64,
    /// Iterations made.
    pub iterations: usize,
    /// The rank of the Jacobian at the last iteration (at the start, when no iteration was needed).
    pub rank: usize,
}

/// Why no root was found. Each variant carries the best point reached.
#[derive(Clone, Debug, PartialEq)]
pub struct NewtonFailure {
    /// The reason.
    pub reason: NewtonReason,
    /// The best point reached.
    pub x: Vec<f64>,
    /// The largest |r_i| there.
    pub residual: f64,
    /// The equation with the largest |r_i|.
    pub worst_equation: Option<usize>,
    /// Iterations made.
    pub iterations: usize,
}

/// The reasons of [`NewtonFailure`].
#[derive(Clone, Debug, PartialEq)]
pub enum NewtonReason {
    /// |r| is stationary but not zero: the equations cannot be satisfied together near here.
    Contradiction {
        /// The rank of the Jacobian.
        rank: usize,
        /// The number of equations.
        n_equations: usize,
    },
    /// No shortening of the correction lowers the residual.
    NoDescent,
    /// The iterations ran out while the residual was still falling.
    TooManyIterations,
    /// The equations could not be evaluated.
    Failed(Failure),
}

impl fmt::Display for NewtonFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.reason {
            NewtonReason::Contradiction { rank, n_equations } => write!(
                f,
                "the equations contradict one another: {n_equations} equations of rank {rank} leave a residual of {:.3e}",
                self.residual
            )?,
            NewtonReason::NoDescent => {
                write!(f, "no correction lowers the residual of {:.3e}", self.residual)?
            }
            NewtonReason::TooManyIterations => {
                write!(f, "{} iterations leave a residual of {:.3e}", self.iterations, self.residual)?
            }
            NewtonReason::Failed(failure) => return write!(f, "{failure}"),
        }
        match self.worst_equation {
            Some(i) => write!(f, ", the largest in equation {i}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for NewtonFailure {}

/// Relative singular values that finite differences make out of nothing.
const DIFFERENCE_NOISE: f64 = 1e-6;

fn largest(r: &[f64]) -> f64 {
    r.iter().fold(0.0, |m, r| r.abs().max(m))
}

fn square(r: &[f64]) -> f64 {
    r.iter().map(|r| r * r).sum()
}

/// Solves r(x) = 0 from the guess `x0`.
pub fn solve(
    equations: &mut dyn Equations,
    x0: &[f64],
    options: &NewtonOptions,
) -> Result<Root, NewtonFailure> {
    let (m, n) = (equations.n_equations(), equations.n_unknowns());
    let mut x = x0.to_vec();
    let mut r = vec![0.0; m];
    let mut j = Matrix::zeros(m, n);
    let fail = |reason, x: &[f64], r: &[f64], iterations| NewtonFailure {
        reason,
        x: x.to_vec(),
        residual: largest(r),
        worst_equation: (0..r.len()).max_by(|&a, &b| r[a].abs().total_cmp(&r[b].abs())),
        iterations,
    };
    if let Err(failure) = evaluate(equations, &x, &mut r) {
        return Err(fail(NewtonReason::Failed(failure), &x, &[], 0));
    }
    for iteration in 0..=options.max_iterations {
        let exact = match evaluate_jacobian(equations, &x, &r, &mut j) {
            Ok(exact) => exact,
            Err(failure) => return Err(fail(NewtonReason::Failed(failure), &x, &r, iteration)),
        };
        let rank_tolerance = options.rank_tolerance.max(if exact { 0.0 } else { DIFFERENCE_NOISE });
        let correction = match least_norm(&j, &r, rank_tolerance) {
            Ok(correction) => correction,
            Err(failure) => return Err(fail(NewtonReason::Failed(failure), &x, &r, iteration)),
        };
        let rank = correction.rank;
        if largest(&r) <= options.residual {
            return Ok(Root { residual: largest(&r), x, iterations: iteration, rank });
        }
        if iteration == options.max_iterations {
            break;
        }
        let mut d = correction.x;
        let longest = largest(&d);
        if longest > options.max_step {
            for d in &mut d {
                *d *= options.max_step / longest;
            }
        }
        // The linear model says how much of r the correction takes away: next to nothing where |r| is stationary.
        let removed = removed(&j, &d);
        let contradiction = NewtonReason::Contradiction { rank, n_equations: m };
        if removed <= 1e-12 * square(&r) {
            return Err(fail(contradiction, &x, &r, iteration));
        }
        let negligible = longest <= options.step * (1.0 + largest(&x));
        if !line_search(equations, &mut x, &mut r, &d, removed) {
            if negligible {
                return Ok(Root { residual: largest(&r), x, iterations: iteration, rank });
            }
            let stationary = removed <= 1e-4 * square(&r);
            let reason = if stationary { contradiction } else { NewtonReason::NoDescent };
            return Err(fail(reason, &x, &r, iteration));
        }
    }
    Err(fail(NewtonReason::TooManyIterations, &x, &r, options.max_iterations))
}

/// |J d|².
fn removed(j: &Matrix, d: &[f64]) -> f64 {
    let mut image = vec![0.0; j.n_rows()];
    j.multiply(d, &mut image);
    square(&image)
}

/// Moves x along −d until the residual falls. `[descent]`
fn line_search(equations: &mut dyn Equations, x: &mut [f64], r: &mut [f64], d: &[f64], removed: f64) -> bool {
    let start = square(r);
    let mut trial = vec![0.0; x.len()];
    let mut trial_r = vec![0.0; r.len()];
    let mut lambda = 1.0;
    for _ in 0..40 {
        for i in 0..x.len() {
            trial[i] = x[i] - lambda * d[i];
        }
        if evaluate(equations, &trial, &mut trial_r).is_ok()
            && square(&trial_r) <= start - 2e-4 * lambda * removed
        {
            x.copy_from_slice(&trial);
            r.copy_from_slice(&trial_r);
            return true;
        }
        lambda *= 0.5;
    }
    false
}

fn evaluate(equations: &mut dyn Equations, x: &[f64], r: &mut [f64]) -> Result<(), Failure> {
    equations.residual(x, r)?;
    match r.iter().position(|r| !r.is_finite()) {
        Some(i) => Err(Failure::recoverable(format!("equation {i} has no finite value"))),
        None => Ok(()),
    }
}

fn evaluate_jacobian(
    equations: &mut dyn Equations,
    x: &[f64],
    r: &[f64],
    j: &mut Matrix,
) -> Result<bool, Failure> {
    let exact = equations.jacobian(x, j)?;
    if !exact {
        let floor = vec![1.0; x.len()];
        forward_difference(&mut |x, r| equations.residual(x, r), x, r, &floor, j)?;
    }
    Ok(exact)
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Of<F>(usize, usize, F);

    impl<F: FnMut(&[f64], &mut [f64])> Equations for Of<F> {
        fn n_unknowns(&self) -> usize {
            self.0
        }
        fn n_equations(&self) -> usize {
            self.1
        }
        fn residual(&mut self, x: &[f64], r: &mut [f64]) -> Result<(), Failure> {
            (self.2)(x, r);
            Ok(())
        }
    }

    #[test]
    fn a_circle_meets_a_line() {
        let mut equations = Of(2, 2, |x: &[f64], r: &mut [f64]| {
            r[0] = x[0] * x[0] + x[1] * x[1] - 1.0;
            r[1] = x[0] - x[1];
        });
        let root = solve(&mut equations, &[1.0, 0.2], &NewtonOptions::default()).unwrap();
        assert!(
            (root.x[0] - 0.5f64.sqrt()).abs() < 1e-12 && root.rank == 2 && root.iterations < 8,
            "{root:?}"
        );
    }

    #[test]
    fn an_underdetermined_system_moves_to_a_near_solution() {
        let mut equations = Of(3, 1, |x: &[f64], r: &mut [f64]| r[0] = x[0] + 2.0 * x[1] + 2.0 * x[2] - 9.0);
        let root = solve(&mut equations, &[0.0; 3], &NewtonOptions::default()).unwrap();
        for (found, known) in root.x.iter().zip([1.0, 2.0, 2.0]) {
            assert!((found - known).abs() < 1e-7, "{root:?}");
        }
    }

    #[test]
    fn repeated_equations_are_harmless() {
        let mut equations = Of(2, 3, |x: &[f64], r: &mut [f64]| {
            r[0] = x[0] * x[1] - 2.0;
            r[1] = x[0] - 1.0;
            r[2] = 3.0 * (x[0] * x[1] - 2.0) - (x[0] - 1.0);
        });
        let root = solve(&mut equations, &[0.5, 0.5], &NewtonOptions::default()).unwrap();
        assert!((root.x[1] - 2.0).abs() < 1e-11 && root.rank == 2);
    }

    #[test]
    fn a_damped_step_tames_the_arctangent() {
        // Undamped Newton diverges from |x| > 1.39.
        let mut equations = Of(1, 1, |x: &[f64], r: &mut [f64]| r[0] = x[0].atan());
        let root = solve(&mut equations, &[20.0], &NewtonOptions::default()).unwrap();
        assert!(root.x[0].abs() < 1e-12);
    }

    #[test]
    fn contradicting_equations_are_named() {
        // The circle of radius 1 and the vertical line x = 2.
        let mut equations = Of(2, 2, |x: &[f64], r: &mut [f64]| {
            r[0] = x[0] * x[0] + x[1] * x[1] - 1.0;
            r[1] = x[0] - 2.0;
        });
        let failure = solve(&mut equations, &[1.5, 0.0], &NewtonOptions::default()).unwrap_err();
        assert_eq!(failure.reason, NewtonReason::Contradiction { rank: 1, n_equations: 2 }, "{failure}");
        assert!(failure.residual > 0.1);
        let constant =
            solve(&mut Of(1, 1, |_: &[f64], r: &mut [f64]| r[0] = 1.0), &[0.0], &NewtonOptions::default());
        assert_eq!(
            constant.unwrap_err().to_string(),
            "the equations contradict one another: 1 equations of rank 0 leave a residual of 1.000e0, the largest in equation 0"
        );
    }

    #[test]
    fn an_undefined_residual_is_reported() {
        let mut equations = Of(1, 1, |x: &[f64], r: &mut [f64]| r[0] = x[0].ln());
        let failure = solve(&mut equations, &[-1.0], &NewtonOptions::default()).unwrap_err();
        assert!(matches!(failure.reason, NewtonReason::Failed(_)), "{failure}");
    }
}
