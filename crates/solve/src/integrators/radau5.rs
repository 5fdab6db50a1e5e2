//! Radau IIA, three stages, order 5, implicit and L-stable: the method for stiff problems.
//!
//! Collocation at c = ((4 − √6)/10, (4 + √6)/10, 1). With z_i the stage states minus y, the equations are
//! (A⁻¹ ⊗ B) Z = h F(Z) for B ẏ = f(t, y). The similarity T⁻¹ A⁻¹ T = diag(γ, [α −β; β α]) splits simplified Newton into one real and one
//! complex system of the size of y:
//!
//! ```text
//! [newton]       (h⁻¹Λ ⊗ B − 1 ⊗ J) ΔW = (T⁻¹ ⊗ 1) F(Z) − (h⁻¹Λ ⊗ B) W,     Z = (T ⊗ 1) W
//! [error]        e = (γ/h B − J)⁻¹ (f(t, y) + B (e₁z₁ + e₂z₂ + e₃z₃)/h)
//! [refiltered]   e = (γ/h B − J)⁻¹ (f(t, y + e) + B (e₁z₁ + e₂z₂ + e₃z₃)/h)
//! [quartic]      y(t + θh) = u(θ) + κ w(θ),   w' = (θ − c₁)(θ − c₂)(θ − 1),   κ so that y' begins with the slope that the last step ended with
//! [predictive]   h_new = h safety |e|^(−1/4) · (h/h_old) (|e_old|/|e|)^(1/4), if smaller than without the last factors
//! ```
//!
//! The estimate is of order 3 and the method of order 5, so the tolerance is first translated as in the authors' program:
//! rtol' = 0.1 rtol^(2/3), atol' = rtol' atol/rtol; a component with an atol that is m times as large as the least one has the rtol m times as large
//! in this. Hairer & Wanner, Solving ODEs II (2nd ed. 1996), IV.8:
//! (8.3)–(8.4) transformation, (8.10) stopping, (8.19)–(8.20) error, (8.25) predictive control. The collocation
//! polynomial u, of degree 3, continued beyond its step, starts Newton's iteration in the next one. Dense output has one degree more: the nodes are those of
//! a quadrature, so w(1) = 0 and w' vanishes at them, and one more slope raises the order by one without touching what was collocated. That slope is the one
//! of the last polynomial, not f itself, which amplifies errors of a stiff component.

#![allow(clippy::excessive_precision)] // Constants with two guard digits.

use crate::control::{Tolerance, mean_root, worst};
use crate::evaluate::{Evaluator, Trouble};
use crate::linear::{ComplexLu, Lu, Matrix, spectral_radius, spectral_radius_bound};
use crate::options::{Absolute, Method};
use crate::stepper::{Stepper, Verdict};
use crate::stiffness::CALM;

/// √6.
const S6: f64 = 2.449_489_742_783_178;
pub(crate) const C: [f64; 3] = [(4.0 - S6) / 10.0, (4.0 + S6) / 10.0, 1.0];

/// The eigenvalues γ and α ± iβ of A⁻¹: 3 + ∛9 − ∛3, 3 + (∛3 − ∛9)/2, (3^(5/6) + 3^(7/6))/2.
pub(crate) const GAMMA: f64 = 3.637_834_252_744_495_732;
pub(crate) const ALPHA: f64 = 2.681_082_873_627_752_134;
pub(crate) const BETA: f64 = 3.050_430_199_247_410_569;

/// Columns: the real eigenvector, real and imaginary part of that of α − iβ, scaled to last row (1, 1, 0).
#[rustfmt::skip]
pub(crate) const T: [[f64; 3]; 3] = [
    [0.094_438_762_488_975_241_5, -0.141_255_295_020_954_208_4, -0.030_029_194_105_147_424_5],
    [0.250_213_122_965_333_311_4,  0.204_129_352_293_799_932_0,  0.382_942_112_757_261_937_8],
    [1.0,                          1.0,                          0.0                        ],
];
#[rustfmt::skip]
pub(crate) const T_INVERSE: [[f64; 3]; 3] = [
    [ 4.178_718_591_551_904_727,  0.327_682_820_761_062_387,  0.523_376_445_499_449_548],
    [-4.178_718_591_551_904_727, -0.327_682_820_761_062_387,  0.476_623_554_500_550_452],
    [-0.502_872_634_945_786_876,  2.571_926_949_855_605_429, -0.596_039_204_828_224_925],
];

