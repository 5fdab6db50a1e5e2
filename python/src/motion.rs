//! Runs: settings in, columns, events and poses out.

use std::time::{Duration, Instant};

use cardan::Error;
use cardan::sim::settings::{METHODS, method_named};
use cardan::sim::{ConstraintForm, Observer, Settings, Trajectory};
use numpy::{PyArray1, PyArrayMethods};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use crate::arrays::columns;
use crate::model::Model;

/// How often a run looks for signals such as Ctrl-C.
const PATIENCE: Duration = Duration::from_millis(50);

/// Stops a run when Python has a signal.
struct Listener {
    last: Instant,
    signal: Option<PyErr>,
}

impl Observer for Listener {
    fn progress(&mut self, _fraction: f64) -> bool {
        if self.signal.is_none() && self.last.elapsed() >= PATIENCE {
            self.last = Instant::now();
            self.signal = Python::attach(|py| py.check_signals()).err();
        }
        self.signal.is_none()
    }
}

/// Takes over the settings that are given.
pub fn take(settings: &mut Settings, given: &Bound<'_, PyDict>) -> PyResult<()> {
    for (name, value) in given.iter() {
        let name: String = name.extract()?;
        let number = || {
            let wrong = |_| PyTypeError::new_err(format!("`{name}` is not a number"));
            value.extract::<f64>().map_err(wrong)
        };
        match name.as_str() {
            "begin" => settings.from = number()?,
            "to" => settings.to = number()?,
            "every" => settings.every = Some(number()?),
            "rtol" => settings.rtol = number()?,
            "atol" => settings.atol = number()?,
            "step" => settings.step = Some(number()?),
            "max_step" => settings.max_step = Some(number()?),
            "method" => {
                let word: String = value.extract()?;
                let known = METHODS.map(|m| m.to_string()).join(", ");
                let unknown = || format!("there is no method `{word}`; there are {known}");
                settings.method = method_named(&word).ok_or_else(|| PyValueError::new_err(unknown()))?;
            }
            "constraints" => {
                let word: String = value.extract()?;
                let known = ConstraintForm::ALL.map(ConstraintForm::name).join(", ");
                let unknown = || format!("constraints cannot be `{word}`; they are {known}");
                let form = ConstraintForm::named(&word);
                settings.constraints = form.ok_or_else(|| PyValueError::new_err(unknown()))?;
            }
            _ => return Err(PyTypeError::new_err(format!("there is no setting `{name}`"))),
        }
    }
    Ok(())
}

/// A motion as the text asks, with the settings given here.
pub fn run<'py>(model: &Model, py: Python<'py>, given: &Bound<'py, PyDict>) -> PyResult<Bound<'py, PyDict>> {
    let mut settings = model.ask(py, |core| core.settings())?;
    take(&mut settings, given)?;
    settings.check().map_err(|e| PyValueError::new_err(e.to_string()))?;
    let mut listener = Listener { last: Instant::now(), signal: None };
    let (motion, bodies) = model.ask(py, |core| {
        let bodies: Vec<String> = core.model.bodies.iter().map(|(_, b)| b.name.clone()).collect();
        let compiled = core.compiled(settings.constraints)?;
        let motion = compiled.simulate_observed(&settings, &mut listener)?.into_trajectory();
        Ok::<_, Error>((motion, bodies))
    })?;
    match listener.signal {
        Some(signal) => Err(signal),
        None => told(py, motion, bodies),
    }
}

fn told(py: Python<'_>, motion: Trajectory, bodies: Vec<String>) -> PyResult<Bound<'_, PyDict>> {
    let out = PyDict::new(py);
    let data: Vec<f64> = (0..motion.columns.len()).flat_map(|c| motion.rows.column(c)).collect();
    out.set_item("data", columns(py, data, motion.columns.len())?)?;
    let heads = PyList::empty(py);
    for c in &motion.columns {
        heads.append((&c.name, &c.unit, &c.description, c.scale))?;
    }
    out.set_item("columns", heads)?;
    out.set_item("ending", motion.ending.to_string())?;
    out.set_item("reason", &motion.reason)?;
    out.set_item("reached", motion.reached)?;
    out.set_item("warnings", &motion.warnings)?;
    out.set_item("audit", (motion.audit.to_string(), motion.audit.relative()))?;
    let happened = &motion.happenings;
    let events: Vec<(f64, &str)> =
        happened.list.iter().map(|h| (h.t, happened.names[h.event].as_str())).collect();
    out.set_item("events", events)?;
    let frames = &motion.frames;
    out.set_item("pose_times", PyArray1::from_slice(py, &frames.times))?;
    let poses = PyDict::new(py);
    for (name, track) in bodies.iter().zip(&frames.bodies) {
        let rows = |p: &cardan::sim::Pose| {
            let (r, x) = (p.rotation, p.position);
            let row = move |k: usize| [r[k][0], r[k][1], r[k][2], x[k]];
            [row(0), row(1), row(2), [0.0, 0.0, 0.0, 1.0]].concat()
        };
        let numbers: Vec<f64> = track.iter().flat_map(rows).collect();
        poses.set_item(name, PyArray1::from_vec(py, numbers).reshape([track.len(), 4, 4])?)?;
    }
    out.set_item("poses", poses)?;
    Ok(out)
}
