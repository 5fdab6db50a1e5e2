//! Limits that a motion passes, stops, ends of tables, and what nothing uses: what is said about them.

use std::path::Path;

use serde_json::Value;

use super::folder::Folder;

/// Runs the command with `--json`; gives its exit code and what it said.
fn cardan(words: &[&str], file: &Path) -> (i32, Value, String) {
    let folder = Folder::new(&format!("limits-{:?}", std::thread::current().id()));
    let said = folder.say(&[words, &[file.to_str().unwrap(), "--json"]].concat());
    (said.code, serde_json::from_str(&said.out).unwrap_or(Value::Null), said.err)
}

const LID: &str = "parameter J = 0.01 [kg*m^2]
gravity = -9.81 [m/s^2] * N.z
body lid on N by revolute(y, q = tilt, limit = -10 [deg] .. 70 [deg], armature = J) {
  mass = 2 [kg]; inertia = (0.1, 0.1, 0.1) [kg*m^2]; center = (0.3, 0, 0) [m]
}
";

#[test]
fn a_limit_in_the_text_is_watched_and_a_stop_keeps_it() {
    let folder = Folder::with("limits", "lid.mbs", &format!("{LID}simulate {{ to = 1 [s] }}\n"));
    let stop = "stop rest on tilt { stiffness = 5e3 [N*m/rad]; damping = 50 [N*m*s/rad] }";
    folder.write("kept.mbs", &format!("{LID}{stop}\noutput rest.effort\nsimulate {{ to = 1 [s] }}\n"));
    let (code, said, err) = cardan(&["run", "--quiet"], &folder.0.join("lid.mbs"));
    assert_eq!(code, 0, "{err}");
    let warnings = said["warnings"].to_string();
    assert!(
        warnings.contains("`tilt` passed its upper limit") && warnings.contains("stop tilt_stop on tilt"),
        "{warnings}"
    );
    let (code, said, err) = cardan(&["run", "--quiet"], &folder.0.join("kept.mbs"));
    assert_eq!(code, 0, "{err}");
    assert_eq!(said["warnings"].as_array().map(Vec::len), Some(0), "{said}");
    let (_, said, _) = cardan(&["show", "model"], &folder.0.join("kept.mbs"));
    assert_eq!(said["limits"][0]["stop"], "rest", "{said}");
}

#[test]
fn a_motion_off_its_curve_names_the_table() {
    let text = "gravity = -9.81 [m/s^2] * N.z
table cx(s [m]) [m] = spline { 0: 0, 1: 1, 2: 2, 3: 3 }
table cz(s [m]) [m] = spline { 0: 1, 1: 0.5, 2: 0.2, 3: 0 }
particle p on N by translate(x = x, y = y, z = z) { mass = 1 [kg] }
joint w = on_curve(N.o, p.o, x = cx, y = 0 [m], z = cz, q = s)
start { s = 0.1 [m] }
simulate { to = 5 [s] }
";
    let folder = Folder::with("off-the-curve", "slide.mbs", text);
    let (code, _, err) = cardan(&["run", "--quiet"], &folder.0.join("slide.mbs"));
    assert_eq!(code, 3, "{err}");
    assert!(err.contains("the table `cx` is known from 0 to 3 in SI units and was asked at 3"), "{err}");
}

#[test]
fn what_nothing_uses_is_told_unless_it_is_meant() {
    let folder =
        Folder::with("unused", "a.mbs", &format!("{LID}parameter extra = 2\nsimulate {{ to = 1 [s] }}\n"));
    folder.write("b.mbs", &format!("{LID}parameter _extra = 2\nsimulate {{ to = 1 [s] }}\n"));
    folder.write("c.mbs", &format!("{LID}parameter extra = 2\n"));
    for (name, expected) in [("a.mbs", true), ("b.mbs", false), ("c.mbs", false)] {
        let (code, _, err) = cardan(&["check"], &folder.0.join(name));
        assert_eq!(code, 0, "{err}");
        assert_eq!(err.contains("[M035]"), expected, "{name}: {err}");
    }
}
