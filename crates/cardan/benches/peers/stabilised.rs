//! The stabilised equations of a mechanism with loops as C functions, for solvers of others.

use std::path::Path;

use cardan::base::Id;
use cardan::codegen::library::{Argument, FunctionSpec, Results};
use cardan::codegen::{Library, Target, emit};
use cardan::equations::ggl_form;
use cardan::lower::{InputLayout, Phase, residual_program};
use cardan::program::derive::{self, jacobian_with};
use cardan::program::{InputId, Math, OutputId, Program, ProgramBuilder, Stages, ValueId, passes};
use serde_json::json;

use crate::reading::model;

/// The program with parameters as numbers; time, state and unknowns stay inputs, in this order.
fn fixed(program: &Program, layout: &InputLayout, unknowns: std::ops::Range<usize>) -> Program {
    let mut b = ProgramBuilder::new("stabilised", Phase::ALL.map(Phase::name), Math::Finite);
    let defaults = layout.defaults(program.inputs().len());
    let kept: Vec<usize> = [layout.time.index()].into_iter().chain(layout.state()).chain(unknowns).collect();
    let mut values: Vec<ValueId> = defaults.iter().map(|x| b.constant(*x)).collect();
    for k in kept {
        let input = &program.inputs()[InputId::from_index(k)];
        values[k] = b.input(input.label.clone(), input.stage);
    }
    let found = b.splice(program, &values).expect("as many inputs, no functions of the host");
    for ((_, output), value) in program.outputs().iter().zip(found) {
        let stage = b.stage_of(value).max(output.stage);
        b.output(output.label.clone(), stage, value);
    }
    let finished = b.finish().expect("a program that is well formed");
    passes::optimize(&finished, passes::Options { math: Math::Finite, fuse: false })
}

fn function(program: &Program, name: &str, outputs: Vec<usize>, last: Phase) -> FunctionSpec {
    let stage = |phase: Phase| program.stage(phase.name()).expect("all stages are there");
    let inputs: Vec<InputId> = program.inputs().ids().collect();
    FunctionSpec {
        name: name.into(),
        doc: "From time, state and unknowns.".into(),
        stages: Stages { first: stage(Phase::Setup), last: stage(last) },
        arguments: vec![
            Argument::scalar("t", inputs[0], "time"),
            Argument::array("y", inputs[1..].to_vec(), "state, accelerations, multipliers"),
        ],
        results: vec![Results::new(
            "r",
            outputs.into_iter().map(OutputId::from_index).collect(),
            "in this order",
        )],
    }
}

fn write(folder: &str, name: &str, program: &Program, functions: Vec<FunctionSpec>) {
    let library = Library {
        name: name.into(),
        version: String::new(),
        doc: String::new(),
        functions,
        provided: vec![],
    };
    let files = emit(program, &library, Target::C).unwrap_or_else(|e| panic!("{e}"));
    for file in files {
        let path = Path::new(folder).join(&file.name);
        std::fs::write(&path, file.bytes()).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    }
}

/// Writes `equations.c` (functions `residual` and `settled`) and `slopes.c` (function `entries`) with their headers, and says how many unknowns of
/// which kind there are and where the entries of the Jacobian are.
pub fn answer(file: &str, folder: &str) {
    let choice = cardan::derive(&model(file, false), None).unwrap_or_else(|e| panic!("{e}"));
    let form =
        ggl_form(&choice.model, &choice.equations).unwrap_or_else(|| panic!("the mechanism has no loops"));
    let stabilised = residual_program(&choice.model, &form).unwrap_or_else(|e| panic!("{e}"));
    let (program, layout) = (&stabilised.program, &stabilised.inputs);
    let n_states = layout.state().len();
    // Energies come between the state and the rest; solvers of others do without.
    let n_algebraic = stabilised.unknowns.len();
    let rows: Vec<usize> = (0..n_states)
        .chain(stabilised.equations.end - n_algebraic..stabilised.equations.end)
        .map(|k| stabilised.equations.start + k)
        .collect();
    let own = fixed(program, layout, stabilised.unknowns.clone());
    let functions = vec![
        function(&own, "residual", rows.clone(), Phase::Motion),
        function(&own, "settled", stabilised.settled.clone().collect(), Phase::Report),
    ];
    write(folder, "equations", &own, functions);

    let outputs: Vec<OutputId> = rows.iter().map(|k| OutputId::from_index(*k)).collect();
    let columns = layout.state().chain(stabilised.unknowns.clone()).map(InputId::from_index);
    let options = derive::Options { math: Math::Finite, ..derive::Options::default() };
    let found = jacobian_with(program, &outputs, &columns.collect::<Vec<_>>(), options)
        .unwrap_or_else(|e| panic!("{e}"));
    let first = found.first.index();
    let own = fixed(&found.program, layout, stabilised.unknowns.clone());
    let entries = (first..first + found.pattern.len()).collect();
    write(folder, "slopes", &own, vec![function(&own, "entries", entries, Phase::Motion)]);
    println!(
        "{}",
        json!({
            "quantity": "stabilised", "states": n_states, "algebraic": n_algebraic, "settled": stabilised.settled.len(), "pattern": found.pattern,
        })
    );
}
