//! Backward differentiation, orders 1 to 6, with variable steps and orders.
//!
//! ```text
//! [bdf]      ẏ(t) = α y(t) + rest
//! [index 3]  v = q̇,   M v̇ + h = Q + Gᵀλ,   g = 0
//! [index 2]  v = q̇ - M⁻¹Gᵀμ,   the same,   ġ = 0,   g = 0           Gear, Gupta and Leimkuhler 1985
//! [index 1]  v = q̇,   the same,   G v̇ + γ = 0                       each step is projected onto g and ġ
//! [bdf-newton]   (M + C/α + K/α²) D - Gᵀ L = -r/α²,   G D = -g  or  -ġ/α  or  -(G v̇ + γ)/α²
//! [mu]       G M⁻¹ Gᵀ δμ = -α g + ġ + G (q̇ - v - M⁻¹Gᵀμ)
//! [bdf-error]   (t - t_1)/(t - t_{k+1}) |y - predicted|
//! ```
//!
//! The difference formula is that of Gear 1971; Koh and Park 1994, eqs. 32 and 33. μ is what positions need beyond velocities. The
//! error is that of order k, predicted from k + 1 states.
//!
//! D is the correction of positions in index 3 and that of velocities divided by α in the others, and α² L that of the multipliers: the
//! matrix tends to that of the accelerations as steps shrink, so that multipliers stay accurate, and it is the same for every index.
//! q̇ of the rotations is the angular velocity 2 Im(e* ∘ ė).

use cardan_solve::{Failure, Stats, StopReason};

use crate::error::Unsupported;
use crate::geometry as g;
use crate::implicit::history::History;
use crate::implicit::iteration_matrix::{IterationMatrix, Weights};
use crate::implicit::{EachStep, Step, Walk};
use crate::mechanism::Mechanism;
use crate::mechanism::works::Works;
use crate::template::{FREEDOMS, STATE};

/// The highest order.
pub const MAX_ORDER: usize = 6;
/// Newton's iterations before a step is shortened.
const ITERATIONS: usize = 7;
/// Steps that one factorisation may serve.
const AGE: usize = 20;
/// How far α may go from that of the factors.
const DRIFT: f64 = 0.2;

/// Which equations are imposed beside Newton's law.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Index {
    /// Positions. [index 3]
    Three,
    /// Velocities and positions. [index 2]
    Two,
    /// Accelerations. [index 1]
    One,
}

/// The method with its past.
pub struct Bdf<'s, 'm> {
    mechanism: &'s mut Mechanism<'m>,
    matrix: IterationMatrix,
    works: Works,
    index: Index,
    /// States with works.
    history: History,
    order: usize,
    /// Steps since the order was changed.
    settled: usize,
    lambda: Vec<f64>,
    /// α of the factors and the steps that they have served.
    factored: Option<(f64, usize)>,
    /// No choice of steps and orders, for measurements.
    is_fixed: bool,
    /// What it took.
    pub stats: Stats,
}

/// A step that has converged.
struct Trial {
    y: Vec<f64>,
    lambda: Vec<f64>,
    /// Relative to the tolerance, for one order less, this order and one more.
    errors: [f64; 3],
}

impl<'s, 'm> Bdf<'s, 'm> {
    /// Analyses the pattern of a mechanism.
    pub fn new(mechanism: &'s mut Mechanism<'m>, works: Works, index: Index) -> Result<Self, Unsupported> {
        Ok(Bdf {
            matrix: IterationMatrix::new(mechanism, false)?,
            lambda: vec![0.0; mechanism.n_rows()],
            works,
            index,
            history: History::default(),
            order: 2,
            settled: 0,
            factored: None,
            is_fixed: false,
            stats: Stats::default(),
            mechanism,
        })
    }

