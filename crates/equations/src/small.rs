//! Small quantities in the equations of motion.
//!
//! A sum drops what is negligible beside its own largest term, but a row of M u̇ = f is a sum too, and there u̇_s is small
//! with u_s. In a row the order counts absolutely: with the usual threshold 2 the equations become linear in what is small.
//!
//! ```text
//! [row-order]      o_r = lowest order in row r:  of f_r, and of M_rs plus that of u̇_s
//! [row-limit]      b_r = the threshold, or o_r + 1 if that is more
//! [row-truncate]   f_r loses order b_r and beyond;  M_rs loses order b_r - (order of u̇_s), or the same with r and s
//!                  exchanged if that keeps more, so that M stays symmetric
//! ```
//!
//! This is what Sayers' formalism does by forming rows with the accelerations in them ("terms involving products or powers of
//! quantities known to be small are dropped if they are of order 2 or higher").

use cardan_base::Map;
use cardan_expr::{Expr, Pool};
use cardan_model::Model;

/// Whether anything is declared small.
pub(crate) fn any_small(model: &Model) -> bool {
    let is_small = |e: Expr| model.space.pool().small_order(e) > 0;
    let speeds = model.speeds.iter().any(|(_, u)| is_small(u.symbol));
    speeds || model.coordinates.iter().any(|(_, q)| is_small(q.symbol))
}

/// Rows of the equations drop this order; those of constraints hold one more.
fn usual(pool: &Pool) -> i32 {
    pool.smallness_threshold().min(2)
}

/// dq/dt without what is negligible: a row of its own for each coordinate.
pub(crate) fn kinematic(model: &Model) -> Vec<Expr> {
    let pool = model.space.pool();
    let rates = model.coordinates.iter().map(|(_, q)| q.rate);
    if !any_small(model) {
        return rates.collect();
    }
    let mut known = Map::default();
    let limit = |e: Expr| usual(pool).max(pool.small_order(e) + 1);
    rates.map(|rate| pool.truncate(rate, limit(rate), &mut known)).collect()
}

/// Drops what is negligible in the rows of M u̇ = f. Leaves everything as it is if nothing is declared small.
pub(crate) fn truncate(model: &Model, mass: &mut [Vec<Expr>], forcing: &mut [Expr]) {
    if !any_small(model) {
        return;
    }
    let pool = model.space.pool();
    let orders: Vec<i32> = model.speeds.iter().map(|(_, u)| pool.small_order(u.rate)).collect();
    let n = forcing.len();
    let threshold = usual(pool);
    let mut known = Map::default();
    let limit: Vec<i32> = (0..n)
        .map(|r| {
            let inertia = (0..n)
                .filter(|s| !pool.is_zero(mass[r][*s]))
                .map(|s| pool.small_order(mass[r][s]) + orders[s]);
            let force = (!pool.is_zero(forcing[r])).then(|| pool.small_order(forcing[r]));
            let lowest = inertia.chain(force).min().unwrap_or(0); // [row-order]
            threshold.max(lowest + 1) // [row-limit]
        })
        .collect();
    for r in 0..n {
        forcing[r] = pool.define(pool.truncate(forcing[r], limit[r], &mut known)); // [row-truncate]
        for s in 0..=r {
            let below = (limit[r] - orders[s]).max(limit[s] - orders[r]);
            mass[r][s] = pool.define(pool.truncate(mass[r][s], below, &mut known));
            mass[s][r] = mass[r][s];
        }
    }
}