/// e₁, e₂, e₃ of the error estimate.
const E: [f64; 3] = [-(13.0 + 7.0 * S6) / 3.0, (-13.0 + 7.0 * S6) / 3.0, -1.0 / 3.0];

const MAX_ITERATIONS: usize = 7;
const SAFETY: f64 = 0.9;
/// The step size may fall to this fraction and rise to this multiple in one step.
const LEAST: f64 = 1.0 / 5.0;
const MOST: f64 = 8.0;
/// Newton converging faster than this keeps the Jacobian for the next step.
const KEEP_JACOBIAN: f64 = 1e-3;
/// A proposed growth up to this factor is not worth a new factorisation.
const KEEP_STEP: f64 = 1.2;

/// The factorised Newton matrices for one step size.
#[derive(Clone)]
struct Factors {
    h: f64,
    real: Lu,
    complex: ComplexLu,
}

/// How Newton's iteration ended.
enum Newton {
    /// With this many iterations and this last rate of convergence.
    Converged { iterations: usize, rate: f64 },
    /// Repeat with the step size times this.
    Diverged { factor: f64 },
}

/// A slope may bend the collocation polynomial by this part of its own last coefficient. [quartic]
const MOST_BEND: f64 = 0.1;

/// The working memory of the method.
#[derive(Clone)]
pub(crate) struct Radau5 {
    tolerance: Tolerance,
    slope: Vec<f64>,
    end_slope: Vec<f64>,
    end: Vec<f64>,
    jacobian: Matrix,
    /// Whether the Jacobian exists, and whether it belongs to the beginning of this very step.
    has_jacobian: bool,
    jacobian_is_fresh: bool,
    factors: Option<Factors>,
    z: [Vec<f64>; 3],
    w: [Vec<f64>; 3],
    f: [Vec<f64>; 3],
    trial: Vec<f64>,
    error: Vec<f64>,
    /// Divided differences of the collocation polynomial, from the end backward, and its step size.
    dense: [Vec<f64>; 4],
    dense_h: Option<f64>,
    /// What the slope at the beginning adds to it. [quartic]
    bend: Vec<f64>,
    /// Step size and error of the last accepted step, for predictive control.
    last: Option<(f64, f64)>,
    last_was_rejected: bool,
    /// η = θ/(1 − θ) of the last rate of convergence θ: the remaining error in units of the last correction.
    eta: f64,
    h: f64,
    radius: Option<f64>,
    radius_bound: Option<f64>,
}

impl Radau5 {
    pub(crate) fn new(n: usize, tolerance: &Tolerance) -> Self {
        let zeros = || vec![0.0; n];
        let three = || std::array::from_fn(|_| vec![0.0; n]);
        Radau5 {
            tolerance: translated(tolerance),
            slope: zeros(),
            end_slope: zeros(),
            end: zeros(),
            jacobian: Matrix::zeros(n, n),
            has_jacobian: false,
            jacobian_is_fresh: false,
            factors: None,
            z: three(),
            w: three(),
            f: three(),
            trial: zeros(),
            error: zeros(),
            dense: std::array::from_fn(|_| zeros()),
            dense_h: None,
            bend: zeros(),
            last: None,
            last_was_rejected: false,
            eta: 1.0,
            h: 0.0,
            radius: None,
            radius_bound: None,
        }
    }

    /// Makes Jacobian and factors current for step size `h`; `false` when the matrices are singular.
    fn factorise(
        &mut self,
        evaluator: &mut Evaluator<'_>,
        t: f64,
        y: &[f64],
        h: f64,
    ) -> Result<bool, Trouble> {
        if !self.has_jacobian {
            evaluator.jacobian(t, y, Some(&self.slope), &mut self.jacobian)?;
            self.has_jacobian = true;
            self.jacobian_is_fresh = true;
            self.factors = None;
            (self.radius, self.radius_bound) = (None, None);
        }
        if self.factors.as_ref().is_none_or(|f| f.h != h) {
            evaluator.stats.factorisations += 1;
            let differential = |i: usize| evaluator.is_differential(i);
            let real = Lu::pencil(&self.jacobian, GAMMA / h, differential);
            let complex = ComplexLu::pencil(&self.jacobian, ALPHA / h, BETA / h, differential);
            self.factors = real.zip(complex).map(|(real, complex)| Factors { h, real, complex });
        }
        Ok(self.factors.is_some())
    }

