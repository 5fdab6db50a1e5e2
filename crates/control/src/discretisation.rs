//! Sampled equivalents of continuous systems.

use crate::error::ControlError;
use crate::matrix::{Matrix, blocks, identity, part, scaled, solve};
use crate::matrix_exponential::matrix_exponential;
use crate::state_space::{Clock, StateSpace};
use faer::Mat;

/// How a continuous system is sampled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sampling {
    /// The input is held between samples; the states at the samples are exact.
    ZeroOrderHold,
    /// The trapezoidal rule, s = (2/h) (z − 1)/(z + 1).
    Tustin,
}

impl StateSpace {
    /// The system sampled with the step h.
    ///
    /// ```text
    /// [hold]    exp(h [A B; 0 0]) = [A_d B_d; 0 1]
    /// [late]    x(k+1) = A_d x(k) + B₁ u(k−d−1) + B₀ u(k−d),   B₀ = ∫₀^(h−f) e^(A s) ds B,
    ///           B₁ = B_d − B₀,  delay = d h + f,  0 ≤ f < h;  u(k−d−1) is a state where f > 0
    /// [tustin]  A_d = P (1 + h A/2),  B_d = h P B,  C_d = C P,  D_d = D + h C P B/2,
    ///           P = (1 − h A/2)⁻¹
    /// ```
    ///
    /// Delays stay exact under the hold: their whole steps as delays of the sampled system, the rest by
    /// [late]. Åström & Wittenmark, Computer-Controlled Systems, 3rd ed., section 2.3.
    ///
    /// Source: Franklin, Powell & Workman, Digital Control of Dynamic Systems, 3rd ed., chapters 4
    /// and 6; Van Loan, IEEE Trans. Autom. Control 23 (1978) 395.
    pub fn discretise(&self, step: f64, sampling: Sampling) -> Result<StateSpace, ControlError> {
        if self.clock != Clock::Continuous {
            return Err(ControlError::Size { what: "a sampled system is sampled again".to_string() });
        }
        if !(step.is_finite() && step > 0.0) {
            return Err(ControlError::Value { what: "the step is positive", value: step });
        }
        let system = self.explicit()?;
        let n = system.n_states();
        let clock = Clock::Sampled(step);
        match sampling {
            Sampling::ZeroOrderHold => {
                let HeldInput { transition, now, before, whole, parted } = HeldInput::new(&system, step)?;
                let seen = Mat::from_fn(system.n_outputs(), parted.len(), |i, k| system.d[(i, parted[k])]);
                let mut d = system.d.clone();
                parted.iter().for_each(|j| (0..d.nrows()).for_each(|i| d[(i, *j)] = 0.0));
                let (a, b) = with_values_before(&transition, &before, &now, &parted);
                let p = system.n_outputs();
                let c = Mat::from_fn(p, n + parted.len(), |i, k| match k.checked_sub(n) {
                    None => system.c[(i, k)],
                    Some(k) => seen[(i, k)],
                });
                Ok(StateSpace { a, b, c, d, clock, delays: whole, ..system })
            }
            Sampling::Tustin => {
                let (one, half) = (identity(n), scaled(&system.a, 0.5 * step));
                let p = solve(&(&one - &half), &one, "1 − h A/2")?;
                let pb = scaled(&(&p * &system.b), step);
                let d = &system.d + &scaled(&(&system.c * &pb), 0.5);
                let (a, c) = (&p * &(&one + &half), &system.c * &p);
                Ok(StateSpace { a, b: pb, c, d, clock, ..system })
            }
        }
    }
}

/// Parts of a step below this count as none.
const SAME: f64 = 1e-9;

/// The flow over a step with inputs that are held, each after its delay. [late]
pub(crate) struct HeldInput {
    /// A_d.
    pub transition: Matrix,
    /// B₀.
    pub now: Matrix,
    /// B₁; zero columns where a delay has no part of a step.
    pub before: Matrix,
    /// d h.
    pub whole: Vec<f64>,
    /// The inputs whose delay has a part of a step.
    pub parted: Vec<usize>,
}

impl HeldInput {
    /// Of a continuous system.
    pub fn new(system: &StateSpace, step: f64) -> Result<HeldInput, ControlError> {
        let (n, m) = (system.n_states(), system.n_inputs());
        let both = blocks(&system.a, &system.b, &Mat::zeros(m, n), &Mat::zeros(m, m));
        let held = matrix_exponential(&scaled(&both, step))?;
        let (transition, mut now) = (part(&held, 0, n, 0, n), part(&held, 0, n, n, m));
        let (mut before, mut whole, mut parted): (Matrix, _, _) = (Mat::zeros(n, m), vec![], vec![]);
        for (j, delay) in system.delays.iter().enumerate() {
            let steps = (delay / step + SAME).floor();
            whole.push(steps * step);
            let rest = delay - steps * step;
            if rest > SAME * step {
                let short = matrix_exponential(&scaled(&both, step - rest))?;
                for i in 0..n {
                    before[(i, j)] = now[(i, j)] - short[(i, n + j)];
                    now[(i, j)] = short[(i, n + j)];
                }
                parted.push(j);
            }
        }
        Ok(HeldInput { transition, now, before, whole, parted })
    }
}

/// x(k+1) = A x + B₁ v + B₀ u, v(k+1) = u: the inputs of the step before as states.
pub(crate) fn with_values_before(
    a: &Matrix,
    before: &Matrix,
    now: &Matrix,
    parted: &[usize],
) -> (Matrix, Matrix) {
    let (n, m, late) = (a.nrows(), now.ncols(), parted.len());
    let system = Mat::from_fn(n + late, n + late, |i, k| match (i < n, k.checked_sub(n)) {
        (true, None) => a[(i, k)],
        (true, Some(k)) => before[(i, parted[k])],
        (false, _) => 0.0,
    });
    let input = Mat::from_fn(n + late, m, |i, j| match i.checked_sub(n) {
        None => now[(i, j)],
        Some(k) => f64::from(u8::from(parted[k] == j)),
    });
    (system, input)
}
