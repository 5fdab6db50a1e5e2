//! Stationary response of a linear system to random excitation.
//!
//! ```text
//! [covariance]  A P + P Aᵀ + B W Bᵀ = 0,  Σ_y = C P Cᵀ          white noise of intensity W
//! [delayed]     P = Σ_jk P_jk,  P_jk = q X_jk exp(Aᵀ (τ_j − τ_k)) for τ_j ≥ τ_k,  P_kj = P_jkᵀ,
//!               A X_jk + X_jk Aᵀ + b_j b_kᵀ = 0          one source that reaches input j after τ_j
//! [spectrum]    G_y(f) = Σ_jk H_j H̄_k γ_jk √(G_j G_k) exp(−i ω (τ_j − τ_k)),   ω = 2 π f
//! [moments]     m_k = ∫₀^∞ f^k G_y(f) df,  ν₀ = √(m₂/m₀),  ν_p = √(m₄/m₂)
//! [peak]        g = c + 0.5772/c,  c = √(2 ln ν₀ T)
//! ```
//!
//! Sources: Newland, Random Vibrations, Spectral and Wavelet Analysis, 3rd ed., 5 to 8; Rice, Bell
//! Syst. Tech. J. 24 (1945) 46 for the rates; Davenport, Proc. Inst. Civ. Eng. 28 (1964) 187 for
//! the largest value in the time T.

use crate::error::ControlError;
use crate::frequency_response::FrequencyResponse;
use crate::lyapunov::{discrete_lyapunov, lyapunov};
use crate::matrix::{Complex, Matrix, norm, scaled, symmetric_part, transposed};
use crate::matrix_exponential::matrix_exponential;
use crate::power_spectrum::PowerSpectrum;
use crate::quadrature::over_frequencies;
use crate::state_space::{Clock, StateSpace};
use std::f64::consts::TAU;

/// The stationary covariances of states and outputs.
#[derive(Clone, Debug)]
pub struct Covariance {
    /// The covariance of the states.
    pub states: Matrix,
    /// The covariance of the outputs.
    pub outputs: Matrix,
}

/// The covariance under white noise of the given intensity at the inputs. [covariance]
pub fn covariance(system: &StateSpace, intensity: &Matrix) -> Result<Covariance, ControlError> {
    let system = system.explicit()?;
    let m = system.n_inputs();
    if intensity.nrows() != m || intensity.ncols() != m {
        return Err(ControlError::Size { what: format!("the intensity of {m} inputs") });
    }
    system.assert_stable()?;
    let q = symmetric_part(&(&(&system.b * intensity) * system.b.transpose()));
    let direct = &(&system.d * intensity) * system.d.transpose();
    let states = match system.clock {
        Clock::Continuous if norm(&direct) > 0.0 => return Err(ControlError::InfiniteVariance),
        Clock::Continuous => lyapunov(&system.a, &q)?,
        Clock::Sampled(_) => discrete_lyapunov(&system.a, &q)?,
    };
    let outputs = symmetric_part(&(&(&(&system.c * &states) * system.c.transpose()) + &direct));
    Ok(Covariance { states, outputs })
}

/// The covariance under one white noise of intensity q that reaches input j after a delay.
/// [delayed]
///
/// The part x_j of the state that comes through input j repeats the noise τ_j later, so that
/// E[x_j x_kᵀ] is an integral over the common past; with u from the later arrival on it is
/// ∫ exp(A u) b_j b_kᵀ exp(Aᵀ (u + τ_j − τ_k)) du.
pub fn delayed_covariance(
    system: &StateSpace,
    intensity: f64,
    delays: &[f64],
) -> Result<Covariance, ControlError> {
    let system = system.explicit()?;
    let (n, m) = (system.n_states(), system.n_inputs());
    if delays.len() != m || system.clock != Clock::Continuous {
        return Err(ControlError::Size { what: format!("the delays of {m} inputs of a continuous system") });
    }
    system.assert_stable()?;
    if norm(&system.d) > 0.0 {
        return Err(ControlError::InfiniteVariance);
    }
    let mut states = Matrix::zeros(n, n);
    for j in 0..m {
        for k in 0..m {
            let (late, early) = if delays[j] >= delays[k] { (j, k) } else { (k, j) };
            let pair = Matrix::from_fn(n, n, |r, c| intensity * system.b[(r, late)] * system.b[(c, early)]);
            let lag = delays[late] - delays[early];
            let passed = matrix_exponential(&scaled(&transposed(&system.a), lag))?;
            let p = &lyapunov(&system.a, &pair)? * &passed;
            states = if late == j { &states + &p } else { &states + p.transpose() };
        }
    }
    let outputs = symmetric_part(&(&(&system.c * &states) * system.c.transpose()));
    Ok(Covariance { states: symmetric_part(&states), outputs })
}