    /// Begins with states that are known, the newest first, and keeps order and step: order k needs k + 1 of them.
    pub fn with_history(mut self, order: usize, times: Vec<f64>, states: Vec<Vec<f64>>) -> Self {
        self.history = History { times, states };
        self.order = order;
        self.is_fixed = true;
        self
    }

    /// The multipliers of the last step.
    pub fn multipliers(&self) -> &[f64] {
        &self.lambda
    }

    /// Three states before the start, at the acceleration that it has.
    fn begin(&mut self, t: f64, y: &[f64], h: f64) -> Result<(), String> {
        self.mechanism.accelerate(t, &y[..self.mechanism.n_states()])?;
        self.lambda.clone_from(&self.mechanism.lambda);
        if self.is_fixed {
            return Ok(());
        }
        let m = &*self.mechanism;
        let a = &m.acceleration;
        let mut rates: Vec<f64> = m.state_rates.iter().map(|p| m.scalars.value(*p)).collect();
        rates.extend(self.works.powers(m));
        self.history = History::default();
        for k in [2.0, 1.0, 0.0] {
            let ago = -k * h;
            let mut state = y.to_vec();
            for p in 0..m.n_parts() {
                let (s, a) = (&mut state[STATE * p..][..STATE], &a[FREEDOMS * p..][..FREEDOMS]);
                let d: [f64; 6] = std::array::from_fn(|i| ago * s[7 + i] + 0.5 * ago * ago * a[i]);
                (0..3).for_each(|i| s[i] += d[i]);
                let e = g::turned([s[3], s[4], s[5], s[6]], [d[3], d[4], d[5]]);
                s[3..7].copy_from_slice(&e);
                (0..6).for_each(|i| s[7 + i] += ago * a[i]);
            }
            let first = STATE * m.n_parts();
            state[first..].iter_mut().zip(&rates).for_each(|(s, r)| *s += ago * r);
            self.history.push(t + ago, state, MAX_ORDER + 2);
        }
        (self.order, self.settled) = (2, 0);
        Ok(())
    }

    /// v and w of the difference formula at the positions of a state, part by part. [bdf]
    fn velocities(&self, y: &[f64], alpha: f64, rest: &[f64]) -> Vec<f64> {
        let mut v = Vec::with_capacity(FREEDOMS * self.mechanism.n_parts());
        for p in 0..self.mechanism.n_parts() {
            let (s, r) = (&y[STATE * p..], &rest[STATE * p..]);
            v.extend((0..3).map(|i| alpha * s[i] + r[i]));
            let e = [s[3], s[4], s[5], s[6]];
            let rate: [f64; 4] = std::array::from_fn(|i| alpha * e[i] + r[3 + i]);
            v.extend(g::angular_velocity(e, rate));
        }
        v
    }

