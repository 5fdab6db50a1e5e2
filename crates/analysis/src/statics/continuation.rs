//! Equilibria over a parameter by continuation along the arc of the curve.
//!
//! ```text
//! [curve]      R(x, p) = 0                     x: coordinates and auxiliary states; R: loads, rates, constraints
//! [arc-tangent]   [R_x R_p; τ₀ᵀ] τ = [0; 1]       turned so that it goes on
//! [corrector]  R(X) = 0,  τᵀ (X − X₀ − h τ) = 0,   X = (x, p/width)      Newton's method
//! [limit]      τ_p = 0: the load that is borne is greatest or least
//! ```
//!
//! The parameter may be the time: a quasi-static motion, whose loads and drives change so slowly
//! that nothing is accelerated. The derivative by the time is a central difference.
//!
//! Where the curve turns back, no equilibrium is near for a larger parameter, and a motion would
//! snap to another branch; the arc passes through. Source: Keller, in Applications of Bifurcation
//! Theory (1977) 359; Riks, Int. J. Solids Struct. 15 (1979) 529.

use cardan_solve::Matrix;
use cardan_solve::linear::least_norm;

use crate::AnalysisError;
use crate::equilibrium::{Balance, EquilibriumOptions, equilibrium};
use crate::linear::ignorable_coordinates::turned;
use crate::linear::linearize::{LinearOptions, linearize};
use crate::linear::stability::{Stability, roots};
use crate::numeric_model::Study;
use cardan_solve::nonlinear::Equations as _;

/// An equilibrium of the series.
#[derive(Clone, PartialEq, Debug)]
pub struct SeriesPoint {
    /// The parameter.
    pub value: f64,
    /// y, at rest.
    pub state: Vec<f64>,
    /// The outputs of the model.
    pub outputs: Vec<f64>,
    /// What becomes of small departures, where that is known.
    pub stability: Option<Stability>,
}

/// Equilibria over a parameter.
#[derive(Clone, PartialEq, Debug)]
pub struct EquilibriumSeries {
    /// In the order of the arc.
    pub points: Vec<SeriesPoint>,
    /// Where the parameter turns back.
    pub limits: Vec<SeriesPoint>,
    /// Whether the arc reached the end of the range; otherwise it turned far back, or went on too long.
    pub complete: bool,
}

/// What is varied.
#[derive(Clone, PartialEq, Debug)]
pub struct SeriesQuestion {
    /// The parameter, an input of the linearisations of the study, or [`TIME_PARAMETER`].
    pub parameter: String,
    /// From which value.
    pub from: f64,
    /// To which.
    pub to: f64,
    /// About how many equilibria.
    pub points: usize,
}

/// The time as a parameter of a series.
pub const TIME_PARAMETER: &str = "t";
/// The step of the difference by the time, relative to the range.
const TIME_STEP: f64 = 1e-5;

/// Points of an arc at most, as a multiple of those asked for.
const LONGEST_ARC: usize = 40;
/// How far behind its beginning an arc is followed, in widths of the range.
const BEHIND: f64 = -1.0;
const MAX_CORRECTIONS: usize = 12;
/// Residuals below this are balance, in SI units, or this part of the largest load.
const BALANCED: f64 = 1e-10;

struct Arc<'a> {
    study: &'a mut Study,
    question: &'a SeriesQuestion,
    t: f64,
    /// The place of the parameter among the inputs of linearisations; nothing for the time.
    input: Option<usize>,
    rest: Vec<f64>,
}

