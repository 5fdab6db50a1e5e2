//! Line plots.

use cardan_viewer::{Curve, Plot, svg_plot};
use numpy::PyReadonlyArray1;
use pyo3::prelude::*;

/// A plot over the time as SVG: curves by name, in one unit.
#[pyfunction]
pub fn line_plot(
    t: PyReadonlyArray1<'_, f64>,
    curves: Vec<(String, PyReadonlyArray1<'_, f64>)>,
    title: String,
    unit: String,
) -> String {
    let times = t.as_array().to_vec();
    let curve = |(name, y): (String, PyReadonlyArray1<'_, f64>)| {
        Curve::line(name, times.clone(), y.as_array().to_vec())
    };
    let curves = curves.into_iter().map(curve).collect();
    svg_plot(&Plot { title, y_unit: unit, curves, ..Plot::default() })
}
