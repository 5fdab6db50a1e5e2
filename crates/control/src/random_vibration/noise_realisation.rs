//! Realisations of a power spectral density in time, and the density estimated back.

use crate::error::ControlError;
use crate::matrix::Complex;
use crate::power_spectrum::PowerSpectrum;
use std::f64::consts::{PI, TAU};

/// `n` samples (a power of two) of a stationary signal with the given density.
///
/// ```text
/// [superposition]  x(t) = Σ_k √(2 G(k Δf) Δf) cos(2 π k Δf t + φ_k),   Δf = 1/(n h)
/// ```
///
/// The phases are uniform and follow from the seed alone; the mean is zero and the signal repeats
/// after n h. Source: Shinozuka & Deodatis, Appl. Mech. Rev. 44 (1991) 191.
pub fn realisation(
    spectrum: &PowerSpectrum,
    step: f64,
    n: usize,
    seed: u64,
) -> Result<Vec<f64>, ControlError> {
    delayed_realisation(spectrum, step, n, (seed, 0.0))
}

/// The same signal, later by a delay: exact between the samples, since the signal is a finite sum
/// of harmonics.
pub fn delayed_realisation(
    spectrum: &PowerSpectrum,
    step: f64,
    n: usize,
    (seed, delay): (u64, f64),
) -> Result<Vec<f64>, ControlError> {
    assert_power_of_two(n)?;
    if !(step.is_finite() && step > 0.0) {
        return Err(ControlError::Value { what: "the step is positive", value: step });
    }
    let df = 1.0 / (n as f64 * step);
    let mut state = seed;
    let mut x = vec![Complex::new(0.0, 0.0); n];
    for (k, bin) in x.iter_mut().enumerate().take(n / 2).skip(1) {
        let phase = TAU * uniform(&mut state);
        let amplitude = (2.0 * spectrum.at(k as f64 * df) * df).sqrt();
        *bin = Complex::from_polar(amplitude, phase - TAU * k as f64 * df * delay);
    }
    fourier(&mut x, 1.0);
    Ok(x.into_iter().map(|z| z.re).collect())
}

/// The one-sided density of samples by Welch's method: pairs of frequency and density.
///
/// Segments of `segment` samples (a power of two) overlap by half and are weighted by Hann's
/// window; the mean of each segment is removed. Source: Welch, IEEE Trans. Audio 15 (1967) 70.
pub fn welch(samples: &[f64], step: f64, segment: usize) -> Result<Vec<(f64, f64)>, ControlError> {
    assert_power_of_two(segment)?;
    if samples.len() < segment {
        let what = format!("{} samples for segments of {segment}", samples.len());
        return Err(ControlError::Size { what });
    }
    let window: Vec<f64> =
        (0..segment).map(|i| 0.5 - 0.5 * (TAU * i as f64 / segment as f64).cos()).collect();
    let power: f64 = window.iter().map(|w| w * w).sum();
    let mut sum = vec![0.0; segment / 2 + 1];
    let mut n_segments = 0.0;
    for start in (0..=samples.len() - segment).step_by(segment / 2) {
        let piece = &samples[start..start + segment];
        let mean = piece.iter().sum::<f64>() / segment as f64;
        let mut x: Vec<Complex> =
            piece.iter().zip(&window).map(|(x, w)| Complex::new((x - mean) * w, 0.0)).collect();
        fourier(&mut x, -1.0);
        for (s, z) in sum.iter_mut().zip(&x) {
            *s += z.norm_sqr();
        }
        n_segments += 1.0;
    }
    let scale = step / (power * n_segments);
    let last = segment / 2;
    let sided = |k: usize| if k == 0 || k == last { 1.0 } else { 2.0 };
    let frequency = |k: usize| k as f64 / (segment as f64 * step);
    Ok(sum.into_iter().enumerate().map(|(k, s)| (frequency(k), s * scale * sided(k))).collect())
}

fn assert_power_of_two(n: usize) -> Result<(), ControlError> {
    if n >= 4 && n.is_power_of_two() {
        Ok(())
    } else {
        Err(ControlError::Value { what: "the number of samples is a power of two", value: n as f64 })
    }
}

/// A number in [0, 1) from the next state of SplitMix64 (Steele, Lea & Flood, OOPSLA 2014).
fn uniform(state: &mut u64) -> f64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
}

/// Replaces x by Σ_k x_k exp(± 2 π i j k/n), n a power of two (Cooley & Tukey, Math. Comp. 19
/// (1965)).
fn fourier(x: &mut [Complex], sign: f64) {
    let n = x.len();
    let bits = n.trailing_zeros();
    for i in 0..n {
        let j = i.reverse_bits() >> (usize::BITS - bits);
        if i < j {
            x.swap(i, j);
        }
    }
    let mut half = 1;
    while half < n {
        for k in 0..half {
            let turn = Complex::from_polar(1.0, sign * PI * k as f64 / half as f64);
            for i in (k..n).step_by(2 * half) {
                let (a, b) = (x[i], x[i + half] * turn);
                x[i] = a + b;
                x[i + half] = a - b;
            }
        }
        half *= 2;
    }
}
