//! Relative motion of a frame in its parent, by natural rates.
//!
//! Every joint is a chain of segments whose motion subspace is constant in the moving frame: a translation
//! along a fixed direction, a rotation about a fixed direction, a ball (three components of the relative
//! angular velocity), a free body (six components). The natural rates are usually generalised speeds
//! themselves; where speeds are defined otherwise, a rate is an expression of speeds and coordinates.

use cardan_base::define_id;
use cardan_expr::Expr;

use crate::rotation::{self, Axis, Matrix3};
use crate::space::{FrameId, Space};

define_id!(RateId, "rate", "A natural rate of a segment.");

/// A natural rate: the scalar speed of one degree of freedom of a segment.
#[derive(Clone, PartialEq, Debug)]
pub struct Rate {
    /// What it is, in terms of speeds, coordinates and time; zero until set.
    pub value: Expr,
}

/// How a frame B moves relative to its parent P.
#[derive(Clone, PartialEq, Debug)]
pub enum Motion {
    /// Not at all.
    Fixed,
    /// v = rate · d, with the direction's components in P (equal to those in B).
    Translation {
        /// Unit vector.
        direction: [Expr; 3],
        /// Speed along it.
        rate: RateId,
    },
    /// w = rate · d, with the direction's components in P (equal to those in B).
    Rotation {
        /// Unit vector.
        direction: [Expr; 3],
        /// Speed about it.
        rate: RateId,
    },
    /// w = Σ rate_i b_i.
    Ball {
        /// Components in B.
        rates: [RateId; 3],
    },
    /// v = Σ rate_i b_i (of the origin), w = Σ rate_{i+3} b_i.
    Free {
        /// Components in B: velocity, then angular velocity.
        rates: [RateId; 6],
    },
}

impl Motion {
    /// The rates in order.
    pub fn rates(&self) -> Vec<RateId> {
        match self {
            Motion::Fixed => vec![],
            Motion::Translation { rate, .. } | Motion::Rotation { rate, .. } => vec![*rate],
            Motion::Ball { rates } => rates.to_vec(),
            Motion::Free { rates } => rates.to_vec(),
        }
    }
}

/// What a joint is made of; [`Space::add_segment`] turns one into a frame.
#[derive(Clone, PartialEq, Debug)]
pub enum Segment {
    /// A constant offset, components in the parent.
    Shift([Expr; 3]),
    /// A constant turn, `b_i · a_j`.
    Turn(Matrix3),
    /// A translation by `q` along a direction.
    Translation {
        /// Unit vector, components in the parent.
        direction: [Expr; 3],
        /// Displacement.
        q: Expr,
    },
    /// A rotation by `q` about a direction.
    Rotation {
        /// Unit vector, components in the parent.
        direction: [Expr; 3],
        /// Angle.
        q: Expr,
    },
    /// Any orientation, with body-fixed angular velocity components as rates.
    Ball(Matrix3),
    /// Any orientation and position (components in the parent), with body-fixed rates.
    Free(Matrix3, [Expr; 3]),
}

impl Space {
    /// A frame that sits in `parent` by one segment.
    pub fn add_segment(&mut self, name: impl Into<String>, parent: FrameId, segment: Segment) -> FrameId {
        let zero = self.pool().zero();
        let identity = rotation::identity(self.pool());
        let (R_PB, p, motion) = match segment {
            Segment::Shift(p) => (identity, p, Motion::Fixed),
            Segment::Turn(R) => (R, [zero; 3], Motion::Fixed),
            Segment::Translation { direction, q } => {
                let p = direction.map(|d| self.pool().mul(d, q));
                (identity, p, Motion::Translation { direction, rate: self.add_rate() })
            }
            Segment::Rotation { direction, q } => {
                let R = self.turn_about(direction, q);
                (R, [zero; 3], Motion::Rotation { direction, rate: self.add_rate() })
            }
            Segment::Ball(R) => {
                (R, [zero; 3], Motion::Ball { rates: std::array::from_fn(|_| self.add_rate()) })
            }
            Segment::Free(R, p) => (R, p, Motion::Free { rates: std::array::from_fn(|_| self.add_rate()) }),
        };
        self.add_frame(name, parent, R_PB, p, motion)
    }

    fn turn_about(&self, direction: [Expr; 3], q: Expr) -> Matrix3 {
        let pool = self.pool();
        let (one, minus_one) = (pool.one(), pool.int(-1));
        for axis in Axis::ALL {
            if direction[axis.index()] == one {
                return rotation::about_axis(pool, axis, q);
            }
            if direction[axis.index()] == minus_one {
                return rotation::about_axis(pool, axis, pool.neg(q));
            }
        }
        rotation::about_direction(pool, direction, q)
    }

    fn add_rate(&mut self) -> RateId {
        let value = self.pool().zero();
        self.rates.push(Rate { value })
    }
    /// Says what a natural rate is. Velocities already asked for are forgotten.
    pub fn set_rate(&mut self, rate: RateId, value: Expr) {
        self.rates[rate].value = value;
        let caches = self.caches.get_mut();
        caches.w.clear();
        caches.v.clear();
    }
    /// What a natural rate is.
    pub fn rate(&self, rate: RateId) -> Expr {
        self.rates[rate].value
    }
    /// Number of natural rates.
    pub fn n_rates(&self) -> usize {
        self.rates.len()
    }
}
