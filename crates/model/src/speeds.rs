//! Generalised speeds: how the time derivatives of the coordinates follow from them.
//!
//! ```text
//! [speeds]       u = Y(q, t) q̇ + Z(q, t)          user-defined speeds
//! [rates]        q̇ = W(q, t) u + X(q, t)           what the equations need
//! ```

use cardan_expr::{Derivation, Expr, Pool};

/// Solves the linear system `A x = b` symbolically by elimination. At each step the pivot is the entry
/// whose constant part does not vanish and that is cheapest; failing that, the cheapest that is not zero.
/// Nothing if the matrix is singular as written.
pub fn solve_linear(pool: &Pool, mut a: Vec<Vec<Expr>>, mut b: Vec<Vec<Expr>>) -> Option<Vec<Vec<Expr>>> {
    let n = a.len();
    let mut order: Vec<usize> = (0..n).collect();
    for k in 0..n {
        let candidates = (k..n).flat_map(|i| (k..n).map(move |j| (i, j)));
        let (i, j) = candidates.filter(|(i, j)| !pool.is_zero(a[*i][*j])).min_by_key(|(i, j)| {
            let e = a[*i][*j];
            (pool.is_zero(pool.constant_part(e)), pool.cost(e), *i, *j)
        })?;
        a.swap(k, i);
        b.swap(k, i);
        order.swap(k, j);
        a.iter_mut().for_each(|row| row.swap(k, j));
        for r in k + 1..n {
            if pool.is_zero(a[r][k]) {
                continue;
            }
            let factor = pool.div(a[r][k], a[k][k]);
            for c in k..n {
                a[r][c] = pool.sub(a[r][c], pool.mul(factor, a[k][c]));
            }
            for c in 0..b[r].len() {
                b[r][c] = pool.sub(b[r][c], pool.mul(factor, b[k][c]));
            }
        }
    }
    let width = b.first().map_or(0, Vec::len);
    let mut x = vec![vec![pool.zero(); width]; n];
    for k in (0..n).rev() {
        for c in 0..width {
            let known: Vec<Expr> = (k + 1..n).map(|j| pool.mul(a[k][j], x[order[j]][c])).collect();
            x[order[k]][c] = pool.div(pool.sub(b[k][c], pool.sum(known)), a[k][k]);
        }
    }
    Some(x)
}

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
