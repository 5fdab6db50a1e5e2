//! Mass matrix and constraints factored together.
//!
//! ```text
//! [saddle]     [M G^T; G 0] [u̇; y] = [f; -γ],   λ = -y
//! [positive]   d_k > 0 for a speed, whatever went before it: the least energy that its rows admit
//! [negative]   d_i < 0 for a row whose speeds have all gone, if it is independent of the rows before it
//! [guard]      1/d_i = 0 where |d_i| ≤ RANK · (what the speeds gave it): the row repeats others and has no say
//! ```
//!
//! With S the speeds U and rows R that have gone, what is left between the other speeds is min x^T M x over x_U with
//! G_RU x_U + G_R x = 0, positive as M is. The pivot of row i is -g_i M_UU⁻¹ g_i^T less what rows before it take; it vanishes where g_i
//! depends on them, so no position is singular here that is not singular in itself. That a row waits for all of its speeds is what makes this so: were one of
//! them still there, the rest of the row could vanish alone.
//!
//! Rows of one loop couple the speeds of that loop, and go with them. [`multipliers`](crate::constrained::multipliers) forms G M⁻¹ G^T instead, in which all loops of a vehicle meet
//! through its chassis. For few rows that is cheaper; [`is_cheaper`] decides.

use cardan_expr::{Expr, Function, Pool, Rational};

use super::order::{Entry, Order, Pattern};
use super::{Elimination, Ldl};
use crate::constrained::rows::ConstraintRow;

/// [guard] 1e-12, as in the solution of G M⁻¹ G^T at run time.
const RANK: (i64, i64) = (1, 1_000_000_000_000);

/// In per cent of the operations by G M⁻¹ G^T, above which the order of the other is kept: both are estimates.
const WORTH: usize = 70;

/// The whole matrix. [saddle]
pub(crate) fn matrix(pool: &Pool, mass: &[Vec<Expr>], rows: &[ConstraintRow]) -> Vec<Vec<Expr>> {
    let (n, m) = (mass.len(), rows.len());
    let mut all = vec![vec![pool.zero(); n + m]; n + m];
    for (k, row) in mass.iter().enumerate() {
        all[k][..n].copy_from_slice(row);
    }
    for (i, row) in rows.iter().enumerate() {
        for (k, g) in &row.jacobian {
            (all[n + i][*k], all[*k][n + i]) = (*g, *g);
        }
    }
    all
}

/// The order of elimination, if this way is cheaper than by G M⁻¹ G^T.
pub(crate) fn is_cheaper(
    pool: &Pool,
    matrix: &[Vec<Expr>],
    n: usize,
    factors: &[Elimination],
    rows: &[ConstraintRow],
) -> Option<Order> {
    let by_compliance = compliance_cost(pool, n, factors, rows);
    // Neither order nor pattern is worth looking for where there is little to be saved.
    if by_compliance < LITTLE || rows.iter().any(|r| r.jacobian.is_empty()) {
        return None;
    }
    let order = Pattern::of(pool, matrix).cheapest_order(|k| k >= n);
    (order.cost * 100 < by_compliance * WORTH).then_some(order)
}

/// Operations below which nothing is gained.
const LITTLE: usize = 600;

/// Operations of G M⁻¹ G^T, its solution and what it does to accelerations, the factors of M included.
fn compliance_cost(pool: &Pool, n: usize, factors: &[Elimination], rows: &[ConstraintRow]) -> usize {
    let m = rows.len();
    let is_variable = |e: Expr| usize::from(Entry::of(pool, e) == Entry::Variable);
    let mut total = 0;
    for step in factors {
        let c: usize = step.l.iter().map(|(_, l)| is_variable(*l)).sum();
        total += c * (c + 1) + 5 * c;
    }
    let mut columns = vec![];
    for row in rows {
        let mut is_there = vec![false; n];
        row.jacobian.iter().for_each(|(k, _)| is_there[*k] = true);
        for step in factors.iter().filter(|s| s.row < n) {
            if is_there[step.row] {
                total += 2 * step.l.len();
                step.l.iter().for_each(|(i, _)| is_there[*i] = true);
            }
        }
        for step in factors.iter().rev() {
            let known = step.l.iter().filter(|(i, _)| is_there[*i]).count();
            total += 2 * known + usize::from(is_there[step.row]);
            is_there[step.row] |= known > 0;
        }
        columns.push(is_there);
    }
    for (i, row) in rows.iter().enumerate() {
        let meets = |column: &Vec<bool>| 2 * row.jacobian.iter().filter(|(k, _)| column[*k]).count();
        total += columns[..=i].iter().map(meets).sum::<usize>() + 2 * row.jacobian.len();
        total += 2 * columns[i].iter().filter(|e| **e).count();
    }
    total + m * (m + 1) * (m + 2) / 3 + 2 * m * m
}

