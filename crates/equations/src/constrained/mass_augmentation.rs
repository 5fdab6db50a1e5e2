//! Inertia lent by constraints: motions without mass that joints hold.
//!
//! A rod, a cross or a frame without mass inside a loop leaves the mass matrix singular, and the motion is determined all the same: M
//! need be positive definite on the motions that the constraints admit, and nowhere else. What the constraints forbid may have any inertia,
//! because it never moves. With any positive weights S
//!
//! ```text
//! [lent]        M̂ = M + G^T S G,  f̂ = f - G^T S γ         G u̇ + γ = 0 makes M̂ u̇ = f̂ + G^T λ of M u̇ = f + G^T λ, λ unchanged
//! [regular]     M̂ is positive definite  ⇔  M is, on {δ : G δ = 0}
//! [massless]    M n = 0                                       a motion without mass; only rows with G n ≠ 0 need lend anything
//! [metric]      δ^T M̂ δ = δ^T M δ + |S^½ G δ|²                so corrections with G δ given are the shortest as before
//! ```
//!
//! so accelerations, multipliers and corrections are those of the true masses, to rounding, and every pivot of M̂ is safe. Rows that do not see
//! a massless motion lend nothing: M̂ is as sparse as it can be. The weights are the mass and the inertia of the whole mechanism, so that
//! lent and true inertia are of one size.

use cardan_base::Id;
use cardan_expr::{Expr, Pool};
use cardan_model::{Model, SpeedId};
use cardan_units::Dimension;

use crate::Failure;
use crate::constrained::multipliers::System;
use crate::constrained::rows::ConstraintRow;
use crate::ldl::{self, Massless};

/// What rows lend, by the dimension of what they hold.
#[derive(Clone, Copy)]
pub(crate) struct Weights {
    /// To rows that hold lengths: a mass.
    length: Expr,
    /// To all others: an inertia.
    turn: Expr,
}

impl Weights {
    /// Of the size of a model: the sum of its masses, and of its inertias about its joints.
    pub fn of(model: &Model) -> Weights {
        let pool = model.space.pool();
        let bodies = || model.bodies.iter().map(|(_, b)| b);
        let or_one = |e: Expr, other: Expr| if pool.is_zero(e) { other } else { pool.define(e) };
        let mass = pool.sum(bodies().map(|b| b.mass).collect::<Vec<_>>());
        let length = or_one(mass, pool.one());
        let moments = bodies().flat_map(|b| {
            let steiner = b.center.map(|c| pool.product([b.mass, c, c]));
            (0..3).map(|i| b.inertia[i][i]).chain(steiner).collect::<Vec<_>>()
        });
        let turn = or_one(pool.sum(moments.collect::<Vec<_>>()), length);
        Weights { length, turn }
    }

    fn of_row(&self, model: &Model, row: &ConstraintRow) -> Expr {
        let dimension = model.constraints[row.constraint].rows[row.row].dimension;
        let is_length = [Dimension::LENGTH, Dimension::VELOCITY].contains(&dimension);
        if is_length { self.length } else { self.turn }
    }
}

/// The factors of the mass matrix and the forcing that belongs to them, with what rows lend where M alone is singular, or what `all` of them
/// lend. [lent]
pub(crate) fn factor(
    model: &Model,
    mass: &[Vec<Expr>],
    forcing: &[Expr],
    rows: &[ConstraintRow],
    all: bool,
) -> Result<System, Failure> {
    let pool = model.space.pool();
    let free = match ldl::factor_or_massless(pool, mass) {
        Ok(factors) if !all => {
            return Ok(System { mass: mass.to_vec(), factors, forcing: forcing.to_vec() });
        }
        found => found.err().unwrap_or_default(),
    };
    let sees = |row: &&ConstraintRow| {
        all || free.iter().any(|n| {
            let terms = row.jacobian.iter().map(|(k, g)| pool.mul(*g, n[*k]));
            !pool.is_zero(pool.sum(terms.collect::<Vec<_>>())) // [massless]
        })
    };
    let weights = Weights::of(model);
    let (mut lent, mut rest) = (mass.to_vec(), forcing.to_vec());
    for row in rows.iter().filter(sees) {
        let weight = weights.of_row(model, row);
        for (a, (i, g)) in row.jacobian.iter().enumerate() {
            let pulled = pool.define(pool.mul(weight, *g));
            rest[*i] = pool.define(pool.sub(rest[*i], pool.mul(pulled, row.gamma)));
            for (j, h) in &row.jacobian[..=a] {
                lent[*i][*j] = pool.define(pool.add(lent[*i][*j], pool.mul(pulled, *h)));
                lent[*j][*i] = lent[*i][*j];
            }
        }
    }
    let called = |left: Vec<Massless>| main_part(pool, left.first().map_or(&[], Vec::as_slice));
    let factors = ldl::factor_or_massless(pool, &lent)
        .map_err(|left| Failure::NoInertia(SpeedId::from_index(called(left))))?;
    Ok(System { mass: lent, factors, forcing: rest })
}

/// The speed by which a motion without mass is called: the last that takes part, which carries least.
fn main_part(pool: &Pool, motion: &[Expr]) -> usize {
    motion.iter().rposition(|e| !pool.is_zero(*e)).unwrap_or(0)
}
