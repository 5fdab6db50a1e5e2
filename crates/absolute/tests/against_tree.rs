//! Motions of library models in absolute coordinates against the tree.

use cardan::prelude::*;
use cardan_absolute::Absolute;

fn model(text: &str) -> Model {
    cardan::resolve(cardan::parse("test.mbs", text)).into_model().expect("a model")
}

fn library(name: &str) -> String {
    let path = format!("{}/../../models/{name}.mbs", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(path).expect("a model of the library")
}

/// Both motions, and the largest difference over all coordinates, speeds and outputs.
fn difference(text: &str, to: f64) -> f64 {
    let model = model(text);
    let settings = Settings { to, every: Some(to / 10.0), ..Settings::default() };
    let tree = cardan::compile_model(&model, Options::default()).expect("equations").simulate(&settings);
    let tree = tree.expect("a motion").into_trajectory();
    let mut absolute = Absolute::of(&model, 0.0).expect("absolute coordinates");
    let own = absolute.run(&settings, &mut ()).expect("a motion");
    assert_eq!(own.ending, Ending::Finished, "{}", own.reason);
    assert_eq!(tree.rows.len(), own.rows.len());
    let mut worst: f64 = 0.0;
    for (k, column) in tree.columns.iter().enumerate() {
        if column.name == "energy.residual" {
            continue;
        }
        let Some(own_column) = own.index_of(&column.name) else { panic!("no column {}", column.name) };
        for (a, b) in tree.rows.iter().zip(own.rows.iter()) {
            let (x, y) = (a[k], b[own_column]);
            let gap = (x - y).abs() / (1.0 + x.abs());
            if gap > 1e-6 || gap.is_nan() {
                panic!("{} at t = {}: {x} and {y}", column.name, a[0]);
            }
            worst = worst.max(gap);
        }
    }
    assert!(own.audit.relative() < 1e-8, "{}", own.audit);
    worst
}

#[test]
fn double_pendulum() {
    assert!(difference(&library("double-pendulum"), 1.0) < 1e-8);
}

#[test]
fn four_bar() {
    assert!(difference(&library("four-bar"), 1.0) < 1e-8);
}

#[test]
fn slider_crank() {
    assert!(difference(&library("slider-crank"), 1.0) < 1e-8);
}
