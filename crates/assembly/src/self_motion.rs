//! Positions that belong to a whole line of positions: with the same coordinates held, something still moves.
//!
//! ```text
//! [further]    G_f δ = 0,  δ ≠ 0        the columns f that are not held; the loops close again after a step along δ
//! [line]       two such positions are on one line if the same coordinates can move and all others are alike
//! ```
//!
//! In a singular position that stands alone a step along δ leads back to it, so that it is a branch of its own. Of the positions of one line there
//! are as many as one looks for; one of them stands for all.

use std::f64::consts::TAU;

use cardan_solve::linear::{Matrix, least_norm};

use crate::newton::{Hold, Work, beside, close};

/// How far a step along a further freedom goes, in SI units.
const STEP: f64 = 0.05;
/// Coordinates that move less than this part of others stand still.
const STILL: f64 = 1e-6;
/// Two coordinates that differ by less, in SI units, are alike.
const ALIKE: f64 = 1e-5;

/// The coordinates that can still move in a closed position while others are held; none where the position stands alone. [further]
pub(crate) fn further(work: &mut Work<'_>, state: &[f64], hold: &Hold) -> Vec<usize> {
    if work.run(state).is_err() {
        return vec![];
    }
    let free: Vec<usize> = (0..work.n_speeds).filter(|k| hold.moves(*k)).collect();
    let rows = [work.holonomic_rows(), work.held_rows(hold)].concat();
    let mut g = Matrix::zeros(rows.len(), free.len());
    for (i, row) in rows.iter().enumerate() {
        free.iter().enumerate().for_each(|(j, k)| g[(i, j)] = row[*k]);
    }
    // What is left of a vector without its part across the constraints.
    let along = |v: &[f64]| -> Option<Vec<f64>> {
        let mut image = vec![0.0; g.n_rows()];
        g.multiply(v, &mut image);
        let across = least_norm(&g, &image, 1e-7).ok()?;
        (across.rank < free.len()).then(|| v.iter().zip(across.x).map(|(v, x)| v - x).collect())
    };
    let mixed: Vec<f64> = (0..free.len()).map(|j| beside(j, 1)).collect();
    let Some(way) = along(&mixed) else { return vec![] };
    let size = way.iter().fold(0.0, |m: f64, x| x.abs().max(m));
    let is_free = |j: usize| {
        let unit: Vec<f64> = (0..free.len()).map(|i| if i == j { 1.0 } else { 0.0 }).collect();
        along(&unit).is_some_and(|x| x.iter().any(|x| x.abs() > STILL))
    };
    let moving: Vec<usize> = (0..free.len()).filter(|j| is_free(*j)).map(|j| free[j]).collect();
    let speeds_of = |row: &Vec<(usize, usize)>| row.iter().any(|(k, _)| moving.contains(k));
    let rates = work.loops.closure.rates.iter().enumerate();
    let coordinates: Vec<usize> = rates.filter(|(_, row)| speeds_of(row)).map(|(i, _)| i).collect();
    let mut delta = vec![0.0; work.n_speeds];
    free.iter().zip(&way).for_each(|(k, x)| delta[*k] = STEP * x / size);
    let start = work.displaced(state, &delta, 1.0, hold);
    let gone = |there: &[f64]| coordinates.iter().any(|k| (there[*k] - state[*k]).abs() > 0.5 * STEP);
    match close(work, &start, hold) {
        Ok(reached) if reached.closed && gone(&reached.state) => coordinates,
        _ => vec![],
    }
}

/// Whether two positions in which the same coordinates can move are on one line. [line]
pub(crate) fn on_one_line(work: &Work<'_>, a: &[f64], b: &[f64], moving: &[usize]) -> bool {
    let alike = |i: usize| {
        let gap = (a[i] - b[i]).abs();
        let turn = if work.loops.coordinates[i].unit == "rad" {
            (gap - TAU * (gap / TAU).round()).abs()
        } else {
            gap
        };
        turn < ALIKE
    };
    (0..work.loops.coordinates.len()).filter(|i| !moving.contains(i)).all(alike)
}
