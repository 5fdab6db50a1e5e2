//! Dot and cross products of vectors of mixed frames.
//!
//! ```text
//! [dot-climb]     b_i · e = Σ_j (b_i · a_j) (a_j · e)     B the deeper frame, A its parent
//! [cross-expand]  a × b_j = Σ_i (a · b_i) b_i × b_j       in the frame of the second vector
//! ```
//!
//! The dot product of two unit vectors climbs the tree from the deeper frame to the common ancestor, is
//! given a name and remembered (Sayers, "Algebra operations").

use cardan_expr::{Expr, Rational};

use crate::rotation;
use crate::{Dyadic, FrameId, Space, UnitVectorId, Vector};

impl Space {
    /// Component `axis` (0, 1, 2) of a frame as a vector.
    pub fn axis(&self, frame: FrameId, axis: usize) -> Vector {
        Vector(vec![(self.frames[frame].axes[axis], self.pool().one())])
    }
    /// The vector with these components in a frame.
    pub fn vector(&self, frame: FrameId, components: [Expr; 3]) -> Vector {
        let axes = self.frames[frame].axes;
        Vector::new(self.pool(), (0..3).map(|i| (axes[i], components[i])))
    }
    /// The components in a frame.
    pub fn components(&self, v: &Vector, frame: FrameId) -> [Expr; 3] {
        std::array::from_fn(|i| self.dot(v, &self.axis(frame, i)))
    }

    /// a · b
    pub fn dot(&self, a: &Vector, b: &Vector) -> Expr {
        let pool = self.pool();
        let mut terms = vec![];
        for (u, x) in a.terms() {
            for (v, y) in b.terms() {
                let cosine = self.dot_unit(*u, *v);
                if !pool.is_zero(cosine) {
                    terms.push(pool.product([*x, *y, cosine]));
                }
            }
        }
        pool.sum(terms)
    }

    /// The cosine of the angle between two unit vectors.
    pub fn dot_unit(&self, u: UnitVectorId, v: UnitVectorId) -> Expr {
        let pool = self.pool();
        let (a, b) = (&self.unit_vectors[u], &self.unit_vectors[v]);
        if a.frame == b.frame {
            return if u == v { pool.one() } else { pool.zero() };
        }
        let key = if u < v { (u, v) } else { (v, u) };
        if let Some(&known) = self.caches.borrow().dot.get(&key) {
            return known;
        }
        let (deep, other) =
            if self.frames[a.frame].level >= self.frames[b.frame].level { (a, v) } else { (b, u) };
        let frame = &self.frames[deep.frame];
        // The root is the only frame without a parent, and two vectors of the root share a frame.
        let value = match frame.parent {
            None => pool.zero(),
            Some(parent) => {
                let parent_axes = self.frames[parent].axes;
                let row = frame.R_PB[deep.axis];
                let terms = (0..3).filter(|j| !pool.is_zero(row[*j]));
                let terms = terms.map(|j| pool.mul(row[j], self.dot_unit(parent_axes[j], other))); // [dot-climb]
                pool.define(pool.sum(terms.collect::<Vec<_>>()))
            }
        };
        self.caches.borrow_mut().dot.insert(key, value);
        value
    }

    /// a × b
    pub fn cross(&self, a: &Vector, b: &Vector) -> Vector {
        let pool = self.pool();
        let mut terms = vec![];
        for (u, x) in a.terms() {
            for (v, y) in b.terms() {
                let factor = pool.mul(*x, *y);
                terms.extend(self.cross_unit(*u, *v).into_iter().map(|(w, z)| (w, pool.mul(factor, z))));
            }
        }
        Vector::new(pool, terms)
    }

    fn cross_unit(&self, u: UnitVectorId, v: UnitVectorId) -> Vec<(UnitVectorId, Expr)> {
        if u == v {
            return vec![];
        }
        let pool = self.pool();
        // Prefer a frame that has both, then the frame of the second vector.
        let frame = self.frame_of_both(u, v).unwrap_or(self.unit_vectors[v].frame);
        let axes = self.frames[frame].axes;
        let Some(j) = axes.iter().position(|w| *w == v) else {
            return vec![];
        };
        let mut terms = vec![];
        for i in (0..3).filter(|i| *i != j) {
            let cosine = self.dot_unit(u, axes[i]);
            if pool.is_zero(cosine) {
                continue;
            }
            let sign = if (i + 1) % 3 == j { 1 } else { -1 };
            terms.push((axes[3 - i - j], pool.scale(Rational::int(sign), cosine))); // [cross-expand]
        }
        terms
    }

