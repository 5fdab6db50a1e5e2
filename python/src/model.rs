//! A model that is shared and never changes: values that are set make another one.

use std::sync::{Mutex, MutexGuard, PoisonError};

use cardan::analysis::{Study, free_parameters};
use cardan::assembly::ParameterValues;
use cardan::base::Sources;
use cardan::model::Quantity;
use cardan::sim::{ConstraintForm, Settings};
use cardan::{Compiled, Error, Options};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use crate::exceptions::exception;
use crate::vector_field::VectorField;

/// What is made of a model as soon as somebody asks for it.
pub struct Core {
    /// As it was before anything was derived from it.
    pub model: cardan::model::Model,
    pub sources: Sources,
    inputs: Vec<String>,
    compiled: Option<(ConstraintForm, Compiled)>,
    study: Option<Study>,
}

impl Core {
    /// What the text asks of a simulation.
    pub fn settings(&self) -> Result<Settings, Error> {
        Ok(Settings::of(&self.model, &ParameterValues::of(&self.model))?)
    }
    /// The compiled model, ready for a form of the constraints.
    pub fn compiled(&mut self, form: ConstraintForm) -> Result<&Compiled, Error> {
        let ready = match self.compiled.take() {
            Some((found, compiled)) if found == form => compiled,
            _ => {
                let formalism = self.settings()?.formalism;
                let options = Options { formalism, ..Options::default() };
                cardan::compile_model(&self.model, options)?.for_constraints(form)?
            }
        };
        Ok(&self.compiled.insert((form, ready)).1)
    }
    /// The compiled model, ready for the form of the constraints that its text asks for.
    pub fn compiled_as_asked(&mut self) -> Result<&Compiled, Error> {
        let form = self.settings()?.constraints;
        self.compiled(form)
    }
    /// The model ready for questions.
    pub fn study(&mut self) -> Result<&mut Study, Error> {
        let study = match self.study.take() {
            Some(study) => study,
            None => {
                let inputs = self.inputs.clone();
                Study::of(&self.compiled_as_asked()?.choice, &inputs)?
            }
        };
        Ok(self.study.insert(study))
    }
    /// Where discrete states start.
    pub fn discrete_start(&mut self) -> Result<Vec<f64>, Error> {
        match self.model.hybrid.discretes.is_empty() {
            true => Ok(vec![]),
            false => Ok(self.study()?.discretes().to_vec()),
        }
    }
}

/// A model. All numbers are in SI units.
#[pyclass(frozen, module = "cardan._cardan")]
pub struct Model {
    /// The text that it was made of.
    #[pyo3(get)]
    text: String,
    /// How messages call the text.
    #[pyo3(get)]
    source: String,
    /// The name of the mechanism.
    #[pyo3(get)]
    name: String,
    /// For people; may be empty.
    #[pyo3(get)]
    description: String,
    /// The parameters that count as inputs.
    #[pyo3(get)]
    inputs: Vec<String>,
    /// The values that were set.
    #[pyo3(get)]
    given: Vec<(String, f64)>,
    core: Mutex<Core>,
    pub field: Mutex<Option<VectorField>>,
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Model {
    pub fn of(
        py: Python<'_>,
        text: String,
        source: &str,
        mut inputs: Vec<String>,
        mut model: cardan::model::Model,
        sources: Sources,
    ) -> PyResult<Model> {
        if inputs.is_empty() {
            inputs = model.inputs().map(|(_, p)| p.quantity.name.clone()).collect();
        }
        let free = free_parameters(&model, &inputs).map_err(|e| exception(py, e.into(), None))?;
        model.set_parameters(free);
        let (name, description) = (model.name.clone(), model.description.clone());
        let core = Core { model, sources, inputs: inputs.clone(), compiled: None, study: None };
        let (core, field) = (Mutex::new(core), Mutex::new(None));
        let (source, given) = (source.to_string(), vec![]);
        Ok(Model { text, source, name, description, inputs, given, core, field })
    }

    /// Computes with the model while other threads of Python go on.
    pub fn ask<T: Send>(
        &self,
        py: Python<'_>,
        question: impl FnOnce(&mut Core) -> Result<T, Error> + Send,
    ) -> PyResult<T> {
        let answer = py.detach(|| question(&mut locked(&self.core)));
        answer.map_err(|error| {
            let about = py.detach(|| {
                let core = locked(&self.core);
                (core.model.clone(), core.sources.clone())
            });
            exception(py, error, Some((&about.0, &about.1)))
        })
    }

    pub fn input_names(&self) -> &[String] {
        &self.inputs
    }

    pub fn locked_field(&self) -> MutexGuard<'_, Option<VectorField>> {
        locked(&self.field)
    }
}

