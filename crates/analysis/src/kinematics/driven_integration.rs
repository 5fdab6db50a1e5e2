//! What a driven motion leaves to integration: constraints that hold velocities only, such as rolling, and auxiliary states.
//!
//! ```text
//! [integrated]   rank of ∂g/∂q < number of coordinates, or there are states ṡ = f:   ẏ = f(t, y), under an error test
//! ```
//!
//! The accelerations are those that the drives ask for. Positions and velocities are pulled onto the constraints after every step.

use cardan_solve::linear::least_norm;
use cardan_solve::{Absolute, Control, Failure, Matrix, Options, Problem, StopReason, System, integrate};

use crate::AnalysisError;
use crate::numeric_model::{RANK_TOLERANCE, Study};

/// Errors per step, relative and in SI units.
const RELATIVE: f64 = 1e-11;
const ABSOLUTE: f64 = 1e-12;

/// A driven mechanism as differential equations.
struct Followed<'a> {
    study: &'a mut Study,
}

fn failed(error: AnalysisError) -> Failure {
    Failure::recoverable(error.to_string())
}

impl System for Followed<'_> {
    fn dim(&self) -> usize {
        self.study.n_states()
    }
    fn derivative(&mut self, t: f64, y: &[f64], dy: &mut [f64]) -> Result<(), Failure> {
        dy.copy_from_slice(&self.study.rates(t, y).map_err(failed)?);
        Ok(())
    }
    fn project(&mut self, t: f64, y: &mut [f64]) -> Result<bool, Failure> {
        self.study.close(t, y).map_err(failed)?;
        Ok(true)
    }
}

/// Whether positions do not follow from the drives alone. [integrated]
pub(crate) fn needs_integration(study: &mut Study, t: f64, y: &[f64]) -> Result<bool, AnalysisError> {
    let (n_q, _, n_s) = study.sizes();
    if n_s > 0 {
        return Ok(true);
    }
    let positions = study.local(t, y)?.positions;
    let mut by_coordinates = Matrix::zeros(positions.n_rows(), n_q);
    for k in 0..n_q {
        by_coordinates.column_mut(k).copy_from_slice(positions.column(k));
    }
    let found = least_norm(&by_coordinates, &vec![0.0; positions.n_rows()], RANK_TOLERANCE)?;
    Ok(found.rank < n_q)
}

/// The state at another time; why not, in words, where the motion cannot be followed so far.
pub(crate) fn follow(study: &mut Study, from: f64, to: f64, y: &[f64]) -> Result<Vec<f64>, String> {
    let options = Options { rtol: RELATIVE, atol: Absolute::Uniform(ABSOLUTE), ..Options::default() };
    let mut system = Followed { study };
    let outcome = integrate(&mut system, &Problem::new(from, to, y), &options, &mut |_| Control::Continue);
    match outcome.stop {
        StopReason::ReachedEnd => Ok(outcome.y_reached),
        _ => Err(format!("the drives cannot be followed beyond t = {:.6} s", outcome.t_reached)),
    }
}
