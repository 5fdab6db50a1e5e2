//! Joints as pairs of markers: what a chain of translations and rotations leaves fixed, in points, lines, planes and directions.
//!
//! ```text
//! translations   0: points coincide   1: point on line   2: point in plane   3: nothing
//! rotations      0: directions parallel and perpendicular   1: axes parallel   2: axes at an angle   3: nothing
//! ```
//!
//! (Koh and Park, Object oriented dynamics simulator, Fig. 2.) Where both parts have a common name, one pair does it.

use cardan_model::closing::Closing;

use crate::error::Unsupported;
use crate::geometry::{self as g, Pose, Vec3};
use crate::joint_chain::{Chain, Segment};

/// A kind of pair of markers: each is one kernel.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum PairKind {
    /// A joint.
    Closing(Closing),
    /// Two points at a distance.
    Distance,
    /// Two third axes at an angle.
    Angle,
    /// A thread.
    Screw,
}

/// A point and axes, in the frame of a part from its origin.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Place {
    /// Which part.
    pub part: usize,
    /// Where.
    pub point: Vec3,
    /// Row i holds the components of axis i.
    pub axes: [Vec3; 3],
}

/// A pair of markers with the law of its size.
#[derive(Clone, PartialEq, Debug)]
pub struct Pair {
    /// What it keeps.
    pub kind: PairKind,
    /// Of the first part.
    pub a: Place,
    /// Of the second.
    pub b: Place,
    /// Distance, angle or lead; where it is fixed.
    pub size: f64,
}

/// Axes with this third one.
fn about(axis: Vec3) -> [Vec3; 3] {
    let (u, v) = g::normals(axis);
    [u, v, axis]
}

/// The pairs that a chain is.
pub fn pairs(chain: &Chain) -> Result<Vec<Pair>, Unsupported> {
    let moving = |s: &&Segment| s.freedoms() > 0;
    let turns = |s: &Segment| matches!(s, Segment::Rotation { .. } | Segment::Ball { .. });
    let kinds: Vec<bool> = chain.segments.iter().filter(moving).map(turns).collect();
    if chain.segments.iter().any(|s| matches!(s, Segment::Free { .. })) {
        return match kinds.len() {
            1 => Ok(vec![]),
            _ => Err(Unsupported::Chain(chain.name.clone())),
        };
    }
    if kinds.is_sorted() {
        return between(chain, &chain.segments, (chain.a, chain.b));
    }
    if kinds.iter().rev().is_sorted() {
        let back: Vec<Segment> = chain.segments.iter().rev().map(reversed).collect();
        return between(chain, &back, (chain.b, chain.a));
    }
    Err(Unsupported::Chain(chain.name.clone()))
}

/// The way back along a segment.
fn reversed(segment: &Segment) -> Segment {
    match segment {
        Segment::Fixed(pose) => Segment::Fixed(pose.inverse()),
        Segment::Translation { direction, travel } => {
            Segment::Translation { direction: g::scale(-1.0, *direction), travel: travel.clone() }
        }
        Segment::Rotation { direction, travel } => {
            Segment::Rotation { direction: g::scale(-1.0, *direction), travel: travel.clone() }
        }
        other => other.clone(),
    }
}

