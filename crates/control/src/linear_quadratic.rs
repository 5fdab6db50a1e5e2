//! Linear quadratic regulator, Kalman filter and their compensator.

use crate::error::ControlError;
use crate::matrix::{Complex, Matrix, blocks, eigenvalues, scaled, transposed};
use crate::riccati::{Quadratic, Riccati};
use crate::state_space::{Clock, StateSpace};
use faer::Mat;

/// A feedback u = −K x with its cost and the poles that it makes.
#[derive(Clone, Debug)]
pub struct Regulator {
    /// The feedback K.
    pub gain: Matrix,
    /// The matrix X of the least cost x₀ᵀ X x₀.
    pub cost: Matrix,
    /// The eigenvalues of A − B K.
    pub poles: Vec<Complex>,
    /// The relative residual of the Riccati equation.
    pub residual: f64,
}

/// A filter x̂' = A x̂ + B u + L (y − C x̂ − D u) with the covariance of its error.
#[derive(Clone, Debug)]
pub struct Filter {
    /// The gain L.
    pub gain: Matrix,
    /// The stationary covariance of x − x̂ (before the measurement, for a sampled system).
    pub covariance: Matrix,
    /// The eigenvalues of A − L C.
    pub poles: Vec<Complex>,
    /// The relative residual of the Riccati equation.
    pub residual: f64,
}

/// The regulator of least cost ∫ xᵀQ x + 2 xᵀS u + uᵀR u dt, or of the sum for a sampled system.
///
/// Source: Anderson & Moore, Optimal Control: Linear Quadratic Methods.
pub fn lqr(
    system: &StateSpace,
    q: &Matrix,
    r: &Matrix,
    cross: Option<&Matrix>,
) -> Result<Regulator, ControlError> {
    let system = system.explicit()?;
    let mut problem = Quadratic::new(&system.a, &system.b, q, r)?;
    if let Some(s) = cross {
        problem = problem.with_cross_term(s)?;
    }
    let Riccati { x, gain, residual } = solved(&problem, system.clock)?;
    let poles = eigenvalues(&(&system.a - &(&system.b * &gain)))?;
    Ok(Regulator { gain, cost: x, poles, residual })
}

/// The Kalman filter for noise of intensity `process` on the states and `measurement` on the
/// outputs.
///
/// It is the regulator of the dual system (Aᵀ, Cᵀ). Source: Kalman & Bucy, J. Basic Eng. 83 (1961)
/// 95; Anderson & Moore, Optimal Filtering.
pub fn kalman(system: &StateSpace, process: &Matrix, measurement: &Matrix) -> Result<Filter, ControlError> {
    let system = system.explicit()?;
    let problem = Quadratic::new(&transposed(&system.a), &transposed(&system.c), process, measurement)?;
    let Riccati { x, gain, residual } = solved(&problem, system.clock)?;
    let gain = transposed(&gain);
    let poles = eigenvalues(&(&system.a - &(&gain * &system.c)))?;
    Ok(Filter { gain, covariance: x, poles, residual })
}

/// The compensator from y to u = −K x̂, to be put in the path back with the sign of u = r − K_c y.
///
/// ```text
/// [compensator]  x̂' = (A − B K − L C + L D K) x̂ + L y,   K_c: output K x̂
/// ```
pub fn compensator(
    system: &StateSpace,
    feedback: &Matrix,
    filter: &Matrix,
) -> Result<StateSpace, ControlError> {
    let system = system.explicit()?;
    let (n, m, p) = (system.n_states(), system.n_inputs(), system.n_outputs());
    let fits = feedback.nrows() == m && feedback.ncols() == n && filter.nrows() == n && filter.ncols() == p;
    if !fits {
        return Err(ControlError::Size { what: "the gains of a compensator".to_string() });
    }
    let corrected = &system.c - &(&system.d * feedback);
    let a = &(&system.a - &(&system.b * feedback)) - &(filter * &corrected);
    let made = StateSpace::new(a, filter.clone(), feedback.clone(), Mat::zeros(m, p))?;
    Ok(StateSpace { clock: system.clock, inputs: system.outputs, outputs: system.inputs, ..made })
}

/// The observer x̂' = (A − L C) x̂ + (B − L D) u + L y with inputs (u, y) and outputs x̂.
pub fn observer(system: &StateSpace, filter: &Matrix) -> Result<StateSpace, ControlError> {
    let system = system.explicit()?;
    let (n, p) = (system.n_states(), system.n_outputs());
    if filter.nrows() != n || filter.ncols() != p {
        return Err(ControlError::Size { what: "the gain of an observer".to_string() });
    }
    let a = &system.a - &(filter * &system.c);
    let b = &system.b + &scaled(&(filter * &system.d), -1.0);
    let both = blocks(&b, filter, &Mat::zeros(0, b.ncols()), &Mat::zeros(0, p));
    let made = StateSpace::new(a, both, crate::matrix::identity(n), Mat::zeros(n, system.n_inputs() + p))?;
    let inputs = system.inputs.into_iter().chain(system.outputs).collect();
    Ok(StateSpace { clock: system.clock, inputs, ..made })
}

fn solved(problem: &Quadratic, clock: Clock) -> Result<Riccati, ControlError> {
    match clock {
        Clock::Continuous => problem.continuous(),
        Clock::Sampled(_) => problem.discrete(),
    }
}
