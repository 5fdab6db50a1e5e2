//! Models with discrete states and events under every verb; numbers and words of the questions.

use serde_json::Value;

use super::folder::{Folder, Said};

/// A folder with one model in it.
struct Bench(Folder);

impl Bench {
    fn new(name: &str, text: &str) -> Self {
        Bench(Folder::with(&format!("held-{name}"), "m.mbs", text))
    }
    fn ask(&self, line: &str) -> Said {
        let mut words: Vec<&str> = line.split(' ').collect();
        words.insert(1, "m.mbs");
        self.0.say(&words)
    }
    fn json(&self, line: &str) -> Value {
        let said = self.ask(&format!("{line} --json"));
        assert_eq!(said.code, 0, "{line}\n{}\n{}", said.out, said.err);
        said.json()
    }
    fn file(&self, name: &str) -> String {
        self.0.read(&format!("results/m/{name}"))
    }
    /// The numbers of a column of a file.
    fn column(&self, file: &str, name: &str) -> Vec<f64> {
        let text = self.file(file);
        let mut lines = text.lines();
        let k = lines.next().unwrap().split(',').position(|head| head.starts_with(name)).unwrap();
        lines.map(|line| line.split(',').nth(k).unwrap().parse().unwrap()).collect()
    }
}

const BOUNCING: &str = "
model m
parameter e = 0.8
gravity = -9.81 [m/s^2] * N.z
particle ball on N by translate(z = h) { mass = 2 [kg] }
discrete bounces = 0
when h <= 0 [m] and ball.u < 0 [m/s] { ball.u := -e*ball.u; bounces := bounces + 1 }
output height = h, n = bounces
start { h = 1.5 [m] }
simulate { to = 2 [s] }
";

/// Height and number of bounces after a time, from one parabola to the next.
fn bounced(e: f64, to: f64) -> (f64, f64) {
    let g: f64 = 9.81;
    let mut t = (2.0 * 1.5 / g).sqrt();
    let (mut v, mut n) = (g * t, 0.0);
    loop {
        (v, n) = (e * v, n + 1.0);
        let flight = 2.0 * v / g;
        if t + flight > to {
            return (v * (to - t) - 0.5 * g * (to - t).powi(2), n);
        }
        t += flight;
    }
}

#[test]
fn sweeps_let_events_happen() {
    let bench = Bench::new("bouncing", BOUNCING);
    let found = bench.json("sweep --vary e=0.7,0.8");
    let (low, high) = (bounced(0.7, 2.0), bounced(0.8, 2.0));
    for (name, a, b) in [("height", low.0, high.0), ("n", low.1, high.1)] {
        let end = &found["quantities"][name]["end"];
        for (key, expected) in [("least", a.min(b)), ("greatest", a.max(b))] {
            assert!((end[key].as_f64().unwrap() - expected).abs() < 1e-8, "{name} {key} {expected}: {end}");
        }
    }
    // The start of a discrete state can vary, too.
    let found = bench.json("sweep --vary bounces=0,10 --fresh");
    assert_eq!(found["quantities"]["n"]["end"]["greatest"], 10.0 + high.1);
}

const SERVO: &str = "
model m
parameter J = 0.5 [kg*m^2], kp = 2 [N*m/rad], kd = 1 [N*m*s/rad]
body rotor on N by revolute(z, q = a) { mass = 1 [kg]; inertia = (0.3 [kg*m^2], 0.3 [kg*m^2], J) }
discrete effort = 0 [N*m], stiff = 4 [N*m/rad]
every 0.1 [s] { effort := -kp*a - kd*der(a) }
when t >= 1.25 [s] { stiff := 9 [N*m/rad] }
torque motor on rotor from N = effort*N.z
torque spring on rotor from N = -stiff*a*N.z
output angle = a in [deg]
start { a = 0.4 }
simulate { to = 1.95 [s], every = 0.01 [s] }
";

#[test]
fn sweeps_run_sampled_blocks_as_run_does() {
    let bench = Bench::new("servo-sweep", SERVO);
    let swept = bench.json("sweep --vary kp=1,3");
    let alone = |kp: &str| {
        let run = bench.json(&format!("run --set kp={kp} --every 0.0195"));
        run["final"]["angle"]["value"].as_f64().unwrap()
    };
    let (a, b) = (alone("1"), alone("3"));
    let end = &swept["quantities"]["angle"]["end"];
    assert!((end["least"].as_f64().unwrap() - a.min(b)).abs() < 1e-7, "{a} {b} {end}");
    assert!((end["greatest"].as_f64().unwrap() - a.max(b)).abs() < 1e-7, "{a} {b} {end}");
}

