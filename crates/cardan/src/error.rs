//! What can go wrong between a text and a trajectory, by whose fault.

use std::fmt;

use cardan_analysis::AnalysisError;
use cardan_assembly::SetError;
use cardan_base::{Diagnostics, Sources, render};
use cardan_compile::ChoiceError;
use cardan_program::Unbound;
use cardan_sim::{SettingsError, StartError};

/// Why there is no result.
#[derive(Clone, Debug)]
pub enum Error {
    /// The text is wrong; the findings say where.
    Text(Box<(Sources, Diagnostics)>),
    /// Names, units or numbers given to a builder are wrong.
    Builder(Vec<String>),
    /// No equations or no program can be made of the model.
    Choice(ChoiceError),
    /// The program calls a function that nobody provides.
    Unbound(Unbound),
    /// A parameter or a start cannot have the value that it is given.
    Value(SetError),
    /// A setting of the simulation makes no sense.
    Settings(SettingsError),
    /// The simulation cannot start.
    Start(StartError),
    /// A question has no answer.
    Analysis(AnalysisError),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Text(text) => {
                let (sources, diagnostics) = text.as_ref();
                diagnostics.iter().try_for_each(|d| f.write_str(&render(d, sources, false)))
            }
            Error::Builder(problems) => f.write_str(&problems.join("; ")),
            Error::Choice(error) => error.fmt(f),
            Error::Unbound(error) => error.fmt(f),
            Error::Value(error) => error.fmt(f),
            Error::Settings(error) => error.fmt(f),
            Error::Start(error) => error.fmt(f),
            Error::Analysis(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for Error {}

impl From<ChoiceError> for Error {
    fn from(error: ChoiceError) -> Self {
        Error::Choice(error)
    }
}

impl From<Unbound> for Error {
    fn from(error: Unbound) -> Self {
        Error::Unbound(error)
    }
}

impl From<SetError> for Error {
    fn from(error: SetError) -> Self {
        Error::Value(error)
    }
}

impl From<SettingsError> for Error {
    fn from(error: SettingsError) -> Self {
        Error::Settings(error)
    }
}

impl From<StartError> for Error {
    fn from(error: StartError) -> Self {
        Error::Start(error)
    }
}

impl From<AnalysisError> for Error {
    fn from(error: AnalysisError) -> Self {
        Error::Analysis(error)
    }
}
