//! Frequency response of a model: what comes out when inputs swing, G(iω) = C (iω − A)⁻¹ B + D.

use std::f64::consts::TAU;

use cardan_control::frequency_response::{logarithmic_grid, principal_gains};
use cardan_control::margins::{Margins, margins, margins_of_curve};
use cardan_control::transfer_function::{TransferFunction, zeros};
use cardan_control::{Clock, Complex, ComplexMatrix, FrequencyResponse, SampledData, StateSpace};

use crate::AnalysisError;

/// The frequencies that are asked about.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct FrequencyRange {
    /// The lowest, in Hz; a tenth of the slowest pole or zero if nothing.
    pub from: Option<f64>,
    /// The highest, in Hz; ten times the fastest pole or zero if nothing.
    pub to: Option<f64>,
    /// How many, with equal ratios; resonances get more.
    pub points: usize,
}

impl Default for FrequencyRange {
    fn default() -> Self {
        FrequencyRange { from: None, to: None, points: 400 }
    }
}

/// The path from one input to one output.
#[derive(Clone, Debug)]
pub struct Channel {
    /// The place of the input.
    pub input: usize,
    /// The place of the output.
    pub output: usize,
    /// Poles, zeros and factor of a minimal realisation, without delays; a system with sampled parts
    /// has no rational transfer function.
    pub transfer: Option<TransferFunction>,
    /// The gain at rest; infinite where the path integrates.
    pub static_gain: f64,
    /// The margins of the loop that u = r − y closes.
    pub margins: Margins,
}

/// The frequency response of a system.
#[derive(Clone, Debug)]
pub struct Response {
    /// The poles of the whole system.
    pub poles: Vec<Complex>,
    /// The invariant zeros of the whole system.
    pub zeros: Vec<Complex>,
    /// One per pair of input and output, input by input.
    pub channels: Vec<Channel>,
    /// Frequencies in Hz.
    pub frequencies: Vec<f64>,
    /// G at each frequency; not finite at a pole on the axis.
    pub values: Vec<ComplexMatrix>,
    /// The principal gains at each frequency, largest first.
    pub gains: Vec<Vec<f64>>,
}

impl Response {
    /// The response of a system over a range of frequencies.
    pub fn of(system: &StateSpace, range: &FrequencyRange) -> Result<Response, AnalysisError> {
        let (poles, zeros) = (system.eigenvalues()?, zeros(system)?);
        let mut channels = vec![];
        for input in 0..system.n_inputs() {
            for output in 0..system.n_outputs() {
                let transfer = TransferFunction::of_channel(system, input, output)?;
                let static_gain = static_gain(&transfer, system.clock);
                let margins = margins(&system.channel(input, output)?)?;
                let transfer = Some(transfer);
                channels.push(Channel { input, output, transfer, static_gain, margins });
            }
        }
        let frequencies = match system.clock {
            Clock::Continuous => frequencies(&poles, &zeros, range)?,
            Clock::Sampled(step) => {
                let slow = |roots: &[Complex]| roots.iter().map(|z| z.ln() / step).collect::<Vec<_>>();
                let nyquist = 0.5 / step;
                let to = range.to.map_or(nyquist, |to| to.min(nyquist));
                frequencies(&slow(&poles), &[], &FrequencyRange { to: Some(to), ..*range })?
            }
        };
        let response = FrequencyResponse::new(system)?;
        let shape = (system.n_outputs(), system.n_inputs());
        let values = curve(&frequencies, shape, |w| response.at(w).ok());
        let gains = principal(&values)?;
        Ok(Response { poles, zeros, channels, frequencies, values, gains })
    }

