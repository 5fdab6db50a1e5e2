//! A session: a motion that is advanced piece by piece, owned by one Python object.

use std::sync::{Mutex, MutexGuard, PoisonError};

use cardan::sim::SessionError;
use numpy::PyArray1;
use pyo3::exceptions::{PyKeyError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use crate::arrays::{numbers, vector};
use crate::exceptions::ModelError;
use crate::model::Model;

/// A motion that is advanced piece by piece. All numbers are in SI units.
#[pyclass(frozen, module = "cardan._cardan")]
pub struct Session {
    session: Mutex<cardan::sim::Session>,
}

fn raised(error: &SessionError) -> PyErr {
    let words = error.to_string();
    match error {
        SessionError::Unknown { .. } => PyKeyError::new_err(words),
        SessionError::NotFinite(_) | SessionError::Length(..) | SessionError::Backward { .. } => {
            PyValueError::new_err(words)
        }
        _ => ModelError::new_err(words),
    }
}

/// Begins a session of a model.
pub fn begin(model: &Model, py: Python<'_>, settings: &Bound<'_, PyDict>) -> PyResult<Session> {
    let mut asked = model.ask(py, |core| core.settings())?;
    crate::motion::take(&mut asked, settings)?;
    let simulation = model.ask(py, |core| {
        let compiled = core.compiled_as_asked()?;
        Ok(std::sync::Arc::new(compiled.simulation.clone()))
    })?;
    let begun = py.detach(|| cardan::sim::Session::begin(simulation, &asked));
    Ok(Session { session: Mutex::new(begun.map_err(|e| raised(&e))?) })
}

impl Session {
    fn locked(&self) -> MutexGuard<'_, cardan::sim::Session> {
        self.session.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[pymethods]
impl Session {
    /// The present time.
    #[getter]
    fn time(&self) -> f64 {
        self.locked().time()
    }
    /// Coordinates, speeds and auxiliary states.
    fn state<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        vector(py, self.locked().state())
    }
    /// Puts the model into another state; what constraints do not allow is moved onto them.
    fn set_state(&self, x: &Bound<'_, PyAny>) -> PyResult<()> {
        let n = self.locked().state().len();
        let x = numbers("x", x, n)?;
        self.locked().set_state(&x).map_err(|e| raised(&e))
    }
    /// The discrete states.
    fn discretes<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        vector(py, self.locked().discretes())
    }
    /// Gives the discrete states other values.
    fn set_discretes(&self, values: &Bound<'_, PyAny>) -> PyResult<()> {
        let n = self.locked().discretes().len();
        let values = numbers("values", values, n)?;
        self.locked().set_discretes(&values).map_err(|e| raised(&e))
    }
    /// The value of an input or parameter.
    fn value(&self, name: &str) -> PyResult<f64> {
        self.locked().value(name).map_err(|e| raised(&e))
    }
    /// Gives an input or a parameter a value from now on.
    fn set(&self, name: &str, value: f64) -> PyResult<()> {
        self.locked().set(name, value).map_err(|e| raised(&e))
    }
    /// Follows the motion to a time; false where a block of the model has ended it before.
    fn advance(&self, py: Python<'_>, to: f64) -> PyResult<bool> {
        match py.detach(|| self.locked().advance(to)) {
            Ok(()) => Ok(true),
            Err(SessionError::Ended(_)) => Ok(false),
            Err(error) => Err(raised(&error)),
        }
    }
    /// Why the motion is over, where a block has ended it.
    #[getter]
    fn ended(&self) -> Option<String> {
        self.locked().ended().map(str::to_owned)
    }
    /// The outputs now.
    fn outputs<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let found = self.locked().outputs().map_err(|e| raised(&e))?;
        Ok(vector(py, &found))
    }
    /// The names of the outputs.
    fn output_names(&self) -> Vec<String> {
        let session = self.locked();
        session.simulation().plan().outputs.iter().map(|(label, _)| label.name.clone()).collect()
    }
    /// dx/dt now.
    fn derivatives<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let found = self.locked().derivatives().map_err(|e| raised(&e))?;
        Ok(vector(py, &found))
    }
    /// Kinetic and potential energy now.
    fn energy(&self) -> PyResult<f64> {
        self.locked().energy().map_err(|e| raised(&e))
    }
    /// Begins anew.
    fn restart(&self) -> PyResult<()> {
        self.locked().restart().map_err(|e| raised(&e))
    }
    /// A session that goes its own way from here.
    fn copy(&self) -> Session {
        Session { session: Mutex::new(self.locked().clone()) }
    }
    /// The session as bytes.
    fn save<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.locked().save())
    }
    /// Goes on where a session of the same model was saved.
    fn restore(&self, saved: &[u8]) -> PyResult<()> {
        self.locked().restore(saved).map_err(|e| raised(&e))
    }
}
