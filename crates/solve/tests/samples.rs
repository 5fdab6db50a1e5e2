//! Samples inside steps are as exact as the steps.

use crate::common;

use cardan_solve::{Method, Options, Output, Problem, StopReason};
use common::{Ode, run};

/// y' = -λ (y - cos t): after a moment the motion is slow and only stability limits explicit steps.
fn worst_sample(lambda: f64, method: Method, tolerance: f64) -> (f64, f64) {
    let mut ode = Ode::new(1, move |t, y, dy| dy[0] = -lambda * (y[0] - t.cos()));
    let a = lambda * lambda / (lambda * lambda + 1.0);
    let exact = |t: f64| a * t.cos() + a / lambda * t.sin() + (1.0 - a) * (-lambda * t).exp();
    let mut problem = Problem::new(0.0, 4.0, [1.0]);
    problem.output = Output::every(0.0, 4.0, 0.0137);
    let options = Options::with_method(method).tolerances(tolerance, tolerance);
    let (outcome, samples) = run(&mut ode, &problem, &options);
    assert_eq!(outcome.stop, StopReason::ReachedEnd);
    let worst = samples.iter().map(|(t, y)| (y[0] - exact(*t)).abs()).fold(0.0, f64::max);
    (worst, outcome.stats.evaluations as f64 / outcome.stats.accepted as f64)
}

#[test]
fn samples_are_exact_where_stability_limits_the_steps() {
    for (lambda, tolerance) in [(3.0, 1e-9), (40.0, 1e-9), (120.0, 1e-9), (120.0, 1e-6), (120.0, 1e-11)] {
        let (error, _) = worst_sample(lambda, Method::Dop853, tolerance);
        assert!(error < 10.0 * tolerance, "λ = {lambda}, tolerance {tolerance:e}: {error:e}");
    }
}

#[test]
fn samples_cost_little_where_accuracy_limits_the_steps() {
    let (error, evaluations) = worst_sample(1.0, Method::Dop853, 1e-9);
    assert!(error < 1e-8, "{error:e}");
    assert!(evaluations < 18.0, "{evaluations} for each step");
}
