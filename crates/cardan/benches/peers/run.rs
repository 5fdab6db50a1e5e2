//! One motion: time of the integration alone, and the state at the end.

use cardan::assembly::ParameterValues;
use cardan::prelude::*;
use cardan::sim::settings::{ConstraintForm, method_named};
use serde_json::{Map, Value, json};

use crate::reading::{model, times};

pub fn answer(file: &str, to: &str, method: &str, rtol: &str, repetitions: usize) {
    let model = model(file, false);
    let number = |word: &str| word.parse::<f64>().unwrap_or_else(|e| panic!("{word}: {e}"));
    let mut settings = Settings::of(&model, &ParameterValues::of(&model)).unwrap_or_else(|e| panic!("{e}"));
    settings.to = number(to);
    settings.every = Some(settings.to - settings.from);
    settings.rtol = number(rtol);
    settings.atol = settings.rtol;
    let (method, form) = method.split_once('/').unwrap_or((method, "projected"));
    settings.method = method_named(method).unwrap_or_else(|| panic!("no method {method}"));
    settings.constraints =
        ConstraintForm::named(form).unwrap_or_else(|| panic!("constraints are never {form}"));
    let compiled = compile_model(&model, Options::default()).unwrap_or_else(|e| panic!("{e}"));
    let compiled = compiled.for_constraints(settings.constraints).unwrap_or_else(|e| panic!("{e}"));
    let mut last = None;
    let (best, median) = times(repetitions, || {
        last = Some(compiled.simulation.run(&settings, &mut ()).unwrap_or_else(|e| panic!("{e}")));
    });
    let Some(t) = last else { return };
    let row = t.rows.iter().next_back().map_or(vec![], |r| r.to_vec());
    let end: Map<String, Value> =
        t.columns.iter().zip(row).map(|(c, x)| (c.name.clone(), json!(x))).collect();
    println!(
        "{}",
        json!({
            "quantity": "run", "best_ns": best, "median_ns": median, "end": end, "ending": t.ending.to_string(),
            "steps": t.statistics.accepted, "evaluations": t.statistics.evaluations,
        })
    );
}
