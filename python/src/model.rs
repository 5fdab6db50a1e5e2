//! A model that is shared and never changes: values that are set make another one.

use std::sync::{Mutex, MutexGuard, PoisonError};

use cardan::analysis::{Regressor, StateFunction, StateQuestion, Study, free_parameters};
use cardan::assembly::ParameterValues;
use cardan::base::Sources;
use cardan::model::Quantity;
use cardan::program::Host;
use cardan::sim::{ConstraintForm, Settings};
use cardan::solve::Matrix;
use cardan::{Compiled, Error, Options};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use crate::exceptions::exception;
use crate::state_function::{Call, Prepareds};

/// What is made of a model as soon as somebody asks for it.
pub struct Core {
    /// As it was before anything was derived from it.
    pub model: cardan::model::Model,
    pub sources: Sources,
    inputs: Vec<String>,
    compiled: Option<(ConstraintForm, Compiled)>,
    study: Option<Study>,
    /// The last regressor, by the names of its parameters.
    regressor: Option<(Vec<String>, Regressor)>,
    /// Whether the start is the equilibrium that the text asks for.
    is_at_rest: bool,
}

impl Core {
    /// What the text asks of a simulation.
    pub fn settings(&self) -> Result<Settings, Error> {
        Ok(Settings::of(&self.model, &ParameterValues::of(&self.model))?)
    }
    /// The compiled model, ready for a form of the constraints.
    pub fn compiled(&mut self, form: ConstraintForm) -> Result<&Compiled, Error> {
        self.come_to_rest()?;
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
    /// A function of the state.
    pub fn function(&mut self, question: StateQuestion) -> Result<StateFunction, Error> {
        self.study()?;
        let study = self.study.take();
        let made = match (&study, self.compiled_as_asked()) {
            (Some(study), Ok(compiled)) => StateFunction::of(&compiled.choice, study, question),
            (_, Err(error)) => return Err(error),
            (None, _) => unreachable!("a study was made above"),
        };
        self.study = study;
        Ok(made?)
    }
    /// The regressor of parameters at a state, and the forces that do not depend on them.
    pub fn regressor(
        &mut self,
        parameters: &[String],
        at: (f64, &[f64]),
        accelerations: &[f64],
    ) -> Result<(Matrix, Vec<f64>), Error> {
        if self.regressor.as_ref().is_none_or(|(names, _)| names != parameters) {
            self.study()?;
            let study = self.study.take();
            let made = match (&study, self.compiled_as_asked()) {
                (Some(study), Ok(compiled)) => Regressor::of(&compiled.choice, study, parameters),
                (_, Err(error)) => return Err(error),
                (None, _) => unreachable!("a study was made above"),
            };
            self.study = study;
            self.regressor = Some((parameters.to_vec(), made?));
        }
        self.study()?;
        match (&mut self.regressor, &self.study) {
            (Some((_, regressor)), Some(study)) => Ok(regressor.at(study, at, accelerations)?),
            _ => unreachable!("both were made above"),
        }
    }
    /// Moves the start to the equilibrium where the text asks for that.
    fn come_to_rest(&mut self) -> Result<(), Error> {
        if !self.is_at_rest && self.model.experiments.iter().any(cardan::starts_at_equilibrium) {
            let from = self.settings()?.from;
            self.model = cardan::start_at_equilibrium(&self.model, from, Host::new())?;
        }
        self.is_at_rest = true;
        Ok(())
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
    functions: Prepareds,
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
        let core = Core {
            model,
            sources,
            inputs: inputs.clone(),
            compiled: None,
            study: None,
            regressor: None,
            is_at_rest: false,
        };
        let (core, functions) = (Mutex::new(core), Prepareds::default());
        let (source, given) = (source.to_string(), vec![]);
        Ok(Model { text, source, name, description, inputs, given, core, functions })
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

    pub fn functions(&self) -> &Prepareds {
        &self.functions
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

    /// The ranges of the inputs, infinite where the text gives none.
    fn input_ranges(&self, py: Python<'_>) -> PyResult<Vec<(f64, f64)>> {
        self.ask(py, |core| {
            let values = ParameterValues::of(&core.model);
            let range = |name: &String| {
                let found = core.model.parameters.iter().find(|(_, p)| p.quantity.name == *name);
                let range =
                    found.and_then(|(_, p)| p.range).map(|r| r.map(|e| values.evaluate(&core.model, e)));
                range.map_or((f64::NEG_INFINITY, f64::INFINITY), |[low, high]| (low, high))
            };
            Ok(self.inputs.iter().map(range).collect())
        })
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

    /// Direction cosines and origin of each body (3 × 4) at a state, or at the states that are the rows of x.
    fn poses<'py>(
        &self,
        py: Python<'py>,
        t: &Bound<'py, PyAny>,
        x: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let call = Call { t, x, u: None, accelerations: None, out: None };
        call.evaluate(self, py, StateQuestion::Poses)
    }

    /// The Coriolis matrix of the Christoffel symbols, at a state or at rows of states.
    fn coriolis<'py>(
        &self,
        py: Python<'py>,
        t: &Bound<'py, PyAny>,
        x: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        crate::analyses::coriolis(self, py, t, x)
    }

    /// The Jacobian of a point of a body, given in its axes: velocity of the point, then angular velocity, by the speeds.
    fn point_jacobian<'py>(
        &self,
        py: Python<'py>,
        t: &Bound<'py, PyAny>,
        x: &Bound<'py, PyAny>,
        body: &str,
        point: [f64; 3],
    ) -> PyResult<Bound<'py, PyAny>> {
        crate::analyses::point_jacobian(self, py, t, (x, body, point))
    }

    /// Forces as a linear function of parameters: the regressor, and the forces that do not depend on them.
    fn regressor<'py>(
        &self,
        py: Python<'py>,
        t: f64,
        x: &Bound<'py, PyAny>,
        accelerations: &Bound<'py, PyAny>,
        parameters: Vec<String>,
    ) -> PyResult<crate::analyses::Regressor<'py>> {
        crate::analyses::regressor(self, py, t, (x, accelerations), &parameters)
    }

    /// Many copies that advance together.
    fn stepper(&self, py: Python<'_>) -> PyResult<crate::stepper::Stepper> {
        crate::stepper::prepare(self, py)
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
