//! From text to machine code: all formalisms compared, as `cardan run` does it; and what SymPy's `KanesMethod` with `lambdify` gives, no more.

use std::hint::black_box;

use cardan::equations;
use cardan::equations::constrained::rows;
use cardan::jit::MachineCode;
use cardan::lower::expressions_program;
use cardan::prelude::*;
use cardan::program::Label;

use crate::reading::{model, times_and_processor};

/// Equations of motion unsolved: mass matrix and forcing, Jacobian and bias of the constraints.
fn unsolved(model: &Model) -> MachineCode {
    let rows = rows::rows(model);
    let equations = equations::unsolved(model, Formalism::Recursive, rows)
        .unwrap_or_else(|f| panic!("{}", f.message(model)));
    let mass = equations.mass.iter().enumerate().flat_map(|(r, row)| &row[..=r]);
    let rows = &equations.constraints.rows;
    let jacobian = rows.iter().flat_map(|r| r.jacobian.iter().map(|(_, e)| e).chain([&r.gamma]));
    let all = mass.chain(&equations.forcing).chain(jacobian);
    let named = all.enumerate().map(|(k, e)| (Label::named(format!("y{k}")), *e));
    let program = expressions_program(model, &model.name, named).unwrap_or_else(|e| panic!("{e}")).program;
    MachineCode::compile(&program).unwrap_or_else(|e| panic!("{e}"))
}

pub fn answer(file: &str, repetitions: usize) {
    let compile = || {
        let model = model(file, false);
        black_box(compile_model(&model, Options::default()).unwrap_or_else(|e| panic!("{e}")));
    };
    let unsolved = || {
        black_box(unsolved(&model(file, false)));
    };
    let questions: [(&str, &dyn Fn()); 2] = [("compile", &compile), ("unsolved", &unsolved)];
    for (name, make) in questions {
        let (best, median, processor) = times_and_processor(repetitions, make);
        println!(
            "{}",
            serde_json::json!({ "quantity": name, "best_ns": best, "median_ns": median, "processor_ns": processor })
        );
    }
}
