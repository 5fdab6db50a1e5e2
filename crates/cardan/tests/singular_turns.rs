//! Joints at the ends of what they can do: locked sequences of turns, joints the wrong way round, further freedoms, partitions that wear out.

use cardan::assembly::assembled;
use cardan::assembly::{ParameterValues, branches};
use cardan::model::Model;
use cardan::prelude::*;
use cardan::sim::{ConstraintForm, Ending};
use cardan::solve::Method;

fn model(text: &str) -> Model {
    resolve(parse("turns.mbs", text)).into_model().unwrap_or_else(|e| panic!("{e}\n{text}"))
}

fn run(text: &str) -> Trajectory {
    let model = model(text);
    let compiled = compile_model(&model, Options::default()).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let settings = Settings::of(&model, &ParameterValues::of(&model)).expect("good settings");
    compiled.simulation.run(&settings, &mut ()).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

const DATA: &str = "{ mass = 2 [kg]; inertia = (0.3, 0.4, 0.1) [kg*m^2]; center = (0.1, 0.05, -0.6) [m] }";

/// A body that is driven into the lock of its angles, or starts in it, ends after some thousand steps with the joint's name.
#[test]
fn a_locked_sequence_of_turns_is_named_at_once() {
    let turns = "rotate(x = q1) rotate(y = q2) rotate(z = q3)";
    let driven = "motion m on q2 = 2 [rad/s]*t\nstart { der(q1) = 0.5 [rad/s]; der(q3) = 0.2 [rad/s] }";
    let begun = "start { q2 = 90 [deg]; der(q1) = 0.5 [rad/s]; der(q3) = 0.2 [rad/s] }";
    let euler = "rotate(z = q1) rotate(x = q2) rotate(z = q3)";
    let upright =
        "motion m on q2 = 0.5 - 1 [rad/s]*t\nstart { der(q1) = 0.5 [rad/s]; der(q3) = 0.2 [rad/s] }";
    for (turns, how) in [(turns, driven), (turns, begun), (euler, upright)] {
        let text = format!(
            "model gimbal\ngravity = -9.81 [m/s^2] * N.z\nbody b on N by {turns} {DATA}\n{how}\nsimulate {{ to = 5 [s], every = 0.1 [s] }}\n"
        );
        let found = run(&text);
        assert_eq!(found.ending, Ending::Failed, "{how}");
        assert!(found.reason.contains("the joint of `b` is at the singular position"), "{}", found.reason);
        assert!(
            found.reason.contains("`q2`") && found.reason.contains("Euler parameters"),
            "{}",
            found.reason
        );
        assert!(found.statistics.accepted < 50_000, "{:?}", found.statistics);
    }
}

/// A body that only passes by the lock goes on.
#[test]
fn a_motion_that_passes_by_a_lock_goes_on() {
    for joint in ["free(rotate = xyz)", "free(rotate = xyz, speeds = rates)"] {
        let text = format!(
            "model tumbler\nbody b on N by {joint} {{ mass = 1 [kg]; inertia = (1, 2, 3) [kg*m^2] }}
start {{ b.u5 = 1 [rad/s]; b.u6 = 0.001 [rad/s] }}\nsimulate {{ to = 3 [s], every = 0.1 [s] }}\n"
        );
        let found = run(&text);
        assert_eq!(found.ending, Ending::Finished, "{joint}: {}", found.reason);
    }
}

/// A body that turns about y alone has a guess of its roll in the lock of its angles and nowhere else; the guess yields. Turns whose lock is at zero
/// begin beside it, and a value that puts them there is named.
#[test]
fn assembly_leaves_a_lock() {
    let beam = format!(
        "model beam\ngravity = -9.81 [m/s^2] * N.z\nbody a on N by spherical(rotate = xyz, q = (roll, pitch, yaw)) {DATA}
joint upright = perpendicular(a.o, N.o, axis = z, second = y)\njoint level = perpendicular(a.o, N.o, axis = x, second = y)
start {{ roll ~ 0.114 }}\nsimulate {{ to = 0.3 [s], every = 0.1 [s] }}\n"
    );
    let found = run(&beam);
    assert_eq!(found.ending, Ending::Finished, "{}", found.reason);
    assert!(found.audit.relative() < 1e-8, "{:e}", found.audit.relative());
    assert!(found.last("pitch").is_some_and(|q| q.cos().abs() > 0.1), "{:?}", found.last("pitch"));
    let rod = |how: &str| {
        format!(
            "model rod\ngravity = -9.81 [m/s^2] * N.z
body a on N by spherical(rotate = zxz) {{ mass = 1 [kg]; inertia = (0.1, 0.1, 0.1) [kg*m^2]; center = (0, 0, -0.5) [m]; point e = (0, 0, -1) [m] }}
body b on N by revolute(x) at (1, 0, 0) [m] {{ mass = 1 [kg]; inertia = (0.1, 0.1, 0.1) [kg*m^2]; center = (0, 0, -0.5) [m]; point e = (0, 0, -1) [m] }}
joint rod = distance(a.e, b.e, length = 1.1 [m])\n{how}\nsimulate {{ to = 0.3 [s], every = 0.1 [s] }}\n"
        )
    };
    for how in ["", "start { a.q2 ~ 0 }"] {
        let found = run(&rod(how));
        assert_eq!(found.ending, Ending::Finished, "{}", found.reason);
        assert!(found.audit.relative() < 1e-8, "{:e}", found.audit.relative());
    }
    let held = compile_model(&model(&rod("start { a.q2 = 0 }")), Options::default());
    let message = held.err().map(|e| e.to_string()).unwrap_or_default();
    assert!(message.contains("the joint of `a` is at the singular position"), "{message}");
}

/// Three turns of a tree that start in their lock are named, not the rate that has no bound there.
#[test]
fn a_tree_that_starts_in_a_lock_is_named() {
    let text = format!("body b on N by spherical(rotate = zxz) {DATA}\n");
    let compiled = compile_model(&model(&text), Options::default()).unwrap_or_else(|e| panic!("{e}"));
    let message = compiled.simulation.run(&Settings::default(), &mut ()).err().map(|e| e.to_string());
    let message = message.unwrap_or_default();
    assert!(message.contains("the joint of `b` is at the singular position"), "{message}");
}

/// A plate on a plane whose guess leans by more than a right angle is put on its feet; one that stands on its head in the guess stays there.
#[test]
fn planes_face_the_way_they_are_told_to() {
    let plate = |lean: f64| {
        let text = format!(
            "body plate on N by translate(x = x, y = y, z = z) rotate(x = lean) rotate(y = tip) {{ mass = 1 [kg]; inertia = (1, 1, 1) [kg*m^2] }}
joint table = planar(plate.o, N.o, axis = z)\nstart {{ lean ~ {lean} [deg]; tip ~ 10 [deg]; z ~ 0.3 [m] }}\n"
        );
        let found = assembled(&model(&text)).unwrap_or_else(|e| panic!("{e}")).expect("a loop");
        let value = |name: &str| found.placed.iter().find(|p| p.name == name).expect("a coordinate").value;
        value("lean").cos() * value("tip").cos()
    };
    for lean in [20.0, 80.0, 100.0, 120.0, 135.0, -110.0] {
        assert!((plate(lean) - 1.0).abs() < 1e-9, "{lean}: {}", plate(lean));
    }
    assert!((plate(175.0) + 1.0).abs() < 1e-9, "{}", plate(175.0));
}

/// A rocker that its coupler reaches with its shaft turned end to end only: the joint that closes the loop would do that, and says so. Where the other way
/// closes it, nothing is said.
#[test]
fn a_joint_that_closes_the_wrong_way_round_is_told() {
    let text = |reach: &str| {
        format!(
            "body a on N by revolute(z, q = q) {{ mass = 1 [kg]; inertia = (0.1, 0.1, 0.1) [kg*m^2]; point e = (0.3, 0, 0.1) [m] }}
body b on a by universal(xy) at a.e {{ mass = 1 [kg]; inertia = (0.1, 0.1, 0.1) [kg*m^2]; point e = (0.4, 0.1, 0) [m] }}
body c on b by spherical at b.e {{ mass = 1 [kg]; inertia = (0.1, 0.1, 0.1) [kg*m^2]; point foot = ({reach}, -0.2, -0.2) [m] }}
joint shaft = revolute(c.foot, N(0.5, 0.3, 0) [m], axis = x)\nstart {{ q = 20 [deg] }}\nsimulate {{ to = 0.01 [s] }}\n"
        )
    };
    let told = |reach: &str| {
        let found = run(&text(reach));
        assert_eq!(found.ending, Ending::Finished, "{}", found.reason);
        found.warnings.iter().any(|w| w.contains("`shaft` is put together the wrong way round"))
    };
    assert!(told("-0.2"));
    assert!(!told("0.2"));
}

/// Peaucellier's linkage with its crank held: each half of the rhombus on either side makes four branches, and where both halves coincide the outer bars turn
/// freely, twice, each listed once.
#[test]
fn a_further_freedom_is_one_branch() {
    let bar = |name: &str, on: &str, at: &str, q: &str, l: &str| {
        format!(
            "body {name} on {on} {at} by revolute(z, q = {q}) {{ mass = 0.2 [kg]; inertia = (0, 0, 1e-3) [kg*m^2]; point E = ({l}, 0, 0) }}\n"
        )
    };
    let text = "parameter L = 0.5 [m], s = 0.2 [m], d = 0.18 [m]\n".to_string()
        + &bar("crank", "N", "at (d, 0, 0)", "a", "d")
        + &bar("l1", "N", "", "u1", "L")
        + &bar("l2", "N", "", "u2", "L")
        + &bar("r1", "crank", "at crank.E", "c1", "s")
        + &bar("r2", "crank", "at crank.E", "c2", "s")
        + &bar("o1", "l1", "at l1.E", "e1", "s")
        + &bar("o2", "l2", "at l2.E", "e2", "s")
        + "joint j1 = revolute(r1.E, l1.E, axis = z)
joint j2 = revolute(r2.E, l2.E, axis = z)
joint j3 = revolute(o1.E, o2.E, axis = z)
start { a = 0; u1 ~ 25 [deg]; u2 ~ -25 [deg]; c1 ~ 50 [deg]; c2 ~ -50 [deg]; e1 ~ -60 [deg]; e2 ~ 60 [deg] }\n";
    let found = branches(&model(&text), 600).unwrap_or_else(|e| panic!("{e}")).expect("loops");
    let free: Vec<_> = found.list.iter().filter(|b| !b.further.is_empty()).collect();
    assert_eq!((found.list.len(), free.len()), (6, 2));
    for branch in free {
        let names: Vec<&str> = branch.further.iter().map(|k| found.coordinates[*k].name.as_str()).collect();
        assert_eq!(names, ["e1", "e2"]);
    }
    assert!(found.list[found.start].further.is_empty());
}

/// A Delta robot in free fall, with Baumgarte's terms by the methods that look back or ahead: dependent speeds are chosen anew on the way, and the motion is
/// that of the projected form.
#[test]
fn baumgarte_chooses_its_dependent_speeds_anew() {
    let text = include_str!("through/delta.mbs");
    let model = model(text);
    let compiled = compile_model(&model, Options::default())
        .and_then(|c| c.for_constraints(ConstraintForm::Baumgarte))
        .unwrap_or_else(|e| panic!("{e}"));
    let mut settings = Settings::of(&model, &ParameterValues::of(&model)).expect("good settings");
    settings.to = 0.9;
    let end = |method: Method, constraints: ConstraintForm| {
        let settings = Settings { method, constraints, ..settings.clone() };
        let run = compiled.simulation.run(&settings, &mut ()).expect("it starts");
        assert_eq!(run.ending, Ending::Finished, "{method}: {}", run.reason);
        run.last("z").expect("a coordinate")
    };
    let known = end(Method::Dop853, ConstraintForm::Projected);
    // With bdf nothing is projected for so long that it comes too near to a singular position, and says so.
    for method in [Method::Dop853, Method::Radau5] {
        let z = end(method, ConstraintForm::Baumgarte);
        assert!((z - known).abs() < 1e-5, "{method}: {z} instead of {known}");
    }
}

/// A loop that holds a body in the lock of its angles is told by the joint's name after some thousand steps, not followed without end.
#[test]
fn a_loop_that_holds_a_body_in_its_lock_is_told() {
    let text = "gravity = -9.81 [m/s^2]*N.z
body a on N by revolute(x, q = qa) { mass = 1.4 [kg]; inertia = (0.11, 0.12, 0.06, 0.013, -0.008, -0.011) [kg*m^2]; center = (-0.3, -0.07, 0.09) [m]; point P = (-0.33, 0.32, -0.43) [m] }
body b on N by free(rotate = xyz, q = (px, py, pz, r1, r2, r3)) { mass = 1.1 [kg]; inertia = (0.09, 0.1, 0.06, 0.019, -0.047, 0.023) [kg*m^2]; center = (-0.05, -0.05, -0.09) [m] }
joint cl = prismatic(a.P, b.o, axis = z, second = y)
spring_damper s between b.cm and N(-0.93, 0.53, 0.42) [m] { stiffness = 40 [N/m]; damping = 0.4 [N*s/m]; length = 0.2 [m] }
start { qa = 0.3; px ~ -0.33 [m]; py ~ 0.43 [m]; pz ~ -0.32 [m]; r1 ~ 0.3 [rad]; r2 ~ 0; r3 ~ 0 }
simulate { to = 0.5 [s], every = 0.05 [s] }
";
    let model = model(text);
    let compiled = compile_model(&model, Options::default()).unwrap_or_else(|e| panic!("{e}"));
    let settings = Settings::of(&model, &ParameterValues::of(&model)).expect("good settings");
    let told = match compiled.simulation.run(&settings, &mut ()) {
        Ok(run) => {
            assert!(
                run.ending != Ending::Finished && run.statistics.accepted < 20_000,
                "{}",
                run.statistics.accepted
            );
            run.reason
        }
        Err(error) => error.to_string(),
    };
    assert!(told.contains("the joint of `b`") && told.contains("`r2`"), "{told}");
}
