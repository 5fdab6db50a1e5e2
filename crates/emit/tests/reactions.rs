//! Reactions in generated functions: they explain the accelerations, and where constraints repeat one another none is larger
//! than it must be.

#![allow(clippy::unwrap_used)] // in tests, a panic is the report

use std::path::Path;

use cardan_base::Id;
use cardan_emit::{Fix, Functions, Question, Request, functions};
use cardan_lang::compile_text;
use cardan_program::{Execute, Interpreter};
use cardan_sim::choose;
use cardan_solve::linear::{Matrix, least_norm};

/// A plate on three parallel cranks: the third says nothing that the other two do not say.
const CRANKS: &str = "model cranks \"A plate on three parallel cranks\"
gravity = -9.81 [m/s^2] * N.y
body left on N by rotate(z = a) { mass = 1 [kg]; inertia = (0, 0.1, 0.1) [kg*m^2]; center = (0.5, 0, 0) [m]; point tip = (1, 0, 0) [m] }
body plate on left by rotate(z = b) at (1, 0, 0) [m] {
  mass = 5 [kg]; inertia = (0.1, 1, 1) [kg*m^2]; center = (1, 0.1, 0) [m]
  point middle = (1, 0, 0) [m]
  point right = (2, 0, 0) [m]
}
body second on N by rotate(z = c) at (1, 0, 0) [m] { mass = 1 [kg]; inertia = (0, 0.1, 0.1) [kg*m^2]; center = (0.5, 0, 0) [m]; point tip = (1, 0, 0) [m] }
body third on N by rotate(z = d) at (2, 0, 0) [m] { mass = 1 [kg]; inertia = (0, 0.1, 0.1) [kg*m^2]; center = (0.5, 0, 0) [m]; point tip = (1, 0, 0) [m] }
joint two = revolute(plate.middle, second.tip, axis = z)
joint three = revolute(plate.right, third.tip, axis = z)
start { a = 40 [deg]; b = -40 [deg]; c = 40 [deg]; d = 40 [deg] }
simulate { to = 1 [s] }";

/// Results of a function by name of the function and of the array, with their labels.
fn results(f: &Functions, values: &[f64], function: &str, array: &str) -> Vec<(String, f64)> {
    let function = f.library.functions.iter().find(|g| g.name == function).unwrap();
    let array = function.results.iter().find(|r| r.name == array).unwrap();
    let one = |o: &cardan_program::OutputId| (f.program.outputs()[*o].label.name.clone(), values[o.index()]);
    array.outputs.iter().map(one).collect()
}

/// M du/dt = f + G^T r with all rows, and r is the shortest that does it. Gives how many rows repeat others.
fn check(name: &str, text: &str) -> usize {
    let model = compile_text(name, text).model.unwrap();
    let choice = choose(&model, None).unwrap();
    if choice.equations.augmented.is_none() {
        return 0;
    }
    let questions = vec![Question::Derivatives, Question::Mass, Question::Residuals, Question::Reactions];
    let request = Request { questions, by: vec![], fix: Fix::Nothing };
    let f = functions(&choice, &request).unwrap();
    let settings = cardan_sim::Settings::of(&model, &cardan_sim::ParameterValues::of(&model)).unwrap();
    let complete = cardan_emit::complete(&choice, &settings, &Fix::Nothing).unwrap();
    let start = complete.simulation.states.iter().map(|s| match s.start {
        cardan_codegen::Start::Value(x) => x,
        cardan_codegen::Start::Output(_) => panic!("the loops of {name} are closed before"),
    });
    let layout = &choice.lowered.layout.inputs;
    let mut inputs = layout.defaults(f.program.inputs().len());
    inputs.resize(f.program.inputs().len(), 0.0);
    inputs[layout.time.index()] = settings.from;
    let first = layout.coordinates.start;
    let state: Vec<f64> = start.collect();
    inputs[first..first + state.len()].copy_from_slice(&state);
    let mut y = vec![0.0; f.program.outputs().len()];
    Interpreter::new(&f.program).unwrap().run(f.program.all_stages(), &inputs, &mut y).unwrap();

    let n = model.speeds.len();
    let nq = model.coordinates.len();
    let du: Vec<f64> = results(&f, &y, "derivatives", "dx")[nq..nq + n].iter().map(|r| r.1).collect();
    let mut force: Vec<f64> = results(&f, &y, "mass_matrix", "f").iter().map(|r| -r.1).collect();
    let triangle = results(&f, &y, "mass_matrix", "m");
    for i in 0..n {
        for j in 0..=i {
            let m = triangle[i * (i + 1) / 2 + j].1;
            force[i] += m * du[j];
            if i != j {
                force[j] += m * du[i];
            }
        }
    }
    let r: Vec<f64> = results(&f, &y, "reactions", "r").iter().map(|r| r.1).collect();
    let gaps = results(&f, &y, "residuals", "v");
    assert_eq!(r.len(), gaps.len(), "{name}");
    let mut g = Matrix::zeros(n, r.len());
    for (label, value) in results(&f, &y, "residuals", "gu") {
        let place: Vec<usize> =
            label.split(|c: char| !c.is_ascii_digit()).filter_map(|n| n.parse().ok()).collect();
        g[(place[1] - 1, place[0] - 1)] = value;
    }
    let size = force.iter().chain(&r).fold(1.0, |a: f64, b| a.max(b.abs()));
    for i in 0..n {
        let found: f64 = (0..r.len()).map(|k| g[(i, k)] * r[k]).sum();
        assert!((found - force[i]).abs() < 1e-9 * size, "{name}: {found} instead of {}", force[i]);
    }
    let shortest = least_norm(&g, &force, 1e-9).unwrap();
    for (a, b) in r.iter().zip(&shortest.x) {
        assert!((a - b).abs() < 1e-7 * size, "{name}: {r:?} instead of {:?}", shortest.x);
    }
    choice.equations.constraints.repeated.len()
}

#[test]
fn models_of_the_library() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models");
    let mut n_loops = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|e| e == "mbs") {
            let name = path.file_stem().unwrap().to_string_lossy().into_owned();
            check(&name, &std::fs::read_to_string(&path).unwrap());
            n_loops += 1;
        }
    }
    assert!(n_loops > 5);
}

#[test]
fn rows_that_repeat_others_share_the_load() {
    assert!(check("cranks", CRANKS) > 0);
}
