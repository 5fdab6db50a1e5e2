//! Error norm, first step size and step size control.
//!
//! ```text
//! [scale]        s_i = atol_i + rtol max(|y0_i|, |y1_i|)
//! [error-norm]   |e| = √( Σ (e_i / s_i)² / n )
//! [index-scale]  s_i / h^(m−1) for an algebraic unknown of index m (Hairer & Wanner II, VII.4)
//! [pi-control]   h_new = h · min(f_max, max(f_min, safety |e_n|^(−α) |e_{n−1}|^β))
//! ```
//!
//! A step is accepted when |e| ≤ 1. Hairer, Nørsett & Wanner, Solving ODEs I (2nd ed.), II.4, (4.10)–(4.14);
//! Hairer & Wanner, Solving ODEs II, IV.2 for the proportional-integral form (Gustafsson).

use crate::evaluate::{Evaluator, Trouble};
use crate::options::Absolute;

/// Relative and absolute tolerance together.
#[derive(Clone, Debug)]
pub(crate) struct Tolerance {
    pub(crate) rtol: f64,
    pub(crate) atol: Absolute,
}

impl Tolerance {
    /// The size of error in component `i` that counts as one. `[scale]`
    pub(crate) fn scale(&self, i: usize, y0: f64, y1: f64) -> f64 {
        // The smallest positive number keeps 0/0 away when a state and its tolerance are both zero.
        self.atol.at(i) + self.rtol * y0.abs().max(y1.abs()) + f64::MIN_POSITIVE
    }

    /// The scaled norm of `e`, a quantity at `y`. `[error-norm]`
    pub(crate) fn norm(&self, e: &[f64], y: &[f64]) -> f64 {
        let sum: f64 = e.iter().enumerate().map(|(i, e)| (e / self.scale(i, y[i], y[i])).powi(2)).sum();
        mean_root(sum, e.len())
    }

    /// The size of error that counts as one where component `i` has an index. `[index-scale]`
    pub(crate) fn scale_at(&self, i: usize, y: f64, h: f64, index: u8) -> f64 {
        self.scale(i, y, y) / h.abs().min(1.0).powi(i32::from(index.max(1)) - 1)
    }

    /// The scaled norm of `e` in a step of size `h` where components have indices. `[error-norm]`, `[index-scale]`
    pub(crate) fn norm_at(&self, e: &[f64], y: &[f64], h: f64, indices: &[u8]) -> f64 {
        let terms = (0..e.len()).map(|i| (e[i] / self.scale_at(i, y[i], h, indices[i])).powi(2));
        mean_root(terms.sum(), e.len())
    }

    /// The scaled norm for the error test of a multistep method, which unknowns of index 2 and 3 do not take part in: they do not
    /// enter the future of the others, and where they pass through zero their rounding alone would fail it. `[error-norm]`
    pub(crate) fn test_at(&self, e: &[f64], y: &[f64], h: f64, indices: &[u8]) -> f64 {
        let tested = (0..e.len()).filter(|i| indices[*i] < 2);
        let sum = tested.clone().map(|i| (e[i] / self.scale_at(i, y[i], h, indices[i])).powi(2)).sum();
        mean_root(sum, tested.count())
    }
}

/// √(sum / n), and 0 for n = 0.
pub(crate) fn mean_root(sum: f64, n: usize) -> f64 {
    if n == 0 { 0.0 } else { (sum / n as f64).sqrt() }
}

/// The index of the largest scaled error.
pub(crate) fn worst(tolerance: &Tolerance, e: &[f64], y: &[f64]) -> Option<usize> {
    let scaled = |i: usize| (e[i] / tolerance.scale(i, y[i], y[i])).abs();
    (0..e.len()).max_by(|&i, &j| scaled(i).total_cmp(&scaled(j)))
}

/// A first step size for a method of the given order, signed like `span`.
///
/// One Euler step estimates the second derivative; h is such that h^p max(|f|, |ÿ|) = 1/100.
/// Hairer, Nørsett & Wanner I, II.4 (Gladwell, Shampine & Brankin 1987).
pub(crate) fn first_step(
    evaluator: &mut Evaluator<'_>,
    tolerance: &Tolerance,
    order: i32,
    t: f64,
    y: &[f64],
    f0: &[f64],
    span: f64,
) -> Result<f64, Trouble> {
    if y.is_empty() {
        return Ok(span);
    }
    // What an algebraic unknown has in place of a slope is a residual.
    let slopes_only = |evaluator: &Evaluator<'_>, f: &mut [f64]| {
        (0..f.len()).filter(|i| !evaluator.is_differential(*i)).for_each(|i| f[i] = 0.0);
    };
    let mut f0 = f0.to_vec();
    slopes_only(evaluator, &mut f0);
    let (d0, d1) = (tolerance.norm(y, y), tolerance.norm(&f0, y));
    // A state at the level of its tolerance is as good as zero and says nothing about the scale of time.
    let mut h0 = if d0 < 1e3 || d1 < 1e-5 { 1e-6 } else { 0.01 * d0 / d1 };
    h0 = h0.min(span.abs());
    let mut y1 = vec![0.0; y.len()];
    let mut f1 = vec![0.0; y.len()];
    // The trial state may lie outside the domain of f: shorten a few times before giving up.
    for attempt in 0.. {
        for i in 0..y.len() {
            y1[i] = y[i] + h0.copysign(span) * f0[i];
        }
        match evaluator.derivative(t + h0.copysign(span), &y1, &mut f1) {
            Ok(()) => break,
            Err(trouble) if attempt == 8 || !trouble.recoverable() => return Err(trouble),
            Err(_) => h0 *= 0.1,
        }
    }
    slopes_only(evaluator, &mut f1);
    for i in 0..y.len() {
        f1[i] = (f1[i] - f0[i]) / h0;
    }
    let d2 = tolerance.norm(&f1, y);
    let steepest = d1.max(d2);
    let h1 = if steepest <= 1e-15 {
        (h0 * 1e-3).max(1e-6)
    } else {
        (0.01 / steepest).powf(1.0 / f64::from(order))
    };
    Ok(h1.min(100.0 * h0).min(span.abs()).copysign(span))
}

/// The proportional-integral controller of an explicit method. `[pi-control]`
#[derive(Clone, Debug)]
pub(crate) struct Controller {
    /// α + ¾β is one over the order of the error estimate.
    alpha: f64,
    beta: f64,
    least: f64,
    most: f64,
    previous: f64,
    rejected: bool,
}

const SAFETY: f64 = 0.9;

impl Controller {
    pub(crate) fn new(alpha: f64, beta: f64, least: f64, most: f64) -> Self {
        Controller { alpha, beta, least, most, previous: 1e-4, rejected: false }
    }

    /// Forgets the past.
    pub(crate) fn reset(&mut self) {
        self.previous = 1e-4;
        self.rejected = false;
    }

    /// The factor for the next step size after an accepted step with scaled error `error`.
    pub(crate) fn accepted(&mut self, error: f64) -> f64 {
        let wanted = if error == 0.0 {
            self.most
        } else {
            let before = if self.beta == 0.0 { 1.0 } else { self.previous.powf(self.beta) };
            SAFETY * error.powf(-self.alpha) * before
        };
        let most = if self.rejected { 1.0 } else { self.most };
        self.previous = error.max(1e-4);
        self.rejected = false;
        wanted.clamp(self.least, most)
    }

    /// The factor with which to repeat a step whose scaled error `error` is above one.
    pub(crate) fn rejected(&mut self, error: f64) -> f64 {
        self.rejected = true;
        (SAFETY * error.powf(-self.alpha)).max(self.least)
    }
}
