//! Why a question has no answer.

use std::fmt;

use cardan_assembly::{AssemblyError, Fork};
use cardan_base::nearest;
use cardan_equations::Failure as DeriveFailure;
use cardan_lower::LowerError;
use cardan_program::derive::DeriveError;
use cardan_program::{EvalError, Unbound};

/// Why a question has no answer.
#[derive(Clone, PartialEq, Debug)]
pub enum AnalysisError {
    /// Nothing of this kind has this name; what it may be a misspelling of.
    Unknown {
        /// What was looked for: `parameter`, `coordinate`, …
        kind: &'static str,
        /// The name.
        name: String,
        /// A name that exists.
        nearest: Option<String>,
    },
    /// These parameters have no value.
    Missing(Vec<String>),
    /// The loops cannot be closed.
    Assembly(AssemblyError),
    /// The start is a singular position, and what was asked has no answer there.
    Fork(Box<Fork>),
    /// A program could not be made.
    Program(String),
    /// A program could not be evaluated.
    Evaluation(String),
    /// The question makes no sense for this model; a sentence without full stop.
    Question(String),
}

impl AnalysisError {
    /// A name that nothing has.
    pub(crate) fn unknown<'a>(
        kind: &'static str,
        name: &str,
        names: impl IntoIterator<Item = &'a str>,
    ) -> Self {
        let nearest = nearest(name, names).map(str::to_string);
        AnalysisError::Unknown { kind, name: name.to_string(), nearest }
    }
}

impl fmt::Display for AnalysisError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AnalysisError::Unknown { kind, name, nearest } => {
                write!(f, "the model has no {kind} `{name}`")?;
                nearest.as_ref().map_or(Ok(()), |n| write!(f, "; is `{n}` meant?"))
            }
            AnalysisError::Missing(names) => {
                let list = names.iter().map(|n| format!("`{n}`")).collect::<Vec<_>>().join(", ");
                let plural = if names.len() == 1 { "the parameter" } else { "the parameters" };
                let verb = if names.len() == 1 { "has" } else { "have" };
                write!(f, "{plural} {list} {verb} no value")
            }
            AnalysisError::Assembly(error) => error.fmt(f),
            AnalysisError::Fork(fork) => match fork.beside() {
                None => fork.fmt(f),
                Some(beside) => write!(f, "{fork}; start a little beside it: `{beside}`"),
            },
            AnalysisError::Program(message)
            | AnalysisError::Evaluation(message)
            | AnalysisError::Question(message) => f.write_str(message),
        }
    }
}

impl std::error::Error for AnalysisError {}

impl From<AssemblyError> for AnalysisError {
    fn from(error: AssemblyError) -> Self {
        AnalysisError::Assembly(error)
    }
}

impl From<EvalError> for AnalysisError {
    fn from(error: EvalError) -> Self {
        AnalysisError::Evaluation(error.to_string())
    }
}

impl From<Unbound> for AnalysisError {
    fn from(error: Unbound) -> Self {
        AnalysisError::Program(error.to_string())
    }
}

impl From<LowerError> for AnalysisError {
    fn from(error: LowerError) -> Self {
        AnalysisError::Program(error.to_string())
    }
}

impl From<DeriveError> for AnalysisError {
    fn from(error: DeriveError) -> Self {
        AnalysisError::Program(error.to_string())
    }
}

impl From<DeriveFailure> for AnalysisError {
    fn from(error: DeriveFailure) -> Self {
        AnalysisError::Program(error.to_string())
    }
}

impl From<cardan_solve::Failure> for AnalysisError {
    fn from(failure: cardan_solve::Failure) -> Self {
        AnalysisError::Evaluation(failure.message)
    }
}

impl From<cardan_control::ControlError> for AnalysisError {
    fn from(error: cardan_control::ControlError) -> Self {
        AnalysisError::Question(error.to_string())
    }
}
