//! Velocities of all frames and their partials by quasi-rates, from the ground to the leaves. Frame B, parent P;
//! components in B, `'` marks a vector of P in the axes of B.
//!
//! ```text
//! [velocity]   ω = ω_P' + ω_rel,    v = (v_P + ω_P × p)' + v_rel
//! [frame-partial]  ω_,η = (ω_P,η)',     v_,η = (v_P,η + ω_P,η × p)'      for what moves P;  the directions of ω_rel, v_rel
//!                                                                   for the rates of B itself
//! [centre]     v_C = v + ω × c
//! ```
//!
//! V = T q̇ of Turner (20, 21) with the columns of T that are not zero.

use cardan_base::Id;
use cardan_expr::{Expr, Pool};
use cardan_kinematics::rotation::{apply, cross, identity};
use cardan_kinematics::{Motion, RateId};
use cardan_model::Model;

use super::dependencies::{Coordinates, contained};
use super::quasi_rates::QuasiRates;

pub(crate) type V3 = [Expr; 3];

pub(crate) fn define(pool: &Pool, v: V3) -> V3 {
    v.map(|e| pool.define(e))
}
pub(crate) fn add(pool: &Pool, a: V3, b: V3) -> V3 {
    std::array::from_fn(|i| pool.add(a[i], b[i]))
}
pub(crate) fn sub(pool: &Pool, a: V3, b: V3) -> V3 {
    std::array::from_fn(|i| pool.sub(a[i], b[i]))
}
pub(crate) fn is_zero(pool: &Pool, v: &V3) -> bool {
    v.iter().all(|e| pool.is_zero(*e))
}

/// The velocity of a frame, in its own axes.
#[derive(Clone)]
pub(crate) struct FrameVelocity {
    pub w: V3,
    /// Of its origin.
    pub v: V3,
    /// Gravity.
    pub g: V3,
    /// Partials that do not vanish, by quasi-rate.
    pub w_by: Vec<(usize, V3)>,
    pub v_by: Vec<(usize, V3)>,
    /// The coordinates in the poses between the base and it.
    pub outboard: Coordinates,
}

impl FrameVelocity {
    /// Whether any speed moves it.
    pub fn is_moved(&self) -> bool {
        !self.w_by.is_empty() || !self.v_by.is_empty()
    }

    /// The velocity of a point of the frame and its partials. [centre]
    pub fn at(&self, pool: &Pool, c: V3) -> (V3, Vec<(usize, V3)>) {
        if is_zero(pool, &c) {
            return (self.v, self.v_by.clone());
        }
        let shifted = |v: V3, w: V3| define(pool, add(pool, v, cross(pool, w, c)));
        (shifted(self.v, self.w), both(pool, &self.v_by, &self.w_by, shifted))
    }
}

/// The partials of a velocity made of v and ω; those that vanish are left out.
fn both(
    pool: &Pool,
    v_by: &[(usize, V3)],
    w_by: &[(usize, V3)],
    make: impl Fn(V3, V3) -> V3,
) -> Vec<(usize, V3)> {
    let o = [pool.zero(); 3];
    let of = |by: &[(usize, V3)], j: usize| by.iter().find(|(k, _)| *k == j).map_or(o, |(_, x)| *x);
    let mut all: Vec<usize> = v_by.iter().chain(w_by).map(|(j, _)| *j).collect();
    all.sort_unstable();
    all.dedup();
    let made = all.into_iter().map(|j| (j, make(of(v_by, j), of(w_by, j))));
    made.filter(|(_, x)| !is_zero(pool, x)).collect()
}

/// Every frame of a model.
pub(crate) struct Velocities {
    /// By frame.
    pub frames: Vec<FrameVelocity>,
    pub quasi: QuasiRates,
    /// Of all frames.
    pub outboard: Coordinates,
}

impl Velocities {
    pub fn of(model: &Model) -> Velocities {
        let space = &model.space;
        let pool = space.pool();
        let o = [pool.zero(); 3];
        let mut quasi = QuasiRates::natural(model);
        let mut frames: Vec<FrameVelocity> = vec![];
        for (id, frame) in space.frames().iter() {
            let Some(parent) = frame.parent else {
                let g = space.components(&model.gravity, id);
                let outboard = Coordinates::new();
                frames.push(FrameVelocity { w: o, v: o, g, w_by: vec![], v_by: vec![], outboard });
                continue;
            };
            let at: FrameVelocity = frames[parent.index()].clone();
            let pose = frame.R_PB.iter().flatten().chain(&frame.p_PoBo_P).copied();
            let outboard = at.outboard.union(&contained(model, pose)).copied().collect();
            let turned = |x: V3| define(pool, apply(pool, &frame.R_PB, x));
            let swept = |v: V3, w: V3| turned(add(pool, v, cross(pool, w, frame.p_PoBo_P)));
            let mut own = FrameVelocity {
                w: turned(at.w),
                v: swept(at.v, at.w),
                g: turned(at.g),
                w_by: at.w_by.iter().map(|(j, x)| (*j, turned(*x))).collect(),
                v_by: both(pool, &at.v_by, &at.w_by, swept),
                outboard,
            };
            let mut turns = |rates: &[RateId], axes: &[V3]| {
                quasi.advance(pool, (&mut own.w, &mut own.w_by), rates, axes);
            };
            let axes = identity(pool);
            match &frame.motion {
                Motion::Fixed => {}
                Motion::Rotation { direction, rate } => turns(&[*rate], &[*direction]),
                Motion::Ball { rates } => turns(rates, &axes),
                Motion::Free { rates } => turns(&rates[3..], &axes),
                Motion::Translation { .. } => {}
            }
            let mut slides = |rates: &[RateId], axes: &[V3]| {
                quasi.advance(pool, (&mut own.v, &mut own.v_by), rates, axes);
            };
            match &frame.motion {
                Motion::Translation { direction, rate } => slides(&[*rate], &[*direction]),
                Motion::Free { rates } => slides(&rates[..3], &axes),
                Motion::Fixed | Motion::Rotation { .. } | Motion::Ball { .. } => {}
            }
            quasi.turned_by_joint(pool, &frame.motion);
            // The base: its velocity takes the place of the rates that make it.
            if QuasiRates::is_base(model, id, |f| frames[f.index()].is_moved()) {
                quasi.become_base(model, &mut own);
            }
            frames.push(own);
        }
        let outboard = frames.iter().flat_map(|f| &f.outboard).copied().collect();
        Velocities { frames, quasi, outboard }
    }
}
