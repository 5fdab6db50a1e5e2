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
//! matrix tends to that of the accelerations as h tends to zero, so that multipliers stay accurate. C and K are the exact
//! derivatives of springs, dampers, bushings and gyroscopic terms; those of loads written as expressions are left out, which
//! costs iterations where such loads are stiff.

use cardan_solve::sparse::SparseLu;
use cardan_solve::{Stats, StopReason};

use crate::error::Unsupported;
use crate::geometry as g;
use crate::kernel::Kernel;
use crate::mechanism::Mechanism;
use crate::parts::GROUND;
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
    lu: SparseLu,
    values: Vec<f64>,
    /// Slots of the entries in the order in which they are added.
    slots: Vec<usize>,
    slopes: Vec<Kernel>,
    /// v̇ and the mean acceleration a.
    rate: Vec<f64>,
    mean: Vec<f64>,
    lambda: Vec<f64>,
    /// The step and age of the factors.
    factored: (f64, usize),
    /// What it took.
    pub stats: Stats,
}

/// Called after each step with the times and states at both ends; `false` ends the motion.
pub type EachStep<'a, 'm> = dyn FnMut(&mut Mechanism<'m>, [f64; 2], [&[f64]; 2]) -> bool + 'a;

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
        let (n_parts, n_rows) = (mechanism.n_parts(), mechanism.n_rows());
        let n = FREEDOMS * n_parts + n_rows;
        let mut entries = vec![];
        let mut block = |a: usize, b: usize| {
            for i in 0..FREEDOMS {
                entries.extend((0..FREEDOMS).map(|j| (FREEDOMS * a + i, FREEDOMS * b + j)));
            }
        };
        (0..n_parts).for_each(|k| block(k, k));
        for group in &mechanism.loads.groups {
            for instance in &group.instances {
                for a in instance.parts {
                    for b in instance.parts {
                        if a != GROUND && b != GROUND {
                            block(a, b);
                        }
                    }
                }
            }
        }
        for b in &mechanism.blocks {
            for (part, _) in &b.sides {
                for r in 0..b.rows {
                    let row = FREEDOMS * n_parts + b.first + r;
                    entries.extend((0..FREEDOMS).map(|j| (row, FREEDOMS * part + j)));
                    entries.extend((0..FREEDOMS).map(|j| (FREEDOMS * part + j, row)));
                }
            }
        }
        entries.extend((0..n_rows).map(|r| (FREEDOMS * n_parts + r, FREEDOMS * n_parts + r)));
        let (lu, slots) = SparseLu::new(n, &entries)
            .ok_or_else(|| Unsupported::Program("the sparse matrix could not be analysed".into()))?;
        let slopes: Result<Vec<Kernel>, Unsupported> =
            mechanism.loads.groups.iter().map(|g| g.slopes()).collect();
        let zeros = vec![0.0; FREEDOMS * n_parts];
        Ok(GeneralisedAlpha {
            values: vec![0.0; lu.n_values()],
            slopes: slopes?,
            rate: zeros.clone(),
            mean: zeros,
            lambda: vec![0.0; n_rows],
            factored: (0.0, 0),
            stats: Stats::default(),
            mechanism,
            lu,
            slots,
        })
    }

    /// Fills and factorises the matrix at a state for a step. [correction]
    fn factorise(&mut self, y: &[f64], h: f64) -> Result<bool, String> {
        let c = coefficients();
        let beta = (1.0 - c.alpha_m) / (h * h * c.beta * (1.0 - c.alpha_f));
        let gamma = c.gamma / (h * c.beta);
        self.values.fill(0.0);
        let mut next = 0;
        let m = &mut *self.mechanism;
        for (k, part) in m.structure.parts.iter().enumerate() {
            let s = &y[STATE * k..];
            let w = [s[10], s[11], s[12]];
            let momentum = g::apply(&part.inertia, w);
            for i in 0..FREEDOMS {
                for j in 0..FREEDOMS {
                    let mut value = 0.0;
                    if i < 3 && i == j {
                        value = part.mass;
                    } else if i >= 3 && j >= 3 {
                        // ∂(w × J w)/∂w = [w] J - [J w]
                        let column = [part.inertia[0][j - 3], part.inertia[1][j - 3], part.inertia[2][j - 3]];
                        let spun = g::sub(g::cross(w, column), g::cross(momentum, g::IDENTITY[j - 3]));
                        value = part.inertia[i - 3][j - 3] + gamma / beta * spun[i - 3];
                    }
                    self.values[self.slots[next]] += value;
                    next += 1;
                }
            }
        }
        let state = |part: usize| {
            if part == GROUND { &crate::mechanism::AT_REST[..] } else { &y[STATE * part..][..STATE] }
        };
        for (group, kernel) in m.loads.groups.iter().zip(&mut self.slopes) {
            for (k, instance) in group.instances.iter().enumerate() {
                kernel.set(k, 0, state(instance.parts[0]));
                kernel.set(k, STATE, state(instance.parts[1]));
            }
            kernel.run()?;
            for (k, instance) in group.instances.iter().enumerate() {
                for (sa, a) in instance.parts.iter().enumerate() {
                    for (sb, b) in instance.parts.iter().enumerate() {
                        if *a == GROUND || *b == GROUND {
                            continue;
                        }
                        for i in 0..FREEDOMS {
                            for j in 0..FREEDOMS {
                                let at = 2 * FREEDOMS * (FREEDOMS * sa + i) + FREEDOMS * sb + j;
                                let along = kernel.output(k, at);
                                let by = kernel.output(k, 4 * FREEDOMS * FREEDOMS + at);
                                self.values[self.slots[next]] -= (along + gamma * by) / beta;
                                next += 1;
                            }
                        }
                    }
                }
            }
        }
        for b in &m.blocks {
            for (_, first) in &b.sides {
                for r in 0..b.rows {
                    let is_kept = !m.skipped[b.first + r];
                    let row = &m.gradient[first + FREEDOMS * r..][..FREEDOMS];
                    for sign in [1.0, -1.0] {
                        for x in row {
                            self.values[self.slots[next]] += if is_kept { sign * x } else { 0.0 };
                            next += 1;
                        }
                    }
                }
            }
        }
        for skipped in &m.skipped {
            self.values[self.slots[next]] += if *skipped { 1.0 } else { 0.0 };
            next += 1;
        }
        self.factored = (h, 0);
        self.stats.jacobians += 1;
        self.stats.factorisations += 1;
        Ok(self.lu.factorise(&self.values))
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
        let beta = (1.0 - c.alpha_m) / (h * h * c.beta * (1.0 - c.alpha_f));
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
            if iteration == 0 && (self.factored.0 != h || self.factored.1 >= AGE) && !self.factorise(&y, h)? {
                return Ok(None);
            }
            let m = &*self.mechanism;
            // -r/β' and -g
            rhs[..n].copy_from_slice(&m.force);
            m.pull(&lambda, &mut rhs[..n]);
            for (p, part) in m.structure.parts.iter().enumerate() {
                let turned = g::apply(
                    &part.inertia,
                    [v_dot[FREEDOMS * p + 3], v_dot[FREEDOMS * p + 4], v_dot[FREEDOMS * p + 5]],
                );
                for i in 0..3 {
                    rhs[FREEDOMS * p + i] -= part.mass * v_dot[FREEDOMS * p + i];
                    rhs[FREEDOMS * p + i + 3] -= turned[i];
                }
            }
            rhs[..n].iter_mut().for_each(|x| *x /= beta);
            for (r, g) in m.g.iter().enumerate() {
                rhs[n + r] = if m.skipped[r] { 0.0 } else { -g };
            }
            if !self.lu.solve(&mut rhs) {
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

    /// Walks from one time to another and hands every step to `each`: times and states at both ends, and its rates.
    pub fn run(
        &mut self,
        (from, to): (f64, f64),
        y0: &[f64],
        (rtol, atol): (f64, f64),
        (first, longest, limit): (Option<f64>, f64, u64),
        each: &mut EachStep<'_, 'm>,
    ) -> (StopReason, f64, Vec<f64>) {
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
                    let goes_on = each(self.mechanism, [t, ended], [&y, &trial.y]);
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
