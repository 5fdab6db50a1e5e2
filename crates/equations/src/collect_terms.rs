//! Terms of the right-hand side that are alike in the speeds.
//!
//! Speeds of the analyst's own are often components along axes that turn. Accelerations come out in other axes and are projected back, so that a
//! term which is plain in these speeds is hidden under sines and cosines: `cos² v w + sin² v w` instead of `v w`. The part of a row that comes from
//! inertia is of second degree in the speeds, so its coefficients tell what it is:
//!
//! ```text
//! [collected]   f_r = F_r + Σ_{i≤j} c_ij u_i u_j,   c_ij = ∂²f_r/∂u_i ∂u_j for i < j,  c_ii = ½ ∂²f_r/∂u_i²
//! ```
//!
//! F_r is what weight and loads give. The form is taken where all c_ij are constants and nothing is lost by it.

use cardan_expr::{Derivation, Expr, Rational};
use cardan_model::Model;

/// Longer rows are left as they are.
const PARTS: usize = 400;
/// So are rows in which more speeds meet.
const SPEEDS: usize = 6;

/// Whether some speed is no rate of a coordinate; else there are no axes to be turned back.
pub(crate) fn is_worth_trying(model: &Model) -> bool {
    let is_rate = |symbol: Expr| model.coordinates.iter().any(|(_, q)| q.rate == symbol);
    !model.space.pool().has_small_symbols() && model.speeds.iter().any(|(_, u)| !is_rate(u.symbol))
}

/// A row in its collected form, or as it is; `given` is F_r. [collected]
pub(crate) fn collected(model: &Model, row: Expr, given: Expr, by_speed: &mut [Derivation]) -> Expr {
    let pool = model.space.pool();
    if pool.reachable([row]).len() > PARTS {
        return row;
    }
    let holds = |u: Expr| pool.as_symbol(u).is_some_and(|s| pool.contains(row, s));
    let speeds: Vec<(usize, Expr)> =
        model.speeds.iter().map(|(_, u)| u.symbol).enumerate().filter(|(_, u)| holds(*u)).collect();
    if speeds.len() > SPEEDS {
        return row;
    }
    let mut terms = vec![given];
    for (k, (i, u_i)) in speeds.iter().enumerate() {
        let slope = by_speed[*i].apply(pool, row);
        for (j, u_j) in &speeds[k..] {
            let c = by_speed[*j].apply(pool, slope);
            if !pool.is_constant(c) {
                return row;
            }
            let c = if i == j { pool.scale(Rational::Small(1, 2), c) } else { c };
            terms.push(pool.product([c, *u_i, *u_j]));
        }
    }
    let found = pool.sum(terms);
    let is_same = pool.is_zero(pool.sub(row, found));
    if is_same && pool.cost(found) <= pool.cost(row) { found } else { row }
}
