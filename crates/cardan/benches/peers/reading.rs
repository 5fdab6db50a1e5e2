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

/// Processor time of this process so far with all its threads, also those that have ended, in nanoseconds; nothing where the system does not say. It is
/// counted in hundredths of a second.
fn processor() -> Option<f64> {
    let said = std::fs::read_to_string("/proc/self/stat").ok()?;
    // The name of the program, in brackets, may contain anything; the times are the 12th and 13th field after it.
    let fields: Vec<&str> = said.rsplit_once(')')?.1.split_whitespace().collect();
    let ticks = |k: usize| fields.get(k)?.parse::<f64>().ok();
    Some(1e7 * (ticks(11)? + ticks(12)?))
}

/// Times of repetitions, and the mean processor time of one: waiting for a busy processor is not in it.
pub fn times_and_processor(repetitions: usize, call: impl FnMut()) -> (f64, f64, Option<f64>) {
    let before = processor();
    let (best, median) = times(repetitions, call);
    let spent = before.zip(processor()).map(|(before, after)| (after - before) / repetitions.max(1) as f64);
    (best, median, spent)
}
