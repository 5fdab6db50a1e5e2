//! Assembly branches: the positions in which the same loops close while the same coordinates are held.
//!
//! ```text
//! [independent]   as few coordinates as leave the others determined: rank of the other columns of G = rank of G
//! [sign]          of det G restricted to the others, where it is square: it changes only through a singular position
//! ```
//!
//! Closed positions are collected by Newton's method from many starts that fill the space of the other coordinates evenly. Angles that
//! differ by whole turns, or name the same attitude otherwise, are one position: bodies are compared, not coordinates. The count is a lower bound: a branch that no start leads to is
//! not found. Positions between which something moves although everything is held are one branch (`continuum`). For planar four-bar linkages and their kin all are.

use std::f64::consts::TAU;

use cardan_model::{CoordinateId, Given, Model};
use cardan_solve::linear::{Matrix, least_norm};

use crate::ParameterValues;
use crate::assemble::{Begin, assemble_from};
use crate::configuration::Poses;
use crate::constraint_system::{ConstraintError, rows_of};
use crate::newton::{Hold, NEARLY_CLOSED, Work, close, far_from, largest};
use crate::self_motion::{further, on_one_line};

/// One way in which the loops close.
#[derive(Clone, PartialEq, Debug)]
pub struct Branch {
    /// Values of all coordinates, in SI units; angles within half a turn of zero.
    pub coordinates: Vec<f64>,
    /// The sense in which the loops are closed, +1 or -1; zero in a singular position or where there is none. [sign]
    pub sign: i8,
    /// Of each planar loop of two links that follow, on which side its elbow lies: `pin: elbow up`.
    pub elbows: Vec<String>,
    /// Coordinates that can still move while the others are held: the position stands for a whole line of positions. Mostly none.
    pub further: Vec<usize>,
    /// The largest residual of position.
    pub residual: f64,
}

/// The ways in which the loops of a model close.
#[derive(Clone, PartialEq, Debug)]
pub struct Branches {
    /// Names, units and certainty of the coordinates.
    pub coordinates: Vec<Begin>,
    /// Coordinates that are held, by place. [independent]
    pub held: Vec<usize>,
    /// The others.
    pub dependent: Vec<usize>,
    /// In the order of their dependent coordinates.
    pub list: Vec<Branch>,
    /// The branch on which the model starts, by place in the list.
    pub start: usize,
}

/// Two positions that differ by less, in SI units, are one.
const SAME: f64 = 1e-5;

/// The branches of a model with given coordinates where they are, as many as leave the others determined, from `starts` starts; nothing for a tree.
pub fn branches(model: &Model, starts: usize) -> Result<Option<Branches>, ConstraintError> {
    let Some(found) = rows_of(model)? else { return Ok(None) };
    let loops = &found.loops;
    let mut work = Work::new(loops, &found.engine, &found.inputs).map_err(ConstraintError::Assembly)?;
    let guess = work.start();
    let here = assemble_from(&mut work, &guess).map_err(ConstraintError::Assembly)?.state;
    work.run(&here).map_err(ConstraintError::Assembly)?;
    let held = held(&work);
    let hold = Hold::positions(loops, &|i| held.contains(&i));
    let dependent: Vec<usize> = (0..loops.coordinates.len()).filter(|i| !held.contains(i)).collect();
    let up = up(model);
    let mut poses =
        Poses::new(model, &found.inputs, &|i| !held.contains(&i), up).map_err(ConstraintError::Lower)?;
    let first = wrapped(&mut work, &here, &dependent);
    let moving = further(&mut work, &first, &hold);
    let mut states = vec![(first.clone(), moving)];
    let mut known: Vec<Vec<f64>> = vec![];
    let mut is_new = |state: &[f64]| {
        let Some(pose) = poses.as_mut().and_then(|p| p.at(state)) else { return false };
        let same = |other: &Vec<f64>| other.iter().zip(pose).all(|(a, b)| (a - b).abs() < SAME);
        let new = !known.iter().any(same);
        if new {
            known.push(pose.to_vec());
        }
        new
    };
    is_new(&first);
    for n in 1..=starts {
        let reached = far_from(&mut work, &here, &hold, n).and_then(|start| close(&mut work, &start, &hold));
        let Ok(reached) = reached else { continue };
        if reached.closed {
            let state = wrapped(&mut work, &reached.state, &dependent);
            if !is_new(&state) {
                continue;
            }
            let moving = further(&mut work, &state, &hold);
            let known = |(other, also): &(Vec<f64>, Vec<usize>)| {
                *also == moving && on_one_line(&work, other, &state, &moving)
            };
            if moving.is_empty() || !states.iter().any(known) {
                states.push((state, moving));
            }
        }
    }
    let order = |(a, _): &(Vec<f64>, Vec<usize>), (b, _): &(Vec<f64>, Vec<usize>)| {
        let differs = dependent.iter().find(|k| (a[**k] - b[**k]).abs() > SAME);
        differs.map_or(std::cmp::Ordering::Equal, |k| a[*k].total_cmp(&b[*k]))
    };
    states.sort_by(order);
    let start = states.iter().position(|(s, _)| *s == first).unwrap_or(0);
    let mut list = vec![];
    for (state, further) in states {
        work.run(&state).map_err(ConstraintError::Assembly)?;
        let residual = largest(&work.positions()).1.abs();
        let sign = sign(&work, &hold);
        let elbows = poses.as_mut().map_or(vec![], |p| p.elbows(&state));
        let coordinates = state[..loops.coordinates.len()].to_vec();
        list.push(Branch { coordinates, sign, elbows, further, residual });
    }
    Ok(Some(Branches { coordinates: loops.coordinates.clone(), held, dependent, list, start }))
}

