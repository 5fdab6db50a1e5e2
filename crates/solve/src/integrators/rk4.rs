//! The classical Runge-Kutta method: order 4, fixed step, cubic Hermite dense output.
//!
//! ```text
//!  0  |
//! 1/2 | 1/2
//! 1/2 |  0   1/2
//!  1  |  0    0    1
//! ----+--------------------
//!     | 1/6  1/3  1/3  1/6
//! ```
//!
//! Kutta 1901; Hairer, Nørsett & Wanner, Solving ODEs I, Table II.1.2; the dense output is (II.6.7).

use crate::evaluate::{Evaluator, Trouble};
use crate::options::Method;
use crate::stepper::{Stepper, Verdict};
use crate::tableau::{Row, stage};

pub(crate) const C: [f64; 4] = [0.0, 1.0 / 2.0, 1.0 / 2.0, 1.0];
pub(crate) const A: [Row; 4] = [&[], &[(0, 1.0 / 2.0)], &[(1, 1.0 / 2.0)], &[(2, 1.0)]];
pub(crate) const B: Row = &[(0, 1.0 / 6.0), (1, 1.0 / 3.0), (2, 1.0 / 3.0), (3, 1.0 / 6.0)];

/// The working memory of the method. `k[4]` is the slope at the end of the step.
pub(crate) struct Rk4 {
    k: Vec<Vec<f64>>,
    trial: Vec<f64>,
    start: Vec<f64>,
    end: Vec<f64>,
    h: f64,
}

impl Rk4 {
    pub(crate) fn new(n: usize) -> Self {
        let zeros = || vec![0.0; n];
        Rk4 { k: vec![zeros(); 5], trial: zeros(), start: zeros(), end: zeros(), h: 0.0 }
    }
}

impl Stepper for Rk4 {
    fn method(&self) -> Method {
        Method::Rk4
    }

    fn first_step_order(&self) -> Option<i32> {
        None
    }

    fn start(&mut self, evaluator: &mut Evaluator<'_>, t: f64, y: &[f64]) -> Result<(), Trouble> {
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
        for i in 1..4 {
            stage(y, h, A[i], &self.k, &mut self.trial);
            evaluator.derivative(t + C[i] * h, &self.trial, &mut self.k[i])?;
        }
        stage(y, h, B, &self.k, &mut self.end);
        evaluator.derivative(t + h, &self.end, &mut self.k[4])?;
        self.start.copy_from_slice(y);
        self.h = h;
        Ok(Verdict::Accepted { next: h })
    }

    fn end(&self) -> &[f64] {
        &self.end
    }

    fn prepare_dense(&mut self, _: &mut Evaluator<'_>, _: f64, _: &[f64], _: f64) -> Result<(), Trouble> {
        Ok(())
    }

    fn interpolate(&self, theta: f64, out: &mut [f64]) {
        let rest = 1.0 - theta;
        for i in 0..out.len() {
            let (y0, y1) = (self.start[i], self.end[i]);
            let (d0, d1) = (self.h * self.k[0][i], self.h * self.k[4][i]);
            let chord = y1 - y0;
            out[i] = y0 + theta * (chord + rest * (rest * (d0 - chord) - theta * (d1 - chord)));
        }
    }

    fn advance(&mut self, slope: Option<&[f64]>) {
        match slope {
            Some(slope) => self.k[0].copy_from_slice(slope),
            None => self.k.swap(0, 4),
        }
    }

    fn h_lambda(&mut self) -> Option<f64> {
        None
    }
}
