//! Errors of the library as Python exceptions.

use cardan::Error;
use cardan::analysis::AnalysisError;
use cardan::assembly::SetError;
use cardan::base::{Diagnostic, Diagnostics, Severity, Sources};
use cardan::model::Model;
use pyo3::create_exception;
use pyo3::exceptions::{PyKeyError, PySyntaxError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

create_exception!(
    cardan,
    TextError,
    PySyntaxError,
    "A model text that is wrong: filename, lineno, offset, text; all findings in `diagnostics`."
);
create_exception!(
    cardan,
    ModelError,
    PyValueError,
    "A model without equations, a motion without start, or a question without answer."
);

/// One finding: code, severity, message, notes, help, places.
pub fn finding<'py>(py: Python<'py>, d: &Diagnostic, sources: &Sources) -> PyResult<Bound<'py, PyDict>> {
    let entry = PyDict::new(py);
    entry.set_item("code", d.code.0)?;
    let severity = match d.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "note",
    };
    entry.set_item("severity", severity)?;
    entry.set_item("message", &d.message)?;
    entry.set_item("notes", &d.notes)?;
    entry.set_item("help", &d.help)?;
    let labels = PyList::empty(py);
    for l in &d.labels {
        let (line, column) = sources.line_column(l.span.file, l.span.start as usize);
        let (end_line, end_column) = sources.line_column(l.span.file, l.span.end as usize);
        labels.append((&l.text, l.primary, line, column, end_line, end_column))?;
    }
    entry.set_item("labels", labels)?;
    Ok(entry)
}

/// All findings.
pub fn findings<'py>(py: Python<'py>, all: &Diagnostics, sources: &Sources) -> PyResult<Bound<'py, PyList>> {
    let list = PyList::empty(py);
    for d in all.iter() {
        list.append(finding(py, d, sources)?)?;
    }
    Ok(list)
}

/// The exception of findings: the first error gives its place.
pub fn text_error(py: Python<'_>, all: &Diagnostics, sources: &Sources) -> PyErr {
    raise(py, all, sources).unwrap_or_else(|failure| failure)
}

fn raise(py: Python<'_>, all: &Diagnostics, sources: &Sources) -> PyResult<PyErr> {
    let list = findings(py, all, sources)?;
    let first = all.iter().find(|d| d.severity == Severity::Error).or(all.iter().next());
    let Some(first) = first else { return Ok(TextError::new_err("the text describes no model")) };
    let mut message = first.message.clone();
    first.help.iter().for_each(|help| message += &format!(" (help: {help})"));
    if all.n_errors() > 1 {
        message += &format!(" (and {} more; see .diagnostics)", all.n_errors() - 1);
    }
    let error = match first.span() {
        None => TextError::new_err(message),
        Some(span) => {
            let (line, column) = sources.line_column(span.file, span.start as usize);
            let (end_line, end_column) = sources.line_column(span.file, span.end as usize);
            let source = sources.get(span.file);
            let name = source.map_or("", |s| s.name.as_str()).to_string();
            let text = source.and_then(|s| s.text.lines().nth(line - 1)).unwrap_or("").to_string();
            TextError::new_err((message, (name, line, column, text, end_line, end_column)))
        }
    };
    error.value(py).setattr("diagnostics", list)?;
    Ok(error)
}

/// An error of the library about a model, whose text is shown where the mechanism is at fault.
pub fn exception(py: Python<'_>, error: Error, about: Option<(&Model, &Sources)>) -> PyErr {
    let finding = about.and_then(|(model, sources)| {
        let found = match &error {
            Error::Choice(error) => cardan::sim::diagnose(model, error),
            Error::Start(error) => cardan::sim::diagnose_start(model, error),
            _ => None,
        };
        found.map(|f| (f, sources))
    });
    if let Some((finding, sources)) = finding {
        let mut all = Diagnostics::new();
        all.push(finding);
        return text_error(py, &all, sources);
    }
    match &error {
        Error::Text(text) => text_error(py, &text.1, &text.0),
        Error::Value(SetError::Unknown { .. }) | Error::Analysis(AnalysisError::Unknown { .. }) => {
            PyKeyError::new_err(error.to_string())
        }
        Error::Value(_) | Error::Settings(_) => PyValueError::new_err(error.to_string()),
        _ => ModelError::new_err(error.to_string()),
    }
}
