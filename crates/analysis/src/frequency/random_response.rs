//! Stationary response of a model to random excitation, by frequency integration and, where the
//! excitation is white noise or its integral, or has a shape filter, by Lyapunov's equation.
//!
//! ```text
//! [road]     z' = w,  x̃ = x − X₀ z,  X₀ = −A⁻¹ B   ⇒   x̃' = A x̃ − X₀ w,  y = C x̃ + G(0) z
//! ```
//!
//! The height z of a road is the integral of white noise and has no variance of its own. The states
//! relative to their static response X₀ z have one, and so has every output with G(0) = 0; other
//! outputs follow the road and their variance is infinite. Delayed inputs z_j(t) = z(t − τ_j) have
//! each their X₀. Each output is judged by the part of the system that it sees: what nothing
//! observes need not be stable.

use cardan_control::comfort::{Direction, Weighting, sperling_index_of_mean_square, sperling_weight};
use cardan_control::controllability::minimal_realisation;
use cardan_control::matrix::{identity, norm, part, scaled, solve};
use cardan_control::power_spectrum::PowerSpectrum;
use cardan_control::random_response::{
    Excitation, RandomResponse as Spectral, covariance, delayed_covariance, peak_factor,
};
use cardan_control::{ControlError, Matrix, StateSpace};

use crate::AnalysisError;
use crate::frequency::frequency_response::{FrequencyRange, frequencies};

/// Digits of the integrals over the frequency.
const TOLERANCE: f64 = 1e-10;
/// A static gain below this part of the terms that make it up is zero.
const VANISHES: f64 = 1e-9;

/// What excites the inputs.
#[derive(Clone, PartialEq, Debug)]
pub struct RandomExcitation {
    /// One density per input.
    pub spectra: Vec<PowerSpectrum>,
    /// How much later than the one source each input is reached, in seconds; nothing where the
    /// inputs are independent of one another.
    pub delays: Option<Vec<f64>>,
}

/// How an acceleration is weighted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Comfort {
    /// A weighting of ISO 2631-1: the weighted rms in m/s².
    Iso2631(Weighting),
    /// Sperling's index Wz.
    Sperling(Direction),
}

impl Comfort {
    /// Every weighting with its name.
    pub const ALL: [(&'static str, Comfort); 8] = [
        ("Wk", Comfort::Iso2631(Weighting::Wk)),
        ("Wd", Comfort::Iso2631(Weighting::Wd)),
        ("Wf", Comfort::Iso2631(Weighting::Wf)),
        ("Wc", Comfort::Iso2631(Weighting::Wc)),
        ("We", Comfort::Iso2631(Weighting::We)),
        ("Wj", Comfort::Iso2631(Weighting::Wj)),
        ("Wz_vertical", Comfort::Sperling(Direction::Vertical)),
        ("Wz_lateral", Comfort::Sperling(Direction::Lateral)),
    ];
    /// The weighting of this name.
    pub fn named(name: &str) -> Option<Comfort> {
        Comfort::ALL.iter().find(|(n, _)| *n == name).map(|(_, c)| *c)
    }
}

/// The stationary statistics of one output. What is nothing is infinite or not to be had.
#[derive(Clone, PartialEq, Debug)]
pub struct Stationary {
    /// The root of the mean square, by frequency integration.
    pub rms: Option<f64>,
    /// The same by Lyapunov's equation.
    pub rms_by_lyapunov: Option<f64>,
    /// Upward crossings of zero per second.
    pub crossing_rate: Option<f64>,
    /// Peaks per second.
    pub peak_rate: Option<f64>,
    /// The mean of the largest value within the duration, over the rms.
    pub peak_factor: Option<f64>,
    /// The weighted rms, or Sperling's index.
    pub comfort: Option<f64>,
    /// The density at each frequency, one-sided, per Hz.
    pub density: Vec<f64>,
}

/// The random response of a system.
#[derive(Clone, PartialEq, Debug)]
pub struct RandomResponse {
    /// Frequencies in Hz.
    pub frequencies: Vec<f64>,
    /// One per output; why not, where an output is not stationary.
    pub outputs: Vec<Result<Stationary, ControlError>>,
}

/// What is asked beside the excitation.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct RandomOptions {
    /// The frequencies of the densities.
    pub range: FrequencyRange,
    /// The time within which the largest value is asked for, in seconds.
    pub duration: Option<f64>,
    /// Weightings of outputs by their places.
    pub comfort: Vec<(usize, Comfort)>,
}

