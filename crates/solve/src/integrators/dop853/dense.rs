//! The dense output of order 7, as exact as the step.
//!
//! Two Hermite terms and four further ones make a polynomial P of degree 7 (Hairer, Nørsett & Wanner I, II.6, after Shampine):
//!
//! ```text
//! [dense]     P(θ) = c0 + θ (c1 + (1−θ) (c2 + θ (c3 + (1−θ) (c4 + θ (c5 + (1−θ) (c6 + θ c7))))))
//! [defect]    h δ = P'(θ) − h f(t + θh, P(θ)),    max |P − y| ≈ |h δ(0.7)| / 7
//! ```
//!
//! The error test of a step judges its end only. Inside, P errs about three times as much as the estimate of the end in a
//! step whose length accuracy decides, and a hundred times as much where stability does: h·|λ| = 6. One evaluation, the defect
//! `[defect]`, tells them apart: at θ = 0.7 it is between 5 and 10 times the largest error of P, for h·|λ| from 1 to 6, linear or not.
//! Where it is too large, the step is done again in 2, 4 or 8 pieces that have a P each; the step itself stays what it is.

use super::tableau::{A, C, DENSE};
use crate::control::Tolerance;
use crate::evaluate::{Evaluator, Trouble};
use crate::tableau::{combine, stage};

/// The place where the defect is looked at.
const PROBE: f64 = 0.7;

/// The defect there is about so many times the largest error of the polynomial.
const DEFECT_PER_ERROR: f64 = 7.0;

/// Scaled errors up to this are usual where accuracy decides the length of the steps.
const USUAL: f64 = 4.0;

/// More pieces that gain less than this suffer from rounding.
const GAIN: f64 = 0.1;

/// A step in one or several pieces with a polynomial each.
pub(super) struct Dense {
    pieces: Vec<[Vec<f64>; 8]>,
    /// Pieces in use, all of the same length.
    count: usize,
    /// Stages of pieces, their beginning and end.
    k: Vec<Vec<f64>>,
    from: Vec<f64>,
    to: Vec<f64>,
    trial: Vec<f64>,
    slope: Vec<f64>,
}

/// A step from (t, y) to `end` with the slopes `k` of its thirteen stages.
pub(super) struct Step<'a> {
    pub t: f64,
    pub h: f64,
    pub y: &'a [f64],
    pub end: &'a [f64],
    pub k: &'a mut [Vec<f64>],
}

impl Dense {
    pub(super) fn new(n: usize) -> Self {
        let zeros = || vec![0.0; n];
        Dense {
            pieces: vec![],
            count: 0,
            k: vec![],
            from: vec![],
            to: vec![],
            trial: zeros(),
            slope: zeros(),
        }
    }

    /// Makes [`Dense::at`] answer for this step.
    pub(super) fn prepare(
        &mut self,
        evaluator: &mut Evaluator<'_>,
        tolerance: &Tolerance,
        step: Step<'_>,
    ) -> Result<(), Trouble> {
        self.count = 1;
        let Step { t, h, y, end, k } = step;
        let mut error = self.piece(evaluator, tolerance, 0, Step { t, h, y, end, k: &mut *k })?;
        while error > USUAL && self.count < 8 {
            let before = error;
            self.count *= 2;
            error = self.divided(evaluator, tolerance, Step { t, h, y, end, k: &mut *k })?;
            if error > GAIN * before {
                break;
            }
        }
        Ok(())
    }

