//! Three turns one after the other that lose one of their axes: the lock of a gimbal.
//!
//! ```text
//! [lock]    m = a₁·(a₂ × a₃) = A cos q₂ + B sin q₂      A = d₁·(d₂ × d₃),  B = d₁·(d₂ (d₂·d₃) - d₃)
//! ```
//!
//! d₁, d₂, d₃ are the axes before anything is turned, q₂ the middle angle. Where m = 0 the first axis lies in the plane of the others, rates of the angles
//! follow from no angular velocity, and a motion that comes near needs steps without end. A motion that only passes by takes some hundred
//! steps; one that creeps there, or that constraints hold there, is ended with the name of the joint.

use std::fmt;

use cardan_base::Id;
use cardan_expr::{Derivation, Expr};
use cardan_kinematics::Motion;
use cardan_model::{Joint, Model};

use crate::parameter_values::ParameterValues;
use cardan_base::without_noise;

/// A margin below this is near the lock. [lock]
const NEAR: f64 = 0.02;
/// Below this it is the lock, for all that the closing of a loop can tell.
const LOST: f64 = 1e-5;
/// So many steps near the lock …
const STEPS: u32 = 10_000;
/// So many in the lock itself are a motion that is held there.
const HELD: u32 = 1_000;
/// … that lead no farther than this part of the whole motion are a creep.
const PART: f64 = 1e-3;

/// Three turns of one joint.
#[derive(Clone, PartialEq, Debug)]
pub struct Turns {
    /// The joint.
    pub joint: String,
    /// The names of the three angles.
    pub angles: [String; 3],
    /// The place of the middle angle among the states.
    pub middle: usize,
    /// A and B. [lock]
    factors: [f64; 2],
}

impl Turns {
    /// Whether an axis is lost here.
    pub(crate) fn are_locked(&self, y: &[f64]) -> bool {
        self.margin(y) < LOST
    }
    fn margin(&self, y: &[f64]) -> f64 {
        let (sine, cosine) = y[self.middle].sin_cos();
        (self.factors[0] * cosine + self.factors[1] * sine).abs()
    }
}

/// The joints of a model that turn by three angles.
pub fn turns(model: &Model) -> Vec<Turns> {
    let values = ParameterValues::of(model);
    let evaluate = |e: Expr| values.evaluate(model, e);
    model.joints.iter().filter_map(|(_, joint)| turns_of(model, joint, &evaluate)).collect()
}

fn turns_of(model: &Model, joint: &Joint, evaluate: &dyn Fn(Expr) -> f64) -> Option<Turns> {
    let space = &model.space;
    let moving: Vec<&Motion> = joint.frames.iter().map(|f| &space.frame(*f).motion).collect();
    let moving: Vec<&Motion> = moving.into_iter().filter(|m| **m != Motion::Fixed).collect();
    let (angles, factors) = match moving[..] {
        [.., Motion::Ball { .. } | Motion::Free { .. }] => {
            let angles = joint.coordinates.last_chunk::<3>()?;
            let in_four = |q| model.unit_quadruples.iter().any(|four| four.contains(q));
            if angles.iter().any(in_four) {
                return None;
            }
            let middle = model.coordinates[angles[1]].symbol;
            (*angles, hidden(model, joint, angles.map(|q| model.coordinates[q].symbol), middle, evaluate)?)
        }
        _ if moving.len() == joint.coordinates.len() => {
            let direction = |m: &Motion| match m {
                Motion::Rotation { direction, .. } => Some(direction.map(evaluate)),
                _ => None,
            };
            let first = moving.windows(3).position(|w| w.iter().all(|m| direction(m).is_some()))?;
            let [a, b, c] = [0, 1, 2].map(|k| direction(moving[first + k]));
            let three = joint.coordinates.get(first..first + 3)?.first_chunk::<3>()?;
            (*three, factors(a?, b?, c?))
        }
        _ => return None,
    };
    // Axes that never span the space lose nothing.
    if factors[0].hypot(factors[1]) < 0.5 {
        return None;
    }
    let name = |q| model.coordinates[q].quantity.name.clone();
    Some(Turns { joint: joint.name.clone(), angles: angles.map(name), middle: angles[1].index(), factors })
}

