//! Mass, first moment and inertia about a frame's origin, and their regrouping.
//!
//! ```text
//! [shift]     h' = h + m p,   I' = I + 2 (p·h) 1 - p h^T - h p^T + m (p·p 1 - p p^T)
//! ```
//!
//! Equations of motion are linear in these ten parameters, and some combinations of a body's parameters act
//! exactly as if they belonged to its parent (base parameters: Gautier & Khalil 1990; barycentric
//! parameters: Wittenburg, and ROBOTRAN in the Multibody Systems Handbook):
//!
//! ```text
//! [base-rotation]      about a:  mass at the origin, first moment along a, and an inertia J (1 - a a^T), because
//!                      a mass on the axis and a thin rod along it do not feel the turn
//! [base-translation]   along a:  all of the inertia, because both bodies turn alike
//! [base-ball]          mass at the origin
//! ```

use cardan_expr::{Expr, Pool, Rational};
use cardan_kinematics::rotation::{apply_transposed, inner, transpose};
use cardan_kinematics::{Matrix3, Motion};

use super::tree::{Node, matrix_to_parent, to_parent};

#[derive(Clone)]
pub(crate) struct Inertia {
    pub m: Expr,
    /// m times the position of the mass centre.
    pub h: [Expr; 3],
    /// About the origin.
    pub I: [[Expr; 3]; 3],
}

impl Inertia {
    pub fn zero(pool: &Pool) -> Inertia {
        let o = pool.zero();
        Inertia { m: o, h: [o; 3], I: [[o; 3]; 3] }
    }

    /// From mass, mass centre and central inertia.
    pub fn of_body(pool: &Pool, m: Expr, center: [Expr; 3], central: &[[Expr; 3]; 3]) -> Inertia {
        let body = Inertia { m, h: [pool.zero(); 3], I: *central };
        body.shifted(pool, center)
    }

    /// The same body about a point from which its origin is seen at `p`. [shift]
    pub fn shifted(&self, pool: &Pool, p: [Expr; 3]) -> Inertia {
        let two = |e: Expr| pool.scale(Rational::int(2), e);
        let trace = pool.add(two(inner(pool, p, self.h)), pool.mul(self.m, inner(pool, p, p)));
        let h: [Expr; 3] = std::array::from_fn(|i| pool.add(self.h[i], pool.mul(self.m, p[i])));
        let mut I = self.I;
        for i in 0..3 {
            for j in 0..=i {
                let mut terms = vec![
                    self.I[i][j],
                    pool.neg(pool.mul(p[i], self.h[j])),
                    pool.neg(pool.mul(self.h[i], p[j])),
                    pool.neg(pool.product([self.m, p[i], p[j]])),
                ];
                if i == j {
                    terms.push(trace);
                }
                I[i][j] = pool.sum(terms);
                I[j][i] = I[i][j];
            }
        }
        Inertia { m: self.m, h, I }
    }

    /// In the axes of a frame A, when this one has `R[i][j] = b_i · a_j`.
    pub fn turned(&self, pool: &Pool, R: &Matrix3) -> Inertia {
        let Rt = transpose(R);
        // R^T I R, its half
        let IR: [[Expr; 3]; 3] = std::array::from_fn(|i| {
            std::array::from_fn(|j| {
                let sum = pool.sum((0..3).map(|k| pool.mul(self.I[i][k], R[k][j])).collect::<Vec<_>>());
                pool.define(sum)
            })
        });
        let mut I = self.I;
        for i in 0..3 {
            for j in 0..=i {
                I[i][j] = pool.sum((0..3).map(|k| pool.mul(Rt[i][k], IR[k][j])).collect::<Vec<_>>());
                I[j][i] = I[i][j];
            }
        }
        Inertia { m: self.m, h: apply_transposed(pool, R, self.h), I }
    }

