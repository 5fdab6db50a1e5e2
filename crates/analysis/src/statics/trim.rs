//! Trim: a steady motion in which some quantities have wanted values, and the inputs that it needs.
//!
//! ```text
//! [steady]   q̇_k = 0 of the coordinates that are felt,  u̇_k = 0,  ṡ_k = 0        of independent states
//! [kept]     g(q) = 0,  v(q, u) = 0
//! [trim-goal] y_j = ȳ_j,  w_i = w̄_i
//! ```
//!
//! Unknown are all states and the inputs that may vary, these in units of what the equations at the
//! guess ask of them, since a step is bounded. Newton's method takes the shortest steps, so that
//! of many steady motions the one near the start is found. Ignorable coordinates may go on
//! moving: a car drives on, a top precesses.

use cardan_solve::Matrix;
use cardan_solve::nonlinear::{self, Equations, NewtonOptions};
use cardan_solve::system::Failure;

use crate::AnalysisError;
use crate::linear::ignorable_coordinates::turned;
use crate::linear::linearize::{LinearOptions, Linearization, linearize};
use crate::linear::stability::{Stability, roots};
use crate::numeric_model::{StateKind, Study};

/// A steady motion.
#[derive(Clone, PartialEq, Debug)]
pub struct Trim {
    /// y.
    pub state: Vec<f64>,
    /// The inputs of the linearisations of the study that were varied.
    pub inputs: Vec<f64>,
    /// The outputs of the model.
    pub outputs: Vec<f64>,
    /// The largest equation that is left, in SI units.
    pub residual: f64,
    /// Whether that is small enough.
    pub balanced: bool,
    /// Iterations of Newton's method.
    pub iterations: usize,
    /// What becomes of small departures, where that is known.
    pub stability: Option<Stability>,
}

/// What is wanted of one quantity.
enum Wanted {
    State(usize, f64),
    Output(usize, f64),
}

struct Steady<'a> {
    study: &'a mut Study,
    t: f64,
    /// The inputs that are found, and the unit in which each is counted.
    vary: Vec<String>,
    scales: Vec<f64>,
    /// The states whose rates vanish.
    still: Vec<usize>,
    wanted: Vec<Wanted>,
}

/// Equations below this hold, in SI units.
const BALANCED: f64 = 1e-9;

fn recoverable(error: AnalysisError) -> Failure {
    Failure::recoverable(error.to_string())
}

impl Steady<'_> {
    fn take<'x>(&mut self, x: &'x [f64]) -> Result<&'x [f64], Failure> {
        let (y, inputs) = x.split_at(self.study.n_states());
        for ((name, value), scale) in self.vary.iter().zip(inputs).zip(&self.scales) {
            self.study.set(name, value * scale).map_err(recoverable)?;
        }
        Ok(y)
    }
}

impl Steady<'_> {
    /// Counts each input in units of the change that would balance the largest equation at the guess alone.
    fn scale(&mut self, guess: &mut [f64], n: usize) -> Result<(), AnalysisError> {
        let (rows, unknowns) = (self.n_equations(), self.n_unknowns());
        let (mut left, mut slopes) = (vec![0.0; rows], Matrix::zeros(rows, unknowns));
        self.residual(guess, &mut left)?;
        self.jacobian(guess, &mut slopes)?;
        let size = |v: &[f64]| v.iter().fold(0.0f64, |m, x| x.abs().max(m));
        for (k, x) in guess[n..].iter_mut().enumerate() {
            let slope = size(slopes.column(n + k));
            let asked = if slope > 0.0 { size(&left) / slope } else { 0.0 };
            self.scales[k] = asked.max(x.abs()).max(1.0);
            *x /= self.scales[k];
        }
        Ok(())
    }
}

