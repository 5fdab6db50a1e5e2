//! Reading texts and writing results.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use crate::outcome::Problem;

/// The largest text that is read, in bytes.
const MAX_TEXT: u64 = 64 << 20;

/// What this command reads, by its place on disk: a slip in the name of a result must not cost the model.
static READ: Mutex<Vec<PathBuf>> = Mutex::new(vec![]);

/// Keeps a file that is read from being written over.
pub fn protect(path: &Path) {
    if let Ok(place) = path.canonicalize() {
        READ.lock().expect("nothing panics while the list is held").push(place);
    }
}

/// Refuses to write where something is that the command reads.
pub fn spare(path: &Path) -> Result<(), Problem> {
    let read = READ.lock().expect("nothing panics while the list is held");
    if !path.canonicalize().is_ok_and(|place| read.contains(&place)) {
        return Ok(());
    }
    let said = format!("{} is read by this command, and would be written over by its result", path.display());
    Err(Problem::usage(said).hint("name another file or folder for the result"))
}

/// The whole text of a file.
pub fn read(path: &Path) -> Result<String, Problem> {
    let size = fs::metadata(path).map_err(|e| missing(path, &e))?;
    if size.is_dir() {
        return Err(Problem::wrong(format!("{} is a folder, not a model text", path.display())));
    }
    if size.len() > MAX_TEXT {
        return Err(Problem::wrong(format!("{} is larger than 64 MiB", path.display())));
    }
    let bytes = fs::read(path).map_err(|e| missing(path, &e))?;
    protect(path);
    String::from_utf8(bytes).map_err(|error| {
        let problem = Problem::wrong(format!("{} is not UTF-8 text", path.display()));
        let sixteen = matches!(error.as_bytes(), [0xff, 0xfe, ..] | [0xfe, 0xff, ..]);
        let kind = if sixteen { "it is UTF-16" } else { "it is of another encoding" };
        problem.hint(format!("{kind}; save it as UTF-8 in the editor"))
    })
}

fn missing(path: &Path, error: &std::io::Error) -> Problem {
    let problem = Problem::file("read", path, error);
    let with_ending = path.with_extension("mbs");
    if path.extension().is_none() && with_ending.exists() {
        return problem.hint(format!("is {} meant?", with_ending.display()));
    }
    problem
}

/// Writes a file at once: it is complete or as it was before. What the command reads is not written over.
pub fn write(path: &Path, bytes: &[u8]) -> Result<(), Problem> {
    spare(path)?;
    spare(&unfinished(path))?;
    rewrite(path, bytes)
}

/// Where a file is written until it is complete.
fn unfinished(path: &Path) -> PathBuf {
    let mut beside = path.as_os_str().to_owned();
    beside.push(".part");
    PathBuf::from(beside)
}

/// Writes a file at once, even one that was read.
pub fn rewrite(path: &Path, bytes: &[u8]) -> Result<(), Problem> {
    let failed =
        |e: &std::io::Error| Problem { outcome: crate::Outcome::Failed, ..Problem::file("written", path, e) };
    let beside = unfinished(path);
    let written = fs::File::create(&beside).and_then(|mut f| f.write_all(bytes));
    written.and_then(|()| fs::rename(&beside, path)).map_err(|e| {
        // What is not complete is of no use.
        let _ = fs::remove_file(&beside);
        failed(&e)
    })
}

/// Makes a folder and those above it.
pub fn make_folder(path: &Path) -> Result<(), Problem> {
    fs::create_dir_all(path)
        .map_err(|e| Problem { outcome: crate::Outcome::Failed, ..Problem::file("made", path, &e) })
}

/// The folders on the way to this one, itself first, that do not exist yet.
pub fn missing_folders(path: &Path) -> Vec<PathBuf> {
    path.ancestors()
        .filter(|p| !p.as_os_str().is_empty())
        .take_while(|p| !p.exists())
        .map(Path::to_owned)
        .collect()
}

/// Takes folders away again in which nothing was left, the innermost first.
pub fn unmake_folders(made: &[PathBuf]) {
    made.iter().take_while(|folder| fs::remove_dir(folder).is_ok()).for_each(drop);
}

/// A number in a file: the shortest digits that give it back, with an exponent where it is very small or large.
pub fn digits(value: f64) -> String {
    format!("{value:?}")
}

/// A time in a file. A multiple of an interval such as 3·0.3 is a rounding away from 0.9, which is what is meant and printed; any other
/// time has all its digits.
pub fn time_digits(t: f64) -> String {
    let exact = digits(t);
    let rounded = format!("{t:.14e}").parse().map_or_else(|_| exact.clone(), digits);
    if rounded.len() + 3 < exact.len() { rounded } else { exact }
}

#[cfg(test)]
mod tests {
    use super::time_digits;

    #[test]
    fn multiples_of_an_interval_are_short_and_other_times_exact() {
        for k in 0..100_000_u32 {
            let text = time_digits(f64::from(k) * 0.3);
            let (tens, tenths) = (3 * k / 10, 3 * k % 10);
            assert_eq!(text, format!("{tens}.{tenths}"));
        }
        for t in [0.1 + 0.2 * std::f64::consts::FRAC_1_SQRT_2, 1.0 / 3.0, 12.345_678_901_234_567, f64::NAN] {
            assert_eq!(time_digits(t), format!("{t:?}"));
        }
    }
}
