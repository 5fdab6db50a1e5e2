//! Dormand and Prince, order 5(4), with dense output of order 4.
//!
//! The tableau is that of Dormand & Prince, J. Comp. Appl. Math. 6 (1980) 19–26, with first same as last: stage 6 is the
//! slope at the end. Table II.5.2 of Hairer, Nørsett & Wanner, Solving ODEs I (2nd ed.); the dense output is that of
//! II.6, (6.12), written around the cubic Hermite polynomial.

use crate::control::{Controller, Tolerance, mean_root, worst};
use crate::evaluate::{Evaluator, Trouble};
use crate::options::Method;
use crate::stepper::{Stepper, Verdict};
use crate::tableau::{Row, combine, stage};

pub(crate) const C: [f64; 7] = [0.0, 1.0 / 5.0, 3.0 / 10.0, 4.0 / 5.0, 8.0 / 9.0, 1.0, 1.0];

#[rustfmt::skip]
pub(crate) const A: [Row; 7] = [
    &[],
    &[(0,     1.0 / 5.0   )],
    &[(0,     3.0 / 40.0  ), (1,      9.0 / 40.0  )],
    &[(0,    44.0 / 45.0  ), (1,    -56.0 / 15.0  ), (2,    32.0 / 9.0   )],
    &[(0, 19372.0 / 6561.0), (1, -25360.0 / 2187.0), (2, 64448.0 / 6561.0), (3, -212.0 / 729.0)],
    &[(0,  9017.0 / 3168.0), (1,   -355.0 / 33.0  ), (2, 46732.0 / 5247.0), (3,   49.0 / 176.0), (4, -5103.0 / 18656.0)],
    B,
];

/// The weights of order 5.
#[rustfmt::skip]
pub(crate) const B: Row =
    &[(0, 35.0 / 384.0), (2, 500.0 / 1113.0), (3, 125.0 / 192.0), (4, -2187.0 / 6784.0), (5, 11.0 / 84.0)];

/// The weights of order 5 minus those of order 4.
#[rustfmt::skip]
pub(crate) const ERROR: Row = &[
    (0,     71.0 / 57600.0 ),
    (2,    -71.0 / 16695.0 ),
    (3,     71.0 / 1920.0  ),
    (4, -17253.0 / 339200.0),
    (5,     22.0 / 525.0   ),
    (6,     -1.0 / 40.0    ),
];

/// The term that lifts the cubic Hermite polynomial to order 4.
#[rustfmt::skip]
pub(crate) const DENSE: Row = &[
    (0, -12715105075.0 / 11282082432.0 ),
    (2,  87487479700.0 / 32700410799.0 ),
    (3, -10690763975.0 / 1880347072.0  ),
    (4, 701980252875.0 / 199316789632.0),
    (5,  -1453857185.0 / 822651844.0   ),
    (6,     69997945.0 / 29380423.0    ),
];

/// The working memory of the method.
#[derive(Clone)]
pub(crate) struct Dopri5 {
    k: Vec<Vec<f64>>,
    trial: Vec<f64>,
    end: Vec<f64>,
    error: Vec<f64>,
    dense: [Vec<f64>; 5],
    tolerance: Tolerance,
    controller: Controller,
    h_lambda: f64,
}

impl Dopri5 {
    pub(crate) fn new(n: usize, tolerance: Tolerance) -> Self {
        let zeros = || vec![0.0; n];
        Dopri5 {
            k: vec![zeros(); 7],
            trial: zeros(),
            end: zeros(),
            error: zeros(),
            dense: std::array::from_fn(|_| zeros()),
            tolerance,
            controller: Controller::new(0.2 - 0.75 * 0.04, 0.04, 0.2, 10.0),
            h_lambda: 0.0,
        }
    }
}

impl Stepper for Dopri5 {
    fn method(&self) -> Method {
        Method::Dopri5
    }

    fn first_step_order(&self) -> Option<i32> {
        Some(5)
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
        for i in 1..6 {
            stage(y, h, A[i], &self.k, &mut self.trial);
            evaluator.derivative(t + C[i] * h, &self.trial, &mut self.k[i])?;
        }
        stage(y, h, A[6], &self.k, &mut self.end);
        evaluator.derivative(t + h, &self.end, &mut self.k[6])?;

        combine(ERROR, &self.k, &mut self.error);
        let (mut error, mut slopes, mut states) = (0.0, 0.0, 0.0);
        for i in 0..y.len() {
            let scale = self.tolerance.scale(i, y[i], self.end[i]);
            error += (h * self.error[i] / scale).powi(2);
            slopes += ((self.k[6][i] - self.k[5][i]) / scale).powi(2);
            states += ((self.end[i] - self.trial[i]) / scale).powi(2);
        }
        let error = mean_root(error, y.len());
        // Stages 5 and 6 are two states at the same time: their slopes differ by λ times their distance.
        self.h_lambda = if states > 0.0 { h.abs() * (slopes / states).sqrt() } else { 0.0 };
        Ok(if error <= 1.0 {
            Verdict::Accepted { next: h * self.controller.accepted(error) }
        } else {
            let component = worst(&self.tolerance, &self.error, y);
            Verdict::Rejected { next: h * self.controller.rejected(error), component }
        })
    }

    fn end(&self) -> &[f64] {
        &self.end
    }

    fn prepare_dense(
        &mut self,
        _evaluator: &mut Evaluator<'_>,
        _t: f64,
        y: &[f64],
        h: f64,
    ) -> Result<(), Trouble> {
        let [c0, c1, c2, c3, c4] = &mut self.dense;
        combine(DENSE, &self.k, c4);
        for i in 0..y.len() {
            let chord = self.end[i] - y[i];
            let bend = h * self.k[0][i] - chord;
            c0[i] = y[i];
            c1[i] = chord;
            c2[i] = bend;
            c3[i] = chord - h * self.k[6][i] - bend;
            c4[i] *= h;
        }
        Ok(())
    }

    fn interpolate(&self, theta: f64, out: &mut [f64]) {
        let rest = 1.0 - theta;
        let [c0, c1, c2, c3, c4] = &self.dense;
        for i in 0..out.len() {
            out[i] = c0[i] + theta * (c1[i] + rest * (c2[i] + theta * (c3[i] + rest * c4[i])));
        }
    }

    fn advance(&mut self, slope: Option<&[f64]>) {
        match slope {
            Some(slope) => self.k[0].copy_from_slice(slope),
            None => self.k.swap(0, 6),
        }
    }

    fn copy(&self) -> Option<Box<dyn Stepper>> {
        Some(Box::new(self.clone()))
    }

    fn h_lambda(&mut self) -> Option<f64> {
        Some(self.h_lambda)
    }
}
