//! Changes between two sweeps: none of them is taken for the sweep before.

use super::folder::Folder;

const BASE: &str = "model base
parameter k = 10 [N/m], c = 0.1 [N*s/m], m = 1 [kg], J = 2*m*(1 [m^2]), end = 0.1 [s]
gravity = -9.81 [m/s^2] * N.z
table law(x [m]) [N] = linear { 0: 0, 1: 5, 2: 7 }
external function pull(x [m]) [N]
body p on N by translate(x = x) { mass = m; inertia = (1, 1, 1) [kg*m^2]; center = (0, 0, 0.1) [m] }
body a on p by rotate(y = q) at (0, 0, -0.2) [m] { mass = 2 [kg]; inertia = (J, J, J); center = (0.3, 0, 0) [m] }
spring s between p.o and N(3, 0, 0) [m] { stiffness = k; length = 1 [m] }
force f on p.o = (-k * x - c * p.u + law(1 [m] + 0.1*x) - pull(x)) * N.x
discrete n = 0
when x < 0.9 [m] { n := n + 1 }
every 20 [ms] { n := n + 2 }
output height = dot(position(N.o, a.cm), N.z), e = x + 1 [m]
start { x = 1 [m]; q = 0.2 [rad]; der(x) = 0.5 [m/s] }
simulate { to = end, rtol = 1e-7 }
";

/// A part of the text and what takes its place.
const EDITS: [(&str, &str); 31] = [
    ("k = 10", "k = 11"),
    ("c = 0.1", "c = 0.2"),
    ("2*m*(1 [m^2])", "3*m*(1 [m^2])"),
    ("end = 0.1", "end = 0.2"),
    ("-9.81", "-1.62"),
    ("* N.z\ntable", "* N.x\ntable"),
    ("1: 5", "1: 6"),
    ("= linear {", "= spline {"),
    ("translate(x = x)", "translate(x = x, armature = 1 [kg])"),
    ("rotate(y = q)", "rotate(z = q)"),
    ("(0, 0, -0.2) [m]", "(0, 0, -0.2) [cm]"),
    ("mass = 2 [kg]", "mass = 3 [kg]"),
    ("(1, 1, 1) [kg*m^2]", "(1, 1.5, 1) [kg*m^2]"),
    ("center = (0.3, 0, 0)", "center = (0.4, 0, 0)"),
    ("N(3, 0, 0)", "N(4, 0, 0)"),
    ("length = 1 [m]", "length = 2 [m]"),
    ("-k * x - c", "-2*k * x - c"),
    ("0.1*x) - pull", "0.2*x) - pull"),
    ("discrete n = 0", "discrete n = 5"),
    ("x < 0.9", "x < 0.95"),
    ("n + 1", "n + 3"),
    ("every 20", "every 30"),
    ("dot(position(N.o, a.cm), N.z)", "dot(position(N.o, a.cm), N.x)"),
    ("e = x + 1 [m]", "e = x + 2 [m]"),
    ("x = 1 [m];", "x = 1.1 [m];"),
    ("q = 0.2 [rad]", "q = 0.2 [deg]"),
    ("der(x) = 0.5", "der(x) = 0.6"),
    ("rtol = 1e-7", "rtol = 1e-8"),
    ("rtol = 1e-7", "rtol = 1e-7, atol = 1e-5"),
    ("rtol = 1e-7", "rtol = 1e-7, constraints = baumgarte"),
    ("rtol = 1e-7", "rtol = 1e-7, method = radau5"),
];

/// Words of the command line instead of those that `WORDS` has.
const OTHER_WORDS: [&[&str]; 11] = [
    &["--vary", "m=1,2", "--set", "k=1000"],
    &["--vary", "m=1,2", "--set", "q=0.4"],
    &["--vary", "m=1,3"],
    &["--vary", "m=2,1"],
    &["--vary", "m=1..2", "--samples", "2"],
    &["--vary", "m=1..2", "--samples", "2", "--seed", "5"],
    &["--vary", "m=1,2", "--to", "0.3"],
    &["--vary", "m=1,2", "--every", "0.05"],
    &["--vary", "m=1,2", "--rtol", "1e-5"],
    &["--vary", "m=1,2", "--method", "dopri5"],
    &["--vary", "m=1,2", "--method", "rk4", "--step", "1e-3"],
];

const PULL: &str = "#include \"pull.h\"\ndouble pull(double x) { return FACTOR * x; }\n";

