//! Constraints that say nothing new in a position although they usually do: a singular position.
//!
//! ```text
//! [lost]    rank of G here < rank of G usually, its rows divided by their usual lengths
//! ```
//!
//! What is usual is seen at the start or, where that is singular itself, in a position beside it.
//!
//! What such constraints bear is not determined there, and neither are motions near it by linear equations.

use cardan_solve::linear::{Matrix, least_norm};

use cardan_model::Model;

use crate::error::AnalysisError;
use crate::numeric_model::Study;

/// Singular values below this vanish; rows usually have length one. Loops that close quadratically leave as much.
const VANISHES: f64 = 1e-5;

/// The names of the constraints without which the rank is the same; none where the position is not singular. [lost]
pub(crate) fn lost_constraints(
    study: &mut Study,
    t: f64,
    state: &[f64],
) -> Result<Vec<String>, AnalysisError> {
    if study.row_names().is_empty() {
        return Ok(vec![]);
    }
    let start = study.start(t)?;
    let usual = rows(study, t, &start)?;
    let length = |row: &Vec<f64>| row.iter().map(|x| x * x).sum::<f64>().sqrt();
    let fork = study.fork().cloned();
    let lengths = fork.as_ref().map_or_else(|| usual.iter().map(length).collect(), |f| f.lengths.clone());
    let here = rows(study, t, state)?;
    let rank = |rows: &[Vec<f64>], out: Option<usize>| -> Result<usize, AnalysisError> {
        let mut g = Matrix::zeros(rows.len(), rows.first().map_or(0, Vec::len));
        for (i, row) in rows.iter().enumerate().filter(|(i, _)| Some(*i) != out && lengths[*i] > 0.0) {
            row.iter().enumerate().for_each(|(k, x)| g[(i, k)] = x / lengths[i]);
        }
        let found =
            least_norm(&g, &vec![0.0; rows.len()], 0.0).map_err(|f| AnalysisError::Evaluation(f.message))?;
        Ok(found.singular_values.iter().filter(|s| **s > VANISHES).count())
    };
    let left = rank(&here, None)?;
    let mut names: Vec<String> = vec![];
    let (_, n_u, _) = study.sizes();
    let enough = fork.map_or_else(|| rank(&usual, None), |f| Ok(n_u.saturating_sub(f.motions.0)))?;
    if left < enough {
        for k in 0..here.len() {
            let name = study.row_names().get(k).map(|row| row.constraint.clone());
            if rank(&here, Some(k))? == left {
                names.extend(name.filter(|n| !names.contains(n)));
            }
        }
    }
    Ok(names)
}

/// The places of the outputs that look at what joints and constraints bear.
pub(crate) fn borne_outputs(model: &Model) -> Vec<usize> {
    let pool = model.space.pool();
    let borne: Vec<_> = model
        .constraints
        .iter()
        .flat_map(|(_, c)| c.multipliers.iter().copied())
        .chain(model.reactions.iter().flat_map(|r| r.unknowns()))
        .collect();
    let looks = |value| {
        let seen = pool.reachable([value]);
        borne.iter().any(|symbol| seen.binary_search(symbol).is_ok())
    };
    (0..model.outputs.len()).filter(|k| looks(model.outputs[*k].value)).collect()
}

/// G, row by row.
fn rows(study: &mut Study, t: f64, state: &[f64]) -> Result<Vec<Vec<f64>>, AnalysisError> {
    let (n_q, n_u, _) = study.sizes();
    let velocities = study.local(t, state)?.velocities;
    let row = |i: usize| (0..n_u).map(|k| velocities[(i, n_q + k)]).collect();
    Ok((0..velocities.n_rows()).map(row).collect())
}
