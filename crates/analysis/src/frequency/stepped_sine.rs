//! Response of a nonlinear model to a sine that is stepped from frequency to frequency.
//!
//! ```text
//! [drive]      u = u₀ + a sin θ,   θ = ω t + φ              φ keeps θ continuous where ω changes
//! [harmonics]  c_h = 2/K Σ_k (y_k − k/K (y_K − y_0)) e^(−i h θ_k)      over one period, without its drift
//! [gain]       G = c₁ / (−i a)
//! [settled]    d_n ρ/(1 − ρ) ≤ ε |c₁|,   d_n = |c₁(n) − c₁(n−1)|,   ρ = d_n/d_(n−1)
//! ```
//!
//! What is left of a transient that decays by the factor ρ per period is the sum of all changes to
//! come. The state goes on from one frequency to the next, so that a jump of the response is met
//! where the sweep meets it.

use std::f64::consts::TAU;

use cardan_control::Complex;
use cardan_sim::Session;

use crate::AnalysisError;

/// The inputs of a model that make up its excitation. [drive]
#[derive(Clone, PartialEq, Debug)]
pub struct SineDrive {
    /// The name of the amplitude a.
    pub amplitude: String,
    /// The name of the angular frequency ω.
    pub rate: String,
    /// The name of the angle φ.
    pub angle: String,
}

/// How a stepped sine is followed.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct SteppedOptions {
    /// The change of the response to come that counts as steady, relative.
    pub tolerance: f64,
    /// Periods at one frequency at most.
    pub max_periods: usize,
    /// Samples of one period.
    pub samples: usize,
}

impl Default for SteppedOptions {
    fn default() -> Self {
        SteppedOptions { tolerance: 1e-4, max_periods: 1000, samples: 64 }
    }
}

/// The response at one frequency.
#[derive(Clone, PartialEq, Debug)]
pub struct SteppedPoint {
    /// In Hz.
    pub frequency: f64,
    /// The first harmonic over the amplitude, one per output. [gain]
    pub response: Vec<Complex>,
    /// The root of the squares of higher harmonics over the first one, one per output.
    pub distortion: Vec<f64>,
    /// The mean over a period, one per output.
    pub mean: Vec<f64>,
    /// How many periods it took.
    pub periods: usize,
    /// Whether the response is steady.
    pub is_steady: bool,
}

/// The response at each of the frequencies, in their order.
pub fn stepped_sine(
    session: &mut Session,
    drive: &SineDrive,
    amplitude: f64,
    frequencies: &[f64],
    options: &SteppedOptions,
) -> Result<Vec<SteppedPoint>, AnalysisError> {
    let failed = |error: cardan_sim::SessionError| AnalysisError::Evaluation(error.to_string());
    session.set(&drive.amplitude, amplitude).map_err(failed)?;
    let mut theta = 0.0;
    let mut points = vec![];
    for frequency in frequencies {
        if !(frequency.is_finite() && *frequency > 0.0) {
            return Err(AnalysisError::Question(format!("a sine has no frequency of {frequency} Hz")));
        }
        let (omega, begin) = (TAU * frequency, session.time());
        session.set(&drive.rate, omega).map_err(failed)?;
        session.set(&drive.angle, theta - omega * begin).map_err(failed)?;
        let mut follow = |period: usize| -> Result<Period, AnalysisError> {
            let mut rows = vec![];
            for k in 0..options.samples {
                rows.push(session.outputs().map_err(failed)?);
                let turns = period as f64 + (k + 1) as f64 / options.samples as f64;
                session.advance(begin + turns / frequency).map_err(failed)?;
            }
            rows.push(session.outputs().map_err(failed)?);
            Ok(Period::of(&rows, theta))
        };
        let mut before = follow(0)?;
        let (mut last_change, mut steady, mut periods) = (vec![f64::INFINITY; before.first.len()], 0, 1);
        while steady < STEADY && periods < options.max_periods {
            let now = follow(periods)?;
            periods += 1;
            let change: Vec<f64> = now.first.iter().zip(&before.first).map(|(a, b)| (a - b).norm()).collect();
            let largest = now.first.iter().map(|c| c.norm()).fold(0.0, f64::max);
            let left = |k: usize| {
                let ratio = (change[k] / last_change[k]).min(0.999);
                if change[k] == 0.0 { 0.0 } else { change[k] * (ratio / (1.0 - ratio)).max(1.0) }
            };
            let is_small =
                |k: usize| left(k) <= options.tolerance * now.first[k].norm().max(NOTHING * largest);
            steady = if (0..change.len()).all(is_small) { steady + 1 } else { 0 };
            (before, last_change) = (now, change);
        }
        // [gain]
        let over = Complex::new(0.0, -amplitude);
        points.push(SteppedPoint {
            frequency: *frequency,
            response: before.first.iter().map(|c| c / over).collect(),
            distortion: before.distortion,
            mean: before.mean,
            periods,
            is_steady: steady == STEADY,
        });
        // Whole periods have gone by.
        theta %= TAU;
    }
    Ok(points)
}

/// Periods in a row that must look steady.
const STEADY: usize = 3;
/// An output that moves less than this part of the largest does not decide.
const NOTHING: f64 = 1e-9;
/// Harmonics that are looked at.
const HARMONICS: usize = 9;

/// One period of the outputs.
pub(crate) struct Period {
    /// First harmonics.
    pub first: Vec<Complex>,
    /// Higher harmonics over the first.
    pub distortion: Vec<f64>,
    /// Means.
    pub mean: Vec<f64>,
}

impl Period {
    /// From samples of a period and the first one of the next. [harmonics]
    pub(crate) fn of(rows: &[Vec<f64>], theta: f64) -> Period {
        let (Some(begin), Some((end, rows))) = (rows.first(), rows.split_last()) else {
            return Period { first: vec![], distortion: vec![], mean: vec![] };
        };
        let n = rows.len() as f64;
        let harmonic = |output: usize, h: usize| -> Complex {
            let drift = end[output] - begin[output];
            let term = |(k, row): (usize, &Vec<f64>)| {
                let (share, angle) = (k as f64 / n, theta + TAU * k as f64 / n);
                Complex::from_polar(1.0, -(h as f64) * angle) * (row[output] - share * drift)
            };
            rows.iter().enumerate().map(term).fold(Complex::new(0.0, 0.0), |s, z| s + z) * (2.0 / n)
        };
        let outputs = 0..begin.len();
        let first: Vec<Complex> = outputs.clone().map(|j| harmonic(j, 1)).collect();
        let distortion = |j: usize| {
            let squares: f64 = (2..=HARMONICS).map(|h| harmonic(j, h).norm_sqr()).sum();
            let size = first[j].norm();
            if size > 0.0 { squares.sqrt() / size } else { 0.0 }
        };
        let mean = |j: usize| rows.iter().map(|row| row[j]).sum::<f64>() / n;
        Period {
            distortion: outputs.clone().map(distortion).collect(),
            mean: outputs.map(mean).collect(),
            first,
        }
    }
}