    /// Tries a step to a time. Nothing where Newton's method does not converge.
    fn attempt(&mut self, t: f64, (rtol, atol): (f64, f64)) -> Result<Option<Trial>, String> {
        let (alpha, rest) = self.history.backward(self.order, t);
        let n_parts = self.mechanism.n_parts();
        let (n, n_states) = (FREEDOMS * n_parts, self.mechanism.n_states());
        let points = (self.order + 1).min(self.history.times.len());
        let mut y = self.history.at(points, t);
        normalise(&mut y, n_parts);
        let mut lambda = self.lambda.clone();
        let mut mu = vec![0.0; lambda.len()];
        let mut rhs = vec![0.0; n + lambda.len()];
        let scale = |x: f64| rtol * x.abs() + atol;
        let is_stale = self.factored.is_none_or(|(a, age)| (alpha / a - 1.0).abs() > DRIFT || age >= AGE);
        let mut last = f64::INFINITY;
        for iteration in 0..ITERATIONS {
            let by_difference = self.velocities(&y, alpha, &rest);
            if self.index == Index::Three {
                put_velocities(&mut y, &by_difference);
            }
            self.mechanism.evaluate(t, &y[..n_states])?;
            self.mechanism.lambda.copy_from_slice(&lambda);
            self.mechanism.apply_loads(&y)?;
            self.stats.evaluations += 1;
            if iteration == 0 && is_stale {
                self.matrix.update(self.mechanism, t, &y, &lambda)?;
                let weights = Weights { mass: 1.0, damping: 1.0 / alpha, stiffness: 1.0 / (alpha * alpha) };
                self.stats.jacobians += 1;
                self.stats.factorisations += 1;
                self.factored = Some((alpha, 0));
                if !self.matrix.factorise(self.mechanism, weights) {
                    self.factored = None;
                    return Ok(None);
                }
            }
            let m = &mut *self.mechanism;
            // Auxiliary states and works by substitution; they are not stiff, or steps become short.
            let mut aux: f64 = 0.0;
            let mut rates: Vec<f64> = m.state_rates.iter().map(|p| m.scalars.value(*p)).collect();
            rates.extend(self.works.powers(m));
            for ((s, rest), rate) in y[STATE * n_parts..].iter_mut().zip(&rest[STATE * n_parts..]).zip(&rates)
            {
                let next = (rate - rest) / alpha;
                aux = aux.max((next - *s).abs() / scale(next));
                *s = next;
            }
            let a: Vec<f64> = (0..n)
                .map(|k| {
                    let at = STATE * (k / FREEDOMS) + 7 + k % FREEDOMS;
                    alpha * y[at] + rest[at]
                })
                .collect();
            m.newton_residual(&a, &lambda, &mut rhs[..n]);
            rhs[..n].iter_mut().for_each(|x| *x /= alpha * alpha);
            match self.index {
                Index::Three => rhs[n..].iter_mut().zip(m.g.iter().zip(&m.g_rate)).enumerate().for_each(
                    |(row, (x, (g, rate)))| *x = if m.is_nonholonomic(row) { -rate / alpha } else { -g },
                ),
                Index::Two => rhs[n..].iter_mut().zip(&m.g_rate).for_each(|(x, r)| *x = -r / alpha),
                Index::One => {
                    m.row_accelerations(&a, &mut rhs[n..]);
                    rhs[n..].iter_mut().for_each(|x| *x = -*x / (alpha * alpha));
                }
            }
            rhs[n..].iter_mut().zip(&m.skipped).for_each(|(x, skipped)| {
                if *skipped {
                    *x = 0.0;
                }
            });
            if !self.matrix.solve(&mut rhs) {
                return Ok(None);
            }
            self.stats.newton_iterations += 1;
            lambda.iter_mut().zip(&rhs[n..]).for_each(|(l, x)| *l += alpha * alpha * x);
            let mut step = rhs[..n].to_vec();
            let mut size = aux;
            if self.index != Index::Three {
                let shown = |k: usize| y[STATE * (k / FREEDOMS) + 7 + k % FREEDOMS];
                // ρ = q̇ - v - M⁻¹Gᵀμ
                let mut rho: Vec<f64> = (0..n).map(|k| by_difference[k] - shown(k)).collect();
                if self.index == Index::Two {
                    let minus: Vec<f64> = mu.iter().map(|x| -x).collect();
                    m.spread(&minus, &mut rho);
                    let mut extra = vec![0.0; mu.len()];
                    m.gather(&rho, &mut extra);
                    for (x, (g, rate)) in extra.iter_mut().zip(m.g.iter().zip(&m.g_rate)) {
                        *x += rate - alpha * g;
                    }
                    m.solve_positions(&mut extra);
                    mu.iter_mut().zip(&extra).for_each(|(m, x)| *m += x);
                    // δ = (δv + M⁻¹Gᵀδμ - ρ)/α
                    extra.iter_mut().for_each(|x| *x = -*x);
                    m.spread(&extra, &mut rho);
                }
                for k in 0..n {
                    let at = STATE * (k / FREEDOMS) + 7 + k % FREEDOMS;
                    size =
                        size.max(step[k].abs() / scale(if k % FREEDOMS < 3 { y[at] / alpha } else { 1.0 }));
                    y[at] += alpha * step[k];
                    step[k] -= rho[k] / alpha;
                }
            }
            for (k, d) in step.iter().enumerate() {
                let reference = if k % FREEDOMS < 3 { y[STATE * (k / FREEDOMS) + k % FREEDOMS] } else { 1.0 };
                size = size.max(d.abs() / scale(reference));
            }
            m.shift(&mut y, &step, 1.0);
            if !size.is_finite() || (iteration > 1 && size > 2.0 * last) {
                break;
            }
            let settles = if self.is_fixed { size < 1e-3 } else { iteration > 0 && size < 1e-2 };
            if settles || size < 1e-6 {
                if let Some((_, age)) = &mut self.factored {
                    *age += 1 + iteration;
                }
                if self.index == Index::Three {
                    let v = self.velocities(&y, alpha, &rest);
                    put_velocities(&mut y, &v);
                }
                let errors = self.errors(t, &y, (rtol, atol));
                return Ok(Some(Trial { y, lambda, errors }));
            }
            last = size;
        }
        self.factored = None;
        Ok(None)
    }

