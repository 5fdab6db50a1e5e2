//! Linear systems E x' = A x + B u, y = C x + D u with named inputs and outputs.

use crate::error::ControlError;
use crate::matrix::{
    Complex, Matrix, blocks, eigenvalues_with_zeros, identity, is_finite, part, scaled, solve,
};
use faer::Mat;

/// What advances the state.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Clock {
    /// The derivative: E x' = A x + B u.
    Continuous,
    /// A step of the given length: E x(k+1) = A x(k) + B u(k).
    Sampled(f64),
}

/// A linear system in state space.
#[derive(Clone, Debug)]
pub struct StateSpace {
    /// The system matrix A.
    pub a: Matrix,
    /// The input matrix B.
    pub b: Matrix,
    /// The output matrix C.
    pub c: Matrix,
    /// The direct path D.
    pub d: Matrix,
    /// The descriptor matrix E, where it is not the unit matrix; it may be singular.
    pub e: Option<Matrix>,
    /// The names of the inputs.
    pub inputs: Vec<String>,
    /// The names of the outputs.
    pub outputs: Vec<String>,
    /// Delays of the inputs in seconds, exact in the frequency response.
    pub delays: Vec<f64>,
    /// Continuous or sampled.
    pub clock: Clock,
}

impl StateSpace {
    /// A continuous system; inputs are named u1, u2, ..., outputs y1, y2, ....
    pub fn new(a: Matrix, b: Matrix, c: Matrix, d: Matrix) -> Result<StateSpace, ControlError> {
        let (n, m, p) = (a.nrows(), b.ncols(), c.nrows());
        if a.ncols() != n || b.nrows() != n || c.ncols() != n || d.nrows() != p || d.ncols() != m {
            let size = |x: &Matrix| format!("{} x {}", x.nrows(), x.ncols());
            let what = format!("A {}, B {}, C {}, D {}", size(&a), size(&b), size(&c), size(&d));
            return Err(ControlError::Size { what });
        }
        if ![&a, &b, &c, &d].into_iter().all(is_finite) {
            return Err(ControlError::NotFinite);
        }
        Ok(StateSpace {
            a,
            b,
            c,
            d,
            e: None,
            inputs: (1..=m).map(|i| format!("u{i}")).collect(),
            outputs: (1..=p).map(|i| format!("y{i}")).collect(),
            delays: vec![0.0; m],
            clock: Clock::Continuous,
        })
    }

    /// A static gain.
    pub fn gain(d: Matrix) -> Result<StateSpace, ControlError> {
        StateSpace::new(Mat::zeros(0, 0), Mat::zeros(0, d.ncols()), Mat::zeros(d.nrows(), 0), d)
    }

    /// The system with a descriptor matrix.
    pub fn with_descriptor(mut self, e: Matrix) -> Result<StateSpace, ControlError> {
        if e.nrows() != self.n_states() || e.ncols() != self.n_states() {
            let what = format!("E is {} x {} for {} states", e.nrows(), e.ncols(), self.n_states());
            return Err(ControlError::Size { what });
        }
        if !is_finite(&e) {
            return Err(ControlError::NotFinite);
        }
        self.e = Some(e);
        Ok(self)
    }

    /// The system with names for its inputs and outputs.
    pub fn with_names(mut self, inputs: &[&str], outputs: &[&str]) -> Result<StateSpace, ControlError> {
        if inputs.len() != self.n_inputs() || outputs.len() != self.n_outputs() {
            let what = format!("{} and {} names", inputs.len(), outputs.len());
            return Err(ControlError::Size { what });
        }
        self.inputs = inputs.iter().map(|s| s.to_string()).collect();
        self.outputs = outputs.iter().map(|s| s.to_string()).collect();
        Ok(self)
    }

    /// The system with delayed inputs.
    pub fn with_delays(mut self, delays: &[f64]) -> Result<StateSpace, ControlError> {
        if delays.len() != self.n_inputs() {
            return Err(ControlError::Size { what: format!("{} delays", delays.len()) });
        }
        if let Some(value) = delays.iter().find(|t| !t.is_finite() || **t < 0.0) {
            return Err(ControlError::Value { what: "a delay is not negative", value: *value });
        }
        self.delays = delays.to_vec();
        Ok(self)
    }

