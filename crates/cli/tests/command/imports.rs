//! Robots of other formats through the command: the same motion as from a text of our own, closed forms, messages.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::folder::Folder;

fn robot(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/robots").join(name)
}

/// Runs the command with `--json`; gives its exit code and what it said.
fn cardan(words: &[&str], file: &Path) -> (i32, Value, String) {
    let folder = Folder::new(&format!("robots-{:?}", std::thread::current().id()));
    let said = folder.say(&[words, &[file.to_str().unwrap(), "--json"]].concat());
    (said.code, serde_json::from_str(&said.out).unwrap_or(Value::Null), said.err)
}

/// Final values of a run, by name.
fn finals(arguments: &[&str], file: &str) -> impl Fn(&str) -> f64 {
    let (code, said, err) = cardan(&[&["run", "--quiet"], arguments].concat(), &robot(file));
    assert_eq!(code, 0, "{err}");
    assert_eq!(said["energy"]["verdict"], "holds", "{said}");
    move |name| said["final"][name]["value"].as_f64().unwrap_or_else(|| panic!("{name} in {}", said["final"]))
}

/// An importer and a text of our own describe one mechanism.
#[test]
fn a_urdf_moves_like_the_same_model_as_text() {
    let urdf = finals(&["--to", "2", "--set", "shoulder.u=3"], "elbow.urdf");
    let text = finals(&["--to", "2"], "elbow.mbs");
    for (name, ours) in [
        ("shoulder.q", "shoulder"),
        ("elbow.q", "elbow"),
        ("shoulder.u", "der(shoulder)"),
        ("elbow.u", "der(elbow)"),
    ] {
        assert!((urdf(name) - text(ours)).abs() < 1e-8, "{name}: {} against {}", urdf(name), text(ours));
    }
}

/// A robot that stands on nothing falls as a whole: ½ g t², and no joint moves.
#[test]
fn a_free_robot_falls() {
    let at = finals(&["--to", "2", "--free"], "elbow.urdf");
    assert!((at("post.z") + 0.5 * 9.81 * 4.0).abs() < 1e-9, "{}", at("post.z"));
    assert!(at("elbow.q").abs() < 1e-9 && at("shoulder.q").abs() < 1e-9);
}

/// In a parallelogram the coupler only shifts, so that crank angle and speed obey an energy law in closed form, up to the quarter turn
/// where all bars lie in one line and the linkage may go either way.
#[test]
fn a_loop_of_mjcf_is_closed() {
    let at = finals(&["--to", "0.2", "--set", "drive.u=3"], "four-bar.xml");
    let (q, u) = (at("drive.q"), at("drive.u"));
    assert!((at("swing.q") - q).abs() < 1e-9 && (at("knuckle.q") + q).abs() < 1e-9);
    let inertia = 4e-4 + 0.5 * 0.05f64.powi(2) + 3e-3 + 0.6 * 0.05f64.powi(2) + 0.8 * 0.1f64.powi(2);
    let moment = (0.5 * 0.05 + 0.6 * 0.05 + 0.8 * 0.1) * 9.81;
    let energy = |q: f64, u: f64| 0.5 * inertia * u * u + moment * q.cos();
    assert!((energy(q, u) - energy(0.0, 3.0)).abs() < 1e-9, "{q} {u}");
    assert!(q > 0.5 && q < 1.5, "it moves, not as far as the quarter turn: {q}");
}

#[test]
fn import_says_what_became_of_a_robot() {
    let (code, said, _) = cardan(&["import"], &robot("elbow.urdf"));
    assert_eq!(code, 0);
    let expected = [("bodies", 3), ("speeds", 2), ("constraints", 0), ("loads", 1), ("shapes", 3)];
    for (key, n) in expected {
        assert_eq!(said[key], n, "{key}");
    }
    assert_eq!(said["format"], "URDF");
    assert!((said["mass"].as_f64().unwrap() - 8.0).abs() < 1e-12);
    let (_, said, _) = cardan(&["import"], &robot("four-bar.xml"));
    assert_eq!((&said["format"], &said["constraints"]), (&Value::from("MJCF"), &Value::from(1)));
}

#[test]
fn other_verbs_read_robots_too() {
    for verb in
        [&["check"][..], &["count"], &["show", "equations"], &["show", "program"], &["show", "topology"]]
    {
        assert_eq!(cardan(verb, &robot("elbow.urdf")).0, 0, "{verb:?}");
    }
    let (code, _, err) = cardan(&["show", "model", "--free"], &robot("elbow.mbs"));
    assert_eq!(code, 2);
    assert!(err.contains("`--free` is for robots of other formats"), "{err}");
}

