//! Functions of the state at machine speed: at one state, or at many by vector lanes and threads.
//!
//! A call at one state has little around the machine code: arguments are copied out of NumPy's arrays, the result into a new
//! one, and the program is held by a lock that nobody else wants.

use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError, TryLockError};

use cardan::analysis::{AnalysisError, ManyArguments, StateArguments, StateFunction, StateQuestion};
use numpy::ndarray::{ArrayView2, ArrayViewD, s};
use numpy::{
    AllowTypeChange, PyArray1, PyArray2, PyArrayDyn, PyArrayLikeDyn, PyArrayMethods, PyUntypedArrayMethods,
    ToPyArray,
};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PySlice, PyTuple};

use crate::arrays::numbers;
use crate::exceptions::ModelError;
use crate::model::Model;

/// A function that is ready to run.
pub struct Prepared {
    states: usize,
    controls: usize,
    accelerations: usize,
    speeds: usize,
    shape: Vec<usize>,
    function: Mutex<StateFunction>,
}

/// The functions of a model, each made when it is first asked for.
pub type Prepareds = [OnceLock<Prepared>; StateQuestion::ALL.len()];

impl Prepared {
    fn of(function: StateFunction) -> Prepared {
        let (states, controls, accelerations) = function.sizes();
        let (speeds, shape) = (function.speeds().len(), function.shape().to_vec());
        Prepared { states, controls, accelerations, speeds, shape, function: Mutex::new(function) }
    }

    fn length(&self) -> usize {
        self.shape.iter().product()
    }

    /// How many speeds the model has.
    pub fn speeds(&self) -> usize {
        self.speeds
    }

    /// The function itself; it is not asked for while Python is held.
    pub fn locked(&self) -> MutexGuard<'_, StateFunction> {
        self.function.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs something long on the function, while other threads of Python go on.
    pub fn many<T: Send>(
        &self,
        py: Python<'_>,
        run: impl FnOnce(&mut StateFunction) -> Result<T, AnalysisError> + Send,
    ) -> PyResult<T> {
        let done = py.detach(|| run(&mut self.locked()));
        done.map_err(|e| ModelError::new_err(e.to_string()))
    }

    /// Times and states of a call.
    pub fn instants(&self, t: &Bound<'_, PyAny>, x: &Bound<'_, PyAny>) -> PyResult<(Vec<f64>, States)> {
        let states = states(x, self.states)?;
        let t = match &states {
            States::One(_) => vec![time(t)?],
            States::Many(n_rows, _) => rows("t", t, *n_rows, 1)?,
        };
        Ok((t, states))
    }

    /// Runs the function. Nothing of Python happens while it is held, and who waits for it lets others have the interpreter.
    fn held<T: Send>(
        &self,
        py: Python<'_>,
        run: impl FnOnce(&mut StateFunction) -> Result<T, String> + Send,
    ) -> PyResult<T> {
        let done = match self.function.try_lock() {
            Ok(mut function) => run(&mut function),
            Err(TryLockError::Poisoned(held)) => run(&mut held.into_inner()),
            Err(TryLockError::WouldBlock) => py.detach(|| run(&mut self.locked())),
        };
        done.map_err(ModelError::new_err)
    }
}

/// Arguments as Python gives them.
type Given<'a, 'py> = &'a Bound<'py, PyAny>;

/// The arguments of a call.
pub struct Call<'a, 'py> {
    pub t: Given<'a, 'py>,
    pub x: Given<'a, 'py>,
    pub u: Option<Given<'a, 'py>>,
    pub accelerations: Option<Given<'a, 'py>>,
    pub out: Option<Given<'a, 'py>>,
}

/// States: one, or many by rows.
pub enum States {
    One(Vec<f64>),
    Many(usize, Vec<f64>),
}

impl States {
    pub fn rows(&self) -> usize {
        match self {
            States::One(_) => 1,
            States::Many(rows, _) => *rows,
        }
    }

    pub fn numbers(&self) -> &[f64] {
        match self {
            States::One(x) | States::Many(_, x) => x,
        }
    }

    /// The values at the states: of the shape of one, with a row for each where there are many.
    pub fn shaped<'py>(
        &self,
        py: Python<'py>,
        values: Vec<f64>,
        shape: &[usize],
    ) -> PyResult<Bound<'py, PyAny>> {
        let rows = match self {
            States::One(_) => None,
            States::Many(rows, _) => Some(*rows),
        };
        let shape: Vec<usize> = rows.into_iter().chain(shape.iter().copied()).collect();
        let array: Bound<'py, PyArrayDyn<f64>> = PyArray1::from_vec(py, values).reshape(shape)?;
        Ok(array.into_any())
    }
}