#[test]
fn questions_hold_discrete_states_and_say_so() {
    let bench = Bench::new("servo", SERVO);
    let rest = bench.json("equilibrium --set effort=0.2");
    assert!((rest["state"]["a"]["value"].as_f64().unwrap() - 0.2 / 4.0).abs() < 1e-10, "{rest}");
    assert_eq!(rest["discrete"]["stiff"]["value"], 4.0);
    // Outputs have the unit that was asked for.
    assert_eq!(rest["outputs"]["angle"]["unit"], "deg");
    assert!((rest["outputs"]["angle"]["value"].as_f64().unwrap() - 0.05_f64.to_degrees()).abs() < 1e-9);
    let said = bench.ask("equilibrium").err;
    assert!(said.contains("discrete states stay at effort = 0 [N*m], stiff = 4"), "{said}");
    let omega = |line: &str| bench.json(line)["modes"][0]["eigenvalue"][1].as_f64().unwrap();
    assert!((omega("modes") - 8.0_f64.sqrt()).abs() < 1e-9);
    assert!((omega("modes --set stiff=2") - 2.0).abs() < 1e-9);
    // The motion has changed the spring by then.
    assert!((omega("modes --at 1.5") - 18.0_f64.sqrt()).abs() < 1e-9);
    let stiffness = |l: &Value| -l["A"][1][0].as_f64().unwrap() * 0.5;
    assert!((stiffness(&bench.json("linearize")) - 4.0).abs() < 1e-9);
    let along = bench.json("linearize --to 1.5 --every 0.5");
    let along: Vec<f64> = along["along"].as_array().unwrap().iter().map(stiffness).collect();
    assert_eq!(along.iter().map(|k| k.round()).collect::<Vec<_>>(), [4.0, 4.0, 4.0, 9.0]);
    // ä = 0 at a = 0.1 + 0.2 t: the drive holds the spring.
    let driven = bench.json("kinematics --motion a=0.1+t*0.2[1/s] --to 1");
    assert!((driven["final"]["force of a"]["value"].as_f64().unwrap() - 4.0 * 0.3).abs() < 1e-9, "{driven}");
}

/// What the motor did is known from the earlier run, so nothing is missing.
#[test]
fn inverse_dynamics_takes_discrete_states_from_the_earlier_run() {
    let bench = Bench::new("servo-inverse", SERVO);
    bench.json("run");
    bench.json("inverse --along results/m/results.csv --actuate a");
    let forces = bench.column("inverse.csv", "force along a");
    let largest = forces.iter().fold(0.0, |m: f64, f| f.abs().max(m));
    let efforts = bench.column("results.csv", "effort");
    assert!(efforts.iter().any(|e| e.abs() > 0.5), "{efforts:?}");
    assert!(largest < 2e-4, "{largest}");
}

const CRANK: &str = "
model m
parameter r = 60 [mm]
gravity = -9.81 [m/s^2] * N.z
body crank on N by revolute(y, q = a) { mass = 1 [kg]; inertia = (0.02, 0.02, 0.02) [kg*m^2]; center = (0, 0, -0.1) [m]; point pin = (0, 0, -r) }
body slide on N by prismatic(x, q = s) { mass = 3 [kg]; inertia = (0.01, 0.01, 0.01) [kg*m^2] }
joint slot = in_plane(slide.o, crank.pin, axis = x)
output turn = der(der(a)), push = slot.force.x, way = s in [mm], bearing = crank.force
start { a = 0.1 }
simulate { to = 1 [s] }
";

#[test]
fn outputs_of_inverse_dynamics_follow_the_prescribed_motion() {
    let bench = Bench::new("crank", CRANK);
    let motion = "--motion a=0.5*sin(2[rad/s]*t) --to 0.5";
    let inverse = bench.json(&format!("inverse {motion}"));
    let driven = bench.json(&format!("kinematics {motion}"));
    let of = |answer: &Value, name: &str| answer["final"][name]["value"].as_f64().unwrap();
    assert!((of(&inverse, "turn") + 2.0 * 1.0_f64.sin()).abs() < 1e-9, "{inverse}");
    for name in ["turn", "push", "way", "bearing.x", "bearing.z"] {
        let (a, b) = (of(&inverse, name), of(&driven, name));
        assert!((a - b).abs() < 1e-9 * (1.0 + b.abs()), "{name}: {a} {b}");
    }
    // The slot accelerates the slide: 3 kg times its acceleration.
    let push = of(&inverse, "push").abs();
    assert!((push - 3.0 * of(&inverse, "der(der(s))").abs()).abs() < 1e-9, "{inverse}");
    // Numbers of any size have few digits.
    bench.json("kinematics --motion a=1e-9*sin(2[rad/s]*t) --to 0.5");
    let csv = bench.file("kinematics.csv");
    assert!(csv.lines().skip(1).flat_map(|l| l.split(',')).all(|cell| cell.len() < 26), "{csv}");
    assert!(csv.contains("e-"), "{csv}");
}

