//! Periodic motions of a nonlinear model under a sine, by harmonic balance, over the frequency.
//!
//! ```text
//! [series]            y(θ) = x₀ + Σ_h x_(2h−1) cos hθ + x_(2h) sin hθ,   θ = ω t,  h = 1 … H
//! [fourier-balance]   ω ∇x − F f(y(θ_k), θ_k) = 0              F: Fourier coefficients from samples
//! [arc]               τᵀ S (z − z₀) = σ,  z = (x, ω)           a step σ along the branch
//! [magnus]            Φ(t + h) = exp(h/2 (A₁ + A₂) + √3 h²/12 [A₂, A₁]) Φ(t)      A at Gauss points
//! [floquet]           μ = eigenvalues of Φ(2π/ω):  stable where all |μ| < 1
//! ```
//!
//! Products of the series up to the fourth power are sampled without aliasing. Sources: Krack &
//! Gross, Harmonic Balance for Nonlinear Vibration Problems (2019), ch. 2 to 4, for the balance and
//! the branch; Hairer, Lubich & Wanner, Geometric Numerical Integration, IV.7, for [magnus]; Nayfeh
//! & Balachandran, Applied Nonlinear Dynamics (1995), ch. 3, for [floquet].

use std::f64::consts::TAU;

use cardan_control::matrix::{eigenvalues, identity, of_slices, scaled, solve};
use cardan_control::matrix_exponential::matrix_exponential;
use cardan_control::{Complex, Matrix};

use crate::AnalysisError;
use crate::frequency::stepped_sine::{Period, SineDrive};
use crate::numeric_model::Study;

/// How periodic motions are looked for.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct HarmonicOptions {
    /// H.
    pub harmonics: usize,
    /// The correction that ends Newton's iteration, relative to the size of the motion.
    pub tolerance: f64,
    /// Points of the branch at most.
    pub max_points: usize,
}

impl Default for HarmonicOptions {
    fn default() -> Self {
        HarmonicOptions { harmonics: 7, tolerance: 1e-10, max_points: 2000 }
    }
}

/// A periodic motion.
#[derive(Clone, PartialEq, Debug)]
pub struct PeriodicOrbit {
    /// In Hz.
    pub frequency: f64,
    /// Per state the coefficients x. [series]
    pub coefficients: Vec<Vec<f64>>,
    /// The first harmonic over the amplitude, one per output.
    pub response: Vec<Complex>,
    /// The root of the squares of higher harmonics over the first one, one per output.
    pub distortion: Vec<f64>,
    /// Floquet's multipliers, largest first. [floquet]
    pub multipliers: Vec<Complex>,
}

impl PeriodicOrbit {
    /// Whether departures from it die out.
    pub fn is_stable(&self) -> bool {
        self.multipliers.iter().all(|m| m.norm() < 1.0)
    }
}

/// A branch of periodic motions between two frequencies in Hz, from the motion near the state `y`
/// on.
pub fn harmonic_balance(
    study: &mut Study,
    drive: &SineDrive,
    amplitude: f64,
    (y, range, points): (&[f64], [f64; 2], usize),
    options: &HarmonicOptions,
) -> Result<Vec<PeriodicOrbit>, AnalysisError> {
    if study.n_position_rows() > 0 || !study.row_names().is_empty() {
        return Err(AnalysisError::Question(
            "harmonic balance is for coordinates without constraints; a stepped sine follows constrained models".into(),
        ));
    }
    if !range.iter().all(|f| f.is_finite() && *f > 0.0) || range[0] == range[1] || options.harmonics == 0 {
        return Err(AnalysisError::Question(format!("no branch from {} Hz to {} Hz", range[0], range[1])));
    }
    study.set(&drive.angle, 0.0)?;
    let mut balance = Balance::new(study, drive, options);
    let mut x = vec![0.0; balance.size()];
    y.iter().enumerate().for_each(|(s, y)| x[s * balance.width] = *y);
    let [from, to] = range.map(|f| TAU * f);
    let mut z = balance.first(x, from, amplitude)?;
    balance.measure(&z, (to - from).abs());
    let mut orbits = vec![balance.orbit(&z, amplitude)?];
    let mut tangent = vec![0.0; z.len()];
    tangent[z.len() - 1] = (to - from).signum();
    let usual = 1.0 / points.max(2) as f64;
    let mut step = usual;
    while orbits.len() < options.max_points {
        tangent = balance.tangent(&z, &tangent)?;
        let trial = balance.advance(&z, &tangent, step);
        match balance.corrected(trial, &z, &tangent, step) {
            Ok((next, iterations)) => {
                let omega = next[next.len() - 1];
                let beyond = |end: f64| (omega - end) * (to - from).signum() >= 0.0;
                if beyond(to) || omega <= 0.0 || (omega - from) * (to - from).signum() < 0.0 {
                    if beyond(to) {
                        let last = balance.at_frequency(&z, &next, to)?;
                        orbits.push(balance.orbit(&last, amplitude)?);
                    }
                    return Ok(orbits);
                }
                z = next;
                orbits.push(balance.orbit(&z, amplitude)?);
                step = if iterations <= EASY { (1.5 * step).min(2.0 * usual) } else { step };
            }
            Err(_) if step > usual * SHORTEST => step *= 0.5,
            Err(error) => return Err(error),
        }
    }
    Ok(orbits)
}

