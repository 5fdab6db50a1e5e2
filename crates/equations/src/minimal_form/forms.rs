//! A dyad closed in the algebra: two vectors of the plane of which lengths or directions are known.
//!
//! ```text
//! [two-turns]     v + s x = w,  |v|² = r², |x|² = l²:    v = ((r² + w² - l²)/2 w + σ h Jw) / w²,  h² = ((r+l)² - w²) (w² - (r-l)²) / 4
//! [turn-slide]    v = w + p e,  |v|² = r²:               p = -w·e + σ h,  h² = r² - (e×w)²
//! [slide-on]      z (W + p E) = w:                       p = -W·E + σ h,  h² = w² - (E×W)²
//! [two-slides]    p e + s p' f = w:                      p = (w×f) / (e×f),  p' = s (e×w) / (e×f)
//! [rotor]         z = v v₀* / |v₀|²                      v₀ the vector before the joint turns
//! ```
//!
//! v, x are the arms from the joints that turn; e, f the directions of slides; s is 1 where both joints move one point and -1 where each
//! moves its own; σ is the branch. The margin h / (r l), h / r, h / |w|, e×f is the sine of the angle between the motions that the two
//! joints give to the pin.

use cardan_base::Map;
use cardan_expr::{Expr, Function, Node, Pool, Rational};
use cardan_model::Model;

use crate::minimal_form::dyads::{Action, Dyad, Leg};
use crate::minimal_form::rotors::{Rotor, Rotors, conjugate, product, times};
use crate::minimal_form::symbol;

type Plane = [Expr; 2];

/// A dyad in closed form.
pub(crate) struct Form {
    /// The square of its margin.
    pub margin: Expr,
    /// Two vectors, from all coordinates: the sine of the angle between them is the margin with the sign of the branch.
    pub side: [Plane; 2],
    /// How its two coordinates are known.
    pub joints: [Joint; 2],
}

/// How a coordinate is known.
#[derive(Clone, Copy)]
pub(crate) enum Joint {
    /// By the rotor of a sum that it is in.
    Turned,
    /// By this value.
    Slid(Expr),
}

impl Joint {
    /// The coordinate; an angle is the one nearest to its anchor.
    pub fn coordinate(self, pool: &Pool, rotors: &mut Rotors, q: Expr, anchor: Expr) -> Option<Expr> {
        match self {
            Joint::Slid(form) => Some(form),
            Joint::Turned => {
                let z = rotors.rotor(pool, q)?;
                let [re, im] = product(pool, z, [pool.cos(anchor), pool.neg(pool.sin(anchor))]);
                Some(pool.add(anchor, pool.call(Function::Atan2, &[im, re])))
            }
        }
    }
}

fn minus(pool: &Pool, a: Plane, b: Plane) -> Plane {
    [pool.sub(a[0], b[0]), pool.sub(a[1], b[1])]
}
fn along(pool: &Pool, a: Plane, s: Expr, e: Plane) -> Plane {
    [pool.add(a[0], pool.mul(s, e[0])), pool.add(a[1], pool.mul(s, e[1]))]
}
fn dot(pool: &Pool, a: Plane, b: Plane) -> Expr {
    pool.add(pool.mul(a[0], b[0]), pool.mul(a[1], b[1]))
}
fn cross(pool: &Pool, a: Plane, b: Plane) -> Expr {
    pool.sub(pool.mul(a[0], b[1]), pool.mul(a[1], b[0]))
}
/// A quarter of a turn.
fn left(pool: &Pool, a: Plane) -> Plane {
    [pool.neg(a[1]), a[0]]
}

/// A vector that turns with a joint.
struct Arm {
    /// From all coordinates.
    vector: Plane,
    coordinate: Expr,
    /// The sum of angles by which it turns, and whether that turns it forwards.
    home: Expr,
    forward: bool,
    /// The vector before it turns. [rotor]
    before: Plane,
}

/// The vector with another value for sine and cosine of a sum of angles.
fn turned(pool: &Pool, v: Plane, home: Expr, [c, s]: Rotor) -> Plane {
    let mut known: Map<Expr, Expr> = [(pool.cos(home), c), (pool.sin(home), s)].into_iter().collect();
    v.map(|part| pool.substitute(part, &Map::default(), &mut known))
}

