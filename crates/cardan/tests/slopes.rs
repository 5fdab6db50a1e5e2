//! Derivatives along the structure of a tree equal those of its program, for every tree of the library.

use std::fs;
use std::path::Path;

use cardan::base::Id;
use cardan::lower::{SimulationProgram as Lowered, state_jacobian, structured_jacobian};
use cardan::prelude::*;
use cardan::program::derive::Jacobian;
use cardan::program::{Execute, Interpreter};

fn dense(jacobian: &Jacobian, inputs: &[f64], n: usize) -> Vec<f64> {
    let program = &jacobian.program;
    let mut outputs = vec![f64::NAN; program.outputs().len()];
    let mut interpreter = Interpreter::new(program).expect("no functions of the host");
    interpreter.run(program.all_stages(), inputs, &mut outputs).expect("a regular state");
    let mut out = vec![0.0; n * n];
    for (k, (row, column)) in jacobian.pattern.iter().enumerate() {
        out[row * n + column] = outputs[jacobian.first.index() + k];
    }
    out
}

/// The largest difference, relative to the largest entry, at states around the start.
fn difference(lowered: &Lowered, along_tree: &Jacobian) -> f64 {
    let layout = &lowered.layout;
    let plain = state_jacobian(lowered).expect("no functions of the host");
    let mut start = vec![0.0; lowered.program.outputs().len()];
    let mut inputs = layout.inputs.defaults(lowered.program.inputs().len());
    let mut interpreter = Interpreter::new(&lowered.program).expect("no functions of the host");
    interpreter.run(lowered.program.all_stages(), &inputs, &mut start).expect("a regular start");
    let (state, n) = (layout.inputs.state(), layout.inputs.state().len());
    let mut worst = 0.0f64;
    for round in 0..3 {
        for (k, (place, x0)) in state.clone().zip(&start[layout.start.clone()]).enumerate() {
            inputs[place] = x0 + 0.2 * ((7 * k + 3 * round) as f64).sin();
        }
        let (expected, found) = (dense(&plain, &inputs, n), dense(along_tree, &inputs, n));
        let scale = expected.iter().fold(1.0f64, |m, x| m.max(x.abs()));
        for (x, y) in expected.iter().zip(&found) {
            assert!(x.is_finite(), "the program has a finite derivative");
            worst = worst.max((x - y).abs() / scale);
        }
    }
    worst
}

#[test]
fn derivatives_along_the_tree_equal_those_of_the_program_on_every_model() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models");
    let mut checked = vec![];
    for entry in fs::read_dir(folder).expect("the library") {
        let path = entry.expect("readable").path();
        if path.extension().is_none_or(|e| e != "mbs") {
            continue;
        }
        let name = path.display().to_string();
        let text = fs::read_to_string(&path).expect("readable");
        let model = resolve(parse(&name, &text)).into_model().expect("models are right");
        let Ok((along_tree, _)) = structured_jacobian(&model, &[], false) else { continue };
        let choice = cardan::derive(&model, None).expect("models can be derived");
        let worst = difference(&choice.lowered, &along_tree);
        assert!(worst < 1e-9, "{name}: {worst}");
        checked.push(name);
    }
    assert!(checked.len() >= 8, "trees of the library: {checked:?}");
}
