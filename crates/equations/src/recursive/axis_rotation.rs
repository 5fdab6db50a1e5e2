//! A turn about one axis of a node, after a constant one.
//!
//! ```text
//! [turn]             R = R_k(θ) R_0
//! [turned-matrix]    M' = R_k^T M R_k, i and j the other axes in cyclic order, c and s cosine and sine of θ:
//!                    u = (M_ii - M_jj) c - (M_ij + M_ji) s
//!                    M_ii' = M_jj + u c,   M_jj' = M_ii - u c,   M_ij' = M_ij + u s,   M_ji' = M_ji + u s
//! ```
//!
//! That takes half of the products that two multiplications of matrices would take, because c² + s² = 1 has been made use of.

use cardan_expr::{Expr, Pool};
use cardan_kinematics::rotation::{compose, identity};
use cardan_kinematics::{Frame, Matrix3, Motion};

/// See [turn].
#[derive(Clone, Copy)]
pub(crate) struct Turn {
    /// k
    pub axis: usize,
    pub cos: Expr,
    pub sin: Expr,
    /// R_0
    pub rest: Matrix3,
}

impl Turn {
    /// The turn of a frame whose parent has the attitude `rest` in the node before, if it turns about an axis.
    pub fn of(pool: &Pool, frame: &Frame, rest: Matrix3) -> Option<Turn> {
        let Motion::Rotation { direction, .. } = frame.motion else { return None };
        let k = (0..3).find(|k| (0..3).all(|i| i == *k || pool.is_zero(direction[i])))?;
        let (i, j) = ((k + 1) % 3, (k + 2) % 3);
        let R = &frame.R_PB;
        let is_turn = R[k] == identity(pool)[k]
            && R[i][i] == R[j][j]
            && pool.is_zero(R[i][k])
            && pool.is_zero(R[j][k])
            && pool.is_zero(pool.add(R[i][j], R[j][i]));
        is_turn.then_some(Turn { axis: k, cos: R[i][i], sin: R[i][j], rest })
    }

    /// This turn after another about a parallel axis, which by the sum of the angles, `angle`, has the attitude `R`.
    pub fn after(&self, pool: &Pool, before: &Turn, angle: Expr, R: &Matrix3) -> Option<Turn> {
        let (cos, sin) = (pool.define(pool.cos(angle)), pool.define(pool.sin(angle)));
        let rest = compose(pool, &self.rest, &before.rest);
        // Which way round depends on the directions of the axes.
        let turns = [sin, pool.neg(sin)].map(|sin| Turn { axis: self.axis, cos, sin, rest });
        turns.into_iter().find(|turn| is_same(pool, &compose(pool, &turn.simple(pool), &rest), R))
    }

    /// R_k(θ)
    fn simple(&self, pool: &Pool) -> Matrix3 {
        let (i, j) = ((self.axis + 1) % 3, (self.axis + 2) % 3);
        let mut R = identity(pool);
        (R[i][i], R[i][j], R[j][i], R[j][j]) = (self.cos, self.sin, pool.neg(self.sin), self.cos);
        R
    }

    /// R^T M R for any matrix M. [turned-matrix]
    pub fn matrix_back(&self, pool: &Pool, M: &Matrix3) -> Matrix3 {
        let Turn { axis: k, cos: c, sin: s, ref rest } = *self;
        let (i, j) = ((k + 1) % 3, (k + 2) % 3);
        let turned = |x: Expr, y: Expr| {
            (pool.sub(pool.mul(c, x), pool.mul(s, y)), pool.add(pool.mul(s, x), pool.mul(c, y)))
        };
        let difference = pool.define(pool.sub(M[i][i], M[j][j]));
        let sum = pool.add(M[i][j], M[j][i]);
        let u = pool.define(turned(difference, sum).0);
        let (cu, su) = (pool.define(pool.mul(c, u)), pool.define(pool.mul(s, u)));
        let mut out = *M;
        (out[i][i], out[j][j]) = (pool.add(M[j][j], cu), pool.sub(M[i][i], cu));
        (out[i][j], out[j][i]) = (pool.add(M[i][j], su), pool.add(M[j][i], su));
        (out[i][k], out[j][k]) = turned(M[i][k], M[j][k]);
        (out[k][i], out[k][j]) = turned(M[k][i], M[k][j]);
        let out = out.map(|row| row.map(|e| pool.define(e)));
        matrix_back(pool, &out, rest)
    }
}

/// For quarter turns the axis of the node that each axis of the parent is, and whether it is its opposite.
fn quarters(pool: &Pool, R: &Matrix3) -> Option<[(usize, bool); 3]> {
    let (one, minus_one) = (pool.one(), pool.int(-1));
    let axis = |j: usize| {
        let i = (0..3).find(|i| R[*i][j] == one || R[*i][j] == minus_one)?;
        Some((i, R[i][j] == minus_one))
    };
    Some([axis(0)?, axis(1)?, axis(2)?])
}

/// R^T M R by two products, or by exchanging axes.
pub(crate) fn matrix_back(pool: &Pool, M: &Matrix3, R: &Matrix3) -> Matrix3 {
    if let Some(axes) = quarters(pool, R) {
        return axes.map(|(i, a)| axes.map(|(j, b)| if a == b { M[i][j] } else { pool.neg(M[i][j]) }));
    }
    let product = |A: &dyn Fn(usize, usize) -> Expr, B: &Matrix3| -> Matrix3 {
        let entry = |i: usize, j: usize| {
            pool.define(pool.sum((0..3).map(|k| pool.mul(A(i, k), B[k][j])).collect::<Vec<_>>()))
        };
        std::array::from_fn(|i| std::array::from_fn(|j| entry(i, j)))
    };
    let MR = product(&|i, k| M[i][k], R);
    product(&|i, k| R[k][i], &MR)
}

fn is_same(pool: &Pool, A: &Matrix3, B: &Matrix3) -> bool {
    A.iter().flatten().zip(B.iter().flatten()).all(|(a, b)| pool.is_zero(pool.sub(*a, *b)))
}
