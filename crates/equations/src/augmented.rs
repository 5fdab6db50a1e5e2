//! Accelerations under constraints, with multipliers.
//!
//! ```text
//! [kkt]          M u̇ = f + G^T λ,   G u̇ + γ = 0
//! [compliance]   A λ = -(γ + G u̇_free),   A = G M^-1 G^T,   u̇_free = M^-1 f
//! [released]     u̇ = u̇_free + M^-1 G^T λ
//! [correction]   δ = M^-1 G^T x,  A x = -g    moves a position (or, with v for g, a velocity) onto the constraints by the
//!                shortest way in the metric of the mass matrix
//! [drive]        P = λ·G u = -λ·b        power of the rows v = G u + b, which is zero unless b is there: a motion given in time
//! ```
//!
//! M is factored symbolically along the tree, where every pivot is safe; A is solved at run time with pivoting.

use cardan_base::Map;
use cardan_expr::{Derivation, Expr, Function, Pool};
use cardan_model::{ConstraintId, Model};

use crate::constraints::ConstraintRows;
use crate::ldl::Ldl;

/// What constraints do to the equations of motion.
#[derive(Clone, PartialEq, Debug)]
pub struct Augmented {
    /// One per row. [compliance]
    pub multipliers: Vec<Expr>,
    /// One per speed. [released]
    pub u_dot: Vec<Expr>,
    /// Change of each coordinate that removes position errors of holonomic rows. [correction]
    pub position_correction: Vec<Expr>,
    /// Change of each speed that removes velocity errors. [correction]
    pub velocity_correction: Vec<Expr>,
}

pub(crate) fn solve(model: &Model, mass: &Ldl, forcing: &[Expr], constraints: &ConstraintRows) -> Augmented {
    let pool = model.space.pool();
    let n = forcing.len();
    let rows = &constraints.rows;
    let free = mass.solve(pool, forcing);
    let columns: Vec<Vec<Expr>> = rows
        .iter()
        .map(|row| {
            let mut g = vec![pool.zero(); n];
            row.jacobian.iter().for_each(|(k, e)| g[*k] = *e);
            mass.solve(pool, &g)
        })
        .collect();
    let along = |row: usize, x: &[Expr]| {
        pool.sum(rows[row].jacobian.iter().map(|(k, e)| pool.mul(*e, x[*k])).collect::<Vec<_>>())
    };
    let compliance = |i: usize, j: usize| pool.define(along(i, &columns[j]));
    let demand: Vec<Expr> =
        (0..rows.len()).map(|i| pool.define(pool.neg(pool.add(rows[i].gamma, along(i, &free))))).collect();
    let all: Vec<usize> = (0..rows.len()).collect();
    let multipliers = unknowns(pool, &all, &compliance, &demand);
    let moved = |which: &[usize], x: &[Expr]| -> Vec<Expr> {
        let by = |k: usize| {
            pool.sum(which.iter().zip(x).map(|(r, l)| pool.mul(columns[*r][k], *l)).collect::<Vec<_>>())
        };
        (0..n).map(by).collect()
    };
    let u_dot =
        moved(&all, &multipliers).iter().zip(&free).map(|(a, b)| pool.define(pool.add(*a, *b))).collect();
    let holonomic: Vec<usize> = all.iter().copied().filter(|r| rows[*r].position.is_some()).collect();
    let errors: Vec<Expr> =
        holonomic.iter().filter_map(|r| rows[*r].position).map(|g| pool.define(pool.neg(g))).collect();
    let shift = moved(&holonomic, &unknowns(pool, &holonomic, &compliance, &errors));
    let position_correction = displace(model, &shift);
    let errors: Vec<Expr> = rows.iter().map(|r| pool.define(pool.neg(r.velocity))).collect();
    let velocity_correction = moved(&all, &unknowns(pool, &all, &compliance, &errors));
    Augmented { multipliers, u_dot, position_correction, velocity_correction }
}

/// A displacement along the speeds as changes of the coordinates: δq = W δ, with q̇ = W u + X.
fn displace(model: &Model, shift: &[Expr]) -> Vec<Expr> {
    let pool = model.space.pool();
    let mut by_speed: Vec<Derivation> =
        model.speeds.iter().map(|(_, u)| Derivation::partial(pool, u.symbol)).collect();
    let mut change = |rate: Expr| {
        let terms = by_speed.iter_mut().zip(shift).map(|(d, s)| pool.mul(d.apply(pool, rate), *s));
        pool.sum(terms.collect::<Vec<_>>())
    };
    model.coordinates.iter().map(|(_, q)| change(q.rate)).collect()
}

/// The unknowns of the compliance system of some rows.
fn unknowns(
    pool: &Pool,
    which: &[usize],
    compliance: &dyn Fn(usize, usize) -> Expr,
    demand: &[Expr],
) -> Vec<Expr> {
    let mut arguments = vec![];
    for (k, i) in which.iter().enumerate() {
        arguments.extend(which[..=k].iter().map(|j| compliance(*i, *j)));
    }
    arguments.extend(demand);
    if let ([_], [a, b]) = (which, &arguments[..]) {
        return vec![pool.define(pool.div(*b, *a))];
    }
    let n = which.len() as u16;
    (0..n).map(|k| pool.define(pool.call(Function::Solve(n, k), &arguments))).collect()
}

/// The power that constraints bring in. [drive]
pub(crate) fn powers(
    model: &Model,
    constraints: &ConstraintRows,
    multipliers: &[Expr],
) -> Vec<(ConstraintId, Expr)> {
    let pool = model.space.pool();
    let at_rest: Map<_, _> =
        model.speeds.iter().filter_map(|(_, u)| Some((pool.as_symbol(u.symbol)?, pool.zero()))).collect();
    let mut known = Map::default();
    let mut powers: Vec<(ConstraintId, Vec<Expr>)> = vec![];
    for (row, multiplier) in constraints.rows.iter().zip(multipliers) {
        let b = pool.substitute(row.velocity, &at_rest, &mut known);
        if pool.is_zero(b) {
            continue;
        }
        let power = pool.neg(pool.mul(*multiplier, b));
        match powers.last_mut().filter(|(c, _)| *c == row.constraint) {
            Some((_, parts)) => parts.push(power),
            None => powers.push((row.constraint, vec![power])),
        }
    }
    powers.into_iter().map(|(c, parts)| (c, pool.sum(parts))).collect()
}
