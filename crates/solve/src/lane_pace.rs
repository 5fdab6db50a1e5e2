//! The step sizes of a lane: the controller of `dop853` without its memory of the step before.
//!
//! ```text
//! [lane-pace]   h_new = h · min(6, max(1/3, 0.9 |e|^(−1/8))),   6 replaced by 1 right after a rejection
//! ```
//!
//! Eighth roots are three square roots. Motions with few steps feel the cost of a general power at every one of them; square roots are
//! also the same to the last bit on every processor.

use crate::control::{Tolerance, mean_root};

const SAFETY: f64 = 0.9;
const LEAST: f64 = 1.0 / 3.0;
const MOST: f64 = 6.0;
/// The first step as a part of the one whose error would be one hundredth of the tolerance if all derivatives were as large as the first.
const FIRST_STEP: f64 = 0.5;

/// x^(1/8).
pub(crate) fn eighth_root(x: f64) -> f64 {
    x.sqrt().sqrt().sqrt()
}

/// The pace of one lane.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Pace {
    /// Whether the last step was.
    rejected: bool,
}

impl Pace {
    /// The factor for the next step size after an accepted step with scaled error `error`. `[lane-pace]`
    pub(crate) fn accepted(&mut self, error: f64) -> f64 {
        let most = if self.rejected { 1.0 } else { MOST };
        self.rejected = false;
        // No error at all makes the quotient infinite.
        (SAFETY / eighth_root(error)).clamp(LEAST, most)
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
    use super::*;
    use crate::control::Controller;

    /// What the controller of single motions says, to rounding.
    #[test]
    fn lanes_keep_the_pace_of_single_motions() {
        let (mut pace, mut alone) = (Pace::default(), Controller::new(1.0 / 8.0, 0.0, LEAST, MOST));
        for error in [0.0, 1e-12, 3e-5, 0.7, 1.0, 1.2, 40.0, 0.01, 1e9, f64::INFINITY, 1e-3, 1e-3] {
            let (found, expected) = if error <= 1.0 {
                (pace.accepted(error), alone.accepted(error))
            } else {
                (pace.rejected(error), alone.rejected(error))
            };
            assert!((found - expected).abs() <= 1e-15 * expected, "{error}: {found} against {expected}");
        }
    }
}
