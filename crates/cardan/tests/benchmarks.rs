//! Every published value that we claim: the files of `tests/benchmarks`.

use std::fs;
use std::path::{Path, PathBuf};

use cardan::assembly::ParameterValues;
use cardan::prelude::*;
use serde_json::Value;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn text(v: &Value, key: &str) -> Option<String> {
    v.get(key).and_then(Value::as_str).map(ToString::to_string)
}

fn run(case: &Value) -> Trajectory {
    let name = text(case, "model").expect("a case names its model");
    let path = root().join("models").join(&name);
    let source = fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let mut model = resolve(parse(&name, &source)).into_model().expect("models are right");
    for (parameter, value) in case.get("set").and_then(Value::as_object).into_iter().flatten() {
        let (value, dimension) =
            cardan::quantity(value.as_str().expect("values are typed as text")).expect("a quantity");
        model.set_value(parameter, value, dimension).unwrap_or_else(|e| panic!("{name}: {e}"));
    }
    let mut settings = Settings::of(&model, &ParameterValues::of(&model)).expect("models have good settings");
    if let Some(to) = case.get("to").and_then(Value::as_f64) {
        settings.to = to;
    }
    settings.every = case.get("every").and_then(Value::as_f64).or(settings.every);
    let compiled = compile_model(&model, Options::default()).unwrap_or_else(|e| panic!("{name}: {e}"));
    compiled.simulation.run(&settings, &mut ()).expect("the start is right")
}

fn check(file: &Path) {
    let case: Value = serde_json::from_str(&fs::read_to_string(file).expect("readable")).expect("valid JSON");
    let tag = file.file_stem().expect("a name").to_string_lossy().into_owned();
    assert!(text(&case, "source").is_some_and(|s| s.len() > 20), "{tag}: where do the numbers come from?");
    let trajectory = run(&case);
    let mut n_checked = 0;
    for expected in case["expect"].as_array().expect("a list") {
        let (t, tolerance) =
            (expected["t"].as_f64().expect("a time"), expected["tolerance"].as_f64().expect("a tolerance"));
        let times = trajectory.times();
        let k = times
            .iter()
            .position(|x| (x - t).abs() < 1e-9)
            .unwrap_or_else(|| panic!("{tag}: no sample at {t}"));
        for (name, value) in expected["values"].as_object().expect("values by name") {
            let series = trajectory.series(name).unwrap_or_else(|| panic!("{tag}: no result called {name}"));
            let value = value.as_f64().expect("a number");
            assert!(
                (series[k] - value).abs() <= tolerance,
                "{tag}: {name} at {t} s is {}, expected {value} within {tolerance}",
                series[k]
            );
            n_checked += 1;
        }
    }
    if let Some(limit) = case.get("energy").and_then(Value::as_f64) {
        let relative = trajectory.audit.relative();
        assert!(relative <= limit, "{tag}: energy balance off by {relative:e}, allowed {limit:e}");
        n_checked += 1;
    }
    assert!(n_checked > 0, "{tag} expects nothing");
}

#[test]
fn published_values_are_reproduced() {
    let folder = root().join("tests/benchmarks");
    let mut files: Vec<PathBuf> = fs::read_dir(folder)
        .expect("the folder of published values")
        .map(|entry| entry.expect("readable").path())
        .filter(|p| p.extension().is_some_and(|e| e == "json"))
        .collect();
    files.sort();
    assert!(files.len() >= 7);
    files.iter().for_each(|f| check(f));
}
