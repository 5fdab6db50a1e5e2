//! Blocks that will never end stop complete programs in every language, which name them as a run does; steady ones do not.

#![allow(clippy::unwrap_used)] // in tests, a panic is the report

use crate::common;

use std::process::Command;

use cardan_assembly::ParameterValues;
use cardan_codegen::{Target, emit_simulation};
use cardan_compile::choose;
use cardan_emit::{Complete, Fix, complete};
use cardan_jit::EngineKind;
use cardan_program::Host;
use cardan_sim::{Settings, Simulation};
use common::toolchains::{LANGUAGES, built, ready};
use common::tools::{folder, write};

/// Comes to rest at t = (1 + 2 e / (1 - e)) sqrt(2 h / g) after infinitely many impacts.
const BALL: &str = "model ball \"A ball that bounces ever lower\"
gravity = -9.81 [m/s^2] * N.z
particle ball on N by translate(z = h) { mass = 1 [kg] }
discrete hits = 0
when h <= 0 [m] and ball.u < 0 [m/s] \"bounce off\" { ball.u := -0.8*ball.u; hits := hits + 1 }
start { h = 1 [m] }
simulate { to = 5 [s], every = 0.5 [s] }";

/// A relay without hysteresis around its goal, whose delay dies out: it switches ever faster, but no two instants are one.
const RELAY: &str = "model relay \"A relay that switches ever faster\"
state phase = 0 { der = 300 [1/s] * exp(t / 0.3 [s]) }
discrete side = 1
when sin(phase) > 0 \"switch over\" { side := -side }
particle cart on N by translate(x = x) { mass = 1 [kg] }
force push on cart.cm = side * 1 [N] * N.x
simulate { to = 3 [s], every = 0.5 [s] }";

/// Many, but at a steady rate.
const STEADY: &str = "model steady \"A pulse at a steady rate\"
particle cart on N by translate(x = x) { mass = 1 [kg] }
discrete n = 0
when sin(40000 [rad/m]*x) > 0 \"count\" { n := n + 1 }
start { cart.u = 1 [m/s] }
simulate { to = 1 [s], every = 0.5 [s] }";

fn program(text: &str) -> (Complete, String, f64) {
    let model = cardan_lang::compile_text("model", text).model.unwrap();
    let settings = Settings::of(&model, &ParameterValues::of(&model)).unwrap();
    let choice = choose(&model, settings.formalism).unwrap();
    let simulation = Simulation::of(&choice, EngineKind::Native, Host::new()).unwrap();
    let trajectory = simulation.run(&settings, &mut ()).unwrap();
    let complete = complete(&choice, &settings, &Fix::Nothing).unwrap();
    (complete, trajectory.reason.to_string(), trajectory.reached)
}

/// The languages that are compiled, and fast enough for thousands of events.
fn compiled() -> Vec<Target> {
    LANGUAGES.into_iter().filter(|t| !matches!(t, Target::Python | Target::Matlab)).collect()
}

/// What each language says, and the time that it says; the run says the same.
fn check(name: &str, text: &str, block: &str, kind: &str, languages: &[Target]) -> Vec<f64> {
    let (complete, reason, reached) = program(text);
    assert!(reason.contains(block) && reason.contains(kind), "{reason}");
    let mut times = vec![reached];
    for target in languages.iter().copied().filter(|t| ready(*t)) {
        let path = folder(&format!("endless-{}-{name}", target.name()));
        write(&path, &emit_simulation(&complete.program, &complete.simulation, target).unwrap());
        let command = built(target, &path, name, None);
        let output = Command::new(&command[0]).args(&command[1..]).current_dir(&path).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(!output.status.success(), "{target:?} goes on");
        assert!(said.contains(block) && said.contains(kind), "{target:?}: {said}");
        let t = said.split("at t = ").nth(1).and_then(|t| t.split([':', ' ']).next()?.parse().ok());
        times.push(t.unwrap_or_else(|| panic!("{target:?}: {said}")));
        // What was computed before stands in the table.
        let table = std::fs::read_to_string(path.join(format!("{name}.csv"))).unwrap();
        let rows = table.lines().count() as f64 - 1.0;
        assert!(rows >= (reached / 0.5).floor(), "{target:?}: {rows} rows");
    }
    times
}

