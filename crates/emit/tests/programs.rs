//! Complete programs of every model in every language reproduce the simulation: trees, closed loops, Euler parameters, events,
//! functions of the host.

#![allow(clippy::unwrap_used)] // in tests, a panic is the report

#[path = "../../codegen/tests/common/mod.rs"]
mod common;

use std::path::Path;
use std::sync::LazyLock;

use cardan_codegen::{Target, emit_simulation};
use cardan_emit::{Complete, Fix, complete};
use cardan_model::Model;
use cardan_program::testing::host;
use cardan_sim::{EngineKind, ParameterValues, Plan, Settings, Simulation, choose};
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
start { x = 0.02 [m] }
simulate { to = 1.5 [s] }";

/// Spans that differ from 0.3 s: where something happens, or something fast moves.
const SPANS: [(&str, f64); 4] =
    [("relay", 1.5), ("spacecraft", 3.0), ("spacecraft-small", 3.0), ("squeezer", 0.01)];

/// A model with the motion that its programs are to reproduce.
struct Reference {
    name: String,
    file: String,
    complete: Complete,
    /// Time, state, discrete states.
    rows: Vec<Vec<f64>>,
    n_events: usize,
}

/// The models of the library, and the relay.
fn texts() -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models");
    let mut paths: Vec<_> = std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
    paths.retain(|p| p.extension().is_some_and(|e| e == "mbs"));
    paths.sort();
    let name = |p: &Path| p.file_stem().unwrap().to_string_lossy().into_owned();
    let mut texts: Vec<_> = paths.iter().map(|p| (name(p), std::fs::read_to_string(p).unwrap())).collect();
    texts.push(("relay".into(), RELAY.into()));
    texts
}

fn reference(name: &str, model: &Model) -> Reference {
    let mut settings = Settings::of(model, &ParameterValues::of(model)).unwrap();
    let span = SPANS.iter().find(|(n, _)| *n == name).map_or(0.3, |(_, span)| *span);
    settings.to = settings.from + span;
    settings.every = Some(span / 3.0);
    // Samples of a run lie within steps and are less exact than their ends: the reference is made with more digits than compared.
    (settings.rtol, settings.atol) = (1e-12, 1e-12);
    let choice = choose(model, settings.formalism).unwrap();
    let plan = Plan::of(&choice.model, &choice.lowered);
    let program = choice.lowered.program.clone();
    let simulation = Simulation::with_host(program, plan, EngineKind::Native, host()).unwrap();
    let simulation = simulation.with_loops(choice.loops.as_ref()).unwrap();
    let simulation = simulation.with_events(choice.events.as_ref()).unwrap();
    let trajectory = simulation.run(&settings, &mut ()).unwrap();
    assert_eq!(trajectory.reached, settings.to, "{name}: {}", trajectory.reason);
    (settings.rtol, settings.atol) = (1e-9, 1e-9);
    let complete = complete(&choice, &settings, &Fix::Nothing).unwrap();
    let n = 1 + complete.simulation.states.len();
    let place = |id: &str| trajectory.columns.iter().position(|c| c.name == id).unwrap();
    let discretes = model.hybrid.discretes.iter().map(|(_, d)| place(&d.quantity.name));
    let columns: Vec<usize> = (0..n).chain(discretes).collect();
    let rows = trajectory.rows.iter().map(|row| columns.iter().map(|k| row[*k]).collect()).collect();
    let n_events = trajectory.happenings.counts.iter().sum();
    Reference { name: name.into(), file: model.name.clone(), complete, rows, n_events }
}

static REFERENCES: LazyLock<Vec<Reference>> = LazyLock::new(|| {
    let compile = |(name, text): &(String, String)| {
        let model = cardan_lang::compile_text(name, text).model.unwrap();
        ParameterValues::of(&model).missing.is_empty().then(|| reference(name, &model))
    };
    texts().iter().filter_map(compile).collect()
});

fn check(target: Target) {
    if !ready(target) {
        return;
    }
    for reference in REFERENCES.iter() {
        let Reference { name, file, complete, rows, .. } = reference;
        let path = folder(&format!("program-{}-{name}", target.name()));
        write(&path, &emit_simulation(&complete.program, &complete.simulation, target).unwrap());
        let calls_host = !complete.program.functions().is_empty();
        let host = calls_host.then(|| host_file(target, file));
        if let Some((file, text)) = &host {
            std::fs::write(path.join(file), text).unwrap();
        }
        run_built(&path, &built(target, &path, file, host.map(|(file, _)| file)));
        let table = std::fs::read_to_string(path.join(format!("{file}.csv"))).unwrap();
        let found: Vec<Vec<f64>> = table.lines().skip(1).map(|l| numbers(&l.replace(',', "\n"))).collect();
        assert_eq!(found.len(), rows.len(), "{target:?} {name}");
        let n = 1 + complete.simulation.states.len();
        for (row, expected) in found.iter().zip(rows) {
            let discretes = row.len() - (expected.len() - n);
            let row: Vec<f64> = row[..n].iter().chain(&row[discretes..]).copied().collect();
            for (a, b) in row.iter().zip(expected) {
                let close = (a - b).abs() <= 1e-6 * (1.0 + b.abs());
                assert!(close, "{target:?} {name}: {a} and {b} in\n{row:?}\n{expected:?}");
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
        assert!(reference.n_events >= 2, "{}: {} events", reference.name, reference.n_events);
    }
}

/// Every model of the library that has values for its parameters is among them.
#[test]
fn no_model_is_left_out() {
    let names: Vec<&str> = REFERENCES.iter().map(|r| r.name.as_str()).collect();
    let left: Vec<String> =
        texts().into_iter().map(|(n, _)| n).filter(|n| !names.contains(&n.as_str())).collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn c() {
    check(Target::C);
}

#[test]
fn cpp() {
    check(Target::Cpp);
}

#[test]
fn rust() {
    check(Target::Rust);
}

#[test]
fn fortran() {
    check(Target::Fortran);
}

#[test]
fn fortran77() {
    check(Target::Fortran77);
}

#[test]
fn numpy() {
    check(Target::Python);
}

#[test]
fn octave() {
    check(Target::Matlab);
}