#[test]
fn no_change_between_two_sweeps_is_accepted_stale() {
    let folder = Folder::with("stale", "base.mbs", BASE);
    folder.write("pull.c", PULL);
    folder.write("pull.h", "#define FACTOR 0.5\n");
    folder.write("other.c", "double pull(double x) { return 2 * x; }\n");
    let sweep = |bind: &str, words: &[&str]| {
        folder.say(&[&["sweep", "base.mbs", "--quiet", "--out", "out", "--bind", bind], words].concat())
    };
    let usual = ["--vary", "m=1,2"];
    let refused = |what: &str, bind: &str, words: &[&str]| {
        let said = sweep(bind, words);
        assert_eq!(said.code, 1, "{what}: {}{}", said.out, said.err);
        assert!(said.err.contains("belongs to another sweep; changed: "), "{what}: {}", said.err);
    };
    let done = sweep("pull=pull.c", &usual);
    assert_eq!(done.code, 0, "{}", done.err);
    let results = ["results.parquet", "summary.json"].map(|name| folder.bytes(&format!("out/{name}")));
    let mut kinds = 0;
    for (part, other) in EDITS {
        assert_eq!(BASE.matches(part).count(), 1, "{part}");
        folder.write("base.mbs", &BASE.replace(part, other));
        refused(other, "pull=pull.c", &usual);
        kinds += 1;
    }
    folder.write("base.mbs", BASE);
    for words in OTHER_WORDS {
        refused(&words.join(" "), "pull=pull.c", words);
        kinds += 1;
    }
    refused("another library", "pull=other.c", &usual);
    folder.write("pull.h", "#define FACTOR 0.6\n");
    refused("a header of the library", "pull=pull.c", &usual);
    folder.write("pull.h", "#define FACTOR 0.5\n");
    kinds += 2;
    assert!(kinds >= 40, "{kinds}");
    // Unchanged, nothing is computed anew and nothing else is written.
    let again = folder.json(
        &["sweep", "base.mbs", "--out", "out", "--bind", "pull=pull.c", "--threads", "1", "--vary", "m=1,2"],
        0,
    );
    assert_eq!(again["computed"], 0, "{again}");
    assert_eq!(["results.parquet", "summary.json"].map(|name| folder.bytes(&format!("out/{name}"))), results);
}

/// Files that a robot includes, and how it is read, belong to it.
#[test]
fn a_robot_is_all_its_files() {
    let folder = Folder::with(
        "stale-robot",
        "robot.xml",
        "<mujoco><worldbody><body><joint name='j' axis='0 1 0'/><include file='mass.xml'/></body></worldbody></mujoco>",
    );
    let mass = |size: &str| {
        folder.write(
            "mass.xml",
            &format!("<mujocoinclude><geom size='{size}' pos='0.1 0 0.0001'/></mujocoinclude>"),
        );
    };
    let sweep = |more: &[&str]| {
        folder.say(&[&["sweep", "robot.xml", "--vary", "j.q=0,1", "--to", "0.1", "--quiet"], more].concat())
    };
    mass("0.1");
    let done = sweep(&[]);
    assert_eq!(done.code, 0, "{}", done.err);
    mass("0.2");
    assert_eq!(sweep(&[]).code, 1);
    mass("0.1");
    assert_eq!(sweep(&["--exact"]).code, 1);
    assert_eq!(sweep(&[]).code, 0);
}

/// The end of a motion may depend on what varies.
#[test]
fn varied_settings_are_those_of_each_motion() {
    let text = "model ends\nparameter T = 1 [s]\nparameter twice = 2*T\n\
                particle p on N by translate(x = x) { mass = 1 [kg] }\n\
                start { der(x) = 1 [m/s] }\nsimulate { to = twice }\n";
    let folder = Folder::with("stale-settings", "ends.mbs", text);
    let said = folder.json(&["sweep", "ends.mbs", "--vary", "T=1,2,3"], 0);
    let end = &said["quantities"]["x"]["end"];
    let near = |key: &str, x: f64| (end[key].as_f64().unwrap() - x).abs() < 1e-9;
    assert!(near("least", 2.0) && near("median", 4.0) && near("greatest", 6.0), "{end}");
    let fixed = folder.json(&["sweep", "ends.mbs", "--vary", "T=1,2,3", "--to", "5", "--out", "fixed"], 0);
    assert_eq!(fixed["quantities"]["x"]["end"]["least"].as_f64().map(f64::round), Some(5.0), "{fixed}");
    let err = folder.cardan(&["sweep", "ends.mbs", "--vary", "T=1,0", "--out", "none"], 2).err;
    assert!(err.contains("`every` = 0 is not a positive number"), "{err}");
}

#[test]
fn what_is_set_and_varied_is_refused() {
    let folder = Folder::with("stale-set", "base.mbs", &BASE.replace("- pull(x)", ""));
    for (set, vary) in [("m=7", "m=1,2"), ("a.q=1", "q=0,1"), ("q~1", "a.q=0,1"), ("q=1", "q=0,1")] {
        let said = folder.cardan(&["sweep", "base.mbs", "--set", set, "--vary", vary], 2);
        assert!(said.err.contains("is set by --set and varied by --vary"), "{}", said.err);
    }
}

/// A sweep that is at work keeps its journal, whatever another one wants.
#[cfg(unix)]
#[test]
fn a_fresh_sweep_waits_for_the_one_at_work() {
    let text = "model long\nparameter m = 1 [kg]\nparticle p on N by translate(x = x) { mass = m }\n\
                start { der(x) = 1 [m/s] }\nsimulate { to = 1 [s] }\n";
    let folder = Folder::with("stale-fresh", "long.mbs", text);
    let words =
        ["sweep", "long.mbs", "--vary", "m=1..2", "--samples", "1000000", "--threads", "1", "--quiet"];
    let mut child =
        folder.command(&[&words[..], &["--method", "rk4", "--step", "1e-3"]].concat()).spawn().unwrap();
    let journal = folder.0.join("results/long-sweep/sweep.journal");
    while std::fs::metadata(&journal).map_or(0, |m| m.len()) < 2000 {
        assert!(child.try_wait().unwrap().is_none());
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    let said = folder.cardan(&["sweep", "long.mbs", "--vary", "m=1,2", "--fresh"], 3);
    assert!(said.err.contains(&format!("process {}", child.id())), "{}", said.err);
    assert!(std::fs::metadata(&journal).unwrap().len() >= 2000);
    child.kill().unwrap();
    child.wait().unwrap();
    folder.cardan(&["sweep", "long.mbs", "--vary", "m=1,2", "--fresh", "--quiet"], 0);
}
