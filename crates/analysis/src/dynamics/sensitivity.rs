//! Sensitivity of a motion: derivatives of states and outputs by parameters, over time.
//!
//! ```text
//! [variational]   Ṡ = f_y S + f_p,   S = ∂y/∂p             beside ẏ = f(t, y, p)
//! [seen-change]   ∂w/∂p = h_y S + h_p
//! [start-change]  S(t₀) = (y₀(p + δ) − y₀(p − δ))/(2 δ)    the start as it is assembled
//! ```
//!
//! f_y, f_p, h_y and h_p are exact derivatives of the program. Events have no part in it: a motion that
//! has some is refused. Source: Hairer, Nørsett & Wanner, Solving Ordinary Differential Equations
//! I, I.14.

use cardan_solve::{Absolute, Control, Failure, Options, Problem, StopReason, System, integrate};

use crate::AnalysisError;
use crate::numeric_model::{Named, Study};

/// Errors per step, relative and in SI units.
const RELATIVE: f64 = 1e-10;
const ABSOLUTE: f64 = 1e-12;
/// Relative change of a parameter by which the derivative of the start is found.
const CHANGE: f64 = 1e-6;

/// The motion at one time, with its derivatives.
#[derive(Clone, PartialEq, Debug)]
pub struct SensitiveSample {
    /// When.
    pub time: f64,
    /// y.
    pub state: Vec<f64>,
    /// w.
    pub outputs: Vec<f64>,
    /// ∂y/∂p, parameter by parameter.
    pub states_by: Vec<Vec<f64>>,
    /// ∂w/∂p, parameter by parameter.
    pub outputs_by: Vec<Vec<f64>>,
}

/// A motion with its derivatives by the inputs of linearisations.
#[derive(Clone, PartialEq, Debug)]
pub struct Sensitivity {
    /// The parameters.
    pub parameters: Vec<Named>,
    /// Over time.
    pub samples: Vec<SensitiveSample>,
}

/// The motion and its derivatives, one after the other.
struct Variational<'a> {
    study: &'a mut Study,
    n_parameters: usize,
}

fn failed(error: AnalysisError) -> Failure {
    Failure::recoverable(error.to_string())
}

impl System for Variational<'_> {
    fn dim(&self) -> usize {
        self.study.n_states() * (1 + self.n_parameters)
    }

    fn derivative(&mut self, t: f64, x: &[f64], dx: &mut [f64]) -> Result<(), Failure> {
        let n = self.study.n_states();
        let (y, s) = x.split_at(n);
        dx[..n].copy_from_slice(&self.study.rates(t, y).map_err(failed)?);
        let (f_y, f_p) = self.study.rate_derivatives(t, y).map_err(failed)?;
        // [variational]
        for k in 0..self.n_parameters {
            let column = &mut dx[n * (k + 1)..n * (k + 2)];
            f_y.multiply(&s[n * k..n * (k + 1)], column);
            column.iter_mut().zip(f_p.column(k)).for_each(|(x, p)| *x += p);
        }
        Ok(())
    }

    fn project(&mut self, t: f64, x: &mut [f64]) -> Result<bool, Failure> {
        let n = self.study.n_states();
        self.study.close(t, &mut x[..n]).map_err(failed)?;
        Ok(true)
    }
}

/// The derivatives of the motion from the start by the inputs of the study's linearisations, at
/// these times, the first of which is the start's.
pub fn sensitivity(study: &mut Study, times: &[f64]) -> Result<Sensitivity, AnalysisError> {
    let parameters = study.input_names();
    if parameters.is_empty() {
        return Err(AnalysisError::Question("no parameters are named".into()));
    }
    if !study.model().hybrid.events.is_empty() {
        return Err(AnalysisError::Question(
            "the model has events, across which this derivative jumps in a way that is not computed".into(),
        ));
    }
    let Some(first) = times.first() else { return Ok(Sensitivity { parameters, samples: vec![] }) };
    let n = study.n_states();
    let mut x = study.start(*first)?;
    for parameter in &parameters {
        x.extend(start_by(study, *first, &parameter.name)?);
    }
    let options = Options { rtol: RELATIVE, atol: Absolute::Uniform(ABSOLUTE), ..Options::default() };
    let mut samples = vec![];
    let mut now = *first;
    for time in times {
        if *time != now {
            let mut system = Variational { study, n_parameters: parameters.len() };
            let problem = Problem::new(now, *time, x.as_slice());
            let outcome = integrate(&mut system, &problem, &options, &mut |_| Control::Continue);
            if outcome.stop != StopReason::ReachedEnd {
                let reached = outcome.t_reached;
                let message = format!("the motion could not be followed beyond t = {reached:.6} s");
                return Err(AnalysisError::Evaluation(message));
            }
            (x, now) = (outcome.y_reached, *time);
        }
        let state = x[..n].to_vec();
        let local = study.local(now, &state)?;
        let outputs = study.outputs(now, &state)?;
        let states_by: Vec<Vec<f64>> =
            (0..parameters.len()).map(|k| x[n * (k + 1)..n * (k + 2)].to_vec()).collect();
        // [seen-change]
        let by = |k: usize| -> Vec<f64> {
            let row = |i: usize| {
                let through: f64 = (0..n).map(|j| local.field[(n + i, j)] * states_by[k][j]).sum();
                through + local.field[(n + i, n + k)]
            };
            (0..outputs.len()).map(row).collect()
        };
        let outputs_by = (0..parameters.len()).map(by).collect();
        samples.push(SensitiveSample { time: now, state, outputs, states_by, outputs_by });
    }
    Ok(Sensitivity { parameters, samples })
}

/// [start-change]
fn start_by(study: &mut Study, t: f64, name: &str) -> Result<Vec<f64>, AnalysisError> {
    let value = study.parameter(name).unwrap_or(0.0);
    let change = CHANGE * value.abs().max(1e-3);
    study.set(name, value + change)?;
    let above = study.start(t);
    study.set(name, value - change)?;
    let below = study.start(t);
    study.set(name, value)?;
    let (above, below) = (above?, below?);
    Ok(above.iter().zip(&below).map(|(a, b)| (a - b) / (2.0 * change)).collect())
}
