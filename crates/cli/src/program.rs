//! What runs the command: the program `cardan`, or an interpreter whose package holds it.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// What runs the command.
#[derive(Clone, Debug)]
pub struct RunningProgram {
    /// The words that start it once more, before those of the command.
    pub start: Vec<OsString>,
    /// The file that holds its code.
    pub code: PathBuf,
}

/// A process runs one program.
static PROGRAM: OnceLock<RunningProgram> = OnceLock::new();

impl RunningProgram {
    /// The program of this process.
    pub fn own() -> RunningProgram {
        let code = std::env::current_exe().unwrap_or_default();
        let start = if code.as_os_str().is_empty() { vec![] } else { vec![code.clone().into()] };
        RunningProgram { start, code }
    }

    /// This is the program from now on.
    pub(crate) fn remember(self) {
        let _ = PROGRAM.set(self);
    }

    /// The program that runs.
    pub(crate) fn running() -> &'static RunningProgram {
        PROGRAM.get_or_init(RunningProgram::own)
    }

    /// The folder of its code.
    pub(crate) fn folder(&self) -> &Path {
        self.code.parent().unwrap_or(Path::new("."))
    }
}
