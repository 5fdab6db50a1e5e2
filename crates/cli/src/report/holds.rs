//! Where joints, rods, springs and forces hold a body, and the rods that have no mass.
//!
//! A place counts where its coordinates in the body are numbers; contacts that wander over a body do not.

use cardan::kinematics::{FrameId, Point};
use cardan::model::{LoadKind, Model};
use cardan::sim::{Frames, ParameterValues};
use cardan_viewer::{Link, LinkKind};

/// Those of the points that stay in place in a frame.
fn fixed<'a>(
    model: &Model,
    values: &ParameterValues,
    frame: FrameId,
    points: impl Iterator<Item = &'a Point>,
) -> Vec<[f64; 3]> {
    points
        .filter(|p| p.frame == frame)
        .map(|p| p.coordinates.map(|e| values.evaluate(model, e)))
        .filter(|p| p.iter().all(|c| c.is_finite()))
        .collect()
}

/// Where joints that close loops, rods, curves and angles sit on a body.
pub fn closing_points(model: &Model, values: &ParameterValues, frame: FrameId) -> Vec<[f64; 3]> {
    let markers = model.constraints.iter().filter_map(|(_, c)| c.markers.as_deref()).flatten();
    let places = model.constraints.iter().filter_map(|(_, c)| Some(&c.ends.as_ref()?.at));
    fixed(model, values, frame, markers.map(|m| &m.point).chain(places))
}

/// Where springs, dampers and forces act on a body.
pub fn held_points(model: &Model, values: &ParameterValues, frame: FrameId) -> Vec<[f64; 3]> {
    let points = model.loads.iter().filter_map(|(_, load)| match &load.kind {
        LoadKind::Force { at, reaction, .. } => {
            Some([Some(at), reaction.as_ref().and_then(|r| r.at.as_ref())])
        }
        LoadKind::Torque { .. } => None,
    });
    fixed(model, values, frame, points.flatten().flatten())
}

/// Rods without mass, between the points that they keep apart.
pub fn rods(model: &Model, values: &ParameterValues, frames: &Frames) -> Vec<Link> {
    let rods = model.constraints.iter().filter(|(_, c)| c.kind == "distance");
    let made = rods.filter_map(|(_, c)| {
        let [from, to] = c.markers.as_deref()?;
        Some(Link {
            name: c.name.clone(),
            description: c.description.clone(),
            kind: LinkKind::Line,
            from: path(model, values, frames, &from.point)?,
            to: path(model, values, frames, &to.point)?,
            color: String::new(),
        })
    });
    made.collect()
}

/// The places in space of a point of a body or of the ground; nothing where it moves in them.
fn path(model: &Model, values: &ParameterValues, frames: &Frames, point: &Point) -> Option<Vec<[f64; 3]>> {
    let local = *fixed(model, values, point.frame, std::iter::once(point)).first()?;
    if point.frame == model.space.newtonian() {
        return Some(vec![local; frames.times.len()]);
    }
    let body = model.bodies.iter().position(|(_, b)| b.frame == point.frame)?;
    let poses = frames.bodies.get(body)?.iter();
    let place = |i: usize, p: &cardan::sim::Pose| {
        p.position[i] + (0..3).map(|j| p.rotation[i][j] * local[j]).sum::<f64>()
    };
    Some(poses.map(|p| std::array::from_fn(|i| place(i, p))).collect())
}
