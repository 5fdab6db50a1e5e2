//! Whether mass resists every motion that the constraints admit.
//!
//! ```text
//! [resists]   M + Σ s_r g_r g_r^T   positive definite,   s_r = tr M / |g_r|²,   g_r the rows of G
//! ```
//!
//! What the constraints forbid needs no mass, and with any positive weights it gets some here; the rest must have its own. A pivot that is
//! rounding, beside the element that it comes from, belongs to a motion that is both free and without mass.

use cardan_base::{Id, Map};
use cardan_equations::constrained::rows;
use cardan_equations::{Formalism, mass_matrix};
use cardan_expr::{Expr, SymbolId};
use cardan_lower::mass_entries_program;
use cardan_model::{Model, SpeedId};
use cardan_program::{Execute, Interpreter};

use cardan_assembly::parameter_values::ParameterValues;
use cardan_assembly::rank::identities::{Rate, take_identities};

/// Pivots as parts of the diagonal that they come from, below which nothing resists.
const ROUNDING: f64 = 1e-13;

/// Whether the mass matrix is singular in a state for the values of parameters alone: some body has a mass or inertia as a symbol, and none as
/// a number.
pub(crate) fn is_massless_by_value(model: &Model, state: &[f64]) -> bool {
    let pool = model.space.pool();
    let values = ParameterValues::of(model);
    let moments = |b: &cardan_model::Body| [b.mass, b.inertia[0][0], b.inertia[1][1], b.inertia[2][2]];
    let mut all = model.bodies.iter().flat_map(|(_, b)| moments(b)).filter(|e| pool.as_number(*e).is_none());
    let vanishes = |m: Vec<Vec<f64>>| pivots(m).iter().any(|pivot| *pivot <= ROUNDING);
    all.any(|e| values.evaluate(model, e) == 0.0)
        && numeric_mass(&model.clone(), &values, Some(state)).is_some_and(|(m, _)| vanishes(m))
}

/// A speed of a motion at the start that the constraints admit and no mass resists. [resists]
pub fn free_without_mass(model: &Model, start: Option<&[f64]>) -> Option<SpeedId> {
    let model = &model.clone();
    let values = ParameterValues::of(model);
    let (mut m, state) = numeric_mass(model, &values, start)?;
    let trace: f64 = (0..m.len()).map(|k| m[k][k]).sum();
    for row in directions(model, &values, &state) {
        let square: f64 = row.iter().map(|(_, g)| g * g).sum();
        let weight = if square > 0.0 { trace / square } else { 0.0 };
        for (i, g) in &row {
            row.iter().for_each(|(j, h)| m[*i][*j] += weight * g * h);
        }
    }
    model
        .speeds
        .ids()
        .zip(pivots(m))
        .find(|(_, pivot)| !pivot.is_nan() && *pivot <= ROUNDING)
        .map(|(id, _)| id)
}

/// The same for a tree of which only a part has mass: elsewhere the formalisms find out by themselves.
pub(crate) fn unresisted(model: &Model, start: Option<&[f64]>) -> Option<SpeedId> {
    let is_massless = |b: &cardan_model::Body| b.is_massless(&model.space);
    let moves = |b: &cardan_model::Body| b.joint.is_some_and(|j| !model.joints[j].coordinates.is_empty());
    let idle = model.bodies.iter().any(|(_, b)| is_massless(b) && moves(b));
    let matter = model.bodies.iter().any(|(_, b)| !is_massless(b));
    if idle && matter && model.constraints.is_empty() { free_without_mass(model, start) } else { None }
}

/// M in a state, or in the one that the model gives, and that state.
fn numeric_mass(
    model: &Model,
    values: &ParameterValues,
    state: Option<&[f64]>,
) -> Option<(Vec<Vec<f64>>, Vec<f64>)> {
    let mass = mass_matrix(model, Formalism::Recursive).ok()?;
    // It runs once, so common parts are not worth the search for them.
    let pool = model.space.pool();
    let below = (0..mass.len()).flat_map(|i| (0..=i).map(move |j| (i, j)));
    let entries: Vec<(usize, usize)> = below.filter(|(i, j)| !pool.is_zero(mass[*i][*j])).collect();
    let made = mass_entries_program(model, &mass, &entries).ok()?;
    // A parameter without a value is taken as one: whether something resists is a matter of structure.
    let mut inputs = vec![0.0; made.program.inputs().len()];
    made.inputs.parameters.iter().for_each(|p| inputs[p.input.index()] = p.default.unwrap_or(1.0));
    let state: Vec<f64> = match state {
        Some(state) => state.to_vec(),
        None => {
            let q = model.coordinates.iter().map(|(_, q)| q.start);
            let all = q.chain(model.speeds.iter().map(|(_, u)| u.start));
            all.chain(model.states.iter().map(|(_, s)| s.start)).map(|e| values.evaluate(model, e)).collect()
        }
    };
    inputs[made.inputs.state()].copy_from_slice(&state);
    let mut engine = Interpreter::new(&made.program).ok()?;
    let mut outputs = vec![0.0; made.program.outputs().len()];
    engine.run(made.program.all_stages(), &inputs, &mut outputs).ok()?;
    let n = model.speeds.len();
    let mut m = vec![vec![0.0; n]; n];
    for ((i, j), value) in entries.into_iter().zip(outputs) {
        (m[i][j], m[j][i]) = (value, value);
    }
    Some((m, state))
}

/// The rows of G at a state: speeds and entries.
fn directions(model: &Model, values: &ParameterValues, state: &[f64]) -> Vec<Vec<(usize, f64)>> {
    let pool = model.space.pool();
    let mut known: Map<SymbolId, f64> = Map::default();
    let mut learn = |symbol: Expr, value: f64| known.extend(pool.as_symbol(symbol).map(|s| (s, value)));
    for (_, p) in model.parameters.iter() {
        let value = values.evaluate(model, p.symbol);
        learn(p.symbol, if value.is_finite() { value } else { 1.0 });
    }
    let symbols = model.coordinates.iter().map(|(_, q)| q.symbol);
    symbols.chain(model.speeds.iter().map(|(_, u)| u.symbol)).zip(state).for_each(|(s, x)| learn(s, *x));
    let value = |s: SymbolId| known.get(&s).copied().unwrap_or(0.0);
    let mut all = rows::rows(model);
    let rates = take_identities(model, values, &mut all);
    let rows = all.rows.iter().zip(rates).filter(|(_, rate)| *rate == Rate::Varies).map(|(row, _)| row);
    let row = |r: &cardan_equations::ConstraintRow| {
        let entries: Vec<Expr> = r.jacobian.iter().map(|(_, e)| *e).collect();
        r.jacobian.iter().map(|(k, _)| *k).zip(pool.evaluate_all(&entries, &value)).collect()
    };
    rows.map(row).collect()
}

/// The pivots of a symmetric matrix, each as a part of its diagonal element; zero for a zero row.
fn pivots(mut m: Vec<Vec<f64>>) -> Vec<f64> {
    let n = m.len();
    let diagonal: Vec<f64> = (0..n).map(|k| m[k][k]).collect();
    let mut found = vec![];
    for k in 0..n {
        let pivot = m[k][k];
        found.push(if diagonal[k] == 0.0 { 0.0 } else { pivot / diagonal[k] });
        if pivot == 0.0 {
            continue;
        }
        for i in k + 1..n {
            let factor = m[i][k] / pivot;
            // Bodies that nothing joins are many in large models.
            if factor == 0.0 {
                continue;
            }
            for j in k + 1..n {
                m[i][j] -= factor * m[k][j];
            }
        }
    }
    found
}