    /// The number of states.
    pub fn n_states(&self) -> usize {
        self.a.nrows()
    }

    /// The number of inputs.
    pub fn n_inputs(&self) -> usize {
        self.b.ncols()
    }

    /// The number of outputs.
    pub fn n_outputs(&self) -> usize {
        self.c.nrows()
    }

    /// The same system without descriptor matrix: x' = E⁻¹ A x + E⁻¹ B u.
    pub fn explicit(&self) -> Result<StateSpace, ControlError> {
        let Some(e) = &self.e else { return Ok(self.clone()) };
        let what = "the descriptor matrix";
        let (a, b) = (solve(e, &self.a, what)?, solve(e, &self.b, what)?);
        Ok(StateSpace { a, b, e: None, ..self.clone() })
    }

    /// The path from one input to one output.
    pub fn channel(&self, input: usize, output: usize) -> Result<StateSpace, ControlError> {
        let (n, m, p) = (self.n_states(), self.n_inputs(), self.n_outputs());
        if input >= m || output >= p {
            let what = format!("input {input} of {m}, output {output} of {p}");
            return Err(ControlError::Size { what });
        }
        Ok(StateSpace {
            b: part(&self.b, 0, n, input, 1),
            c: part(&self.c, output, 1, 0, n),
            d: part(&self.d, output, 1, input, 1),
            inputs: vec![self.inputs[input].clone()],
            outputs: vec![self.outputs[output].clone()],
            delays: vec![self.delays[input]],
            ..self.clone()
        })
    }

    /// The eigenvalues of A, or of (A, E) for a regular E; those that the rank tells to be zero are.
    pub fn eigenvalues(&self) -> Result<Vec<Complex>, ControlError> {
        eigenvalues_with_zeros(&self.explicit()?.a)
    }

    /// The largest real part of the eigenvalues, or their largest magnitude for a sampled system.
    pub fn spectral_abscissa(&self) -> Result<f64, ControlError> {
        let size = |z: &Complex| match self.clock {
            Clock::Continuous => z.re,
            Clock::Sampled(_) => z.norm(),
        };
        Ok(self.eigenvalues()?.iter().map(size).fold(f64::NEG_INFINITY, f64::max))
    }

    /// Refuses a system that is not asymptotically stable.
    pub fn assert_stable(&self) -> Result<(), ControlError> {
        let value = self.spectral_abscissa()?;
        let limit = match self.clock {
            Clock::Continuous => 0.0,
            Clock::Sampled(_) => 1.0,
        };
        if value < limit { Ok(()) } else { Err(ControlError::Unstable { value }) }
    }

    /// The connection in series: the outputs of `self` are the inputs of `next`.
    ///
    /// Delays of `next` are refused, because they would act on states.
    pub fn series(&self, next: &StateSpace) -> Result<StateSpace, ControlError> {
        self.assert_same_clock(next)?;
        next.assert_undelayed()?;
        if self.n_outputs() != next.n_inputs() {
            let what = format!("{} outputs into {} inputs", self.n_outputs(), next.n_inputs());
            return Err(ControlError::Size { what });
        }
        let (n1, n2) = (self.n_states(), next.n_states());
        let a = blocks(&self.a, &Mat::zeros(n1, n2), &(&next.b * &self.c), &next.a);
        let b = blocks(&self.b, &Mat::zeros(n1, 0), &(&next.b * &self.d), &Mat::zeros(n2, 0));
        let c = blocks(&(&next.d * &self.c), &next.c, &Mat::zeros(0, n1), &Mat::zeros(0, n2));
        let d = &next.d * &self.d;
        let e = joined_descriptor(self, next);
        let outputs = next.outputs.clone();
        Ok(StateSpace { a, b, c, d, e, outputs, ..self.clone() })
    }