impl<'py> Call<'_, 'py> {
    /// The value at the state x, or at all states where x has two dimensions.
    pub fn evaluate(
        &self,
        model: &Model,
        py: Python<'py>,
        question: StateQuestion,
    ) -> PyResult<Bound<'py, PyAny>> {
        let prepared = prepared(model, py, question)?;
        if let Some(out) = self.out {
            return self.written(py, prepared, out);
        }
        let states = states(self.x, prepared.states)?;
        let mut values = vec![0.0; states.rows() * prepared.length()];
        match &states {
            States::One(x) => {
                self.one(py, prepared, x, &mut values)?;
                shaped(py, &values, &prepared.shape)
            }
            States::Many(rows, x) => {
                self.many(py, prepared, (*rows, x), &mut values)?;
                states.shaped(py, values, &prepared.shape)
            }
        }
    }

    /// A matrix whose first columns belong to the states: these, and the others.
    pub fn split(
        &self,
        model: &Model,
        py: Python<'py>,
        question: StateQuestion,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>)> {
        let prepared = prepared(model, py, question)?;
        let n = prepared.states;
        if let (States::One(x), [rows, columns], None) =
            (states(self.x, prepared.states)?, &prepared.shape[..], self.out)
        {
            let mut values = vec![0.0; prepared.length()];
            self.one(py, prepared, &x, &mut values)?;
            let both = ArrayView2::from_shape((*rows, *columns), &values)
                .map_err(|e| PyValueError::new_err(e.to_string()))?;
            let by_states = both.slice(s![.., ..n]).to_pyarray(py);
            return Ok((by_states.into_any(), both.slice(s![.., n..]).to_pyarray(py).into_any()));
        }
        let both = self.evaluate(model, py, question)?;
        let all = PySlice::full(py);
        let columns = prepared.shape.last().copied().unwrap_or(0);
        let part = |from: usize, to: usize| {
            let columns = PySlice::new(py, from.try_into()?, to.try_into()?, 1);
            let rank = both.cast::<PyArrayDyn<f64>>()?.ndim();
            let places: Vec<Bound<'py, PyAny>> =
                (1..rank).map(|_| all.clone().into_any()).chain([columns.into_any()]).collect();
            both.get_item(PyTuple::new(py, places)?)
        };
        Ok((part(0, n)?, part(n, columns)?))
    }

    /// The value in an array of the caller.
    fn written(
        &self,
        py: Python<'py>,
        prepared: &Prepared,
        out: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let Ok(array) = out.cast::<PyArrayDyn<f64>>() else {
            return Err(PyValueError::new_err("`out` is not an array of float64"));
        };
        let states = states(self.x, prepared.states)?;
        let rows = match &states {
            States::One(_) => None,
            States::Many(rows, _) => Some(*rows),
        };
        if !array.shape().iter().eq(rows.iter().chain(&prepared.shape)) {
            let expected: Vec<usize> = rows.into_iter().chain(prepared.shape.iter().copied()).collect();
            let message = format!("`out` has the shape {:?}, expected {expected:?}", array.shape());
            return Err(PyValueError::new_err(message));
        }
        let mut writable = array
            .try_readwrite()
            .map_err(|_| PyValueError::new_err("`out` cannot be written, or is used elsewhere"))?;
        let values = writable
            .as_slice_mut()
            .map_err(|_| PyValueError::new_err("the numbers of `out` do not stand row by row"))?;
        match &states {
            States::One(x) => self.one(py, prepared, x, values)?,
            States::Many(rows, x) => self.many(py, prepared, (*rows, x), values)?,
        }
        Ok(out.clone())
    }

    fn one(&self, py: Python<'py>, prepared: &Prepared, x: &[f64], out: &mut [f64]) -> PyResult<()> {
        let t = time(self.t)?;
        let u = self.u.map(|u| numbers("u", u, prepared.controls)).transpose()?;
        let accelerations = match self.accelerations {
            Some(a) => numbers("accelerations", a, prepared.accelerations)?,
            None => vec![],
        };
        let arguments = StateArguments { t, x, u: u.as_deref(), accelerations: &accelerations };
        prepared.held(py, |f| f.at(&arguments, out).map_err(|e| e.to_string()))
    }

    fn many(
        &self,
        py: Python<'py>,
        prepared: &Prepared,
        (n_rows, x): (usize, &[f64]),
        out: &mut [f64],
    ) -> PyResult<()> {
        let t = rows("t", self.t, n_rows, 1)?;
        let u = self.u.map(|u| rows("u", u, n_rows, prepared.controls)).transpose()?;
        let accelerations = match self.accelerations {
            Some(a) => rows("accelerations", a, n_rows, prepared.accelerations)?,
            None => vec![],
        };
        let arguments = ManyArguments { t: &t, x, u: u.as_deref(), accelerations: &accelerations };
        prepared.many(py, |f| f.at_many(&arguments, out, threads()))
    }
}

