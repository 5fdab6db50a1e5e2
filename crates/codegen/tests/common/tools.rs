//! Compilers and interpreters of other languages.

use std::path::{Path, PathBuf};
use std::process::Command;

use cardan_codegen::SourceFile;

/// A fresh folder for one test.
pub fn folder(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&path);
    std::fs::create_dir_all(&path).unwrap();
    path
}

/// Writes generated files.
pub fn write(folder: &Path, files: &[SourceFile]) {
    for file in files {
        std::fs::write(folder.join(&file.name), file.bytes()).unwrap();
    }
}

/// Whether a program is there. If it is not, the test fails and names the package, unless
/// `CARDAN_ALLOW_MISSING=1`.
pub fn available(program: &str, package: &str) -> bool {
    let found = Command::new(program).arg("--version").output().is_ok_and(|o| o.status.success());
    let allowed = std::env::var("CARDAN_ALLOW_MISSING").is_ok_and(|v| v == "1");
    assert!(found || allowed, "`{program}` is missing: install the Debian package `{package}`");
    if !found {
        eprintln!("skipped: `{program}` is missing (package `{package}`)");
    }
    found
}

/// Runs a command that must succeed and say nothing on stderr; returns stdout.
pub fn run(folder: &Path, command: &[&str]) -> String {
    let output = Command::new(command[0])
        .args(&command[1..])
        .current_dir(folder)
        .env("OCTAVE_HISTFILE", "/dev/null")
        .output()
        .unwrap_or_else(|e| panic!("{}: {e}", command[0]));
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    let shown: String = err.lines().take(60).collect::<Vec<_>>().join("\n");
    let last: String = out.lines().rev().take(5).collect::<Vec<_>>().join("\n");
    assert!(
        output.status.success() && err.trim().is_empty(),
        "{} in {}: {}\n{shown}\n{last}",
        command.join(" "),
        folder.display(),
        output.status
    );
    out.into_owned()
}

/// Numbers, one per line, in the spelling of any language.
pub fn numbers(text: &str) -> Vec<f64> {
    let parse = |line: &str| {
        let word = line.trim().to_ascii_lowercase();
        let (sign, size) = match word.strip_prefix('-') {
            Some(rest) => (-1.0, rest),
            None => (1.0, word.trim_start_matches('+')),
        };
        if size.starts_with("nan") {
            f64::NAN
        } else if size.starts_with("inf") {
            sign * f64::INFINITY
        } else {
            sign * size.replace('d', "e").parse::<f64>().unwrap_or_else(|_| panic!("no number: {line}"))
        }
    };
    text.lines().filter(|l| !l.trim().is_empty()).map(parse).collect()
}

/// The Python that has NumPy: the one on the path or the system's own.
pub fn python() -> &'static str {
    let works = |p: &&&str| {
        let check = Command::new(p).args(["-c", "import numpy"]).output();
        check.is_ok_and(|o| o.status.success())
    };
    ["python3", "/usr/bin/python3"].iter().find(works).copied().unwrap_or("python3-with-numpy")
}
