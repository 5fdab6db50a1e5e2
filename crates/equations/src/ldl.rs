//! Symbolic sparse factorisation of the mass matrix.
//!
//! Speeds are numbered parents first, so row k of M is zero except at the ancestors and descendants of k.
//! Eliminating from the leaves to the root then makes no fill (Featherstone, "Efficient factorization of the
//! joint-space inertia matrix for branched kinematic trees", 2005). Zero operations are never emitted.
//!
//! ```text
//! [ltdl]        M = L^T D L,   L unit lower triangular
//! [eliminate]   d_k = M_kk,  l_ki = M_ki / d_k,  M_ij -= l_ki M_kj      for j <= i < k
//! ```

use cardan_base::Id;
use cardan_expr::{Expr, Pool};
use cardan_model::SpeedId;

use crate::Failure;

/// The factors of a symmetric matrix and how to use them.
pub(crate) struct Ltdl {
    /// `l[k][i]` for i < k.
    l: Vec<Vec<Expr>>,
    d_inverse: Vec<Expr>,
}

/// [ltdl]
pub(crate) fn factor(pool: &Pool, mass: &[Vec<Expr>]) -> Result<Ltdl, Failure> {
    let n = mass.len();
    let mut m: Vec<Vec<Expr>> = (0..n).map(|i| mass[i][..=i].to_vec()).collect();
    let mut d_inverse = vec![pool.zero(); n];
    for k in (0..n).rev() {
        if pool.is_zero(m[k][k]) {
            return Err(Failure::NoInertia(SpeedId::from_index(k)));
        }
        d_inverse[k] = pool.define(pool.powi(m[k][k], -1));
        for i in (0..k).rev() {
            if pool.is_zero(m[k][i]) {
                continue;
            }
            let l = pool.define(pool.mul(m[k][i], d_inverse[k]));
            for j in 0..=i {
                if !pool.is_zero(m[k][j]) {
                    m[i][j] = pool.define(pool.sub(m[i][j], pool.mul(l, m[k][j]))); // [eliminate]
                }
            }
            m[k][i] = l;
        }
    }
    Ok(Ltdl { l: m, d_inverse })
}

impl Ltdl {
    /// x with M x = b.
    pub fn solve(&self, pool: &Pool, b: &[Expr]) -> Vec<Expr> {
        let n = b.len();
        let mut x = b.to_vec();
        for k in (0..n).rev() {
            for i in 0..k {
                if !pool.is_zero(self.l[k][i]) {
                    x[i] = pool.define(pool.sub(x[i], pool.mul(self.l[k][i], x[k])));
                }
            }
        }
        for k in 0..n {
            let mut value = pool.mul(x[k], self.d_inverse[k]);
            for i in 0..k {
                if !pool.is_zero(self.l[k][i]) {
                    value = pool.sub(value, pool.mul(self.l[k][i], x[i]));
                }
            }
            x[k] = pool.define(value);
        }
        x
    }
}
