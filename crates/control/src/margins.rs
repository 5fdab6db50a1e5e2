//! Stability margins of a loop L(iω) that is closed by u = r − L u.
//!
//! ```text
//! [gain crossover]   |L(iω)| = 1:     zeros of 1 − L(s) L(−s) on the imaginary axis
//! [phase crossover]  Im L(iω) = 0:    zeros of L(s) − L(−s) on the imaginary axis
//! [modulus]          min |1 + L(iω)|: the distance of Nyquist's curve from −1
//! ```
//!
//! The zeros are found by algebra, so that no crossover is missed between points of a grid, and are
//! refined on L itself. With delays or samples the conditions are not rational; the frequencies are
//! then bracketed on a grid. Source: Åström & Murray, Feedback Systems, 9.3; the algebra: Boyd,
//! Balakrishnan & Kabamba, Math. Control Signals Systems 2 (1989) 207.

use crate::error::ControlError;
use crate::frequency_response::{FrequencyResponse, logarithmic_grid};
use crate::matrix::{Complex, scaled};
use crate::state_space::{Clock, StateSpace};
use crate::transfer_function::zeros;
use faer::Mat;
use std::f64::consts::{PI, TAU};

/// A frequency and the margin there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Margin {
    /// The angular frequency, rad/s.
    pub frequency: f64,
    /// The margin.
    pub value: f64,
}

/// The margins of a loop.
#[derive(Clone, Debug, PartialEq)]
pub struct Margins {
    /// Factors 1/|L| at which the loop becomes marginal, at each crossover of the phase −180°.
    pub gain: Vec<Margin>,
    /// Angles arg L + π in (−π, π], at each crossover of the gain 1.
    pub phase: Vec<Margin>,
    /// The distance of the curve from −1 and where it is least.
    pub modulus: Margin,
}

impl Margins {
    /// The smallest factor above 1.
    pub fn gain_margin(&self) -> Option<Margin> {
        smallest(self.gain.iter().copied().filter(|m| m.value > 1.0))
    }

    /// The largest factor below 1: how far the gain may fall.
    pub fn gain_reduction_margin(&self) -> Option<Margin> {
        self.gain.iter().copied().filter(|m| m.value < 1.0).max_by(|a, b| a.value.total_cmp(&b.value))
    }

    /// The angle of smallest magnitude.
    pub fn phase_margin(&self) -> Option<Margin> {
        self.phase.iter().copied().min_by(|a, b| a.value.abs().total_cmp(&b.value.abs()))
    }

    /// The smallest additional delay that makes the loop marginal, in seconds.
    pub fn delay_margin(&self) -> Option<Margin> {
        let delay = |m: &Margin| Margin { value: m.value.rem_euclid(TAU) / m.frequency, ..*m };
        smallest(self.phase.iter().map(delay))
    }
}

fn smallest(margins: impl Iterator<Item = Margin>) -> Option<Margin> {
    margins.min_by(|a, b| a.value.total_cmp(&b.value))
}

/// The margins of a loop with one input and one output.
pub fn margins(open_loop: &StateSpace) -> Result<Margins, ControlError> {
    if open_loop.n_inputs() != 1 || open_loop.n_outputs() != 1 {
        let what = format!("a loop of {} inputs, {} outputs", open_loop.n_inputs(), open_loop.n_outputs());
        return Err(ControlError::Size { what });
    }
    let system = open_loop.explicit()?;
    let response = FrequencyResponse::new(&system)?;
    let at = |w: f64| response.at(w).ok().map(|g| g[(0, 0)]);
    let grid = grid(&system)?;
    let excess = |w: f64| at(w).map_or(f64::NAN, |l| l.norm().ln());
    let sine = |w: f64| at(w).map_or(f64::NAN, |l| l.im / l.norm());
    let (gain_crossovers, phase_crossovers) = if is_rational(&system) {
        let mirrored =
            StateSpace { a: scaled(&system.a, -1.0), b: scaled(&system.b, -1.0), ..system.clone() };
        let product = system.series(&mirrored)?;
        let unity = Mat::from_fn(1, 1, |_, _| 1.0);
        let balance = StateSpace { c: scaled(&product.c, -1.0), d: &unity - &product.d, ..product.clone() };
        let opposite =
            StateSpace { c: scaled(&mirrored.c, -1.0), d: scaled(&mirrored.d, -1.0), ..mirrored.clone() };
        let difference = system.parallel(&opposite)?;
        (refined(&on_axis(&zeros(&balance)?), excess), refined(&on_axis(&zeros(&difference)?), sine))
    } else {
        (bracketed(&grid, excess), bracketed(&grid, sine))
    };
    Ok(collected(&grid, at, &gain_crossovers, &phase_crossovers))
}

/// The margins of a loop that is known by its frequency response L, between the first and the last
/// frequency of a grid in rad/s: crossovers between neighbours are found where they are single.
pub fn margins_of_curve(grid: &[f64], at: impl Fn(f64) -> Option<Complex>) -> Option<Margins> {
    if grid.is_empty() {
        return None;
    }
    let excess = |w: f64| at(w).map_or(f64::NAN, |l| l.norm().ln());
    let sine = |w: f64| at(w).map_or(f64::NAN, |l| l.im / l.norm());
    let (gain_crossovers, phase_crossovers) = (bracketed(grid, excess), bracketed(grid, sine));
    Some(collected(grid, &at, &gain_crossovers, &phase_crossovers))
}