/// Translations along directions of the first part, then rotations about axes through one point of the second.
fn between(chain: &Chain, segments: &[Segment], (a, b): (usize, usize)) -> Result<Vec<Pair>, Unsupported> {
    let refused = || Unsupported::Chain(chain.name.clone());
    let mut at = Pose::IDENTITY;
    let mut directions: Vec<Vec3> = vec![];
    // Axes of rotation in the frame so far, and the pose since the first of them.
    let mut axes: Vec<Vec3> = vec![];
    let mut center: Option<Pose> = None;
    let mut ball = false;
    for segment in segments {
        match segment {
            Segment::Fixed(pose) => at = at.then(pose),
            Segment::Translation { direction, .. } => directions.push(g::apply(&at.r, *direction)),
            Segment::Rotation { direction, .. } => {
                match &center {
                    None => center = Some(at),
                    // Axes that do not meet have no common point.
                    Some(first) if g::norm(g::sub(at.p, first.p)) > 1e-12 * (1.0 + g::norm(at.p)) => {
                        return Err(refused());
                    }
                    Some(_) => {}
                }
                axes.push(g::apply(&at.r, *direction));
            }
            Segment::Ball { .. } => {
                center.get_or_insert(at);
                ball = true;
            }
            Segment::Free { .. } | Segment::Weld(_) => return Err(refused()),
        }
    }
    // With all travels at zero, the second part is at `at` in the first: what is in A is in B by the way back.
    let center = center.unwrap_or(at);
    let into_b = |v: Vec3| g::apply_transposed(&at.r, v);
    let in_b = at.inverse().at(center.p);
    let n_turns = if ball { 3 } else { axes.len() };
    let mark = |axes: [Vec3; 3]| Place { part: a, point: center.p, axes };
    let mark_b = |axes: [Vec3; 3]| Place { part: b, point: in_b, axes };
    let both = |kind: PairKind, own: [Vec3; 3], other: [Vec3; 3], size: f64| {
        let (a, b) = (mark(own), mark_b(other));
        Pair { kind, a, b, size }
    };
    let same = |kind: Closing, own: [Vec3; 3]| both(PairKind::Closing(kind), own, own.map(into_b), 0.0);
    let normal = match &directions[..] {
        [] => None,
        [d] => Some(*d),
        [d, e] => {
            let n = g::cross(*d, *e);
            Some(g::scale(1.0 / g::norm(n), n))
        }
        _ => Some([0.0, 0.0, 1.0]),
    };
    if directions.len() > 3 || n_turns > 3 || normal.is_some_and(|n| n.iter().any(|x| !x.is_finite())) {
        return Err(refused());
    }
    let along = |u: Vec3, v: Vec3| g::norm(g::cross(u, v)) < 1e-12;
    let mut found = vec![];
    let axis = axes.first().copied();
    match (directions.len(), n_turns, normal, axis) {
        (0, 0, ..) => found.push(same(Closing::Fixed, g::IDENTITY)),
        (0, 1, _, Some(axis)) if axes.len() == 1 => found.push(same(Closing::Revolute, about(axis))),
        (1, 0, Some(d), _) => found.push(same(Closing::Prismatic, about(d))),
        (1, 1, Some(d), Some(axis)) if along(d, axis) => found.push(same(Closing::Cylindrical, about(axis))),
        (2, 1, Some(n), Some(axis)) if along(n, axis) => found.push(same(Closing::Planar, about(n))),
        _ => {
            match (directions.len(), normal) {
                (0, _) => found.push(same(Closing::Spherical, g::IDENTITY)),
                (1, Some(d)) => found.push(same(Closing::OnLine, about(d))),
                (2, Some(n)) => found.push(same(Closing::InPlane, about(n))),
                _ => {}
            }
            match (n_turns, &axes[..]) {
                (0, _) => {
                    found.push(same(Closing::Parallel, g::IDENTITY));
                    let (x, y) = ([1.0, 0.0, 0.0], [0.0, 1.0, 0.0]);
                    let pair =
                        both(PairKind::Closing(Closing::Perpendicular), about(x), about(into_b(y)), 0.0);
                    found.push(pair);
                }
                (1, [axis]) => found.push(same(Closing::Parallel, about(*axis))),
                (2, [r, s]) => {
                    let cosine = g::dot(*r, *s);
                    if (1.0 - cosine.abs()) < 1e-12 {
                        return Err(refused());
                    }
                    let kind = if cosine.abs() < 1e-15 {
                        PairKind::Closing(Closing::Perpendicular)
                    } else {
                        PairKind::Angle
                    };
                    found.push(both(kind, about(*r), about(into_b(*s)), cosine.acos()));
                }
                _ => {}
            }
        }
    }
    Ok(found)
}
