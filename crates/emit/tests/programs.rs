//! Complete programs of every model in every language reproduce the simulation, column by column: trees, closed loops, Euler parameters, events,
//! functions of the host.

#![allow(clippy::unwrap_used)] // in tests, a panic is the report

use crate::common;

use std::path::Path;
use std::sync::LazyLock;

use cardan_assembly::ParameterValues;
use cardan_codegen::{Target, emit_simulation};
use cardan_compile::choose;
use cardan_compile::formalism_selection::motion_counts;
use cardan_emit::{Complete, Fix, complete, complete_calling};
use cardan_jit::EngineKind;
use cardan_model::Model;
use cardan_program::testing::host;
use cardan_sim::{Column, ColumnKind, Settings, Simulation};
use common::toolchains::{built, host_file, ready, run_built};
use common::tools::{folder, numbers, write};

/// A mass between two stops that throw it back, pulled by a relay, weighed by a sampler; with a force that is written elsewhere.
const RELAY: &str = "model relay \"A cart between stops\"
parameter k = 20 [N/m], first = 0.5, period = 0.15 [s]
external function product(v [m/s], x [m]) [N]
particle cart on N by translate(x = x) { mass = 2 [kg] }
discrete side = 2 * first, hits = 0, seen = 0 [m], samples = 0
when x > 0.1 [m] and side > 0 { side := -1; hits := hits + 1 }
when x < -0.1 [m] and side < 0 { side := 1; hits := hits + 1 }
when x > 0.14 [m] and cart.u > 0 { cart.u := -0.8 * cart.u }
when t > 0.5 [s] + 0.1 [s] * first { samples := samples + 100 }
every period from 0.05 [s] { seen := x; samples := samples + 1 }
force drive on cart.cm = (side * 9 [N] - k * x - k * seen / 3 + product(cart.u, x)) * N.x
output pushed = side * 9 [N]
output angle = asin(x / 1 [m]) in [deg]
start { x = 0.02 [m] }
simulate { to = 1.5 [s] }";

/// What a program in a language that is interpreted may cost: evaluations times operations. Python takes a quarter of a minute for all models together,
/// Octave a minute.
const BUDGET: f64 = 2e5;
/// Spans of models that would stop before something happens.
const SPANS: [(&str, f64); 4] =
    [("spacecraft", 3.0), ("spacecraft-lsp", 3.0), ("spacecraft-small", 3.0), ("four-bar-chain", 10.0)];
/// A light cart goes to and fro so fast that errors of the tolerances grow beyond the limit later; its whole time is compared in compiled languages.
const SENSITIVE: (&str, f64) = ("light-cart-pole", 0.3);

/// How close results are, relative to one more than their size.
const CLOSE: f64 = 1e-6;
/// The same over the whole time of a model.
const CLOSE_AT_THE_END: f64 = 1e-5;

/// A model with the motions that its programs are to reproduce.
struct Reference {
    name: String,
    file: String,
    complete: Complete,
    columns: Vec<Column>,
    /// Over a short time, for languages that are interpreted.
    short: Motion,
    /// Over the time that the model asks for.
    whole: Motion,
}

/// A motion from the start on.
struct Motion {
    span: f64,
    /// As a run writes them.
    rows: Vec<Vec<f64>>,
    n_events: usize,
}

/// The models of the library, and the relay.
fn models() -> Vec<(String, Model)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models");
    let mut paths: Vec<_> = std::fs::read_dir(&folder).unwrap().map(|e| e.unwrap().path()).collect();
    paths.retain(|p| p.extension().is_some_and(|e| e == "mbs"));
    paths.sort();
    let name = |p: &Path| p.file_stem().unwrap().to_string_lossy().into_owned();
    let mut texts: Vec<_> = paths.iter().map(|p| (name(p), std::fs::read_to_string(p).unwrap())).collect();
    texts.push(("relay".into(), RELAY.into()));
    let compiled = |(name, text): (String, String)| {
        let model = cardan_lang::compile_text(&name, &text).model.unwrap();
        (name, model)
    };
    let mut models: Vec<(String, Model)> = texts.into_iter().map(compiled).collect();
    let mut sources = cardan_base::Sources::new();
    let file = sources.add("spacecraft.lsp", std::fs::read_to_string(folder.join("spacecraft.lsp")).unwrap());
    let mut read = |written: &str| std::fs::read_to_string(folder.join(written)).ok();
    let native = cardan_import::autosim::translate(file, "spacecraft", &mut sources, &mut read).0.unwrap();
    models.push(compiled(("spacecraft-lsp".into(), native.text)));
    models
}