    /// The sum of two systems with the same inputs.
    pub fn parallel(&self, other: &StateSpace) -> Result<StateSpace, ControlError> {
        self.assert_same_clock(other)?;
        if self.n_inputs() != other.n_inputs() || self.n_outputs() != other.n_outputs() {
            let what = "a sum of systems with different inputs or outputs".to_string();
            return Err(ControlError::Size { what });
        }
        if self.delays != other.delays {
            return Err(ControlError::Size { what: "a sum of systems with different delays".to_string() });
        }
        let (n1, n2) = (self.n_states(), other.n_states());
        let a = blocks(&self.a, &Mat::zeros(n1, n2), &Mat::zeros(n2, n1), &other.a);
        let b = blocks(&self.b, &Mat::zeros(n1, 0), &other.b, &Mat::zeros(n2, 0));
        let c = blocks(&self.c, &other.c, &Mat::zeros(0, n1), &Mat::zeros(0, n2));
        let d = &self.d + &other.d;
        Ok(StateSpace { a, b, c, d, e: joined_descriptor(self, other), ..self.clone() })
    }

    /// The closed loop u = r − K y with the system K in the path back.
    ///
    /// With Φ = (1 + D_K D)⁻¹ the input is u = Φ (r − C_K x_K − D_K C x). Source: Skogestad &
    /// Postlethwaite, Multivariable Feedback Control, 2nd ed., 4.1.
    pub fn feedback(&self, back: &StateSpace) -> Result<StateSpace, ControlError> {
        self.assert_same_clock(back)?;
        self.assert_undelayed()?;
        back.assert_undelayed()?;
        let m = self.n_inputs();
        if self.n_outputs() != back.n_inputs() || back.n_outputs() != m {
            let what = "the path back has other inputs and outputs than the system".to_string();
            return Err(ControlError::Size { what });
        }
        let (n1, n2) = (self.n_states(), back.n_states());
        let loop_gain = &identity(m) + &(&back.d * &self.d);
        let phi = solve(&loop_gain, &identity(m), "the algebraic loop 1 + D D_K")?;
        // u = k1 x + k2 x_K + phi r
        let k1 = scaled(&(&phi * &(&back.d * &self.c)), -1.0);
        let k2 = scaled(&(&phi * &back.c), -1.0);
        let (c1, c2) = (&self.c + &(&self.d * &k1), &self.d * &k2);
        let d = &self.d * &phi;
        let a = blocks(
            &(&self.a + &(&self.b * &k1)),
            &(&self.b * &k2),
            &(&back.b * &c1),
            &(&back.a + &(&back.b * &c2)),
        );
        let b = blocks(&(&self.b * &phi), &Mat::zeros(n1, 0), &(&back.b * &d), &Mat::zeros(n2, 0));
        let c = blocks(&c1, &c2, &Mat::zeros(0, n1), &Mat::zeros(0, n2));
        Ok(StateSpace { a, b, c, d, e: joined_descriptor(self, back), ..self.clone() })
    }

    fn assert_same_clock(&self, other: &StateSpace) -> Result<(), ControlError> {
        match (self.clock, other.clock) {
            (a, b) if a == b => Ok(()),
            (a, b) => Err(ControlError::Size { what: format!("clocks {a:?} and {b:?}") }),
        }
    }

    pub(crate) fn assert_undelayed(&self) -> Result<(), ControlError> {
        match self.delays.iter().find(|t| **t != 0.0) {
            None => Ok(()),
            Some(value) => {
                let what = "a delay here must be zero: it would need infinitely many states";
                Err(ControlError::Value { what, value: *value })
            }
        }
    }
}

fn joined_descriptor(first: &StateSpace, second: &StateSpace) -> Option<Matrix> {
    if first.e.is_none() && second.e.is_none() {
        return None;
    }
    let (n1, n2) = (first.n_states(), second.n_states());
    let e1 = first.e.clone().unwrap_or_else(|| identity(n1));
    let e2 = second.e.clone().unwrap_or_else(|| identity(n2));
    Some(blocks(&e1, &Mat::zeros(n1, n2), &Mat::zeros(n2, n1), &e2))
}