    /// [bdf-error]
    fn errors(&self, t: f64, y: &[f64], (rtol, atol): (f64, f64)) -> [f64; 3] {
        let n_parts = self.mechanism.n_parts();
        let counted = self.mechanism.n_states();
        [self.order - 1, self.order, self.order + 1].map(|order| {
            if order == 0 || order > MAX_ORDER || order + 1 > self.history.times.len() || self.is_fixed {
                return f64::INFINITY;
            }
            let predicted = self.history.at(order + 1, t);
            let factor = (t - self.history.times[0]) / (t - self.history.times[order]);
            let (mut sum, mut n) = (0.0, 0);
            for k in 0..counted {
                let inside = k % STATE;
                let is_part = k < STATE * n_parts;
                // Velocities of index 3 are derived quantities.
                if is_part && inside >= 7 && self.index == Index::Three {
                    continue;
                }
                let size = if is_part && (3..7).contains(&inside) { 1.0 } else { y[k].abs() };
                let e = factor * (y[k] - predicted[k]) / (rtol * size + atol);
                sum += e * e;
                n += 1;
            }
            (sum / f64::from(n.max(1))).sqrt()
        })
    }

    /// Walks from one time to another and hands every step to `each`.
    pub fn run(
        &mut self,
        walk: Walk,
        y0: &[f64],
        each: &mut EachStep<'_, 'm>,
    ) -> (StopReason, f64, Vec<f64>) {
        let Walk { ends: (from, to), tolerances, first, longest, limit } = walk;
        let span = to - from;
        let n_parts = self.mechanism.n_parts();
        let mut y = y0.to_vec();
        let failed =
            |t: f64, message: String| StopReason::SystemFailed { t, failure: Failure::fatal(message) };
        if let Err(e) = self.mechanism.accelerate(from, &y[..self.mechanism.n_states()]) {
            return (failed(from, e), from, y);
        }
        let largest = self.mechanism.acceleration.iter().fold(0.0f64, |m, x| m.max(x.abs()));
        let guess = 0.05 * (tolerances.0 + tolerances.1).powf(1.0 / 3.0) / (1.0 + largest).sqrt();
        let mut h = first.unwrap_or(guess).min(longest).min(span.abs());
        if let Err(e) = self.begin(from, &y, h.copysign(span)) {
            return (failed(from, e), from, y);
        }
        let mut t = from;
        let mut failures = 0;
        while (to - t).abs() > 1e-12 * span.abs() {
            if self.stats.accepted + self.stats.rejected >= limit {
                return (StopReason::TooManySteps { t, limit }, t, y);
            }
            let remaining = (to - t).abs();
            let step = if remaining < 1.01 * h { remaining } else { h };
            if step < 1e-14 * (1.0 + t.abs()) {
                return (StopReason::StepTooSmall { t, h: step, component: None }, t, y);
            }
            let next = if step == remaining { to } else { t + step.copysign(span) };
            let trial = match self.attempt(next, tolerances) {
                Err(e) => return (failed(t, e), t, y),
                Ok(trial) => trial,
            };
            match trial {
                Some(mut trial) if self.is_fixed || trial.errors[1] <= 1.0 => {
                    failures = 0;
                    self.stats.accepted += 1;
                    if self.index == Index::One {
                        let n = self.mechanism.n_states();
                        if let Err(e) = self.mechanism.project(next, &mut trial.y[..n]) {
                            return (failed(t, e), t, y);
                        }
                    }
                    self.lambda = trial.lambda;
                    let order = self.order;
                    self.history.push(next, trial.y.clone(), MAX_ORDER + 2);
                    let points = (order + 1).min(self.history.times.len());
                    let history = &self.history;
                    let inside = |t: f64| {
                        let mut y = history.at(points, t);
                        normalise(&mut y, n_parts);
                        y
                    };
                    let told = Step { times: [t, next], states: [&y, &trial.y], inside: &inside };
                    let goes_on = each(self.mechanism, &told);
                    if self.mechanism.measures() {
                        self.mechanism.measure(&trial.y, true);
                    }
                    (t, y) = (next, trial.y);
                    if !goes_on {
                        return (StopReason::StoppedByObserver, t, y);
                    }
                    if !self.is_fixed {
                        h = self.choose(step, trial.errors).min(longest);
                    }
                }
                Some(trial) => {
                    self.stats.rejected += 1;
                    failures += 1;
                    h = step * (0.8 * trial.errors[1].powf(-1.0 / (self.order + 1) as f64)).clamp(0.2, 0.9);
                    if failures > 2 {
                        self.restart_low();
                    }
                }
                None => {
                    self.stats.rejected += 1;
                    failures += 1;
                    h = 0.25 * step;
                    if failures > 2 {
                        self.restart_low();
                    }
                }
            }
        }
        (StopReason::ReachedEnd, to, y)
    }

