//! Direction cosine matrices: `R[i][j] = b_i · a_j`, the unit vectors of B in terms of those of A.

use cardan_expr::{Expr, Function, Pool, Rational};

/// Nine scalars; here always `R[i][j] = b_i · a_j`.
pub type Matrix3 = [[Expr; 3]; 3];

/// An axis of a frame.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Axis {
    /// The first.
    X,
    /// The second.
    Y,
    /// The third.
    Z,
}

impl Axis {
    /// 0, 1 or 2.
    pub fn index(self) -> usize {
        self as usize
    }
    /// The axis called x, y or z (or 1, 2, 3).
    pub fn named(name: char) -> Option<Axis> {
        match name {
            'x' | 'X' | '1' => Some(Axis::X),
            'y' | 'Y' | '2' => Some(Axis::Y),
            'z' | 'Z' | '3' => Some(Axis::Z),
            _ => None,
        }
    }
    /// All three.
    pub const ALL: [Axis; 3] = [Axis::X, Axis::Y, Axis::Z];
    /// `x`, `y` or `z`.
    pub fn name(self) -> &'static str {
        ["x", "y", "z"][self.index()]
    }
}

/// One of the twelve sequences of three rotations, each about an axis of the frame turned so far.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Sequence(pub [Axis; 3]);

impl Sequence {
    /// The sequence called `xyz`, `zxz`, …; neighbours must differ.
    pub fn named(name: &str) -> Option<Sequence> {
        let mut axes = name.chars().map(Axis::named);
        let sequence = [axes.next()??, axes.next()??, axes.next()??];
        let valid = axes.next().is_none() && sequence[0] != sequence[1] && sequence[1] != sequence[2];
        valid.then_some(Sequence(sequence))
    }
}

/// No rotation.
pub fn identity(pool: &Pool) -> Matrix3 {
    let (o, i) = (pool.zero(), pool.one());
    [[i, o, o], [o, i, o], [o, o, i]]
}

/// A turn by `angle` about an axis of both frames.
///
/// ```text
/// [simple-rotation]   b_i = cos a_i + sin a_j,  b_j = -sin a_i + cos a_j,  b_k = a_k   (i, j, k cyclic)
/// ```
pub fn about_axis(pool: &Pool, axis: Axis, angle: Expr) -> Matrix3 {
    let k = axis.index();
    let (i, j) = ((k + 1) % 3, (k + 2) % 3);
    let (s, c) = (pool.sin(angle), pool.cos(angle));
    let mut R = identity(pool);
    R[i][i] = c;
    R[i][j] = s;
    R[j][i] = pool.neg(s);
    R[j][j] = c;
    R
}

/// A turn by `angle` about a unit vector with components `d` in both frames.
///
/// ```text
/// [rodrigues]   R_ij = cos δ_ij + (1 - cos) d_i d_j + sin ε_ijk d_k
/// ```
pub fn about_direction(pool: &Pool, d: [Expr; 3], angle: Expr) -> Matrix3 {
    let (s, c) = (pool.sin(angle), pool.cos(angle));
    let versine = pool.sub(pool.one(), c);
    let mut R = identity(pool);
    for i in 0..3 {
        for j in 0..3 {
            let symmetric = pool.product([versine, d[i], d[j]]);
            R[i][j] = if i == j {
                pool.add(c, symmetric)
            } else {
                let k = 3 - i - j;
                let sign = if (i + 1) % 3 == j { 1 } else { -1 };
                let skew = pool.scale(Rational::int(sign), pool.mul(s, d[k]));
                pool.add(symmetric, skew)
            };
        }
    }
    R
}

/// The frame with Euler parameters e (scalar first, unit norm) relative to the parent.
///
/// ```text
/// [euler-parameters]   R_ij = (e0² - e·e) δ_ij + 2 e_i e_j + 2 e0 ε_ijk e_k
/// ```
///
/// The diagonal is written 1 - 2(e_j² + e_k²), equal on the unit sphere.
pub fn from_euler_parameters(pool: &Pool, e: [Expr; 4]) -> Matrix3 {
    let two = |x: Expr| pool.scale(Rational::int(2), x);
    let product = |i: usize, j: usize| pool.mul(e[i], e[j]);
    let mut R = identity(pool);
    for i in 0..3 {
        let (j, k) = ((i + 1) % 3, (i + 2) % 3);
        let others = pool.add(product(j + 1, j + 1), product(k + 1, k + 1));
        R[i][i] = pool.sub(pool.one(), two(others));
        R[i][j] = two(pool.add(product(i + 1, j + 1), product(0, k + 1)));
        R[j][i] = two(pool.sub(product(i + 1, j + 1), product(0, k + 1)));
    }
    R
}

/// Product: the frame C relative to A from C relative to B and B relative to A.
pub fn compose(pool: &Pool, R_BC: &Matrix3, R_AB: &Matrix3) -> Matrix3 {
    let entry =
        |i: usize, j: usize| pool.sum((0..3).map(|k| pool.mul(R_BC[i][k], R_AB[k][j])).collect::<Vec<_>>());
    std::array::from_fn(|i| std::array::from_fn(|j| entry(i, j)))
}

/// The inverse.
pub fn transpose(R: &Matrix3) -> Matrix3 {
    std::array::from_fn(|i| std::array::from_fn(|j| R[j][i]))
}

/// `Σ_j R[i][j] v[j]`: components in A become components in B.
pub fn apply(pool: &Pool, R: &Matrix3, v: [Expr; 3]) -> [Expr; 3] {
    std::array::from_fn(|i| pool.sum((0..3).map(|j| pool.mul(R[i][j], v[j])).collect::<Vec<_>>()))
}

/// `Σ_i R[i][j] v[i]`: components in B become components in A.
pub fn apply_transposed(pool: &Pool, R: &Matrix3, v: [Expr; 3]) -> [Expr; 3] {
    apply(pool, &transpose(R), v)
}

/// Cross product of components in one frame.
pub fn cross(pool: &Pool, a: [Expr; 3], b: [Expr; 3]) -> [Expr; 3] {
    std::array::from_fn(|i| {
        let (j, k) = ((i + 1) % 3, (i + 2) % 3);
        pool.sub(pool.mul(a[j], b[k]), pool.mul(a[k], b[j]))
    })
}

/// Inner product of components in one frame.
pub fn inner(pool: &Pool, a: [Expr; 3], b: [Expr; 3]) -> Expr {
    pool.sum((0..3).map(|i| pool.mul(a[i], b[i])).collect::<Vec<_>>())
}

/// `atan2(y, x)` as an expression.
pub fn atan2(pool: &Pool, y: Expr, x: Expr) -> Expr {
    pool.call(Function::Atan2, &[y, x])
}