impl Equations for Steady<'_> {
    fn n_unknowns(&self) -> usize {
        self.study.n_states() + self.vary.len()
    }

    fn n_equations(&self) -> usize {
        let rows = self.study.n_position_rows() + self.study.row_names().len();
        self.still.len() + rows + self.wanted.len()
    }

    fn residual(&mut self, x: &[f64], r: &mut [f64]) -> Result<(), Failure> {
        let y = self.take(x)?;
        let rates = self.study.rates(self.t, y).map_err(recoverable)?;
        let found = self.study.residuals(self.t, y).map_err(recoverable)?;
        let outputs = self.study.outputs(self.t, y).map_err(recoverable)?;
        let still = self.still.iter().map(|k| rates[*k]);
        let kept = found.positions.into_iter().chain(found.velocities);
        let wanted = self.wanted.iter().map(|wanted| match wanted {
            Wanted::State(k, value) => y[*k] - value,
            Wanted::Output(k, value) => outputs[*k] - value,
        });
        r.iter_mut().zip(still.chain(kept).chain(wanted)).for_each(|(r, x)| *r = x);
        Ok(())
    }

    fn jacobian(&mut self, x: &[f64], j: &mut Matrix) -> Result<bool, Failure> {
        let y = self.take(x)?;
        let local = self.study.local(self.t, y).map_err(recoverable)?;
        let n = self.study.n_states();
        for c in 0..n + self.vary.len() {
            let still = self.still.iter().map(|k| local.field[(*k, c)]);
            let kept = local.positions.column(c).iter().chain(local.velocities.column(c)).copied();
            let wanted = self.wanted.iter().map(|wanted| match wanted {
                Wanted::State(k, _) => f64::from(u8::from(*k == c)),
                Wanted::Output(k, _) => local.field[(n + k, c)],
            });
            let scale = c.checked_sub(n).map_or(1.0, |k| self.scales[k]);
            let column = still.chain(kept).chain(wanted).map(|x| x * scale);
            j.column_mut(c).iter_mut().zip(column).for_each(|(j, x)| *j = x);
        }
        Ok(true)
    }
}

/// The steady motion near the start in which states and outputs have these values. The inputs of
/// the study's linearisations may vary.
pub fn trim(study: &mut Study, t: f64, wanted: &[(String, f64)]) -> Result<Trim, AnalysisError> {
    let mut y = study.start(t)?;
    let mut goals = vec![];
    for (name, value) in wanted {
        let output = study.output_names().iter().position(|o| o.name == *name);
        goals.push(match (study.place(name), output) {
            (Ok(k), _) => {
                y[k] = *value;
                Wanted::State(k, *value)
            }
            (_, Some(k)) => Wanted::Output(k, *value),
            (Err(error), None) => return Err(error),
        });
    }
    study.close(t, &mut y)?;
    let vary: Vec<String> = study.input_names().into_iter().map(|n| n.name).collect();
    let linear = linearize(study, t, &y, &LinearOptions::default())?;
    let inputs: Vec<f64> = vary.iter().map(|name| study.parameter(name).unwrap_or(0.0)).collect();
    let mut guess: Vec<f64> = y.iter().chain(&inputs).copied().collect();
    let (n, still) = (y.len(), still(&linear));
    let scales = vec![1.0; vary.len()];
    let mut steady = Steady { study, t, vary, scales, still, wanted: goals };
    steady.scale(&mut guess, n)?;
    let options = NewtonOptions {
        residual: 1e-2 * BALANCED,
        max_step: 0.5,
        rank_tolerance: 1e-11,
        ..NewtonOptions::default()
    };
    let (x, iterations) = match nonlinear::solve(&mut steady, &guess, &options) {
        Ok(root) => (root.x, root.iterations),
        Err(failure) => (failure.x, failure.iterations),
    };
    let mut left = vec![0.0; steady.n_equations()];
    steady.residual(&x, &mut left)?;
    let residual = left.iter().fold(0.0, |m: f64, x| x.abs().max(m));
    let state = steady.take(&x)?.to_vec();
    let inputs = x[n..].iter().zip(&steady.scales).map(|(x, scale)| x * scale).collect();
    let outputs = study.outputs(t, &state)?;
    let balanced = residual <= BALANCED;
    let linear = if balanced { linearize(study, t, &state, &LinearOptions::default()).ok() } else { None };
    let stability = linear.and_then(|linear| {
        let turned = turned(&linear);
        let found = roots(&turned).ok()?;
        Some(Stability::of(&linear.independent, &turned, &found))
    });
    Ok(Trim { state, inputs, outputs, residual, balanced, iterations, stability })
}

/// The places of the states whose rates vanish. [steady]
fn still(linear: &Linearization) -> Vec<usize> {
    let is_still = |(k, x): &(usize, &crate::linear::linearize::Independent)| {
        x.kind != StateKind::Coordinate || !linear.ignorable.contains(k)
    };
    linear.independent.iter().enumerate().filter(is_still).map(|(_, x)| x.place).collect()
}
