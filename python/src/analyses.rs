//! Questions asked of a model.

use cardan::analysis::{
    self, AnalysisError, EquilibriumOptions, LinearOptions, Linearization, Modes, Named, StateQuestion,
    actuator, coriolis_at_many, modes, point_jacobian_at_many,
};
use cardan::base::nearest;
use numpy::{PyArray1, PyArray2};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use crate::arrays::{matrix, numbers, vector};
use crate::model::Model;
use crate::state_function::{prepared, threads};

/// The numbers of a state.
fn state(model: &Model, py: Python<'_>, x: &Bound<'_, PyAny>) -> PyResult<Vec<f64>> {
    let n = model.ask(py, |core| {
        let m = &core.model;
        Ok(m.coordinates.len() + m.speeds.len() + m.states.len())
    })?;
    numbers("x", x, n)
}

/// The place of a body by its name.
fn body_place(model: &Model, py: Python<'_>, body: &str) -> PyResult<usize> {
    model.ask(py, |core| {
        let bodies = &core.model.bodies;
        let unknown = || {
            let nearest = nearest(body, bodies.iter().map(|(_, b)| b.name.as_str())).map(str::to_owned);
            AnalysisError::Unknown { kind: "body", name: body.to_owned(), nearest }
        };
        Ok(bodies.iter().position(|(_, b)| b.name == body).ok_or_else(unknown)?)
    })
}

/// The Coriolis matrix of the Christoffel symbols, at a state or at rows of states.
pub fn coriolis<'py>(
    model: &Model,
    py: Python<'py>,
    t: &Bound<'py, PyAny>,
    x: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let inverse = prepared(model, py, StateQuestion::Inverse)?;
    let (t, at) = inverse.instants(t, x)?;
    let k = inverse.speeds();
    let mut values = vec![0.0; at.rows() * k * k];
    inverse.many(py, |f| coriolis_at_many(f, (&t, at.numbers()), &mut values, threads()))?;
    at.shaped(py, values, &[k, k])
}

/// The Jacobian of a point of a body, at a state or at rows of states.
pub fn point_jacobian<'py>(
    model: &Model,
    py: Python<'py>,
    t: &Bound<'py, PyAny>,
    (x, body, point): (&Bound<'py, PyAny>, &str, [f64; 3]),
) -> PyResult<Bound<'py, PyAny>> {
    let place = body_place(model, py, body)?;
    let poses = prepared(model, py, StateQuestion::Poses)?;
    let twists = prepared(model, py, StateQuestion::Twists)?;
    let (t, at) = twists.instants(t, x)?;
    let k = twists.speeds();
    let mut values = vec![0.0; at.rows() * 6 * k];
    twists.many(py, |twists| {
        let both = (twists, &mut *poses.locked());
        point_jacobian_at_many(both, (&t, at.numbers()), (place, point), &mut values, threads())
    })?;
    at.shaped(py, values, &[6, k])
}

/// The matrix of a regressor and what is left without the parameters.
pub type Regressor<'py> = (Bound<'py, PyArray2<f64>>, Bound<'py, PyArray1<f64>>);

/// Forces as a linear function of parameters: the regressor, and the forces that do not depend on them.
pub fn regressor<'py>(
    model: &Model,
    py: Python<'py>,
    t: f64,
    (x, accelerations): (&Bound<'py, PyAny>, &Bound<'py, PyAny>),
    parameters: &[String],
) -> PyResult<Regressor<'py>> {
    let y = state(model, py, x)?;
    let n = model.ask(py, |core| Ok(core.model.speeds.len()))?;
    let accelerations = numbers("accelerations", accelerations, n)?;
    let (found, rest) = model.ask(py, |core| core.regressor(parameters, (t, &y), &accelerations))?;
    Ok((matrix(py, &found)?, vector(py, &rest)))
}

/// The forces of actuators that give accelerations, and the force that they cannot provide.
pub fn inverse<'py>(
    model: &Model,
    py: Python<'py>,
    t: f64,
    (x, accelerations): (&Bound<'py, PyAny>, &Bound<'py, PyAny>),
    actuators: Option<Vec<String>>,
) -> PyResult<(Bound<'py, PyArray1<f64>>, f64)> {
    let y = state(model, py, x)?;
    let n = model.ask(py, |core| Ok(core.model.speeds.len()))?;
    let accelerations = numbers("acceleration", accelerations, n)?;
    let found = model.ask(py, |core| {
        let study = core.study()?;
        let places = match actuators {
            None => (0..n).collect(),
            Some(names) => names.iter().map(|name| actuator(study, name)).collect::<Result<Vec<_>, _>>()?,
        };
        Ok(analysis::inverse(study, t, &y, &accelerations, &places)?)
    })?;
    Ok((vector(py, &found.forces), found.left))
}

