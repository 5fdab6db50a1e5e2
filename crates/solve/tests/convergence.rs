//! Measured orders of convergence, of the end state and of the dense output.

use crate::common;

use cardan_solve::{Method, Options, Output, Problem, StopReason};
use common::{Ode, run};

/// A nonlinear problem with known solution: y₁ = exp(sin t²), y₂ = exp(5 sin t²), y₃ = sin t² + 1, y₄ = cos t²,
/// of Dormand & Prince and Hairer, Nørsett & Wanner (I, II.6 uses one like it).
fn problem() -> Ode {
    Ode::new(4, |t, y, dy| {
        dy[0] = 2.0 * t * y[1].max(1e-3).powf(0.2) * y[3];
        dy[1] = 10.0 * t * (5.0 * (y[2] - 1.0)).exp() * y[3];
        dy[2] = 2.0 * t * y[3];
        dy[3] = -2.0 * t * y[0].max(1e-3).ln();
    })
}

fn solution(t: f64) -> [f64; 4] {
    let (sin, cos) = (t * t).sin_cos();
    [sin.exp(), (5.0 * sin).exp(), sin + 1.0, cos]
}

fn distance(t: f64, y: &[f64]) -> f64 {
    y.iter().zip(solution(t)).map(|(y, exact)| (y - exact).abs()).fold(0.0, f64::max)
}

/// The largest errors at the ends of steps and on a fine grid, and the number of steps.
fn errors(options: &Options) -> (f64, f64, f64) {
    let mut question = Problem::new(0.0, 1.0, solution(0.0));
    let (outcome, steps) = run(&mut problem(), &question, options);
    assert_eq!(outcome.stop, StopReason::ReachedEnd);
    question.output = Output::every(0.0, 1.0, 1.0 / 229.0);
    let (_, samples) = run(&mut problem(), &question, options);
    let largest =
        |samples: &[(f64, Vec<f64>)]| samples.iter().map(|(t, y)| distance(*t, y)).fold(0.0, f64::max);
    (largest(&steps), largest(&samples), outcome.stats.accepted as f64)
}

/// The slope of ln(error) over −ln(steps), fitted over all runs: single ratios suffer where an error changes its sign.
fn order(points: &[(f64, f64)]) -> f64 {
    let logs: Vec<(f64, f64)> = points.iter().map(|(n, e)| (n.ln(), -e.ln())).collect();
    let mean = |f: fn(&(f64, f64)) -> f64| logs.iter().map(f).sum::<f64>() / logs.len() as f64;
    let (x, y) = (mean(|p| p.0), mean(|p| p.1));
    let covariance: f64 = logs.iter().map(|p| (p.0 - x) * (p.1 - y)).sum();
    covariance / logs.iter().map(|p| (p.0 - x).powi(2)).sum::<f64>()
}

fn assert_orders(runs: &[Options], end: f64, dense: f64) {
    let measured: Vec<(f64, f64, f64)> = runs.iter().map(errors).collect();
    let found = (
        order(&measured.iter().map(|m| (m.2, m.0)).collect::<Vec<_>>()),
        order(&measured.iter().map(|m| (m.2, m.1)).collect::<Vec<_>>()),
    );
    assert!(found.0 > end - 0.3 && found.0 < end + 1.7, "{found:?} {measured:?}");
    assert!(found.1 > dense - 0.4 && found.1 < dense + 0.9, "{found:?} {measured:?}");
}

/// The method with all steps of size 1/n: tolerances so loose that every step passes.
fn equal_steps(method: Method, n: &[f64]) -> Vec<Options> {
    n.iter()
        .map(|n| Options {
            first_step: Some(1.0 / n),
            max_step: 1.0 / n,
            fixed_step: 1.0 / n,
            ..Options::with_method(method).tolerances(0.99, 1e9)
        })
        .collect()
}

#[test]
fn rk4_converges_with_order_4() {
    assert_orders(&equal_steps(Method::Rk4, &[40.0, 80.0, 160.0, 320.0]), 4.0, 4.0);
}

#[test]
fn dopri5_converges_with_order_5_and_dense_order_5() {
    // A dense output of order 4 has a local error of order 5, as large as the global error of the method.
    assert_orders(&equal_steps(Method::Dopri5, &[20.0, 40.0, 80.0, 160.0]), 5.0, 5.0);
}

#[test]
fn dop853_converges_with_order_8() {
    assert_orders(&equal_steps(Method::Dop853, &[8.0, 12.0, 18.0, 27.0]), 8.0, 8.0);
}

#[test]
fn radau5_converges_with_order_5_and_dense_order_4() {
    // Newton's iteration is as accurate as the tolerance: the step sizes come from it.
    let runs: Vec<Options> = [1e-4, 1e-6, 1e-8, 1e-10]
        .map(|tolerance| Options::with_method(Method::Radau5).tolerances(tolerance, tolerance))
        .to_vec();
    assert_orders(&runs, 5.0, 4.0);
}

#[test]
fn tighter_tolerances_give_smaller_errors() {
    for method in [Method::Dopri5, Method::Dop853, Method::Radau5] {
        let mut last = f64::INFINITY;
        for digits in [4, 6, 8, 10] {
            let tolerance = 10f64.powi(-digits);
            let options = Options::with_method(method).tolerances(tolerance, tolerance);
            let (outcome, _) = run(&mut problem(), &Problem::new(0.0, 2.0, solution(0.0)), &options);
            let error = outcome
                .y_reached
                .iter()
                .zip(solution(2.0))
                .map(|(y, exact)| (y - exact).abs() / (1.0 + exact.abs()))
                .fold(0.0, f64::max);
            assert!(error < 300.0 * tolerance, "{method} {tolerance:e}: {error:e}");
            assert!(error < 0.3 * last, "{method} {tolerance:e}: {error:e} after {last:e}");
            last = error;
        }
    }
}
