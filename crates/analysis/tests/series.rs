//! Equilibria over a parameter against closed forms.

use crate::common;

use cardan_analysis::{SeriesQuestion, Stability, equilibrium_series};

/// A quasi-static motion: a load that grows with the time on a hardening spring, k x + c x³ = f t.
#[test]
fn a_series_over_time_is_quasi_static() {
    let text = "
        gravity = 0
        particle p on N by translate(x = x) { mass = 1 [kg] }
        force all on p.o from N = (-10 [N/m] * x - 5 [N/m^3] * x^3 + 3 [N/s] * t) * N.x
    ";
    let mut study = common::study(text, &[]);
    let question = SeriesQuestion { parameter: "t".into(), from: 0.0, to: 4.0, points: 9 };
    let found = equilibrium_series(&mut study, &question, 0.0).unwrap();
    assert!(found.complete && found.limits.is_empty() && found.points.len() >= 9);
    for point in &found.points {
        let x = point.state[0];
        assert!((10.0 * x + 5.0 * x.powi(3) - 3.0 * point.value).abs() < 1e-8, "{point:?}");
    }
    assert!((found.points[found.points.len() - 1].value - 4.0).abs() < 1e-12);
}

/// The truss of von Mises: two bars of stiffness k, span 2 b and height h, pushed down at the crown.
/// With y the height left and ℓ = √(b² + y²) the load is P = 2 k (L/ℓ − 1) y. It is greatest and
/// least where ℓ³ = L b².
#[test]
fn a_shallow_truss_snaps_through_its_limit_points() {
    let text = "
        parameter P = 0 [N], k = 1000 [N/m], b = 1 [m], h = 0.4 [m]
        variable L = sqrt(b^2 + h^2), len = sqrt(b^2 + y^2)
        particle crown on N by translate(y = y) { mass = 1 [kg] }
        force bars on crown.o from N = (2 * k * (L / len - 1) * y - P) * N.y
        start { y = h }
    ";
    let mut study = common::study(text, &["P"]);
    let question = SeriesQuestion { parameter: "P".into(), from: 0.0, to: 80.0, points: 21 };
    let series = equilibrium_series(&mut study, &question, 0.0).unwrap();
    assert!(series.complete);
    let (k, b, h) = (1000.0_f64, 1.0_f64, 0.4_f64);
    let l = b.hypot(h);
    let load = |y: f64| 2.0 * k * (l / b.hypot(y) - 1.0) * y;
    for p in &series.points {
        assert!((p.value - load(p.state[0])).abs() < 1e-7, "{p:?}");
    }
    let critical = ((l * b * b).powf(2.0 / 3.0) - b * b).sqrt();
    assert_eq!(series.limits.len(), 2, "{:?}", series.limits);
    for (limit, y) in series.limits.iter().zip([critical, -critical]) {
        assert!((limit.value - load(y)).abs() < 1e-9 * load(critical), "{limit:?}");
        assert!((limit.state[0] - y).abs() < 1e-5, "{limit:?}");
    }
    // Between the limit points it is not stable; beyond, it hangs through.
    let verdict = |y: f64| if y.abs() < critical { Stability::Unstable } else { Stability::Marginal };
    for p in series.points.iter().filter(|p| (p.state[0].abs() - critical).abs() > 1e-3) {
        assert_eq!(p.stability, Some(verdict(p.state[0])), "{p:?}");
    }
    let end = series.points.last().unwrap();
    assert!((end.value - 80.0).abs() < 1e-9 && end.state[0] < -0.4);
}

/// A pendulum that a torque lifts, with its tip on a closed loop of Cartesian coordinates: sin q = T/(m g L).
#[test]
fn a_constrained_series_follows_its_closed_form() {
    let text = "
        parameter F = 0 [N]
        gravity = -9.81 [m/s^2] * N.z
        particle bob on N by translate(x = x, z = z) { mass = 1 [kg] }
        constraint rod = mag(position(N.o, bob.o)) - 0.5 [m]
        force pull on bob.o from N = F * N.x
        start { x = 0; z = -0.5 [m] }
        output x, z
    ";
    let mut study = common::study(text, &["F"]);
    let question = SeriesQuestion { parameter: "F".into(), from: 0.0, to: 30.0, points: 11 };
    let series = equilibrium_series(&mut study, &question, 0.0).unwrap();
    assert!(series.complete && series.limits.is_empty() && series.points.len() >= 11);
    for p in &series.points {
        // The bob hangs along the force and the weight together.
        let known = 0.5 * p.value / p.value.hypot(9.81);
        assert!((p.outputs[0] - known).abs() < 1e-8, "{p:?} {known}");
    }
}
