//! General joints as what closes a loop: any sequence of motions, in any directions, with coordinates that may be spoken of.

use cardan::assembly::ParameterValues;
use cardan::prelude::*;

fn model(text: &str) -> Model {
    resolve(parse("sequences.mbs", text)).into_model().unwrap_or_else(|e| panic!("{e}\n{text}"))
}

fn motion(text: &str) -> Trajectory {
    let model = model(text);
    let compiled = compile_model(&model, Options::default()).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let mut settings = Settings::of(&model, &ParameterValues::of(&model)).expect("good settings");
    (settings.rtol, settings.atol) = (1e-11, 1e-13);
    let run = compiled.simulation.run(&settings, &mut ()).unwrap_or_else(|e| panic!("{e}\n{text}"));
    assert_eq!(run.ending, Ending::Finished, "{}\n{text}", run.reason);
    run
}

/// A body held by the joint in question, from one side or the other, and by one that leaves it free.
fn held(by: &str, reversed: bool, rest: &str) -> String {
    let ends = if reversed { "B.P and N.o" } else { "N.o and B.P" };
    format!(
        "gravity = (1, -9.81, 2) [m/s^2]
body B {{ mass = 2 [kg]; inertia = (0.3, 0.4, 0.5) [kg*m^2]; center = (0.1, 0.05, -0.02) [m]; point P = (0.2, -0.1, 0.3) [m] }}
joint six between N.o and B.o by free(rotate = xyz)
joint j between {ends} by {by}
torque twist on B from N = 0.3 [N*m] * N.x + 0.2 [N*m] * N.y - 0.4 [N*m] * N.z
output p = position(N.o, B.cm), ax = dot(B.x, N.x), ay = dot(B.y, N.z), az = dot(B.z, N.y)
simulate {{ to = 0.3 [s], every = 0.02 [s] }}
{rest}\n"
    )
}

/// Sequences without a closing form of their own, with a start where their motions are independent.
const SEQUENCES: &[(&str, &str, usize)] = &[
    (
        "translate(x) rotate(z) translate(y)",
        "q1 = 0.1 [m]; q2 = 0.4; q3 = 0.2 [m]; u1 = 0.1 [m/s]; u2 = 1; u3 = 0 [m/s]",
        3,
    ),
    (
        "rotate(z) translate(x) rotate(y)",
        "q1 = 0.3; q2 = 0.2 [m]; q3 = -0.5; u1 = 2; u2 = 0.2 [m/s]; u3 = 0",
        3,
    ),
    (
        "translate((1, 2, 2)) rotate((3, 4, 0)) translate((0, 1, 1))",
        "q1 = 0 [m]; q2 = 0.7; q3 = 0.1 [m]; u1 = 0 [m/s]; u2 = 0; u3 = 0.3 [m/s]",
        3,
    ),
    (
        "rotate(x) translate(y) rotate(z) translate(x)",
        "q1 = 0.2; q2 = 0.3 [m]; q3 = 0.4; q4 = 0 [m]; u1 = 1; u2 = 0 [m/s]; u3 = 0; u4 = 0.2 [m/s]",
        4,
    ),
    (
        "rotate((1, 2, 2)) translate((2, 0, 1)) rotate(z) translate(y) rotate(x)",
        "q1 = 2.8; q2 = 0.3 [m]; q3 = 0.5; q4 = 0 [m]; q5 = 0.1; u1 = 1; u2 = 0 [m/s]; u3 = 0; u4 = 0.1 [m/s]; u5 = 0",
        5,
    ),
    ("screw(z, lead = 50 [mm]) translate(x)", "q1 = 0.4; q2 = 0.2 [m]; u1 = 3; u2 = 0 [m/s]", 2),
    (
        "translate(x) spherical(rotate = xyz) translate(y)",
        "q1 = 0.1 [m]; q2 = 0; q3 = 0.4; q4 = 0; q5 = 0 [m]; u1 = 0.3 [m/s]; u2 = 1; u3 = 0; u4 = 0; u5 = 0 [m/s]",
        5,
    ),
    ("rotate(x) rotate((1, 1, 0))", "q1 = 0.4; q2 = -0.3; u1 = 0; u2 = 1", 2),
    ("translate((3, 4, 0)) rotate(z)", "q1 = 0.2 [m]; q2 = 2.5; u1 = 0 [m/s]; u2 = 1", 2),
    ("revolute(z)", "q = 3; u = 2", 1),
];