fn reference(name: &str, model: &Model) -> Reference {
    let mut settings = Settings::of(model, &ParameterValues::of(model)).unwrap();
    let whole = settings.to - settings.from;
    let choice = choose(model, settings.formalism).unwrap();
    // Samples of a run lie within steps and are less exact than their ends: the reference is made with more digits than compared.
    (settings.rtol, settings.atol) = (1e-12, 1e-12);
    let simulation = Simulation::of(&choice, EngineKind::Native, host()).unwrap();
    let motion = |span: f64| {
        let every = Some(span / 3.0);
        let settings = Settings { to: settings.from + span, every, ..settings.clone() };
        let trajectory = simulation.run(&settings, &mut ()).unwrap();
        assert_eq!(trajectory.reached, settings.to, "{name}: {}", trajectory.reason);
        let shown = |row: &[f64]| row.iter().zip(&trajectory.columns).map(|(x, c)| x * c.scale).collect();
        let motion = Motion {
            span,
            rows: trajectory.rows.iter().map(shown).collect(),
            n_events: trajectory.happenings.counts.iter().sum(),
        };
        (motion, trajectory.columns, trajectory.statistics.evaluations)
    };
    let (mut whole, columns, evaluations) = motion(whole);
    let cost = (evaluations * motion_counts(&choice.lowered).total()) as f64;
    let least = SPANS.iter().find(|(n, _)| *n == name).map_or(0.0, |(_, span)| *span);
    let most = if name == SENSITIVE.0 { SENSITIVE.1 } else { whole.span };
    let span = (whole.span * (BUDGET / cost)).max(least).min(most);
    let (short, ..) = motion(span);
    if name == "four-bar-chain" {
        whole.rows = pendulum(&whole.rows);
    }
    (settings.rtol, settings.atol) = (1e-9, 1e-9);
    let complete = complete(&choice, &settings, &Fix::Nothing).unwrap();
    Reference { name: name.into(), file: model.name.clone(), complete, columns, short, whole }
}

/// The chain of parallelograms has one freedom: its posts turn and its beams shift. With bars of equal mass and length,
/// 3 a'' = -3.5 g cos a / L. The state at the times of the rows.
fn pendulum(rows: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let rate = |[a, u]: [f64; 2]| [u, -3.5 * 9.81 * f64::cos(a) / 3.0];
    let moved = |x: [f64; 2], h: f64, k: [f64; 2]| [x[0] + h * k[0], x[1] + h * k[1]];
    let mut x = [std::f64::consts::FRAC_PI_2, -1.0];
    let mut t = 0.0;
    let mut found = vec![];
    for row in rows {
        let n = 40_000;
        let h = (row[0] - t) / f64::from(n);
        for _ in 0..n {
            let k1 = rate(x);
            let k2 = rate(moved(x, 0.5 * h, k1));
            let k3 = rate(moved(x, 0.5 * h, k2));
            let k4 = rate(moved(x, h, k3));
            x = [0, 1].map(|i| x[i] + h / 6.0 * (k1[i] + 2.0 * (k2[i] + k3[i]) + k4[i]));
        }
        t = row[0];
        let [a, u] = x;
        found.push(vec![t, a, a, a, -a, -a, u, u, u, -u, -u]);
    }
    found
}

