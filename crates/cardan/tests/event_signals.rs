//! Events on every kind of signal: each condition that can be written is located where the signal crosses its level.

use cardan::assembly::ParameterValues;
use cardan::prelude::*;

/// A double pendulum on a spring, with a load pinned to its end; a first-order filter follows the crank.
const MECHANISM: &str = "
gravity = -9.81 [m/s^2]*N.z
body crank on N by revolute(y, q = a) { mass = 1 [kg]; inertia = (0.1, 0.1, 0.1) [kg*m^2]; center = (0, 0, -0.5) [m]; point tip = (0, 0, -1) [m] }
body rod on crank at crank.tip by revolute(y, q = b) { mass = 0.5 [kg]; inertia = (0.02, 0.02, 0.02) [kg*m^2]; center = (0.2, 0, -0.5) [m]; point end = (0.4, 0, -1) [m] }
body slider on N by translate(x = s, z = h) { mass = 0.3 [kg]; inertia = (0, 0, 0) [kg*m^2]; center = (0.1, 0, 0) [m] }
joint pin = revolute(rod.end, slider.o, axis = y)
spring pull between crank.tip and N(1, 0, 0.2) [m] { stiffness = 20 [N/m]; length = 0.3 [m] }
damper drag between rod.end and N(0, 0, -3) [m] { damping = 0.4 [N*s/m] }
state lag { der = (a - lag)/(0.2 [s]) }
table profile(x [rad]) = linear { -4: 1, -1: 0.2, 0: 0, 1: 0.4, 4: 1 }
variable twice = 2*a
start { a = 1.5 [rad]; b = 0.2 [rad]; s ~ -1 [m]; h ~ -1 [m] }
";

/// Where a recorded signal first crosses a level, by linear interpolation between close samples.
fn first_crossing(times: &[f64], values: &[f64], level: f64) -> Option<f64> {
    let above = |v: f64| v > level;
    let k = (1..values.len()).find(|k| !above(values[k - 1]) && above(values[*k]))?;
    let part = (level - values[k - 1]) / (values[k] - values[k - 1]);
    Some(times[k - 1] + part * (times[k] - times[k - 1]))
}

fn run(text: &str) -> Trajectory {
    let model = resolve(parse("signals.mbs", text)).into_model().unwrap_or_else(|e| panic!("{text}\n{e}"));
    let compiled = compile_model(&model, Options::default()).unwrap_or_else(|e| panic!("{text}\n{e}"));
    let settings = Settings::of(&model, &ParameterValues::of(&model)).expect("good settings");
    compiled.simulation.run(&settings, &mut ()).expect("a good start")
}

const SIGNALS: [(&str, &str); 22] = [
    ("coordinate", "-a/(1 [rad])"),
    ("speed", "crank.u/(1 [rad/s])"),
    ("acceleration", "der(crank.u)/(1 [rad/s^2])"),
    ("variable", "-twice/(1 [rad])"),
    ("state", "-lag/(1 [rad])"),
    ("rate of a state", "-der(lag)/(1 [rad/s])"),
    ("table", "-profile(a)"),
    ("position", "dot(position(rod.end), N.z)/(1 [m])"),
    ("velocity", "mag(velocity(rod.end))/(1 [m/s])"),
    ("acceleration of a point", "mag(acceleration(rod.end))/(1 [m/s^2])"),
    ("angular velocity", "mag(omega(rod))/(1 [rad/s])"),
    ("angular acceleration", "dot(alpha(rod), N.y)/(1 [rad/s^2])"),
    ("reaction of a joint", "mag(crank.force)/(1 [N])"),
    ("component of a reaction", "dot(crank.force, crank.x)/(1 [N])"),
    ("reaction within the tree", "mag(rod.force)/(1 [N])"),
    ("reaction torque", "mag(slider.torque)/(1 [N*m])"),
    ("reaction of a cut joint", "mag(pin.force)/(1 [N])"),
    ("force of a spring", "pull.force/(1 [N])"),
    ("length of a spring", "pull.length/(1 [m])"),
    ("rate of a spring", "pull.rate/(1 [m/s])"),
    ("force of a damper", "drag.force/(1 [N])"),
    ("greater of two", "max(mag(rod.force)/(1 [N]), mag(crank.force)/(2 [N]))"),
];

#[test]
fn every_kind_of_signal_is_located() {
    let simulate = "simulate { to = 0.8 [s], every = 0.0005 [s] }";
    let outputs: Vec<String> =
        SIGNALS.iter().enumerate().map(|(k, (_, e))| format!("output signal{k} = {e}")).collect();
    let free = run(&format!("{MECHANISM}{}\n{simulate}", outputs.join("\n")));
    let times = free.times();
    let mut blocks = String::new();
    let mut expected = vec![];
    for (k, (what, signal)) in SIGNALS.iter().enumerate() {
        let values = free.series(&format!("signal{k}")).unwrap_or_else(|| panic!("no column for {what}"));
        let (low, high) = values.iter().fold((f64::MAX, f64::MIN), |(l, h), v| (l.min(*v), h.max(*v)));
        assert!(high - low > 1e-3, "{what} does not change: {low} to {high}");
        // A level that is crossed upwards after the start.
        let levels = [0.5, 0.6, 0.7, 0.8, 0.9, 0.3].map(|part| low + part * (high - low));
        let find = |sign: f64| {
            let signed: Vec<f64> = values.iter().map(|v| sign * v).collect();
            levels.iter().find_map(|l| Some((sign, sign * l, first_crossing(&times, &signed, sign * l)?)))
        };
        let (sign, level, at) =
            find(1.0).or_else(|| find(-1.0)).unwrap_or_else(|| panic!("{what} never crosses"));
        blocks += &format!(
            "discrete n{k} = 0\nwhen {sign:?}*{signal} > {level:?} \"{what}\" {{ n{k} := n{k} + 1 }}\n"
        );
        expected.push((*what, at));
    }
    let motion = run(&format!("{MECHANISM}{blocks}{simulate}"));
    for (what, at) in expected {
        let mut seen = motion.happenings.list.iter().filter(|h| motion.happenings.name(h) == what);
        let found = seen.find(|h| h.t > 1e-9).unwrap_or_else(|| panic!("no event on {what}"));
        assert!((found.t - at).abs() < 2e-5, "{what}: {} s, and the samples say {at} s", found.t);
    }
}

#[test]
fn an_overload_of_a_bearing_happens_twice_a_swing() {
    let motion = run("gravity = -9.81 [m/s^2]*N.z
         body b on N by revolute(y, q = a) { mass = 1 [kg]; inertia = (0.1,0.1,0.1) [kg*m^2]; center = (0,0,-0.5) [m] }
         discrete n = 0
         when mag(b.force) > 12 [N] \"overload\" { n := n + 1 }
         start { a = 1.5 }
         simulate { to = 2 [s] }");
    let times: Vec<f64> = motion.happenings.list.iter().map(|h| h.t).collect();
    assert_eq!(times.len(), 2, "{times:?}");
    // The second is half a period after the first: T = 2π/(ω₀ agm(1, cos(α/2))), ω₀² = 4.905/0.35.
    let (mut a, mut b) = (1.0f64, 0.75f64.cos());
    for _ in 0..8 {
        (a, b) = (0.5 * (a + b), (a * b).sqrt());
    }
    let half = std::f64::consts::PI / (a * (4.905f64 / 0.35).sqrt());
    assert!((times[0] - 0.268).abs() < 1e-3, "{times:?}");
    assert!((times[1] - times[0] - half).abs() < 1e-7, "{times:?}, half a period is {half}");
}
