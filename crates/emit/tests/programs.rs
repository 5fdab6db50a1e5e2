//! Complete programs in every language reproduce the simulation, closed loops and Euler parameters included.

#![allow(clippy::unwrap_used)] // in tests, a panic is the report

#[path = "../../codegen/tests/common/mod.rs"]
mod common;

use std::path::Path;

use cardan_codegen::{Target, emit_simulation};
use cardan_emit::{Fix, complete};
use cardan_sim::{Choice, EngineKind, ParameterValues, Plan, Settings, Simulation, Trajectory, choose};
use common::tools::{available, folder, numbers, python, run, write};

const MODELS: [&str; 4] = ["pendulum", "heavy-top", "four-bar", "handbook-robot"];

/// A model, its settings for a short motion, and that motion.
fn reference(name: &str) -> (Choice, Settings, Trajectory) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../models/{name}.mbs"));
    let text = std::fs::read_to_string(path).unwrap();
    let model = cardan_lang::compile_text(name, &text).model.unwrap();
    let mut settings = Settings::of(&model, &ParameterValues::of(&model)).unwrap();
    settings.to = settings.from + 0.3;
    settings.every = Some(0.1);
    let choice = choose(&model, None).unwrap();
    let plan = Plan::of(&choice.model, &choice.lowered);
    let simulation = Simulation::new(choice.lowered.program.clone(), plan, EngineKind::Interpreter).unwrap();
    let simulation = simulation.with_loops(choice.loops.as_ref()).unwrap();
    let trajectory = simulation.run(&settings, &mut ()).unwrap();
    (choice, settings, trajectory)
}

fn check(target: Target, build: impl Fn(&Path, &str), command: impl Fn(&str) -> Vec<String>) {
    for name in MODELS {
        let (choice, settings, trajectory) = reference(name);
        let complete = complete(&choice, &settings, &Fix::Nothing).unwrap();
        let path = folder(&format!("program-{}-{name}", target.name()));
        write(&path, &emit_simulation(&complete.program, &complete.simulation, target).unwrap());
        let file = choice.model.name.clone();
        build(&path, &file);
        let command = command(&file);
        run(&path, &command.iter().map(String::as_str).collect::<Vec<_>>());
        let table = std::fs::read_to_string(path.join(format!("{file}.csv"))).unwrap();
        let found: Vec<Vec<f64>> = table.lines().skip(1).map(|l| numbers(&l.replace(',', "\n"))).collect();
        assert_eq!(found.len(), trajectory.rows.len(), "{target:?} {name}");
        let n = 1 + complete.simulation.states.len();
        for (row, expected) in found.iter().zip(trajectory.rows.iter()) {
            for (a, b) in row[..n].iter().zip(&expected[..n]) {
                assert!(
                    (a - b).abs() <= 1e-6 * (1.0 + b.abs()),
                    "{target:?} {name}: {row:?} and {expected:?}"
                );
            }
        }
    }
}

fn words(list: &[&str]) -> Vec<String> {
    list.iter().map(|w| (*w).to_owned()).collect()
}

/// Compiles the library and the main file with all warnings on.
fn compile(path: &Path, flags: &[&str], name: &str, ending: &str, tail: &[&str]) {
    let files = [format!("{name}.{ending}"), format!("{name}_main.{ending}")];
    let files: Vec<&str> = files.iter().map(String::as_str).collect();
    run(path, &[flags, &files, &["-o", "main"], tail].concat());
}

#[test]
fn c() {
    if available("gcc", "gcc") {
        let flags = ["gcc", "-std=c99", "-O1", "-Wall", "-Wextra", "-pedantic", "-Wconversion", "-Werror"];
        check(Target::C, |path, name| compile(path, &flags, name, "c", &["-lm"]), |_| words(&["./main"]));
    }
}

#[test]
fn cpp() {
    if available("g++", "g++") {
        let flags = ["g++", "-std=c++17", "-O1", "-Wall", "-Wextra", "-pedantic", "-Wconversion", "-Werror"];
        check(Target::Cpp, |path, name| compile(path, &flags, name, "cpp", &[]), |_| words(&["./main"]));
    }
}

#[test]
fn rust() {
    if available("rustc", "rustc") {
        let flags = ["rustc", "--edition", "2021", "-O", "-D", "warnings", "-o", "main"];
        let build = |path: &Path, name: &str| {
            run(path, &[&flags[..], &[&format!("{name}_main.rs")]].concat());
        };
        check(Target::Rust, build, |_| words(&["./main"]));
    }
}

#[test]
fn fortran() {
    if available("gfortran", "gfortran") {
        let flags = ["gfortran", "-std=f2008", "-O1", "-Wall", "-Wextra", "-pedantic", "-Werror"];
        check(Target::Fortran, |path, name| compile(path, &flags, name, "f90", &[]), |_| words(&["./main"]));
    }
}

#[test]
fn fortran77() {
    if available("gfortran", "gfortran") {
        let flags = ["gfortran", "-std=legacy", "-ffixed-form", "-O1", "-Wall", "-Wextra", "-Werror"];
        check(Target::Fortran77, |path, name| compile(path, &flags, name, "f", &[]), |_| words(&["./main"]));
    }
}

#[test]
fn numpy() {
    if available(python(), "python3-numpy") {
        let command = |name: &str| words(&[python(), "-B", "-W", "error", &format!("{name}_main.py")]);
        check(Target::Python, |_, _| {}, command);
    }
}

#[test]
fn octave() {
    if available("octave-cli", "octave") {
        let command = |name: &str| {
            words(&["octave-cli", "--no-gui", "--no-init-file", "--quiet", &format!("{name}_main.m")])
        };
        check(Target::Matlab, |_, _| {}, command);
    }
}
