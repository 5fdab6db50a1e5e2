//! When stability rather than accuracy limits an explicit method, and when it no longer does.
//!
//! An explicit method on a stiff problem settles at the border of its stability region, h·|λ| ≈ const. Hairer, Nørsett & Wanner
//! (Solving ODEs II, IV.2) call a problem stiff when the estimate of h·|λ| exceeds the border in 15 steps, with fewer than 6
//! harmless ones in a row between them. The implicit method knows the Jacobian, hence ρ(J) itself: a problem that it
//! solves with h·ρ(J) well inside the explicit region, step after step, is not stiff any more.

use crate::options::Method;

/// Steps beyond the border before a problem counts as stiff.
const STIFF_STEPS: u32 = 15;
/// Harmless steps in a row that acquit it.
const HARMLESS_STEPS: u32 = 6;
/// Steps of the implicit method with harmless h·ρ(J) before the first return to the explicit one.
const CALM_STEPS: u32 = 12;
/// Below this h·ρ(J) of the implicit method is harmless.
pub(crate) const CALM: f64 = 2.0;

/// The estimate of h·|λ| that a method held back by stability exceeds.
///
/// The stability regions end at 3.3 and 6.1 on the negative real axis, and the step control swings a little below them. A step
/// limited by accuracy stays far from either: about 1 and 2 at the tolerances for which the methods are made.
fn border(method: Method) -> f64 {
    match method {
        Method::Dopri5 => 2.75,
        _ => 5.0,
    }
}

/// Watches the explicit method.
#[derive(Clone, Debug, Default)]
pub(crate) struct StiffnessWatch {
    beyond: u32,
    harmless: u32,
}

impl StiffnessWatch {
    /// Takes the estimate of an accepted step; `true` when the problem counts as stiff from now on.
    pub(crate) fn observe(&mut self, method: Method, h_lambda: f64) -> bool {
        if h_lambda > border(method) {
            self.harmless = 0;
            self.beyond += 1;
        } else {
            self.harmless += 1;
            if self.harmless == HARMLESS_STEPS {
                self.beyond = 0;
            }
        }
        self.beyond >= STIFF_STEPS
    }

    /// Whether no step speaks for stiffness.
    pub(crate) fn is_acquitted(&self) -> bool {
        self.beyond == 0
    }
}

/// Watches the implicit method. Each return to the explicit one doubles the patience, so that a problem
/// at the border does not swing between the two.
#[derive(Clone, Debug)]
pub(crate) struct CalmWatch {
    calm: u32,
    needed: u32,
}

impl Default for CalmWatch {
    fn default() -> Self {
        CalmWatch { calm: 0, needed: CALM_STEPS }
    }
}

impl CalmWatch {
    /// Takes h·ρ(J) of an accepted step; `true` when the explicit method may take over.
    pub(crate) fn observe(&mut self, h_rho: f64) -> bool {
        self.calm = if h_rho < CALM { self.calm + 1 } else { 0 };
        if self.calm < self.needed {
            return false;
        }
        self.calm = 0;
        self.needed = self.needed.saturating_mul(2);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fifteen_steps_beyond_the_border_make_a_problem_stiff() {
        let mut watch = StiffnessWatch::default();
        let answers: Vec<bool> = (0..15).map(|_| watch.observe(Method::Dop853, 5.1)).collect();
        assert_eq!(answers.iter().position(|&stiff| stiff), Some(14));
    }

    #[test]
    fn six_harmless_steps_acquit() {
        let mut watch = StiffnessWatch::default();
        for _ in 0..14 {
            assert!(!watch.observe(Method::Dopri5, 2.8));
        }
        for _ in 0..6 {
            assert!(!watch.observe(Method::Dopri5, 2.7));
        }
        assert!(!watch.observe(Method::Dopri5, 2.8));
    }

    #[test]
    fn patience_doubles_with_each_return() {
        let mut watch = CalmWatch::default();
        let mut until_return = || (1..).find(|_| watch.observe(0.5));
        assert_eq!(until_return(), Some(12));
        assert_eq!(until_return(), Some(24));
    }
}