    /// Goes through the step again in pieces; the largest error of their polynomials.
    fn divided(
        &mut self,
        evaluator: &mut Evaluator<'_>,
        tolerance: &Tolerance,
        step: Step<'_>,
    ) -> Result<f64, Trouble> {
        let mut k = std::mem::take(&mut self.k);
        k.resize(step.k.len(), vec![0.0; step.y.len()]);
        let (mut from, mut to) = (std::mem::take(&mut self.from), std::mem::take(&mut self.to));
        from.clear();
        from.extend_from_slice(step.y);
        to.resize(step.y.len(), 0.0);
        k[0].copy_from_slice(&step.k[0]);
        let h = step.h / self.count as f64;
        let mut worst = 0.0f64;
        for i in 0..self.count {
            let t = step.t + i as f64 * h;
            for s in 1..12 {
                stage(&from, h, A[s], &k, &mut self.trial);
                evaluator.derivative(t + C[s] * h, &self.trial, &mut k[s])?;
            }
            if i + 1 < self.count {
                stage(&from, h, A[12], &k, &mut to);
                evaluator.derivative(t + h, &to, &mut k[12])?;
            } else {
                // The last piece ends where the step does.
                to.copy_from_slice(step.end);
                k[12].copy_from_slice(&step.k[12]);
            }
            let piece = Step { t, h, y: &from, end: &to, k: &mut k };
            worst = worst.max(self.piece(evaluator, tolerance, i, piece)?);
            std::mem::swap(&mut from, &mut to);
            k.swap(0, 12);
        }
        (self.k, self.from, self.to) = (k, from, to);
        Ok(worst)
    }

    /// The polynomial of one piece and its scaled error. [dense], [defect]
    fn piece(
        &mut self,
        evaluator: &mut Evaluator<'_>,
        tolerance: &Tolerance,
        i: usize,
        step: Step<'_>,
    ) -> Result<f64, Trouble> {
        let Step { t, h, y, end, k } = step;
        for s in 13..16 {
            stage(y, h, A[s], k, &mut self.trial);
            evaluator.derivative(t + C[s] * h, &self.trial, &mut k[s])?;
        }
        if self.pieces.len() <= i {
            self.pieces.push(std::array::from_fn(|_| vec![0.0; y.len()]));
        }
        let [c0, c1, c2, c3, c4, c5, c6, c7] = &mut self.pieces[i];
        for (row, c) in DENSE.into_iter().zip([c4, c5, c6, c7]) {
            combine(row, k, c);
            c.iter_mut().for_each(|c| *c *= h);
        }
        for i in 0..y.len() {
            let chord = end[i] - y[i];
            let bend = h * k[0][i] - chord;
            c0[i] = y[i];
            c1[i] = chord;
            c2[i] = bend;
            c3[i] = chord - h * k[12][i] - bend;
        }
        let c = &self.pieces[i];
        value(c, PROBE, &mut self.trial);
        evaluator.derivative(t + PROBE * h, &self.trial, &mut self.slope)?;
        for j in 0..y.len() {
            self.slope[j] = (derivative(c, j, PROBE) - h * self.slope[j]) / DEFECT_PER_ERROR;
        }
        Ok(tolerance.norm(&self.slope, &self.trial))
    }

    /// The state at the fraction `theta` of the step.
    pub(super) fn at(&self, theta: f64, out: &mut [f64]) {
        let scaled = theta * self.count as f64;
        let i = (scaled.max(0.0) as usize).min(self.count.saturating_sub(1));
        value(&self.pieces[i], scaled - i as f64, out);
    }
}

/// P. [dense]
fn value(c: &[Vec<f64>; 8], theta: f64, out: &mut [f64]) {
    let rest = 1.0 - theta;
    let [c0, c1, c2, c3, c4, c5, c6, c7] = c;
    for i in 0..out.len() {
        let inner = c4[i] + theta * (c5[i] + rest * (c6[i] + theta * c7[i]));
        out[i] = c0[i] + theta * (c1[i] + rest * (c2[i] + theta * (c3[i] + rest * inner)));
    }
}

/// P' of component `i`: each bracket of `[dense]` with its derivative, from the inside out.
fn derivative(c: &[Vec<f64>; 8], i: usize, theta: f64) -> f64 {
    let (mut value, mut slope) = (c[7][i], 0.0);
    for (m, c) in c.iter().enumerate().take(7).rev() {
        let (factor, change) = if m % 2 == 0 { (theta, 1.0) } else { (1.0 - theta, -1.0) };
        slope = change * value + factor * slope;
        value = c[i] + factor * value;
    }
    slope
}