#[test]
fn a_ball_that_comes_to_rest() {
    let rest = (1.0 + 2.0 * 0.8 / (1.0 - 0.8)) * (2.0f64 / 9.81).sqrt();
    for t in check("ball", BALL, "bounce off", "crowd together", &LANGUAGES) {
        assert!((t - rest).abs() < 1e-6, "{t} instead of {rest}");
    }
}

#[test]
fn a_relay_that_switches_ever_faster() {
    let times = check("relay", RELAY, "switch over", "ever faster", &compiled());
    assert!(times.iter().all(|t| *t < 3.0), "{times:?}");
}

#[test]
fn a_steady_rate_goes_on() {
    let (complete, reason, reached) = program(STEADY);
    assert_eq!(reached, 1.0, "{reason}");
    for target in compiled().into_iter().filter(|t| ready(*t)) {
        let path = folder(&format!("endless-{}-steady", target.name()));
        write(&path, &emit_simulation(&complete.program, &complete.simulation, target).unwrap());
        let command = built(target, &path, "steady", None);
        common::toolchains::run_built(&path, &command);
        let table = std::fs::read_to_string(path.join("steady.csv")).unwrap();
        let heading = table.lines().next().unwrap().split(',').position(|h| h == "n [1]").unwrap();
        let last: f64 = table.lines().last().unwrap().split(',').nth(heading).unwrap().parse().unwrap();
        // sin rises through zero at x = 2 π k / 40000, and is positive just after the start.
        let expected = (40000.0f64 / std::f64::consts::TAU).ceil();
        assert!((last - expected).abs() <= 1.0, "{target:?}: {last} of {expected}");
    }
}

/// Frictions that act on one another cannot be held by a sum of what each does: where both come to rest, a program says so and ends instead of creeping on
/// for ever.
#[test]
fn switches_that_act_on_one_another_end_a_program() {
    let text = "model both \"Two blocks whose frictions act on one another\"
particle a on N by translate(x = x) { mass = 1 [kg] }
particle b on N by translate(x = y) { mass = 1 [kg] }
force fa on a.cm = -3 [N] * sign(a.u) * (2 + sign(b.u)) * N.x
force fb on b.cm = -3 [N] * sign(b.u) * (2 + sign(a.u)) * N.x
start { a.u = 1 [m/s]; b.u = 1.5 [m/s] }
simulate { to = 2 [s], every = 0.05 [s] }";
    let model = cardan_lang::compile_text("model", text).model.unwrap();
    let settings = Settings::of(&model, &ParameterValues::of(&model)).unwrap();
    let complete = complete(&choose(&model, None).unwrap(), &settings, &Fix::Nothing).unwrap();
    // a stops after 1/9 s and is held; b then has 6 N instead of 9 N, and stops after 1/12 s more.
    let rest = 1.0 / 9.0 + 1.0 / 12.0;
    for target in compiled().into_iter().filter(|t| ready(*t)) {
        let path = folder(&format!("endless-{}-both", target.name()));
        write(&path, &emit_simulation(&complete.program, &complete.simulation, target).unwrap());
        let command = built(target, &path, "both", None);
        let output = Command::new(&command[0]).args(&command[1..]).current_dir(&path).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!(output.status.code(), Some(3), "{target:?}: {said}");
        assert!(said.contains("crowd together") && said.contains("sign(der("), "{target:?}: {said}");
        let t = said.split("at t = ").nth(1).and_then(|t| t.split([':', ' ']).next()?.parse::<f64>().ok());
        assert!(t.is_some_and(|t| (t - rest).abs() < 1e-6), "{target:?}: {said}");
        let table = std::fs::read_to_string(path.join("both.csv")).unwrap();
        assert!(table.lines().count() >= 4, "{target:?}: {table}");
    }
}