impl Arm {
    fn new(pool: &Pool, leg: &Leg, q: Expr, vector: Plane) -> Option<Arm> {
        let symbol = pool.as_symbol(q)?;
        let mut homes: Vec<Expr> = vec![];
        for part in pool.reachable(vector) {
            if let Node::Call(Function::Sin | Function::Cos, arguments) = pool.node(part)
                && pool.contains(arguments[0], symbol)
                && !homes.contains(&arguments[0])
            {
                homes.push(arguments[0]);
            }
        }
        let [zero, one] = [pool.zero(), pool.one()];
        // One sum of angles turns the arm as a whole: its sine and cosine are known at once.
        if let [home] = homes[..]
            && times(pool, home, q).is_some_and(|n| n.abs() == 1)
        {
            let before = turned(pool, vector, home, [one, zero]);
            let after = turned(pool, vector, home, [zero, one]);
            let free = before.iter().all(|e| !pool.contains(*e, symbol));
            let quarter = left(pool, before);
            let forward = after == quarter;
            if free && (forward || after == quarter.map(|e| pool.neg(e))) {
                return Some(Arm { vector, coordinate: q, home, forward, before });
            }
        }
        let before = vector.map(|e| pool.nominal(e, &[symbol]));
        Some(Arm { vector, coordinate: q, home: q, forward: !leg.backwards, before })
    }

    /// Turns it to where it must be. [rotor]
    fn turn(&self, pool: &Pool, rotors: &mut Rotors, to: Plane, square: Expr) -> Joint {
        let inverse = pool.define(pool.powi(square, -1));
        let before = self.before.map(|e| rotors.rewrite(pool, e));
        let scaled = before.map(|e| pool.define(pool.mul(e, inverse)));
        let z = product(pool, to, conjugate(pool, scaled));
        let z = if self.forward { z } else { conjugate(pool, z) };
        rotors.learn(pool, self.coordinate, self.home, z);
        Joint::Turned
    }
}