/// The excitation of one input.
#[derive(Clone, Debug, PartialEq)]
pub struct Excitation {
    /// The density of the excitation.
    pub spectrum: PowerSpectrum,
    /// How much later than the source it acts, in seconds.
    pub delay: f64,
}

/// A system with its excitations, ready for questions about its outputs.
pub struct RandomResponse {
    response: FrequencyResponse,
    excitations: Vec<Excitation>,
    coherence: Matrix,
    marks: Vec<f64>,
}

impl RandomResponse {
    /// A stable system whose inputs are excited; `coherence` holds the γ_jk, ones on its diagonal.
    pub fn new(
        system: &StateSpace,
        excitations: Vec<Excitation>,
        coherence: Matrix,
    ) -> Result<RandomResponse, ControlError> {
        let m = system.n_inputs();
        if excitations.len() != m || coherence.nrows() != m || coherence.ncols() != m {
            return Err(ControlError::Size { what: format!("the excitations of {m} inputs") });
        }
        system.assert_stable()?;
        let mut marks: Vec<f64> = system.eigenvalues()?.iter().map(|z| z.norm() / TAU).collect();
        marks.extend(excitations.iter().flat_map(|e| e.spectrum.marks()));
        Ok(RandomResponse { response: FrequencyResponse::new(system)?, excitations, coherence, marks })
    }

    /// The density of an output at a frequency in Hz. [spectrum]
    pub fn spectrum(&self, output: usize, f: f64) -> Result<f64, ControlError> {
        let g = self.response.at(TAU * f)?;
        if output >= g.nrows() {
            return Err(ControlError::Size { what: format!("output {output} of {}", g.nrows()) });
        }
        let arrive = |(j, e): (usize, &Excitation)| {
            let turn = Complex::from_polar(e.spectrum.at(f).sqrt(), -TAU * f * e.delay);
            g[(output, j)] * turn
        };
        let paths: Vec<Complex> = self.excitations.iter().enumerate().map(arrive).collect();
        let mut sum = 0.0;
        for (j, x) in paths.iter().enumerate() {
            for (k, y) in paths.iter().enumerate() {
                sum += self.coherence[(j, k)] * (x * y.conj()).re;
            }
        }
        Ok(sum)
    }

    /// The moment m_k of an output's density, to a relative tolerance. [moments]
    ///
    /// Delays make the density oscillate without end; where it falls with f⁻² only, no quadrature
    /// gets many digits, and [`delayed_covariance`] is exact.
    pub fn moment(&self, output: usize, k: i32, tolerance: f64) -> Result<f64, ControlError> {
        self.weighted_moment(output, k, tolerance, |_| 1.0)
    }

    /// The moment of an output's density times a weight of the frequency.
    pub fn weighted_moment(
        &self,
        output: usize,
        k: i32,
        tolerance: f64,
        weight: impl Fn(f64) -> f64,
    ) -> Result<f64, ControlError> {
        let density = |f: f64| Ok(self.spectrum(output, f)? * f.powi(k) * weight(f));
        over_frequencies(density, &self.marks, tolerance)
    }

    /// The root of the mean square of an output.
    pub fn rms(&self, output: usize, tolerance: f64) -> Result<f64, ControlError> {
        Ok(self.moment(output, 0, tolerance)?.sqrt())
    }

    /// How often per second an output crosses zero upwards: √(m₂/m₀).
    pub fn crossing_rate(&self, output: usize, tolerance: f64) -> Result<f64, ControlError> {
        Ok((self.moment(output, 2, tolerance)? / self.moment(output, 0, tolerance)?).sqrt())
    }

    /// How many peaks per second an output has: √(m₄/m₂).
    pub fn peak_rate(&self, output: usize, tolerance: f64) -> Result<f64, ControlError> {
        Ok((self.moment(output, 4, tolerance)? / self.moment(output, 2, tolerance)?).sqrt())
    }
}

/// Upward zero crossings per second from the variances of a quantity and of its derivative.
pub fn crossing_rate(variance: f64, variance_of_rate: f64) -> f64 {
    (variance_of_rate / variance).sqrt() / TAU
}

/// The mean of the largest value in a time, over the root mean square. [peak]
pub fn peak_factor(crossing_rate: f64, time: f64) -> Result<f64, ControlError> {
    const EULER: f64 = 0.577_215_664_901_532_9;
    let crossings = crossing_rate * time;
    if crossings.is_nan() || crossings <= 1.0 {
        return Err(ControlError::Value { what: "a peak factor needs several crossings", value: crossings });
    }
    let c = (2.0 * crossings.ln()).sqrt();
    Ok(c + EULER / c)
}
