//! Every model of the library by every method and every form of its constraints: which motions come to their end, in how many steps, with which
//! energy drift.
//!
//! The snapshot is `tests/costs.txt`; `BLESS=1` writes it anew. Steps are compared exactly, so that a change that makes integration dearer is seen in
//! review; drifts are compared by their decade.

#![allow(clippy::unwrap_used, reason = "what fails fails the test")]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use cardan::assembly::ParameterValues;
use cardan::prelude::*;
use cardan::sim::ConstraintForm;

const METHODS: [Method; 4] = [Method::Dop853, Method::Dopri5, Method::Radau5, Method::Bdf];
const FORMS: [ConstraintForm; 5] = [
    ConstraintForm::Projected,
    ConstraintForm::Stabilised,
    ConstraintForm::Partitioned,
    ConstraintForm::Baumgarte,
    ConstraintForm::Closed,
];
/// More steps than this are too many for any of them.
const MOST_STEPS: u64 = 300_000;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The decade of a drift; what is less than the tolerance of the audit's own digits is one.
fn decade(drift: f64) -> i32 {
    if drift > 1e-12 { drift.log10().ceil() as i32 } else { -12 }
}

/// One line per method and form that a model can be moved by.
fn lines(path: &Path) -> Vec<String> {
    let name = path.file_stem().unwrap().to_string_lossy().into_owned();
    let text = fs::read_to_string(path).unwrap();
    let model = resolve(parse(&name, &text)).into_model().unwrap_or_else(|e| panic!("{e}"));
    let settings = Settings::of(&model, &ParameterValues::of(&model)).unwrap();
    let mut found = vec![];
    for form in FORMS {
        if form != ConstraintForm::Projected && model.constraints.is_empty() {
            continue;
        }
        let compiled = compile_model(&model, Options::default()).unwrap_or_else(|e| panic!("{e}"));
        let Ok(compiled) = compiled.for_constraints(form) else { continue };
        for method in METHODS {
            let settings = Settings { method, constraints: form, max_steps: MOST_STEPS, ..settings.clone() };
            // A form that a model does not have, or a method that a form does not admit, is refused.
            let Ok(run) = compiled.simulation.run(&settings, &mut ()) else { continue };
            if run.statistics.accepted == 0 {
                continue;
            }
            let end = if run.ending == Ending::Finished {
                "whole".to_string()
            } else {
                format!("to {:.4} s: {}", run.reached, run.reason)
            };
            let s = run.statistics;
            found.push(format!(
                "{name:20} {:11} {:7} {:6} steps {:5} rejected  drift 1e{:<3}  {end}",
                form.name(),
                method.to_string(),
                s.accepted,
                s.rejected,
                decade(run.audit.relative()),
            ));
        }
    }
    found
}

#[test]
fn costs_are_those_of_the_snapshot() {
    let mut models: Vec<PathBuf> = fs::read_dir(root().join("models"))
        .unwrap()
        .map(|e| e.unwrap().path())
        .filter(|p| p.extension().is_some_and(|e| e == "mbs"))
        .collect();
    models.sort();
    // Two at a time: one model after the other takes twice as long.
    let (next, found) = (AtomicUsize::new(0), Mutex::new(BTreeMap::new()));
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some((k, model)) =
                    Some(next.fetch_add(1, Ordering::Relaxed)).and_then(|k| Some((k, models.get(k)?)))
                {
                    let lines = lines(model);
                    found.lock().unwrap().insert(k, lines);
                }
            });
        }
    });
    let text: String = found.into_inner().unwrap().into_values().flatten().map(|l| l + "\n").collect();
    let snapshot = root().join("tests/costs.txt");
    if std::env::var_os("BLESS").is_some() {
        fs::write(&snapshot, &text).unwrap();
    }
    let expected = fs::read_to_string(&snapshot).expect("tests/costs.txt; BLESS=1 writes it");
    let gone = expected.lines().filter(|l| !text.lines().any(|t| t == *l)).map(|l| format!("- {l}\n"));
    let new = text.lines().filter(|l| !expected.lines().any(|t| t == *l)).map(|l| format!("+ {l}\n"));
    let changes: String = gone.chain(new).collect();
    assert!(changes.is_empty(), "BLESS=1 accepts the new costs:\n{changes}");
}
