//! Many copies of a model that advance together.

use cardan::sim::Stepper as Copies;
use numpy::{PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray2, PyReadwriteArray1, PyReadwriteArray2};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::exceptions::ModelError;
use crate::model::Model;

/// Many copies of a model that advance together by equal steps. All numbers are in SI units.
#[pyclass(frozen, module = "cardan._cardan")]
pub struct Stepper {
    copies: Copies,
    threads: usize,
}

/// Prepares the copies of a model.
pub fn prepare(model: &Model, py: Python<'_>) -> PyResult<Stepper> {
    let names = model.input_names();
    let copies = model.ask(py, |core| {
        let simulation = &core.compiled_as_asked()?.simulation;
        let place = |name: &String| simulation.plan().parameters.iter().position(|p| p.label.name == *name);
        let places: Option<Vec<usize>> = names.iter().map(place).collect();
        Ok(places.and_then(|places| Copies::new(simulation, &places)))
    })?;
    let refused = "a model with loops, events or switches does not advance in lanes; use sessions";
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    Ok(Stepper { copies: copies.ok_or_else(|| ModelError::new_err(refused))?, threads })
}

#[pymethods]
impl Stepper {
    /// Advances copies in place: t (copies), x (copies × states), u (copies × inputs), step and number of steps.
    fn advance(
        &self,
        py: Python<'_>,
        t: &Bound<'_, PyArray1<f64>>,
        x: &Bound<'_, PyArray2<f64>>,
        u: PyReadonlyArray2<'_, f64>,
        step: f64,
        steps: usize,
    ) -> PyResult<()> {
        let busy = |_| PyValueError::new_err("`t` and `x` are written: they are arrays of their own");
        let mut t: PyReadwriteArray1<'_, f64> = t.try_readwrite().map_err(busy)?;
        let mut x: PyReadwriteArray2<'_, f64> = x.try_readwrite().map_err(busy)?;
        let (n, m) = (self.copies.n_states(), self.copies.n_controls());
        let copies = t.as_array().len();
        let (states, inputs) = (x.as_array().shape().to_vec(), u.as_array().shape().to_vec());
        if states != [copies, n] || inputs != [copies, m] {
            let message = format!(
                "the shapes are [{copies}], {states:?} and {inputs:?}, expected [c], [c, {n}], [c, {m}]"
            );
            return Err(PyValueError::new_err(message));
        }
        if !(step.is_finite() && step > 0.0) {
            return Err(PyValueError::new_err(format!("the step {step} is not positive")));
        }
        let (t, x, u) = (t.as_slice_mut()?, x.as_slice_mut()?, u.as_slice()?);
        py.detach(|| self.copies.advance(t, x, u, (step, steps), self.threads));
        Ok(())
    }
}