/// As many threads as the machine runs at once.
pub fn threads() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Makes a function ready.
pub fn prepared<'m>(model: &'m Model, py: Python<'_>, question: StateQuestion) -> PyResult<&'m Prepared> {
    let place = &model.functions()[question as usize];
    if let Some(found) = place.get() {
        return Ok(found);
    }
    let made = model.ask(py, |core| core.function(question))?;
    Ok(place.get_or_init(|| Prepared::of(made)))
}

/// One state of n numbers, or rows of such.
fn states(given: &Bound<'_, PyAny>, n: usize) -> PyResult<States> {
    if let Ok(x) = given.cast::<PyArray1<f64>>()
        && let Ok(x) = x.to_vec()
    {
        return Ok(States::One(finite("x", x, n)?));
    }
    if let Ok(x) = given.cast::<PyArray2<f64>>()
        && x.shape()[1] == n
        && let Ok(found) = x.to_vec()
    {
        let length = found.len();
        return Ok(States::Many(x.shape()[0], finite("x", found, length)?));
    }
    let x: PyArrayLikeDyn<'_, f64, AllowTypeChange> = given.extract().map_err(|_| {
        PyValueError::new_err(format!("`x` is not a vector of {n} numbers, nor rows of such"))
    })?;
    let found = all(&x);
    match *x.shape() {
        [_] => Ok(States::One(finite("x", found, n)?)),
        [rows, columns] if columns == n => Ok(States::Many(rows, finite("x", found, rows * n)?)),
        ref shape => {
            let message = format!("`x` has the shape {shape:?}, expected [{n}] or [n, {n}]");
            Err(PyValueError::new_err(message))
        }
    }
}

fn all(array: &PyArrayLikeDyn<'_, f64, AllowTypeChange>) -> Vec<f64> {
    array.as_array().iter().copied().collect()
}

fn finite(name: &str, found: Vec<f64>, n: usize) -> PyResult<Vec<f64>> {
    if found.len() != n {
        return Err(PyValueError::new_err(format!("`{name}` has {} numbers, expected {n}", found.len())));
    }
    match found.iter().position(|x| !x.is_finite()) {
        None => Ok(found),
        Some(k) => Err(PyValueError::new_err(format!("`{name}[{k}]` is {}, not a finite number", found[k]))),
    }
}

fn time(t: &Bound<'_, PyAny>) -> PyResult<f64> {
    let t: f64 = t.extract().map_err(|_| PyValueError::new_err("`t` is not a number"))?;
    if t.is_finite() { Ok(t) } else { Err(PyValueError::new_err(format!("`t` is {t}, not a finite number"))) }
}

/// One number of each kind for all states, or one for each.
fn rows(name: &str, given: &Bound<'_, PyAny>, rows: usize, width: usize) -> PyResult<Vec<f64>> {
    let wrong = || {
        let expected =
            if width == 1 { format!("[] or [{rows}]") } else { format!("[{width}] or [{rows}, {width}]") };
        PyValueError::new_err(format!("`{name}` has not the shape {expected}"))
    };
    let array: PyArrayLikeDyn<'_, f64, AllowTypeChange> = given.extract().map_err(|_| wrong())?;
    let found = all(&array);
    let is_right = match *array.shape() {
        [] => name == "t",
        [n] => n == if name == "t" { rows } else { width },
        [r, n] => r == rows && n == width && name != "t",
        _ => false,
    };
    let n = found.len();
    if is_right { finite(name, found, n) } else { Err(wrong()) }
}

fn shaped<'py>(py: Python<'py>, numbers: &[f64], shape: &[usize]) -> PyResult<Bound<'py, PyAny>> {
    let wrong = |e: numpy::ndarray::ShapeError| PyValueError::new_err(e.to_string());
    Ok(match *shape {
        [_] => PyArray1::from_slice(py, numbers).into_any(),
        [n, m] => ArrayView2::from_shape((n, m), numbers).map_err(wrong)?.to_pyarray(py).into_any(),
        _ => ArrayViewD::from_shape(shape, numbers).map_err(wrong)?.to_pyarray(py).into_any(),
    })
}