    /// After failures in a row the past says little: a low order.
    fn restart_low(&mut self) {
        (self.order, self.settled) = (1, 0);
    }

    /// The next step, and with it the order that allows the longest.
    fn choose(&mut self, step: f64, errors: [f64; 3]) -> f64 {
        self.settled += 1;
        let factor = |j: usize, safety: f64| {
            let order = self.order + j - 1;
            (safety * errors[j]).max(1e-12).powf(-1.0 / (order + 1) as f64)
        };
        let here = factor(1, 2.0);
        let lower = if self.order > 1 { factor(0, 2.5) } else { 0.0 };
        let may_rise = self.settled > self.order && self.order < MAX_ORDER && errors[2].is_finite();
        let higher = if may_rise { factor(2, 3.0) } else { 0.0 };
        let best = here.max(lower).max(higher);
        if best > here {
            self.order = if best == lower { self.order - 1 } else { self.order + 1 };
            self.settled = 0;
        }
        // A step that stays the same keeps its factors.
        if best > 1.2 {
            step * best.min(2.0)
        } else if best < 1.0 {
            step * best.max(0.5)
        } else {
            step
        }
    }
}

/// Euler parameters to unit norm.
fn normalise(y: &mut [f64], n_parts: usize) {
    for p in 0..n_parts {
        let s = &mut y[STATE * p + 3..][..4];
        let e = g::normalised([s[0], s[1], s[2], s[3]]);
        s.copy_from_slice(&e);
    }
}

fn put_velocities(y: &mut [f64], v: &[f64]) {
    for (p, v) in v.chunks_exact(FREEDOMS).enumerate() {
        y[STATE * p + 7..][..FREEDOMS].copy_from_slice(v);
    }
}