/// The factors of the whole matrix, of which the first n rows are speeds.
pub(crate) fn factor(pool: &Pool, matrix: &[Vec<Expr>], n: usize, order: &Order) -> Ldl {
    Ldl(eliminate(pool, matrix.to_vec(), n, &order.rows))
}

/// Multipliers and accelerations from the factors.
pub(crate) fn solve(
    pool: &Pool,
    factors: &Ldl,
    forcing: &[Expr],
    rows: &[ConstraintRow],
) -> (Vec<Expr>, Vec<Expr>) {
    let n = forcing.len();
    let mut x: Vec<Expr> = forcing.to_vec();
    x.extend(rows.iter().map(|r| pool.neg(r.gamma)));
    let x = factors.solve(pool, &x);
    let multipliers = x[n..].iter().map(|y| pool.neg(*y)).collect();
    (multipliers, x[..n].to_vec())
}

/// The factors, with the pivots of rows guarded.
fn eliminate(pool: &Pool, mut m: Vec<Vec<Expr>>, n: usize, order: &[usize]) -> Vec<Elimination> {
    // What speeds gave to the pivot of a row that other rows have taken from.
    let mut given: Vec<Option<Expr>> = vec![None; m.len()];
    let mut steps = vec![];
    for (place, k) in order.iter().copied().enumerate() {
        let d = m[k][k];
        let inverse = pool.powi(d, -1);
        let d_inverse = if k < n { inverse } else { guarded(pool, d, inverse, given[k]) };
        let d_inverse = pool.define(d_inverse);
        let coupled: Vec<usize> =
            order[place + 1..].iter().copied().filter(|i| !pool.is_zero(m[k][*i])).collect();
        let l: Vec<(usize, Expr)> =
            coupled.iter().map(|i| (*i, pool.define(pool.mul(m[k][*i], d_inverse)))).collect();
        for (a, (i, l_i)) in l.iter().enumerate() {
            let own = pool.mul(*l_i, m[k][*i]);
            match given[*i] {
                // A speed gives more.
                Some(before) if k < n => given[*i] = Some(pool.define(pool.add(before, own))),
                None if k >= n && *i >= n => given[*i] = Some(pool.neg(m[*i][*i])),
                _ => {}
            }
            for j in &coupled[..=a] {
                m[*i][*j] = pool.define(pool.sub(m[*i][*j], pool.mul(*l_i, m[k][*j])));
                m[*j][*i] = m[*i][*j];
            }
        }
        steps.push(Elimination { row: k, d_inverse, l });
    }
    steps
}

/// 1/d, or nothing where d is rounding. [guard]
fn guarded(pool: &Pool, d: Expr, inverse: Expr, given: Option<Expr>) -> Expr {
    let rank = Rational::new(RANK.0, RANK.1).unwrap_or(Rational::ONE);
    // What only speeds gave is never negative. Measured by itself it is told from zero, in the form by which a guard is known to be no law that switches.
    let size = pool.neg(d);
    let is_large = pool.call(Function::Less, &[pool.scale(rank, given.unwrap_or(size)), size]);
    pool.call(Function::Select, &[is_large, inverse, pool.zero()])
}

#[cfg(test)]
mod tests {
    use cardan_base::Id;
    use cardan_expr::Kind;
    use cardan_model::ConstraintId;

    use super::*;
    use crate::constrained::multipliers::{System, multipliers_and_accelerations};
    use crate::ldl;

    /// Numbers in -1 .. 1 from a congruence.
    fn noise(state: &mut u64) -> f64 {
        *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (*state >> 40) as f64 / (1u64 << 23) as f64 - 1.0
    }