const SEEN: &[&str] = &["p.x", "p.y", "p.z", "ax", "ay", "az"];

#[track_caller]
fn same(a: &Trajectory, b: &Trajectory, names: &[&str], within: f64, what: &str) {
    let mut moved = 0.0_f64;
    for name in names {
        let (x, y) = (a.series(name).expect("an output"), b.series(name).expect("an output"));
        assert_eq!(x.len(), y.len());
        for (p, q) in x.iter().zip(&y) {
            assert!((p - q).abs() <= within * (1.0 + p.abs()), "{what}, {name}: {p} {q}");
            moved = moved.max((p - x[0]).abs());
        }
    }
    assert!(moved > 1e-3, "{what}: nothing moves");
}

/// In the tree and as what closes the loop: one motion, one force, one torque, one value of every coordinate.
#[test]
fn every_sequence_closes_a_loop() {
    for (by, start, freedoms) in SEQUENCES {
        for reversed in [false, true] {
            // The angles of a ball are those of the body that is held.
            if reversed && by.contains("spherical") {
                continue;
            }
            let what = format!("{by} {reversed}");
            let one = if *freedoms == 1 { "j.q" } else { "j.q2" };
            let start: Vec<String> = start.split("; ").map(|part| format!("j.{part}")).collect();
            let start = start.join("; ");
            let rest = format!("start {{ {start} }}\noutput angle = {one}, f = j.force, m = j.torque");
            let tree = held(by, reversed, &rest)
                .replace("joint six between N.o and B.o by free(rotate = xyz)\n", "");
            let cut = held(by, reversed, &format!("{rest}\ncut j"));
            let closing = model(&cut);
            assert_eq!(model(&tree).constraints.len(), 0, "{what}");
            assert_eq!(closing.constraints.len(), 1, "{what}");
            assert!(closing.speeds.len() == 6 + freedoms, "{what}");
            let mobility = cardan::assembly::mobility(&closing).expect("it closes").expect("a loop");
            assert_eq!((mobility.freedom, mobility.counted), (*freedoms, *freedoms as i64), "{what}");
            let (a, b) = (motion(&tree), motion(&cut));
            same(&a, &b, SEEN, 1e-7, &what);
            same(&a, &b, &["angle", "f.x", "f.y", "f.z"], 1e-6, &what);
            // In the tree a torque counts about the point of the body that is nearer to the ground.
            if !reversed {
                same(&a, &b, &["f.x", "m.x", "m.y", "m.z"], 1e-6, &what);
            }
        }
    }
}

/// A weld closes by the shortest turn, from any side: the angle of the frame begins at zero, the body beyond a right angle.
#[test]
fn a_joint_far_from_its_start_closes_the_right_way() {
    for angle in ["2.5", "-2.9", "3.1", "pi"] {
        let text = held(
            "translate((3, 4, 0)) rotate(z)",
            false,
            &format!("cut j\nstart {{ six.q6 = {angle} }}\noutput angle = j.q2, flat = dot(B.z, N.z)"),
        );
        let run = motion(&text);
        let found = run.series("angle").expect("an output")[0];
        let expected: f64 =
            if angle == "pi" { std::f64::consts::PI } else { angle.parse().expect("a number") };
        let turns = (found - expected) / std::f64::consts::TAU;
        assert!((turns - turns.round()).abs() < 1e-9, "{found} is not {expected}");
        assert!((run.series("flat").expect("an output")[0] - 1.0).abs() < 1e-9);
    }
}

/// A slot across the plane's axes in a planar loop costs planar equations.
#[test]
fn a_planar_loop_stays_planar() {
    let text = "gravity = -9.81 [m/s^2] * N.y
body crank { mass = 0.5 [kg]; inertia = (0, 4e-4, 4e-4) [kg*m^2]; center = (0.05, 0, 0) [m]; point end = (0.1, 0, 0) [m] }
body coupler { mass = 0.8 [kg]; inertia = (0, 8e-3, 8e-3) [kg*m^2]; point end = (0.35, 0, 0) [m] }
body rocker { mass = 0.6 [kg]; inertia = (0, 3e-3, 3e-3) [kg*m^2]; point end = (0.25, 0, 0) [m] }
joint A between N.o and crank.o by revolute(z, q = phi)
joint B between crank.end and coupler.o by revolute(z)
joint C between coupler.end and rocker.end by translate((3, 4, 0)) rotate(z)
joint D between N(0.3, 0, 0) [m] and rocker.o by revolute(z)
cut C
start { phi = 60 [deg]; B.q ~ -0.4; D.q ~ 1.4 }
simulate { to = 0.3 [s], every = 0.01 [s] }\n";
    let model = model(text);
    let compiled = compile_model(&model, Options::default()).expect("a mechanism");
    let loops = compiled.choice.loops.as_ref().expect("a loop");
    assert_eq!((loops.loops.rows.len(), loops.implied.len(), loops.redundant.len()), (3, 3, 0));
    assert_eq!(loops.mobility, 2);
    let run = motion(text);
    assert!(run.audit.relative() < 1e-8, "{:e}", run.audit.relative());
}