static REFERENCES: LazyLock<Vec<Reference>> = LazyLock::new(|| {
    let given = |(_, model): &&(String, Model)| ParameterValues::of(model).missing.is_empty();
    models().iter().filter(given).map(|(name, model)| reference(name, model)).collect()
});

/// How large each number of a row is beside others of its kind: energies are measured by the largest of them.
fn sizes(columns: &[Column], row: &[f64]) -> Vec<f64> {
    let is_energy =
        |c: &Column| matches!(c.kind, ColumnKind::Energy | ColumnKind::Work | ColumnKind::Residual);
    let energies = columns.iter().zip(row).filter(|(c, _)| is_energy(c));
    let most = energies.fold(0.0f64, |m, (_, x)| m.max(x.abs()));
    columns.iter().zip(row).map(|(c, x)| 1.0 + if is_energy(c) { most } else { x.abs() }).collect()
}

/// Builds and runs the programs over the time that models ask for, or a short time.
fn check(target: Target, whole: bool) {
    if !ready(target) {
        return;
    }
    for reference in REFERENCES.iter() {
        let Reference { name, file, complete, columns, .. } = reference;
        let motion = if whole { &reference.whole } else { &reference.short };
        let Motion { span, rows, .. } = motion;
        let limit = if whole { CLOSE_AT_THE_END } else { CLOSE };
        let path = folder(&format!("program-{}-{name}", target.name()));
        write(&path, &emit_simulation(&complete.program, &complete.simulation, target).unwrap());
        let calls_host = !complete.program.functions().is_empty();
        let host = calls_host.then(|| host_file(target, file));
        if let Some((file, text)) = &host {
            std::fs::write(path.join(file), text).unwrap();
        }
        let from = complete.simulation.t_start;
        let settings = format!("t_end = {}\nevery = {}\n", from + span, span / 3.0);
        std::fs::write(path.join(format!("{file}.par")), settings).unwrap();
        run_built(&path, &built(target, &path, file, host.map(|(file, _)| file)));
        let table = std::fs::read_to_string(path.join(format!("{file}.csv"))).unwrap();
        let cell = |text: String| if text.contains(',') { format!("\"{text}\"") } else { text };
        let headings: Vec<String> = columns.iter().map(|c| cell(c.heading())).collect();
        assert_eq!(table.lines().next(), Some(headings.join(",").as_str()), "{target:?} {name}");
        let found: Vec<Vec<f64>> = table.lines().skip(1).map(|l| numbers(&l.replace(',', "\n"))).collect();
        assert_eq!(found.len(), rows.len(), "{target:?} {name}");
        for (row, expected) in found.iter().zip(rows) {
            for (((a, b), size), c) in row.iter().zip(expected).zip(sizes(columns, expected)).zip(columns) {
                let close = (a - b).abs() <= limit * size * c.scale.max(1.0);
                let column = c.heading();
                assert!(close, "{target:?} {name}: {column} is {a} and {b} at t = {}", row[0]);
            }
        }
    }
}

/// Events happen in the motions that are compared.
#[test]
fn models_with_events_have_some() {
    let with: Vec<&Reference> = REFERENCES
        .iter()
        .filter(|r| r.complete.simulation.events.as_ref().is_some_and(|e| !e.memory.is_empty()))
        .collect();
    assert!(with.len() >= 3);
    for reference in with {
        for n_events in [reference.short.n_events, reference.whole.n_events] {
            assert!(n_events >= 1, "{}: {n_events} events", reference.name);
        }
    }
}

