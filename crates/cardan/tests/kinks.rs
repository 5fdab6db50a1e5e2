//! Drives whose rate jumps, curves with a kink: speeds change at once by the impulses of constraints, and the energy of these is counted.

use cardan::assembly::ParameterValues;
use cardan::prelude::*;
use cardan::sim::{ConstraintForm, Ending, Trajectory, Verdict};

fn followed(text: &str, form: ConstraintForm) -> Trajectory {
    let resolved = resolve(parse("t.mbs", text));
    let words: String =
        resolved.diagnostics.iter().map(|d| cardan::base::render(d, &resolved.sources, false)).collect();
    let model = resolved.model.unwrap_or_else(|| panic!("{words}"));
    let mut settings = Settings::of(&model, &ParameterValues::of(&model)).expect("good settings");
    settings.constraints = form;
    let compiled = compile_model(&model, Options::default()).expect("it compiles");
    let compiled = compiled.for_constraints(form).expect("the form applies");
    compiled.simulation.run(&settings, &mut ()).expect("it starts")
}

/// The value of a column at a time.
fn at(run: &Trajectory, name: &str, t: f64) -> f64 {
    let column = run.columns.iter().position(|c| c.name == name).unwrap_or_else(|| panic!("{name}"));
    run.rows.iter().find(|row| (row[0] - t).abs() < 1e-9).map(|row| row[column]).expect("there is a row")
}

const BOB: &str = "gravity = -9.81 [m/s^2] * N.z
table ramp(t [s]) [m] = linear { 0: 0, 1: 0, 3: 2 }
particle bob on cart by revolute(y, q = th) { mass = 1 [kg]; center = (0, 0, -0.5) [m] }
simulate { to = 2 [s], every = 0.001 [s] }\n";

/// A cart that starts at once below a pendulum at rest: the momentum m L² θ' - m L v cos θ of the swing stays, so θ' leaps by v/L = 2 rad/s.
#[test]
fn a_drive_that_starts_at_once_strikes_what_hangs_on_it() {
    let cart = "mass = 1 [kg]; inertia = (1, 1, 1) [kg*m^2]";
    let spellings = [
        format!("body cart on N by translate(x, motion = ramp(t)) {{ {cart} }}\n"),
        format!(
            "body cart on N by translate(x, motion = if t < 1 [s] then 0 [m] else (t - 1 [s]) * 1 [m/s]) {{ {cart} }}\n"
        ),
        format!("body cart on N by translate(x = s) {{ {cart} }}\nmotion m on s = ramp(t)\n"),
        format!("body cart on N by translate(x = s) {{ {cart} }}\nconstraint k = s - ramp(t)\n"),
    ];
    let mut ends = vec![];
    for text in &spellings {
        for form in [ConstraintForm::Projected, ConstraintForm::Partitioned, ConstraintForm::Stabilised] {
            let run = followed(&format!("{text}{BOB}"), form);
            assert_eq!(run.ending, Ending::Finished, "{text} {form:?}: {}", run.reason);
            assert!(at(&run, "th", 0.999).abs() < 1e-9);
            // Shortly after it the swing is free: θ' = 2 - 2 g t² + …
            let rate = (at(&run, "th", 1.002) - at(&run, "th", 1.001)) / 1e-3;
            assert!((rate.abs() - 2.0).abs() < 1e-3, "{text} {form:?}: {rate}");
            assert_eq!(run.audit.verdict(), Verdict::Holds, "{text} {form:?}: {:?}", run.audit);
            ends.push(at(&run, "th", 2.0));
        }
    }
    for end in &ends {
        assert!((end - ends[0]).abs() < 1e-6, "{ends:?}");
    }
}