/// Closes a dyad whose other coordinates are known.
pub(crate) fn close(model: &Model, rotors: &mut Rotors, dyad: &Dyad, branch: Expr) -> Option<Form> {
    let pool = model.space.pool();
    let [first, second] = &dyad.legs;
    let q = [first, second].map(|l| symbol(model, l.coordinate));
    let series = first.on_second == second.on_second;
    let [p, other] = if series && first.on_second { [dyad.points[1], dyad.points[0]] } else { dyad.points };
    let s = pool.int(if series { 1 } else { -1 });
    match [first.action, second.action] {
        [Action::Turn(_), Action::Turn(_)] => {
            let ([v, x], w) = (dyad.arms, dyad.base);
            let [v, x] = [Arm::new(pool, first, q[0], v)?, Arm::new(pool, second, q[1], x)?];
            let w = w.map(|e| pool.define(rotors.rewrite(pool, e)));
            let w2 = pool.define(dot(pool, w, w));
            // The length of the second arm does not depend on how the first one turns.
            let turning = [pool.as_symbol(q[0])?];
            let [r2, l2] = [&v, &x].map(|arm| {
                // Component by component: a pool would know the square as that of the turned arm.
                let before = arm.before.map(|e| rotors.rewrite(pool, pool.nominal(e, &turning)));
                pool.define(dot(pool, before, before))
            });
            let (r, l) = (pool.define(pool.sqrt(r2)), pool.define(pool.sqrt(l2)));
            let square = |e: Expr| pool.define(pool.mul(e, e));
            let (longest, shortest) = (square(pool.add(r, l)), square(pool.sub(r, l)));
            let quarter = Rational::Small(1, 4);
            let h2 = pool.mul(pool.sub(longest, w2), pool.sub(w2, shortest));
            let h2 = pool.define(pool.scale(quarter, h2));
            let h = pool.define(pool.mul(branch, pool.sqrt(h2)));
            let part = pool.scale(Rational::Small(1, 2), pool.add(pool.sub(r2, l2), w2));
            let inverse = pool.define(pool.powi(w2, -1));
            let (part, h) = (pool.define(pool.mul(part, inverse)), pool.define(pool.mul(h, inverse)));
            let to = along(pool, w.map(|e| pool.mul(part, e)), h, left(pool, w)); // [two-turns]
            let to = to.map(|e| pool.define(e));
            let one = v.turn(pool, rotors, to, r2);
            let rest = minus(pool, w, to).map(|e| pool.define(pool.mul(s, e)));
            let two = x.turn(pool, rotors, rest, l2);
            let over = pool.define(pool.powi(pool.mul(r2, l2), -1));
            let side = [v.vector, x.vector.map(|e| pool.neg(pool.mul(s, e)))];
            Some(Form { margin: pool.mul(h2, over), side, joints: [one, two] })
        }
        [Action::Slide(e), Action::Slide(f)] => {
            let unknown = [pool.as_symbol(q[0])?, pool.as_symbol(q[1])?];
            let side = [e, f];
            let ready = |rotors: &mut Rotors, v: Plane| {
                v.map(|c| pool.define(rotors.rewrite(pool, pool.nominal(c, &unknown))))
            };
            let [e, f] = [e, f].map(|v| ready(rotors, v));
            let w = ready(rotors, minus(pool, other, p));
            let area = pool.define(cross(pool, e, f));
            let over = pool.define(pool.powi(area, -1));
            let joints = [pool.mul(cross(pool, w, f), over), pool.mul(s, pool.mul(cross(pool, e, w), over))];
            Some(Form { margin: pool.mul(area, area), side, joints: joints.map(Joint::Slid) }) // [two-slides]
        }
        [Action::Turn(a), Action::Slide(e)] if series => {
            let v = minus(pool, p, a);
            let arm = Arm::new(pool, first, q[0], v)?;
            let mut slid = |by: Expr| {
                let with = pool.as_symbol(q[1]).map(|s| (s, by)).into_iter().collect();
                arm.before.map(|c| rotors.rewrite(pool, pool.substitute(c, &with, &mut Map::default())))
            };
            let base = slid(pool.zero()).map(|c| pool.define(c));
            let slope = minus(pool, slid(pool.one()), base).map(|c| pool.define(c));
            let w = minus(pool, other, a).map(|c| pool.define(rotors.rewrite(pool, c)));
            let w2 = pool.define(dot(pool, w, w));
            let h2 = pool.define(pool.sub(w2, pool.powi(cross(pool, slope, base), 2)));
            let h = pool.mul(branch, pool.sqrt(h2));
            let by = pool.define(pool.sub(h, dot(pool, base, slope))); // [slide-on]
            let reached = along(pool, base, by, slope).map(|c| pool.define(c));
            let one = Arm { before: reached, ..arm }.turn(pool, rotors, w, w2);
            let side = [v, left(pool, e)];
            Some(Form { margin: pool.div(h2, w2), side, joints: [one, Joint::Slid(by)] })
        }
        [Action::Turn(_), Action::Slide(_)] | [Action::Slide(_), Action::Turn(_)] => {
            let at = usize::from(matches!(first.action, Action::Slide(_)));
            let (Action::Turn(a), Action::Slide(e)) = (dyad.legs[at].action, dyad.legs[1 - at].action) else {
                return None;
            };
            // Where the arm should end.
            let goal = if series || at == 0 { other } else { p };
            let slide = [pool.as_symbol(q[1 - at])?];
            let v = dyad.arms[at];
            let arm = Arm::new(pool, &dyad.legs[at], q[at], v)?;
            let w = minus(pool, goal, a).map(|c| pool.nominal(c, &slide));
            let w = w.map(|c| pool.define(rotors.rewrite(pool, c)));
            let along_slide = e.map(|c| pool.define(rotors.rewrite(pool, c)));
            let before = arm.before.map(|c| rotors.rewrite(pool, c));
            let r2 = pool.define(dot(pool, before, before));
            let h2 = pool.define(pool.sub(r2, pool.powi(cross(pool, along_slide, w), 2)));
            let h = pool.mul(branch, pool.sqrt(h2));
            let by = pool.define(pool.sub(h, dot(pool, w, along_slide))); // [turn-slide]
            let to = along(pool, w, by, along_slide).map(|c| pool.define(c));
            let turn = arm.turn(pool, rotors, to, r2);
            // An inner slide carries the joint that turns: it moves the other way.
            let slid = Joint::Slid(if series { pool.neg(by) } else { by });
            let side = [v, left(pool, e)];
            let joints = if at == 0 { [turn, slid] } else { [slid, turn] };
            Some(Form { margin: pool.div(h2, r2), side, joints })
        }
    }
}
