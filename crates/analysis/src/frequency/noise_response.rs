//! The nonlinear model under seeded realisations of noise, and the densities of its outputs
//! estimated back.
//!
//! ```text
//! [noise-drive]   u = u₀ + u_k + u'_k (t − t_k)        straight between the samples u_k of a realisation
//! ```
//!
//! Realisations repeat after their length. The last part of one is passed first, so that transients
//! have died out where the statistics begin.

use cardan_control::noise_realisation::{delayed_realisation, welch};
use cardan_control::power_spectrum::PowerSpectrum;
use cardan_sim::Session;

use crate::AnalysisError;

/// The inputs of a model that make up one excitation. [noise-drive]
#[derive(Clone, PartialEq, Debug)]
pub struct NoiseDrive {
    /// The name of u_k.
    pub value: String,
    /// The name of u'_k.
    pub slope: String,
    /// The name of t_k.
    pub since: String,
}

/// How a model is shaken.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct NoiseOptions {
    /// The time between samples, in seconds.
    pub step: f64,
    /// How many samples: a power of two.
    pub samples: usize,
    /// What makes this realisation another than others.
    pub seed: u64,
}

/// What was seen.
#[derive(Clone, PartialEq, Debug)]
pub struct NoiseResponse {
    /// The samples of each excitation.
    pub excitation: Vec<Vec<f64>>,
    /// The root of the mean square about the mean, one per output.
    pub rms: Vec<f64>,
    /// The largest distance from the mean over the rms, one per output.
    pub peak_factor: Vec<f64>,
    /// Pairs of frequency and one-sided density by Welch's method, one list per output.
    pub densities: Vec<Vec<(f64, f64)>>,
}

/// Part of a realisation that is passed before statistics begin.
const SETTLING: usize = 4;
/// Segments of Welch's method in one realisation, before overlapping.
const SEGMENTS: usize = 16;

/// Follows the model under one realisation per drive; with `delays` all have one source.
pub fn noise_response(
    session: &mut Session,
    drives: &[NoiseDrive],
    (spectra, delays): (&[PowerSpectrum], Option<&[f64]>),
    options: &NoiseOptions,
) -> Result<NoiseResponse, AnalysisError> {
    let failed = |error: cardan_sim::SessionError| AnalysisError::Evaluation(error.to_string());
    let NoiseOptions { step, samples, seed } = *options;
    let mut excitation = vec![];
    for (k, spectrum) in spectra.iter().enumerate() {
        let own = match delays {
            Some(delays) => (seed, delays[k]),
            None => (seed.wrapping_add(0x9e37_79b9 * k as u64), 0.0),
        };
        excitation.push(delayed_realisation(spectrum, step, samples, own)?);
    }
    let settling = samples / SETTLING;
    let begin = session.time();
    let mut rows: Vec<Vec<f64>> = vec![];
    for k in 0..settling + samples {
        let at = (samples - settling + k) % samples;
        let t = begin + k as f64 * step;
        for (drive, signal) in drives.iter().zip(&excitation) {
            let slope = (signal[(at + 1) % samples] - signal[at]) / step;
            session.set(&drive.value, signal[at]).map_err(failed)?;
            session.set(&drive.slope, slope).map_err(failed)?;
            session.set(&drive.since, t).map_err(failed)?;
        }
        if k >= settling {
            rows.push(session.outputs().map_err(failed)?);
        }
        session.advance(begin + (k + 1) as f64 * step).map_err(failed)?;
    }
    let n_outputs = rows.first().map_or(0, Vec::len);
    let (mut rms, mut peak_factor, mut densities) = (vec![], vec![], vec![]);
    for j in 0..n_outputs {
        let values: Vec<f64> = rows.iter().map(|row| row[j]).collect();
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        let square = values.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / values.len() as f64;
        let largest = values.iter().fold(0.0, |m: f64, x| (x - mean).abs().max(m));
        rms.push(square.sqrt());
        peak_factor.push(if square > 0.0 { largest / square.sqrt() } else { 0.0 });
        densities.push(welch(&values, step, (samples / SEGMENTS).max(4))?);
    }
    Ok(NoiseResponse { excitation, rms, peak_factor, densities })
}