/// A cart against a drag of 3 N·s/m along a table whose rate jumps from 2 m/s to 0 and to 4 m/s. A row at such a corner shows one side: force and
/// power belong to the speed, which is the one after where motions are projected.
#[test]
fn a_row_at_a_corner_shows_one_side() {
    let text = "table drv(t [s]) [m] = linear { 0: 0, 0.5: 1, 1: 1, 1.5: 3 }
particle cart on N by translate(x = x) { mass = 1 [kg] }
motion m on x = drv(t)
force drag on cart.o = -3 [N*s/m] * der(x) * N.x
output e = m.effort, p = m.power
simulate { to = 1 [s], every = 0.25 [s] }\n";
    for form in [ConstraintForm::Projected, ConstraintForm::Partitioned, ConstraintForm::Stabilised] {
        let run = followed(text, form);
        let [corner, end] = [0.5, 1.0].map(|t| at(&run, "der(x)", t));
        assert!(form != ConstraintForm::Projected || corner.abs() < 1e-8, "{corner}");
        assert!([0.0, 2.0].iter().any(|side| (corner - side).abs() < 1e-8), "{form:?}: {corner}");
        for (t, rate) in [(0.25, 2.0), (0.5, corner), (0.75, 0.0), (1.0, end)] {
            for (name, value) in [("der(x)", rate), ("e", 3.0 * rate), ("p", 3.0 * rate * rate)] {
                let shown = at(&run, name, t);
                assert!((shown - value).abs() < 1e-8, "{form:?}: {name} is {shown} at {t} s");
            }
        }
    }
}

/// A wheel of moment J comes with 1 rad/s to a knot, behind which it lifts a mass m by f' = 1 m per rad:
/// ω⁺ = (J + m f'⁻ f'⁺) ω⁻ / (J + m f'⁺²) = 1/2.
#[test]
fn a_knot_of_a_lift_is_an_impact() {
    let wheel = "table lift(a [rad]) [m] = linear { 0: 0, 1: 0, 5: 4 }
body wheel on N by revolute(z, q = a) { mass = 1 [kg]; inertia = (1, 1, 1) [kg*m^2] }
start { der(a) = 1 [rad/s] }
simulate { to = 2 [s], every = 0.01 [s] }\n";
    let tap = "{ mass = 1 [kg]; inertia = (1, 1, 1) [kg*m^2] }";
    for text in [
        format!("body tap on N by translate(z, motion = lift(a)) {tap}\n"),
        format!("body tap on N by translate(z = s) {tap}\nconstraint k = s - lift(a)\n"),
    ] {
        let run = followed(&format!("{wheel}{text}"), ConstraintForm::Projected);
        assert_eq!(run.ending, Ending::Finished, "{text}: {}", run.reason);
        assert!((at(&run, "a", 2.0) - 1.5).abs() < 1e-7, "{text}: {}", at(&run, "a", 2.0));
        assert_eq!(run.audit.verdict(), Verdict::Holds, "{text}: {:?}", run.audit);
    }
}

/// No motion follows a position that jumps: the run ends there and names it.
#[test]
fn a_position_that_jumps_ends_the_motion() {
    let arm = "body arm on N by revolute(z, q = p) { mass = 1 [kg]; inertia = (1, 1, 1) [kg*m^2] }
body tap on N by prismatic(y, q = s) { mass = 1 [kg]; inertia = (1, 1, 1) [kg*m^2] }
start { p = 10 [deg]; s ~ 0.3 [m]; der(p) = 6 [rad/s] }
simulate { to = 1 [s] }\n";
    for (text, words) in [
        ("motion m on p = if t < 0.1 [s] then 0 else 1", "`m` jumps by 1 rad at t = 0.1 s"),
        (
            "table r(x [deg]) [mm] = steps { 0: 300, 90: 320, 180: 340, 360: 300 }\njoint j = on_curve(arm.o, tap.o, axis = z, radius = r)",
            "`j` jumps by 0.04 m",
        ),
    ] {
        let run = followed(&format!("{arm}{text}"), ConstraintForm::Projected);
        assert!(run.ending == Ending::Failed && run.reason.contains(words), "{text}: {}", run.reason);
    }
}

