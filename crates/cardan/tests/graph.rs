//! Graphs of joints: whichever joints are cut, the motion is the same.

use cardan::assembly::ParameterValues;
use cardan::prelude::*;

fn model(text: &str) -> Model {
    resolve(parse("graph.mbs", text)).into_model().unwrap_or_else(|e| panic!("{e}\n{text}"))
}

fn motion(text: &str) -> Trajectory {
    let model = model(text);
    let compiled = compile_model(&model, Options::default()).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let mut settings = Settings::of(&model, &ParameterValues::of(&model)).expect("good settings");
    settings.rtol = 1e-11;
    settings.atol = 1e-13;
    compiled.simulation.run(&settings, &mut ()).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

#[track_caller]
fn same(a: &Trajectory, b: &Trajectory, names: &[&str], within: f64, what: &str) {
    let mut moved = 0.0_f64;
    for name in names {
        let (x, y) = (a.series(name).expect("an output"), b.series(name).expect("an output"));
        assert_eq!(x.len(), y.len());
        for (p, q) in x.iter().zip(&y) {
            assert!((p - q).abs() <= within, "{what}, {name}: {p} {q}");
            moved = moved.max((p - x[0]).abs());
        }
    }
    assert!(moved > 1e-3 || what.contains("fixed"), "{what}: nothing moves");
}

const FOUR_BAR: &str = "
parameter a = 0.1 [m], b = 0.35 [m], c = 0.25 [m], g = 0.3 [m]
gravity = -9.81 [m/s^2] * N.y
body crank { mass = 0.5 [kg]; inertia = (0, 4e-4, 4e-4) [kg*m^2]; center = (a/2, 0, 0); point end = (a, 0, 0) }
body coupler { mass = 0.8 [kg]; inertia = (0, 8e-3, 8e-3) [kg*m^2]; center = (b/2, 0, 0); point end = (b, 0, 0) }
body rocker { mass = 0.6 [kg]; inertia = (0, 3e-3, 3e-3) [kg*m^2]; center = (c/2, 0, 0); point end = (c, 0, 0) }
joint A between N.o and crank.o by revolute(z, q = phi)
joint B between crank.end and coupler.o by revolute(z)
joint C between coupler.end and rocker.end by revolute(z)
joint D between N(g, 0, 0) and rocker.o by revolute(z)
torque drive on crank from N = 1 [N*m] * N.z
output tip = position(N.o, coupler.end), knee = position(N.o, crank.end)
simulate { to = 0.5 [s], every = 0.01 [s] }
";

/// The place of the pin as a start, in angles of whichever joints are left.
fn started(cut: &str) -> String {
    let crank = 60_f64.to_radians();
    let (x, y) = (0.1 * crank.cos(), 0.1 * crank.sin());
    let (dx, dy) = (0.3 - x, -y);
    let d = dx.hypot(dy);
    let lift = ((0.35_f64.powi(2) + d * d - 0.25_f64.powi(2)) / (2.0 * 0.35 * d)).acos();
    let coupler = dy.atan2(dx) + lift;
    let rocker = (y + 0.35 * coupler.sin()).atan2(x + 0.35 * coupler.cos() - 0.3);
    let values = [("A", crank), ("B", coupler - crank), ("C", rocker - coupler), ("D", rocker)];
    let mut text = FOUR_BAR.replace(", q = phi", "");
    text += &format!("cut {cut}\nstart {{ ");
    for (name, value) in values.iter().filter(|(n, _)| *n != cut) {
        text += &format!("{name}.q = {value:?}; ");
    }
    text + "}\n"
}

#[test]
fn a_four_bar_moves_alike_whichever_joint_is_cut() {
    let runs: Vec<Trajectory> = ["C", "A", "B", "D"].iter().map(|cut| motion(&started(cut))).collect();
    for (run, cut) in runs.iter().zip(["C", "A", "B", "D"]) {
        same(&runs[0], run, &["tip.x", "tip.y", "knee.x", "knee.y"], 1e-8, cut);
    }
}

#[test]
fn the_loop_is_cut_opposite_to_the_ground_and_costs_planar_equations() {
    let text = format!("{FOUR_BAR}start {{ phi = 60 [deg] }}\n");
    let model = model(&text);
    let names: Vec<&str> = model.constraints.iter().map(|(_, c)| c.name.as_str()).collect();
    assert_eq!(names, ["C"]);
    let coordinates: Vec<&str> = model.coordinates.iter().map(|(_, q)| q.quantity.name.as_str()).collect();
    assert_eq!(coordinates, ["phi", "B.q", "D.q"]);
    let compiled = compile_model(&model, Options::default()).expect("a mechanism");
    let loops = compiled.choice.loops.expect("a loop");
    assert_eq!((loops.loops.rows.len(), loops.implied.len()), (2, 3));
}

/// One body, held by two joints at once: one that leaves it free, and the one in question.
fn held(by: &str, reversed: bool, rest: &str) -> String {
    let ends = if reversed { "B.P and N.o" } else { "N.o and B.P" };
    format!(
        "gravity = (1, -9.81, 2) [m/s^2]
body B {{ mass = 2 [kg]; inertia = (0.3, 0.4, 0.5) [kg*m^2]; center = (0.1, 0.05, -0.02) [m]; point P = (0.2, -0.1, 0.3) [m] }}
joint six between N.o and B.o by free(rotate = xyz)
joint j between {ends} by {by}
torque twist on B from N = 0.3 [N*m] * N.x + 0.2 [N*m] * N.y - 0.4 [N*m] * N.z
output p = position(N.o, B.cm), ax = dot(B.x, N.x), ay = dot(B.y, N.z), az = dot(B.z, N.y)
simulate {{ to = 0.4 [s], every = 0.02 [s] }}
{rest}"
    )
}

const KINDS: &[&str] = &[
    "fixed",
    "revolute(z)",
    "revolute((1, 2, 2))",
    "prismatic(-x)",
    "cylindrical(y)",
    "planar(z)",
    "universal(xy)",
    "spherical(rotate = xyz)",
    "screw(z, lead = 50 [mm])",
    "rotate(y)",
    "translate(x) rotate(y)",
    "rotate(y) translate(x)",
    "translate(x, y) rotate(x)",
    "translate(x, z)",
    "translate(y) universal(zx)",
    "universal(zx) translate(y)",
    "translate(x, y) spherical(rotate = xyz)",
];
const SEEN: &[&str] = &["p.x", "p.y", "p.z", "ax", "ay", "az"];

/// The free joint as it is where all coordinates of the other vanish.
const BESIDE: &str = "start { six.q1 = -0.2 [m]; six.q2 = 0.1 [m]; six.q3 = -0.3 [m] }";

/// Nobody speaks of the coordinates: the joint in the tree, and the joint as what closes the loop.
#[test]
fn every_kind_of_joint_closes_a_loop() {
    for by in KINDS {
        for reversed in [false, true] {
            let tree = held(by, reversed, "");
            let cut = held(by, reversed, &format!("cut j\n{BESIDE}\n"));
            let closing = model(&cut);
            assert_eq!(model(&tree).constraints.len(), 0, "{by}");
            assert!(!closing.constraints.is_empty() && closing.coordinates.len() == 6, "{by}");
            same(&motion(&tree), &motion(&cut), SEEN, 1e-7, &format!("{by} {reversed}"));
        }
    }
}

/// A coordinate is the motion of the second body in the first, whichever of them is held.
#[test]
fn coordinates_do_not_depend_on_which_body_is_held() {
    for (by, start) in [
        ("revolute(z)", "j.q = 0.3; j.u = 1.5"),
        ("cylindrical(y)", "j.q1 = 0.2 [m]; j.q2 = 0.7; j.u2 = -1"),
        ("planar(z)", "j.q1 = 0.2 [m]; j.q2 = -0.1 [m]; j.q3 = 0.5; j.u3 = 1"),
        ("universal(xy)", "j.q1 = 0.3; j.q2 = -0.4; j.u1 = 0.5"),
        ("screw(z, lead = 50 [mm])", "j.q = 0.4; j.u = 2"),
        ("translate(x) rotate(y)", "j.q1 = 0.1 [m]; j.q2 = 0.3; j.u2 = 1"),
    ] {
        // The first body hangs on the ground in one text, the second in the other.
        let text = |held: &str| {
            format!(
                "body A {{ mass = 2 [kg]; inertia = (0.3, 0.4, 0.5) [kg*m^2]; point P = (0.1, 0.2, 0.3) [m] }}
body B {{ mass = 1 [kg]; inertia = (0.1, 0.2, 0.2) [kg*m^2]; point Q = (0.2, -0.1, 0.3) [m] }}
joint ground between N.o and {held}.o by fixed
joint j between A.P and B.Q by {by}
output r = dot(position(A.o, B.o), A.x), s = dot(position(A.o, B.o), A.y), h = dot(position(A.o, B.o), A.z)
output c = dot(A.x, B.y), d = dot(A.y, B.z), e = dot(A.z, B.x), v = dot(omega(B, in = A), B.x + B.y + B.z)
simulate {{ to = 0.01 [s], every = 0.01 [s] }}
start {{ {start} }}\n"
            )
        };
        let (a, b) = (motion(&text("A")), motion(&text("B")));
        for name in ["r", "s", "h", "c", "d", "e", "v"] {
            let (x, y) = (a.series(name).expect("an output")[0], b.series(name).expect("an output")[0]);
            assert!((x - y).abs() < 1e-14, "{by}, {name}: {x} {y}");
        }
    }
}

/// What a joint does to its first body is told alike by the tree and by the loop.
#[test]
fn the_force_of_a_joint_does_not_depend_on_what_is_cut() {
    for reversed in [false, true] {
        let outputs = "output f = j.force, m = j.torque\n";
        let cut = motion(&held("revolute(z)", reversed, outputs));
        let tree = held("revolute(z)", reversed, outputs)
            .replace("joint six between N.o and B.o by free(rotate = xyz)\n", "");
        same(&motion(&tree), &cut, &["f.x", "f.y", "f.z", "m.x", "m.y"], 1e-6, "force");
    }
}

/// A block 2 m out on a slide hangs there by its weight of 10 N: at the second point, which moves with it, no torque is left; at the first
/// one the slide bears 20 N·m.
#[test]
fn the_torque_of_a_joint_is_told_at_its_second_point() {
    let text = |points: &str, block: &str| {
        format!(
            "gravity = -10 [m/s^2] * N.y
body b {block} {{ mass = 1 [kg]; inertia = (1, 1, 1) [kg*m^2]; point P = (0, 0.5, 0) [m] }}
joint slide {points}
start {{ s = 2 [m] }}
output f = slide.force, m = slide.torque, c = slide.countertorque
simulate {{ to = 1 [s], every = 1 [s] }}\n"
        )
    };
    for (points, block, torque) in [
        ("between N.o and b.o by prismatic(x, q = s)", "", 0.0),
        ("between N.o and b.P by prismatic(x, q = s)", "", 0.0),
        ("between b.o and N.o by prismatic(-x, q = s)", "", 20.0),
        ("between b.P and N.o by prismatic(-x, q = s)", "", 20.0),
        ("= prismatic(N.o, b.o, axis = x)", "on N by translate(x = s, y = h) rotate(z = w)", 0.0),
        ("= prismatic(b.o, N.o, axis = x)", "on N by translate(x = s, y = h) rotate(z = w)", 20.0),
    ] {
        let run = motion(&text(points, block));
        let first = |name: &str| run.series(name).expect("an output")[0];
        // The force on the first body, the ground or the block.
        let sign = if torque == 0.0 { 1.0 } else { -1.0 };
        assert!((first("f.y") + 10.0 * sign).abs() < 1e-9, "{points}: {}", first("f.y"));
        assert!((first("m.z") - torque).abs() < 1e-9, "{points}: {}", first("m.z"));
        assert!((first("c.z") + torque).abs() < 1e-9, "{points}: {}", first("c.z"));
    }
}

/// A frame that is fixed on a body stands for it where joints hold it, whichever end is written first.
#[test]
fn a_frame_fixed_on_a_body_holds_it() {
    for (ends, sign) in [("N.o and marker", 1.0), ("marker.o and N.o", -1.0)] {
        for turn in [
            "by fixed(rotate = xyz, angles = (20, -35, 50) [deg]) ",
            "by fixed(angles = (0.3, 1.1, -2)) ",
            "",
        ] {
            let text = format!(
                "gravity = -9.81 [m/s^2] * N.y
body part {{ mass = 0.2 [kg]; inertia = (0.01, 0.02, 0.02) [kg*m^2]; center = (0.5, 0.1, 0.05) [m] }}
frame marker on part {turn}at (0.1, 0.2, 0.3) [m]
joint pin between {ends} by revolute(z, q = turn)
output o = position(N.o, marker.o), c = dot(marker.x, N.x), s = dot(marker.x, N.y), along = dot(marker.z, N.z)
start {{ turn = 0.4 }}
simulate {{ to = 1 [s], every = 0.1 [s] }}
"
            );
            let run = motion(&text);
            let series = |name: &str| run.series(name).unwrap_or_else(|| panic!("{name}"));
            let (q, c, s, along) = (series("turn"), series("c"), series("s"), series("along"));
            assert!((q[q.len() - 1] - q[0]).abs() > 0.1, "it moves");
            for k in 0..q.len() {
                assert!(
                    (c[k] - q[k].cos()).abs() < 1e-12 && (s[k] - sign * q[k].sin()).abs() < 1e-12,
                    "{text}"
                );
                assert!((along[k] - 1.0).abs() < 1e-12, "{text}");
            }
            for name in ["o.x", "o.y", "o.z"] {
                assert!(series(name).iter().all(|x| x.abs() < 1e-12), "{name}: {text}");
            }
            assert!(run.audit.relative() < 1e-9);
        }
    }
}

/// Whichever joint is cut, the system has one loop through the ground and all three bodies.
#[test]
fn the_loop_of_a_system_is_the_same_whichever_joint_is_cut() {
    use cardan::topology::System;
    for cut in ["A", "B", "C", "D"] {
        let model = model(&format!("model four_bar\n{FOUR_BAR}cut {cut}\n"));
        let system = System::of(&model);
        let [closed] = system.loops.as_slice() else { panic!("{cut}:\n{system}") };
        assert_eq!(system.edges[closed.edge].name, cut, "{system}");
        assert_eq!(system.edges.len(), 4, "{system}");
        let mut bodies: Vec<&str> =
            closed.bodies.iter().map(|b| b.map_or("N", |b| model.bodies[b].name.as_str())).collect();
        bodies.sort_unstable();
        assert_eq!(bodies, ["N", "coupler", "crank", "rocker"], "{cut}:\n{system}");
        // A joint that keeps its coordinate is carried by a frame and welded.
        let keeps = system.edges[closed.edge].joint.is_some();
        assert_eq!((closed.n_rows, keeps), if keeps { (6, true) } else { (5, false) }, "{cut}:\n{system}");
        assert_eq!(system.n_rows(), closed.n_rows);
        for body in &system.bodies {
            let depth = body.parent.map_or(1, |p| system.bodies[p].depth + 1);
            assert_eq!(body.depth, depth, "{system}");
        }
    }
}