    /// The response of a system with sampled parts, at the frequency that goes in; its poles are
    /// ln z / T. Without an upper end the frequencies stop at half of the rate of the samples.
    ///
    /// Margins are those of the curve, between the ends of the frequencies.
    pub fn of_sampled_data(system: &SampledData, range: &FrequencyRange) -> Result<Response, AnalysisError> {
        let poles = system.poles()?;
        let flow = system.flow().eigenvalues()?;
        let shortest = system.jumps().iter().map(|j| j.period).fold(f64::INFINITY, f64::min);
        let to = range.to.unwrap_or(0.5 / shortest);
        let frequencies = frequencies(&poles, &flow, &FrequencyRange { to: Some(to), ..*range })?;
        let shape = (system.flow().n_outputs(), system.flow().n_inputs());
        let values = curve(&frequencies, shape, |w| system.at(w).ok());
        let gains = principal(&values)?;
        let grid: Vec<f64> = frequencies.iter().map(|f| TAU * f).collect();
        let drifts = system.multipliers()?.iter().any(|z| (z - 1.0).norm() < 1e-9);
        let mut channels = vec![];
        for input in 0..shape.1 {
            for output in 0..shape.0 {
                let path = system.channel(input, output)?;
                let at = |w: f64| path.at(w).ok().map(|g| g[(0, 0)]);
                let margins = margins_of_curve(&grid, at);
                let margins =
                    margins.ok_or_else(|| AnalysisError::Question("no frequency is left".into()))?;
                let rest = if drifts { None } else { at(0.0).map(|g| g.re) };
                let static_gain = rest.unwrap_or_else(|| limit_at_rest(grid[0], at));
                channels.push(Channel { input, output, transfer: None, static_gain, margins });
            }
        }
        Ok(Response { poles, zeros: vec![], channels, frequencies, values, gains })
    }

    /// Gain and unwrapped phase in rad of a channel at each frequency.
    ///
    /// The first phase lies in (−π, π]; from there on it changes by less than π per point.
    pub fn polar(&self, channel: &Channel) -> Vec<(f64, f64)> {
        let mut before: Option<f64> = None;
        let mut turn = |g: Complex| {
            let raw = g.arg();
            let phase = before.map_or(raw, |p| raw + TAU * ((p - raw) / TAU).round());
            if phase.is_finite() {
                before = Some(phase);
            }
            (g.norm(), phase)
        };
        self.values.iter().map(|g| turn(g[(channel.output, channel.input)])).collect()
    }
}

/// G at each frequency in Hz; infinite at poles.
fn curve(
    frequencies: &[f64],
    (n_out, n_in): (usize, usize),
    at: impl Fn(f64) -> Option<ComplexMatrix>,
) -> Vec<ComplexMatrix> {
    let nowhere = Complex::new(f64::INFINITY, f64::INFINITY);
    let infinite = || ComplexMatrix::from_fn(n_out, n_in, |_, _| nowhere);
    frequencies.iter().map(|f| at(TAU * f).unwrap_or_else(infinite)).collect()
}

/// The principal gains of each matrix.
fn principal(values: &[ComplexMatrix]) -> Result<Vec<Vec<f64>>, AnalysisError> {
    let is_finite = |g: &ComplexMatrix| (0..g.ncols()).all(|j| (0..g.nrows()).all(|i| g[(i, j)].is_finite()));
    let gains = values.iter().map(|g| match is_finite(g) {
        true => Ok(principal_gains(std::slice::from_ref(g))?.remove(0)),
        false => Ok(vec![f64::INFINITY; g.nrows().min(g.ncols())]),
    });
    gains.collect()
}

/// The limit of a response at low frequencies, below the lowest that is asked about: infinite where
/// the gain still grows.
fn limit_at_rest(lowest: f64, at: impl Fn(f64) -> Option<Complex>) -> f64 {
    let (Some(near), Some(far)) = (at(1e-4 * lowest), at(1e-3 * lowest)) else { return f64::INFINITY };
    if near.norm() > 2.0 * far.norm() { f64::INFINITY.copysign(near.re) } else { near.re }
}