/// What is wrong with a robot is said with its place, and with exit code 1; files outside the robot's folder are not read.
#[test]
fn findings_have_their_places() {
    let folder = Folder::new("robots-wrong");
    let text = std::fs::read_to_string(robot("elbow.urdf")).unwrap();
    folder.write("wrong.urdf", &text.replace("value=\"2\"", "value=\"two\""));
    let (code, said, err) = cardan(&["run"], &folder.0.join("wrong.urdf"));
    assert_eq!(code, 1);
    assert!(err.contains("error[I003]: `two` is not a number"), "{err}");
    assert_eq!(said["diagnostics"][0]["labels"][0]["line"], 13, "{said}");

    let secret = Folder::with("robots-secret", "secret.xml", "<mujocoinclude/>");
    let above = format!("../{}/secret.xml", secret.0.file_name().unwrap().to_str().unwrap());
    folder.write("outside.xml", &format!("<mujoco><include file=\"{above}\"/></mujoco>"));
    let (code, _, err) = cardan(&["check"], &folder.0.join("outside.xml"));
    assert_eq!(code, 1);
    assert!(err.contains("[I016]"), "{err}");
}

/// Nothing stops a joint at its limit, and somebody is told.
#[test]
fn a_limit_that_is_passed_is_told() {
    let text = "<robot name='lim'><link name='base'/><link name='a'><inertial><mass value='2'/>
        <inertia ixx='0.1' iyy='0.1' izz='0.02' ixy='0' ixz='0' iyz='0'/></inertial></link>
        <joint name='j' type='prismatic'><parent link='base'/><child link='a'/><axis xyz='1 0 0'/>
        <limit lower='-0.2' upper='0.5' effort='3' velocity='1'/></joint></robot>";
    let folder = Folder::with("robots-limited", "limited.urdf", text);
    let told = |speed: &str| {
        let out = ["run", "--quiet", "--to", "1", "--every", "0.1", "--set", speed];
        let (code, said, err) = cardan(&out, &folder.0.join("limited.urdf"));
        assert_eq!(code, 0, "{err}");
        said["warnings"].to_string()
    };
    assert!(told("j.u=1").contains("`j.q` passed its upper limit 0.5 m at t = 0.6 s"), "{}", told("j.u=1"));
    assert!(told("j.u=-1").contains("lower limit -0.2 m"), "{}", told("j.u=-1"));
    assert!(!told("j.u=0.4").contains("limit"), "{}", told("j.u=0.4"));
}

/// A massless link that floats is to blame, not the heavy one that it carries.
#[test]
fn a_floating_link_without_mass_is_named() {
    let folder = Folder::with("idle-base", "gripper.urdf", include_str!("texts/gripper.urdf"));
    let said = folder.cardan(&["run", "gripper.urdf", "--free"], 1).err;
    assert!(said.contains("I014") && said.contains("the base `world`"), "{said}");
    assert!(said.contains("K004") && said.contains("the motion of `world` against `base`"), "{said}");
    folder.cardan(&["run", "gripper.urdf", "--to", "0.1"], 0);
}

/// A pose in which a loop is open moves until it closes; a value that is set is held, and the advice can be typed.
#[test]
fn a_pose_that_does_not_close_is_a_guess() {
    let text = "<mujoco><compiler angle='radian'/><worldbody>
      <body name='a'><joint name='a' axis='0 0 1'/><geom type='sphere' size='0.1' pos='0.2 0 0' mass='1'/></body>
      <body name='b' pos='1 0 0'><joint name='b' axis='0 0 1'/><geom type='sphere' size='0.1' pos='0.2 0 0' mass='1'/></body>
      </worldbody><equality><joint joint1='b' joint2='a' polycoef='0.1 -0.7 0.3'/></equality></mujoco>";
    let folder = Folder::with("guessed", "pair.xml", text);
    let said = folder.json(&["run", "pair.xml", "--to", "0.1"], 0);
    let value = |name: &str| {
        let values = said["start"]["assembly"]["values"].as_array().unwrap();
        values.iter().find(|v| v["name"] == name).unwrap()["value"].as_f64().unwrap()
    };
    let (a, b) = (value("a.q"), value("b.q"));
    assert!((b - (0.1 - 0.7 * a + 0.3 * a * a)).abs() < 1e-10, "{a} {b}");
    let held = folder.cardan(&["run", "pair.xml", "--set", "a.q=0", "--set", "b.q=0"], 1).err;
    assert!(held.contains("K003") && held.contains("leave out `--set a.q=…`"), "{held}");
}
