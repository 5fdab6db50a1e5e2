//! Frequency responses of linear systems and root loci of models.

use std::hint::black_box;

use cardan::analysis::{About, LocusQuestion, RootLocus, Study, free_parameters};
use cardan::control::{FrequencyResponse, Matrix, StateSpace};
use cardan::prelude::*;
use serde_json::{Value, json};

use crate::reading::{model, times, times_and_processor};

fn matrix(value: &Value) -> Matrix {
    let rows: Vec<Vec<f64>> = serde_json::from_value(value.clone()).unwrap_or_else(|e| panic!("{e}"));
    Matrix::from_fn(rows.len(), rows.first().map_or(0, Vec::len), |i, j| rows[i][j])
}

/// A, B, C, D and angular frequencies from a file; the time of all responses, reduction included, and the responses.
pub fn response(file: &str, repetitions: usize) {
    let text = std::fs::read_to_string(file).unwrap_or_else(|e| panic!("{file}: {e}"));
    let data: Value = serde_json::from_str(&text).unwrap_or_else(|e| panic!("{file}: {e}"));
    let [a, b, c, d] = ["A", "B", "C", "D"].map(|name| matrix(&data[name]));
    let omega: Vec<f64> = serde_json::from_value(data["omega"].clone()).unwrap_or_else(|e| panic!("{e}"));
    let system = StateSpace::new(a, b, c, d).unwrap_or_else(|e| panic!("{e}"));
    let answer = || {
        let response = FrequencyResponse::new(&system).unwrap_or_else(|e| panic!("{e}"));
        response.over(&omega).unwrap_or_else(|e| panic!("{e}"))
    };
    let (best, median) = times(repetitions, || {
        black_box(answer());
    });
    let values: Vec<[f64; 2]> = answer().iter().map(|g| [g[(0, 0)].re, g[(0, 0)].im]).collect();
    println!("{}", json!({ "quantity": "response", "best_ns": best, "median_ns": median, "values": values }));
}

/// A root locus with its critical values, from a model that is ready for questions.
pub fn locus(
    file: &str,
    parameter: &str,
    (from, to, n): (f64, f64, usize),
    set: &[&str],
    repetitions: usize,
) {
    let mut model = model(file, false);
    let names = vec![parameter.to_string()];
    let free = free_parameters(&model, &names).unwrap_or_else(|e| panic!("{e}"));
    model.set_parameters(free);
    let compiled = compile_model(&model, Options::default()).unwrap_or_else(|e| panic!("{e}"));
    let mut study = Study::of(&compiled.choice, &names).unwrap_or_else(|e| panic!("{e}"));
    for given in set {
        let (name, value) = given.split_once('=').unwrap_or((given, ""));
        let value: f64 = value.parse().unwrap_or_else(|e| panic!("{given}: {e}"));
        study.set(name, value).unwrap_or_else(|e| panic!("{e}"));
    }
    let values: Vec<f64> = (0..n).map(|k| from + (to - from) * k as f64 / (n - 1) as f64).collect();
    let mut question = || {
        let question =
            LocusQuestion { parameter: parameter.into(), about: About::Start, t: 0.0, keep: vec![] };
        RootLocus::of(&mut study, question, &values).unwrap_or_else(|e| panic!("{e}"))
    };
    let found = question();
    let (best, median, processor) = times_and_processor(repetitions, || {
        black_box(question());
    });
    let critical = found.critical(&mut study).unwrap_or_else(|e| panic!("{e}"));
    let critical: Vec<f64> = critical.iter().map(|c| c.value).collect();
    println!(
        "{}",
        json!({ "quantity": "locus", "best_ns": best, "median_ns": median, "processor_ns": processor, "critical": critical })
    );
}
