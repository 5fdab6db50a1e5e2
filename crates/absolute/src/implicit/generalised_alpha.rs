//! Generalised-α with sparse Newton steps: stiff and large systems, index 3.
//!
//! ```text
//! [chung]    α_m = (2ρ - 1)/(ρ + 1),  α_f = ρ/(ρ + 1),  γ = ½ + α_f - α_m,  β = ¼ (γ + ½)²
//! [step]     d = h v_n + h² ((½ - β) a_n + β a),   q = q_n ∘ exp d,   v = v_n + h ((1 - γ) a_n + γ a)
//! [mean]     (1 - α_m) a + α_m a_n = (1 - α_f) v̇ + α_f v̇_n
//! [correction]   (M + (γ' C + K)/β') δ - Gᵀ δλ/β' = -r/β',   G δ = -g       β' = (1 - α_m)/(h² β (1 - α_f)),  γ' = γ/(h β)
//! [error]    |β - ⅙| h² |a - a_n|
//! ```
//!
//! (Chung and Hulbert 1993; Arnold and Brüls 2007 for constraints and rotations.) r = M v̇ + h - Q - Gᵀλ. Divided by β', the
//! matrix tends to that of the accelerations as h tends to zero, so that multipliers stay accurate. Rows that constrain velocities
//! alone demand G δ = -ġ/γ'.

use cardan_solve::{Stats, StopReason};

use crate::error::Unsupported;
use crate::geometry as g;
use crate::implicit::iteration_matrix::{IterationMatrix, Weights};
use crate::implicit::{EachStep, Step, Walk};
use crate::mechanism::Mechanism;
use crate::template::{FREEDOMS, STATE};

/// Numerical damping at infinite frequency.
const RHO: f64 = 0.8;
/// Newton's iterations before a step is shortened.
const ITERATIONS: usize = 8;
/// Steps that one factorisation may serve.
const AGE: usize = 12;

/// The method with its matrices.
pub struct GeneralisedAlpha<'s, 'm> {
    mechanism: &'s mut Mechanism<'m>,
    matrix: IterationMatrix,
    /// v̇ and the mean acceleration a.
    rate: Vec<f64>,
    mean: Vec<f64>,
    lambda: Vec<f64>,
    /// The step and age of the factors.
    factored: (f64, usize),
    /// What it took.
    pub stats: Stats,
}

/// A step that was tried.
struct Trial {
    y: Vec<f64>,
    rate: Vec<f64>,
    mean: Vec<f64>,
    lambda: Vec<f64>,
    /// Relative to the tolerance.
    error: f64,
}

struct Coefficients {
    alpha_m: f64,
    alpha_f: f64,
    gamma: f64,
    beta: f64,
}

impl Coefficients {
    /// γ' and β' of [correction].
    fn of_step(&self, h: f64) -> (f64, f64) {
        let beta = (1.0 - self.alpha_m) / (h * h * self.beta * (1.0 - self.alpha_f));
        (self.gamma / (h * self.beta), beta)
    }
}

/// [chung]
fn coefficients() -> Coefficients {
    let alpha_m = (2.0 * RHO - 1.0) / (RHO + 1.0);
    let alpha_f = RHO / (RHO + 1.0);
    let gamma = 0.5 + alpha_f - alpha_m;
    Coefficients { alpha_m, alpha_f, gamma, beta: 0.25 * (gamma + 0.5).powi(2) }
}

impl<'s, 'm> GeneralisedAlpha<'s, 'm> {
    /// Analyses the pattern of a mechanism.
    pub fn new(mechanism: &'s mut Mechanism<'m>) -> Result<Self, Unsupported> {
        let zeros = vec![0.0; FREEDOMS * mechanism.n_parts()];
        Ok(GeneralisedAlpha {
            matrix: IterationMatrix::new(mechanism, false)?,
            rate: zeros.clone(),
            mean: zeros,
            lambda: vec![0.0; mechanism.n_rows()],
            factored: (0.0, 0),
            stats: Stats::default(),
            mechanism,
        })
    }

    /// Fills and factorises the matrix at a state for a step. [correction]
    fn factorise(&mut self, t: f64, y: &[f64], h: f64) -> Result<bool, String> {
        let (gamma, beta) = coefficients().of_step(h);
        self.matrix.update(self.mechanism, t, y, &self.lambda)?;
        self.factored = (h, 0);
        self.stats.jacobians += 1;
        self.stats.factorisations += 1;
        let weights = Weights { mass: 1.0, damping: gamma / beta, stiffness: 1.0 / beta };
        Ok(self.matrix.factorise(self.mechanism, weights))
    }

