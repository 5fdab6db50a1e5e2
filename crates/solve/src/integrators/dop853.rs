//! Dormand and Prince, order 8 with error estimates of order 5 and 3, and dense output of order 7.
//!
//! Hairer, Nørsett & Wanner, Solving ODEs I (2nd ed.), II.10. The two estimates join to one of order 8 − 1:
//!
//! ```text
//! [error-53]   |e| = h E₅² / √(E₅² + 0.01 E₃²),   E₅, E₃ scaled norms of the two differences
//! ```
//!
//! The dense output costs four evaluations and is prepared only for steps that are looked into: see `dense`.

mod dense;
pub(crate) mod tableau;

use crate::control::{Controller, Tolerance, worst};
use crate::dop853::dense::{Dense, Step};
use crate::dop853::tableau::{A, B, B_3, C, ERROR_5};
use crate::evaluate::{Evaluator, Trouble};
use crate::options::Method;
use crate::stepper::{Stepper, Verdict};
use crate::tableau::{combine, stage};

/// The working memory of the method.
pub(crate) struct Dop853 {
    k: Vec<Vec<f64>>,
    trial: Vec<f64>,
    end: Vec<f64>,
    error5: Vec<f64>,
    increment8: Vec<f64>,
    increment3: Vec<f64>,
    dense: Dense,
    tolerance: Tolerance,
    controller: Controller,
    h_lambda: f64,
}

impl Dop853 {
    pub(crate) fn new(n: usize, tolerance: Tolerance) -> Self {
        let zeros = || vec![0.0; n];
        Dop853 {
            k: vec![zeros(); 16],
            trial: zeros(),
            end: zeros(),
            error5: zeros(),
            increment8: zeros(),
            increment3: zeros(),
            dense: Dense::new(n),
            tolerance,
            controller: Controller::new(1.0 / 8.0, 0.0, 1.0 / 3.0, 6.0),
            h_lambda: 0.0,
        }
    }

    /// The scaled error of the step. `[error-53]`
    fn error(&mut self, y: &[f64], h: f64) -> f64 {
        combine(ERROR_5, &self.k, &mut self.error5);
        combine(B, &self.k, &mut self.increment8);
        combine(B_3, &self.k, &mut self.increment3);
        let (mut e5, mut e3) = (0.0, 0.0);
        for i in 0..y.len() {
            let scale = self.tolerance.scale(i, y[i], self.end[i]);
            e5 += (self.error5[i] / scale).powi(2);
            e3 += ((self.increment8[i] - self.increment3[i]) / scale).powi(2);
        }
        let joined = e5 + 0.01 * e3;
        if joined > 0.0 { h.abs() * e5 / (joined * y.len() as f64).sqrt() } else { 0.0 }
    }

    /// Stages 11 and 12 are two states at the same time: their slopes differ by λ times their distance.
    fn estimate_h_lambda(&mut self, y: &[f64], h: f64) {
        let (mut slopes, mut states) = (0.0, 0.0);
        for i in 0..y.len() {
            let scale = self.tolerance.scale(i, y[i], self.end[i]);
            slopes += ((self.k[12][i] - self.k[11][i]) / scale).powi(2);
            states += ((self.end[i] - self.trial[i]) / scale).powi(2);
        }
        self.h_lambda = if states > 0.0 { h.abs() * (slopes / states).sqrt() } else { 0.0 };
    }
}

impl Stepper for Dop853 {
    fn method(&self) -> Method {
        Method::Dop853
    }

    fn first_step_order(&self) -> Option<i32> {
        Some(8)
    }

    fn start(&mut self, evaluator: &mut Evaluator<'_>, t: f64, y: &[f64]) -> Result<(), Trouble> {
        self.controller.reset();
        evaluator.derivative(t, y, &mut self.k[0])
    }

    fn slope(&self) -> &[f64] {
        &self.k[0]
    }

    fn attempt(
        &mut self,
        evaluator: &mut Evaluator<'_>,
        t: f64,
        y: &[f64],
        h: f64,
    ) -> Result<Verdict, Trouble> {
        for i in 1..12 {
            stage(y, h, A[i], &self.k, &mut self.trial);
            evaluator.derivative(t + C[i] * h, &self.trial, &mut self.k[i])?;
        }
        stage(y, h, A[12], &self.k, &mut self.end);
        let error = self.error(y, h);
        if error.is_nan() || error > 1.0 {
            let component = worst(&self.tolerance, &self.error5, y);
            return Ok(Verdict::Rejected { next: h * self.controller.rejected(error), component });
        }
        evaluator.derivative(t + h, &self.end, &mut self.k[12])?;
        self.estimate_h_lambda(y, h);
        Ok(Verdict::Accepted { next: h * self.controller.accepted(error) })
    }

    fn end(&self) -> &[f64] {
        &self.end
    }

    fn prepare_dense(
        &mut self,
        evaluator: &mut Evaluator<'_>,
        t: f64,
        y: &[f64],
        h: f64,
    ) -> Result<(), Trouble> {
        let Dop853 { k, end, dense, tolerance, .. } = self;
        dense.prepare(evaluator, tolerance, Step { t, h, y, end, k })
    }

    fn interpolate(&self, theta: f64, out: &mut [f64]) {
        self.dense.at(theta, out);
    }

    fn advance(&mut self, slope: Option<&[f64]>) {
        match slope {
            Some(slope) => self.k[0].copy_from_slice(slope),
            None => self.k.swap(0, 12),
        }
    }

    fn h_lambda(&mut self) -> Option<f64> {
        Some(self.h_lambda)
    }
}
