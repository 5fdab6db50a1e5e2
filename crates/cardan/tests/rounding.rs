//! Joints that repeat others up to the last digit hold nothing: what cancellation leaves of a row is compared with what it is made of.

use cardan::analysis::{EquilibriumOptions, Study, equilibrium};
use cardan::assembly::ParameterValues;
use cardan::prelude::*;

fn compiled(text: &str) -> Compiled {
    let model = resolve(parse("rounding.mbs", text)).into_model().unwrap_or_else(|e| panic!("{e}\n{text}"));
    compile_model(&model, Options::default()).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

fn motion(compiled: &Compiled) -> Trajectory {
    let model = compiled.model();
    let settings = Settings::of(model, &ParameterValues::of(model)).expect("good settings");
    let run = compiled.simulation.run(&settings, &mut ()).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(run.ending, Ending::Finished, "{}", run.reason);
    run
}

fn last(run: &Trajectory, name: &str) -> f64 {
    run.series(name).and_then(|s| s.last().copied()).unwrap_or_else(|| panic!("{name}"))
}

/// A door on a slanting line, and its second hinge.
fn slanting(axis: &str) -> String {
    format!(
        "parameter s = 0.7071067811865475
        gravity = -9.81 [m/s^2] * N.y
        body door on N by revolute((1, 1, 0), q = phi) {{ mass = 2 [kg]; inertia = (0.1, 0.1, 0.1) [kg*m^2]; center = (0.3, -0.3, 0.2) [m] }}
        joint upper = revolute(door(1, 1, 0) [m], N(1, 1, 0) [m], axis = {axis})
        output f = upper.force
        start {{ phi = 0.3 [rad]; der(phi) = 1 [rad/s] }}
        simulate {{ to = 2 [s], every = 0.5 [s] }}"
    )
}

/// The references are integrals of J φ̈ = e·(r × m g) by another program.
#[test]
fn a_second_hinge_written_in_other_digits_lets_the_door_swing() {
    let exact = motion(&compiled(&slanting("(1, 1, 0)")));
    for axis in [
        "(0.7071067811865475, 0.7071067811865476, 0)",
        "(0.7071067812, 0.7071067811, 0)",
        "(s, 0.7071067811865476, 0)",
    ] {
        let compiled = compiled(&slanting(axis));
        assert_eq!(compiled.choice.loops.as_ref().map(|l| l.mobility), Some(1), "{axis}");
        let run = motion(&compiled);
        assert!((last(&run, "phi") - 0.493072).abs() < 2e-6, "{axis}: {}", last(&run, "phi"));
        assert!((last(&run, "der(phi)") - 1.097379).abs() < 2e-6, "{axis}: {}", last(&run, "der(phi)"));
        for component in ["f.x", "f.y", "f.z"] {
            let (a, b) = (last(&run, component), last(&exact, component));
            assert!((a - b).abs() < 1e-6, "{axis}: {component} is {a} against {b}");
        }
    }
}

fn upright(y: &str) -> String {
    format!(
        "gravity = -9.81 [m/s^2] * N.y
        body door on N by revolute(z, q = phi) at (0.1, 0.2, 0) [m] {{ mass = 2 [kg]; inertia = (0.1, 0.1, 0.1) [kg*m^2]; center = (0.3, 0, 0.2) [m] }}
        joint upper = revolute(door(0, 0, 0.7) [m], N(0.1, {y}, 0.7) [m], axis = z)
        start {{ phi = 0.3 [rad]; der(phi) = 1 [rad/s] }}
        simulate {{ to = 2 [s], every = 0.5 [s] }}"
    )
}

#[test]
fn a_second_hinge_beside_the_line_by_the_last_digit_lets_the_door_swing() {
    for y in ["0.2", "0.20000000000000001", "0.2000000000001"] {
        let run = motion(&compiled(&upright(y)));
        assert!((last(&run, "phi") + 0.03172).abs() < 1e-5, "{y}: {}", last(&run, "phi"));
        assert!((last(&run, "der(phi)") + 3.84158).abs() < 1e-5, "{y}: {}", last(&run, "der(phi)"));
    }
}

#[test]
fn a_hinge_that_is_beside_the_line_holds_the_door() {
    let model = resolve(parse("rounding.mbs", &upright("0.20001"))).into_model().expect("a model");
    let open = compile_model(&model, Options::default()).expect_err("an open hinge").to_string();
    assert!(open.contains("upper"), "{open}");
}

#[test]
fn a_linkage_with_one_axis_written_in_digits_moves() {
    let run = motion(&compiled(
        "gravity = -9.81 [m/s^2] * N.y
        body crank on N by revolute((1, 1, 0), q = a) { mass = 1 [kg]; inertia = (0.1, 0.1, 0.1) [kg*m^2] }
        body coupler on crank by revolute((1, 1, 0), q = b) at (0, 0, 0.2) [m] { mass = 1 [kg]; inertia = (0.1, 0.1, 0.1) [kg*m^2] }
        body rocker on N by revolute((1, 1, 0), q = c) at (0.3, -0.3, 0) [m] { mass = 1 [kg]; inertia = (0.1, 0.1, 0.1) [kg*m^2] }
        joint pin = revolute(coupler(0.3, -0.3, 0.2) [m], rocker(0, 0, 0.4) [m], axis = (0.7071067811865475, 0.7071067811865476, 0))
        start { a = 0.1 [rad]; der(a) = 1 [rad/s]; b ~ -0.1; c ~ 0.1 }
        simulate { to = 2 [s], every = 0.5 [s] }",
    ));
    assert!((last(&run, "a") - 1.1327).abs() < 1e-4, "{}", last(&run, "a"));
}

#[test]
fn a_gap_of_the_last_digit_that_no_motion_changes_is_no_contradiction() {
    let text = |z: &str| {
        format!(
            "body b on N by planar(z, q = (x, y, r)) at (-0.134, -0.419, 0.137) [m] {{ mass = 2.647 [kg]; inertia = (0.387, 0.348, 0.3664) [kg*m^2] }}
            joint j = on_line(b(0.42, 0.358, -0.136) [m], N(-0.071, -0.318, {z}) [m], axis = x)
            start {{ x ~ 0.154 [m]; y ~ -0.365 [m]; r ~ 0.91 [rad] }}
            simulate {{ to = 0.1 [s] }}"
        )
    };
    motion(&compiled(&text("0.0010000000000000009")));
    let refused =
        resolve(parse("rounding.mbs", &text("0.00101"))).into_model().expect_err("a gap").to_string();
    assert!(refused.contains("`j` can never hold"), "{refused}");
}

/// The door comes to rest where it does with its second hinge written exactly.
#[test]
fn small_motions_are_not_held_by_rounding_either() {
    let found = compiled(&slanting("(0.7071067811865475, 0.7071067811865476, 0)"));
    let mut study = Study::of(&found.choice, &[]).expect("a study");
    let at_rest = equilibrium(&mut study, 0.0, &EquilibriumOptions::default()).expect("an equilibrium");
    let phi = at_rest.state[0];
    let other = compiled(&slanting("(1, 1, 0)"));
    let mut study = Study::of(&other.choice, &[]).expect("a study");
    let exact =
        equilibrium(&mut study, 0.0, &EquilibriumOptions::default()).expect("an equilibrium").state[0];
    assert!((phi - exact).abs() < 1e-9 && (phi - 0.3).abs() > 0.01, "{phi} against {exact}");
}
