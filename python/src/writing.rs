//! Code and equations of a model.

use cardan::codegen::{Target, emit as write};
use cardan::document::{Style, describe, html, latex, readable, rtf};
use cardan::emit::{By, Fix, Question, Request, functions};
use cardan::{Error, base::Id};
use pyo3::exceptions::{PyKeyError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use crate::exceptions::ModelError;
use crate::model::Model;

fn named<T: Copy>(name: &str, kind: &str, all: &[(T, &str)]) -> PyResult<T> {
    all.iter().find(|(_, n)| *n == name).map(|(value, _)| *value).ok_or_else(|| {
        let known = all.iter().map(|(_, n)| *n).collect::<Vec<_>>().join(", ");
        PyKeyError::new_err(format!("there is no {kind} `{name}`; there are {known}"))
    })
}

/// Source code: files by name.
pub fn emit<'py>(
    model: &Model,
    py: Python<'py>,
    target: &str,
    what: &[String],
    fix: Option<Vec<String>>,
) -> PyResult<Bound<'py, PyDict>> {
    let target = named(target, "language", &Target::ALL)?;
    let questions: Vec<Question> =
        what.iter().map(|n| named(n, "function", &Question::ALL)).collect::<PyResult<_>>()?;
    let fix = match fix {
        None => Fix::Nothing,
        Some(list) if list.is_empty() => Fix::Everything,
        Some(list) => Fix::Named(list),
    };
    let request = Request { questions, by: vec![By::States], fix };
    let written = model.ask(py, |core| {
        let made = functions(&core.compiled_as_asked()?.choice, &request).map_err(|e| e.to_string());
        let made = made.and_then(|f| write(&f.program, &f.library, target).map_err(|e| e.to_string()));
        Ok::<_, Error>(made)
    })?;
    let out = PyDict::new(py);
    for file in written.map_err(ModelError::new_err)? {
        match std::str::from_utf8(file.bytes()) {
            Ok(text) => out.set_item(&file.name, text)?,
            Err(_) => out.set_item(&file.name, PyBytes::new(py, file.bytes()))?,
        }
    }
    Ok(out)
}

/// A document of the equations in a format.
pub fn document(model: &Model, py: Python<'_>, format: &str) -> PyResult<String> {
    let writer = match format {
        "latex" => latex,
        "html" => html,
        "rtf" => rtf,
        _ => {
            let message = format!("there is no format `{format}`; there are latex, html, rtf");
            return Err(PyValueError::new_err(message));
        }
    };
    model.ask(py, |core| {
        let choice = readable(&core.model, core.settings()?.formalism)?;
        Ok(writer(&describe(&choice, Style::Formulas)))
    })
}

/// Where things are among the inputs and outputs of the program.
pub fn layout<'py>(model: &Model, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
    let discretes = model.ask(py, |core| core.discrete_start())?;
    let plan = model.ask(py, |core| Ok(core.compiled_as_asked()?.simulation.plan().clone()))?;
    let out = PyDict::new(py);
    out.set_item("time", plan.time.index())?;
    let states: Vec<(usize, usize)> = plan.states.iter().map(|s| (s.input, s.derivative)).collect();
    out.set_item("states", states)?;
    let parameters: Vec<(&str, usize, Option<f64>)> =
        plan.parameters.iter().map(|p| (p.label.name.as_str(), p.input, p.value)).collect();
    out.set_item("parameters", parameters)?;
    let discretes: Vec<(usize, f64)> =
        plan.discretes.iter().zip(discretes).map(|((_, place), value)| (*place, value)).collect();
    out.set_item("discretes", discretes)?;
    Ok(out)
}
