//! Stages are pure: no stage adds to the expressions of the model it is given, and what it returns
//! does not depend on what was derived before.

use std::fs;
use std::path::Path;

use cardan::analysis::{Study, verify};
use cardan::assembly::{ParameterValues, assembled, mobility};
use cardan::document::{Style, describe, latex};
use cardan::emit::{Fix, complete};
use cardan::equations::lagrange::partial_counts;
use cardan::lang::write;
use cardan::lower::structured_jacobian;
use cardan::prelude::*;
use cardan_testkit::{Loops, random_mechanism};

/// Models of the library of each kind: trees, loops, rolling, drives, events, small angles.
const MODELS: [&str; 10] = [
    "cart-pole",
    "coaster",
    "door",
    "double-pendulum",
    "four-bar",
    "geneva",
    "rolling-disc",
    "slider-crank",
    "spacecraft-small",
    "whipple-bicycle",
];

fn library(name: &str) -> Model {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../models/{name}.mbs"));
    let text = fs::read_to_string(&path).expect("a model");
    resolve(parse(name, &text)).into_model().expect("models are right")
}

/// Every stage that takes a model, by name.
type Stage = (&'static str, fn(&Model));

const STAGES: [Stage; 12] = [
    ("settings", |m| drop(Settings::of(m, &ParameterValues::of(m)))),
    ("examine", |m| drop(cardan::sim::examine(m))),
    ("assembled", |m| drop(assembled(m))),
    ("mobility", |m| drop(mobility(m))),
    ("derive", |m| drop(cardan::derive(m, None))),
    ("structured_jacobian", |m| drop(structured_jacobian(m, &[], false))),
    ("partial_counts", |m| drop(partial_counts(m))),
    ("write", |m| drop(write(m))),
    ("system", |m| drop(cardan::topology::System::of(m))),
    ("compile_model", |m| drop(compile_model(m, Options::default()))),
    ("study", |m| drop(cardan::study(m, &[]))),
    ("verify", |m| {
        let settings = Settings { to: 0.01, ..Settings::default() };
        let Compiled { choice, simulation, .. } = compile_model(m, Options::default()).expect("it compiles");
        let mut study = Study::of(&choice, &[]).expect("it can be asked");
        let _ = verify(m, &choice, &simulation, &mut study, (&settings, 2), &mut |_| ());
    }),
];

#[test]
fn no_stage_adds_expressions_to_its_model() {
    let mut found = vec![];
    for name in MODELS {
        let model = library(name);
        for (stage, call) in STAGES {
            let before = model.space.pool().len();
            call(&model);
            let after = model.space.pool().len();
            if after != before {
                found.push(format!("{stage} of {name}: {before} expressions became {after}"));
            }
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// The same equations, expression by expression, whatever was derived from the model before.
#[test]
fn a_second_derivation_gives_the_same_equations() {
    let random = (0..10).map(|seed| (format!("random {seed}"), random_mechanism(seed, Loops::Spatial)));
    for (name, model) in MODELS.map(|name| (name.to_string(), library(name))).into_iter().chain(random) {
        for formalism in [Some(Formalism::Kane), Some(Formalism::Recursive), None] {
            let Ok(first) = cardan::derive(&model, formalism) else { continue };
            for other in Formalism::ALL {
                let _ = cardan::derive(&model, Some(other));
            }
            let second = cardan::derive(&model, formalism).expect("it was derived before");
            assert_eq!(first.equations, second.equations, "{name}");
            assert_eq!(first.lowered, second.lowered, "{name}");
            assert_eq!(first.loops, second.loops, "{name}");
        }
    }
}

/// Documents leave the equations that they are made of as they are, and so do complete programs.
#[test]
fn what_is_written_of_equations_is_the_same_again() {
    for name in MODELS {
        let model = library(name);
        let settings = Settings::of(&model, &ParameterValues::of(&model)).expect("good settings");
        let choice = cardan::derive(&model, None).expect("equations");
        let page = || latex(&describe(&choice, Style::Formulas));
        let program = || complete(&choice, &settings, &Fix::Nothing).map(|c| c.program.to_string());
        let before = choice.model.space.pool().len();
        let first = page();
        assert_eq!(choice.model.space.pool().len(), before, "{name}");
        assert_eq!(program().ok(), program().ok(), "{name}");
        assert_eq!(first, page(), "{name}");
    }
}
