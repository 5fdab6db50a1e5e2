//! Closed loops by every implicit method and in both forms of the constraints.

use std::path::Path;

use cardan::prelude::*;
use cardan::sim::{ConstraintForm, ParameterValues, Verdict};
use cardan::solve::Method;

fn library(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models").join(name);
    std::fs::read_to_string(path).expect("a model of the library")
}

fn prepared(text: &str) -> (Compiled, Settings) {
    let model = resolve(parse("loops.mbs", text)).into_model().unwrap_or_else(|e| panic!("{e}"));
    let compiled = compile_model(&model, Options::default())
        .and_then(|c| c.for_constraints(ConstraintForm::Stabilised))
        .unwrap_or_else(|e| panic!("{e}"));
    let settings = Settings::of(&model, &ParameterValues::of(&model)).expect("good settings");
    (compiled, settings)
}

const WAYS: [(Method, ConstraintForm); 4] = [
    (Method::Radau5, ConstraintForm::Projected),
    (Method::Bdf, ConstraintForm::Projected),
    (Method::Radau5, ConstraintForm::Stabilised),
    (Method::Bdf, ConstraintForm::Stabilised),
];

/// β at 0.03 s in quadruple precision; rounding of the handbook's data is not in it.
#[test]
fn the_squeezer_arrives_where_it_is_known_to() {
    let (compiled, settings) = prepared(&library("squeezer.mbs"));
    for (method, constraints) in WAYS {
        let settings = Settings { method, constraints, rtol: 1e-9, atol: 1e-9, ..settings.clone() };
        let run = compiled.simulation.run(&settings, &mut ()).expect("it starts");
        let beta = run.last("beta").expect("a coordinate");
        let way = format!("{method} {}", constraints.name());
        assert!((beta - 15.810771195153707).abs() < 1e-6, "{way}: {beta} {}", run.reason);
        let (position, velocity) = run.left_open.expect("a model with loops");
        assert!(position < 1e-14 && velocity < 1e-12, "{way}: {position:e} {velocity:e}");
        assert!(run.audit.relative() < 1e-6, "{way}: {}", run.audit);
    }
}
