//! Constraints that part, singular starts, drives that give way, reactions on both sides: as people meet them.

use serde_json::Value;

use super::folder::{Folder, MODELS};

fn library(name: &str) -> String {
    std::fs::read_to_string(format!("{MODELS}/{name}")).unwrap()
}

#[test]
fn a_motion_ends_where_drives_part() {
    let folder = Folder::with(
        "parted-two",
        "m.mbs",
        "
body a on N by revolute(z, q = p) { mass = 1 [kg]; inertia = (0.1, 0.1, 0.1) [kg*m^2] }
body b on N by revolute(z, q = r) { mass = 1 [kg]; inertia = (0.1, 0.1, 0.1) [kg*m^2] }
joint g = gear(a, b, ratio = 1)
motion m1 on p = if t < 0.5 [s] then t / (1 [s]) else 2 * t / (1 [s]) - 0.5
motion m2 on r = t / (1 [s])
simulate { to = 1 [s], every = 0.1 [s] }
",
    );
    let said = folder.cardan(&["run", "m.mbs"], 3).err;
    assert!(said.contains("K007") && said.contains("`m2` parts from `g` and `m1` at t = 0.5 s"), "{said}");
    let facts = folder.json(&["run", "m.mbs"], 3);
    assert_eq!(facts["ending"], "failed", "{facts}");
    assert!(facts["diagnostics"].to_string().contains("K007"), "{facts}");
}

/// A row that begins to say something at 1 s is kept, and the motion goes on.
#[test]
fn a_motion_goes_on_with_a_constraint_that_begins_to_say_something() {
    let folder = Folder::with(
        "parted-later",
        "m.mbs",
        "
particle a on N by translate(x = x, y = y, z = z) { mass = 1 [kg] }
constraint ring = (x^2 + y^2) / (2 [m]) - 0.5 [m]
constraint later = (x^2 + y^2) / (2 [m]) - 0.5 [m] + max(0 [s], t - 1 [s]) * z / (1 [s])
force pull on a.cm = (if t < 1 [s] then 0 [N] else 1 [N]) * N.z
start { x = 1 [m]; der(y) = 2 [m/s] }
simulate { to = 2 [s], every = 0.1 [s] }
",
    );
    let said = folder.cardan(&["run", "m.mbs", "--out", "o"], 0).err;
    assert!(said.contains("`later` parts from `ring`") && said.contains("it is kept"), "{said}");
    let rows = folder.read("o/results.csv");
    assert_eq!(rows.lines().count(), 22, "{rows}");
    assert!(!folder.0.join("o/results.kept.csv").exists());
}

const FLAT: &str = "
model flat
gravity = -9.81 [m/s^2] * N.x
body a on N by revolute(z, q = p) { mass = 1 [kg]; inertia = (0, 0, 0.1) [kg*m^2]; center = (0.5, 0, 0) [m]; point e = (1, 0, 0) [m] }
body b on a by revolute(z, q = r) at a.e { mass = 1 [kg]; inertia = (0, 0, 0.1) [kg*m^2]; center = (1, 0, 0) [m]; point e = (2, 0, 0) [m] }
body c on N by revolute(z, q = s) at (2, 0, 0) [m] { mass = 1 [kg]; inertia = (0, 0, 0.1) [kg*m^2]; center = (0.5, 0, 0) [m]; point e = (1, 0, 0) [m] }
joint pin = revolute(b.e, c.e, axis = z)
simulate { to = 2 [s] }
";

#[test]
fn a_flat_parallelogram_is_told_by_every_verb() {
    let folder = Folder::with("parted-flat", "m.mbs", FLAT);
    for verb in ["check", "run"] {
        let said = folder.cardan(&[verb, "m.mbs"], 1).err;
        assert!(said.contains("K008") && said.contains("the loop through a, b, c"), "{verb}: {said}");
        assert!(said.contains("`start { p = 1 [deg] }`"), "{verb}: {said}");
    }
    for form in ["stabilised", "partitioned", "baumgarte"] {
        let said = folder.cardan(&["run", "m.mbs", "--constraints", form], 1).err;
        assert!(said.contains("K008"), "{form}: {said}");
    }
    for (verb, code) in [("equilibrium", 3), ("modes", 3), ("linearize", 3)] {
        let said = folder.cardan(&[verb, "m.mbs"], code).err;
        assert!(said.contains("singular position of the loop through a, b, c"), "{verb}: {said}");
    }
}

