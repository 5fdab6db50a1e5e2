//! The reader's browser: the one that `BROWSER` names, or that of the system.

use std::ffi::OsStr;
use std::process::{Command, Stdio};

use crate::terminal::Terminal;

/// Shows a file or an address; a system without a browser is told, and no error.
pub fn open(terminal: &Terminal, what: &OsStr) {
    let named = std::env::var_os("BROWSER").filter(|name| !name.is_empty());
    let mut command = match &named {
        Some(name) => Command::new(name),
        None if cfg!(target_os = "macos") => Command::new("open"),
        None if cfg!(windows) => Command::new("explorer"),
        None => Command::new("xdg-open"),
    };
    let program = command.get_program().to_string_lossy().into_owned();
    let started = command.arg(what).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    if let Err(error) = started {
        let what = what.to_string_lossy();
        terminal.warning(&format!("`{program}` does not open {what}: {error}; `BROWSER` names another one"));
    }
}
