//! From text to machine code, all formalisms compared, as `cardan run` does it.

use std::hint::black_box;

use cardan::prelude::*;

use crate::reading::{model, times};

pub fn answer(file: &str, repetitions: usize) {
    let (best, median) = times(repetitions, || {
        let model = model(file, false);
        black_box(compile_model(&model, Options::default()).unwrap_or_else(|e| panic!("{e}")));
    });
    println!("{}", serde_json::json!({ "quantity": "compile", "best_ns": best, "median_ns": median }));
}
