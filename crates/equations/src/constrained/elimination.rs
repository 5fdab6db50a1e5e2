//! Dependent speeds eliminated in the algebra, where a divisor cannot vanish.
//!
//! ```text
//! [row]        G u̇ + γ = 0
//! [pivot]      u̇_d = -(γ + Σ_{k≠d} g_k u̇_k) / g_d      g_d constant, or a constant and small terms
//! [affine]     u̇ = T u̇_i + δ                            after all such rows
//! [reduced]    T^T M T u̇_i = T^T (f - M δ) + (G T)^T λ,   (G T) u̇_i + γ + G δ = 0     for the rows that are left
//! ```
//!
//! This is AUTOSIM's rule (Sayers 1991): a divisor is safe if its constant part is not zero. Here the rest must also be
//! small, because a constant and a large term may cancel on the way, and the values of parameters must not make the constant small (`pivot_threshold`). Gears, couplers, loops of small angles and the
//! displacements of a rolling wheel fall under it, and then cost no solution of a linear system at run time.

use std::cmp::Reverse;

use cardan_base::Map;
use cardan_expr::{Expr, Pool};
use cardan_model::Model;

use crate::Failure;
use crate::constrained::mass_augmentation;
use crate::constrained::multipliers::{Solved, multipliers_and_accelerations};
use crate::constrained::pivot_threshold::Sizes;
use crate::constrained::rows::{ConstraintRow, ConstraintRows};

/// Rows with safe pivots, eliminated.
#[derive(Clone, PartialEq, Debug)]
pub struct Elimination {
    /// Speeds that follow from others, with the rows that say so, in the order of elimination.
    pub dependent: Vec<(usize, usize)>,
    /// The speeds that are left.
    pub independent: Vec<usize>,
    /// Rows that are left.
    pub rows: Vec<usize>,
    /// Per speed its column entries of T that are not zero: position among the independent ones, coefficient. [affine]
    transform: Vec<Vec<(usize, Expr)>>,
    /// Per speed. [affine]
    offset: Vec<Expr>,
}

/// A row in terms of the speeds that are not yet eliminated.
#[derive(Clone)]
struct Affine {
    coefficients: Vec<Expr>,
    constant: Expr,
}

/// Finds rows with safe pivots; nothing if there are none.
pub fn eliminate(model: &Model, constraints: &ConstraintRows) -> Option<Elimination> {
    let pool = model.space.pool();
    let n = model.speeds.len();
    let mut rows: Vec<Affine> = constraints.rows.iter().map(|r| affine(pool, n, r)).collect();
    let mut left: Vec<usize> = (0..rows.len()).collect();
    let mut solved: Vec<(usize, usize, Affine)> = vec![];
    let mut known = Map::default();
    let sizes = Sizes::of(model);
    while let Some((row, speed)) = safest(pool, &rows, &left, &sizes, &mut known) {
        left.retain(|r| *r != row);
        let pivot = rows[row].coefficients[speed];
        let over = |e: Expr| pool.define(pool.neg(pool.div(e, pivot)));
        let mut rule = Affine {
            coefficients: rows[row].coefficients.iter().map(|e| over(*e)).collect(),
            constant: over(rows[row].constant),
        };
        rule.coefficients[speed] = pool.zero(); // [pivot]
        left.iter().for_each(|r| substitute(pool, &mut rows[*r], speed, &rule));
        solved.iter_mut().for_each(|(_, _, earlier)| substitute(pool, earlier, speed, &rule));
        solved.push((speed, row, rule));
    }
    if solved.is_empty() {
        return None;
    }
    let independent: Vec<usize> = (0..n).filter(|k| solved.iter().all(|(d, _, _)| d != k)).collect();
    let mut transform = vec![vec![]; n];
    let mut offset = vec![pool.zero(); n];
    for (i, k) in independent.iter().enumerate() {
        transform[*k].push((i, pool.one()));
    }
    for (speed, _, rule) in &solved {
        let entries = independent.iter().enumerate().map(|(i, k)| (i, rule.coefficients[*k]));
        transform[*speed].extend(entries.filter(|(_, e)| !pool.is_zero(*e)));
        offset[*speed] = rule.constant;
    }
    let dependent = solved.iter().map(|(speed, row, _)| (*speed, *row)).collect();
    Some(Elimination { dependent, independent, rows: left, transform, offset })
}

