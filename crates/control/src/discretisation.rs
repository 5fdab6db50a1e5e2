//! Sampled equivalents of continuous systems.

use crate::error::ControlError;
use crate::matrix::{blocks, identity, part, scaled, solve};
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
    /// [tustin]  A_d = P (1 + h A/2),  B_d = h P B,  C_d = C P,  D_d = D + h C P B/2,
    ///           P = (1 − h A/2)⁻¹
    /// ```
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
        let (n, m) = (system.n_states(), system.n_inputs());
        let clock = Clock::Sampled(step);
        match sampling {
            Sampling::ZeroOrderHold => {
                let both = blocks(&system.a, &system.b, &Mat::zeros(m, n), &Mat::zeros(m, m));
                let held = matrix_exponential(&scaled(&both, step))?;
                let (a, b) = (part(&held, 0, n, 0, n), part(&held, 0, n, n, m));
                Ok(StateSpace { a, b, clock, ..system })
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
