//! Problems of the literature with known answers, and what they cost.

use crate::common;

use cardan_solve::{Absolute, Method, Options, Outcome, Output, Problem, Stats, StopReason};
use common::{Ode, run};

fn largest_relative_error(found: &[f64], known: &[f64]) -> f64 {
    found.iter().zip(known).map(|(y, k)| ((y - k) / k).abs()).fold(0.0, f64::max)
}

fn assert_reached(outcome: &Outcome) {
    assert_eq!(outcome.stop, StopReason::ReachedEnd);
}

/// The restricted three-body problem with the Arenstorf orbit: Hairer, Nørsett & Wanner I, (II.0.1)–(II.0.2).
fn arenstorf() -> (Ode, Problem) {
    const MU: f64 = 0.012277471;
    let ode = Ode::new(4, |_, y, dy| {
        let nu = 1.0 - MU;
        let d1 = ((y[0] + MU).powi(2) + y[1] * y[1]).powf(1.5);
        let d2 = ((y[0] - nu).powi(2) + y[1] * y[1]).powf(1.5);
        dy[0] = y[2];
        dy[1] = y[3];
        dy[2] = y[0] + 2.0 * y[3] - nu * (y[0] + MU) / d1 - MU * (y[0] - nu) / d2;
        dy[3] = y[1] - 2.0 * y[2] - nu * y[1] / d1 - MU * y[1] / d2;
    });
    let period = 17.065_216_560_157_964;
    (ode, Problem::new(0.0, period, [0.994, 0.0, 0.0, -2.001_585_106_379_082_3]))
}

#[test]
fn the_arenstorf_orbit_closes() {
    for (method, tolerance, error, stats) in
        [(Method::Dopri5, 1e-7, 2e-2, (216, 24, 1442)), (Method::Dop853, 1e-12, 1e-6, (298, 61, 4249))]
    {
        let (mut ode, problem) = arenstorf();
        let options = Options::with_method(method).tolerances(tolerance, tolerance);
        let (outcome, _) = run(&mut ode, &problem, &options);
        assert_reached(&outcome);
        let distance =
            outcome.y_reached.iter().zip(&problem.y0).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(distance < error, "{method}: {distance:e}");
        let Stats { accepted, rejected, evaluations, .. } = outcome.stats;
        assert_eq!((accepted, rejected, evaluations), stats, "{method} {distance:e}");
    }
}

#[test]
fn a_kepler_ellipse_keeps_energy_and_momentum_and_returns() {
    let eccentricity: f64 = 0.6;
    let mut ode = Ode::new(4, |_, y, dy| {
        let cube = (y[0] * y[0] + y[1] * y[1]).powf(1.5);
        dy.copy_from_slice(&[y[2], y[3], -y[0] / cube, -y[1] / cube]);
    });
    let speed = ((1.0 + eccentricity) / (1.0 - eccentricity)).sqrt();
    let start = [1.0 - eccentricity, 0.0, 0.0, speed];
    let turns = 10.0;
    let problem = Problem::new(0.0, turns * std::f64::consts::TAU, start);
    let options = Options::with_method(Method::Dop853).tolerances(1e-12, 1e-14);
    let (outcome, samples) = run(&mut ode, &problem, &options);
    assert_reached(&outcome);
    for (t, y) in &samples {
        let energy = 0.5 * (y[2] * y[2] + y[3] * y[3]) - 1.0 / y[0].hypot(y[1]);
        assert!((energy + 0.5).abs() < 1e-11, "{t} {energy}");
        let momentum = y[0] * y[3] - y[1] * y[2];
        assert!((momentum - (1.0 - eccentricity * eccentricity).sqrt()).abs() < 1e-11, "{t} {momentum}");
    }
    for (found, known) in outcome.y_reached.iter().zip(start) {
        assert!((found - known).abs() < 1e-8, "{found} {known}");
    }
}