    /// Starting values: the last collocation polynomial continued, or zero.
    fn predict(&mut self, y: &[f64], h: f64) {
        match self.dense_h {
            Some(dense_h) => {
                for s in 0..3 {
                    let mut z = std::mem::take(&mut self.z[s]);
                    self.collocated(1.0 + C[s] * h / dense_h, &mut z);
                    for (z, y) in z.iter_mut().zip(y) {
                        *z -= y;
                    }
                    self.z[s] = z;
                }
                let [z0, z1, z2] = &self.z;
                for (w, row) in self.w.iter_mut().zip(&T_INVERSE) {
                    transform(row, [z0, z1, z2], w);
                }
            }
            None => {
                for s in 0..3 {
                    self.z[s].fill(0.0);
                    self.w[s].fill(0.0);
                }
            }
        }
    }

    /// Simplified Newton for Z. `[newton]`
    fn newton(
        &mut self,
        evaluator: &mut Evaluator<'_>,
        t: f64,
        y: &[f64],
        h: f64,
    ) -> Result<Newton, Trouble> {
        let n = y.len();
        let rtol = if self.tolerance.rtol > 0.0 { self.tolerance.rtol } else { 1e-6 };
        let small = (10.0 * f64::EPSILON / rtol).max(rtol.sqrt().min(0.03));
        self.eta = self.eta.max(f64::EPSILON).powf(0.8);
        let (mut last_size, mut last_ratio, mut rate) = (0.0, 0.0, KEEP_JACOBIAN);
        for iteration in 1..=MAX_ITERATIONS {
            evaluator.stats.newton_iterations += 1;
            for s in 0..3 {
                for i in 0..n {
                    self.trial[i] = y[i] + self.z[s][i];
                }
                evaluator.derivative(t + C[s] * h, &self.trial, &mut self.f[s])?;
            }
            let size = self.newton_step(y, h, &evaluator.indices);
            if !size.is_finite() {
                return Ok(Newton::Diverged { factor: 0.5 });
            }
            if iteration > 1 {
                let ratio = size / last_size;
                rate = if iteration == 2 { ratio } else { (ratio * last_ratio).sqrt() };
                last_ratio = ratio;
                if rate >= 0.99 {
                    return Ok(Newton::Diverged { factor: 0.5 });
                }
                self.eta = rate / (1.0 - rate);
                let left = (MAX_ITERATIONS - iteration) as i32;
                let predicted = self.eta * size * rate.powi(left) / small;
                if predicted >= 1.0 {
                    let predicted = predicted.clamp(1e-4, 20.0);
                    let factor = 0.8 * predicted.powf(-1.0 / f64::from(4 + left));
                    return Ok(Newton::Diverged { factor });
                }
            }
            last_size = size.max(f64::EPSILON);
            if self.eta * size <= small {
                return Ok(Newton::Converged { iterations: iteration, rate });
            }
        }
        Ok(Newton::Diverged { factor: 0.5 })
    }

    /// One correction of W and Z from the slopes in `f`; the scaled norm of ΔW.
    fn newton_step(&mut self, y: &[f64], h: f64, indices: &[u8]) -> f64 {
        let n = y.len();
        let Some(factors) = &mut self.factors else { return f64::NAN };
        let (gamma, alpha, beta) = (GAMMA / h, ALPHA / h, BETA / h);
        for i in 0..n {
            let f = [self.f[0][i], self.f[1][i], self.f[2][i]];
            let w = [self.w[0][i], self.w[1][i], self.w[2][i]];
            let g = T_INVERSE.map(|row| row[0] * f[0] + row[1] * f[1] + row[2] * f[2]);
            if indices[i] > 0 {
                (self.f[0][i], self.f[1][i], self.f[2][i]) = (g[0], g[1], g[2]);
                continue;
            }
            self.f[0][i] = g[0] - gamma * w[0];
            self.f[1][i] = g[1] - (alpha * w[1] - beta * w[2]);
            self.f[2][i] = g[2] - (beta * w[1] + alpha * w[2]);
        }
        let [f0, f1, f2] = &mut self.f;
        factors.real.solve(f0);
        factors.complex.solve(f1, f2);
        let mut sum = 0.0;
        for i in 0..n {
            let scale = self.tolerance.scale_at(i, y[i], h, indices[i]);
            for s in 0..3 {
                sum += (self.f[s][i] / scale).powi(2);
                self.w[s][i] += self.f[s][i];
            }
        }
        let [w0, w1, w2] = &self.w;
        for (z, row) in self.z.iter_mut().zip(&T) {
            transform(row, [w0, w1, w2], z);
        }
        mean_root(sum, 3 * n)
    }

