//! The right-hand side ẋ = f(t, x, u) at machine speed.

use cardan::Error;
use cardan::jit::Engine;
use cardan::program::{Execute as _, Stages};
use numpy::{PyArray1, PyArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::arrays::numbers;
use crate::exceptions::ModelError;
use crate::model::{Core, Model};

/// The program in an engine, with its parameters set.
pub struct VectorField {
    engine: Engine,
    setup: Stages,
    motion: Stages,
    time: usize,
    states: Vec<(usize, usize)>,
    controls: Vec<usize>,
    inputs: Vec<f64>,
    /// The inputs u that the model gives.
    given: Vec<f64>,
    /// Whether what depends on parameters alone is computed for the present u.
    is_set_up: bool,
    outputs: Vec<f64>,
}

impl VectorField {
    /// Prepares the evaluation; discrete states have their start.
    fn of(core: &mut Core, controls: &[String]) -> Result<VectorField, Error> {
        let discretes = core.discrete_start()?;
        let compiled = core.compiled_as_asked()?;
        let (plan, engine) = (compiled.simulation.plan(), compiled.simulation.engine().clone());
        let mut inputs = vec![0.0; engine.n_inputs()];
        plan.parameters.iter().for_each(|p| inputs[p.input] = p.value.unwrap_or(f64::NAN));
        plan.discretes.iter().zip(discretes).for_each(|((_, place), value)| inputs[*place] = value);
        let place = |name: &String| plan.parameters.iter().find(|p| p.label.name == *name);
        let controls: Vec<usize> = controls.iter().filter_map(|name| Some(place(name)?.input)).collect();
        let field = VectorField {
            setup: plan.setup,
            motion: plan.motion,
            time: cardan::base::Id::index(plan.time),
            states: plan.states.iter().map(|s| (s.input, s.derivative)).collect(),
            given: controls.iter().map(|place| inputs[*place]).collect(),
            controls,
            is_set_up: false,
            outputs: vec![0.0; engine.n_outputs()],
            inputs,
            engine,
        };
        Ok(field)
    }

    /// Gives the inputs u their values; where they change, what depends on parameters alone is
    /// computed anew.
    fn control(&mut self, u: Option<&[f64]>) -> Result<(), String> {
        for (place, value) in self.controls.iter().zip(u.unwrap_or(&self.given)) {
            self.is_set_up &= self.inputs[*place] == *value;
            self.inputs[*place] = *value;
        }
        if !self.is_set_up {
            let done = self.engine.run(self.setup, &self.inputs, &mut self.outputs);
            done.map_err(|error| error.to_string())?;
            self.is_set_up = true;
        }
        Ok(())
    }

    fn rates(&mut self, t: f64, x: &[f64], out: &mut [f64]) -> Result<(), String> {
        self.inputs[self.time] = t;
        self.states.iter().zip(x).for_each(|((place, _), value)| self.inputs[*place] = *value);
        let done = self.engine.run(self.motion, &self.inputs, &mut self.outputs);
        done.map_err(|error| error.to_string())?;
        self.states.iter().zip(out).for_each(|((_, place), rate)| *rate = self.outputs[*place]);
        Ok(())
    }
}

/// ẋ at a state; written to `out` if that is given.
pub fn rhs<'py>(
    model: &Model,
    py: Python<'py>,
    t: f64,
    (x, u): (&Bound<'py, PyAny>, Option<&Bound<'py, PyAny>>),
    out: Option<Bound<'py, PyArray1<f64>>>,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    if !t.is_finite() {
        return Err(PyValueError::new_err(format!("`t` is {t}, not a finite number")));
    }
    let (n, n_controls) = sizes(model, py)?;
    let x = numbers("x", x, n)?;
    let u = u.map(|u| numbers("u", u, n_controls)).transpose()?;
    let out = out.unwrap_or_else(|| PyArray1::zeros(py, n, false));
    let mut written = out
        .try_readwrite()
        .map_err(|_| PyValueError::new_err("`out` cannot be written, or is `x` itself"))?;
    let rates = written.as_slice_mut()?;
    if rates.len() != n {
        return Err(PyValueError::new_err(format!("`out` has {} numbers, expected {n}", rates.len())));
    }
    // Nothing of Python happens while the program is held: another thread that waits for it may hold
    // the interpreter.
    let done = match model.locked_field().as_mut() {
        Some(field) => field.control(u.as_deref()).and_then(|()| field.rates(t, &x, rates)),
        None => Err("there is no program".into()),
    };
    done.map_err(ModelError::new_err)?;
    drop(written);
    Ok(out)
}

/// How many states and inputs there are; makes the program ready.
fn sizes(model: &Model, py: Python<'_>) -> PyResult<(usize, usize)> {
    let sizes = |field: &VectorField| (field.states.len(), field.controls.len());
    let known = model.locked_field().as_ref().map(sizes);
    if let Some(known) = known {
        return Ok(known);
    }
    let names = model.input_names();
    let made = model.ask(py, |core| VectorField::of(core, names))?;
    let found = sizes(&made);
    *model.locked_field() = Some(made);
    Ok(found)
}