impl Branches {
    /// The starts of what is not held on one of the branches, by place in the list; none if there is none of this place.
    pub fn starts(&self, model: &Model, place: usize) -> Vec<(CoordinateId, cardan_expr::Expr)> {
        let Some(branch) = self.list.get(place) else { return vec![] };
        let start = |k: &usize| {
            let exact = cardan_expr::Rational::from_f64(branch.coordinates[*k])?;
            Some((model.coordinates.ids().nth(*k)?, model.space.pool().number(exact)))
        };
        self.dependent.iter().filter_map(start).collect()
    }
}

/// Against gravity, or y where there is none.
fn up(model: &Model) -> [f64; 3] {
    let values = ParameterValues::of(model);
    let components = model.space.components(&model.gravity, model.space.newtonian());
    let down = components.map(|e| values.evaluate(model, e));
    match down.iter().all(|x| x.is_finite()) && down.iter().any(|x| *x != 0.0) {
        true => down.map(|x| -x),
        false => [0.0, 1.0, 0.0],
    }
}

fn rank(rows: &[Vec<f64>], free: &[usize]) -> usize {
    let mut g = Matrix::zeros(rows.len(), free.len());
    for (i, row) in rows.iter().enumerate() {
        free.iter().enumerate().for_each(|(j, k)| g[(i, j)] = row[*k]);
    }
    least_norm(&g, &vec![0.0; rows.len()], 1e-7).map_or(0, |found| found.rank)
}

/// Coordinates to hold, the surest first; given ones beyond that are let go. [independent]
fn held(work: &Work<'_>) -> Vec<usize> {
    let rows = work.holonomic_rows();
    let coordinates = &work.loops.coordinates;
    let mut free: Vec<usize> = (0..work.n_speeds).collect();
    let full = rank(&rows, &free);
    let mut order: Vec<usize> = (0..coordinates.len()).collect();
    order.sort_by_key(|i| std::cmp::Reverse(coordinates[*i].given));
    let mut held: Vec<usize> = vec![];
    for i in order {
        let given = coordinates[i].given == Given::Exactly;
        let Some(speed) = coordinates[i].own_speed else {
            if given {
                held.push(i);
            }
            continue;
        };
        let others: Vec<usize> = free.iter().copied().filter(|k| *k != speed).collect();
        if free.len() > full && rank(&rows, &others) == full {
            free = others;
            held.push(i);
        }
    }
    held.sort_unstable();
    held
}

/// Angles within half a turn of zero where the constraints do not feel whole turns; Euler parameters with a positive first.
fn wrapped(work: &mut Work<'_>, state: &[f64], dependent: &[usize]) -> Vec<f64> {
    let mut state = state.to_vec();
    for i in dependent {
        let turns = (state[*i] / TAU).round();
        if work.loops.coordinates[*i].unit == "rad" && turns != 0.0 {
            let before = state[*i];
            state[*i] -= turns * TAU;
            if !closed(work, &state) {
                state[*i] = before;
            }
        }
    }
    for quadruple in &work.loops.unit_quadruples {
        let first = quadruple.iter().map(|k| state[*k]).find(|e| e.abs() > SAME).unwrap_or(1.0);
        if first < 0.0 {
            quadruple.iter().for_each(|k| state[*k] = -state[*k]);
        }
    }
    state
}

fn closed(work: &mut Work<'_>, state: &[f64]) -> bool {
    work.run(state).is_ok() && work.measure(&work.positions()) < NEARLY_CLOSED
}

/// [sign]
fn sign(work: &Work<'_>, hold: &Hold) -> i8 {
    let free: Vec<usize> = (0..work.n_speeds).filter(|k| hold.moves(*k)).collect();
    let rows = work.holonomic_rows();
    // Rows that say nothing here, such as those out of the plane, are left out.
    let mut m: Vec<Vec<f64>> = rows.iter().map(|r| free.iter().map(|k| r[*k]).collect()).collect();
    m.retain(|row: &Vec<f64>| row.iter().any(|x| x.abs() > 1e-12));
    if m.len() != free.len() {
        return 0;
    }
    let mut sign = 1.0;
    for c in 0..m.len() {
        let pivot = (c..m.len()).max_by(|i, j| m[*i][c].abs().total_cmp(&m[*j][c].abs())).unwrap_or(c);
        if m[pivot][c].abs() < 1e-7 {
            return 0;
        }
        if pivot != c {
            m.swap(pivot, c);
            sign = -sign;
        }
        sign *= m[c][c].signum();
        for i in c + 1..m.len() {
            let factor = m[i][c] / m[c][c];
            for j in c..m.len() {
                m[i][j] -= factor * m[c][j];
            }
        }
    }
    if sign > 0.0 { 1 } else { -1 }
}