/// The stationary response of each output.
pub fn random_response(
    system: &StateSpace,
    excitation: &RandomExcitation,
    options: &RandomOptions,
) -> Result<RandomResponse, AnalysisError> {
    let frequencies = frequencies(&system.eigenvalues()?, &[], &options.range)?;
    let outputs = (0..system.n_outputs())
        .map(|k| {
            let comfort = options.comfort.iter().find(|(place, _)| *place == k).map(|(_, c)| *c);
            of_output(system, k, excitation, (&frequencies, options.duration, comfort))
        })
        .collect();
    Ok(RandomResponse { frequencies, outputs })
}

/// The system from all inputs to one output, without what that output does not see.
fn seen_by(system: &StateSpace, output: usize) -> Result<StateSpace, ControlError> {
    let (n, m) = (system.n_states(), system.n_inputs());
    let one = StateSpace {
        c: part(&system.c, output, 1, 0, n),
        d: part(&system.d, output, 1, 0, m),
        outputs: vec![system.outputs[output].clone()],
        ..system.clone()
    };
    minimal_realisation(&one)
}

fn of_output(
    system: &StateSpace,
    output: usize,
    excitation: &RandomExcitation,
    (frequencies, duration, comfort): (&[f64], Option<f64>, Option<Comfort>),
) -> Result<Stationary, ControlError> {
    let seen = seen_by(system, output)?;
    let m = seen.n_inputs();
    let delays = excitation.delays.clone();
    let coherence = match delays {
        Some(_) => Matrix::from_fn(m, m, |_, _| 1.0),
        None => identity(m),
    };
    let delays = delays.unwrap_or(vec![0.0; m]);
    let pairs = excitation.spectra.iter().zip(&delays);
    let excitations = pairs.map(|(s, t)| Excitation { spectrum: s.clone(), delay: *t }).collect();
    let spectral = Spectral::new(&seen, excitations, coherence)?;
    let variance = by_lyapunov(&seen, excitation)?;
    let finite = |x: Result<f64, ControlError>| x.ok().filter(|x| x.is_finite());
    let rms = match variance {
        Some(Variance::Infinite) => None,
        _ => finite(spectral.rms(0, TOLERANCE)),
    };
    let crossing_rate = rms.and_then(|_| finite(spectral.crossing_rate(0, TOLERANCE)));
    let peak_rate = crossing_rate.and_then(|_| finite(spectral.peak_rate(0, TOLERANCE)));
    let largest = duration.zip(crossing_rate).and_then(|(time, rate)| peak_factor(rate, time).ok());
    let weighted = |weight: &dyn Fn(f64) -> f64| {
        finite(spectral.weighted_moment(0, 0, TOLERANCE, |f| weight(f).powi(2)))
    };
    let comfort = comfort.and_then(|comfort| match comfort {
        Comfort::Iso2631(w) => weighted(&|f| w.factor(f)).map(f64::sqrt),
        Comfort::Sperling(d) => weighted(&|f| sperling_weight(d, f)).map(sperling_index_of_mean_square),
    });
    let density = frequencies.iter().map(|f| spectral.spectrum(0, *f)).collect::<Result<_, _>>()?;
    let rms_by_lyapunov = match variance {
        Some(Variance::Finite(v)) => Some(v.max(0.0).sqrt()),
        _ => None,
    };
    Ok(Stationary { rms, rms_by_lyapunov, crossing_rate, peak_rate, peak_factor: largest, comfort, density })
}

enum Variance {
    Finite(f64),
    Infinite,
}

