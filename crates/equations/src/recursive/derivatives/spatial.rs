//! Pairs of vectors at one point in the axes of one frame: motions (w; v) and wrenches (n; f).
//!
//! ```text
//! [motion-cross]   (w; v) × (a; b)  = (w × a; w × b + v × a)
//! [wrench-cross]   (w; v) ×* (n; f) = (w × n + v × f; w × f)
//! [inertia-times]  I (a; b) = (J a + h × b; m b + a × h)
//! ```

use cardan_expr::{Expr, Pool};
use cardan_kinematics::rotation::{apply, cross, inner};

use crate::recursive::inertia::Inertia;

pub(crate) type V3 = [Expr; 3];

/// A motion or a wrench: what turns first, then what shifts.
#[derive(Clone, Copy)]
pub(crate) struct Pair {
    pub turn: V3,
    pub shift: V3,
}

impl Pair {
    pub fn zero(pool: &Pool) -> Pair {
        Pair { turn: [pool.zero(); 3], shift: [pool.zero(); 3] }
    }

    pub fn define(self, pool: &Pool) -> Pair {
        Pair { turn: self.turn.map(|e| pool.define(e)), shift: self.shift.map(|e| pool.define(e)) }
    }

    pub fn add(self, pool: &Pool, other: Pair) -> Pair {
        Pair::sum(pool, &[self, other])
    }

    pub fn sum(pool: &Pool, all: &[Pair]) -> Pair {
        let total = |part: &dyn Fn(&Pair) -> Expr| pool.sum(all.iter().map(part).collect::<Vec<_>>());
        Pair {
            turn: std::array::from_fn(|i| total(&|p| p.turn[i])),
            shift: std::array::from_fn(|i| total(&|p| p.shift[i])),
        }
    }

    pub fn times(self, pool: &Pool, s: Expr) -> Pair {
        Pair { turn: self.turn.map(|e| pool.mul(e, s)), shift: self.shift.map(|e| pool.mul(e, s)) }
    }

    /// Power of a wrench on a motion, or the other way round.
    pub fn dot(&self, pool: &Pool, other: &Pair) -> Expr {
        pool.add(inner(pool, self.turn, other.turn), inner(pool, self.shift, other.shift))
    }

    /// [motion-cross]
    pub fn cross(&self, pool: &Pool, m: &Pair) -> Pair {
        let shift = plus(pool, cross(pool, self.turn, m.shift), cross(pool, self.shift, m.turn));
        Pair { turn: cross(pool, self.turn, m.turn), shift }
    }

    /// [wrench-cross]
    pub fn cross_wrench(&self, pool: &Pool, w: &Pair) -> Pair {
        let turn = plus(pool, cross(pool, self.turn, w.turn), cross(pool, self.shift, w.shift));
        Pair { turn, shift: cross(pool, self.turn, w.shift) }
    }
}

pub(crate) fn plus(pool: &Pool, a: V3, b: V3) -> V3 {
    std::array::from_fn(|i| pool.add(a[i], b[i]))
}

/// [inertia-times]
pub(crate) fn inertia_times(pool: &Pool, inertia: &Inertia, m: &Pair) -> Pair {
    let Inertia { m: mass, h, I } = inertia;
    let turn = plus(pool, apply(pool, I, m.turn), cross(pool, *h, m.shift));
    let shift = plus(pool, m.shift.map(|e| pool.mul(*mass, e)), cross(pool, m.turn, *h));
    Pair { turn, shift }
}
