//! The step sizes of a lane: proportional-integral control with exponents that are square roots of square roots.
//!
//! ```text
//! [lane-pace]   h_new = h · min(6, max(1/3, 0.8 |e_n|^(−1/8) |e_{n−1}|^(1/32))),   6 replaced by 1 right after a rejection
//! ```
//!
//! The integral part (Gustafsson; Hairer & Wanner, Solving ODEs II, IV.2) holds back growth after steps with small errors. Estimates of order 8 change
//! by orders of magnitude from step to step, and without it every fourth step of a double pendulum was rejected; in lanes, a rejected step is a
//! whole step lost. With it motions of equal error took 9 to 25 % fewer steps, the more the looser the tolerance.
//!
//! Motions with few steps feel the cost of a general power at every one of them; square roots are cheap, and the same to the last bit on every processor.

use crate::control::{Tolerance, mean_root};

const SAFETY: f64 = 0.8;
const LEAST: f64 = 1.0 / 3.0;
const MOST: f64 = 6.0;
/// Smaller errors are remembered as this one.
const LEAST_ERROR: f64 = 1e-4;
/// The first step as a part of the one whose error would be one hundredth of the tolerance if all derivatives were as large as the first.
const FIRST_STEP: f64 = 0.5;

/// x^(1/8).
pub(crate) fn eighth_root(x: f64) -> f64 {
    x.sqrt().sqrt().sqrt()
}

/// The pace of one lane.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pace {
    /// |e|^(1/32) of the last accepted step.
    before: f64,
    /// Whether the last step was.
    rejected: bool,
}

impl Pace {
    /// That of a motion which begins, as if a step with a hardly noticeable error had gone before.
    pub(crate) fn new() -> Self {
        Pace { before: eighth_root(LEAST_ERROR).sqrt().sqrt(), rejected: false }
    }

    /// The factor for the next step size after an accepted step with scaled error `error`. `[lane-pace]`
    pub(crate) fn accepted(&mut self, error: f64) -> f64 {
        let root = eighth_root(error);
        // No error at all makes the quotient infinite.
        let wanted = SAFETY / root * self.before;
        let most = if self.rejected { 1.0 } else { MOST };
        self.before = root.max(eighth_root(LEAST_ERROR)).sqrt().sqrt();
        self.rejected = false;
        wanted.clamp(LEAST, most)
    }

    /// The factor with which to repeat a step whose scaled error `error` is above one. `[lane-pace]`
    pub(crate) fn rejected(&mut self, error: f64) -> f64 {
        self.rejected = true;
        (SAFETY / eighth_root(error)).max(LEAST)
    }
}

/// A first step from the sizes of state and slope, which `pairs` gives component by component; the error control corrects it.
pub(crate) fn first_step(tolerance: &Tolerance, pairs: impl Iterator<Item = (f64, f64)>) -> f64 {
    let (mut size, mut slope, mut n) = (0.0, 0.0, 0);
    for (i, (y, f)) in pairs.enumerate() {
        let scale = tolerance.scale(i, y, y);
        size += (y / scale) * (y / scale);
        slope += (f / scale) * (f / scale);
        n += 1;
    }
    let (size, slope) = (mean_root(size, n), mean_root(slope, n));
    let h = if size < 1e-5 || slope < 1e-5 { 1e-6 } else { 0.01 * size / slope };
    // The order makes long first steps possible: the norm counts tolerances, not sizes. A lane that repeats one holds up no other.
    let long = eighth_root(0.01 / slope.max(1e-300));
    (FIRST_STEP * long).min(100.0 * h).max(h).max(1e-2 * long).clamp(1e-9, 1e9)
}

#[cfg(test)]
mod tests {
    use crate::lanes::step_control::*;

    /// Against general powers, to rounding.
    #[test]
    fn the_pace_follows_its_formula() {
        let (mut pace, mut before, mut held) = (Pace::new(), 1e-4f64, false);
        for error in [1e-12, 3e-5, 0.7, 1.0, 1.2, 40.0, 0.01, 1e9, f64::INFINITY, 1e-3, 1e-3, 0.0, 0.5] {
            let (found, expected) = if error <= 1.0 {
                let wanted = 0.8 * error.powf(-0.125) * before.powf(1.0 / 32.0);
                let most = if held { 1.0 } else { 6.0 };
                (before, held) = (error.max(1e-4), false);
                (pace.accepted(error), wanted.clamp(1.0 / 3.0, most))
            } else {
                held = true;
                (pace.rejected(error), (0.8 * error.powf(-0.125)).max(1.0 / 3.0))
            };
            assert!((found - expected).abs() <= 1e-14 * expected, "{error}: {found} against {expected}");
        }
    }

    /// As long as the estimate follows the order of the method and no error is at a limit, the error settles where the step stays as it is.
    #[test]
    fn steps_settle() {
        let (mut pace, mut h) = (Pace::new(), 1.0);
        let mut error = 0.0;
        for _ in 0..60 {
            error = 0.1 * f64::powi(h, 8);
            h *= if error <= 1.0 { pace.accepted(error) } else { pace.rejected(error) };
        }
        // 0.8 e^(-1/8 + 1/32) = 1
        assert!((error - 0.8f64.powf(32.0 / 3.0)).abs() < 1e-6, "{error}");
    }
}
