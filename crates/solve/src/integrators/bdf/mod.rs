//! Backward differentiation formulas of order 1 to 6 with variable steps, for stiff problems and for equations with algebraic
//! unknowns, B ẏ = f(t, y).
//!
//! ```text
//! [bdf]          B (ẏ⁰ + c (y − y⁰)) = f(t_{n+1}, y)       y⁰, ẏ⁰, c from the history
//! [bdf-newton]   (c B − J) Δ = f(t_{n+1}, y) − B (ẏ⁰ + c (y − y⁰)),    y ← y + Δ · 2/(1 + c/c_J)
//! [terms]        T_j = (j + 1) E_j,  E_j = σ_j |φ_{j+1}|     the error of a step of order j
//! [lower]        T_{k−2}, T_{k−1} ≤ T_k
//! [raise]        T_{k+1} < T_k, after k + 2 equal steps, if stable with twice the step
//! [anew]         after three failures: φ_1 = h f(t_n, y_n), order 1
//! [size]         h_new = h r,  r = (2 E + 10⁻⁴)^(−1/(k+1)): 2 when r ≥ 2, 0.5 … 0.9 when r ≤ 1, else 1
//! ```
//!
//! Differences of values that have an error of rounding do not become smaller with the step. Projections leave none in them (see `history`); equations with
//! algebraic unknowns, whose constraints Newton's iteration meets itself, do. So after two failures in a row, and where nothing but the lowest order
//! is left, the rounding of a state on its constraints is measured, and no component is asked for more digits than that (see `roundoff_tolerance`). After three failures
//! the past is forgotten [anew], and the slope alone predicts.
//!
//! One factorisation serves as long as c stays within a quarter of the c_J it was made for. The terms of a smooth solution
//! decrease with the order; those of one that a formula of high order makes oscillate do not, and the order falls. Before the order
//! rises to 3 and beyond, where formulas are unstable along the imaginary axis, the spectrum of the problem is asked (module
//! `stability`). Brenan, Campbell & Petzold 1996, 5.2 and 5.3; the constants are theirs.

pub(crate) mod history;
pub(crate) mod stability;

use crate::bdf::history::{Coefficients, History, MAX_ORDER};
use crate::control::{Tolerance, worst};
use crate::evaluate::{Evaluator, Trouble};
use crate::linear::{Lu, Matrix};
use crate::options::Method;
use crate::roundoff_tolerance;
use crate::stepper::{Stepper, Verdict};

const MAX_ITERATIONS: usize = 4;
/// Newton stops when the remaining error is this fraction of the tolerance.
const NEWTON_TOLERANCE: f64 = 0.1;
/// Slower convergence than this is none.
const SLOWEST: f64 = 0.9;
/// Corrections that no longer become smaller are rounding if they are this fraction of the tolerance.
const ROUNDING_LEVEL: f64 = 0.03;
/// So many failures in a row raise the question what rounding allows.
const DOUBT: u32 = 2;
/// Where the order has fallen to the lowest one, it is raised again after so many steps.
const DOUBT_AGAIN: u32 = 50;
/// So many failures in a row say that the past is no guide. [anew]
const FORGET: u32 = 3;
/// The factorisation is renewed when c/c_J leaves 1 ± this.
const KEEP_FACTORS: f64 = 0.25;
/// Two step sizes that differ by less than this fraction are equal: the end of a step is rounded.
const SAME_STEP: f64 = 1e-6;

/// The factorised Newton matrix and the c it was made for.
#[derive(Clone)]
struct Factors {
    leading: f64,
    lu: Lu,
}

/// The scaled errors of the orders around k. [terms]
#[derive(Clone, Copy, Debug, Default)]
struct Errors {
    same: f64,
    lower: f64,
    /// Whether the next step (or attempt) should be of lower order.
    fall: bool,
}

/// The working memory of the method.
#[derive(Clone)]
pub(crate) struct Bdf {
    /// The tolerance that is asked for, and the one that rounding leaves of it.
    asked: Tolerance,
    tolerance: Tolerance,
    /// Steps since that was measured.
    measured: u32,
    max_order: usize,
    slope: Vec<f64>,
    history: History,
    /// Nothing is known yet but value and slope at the start.
    fresh: bool,
    /// The order of the next step, and order and size of the last one.
    order: usize,
    last_order: usize,
    last_h: f64,
    /// Steps of the same size and order, the next included.
    equal_steps: usize,
    /// Order and step size grow together until the first sign against it.
    ramp: bool,
    failures: u32,
    jacobian: Matrix,
    has_jacobian: bool,
    jacobian_is_fresh: bool,
    factors: Option<Factors>,
    /// η = θ/(1 − θ) of the last rate of convergence θ.
    eta: f64,
    predicted: Vec<f64>,
    predicted_slope: Vec<f64>,
    end: Vec<f64>,
    correction: Vec<f64>,
    work: Vec<f64>,
    /// The highest order that the spectrum of the current Jacobian allows, for the step size it was found for.
    allowed: Option<(usize, f64)>,
    /// Tests of a single formula: neither error test nor change of order and size.
    #[cfg(test)]
    locked: bool,
}

