//! Texts and files to models.

use std::path::{Component, Path};

use cardan::Resolved;
use cardan::import::ImportOptions;
use cardan_cli::Search;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyList;

use crate::exceptions::{exception, findings, text_error};
use crate::model::Model;

/// The largest text that is read, in bytes.
const MAX_TEXT: u64 = 64 << 20;

/// What language a text is in, by the ending of its name.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Language {
    Cardan,
    Robot,
    Autosim,
    Adams,
}

impl Language {
    fn of(name: &str) -> Language {
        match Path::new(name).extension().and_then(|e| e.to_str()) {
            Some("urdf" | "xml" | "mjcf") => Language::Robot,
            Some(e) if e.eq_ignore_ascii_case("lsp") => Language::Autosim,
            Some(e) if e.eq_ignore_ascii_case("adm") => Language::Adams,
            _ => Language::Cardan,
        }
    }
}

/// A text that another one includes: it lies in the folder of that one or below.
fn included(folder: &Path, written: &str) -> Option<String> {
    let written = Path::new(written);
    let below = written.components().all(|c| matches!(c, Component::Normal(_) | Component::CurDir));
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let path = folder.join(written).canonicalize().ok()?;
    let is_inside = below && path.starts_with(folder.canonicalize().ok()?);
    let is_small = std::fs::metadata(&path).is_ok_and(|m| m.is_file() && m.len() <= MAX_TEXT);
    if is_inside && is_small { std::fs::read_to_string(path).ok() } else { None }
}

/// Resolves a text in the language that its name tells.
pub fn resolve(name: &str, text: &str) -> Resolved {
    let folder = Path::new(name).parent().unwrap_or(Path::new(""));
    let mut read = |written: &str| included(folder, written);
    match Language::of(name) {
        Language::Cardan => {
            let search = Search::new(Path::new(name), &[]);
            let mut read = |wanted: &str, from: &str| search.read(wanted, from);
            let parsed = cardan::parse(name, text);
            cardan::resolve(cardan::expand_with(parsed, &Default::default(), &mut read))
        }
        Language::Autosim => cardan::resolve_autosim(name, text, &mut read).0,
        Language::Adams => cardan::resolve_adams(name, text).0,
        Language::Robot => {
            let options = ImportOptions { loops: true, ..ImportOptions::default() };
            cardan::import_text(name, text, &mut read, &options)
        }
    }
}

/// The model of a text; its name tells the language by its ending.
#[pyfunction]
#[pyo3(signature = (text, name = "model.mbs", inputs = vec![]))]
pub fn compile(py: Python<'_>, text: String, name: &str, inputs: Vec<String>) -> PyResult<Model> {
    let resolved = py.detach(|| resolve(name, &text));
    match resolved.model {
        Some(model) if !resolved.diagnostics.has_errors() => {
            Model::of(py, text, name, inputs, model, resolved.sources)
        }
        _ => Err(text_error(py, &resolved.diagnostics, &resolved.sources)),
    }
}

/// The model of a file.
#[pyfunction]
#[pyo3(signature = (path, inputs = vec![]))]
pub fn load(py: Python<'_>, path: std::path::PathBuf, inputs: Vec<String>) -> PyResult<Model> {
    let size = std::fs::metadata(&path)?;
    if !size.is_file() || size.len() > MAX_TEXT {
        let message = format!("{} is not a file of at most 64 MiB", path.display());
        return Err(PyValueError::new_err(message));
    }
    let text = String::from_utf8(std::fs::read(&path)?)
        .map_err(|_| PyValueError::new_err(format!("{} is not UTF-8 text", path.display())))?;
    compile(py, text, &path.to_string_lossy(), inputs)
}

/// All findings about a text.
#[pyfunction]
#[pyo3(signature = (text, name = "model.mbs"))]
pub fn check<'py>(py: Python<'py>, text: &str, name: &str) -> PyResult<Bound<'py, PyList>> {
    let resolved = py.detach(|| resolve(name, text));
    findings(py, &resolved.diagnostics, &resolved.sources)
}

/// The value of a text such as `12 [N/m]` in SI units.
#[pyfunction]
pub fn quantity(py: Python<'_>, text: &str) -> PyResult<f64> {
    cardan::quantity(text).map(|(value, _)| value).map_err(|e| exception(py, e, None))
}
