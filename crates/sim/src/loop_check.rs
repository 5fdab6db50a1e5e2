//! Loops that no position closes, because one side is longer than all others together.
//!
//! ```text
//! [polygon]   Σ rᵢ = 0 of the sides of a loop, so |r_k| ≤ Σ_{i≠k} |rᵢ| for every side k
//! ```
//!
//! Where all joints of a loop turn and none slides, the joints on a body stay where they are on it. Its side is the distance between
//! the two, whatever the position.

use std::fmt;

use cardan_assembly::parameter_values::ParameterValues;
use cardan_base::without_noise;
use cardan_kinematics::{FrameId, Point};
use cardan_model::closing::Closing;
use cardan_model::{ConstraintKind, JointId, JointKind, Model};

/// Sides that differ by less than this part are taken for equal.
const ALIKE: f64 = 1e-9;

/// The sides of a loop that cannot be closed: bodies with the distances between their two joints, the longest first.
#[derive(Debug)]
pub struct LoopSides(Vec<(String, f64)>);

impl LoopSides {
    /// What may be done.
    pub fn advice(&self) -> String {
        let room: f64 = self.0[1..].iter().map(|(_, length)| length).sum();
        let others: Vec<String> = self.0[1..].iter().map(|(name, _)| format!("`{name}`")).collect();
        let (longest, room) = (&self.0[0].0, without_noise(room));
        format!(
            "bring the joints on `{longest}` nearer to each other than {room} m, or move those on {} apart",
            others.join(", ")
        )
    }
}

impl fmt::Display for LoopSides {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sides: Vec<String> = self.0[1..]
            .iter()
            .map(|(name, length)| format!("`{name}` {} m", without_noise(*length)))
            .collect();
        let (longest, length) = &self.0[0];
        let (length, others) = (without_noise(*length), sides.join(", "));
        write!(
            f,
            "the joints on `{longest}` are {length} m apart, more than those on the others together: {others}"
        )
    }
}

/// The sides of the loop that a constraint closes, where one is longer than the others together.
pub fn too_long(model: &Model, constraint: &str) -> Option<LoopSides> {
    let (_, closing) = model.constraints.iter().find(|(_, c)| c.name == constraint)?;
    let rod = match closing.kind {
        ConstraintKind::Closing(Closing::Revolute | Closing::Spherical) => None,
        ConstraintKind::Distance => Some(closing.size?),
        _ => return None,
    };
    let [first, second] = closing.markers.as_deref()?;
    let (space, values) = (&model.space, ParameterValues::of(model));
    let joints = model.joints_between(first.point.frame, second.point.frame);
    let turns = |id: &JointId| {
        let kinds = &model.joints[*id].kinds;
        kinds.iter().all(|k| matches!(k, JointKind::Revolute | JointKind::Universal | JointKind::Spherical))
    };
    if !joints.iter().all(turns) {
        return None;
    }
    // The joints in the order of the loop: the closing one as seen from both sides, the others by their places.
    let place = |id: &JointId| model.joints[*id].frames.last().map(|frame| space.origin(*frame));
    let mut places: Vec<Point> = joints.iter().map(place).collect::<Option<_>>()?;
    places.extend([first.point.clone(), second.point.clone()]);
    let carrier =
        |frame: FrameId| model.bodies.iter().find(|(_, b)| b.frame == frame).map(|(_, b)| b.name.clone());
    let mut sides: Vec<(String, f64)> =
        rod.into_iter().map(|length| (constraint.to_owned(), values.evaluate(model, length))).collect();
    // A body of the loop holds two of the joints: one that carries it or the closing one, and one that it carries.
    let mut frames: Vec<FrameId> =
        joints.iter().filter_map(|j| model.joints[*j].frames.last().copied()).collect();
    frames.extend(joints.iter().map(|j| body_frame(model, model.joints[*j].parent)));
    frames.sort_unstable();
    frames.dedup();
    for frame in frames {
        let mut ends: Vec<Point> = vec![];
        for (joint, place) in joints.iter().zip(&places) {
            let joint = &model.joints[*joint];
            if joint.frames.last() == Some(&frame) || body_frame(model, joint.parent) == frame {
                ends.push(place.clone());
            }
        }
        for marker in [first, second] {
            if body_frame(model, marker.point.frame) == frame {
                ends.push(marker.point.clone());
            }
        }
        let [a, b] = &ends[..] else { return None };
        let length = values.evaluate(model, space.magnitude(&space.position(a, b)));
        let name = carrier(frame).unwrap_or_else(|| space.frame(frame).name.clone());
        sides.push((name, length));
    }
    if sides.len() < 2 || sides.iter().any(|(_, length)| !length.is_finite()) {
        return None;
    }
    sides.sort_by(|a, b| b.1.total_cmp(&a.1));
    let others: f64 = sides[1..].iter().map(|(_, length)| length).sum();
    (sides[0].1 > others * (1.0 + ALIKE)).then_some(LoopSides(sides))
}

/// The frame of the body or of the ground in which a frame is fixed.
fn body_frame(model: &Model, frame: FrameId) -> FrameId {
    let mut frame = frame;
    while model.joint_of(frame).is_none() {
        let Some(parent) = model.space.frame(frame).parent else { break };
        frame = parent;
    }
    frame
}
