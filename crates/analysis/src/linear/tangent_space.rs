//! Independent coordinates and speeds: which states may be varied freely, and how the others follow.
//!
//! ```text
//! [tangent-position]   g_q δq + g_p δp = 0          δq = Z_q x + Y_q δp
//! [tangent-velocity]   v_q δq + v_u δu + v_p δp = 0
//! [tangent]            δy = Z x + Y δp               Z is the unit matrix on the independent states, Y vanishes there
//! ```
//!
//! Dependent states are chosen by elimination with complete pivoting among comparable candidates: first those whose
//! coordinate the motion does not feel (where a bicycle stands, how far its wheels have turned), and of equals the last declared. Rows
//! that lie in the span of others are found on the way.

use cardan_solve::Matrix;

use crate::AnalysisError;
use crate::numeric_model::{Local, RANK_TOLERANCE, Study};

/// How willingly a state becomes dependent.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Rank {
    Gladly,
    Ordinary,
    Reluctantly,
}

/// The tangent space of the constraints at a state.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Tangent {
    /// Places in y, in order.
    pub independent: Vec<usize>,
    /// Z: one row per state, one column per independent state.
    pub basis: Matrix,
    /// Y: one row per state, one column per input.
    pub shift: Matrix,
}

/// Eliminates: the dependent columns in terms of all the others.
struct Eliminated {
    /// (dependent column, its row of the reduced system)
    pivots: Vec<(usize, usize)>,
    reduced: Matrix,
}

/// Gauss-Jordan elimination; pivots among the first `ranks.len()` columns only.
fn eliminate(mut a: Matrix, ranks: &[Rank]) -> Eliminated {
    let (m, n) = (a.n_rows(), ranks.len());
    for i in 0..m {
        let norm = (0..n).map(|j| a[(i, j)].abs()).fold(0.0, f64::max);
        if norm > 0.0 {
            (0..a.n_cols()).for_each(|j| a[(i, j)] /= norm);
        }
    }
    let mut pivots: Vec<(usize, usize)> = vec![];
    for k in 0..m {
        let is_free = |j: &usize| pivots.iter().all(|(c, _)| c != j);
        // The largest remaining entry of each free column.
        let columns: Vec<(usize, usize, f64)> = (0..n)
            .filter(is_free)
            .map(|j| {
                let row = (k..m).max_by(|i, l| a[(*i, j)].abs().total_cmp(&a[(*l, j)].abs())).unwrap_or(k);
                (j, row, a[(row, j)].abs())
            })
            .collect();
        let overall = columns.iter().map(|c| c.2).fold(0.0, f64::max);
        if overall <= RANK_TOLERANCE {
            break;
        }
        let largest =
            |rank: Rank| columns.iter().filter(|c| ranks[c.0] == rank).map(|c| c.2).fold(0.0, f64::max);
        let tier = match (largest(Rank::Gladly), largest(Rank::Ordinary)) {
            (glad, _) if glad >= 0.01 * overall => Rank::Gladly,
            (_, ordinary) if ordinary >= 1e-6 * overall => Rank::Ordinary,
            (glad, _) if glad >= 1e-6 * overall => Rank::Gladly,
            _ => Rank::Reluctantly,
        };
        let enough = 0.3 * largest(tier);
        let best = columns.iter().rfind(|c| ranks[c.0] == tier && c.2 >= enough && c.2 > 0.0);
        let Some((column, row, _)) = best.copied() else { break };
        if row != k {
            for j in 0..a.n_cols() {
                let swap = a[(k, j)];
                a[(k, j)] = a[(row, j)];
                a[(row, j)] = swap;
            }
        }
        let pivot = a[(k, column)];
        (0..a.n_cols()).for_each(|j| a[(k, j)] /= pivot);
        for i in (0..m).filter(|i| *i != k) {
            let factor = a[(i, column)];
            if factor != 0.0 {
                (0..a.n_cols()).for_each(|j| a[(i, j)] -= factor * a[(k, j)]);
                a[(i, column)] = 0.0;
            }
        }
        pivots.push((column, k));
    }
    Eliminated { pivots, reduced: a }
}

/// Coordinates that neither accelerations nor rates of auxiliary states feel.
fn unfelt(study: &Study, local: &Local) -> Vec<bool> {
    let (n_q, ..) = study.sizes();
    let n = study.n_states();
    let scale = (0..n).flat_map(|j| (n_q..n).map(move |i| (i, j))).map(|p| local.field[p].abs());
    let negligible = 1e-10 * scale.fold(1e-300, f64::max);
    (0..n_q).map(|j| (n_q..n).all(|i| local.field[(i, j)].abs() <= negligible)).collect()
}

