//! How a command ends, and what it says then.

use std::fmt;

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// All done.
    Done,
    /// The model or its data are wrong.
    Wrong,
    /// The command makes no sense.
    Usage,
    /// The computation failed or was stopped.
    Failed,
}

impl Outcome {
    /// The exit code.
    pub fn code(self) -> u8 {
        match self {
            Outcome::Done => 0,
            Outcome::Wrong => 1,
            Outcome::Usage => 2,
            Outcome::Failed => 3,
        }
    }
}

/// A reason to end early. What it says has the form of a diagnostic without a place.
#[derive(Clone, Debug)]
pub struct Problem {
    /// How the command ends.
    pub outcome: Outcome,
    /// What is wrong; empty if it has been said already.
    pub message: String,
    /// A line that helps.
    pub help: Option<String>,
}

impl Problem {
    /// The model or its data are wrong.
    pub fn wrong(message: impl fmt::Display) -> Self {
        Problem { outcome: Outcome::Wrong, message: message.to_string(), help: None }
    }
    /// The command makes no sense.
    pub fn usage(message: impl fmt::Display) -> Self {
        Problem { outcome: Outcome::Usage, message: message.to_string(), help: None }
    }
    /// The computation failed.
    pub fn failed(message: impl fmt::Display) -> Self {
        Problem { outcome: Outcome::Failed, message: message.to_string(), help: None }
    }
    /// Everything has been said.
    pub fn said(outcome: Outcome) -> Self {
        Problem { outcome, message: String::new(), help: None }
    }
    /// With a line that helps.
    pub fn hint(mut self, help: impl fmt::Display) -> Self {
        self.help = Some(help.to_string());
        self
    }
    /// A file could not be read or written.
    pub fn file(verb: &str, path: &std::path::Path, error: &std::io::Error) -> Self {
        Problem::wrong(format!("{} could not be {verb}: {error}", path.display()))
    }
}
