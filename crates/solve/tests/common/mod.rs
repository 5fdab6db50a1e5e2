//! What the tests share: a system from a closure, and a run that collects samples.

#![allow(dead_code)] // Each test file uses its part.

use cardan_solve::{Control, Failure, Kind, Matrix, Options, Outcome, Problem, Sample, System, integrate};

type Slope = Box<dyn FnMut(f64, &[f64], &mut [f64])>;
type Jacobian = Box<dyn FnMut(f64, &[f64], &mut Matrix)>;

/// A system from closures.
pub struct Ode {
    n: usize,
    slope: Slope,
    jacobian: Option<Jacobian>,
}

impl Ode {
    pub fn new(n: usize, slope: impl FnMut(f64, &[f64], &mut [f64]) + 'static) -> Self {
        Ode { n, slope: Box::new(slope), jacobian: None }
    }

    pub fn with_jacobian(mut self, jacobian: impl FnMut(f64, &[f64], &mut Matrix) + 'static) -> Self {
        self.jacobian = Some(Box::new(jacobian));
        self
    }
}

impl System for Ode {
    fn dim(&self) -> usize {
        self.n
    }

    fn derivative(&mut self, t: f64, y: &[f64], dy: &mut [f64]) -> Result<(), Failure> {
        (self.slope)(t, y, dy);
        Ok(())
    }

    fn jacobian(&mut self, t: f64, y: &[f64], j: &mut Matrix) -> Result<bool, Failure> {
        match &mut self.jacobian {
            Some(jacobian) => {
                j.clear();
                jacobian(t, y, j);
                Ok(true)
            }
            None => Ok(false),
        }
    }
}

/// Integrates and collects the requested samples.
pub fn run(system: &mut dyn System, problem: &Problem, options: &Options) -> (Outcome, Vec<(f64, Vec<f64>)>) {
    let mut samples = Vec::new();
    let outcome = integrate(system, problem, options, &mut |sample: Sample<'_>| {
        if sample.kind == Kind::Output {
            samples.push((sample.t, sample.y.to_vec()));
        }
        Control::Continue
    });
    (outcome, samples)
}
