//! Assembly branches: the positions in which the same loops close while the same coordinates are held.
//!
//! ```text
//! [held]      as few coordinates as leave the others determined: rank of the other columns of G = rank of G
//! [sign]      of det G restricted to the others, where it is square: it changes only through a singular position
//! ```
//!
//! Closed positions are collected by Newton's method from many starts that fill the space of the other coordinates evenly. Angles that
//! differ by whole turns are one position wherever the constraints say so. The count is a lower bound: a branch that no start leads to is
//! not found. For planar four-bar linkages and their kin all are.

use cardan_model::{Given, Model};
use cardan_solve::linear::{Matrix, least_norm};

use crate::ChoiceError;
use crate::assembly::{Begin, assemble_from};
use crate::choice::rows_of;
use crate::closing::{Hold, Work, close, far_from, largest};

/// One way in which the loops close.
#[derive(Clone, PartialEq, Debug)]
pub struct Branch {
    /// Values of all coordinates, in SI units; angles within half a turn of zero.
    pub coordinates: Vec<f64>,
    /// The sense in which the loops are closed, +1 or -1; zero in a singular position or where there is none. [sign]
    pub sign: i8,
    /// The largest residual of position.
    pub residual: f64,
}

/// The ways in which the loops of a model close.
#[derive(Clone, PartialEq, Debug)]
pub struct Branches {
    /// Names, units and certainty of the coordinates.
    pub coordinates: Vec<Begin>,
    /// Coordinates that are held, by place. [held]
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
const CLOSED: f64 = 1e-9;
const TURN: f64 = 2.0 * std::f64::consts::PI;

/// The branches of a model with its given coordinates where they are, from `starts` starts; nothing for a tree.
pub fn branches(model: &Model, starts: usize) -> Result<Option<Branches>, ChoiceError> {
    let Some(found) = rows_of(model)? else { return Ok(None) };
    let loops = &found.loops;
    let mut work = Work::new(loops, &found.engine, &found.inputs).map_err(ChoiceError::Assembly)?;
    let guess = work.start();
    let here = assemble_from(&mut work, &guess).map_err(ChoiceError::Assembly)?.state;
    work.run(&here).map_err(ChoiceError::Assembly)?;
    let held = held(&work);
    let hold = Hold::positions(loops, &|i| held.contains(&i));
    let dependent: Vec<usize> = (0..loops.coordinates.len()).filter(|i| !held.contains(i)).collect();
    let mut states = vec![wrapped(&mut work, &here, &dependent)];
    for n in 1..=starts {
        let reached = far_from(&mut work, &here, &hold, n).and_then(|start| close(&mut work, &start, &hold));
        let Ok(reached) = reached else { continue };
        if reached.closed {
            let state = wrapped(&mut work, &reached.state, &dependent);
            if !states.iter().any(|known| same(&mut work, known, &state)) {
                states.push(state);
            }
        }
    }
    let first = states[0].clone();
    let order = |a: &Vec<f64>, b: &Vec<f64>| {
        let differs = dependent.iter().find(|k| (a[**k] - b[**k]).abs() > SAME);
        differs.map_or(std::cmp::Ordering::Equal, |k| a[*k].total_cmp(&b[*k]))
    };
    states.sort_by(order);
    let start = states.iter().position(|s| *s == first).unwrap_or(0);
    let mut list = vec![];
    for state in states {
        work.run(&state).map_err(ChoiceError::Assembly)?;
        let residual = largest(&work.positions()).1.abs();
        let sign = sign(&work, &hold);
        list.push(Branch { coordinates: state[..loops.coordinates.len()].to_vec(), sign, residual });
    }
    Ok(Some(Branches { coordinates: loops.coordinates.clone(), held, dependent, list, start }))
}

/// Lets a model start on a branch: coordinates that are not given exactly get its values as guesses.
pub fn take_branch(model: &mut Model, branch: &Branch) {
    for (k, value) in branch.coordinates.iter().enumerate() {
        let Some(exact) = cardan_expr::Rational::from_f64(*value) else { continue };
        let number = model.space.pool().number(exact);
        if let Some((_, q)) = model.coordinates.iter_mut().nth(k)
            && q.given != Given::Exactly
        {
            (q.start, q.given) = (number, Given::Approximately);
        }
    }
}

/// Rows of G that hold positions.
fn holonomic(work: &Work<'_>) -> Vec<Vec<f64>> {
    let rows = work.rows().into_iter().zip(&work.loops.closure.positions);
    rows.filter(|(_, p)| p.is_some()).map(|(row, _)| row).collect()
}

fn rank(rows: &[Vec<f64>], free: &[usize]) -> usize {
    let mut g = Matrix::zeros(rows.len(), free.len());
    for (i, row) in rows.iter().enumerate() {
        free.iter().enumerate().for_each(|(j, k)| g[(i, j)] = row[*k]);
    }
    least_norm(&g, &vec![0.0; rows.len()], 1e-7).map_or(0, |found| found.rank)
}

/// Coordinates to hold, the surest first. [held]
fn held(work: &Work<'_>) -> Vec<usize> {
    let rows = holonomic(work);
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
        if given || (free.len() > full && rank(&rows, &others) == full) {
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
        let turns = (state[*i] / TURN).round();
        if work.loops.coordinates[*i].unit == "rad" && turns != 0.0 {
            let before = state[*i];
            state[*i] -= turns * TURN;
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
    work.run(state).is_ok() && largest(&work.positions()).1.abs() < CLOSED
}

/// Whether two positions are one: coordinates agree, or differ by a turn that nothing feels.
fn same(work: &mut Work<'_>, a: &[f64], b: &[f64]) -> bool {
    (0..work.loops.coordinates.len()).all(|i| {
        let apart = (a[i] - b[i]).abs();
        let by_a_turn = (apart - TURN).abs() < SAME && work.loops.coordinates[i].unit == "rad";
        apart < SAME || (by_a_turn && {
            let mut turned = a.to_vec();
            turned[i] = b[i];
            let near = work.run(&turned).is_ok() && largest(&work.positions()).1.abs() < SAME;
            near
        })
    })
}

/// [sign]
fn sign(work: &Work<'_>, hold: &Hold) -> i8 {
    let free: Vec<usize> = (0..work.n_speeds).filter(|k| hold.moves(*k)).collect();
    let rows: Vec<Vec<f64>> = holonomic(work);
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
