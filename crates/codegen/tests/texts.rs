//! What generated files look like, and that all languages say the same.

#![allow(clippy::unwrap_used)] // in tests, a panic is the report

use crate::common;

use std::path::Path;

use cardan_base::Id;
use cardan_codegen::{
    Argument, Contents, EmitError, FunctionSpec, Library, Results, SourceFile, Target, Work, emit, interface,
};
use cardan_program::passes::{Options, optimize};
use cardan_program::testing::{Flavour, Shape, random_program};
use cardan_program::{InputId, OutputId, Program, StageId, Stages, count};
use common::cases::{pendulum, pendulum_library};

/// `BLESS=1` accepts what is generated now.
#[test]
fn the_pendulum_in_every_language() {
    let program = pendulum();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/snapshots");
    let bless = std::env::var("BLESS").is_ok_and(|v| v == "1");
    for (target, name) in Target::ALL {
        for file in emit(&program, &pendulum_library(&program), target).unwrap() {
            let Contents::Text(text) = &file.contents else { continue };
            let path = folder.join(name).join(&file.name);
            if bless {
                std::fs::create_dir_all(path.parent().unwrap()).unwrap();
                std::fs::write(&path, text).unwrap();
            }
            let known = std::fs::read_to_string(&path).unwrap_or_default();
            let differs = known.lines().zip(text.lines()).find(|(a, b)| a != b);
            assert_eq!(differs, None, "{} has changed; look, then BLESS=1", path.display());
            assert_eq!(known.len(), text.len(), "{} has changed; look, then BLESS=1", path.display());
        }
    }
}

fn texts(files: &[SourceFile]) -> String {
    files.iter().map(|f| String::from_utf8_lossy(f.bytes()).into_owned()).collect()
}

#[test]
fn generation_is_repeatable() {
    let shape =
        Shape { flavour: Flavour::Everything, n_values: 300, n_inputs: 8, n_outputs: 20, n_stages: 3 };
    let program = random_program(5, &shape);
    for (target, _) in Target::ALL {
        let library = Library::by_stage(&program);
        assert_eq!(emit(&program, &library, target).unwrap(), emit(&program, &library, target).unwrap());
    }
}

#[test]
fn every_language_states_the_same_operation_counts() {
    let program = pendulum();
    for (target, name) in Target::ALL {
        let text = texts(&emit(&program, &pendulum_library(&program), target).unwrap()).to_lowercase();
        // Fixed form folds long comments.
        let text = text.split_whitespace().filter(|w| *w != "c").collect::<Vec<_>>().join(" ");
        for line in ["setup: 5 mul", "derivatives: 2 mul + 3 add + 1 div + 2 trig + 2 compare"] {
            assert!(text.contains(line), "{name} lacks `{line}`");
        }
    }
}

#[test]
fn every_operation_is_written_once() {
    for seed in 0..20 {
        let shape =
            Shape { flavour: Flavour::Arithmetic, n_values: 400, n_inputs: 8, n_outputs: 30, n_stages: 1 };
        let program = optimize(&random_program(seed, &shape), Options::default());
        let counts = count(&program, program.all_stages());
        for (target, comment) in [(Target::C, "//"), (Target::Fortran, "!"), (Target::Matlab, "%")] {
            let files = emit(&program, &Library::whole(&program), target).unwrap();
            let text = texts(&files[files.len() - 1..]);
            let code: String = text.lines().map(|l| l.split(comment).next().unwrap_or("")).collect();
            let found = |sign: &str| code.matches(sign).count() as u64;
            assert_eq!(found("*"), counts.mul, "{target:?} {seed}");
            assert_eq!(found("/"), counts.div, "{target:?} {seed}");
            assert_eq!(found("sin(") + found("cos("), counts.trig, "{target:?} {seed}");
            assert_eq!(found(" + ") + found(" - "), counts.add, "{target:?} {seed}");
        }
    }
}

fn function(name: &str, stages: Stages, inputs: &[usize], outputs: &[usize]) -> FunctionSpec {
    FunctionSpec {
        name: name.into(),
        doc: String::new(),
        stages,
        arguments: vec![Argument::array("x", inputs.iter().map(|i| InputId::from_index(*i)).collect(), "")],
        results: vec![Results::new("y", outputs.iter().map(|o| OutputId::from_index(*o)).collect(), "")],
    }
}

fn library(functions: Vec<FunctionSpec>) -> Library {
    Library { name: "l".into(), version: String::new(), doc: String::new(), functions, provided: vec![] }
}

fn stage(index: usize) -> Stages {
    StageId::from_index(index).into()
}

fn refused(program: &Program, functions: Vec<FunctionSpec>) -> EmitError {
    emit(program, &library(functions), Target::C).unwrap_err()
}

#[test]
fn impossible_libraries_are_refused() {
    // Inputs: m, L, g, k.stop, t, θ, der(θ); outputs: start, two derivatives, energy, stop, hit.
    let p = pendulum();
    let all = Stages { first: StageId::from_index(0), last: StageId::from_index(2) };
    let everything = [0, 1, 2, 3, 4, 5, 6];
    assert_eq!(refused(&p, vec![]), EmitError::NoFunctions);
    let twice = vec![function("f", all, &everything, &[0]), function("f", all, &everything, &[1])];
    assert_eq!(refused(&p, twice), EmitError::DuplicateFunction("f".into()));
    assert_eq!(refused(&p, vec![function("f", stage(3), &[], &[])]), EmitError::NoSuchStages("f".into()));
    assert_eq!(refused(&p, vec![function("f", all, &[7], &[])]), EmitError::NoSuchNumber("f".into()));
    assert_eq!(refused(&p, vec![function("f", all, &[], &[6])]), EmitError::NoSuchNumber("f".into()));
    assert_eq!(
        refused(&p, vec![function("f", stage(0), &everything, &[2])]).to_string(),
        "function `f` ends before the stage that computes `der(der(θ))`"
    );
    assert_eq!(
        refused(&p, vec![function("f", all, &[0, 1, 2, 3, 5, 6], &[2])]).to_string(),
        "function `f` needs the input `t`, but no argument provides it"
    );
    assert!(matches!(
        refused(&p, vec![function("f", stage(1), &everything, &[2])]),
        EmitError::NotComputed { .. }
    ));
}

#[test]
fn inputs_and_values_travel_in_the_work_array() {
    let p = pendulum();
    let setup = function("setup", stage(0), &[0, 1, 2, 3], &[]);
    let motion = function("motion", stage(1), &[4, 5, 6], &[2]);
    let face = interface(&p, &library(vec![setup.clone(), motion])).unwrap();
    // Kept: the parameter k.stop, the inertia, the moment of the weight.
    assert_eq!((face.n_work, face.functions), (3, vec![Work::Written, Work::Read]));
    let alone = interface(&p, &library(vec![setup])).unwrap();
    assert_eq!((alone.n_work, alone.functions), (0, vec![Work::Absent]));
}