/// Newton iterations after which a longer step is tried.
const EASY: usize = 4;
/// Newton iterations at most.
const ITERATIONS: usize = 12;
/// The shortest step, relative to the usual one.
const SHORTEST: f64 = 1e-4;
/// Samples of a period at least, for the harmonics that distortion counts.
const FEWEST_SAMPLES: usize = 32;
/// Steps of [magnus] per harmonic.
const STEPS: usize = 24;
/// Parts of the amplitude by which the first motion is reached where the whole is too much at once.
const RAMP: usize = 10;

/// The equations of balance.
struct Balance<'a> {
    study: &'a mut Study,
    drive: &'a SineDrive,
    options: &'a HarmonicOptions,
    n: usize,
    /// 2 H + 1.
    width: usize,
    samples: usize,
    /// Samples by coefficients: the series at θ_k.
    basis: Matrix,
    /// The inverse size of each unknown in the measure of the arc.
    scale: Vec<f64>,
}

impl<'a> Balance<'a> {
    fn new(study: &'a mut Study, drive: &'a SineDrive, options: &'a HarmonicOptions) -> Balance<'a> {
        let (n, h) = (study.n_states(), options.harmonics);
        let (width, samples) = (2 * h + 1, (5 * h + 1).next_power_of_two().max(FEWEST_SAMPLES));
        let basis = Matrix::from_fn(samples, width, |k, j| {
            let angle = TAU * k as f64 / samples as f64 * j.div_ceil(2) as f64;
            if j % 2 == 1 || j == 0 { angle.cos() } else { angle.sin() }
        });
        Balance { n, width, samples, basis, scale: vec![1.0; n * width + 1], study, drive, options }
    }

    fn size(&self) -> usize {
        self.n * self.width
    }

    /// The state at a sample.
    fn state(&self, x: &[f64], k: usize) -> Vec<f64> {
        let of = |s: usize| (0..self.width).map(|j| self.basis[(k, j)] * x[s * self.width + j]).sum();
        (0..self.n).map(of).collect()
    }

    /// The state at an angle. [series]
    fn state_at(&self, x: &[f64], theta: f64) -> Vec<f64> {
        let of = |s: usize| {
            let term = |j: usize| {
                let angle = theta * j.div_ceil(2) as f64;
                x[s * self.width + j] * if j % 2 == 1 || j == 0 { angle.cos() } else { angle.sin() }
            };
            (0..self.width).map(term).sum()
        };
        (0..self.n).map(of).collect()
    }

    /// ∇x.
    fn derivative(&self, x: &[f64]) -> Vec<f64> {
        let mut out = vec![0.0; x.len()];
        for s in 0..self.n {
            for h in 1..=self.options.harmonics {
                let (cos, sin) = (s * self.width + 2 * h - 1, s * self.width + 2 * h);
                out[cos] = h as f64 * x[sin];
                out[sin] = -(h as f64) * x[cos];
            }
        }
        out
    }

    /// The residual and its derivatives by x and ω. [fourier-balance]
    fn equations(&mut self, x: &[f64], omega: f64) -> Result<(Matrix, Matrix), AnalysisError> {
        let (size, width) = (self.size(), self.width);
        self.study.set(&self.drive.rate, omega)?;
        let turned = self.derivative(x);
        let mut residual = Matrix::from_fn(size, 1, |i, _| omega * turned[i]);
        let mut slopes = Matrix::zeros(size, size + 1);
        for s in 0..self.n {
            for h in 1..=self.options.harmonics {
                let (cos, sin) = (s * width + 2 * h - 1, s * width + 2 * h);
                slopes[(cos, sin)] = omega * h as f64;
                slopes[(sin, cos)] = -omega * h as f64;
            }
        }
        (0..size).for_each(|i| slopes[(i, size)] = turned[i]);
        for k in 0..self.samples {
            let (t, y) = (TAU * k as f64 / self.samples as f64 / omega, self.state(x, k));
            let rates = self.study.rates(t, &y)?;
            let (by_state, _) = self.study.rate_derivatives(t, &y)?;
            for j in 0..width {
                let weight = self.basis[(k, j)] * if j == 0 { 1.0 } else { 2.0 } / self.samples as f64;
                for r in 0..self.n {
                    let row = r * width + j;
                    residual[(row, 0)] -= weight * rates[r];
                    for s in 0..self.n {
                        let slope = weight * by_state[(r, s)];
                        if slope != 0.0 {
                            (0..width)
                                .for_each(|l| slopes[(row, s * width + l)] -= slope * self.basis[(k, l)]);
                        }
                    }
                }
            }
        }
        Ok((residual, slopes))
    }

    /// The motion at the first frequency, by parts of the amplitude where the whole is too much at
    /// once.
    fn first(&mut self, x: Vec<f64>, omega: f64, amplitude: f64) -> Result<Vec<f64>, AnalysisError> {
        self.study.set(&self.drive.amplitude, amplitude)?;
        if let Ok(found) = self.at_rate(x.clone(), omega) {
            return Ok(found);
        }
        let mut x = x;
        for part in 1..=RAMP {
            self.study.set(&self.drive.amplitude, amplitude * part as f64 / RAMP as f64)?;
            x = self.at_rate(x, omega)?;
            x.truncate(self.size());
        }
        x.push(omega);
        Ok(x)
    }

    /// Newton's iteration at a given frequency.
    fn at_rate(&mut self, x: Vec<f64>, omega: f64) -> Result<Vec<f64>, AnalysisError> {
        let mut fixed = vec![0.0; self.size() + 1];
        fixed[self.size()] = 1.0;
        let mut z = x;
        z.truncate(self.size());
        z.push(omega);
        let (origin, scale) = (z.clone(), std::mem::replace(&mut self.scale, vec![1.0; fixed.len()]));
        let found = self.corrected(z, &origin, &fixed, 0.0);
        self.scale = scale;
        Ok(found?.0)
    }

    /// The motion at a frequency between two of the branch.
    fn at_frequency(&mut self, z: &[f64], next: &[f64], omega: f64) -> Result<Vec<f64>, AnalysisError> {
        let (a, b) = (z[z.len() - 1], next[next.len() - 1]);
        let along = (omega - a) / (b - a);
        let between = z.iter().zip(next).map(|(x, y)| x + along * (y - x)).collect();
        self.at_rate(between, omega)
    }

    /// Sizes for the arc: states by their largest coefficient, the frequency by its range.
    fn measure(&mut self, z: &[f64], range: f64) {
        for s in 0..self.n {
            let own = &z[s * self.width + 1..(s + 1) * self.width];
            let size = own.iter().fold(0.0, |m: f64, c| c.abs().max(m));
            let size = if size > 0.0 { size } else { 1.0 };
            let weight = 1.0 / (size * (self.n as f64).sqrt() * GROWTH);
            self.scale[s * self.width..(s + 1) * self.width].fill(weight);
        }
        let last = self.scale.len() - 1;
        self.scale[last] = 1.0 / range;
    }

    /// The next point by the tangent.
    fn advance(&self, z: &[f64], tangent: &[f64], step: f64) -> Vec<f64> {
        z.iter().zip(tangent).map(|(z, t)| z + step * t).collect()
    }

    /// The direction of the branch, on from the one before, of length one in the measure of the
    /// arc.
    fn tangent(&mut self, z: &[f64], before: &[f64]) -> Result<Vec<f64>, AnalysisError> {
        let size = self.size();
        let (_, slopes) = self.equations(&z[..size], z[size])?;
        let whole = self.bordered(&slopes, before);
        let right = Matrix::from_fn(size + 1, 1, |i, _| if i == size { 1.0 } else { 0.0 });
        let found = solve(&whole, &right, "the equations of balance")?;
        let square: f64 = (0..=size).map(|i| (found[(i, 0)] * self.scale[i]).powi(2)).sum();
        Ok((0..=size).map(|i| found[(i, 0)] / square.sqrt()).collect())
    }

    fn bordered(&self, slopes: &Matrix, tangent: &[f64]) -> Matrix {
        let size = self.size();
        let border = |j: usize| tangent[j] * self.scale[j].powi(2);
        Matrix::from_fn(size + 1, size + 1, |i, j| if i < size { slopes[(i, j)] } else { border(j) })
    }

    /// Newton's iteration on the balance and the arc. [arc]
    fn corrected(
        &mut self,
        trial: Vec<f64>,
        origin: &[f64],
        tangent: &[f64],
        step: f64,
    ) -> Result<(Vec<f64>, usize), AnalysisError> {
        let (mut z, size) = (trial, self.size());
        for iteration in 1..=ITERATIONS {
            let (residual, slopes) = self.equations(&z[..size], z[size])?;
            let along: f64 =
                (0..=size).map(|j| tangent[j] * self.scale[j].powi(2) * (z[j] - origin[j])).sum();
            let right =
                Matrix::from_fn(size + 1, 1, |i, _| if i < size { -residual[(i, 0)] } else { step - along });
            let change = solve(&self.bordered(&slopes, tangent), &right, "the equations of balance")?;
            let largest = |list: &dyn Fn(usize) -> f64| (0..size).map(list).fold(0.0, f64::max);
            let moved = largest(&|i| change[(i, 0)].abs());
            (0..=size).for_each(|i| z[i] += change[(i, 0)]);
            if !z.iter().all(|x| x.is_finite()) {
                break;
            }
            let whole = largest(&|i| z[i].abs());
            if moved <= self.options.tolerance * whole.max(f64::MIN_POSITIVE) {
                return Ok((z, iteration));
            }
        }
        let f = z[size] / TAU;
        Err(AnalysisError::Evaluation(format!("no periodic motion was found near {f} Hz")))
    }

    /// The outputs and the stability of a motion.
    fn orbit(&mut self, z: &[f64], amplitude: f64) -> Result<PeriodicOrbit, AnalysisError> {
        let size = self.size();
        let (x, omega) = (&z[..size], z[size]);
        self.study.set(&self.drive.rate, omega)?;
        let mut rows = vec![];
        for k in 0..self.samples {
            let t = TAU * k as f64 / self.samples as f64 / omega;
            rows.push(self.study.outputs(t, &self.state(x, k))?);
        }
        rows.push(rows[0].clone());
        let period = Period::of(&rows, 0.0);
        let over = Complex::new(0.0, -amplitude);
        let mut multipliers = eigenvalues(&self.monodromy(x, omega)?)?;
        multipliers.sort_by(|a, b| b.norm().total_cmp(&a.norm()).then(b.im.total_cmp(&a.im)));
        Ok(PeriodicOrbit {
            frequency: omega / TAU,
            coefficients: x.chunks(self.width).map(<[f64]>::to_vec).collect(),
            response: period.first.iter().map(|c| c / over).collect(),
            distortion: period.distortion,
            multipliers,
        })
    }

    /// Φ over one period. [magnus]
    fn monodromy(&mut self, x: &[f64], omega: f64) -> Result<Matrix, AnalysisError> {
        let steps = STEPS * (self.options.harmonics + 1);
        let h = TAU / omega / steps as f64;
        let root = 3.0_f64.sqrt();
        let mut whole = identity(self.n);
        for k in 0..steps {
            let mut at = |part: f64| -> Result<Matrix, AnalysisError> {
                let t = (k as f64 + part) * h;
                let y = self.state_at(x, omega * t);
                Ok(of_slices(&self.study.rate_derivatives(t, &y)?.0))
            };
            let (a1, a2) = (at(0.5 - root / 6.0)?, at(0.5 + root / 6.0)?);
            let commutator = &(&a2 * &a1) - &(&a1 * &a2);
            let exponent = &scaled(&(&a1 + &a2), 0.5 * h) + &scaled(&commutator, root / 12.0 * h * h);
            whole = &matrix_exponential(&exponent)? * &whole;
        }
        Ok(whole)
    }
}

/// How much larger than at the first frequency a motion counts as far as the whole range of
/// frequencies.
const GROWTH: f64 = 10.0;