impl Arc<'_> {
    fn width(&self) -> f64 {
        self.question.to - self.question.from
    }
    fn value(&self, point: &[f64]) -> f64 {
        self.question.from + self.width() * point[point.len() - 1]
    }

    /// Gives the parameter the value of a point, and says the time there.
    fn place(&mut self, point: &[f64]) -> Result<f64, AnalysisError> {
        let value = self.value(point);
        match self.input {
            None => Ok(value),
            Some(_) => {
                self.study.set(&self.question.parameter, value)?;
                Ok(self.t)
            }
        }
    }

    /// R at a time.
    fn residual(&mut self, x: &[f64], t: f64) -> Result<Vec<f64>, AnalysisError> {
        let mut balance = Balance { study: self.study, t, u: &self.rest };
        let mut residual = vec![0.0; balance.n_equations()];
        let failed = |failure: cardan_solve::Failure| AnalysisError::Evaluation(failure.message);
        balance.residual(x, &mut residual).map_err(failed)?;
        Ok(residual)
    }

    /// R, and its derivatives by x and by the scaled parameter.
    fn equations(&mut self, point: &[f64]) -> Result<(Vec<f64>, Matrix), AnalysisError> {
        let t = self.place(point)?;
        let n = point.len() - 1;
        let width = self.width();
        let mut balance = Balance { study: self.study, t, u: &self.rest };
        let m = balance.n_equations();
        let mut residual = vec![0.0; m];
        let mut slopes = Matrix::zeros(m, n);
        let failed = |failure: cardan_solve::Failure| AnalysisError::Evaluation(failure.message);
        balance.residual(&point[..n], &mut residual).map_err(failed)?;
        balance.jacobian(&point[..n], &mut slopes).map_err(failed)?;
        let y = balance.state(&point[..n]);
        let (n_q, n_u, n_s) = self.study.sizes();
        let local = self.study.local(t, &y)?;
        let by_parameter = match self.input {
            Some(input) => {
                let column = local.field.column(self.study.n_states() + input);
                let mut by_parameter = vec![0.0; n_u];
                self.study.mass(t, &y)?.multiply(&column[n_q..n_q + n_u], &mut by_parameter);
                by_parameter.extend_from_slice(&column[n_q + n_u..n_q + n_u + n_s]);
                by_parameter.extend_from_slice(local.positions.column(self.study.n_states() + input));
                by_parameter
            }
            None => {
                let h = TIME_STEP * width.abs();
                let (before, after) =
                    (self.residual(&point[..n], t - h)?, self.residual(&point[..n], t + h)?);
                after.iter().zip(&before).map(|(a, b)| (a - b) / (2.0 * h)).collect()
            }
        };
        let mut all = Matrix::zeros(m, n + 1);
        (0..n).for_each(|c| all.column_mut(c).copy_from_slice(slopes.column(c)));
        all.column_mut(n).iter_mut().zip(by_parameter).for_each(|(x, b)| *x = width * b);
        Ok((residual, all))
    }

    /// Rows of the equations above one row more.
    fn bordered(equations: &Matrix, row: &[f64]) -> Matrix {
        let m = equations.n_rows();
        let mut all = Matrix::zeros(m + 1, equations.n_cols());
        for (c, last) in row.iter().enumerate() {
            all.column_mut(c)[..m].copy_from_slice(equations.column(c));
            all[(m, c)] = *last;
        }
        all
    }

    /// [arc-tangent]
    fn tangent(&mut self, point: &[f64], before: &[f64]) -> Result<Vec<f64>, AnalysisError> {
        let (_, slopes) = self.equations(point)?;
        let mut wanted = vec![0.0; slopes.n_rows() + 1];
        wanted[slopes.n_rows()] = 1.0;
        let mut tangent = least_norm(&Arc::bordered(&slopes, before), &wanted, 1e-12)?.x;
        let size = tangent.iter().map(|x| x * x).sum::<f64>().sqrt();
        tangent.iter_mut().for_each(|x| *x /= size);
        Ok(tangent)
    }

    /// [corrector] The point of the curve in the plane through a guess; nothing where Newton's method goes astray.
    fn correct(
        &mut self,
        guess: &[f64],
        tangent: &[f64],
    ) -> Result<Option<(Vec<f64>, usize)>, AnalysisError> {
        let mut point = guess.to_vec();
        let mut before = f64::INFINITY;
        for iteration in 0..MAX_CORRECTIONS {
            let Ok((mut residual, slopes)) = self.equations(&point) else { return Ok(None) };
            let size = slopes.as_slice().iter().fold(1.0, |m: f64, x| x.abs().max(m));
            let now = residual.iter().fold(0.0, |m: f64, x| x.abs().max(m));
            if now <= BALANCED * (1.0 + 1e-5 * size) && iteration > 0 || now == 0.0 {
                return Ok(Some((point, iteration)));
            }
            if !now.is_finite() || (iteration > 3 && now > before) {
                return Ok(None);
            }
            before = now;
            residual.push(point.iter().zip(guess).zip(tangent).map(|((a, b), t)| (a - b) * t).sum());
            let step = least_norm(&Arc::bordered(&slopes, tangent), &residual, 1e-12)?.x;
            point.iter_mut().zip(step).for_each(|(x, d)| *x -= d);
        }
        Ok(None)
    }

    fn described(&mut self, point: &[f64]) -> Result<SeriesPoint, AnalysisError> {
        let (value, t) = (self.value(point), self.place(point)?);
        let state = Balance { study: self.study, t, u: &self.rest }.state(&point[..point.len() - 1]);
        let outputs = self.study.outputs(t, &state)?;
        let linear = linearize(self.study, t, &state, &LinearOptions::default()).ok();
        let verdict = linear.and_then(|linear| {
            let turned = turned(&linear);
            let found = roots(&turned).ok()?;
            Some(Stability::of(&linear.independent, &turned, &found))
        });
        Ok(SeriesPoint { value, state, outputs, stability: verdict })
    }

    /// The limit point between two points whose tangents have τ_p of different signs. [limit]
    fn limit(
        &mut self,
        point: &[f64],
        tangent: &[f64],
        length: f64,
    ) -> Result<Option<SeriesPoint>, AnalysisError> {
        let last = tangent.len() - 1;
        let (mut low, mut high) = (0.0, length);
        let (mut f_low, mut found) = (tangent[last], None);
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            let guess: Vec<f64> = point.iter().zip(tangent).map(|(x, t)| x + middle * t).collect();
            let Some((there, _)) = self.correct(&guess, tangent)? else { break };
            let slope = self.tangent(&there, tangent)?[last];
            found = Some(there);
            if slope * f_low > 0.0 {
                (low, f_low) = (middle, slope);
            } else {
                high = middle;
            }
            if high - low <= 1e-12 * length {
                break;
            }
        }
        found.map(|there| self.described(&there)).transpose()
    }
}

