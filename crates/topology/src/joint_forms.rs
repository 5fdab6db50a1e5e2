//! Constraints between two bodies that replace a joint: what its motions leave fixed.
//!
//! ```text
//! [single]        one of the joints with constraints of its own: revolute, planar, universal, …
//! [coincidence]   translations along k of the axes x, y, z leave 3 - k components of p_PQ zero
//! [parallelism]   rotations leave 3, 2, 1 or 0 pairs of axes normal to each other
//! ```
//!
//! Any translations followed by any rotations close in two parts, [coincidence] and [parallelism];
//! rotations followed by translations are the same seen from the other body. A direction must mean the
//! same in both bodies: an axis, or components.

use cardan_kinematics::Axis;
use cardan_model::{Closing, ConstraintKind};

use crate::joint_graph::{Direction, RelativeMotion};

/// One part of the constraints that replace a joint.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ClosingPart {
    /// Its kind: a joint that closes a loop, or a screw.
    pub kind: ConstraintKind,
    /// Its axis, where it has one.
    pub axis: Option<Direction>,
    /// Its second axis, in the second body.
    pub second: Option<Direction>,
    /// Whether the second body comes first.
    pub swapped: bool,
}

impl ClosingPart {
    fn new(closing: Closing) -> ClosingPart {
        let kind = ConstraintKind::Closing(closing);
        ClosingPart { kind, axis: None, second: None, swapped: false }
    }
    /// With an axis; nothing where it is a vector of one of the bodies.
    fn about(closing: Closing, axis: Direction) -> Option<ClosingPart> {
        let axis = Some(common(axis)?);
        Some(ClosingPart { axis, ..ClosingPart::new(closing) })
    }
    fn between(closing: Closing, axis: Direction, second: Direction) -> Option<ClosingPart> {
        let second = Some(common(second)?);
        Some(ClosingPart { second, ..ClosingPart::about(closing, axis)? })
    }
}

/// The constraints that replace a joint with these motions: none where everything is free, nothing
/// where it has no such form.
pub fn closing_form(motions: &[RelativeMotion]) -> Option<Vec<ClosingPart>> {
    use RelativeMotion::{Free, Prescribed, Rotation, Spherical};
    if motions.contains(&Prescribed) {
        return None;
    }
    if motions == [Free] {
        return Some(vec![]);
    }
    if let Some(part) = single(motions) {
        return Some(vec![part]);
    }
    let turns = |m: &RelativeMotion| matches!(m, Rotation(_) | Spherical);
    let first_turn = motions.iter().position(turns).unwrap_or(motions.len());
    let first_shift = motions.iter().position(|m| !turns(m)).unwrap_or(motions.len());
    let (shifts, rotations, swapped) = match (first_turn, first_shift) {
        (k, 0) if motions[k..].iter().all(turns) => (&motions[..k], &motions[k..], false),
        (0, k) if !motions[k..].iter().any(turns) => (&motions[k..], &motions[..k], true),
        _ => return None,
    };
    let mut parts = coincidence(shifts)?;
    parts.extend(parallelism(rotations, swapped)?);
    Some(parts.into_iter().map(|part| ClosingPart { swapped, ..part }).collect())
}

/// A direction that means the same in both bodies.
fn common(direction: Direction) -> Option<Direction> {
    (!matches!(direction, Direction::Vector(_))).then_some(direction)
}

/// Whether two directions lie on one line.
fn same(a: Direction, b: Direction) -> bool {
    match (a.line(), b.line()) {
        (None, None) => a == b,
        (a, b) => a == b,
    }
}

/// Whether two directions are different axes.
fn across(a: Direction, b: Direction) -> bool {
    a.line().zip(b.line()).is_some_and(|(a, b)| a != b)
}

/// A joint that has constraints of its own. [single]
fn single(motions: &[RelativeMotion]) -> Option<ClosingPart> {
    use RelativeMotion::{Rotation, Screw, Spherical, Translation};
    match *motions {
        [] => Some(ClosingPart::new(Closing::Fixed)),
        [Rotation(a)] => ClosingPart::about(Closing::Revolute, a),
        [Translation(a)] => ClosingPart::about(Closing::Prismatic, a),
        [Translation(a), Rotation(b)] | [Rotation(a), Translation(b)] if same(a, b) => {
            ClosingPart::about(Closing::Cylindrical, a)
        }
        [Screw(a)] => {
            let kind = ConstraintKind::Screw;
            Some(ClosingPart { kind, ..ClosingPart::about(Closing::Cylindrical, a)? })
        }
        [Rotation(a), Rotation(b)] if across(a, b) => ClosingPart::between(Closing::Universal, a, b),
        [Translation(a), Translation(b), Rotation(c)] if across(a, b) && across(b, c) && across(a, c) => {
            ClosingPart::about(Closing::Planar, c)
        }
        [Spherical] => Some(ClosingPart::new(Closing::Spherical)),
        _ => None,
    }
}