/// The variance of the one output of a system; nothing where the excitation has no finite state.
fn by_lyapunov(system: &StateSpace, excitation: &RandomExcitation) -> Result<Option<Variance>, ControlError> {
    let white = |s: &PowerSpectrum| match s {
        PowerSpectrum::White(g) => Some(0.5 * g),
        _ => None,
    };
    let track = |s: &PowerSpectrum| match s {
        PowerSpectrum::Track(track) => Some(track.shape_filter()),
        _ => None,
    };
    if let Some(filters) = excitation.spectra.iter().map(track).collect::<Option<Vec<_>>>() {
        let filters = filters.into_iter().collect::<Result<Vec<_>, _>>()?;
        let intensities = vec![0.5; filters.len()];
        let whole = behind(system, &filters)?;
        return of_white_noise(&whole, &intensities, excitation.delays.as_deref()).map(Some);
    }
    let road = |s: &PowerSpectrum| match s {
        PowerSpectrum::Road(road) => Some(road.velocity_intensity()),
        _ => None,
    };
    if let Some(intensities) = excitation.spectra.iter().map(white).collect::<Option<Vec<f64>>>() {
        return of_white_noise(system, &intensities, excitation.delays.as_deref()).map(Some);
    }
    let Some(intensities) = excitation.spectra.iter().map(road).collect::<Option<Vec<f64>>>() else {
        return Ok(None);
    };
    // [road]
    let Ok(response) = solve(&system.a, &system.b, "A") else { return Ok(None) };
    let x0 = scaled(&response, -1.0);
    let through = &system.c * &x0;
    let static_gain = &through + &system.d;
    let size = norm(&system.c) * norm(&x0) + norm(&system.d);
    let m = system.n_inputs();
    let sum: f64 = (0..m).map(|j| static_gain[(0, j)]).sum();
    if norm(&static_gain) > VANISHES * size {
        // What several inputs have in common cancels; their difference has a variance by frequencies alone.
        let cancels = excitation.delays.is_some() && sum.abs() <= VANISHES * size;
        return Ok(if cancels { None } else { Some(Variance::Infinite) });
    }
    let relative = StateSpace { b: scaled(&x0, -1.0), d: Matrix::zeros(1, m), ..system.clone() };
    of_white_noise(&relative, &intensities, excitation.delays.as_deref()).map(Some)
}

/// A system with a shape filter before each input.
fn behind(system: &StateSpace, filters: &[StateSpace]) -> Result<StateSpace, ControlError> {
    let (n, m) = (system.n_states(), system.n_inputs());
    let firsts: Vec<usize> = filters
        .iter()
        .scan(n, |next, f| {
            *next += f.n_states();
            Some(*next - f.n_states())
        })
        .collect();
    let size = n + filters.iter().map(StateSpace::n_states).sum::<usize>();
    let mut a = Matrix::zeros(size, size);
    let (mut b, mut c) = (Matrix::zeros(size, m), Matrix::zeros(system.n_outputs(), size));
    for i in 0..n {
        (0..n).for_each(|j| a[(i, j)] = system.a[(i, j)]);
    }
    for o in 0..system.n_outputs() {
        (0..n).for_each(|j| c[(o, j)] = system.c[(o, j)]);
    }
    for (k, (filter, first)) in filters.iter().zip(firsts).enumerate() {
        let own = filter.n_states();
        for i in 0..own {
            (0..own).for_each(|j| a[(first + i, first + j)] = filter.a[(i, j)]);
            b[(first + i, k)] = filter.b[(i, 0)];
            for r in 0..n {
                a[(r, first + i)] = system.b[(r, k)] * filter.c[(0, i)];
            }
            for o in 0..system.n_outputs() {
                c[(o, first + i)] = system.d[(o, k)] * filter.c[(0, i)];
            }
        }
    }
    StateSpace::new(a, b, c, Matrix::zeros(system.n_outputs(), m))
}

fn of_white_noise(
    system: &StateSpace,
    intensities: &[f64],
    delays: Option<&[f64]>,
) -> Result<Variance, ControlError> {
    let found = match delays {
        // Inputs of one source with other sizes are other columns of B.
        Some(delays) => {
            let b = Matrix::from_fn(system.b.nrows(), system.b.ncols(), |i, j| {
                system.b[(i, j)] * intensities[j].sqrt()
            });
            delayed_covariance(&StateSpace { b, ..system.clone() }, 1.0, delays)
        }
        None => covariance(system, &cardan_control::matrix::diagonal(intensities)),
    };
    match found {
        Ok(found) => Ok(Variance::Finite(found.outputs[(0, 0)])),
        Err(ControlError::InfiniteVariance) => Ok(Variance::Infinite),
        Err(error) => Err(error),
    }
}
