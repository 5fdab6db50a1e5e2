//! Functions of the state at machine speed: at one state, or at many by vector lanes and threads.

use cardan::analysis::{ManyArguments, StateArguments, StateFunction, StateQuestion};
use numpy::{
    AllowTypeChange, PyArray1, PyArrayDyn, PyArrayLikeDyn, PyArrayMethods, PyReadonlyArray1,
    PyUntypedArrayMethods,
};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::arrays::numbers;
use crate::exceptions::ModelError;
use crate::model::Model;

/// The functions of a model that have been asked for.
pub type Functions = [Option<StateFunction>; StateQuestion::ALL.len()];

/// The arguments of a call as Python gives them.
pub struct Given<'a, 'py> {
    pub t: &'a Bound<'py, PyAny>,
    pub x: &'a Bound<'py, PyAny>,
    pub u: Option<&'a Bound<'py, PyAny>>,
    pub accelerations: Option<&'a Bound<'py, PyAny>>,
}

/// A function at the state x, or at all states where x has two dimensions.
pub fn evaluate<'py>(
    model: &Model,
    py: Python<'py>,
    question: StateQuestion,
    given: &Given<'_, 'py>,
) -> PyResult<Bound<'py, PyAny>> {
    let sizes = prepare(model, py, question)?;
    if let Ok(x) = given.x.extract::<PyReadonlyArray1<'_, f64>>() {
        let x = finite("x", x.as_array().to_vec(), sizes.states)?;
        return at(model, py, question, &sizes, (given, x));
    }
    let x: PyArrayLikeDyn<'_, f64, AllowTypeChange> = given.x.extract().map_err(|_| {
        PyValueError::new_err(format!("`x` is not a vector of {} numbers, nor rows of such", sizes.states))
    })?;
    match *x.shape() {
        [_] => at(model, py, question, &sizes, (given, finite("x", all(&x), sizes.states)?)),
        [rows, n] if n == sizes.states => at_many(model, py, question, &sizes, (given, rows, all(&x))),
        ref shape => {
            let message = format!("`x` has the shape {shape:?}, expected [{0}] or [n, {0}]", sizes.states);
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

/// How long the arguments and the result are.
struct Sizes {
    states: usize,
    controls: usize,
    accelerations: usize,
    shape: Vec<usize>,
}

/// Makes the function ready.
fn prepare(model: &Model, py: Python<'_>, question: StateQuestion) -> PyResult<Sizes> {
    let sizes = |function: &StateFunction| {
        let (states, controls, accelerations) = function.sizes();
        Sizes { states, controls, accelerations, shape: function.shape().to_vec() }
    };
    let known = model.locked_functions()[question as usize].as_ref().map(sizes);
    if let Some(known) = known {
        return Ok(known);
    }
    let made = model.ask(py, |core| core.function(question))?;
    let found = sizes(&made);
    model.locked_functions()[question as usize] = Some(made);
    Ok(found)
}

/// Nothing of Python happens while the functions are held: another thread that waits for them may hold the interpreter.
fn held<T>(
    model: &Model,
    question: StateQuestion,
    run: impl FnOnce(&mut StateFunction) -> Result<T, String>,
) -> PyResult<T> {
    let done = match model.locked_functions()[question as usize].as_mut() {
        Some(function) => run(function),
        None => Err("there is no program".to_owned()),
    };
    done.map_err(ModelError::new_err)
}

fn at<'py>(
    model: &Model,
    py: Python<'py>,
    question: StateQuestion,
    sizes: &Sizes,
    (given, x): (&Given<'_, 'py>, Vec<f64>),
) -> PyResult<Bound<'py, PyAny>> {
    let t = time(given.t)?;
    let u = given.u.map(|u| numbers("u", u, sizes.controls)).transpose()?;
    let accelerations = match given.accelerations {
        Some(a) => numbers("accelerations", a, sizes.accelerations)?,
        None => vec![],
    };
    let mut out = vec![0.0; sizes.shape.iter().product()];
    let arguments = StateArguments { t, x: &x, u: u.as_deref(), accelerations: &accelerations };
    held(model, question, |f| f.at(&arguments, &mut out).map_err(|e| e.to_string()))?;
    shaped(py, out, &sizes.shape)
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

fn at_many<'py>(
    model: &Model,
    py: Python<'py>,
    question: StateQuestion,
    sizes: &Sizes,
    (given, n_rows, x): (&Given<'_, 'py>, usize, Vec<f64>),
) -> PyResult<Bound<'py, PyAny>> {
    let n = x.len();
    let x = finite("x", x, n)?;
    let t = rows("t", given.t, n_rows, 1)?;
    let u = given.u.map(|u| rows("u", u, n_rows, sizes.controls)).transpose()?;
    let accelerations = match given.accelerations {
        Some(a) => rows("accelerations", a, n_rows, sizes.accelerations)?,
        None => vec![],
    };
    let mut out = vec![0.0; n_rows * sizes.shape.iter().product::<usize>()];
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let arguments = ManyArguments { t: &t, x: &x, u: u.as_deref(), accelerations: &accelerations };
    py.detach(|| {
        held(model, question, |f| f.at_many(&arguments, &mut out, threads).map_err(|e| e.to_string()))
    })?;
    let shape: Vec<usize> = std::iter::once(n_rows).chain(sizes.shape.iter().copied()).collect();
    shaped(py, out, &shape)
}

fn shaped<'py>(py: Python<'py>, numbers: Vec<f64>, shape: &[usize]) -> PyResult<Bound<'py, PyAny>> {
    let flat = PyArray1::from_vec(py, numbers);
    if let [_] = shape {
        return Ok(flat.into_any());
    }
    let array: Bound<'py, PyArrayDyn<f64>> = flat.reshape(shape.to_vec())?;
    Ok(array.into_any())
}
