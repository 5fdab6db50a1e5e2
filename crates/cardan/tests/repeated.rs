//! Mechanisms that move although their equations are as many as their coordinates, or more: which rows repeat others must not depend on
//! where the motion begins, and those that are kept must say enough everywhere.

use cardan::analysis::{EquilibriumOptions, Study, equilibrium};
use cardan::assembly::ParameterValues;
use cardan::prelude::*;

fn compiled(text: &str) -> Compiled {
    let model = resolve(parse("repeated.mbs", text)).into_model().unwrap_or_else(|e| panic!("{e}\n{text}"));
    compile_model(&model, Options::default()).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

fn motion(compiled: &Compiled) -> Trajectory {
    let model = compiled.model();
    let settings = Settings::of(model, &ParameterValues::of(model)).expect("good settings");
    let run = compiled.simulation.run(&settings, &mut ()).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(run.ending, Ending::Finished, "{}", run.reason);
    run
}

fn column(run: &Trajectory, name: &str) -> Vec<f64> {
    let k = run.columns.iter().position(|c| c.name == name).unwrap_or_else(|| panic!("{name}"));
    run.rows.iter().map(|row| row[k]).collect()
}

/// Three equal cranks on one rod, a spring at the first and a damper at the third.
fn cranks(start: &str) -> String {
    format!(
        "parameter r = 0.3 [m]
body left on N by revolute(z, q = a) at (0, 0.6, 0) [m] {{ mass = 1 [kg]; inertia = (0.1, 0.1, 0.1) [kg*m^2]; point e = (-r, 0, 0) }}
body right on N by revolute(z, q = b) at (0, -0.6, 0) [m] {{ mass = 1 [kg]; inertia = (0.1, 0.1, 0.1) [kg*m^2]; point e = (-r, 0, 0) }}
body mid on N by revolute(z, q = c) {{ mass = 1 [kg]; inertia = (0.1, 0.1, 0.1) [kg*m^2]; point e = (-r, 0, 0) }}
body rod on left by revolute(z, q = d) at left.e {{ mass = 2 [kg]; inertia = (0.1, 0.1, 0.1) [kg*m^2]; center = (0, -0.6, 0) [m]; point m = (0, -0.6, 0) [m]; point e = (0, -1.2, 0) [m] }}
joint j1 = revolute(rod.e, right.e, axis = z)
joint j2 = revolute(rod.m, mid.e, axis = z)
torsion_spring spring between left and N {{ stiffness = 50 [N*m/rad] }}
torsion_damper damper between mid and N {{ damping = 1 [N*m*s/rad] }}
output f = j2.force
start {{ {start} }}
simulate {{ to = 1 [s], every = 0.05 [s] }}
"
    )
}

/// The rod only shifts, so that J a'' + a' + 50 a = 0 with J = 3 · 0.1 + 2 · 0.3², whatever the angle.
#[test]
fn three_cranks_on_a_rod_have_one_freedom_wherever_they_begin() {
    let (j, c, k) = (0.48, 1.0, 50.0);
    let decay: f64 = c / (2.0 * j);
    let omega = (k / j - decay * decay).sqrt();
    for angle in [0.3, -0.3, 0.05, 1.0, 1.4, 2.0] {
        let compiled = compiled(&cranks(&format!("a = {angle}")));
        let loops = compiled.choice.loops.as_ref().expect("loops");
        assert_eq!((loops.mobility, loops.redundant.len()), (1, 1), "begun at {angle}");
        assert!(loops.not_unique.iter().any(|n| n == "f.y"), "{:?}", loops.not_unique);
        let run = motion(&compiled);
        for (t, a) in column(&run, "t").into_iter().zip(column(&run, "a")) {
            let law = angle * (-decay * t).exp() * ((omega * t).cos() + decay / omega * (omega * t).sin());
            // Beyond a quarter turn all of it passes the flat position.
            let tolerance = if angle < 1.5 { 1e-6 } else { 1e-4 };
            assert!((a - law).abs() < tolerance, "begun at {angle}: {a} against {law} at {t} s");
        }
    }
}

#[test]
fn three_cranks_rest_without_forces_and_swing_about_it() {
    for angle in [0.3, 1.0] {
        let compiled = compiled(&cranks(&format!("a = {angle}")));
        let mut study = Study::of(&compiled.choice, &[]).expect("a study");
        let found = equilibrium(&mut study, 0.0, &EquilibriumOptions::default()).expect("an equilibrium");
        assert!(found.balanced && found.state[..4].iter().all(|q| q.abs() < 1e-9), "{found:?}");
        let swing = found.eigenvalues.iter().find(|z| z.1 > 0.0).expect("a swing");
        assert!((swing.0 + 1.0 / 0.96).abs() < 1e-6 && (swing.1 - 10.152_913).abs() < 1e-5, "{swing:?}");
    }
}

/// Bennett's linkage: with a sin β = b sin α four hinges in space move although 6 (4 - 1) - 5 · 4 = -2, and
/// tan(q1/2) tan(q2/2) = sin((β + α)/2) / sin((β - α)/2) all the way round.
#[test]
fn bennetts_linkage_turns_round() {
    let text = "
parameter a = 0.4 [m], alpha = 40 [deg], beta = 70 [deg], b = a * sin(beta) / sin(alpha)
gravity = -9.81 [m/s^2] * N.z
body one on N by revolute(z, q = q1) { mass = 1 [kg]; inertia = (0.01, 0.02, 0.03) [kg*m^2]; center = (a/2, 0, 0) }
frame end1 on one by fixed(rotate = xyz, angles = (alpha, 0, 0)) at (a, 0, 0)
body two on end1 by revolute(z, q = q2) { mass = 1 [kg]; inertia = (0.01, 0.02, 0.03) [kg*m^2]; center = (b/2, 0, 0) }
frame end2 on two by fixed(rotate = xyz, angles = (beta, 0, 0)) at (b, 0, 0)
body three on end2 by revolute(z, q = q3) { mass = 1 [kg]; inertia = (0.01, 0.02, 0.03) [kg*m^2]; center = (a/2, 0, 0) }
frame end3 on three by fixed(rotate = xyz, angles = (alpha, 0, 0)) at (a, 0, 0)
frame ground on N by fixed(rotate = xyz, angles = (-beta, 0, 0)) at (-b, 0, 0)
joint last = revolute(end3.o, ground.o, axis = z)
start { q1 = 60 [deg]; der(q1) = 6 [rad/s]; q2 ~ 100 [deg]; q3 ~ -60 [deg] }
simulate { to = 5 [s], every = 0.01 [s] }
";
    let compiled = compiled(text);
    assert_eq!(compiled.choice.loops.as_ref().expect("a loop").mobility, 1);
    let run = motion(&compiled);
    let (alpha, beta) = (40f64.to_radians(), 70f64.to_radians());
    let ratio = ((beta + alpha) / 2.0).sin() / ((beta - alpha) / 2.0).sin();
    let (first, second) = (column(&run, "q1"), column(&run, "q2"));
    for (q1, q2) in first.iter().zip(&second) {
        let (s1, c1) = (0.5 * q1).sin_cos();
        let (s2, c2) = (0.5 * q2).sin_cos();
        assert!((s1 * s2 - ratio * c1 * c2).abs() < 1e-9, "{q1} {q2}");
    }
    let range = first.iter().fold(0.0, |m: f64, q| m.max((q - first[0]).abs()));
    assert!(range > std::f64::consts::TAU, "it goes round: {range}");
    assert!(matches!(run.audit.verdict(), cardan::sim::Verdict::Holds), "{}", run.audit);
}

/// A linkage whose coupler has a pin that is parallel to the others to ten digits moves as one whose pins are parallel.
#[test]
fn axes_that_are_parallel_but_for_rounding_repeat_what_they_say() {
    let text = |axis: &str| {
        format!(
            "
gravity = -9.81 [m/s^2] * N.y
body a on N by revolute(z, q = p) {{ mass = 0.5 [kg]; inertia = (1e-4, 4e-4, 4e-4) [kg*m^2]; center = (0.05, 0, 0) [m]; point e = (0.1, 0, 0) [m] }}
body b on a by revolute({axis}, q = r) at a.e {{ mass = 0.8 [kg]; inertia = (1e-3, 8e-3, 8e-3) [kg*m^2]; center = (0.17, 0, 0) [m]; point e = (0.35, 0, 0) [m] }}
body c on N by revolute(z, q = s) at (0.3, 0, 0) [m] {{ mass = 0.6 [kg]; inertia = (1e-3, 3e-3, 3e-3) [kg*m^2]; center = (0.12, 0, 0) [m]; point e = (0.25, 0, 0) [m] }}
joint pin = revolute(b.e, c.e, axis = z)
start {{ p = 60 [deg]; r ~ -20 [deg]; s ~ 100 [deg]; der(p) = 20 [rad/s] }}
simulate {{ to = 1 [s], every = 0.1 [s], rtol = 1e-10 }}
"
        )
    };
    let end = |axis| *column(&motion(&compiled(&text(axis))), "p").last().expect("a row");
    let known = end("z");
    for axis in ["(1e-13, 0, 1)", "(1e-10, 0, 1)"] {
        assert!((end(axis) - known).abs() < 1e-7, "{axis}: {} instead of {known}", end(axis));
    }
}
