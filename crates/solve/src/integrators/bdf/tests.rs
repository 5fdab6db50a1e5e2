//! The formulas by themselves: order of each, stability under projection, polynomials reproduced.

use super::*;
use crate::options::Absolute;
use crate::system::{Failure, System};

/// ẏ = −y², y = 1/(1 + t): derivatives of every order keep their signs, so errors do not cancel.
struct Hyperbola;

impl System for Hyperbola {
    fn dim(&self) -> usize {
        1
    }
    fn derivative(&mut self, _: f64, y: &[f64], dy: &mut [f64]) -> Result<(), Failure> {
        dy[0] = -y[0] * y[0];
        Ok(())
    }
    fn jacobian(&mut self, _: f64, y: &[f64], j: &mut Matrix) -> Result<bool, Failure> {
        j[(0, 0)] = -2.0 * y[0];
        Ok(true)
    }
}

fn exact(t: f64) -> f64 {
    1.0 / (1.0 + t)
}

/// The errors at t = 2 at the end and on the way between the last two points, by `n` steps of order `k` from exact starting values.
fn errors(k: usize, n: usize) -> (f64, f64) {
    let tolerance = Tolerance { rtol: 1e-13, atol: Absolute::Uniform(1e-13) };
    let h = 2.0 / n as f64;
    let mut bdf = Bdf::new(1, &tolerance, k);
    let mut system = Hyperbola;
    let mut evaluator = Evaluator::new(&mut system);
    let past: Vec<Vec<f64>> = (0..=k).map(|j| vec![exact(-(j as f64) * h)]).collect();
    bdf.start(&mut evaluator, 0.0, &past[0]).expect("the slope is finite");
    bdf.history = History::of(&past, h);
    (bdf.fresh, bdf.locked, bdf.order, bdf.last_order) = (false, true, k, k);
    let mut y = past[0].clone();
    for step in 0..n {
        let verdict = bdf.attempt(&mut evaluator, step as f64 * h, &y, h).expect("it is finite");
        assert!(matches!(verdict, Verdict::Accepted { .. }));
        y.copy_from_slice(bdf.end());
    }
    let mut middle = [0.0];
    bdf.interpolate(0.5, &mut middle);
    ((y[0] - exact(2.0)).abs(), (middle[0] - exact(2.0 - 0.5 * h)).abs())
}

#[test]
fn the_formula_of_order_k_converges_with_order_k() {
    for k in 1..=MAX_ORDER {
        let (coarse, fine) = (errors(k, 100), errors(k, 200));
        let order = |a: f64, b: f64| (a / b).log2();
        let found = (order(coarse.0, fine.0), order(coarse.1, fine.1));
        assert!((found.0 - k as f64).abs() < 0.35, "{k}: {found:?} {coarse:?} {fine:?}");
        assert!(found.1 > k as f64 - 0.35, "{k}: {found:?} {coarse:?} {fine:?}");
    }
}

#[test]
fn a_polynomial_of_degree_k_is_predicted_exactly_over_unequal_steps() {
    let k = 4;
    let polynomial = |t: f64| 1.0 + t * (2.0 - t * (0.5 + t * (0.25 - 0.125 * t)));
    let slope = |t: f64| 2.0 - t * (1.0 + t * (0.75 - 0.5 * t));
    let times = [0.0, 0.1, 0.2, 0.3, 0.4];
    let past: Vec<Vec<f64>> = times.iter().rev().map(|t| vec![polynomial(*t)]).collect();
    let mut history = History::of(&past, 0.1);
    let mut t = 0.4;
    for h in [0.1, 0.17, 0.05, 0.3] {
        let c = history.prepare(h, k);
        let (mut y, mut dy) = ([0.0], [0.0]);
        history.predict(&c, &mut y, &mut dy);
        t += h;
        assert!((y[0] - polynomial(t)).abs() < 1e-12, "{t}: {y:?}");
        assert!((dy[0] - slope(t)).abs() < 1e-11, "{t}: {dy:?} {}", slope(t));
        history.accept(&c, &[0.0]);
        let mut between = [0.0];
        history.interpolate(-0.35 * h, &mut between);
        assert!((between[0] - polynomial(t - 0.35 * h)).abs() < 1e-12, "{t}: {between:?}");
    }
}