/// Which states are to be independent, by their places, if the constraints allow.
#[derive(Clone, Copy)]
enum Wish<'a> {
    /// These with their coordinates and speeds; of the others those that the motion feels.
    Kept(&'a [usize]),
    /// These and no others.
    Exactly(&'a [usize]),
}

/// The tangent space at a state. States named by `keep` are independent if the constraints allow.
pub(crate) fn tangent(study: &Study, local: &Local, keep: &[usize]) -> Result<Tangent, AnalysisError> {
    tangent_with(study, local, Wish::Kept(keep))
}

/// The tangent space with the independent states of another one near it, if the constraints allow.
pub(crate) fn tangent_near(
    study: &Study,
    local: &Local,
    independent: &[usize],
) -> Result<Tangent, AnalysisError> {
    tangent_with(study, local, Wish::Exactly(independent))
}

fn tangent_with(study: &Study, local: &Local, wish: Wish<'_>) -> Result<Tangent, AnalysisError> {
    let (n_q, n_u, n_s) = study.sizes();
    let n = n_q + n_u + n_s;
    let n_p = local.field.n_cols() - n;
    let coordinate_of = study.coordinate_of_speed();
    let (Wish::Kept(list) | Wish::Exactly(list)) = wish;
    let kept = |k: usize| list.contains(&k);
    let exactly = matches!(wish, Wish::Exactly(_));
    let unfelt = unfelt(study, local);

    // [tangent-position]
    let ranks: Vec<Rank> = (0..n_q)
        .map(|k| {
            let speed = coordinate_of.iter().position(|c| *c == Some(k));
            match kept(k) || (!exactly && speed.is_some_and(|s| kept(n_q + s))) {
                true => Rank::Reluctantly,
                false => Rank::Ordinary,
            }
        })
        .collect();
    let mut a = Matrix::zeros(local.positions.n_rows(), n_q + n_p);
    for j in 0..n_q {
        a.column_mut(j).copy_from_slice(local.positions.column(j));
    }
    for j in 0..n_p {
        a.column_mut(n_q + j).copy_from_slice(local.positions.column(n + j));
    }
    let position = eliminate(a, &ranks);
    let dependent_q: Vec<usize> = position.pivots.iter().map(|(c, _)| *c).collect();
    let free_q: Vec<usize> = (0..n_q).filter(|k| !dependent_q.contains(k)).collect();
    let mut z_q = Matrix::zeros(n_q, free_q.len());
    let mut y_q = Matrix::zeros(n_q, n_p);
    free_q.iter().enumerate().for_each(|(j, k)| z_q[(*k, j)] = 1.0);
    for (column, row) in &position.pivots {
        free_q.iter().enumerate().for_each(|(j, k)| z_q[(*column, j)] = -position.reduced[(*row, *k)]);
        (0..n_p).for_each(|j| y_q[(*column, j)] = -position.reduced[(*row, n_q + j)]);
    }

    // [tangent-velocity]
    let ranks: Vec<Rank> = (0..n_u)
        .map(|k| match coordinate_of[k] {
            _ if kept(n_q + k) => Rank::Reluctantly,
            _ if exactly => Rank::Ordinary,
            Some(q) if kept(q) => Rank::Reluctantly,
            Some(q) if dependent_q.contains(&q) || unfelt[q] => Rank::Gladly,
            _ => Rank::Ordinary,
        })
        .collect();
    let m = local.velocities.n_rows();
    let mut a = Matrix::zeros(m, n_u + free_q.len() + n_p);
    for j in 0..n_u {
        a.column_mut(j).copy_from_slice(local.velocities.column(n_q + j));
    }
    for i in 0..m {
        for j in 0..free_q.len() {
            a[(i, n_u + j)] = (0..n_q).map(|k| local.velocities[(i, k)] * z_q[(k, j)]).sum();
        }
        for j in 0..n_p {
            let through: f64 = (0..n_q).map(|k| local.velocities[(i, k)] * y_q[(k, j)]).sum();
            a[(i, n_u + free_q.len() + j)] = local.velocities[(i, n + j)] + through;
        }
    }
    let velocity = eliminate(a, &ranks);
    let dependent_u: Vec<usize> = velocity.pivots.iter().map(|(c, _)| *c).collect();
    let free_u: Vec<usize> = (0..n_u).filter(|k| !dependent_u.contains(k)).collect();

    // [tangent]
    let independent: Vec<usize> =
        free_q.iter().copied().chain(free_u.iter().map(|k| n_q + k)).chain(n_q + n_u..n).collect();
    let mut basis = Matrix::zeros(n, independent.len());
    let mut shift = Matrix::zeros(n, n_p);
    independent.iter().enumerate().for_each(|(j, k)| basis[(*k, j)] = 1.0);
    for i in 0..n_q {
        (0..free_q.len()).for_each(|j| basis[(i, j)] = z_q[(i, j)]);
        (0..n_p).for_each(|j| shift[(i, j)] = y_q[(i, j)]);
    }
    for (column, row) in &velocity.pivots {
        let i = n_q + column;
        for j in 0..free_q.len() {
            basis[(i, j)] = -velocity.reduced[(*row, n_u + j)];
        }
        for (j, k) in free_u.iter().enumerate() {
            basis[(i, free_q.len() + j)] = -velocity.reduced[(*row, *k)];
        }
        for j in 0..n_p {
            shift[(i, j)] = -velocity.reduced[(*row, n_u + free_q.len() + j)];
        }
    }
    if !basis.is_finite() || !shift.is_finite() {
        return Err(AnalysisError::Evaluation("the constraints have no finite tangent at this state".into()));
    }
    Ok(Tangent { independent, basis, shift })
}
