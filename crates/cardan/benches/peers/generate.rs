//! From text to machine code, one question at a time, with the operations of each.

use std::hint::black_box;

use cardan::compile::formalism_selection::not_worth_it;
use cardan::equations::{inverse, mass_matrix};
use cardan::jit::MachineCode;
use cardan::lower::{inverse_program, mass_program};
use cardan::prelude::*;
use cardan::program::{Program, count};
use serde_json::json;

use crate::dynamics::moving;
use crate::reading::{model, times_and_processor};

/// A question, answered by a program.
type Answer = fn(&Model) -> Program;

fn forward(model: &Model) -> Program {
    cardan::derive(model, None).unwrap_or_else(|e| panic!("{e}")).lowered.program.clone()
}

fn torques(model: &Model) -> Program {
    cheapest(model, |model, formalism| {
        let found = inverse(model, formalism).ok()?;
        Some(inverse_program(model, &found).expect("it can be lowered").program)
    })
}

fn mass(model: &Model) -> Program {
    cheapest(model, |model, formalism| {
        let found = mass_matrix(model, formalism).ok()?;
        Some(mass_program(model, &found, None).expect("it can be lowered").program)
    })
}

/// By the formalism whose program needs the fewest operations; each works on a copy of its own.
fn cheapest(model: &Model, make: fn(&Model, Formalism) -> Option<Program>) -> Program {
    let tried = [Formalism::Recursive, Formalism::Kane].into_iter();
    let tried = tried.filter(|f| not_worth_it(model, *f, true).is_none() || *f == Formalism::Recursive);
    let programs = tried.filter_map(|f| make(&model.clone(), f));
    programs.min_by_key(|p| count(p, moving(p)).total()).expect("a formalism applies")
}

pub fn answer(file: &str, free: bool, repetitions: usize) {
    let questions: [(&str, Answer); 3] = [("forward", forward), ("inverse", torques), ("mass", mass)];
    for (name, make) in questions {
        let mut made = None;
        let (best, median, processor) = times_and_processor(repetitions, || {
            let program = make(&model(file, free));
            black_box(MachineCode::compile(&program).expect("no functions of the host"));
            made = Some(program);
        });
        let Some(program) = made else { return };
        let c = count(&program, moving(&program));
        println!(
            "{}",
            json!({
                "quantity": name, "best_ns": best, "median_ns": median, "processor_ns": processor, "joints": model(file, free).speeds.len(), "operations": c.total(),
                "mul": c.mul, "add": c.add, "div": c.div, "sqrt": c.sqrt, "trig": c.trig,
            })
        );
    }
}
