//! Motions with published or closed-form results.

use crate::common;

use cardan_jit::EngineKind;
use cardan_sim::{Ending, Settings, Verdict};
use cardan_solve::Method;
use common::{Pendulum, compile, heavy_top, run};

/// IFToMM library of computational benchmark problems, A01: released horizontally; (t, x, y) of the bob, y up.
const A01: [(f64, f64, f64); 3] = [
    (0.1, -0.998797482749890, -0.049026405665558),
    (0.2, -0.980863395977730, -0.194697196772410),
    (0.3, -0.905342850921633, -0.424681436237906),
];

#[test]
fn the_pendulum_follows_the_published_motion() {
    // The bob at (x, up) = (-1, 0): a positive turn about y takes -z to -x.
    let model = Pendulum::new(Some(1)).start(1, 2).finish();
    let trajectory = run(&model, &Settings { to: 10.0, every: Some(0.1), ..Settings::default() });
    assert_eq!(trajectory.ending, Ending::Finished);
    let (t, q) = (trajectory.times(), trajectory.series("q").unwrap());
    for (time, x, y) in A01 {
        let k = t.iter().position(|t| (t - time).abs() < 1e-9).unwrap();
        assert!((-q[k].sin() - x).abs() < 1e-9, "x at {time}: {} against {x}", -q[k].sin());
        assert!((-q[k].cos() - y).abs() < 1e-9, "y at {time}: {} against {y}", -q[k].cos());
    }
    assert!(trajectory.audit.worst().0 < 1e-8, "{}", trajectory.audit);
    assert_eq!(trajectory.audit.verdict(), Verdict::Holds);
}

/// The published state at t = 0.2 s (about 12 digits).
#[test]
fn the_heavy_top_follows_the_published_motion() {
    let trajectory = run(&heavy_top(), &Settings { to: 0.2, ..Settings::default() });
    let expected = [
        ("e0", -0.708279152974313),
        ("e1", 0.438781088126582),
        ("e2", 0.545728396145418),
        ("e3", 0.089399752824005),
        ("wx", -2.6915909121434),
        ("wy", 150.0),
        ("wz", 4.9172609898940),
    ];
    for (name, value) in expected {
        let found = trajectory.last(name).unwrap();
        assert!((found - value).abs() < 2e-8 * value.abs().max(1.0), "{name}: {found} against {value}");
    }
    assert!(trajectory.norm_drift > 0.0 && trajectory.norm_drift < 1e-9, "{}", trajectory.norm_drift);
    let norm: f64 = ["e0", "e1", "e2", "e3"].iter().map(|e| trajectory.last(e).unwrap().powi(2)).sum();
    assert!((norm - 1.0).abs() < 1e-15);
    assert_eq!(trajectory.audit.verdict(), Verdict::Holds);
}

/// The work of a torque that is constant on either side of its step follows from the angles alone.
#[test]
fn a_torque_that_steps_does_the_work_that_it_should() {
    let model = Pendulum::new(Some(1)).stepped_torque((1, 3), 5, -2).finish();
    let trajectory = run(&model, &Settings { to: 1.0, every: Some(0.5), ..Settings::default() });
    assert_eq!(trajectory.breakpoints, [1.0 / 3.0]);
    // W = 5 q(1/3) - 2 (q(1) - q(1/3)); q(1/3) from a run that ends there.
    let early = run(&model, &Settings { to: 1.0 / 3.0, ..Settings::default() });
    let (q1, q2) = (early.last("q").unwrap(), trajectory.last("q").unwrap());
    let work = trajectory.last("work.drive").unwrap();
    assert!((work - (7.0 * q1 - 2.0 * q2)).abs() < 1e-9, "{work}");
    assert!(trajectory.audit.relative() < 1e-10, "{}", trajectory.audit);
    // With the breakpoint known the integrator needs few steps.
    assert!(trajectory.statistics.rejected < 5, "{:?}", trajectory.statistics);
}

#[test]
fn methods_and_engines_agree() {
    let model = Pendulum::new(Some(1)).start(2, 3).stepped_torque((1, 2), 1, 0).finish();
    let native = compile(&model, EngineKind::Native);
    let interpreted = compile(&model, EngineKind::Interpreter);
    let settings = Settings { to: 2.0, ..Settings::default() };
    let reference = native.run(&settings, &mut ()).unwrap();
    assert_eq!(reference, interpreted.run(&settings, &mut ()).unwrap());
    for (method, tolerance) in [
        (Method::Radau5, 1e-7),
        (Method::Bdf, 1e-7),
        (Method::Dopri5, 1e-8),
        (Method::Dop853, 1e-9),
        (Method::Rk4, 1e-9),
    ] {
        let other = native.run(&Settings { method, ..settings.clone() }, &mut ()).unwrap();
        for name in ["q", "der(q)", "work.drive"] {
            let (a, b) = (reference.last(name).unwrap(), other.last(name).unwrap());
            assert!((a - b).abs() < tolerance, "{method} {name}: {a} against {b}");
        }
    }
}

#[test]
fn backward_in_time_returns() {
    let model = Pendulum::new(Some(1)).start(1, 3).finish();
    let there = run(&model, &Settings { to: -2.0, ..Settings::default() });
    assert_eq!(there.reached, -2.0);
    // Started at rest, the motion is even in time.
    let forward = run(&model, &Settings { to: 2.0, ..Settings::default() });
    assert!((there.last("q").unwrap() - forward.last("q").unwrap()).abs() < 1e-9);
}