    /// Tries a step. Nothing where Newton's method does not converge.
    fn attempt(
        &mut self,
        t: f64,
        y0: &[f64],
        h: f64,
        tolerance: (f64, f64),
    ) -> Result<Option<Trial>, String> {
        let c = coefficients();
        let (gamma, beta) = c.of_step(h);
        let n_parts = self.mechanism.n_parts();
        let n = FREEDOMS * n_parts;
        let mut a = self.mean.clone();
        let mut lambda = self.lambda.clone();
        let mut y = y0.to_vec();
        let (mut v_dot, mut rhs) = (vec![0.0; n], vec![0.0; n + lambda.len()]);
        let mut d: Vec<f64> = (0..n)
            .map(|k| {
                let v = y0[STATE * (k / FREEDOMS) + 7 + k % FREEDOMS];
                h * v + h * h * 0.5 * a[k]
            })
            .collect();
        let scale = |y: f64| tolerance.0 * y.abs() + tolerance.1;
        let mut last = f64::INFINITY;
        for iteration in 0..ITERATIONS {
            // All else follows from the displacement. [step], [mean]
            for k in 0..n {
                let v = y0[STATE * (k / FREEDOMS) + 7 + k % FREEDOMS];
                a[k] = ((d[k] - h * v) / (h * h) - (0.5 - c.beta) * self.mean[k]) / c.beta;
                v_dot[k] = ((1.0 - c.alpha_m) * a[k] + c.alpha_m * self.mean[k] - c.alpha_f * self.rate[k])
                    / (1.0 - c.alpha_f);
                y[STATE * (k / FREEDOMS) + 7 + k % FREEDOMS] =
                    v + h * ((1.0 - c.gamma) * self.mean[k] + c.gamma * a[k]);
            }
            for p in 0..n_parts {
                let (s0, s, d) = (&y0[STATE * p..], &mut y[STATE * p..][..STATE], &d[FREEDOMS * p..]);
                (0..3).for_each(|i| s[i] = s0[i] + d[i]);
                let e = g::turned([s0[3], s0[4], s0[5], s0[6]], [d[3], d[4], d[5]]);
                s[3..7].copy_from_slice(&e);
            }
            self.mechanism.evaluate(t + h, &y)?;
            self.mechanism.apply_loads(&y)?;
            self.stats.evaluations += 1;
            if iteration == 0
                && (self.factored.0 != h || self.factored.1 >= AGE)
                && !self.factorise(t + h, &y, h)?
            {
                return Ok(None);
            }
            let m = &*self.mechanism;
            // -r/β' and -g
            m.newton_residual(&v_dot, &lambda, &mut rhs[..n]);
            rhs[..n].iter_mut().for_each(|x| *x /= beta);
            for (r, g) in m.g.iter().enumerate() {
                rhs[n + r] = match m.is_nonholonomic(r) {
                    _ if m.skipped[r] => 0.0,
                    true => -m.g_rate[r] / gamma,
                    false => -g,
                };
            }
            if !self.matrix.solve(&mut rhs) {
                return Ok(None);
            }
            self.stats.newton_iterations += 1;
            let mut size: f64 = 0.0;
            for k in 0..n {
                d[k] += rhs[k];
                let reference = if k % FREEDOMS < 3 { y[STATE * (k / FREEDOMS) + k % FREEDOMS] } else { 1.0 };
                size = size.max(rhs[k].abs() / scale(reference));
            }
            lambda.iter_mut().zip(&rhs[n..]).for_each(|(l, x)| *l += beta * x);
            if !size.is_finite() || (iteration > 1 && size > 2.0 * last) {
                break;
            }
            let settles = iteration > 0 && size < 1e-2;
            last = size;
            if settles || size < 1e-6 {
                self.factored.1 += 1 + iteration;
                return Ok(Some(self.judged(y, y0, (a, v_dot, lambda), d, h, tolerance)));
            }
        }
        self.factored = (0.0, 0);
        Ok(None)
    }

    /// A step that has converged, with its error. [error]
    fn judged(
        &self,
        mut y: Vec<f64>,
        y0: &[f64],
        (mut mean, mut rate, lambda): (Vec<f64>, Vec<f64>, Vec<f64>),
        d: Vec<f64>,
        h: f64,
        (rtol, atol): (f64, f64),
    ) -> Trial {
        let c = coefficients();
        let mut sum = 0.0;
        for k in 0..mean.len() {
            let at = STATE * (k / FREEDOMS);
            let v = y0[at + 7 + k % FREEDOMS];
            mean[k] = ((d[k] - h * v) / (h * h) - (0.5 - c.beta) * self.mean[k]) / c.beta;
            rate[k] = ((1.0 - c.alpha_m) * mean[k] + c.alpha_m * self.mean[k] - c.alpha_f * self.rate[k])
                / (1.0 - c.alpha_f);
            y[at + 7 + k % FREEDOMS] = v + h * ((1.0 - c.gamma) * self.mean[k] + c.gamma * mean[k]);
            let size = if k % FREEDOMS < 3 { y[at + k % FREEDOMS].abs() } else { 1.0 };
            let error = (c.beta - 1.0 / 6.0) * h * h * (mean[k] - self.mean[k]) / (rtol * size + atol);
            sum += error * error;
        }
        for p in 0..mean.len() / FREEDOMS {
            let (s0, s, d) = (&y0[STATE * p..], &mut y[STATE * p..][..STATE], &d[FREEDOMS * p..]);
            (0..3).for_each(|i| s[i] = s0[i] + d[i]);
            let e = g::turned([s0[3], s0[4], s0[5], s0[6]], [d[3], d[4], d[5]]);
            s[3..7].copy_from_slice(&e);
        }
        Trial { error: (sum / mean.len().max(1) as f64).sqrt(), y, rate, mean, lambda }
    }

