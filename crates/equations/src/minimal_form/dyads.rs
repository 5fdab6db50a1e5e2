//! Loops that close in closed form: drives, then dyads.
//!
//! A planar loop closed by a pin in which two coordinates are unknown is a dyad: two joints, turning about the normal of the plane or
//! sliding in it, bring the pin's two points together. Where one dyad after the other determines all coordinates, a position needs no
//! iteration: four-bars and slider-cranks, and linkages made of them.
//!
//! ```text
//! [driven]  c q - f(t) = 0, c constant             determines q
//! [dyad]    P(q_a, q_b) = Q(q_a, q_b) in a plane   determines q_a and q_b up to the branch
//! ```
//!
//! What is here only finds them; numbers are another matter.

use cardan_expr::{Depends, Expr};
use cardan_kinematics::{FrameId, Motion, Point, Space, Vector};
use cardan_model::{Closing, ConstraintId, ConstraintKind, Model};

use crate::constrained::rows::ConstraintRows;

/// How a joint of a dyad moves its point, components in the plane.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Action {
    /// About this place.
    Turn([Expr; 2]),
    /// Along this direction.
    Slide([Expr; 2]),
}

/// A joint of a dyad.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Leg {
    /// Its coordinate.
    pub coordinate: usize,
    /// What it does when the coordinate grows, if `sign` is positive.
    pub action: Action,
    /// Whether the coordinate turns backwards.
    pub backwards: bool,
    /// Whether it moves the second point of the pin instead of the first.
    pub on_second: bool,
}

/// Two joints that bring two points together.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Dyad {
    /// The pin.
    pub constraint: ConstraintId,
    /// The two, the one nearer to the ground first if they move the same point.
    pub legs: [Leg; 2],
    /// The points of the pin, components in the plane.
    pub points: [[Expr; 2]; 2],
    /// Per joint the vector from it to what it moves: its point of the pin, or the other joint if that is carried by it.
    pub arms: [[Expr; 2]; 2],
    /// From the first joint to the other point if both move one point, else to the second joint.
    pub base: [Expr; 2],
}

/// What determines coordinates from those known before.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Step {
    /// A coordinate, what vanishes, its constant derivative, and the constraint that drives it. [driven]
    Drive(usize, Expr, Expr, ConstraintId),
    /// Two coordinates. [dyad]
    Dyad(Dyad),
}

impl Step {
    /// The constraint that it uses.
    pub fn constraint(&self) -> ConstraintId {
        match self {
            Step::Drive(.., id) => *id,
            Step::Dyad(dyad) => dyad.constraint,
        }
    }
    /// The coordinates that it determines.
    pub fn coordinates(&self) -> Vec<usize> {
        match self {
            Step::Drive(q, ..) => vec![*q],
            Step::Dyad(dyad) => dyad.legs.map(|l| l.coordinate).to_vec(),
        }
    }
}

/// The steps that determine all coordinates one after the other, beginning with those that are `known`; nothing if some are left.
pub fn sequence(model: &Model, rows: &ConstraintRows, known: &[bool]) -> Option<Vec<Step>> {
    let mut known = known.to_vec();
    let mut open: Vec<ConstraintId> = model.constraints.ids().collect();
    let mut steps = vec![];
    while known.contains(&false) {
        let found = open.iter().enumerate().find_map(|(k, id)| Some((k, step(model, rows, *id, &known)?)));
        let (k, step) = found?;
        open.remove(k);
        step.coordinates().into_iter().for_each(|q| known[q] = true);
        steps.push(step);
    }
    Some(steps)
}

fn step(model: &Model, rows: &ConstraintRows, id: ConstraintId, known: &[bool]) -> Option<Step> {
    let own: Vec<_> = rows.rows.iter().chain(&rows.repeated).filter(|r| r.constraint == id).collect();
    match own.as_slice() {
        [row] => {
            let [(speed, slope)] = row.jacobian[..] else { return None };
            let rate = model.speeds.iter().nth(speed)?.1.symbol;
            let q = model.coordinates.iter().position(|(_, q)| q.rate == rate)?;
            let constant = model.space.pool().depends(slope).is_constant();
            (constant && !known[q]).then_some(Step::Drive(q, row.position?, slope, id))
        }
        [a, b] if a.row == 0 && b.row == 1 => dyad(model, id, known).map(Step::Dyad),
        _ => None,
    }
}

/// The frames from `frame` up to `top`, which is left out.
fn way(space: &Space, frame: FrameId, top: FrameId) -> Vec<FrameId> {
    let ways = std::iter::successors(Some(frame), |f| space.frame(*f).parent);
    ways.take_while(|f| *f != top).collect()
}

