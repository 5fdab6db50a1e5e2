//! Reading texts and writing results.

pub(crate) mod checksum;
pub(crate) mod parquet;
pub(crate) mod transaction;

use std::fs;
use std::io::{self, Read, Write};
use std::path::{Component, Path, PathBuf};
use std::sync::Mutex;

use crate::checksum::{checksum, checksum_of_many};
use crate::exit::Problem;

/// The largest text that is read, in bytes.
const MAX_TEXT: u64 = 64 << 20;

/// What this command reads, by its place on disk: a slip in the name of a result must not cost the model.
static READ: Mutex<Vec<PathBuf>> = Mutex::new(vec![]);

/// Hashes of all contents that this command has read, in order.
static INPUTS: Mutex<Vec<u8>> = Mutex::new(vec![]);

/// Counts contents among the inputs of the command.
pub fn note_input(bytes: &[u8]) {
    let hash = checksum_of_many(bytes).to_le_bytes();
    INPUTS.lock().expect("nothing panics while the list is held").extend(hash);
}

/// The hash of all contents that this command has read so far.
pub fn inputs() -> u64 {
    checksum(&INPUTS.lock().expect("nothing panics while the list is held"))
}

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

/// The whole text of a file. Devices and pipes, which may never end, are not read.
pub fn read(path: &Path) -> Result<String, Problem> {
    let found = fs::metadata(path).map_err(|e| missing(path, &e))?;
    if found.is_dir() {
        return Err(Problem::wrong(format!("{} is a folder, not a model text", path.display())));
    }
    if !found.is_file() {
        let problem = Problem::wrong(format!("{} is a device or a pipe, not a file", path.display()));
        return Err(problem.hint("save the text as a file and name that file"));
    }
    let too_large = || Problem::wrong(format!("{} is larger than 64 MiB", path.display()));
    if found.len() > MAX_TEXT {
        return Err(too_large());
    }
    // What grows while it is read is bounded as well.
    let mut bytes = vec![];
    let file = fs::File::open(path).map_err(|e| missing(path, &e))?;
    file.take(MAX_TEXT + 1).read_to_end(&mut bytes).map_err(|e| missing(path, &e))?;
    if bytes.len() as u64 > MAX_TEXT {
        return Err(too_large());
    }
    protect(path);
    note_input(&bytes);
    String::from_utf8(bytes).map_err(|error| {
        let problem = Problem::wrong(format!("{} is not UTF-8 text", path.display()));
        let sixteen = matches!(error.as_bytes(), [0xff, 0xfe, ..] | [0xfe, 0xff, ..]);
        let kind = if sixteen { "it is UTF-16" } else { "it is of another encoding" };
        problem.hint(format!("{kind}; save it as UTF-8 in the editor"))
    })
}

/// The text of a file that another file includes by the path `written`. It lies in the folder of that file or below, and so does what a
/// symbolic link on the way to it stands for.
pub fn read_below(folder: &Path, written: &str) -> Option<String> {
    let written = Path::new(written);
    let below = written.components().all(|c| matches!(c, Component::Normal(_) | Component::CurDir));
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let path = folder.join(written);
    let is_inside = below && path.canonicalize().ok()?.starts_with(folder.canonicalize().ok()?);
    if is_inside { read(&path).ok() } else { None }
}

fn missing(path: &Path, error: &io::Error) -> Problem {
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
    rewrite(path, bytes)
}

/// Writes a file at once, even one that was read. The file keeps its permissions, and a symbolic link goes on to stand for it.
pub fn rewrite(path: &Path, bytes: &[u8]) -> Result<(), Problem> {
    let place = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    replace(&place, bytes)
        .map_err(|e| Problem { outcome: crate::Outcome::Failed, ..Problem::file("written", path, &e) })
}

fn replace(place: &Path, bytes: &[u8]) -> io::Result<()> {
    let (beside, mut file) = unfinished(place)?;
    let written = file.write_all(bytes).and_then(|()| match fs::metadata(place) {
        Ok(earlier) => file.set_permissions(earlier.permissions()),
        Err(_) => Ok(()),
    });
    drop(file);
    written.and_then(|()| fs::rename(&beside, place)).inspect_err(|_| {
        // What is not complete is of no use.
        let _ = fs::remove_file(&beside);
    })
}

/// A new file beside another one, where it is written until it is complete.
fn unfinished(path: &Path) -> io::Result<(PathBuf, fs::File)> {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    // Long names have no room for more letters.
    let name: String = name.chars().take(50).collect();
    for k in 0.. {
        let beside = path.with_file_name(format!(".{name}.{}-{k}.part", std::process::id()));
        match fs::File::create_new(&beside) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists && k < 1000 => {}
            made => return made.map(|file| (beside, file)),
        }
    }
    Err(io::ErrorKind::AlreadyExists.into())
}

