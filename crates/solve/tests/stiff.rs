//! Stiff problems of the literature by both implicit methods; Radau has more of them in `classics.rs`.

use crate::common;

use cardan_solve::{Method, Options, Output, Problem, StopReason};
use common::{Ode, run};

const IMPLICIT: [Method; 2] = [Method::Bdf, Method::Radau5];

/// Runs to the end and asserts the relative error of every component.
fn assert_end(ode: &mut Ode, problem: &Problem, options: &Options, known: &[f64], tolerance: f64) -> u64 {
    let (outcome, _) = run(ode, problem, options);
    assert_eq!(outcome.stop, StopReason::ReachedEnd, "{}", options.method);
    let error = outcome.y_reached.iter().zip(known).map(|(y, k)| ((y - k) / k).abs()).fold(0.0, f64::max);
    assert!(error < tolerance, "{}: {error:e} {:?} {:?}", options.method, outcome.y_reached, outcome.stats);
    outcome.stats.evaluations
}

/// Van der Pol's oscillator in scaled time.
fn van_der_pol(epsilon: f64) -> Ode {
    Ode::new(2, move |_, y, dy| {
        dy[0] = y[1];
        dy[1] = ((1.0 - y[0] * y[0]) * y[1] - y[0]) / epsilon;
    })
    .with_jacobian(move |_, y, j| {
        j[(0, 1)] = 1.0;
        j[(1, 0)] = (-2.0 * y[0] * y[1] - 1.0) / epsilon;
        j[(1, 1)] = (1.0 - y[0] * y[0]) / epsilon;
    })
}

#[test]
fn van_der_pol_reaches_the_reference() {
    // Test Set for IVP Solvers (Mazzia & Magherini 2008), VDPOL: ε = 1e-6, t = 2.
    let known = [1.706_167_732_170_483, -0.892_809_701_024_795_2];
    for (tolerance, error) in [(1e-6, 1e-4), (1e-8, 1e-6), (1e-10, 1e-8)] {
        let options = Options::with_method(Method::Bdf).tolerances(tolerance, tolerance);
        assert_end(&mut van_der_pol(1e-6), &Problem::new(0.0, 2.0, [2.0, 0.0]), &options, &known, error);
    }
}

/// What the method costs: a change that makes it dearer is seen here.
#[test]
fn van_der_pol_costs_what_it_did() {
    let options = Options::with_method(Method::Bdf).tolerances(1e-8, 1e-8);
    let (outcome, _) = run(&mut van_der_pol(1e-6), &Problem::new(0.0, 2.0, [2.0, 0.0]), &options);
    let s = outcome.stats;
    let costs = (s.accepted, s.rejected, s.evaluations, s.jacobians, s.factorisations);
    assert_eq!(costs, (2228, 61, 3755, 18, 247));
}

#[test]
fn van_der_pol_of_a_million_in_its_own_time() {
    // μ = 1e6, t = 0.5 μ: the scaled oscillator with ε = 1/μ² at 0.5.
    let mu = 1e6;
    let mut own = Ode::new(2, move |_, y, dy| {
        dy[0] = y[1];
        dy[1] = mu * (1.0 - y[0] * y[0]) * y[1] - y[0];
    });
    let mut options = Options::with_method(Method::Bdf).tolerances(1e-9, 1e-9);
    options.atol = cardan_solve::Absolute::Each(vec![1e-9, 1e-15]);
    let (found, _) = run(&mut own, &Problem::new(0.0, 0.5 * mu, [2.0, 0.0]), &options);
    let options = Options::with_method(Method::Radau5).tolerances(1e-10, 1e-10);
    let (scaled, _) = run(&mut van_der_pol(1.0 / (mu * mu)), &Problem::new(0.0, 0.5, [2.0, 0.0]), &options);
    assert_eq!((&found.stop, &scaled.stop), (&StopReason::ReachedEnd, &StopReason::ReachedEnd));
    assert!((found.y_reached[0] - scaled.y_reached[0]).abs() < 1e-7, "{found:?} {scaled:?}");
    assert!((mu * found.y_reached[1] - scaled.y_reached[1]).abs() < 1e-7, "{found:?} {scaled:?}");
}

#[test]
fn robertson_reaches_the_reference() {
    // Test Set for IVP Solvers, ROBER, t = 1e11.
    let known = [0.208_334_014_970_12e-7, 0.833_336_077_033_47e-13, 0.999_999_979_166_505];
    let mut ode = Ode::new(3, |_, y, dy| {
        let (slow, fast, pair) = (0.04 * y[0], 3e7 * y[1] * y[1], 1e4 * y[1] * y[2]);
        dy.copy_from_slice(&[pair - slow, slow - fast - pair, fast]);
    })
    .with_jacobian(|_, y, j| {
        let columns = [
            [-0.04, 0.04, 0.0],
            [1e4 * y[2], -6e7 * y[1] - 1e4 * y[2], 6e7 * y[1]],
            [1e4 * y[1], -1e4 * y[1], 0.0],
        ];
        for (c, column) in columns.iter().enumerate() {
            j.column_mut(c).copy_from_slice(column);
        }
    });
    let options = Options::with_method(Method::Bdf).tolerances(1e-10, 1e-20);
    assert_end(&mut ode, &Problem::new(0.0, 1e11, [1.0, 0.0, 0.0]), &options, &known, 1e-6);
}

