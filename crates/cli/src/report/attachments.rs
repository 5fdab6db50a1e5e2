//! Where joints, rods, springs and forces hold a body, and the rods that have no mass.
//!
//! A place counts where its coordinates in the body are numbers; contacts that wander over a body do not.

use cardan::assembly::ParameterValues;
use cardan::kinematics::{FrameId, Motion, Point};
use cardan::model::{ConstraintKind, LoadKind, Model};
use cardan::sim::Frames;
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

/// The points that the model names on a body or on a frame that is fixed in it, with their names.
pub fn named_points(model: &Model, values: &ParameterValues, body: FrameId) -> Vec<(String, [f64; 3])> {
    let points = model.space.points().iter();
    let places = points.filter_map(|(_, p)| Some((p.name.clone(), fixed_in(model, values, body, p)?)));
    places.filter(|(_, p)| p.iter().all(|c| c.is_finite())).collect()
}

/// Components of a point in a frame, if the point's own frame is fixed in it:
/// r_B = p + Rᵀ r_C for each frame C that is fixed in its parent B.
fn fixed_in(model: &Model, values: &ParameterValues, body: FrameId, point: &Point) -> Option<[f64; 3]> {
    let numbers = |v: [cardan::expr::Expr; 3]| v.map(|e| values.evaluate(model, e));
    let mut at = numbers(point.coordinates);
    let mut frame = point.frame;
    while frame != body {
        let inner = model.space.frame(frame);
        if inner.motion != Motion::Fixed {
            return None;
        }
        let (offset, turn) = (numbers(inner.p_PoBo_P), inner.R_PB.map(numbers));
        at = std::array::from_fn(|j| offset[j] + (0..3).map(|i| turn[i][j] * at[i]).sum::<f64>());
        frame = inner.parent?;
    }
    Some(at)
}

/// Rods without mass, between the points that they keep apart.
pub fn rods(model: &Model, values: &ParameterValues, frames: &Frames) -> Vec<Link> {
    let rods = model.constraints.iter().filter(|(_, c)| c.kind == ConstraintKind::Distance);
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