    /// Four loops of five speeds and three rows on a body of six: a car with symbols for its entries. The rows from `repeated` on are copies.
    fn car(repeated: usize, seed: u64) -> (Vec<f64>, Vec<f64>, usize) {
        let (n, m) = (26, 12);
        let mut state = seed;
        let mut dense = vec![vec![0.0; n]; n];
        for loop_ in 0..4 {
            let own: Vec<usize> = (0..6).chain(6 + 5 * loop_..11 + 5 * loop_).collect();
            for _ in 0..11 {
                let v: Vec<f64> = own.iter().map(|_| noise(&mut state)).collect();
                own.iter().zip(&v).for_each(|(i, a)| {
                    own.iter().zip(&v).for_each(|(j, b)| dense[*i][*j] += a * b);
                });
            }
        }
        let pool = Pool::new();
        let mut values = vec![];
        let mut symbol = |value: f64| {
            values.push(value);
            pool.symbol(format!("s{}", values.len()), Kind::Coordinate)
        };
        let mut mass = vec![vec![pool.zero(); n]; n];
        for i in 0..n {
            for j in 0..=i {
                if dense[i][j] != 0.0 {
                    mass[i][j] = symbol(dense[i][j]);
                    mass[j][i] = mass[i][j];
                }
            }
        }
        let mut rows: Vec<ConstraintRow> = vec![];
        for i in 0..m {
            let first = 6 + 5 * (i / 3);
            let jacobian = (first..first + 5).map(|k| (k, symbol(noise(&mut state)))).collect();
            let gamma = symbol(noise(&mut state));
            let mut row = ConstraintRow {
                constraint: ConstraintId::from_index(0),
                row: i,
                position: None,
                velocity: gamma,
                jacobian,
                gamma,
            };
            if i >= repeated {
                (row.jacobian, row.gamma) = (rows[0].jacobian.clone(), rows[0].gamma);
            }
            rows.push(row);
        }
        let forcing: Vec<Expr> = (0..n).map(|_| symbol(noise(&mut state))).collect();
        let whole = matrix(&pool, &mass, &rows);
        let factors = ldl::factor(&pool, &mass).expect("positive definite");
        let order = is_cheaper(&pool, &whole, n, &factors.0, &rows).expect("worth it");
        let (lambda, u_dot) = solve(&pool, &factor(&pool, &whole, n, &order), &forcing, &rows);
        let at = |all: &[Expr]| pool.evaluate_all(all, &|s| values[s.index() - 1]);
        let cost = order.cost;
        let found = at(&[u_dot, lambda].concat());
        // By G M⁻¹ G^T: a row alone is never worth the whole.
        let system = System { mass, factors, forcing };
        let few = multipliers_and_accelerations(&pool, &system, &[]);
        assert_eq!(few.u_dot.len(), n);
        let mut residual = vec![];
        for r in 0..n {
            let inertia = (0..n).map(|s| dense[r][s] * found[s]).sum::<f64>();
            let held: f64 = rows
                .iter()
                .enumerate()
                .flat_map(|(i, row)| row.jacobian.iter().filter(|(k, _)| *k == r).map(move |(_, g)| (i, *g)))
                .map(|(i, g)| at(&[g])[0] * found[n + i])
                .sum();
            residual.push(inertia - at(&[system.forcing[r]])[0] - held);
        }
        for row in &rows {
            let moved: f64 = row.jacobian.iter().map(|(k, g)| at(&[*g])[0] * found[*k]).sum();
            residual.push(moved + at(&[row.gamma])[0]);
        }
        (residual, found, cost)
    }

    #[test]
    fn accelerations_and_multipliers_solve_the_whole_system() {
        for seed in 1..6 {
            let (residual, found, _) = car(12, seed);
            assert!(found.iter().all(|x| x.is_finite()));
            assert!(residual.iter().all(|r| r.abs() < 1e-8), "seed {seed}: {residual:?}");
        }
    }

    /// A row twice: the copy has no say, and the others hold.
    #[test]
    fn a_row_that_repeats_others_has_no_say() {
        let (residual, found, _) = car(11, 3);
        assert!(residual.iter().all(|r| r.abs() < 1e-8), "{residual:?}");
        let (first, copy) = (found[26], found[26 + 11]);
        assert!(first == 0.0 || copy == 0.0, "{first} {copy}");
        assert!(first != 0.0 || copy != 0.0, "one of them bears");
    }
}
