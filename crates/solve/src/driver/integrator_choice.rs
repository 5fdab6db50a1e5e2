//! Which method `auto` goes on with, at a bounded cost of choosing.
//!
//! ```text
//! [effort]    E = evaluations + (10/3 n³ factorisations + 10 n² iterations) / operations + n/4 Jacobians
//! [price]     p = n + n/4 + 10/3 n³ / operations       one Jacobian by differences with its factors
//! [worth]     E ≥ 4 p                                  before the implicit method is tried
//! [trial]     E − E_s > w (t − t_s) + E_s/4 + 4 p      ends it; w is the effort per time of the explicit method
//! [again]     E ≥ 4 E_e                                before it is tried once more, E_e the effort at the end of a trial
//! ```
//!
//! An explicit method at the border of its stability may still be the cheaper one: where accuracy allows steps that are only a
//! little longer, or where n is large beside the cost of an evaluation. So the implicit method is on trial: it may cost what the
//! explicit one would have cost over the same time, and a part of what was spent before. Whatever it turns out to be,
//! trials cost less than half of all.
//! The counts are those of Radau IIA: a real and a complex factorisation, 2/3 n³ and 8/3 n³ operations, and 10 n² for one iteration.

use crate::driver::{Run, stop_reason};
use crate::options::Method;
use crate::outcome::{StopReason, Switch};
use crate::stepper::{explicit_for, stepper};
use crate::stiffness::StiffnessWatch;

/// So many Jacobians with factors are worth a trial. [worth], [trial]
const WORTH: f64 = 4.0;
/// This part of what was spent may be lost in a trial. [trial]
const SHARE: f64 = 0.25;
/// After a trial that was lost, the effort grows by this factor before the next. [again]
const AGAIN: f64 = 4.0;
/// Operations of one evaluation for each state, where nobody knows better.
const PER_STATE: f64 = 20.0;

/// What `auto` has seen of the methods.
#[derive(Clone, Copy, Debug)]
pub(crate) struct IntegratorChoice {
    /// Time and effort where explicit steps began to be held back by stability.
    since: (f64, f64),
    /// Effort of the explicit method per time, from there to the trial.
    pace: f64,
    /// Time and effort at which the trial began.
    begun: (f64, f64),
    /// No trial below this effort.
    not_before: f64,
}

impl IntegratorChoice {
    pub(crate) fn new(t: f64) -> Self {
        IntegratorChoice { since: (t, 0.0), pace: 0.0, begun: (t, 0.0), not_before: 0.0 }
    }
}

impl Run<'_, '_> {
    /// Operations of one evaluation.
    fn operations(&self) -> f64 {
        let known = self.options.operations;
        if known > 0.0 { known } else { PER_STATE * self.y.len().max(1) as f64 }
    }

    /// What has been spent so far, in evaluations. [effort]
    fn effort(&self) -> f64 {
        let stats = &self.evaluator.stats;
        let n = self.y.len() as f64;
        let algebra = 10.0 / 3.0 * n.powi(3) * stats.factorisations as f64
            + 10.0 * n.powi(2) * stats.newton_iterations as f64;
        stats.evaluations as f64 + algebra / self.operations() + 0.25 * n * stats.jacobians as f64
    }

    /// [price]
    fn price(&self) -> f64 {
        let n = self.y.len() as f64;
        1.25 * n + 10.0 / 3.0 * n.powi(3) / self.operations()
    }

    /// Watches stiffness and changes the method where `Auto` may; the step size to go on with.
    pub(crate) fn change_method(&mut self, h: f64) -> Result<f64, StopReason> {
        let from = self.stepper.method();
        let auto = self.options.method == Method::Auto && !self.evaluator.has_algebraic();
        let found = match from {
            Method::Radau5 if auto => self.leave_implicit(),
            Method::Radau5 | Method::Bdf | Method::Alpha | Method::Moreau | Method::Rk4 => None,
            _ => self.leave_explicit(from, auto),
        };
        let Some((to, reason)) = found else { return Ok(h) };
        self.stiffness = StiffnessWatch::default();
        self.choice.since = (self.t, self.effort());
        self.switches.push(Switch { t: self.t, from, to, reason });
        self.stepper = stepper(to, self.y.len(), &self.tolerance, self.options);
        self.stepper.start(&mut self.evaluator, self.t, &self.y).map_err(stop_reason)?;
        Ok(h)
    }

