//! A vehicle: text to machine code, one evaluation of the derivative, a whole motion, and steps of a millisecond as a simulator with a
//! person in it takes them.

use std::hint::black_box;
use std::path::Path;
use std::time::Instant;

use cardan::assembly::ParameterValues;
use cardan::compile::Plan;
use cardan::expand::{self, Found, Refusal};
use cardan::jit::MachineCode;
use cardan::prelude::*;
use cardan::program::Execute;
use cardan::sim::settings::method_named;
use serde_json::json;

use crate::reading::times;

/// The length of a step in real time.
const STEP: f64 = 1e-3;
/// How much of the motion goes in such steps.
const REAL_TIME: f64 = 10.0;

/// `words` are `set:CONSTANT=VALUE` and `use:SLOT=FILLING`.
pub fn answer(file: &str, to: &str, repetitions: usize, words: &[&str]) {
    let pairs = |prefix: &str| -> Vec<(String, String)> {
        let named = words.iter().copied().filter_map(|word| word.strip_prefix(prefix));
        named.filter_map(|word| word.split_once('=')).map(|(a, b)| (a.to_owned(), b.to_owned())).collect()
    };
    let choices = expand::Settings { constants: pairs("set:"), fillings: pairs("use:") };
    let text = std::fs::read_to_string(file).unwrap_or_else(|e| panic!("{file}: {e}"));
    let folder = Path::new(file).parent().unwrap_or(Path::new(""));
    let made = || {
        let mut beside = |wanted: &str, _: &str| -> Result<Found, Refusal> {
            let text = std::fs::read_to_string(folder.join(wanted));
            text.map(|text| Found { name: wanted.to_owned(), text }).map_err(|_| Refusal::Missing)
        };
        let flat = cardan::expand_with(parse(file, &text), &choices, &mut beside);
        resolve(flat).into_model().unwrap_or_else(|e| panic!("{e}"))
    };
    let compile = |model: &Model| compile_model(model, Options::default()).unwrap_or_else(|e| panic!("{e}"));
    let (best, median) = times(repetitions, || {
        black_box(compile(&made()));
    });
    println!("{}", json!({ "quantity": "compile", "best_ns": best, "median_ns": median }));

    let model = made();
    let choice = cardan::derive(&model, None).unwrap_or_else(|e| panic!("{e}"));
    let plan = Plan::of(&choice.model, &choice.equations, &choice.lowered);
    let mut engine = MachineCode::compile(&choice.lowered.program).expect("no functions of the host");
    let compiled = compile(&model);
    let to: f64 = to.parse().unwrap_or_else(|e| panic!("{to}: {e}"));
    let mut settings = Settings::of(&model, &ParameterValues::of(&model)).unwrap_or_else(|e| panic!("{e}"));
    settings.to = to;
    settings.every = Some(0.02);

    // At the state of the start.
    let session = compiled.session(&settings).unwrap_or_else(|e| panic!("{e}"));
    let (mut inputs, mut outputs) = (vec![0.0; engine.n_inputs()], vec![0.0; engine.n_outputs()]);
    plan.parameters.iter().for_each(|p| inputs[p.input] = p.value.unwrap_or(0.0));
    plan.states.iter().zip(session.state()).for_each(|(slot, y)| inputs[slot.input] = *y);
    engine.run(plan.setup, &inputs, &mut outputs).expect("the setup is regular");
    let many = 1000;
    let (best, median) = times(50, || {
        for _ in 0..many {
            engine.run(plan.motion, black_box(&inputs), &mut outputs).expect("the state is regular");
        }
    });
    let each = f64::from(many);
    println!("{}", json!({ "quantity": "evaluate", "best_ns": best / each, "median_ns": median / each }));

    let mut steps = 0;
    let (best, median) = times(repetitions, || {
        let found = compiled.simulation.run(&settings, &mut ()).unwrap_or_else(|e| panic!("{e}"));
        steps = found.statistics.accepted;
    });
    println!(
        "{}",
        json!({ "quantity": "motion", "best_ns": best, "median_ns": median, "seconds": to, "steps": steps })
    );

    settings.method = method_named("rk4").expect("a method");
    settings.step = Some(STEP);
    let mut session = compiled.session(&settings).unwrap_or_else(|e| panic!("{e}"));
    let n = (REAL_TIME.min(to) / STEP).round() as usize;
    let mut taken: Vec<f64> = (1..=n)
        .map(|k| {
            let start = Instant::now();
            session.advance(settings.from + k as f64 * STEP).unwrap_or_else(|e| panic!("{e}"));
            1e9 * start.elapsed().as_secs_f64()
        })
        .collect();
    taken.sort_by(f64::total_cmp);
    let row = json!({
        "quantity": "step", "best_ns": taken[0], "median_ns": taken[n / 2], "worst_ns": taken[n - 1],
        "late_ns": taken[n - 1 - n / 1000],
    });
    println!("{row}");
}
