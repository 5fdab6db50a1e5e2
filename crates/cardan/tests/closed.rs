//! Loops in closed form against the other forms of the constraints.

use cardan::equations::closed::candidates;
use cardan::prelude::*;
use cardan::sim::{ConstraintForm, ParameterValues, Trajectory, closed_form};

fn model(name: &str) -> Model {
    let path = format!("{}/../../models/{name}.mbs", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(path).expect("a model of the library");
    resolve(parse(name, &text)).into_model().expect("a model")
}

fn text(text: &str) -> Model {
    resolve(parse("linkage", text)).into_model().unwrap_or_else(|e| panic!("{e}\n{text}"))
}

fn run(model: &Model, form: ConstraintForm, change: impl FnOnce(Settings) -> Settings) -> Trajectory {
    let settings = Settings::of(model, &ParameterValues::of(model)).expect("settings");
    let settings = change(Settings { constraints: form, ..settings });
    let compiled = cardan::compile_model(model, Options::default()).and_then(|c| c.for_constraints(form));
    let compiled = compiled.unwrap_or_else(|e| panic!("{e}"));
    compiled.simulation.run(&settings, &mut ()).unwrap_or_else(|e| panic!("{}: {e}", model.name))
}

/// The largest difference of any column but energies, as a part of its size.
fn difference(a: &Trajectory, b: &Trajectory) -> (f64, String) {
    assert_eq!(a.rows.len(), b.rows.len());
    let mut worst = (0.0, String::new());
    for (k, column) in a.columns.iter().enumerate() {
        if column.name.starts_with("energy.residual") {
            continue;
        }
        let (x, y) = (a.rows.column(k), b.rows.column(k));
        let size = x.iter().fold(1.0f64, |m, x| m.max(x.abs()));
        let apart = x.iter().zip(&y).fold(0.0f64, |m, (x, y)| m.max((x - y).abs())) / size;
        if apart > worst.0 || apart.is_nan() {
            worst = (apart, column.name.clone());
        }
    }
    worst
}

#[test]
fn the_library_moves_the_same_in_closed_form() {
    for name in ["four-bar", "slider-crank", "squeezer"] {
        let m = model(name);
        let tight = |s: Settings| Settings { rtol: 1e-12, atol: 1e-14, ..s };
        let closed = run(&m, ConstraintForm::Closed, tight);
        let projected = run(&m, ConstraintForm::Projected, tight);
        assert_eq!(closed.reached, projected.reached, "{name}: {}", closed.reason);
        let (apart, column) = difference(&closed, &projected);
        println!("{name}: {apart:.1e} in {column}; {:?} against {:?}; open {:?}; {:?}", closed.statistics, projected.statistics, closed.left_open, closed.handovers);
        assert!(apart < 1e-9, "{name}: {column} differs by {apart:.1e}");
        let (position, velocity) = closed.left_open.expect("loops");
        assert!(position < 1e-13 && velocity < 1e-10, "{name}: open by {position:.1e}, {velocity:.1e}");
    }
}
