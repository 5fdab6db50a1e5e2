//! Complete programs in every language end their steps where functions of time switch, and see events that come and go within a part
//! of a step.

#![allow(clippy::unwrap_used)] // in tests, a panic is the report

use crate::common;

use std::sync::LazyLock;

use cardan_assembly::ParameterValues;
use cardan_codegen::emit_simulation;
use cardan_compile::choose;
use cardan_emit::{Complete, Fix, complete};
use cardan_jit::EngineKind;
use cardan_program::Host;
use cardan_sim::{Settings, Simulation};
use cardan_solve::Method;
use common::toolchains::{LANGUAGES, built, ready, run_built};
use common::tools::{folder, numbers, write};

/// A cart that is pushed by all that can switch with time: a comparison with a parameter, one that depends on a discrete state, a table of
/// steps read backwards, a square wave by `floor`, one by a sine, kinks of `abs` and `max`.
const PUSHED: &str = "model pushed \"A cart on a spring, pushed in many ways\"
parameter k = 20 [N/m], off = 0.3337 [s], period = 0.1371 [s]
table gear(s) = steps { 0.211: 1, 0.518: -2, 0.839: 3 }
particle cart on N by translate(x = x) { mass = 2 [kg] }
variable wave = 2 * floor(t / period) - floor(2 * t / period)
variable early = if t < off then 5 else -4
variable sine = if sin(23.0 [rad/s] * t) > 0.1 then 3 else 0
variable kink = abs(t / off - 1.7) + max(t / off, 2.1)
force drive on cart.cm = ((early + wave + sine + kink + gear(1 - t / 1 [s])) * 1 [N] - k * x) * N.x
start { x = 0.02 [m] }
simulate { to = 1 [s] }";

/// The same with a switch whose time a block decides.
const HELD: &str = "model held \"A cart whose push ends when a block says so\"
parameter k = 20 [N/m]
particle cart on N by translate(x = x) { mass = 2 [kg] }
discrete off = 0.2137 [s]
when t > 0.4 [s] { off := t + 0.1713 [s] }
force drive on cart.cm = ((if t < off then 7 [N] else 0 [N]) - k * x) * N.x
start { x = 0.02 [m] }
simulate { to = 1 [s] }";

/// A slow swing that only just passes a mark: above it for a small part of a step.
const GRAZING: &str = "model grazing \"A cart that only just passes a mark\"
particle cart on N by translate(x = x) { mass = 1 [kg] }
discrete passes = 0, side = 1
when x > 0.999999 [m] { passes := passes + 1 }
when x < -0.999999 [m] { passes := passes + 100; side := -side }
force drive on cart.cm = -40 [N/m] * x * N.x
start { x = 0.3 [m]; cart.u = 6.033241251599342 [m/s] }
simulate { to = 4 [s] }";

/// A wave whose crests are passed 96 times in one step, and windows of a microsecond and of ten nanoseconds.
const WINDOWS: &str = "model windows \"A particle past many marks\"
particle p on N by translate(x = x) { mass = 1 [kg] }
discrete crests = 0, windows = 0
when sin(200 [rad/m]*x) > 0.99 { crests := crests + 1 }
when abs(x - 1.2345678 [m]) < 0.5e-6 [m] { windows := windows + 1 }
when abs(x - 2.71 [m]) < 0.5e-8 [m] { windows := windows + 100 }
start { p.u = 1 [m/s] }
simulate { to = 3.01 [s] }";

/// The same in a swing, whose path between steps is only nearly known.
const SWING: &str = "model swing \"Narrow windows in a swing\"
particle p on N by translate(x = x) { mass = 1 [kg] }
force f on p.cm = -40 [N/m]*x*N.x
discrete crests = 0, wide = 0, narrow = 0
when sin(200 [rad/m]*x) > 0.99 { crests := crests + 1 }
when abs(x - 0.412345678 [m]) < 1e-6 [m] { wide := wide + 1 }
when abs(x - 0.31 [m]) < 1e-9 [m] { narrow := narrow + 1 }
start { x = 0.5 [m] }
simulate { to = 4 [s] }";

struct Reference {
    name: &'static str,
    complete: Complete,
    /// Time, state, discrete states at the end.
    last: Vec<f64>,
    tolerance: f64,
}

fn reference(name: &'static str, text: &str, method: Method, step: f64, tolerance: f64) -> Reference {
    let model = cardan_lang::compile_text(name, text).model.unwrap_or_else(|| panic!("{name} is a model"));
    let mut settings = Settings::of(&model, &ParameterValues::of(&model)).unwrap();
    settings.every = Some((settings.to - settings.from) / 2.0);
    (settings.rtol, settings.atol) = (1e-12, 1e-12);
    let choice = choose(&model, None).unwrap();
    let simulation = Simulation::of(&choice, EngineKind::Native, Host::new()).unwrap();
    let trajectory = simulation.run(&settings, &mut ()).unwrap();
    assert_eq!(trajectory.reached, settings.to, "{name}: {}", trajectory.reason);
    let place = |id: &str| trajectory.columns.iter().position(|c| c.name == id).unwrap();
    let discretes = model.hybrid.discretes.iter().map(|(_, d)| place(&d.quantity.name));
    let columns = (0..3).chain(discretes);
    let end = trajectory.rows.iter().last().unwrap();
    let last = columns.map(|k| end[k]).collect();
    settings.method = method;
    settings.step = Some(step);
    (settings.rtol, settings.atol) = (1e-8, 1e-8);
    let mut complete = complete(&choice, &settings, &Fix::Nothing).unwrap();
    complete.simulation.name = name.into();
    Reference { name, complete, last, tolerance }
}