/// The equilibria over a parameter, beginning with the one near the start.
pub fn equilibrium_series(
    study: &mut Study,
    question: &SeriesQuestion,
    t: f64,
) -> Result<EquilibriumSeries, AnalysisError> {
    let SeriesQuestion { parameter, from, to, points } = question;
    if from == to || !from.is_finite() || !to.is_finite() || *points < 2 {
        return Err(AnalysisError::Question(format!("`{parameter}` has no range from {from} to {to}")));
    }
    let names = study.input_names();
    let known = names.iter().map(|n| n.name.as_str());
    let input = names.iter().position(|n| n.name == *parameter);
    let t = match input {
        Some(_) => {
            study.set(parameter, *from)?;
            t
        }
        None if parameter == TIME_PARAMETER => *from,
        None => return Err(AnalysisError::unknown("input", parameter, known)),
    };
    let first = equilibrium(study, t, &EquilibriumOptions::default())?;
    if !first.balanced {
        let message = format!("no equilibrium was found for `{parameter}` = {from}");
        return Err(AnalysisError::Evaluation(message));
    }
    let (n_q, n_u, _) = study.sizes();
    let rest = first.state[n_q..n_q + n_u].to_vec();
    let mut point: Vec<f64> = first.state[..n_q].iter().chain(&first.state[n_q + n_u..]).copied().collect();
    point.push(0.0);
    let mut arc = Arc { study, question, t, input, rest };
    let mut towards = vec![0.0; point.len()];
    towards[point.len() - 1] = 1.0;
    let mut tangent = arc.tangent(&point, &towards)?;
    let mut series =
        EquilibriumSeries { points: vec![arc.described(&point)?], limits: vec![], complete: false };
    let usual = 1.0 / (*points - 1) as f64;
    let mut length = usual;
    let last = point.len() - 1;
    while series.points.len() < LONGEST_ARC * points {
        // A step changes the parameter by no more than was asked for.
        length = length.min(usual / tangent[last].abs().max(0.1));
        let guess: Vec<f64> = point.iter().zip(&tangent).map(|(x, t)| x + length * t).collect();
        let Some((there, iterations)) = arc.correct(&guess, &tangent)? else {
            length *= 0.5;
            if length < 1e-9 * usual {
                return Ok(series);
            }
            continue;
        };
        let next = arc.tangent(&there, &tangent)?;
        let turn: f64 = next.iter().zip(&tangent).map(|(a, b)| a * b).sum();
        if turn < 0.9 && length > 1e-6 * usual {
            length *= 0.5;
            continue;
        }
        if next[last] * tangent[last] < 0.0 {
            series.limits.extend(arc.limit(&point, &tangent, length)?);
        }
        let crossed =
            |end: f64| (there[last] - end) * (point[last] - end) <= 0.0 && there[last] != point[last];
        if crossed(1.0) || there[last] < BEHIND {
            // The last point lies on the end itself.
            let end = if there[last] < BEHIND { BEHIND } else { 1.0 };
            let along = (end - point[last]) / (there[last] - point[last]);
            let guess: Vec<f64> = point.iter().zip(&there).map(|(a, b)| a + along * (b - a)).collect();
            if let Some((exact, _)) = arc.correct(&guess, &towards)? {
                series.points.push(arc.described(&exact)?);
            }
            series.complete = end == 1.0;
            return Ok(series);
        }
        series.points.push(arc.described(&there)?);
        (point, tangent) = (there, next);
        length *= match iterations {
            0..=3 => 1.5,
            4..=6 => 1.0,
            _ => 0.5,
        };
    }
    Ok(series)
}