/// Every model of the library that has values for its parameters is among them.
#[test]
fn no_model_is_left_out() {
    let names: Vec<&str> = REFERENCES.iter().map(|r| r.name.as_str()).collect();
    let left: Vec<String> =
        models().into_iter().map(|(n, _)| n).filter(|n| !names.contains(&n.as_str())).collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn c() {
    check(Target::C, true);
}

#[test]
fn cpp() {
    check(Target::Cpp, true);
}

#[test]
fn rust() {
    check(Target::Rust, true);
}

#[test]
fn fortran() {
    check(Target::Fortran, true);
}

#[test]
fn fortran77() {
    check(Target::Fortran77, true);
}

#[test]
fn numpy() {
    check(Target::Python, false);
}

#[test]
fn octave() {
    check(Target::Matlab, false);
}

/// A push that is given from outside.
const PUSHED: &str = "model pushed
input F [N] = 1.5 \"push\", G [N] = 0
particle block on N by translate(x = x) { mass = 2 [kg] }
force push on block.cm = (F + G) * N.x
simulate { to = 2 [s] }";

/// The function of time F(t) = 3 t in a language, and the file that it stands in.
fn push_file(target: Target) -> (&'static str, &'static str) {
    match target {
        Target::C => ("F.c", "double F(double t);\ndouble F(double t) { return 3*t; }\n"),
        Target::Cpp => {
            ("F.cpp", "extern \"C\" double F(double t);\nextern \"C\" double F(double t) { return 3*t; }\n")
        }
        Target::Rust => (
            "external.rs",
            "pub struct Functions;\nimpl crate::pushed::External for Functions {\n    #[allow(non_snake_case)]\n    fn F(&self, t: f64) -> f64 {\n        3.0 * t\n    }\n}\n",
        ),
        Target::Fortran => (
            "external.f90",
            "pure function F(t) result(y)\n    double precision, intent(in) :: t\n    double precision :: y\n    y = 3*t\nend function\n",
        ),
        Target::Fortran77 => (
            "external.f",
            "      DOUBLE PRECISION FUNCTION F(T)\n      DOUBLE PRECISION T\n      F = 3*T\n      END\n",
        ),
        Target::Python => ("external.py", "def F(t):\n    return 3*t\n"),
        Target::Matlab | Target::Wasm => ("F.m", "function y = F(t)\n    y = 3*t;\nend\n"),
    }
}

/// Inputs stay inputs of a complete program: constants of its parameter file, x = (F + G) t²/(2m), or functions of time, x = F'''t³/(6m) + G t²/(2m).
#[test]
fn inputs_are_given_to_programs() {
    let model = cardan_lang::compile_text("pushed", PUSHED).model.unwrap();
    let settings = Settings::of(&model, &ParameterValues::of(&model)).unwrap();
    let choice = choose(&model, None).unwrap();
    let names = ["F".to_owned()];
    for fix in [Fix::Nothing, Fix::Everything] {
        for (_, target) in Target::ALL.iter().map(|(t, name)| (name, *t)).filter(|(_, t)| *t != Target::Wasm)
        {
            if !ready(target) {
                continue;
            }
            for called in [&names[..0], &names[..]] {
                let complete = complete_calling(&choice, &settings, &fix, called).unwrap();
                let path =
                    folder(&format!("inputs-{}-{}-{}", target.name(), called.len(), fix == Fix::Nothing));
                write(&path, &emit_simulation(&complete.program, &complete.simulation, target).unwrap());
                let host = (!called.is_empty()).then(|| push_file(target));
                if let Some((file, text)) = host {
                    std::fs::write(path.join(file), text).unwrap();
                }
                let given = if called.is_empty() { "F = 3\nG = 1\n" } else { "G = 1\n" };
                std::fs::write(path.join("pushed.par"), given).unwrap();
                run_built(&path, &built(target, &path, "pushed", host.map(|(file, _)| file)));
                let table = std::fs::read_to_string(path.join("pushed.csv")).unwrap();
                let last = numbers(&table.lines().last().unwrap().replace(',', "\n"));
                let x = if called.is_empty() { 4.0 * 4.0 / 4.0 } else { 3.0 * 8.0 / 12.0 + 4.0 / 4.0 };
                assert!((last[1] - x).abs() < 1e-8, "{target:?} {called:?}: {} for {x}", last[1]);
            }
        }
    }
    let wrong = complete_calling(&choice, &settings, &Fix::Nothing, &["H".to_owned()]);
    assert!(matches!(wrong, Err(cardan_emit::Error::NoSuchInput { .. })));
}