    /// In the axes and about the origin of a frame in which this one has the pose R, p.
    pub fn seen_from(&self, pool: &Pool, R: &Matrix3, p: [Expr; 3]) -> Inertia {
        self.turned(pool, R).define(pool).shifted(pool, p)
    }

    /// The same for the parent of a node.
    pub fn seen_from_parent(&self, pool: &Pool, node: &Node) -> Inertia {
        let h = to_parent(pool, node, self.h);
        Inertia { m: self.m, h, I: matrix_to_parent(pool, node, &self.I) }.shifted(pool, node.p)
    }

    pub fn add(&self, pool: &Pool, other: &Inertia) -> Inertia {
        let mut I = self.I;
        for i in 0..3 {
            for j in 0..=i {
                I[i][j] = pool.add(self.I[i][j], other.I[i][j]);
                I[j][i] = I[i][j];
            }
        }
        Inertia {
            m: pool.add(self.m, other.m),
            h: std::array::from_fn(|i| pool.add(self.h[i], other.h[i])),
            I,
        }
    }

    pub fn define(&self, pool: &Pool) -> Inertia {
        let mut I = self.I;
        for i in 0..3 {
            for j in 0..=i {
                I[i][j] = pool.define(self.I[i][j]);
                I[j][i] = I[i][j];
            }
        }
        Inertia { m: pool.define(self.m), h: self.h.map(|e| pool.define(e)), I }
    }

    /// What stays with the body and what can move to its parent.
    pub fn split(&self, pool: &Pool, motion: &Motion) -> (Inertia, Inertia) {
        let o = pool.zero();
        let mut kept = self.clone();
        let mut moved = Inertia::zero(pool);
        match motion {
            Motion::Fixed | Motion::Free { .. } => {}
            Motion::Ball { .. } => {
                moved.m = self.m;
                kept.m = o;
            }
            Motion::Translation { .. } => {
                moved.I = self.I;
                kept.I = [[o; 3]; 3];
            }
            Motion::Rotation { direction: a, .. } => {
                moved.m = self.m;
                kept.m = o;
                let along = inner(pool, self.h, *a);
                moved.h = a.map(|c| pool.mul(along, c));
                kept.h = std::array::from_fn(|i| pool.sub(self.h[i], moved.h[i]));
                // A rod along a coordinate axis takes one transverse moment with it.
                let aligned = (0..3).find(|k| (0..3).all(|i| i == *k || pool.is_zero(a[i])));
                if let Some(k) = aligned {
                    let (i, j) = ((k + 1) % 3, (k + 2) % 3);
                    let rod = self.I[j][j];
                    moved.I[i][i] = rod;
                    moved.I[j][j] = rod;
                    kept.I[i][i] = pool.sub(self.I[i][i], rod);
                    kept.I[j][j] = o;
                }
            }
        }
        (kept, moved)
    }

    /// A part that [`split`](Self::split) moved, in the parent of its node.
    pub fn in_parent(&self, pool: &Pool, node: &Node) -> Inertia {
        match node.motion {
            Motion::Translation { .. } => self.turned(pool, &node.R),
            _ => {
                // Invariant under the joint's turn, so any value of its coordinate serves; the axis' own row of R
                // is constant, and a rod's inertia J (1 - a a^T) needs no other.
                let h = apply_transposed(pool, &node.R, self.h);
                let mut I = self.I;
                if let Motion::Rotation { direction, .. } = node.motion {
                    let a = apply_transposed(pool, &node.R, direction);
                    let rod = (0..3).map(|i| self.I[i][i]).find(|e| !pool.is_zero(*e)).unwrap_or(pool.zero());
                    for i in 0..3 {
                        for j in 0..3 {
                            let delta = if i == j { pool.one() } else { pool.zero() };
                            I[i][j] = pool.mul(rod, pool.sub(delta, pool.mul(a[i], a[j])));
                        }
                    }
                }
                Inertia { m: self.m, h, I }.shifted(pool, node.p)
            }
        }
    }
}
