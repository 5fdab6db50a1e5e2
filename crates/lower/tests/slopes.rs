//! Derivatives from the structure of a tree against those of its program, differences, and its mass matrix.

#![allow(clippy::unwrap_used, reason = "a test may fail by panicking")]

use crate::robot;

use cardan_equations::{Formalism, derive, mass_matrix, slopes};
use cardan_lower::{
    columnwise_jacobian, mass_program, simulation_program, state_jacobian, structured_jacobian,
};
use cardan_model::Model;
use cardan_program::derive::Jacobian;
use cardan_program::{Execute, Interpreter, Program};
use cardan_testkit::{Random, TreeOptions, random_tree};

fn run(program: &Program, inputs: &[f64]) -> Vec<f64> {
    let mut outputs = vec![f64::NAN; program.outputs().len()];
    Interpreter::new(program).unwrap().run(program.all_stages(), inputs, &mut outputs).unwrap();
    outputs
}

fn dense(jacobian: &Jacobian, inputs: &[f64], rows: usize, columns: usize) -> Vec<Vec<f64>> {
    let values = run(&jacobian.program, inputs);
    let mut out = vec![vec![0.0; columns]; rows];
    for ((row, column), x) in jacobian.pattern.iter().zip(values) {
        out[*row][*column] = x;
    }
    out
}

fn close(found: f64, expected: f64, scale: f64, tolerance: f64, what: &str) {
    assert!(
        (found - expected).abs() <= tolerance * scale,
        "{what}: {found} instead of {expected}, scale {scale}"
    );
}

/// Whether the model has the structure.
fn check(model: &Model, seed: u64) -> bool {
    if slopes(&model.clone()).is_err() {
        return false;
    }
    let own = model.clone();
    let simulation = simulation_program(&own, &derive(&own, Formalism::Recursive).unwrap()).unwrap();
    let plain = state_jacobian(&simulation).unwrap();
    let (found, layout) = structured_jacobian(model, &[], true).unwrap();
    assert_eq!(layout, simulation.layout.inputs);
    let mut random = Random::new(seed);
    let mut inputs = layout.defaults(simulation.program.inputs().len());
    inputs[layout.coordinates.start..layout.states.end].fill_with(|| random.between(-1.0, 1.0));
    let n = layout.state().len();
    let (n_q, n_u) = (layout.coordinates.len(), layout.speeds.len());
    let expected = dense(&plain, &inputs, n, n);
    let slopes = dense(&found, &inputs, n, n + n_u);
    if model.states.is_empty() {
        let (columns, layout) = columnwise_jacobian(&model.clone(), true).unwrap();
        assert_eq!(layout, simulation.layout.inputs);
        let columns = dense(&columns, &inputs, n, n + n_u);
        let scale = slopes.iter().flatten().fold(1.0f64, |m, x| m.max(x.abs()));
        for (r, c) in (0..n).flat_map(|r| (0..n + n_u).map(move |c| (r, c))) {
            let what = format!("{} (seed {seed}), columns together: row {r}, column {c}", model.name);
            close(columns[r][c], slopes[r][c], scale, 1e-11, &what);
        }
    }
    let rates =
        |inputs: &[f64]| run(&simulation.program, inputs)[simulation.layout.derivatives.clone()].to_vec();
    let size = |rows: &[Vec<f64>]| rows.iter().flatten().fold(1.0f64, |m, x| m.max(x.abs()));
    let scale = size(&expected);
    for c in 0..n {
        let moved = |h: f64| {
            let mut moved = inputs.clone();
            moved[layout.coordinates.start + c] += h;
            rates(&moved)
        };
        let (ahead, behind) = (moved(1e-5), moved(-1e-5));
        for r in 0..n {
            let what = format!("{} (seed {seed}): row {r} of {n_q} + {n_u}, column {c}", model.name);
            close(slopes[r][c], expected[r][c], scale, 1e-9, &what);
            close(slopes[r][c], (ahead[r] - behind[r]) / 2e-5, scale, 1e-6, &what);
        }
    }
    let own = model.clone();
    let mass = mass_program(&own, &mass_matrix(&own, Formalism::Recursive).unwrap(), None).unwrap();
    let mut more = mass.inputs.defaults(mass.program.inputs().len());
    more[..inputs.len()].copy_from_slice(&inputs);
    let triangle = run(&mass.program, &more);
    let entry = |i: usize, j: usize| triangle[i.max(j) * (i.max(j) + 1) / 2 + i.min(j)];
    let inverse: Vec<Vec<f64>> = slopes[n_q..n_q + n_u].iter().map(|row| row[n..].to_vec()).collect();
    let scale = size(&inverse) * triangle.iter().fold(1.0f64, |m, x| m.max(x.abs()));
    for i in 0..n_u {
        for j in 0..n_u {
            let product = (0..n_u).map(|k| inverse[i][k] * entry(k, j)).sum::<f64>();
            close(product, f64::from(u8::from(i == j)), scale, 1e-11, "inverse of the mass matrix");
        }
    }
    true
}

#[test]
fn slopes_of_random_trees_equal_those_of_their_programs() {
    let mut n_checked = 0;
    for seed in 0..60 {
        let options =
            TreeOptions { bodies: 1 + seed as usize % 7, loads: seed % 2 == 0, user_speeds: seed % 3 == 0 };
        n_checked += usize::from(check(&random_tree(seed, options), seed));
    }
    assert!(n_checked >= 20, "{n_checked} of the random trees have the structure");
}

#[test]
fn slopes_of_the_robot_equal_those_of_its_program() {
    let model = robot::robot();
    assert!(check(&model, 1));
}