/// The most letters of a file name that is made from another name.
const MAX_NAME: usize = 100;

/// The name of a file or folder from a name that somebody else chose, such as that of a robot: one component of a path on every system.
/// Names of the model language stay as they are.
pub fn file_name(foreign: &str) -> String {
    let kept = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '+' | ' ');
    let name: String = foreign.chars().take(MAX_NAME).map(|c| if kept(c) { c } else { '_' }).collect();
    // Neither hidden nor a way up, nor a name that some systems cut.
    let name = name.trim_matches([' ', '.']);
    let stem = name.split('.').next().unwrap_or_default().to_ascii_uppercase();
    let numbered =
        |kind: &str| stem.strip_prefix(kind).is_some_and(|n| n.len() == 1 && n.parse::<u8>().is_ok());
    let reserved =
        matches!(stem.as_str(), "CON" | "PRN" | "AUX" | "NUL") || numbered("COM") || numbered("LPT");
    match name {
        "" => "model".into(),
        name if reserved => format!("_{name}"),
        name => name.into(),
    }
}

/// Where results of a model go unless the command line says otherwise.
pub fn default_folder(kind: &str, model: &str) -> PathBuf {
    Path::new(kind).join(file_name(model))
}

/// A heading or a word as a cell of a comma-separated file. Spreadsheets take a cell that begins with `=`, `+`, `-` or `@` for a formula;
/// an apostrophe before it makes it text.
pub fn csv_cell(text: &str) -> String {
    let is_formula = text.starts_with(['=', '+', '-', '@', '\t', '\r']);
    let text = if is_formula { format!("'{text}") } else { text.to_owned() };
    let quoted = text.contains([',', '"', '\n', '\r']);
    if quoted { format!("\"{}\"", text.replace('"', "\"\"")) } else { text }
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

/// The cells of one line of a comma-separated file that [`csv_cell`] wrote.
pub fn csv_cells(line: &str) -> Vec<String> {
    let (mut cells, mut cell, mut quoted) = (vec![], String::new(), false);
    let mut letters = line.chars().peekable();
    while let Some(c) = letters.next() {
        match c {
            '"' if quoted && letters.peek() == Some(&'"') => cell.extend(letters.next()),
            '"' => quoted = !quoted,
            ',' if !quoted => cells.push(std::mem::take(&mut cell)),
            c => cell.push(c),
        }
    }
    cells.push(cell);
    let is_formula = |text: &str| text.starts_with(['=', '+', '-', '@', '\t', '\r']);
    let plain = |c: String| c.strip_prefix('\'').filter(|t| is_formula(t)).map_or(c.clone(), str::to_owned);
    cells.into_iter().map(plain).collect()
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
    use super::{csv_cell, csv_cells, file_name, time_digits};

    #[test]
    fn foreign_names_are_one_component_of_a_path() {
        let expected = [
            ("pendulum", "pendulum"),
            ("six-axis arm 2.0", "six-axis arm 2.0"),
            ("Kugelgelenk_ä", "Kugelgelenk_ä"),
            ("../escaped", "_escaped"),
            ("/etc/passwd", "_etc_passwd"),
            ("..", "model"),
            ("", "model"),
            (" . ", "model"),
            ("C:\\temp", "C__temp"),
            ("a\u{1b}[2J\n", "a__2J_"),
            ("nul", "_nul"),
            ("COM1.txt", "_COM1.txt"),
            (".hidden", "hidden"),
        ];
        for (foreign, name) in expected {
            assert_eq!(file_name(foreign), name, "{foreign:?}");
        }
        assert_eq!(file_name(&"ä".repeat(5000)).chars().count(), 100);
    }

    #[test]
    fn cells_are_quoted_and_no_formulas() {
        assert_eq!(csv_cell("q [rad]"), "q [rad]");
        assert_eq!(csv_cell("f(a, b) [1]"), "\"f(a, b) [1]\"");
        assert_eq!(csv_cell("=HYPERLINK(\"x\",1)"), "\"'=HYPERLINK(\"\"x\"\",1)\"");
        for formula in ["=1+1", "+1", "-1", "@sum", "\tx"] {
            assert_eq!(csv_cell(formula), format!("'{formula}"));
        }
        let heads = ["t [s]", "=a,\"b\" [m]", "'q", "", "f(a, b)"];
        let line: Vec<String> = heads.iter().map(|h| csv_cell(h)).collect();
        assert_eq!(csv_cells(&line.join(",")), heads);
    }

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
