//! The command line.

use std::ffi::OsString;
use std::path::PathBuf;

use pyo3::prelude::*;

/// Runs the command `cardan` and gives its exit code: the words after its name, the words that start it once more, and the file
/// of this module.
#[pyfunction]
pub fn command(py: Python<'_>, words: Vec<OsString>, start: Vec<OsString>, code: PathBuf) -> u8 {
    let words = std::iter::once("cardan".into()).chain(words).collect();
    py.detach(|| cardan_cli::run_command(words, cardan_cli::RunningProgram { start, code }))
}