/// The piston's force that moves a slider-crank like its motor does: virtual power, F ẋ = M ω, where the motor's torque is that of the
/// driven run.
#[test]
fn an_actuator_takes_the_place_of_a_drive() {
    let folder = Folder::with("parted-crank", "m.mbs", &library("slider-crank.mbs"));
    let asked = ["inverse", "m.mbs", "--motion", "phi = 100 [rad/s] * t", "--actuate", "s", "--to", "0.05"];
    let said = folder.cardan(&asked, 0).err;
    assert!(said.contains("take the place of the drive `motor`"), "{said}");
    let facts = folder.json(&asked, 0);
    assert_eq!(facts["released"][0], "motor", "{facts}");
    let value = |facts: &Value, name: &str| facts["final"][name]["value"].as_f64().unwrap();
    let driven = folder.json(&["kinematics", "m.mbs", "--to", "0.05"], 0);
    let expected = value(&driven, "torque") * value(&driven, "der(phi)") / value(&driven, "der(s)");
    let force = value(&facts, "force along s");
    assert!((force - expected).abs() < 1e-9 * expected.abs() && force.abs() > 1.0, "{force} {expected}");
}

/// The six legs of a platform whose pose is given instead of their lengths: the forces are those that its motors take.
#[test]
fn legs_carry_a_platform_whose_pose_is_given() {
    let folder = Folder::with("parted-legs", "m.mbs", &library("stewart-platform.mbs"));
    let driven = folder.json(&["kinematics", "m.mbs", "--to", "0.3"], 0);
    let pose = [
        "px = surge * sin(2 * pi * f * t)",
        "py = 0 [m]",
        "pz = height + heave * sin(4 * pi * f * t)",
        "r1 = roll * (1 - cos(2 * pi * f * t)) / 2",
        "r2 = 0",
        "r3 = 0",
    ];
    let mut asked = vec![
        "inverse",
        "m.mbs",
        "--actuate",
        "leg[1].s,leg[2].s,leg[3].s,leg[4].s,leg[5].s,leg[6].s",
        "--to",
        "0.3",
    ];
    pose.iter().for_each(|motion| asked.extend(["--motion", motion]));
    let facts = folder.json(&asked, 0);
    assert_eq!(facts["released"].as_array().unwrap().len(), 6, "{facts}");
    for k in 1..=6 {
        let of = |facts: &Value, name: String| facts["final"][&name]["value"].as_f64().unwrap();
        let (force, expected) =
            (of(&facts, format!("force along leg[{k}].s")), of(&driven, format!("force of leg[{k}].drive")));
        assert!((force - expected).abs() < 1e-6 * expected.abs(), "leg {k}: {force} {expected}");
    }
}

/// The crank at another speed than the text says: its pin goes round twice as fast, whatever the drive of the text.
#[test]
fn a_motion_of_the_command_line_takes_the_place_of_a_drive() {
    let folder = Folder::with("parted-faster", "m.mbs", &library("slider-crank.mbs"));
    let asked = ["kinematics", "m.mbs", "--motion", "phi = 2 * omega * t", "--to", "0.05"];
    let facts = folder.json(&asked, 0);
    assert_eq!((&facts["released"][0], &facts["drives"][0]), (&"motor".into(), &"phi".into()), "{facts}");
    let same = folder.json(&["kinematics", "m.mbs", "--to", "0.1"], 0);
    let value = |facts: &Value, name: &str| facts["final"][name]["value"].as_f64().unwrap();
    for name in ["phi", "s"] {
        let (a, b) = (value(&facts, name), value(&same, name));
        assert!((a - b).abs() < 1e-9, "{name}: {a} {b}");
    }
}

#[test]
fn shared_reactions_are_marked_in_statics_and_kinematics() {
    let text = "
gravity = -9.81 [m/s^2] * N.y
body b on N by planar(z, q = (x, y, q)) { mass = 10 [kg]; inertia = (1, 1, 1) [kg*m^2]; center = (1, 0, 0) [m]; point m = (1, 0, 0) [m]; point e = (2, 0, 0) [m] }
joint r0 = on_line(N.o, b.o, axis = z)
joint r1 = in_plane(N(1, 0, 0) [m], b.m, axis = y)
joint r2 = in_plane(N(2, 0, 0) [m], b.e, axis = y)
output f0 = r0.force, f1 = r1.force, back = r1.counterforce
";
    let folder = Folder::with("parted-beam", "m.mbs", text);
    for verb in ["equilibrium", "kinematics"] {
        let facts = folder.json(&[verb, "m.mbs"], 0);
        let marked: Vec<&str> =
            facts["not_unique"].as_array().unwrap().iter().map(|n| n.as_str().unwrap()).collect();
        assert_eq!(marked, ["f0.y", "f1.y", "back.y"], "{verb}: {facts}");
        let out = folder.cardan(&[verb, "m.mbs"], 0).out;
        assert_eq!(out.matches("not unique; least norm").count(), 3, "{verb}: {out}");
    }
    let facts = folder.json(&["equilibrium", "m.mbs"], 0);
    let of = |name: &str| facts["outputs"][name]["value"].as_f64().unwrap();
    assert!((of("f1.y") + of("back.y")).abs() < 1e-12 && (of("f1.y").abs() - 32.7).abs() < 1e-9, "{facts}");
}