fn names(list: &[Named]) -> Vec<&str> {
    list.iter().map(|n| n.name.as_str()).collect()
}

/// Linear equations about a state; the start if none is given.
pub fn linearize<'py>(
    model: &Model,
    py: Python<'py>,
    t: f64,
    x: Option<&Bound<'py, PyAny>>,
    keep: Vec<String>,
    with_modes: bool,
) -> PyResult<Bound<'py, PyDict>> {
    let x = x.map(|x| state(model, py, x)).transpose()?;
    let (linear, found) = model.ask(py, |core| {
        let study = core.study()?;
        let y = match x {
            Some(y) => y,
            None => study.start(t)?,
        };
        let linear = analysis::linearize(study, t, &y, &LinearOptions { keep })?;
        let found = if with_modes { Some(modes(study, &linear)?) } else { None };
        Ok((linear, found))
    })?;
    let out = linear_parts(py, &linear)?;
    if let Some(found) = found {
        out.set_item("modes", mode_list(py, &found)?)?;
        out.set_item("stability", found.stability.name())?;
        out.set_item("verdict", &found.verdict)?;
    }
    Ok(out)
}

fn linear_parts<'py>(py: Python<'py>, linear: &Linearization) -> PyResult<Bound<'py, PyDict>> {
    let out = PyDict::new(py);
    let second = &linear.second_order;
    let matrices = [
        ("A", &linear.a),
        ("B", &linear.b),
        ("C", &linear.c),
        ("D", &linear.d),
        ("basis", &linear.basis),
        ("M", &second.mass),
        ("damping", &second.damping),
        ("K", &second.stiffness),
    ];
    for (name, m) in matrices {
        out.set_item(name, matrix(py, m)?)?;
    }
    let states: Vec<&str> = linear.independent.iter().map(|i| i.named.name.as_str()).collect();
    out.set_item("states", states)?;
    out.set_item("inputs", names(&linear.inputs))?;
    out.set_item("outputs", names(&linear.outputs))?;
    out.set_item("point", linear.point.words())?;
    out.set_item("time", linear.time)?;
    out.set_item("x", vector(py, &linear.state))?;
    Ok(out)
}

/// Eigenvalue, frequency in hertz, damping ratio, time constant, shape, words.
fn mode_list<'py>(py: Python<'py>, found: &Modes) -> PyResult<Bound<'py, PyList>> {
    let list = PyList::empty(py);
    for mode in &found.modes {
        let (re, im) = mode.eigenvalue;
        let numbers = (re, im, mode.frequency, mode.damping, mode.time_constant);
        list.append((numbers, mode.shape.clone(), &mode.words))?;
    }
    Ok(list)
}

/// An equilibrium near the start.
pub fn equilibrium<'py>(
    model: &Model,
    py: Python<'py>,
    t: f64,
    stable: bool,
) -> PyResult<Bound<'py, PyDict>> {
    let options = EquilibriumOptions { stable, ..EquilibriumOptions::default() };
    let found = model.ask(py, |core| Ok(analysis::equilibrium(core.study()?, t, &options)?))?;
    let out = PyDict::new(py);
    out.set_item("x", vector(py, &found.state))?;
    out.set_item("balanced", found.balanced)?;
    out.set_item("residual", found.residual)?;
    out.set_item("stability", found.stability.map(|s| s.name()))?;
    out.set_item("verdict", &found.verdict)?;
    out.set_item("eigenvalues", found.eigenvalues)?;
    Ok(out)
}

/// Independent checks: name, what was compared, difference, limit, finding.
pub fn verify<'py>(model: &Model, py: Python<'py>, points: usize) -> PyResult<Bound<'py, PyList>> {
    let checks = model.ask(py, |core| {
        let settings = core.settings()?;
        let (model, mut study) = (core.model.clone(), core.study()?.clone());
        let compiled = core.compiled_as_asked()?;
        let asked = (&settings, points);
        let (choice, simulation) = (&compiled.choice, &compiled.simulation);
        Ok(analysis::verify(&model, choice, simulation, &mut study, asked, &mut |_| ())?)
    })?;
    let list = PyList::empty(py);
    for c in checks {
        list.append((c.name, c.compared, c.difference, c.limit, c.finding.name()))?;
    }
    Ok(list)
}