    /// Whether stability limits explicit steps, and an implicit method is worth a trial.
    fn leave_explicit(&mut self, from: Method, auto: bool) -> Option<(Method, String)> {
        let h_lambda = self.stepper.h_lambda().unwrap_or(0.0);
        let is_stiff = self.stiffness.observe(from, h_lambda);
        if self.stiffness.is_acquitted() {
            self.choice.since = (self.t, self.effort());
        }
        if !is_stiff {
            return None;
        }
        self.stiff_at.get_or_insert(self.t);
        self.stiffness = StiffnessWatch::default();
        let effort = self.effort();
        if !auto || effort < self.choice.not_before.max(WORTH * self.price()) {
            return None;
        }
        let (t, spent) = self.choice.since;
        self.choice.pace = (effort - spent) / (self.t - t).abs().max(f64::MIN_POSITIVE);
        self.choice.begun = (self.t, effort);
        Some((Method::Radau5, format!("stability limits the explicit steps: h·|λ| = {h_lambda:.2}")))
    }

    /// Whether the steps are short enough for an explicit method, or that is the cheaper one. [trial]
    fn leave_implicit(&mut self) -> Option<(Method, String)> {
        let explicit = explicit_for(self.options.rtol);
        let h_rho = self.stepper.h_lambda();
        if h_rho.is_some_and(|h_rho| self.calm.observe(h_rho)) {
            let h_rho = h_rho.unwrap_or(0.0);
            let reason = format!("the steps are short enough for an explicit method: h·|λ| = {h_rho:.2}");
            return Some((explicit, reason));
        }
        let (effort, (t, before)) = (self.effort(), self.choice.begun);
        let (spent, saved) = (effort - before, self.choice.pace * (self.t - t).abs());
        let allowed = SHARE * before + WORTH * self.price();
        if spent <= saved {
            // What it has won is not there to be lost later.
            if spent > allowed {
                self.choice.begun = (self.t, effort);
            }
            return None;
        }
        // Where a motion began implicitly there is no pace to compare with.
        if self.choice.pace == 0.0 || spent <= saved + allowed {
            return None;
        }
        self.choice.not_before = AGAIN * effort;
        let times = spent / saved.max(f64::MIN_POSITIVE);
        let reason = match times < 1e3 {
            true => format!("implicit steps cost {times:.1} times as much as explicit ones"),
            false => "implicit steps cost more than explicit ones".to_owned(),
        };
        Some((explicit, reason))
    }
}

#[cfg(test)]
mod tests {
    use crate::driver::integrate;
    use crate::options::{Method, Options, Problem};
    use crate::outcome::{Control, Outcome};
    use crate::system::{Failure, System};

    /// ẏ_i = −λ (y_i − cos ω_i t), many of them.
    struct Relaxing {
        n: usize,
        lambda: f64,
        omega: f64,
    }

    impl System for Relaxing {
        fn dim(&self) -> usize {
            self.n
        }
        fn derivative(&mut self, t: f64, y: &[f64], dy: &mut [f64]) -> Result<(), Failure> {
            for i in 0..self.n {
                let omega = self.omega * (1.0 + i as f64 / self.n as f64);
                dy[i] = -self.lambda * (y[i] - (omega * t).cos());
            }
            Ok(())
        }
    }

    fn followed(method: Method, lambda: f64, omega: f64) -> Outcome {
        let mut system = Relaxing { n: 60, lambda, omega };
        let options = Options::with_method(method).tolerances(1e-4, 1e-6);
        integrate(&mut system, &Problem::new(0.0, 20.0, [1.0; 60]), &options, &mut |_| Control::Continue)
    }

    #[test]
    fn much_stiffness_is_left_to_the_implicit_method() {
        let (explicit, auto) = (followed(Method::Dopri5, 1e4, 0.5), followed(Method::Auto, 1e4, 0.5));
        assert_eq!(auto.method, Method::Radau5, "{:?}", auto.switches);
        let (a, b) = (auto.stats.evaluations as f64, explicit.stats.evaluations as f64);
        assert!(a < 0.1 * b, "{a} evaluations instead of {b}");
    }
}