    /// The scaled error of the step. `[error]`, `[refiltered]`
    fn error(&mut self, evaluator: &mut Evaluator<'_>, t: f64, y: &[f64], h: f64) -> Result<f64, Trouble> {
        let n = y.len();
        let Some(factors) = &self.factors else { return Ok(f64::NAN) };
        let size = |e: &[f64], indices: &[u8]| self.tolerance.norm_at(e, y, h, indices).max(1e-10);
        // The part from Z is kept in w[0], which is not needed any more in this step.
        for i in 0..n {
            let part = (E[0] * self.z[0][i] + E[1] * self.z[1][i] + E[2] * self.z[2][i]) / h;
            self.w[0][i] = if evaluator.is_differential(i) { part } else { 0.0 };
            self.error[i] = self.slope[i] + self.w[0][i];
        }
        factors.real.solve(&mut self.error);
        let error = size(&self.error, &evaluator.indices);
        if error >= 1.0 && (self.last.is_none() || self.last_was_rejected) {
            for i in 0..n {
                self.trial[i] = y[i] + self.error[i];
            }
            evaluator.derivative(t, &self.trial, &mut self.error)?;
            for i in 0..n {
                self.error[i] += self.w[0][i];
            }
            factors.real.solve(&mut self.error);
            return Ok(size(&self.error, &evaluator.indices));
        }
        Ok(error)
    }

    /// The collocation polynomial at the fraction `theta` of the step.
    fn collocated(&self, theta: f64, out: &mut [f64]) {
        let s = theta - 1.0;
        let [d0, d1, d2, d3] = &self.dense;
        for i in 0..out.len() {
            out[i] = d0[i] + s * (d1[i] + (s - (C[1] - 1.0)) * (d2[i] + (s - (C[0] - 1.0)) * d3[i]));
        }
    }

    /// The divided differences of the collocation polynomial, and what the slope with which the last one ended adds to it. [quartic]
    fn collocation_polynomial(&mut self, h: f64) {
        let (c1, c2) = (C[0], C[1]);
        let before = self.dense_h;
        for i in 0..self.end.len() {
            let (z1, z2, z3) = (self.z[0][i], self.z[1][i], self.z[2][i]);
            let d1 = (z2 - z3) / (c2 - 1.0);
            let middle = (z1 - z2) / (c1 - c2);
            let first = z1 / c1;
            let d2 = (middle - d1) / (c1 - 1.0);
            let d3 = d2 - (middle - first) / c2;
            self.bend[i] = before.map_or(0.0, |before| {
                let [_, p1, p2, p3] = [0, 1, 2, 3].map(|k| self.dense[k][i]);
                let known = (p1 + (1.0 - c2) * (p2 + (1.0 - c1) * p3)) * h / before;
                let found = first - c1 * (middle - first) / c2 + c1 * c2 * d3;
                let bend = (found - known) / (c1 * c2);
                // A slope that says much is the error of a stiff component.
                if bend.abs() <= MOST_BEND * d3.abs() { bend } else { 0.0 }
            });
            self.dense[0][i] = self.end[i];
            self.dense[1][i] = d1;
            self.dense[2][i] = d2;
            self.dense[3][i] = d3;
        }
        self.dense_h = Some(h);
    }

    /// A rejection: the Jacobian is renewed unless it already belongs to this step.
    fn reject(&mut self, next: f64, component: Option<usize>) -> Verdict {
        self.last_was_rejected = true;
        if !self.jacobian_is_fresh {
            self.has_jacobian = false;
        }
        Verdict::Rejected { next, component }
    }
}

/// row · (v₁, v₂, v₃) into `out`.
fn transform(row: &[f64; 3], v: [&Vec<f64>; 3], out: &mut [f64]) {
    for (i, o) in out.iter_mut().enumerate() {
        *o = row[0] * v[0][i] + row[1] * v[1][i] + row[2] * v[2][i];
    }
}

/// The tolerance for an estimate of order 3 that makes the error of the method of order 5 follow the one asked for.
fn translated(tolerance: &Tolerance) -> Tolerance {
    if tolerance.rtol == 0.0 {
        return tolerance.clone();
    }
    let looser = |tolerance: f64| 0.1 * tolerance.powf(-1.0 / 3.0);
    let ratio = looser(tolerance.rtol);
    let atol = match &tolerance.atol {
        Absolute::Uniform(a) => Absolute::Uniform(a * ratio),
        Absolute::Each(a) => {
            let least = a.iter().copied().fold(f64::INFINITY, f64::min);
            let ratio = |a: f64| {
                if least > 0.0 { looser(tolerance.rtol * a / least).max(1.0).min(ratio) } else { ratio }
            };
            Absolute::Each(a.iter().map(|a| a * ratio(*a)).collect())
        }
    };
    Tolerance { rtol: tolerance.rtol * ratio, atol }
}