#[test]
fn a_drive_that_speeds_up_leaves_no_rest() {
    let text = "
model m
gravity = -9.81 [m/s^2] * N.z
particle load on N by translate(z = z) { mass = 5 [kg] }
motion winch on z = 2 [m] + LAW
";
    let bench = Bench::new("winch", &text.replace("LAW", "0.25 [m/s^2]*t^2"));
    let Said { code, out, err: said, .. } = bench.ask("equilibrium");
    assert_eq!(code, 3);
    assert!(said.contains("there is no rest at t = 0 s: the drive `winch`"), "{said}");
    assert!(said.contains("0.5 m/s^2"), "{said}");
    assert!(out.contains("no equilibrium"), "{out}");
    // At a constant rate everything else stands still beside it.
    let bench = Bench::new("steady-winch", &text.replace("LAW", "0.25 [m/s]*t"));
    let Said { code, out, .. } = bench.ask("equilibrium");
    assert!(code == 0 && out.contains("relative to the motion that drives keep up: der(z) = 0.25"), "{out}");
}

#[test]
fn modes_without_equilibrium_advise_what_modes_can_do() {
    let text = "
model m
body rotor on N by revolute(x, q = a) { mass = 1 [kg]; inertia = (0.2, 0.2, 0.2) [kg*m^2] }
torque motor on rotor from N = 3 [N*m] * N.x
";
    let bench = Bench::new("motor", text);
    let Said { code, err: said, .. } = bench.ask("modes");
    assert_eq!(code, 3);
    assert!(said.contains("a generalised force of 3 N*m along `der(a)` is left"), "{said}");
    assert!(said.contains("`--at start`") && !said.contains("--hold"), "{said}");
    assert_eq!(bench.ask("modes --at start").code, 0);
}

const TOP: &str = "
model m
parameter lean = 40 [deg], turn = 3 [rad/s], spin = 60 [rad/s]
gravity = -9.81 [m/s^2] * N.z
body top on N by spherical(q = (e0, e1, e2, e3), speed = (wx, wy, wz)) { mass = 0.5 [kg]; inertia = (0.002, 0.002, 0.001) [kg*m^2]; center = (0, 0, 0.06) [m] }
output tilt = angle(N.z, top.z) in [deg]
start { e0 = cos(lean/2); e1 = sin(lean/2); wy = turn*sin(lean); wz = spin }
";

#[test]
fn modes_of_another_state_than_the_start_are_announced() {
    let bench = Bench::new("top", TOP);
    let Said { code, out, .. } = bench.ask("modes");
    assert_eq!(code, 0);
    assert!(out.contains("NOT about the start itself"), "{out}");
    let found = bench.json("modes");
    assert_eq!(found["instead_of_start"], true);
    assert_eq!(bench.json("modes --at start")["instead_of_start"], false);
    // An upright top at rest falls: its four eigenvalues are ± sqrt(m g h / A), twice each.
    let fall = bench.json("modes --at start --set lean=0 --set turn=0 --set spin=0");
    let modes = fall["modes"].as_array().unwrap();
    let rate = (0.5 * 9.81 * 0.06_f64 / (0.002 + 0.5 * 0.06 * 0.06)).sqrt();
    let growing = modes.iter().filter(|m| (m["eigenvalue"][0].as_f64().unwrap() - rate).abs() < 1e-6);
    assert_eq!(growing.count(), 2, "{fall}");
    assert!(modes.iter().all(|m| m["frequency"] == 0.0), "{fall}");
    // The output has an edge there, which only C feels.
    let Said { code, err: said, .. } = bench.ask("linearize --at start --set lean=0 --set turn=0");
    assert_eq!(code, 1);
    assert!(said.contains("the derivative of the output `tilt` by `e"), "{said}");
}