impl Bdf {
    pub(crate) fn new(n: usize, tolerance: &Tolerance, max_order: usize) -> Self {
        let zeros = || vec![0.0; n];
        Bdf {
            asked: tolerance.clone(),
            tolerance: tolerance.clone(),
            measured: 0,
            max_order: max_order.clamp(1, MAX_ORDER),
            slope: zeros(),
            history: History::new(n),
            fresh: true,
            order: 1,
            last_order: 0,
            last_h: 0.0,
            equal_steps: 0,
            ramp: true,
            failures: 0,
            jacobian: Matrix::zeros(n, n),
            has_jacobian: false,
            jacobian_is_fresh: false,
            factors: None,
            eta: 20.0,
            predicted: zeros(),
            predicted_slope: zeros(),
            end: zeros(),
            correction: zeros(),
            work: zeros(),
            allowed: None,
            #[cfg(test)]
            locked: false,
        }
    }

    /// Makes the factors fit for the leading coefficient `c`; `false` when the matrix is singular.
    fn factorise(&mut self, evaluator: &mut Evaluator<'_>, t: f64, c: f64) -> Result<bool, Trouble> {
        if !self.has_jacobian {
            evaluator.jacobian(t, &self.predicted, None, &mut self.jacobian)?;
            (self.has_jacobian, self.jacobian_is_fresh) = (true, true);
            self.factors = None;
            self.allowed = None;
        }
        let fits = |f: &Factors| (c / f.leading - 1.0).abs() <= KEEP_FACTORS;
        if !self.factors.as_ref().is_some_and(fits) {
            evaluator.stats.factorisations += 1;
            let lu = Lu::pencil(&self.jacobian, c, |i| evaluator.is_differential(i));
            self.factors = lu.map(|lu| Factors { leading: c, lu });
            self.eta = 20.0;
        }
        Ok(self.factors.is_some())
    }