impl Stepper for Radau5 {
    fn method(&self) -> Method {
        Method::Radau5
    }

    fn first_step_order(&self) -> Option<i32> {
        Some(4)
    }

    fn start(&mut self, evaluator: &mut Evaluator<'_>, t: f64, y: &[f64]) -> Result<(), Trouble> {
        self.has_jacobian = false;
        self.factors = None;
        self.dense_h = None;
        self.last = None;
        self.last_was_rejected = false;
        self.eta = 1.0;
        evaluator.derivative(t, y, &mut self.slope)
    }

    fn slope(&self) -> &[f64] {
        &self.slope
    }

    fn attempt(
        &mut self,
        evaluator: &mut Evaluator<'_>,
        t: f64,
        y: &[f64],
        h: f64,
    ) -> Result<Verdict, Trouble> {
        if !self.factorise(evaluator, t, y, h)? {
            return Ok(self.reject(0.5 * h, None));
        }
        self.predict(y, h);
        let (iterations, rate) = match self.newton(evaluator, t, y, h)? {
            Newton::Converged { iterations, rate } => (iterations, rate),
            Newton::Diverged { factor } => return Ok(self.reject(factor * h, None)),
        };
        let error = self.error(evaluator, t, y, h)?;
        if error.is_nan() {
            return Ok(self.reject(0.5 * h, None));
        }
        let m = MAX_ITERATIONS as f64;
        let safety = SAFETY * (2.0 * m + 1.0) / (2.0 * m + iterations as f64);
        let mut factor = (safety.min(SAFETY) * error.powf(-0.25)).clamp(LEAST, MOST);
        if error >= 1.0 {
            let component = worst(&self.tolerance, &self.error, y);
            let factor = if self.last.is_none() { 0.1 } else { factor };
            return Ok(self.reject(factor * h, component));
        }
        if let Some((last_h, last_error)) = self.last {
            let predictive = SAFETY * (h / last_h).abs() * (last_error / (error * error)).powf(0.25);
            factor = factor.min(predictive.clamp(LEAST, MOST)); // [predictive]
        }
        if self.last_was_rejected {
            factor = factor.min(1.0);
        }
        for i in 0..y.len() {
            self.end[i] = y[i] + self.z[2][i];
        }
        evaluator.derivative(t + h, &self.end, &mut self.end_slope)?;
        self.h = h;
        self.last = Some((h, error.max(1e-2)));
        self.last_was_rejected = false;
        self.collocation_polynomial(h);
        let keep_jacobian = rate <= KEEP_JACOBIAN;
        if keep_jacobian && (1.0..=KEEP_STEP).contains(&factor) {
            factor = 1.0;
        }
        self.has_jacobian = keep_jacobian;
        self.jacobian_is_fresh = false;
        Ok(Verdict::Accepted { next: factor * h })
    }

    fn end(&self) -> &[f64] {
        &self.end
    }

    fn prepare_dense(&mut self, _: &mut Evaluator<'_>, _: f64, _: &[f64], _: f64) -> Result<(), Trouble> {
        Ok(())
    }

    fn interpolate(&self, theta: f64, out: &mut [f64]) {
        self.collocated(theta, out);
        let bend = theta * (-0.1 + theta * (0.45 + theta * (-0.6 + theta * 0.25)));
        out.iter_mut().zip(&self.bend).for_each(|(out, b)| *out += b * bend); // [quartic]
    }

    fn advance(&mut self, slope: Option<&[f64]>) {
        match slope {
            Some(slope) => self.slope.copy_from_slice(slope),
            None => std::mem::swap(&mut self.slope, &mut self.end_slope),
        }
    }

    fn copy(&self) -> Option<Box<dyn Stepper>> {
        Some(Box::new(self.clone()))
    }

    fn h_lambda(&mut self) -> Option<f64> {
        // Eigenvalues cost more than a step; a bound that is not calm tells as much.
        let bound =
            self.h.abs() * *self.radius_bound.get_or_insert_with(|| spectral_radius_bound(&self.jacobian));
        if bound >= CALM {
            return Some(bound);
        }
        if self.radius.is_none() {
            self.radius = spectral_radius(&self.jacobian).ok();
        }
        self.radius.map(|radius| self.h.abs() * radius)
    }
}
