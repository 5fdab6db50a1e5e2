//! The calls that loops of Python make most often, as methods of a class that the package's model is derived from: nothing of
//! Python stands between the caller and the machine code.

use cardan::analysis::StateQuestion;
use pyo3::prelude::*;

use crate::model::Model;
use crate::state_function::Call;

/// Functions of the state of a model. All numbers are in SI units.
///
/// Where x has rows, each is a state, and the result has a row for each: many states are computed by vector lanes and
/// threads. `t`, `u` and accelerations are then given once or for each row. Discrete states have their start.
#[pyclass(frozen, subclass, module = "cardan._cardan")]
pub struct StateFunctions {
    model: Py<Model>,
}

#[pymethods]
impl StateFunctions {
    #[new]
    fn new(model: Py<Model>) -> StateFunctions {
        StateFunctions { model }
    }

    /// dx/dt at a state or at rows of states; written to `out` if that is given.
    #[pyo3(signature = (t, x, u = None, out = None))]
    fn rhs<'py>(
        &self,
        py: Python<'py>,
        t: &Bound<'py, PyAny>,
        x: &Bound<'py, PyAny>,
        u: Option<&Bound<'py, PyAny>>,
        out: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let call = Call { t, x, u, accelerations: None, out };
        call.evaluate(self.model.get(), py, StateQuestion::Rates)
    }

    /// The exact derivatives of `rhs` by x and by u, at a state or at rows of states.
    ///
    /// With `out`, an array for both beside one another, they are parts of that.
    #[pyo3(signature = (t, x, u = None, out = None))]
    fn jacobian<'py>(
        &self,
        py: Python<'py>,
        t: &Bound<'py, PyAny>,
        x: &Bound<'py, PyAny>,
        u: Option<&Bound<'py, PyAny>>,
        out: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>)> {
        let call = Call { t, x, u, accelerations: None, out };
        call.split(self.model.get(), py, StateQuestion::Jacobian)
    }

    /// The mass matrix of all speeds, at a state or at rows of states; written to `out` if that is given.
    #[pyo3(signature = (t, x, out = None))]
    fn mass_matrix<'py>(
        &self,
        py: Python<'py>,
        t: &Bound<'py, PyAny>,
        x: &Bound<'py, PyAny>,
        out: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let call = Call { t, x, u: None, accelerations: None, out };
        call.evaluate(self.model.get(), py, StateQuestion::Mass)
    }

    /// The forces along all speeds that give accelerations, at a state or at rows of states; written to `out` if that is given.
    ///
    /// Constraints add none: they are the forces of the spanning tree. `inverse` knows them.
    #[pyo3(signature = (t, x, accelerations, u = None, out = None))]
    fn inverse_dynamics<'py>(
        &self,
        py: Python<'py>,
        t: &Bound<'py, PyAny>,
        x: &Bound<'py, PyAny>,
        accelerations: &Bound<'py, PyAny>,
        u: Option<&Bound<'py, PyAny>>,
        out: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let call = Call { t, x, u, accelerations: Some(accelerations), out };
        call.evaluate(self.model.get(), py, StateQuestion::Inverse)
    }

    /// The outputs in their order, at a state or at rows of states; written to `out` if that is given.
    #[pyo3(signature = (t, x, u = None, out = None))]
    fn outputs_at<'py>(
        &self,
        py: Python<'py>,
        t: &Bound<'py, PyAny>,
        x: &Bound<'py, PyAny>,
        u: Option<&Bound<'py, PyAny>>,
        out: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let call = Call { t, x, u, accelerations: None, out };
        call.evaluate(self.model.get(), py, StateQuestion::Outputs)
    }
}