#[test]
fn a_moved_value_changes_the_polynomial_at_the_newest_point_only() {
    let past: Vec<Vec<f64>> = [1.0, 0.5, 0.25, 2.0].iter().map(|y| vec![*y]).collect();
    let mut history = History::of(&past, 0.5);
    history.move_to(&[1.125]);
    for (j, known) in [1.125, 0.5, 0.25, 2.0].iter().enumerate() {
        let mut found = [0.0];
        history.interpolate(-0.5 * j as f64, &mut found);
        assert!((found[0] - known).abs() < 1e-15, "{j}: {found:?}");
    }
}

#[test]
fn a_past_that_moves_along_keeps_its_differences() {
    let past: Vec<Vec<f64>> = [1.0, 0.5, 0.25, 2.0].iter().map(|y| vec![*y]).collect();
    let mut history = History::of(&past, 0.5);
    history.carry_to(&[1.125]);
    for (j, known) in [1.125, 0.625, 0.375, 2.125].iter().enumerate() {
        let mut found = [0.0];
        history.interpolate(-0.5 * j as f64, &mut found);
        assert!((found[0] - known).abs() < 1e-15, "{j}: {found:?}");
    }
}

/// ẋ = −y, ẏ = x on the unit circle.
struct Circle;

impl System for Circle {
    fn dim(&self) -> usize {
        2
    }
    fn derivative(&mut self, _: f64, y: &[f64], dy: &mut [f64]) -> Result<(), Failure> {
        dy.copy_from_slice(&[-y[1], y[0]]);
        Ok(())
    }
    fn jacobian(&mut self, _: f64, _: &[f64], j: &mut Matrix) -> Result<bool, Failure> {
        (j[(0, 1)], j[(1, 0)]) = (-1.0, 1.0);
        Ok(true)
    }
}

/// `n` steps of order `k` to t = 2, each pulled onto the circle but for a noise: the error at the end, and the largest correction of a prediction.
fn around(k: usize, n: usize, noise: f64) -> (f64, f64) {
    let tolerance = Tolerance { rtol: 1e-6, atol: Absolute::Uniform(1e-6) };
    let h = 2.0 / n as f64;
    let mut bdf = Bdf::new(2, &tolerance, k);
    let mut system = Circle;
    let mut evaluator = Evaluator::new(&mut system);
    let place = |t: f64| vec![t.cos(), t.sin()];
    let past: Vec<Vec<f64>> = (0..=k).map(|j| place(-(j as f64) * h)).collect();
    bdf.start(&mut evaluator, 0.0, &past[0]).expect("the slope is finite");
    bdf.history = History::of(&past, h);
    (bdf.fresh, bdf.locked, bdf.order, bdf.last_order) = (false, true, k, k);
    let mut y = past[0].clone();
    let mut largest = 0.0f64;
    for step in 0..n {
        let verdict = bdf.attempt(&mut evaluator, step as f64 * h, &y, h).expect("it is finite");
        assert!(matches!(verdict, Verdict::Accepted { .. }));
        let end = bdf.end();
        let radius = end[0].hypot(end[1]) * (1.0 + noise * (step as f64 * 12.9898).sin());
        y = vec![end[0] / radius, end[1] / radius];
        largest = bdf.correction.iter().fold(largest, |m, e| m.max(e.abs()));
    }
    let known = place(2.0);
    ((y[0] - known[0]).hypot(y[1] - known[1]), largest)
}

#[test]
fn projection_keeps_the_order() {
    for k in 1..=MAX_ORDER {
        let (coarse, fine) = (around(k, 50, 0.0).0, around(k, 100, 0.0).0);
        let order = (coarse / fine).log2();
        assert!(order > k as f64 - 0.35 && fine < 0.05, "{k}: {order} {coarse:e} {fine:e}");
    }
}

#[test]
fn rounding_of_projections_is_in_no_difference() {
    let noise = 1e-10;
    let (quiet, noisy) = (around(6, 200, 0.0).1, around(6, 200, noise).1);
    // A difference of order seven of the noise itself would be some sixty times the noise.
    assert!(quiet < 1e-12 && noisy < noise, "{quiet:e} {noisy:e}");
}