/// A profile from 0 to 360° holds for the whole cam, though polar angles are between -180° and 180°.
#[test]
fn a_profile_of_a_whole_turn_is_looked_up_in_its_own_turn() {
    let text = "body cam on N by revolute(z, q = a) { mass = 1 [kg]; inertia = (1, 1, 1) [kg*m^2] }
body tap on N by prismatic(y, q = s) { mass = 1 [kg]; inertia = (1, 1, 1) [kg*m^2] }
motion m on a = 6 [rad/s] * t
start { s ~ 0.3 [m] }
table p(x [deg]) [mm] = monotone { 0: 300, 90: 320, 180: 340, 270: 320, 360: 300 }
joint j = on_curve(cam.o, tap.o, axis = z, radius = p)
simulate { to = 2 [s], every = 0.01 [s] }\n";
    let run = followed(text, ConstraintForm::Projected);
    assert_eq!(run.ending, Ending::Finished, "{}", run.reason);
    // At the knots of the table the tap is where they say.
    for (turn, height) in [(90.0, 300.0), (0.0, 320.0), (270.0, 340.0), (180.0, 320.0)] {
        // The tap stands at 90° on the ground, at 90° - a on the cam.
        let mut near: Vec<(f64, f64)> = (0..=200)
            .map(|k| 0.01 * f64::from(k))
            .map(|t| {
                let off = (at(&run, "a", t).to_degrees() - turn).rem_euclid(360.0);
                (off.min(360.0 - off), at(&run, "s", t))
            })
            .collect();
        near.sort_by(|a, b| a.0.total_cmp(&b.0));
        let (off, s) = near[0];
        assert!(off < 2.0 && (s * 1e3 - height).abs() < 0.5 * off + 1e-6, "{turn}: {off} {s}");
    }
}

/// An angle between directions leaps where they are opposite; a constraint on it goes on, and so does a drive.
#[test]
fn a_measured_angle_goes_on_beyond_half_a_turn() {
    let arms = "body a on N by revolute(z, q = q1) { mass = 1 [kg]; inertia = (1, 1, 1) [kg*m^2] }
body b on N by revolute(z, q = q2) { mass = 1 [kg]; inertia = (1, 1, 1) [kg*m^2] }
simulate { to = 5 [s], every = 0.1 [s] }\n";
    let follows = format!(
        "{arms}constraint k = angle(N.x, a.x, N.z) - 0.5 * q2\nstart {{ q1 = 0.1 [rad]; der(q1) = 2 [rad/s] }}"
    );
    let run = followed(&follows, ConstraintForm::Projected);
    assert_eq!(run.ending, Ending::Finished, "{}", run.reason);
    assert!((at(&run, "q1", 5.0) - 10.1).abs() < 1e-7, "{}", at(&run, "q1", 5.0));
    assert!((at(&run, "q2", 5.0) - 20.2).abs() < 1e-7, "{}", at(&run, "q2", 5.0));
    let driven = followed(
        &format!("{arms}motion m on angle(N.x, a.x, N.z) = 2 [rad/s] * t"),
        ConstraintForm::Projected,
    );
    assert_eq!(driven.ending, Ending::Finished, "{}", driven.reason);
    assert!((at(&driven, "q1", 5.0) - 10.0).abs() < 1e-7, "{}", at(&driven, "q1", 5.0));
    // A spiral groove has no such continuation: the run ends and names it.
    let spiral = followed(
        &format!(
            "{arms}body tap on N by prismatic(y, q = s) {{ mass = 1 [kg]; inertia = (1, 1, 1) [kg*m^2] }}\n\
             function p(x [rad]) [m] = 0.3 [m] + 0.02 [m] * x\njoint j = on_curve(a.o, tap.o, axis = z, radius = p)\n\
             start {{ s ~ 0.33 [m]; der(q1) = 6 [rad/s] }}"
        ),
        ConstraintForm::Projected,
    );
    assert!(spiral.ending == Ending::Failed && spiral.reason.contains("`j`"), "{}", spiral.reason);
}
