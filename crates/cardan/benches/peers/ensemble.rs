//! Many motions that differ in where they start, with fixed steps or to a tolerance.

use std::sync::Mutex;

use cardan::compile::vary;
use cardan::prelude::*;
use cardan::sim::Ensemble;

use crate::reading::{model, times};

/// The starts are the lines of a file, one value per coordinate, then one per speed; the coordinates at the end are written to another. The step is a
/// number, or a relative tolerance after `rtol=`.
#[allow(clippy::too_many_arguments, reason = "the words of the command")]
pub fn answer(
    file: &str,
    starts: &str,
    step: &str,
    to: &str,
    threads: usize,
    repetitions: usize,
    ends: &str,
    lanes: Option<usize>,
) {
    let number = |word: &str| word.parse::<f64>().unwrap_or_else(|e| panic!("{word}: {e}"));
    let text = std::fs::read_to_string(starts).unwrap_or_else(|e| panic!("{starts}: {e}"));
    let members: Vec<Vec<f64>> = text.lines().map(|l| l.split_whitespace().map(number).collect()).collect();
    let mut model = model(file, false);
    let names: Vec<String> = model.coordinates.iter().map(|(_, q)| q.quantity.name.clone()).collect();
    let speeds: Vec<String> = model.speeds.iter().map(|(_, u)| u.quantity.name.clone()).collect();
    let mut varied: Vec<String> = vec![];
    for name in names.iter().chain(&speeds) {
        let free;
        (model, free) = vary(model, name).unwrap_or_else(|e| panic!("{e}"));
        varied.push(free.parameter);
    }
    let compiled = compile_model(&model, Options::default()).unwrap_or_else(|e| panic!("{e}"));
    let mut ensemble = Ensemble::new(compiled.simulation, &varied).expect("starts are parameters");
    if let Some(lanes) = lanes {
        ensemble = ensemble.in_lanes(lanes);
    }
    let mut settings =
        Settings { to: number(to), every: Some(number(to)), max_frames: 1, ..Settings::default() };
    match step.strip_prefix("rtol=") {
        Some(tolerance) => {
            settings.rtol = number(tolerance);
            settings.atol = 1e-2 * settings.rtol;
        }
        None => {
            settings.method = Method::Rk4;
            settings.step = Some(number(step));
        }
    }
    let width = ensemble.columns().len();
    let found = Mutex::new(vec![vec![]; members.len()]);
    let (best, median) = times(repetitions, || {
        let todo = Mutex::new(members.iter().cloned().enumerate());
        std::thread::scope(|scope| {
            for _ in 0..threads {
                scope.spawn(|| {
                    let mut next = std::iter::from_fn(|| todo.lock().expect("no thread panics").next());
                    ensemble.follow(&mut next, &settings, &mut |k, followed| {
                        let last =
                            followed.samples[followed.samples.len() - width + 1..][..names.len()].to_vec();
                        found.lock().expect("no thread panics")[k] = last;
                        true
                    });
                });
            }
        });
    });
    let rows = found.into_inner().expect("no thread panics");
    let line = |row: &Vec<f64>| row.iter().map(|x| format!("{x:?}")).collect::<Vec<_>>().join(" ") + "\n";
    std::fs::write(ends, rows.iter().map(line).collect::<String>()).unwrap_or_else(|e| panic!("{ends}: {e}"));
    let lanes = ensemble.at_a_time(&settings);
    println!(
        "{}",
        serde_json::json!({ "quantity": "ensemble", "best_ns": best, "median_ns": median, "lanes": lanes })
    );
}