fn affine(pool: &Pool, n: usize, row: &ConstraintRow) -> Affine {
    let mut coefficients = vec![pool.zero(); n];
    row.jacobian.iter().for_each(|(k, e)| coefficients[*k] = *e);
    Affine { coefficients, constant: row.gamma }
}

fn substitute(pool: &Pool, row: &mut Affine, speed: usize, rule: &Affine) {
    let factor = std::mem::replace(&mut row.coefficients[speed], pool.zero());
    if pool.is_zero(factor) {
        return;
    }
    for (c, r) in row.coefficients.iter_mut().zip(&rule.coefficients) {
        *c = pool.define(pool.add(*c, pool.mul(factor, *r)));
    }
    row.constant = pool.define(pool.add(row.constant, pool.mul(factor, rule.constant)));
}

/// The safe pivot whose row is shortest, numbers before parameters; later speeds first, because they carry less.
fn safest(
    pool: &Pool,
    rows: &[Affine],
    left: &[usize],
    sizes: &Sizes<'_>,
    known: &mut Map<Expr, Expr>,
) -> Option<(usize, usize)> {
    let length = |row: usize| rows[row].coefficients.iter().filter(|e| !pool.is_zero(**e)).count();
    let places = left.iter().flat_map(|row| (0..rows[*row].coefficients.len()).map(move |k| (*row, k)));
    let entry = |(row, speed): (usize, usize)| rows[row].coefficients[speed];
    places
        .filter(|place| is_safe(pool, entry(*place), known))
        .filter(|(row, speed)| sizes.is_large(&rows[*row].coefficients, *speed))
        .min_by_key(|place| (length(place.0), pool.as_number(entry(*place)).is_none(), Reverse(place.1)))
}

/// A constant that is not zero, or such a constant with small terms; `known` are constant parts.
fn is_safe(pool: &Pool, e: Expr, known: &mut Map<Expr, Expr>) -> bool {
    if pool.is_constant(e) || !pool.has_small_symbols() {
        return pool.is_constant(e) && !pool.is_zero(e);
    }
    let constant = pool.constant_part_with(e, known);
    if pool.is_zero(e) || pool.is_zero(constant) {
        return false;
    }
    let rest = pool.sub(e, constant);
    pool.is_zero(rest) || pool.small_order(rest) > 0
}

/// Multipliers of all rows and accelerations of all speeds. [reduced]
pub(crate) fn solve(
    model: &Model,
    mass: &[Vec<Expr>],
    forcing: &[Expr],
    constraints: &ConstraintRows,
    found: &Elimination,
) -> Result<(Vec<Expr>, Vec<Expr>), Failure> {
    let pool = model.space.pool();
    let n = forcing.len();
    let n_i = found.independent.len();
    let product = |row: &[Expr], x: &dyn Fn(usize) -> Expr| {
        pool.sum(row.iter().enumerate().map(|(k, m)| pool.mul(*m, x(k))).collect::<Vec<_>>())
    };
    // M T, column by column, and f - M δ.
    let entry = |k: usize, i: usize| {
        found.transform[k].iter().find(|(j, _)| *j == i).map_or(pool.zero(), |(_, e)| *e)
    };
    let mt: Vec<Vec<Expr>> = mass
        .iter()
        .map(|row| (0..n_i).map(|i| pool.define(product(row, &|k| entry(k, i)))).collect())
        .collect();
    let rest: Vec<Expr> = mass
        .iter()
        .zip(forcing)
        .map(|(row, f)| pool.define(pool.sub(*f, product(row, &|k| found.offset[k]))))
        .collect();
    let onto = |i: usize, of: &dyn Fn(usize) -> Expr| {
        pool.define(pool.sum((0..n).map(|k| pool.mul(entry(k, i), of(k))).collect::<Vec<_>>()))
    };
    let mut reduced = vec![vec![pool.zero(); n_i]; n_i];
    for i in 0..n_i {
        for j in 0..=i {
            reduced[i][j] = onto(i, &|k| mt[k][j]);
            reduced[j][i] = reduced[i][j];
        }
    }
    let reduced_forcing: Vec<Expr> = (0..n_i).map(|i| onto(i, &|k| rest[k])).collect();
    let rows: Vec<ConstraintRow> = found
        .rows
        .iter()
        .map(|r| {
            let row = &constraints.rows[*r];
            let column = |i: usize| {
                let terms = row.jacobian.iter().map(|(k, e)| pool.mul(*e, entry(*k, i)));
                (i, pool.define(pool.sum(terms.collect::<Vec<_>>())))
            };
            let drift = row.jacobian.iter().map(|(k, e)| pool.mul(*e, found.offset[*k]));
            let gamma = pool.add(row.gamma, pool.sum(drift.collect::<Vec<_>>()));
            let jacobian = (0..n_i).map(column).filter(|(_, e)| !pool.is_zero(*e)).collect();
            ConstraintRow { jacobian, gamma: pool.define(gamma), ..row.clone() }
        })
        .collect();
    let system = mass_augmentation::factor(model, &reduced, &reduced_forcing, &rows, constraints.all_lend)
        .map_err(|failure| named(failure, found))?;
    let Solved { multipliers: some, u_dot: u_dot_i, .. } =
        multipliers_and_accelerations(pool, &system, &rows);
    let u_dot: Vec<Expr> = (0..n)
        .map(|k| {
            let terms = found.transform[k].iter().map(|(i, e)| pool.mul(*e, u_dot_i[*i]));
            pool.define(pool.add(pool.sum(terms.collect::<Vec<_>>()), found.offset[k])) // [affine]
        })
        .collect();
    let mut multipliers = vec![pool.zero(); constraints.rows.len()];
    found.rows.iter().zip(some).for_each(|(r, l)| multipliers[*r] = l);
    let missing = eliminated_multipliers(pool, mass, forcing, constraints, found, &u_dot, &multipliers);
    missing.into_iter().for_each(|(r, l)| multipliers[r] = l);
    Ok((multipliers, u_dot))
}