/// Name, SI unit, description.
type Named = (String, String, String);

/// Name, value, SI unit, description.
type Parameter = (String, Option<f64>, String, String);

fn named<'a>(quantities: impl Iterator<Item = &'a Quantity>) -> Vec<Named> {
    quantities.map(|q| (q.name.clone(), q.dimension.to_string(), q.description.clone())).collect()
}

#[pymethods]
impl Model {
    /// The same model with other values of parameters and starts.
    fn set(&self, py: Python<'_>, values: Vec<(String, f64)>) -> PyResult<Model> {
        let (model, sources) = self.ask(py, |core| {
            let mut model = core.model.clone();
            for (name, value) in &values {
                model.set_value(name, *value, None)?;
            }
            Ok((model, core.sources.clone()))
        })?;
        let mut changed =
            Model::of(py, self.text.clone(), &self.source, self.inputs.clone(), model, sources)?;
        changed.given = self.given.clone();
        changed.given.retain(|(name, _)| values.iter().all(|(n, _)| n != name));
        changed.given.extend(values);
        Ok(changed)
    }

    /// The parameters: name, value, SI unit, description; no value where one must be given.
    fn parameters(&self, py: Python<'_>) -> PyResult<Vec<Parameter>> {
        self.ask(py, |core| {
            let values = ParameterValues::of(&core.model);
            let all = core.model.parameters.iter().map(|(_, p)| {
                let value = values.evaluate(&core.model, p.symbol);
                let q = &p.quantity;
                let unit = q.dimension.to_string();
                (q.name.clone(), value.is_finite().then_some(value), unit, q.description.clone())
            });
            Ok(all.collect())
        })
    }

    /// Coordinates, speeds and auxiliary states: name, SI unit, description.
    fn states(&self, py: Python<'_>) -> PyResult<Vec<Named>> {
        self.ask(py, |core| {
            let m = &core.model;
            let coordinates = m.coordinates.iter().map(|(_, q)| &q.quantity);
            let speeds = m.speeds.iter().map(|(_, u)| &u.quantity);
            Ok(named(coordinates.chain(speeds).chain(m.states.iter().map(|(_, s)| &s.quantity))))
        })
    }

    /// How many coordinates, speeds and auxiliary states there are.
    fn sizes(&self, py: Python<'_>) -> PyResult<(usize, usize, usize)> {
        self.ask(py, |core| {
            Ok((core.model.coordinates.len(), core.model.speeds.len(), core.model.states.len()))
        })
    }

    /// The outputs: name, SI unit, description.
    fn outputs(&self, py: Python<'_>) -> PyResult<Vec<Named>> {
        self.ask(py, |core| Ok(named(core.model.outputs.iter().map(|o| &o.quantity))))
    }

    /// The names of the bodies.
    fn bodies(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        self.ask(py, |core| Ok(core.model.bodies.iter().map(|(_, b)| b.name.clone()).collect()))
    }