fn factors(a: [f64; 3], b: [f64; 3], c: [f64; 3]) -> [f64; 2] {
    let dot = |u: [f64; 3], v: [f64; 3]| u[0] * v[0] + u[1] * v[1] + u[2] * v[2];
    let cross = [b[1] * c[2] - b[2] * c[1], b[2] * c[0] - b[0] * c[2], b[0] * c[1] - b[1] * c[0]];
    [dot(a, cross), dot(a, b) * dot(b, c) - dot(a, c)]
}

/// The factors of three angles in one segment. Of its rotation matrix one entry holds the middle angle alone: the cosine of the angle between the
/// first axis and the third.
fn hidden(
    model: &Model,
    joint: &Joint,
    angles: [Expr; 3],
    middle: Expr,
    evaluate: &dyn Fn(Expr) -> f64,
) -> Option<[f64; 2]> {
    let pool = model.space.pool();
    let rotation = model.space.frame(*joint.frames.last()?).R_PB;
    let holds = |e: Expr, q: Expr| pool.as_symbol(q).is_some_and(|s| pool.contains(e, s));
    let alone = |e: &Expr| holds(*e, middle) && angles.iter().filter(|q| holds(*e, **q)).count() == 1;
    let entry = rotation.into_iter().flatten().find(alone)?;
    // Of m² + c² = 1 only m is wanted: m = ± dc/dq₂.
    let at_zero = |e: Expr| {
        let known = pool.as_symbol(middle).map(|s| (s, pool.zero())).into_iter().collect();
        evaluate(pool.substitute(e, &known, &mut cardan_base::Map::default()))
    };
    let slope = Derivation::partial(pool, middle).apply(pool, entry);
    Some([at_zero(slope), -at_zero(entry)])
}

/// A joint in its lock.
#[derive(Clone, PartialEq, Debug)]
pub struct Lock {
    /// When.
    pub t: f64,
    /// Which turns.
    pub turns: Turns,
    /// The middle angle, in radians.
    pub angle: f64,
}

impl fmt::Display for Lock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Lock { t, turns: Turns { joint, angles: [first, middle, third], .. }, angle } = self;
        let degrees = (angle.to_degrees() * 1e3).round() / 1e3;
        write!(
            f,
            "near t = {} s the joint of `{joint}` is at the singular position of its sequence of turns: at `{middle}` = {degrees} deg `{first}` and `{third}` turn \
             about one axis; describe it by Euler parameters, as `spherical` and `free` without a sequence do, or by another sequence",
            without_noise(*t)
        )
    }
}

impl Lock {
    /// The first of several turns that are locked at a state.
    pub fn among(turns: &[Turns], t: f64, y: &[f64]) -> Option<Lock> {
        let turns = turns.iter().find(|turns| turns.are_locked(y))?.clone();
        Some(Lock { t, angle: y[turns.middle], turns })
    }
}

/// Looks for a lock while a motion goes on.
pub struct Locks<'a> {
    turns: &'a [Turns],
    /// How far the motion goes.
    span: f64,
    /// Since when, and for how many steps, it has been near which of them.
    since: Option<(usize, f64, u32)>,
    /// For how many steps an axis has been lost.
    lost: u32,
}

impl<'a> Locks<'a> {
    /// A monitor of these turns over an interval of time.
    pub fn new(turns: &'a [Turns], span: f64) -> Self {
        Locks { turns, span: span.abs(), since: None, lost: 0 }
    }

    fn near(&self, y: &[f64]) -> Option<usize> {
        self.turns.iter().position(|turns| turns.margin(y) < NEAR)
    }

    /// The lock that a motion is in that cannot go on from here.
    pub fn blamed(&self, t: f64, y: &[f64]) -> Option<Lock> {
        let turns = self.turns[self.near(y)?].clone();
        Some(Lock { t, angle: y[turns.middle], turns })
    }

    /// Looks at the end of a step; the lock in which the motion creeps.
    pub fn look(&mut self, t: f64, y: &[f64]) -> Option<Lock> {
        let near = self.near(y);
        self.since = match (near, self.since) {
            (None, _) => None,
            (Some(k), Some((before, from, n))) if k == before && (t - from).abs() <= PART * self.span => {
                Some((k, from, n + 1))
            }
            (Some(k), _) => Some((k, t, 1)),
        };
        self.lost = if self.turns.iter().any(|turns| turns.are_locked(y)) { self.lost + 1 } else { 0 };
        let is_held = self.lost >= HELD;
        self.since.filter(|(_, _, n)| *n >= STEPS || is_held).and_then(|_| self.blamed(t, y))
    }
}
