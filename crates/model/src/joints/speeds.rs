//! Generalised speeds: how the time derivatives of the coordinates follow from them.
//!
//! ```text
//! [speeds]       u = Y(q, t) q̇ + Z(q, t)          user-defined speeds
//! [rates]        q̇ = W(q, t) u + X(q, t)           what the equations need
//! ```

use cardan_expr::{Derivation, Expr, Pool};

/// Splits an expression that is linear in `symbols` into coefficients and remainder; nothing if it is not linear.
pub fn linear_parts(pool: &Pool, e: Expr, symbols: &[Expr]) -> Option<(Vec<Expr>, Expr)> {
    let mut remainder = e;
    let mut coefficients = vec![];
    for x in symbols {
        let c = Derivation::partial(pool, *x).apply(pool, e);
        remainder = pool.sub(remainder, pool.mul(c, *x));
        coefficients.push(c);
    }
    let ids: Vec<_> = symbols.iter().filter_map(|x| pool.as_symbol(*x)).collect();
    let free = |e: Expr| {
        let parts = pool.reachable([e]);
        symbols.iter().all(|x| parts.binary_search(x).is_err())
    };
    // What is left must not contain the symbols; setting them to zero removes what cancels but is not seen to.
    let remainder = pool.nominal(remainder, &ids);
    coefficients.iter().all(|c| free(*c)).then_some((coefficients, remainder))
}
