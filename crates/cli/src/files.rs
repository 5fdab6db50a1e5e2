//! Reading texts and writing results.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use crate::outcome::Problem;

/// The largest text that is read, in bytes.
const MAX_TEXT: u64 = 64 << 20;

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

/// Writes a file at once: it is complete or as it was before.
pub fn write(path: &Path, bytes: &[u8]) -> Result<(), Problem> {
    let failed =
        |e: &std::io::Error| Problem { outcome: crate::Outcome::Failed, ..Problem::file("written", path, e) };
    let mut beside = path.as_os_str().to_owned();
    beside.push(".part");
    let beside = Path::new(&beside);
    let written = fs::File::create(beside).and_then(|mut f| f.write_all(bytes));
    written.and_then(|()| fs::rename(beside, path)).map_err(|e| failed(&e))
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
