//! Measured orders of convergence, of the end state and of the dense output.

mod common;

use cardan_solve::{Method, Options, Output, Problem};
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

/// Errors at the end and on a fine grid, with all steps of size `h`.
fn errors(method: Method, h: f64) -> (f64, f64) {
    // Tolerances so loose that every step of the wanted size passes.
    let mut options = Options::with_method(method).tolerances(0.99, 1e9);
    options.first_step = Some(h);
    options.max_step = h;
    options.fixed_step = h;
    let mut question = Problem::new(0.0, 1.0, solution(0.0));
    question.output = Output::every(0.0, 1.0, 1.0 / 129.0);
    let (outcome, samples) = run(&mut problem(), &question, &options);
    let distance =
        |t: f64, y: &[f64]| y.iter().zip(solution(t)).map(|(y, exact)| (y - exact).abs()).fold(0.0, f64::max);
    let inside = samples.iter().map(|(t, y)| distance(*t, y)).fold(0.0, f64::max);
    (distance(1.0, &outcome.y_reached), inside)
}

fn assert_orders(method: Method, steps: &[f64], end: f64, dense: f64) {
    let measured: Vec<(f64, f64)> = steps.iter().map(|n| errors(method, 1.0 / n)).collect();
    for (pair, n) in measured.windows(2).zip(steps.windows(2)) {
        let ratio = (n[1] / n[0]).log2();
        let orders = ((pair[0].0 / pair[1].0).log2() / ratio, (pair[0].1 / pair[1].1).log2() / ratio);
        assert!(orders.0 > end - 0.5, "{method}: {orders:?} {measured:?}");
        assert!(orders.1 > dense - 0.5, "{method}: {orders:?} {measured:?}");
    }
}

#[test]
fn rk4_converges_with_order_4() {
    assert_orders(Method::Rk4, &[40.0, 80.0, 160.0, 320.0], 4.0, 4.0);
}

#[test]
fn dopri5_converges_with_order_5_and_dense_order_5() {
    // A dense output of order 4 has a local error of order 5, as large as the global error of the method.
    assert_orders(Method::Dopri5, &[20.0, 40.0, 80.0, 160.0], 5.0, 5.0);
}

#[test]
fn dop853_converges_with_order_8() {
    assert_orders(Method::Dop853, &[8.0, 12.0, 18.0, 27.0], 8.0, 8.0);
}

#[test]
fn radau5_converges_with_order_5_and_dense_order_4() {
    assert_orders(Method::Radau5, &[20.0, 40.0, 80.0], 5.0, 4.0);
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