    /// A frame of which both are axes, if the two come from a frame and one that shares an axis with it.
    fn frame_of_both(&self, u: UnitVectorId, v: UnitVectorId) -> Option<FrameId> {
        let (a, b) = (self.unit_vectors[u].frame, self.unit_vectors[v].frame);
        [b, a].into_iter().find(|f| self.frames[*f].axes.contains(&u) && self.frames[*f].axes.contains(&v))
    }

    /// D · v
    pub fn dyadic_dot(&self, d: &Dyadic, v: &Vector) -> Vector {
        let pool = self.pool();
        let terms = d.terms().iter().map(|((a, b), c)| {
            let along = self.dot(&Vector(vec![(*b, pool.one())]), v);
            (*a, pool.mul(*c, along))
        });
        Vector::new(pool, terms.collect::<Vec<_>>())
    }
    /// The dyadic with these components in a frame.
    pub fn dyadic(&self, frame: FrameId, components: &[[Expr; 3]; 3]) -> Dyadic {
        let axes = self.frames[frame].axes;
        let terms = (0..9).map(|k| ((axes[k / 3], axes[k % 3]), components[k / 3][k % 3]));
        Dyadic::new(self.pool(), terms)
    }

    /// |v|² as a sum of squares, so that its root keeps every digit where the terms of v cancel.
    ///
    /// ```text
    /// [square]   |v|² = Σ c_k²          the terms c_k e_k of v are orthogonal by pairs
    ///            |v|² = Σ (v · a_i)²    otherwise, in the frame A where the components cost least
    /// ```
    ///
    /// Multiplied out, `Σ c_j c_k e_j · e_k` leaves the rounding of its largest term, whose root is 1e-8 of a
    /// length and may be that of a negative number. The components have names, so that no sum opens them.
    /// Where quantities are small, [`dot`](Self::dot) drops what is of second order, which a square would hide.
    pub fn square(&self, v: &Vector) -> Expr {
        let pool = self.pool();
        let terms = v.terms();
        let is_orthogonal = |(k, (u, _)): (usize, &(UnitVectorId, Expr))| {
            terms[..k].iter().all(|(w, _)| pool.is_zero(self.dot_unit(*u, *w)))
        };
        if pool.has_small_symbols() || terms.iter().enumerate().all(is_orthogonal) {
            return self.dot(v, v);
        }
        let mut frames: Vec<FrameId> = terms.iter().map(|(u, _)| self.unit_vectors[*u].frame).collect();
        frames.sort_unstable();
        frames.dedup();
        let candidates = frames.into_iter().map(|frame| self.components(v, frame));
        let cost =
            |c: &[Expr; 3]| c.iter().filter(|e| !pool.is_zero(**e)).map(|e| 2 + pool.cost(*e)).sum::<u32>();
        match candidates.min_by_key(cost) {
            Some(components) => pool.sum(components.map(|c| pool.powi(pool.define(c), 2))), // [square]
            None => pool.zero(),
        }
    }
    /// |v|
    pub fn magnitude(&self, v: &Vector) -> Expr {
        if let [(_, c)] = v.terms() {
            return self.pool().call(cardan_expr::Function::Abs, &[*c]);
        }
        self.pool().sqrt(self.square(v))
    }
    /// v / |v|
    pub fn direction(&self, v: &Vector) -> Vector {
        let pool = self.pool();
        if let [(u, c)] = v.terms() {
            return Vector(vec![(*u, pool.call(cardan_expr::Function::Sign, &[*c]))]);
        }
        let inverse = pool.powi(pool.define(pool.sqrt(self.square(v))), -1);
        v.scale(pool, inverse)
    }
    /// The part of v normal to n: v - (v·n) n / (n·n).
    pub fn dot_plane(&self, v: &Vector, n: &Vector) -> Vector {
        let pool = self.pool();
        let along = pool.div(self.dot(v, n), self.square(n));
        v.sub(pool, &n.scale(pool, along))
    }
    /// The angle from a to b. With `about` it is signed, right-handed about that vector, and the angle of
    /// the projections onto the plane normal to it; without, it lies between 0 and pi.
    pub fn angle(&self, a: &Vector, b: &Vector, about: Option<&Vector>) -> Expr {
        let pool = self.pool();
        match about {
            Some(n) => {
                let n = self.direction(n);
                let (a, b) = (self.dot_plane(a, &n), self.dot_plane(b, &n));
                rotation::atan2(pool, self.dot(&self.cross(&a, &b), &n), self.dot(&a, &b))
            }
            None => rotation::atan2(pool, self.magnitude(&self.cross(a, b)), self.dot(a, b)),
        }
    }
}