    /// Newton's iteration from the predicted state; whether it converged. [bdf-newton]
    fn newton(
        &mut self,
        evaluator: &mut Evaluator<'_>,
        t: f64,
        y: &[f64],
        h: f64,
        c: &Coefficients,
    ) -> Result<bool, Trouble> {
        let Some(factors) = &self.factors else { return Ok(false) };
        let relax = 2.0 / (1.0 + c.leading / factors.leading);
        self.correction.fill(0.0);
        self.end.copy_from_slice(&self.predicted);
        let mut first = 0.0;
        for iteration in 0..MAX_ITERATIONS {
            evaluator.stats.newton_iterations += 1;
            evaluator.derivative(t, &self.end, &mut self.work)?;
            for i in 0..y.len() {
                if evaluator.is_differential(i) {
                    self.work[i] -= self.predicted_slope[i] + c.leading * self.correction[i];
                }
            }
            factors.lu.solve(&mut self.work);
            for i in 0..y.len() {
                self.work[i] *= relax;
                self.correction[i] += self.work[i];
                self.end[i] = self.predicted[i] + self.correction[i];
            }
            let size = self.tolerance.norm_at(&self.work, y, h, &evaluator.indices);
            if !size.is_finite() {
                return Ok(false);
            }
            if iteration == 0 {
                first = size;
                if size <= 1e-4 * NEWTON_TOLERANCE {
                    return Ok(true);
                }
            } else {
                let rate = (size / first).powf(1.0 / iteration as f64);
                if rate > SLOWEST {
                    return Ok(size <= ROUNDING_LEVEL);
                }
                self.eta = rate / (1.0 - rate);
            }
            if self.eta * size <= NEWTON_TOLERANCE {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Factors and Newton's iteration, with a new Jacobian if an old one does not do.
    fn solve(
        &mut self,
        evaluator: &mut Evaluator<'_>,
        t: f64,
        y: &[f64],
        h: f64,
        c: &Coefficients,
    ) -> Result<bool, Trouble> {
        loop {
            if self.factorise(evaluator, t, c.leading)? && self.newton(evaluator, t, y, h, c)? {
                return Ok(true);
            }
            let exact = self.factors.as_ref().is_some_and(|f| f.leading == c.leading);
            if self.jacobian_is_fresh && exact {
                return Ok(false);
            }
            self.has_jacobian = self.jacobian_is_fresh;
            self.factors = None;
        }
    }

    /// The errors of this order and of the lower ones. [terms], [lower]
    fn errors(&mut self, indices: &[u8], y: &[f64], h: f64, c: &Coefficients) -> Errors {
        let k = c.order;
        let same = c.sigma[k] * self.tolerance.test_at(&self.correction, y, h, indices);
        let mut errors = Errors { same, ..Errors::default() };
        if k > 1 {
            let term = (k + 1) as f64 * same;
            let mut size = |down: usize| {
                self.history.lower_difference(c, &self.correction, down, &mut self.work);
                c.sigma[k - down] * self.tolerance.test_at(&self.work, y, h, indices)
            };
            errors.lower = size(1);
            let lower_term = k as f64 * errors.lower;
            errors.fall = if k > 2 {
                lower_term.max((k - 1) as f64 * size(2)) <= term
            } else {
                lower_term <= 0.5 * term
            };
        }
        errors
    }

    /// Step size and order after a step with too large an error.
    fn too_inaccurate(&mut self, h: f64, errors: Errors, component: Option<usize>) -> Verdict {
        self.failures += 1;
        self.ramp = false;
        let factor = if self.failures == 1 {
            let (order, error) =
                if errors.fall { (self.order - 1, errors.lower) } else { (self.order, errors.same) };
            self.order = order;
            (0.9 * (2.0 * error + 1e-4).powf(-1.0 / (order + 1) as f64)).clamp(0.25, 0.9)
        } else {
            self.order = if self.failures == 2 && errors.fall { self.order - 1 } else { self.order };
            0.25
        };
        Verdict::Rejected { next: factor * h, component }
    }

    /// Order and step size after an accepted step. [raise], [size]
    fn choose(
        &mut self,
        evaluator: &Evaluator<'_>,
        y: &[f64],
        h: f64,
        c: &Coefficients,
        errors: Errors,
    ) -> f64 {
        let k = c.order;
        let just_raised = k == self.last_order + 1;
        if errors.fall || k == self.max_order {
            self.ramp = false;
        }
        if self.ramp {
            if self.allows(evaluator, k + 1, 2.0 * h) {
                self.order = k + 1;
                return 2.0 * h;
            }
            self.ramp = false;
        }
        let mut error = errors.same;
        if errors.fall {
            (self.order, error) = (k - 1, errors.lower);
        } else if k < self.max_order && k + 1 < self.equal_steps && !just_raised {
            self.history.higher_difference(c, &self.correction, &mut self.work);
            let higher = self.tolerance.test_at(&self.work, y, h, &evaluator.indices) / (k + 2) as f64;
            let terms = (k as f64 * errors.lower, (k + 1) as f64 * errors.same, (k + 2) as f64 * higher);
            if k > 1 && terms.0 <= terms.1.min(terms.2) {
                (self.order, error) = (k - 1, errors.lower);
            } else if terms.2 < if k == 1 { 0.5 * terms.1 } else { terms.1 }
                && self.allows(evaluator, k + 1, 2.0 * h)
            {
                (self.order, error) = (k + 1, higher);
            }
        }
        let factor = growth(error, self.order);
        if factor > 1.0 && !self.allows(evaluator, self.order, factor * h) {
            // Stability holds the step back: the formulas below may do with a longer one, and sooner or later will.
            let lower = growth(errors.lower, k - 1);
            if self.order == k && lower >= 1.0 {
                self.order = k - 1;
                let stable = self.allows(evaluator, k - 1, lower * h);
                return if stable { lower * h } else { h };
            }
            return h;
        }
        factor * h
    }

    /// Forgets the past: only the value and the slope are known. [anew]
    fn forget(&mut self, evaluator: &mut Evaluator<'_>, t: f64, y: &[f64]) -> Result<(), Trouble> {
        (self.fresh, self.ramp) = (true, true);
        (self.order, self.last_order, self.last_h) = (1, 0, 0.0);
        (self.equal_steps, self.failures) = (0, 0);
        evaluator.derivative(t, y, &mut self.slope)?;
        for i in (0..y.len()).filter(|i| !evaluator.is_differential(*i)) {
            self.slope[i] = 0.0;
        }
        Ok(())
    }

    /// Looks what rounding leaves of the tolerance, where there is reason to.
    fn measure(&mut self, evaluator: &mut Evaluator<'_>, t: f64, y: &[f64]) -> Result<(), Trouble> {
        let is_lowest = self.order == 1 && !self.ramp && !self.fresh;
        if self.failures == DOUBT || is_lowest && self.measured >= DOUBT_AGAIN {
            self.tolerance = roundoff_tolerance::attainable(evaluator, &self.asked, t, y)?;
            self.measured = 0;
        }
        self.measured = self.measured.saturating_add(1);
        Ok(())
    }

    /// Whether the formula of this order is stable for the problem at step size `h`.
    fn allows(&mut self, evaluator: &Evaluator<'_>, order: usize, h: f64) -> bool {
        if order <= 2 {
            return true;
        }
        let current = self.allowed.filter(|(_, for_h)| (h / for_h - 1.0).abs() <= KEEP_FACTORS);
        let highest = match (current, &self.factors) {
            (Some((highest, _)), _) => highest,
            (None, Some(factors)) => {
                let spectrum = stability::spectrum(
                    &factors.lu,
                    factors.leading,
                    |i| evaluator.is_differential(i),
                    self.end.len(),
                );
                let highest = spectrum.map_or(2, |s| stability::highest_stable_order(&s, h));
                self.allowed = Some((highest, h));
                highest
            }
            (None, None) => 2,
        };
        order <= highest
    }
}

/// The factor of the step size after a step whose error at `order` is known. [size]
fn growth(error: f64, order: usize) -> f64 {
    let r = (2.0 * error + 1e-4).powf(-1.0 / (order + 1) as f64);
    if r >= 2.0 {
        2.0
    } else if r <= 1.0 {
        r.clamp(0.5, 0.9)
    } else {
        1.0
    }
}

impl Stepper for Bdf {
    fn method(&self) -> Method {
        Method::Bdf
    }

    fn first_step_order(&self) -> Option<i32> {
        Some(2)
    }

    fn start(&mut self, evaluator: &mut Evaluator<'_>, t: f64, y: &[f64]) -> Result<(), Trouble> {
        self.has_jacobian = false;
        self.factors = None;
        self.forget(evaluator, t, y)
    }

    fn slope(&self) -> &[f64] {
        &self.slope
    }

    fn needs_slope(&self) -> bool {
        false
    }

    fn attempt(
        &mut self,
        evaluator: &mut Evaluator<'_>,
        t: f64,
        y: &[f64],
        h: f64,
    ) -> Result<Verdict, Trouble> {
        self.measure(evaluator, t, y)?;
        if !self.fresh && self.failures >= FORGET {
            self.forget(evaluator, t, y)?;
        }
        if self.fresh {
            self.history.start(y, &self.slope, h);
        } else if evaluator.has_algebraic() {
            self.history.move_to(y);
        } else {
            self.history.carry_to(y);
        }
        let same = (h / self.last_h - 1.0).abs() < SAME_STEP && self.order == self.last_order;
        let equal_steps = if same { (self.equal_steps + 1).min(self.last_order + 2) } else { 1 };
        let c = self.history.prepare(h, self.order);
        self.history.predict(&c, &mut self.predicted, &mut self.predicted_slope);
        if !self.solve(evaluator, t + h, y, h, &c)? {
            self.failures += 1;
            self.ramp = false;
            return Ok(Verdict::Rejected { next: 0.25 * h, component: None });
        }
        let errors = self.errors(&evaluator.indices, y, h, &c);
        let error = c.error * self.tolerance.test_at(&self.correction, y, h, &evaluator.indices);
        #[cfg(test)]
        let error = if self.locked { 0.0 } else { error };
        if error > 1.0 || error.is_nan() {
            let component = worst(&self.tolerance, &self.correction, y);
            return Ok(self.too_inaccurate(h, errors, component));
        }
        self.equal_steps = equal_steps;
        self.failures = 0;
        let next = self.choose(evaluator, y, h, &c, errors);
        self.history.accept(&c, &self.correction);
        #[cfg(test)]
        let next = if self.locked {
            self.order = c.order;
            h
        } else {
            next
        };
        (self.last_order, self.last_h, self.fresh) = (c.order, h, false);
        self.jacobian_is_fresh = false;
        Ok(Verdict::Accepted { next })
    }

    fn end(&self) -> &[f64] {
        self.history.newest()
    }

    fn prepare_dense(&mut self, _: &mut Evaluator<'_>, _: f64, _: &[f64], _: f64) -> Result<(), Trouble> {
        Ok(())
    }

    fn interpolate(&self, theta: f64, out: &mut [f64]) {
        self.history.interpolate((theta - 1.0) * self.last_h, out);
    }

    fn advance(&mut self, _: Option<&[f64]>) {}

    fn copy(&self) -> Option<Box<dyn Stepper>> {
        Some(Box::new(self.clone()))
    }

    fn h_lambda(&mut self) -> Option<f64> {
        None
    }
}

#[cfg(test)]
mod tests;
