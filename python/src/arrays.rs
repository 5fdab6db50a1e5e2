//! Numbers to and from NumPy.

use cardan::solve::Matrix;
use numpy::{AllowTypeChange, PyArray1, PyArray2, PyArrayLike1, PyArrayMethods, ToPyArray};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// A matrix as a NumPy array of the same shape.
pub fn matrix<'py>(py: Python<'py>, m: &Matrix) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let rows: Vec<f64> = (0..m.n_rows()).flat_map(|i| (0..m.n_cols()).map(move |j| m[(i, j)])).collect();
    PyArray1::from_vec(py, rows).reshape([m.n_rows(), m.n_cols()])
}

/// A vector as a NumPy array.
pub fn vector<'py>(py: Python<'py>, v: &[f64]) -> Bound<'py, PyArray1<f64>> {
    v.to_pyarray(py)
}

/// Moves columns into one read-only array (columns × samples).
pub fn columns(py: Python<'_>, data: Vec<f64>, n_columns: usize) -> PyResult<Bound<'_, PyArray2<f64>>> {
    let n_samples = data.len() / n_columns.max(1);
    read_only(PyArray1::from_vec(py, data).reshape([n_columns, n_samples])?)
}

fn read_only(array: Bound<'_, PyArray2<f64>>) -> PyResult<Bound<'_, PyArray2<f64>>> {
    array.try_readwrite()?.make_nonwriteable();
    Ok(array)
}

/// Exactly `n` finite numbers.
pub fn numbers(name: &str, given: &Bound<'_, PyAny>, n: usize) -> PyResult<Vec<f64>> {
    let found = match given.cast::<PyArray1<f64>>().ok().and_then(|array| array.to_vec().ok()) {
        Some(found) => found,
        None => {
            let array: PyArrayLike1<'_, f64, AllowTypeChange> = given
                .extract()
                .map_err(|_| PyValueError::new_err(format!("`{name}` is not a vector of {n} numbers")))?;
            array.as_array().to_vec()
        }
    };
    if found.len() != n {
        return Err(PyValueError::new_err(format!("`{name}` has {} numbers, expected {n}", found.len())));
    }
    match found.iter().position(|x| !x.is_finite()) {
        None => Ok(found),
        Some(k) => Err(PyValueError::new_err(format!("`{name}[{k}]` is {}, not a finite number", found[k]))),
    }
}
