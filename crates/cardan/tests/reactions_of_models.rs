//! Every reaction of every model against Newton and Euler for each body by itself, along the motion of the model.

mod bodies;

use std::fs;
use std::path::{Path, PathBuf};

use bodies::Bodies;
use cardan::prelude::*;
use cardan::sim::ParameterValues;

fn models() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models");
    let entries = fs::read_dir(folder).expect("the folder of models").map(|e| e.expect("readable").path());
    let mut files: Vec<PathBuf> = entries.filter(|p| p.extension().is_some_and(|e| e == "mbs")).collect();
    files.sort();
    files
}

fn read(file: &Path) -> Model {
    let text = fs::read_to_string(file).expect("readable");
    let name = file.file_name().expect("a name").to_string_lossy().into_owned();
    resolve(parse(&name, &text)).into_model().unwrap_or_else(|e| panic!("{name}: {e}"))
}

/// Reactions at several instants, and whether those that are not unique are marked. Says the worst difference, by the largest reaction.
fn check(model: &Model, n_samples: usize) -> f64 {
    let bodies = Bodies::of(model);
    let compiled = compile_model(&bodies.model, Options::default()).unwrap_or_else(|e| panic!("{}: {e}", model.name));
    let mut settings = Settings::of(model, &ParameterValues::of(model)).expect("good settings");
    settings.every = Some(settings.to / n_samples as f64);
    let run = compiled.simulation.run(&settings, &mut ()).unwrap_or_else(|e| panic!("{}: {e}", model.name));
    assert_eq!(run.ending, Ending::Finished, "{}: {}", model.name, run.reason);
    let n_speeds = model.speeds.len();
    let mut worst = 0.0_f64;
    for sample in 0..=n_samples {
        let system = bodies.system(&run, sample).scaled(n_speeds);
        let (x, rank) = system.solve();
        let scale = x[n_speeds..].iter().fold(1e-300, |m: f64, v| m.max(v.abs()));
        for component in &system.components {
            let known: f64 = component.of.iter().map(|(k, factor)| x[*k] * factor).sum();
            // A vector that is nothing is not told.
            let told = run.series(&component.name).map_or(0.0, |s| s[sample]);
            let off = (told - known).abs() / scale;
            assert!(off <= 1e-10, "{}: {} is {told}, balances say {known}, off by {off:e} of {scale} at sample {sample}", model.name, component.name);
            worst = worst.max(off);
        }
        if sample != n_samples / 2 {
            continue;
        }
        let marked = compiled.choice.loops.as_ref().map_or(&[][..], |l| &l.not_unique);
        let n_open = x.len() - rank;
        let n_repeated = compiled.choice.loops.as_ref().map_or(0, |l| l.implied.len() + l.redundant.len());
        assert_eq!(n_open, n_repeated, "{}: one stress per row that says nothing new", model.name);
        for component in system.components.iter().filter(|c| run.series(&c.name).is_some()) {
            let is_unique = n_open == 0 || system.is_unique(component);
            assert_eq!(!is_unique, marked.contains(&component.name), "{}: {}", model.name, component.name);
        }
    }
    worst
}

#[test]
fn reactions_of_all_models_balance_every_body() {
    let mut n_checked = 0;
    for file in models() {
        let model = read(&file);
        let pool = model.space.pool();
        // Where terms are dropped because they are small, bodies are not in balance to the last digit.
        if model.coordinates.iter().any(|(_, q)| pool.small_order(q.symbol) > 0) {
            continue;
        }
        let worst = check(&model, 6);
        println!("{}: {worst:.1e}", model.name);
        n_checked += 1;
    }
    assert!(n_checked >= 18, "{n_checked}");
}