fn collected(
    grid: &[f64],
    at: impl Fn(f64) -> Option<Complex>,
    gain_crossovers: &[f64],
    phase_crossovers: &[f64],
) -> Margins {
    let gain = phase_crossovers.iter().copied().filter_map(|w| {
        let l = at(w)?;
        (l.re < 0.0).then(|| Margin { frequency: w, value: 1.0 / l.norm() })
    });
    let phase = gain_crossovers.iter().filter_map(|w| {
        let angle = (-at(*w)?).arg();
        Some(Margin { frequency: *w, value: angle })
    });
    let distance = |w: f64| at(w).map_or(f64::INFINITY, |l| (l + 1.0).norm());
    Margins { gain: gain.collect(), phase: phase.collect(), modulus: least(grid, distance) }
}

fn is_rational(system: &StateSpace) -> bool {
    system.clock == Clock::Continuous && system.delays.iter().all(|t| *t == 0.0)
}

/// Zeros that lie on the positive imaginary axis, up to the error of their computation.
fn on_axis(zeros: &[Complex]) -> Vec<f64> {
    let near = |z: &&Complex| z.im > 0.0 && z.re.abs() <= 1e-4 * z.norm();
    let mut found: Vec<f64> = zeros.iter().filter(near).map(|z| z.norm()).collect();
    found.sort_by(f64::total_cmp);
    found
}

/// Roots of f near the candidates, by secants; candidates that lead nowhere are no crossovers.
fn refined(candidates: &[f64], f: impl Fn(f64) -> f64) -> Vec<f64> {
    let mut roots: Vec<f64> = vec![];
    for candidate in candidates {
        let (mut w0, mut w1) = (candidate * (1.0 - 1e-5), *candidate);
        let (mut f0, mut f1) = (f(w0), f(w1));
        for _ in 0..50 {
            if f1 == 0.0 || f1 == f0 || (w1 - w0).abs() <= 1e-15 * w1.abs() {
                break;
            }
            let w2 = w1 - f1 * (w1 - w0) / (f1 - f0);
            if !w2.is_finite() || (w2 - candidate).abs() > 0.01 * candidate {
                break;
            }
            (w0, f0) = (w1, f1);
            (w1, f1) = (w2, f(w2));
        }
        let known = roots.iter().any(|w| (w - w1).abs() <= 1e-9 * w1);
        if f1.abs() < 1e-9 && !known {
            roots.push(w1);
        }
    }
    roots
}

/// Roots of f between neighbours of the grid with different signs.
fn bracketed(grid: &[f64], f: impl Fn(f64) -> f64) -> Vec<f64> {
    let values: Vec<f64> = grid.iter().map(|w| f(*w)).collect();
    let mut roots = vec![];
    for i in 1..grid.len() {
        let (mut low, mut high, f_low) = (grid[i - 1], grid[i], values[i - 1]);
        let changes_sign = f_low != 0.0 && f_low * values[i] <= 0.0;
        if !changes_sign {
            continue;
        }
        for _ in 0..200 {
            let middle = 0.5 * (low + high);
            if middle <= low || middle >= high {
                break;
            }
            if f(middle) * f_low > 0.0 { low = middle } else { high = middle }
        }
        // A jump of the sign is no root: the values beside it are not small.
        if f(high).abs() < 1e-6 {
            roots.push(high);
        }
    }
    roots
}

/// Frequencies that cover the poles and zeros, close enough for the phase of the delays.
fn grid(system: &StateSpace) -> Result<Vec<f64>, ControlError> {
    if let Clock::Sampled(step) = system.clock {
        return Ok(logarithmic_grid(1e-5 * PI / step, PI / step, 4000));
    }
    let mut marks: Vec<f64> = system.eigenvalues()?.iter().chain(&zeros(system)?).map(|z| z.norm()).collect();
    marks.retain(|w| *w > 1e-9);
    let delay = system.delays[0];
    marks.extend((delay > 0.0).then(|| 1.0 / delay));
    let (low, high) = marks.iter().fold((f64::INFINITY, 0.0_f64), |(l, h), w| (l.min(*w), h.max(*w)));
    let (low, high) = if high > 0.0 { (1e-3 * low, 1e3 * high) } else { (1e-3, 1e3) };
    let (mut w, mut grid) = (low, marks);
    while w < high && grid.len() < 100_000 {
        grid.push(w);
        w = if delay > 0.0 { (w * 1.005).min(w + 0.2 / delay) } else { w * 1.005 };
    }
    grid.sort_by(f64::total_cmp);
    Ok(grid)
}

/// The least value of f: golden sections at every low point of the grid. [modulus]
fn least(grid: &[f64], f: impl Fn(f64) -> f64) -> Margin {
    let values: Vec<f64> = grid.iter().map(|w| f(*w)).collect();
    let n = grid.len();
    let lowest = values.iter().copied().fold(f64::INFINITY, f64::min);
    let mut best = Margin { frequency: grid[0], value: values[0] };
    let ratio = 0.5 * (5.0_f64.sqrt() - 1.0);
    for i in 0..n {
        let (before, after) = (i.saturating_sub(1), (i + 1).min(n - 1));
        if values[i] > 1.5 * lowest || values[i] > values[before] || values[i] > values[after] {
            continue;
        }
        let (mut a, mut b) = (grid[before], grid[after]);
        for _ in 0..100 {
            let (x, y) = (b - ratio * (b - a), a + ratio * (b - a));
            if f(x) < f(y) { b = y } else { a = x }
        }
        let frequency = 0.5 * (a + b);
        let value = f(frequency).min(values[i]);
        if value < best.value {
            best = Margin { frequency, value };
        }
    }
    best
}
