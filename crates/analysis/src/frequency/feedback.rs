//! Feedback and observers for a linear system, by sizes of its quantities.
//!
//! ```text
//! [bryson]   J = ∫ Σ (x_j/x̄_j)² + Σ (y_i/ȳ_i)² + Σ (u_k/ū_k)² dt       a bar: the size that is accepted
//! [noise]    E[w wᵀ] = diag(w̄²) δ on inputs and states,  E[v vᵀ] = diag(v̄²) δ on measurements
//! ```
//!
//! Sizes in the unit of each quantity need no weights in mixed units. Source: Bryson & Ho, Applied
//! Optimal Control, 5.2.

use cardan_control::linear_quadratic::{Filter, Regulator, kalman, lqr};
use cardan_control::matrix::{Matrix, diagonal, eigenvalues, part};
use cardan_control::pole_placement::{place_observer_poles, place_poles};
use cardan_control::{Complex, ControlError};

use crate::AnalysisError;
use crate::frequency::state_space::LinearSystem;

/// Names with sizes in SI units.
pub type Sizes = [(String, f64)];

impl LinearSystem {
    /// The regulator of least cost. Every input has a size; states and outputs without one are not
    /// weighted. [bryson]
    pub fn regulator(&self, sizes: &Sizes) -> Result<Regulator, AnalysisError> {
        let (n, m) = (self.states.len(), self.inputs.len());
        self.check(sizes)?;
        let size = |name: &str| sizes.iter().find(|(known, _)| known == name).map(|(_, s)| *s);
        let weight = |name: &str| size(name).map_or(0.0, |s| 1.0 / (s * s));
        let unsized_input = self.inputs.iter().find(|u| size(&u.name).is_none());
        if let Some(input) = unsized_input {
            let name = &input.name;
            return Err(AnalysisError::Question(format!(
                "the input `{name}` has no size; its effort would be free"
            )));
        }
        let mut q = diagonal(&self.states.iter().map(|x| weight(&x.name)).collect::<Vec<_>>());
        let mut r = diagonal(&self.inputs.iter().map(|u| weight(&u.name)).collect::<Vec<_>>());
        let mut s = Matrix::zeros(n, m);
        let is_state = |name: &str| self.states.iter().any(|x| x.name == name);
        for (i, output) in self.outputs.iter().enumerate().filter(|(_, y)| !is_state(&y.name)) {
            let w = weight(&output.name);
            let (c, d) = (part(&self.system.c, i, 1, 0, n), part(&self.system.d, i, 1, 0, m));
            q = Matrix::from_fn(n, n, |a, b| q[(a, b)] + w * c[(0, a)] * c[(0, b)]);
            r = Matrix::from_fn(m, m, |a, b| r[(a, b)] + w * d[(0, a)] * d[(0, b)]);
            s = Matrix::from_fn(n, m, |a, b| s[(a, b)] + w * c[(0, a)] * d[(0, b)]);
        }
        Ok(lqr(&self.system, &q, &r, Some(&s))?)
    }

    /// The Kalman filter that observes all outputs. Every output has a size, the root of the density of its noise;
    /// so have the inputs and states that noise drives. [noise]
    pub fn filter(&self, sizes: &Sizes) -> Result<Filter, AnalysisError> {
        let (n, m) = (self.states.len(), self.inputs.len());
        self.check(sizes)?;
        let size = |name: &str| sizes.iter().find(|(known, _)| known == name).map(|(_, s)| *s);
        let mut measurement = vec![];
        for output in &self.outputs {
            let name = &output.name;
            let noise = size(name).ok_or_else(|| {
                AnalysisError::Question(format!("the measurement `{name}` has no size of its noise"))
            })?;
            measurement.push(noise * noise);
        }
        let b = &self.system.b;
        let intensity: Vec<f64> = self.inputs.iter().map(|u| size(&u.name).map_or(0.0, |s| s * s)).collect();
        let is_measured = |name: &str| self.outputs.iter().any(|y| y.name == name);
        let own = |k: usize| match size(&self.states[k].name) {
            Some(s) if !is_measured(&self.states[k].name) => s * s,
            _ => 0.0,
        };
        let process = Matrix::from_fn(n, n, |i, j| {
            let through: f64 = (0..m).map(|k| b[(i, k)] * intensity[k] * b[(j, k)]).sum();
            through + if i == j { own(i) } else { 0.0 }
        });
        Ok(kalman(&self.system, &process, &diagonal(&measurement))?)
    }

    /// The feedback with these poles, and the poles that it has indeed.
    pub fn placed(&self, poles: &[Complex]) -> Result<(Matrix, Vec<Complex>), AnalysisError> {
        let gain = place_poles(&self.system.a, &self.system.b, poles)?;
        let closed = &self.system.a - &(&self.system.b * &gain);
        Ok((gain, eigenvalues(&closed)?))
    }

    /// The observer of all outputs with these poles, and the poles that it has indeed.
    pub fn observer_placed(&self, poles: &[Complex]) -> Result<(Matrix, Vec<Complex>), AnalysisError> {
        let gain = place_observer_poles(&self.system.a, &self.system.c, poles)?;
        let error = &self.system.a - &(&gain * &self.system.c);
        Ok((gain, eigenvalues(&error)?))
    }

    /// Refuses sizes that are not positive, and names that are neither states, inputs nor outputs.
    fn check(&self, sizes: &Sizes) -> Result<(), AnalysisError> {
        for (name, size) in sizes {
            let names = self.states.iter().chain(&self.inputs).chain(&self.outputs).map(|q| q.name.as_str());
            if !names.clone().any(|known| known == name) {
                return Err(AnalysisError::unknown("independent state, input or output", name, names));
            }
            if !(size.is_finite() && *size > 0.0) {
                let what = "a size is positive";
                return Err(ControlError::Value { what, value: *size }.into());
            }
        }
        Ok(())
    }
}