/// The reduced matrix counts the independent speeds only.
fn named(failure: Failure, found: &Elimination) -> Failure {
    use cardan_base::Id;
    match failure {
        Failure::NoInertia(u) => Failure::NoInertia(Id::from_index(found.independent[u.index()])),
        other => other,
    }
}

/// Multipliers of the eliminated rows: what Newton's law of their dependent speeds lacks.
///
/// ```text
/// [lack]    Σ_e g_ed λ_e = (M u̇ - f - Σ_left G^T λ)_d     for the dependent speeds d
/// ```
///
/// Rows were eliminated one after another, so in reverse order each equation has one unknown after the others are known, except
/// for what earlier pivots put into later rows; elimination with the same pivots solves it.
fn eliminated_multipliers(
    pool: &Pool,
    mass: &[Vec<Expr>],
    forcing: &[Expr],
    constraints: &ConstraintRows,
    found: &Elimination,
    u_dot: &[Expr],
    known: &[Expr],
) -> Vec<(usize, Expr)> {
    let g = |row: usize, speed: usize| {
        let columns = &constraints.rows[row].jacobian;
        columns.iter().find(|(k, _)| *k == speed).map_or(pool.zero(), |(_, e)| *e)
    };
    let lack = |d: usize| {
        let inertia = mass[d].iter().zip(u_dot).map(|(m, a)| pool.mul(*m, *a));
        let held = found.rows.iter().map(|r| pool.neg(pool.mul(g(*r, d), known[*r])));
        let all: Vec<Expr> = inertia.chain(held).chain([pool.neg(forcing[d])]).collect();
        pool.define(pool.sum(all))
    };
    // One equation per dependent speed, one unknown per eliminated row; the pivots of the elimination are safe here too.
    let m = found.dependent.len();
    let mut a: Vec<Vec<Expr>> = found
        .dependent
        .iter()
        .map(|(d, _)| found.dependent.iter().map(|(_, r)| g(*r, *d)).chain([lack(*d)]).collect())
        .collect();
    for k in 0..m {
        let pivot = a[k][k];
        for i in k + 1..m {
            let factor = pool.div(a[i][k], pivot);
            if pool.is_zero(factor) {
                continue;
            }
            for j in k + 1..=m {
                a[i][j] = pool.define(pool.sub(a[i][j], pool.mul(factor, a[k][j])));
            }
        }
    }
    let mut x = vec![pool.zero(); m];
    for k in (0..m).rev() {
        let others = (k + 1..m).map(|j| pool.mul(a[k][j], x[j]));
        let sum = pool.sum(others.collect::<Vec<_>>());
        x[k] = pool.define(pool.div(pool.sub(a[k][m], sum), a[k][k]));
    }
    found.dependent.iter().map(|(_, r)| *r).zip(x).collect()
}