    /// Walks from one time to another and hands every step to `each`.
    pub fn run(
        &mut self,
        walk: Walk,
        y0: &[f64],
        each: &mut EachStep<'_, 'm>,
    ) -> (StopReason, f64, Vec<f64>) {
        let Walk { ends: (from, to), tolerances: (rtol, atol), first, longest, limit } = walk;
        let n_parts = self.mechanism.n_parts();
        let span = to - from;
        let mut y = y0.to_vec();
        let failed = |t: f64, message: String| StopReason::SystemFailed {
            t,
            failure: cardan_solve::Failure::fatal(message),
        };
        if let Err(e) = self.mechanism.accelerate(from, &y) {
            return (failed(from, e), from, y);
        }
        self.rate.clone_from(&self.mechanism.acceleration);
        self.mean.clone_from(&self.rate);
        self.lambda.clone_from(&self.mechanism.lambda);
        let largest = self.rate.iter().fold(0.0f64, |m, x| m.max(x.abs()));
        let guess = (atol + rtol).powf(1.0 / 3.0) / (1.0 + largest).sqrt();
        let mut h = first.unwrap_or(guess).min(longest).min(span.abs());
        let mut t = from;
        while (to - t).abs() > 1e-12 * span.abs() {
            if self.stats.accepted + self.stats.rejected >= limit {
                return (StopReason::TooManySteps { t, limit }, t, y);
            }
            let remaining = (to - t).abs();
            // Two equal steps rather than a tiny last one.
            let step = if remaining < 1.01 * h {
                remaining
            } else if remaining < 2.0 * h {
                0.5 * remaining
            } else {
                h
            };
            if step < 1e-14 * (1.0 + t.abs()) {
                return (StopReason::StepTooSmall { t, h: step, component: None }, t, y);
            }
            let signed = step.copysign(span);
            match self.attempt(t, &y, signed, (rtol, atol)) {
                Err(e) => return (failed(t, e), t, y),
                Ok(Some(trial)) if trial.error <= 1.0 => {
                    self.stats.accepted += 1;
                    let ended = if step == remaining { to } else { t + signed };
                    self.rate = trial.rate;
                    self.mean = trial.mean;
                    self.lambda = trial.lambda;
                    let (times, states) = ([t, ended], [&y[..], &trial.y[..]]);
                    let inside = |t: f64| between(times, states, t, n_parts);
                    let goes_on = each(self.mechanism, &Step { times, states, inside: &inside });
                    (t, y) = (ended, trial.y);
                    if !goes_on {
                        return (StopReason::StoppedByObserver, t, y);
                    }
                    let factor = 0.9 * trial.error.max(1e-6).powf(-1.0 / 3.0);
                    // A step that stays the same keeps its factors.
                    if !(1.0..=1.3).contains(&factor) {
                        h = (step * factor.clamp(0.3, 2.0)).min(longest);
                    }
                }
                Ok(Some(trial)) => {
                    self.stats.rejected += 1;
                    h = step * (0.9 * trial.error.powf(-1.0 / 3.0)).clamp(0.2, 0.9);
                }
                Ok(None) => {
                    self.stats.rejected += 1;
                    h = 0.25 * step;
                }
            }
        }
        (StopReason::ReachedEnd, to, y)
    }
}

/// The state inside a step: cubic in positions and linear in velocities.
pub fn between([t0, t1]: [f64; 2], [a, b]: [&[f64]; 2], t: f64, n_parts: usize) -> Vec<f64> {
    let h = t1 - t0;
    let s = (t - t0) / h;
    let (p0, p1) = ((1.0 + 2.0 * s) * (1.0 - s) * (1.0 - s), s * s * (3.0 - 2.0 * s));
    let (m0, m1) = (h * s * (1.0 - s) * (1.0 - s), -h * s * s * (1.0 - s));
    let mut y: Vec<f64> = a.iter().zip(b).map(|(x, z)| x + s * (z - x)).collect();
    for k in 0..n_parts {
        let (u, v) = (&a[STATE * k..][..STATE], &b[STATE * k..][..STATE]);
        let out = &mut y[STATE * k..][..STATE];
        (0..3).for_each(|i| out[i] = p0 * u[i] + p1 * v[i] + m0 * u[7 + i] + m1 * v[7 + i]);
        let rates = |s: &[f64]| g::euler_rates([s[3], s[4], s[5], s[6]], [s[10], s[11], s[12]]);
        let (du, dv) = (rates(u), rates(v));
        let e = std::array::from_fn(|i| p0 * u[3 + i] + p1 * v[3 + i] + m0 * du[i] + m1 * dv[i]);
        out[3..7].copy_from_slice(&g::normalised(e));
    }
    y
}
