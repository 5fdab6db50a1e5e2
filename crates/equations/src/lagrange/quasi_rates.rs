//! The rates in which velocities are written: natural rates of joints, and the velocity of each base.
//!
//! ```text
//! [quasi]      η_j = Σ_r A_jr u_r + B_j
//! [base-rates] (ω, v) of the base in its own axes, six quasi-rates of which nothing but the velocity is known        (18)
//! [held]       x_,r with η held = x_,r with u held - Σ_j x_,η_j η_j,r
//! ```
//!
//! The base is the first body of a tree, if its joint lets it turn in every way: by a ball or free joint, or by three
//! rotations of any of the twelve sequences.

use cardan_base::Id;
use cardan_expr::{Derivation, Expr, Pool};
use cardan_kinematics::{FrameId, Motion, RateId};
use cardan_model::Model;

use super::velocities::{FrameVelocity, V3, add, is_zero, sub};

/// A velocity whose components are quasi-rates, so that its frame turns the momenta along.
pub(crate) struct Group {
    pub w: V3,
    pub v: V3,
    /// The quasi-rates of the components of w.
    pub turning: [usize; 3],
    /// Those of v, where it has any.
    pub sliding: Option<[usize; 3]>,
}

pub(crate) struct QuasiRates {
    /// η. [quasi]
    values: Vec<Expr>,
    /// The speeds that each depends on, with coefficients: A.
    pub speeds: Vec<Vec<(usize, Expr)>>,
    pub groups: Vec<Group>,
    /// Whether a group has it.
    pub is_turned: Vec<bool>,
}

impl QuasiRates {
    /// The natural rates.
    pub fn natural(model: &Model) -> QuasiRates {
        let mut quasi = QuasiRates { values: vec![], speeds: vec![], groups: vec![], is_turned: vec![] };
        for k in 0..model.space.n_rates() {
            quasi.push(model, model.space.rate(RateId::from_index(k)));
        }
        quasi
    }

    fn push(&mut self, model: &Model, value: Expr) -> usize {
        let pool = model.space.pool();
        let value = pool.define(value);
        let by = |(r, (_, u)): (usize, (_, &cardan_model::Speed))| {
            let is_it = u.symbol == value;
            let slope = || pool.define(Derivation::partial(pool, u.symbol).apply(pool, value));
            (r, if is_it { pool.one() } else { slope() })
        };
        let speeds: Vec<(usize, Expr)> =
            model.speeds.iter().enumerate().map(by).filter(|(_, e)| !pool.is_zero(*e)).collect();
        self.values.push(value);
        self.speeds.push(speeds);
        self.is_turned.push(false);
        self.values.len() - 1
    }

    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Adds the motion of a joint to a velocity and to its partials.
    pub fn advance(
        &self,
        pool: &Pool,
        (velocity, by): (&mut V3, &mut Vec<(usize, V3)>),
        rates: &[RateId],
        axes: &[V3],
    ) {
        for (rate, axis) in rates.iter().zip(axes) {
            let j = rate.index();
            let own = axis.map(|a| pool.mul(a, self.values[j]));
            *velocity = add(pool, *velocity, own);
            if !self.speeds[j].is_empty() {
                by.push((j, *axis));
            }
        }
        *velocity = velocity.map(|e| pool.define(e));
    }

    /// A joint whose rates are components in the body that it moves.
    pub fn turned_by_joint(&mut self, pool: &Pool, motion: &Motion) {
        let o = [pool.zero(); 3];
        let of = |rates: &[RateId]| -> ([usize; 3], V3) {
            let places: [usize; 3] = std::array::from_fn(|i| rates[i].index());
            (places, places.map(|j| self.values[j]))
        };
        let group = match motion {
            Motion::Ball { rates } => {
                let (turning, w) = of(rates);
                Group { w, v: o, turning, sliding: None }
            }
            Motion::Free { rates } => {
                let ((turning, w), (sliding, v)) = (of(&rates[3..]), of(&rates[..3]));
                Group { w, v, turning, sliding: Some(sliding) }
            }
            _ => return,
        };
        self.add_group(group);
    }

    fn add_group(&mut self, group: Group) {
        let all = group.turning.into_iter().chain(group.sliding.into_iter().flatten());
        all.for_each(|j| self.is_turned[j] = true);
        self.groups.push(group);
    }

    /// Whether a frame is that of a base.
    pub fn is_base(model: &Model, frame: FrameId, is_moved: impl Fn(FrameId) -> bool) -> bool {
        let space = &model.space;
        let own = model.joints.iter().find(|(_, j)| j.frames.last() == Some(&frame));
        let Some((_, joint)) = own.filter(|(_, j)| !is_moved(j.parent)) else { return false };
        let turns = joint.frames.iter().map(|f| match space.frame(*f).motion {
            Motion::Fixed | Motion::Translation { .. } => 0,
            Motion::Rotation { .. } => 1,
            Motion::Ball { .. } | Motion::Free { .. } => 3,
        });
        turns.sum::<usize>() >= 3
    }

    /// Puts the components of the velocity in the place of the rates that make it. [base-rates]
    pub fn become_base(&mut self, model: &Model, own: &mut FrameVelocity) {
        let pool = model.space.pool();
        let (o, i) = (pool.zero(), pool.one());
        let axes: [V3; 3] = std::array::from_fn(|k| std::array::from_fn(|m| if k == m { i } else { o }));
        let mut components = |velocity: V3, by: &mut Vec<(usize, V3)>| {
            if is_zero(pool, &velocity) && by.is_empty() {
                return None;
            }
            let places: [usize; 3] = velocity.map(|e| self.push(model, e));
            *by = places.into_iter().zip(axes).collect();
            Some(places)
        };
        let turning = components(own.w, &mut own.w_by);
        let sliding = components(own.v, &mut own.v_by);
        if let Some(turning) = turning {
            self.add_group(Group { w: own.w, v: own.v, turning, sliding });
        }
        own.outboard.clear();
    }

    /// The speed that a quasi-rate is.
    pub fn own_speed(&self, pool: &Pool, j: usize) -> Option<usize> {
        match self.speeds[j][..] {
            [(r, a)] if a == pool.one() => Some(r),
            _ => None,
        }
    }

    /// Turns a change at constant speeds into one at constant quasi-rates, by the partials of what changes. [held]
    pub fn held(&self, pool: &Pool, along: &mut Derivation, change: V3, by: &[(usize, V3)]) -> V3 {
        by.iter().fold(change, |change, (j, partial)| {
            let slope = along.apply(pool, self.values[*j]);
            if pool.is_zero(slope) {
                return change;
            }
            sub(pool, change, partial.map(|e| pool.mul(e, slope)))
        })
    }
}