static REFERENCES: LazyLock<Vec<Reference>> = LazyLock::new(|| {
    vec![
        // With steps of fixed length a switch inside a step would cost 1e-3.
        reference("pushed", PUSHED, Method::Rk4, 0.01, 1e-8),
        reference("pushed_adaptive", PUSHED, Method::Dopri5, 0.01, 1e-7),
        reference("held", HELD, Method::Rk4, 0.01, 1e-8),
        reference("grazing", GRAZING, Method::Dopri5, 0.1, 1e-6),
        reference("windows", WINDOWS, Method::Dopri5, 0.1, 1e-9),
        reference("windows_fixed", WINDOWS, Method::Rk4, 1.0, 1e-9),
        reference("swing", SWING, Method::Dopri5, 0.1, 1e-6),
    ]
});

/// The swing passes its marks as often as its period says.
#[test]
fn the_run_sees_all_that_is_compared() {
    let grazing = REFERENCES.iter().find(|r| r.name == "grazing").unwrap();
    // The period is 2π/√40 s: in 4 s the mark above is passed four times, the one below four.
    assert_eq!(grazing.last[3], 404.0, "{:?}", grazing.last);
    let windows = REFERENCES.iter().find(|r| r.name == "windows").unwrap();
    assert_eq!(windows.last[3..], [96.0, 101.0], "{:?}", windows.last);
    // x = cos(√40 t)/2: counted on the closed form.
    let swing = REFERENCES.iter().find(|r| r.name == "swing").unwrap();
    let phase = 40f64.sqrt() * 4.0;
    let n = 4_000_000;
    let holds = |k: i32| (100.0 * (phase * f64::from(k) / f64::from(n)).cos()).sin() > 0.99;
    let crests = (1..=n).filter(|k| holds(*k) && !holds(k - 1)).count();
    let passes = |x: f64| {
        let turn = std::f64::consts::TAU;
        let from = (2.0 * x).acos();
        let upto = |a: f64| ((phase - a) / turn).floor() + 1.0;
        upto(from) + upto(turn - from)
    };
    assert_eq!(swing.last[3..], [crests as f64, passes(0.412345678), passes(0.31)], "{:?}", swing.last);
}

#[test]
fn programs_stop_where_runs_do() {
    for target in LANGUAGES {
        if !ready(target) {
            continue;
        }
        for Reference { name, complete, last, tolerance } in REFERENCES.iter() {
            let path = folder(&format!("instants-{}-{name}", target.name()));
            write(&path, &emit_simulation(&complete.program, &complete.simulation, target).unwrap());
            run_built(&path, &built(target, &path, name, None));
            let table = std::fs::read_to_string(path.join(format!("{name}.csv"))).unwrap();
            let found = numbers(&table.lines().last().unwrap().replace(',', "\n"));
            for (a, b) in found.iter().zip(last) {
                let close = (a - b).abs() <= tolerance * (1.0 + b.abs());
                assert!(close, "{target:?} {name}: {a} and {b} in\n{found:?}\n{last:?}");
            }
        }
    }
}

/// Samples that fall on rows: 3 · 0.1 is not 0.3, and a program must not care.
const SAMPLED: &str = "model sampled \"A cart with a clock\"
parameter P = 0.1 [s]
particle cart on N by translate(x = x) { mass = 1 [kg] }
discrete n = 0, third = 0
every P { n := n + 1 }
every 3*P { third := n }
start { cart.u = 1 [m/s] }
simulate { to = 3 [s], every = 0.1 [s] }";

/// A row at the instant of a block shows what the block has left, as in a run.
#[test]
fn rows_show_what_blocks_at_their_instant_have_left() {
    let model = cardan_lang::compile_text("sampled", SAMPLED).model.unwrap();
    let mut settings = Settings::of(&model, &ParameterValues::of(&model)).unwrap();
    settings.method = Method::Dopri5;
    let choice = choose(&model, None).unwrap();
    let mut complete = complete(&choice, &settings, &Fix::Nothing).unwrap();
    complete.simulation.name = "sampled".into();
    for target in LANGUAGES {
        if !ready(target) {
            continue;
        }
        let path = folder(&format!("sampled-{}", target.name()));
        write(&path, &emit_simulation(&complete.program, &complete.simulation, target).unwrap());
        let command = built(target, &path, "sampled", None);
        for period in [0.1, 0.07, 0.3, 1.0 / 3.0, 0.011] {
            let values = format!("P = {period:?}\nevery = {period:?}\nt_end = {:?}\n", 40.0 * period);
            std::fs::write(path.join("sampled.par"), values).unwrap();
            run_built(&path, &command);
            let table = std::fs::read_to_string(path.join("sampled.csv")).unwrap();
            for (k, line) in table.lines().skip(1).enumerate() {
                let row = numbers(&line.replace(',', "\n"));
                let [_, _, _, n, third, ..] = row[..] else { panic!("{line}") };
                let expected = (k as f64 + 1.0, (k / 3 * 3) as f64 + 1.0);
                assert_eq!((n, third), expected, "{target:?}: {period} s, row {k}: {line}");
            }
        }
    }
}