/// Van der Pol's oscillator, y'' = ((1 − y²) y' − y)/ε, started at (2, −0.66) as in the test set.
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
fn van_der_pol_in_scaled_time_reaches_the_reference() {
    // Test Set for IVP Solvers (Mazzia & Magherini 2008), VDPOL: μ = 1000, ε = 1/μ² = 1e-6, t = 2.
    let known = [1.706_167_732_170_483, -0.892_809_701_024_795_2];
    let options = Options::with_method(Method::Radau5).tolerances(1e-8, 1e-8);
    let (outcome, _) = run(&mut van_der_pol(1e-6), &Problem::new(0.0, 2.0, [2.0, 0.0]), &options);
    assert_reached(&outcome);
    let error = largest_relative_error(&outcome.y_reached, &known);
    assert!(error < 1e-7, "{error:e} {:?}", outcome.y_reached);
    let known = Stats {
        accepted: 1044,
        rejected: 9,
        evaluations: 8241,
        jacobians: 477,
        factorisations: 848,
        newton_iterations: 2398,
        event_evaluations: 0,
        projections: 0,
    };
    assert_eq!(outcome.stats, known);
}

#[test]
fn van_der_pol_inside_the_interval_and_from_another_start() {
    // From (2, −0.66) as in Hairer & Wanner II, IV.10; values at t = 1 and 2 by another program's Radau method at
    // 1e-11, 1e-12 and 1e-13, which agree to all digits given.
    let known =
        [[-1.863_646_006_138_85, 0.753_543_268_399_38], [1.706_167_437_543_16, -0.892_810_016_551_14]];
    let options = Options::with_method(Method::Radau5).tolerances(1e-10, 1e-10);
    let mut problem = Problem::new(0.0, 2.0, [2.0, -0.66]);
    problem.output = Output::Times(vec![1.0, 2.0]);
    let (outcome, samples) = run(&mut van_der_pol(1e-6), &problem, &options);
    assert_reached(&outcome);
    for (((_, y), known), tolerance) in samples.iter().zip(known).zip([2e-8, 1e-9]) {
        let error = largest_relative_error(y, &known);
        assert!(error < tolerance, "{error:e} {y:?}");
    }
}

#[test]
fn van_der_pol_in_its_own_time() {
    // The same oscillator unscaled, μ = 1000 and 1e6: y'' = μ (1 − y²) y' − y, with t = μ τ and y' = (dy/dτ)/μ.
    for mu in [1e3, 1e6] {
        let epsilon = 1.0 / (mu * mu);
        let mut ode = Ode::new(2, move |_, y, dy| {
            dy[0] = y[1];
            dy[1] = mu * (1.0 - y[0] * y[0]) * y[1] - y[0];
        });
        let options = |atol: f64| {
            let mut options = Options::with_method(Method::Auto).tolerances(1e-9, 1e-9);
            options.atol = Absolute::Each(vec![1e-9, atol]);
            options
        };
        let (own, _) = run(&mut ode, &Problem::new(0.0, 0.5 * mu, [2.0, 0.0]), &options(1e-9 / mu));
        let (scaled, _) = run(&mut van_der_pol(epsilon), &Problem::new(0.0, 0.5, [2.0, 0.0]), &options(1e-9));
        assert_reached(&own);
        assert_reached(&scaled);
        assert!((own.y_reached[0] - scaled.y_reached[0]).abs() < 1e-7, "{mu} {own:?} {scaled:?}");
        assert!((mu * own.y_reached[1] - scaled.y_reached[1]).abs() < 1e-7, "{mu} {own:?} {scaled:?}");
        assert_eq!(own.switches.len(), 1, "{:?}", own.switches);
    }
}

/// Robertson's reaction: Hairer & Wanner II, (IV.1.4).
fn robertson() -> Ode {
    Ode::new(3, |_, y, dy| {
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
    })
}