    /// The state at the start, with loops closed.
    fn start<'py>(&self, py: Python<'py>, t: f64) -> PyResult<Bound<'py, numpy::PyArray1<f64>>> {
        let y = self.ask(py, |core| Ok(core.study()?.start(t)?))?;
        Ok(crate::arrays::vector(py, &y))
    }

    /// A motion as the text asks, with the settings given here.
    fn run<'py>(&self, py: Python<'py>, settings: &Bound<'py, PyDict>) -> PyResult<Bound<'py, PyDict>> {
        crate::motion::run(self, py, settings)
    }

    /// A motion that is advanced piece by piece.
    fn session(&self, py: Python<'_>, settings: &Bound<'_, PyDict>) -> PyResult<crate::session::Session> {
        crate::session::begin(self, py, settings)
    }

    /// ẋ at a state; written to `out` if that is given.
    #[pyo3(signature = (t, x, u = None, out = None))]
    fn rhs<'py>(
        &self,
        py: Python<'py>,
        t: f64,
        x: &Bound<'py, PyAny>,
        u: Option<&Bound<'py, PyAny>>,
        out: Option<Bound<'py, numpy::PyArray1<f64>>>,
    ) -> PyResult<Bound<'py, numpy::PyArray1<f64>>> {
        crate::vector_field::rhs(self, py, t, (x, u), out)
    }

    /// ∂ẋ/∂x and ∂ẋ/∂u at a state.
    fn jacobian<'py>(
        &self,
        py: Python<'py>,
        t: f64,
        x: &Bound<'py, PyAny>,
    ) -> PyResult<[Bound<'py, numpy::PyArray2<f64>>; 2]> {
        crate::analyses::jacobian(self, py, t, x)
    }

    /// The mass matrix of all speeds at a state.
    fn mass_matrix<'py>(
        &self,
        py: Python<'py>,
        t: f64,
        x: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, numpy::PyArray2<f64>>> {
        crate::analyses::mass_matrix(self, py, t, x)
    }

    /// The forces of actuators that give accelerations, and the force that they cannot provide.
    fn inverse<'py>(
        &self,
        py: Python<'py>,
        t: f64,
        x: &Bound<'py, PyAny>,
        accelerations: &Bound<'py, PyAny>,
        actuators: Option<Vec<String>>,
    ) -> PyResult<(Bound<'py, numpy::PyArray1<f64>>, f64)> {
        crate::analyses::inverse(self, py, t, (x, accelerations), actuators)
    }

    /// Linear equations about a state; the start if none is given.
    #[pyo3(signature = (t, x, keep, with_modes))]
    fn linearize<'py>(
        &self,
        py: Python<'py>,
        t: f64,
        x: Option<&Bound<'py, PyAny>>,
        keep: Vec<String>,
        with_modes: bool,
    ) -> PyResult<Bound<'py, PyDict>> {
        crate::analyses::linearize(self, py, t, x, keep, with_modes)
    }

    /// An equilibrium near the start.
    fn equilibrium<'py>(&self, py: Python<'py>, t: f64, stable: bool) -> PyResult<Bound<'py, PyDict>> {
        crate::analyses::equilibrium(self, py, t, stable)
    }

    /// Independent checks: name, what was compared, difference, limit, finding.
    fn verify<'py>(&self, py: Python<'py>, points: usize) -> PyResult<Bound<'py, PyList>> {
        crate::analyses::verify(self, py, points)
    }

    /// Source code: files by name.
    fn emit<'py>(
        &self,
        py: Python<'py>,
        target: &str,
        what: Vec<String>,
        fix: Option<Vec<String>>,
    ) -> PyResult<Bound<'py, PyDict>> {
        crate::writing::emit(self, py, target, &what, fix)
    }

    /// A document of the equations in a format: latex, html or rtf.
    fn document(&self, py: Python<'_>, format: &str) -> PyResult<String> {
        crate::writing::document(self, py, format)
    }

    /// The program of the equations as text.
    fn program(&self, py: Python<'_>) -> PyResult<String> {
        self.ask(py, |core| Ok(core.compiled_as_asked()?.choice.lowered.program.to_string()))
    }

    /// Where things are among the inputs and outputs of the program.
    fn program_layout<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        crate::writing::layout(self, py)
    }
}