/// Translations along different axes leave of the coincidence of two points the other components.
/// [coincidence]
fn coincidence(shifts: &[RelativeMotion]) -> Option<Vec<ClosingPart>> {
    let mut left = Axis::ALL.to_vec();
    for shift in shifts {
        let RelativeMotion::Translation(direction) = shift else { return None };
        let axis = direction.line()?;
        let before = left.len();
        left.retain(|a| *a != axis);
        if left.len() == before {
            return None;
        }
    }
    Some(match left.as_slice() {
        [] => vec![],
        [normal] => vec![ClosingPart::about(Closing::InPlane, Direction::Axis(*normal, false))?],
        [a, b] => {
            let free = Axis::ALL.into_iter().find(|c| c != a && c != b)?;
            vec![ClosingPart::about(Closing::OnLine, Direction::Axis(free, false))?]
        }
        _ => vec![ClosingPart::new(Closing::Spherical)],
    })
}

/// Rotations leave of the parallelism of two bodies what they do not turn. [parallelism]
fn parallelism(turns: &[RelativeMotion], swapped: bool) -> Option<Vec<ClosingPart>> {
    use RelativeMotion::{Rotation, Spherical};
    let [x, y, z] = Axis::ALL.map(|a| Direction::Axis(a, false));
    Some(match *turns {
        [] => vec![
            ClosingPart::about(Closing::Parallel, z)?,
            ClosingPart::between(Closing::Perpendicular, x, y)?,
        ],
        [Rotation(a)] => vec![ClosingPart::about(Closing::Parallel, a)?],
        [Rotation(a), Rotation(b)] if across(a, b) => {
            let (a, b) = if swapped { (b, a) } else { (a, b) };
            vec![ClosingPart::between(Closing::Perpendicular, a, b)?]
        }
        [Spherical] => vec![],
        [Rotation(a), Rotation(b), Rotation(c)] if across(a, b) && across(b, c) => vec![],
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows of the constraints, by the kinds' own tables.
    fn n_rows(parts: &[ClosingPart]) -> usize {
        let rows = |part: &ClosingPart| match part.kind {
            ConstraintKind::Closing(closing) => closing.n_rows(),
            _ => 5,
        };
        parts.iter().map(rows).sum()
    }

    /// Every sequence of up to four motions along or about axes: constraints and freedoms make six.
    #[test]
    fn constraints_and_freedoms_make_six() {
        use RelativeMotion::{Rotation, Spherical, Translation};
        let axes = Axis::ALL.map(|a| Direction::Axis(a, false));
        let mut letters: Vec<RelativeMotion> = axes.map(Translation).to_vec();
        letters.extend(axes.map(Rotation));
        letters.push(Spherical);
        let mut sequences: Vec<Vec<RelativeMotion>> = vec![vec![]];
        let mut closed = 0;
        for _ in 0..4 {
            let longer = sequences
                .iter()
                .flat_map(|s| letters.iter().map(|l| s.iter().copied().chain([*l]).collect::<Vec<_>>()));
            sequences = longer.collect();
            for motions in &sequences {
                let Some(parts) = closing_form(motions) else { continue };
                let freedoms: usize = motions.iter().map(|m| if *m == Spherical { 3 } else { 1 }).sum();
                assert_eq!(n_rows(&parts) + freedoms, 6, "{motions:?}: {parts:?}");
                closed += 1;
            }
        }
        assert!(closed > 100, "{closed}");
    }

    #[test]
    fn a_vector_of_one_body_has_no_closing_form() {
        let revolute = |d| closing_form(&[RelativeMotion::Rotation(d)]);
        assert!(revolute(Direction::Vector(0)).is_none());
        assert_eq!(revolute(Direction::Components(0)).map(|parts| parts.len()), Some(1));
        assert!(closing_form(&[RelativeMotion::Prescribed]).is_none());
        assert_eq!(closing_form(&[RelativeMotion::Free]), Some(vec![]));
    }
}