/// The plane of a dyad: a frame of which it is a coordinate plane.
struct Plane<'a> {
    space: &'a Space,
    frame: FrameId,
    normal: usize,
    backwards: bool,
}

impl Plane<'_> {
    fn inside(&self, v: &Vector) -> [Expr; 2] {
        let c = self.space.components(v, self.frame);
        let (i, j) = ((self.normal + 1) % 3, (self.normal + 2) % 3);
        if self.backwards { [c[j], c[i]] } else { [c[i], c[j]] }
    }
    fn place(&self, p: &Point) -> [Expr; 2] {
        self.inside(&self.space.position(&self.space.origin(self.frame), p))
    }
    /// 1 or -1 for the normal or its opposite, nothing for another direction.
    fn along_normal(&self, v: &Vector) -> Option<bool> {
        let (normal, backwards) = axis(self.space, v, self.frame)?;
        (normal == self.normal).then_some(backwards != self.backwards)
    }
}

/// The coordinate axis along which a vector lies, and whether it points backwards.
fn axis(space: &Space, v: &Vector, frame: FrameId) -> Option<(usize, bool)> {
    let pool = space.pool();
    let c = space.components(v, frame);
    let k = (0..3).find(|k| !pool.is_zero(c[*k]))?;
    let alone = (0..3).all(|i| i == k || pool.is_zero(c[i]));
    match (c[k] == pool.one(), c[k] == pool.int(-1)) {
        (true, _) if alone => Some((k, false)),
        (_, true) if alone => Some((k, true)),
        _ => None,
    }
}

fn dyad(model: &Model, id: ConstraintId, known: &[bool]) -> Option<Dyad> {
    let constraint = &model.constraints[id];
    if constraint.kind != ConstraintKind::Closing(Closing::Revolute) {
        return None;
    }
    let space = &model.space;
    let [p, q] = constraint.markers.as_deref()?;
    let ways = [p, q].map(|m| way(space, m.frame(), space.newtonian()));
    let top = ways[0].iter().find(|f| ways[1].contains(f)).copied().unwrap_or(space.newtonian());
    let (normal, backwards) = axis(space, &p.axis(space, 2), top)?;
    let plane = Plane { space, frame: top, normal, backwards };
    let (mut legs, mut joints) = (vec![], vec![]);
    for (marker, on_second) in [(p, false), (q, true)] {
        for frame in way(space, marker.frame(), top).into_iter().rev() {
            if let Some(coordinate) = unknown(model, frame, known)? {
                legs.push(leg(&plane, frame, coordinate, on_second)?);
                joints.push(space.origin(frame));
            }
        }
    }
    let points = [plane.place(&p.point), plane.place(&q.point)];
    let (legs, joints): ([Leg; 2], [Point; 2]) = (legs.try_into().ok()?, joints.try_into().ok()?);
    let along = |from: &Point, to: &Point| plane.inside(&space.position(from, to));
    let [own, other] = if legs[1].on_second { [&q.point, &p.point] } else { [&p.point, &q.point] };
    let series = legs[0].on_second == legs[1].on_second;
    let (first, base) = if series { (&joints[1], other) } else { (other, &joints[1]) };
    let arms = [along(&joints[0], first), along(&joints[1], own)];
    Some(Dyad { constraint: id, legs, points, arms, base: along(&joints[0], base) })
}

/// The unknown coordinate that moves a frame on its parent, if there is one; nothing at all if it moves in another way.
fn unknown(model: &Model, frame: FrameId, known: &[bool]) -> Option<Option<usize>> {
    let pool = model.space.pool();
    let mut found = None;
    for rate in model.space.frame(frame).motion.rates() {
        let rate = model.space.rate(rate);
        match model.coordinates.iter().position(|(_, q)| q.rate == rate) {
            Some(q) if known[q] => {}
            Some(q) if found.is_none() => found = Some(q),
            Some(_) => return None,
            None if pool.depends_on(rate, Depends::SPEEDS) => return None,
            None => {}
        }
    }
    Some(found)
}

fn leg(plane: &Plane<'_>, frame: FrameId, coordinate: usize, on_second: bool) -> Option<Leg> {
    let space = plane.space;
    let data = space.frame(frame);
    let parent = data.parent?;
    let (action, backwards) = match &data.motion {
        Motion::Rotation { direction, .. } => {
            let backwards = plane.along_normal(&space.vector(parent, *direction))?;
            (Action::Turn(plane.place(&space.origin(frame))), backwards)
        }
        Motion::Translation { direction, .. } => {
            (Action::Slide(plane.inside(&space.vector(parent, *direction))), false)
        }
        _ => return None,
    };
    Some(Leg { coordinate, action, backwards, on_second })
}
