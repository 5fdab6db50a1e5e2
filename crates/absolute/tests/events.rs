//! Events in absolute and natural coordinates against the tree: times, order, states.

use crate::comparison::model;
use cardan::prelude::*;
use cardan::solve::Method;
use cardan_absolute::AbsoluteMotion;

/// A bouncing body with an arm on a hinge, which the impulse along its speed swings as the masses say.
const BOUNCING: &str = "
gravity = -9.81 [m/s^2] * N.z
discrete n = 0, sum = 0 [m/s]
body ball on N by prismatic(z, q = z) { mass = 2 [kg]; inertia = (0.1, 0.2, 0.3) [kg*m^2] }
body arm on ball by revolute(y, q = phi) {
  mass = 0.5 [kg]; inertia = (0.01, 0.02, 0.03) [kg*m^2]; center = (0.3, 0, 0.1) [m]
}
when z <= 0 and der(z) < 0 \"bounce\" { der(z) := -0.8 * der(z); n := n + 1; sum := sum + der(z) }
start { z = 1 [m]; phi = 20 [deg] }
";

/// A door with a closer falls into its latch, which a timer opens again; overwritten speed, a coordinate that is set back.
const LATCH: &str = "
gravity = 0 [m/s^2] * N.z
discrete latched = 0, opens = 100 [s]
body leaf on N by revolute(z, q = phi) {
  mass = 10 [kg]; inertia = (1, 1, 2) [kg*m^2]; center = (0.4, 0, 0) [m]
}
body handle on leaf by revolute(x, q = turn) at (0.7, 0, 0) [m] {
  mass = 0.3 [kg]; inertia = (0.001, 0.002, 0.002) [kg*m^2]; center = (0, 0.1, 0) [m]
}
torque closer on leaf from N =
  (-(3 + 200 * latched) * 1 [N*m] * phi - (0.5 + 20 * latched) * 1 [N*m*s] * der(phi)) * N.z
torque spring on handle from leaf = -(0.4 [N*m] * turn + 0.01 [N*m*s] * der(turn)) * leaf.x
when phi <= 2 [deg] and latched < 0.5 \"latches\" {
  latched := 1; opens := t + 0.4 [s]; overwrite der(turn) := 3 [rad/s]
}
when t >= opens and latched > 0.5 \"opens\" {
  latched := 0; opens := 100 [s]; turn := 10 [deg]; der(phi) := 2 [rad/s]
}
start { phi = 40 [deg] }
";

/// A four-bar that a sampled controller drives, with an impulse through the closed loop each time the crank comes by.
const CONTROLLER: &str = "
gravity = -9.81 [m/s^2] * N.z
discrete command = 0 [N*m], last = 0 [rad], laps = 0
body crank on N by revolute(y, q = a) {
  mass = 1 [kg]; inertia = (0.01, 0.02, 0.02) [kg*m^2]; center = (0.15, 0, 0) [m]
}
body coupler on crank by revolute(y, q = b) at (0.3, 0, 0) [m] {
  mass = 1.5 [kg]; inertia = (0.02, 0.1, 0.1) [kg*m^2]; center = (0.5, 0, 0) [m]
  point end = (1, 0, 0) [m]
}
body rocker on N by revolute(y, q = c) at (0.9, 0, 0) [m] {
  mass = 2 [kg]; inertia = (0.01, 0.08, 0.08) [kg*m^2]; center = (0.4, 0, 0) [m]
  point end = (0.8, 0, 0) [m]
}
joint pin = revolute(coupler.end, rocker.end, axis = y)
torque drive on crank from N = command * N.y
every 0.02 [s] \"sample\" { command := 4 * (6 [rad/s] - der(a)) * 1 [N*m*s/rad]; last := a }
when sin(a) > 0.5 \"knock\" { der(a) := 0.7 * der(a); laps := laps + 1 }
start { a = -60 [deg]; der(a) = 5 [rad/s] }
";

/// A motion that ends itself.
const STOP: &str = "
gravity = -9.81 [m/s^2] * N.z
body bob on N by revolute(y, q = phi) { mass = 1 [kg]; inertia = (0.1, 0.1, 0.1) [kg*m^2]; center = (0, 0, -1) [m] }
when phi < -0.2 \"past the end\" { stop \"the bob is past the end\" }
start { phi = 30 [deg] }
";