/// Coordinates that all joints of a loop are asked for, given and guessed: one of the joints is cut and keeps them.
#[test]
fn all_coordinates_of_a_loop_may_be_spoken_of() {
    let text = "body rod { mass = 1 [kg]; inertia = (1, 1, 1) [kg*m^2] }
joint left between N.o and rod.o by revolute(z)
joint right between N(1, 0, 0) [m] and rod(1, 0, 0) [m] by cylindrical(z)
start { left.q = 0; right.q2 ~ 0.1 }
output a = left.q, b = right.q2, c = right.u1
simulate { to = 0.1 [s], every = 0.1 [s] }\n";
    let run = motion(text);
    for name in ["a", "b", "c"] {
        assert!(run.series(name).expect("an output")[0].abs() < 1e-12, "{name}");
    }
}

/// A joint that follows a motion, or is locked, may be cut too.
#[test]
fn driven_and_locked_joints_close_loops() {
    for (by, start) in [
        ("rotate(z, motion = 0.4 + 2 [1/s] * t) translate(x)", "j.q2 = 0.2 [m]; j.u2 = 0 [m/s]"),
        ("translate(x, lock) rotate(z) translate(y)", "j.q2 = 0.2; j.q3 = 0 [m]; j.u2 = 1; j.u3 = 0 [m/s]"),
    ] {
        let start = format!("start {{ {start} }}");
        let tree =
            held(by, false, &start).replace("joint six between N.o and B.o by free(rotate = xyz)\n", "");
        let cut = held(by, false, &format!("{start}\ncut j"));
        same(&motion(&tree), &motion(&cut), SEEN, 1e-7, by);
    }
}

/// Two turns about one axis are one too many: nothing says which of them turns.
#[test]
fn a_sequence_that_repeats_itself_is_named() {
    let model = model(&held("rotate(z) rotate(z)", false, "cut j"));
    let found: Vec<String> =
        cardan::sim::examine(&model).iter().map(|d| format!("{}: {}", d.code.0, d.message)).collect();
    assert!(found.len() == 1 && found[0].starts_with("K004") && found[0].contains("`j_end`"), "{found:?}");
}

/// A door on three hinges: what they share does not depend on whether one of them is held, closed, or closed with its coordinate.
#[test]
fn shared_reactions_do_not_depend_on_how_a_joint_is_cut() {
    let door = |rest: &str| {
        format!(
            "gravity = -9.81 [m/s^2] * N.z
body door {{ mass = 20 [kg]; inertia = (4, 5, 2) [kg*m^2]; center = (0.4, 0, 0.1) [m]; point low = (0, 0, -0.7) [m]; point high = (0, 0, 0.8) [m] }}
joint a between N.o and door.o by revolute(z, q = angle)
joint b between N(0, 0, -0.7) [m] and door.low by revolute(z)
joint c between N(0, 0, 0.8) [m] and door.high by revolute(z)
start {{ angle = 0.3; der(angle) = 2 [rad/s] }}
output fa = a.force, fb = b.force, fc = c.force
simulate {{ to = 0.5 [s], every = 0.05 [s] }}
{rest}\n"
        )
    };
    let names = &["fa.x", "fa.z", "fb.x", "fb.y", "fb.z", "fc.x", "fc.y", "fc.z"];
    let plain = motion(&door("cut b, c"));
    let carried = motion(&door("cut b, c\noutput opening = c.q"));
    same(&plain, &carried, names, 1e-7, "a door");
    let (opening, angle) = (carried.series("opening").expect("one"), carried.series("angle").expect("one"));
    assert!(opening.iter().zip(&angle).all(|(p, q)| (p - q).abs() < 1e-9));
}