#[test]
fn hires_reaches_the_reference() {
    // High irradiance response of photomorphogenesis (Schäfer 1975); Hairer & Wanner II, (IV.10.4). Test Set, HIRES, t = 321.8122.
    let known = [
        0.737_131_257_332_566_8e-3,
        0.144_248_572_631_618_5e-3,
        0.588_872_974_096_757_5e-4,
        0.117_565_134_328_314_9e-2,
        0.238_635_619_883_133_1e-2,
        0.623_896_825_274_279_6e-2,
        0.284_999_839_518_576_9e-2,
        0.285_000_160_481_423_1e-2,
    ];
    for method in IMPLICIT {
        let mut ode = Ode::new(8, |_, y, dy| {
            let pair = 280.0 * y[5] * y[7];
            dy[0] = -1.71 * y[0] + 0.43 * y[1] + 8.32 * y[2] + 0.0007;
            dy[1] = 1.71 * y[0] - 8.75 * y[1];
            dy[2] = -10.03 * y[2] + 0.43 * y[3] + 0.035 * y[4];
            dy[3] = 8.32 * y[1] + 1.71 * y[2] - 1.12 * y[3];
            dy[4] = -1.745 * y[4] + 0.43 * y[5] + 0.43 * y[6];
            dy[5] = -pair + 0.69 * y[3] + 1.71 * y[4] - 0.43 * y[5] + 0.69 * y[6];
            dy[6] = pair - 1.81 * y[6];
            dy[7] = -dy[6];
        });
        let options = Options::with_method(method).tolerances(1e-9, 1e-12);
        let problem = Problem::new(0.0, 321.8122, [1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0057]);
        assert_end(&mut ode, &problem, &options, &known, 1e-6);
    }
}

#[test]
fn the_oregonator_reaches_the_reference() {
    // Hairer & Wanner II, (IV.10.3); Test Set, OREGO, t = 360.
    let known = [0.100_081_487_031_852_3e1, 0.122_817_852_154_991_7e4, 0.132_055_494_284_670_6e3];
    for method in IMPLICIT {
        let mut ode = Ode::new(3, |_, y, dy| {
            dy[0] = 77.27 * (y[1] + y[0] * (1.0 - 8.375e-6 * y[0] - y[1]));
            dy[1] = (y[2] - (1.0 + y[0]) * y[1]) / 77.27;
            dy[2] = 0.161 * (y[0] - y[2]);
        });
        let options = Options::with_method(method).tolerances(1e-9, 1e-12);
        assert_end(&mut ode, &Problem::new(0.0, 360.0, [1.0, 2.0, 3.0]), &options, &known, 2e-6);
    }
}

#[test]
fn the_order_is_chosen_for_accuracy_and_within_its_limit() {
    // A smooth nonstiff motion: each order more saves steps at a tight tolerance.
    let steps = |max_order: usize| {
        let mut ode = Ode::new(1, |t, y, dy| dy[0] = -10.0 * (y[0] - t.cos()) - t.sin());
        let options = Options { max_order, ..Options::with_method(Method::Bdf).tolerances(1e-9, 1e-9) };
        let (outcome, _) = run(&mut ode, &Problem::new(0.0, 10.0, [1.0]), &options);
        assert!((outcome.y_reached[0] - 10f64.cos()).abs() < 1e-7, "{max_order} {outcome:?}");
        outcome.stats.accepted
    };
    let counts: Vec<u64> = (2..=6).map(steps).collect();
    assert!(counts.is_sorted_by(|a, b| a > b), "{counts:?}");
}

#[test]
fn a_stiff_oscillation_keeps_the_order_low_enough_to_be_damped() {
    // λ = −10 ± 1000 i and a slow forcing: above order 2 the formulas amplify at hλ of size 1 to 10.
    let mut ode = Ode::new(2, |t, y, dy| {
        let (a, b) = (y[0] - t.cos(), y[1] - t.sin());
        dy[0] = -10.0 * a - 1000.0 * b - t.sin();
        dy[1] = 1000.0 * a - 10.0 * b + t.cos();
    });
    let options = Options::with_method(Method::Bdf).tolerances(1e-6, 1e-6);
    let mut problem = Problem::new(0.0, 50.0, [1.1, 0.0]);
    problem.output = Output::every(0.0, 50.0, 0.05);
    let (outcome, samples) = run(&mut ode, &problem, &options);
    assert_eq!(outcome.stop, StopReason::ReachedEnd);
    for (t, y) in samples.iter().filter(|(t, _)| *t > 2.0) {
        assert!((y[0] - t.cos()).abs() < 1e-4 && (y[1] - t.sin()).abs() < 1e-4, "{t} {y:?}");
    }
    assert!(outcome.stats.accepted < 30_000, "{:?}", outcome.stats);
}

#[test]
fn backward_in_time_and_dense_output() {
    let mut ode = Ode::new(2, |_, y, dy| dy.copy_from_slice(&[y[1], -y[0]]));
    let options = Options::with_method(Method::Bdf).tolerances(1e-10, 1e-10);
    let mut problem = Problem::new(1.0, -2.0, [1f64.sin(), 1f64.cos()]);
    problem.output = Output::every(1.0, -2.0, 0.013);
    let (outcome, samples) = run(&mut ode, &problem, &options);
    assert_eq!(outcome.stop, StopReason::ReachedEnd);
    for (t, y) in samples {
        assert!((y[0] - t.sin()).abs() < 1e-8 && (y[1] - t.cos()).abs() < 1e-8, "{t} {y:?}");
    }
}