#[test]
fn robertson_reaches_the_reference() {
    // Test Set for IVP Solvers, ROBER, t = 1e11.
    let known = [0.208_334_014_970_12e-7, 0.833_336_077_033_47e-13, 0.999_999_979_166_505];
    for method in [Method::Radau5, Method::Auto] {
        let options = Options::with_method(method).tolerances(1e-10, 1e-20);
        let (outcome, _) = run(&mut robertson(), &Problem::new(0.0, 1e11, [1.0, 0.0, 0.0]), &options);
        assert_reached(&outcome);
        let error = largest_relative_error(&outcome.y_reached, &known);
        assert!(
            error < 1e-6,
            "{method} {error:e} {:?} {:?} {:?}",
            outcome.y_reached,
            outcome.stats,
            outcome.switches
        );
        assert!(outcome.stats.accepted < 2000, "{:?} {:?}", outcome.stats, outcome.switches);
    }
}

#[test]
fn robertson_by_finite_differences_agrees() {
    let mut exact = robertson();
    let mut differences = Ode::new(3, |_, y, dy| {
        let (slow, fast, pair) = (0.04 * y[0], 3e7 * y[1] * y[1], 1e4 * y[1] * y[2]);
        dy.copy_from_slice(&[pair - slow, slow - fast - pair, fast]);
    });
    let options = Options::with_method(Method::Radau5).tolerances(1e-8, 1e-14);
    let problem = Problem::new(0.0, 40.0, [1.0, 0.0, 0.0]);
    let (a, _) = run(&mut exact, &problem, &options);
    let (b, _) = run(&mut differences, &problem, &options);
    assert_reached(&a);
    assert!(largest_relative_error(&b.y_reached, &a.y_reached) < 1e-7, "{:?} {:?}", a, b);
}

#[test]
fn auto_switches_to_the_implicit_method_and_back() {
    // ẏ = −λ(t)(y − cos t) with λ = 1e4 in the middle third and 1 outside.
    let rate = |t: f64| 1.0 + 1e4 / (1.0 + ((t - 5.0) / 1.5).powi(16));
    let mut ode = Ode::new(1, move |t, y, dy| dy[0] = -rate(t) * (y[0] - t.cos()) - t.sin());
    let options = Options::with_method(Method::Auto).tolerances(1e-8, 1e-10);
    let (outcome, samples) = run(&mut ode, &Problem::new(0.0, 40.0, [1.0]), &options);
    assert_reached(&outcome);
    for (t, y) in samples {
        assert!((y[0] - t.cos()).abs() < 1e-6, "{t}");
    }
    let route: Vec<_> = outcome.switches.iter().map(|s| (s.from, s.to)).collect();
    assert_eq!(route, [(Method::Dop853, Method::Radau5), (Method::Radau5, Method::Dop853)], "{:?}", outcome);
    assert!(outcome.switches[0].t > 1.0 && outcome.switches[0].t < 4.0);
    assert!(outcome.switches[1].t > 6.0 && outcome.switches[1].t < 30.0);
    assert!(outcome.switches[0].reason.starts_with("stability limits the explicit steps"));
    assert_eq!(outcome.stiff_at, Some(outcome.switches[0].t));
}

#[test]
fn auto_begins_with_the_lower_order_at_loose_tolerances() {
    let options = Options::with_method(Method::Auto).tolerances(1e-4, 1e-6);
    let (outcome, _) = run(&mut van_der_pol(1e-6), &Problem::new(0.0, 0.5, [2.0, 0.0]), &options);
    assert_reached(&outcome);
    let route: Vec<_> = outcome.switches.iter().map(|s| (s.from, s.to)).collect();
    assert_eq!(route, [(Method::Dopri5, Method::Radau5)]);
    assert!(outcome.switches[0].t < 1e-3, "{:?}", outcome.switches);
}

#[test]
fn an_explicit_method_that_meets_stiffness_goes_on_and_tells() {
    let options = Options::with_method(Method::Dop853).tolerances(1e-8, 1e-8);
    let (outcome, _) = run(&mut van_der_pol(1e-4), &Problem::new(0.0, 0.1, [2.0, 0.0]), &options);
    assert_reached(&outcome);
    assert!(outcome.switches.is_empty() && outcome.stiff_at.is_some_and(|t| t < 0.05), "{outcome:?}");
}
