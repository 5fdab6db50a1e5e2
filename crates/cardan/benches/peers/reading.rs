//! Models from files, and times of repetitions.

use std::path::Path;
use std::time::Instant;

use cardan::import::ImportOptions;
use cardan::prelude::*;

/// A model from a file of any kind.
pub fn model(file: &str, free: bool) -> Model {
    read(file, free, &ImportOptions::default())
}

/// The same with every angle and length as written.
pub fn exact_model(file: &str, free: bool) -> Model {
    read(file, free, &ImportOptions { snap_angles: None, snap_lengths: None, ..ImportOptions::default() })
}

fn read(file: &str, free: bool, options: &ImportOptions) -> Model {
    let text = std::fs::read_to_string(file).unwrap_or_else(|e| panic!("{file}: {e}"));
    if file.ends_with(".mbs") {
        return resolve(parse(file, &text)).into_model().unwrap_or_else(|e| panic!("{e}"));
    }
    let folder = Path::new(file).parent().unwrap_or(Path::new(""));
    let options = ImportOptions { free_base: free, loops: true, ..options.clone() };
    let mut read = |path: &str| std::fs::read_to_string(folder.join(path)).ok();
    let resolved = cardan::import_text(file, &text, &mut read, &options);
    resolved.into_model().unwrap_or_else(|e| panic!("{e}"))
}

/// Best and median of the times of `repetitions` calls, in nanoseconds.
pub fn times(repetitions: usize, mut call: impl FnMut()) -> (f64, f64) {
    let mut times: Vec<f64> = (0..repetitions.max(1))
        .map(|_| {
            let start = Instant::now();
            call();
            1e9 * start.elapsed().as_secs_f64()
        })
        .collect();
    times.sort_by(f64::total_cmp);
    (times[0], times[times.len() / 2])
}
