//! cardan for Python: the published library behind `cardan._cardan`.
//!
//! The package `cardan` wraps what is here in typed classes; here are only conversions: texts and
//! arrays in, arrays, lists and dictionaries out, errors as exceptions.
//!
//! Absent by design: mechanics, files of results, tables of other packages.
//!
//! - `reading`: texts and files to models; `model`: a model that is shared and never changes;
//! - `motion`: runs; `session`: motions in pieces; `figure`: plots of them; `state_function`: functions of the state, `hot_calls`: as methods;
//!   `stepper`: many copies together; `command`: the command line;
//! - `analyses`: questions; `writing`: code and equations;
//! - `exceptions`: errors with their places; `arrays`: numbers to and from NumPy.

mod analyses;
mod arrays;
mod command;
mod exceptions;
mod figure;
mod hot_calls;
mod model;
mod motion;
mod reading;
mod session;
mod state_function;
mod stepper;
mod writing;

/// The extension module.
#[pyo3::pymodule]
mod _cardan {
    #[pymodule_export]
    use crate::command::command;
    #[pymodule_export]
    use crate::exceptions::{ModelError, TextError};
    #[pymodule_export]
    use crate::figure::line_plot;
    #[pymodule_export]
    use crate::hot_calls::StateFunctions;
    #[pymodule_export]
    use crate::model::Model;
    #[pymodule_export]
    use crate::reading::{check, compile, load, quantity};
    #[pymodule_export]
    use crate::session::Session;
    #[pymodule_export]
    use crate::stepper::Stepper;
}
