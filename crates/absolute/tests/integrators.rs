//! Orders of convergence: every integrator on every index, as theory says. `book/src/theory/large.md` shows the figure.

use crate::comparison::model;
use cardan_absolute::AbsoluteMotion;
use cardan_absolute::implicit::Walk;
use cardan_absolute::implicit::bdf::{Bdf, Index, MAX_ORDER};
use cardan_absolute::implicit::generalised_alpha::GeneralisedAlpha;
use cardan_absolute::mechanism::Mechanism;
use cardan_absolute::mechanism::works::Works;

/// A spatial double pendulum with a torsion spring: two universal joints, nothing of it planar.
const TEXT: &str = "
    gravity = -9.81 [m/s^2] * N.z
    body one on N by universal(xy) {
      mass = 1 [kg]; inertia = (0.09, 0.08, 0.02) [kg*m^2]; center = (0, 0.05, -0.5) [m]
    }
    body two on one by universal(yx) at (0, 0, -1) [m] {
      mass = 1 [kg]; inertia = (0.08, 0.09, 0.03) [kg*m^2]; center = (0.05, 0, -0.5) [m]
    }
    spring s between one.o and two.o { stiffness = 20 [N/m]; length = 0.8 [m] }
    start { one.x = 30 [deg]; two.y = -20 [deg] }
";
const END: f64 = 0.48;

/// The state after a while by the classical method with very short steps, at each of `n` equal intervals.
fn reference(m: &mut Mechanism<'_>, start: &[f64], n: usize) -> Vec<Vec<f64>> {
    let parts = 4800 / n;
    let h = END / (n * parts) as f64;
    let mut y = start.to_vec();
    let mut found = vec![y.clone()];
    let mut slopes = vec![vec![0.0; y.len()]; 4];
    for k in 0..n * parts {
        for s in 0..4 {
            let part = [0.0, 0.5, 0.5, 1.0][s] * h;
            let place: Vec<f64> =
                (0..y.len()).map(|i| y[i] + if s == 0 { 0.0 } else { part * slopes[s - 1][i] }).collect();
            let mut dy = vec![0.0; y.len()];
            m.derivative(0.0, &place, &mut dy).expect("a slope");
            slopes[s] = dy;
        }
        for i in 0..y.len() {
            y[i] += h / 6.0 * (slopes[0][i] + 2.0 * slopes[1][i] + 2.0 * slopes[2][i] + slopes[3][i]);
        }
        if (k + 1) % parts == 0 {
            m.project(0.0, &mut y).expect("a projection");
            found.push(y.clone());
        }
    }
    found
}

fn walk(from: f64, h: f64) -> Walk {
    Walk { ends: (from, END), tolerances: (1e-11, 1e-11), first: Some(h), longest: h, limit: 100_000 }
}

/// Errors of positions and of multipliers at the end with `n` steps.
fn by_differences(index: Index, order: usize, n: usize) -> (f64, f64) {
    let model = model(TEXT);
    let mut motion = AbsoluteMotion::of(&model, 0.0).expect("parts");
    let start = motion.start.clone();
    let exact = reference(&mut motion.mechanism, &start, n);
    let h = END / n as f64;
    let times: Vec<f64> = (0..=order).rev().map(|k| k as f64 * h).collect();
    let states: Vec<Vec<f64>> = (0..=order).rev().map(|k| exact[k].clone()).collect();
    let mut other = motion.mechanism.clone();
    other.accelerate(END, &exact[n]).expect("accelerations");
    let mut method = Bdf::new(&mut motion.mechanism, Works::default(), index)
        .expect("a pattern")
        .with_history(order, times, states);
    let (_, t, y) = method.run(walk(order as f64 * h, h), &exact[order], &mut |_, _| true);
    assert_eq!(t, END, "{index:?}, order {order}, {n} steps");
    let gap = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    let size = other.lambda.iter().fold(0.0f64, |m, x| m.max(x.abs()));
    (gap(&y, &exact[n]), gap(method.multipliers(), &other.lambda) / size)
}

#[test]
fn backward_differences_are_of_their_orders_on_every_index() {
    let mut table = String::new();
    for index in [Index::Three, Index::Two, Index::One] {
        for order in 1..=MAX_ORDER {
            // Steps at which the error is far from rounding and far from one.
            let n = [960, 480, 240, 240, 80, 60][order - 1];
            let [first, coarse, fine] = [n / 2, n, 2 * n].map(|n| by_differences(index, order, n));
            let [q, lambda] = [(coarse.0, fine.0), (coarse.1, fine.1)].map(|(a, b)| (a / b).log2());
            table += &format!(
                "{index:?} {order} {n}: {:.2e} {:.2e} {:.2e} order {q:.2}; multipliers {:.2e} {:.2e} order {lambda:.2}\n",
                first.0, coarse.0, fine.0, coarse.1, fine.1
            );
            assert!((q - order as f64).abs() < 0.35, "positions\n{table}");
            assert!(lambda > order as f64 - 0.5, "multipliers\n{table}");
        }
    }
    println!("{table}");
}

#[test]
fn generalised_alpha_is_of_second_order() {
    let error = |n: usize| {
        let model = model(TEXT);
        let mut motion = AbsoluteMotion::of(&model, 0.0).expect("parts");
        let start = motion.start.clone();
        let exact = reference(&mut motion.mechanism, &start, n);
        let mut method = GeneralisedAlpha::new(&mut motion.mechanism).expect("a pattern");
        let walk = Walk { tolerances: (1e-5, 1e-5), ..walk(0.0, END / n as f64) };
        let (_, _, y) = method.run(walk, &start, &mut |_, _| true);
        y.iter().zip(&exact[n]).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
    };
    let (coarse, fine) = (error(240), error(480));
    let order = (coarse / fine).log2();
    assert!((order - 2.0).abs() < 0.2, "{coarse:.1e}, {fine:.1e}: order {order:.2}");
}

/// Explicit methods in projected coordinates: the classical one is of order 4.
#[test]
fn projected_steps_keep_the_order() {
    use cardan::prelude::*;
    let model = model(TEXT);
    let mut motion = AbsoluteMotion::of(&model, 0.0).expect("parts");
    let start = motion.start.clone();
    let exact = reference(&mut motion.mechanism, &start, 8);
    motion.mechanism.measure(&exact[8], true);
    let last = |n: usize| {
        let settings = Settings {
            to: END,
            every: Some(END),
            method: Method::Rk4,
            step: Some(END / n as f64),
            ..Settings::default()
        };
        let found =
            AbsoluteMotion::of(&model, 0.0).expect("parts").run(&settings, &mut ()).expect("a motion");
        let row = found.rows.row(found.rows.len() - 1);
        [row[1], row[4]]
    };
    let (a, b, c) = (last(24), last(48), last(96));
    let ratio = |k: usize| ((a[k] - b[k]) / (b[k] - c[k])).abs().log2();
    assert!((ratio(0) - 4.0).abs() < 0.4 && (ratio(1) - 4.0).abs() < 0.4, "{} {}", ratio(0), ratio(1));
}
