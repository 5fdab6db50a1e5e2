//! What several tests of this crate share: the samples, and expectations that `BLESS=1` refreshes.
#![allow(dead_code, missing_docs, reason = "each test uses a part of this")]

use std::path::{Path, PathBuf};

use cardan_base::{Diagnostics, FileId, Sources, render};
use cardan_syntax::{Tree, parse};

pub fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

pub fn blessing() -> bool {
    std::env::var_os("BLESS").is_some()
}

/// All files of a folder with an extension, by name, with their text.
pub fn files(folder: &Path, extension: &str) -> Vec<(PathBuf, String)> {
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder)
        .expect("the folder exists")
        .map(|entry| entry.expect("the folder can be read").path())
        .filter(|path| path.extension().is_some_and(|e| e == extension))
        .collect();
    paths.sort();
    let read = |path: &PathBuf| std::fs::read_to_string(path).expect("the file can be read");
    paths.iter().map(|path| (path.clone(), read(path))).collect()
}

/// Compares a text with a file, or writes the file if blessing.
pub fn check_file(path: &Path, actual: &str) {
    if blessing() {
        std::fs::write(path, actual).expect("the file can be written");
        return;
    }
    let expected = std::fs::read_to_string(path).unwrap_or_default();
    assert_eq!(expected, actual, "{} differs; refresh with BLESS=1", path.display());
}

pub fn parsed(text: &str) -> (Tree, Diagnostics, Sources) {
    let mut sources = Sources::new();
    let file: FileId = sources.add("example.mbs", text);
    let (tree, diagnostics) = parse(file, text);
    (tree, diagnostics, sources)
}

/// Every diagnostic as plain text, without spaces at the ends of lines.
pub fn complaints(text: &str) -> String {
    let (_, diagnostics, sources) = parsed(text);
    let rendered: String = diagnostics.iter().map(|d| render(d, &sources, false)).collect();
    rendered.lines().map(|line| format!("{}\n", line.trim_end())).collect()
}

/// The outline of a text that has no errors.
pub fn outline(text: &str) -> String {
    let (tree, diagnostics, _) = parsed(text);
    assert!(diagnostics.is_empty(), "{text}\n{}", complaints(text));
    tree.to_string()
}