/// Largest differences of times and of states in units of their sizes, over all events and rows.
fn differences(text: &str, to: f64, settings: &Settings) -> (f64, f64, usize) {
    let model = model(text);
    let tight = Settings { to, every: Some(to / 16.0), rtol: 1e-11, atol: 1e-11, ..Settings::default() };
    let compiled = compile_model(&model, Options::default()).expect("equations");
    let tree = compiled.simulate(&tight).expect("a motion of the tree").into_trajectory();
    let settings = Settings { to, every: Some(to / 16.0), ..settings.clone() };
    let own = AbsoluteMotion::of(&model, 0.0).expect("parts").run(&settings, &mut ()).expect("a motion");
    assert_eq!((own.ending, &own.reason), (tree.ending, &tree.reason), "{text}");
    assert_eq!(own.happenings.counts, tree.happenings.counts, "{text}");
    let mut late: f64 = (own.reached - tree.reached).abs();
    for (a, b) in own.happenings.list.iter().zip(&tree.happenings.list) {
        assert_eq!(a.event, b.event, "at {} and {}", a.t, b.t);
        late = late.max((a.t - b.t).abs());
    }
    assert_eq!(own.rows.len(), tree.rows.len());
    let mut gap: f64 = 0.0;
    for (k, column) in tree.columns.iter().enumerate().filter(|(_, c)| c.name != "energy.residual") {
        let place = own.index_of(&column.name).unwrap_or_else(|| panic!("no column {}", column.name));
        let size = tree.rows.iter().map(|row| row[k].abs()).fold(1.0, f64::max);
        for (a, b) in tree.rows.iter().zip(own.rows.iter()) {
            gap = gap.max((a[k] - b[place]).abs() / size);
        }
    }
    (late, gap, tree.happenings.list.len())
}

#[test]
fn events_come_when_and_as_they_do_in_the_tree() {
    for (text, to, events) in [(BOUNCING, 2.5, 4), (LATCH, 3.0, 4), (CONTROLLER, 2.0, 1), (STOP, 3.0, 1)] {
        for natural in [false, true] {
            let settings = Settings { natural, rtol: 1e-11, atol: 1e-11, ..Settings::default() };
            let (late, gap, found) = differences(text, to, &settings);
            assert!(found >= events, "{found} events\n{text}");
            assert!(late < 1e-7 && gap < 1e-7, "natural {natural}: {late:.1e} s, {gap:.1e}\n{text}");
        }
    }
}

/// Backward differentiation and generalised-α locate events on their own dense output.
#[test]
fn implicit_methods_locate_events() {
    for (method, tolerance, bound) in [(Method::Bdf, 1e-10, 1e-6), (Method::Alpha, 1e-8, 1e-3)] {
        for (text, to) in [(BOUNCING, 1.0), (STOP, 3.0)] {
            let settings = Settings { method, rtol: tolerance, atol: tolerance, ..Settings::default() };
            let (late, gap, _) = differences(text, to, &settings);
            assert!(late < bound && gap < bound, "{method}: {late:.1e} s, {gap:.1e}\n{text}");
        }
    }
}

/// A condition of an acceleration.
#[test]
fn conditions_read_accelerations() {
    let text = "
gravity = -9.81 [m/s^2] * N.z
discrete hit = 0 [s]
body bob on N by revolute(y, q = phi) { mass = 1 [kg]; inertia = (0.1, 0.1, 0.1) [kg*m^2]; center = (0, 0, -1) [m] }
when der(der(phi)) > -2 [rad/s^2] \"slack\" { hit := t }
start { phi = 60 [deg] }
";
    let tight = Settings { rtol: 1e-11, atol: 1e-11, ..Settings::default() };
    let (late, gap, found) = differences(text, 1.0, &tight);
    assert!(found == 1 && late < 1e-7 && gap < 1e-7, "{found} events, {late:.1e} s, {gap:.1e}");
}

#[test]
fn speeds_that_the_constraints_forbid_are_told() {
    let text = "
body a on N by revolute(y, q = p) { mass = 1 [kg]; inertia = (1, 1, 1) [kg*m^2]; center = (1, 0, 0) [m] }
body b on N by revolute(y, q = r) { mass = 1 [kg]; inertia = (1, 1, 1) [kg*m^2]; center = (1, 0, 0) [m] }
joint mesh = gear(a, b, ratio = 1)
when t >= 0.1 [s] \"knock\" { der(p) := 1 [rad/s]; der(r) := 2 [rad/s] }
";
    let model = model(text);
    let settings = Settings { to: 1.0, ..Settings::default() };
    let own = AbsoluteMotion::of(&model, 0.0).expect("parts").run(&settings, &mut ()).expect("a motion");
    assert_eq!(own.ending, Ending::Failed);
    assert!(own.reason.contains("which the constraints do not allow"), "{}", own.reason);
}

/// A bob on a massless rod turns with its hinge: no inertia of its own blurs its acceleration.
#[test]
fn a_particle_on_a_rod_takes_as_few_steps_as_the_tree() {
    let model = model(&crate::comparison::library("pendulum"));
    let settings = Settings { to: 10.0, every: Some(0.1), ..Settings::default() };
    let compiled = compile_model(&model, Options::default()).expect("equations");
    let tree = compiled.simulate(&settings).expect("a motion").into_trajectory();
    let own = AbsoluteMotion::of(&model, 0.0).expect("parts").run(&settings, &mut ()).expect("a motion");
    let (few, many) = (tree.statistics.accepted, own.statistics.accepted);
    assert!(many <= 3 * few, "{many} steps, {few} by the tree");
}