/// k Π (s₀ − z) / Π (s₀ − p) at rest: s₀ is 0, or 1 for a sampled system.
fn static_gain(transfer: &TransferFunction, clock: Clock) -> f64 {
    let rest = match clock {
        Clock::Continuous => Complex::new(0.0, 0.0),
        Clock::Sampled(_) => Complex::new(1.0, 0.0),
    };
    let shifted = |roots: &[Complex]| roots.iter().map(|z| z - rest).collect();
    let transfer = &TransferFunction {
        zeros: shifted(&transfer.zeros),
        poles: shifted(&transfer.poles),
        gain: transfer.gain,
    };
    let size = transfer.poles.iter().chain(&transfer.zeros).map(|z| z.norm()).fold(0.0, f64::max);
    // A double root at z = 1 is known to the root of rounding only.
    let small = match clock {
        Clock::Continuous => 1e-12 * size,
        Clock::Sampled(_) => 2e-7,
    };
    let vanishes = |z: &Complex| z.norm() <= small;
    let (n_zeros, n_poles) = (
        transfer.zeros.iter().filter(|z| vanishes(z)).count(),
        transfer.poles.iter().filter(|z| vanishes(z)).count(),
    );
    if transfer.gain == 0.0 || n_zeros > n_poles {
        return 0.0;
    }
    let over =
        |roots: &[Complex]| roots.iter().filter(|z| !vanishes(z)).fold(Complex::new(1.0, 0.0), |p, z| p * -z);
    let ratio = (over(&transfer.zeros) * transfer.gain / over(&transfer.poles)).re;
    if n_poles > n_zeros { f64::INFINITY.copysign(ratio) } else { ratio }
}

/// Frequencies in Hz with equal ratios, and closer ones about each resonance: a peak of half width
/// |Re λ| at |Im λ| is not missed between points.
pub(crate) fn frequencies(
    poles: &[Complex],
    zeros: &[Complex],
    range: &FrequencyRange,
) -> Result<Vec<f64>, AnalysisError> {
    // Several roots at zero are told from it by the root of rounding only.
    let largest = poles.iter().chain(zeros).map(|z| z.norm() / TAU).fold(0.0, f64::max);
    let is_told = |f: &f64| *f > 1e-9 && *f > 1e-6 * largest;
    let sizes = || poles.iter().chain(zeros).map(|z| z.norm() / TAU).filter(is_told);
    let (low, high) = sizes().fold((f64::INFINITY, 0.0_f64), |(l, h), f| (l.min(f), h.max(f)));
    let (low, high) = if high > 0.0 { (0.1 * low, 10.0 * high) } else { (0.01, 100.0) };
    let from = range.from.unwrap_or(low.min(0.1 * range.to.unwrap_or(f64::INFINITY)));
    let to = range.to.unwrap_or(high.max(10.0 * from));
    if !(from > 0.0 && from < to && to.is_finite()) {
        return Err(AnalysisError::Question(format!(
            "frequencies go from {from} Hz to {to} Hz; they are positive and grow"
        )));
    }
    if !(2..=MAX_POINTS).contains(&range.points) {
        return Err(AnalysisError::Question(format!(
            "{} frequencies are asked for; there are 2 to {MAX_POINTS}",
            range.points
        )));
    }
    let mut grid = logarithmic_grid(from, to, range.points);
    for z in poles.iter().chain(zeros).filter(|z| z.im > 0.0) {
        let width = z.re.abs().max(1e-6 * z.im);
        let near = NEAR.iter().flat_map(|k| [z.im - k * width, z.im + k * width]);
        grid.extend(near.map(|w| w / TAU).filter(|f| *f > from && *f < to));
    }
    grid.sort_by(f64::total_cmp);
    grid.dedup();
    Ok(grid)
}

/// No more frequencies than this.
const MAX_POINTS: usize = 100_000;
/// Half widths of a resonance at which it is looked at.
const NEAR: [f64; 8] = [0.0, 0.25, 0.5, 1.0, 1.6, 2.5, 4.0, 8.0];
