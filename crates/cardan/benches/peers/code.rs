//! The machine code of forward dynamics, for those who count its instructions.

use std::path::Path;

use cardan::base::Id;
use cardan::equations::Formalism;
use cardan::jit::{Batch, MachineCode};
use cardan::lower::Phase;
use cardan::program::{Execute, Label, Math, Op, Program, ProgramBuilder, Stages, Unary, count};
use serde_json::json;

use crate::dynamics::{fused, inputs, moving, stage};
use crate::reading::{model, times as timed};
use crate::states::States;

/// Writes the code for one state and for four into a folder, says where the stages that run at every evaluation are in
/// it and how many operations they have, and evaluates so many times. A formalism that is named saves the comparison of all.
pub fn answer(robot: &str, free: bool, file: &str, folder: &str, times: usize, formalism: Option<&str>) {
    let model = model(robot, free);
    let states = States::read(file, &model);
    let formalism =
        formalism.map(|name| Formalism::named(name).unwrap_or_else(|| panic!("no formalism {name}")));
    let choice = cardan::derive(&model, formalism).unwrap_or_else(|e| panic!("{e}"));
    let (model, simulation) = (&choice.model, &choice.lowered);
    let program = &simulation.program;
    let stages = moving(program);
    // As they are timed: one state fused, several as they are.
    let mut engine = MachineCode::compile(&fused(program)).expect("no functions of the host");
    let batch = Batch::<4>::compile(program).expect("no functions of the host");
    for (name, (code, entries)) in [("one", engine.code()), ("four", batch.code())] {
        let path = Path::new(folder).join(format!("{name}.bin"));
        std::fs::write(&path, code).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        let first = entries.get(stages.first.index()).copied().unwrap_or(0);
        let end = entries.get(stages.last.index() + 1).copied().unwrap_or(code.len());
        let c = count(program, stages);
        println!(
            "{}",
            json!({
                "quantity": name, "formalism": choice.equations.formalism.name(), "first": first, "end": end, "bytes": end - first, "operations": c.total(),
                "add": c.add, "mul": c.mul, "div": c.div, "sqrt": c.sqrt, "trig": c.trig, "compare": c.compare, "other": c.other,
            })
        );
    }
    let n_states = states.states.len();
    let rows: Vec<Vec<f64>> =
        (0..n_states).map(|k| inputs(program, &simulation.layout.inputs, model, &states, k)).collect();
    let mut outputs = vec![0.0; program.outputs().len()];
    engine.run(stage(program, Phase::Setup).into(), &rows[0], &mut outputs).expect("the setup is regular");
    let pairs = program.values().iter().filter(|(_, op)| matches!(op, Op::Unary(Unary::Sin, _))).count();
    println!(
        "{}",
        json!({ "quantity": "parts", "call_ns": call(&rows, 0), "sincos_ns": call(&rows, pairs) })
    );
    repeat_evaluations(&mut engine, stages, &rows, &mut outputs, times);
    assert!(outputs.iter().all(|x| x.is_finite()), "results are finite");
}

/// A function of its own, so that those who count instructions can tell it from the preparations.
#[inline(never)]
fn repeat_evaluations(
    engine: &mut MachineCode,
    stages: Stages,
    rows: &[Vec<f64>],
    outputs: &mut [f64],
    times: usize,
) {
    for k in 0..times {
        engine.run(stages, &rows[k % rows.len()], outputs).expect("the states are regular");
    }
}

/// A program of so many inputs that only delivers sines and cosines of the last ones.
fn turns(n_inputs: usize, pairs: usize) -> Program {
    let mut b = ProgramBuilder::new("turns", ["main"], Math::Finite);
    let stage = b.stage("main").expect("it was named");
    let inputs: Vec<_> = (0..n_inputs).map(|k| b.input(Label::named(format!("x{k}")), stage)).collect();
    for (k, x) in inputs.iter().rev().take(pairs).enumerate() {
        let (sine, cosine) = (b.unary(Unary::Sin, *x), b.unary(Unary::Cos, *x));
        b.output(Label::named(format!("s{k}")), stage, sine);
        b.output(Label::named(format!("c{k}")), stage, cosine);
    }
    b.finish().expect("a program that is well formed")
}

/// The time of a call with inputs like these that computes `pairs` of a sine and a cosine and nothing else, in nanoseconds.
fn call(rows: &[Vec<f64>], pairs: usize) -> f64 {
    let program = turns(rows[0].len(), pairs);
    let mut engine = MachineCode::compile(&program).expect("no functions of the host");
    let mut outputs = vec![0.0; program.outputs().len()];
    let (best, _) = timed(50, || {
        for row in rows {
            engine.run(program.all_stages(), row, &mut outputs).expect("there is nothing to solve");
        }
    });
    best / rows.len() as f64
}
