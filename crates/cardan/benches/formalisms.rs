//! Whether prices foretell times: `cargo bench -p cardan --bench formalisms`.
//!
//! Every model of the library without constraints, and robots given on the command line as URDF files, by every formalism that applies: operations, their price in
//! multiplications, the time of one evaluation on machine code. The formalism of least price is right if it takes the least time; what a wrong one costs stands in the
//! last column.

use std::fs;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::time::Instant;

use cardan::equations::Formalism;
use cardan::import::ImportOptions;
use cardan::jit::MachineCode;
use cardan::lower::Phase;
use cardan::prelude::*;
use cardan::program::cost_model::price_of;
use cardan::program::{Execute, Program, Stages, count};

const ROUNDS: usize = 30;

/// One formalism's program, ready to run.
struct Entrant {
    formalism: Formalism,
    operations: u64,
    price: u64,
    engine: MachineCode,
    moving: Stages,
    inputs: Vec<f64>,
    outputs: Vec<f64>,
    best_ns: f64,
}

fn stages(program: &Program, first: Phase, last: Phase) -> Option<Stages> {
    Some(Stages { first: program.stage(first.name())?, last: program.stage(last.name())? })
}

impl Entrant {
    fn new(model: &Model, formalism: Formalism) -> Option<Entrant> {
        let options = Options { formalism: Some(formalism), ..Options::default() };
        let compiled = compile_model(model, options).ok()?;
        let lowered = &compiled.choice.lowered;
        let program = &lowered.program;
        let moving = stages(program, Phase::Time, Phase::Motion)?;
        let mut engine = MachineCode::compile(program).ok()?;
        let mut inputs = lowered.layout.inputs.defaults(program.inputs().len());
        let states = [lowered.layout.inputs.coordinates.clone(), lowered.layout.inputs.speeds.clone()];
        states.into_iter().flatten().enumerate().for_each(|(k, place)| inputs[place] = 0.1 + 0.05 * k as f64);
        let mut outputs = vec![0.0; program.outputs().len()];
        engine.run(stages(program, Phase::Setup, Phase::Setup)?, &inputs, &mut outputs).ok()?;
        Some(Entrant {
            formalism,
            operations: count(program, moving).total(),
            price: price_of(program, moving),
            engine,
            moving,
            inputs,
            outputs,
            best_ns: f64::INFINITY,
        })
    }

    fn time(&mut self) {
        let repeats = 200_000 / (self.operations as usize + 50) + 1;
        let start = Instant::now();
        for _ in 0..repeats {
            // A singular system costs as much as another.
            let _ = self.engine.run(self.moving, black_box(&self.inputs), &mut self.outputs);
            black_box(&mut self.outputs);
        }
        self.best_ns = self.best_ns.min(1e9 * start.elapsed().as_secs_f64() / repeats as f64);
    }
}

/// The models of the library, then what the command line names.
fn files() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models");
    let entries = fs::read_dir(folder).into_iter().flatten().flatten().map(|e| e.path());
    let mut found: Vec<PathBuf> = entries.filter(|p| p.extension().is_some_and(|e| e == "mbs")).collect();
    found.sort();
    found.extend(std::env::args().skip(1).map(PathBuf::from).filter(|p| p.is_file()));
    found
}

fn model(path: &Path) -> Option<Model> {
    let text = fs::read_to_string(path).ok()?;
    let name = path.to_string_lossy();
    if path.extension().is_some_and(|e| e == "mbs") {
        return resolve(parse(&name, &text)).into_model().ok();
    }
    cardan::import_text(&name, &text, &mut |_: &str| None, &ImportOptions::default()).into_model().ok()
}

fn main() {
    println!(
        "{:24} {:12} {:>10} {:>7} {:>9} {:>10}",
        "", "", "operations", "price", "time, ns", "ns / price"
    );
    let (mut right, mut all) = (0, 0);
    for path in files() {
        let Some(model) = model(&path).filter(|m| m.constraints.is_empty()) else { continue };
        let mut entrants: Vec<Entrant> =
            Formalism::ALL.iter().filter_map(|f| Entrant::new(&model, *f)).collect();
        for _ in 0..ROUNDS {
            entrants.iter_mut().for_each(Entrant::time);
        }
        let name = path.file_stem().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
        for e in &entrants {
            let formalism = e.formalism.name();
            println!(
                "{name:24} {formalism:12} {:>10} {:>7} {:>9.1} {:>10.3}",
                e.operations,
                e.price,
                e.best_ns,
                e.best_ns / e.price as f64
            );
        }
        let (Some(chosen), Some(fastest)) = (
            entrants.iter().min_by_key(|e| e.price),
            entrants.iter().min_by(|a, b| a.best_ns.total_cmp(&b.best_ns)),
        ) else {
            continue;
        };
        let loss = chosen.best_ns / fastest.best_ns - 1.0;
        all += 1;
        right += usize::from(loss < 0.03);
        println!(
            "{name:24} taken by price: {}, {:.1} % above the fastest",
            chosen.formalism.name(),
            1e2 * loss
        );
    }
    println!("{right} of {all} within 3 % of the fastest");
}
