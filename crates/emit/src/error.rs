//! Why a model cannot be written as source code.

use std::fmt;

use cardan_base::Span;
use cardan_codegen::EmitError;
use cardan_lower::LowerError;
use cardan_program::derive::DeriveError;

/// What went wrong.
#[derive(Clone, PartialEq, Debug)]
pub enum Error {
    /// A formalism could not answer a question; in words.
    Equations(String),
    /// Expressions could not be made into a program.
    Lower(LowerError),
    /// The program could not be differentiated.
    Derive(DeriveError),
    /// The model has no constraints, but their residuals or reactions were asked for.
    NoConstraints(&'static str),
    /// No independent parameter has this name.
    NoSuchParameter {
        /// The name.
        name: String,
        /// What it may be a misspelling of.
        nearest: Option<String>,
    },
    /// No input has this name.
    NoSuchInput {
        /// The name.
        name: String,
        /// What it may be a misspelling of.
        nearest: Option<String>,
    },
    /// These parameters have no value, but the code needs one.
    NoValue(Vec<String>),
    /// A complete program goes forward in time.
    Backward,
    /// An event waits for two moving quantities to be equal.
    MovingEquality,
    /// This event ends the run by `stop`.
    Stop(String),
    /// Friction sticks by a law that complete programs do not follow: by reactions, or with a level of its own at rest.
    Sticking {
        /// What it is, in words.
        why: String,
        /// Where it stands.
        at: Option<Span>,
    },
    /// The loops cannot be closed at the start.
    Assembly(String),
    /// Programs that should have the same inputs do not: a mistake here.
    Mismatch(&'static str),
    /// The code could not be written.
    Code(EmitError),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Equations(message) | Error::Assembly(message) => f.write_str(message),
            Error::Lower(error) => error.fmt(f),
            Error::Derive(error) => error.fmt(f),
            Error::NoConstraints(what) => write!(f, "the model has no constraints, so it has no {what}"),
            Error::NoSuchParameter { name, nearest } => {
                write!(f, "the model has no independent parameter `{name}`")?;
                nearest.as_ref().map_or(Ok(()), |n| write!(f, "; is `{n}` meant?"))
            }
            Error::NoSuchInput { name, nearest } => {
                write!(f, "the model has no input `{name}`")?;
                nearest.as_ref().map_or(Ok(()), |n| write!(f, "; is `{n}` meant?"))
            }
            Error::NoValue(names) => {
                let list = names.iter().map(|n| format!("`{n}`")).collect::<Vec<_>>().join(", ");
                let (noun, verb) =
                    if names.len() == 1 { ("parameter", "has") } else { ("parameters", "have") };
                write!(f, "the {noun} {list} {verb} no value")
            }
            Error::Backward => write!(f, "a complete program goes forward in time"),
            Error::MovingEquality => {
                write!(
                    f,
                    "an event waits for `==` of quantities that move, which a complete program cannot locate"
                )
            }
            Error::Stop(event) => {
                write!(
                    f,
                    "`{event}` ends the run by `stop`, which complete programs do not do; \
                     let the block set a discrete state instead: `discrete over = 0`, `over := 1`"
                )
            }
            Error::Sticking { why, .. } => {
                write!(
                    f,
                    "{why}, and complete programs do not follow what sticks by such a law; `cardan run` does"
                )
            }
            Error::Mismatch(what) => write!(f, "the program of {what} has other inputs"),
            Error::Code(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for Error {}

impl From<LowerError> for Error {
    fn from(error: LowerError) -> Self {
        Error::Lower(error)
    }
}

impl From<DeriveError> for Error {
    fn from(error: DeriveError) -> Self {
        Error::Derive(error)
    }
}

impl From<EmitError> for Error {
    fn from(error: EmitError) -> Self {
        Error::Code(error)
    }
}
