//! Shapes for a body that was given none.
//!
//! A body is known by its joints, its mass centre, its named points and the points of springs and
//! forces. Links become tapered capsules from the body's origin to each joint of a child. Without
//! a child the link reaches to the farthest named point, the tip, or to the mass centre if the
//! body names no point. The joint becomes a short cylinder along its axis (a slim bar for a
//! translation); the mass centre a small ball. Thin arms reach to the points that no link passes.
//! Sizes follow the model's extent, so that a watch and a ship look alike. A body of which nothing
//! is known becomes a cube.

use crate::bounds::Bounds;
use crate::scene::{Pose, Scene, Shape, Solid};

/// What is known of a body, in its own frame with the joint to its parent at the origin.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BodyOutline {
    /// The mass centre; `None` for a massless frame.
    pub mass_center: Option<[f64; 3]>,
    /// Where the joints of children, loop joints and rods sit.
    pub joint_points: Vec<[f64; 3]>,
    /// Where springs, dampers and forces act.
    pub held_points: Vec<[f64; 3]>,
    /// The points that the model names on the body.
    pub named_points: Vec<[f64; 3]>,
    /// The axes of the joint to the parent.
    pub joint_axes: Vec<JointAxis>,
}

/// One axis of a joint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JointAxis {
    /// Direction in the body's frame; need not be a unit vector.
    pub direction: [f64; 3],
    /// What the joint allows along it.
    pub motion: JointMotion,
}

/// What a joint allows along an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JointMotion {
    /// Rotation about the axis.
    Rotation,
    /// Translation along the axis.
    Translation,
}

/// Colour of joints.
const JOINT: &str = "#7c8594";
/// Colour of mass centres.
const CENTER: &str = "#e0a400";
/// Radius of a link as a part of the extent.
const LINK: f64 = 0.022;
/// The same for an arm.
const ARM: f64 = 0.009;

/// The size of a whole model: the diagonal of the box of all body origins (at one time), or twice
/// the farthest reach of a single body, whichever is more; 1 if both are nothing.
pub fn model_extent(outlines: &[BodyOutline], origins: &[[f64; 3]]) -> f64 {
    let spread = Bounds::of_points(origins.iter().copied()).map_or(0.0, |b| b.diagonal());
    let reach = outlines.iter().flat_map(points_of).map(length).filter(|r| r.is_finite()).fold(0.0, f64::max);
    let extent = spread.max(2.0 * reach);
    if extent > 0.0 { extent } else { 1.0 }
}

/// Shapes for a body with this outline in a model of this extent; never empty.
pub fn default_shapes(outline: &BodyOutline, extent: f64) -> Vec<Shape> {
    let extent = if (extent * extent).is_finite() && extent > 0.0 { extent } else { 1.0 };
    let near = 1e-3 * extent;
    let far = |p: &[f64; 3]| length(*p).is_finite() && length(*p) > near;
    let center = outline.mass_center.filter(|c| length(*c).is_finite());

    let mut ends: Vec<[f64; 3]> = vec![];
    for point in outline.joint_points.iter().filter(|p| far(p)) {
        if ends.iter().all(|end| distance(*end, *point) > near) {
            ends.push(*point);
        }
    }
    if ends.is_empty() {
        ends.extend(outline.tip().filter(|tip| far(tip)).or(center.filter(far)));
    }
    let mut shapes: Vec<Shape> = ends.iter().map(|end| link(*end, LINK, extent)).collect();
    // Arms to what no link and no other arm passes, the longest first.
    let named = outline.held_points.iter().chain(&outline.named_points).copied();
    let mut others: Vec<[f64; 3]> = named.chain(center).filter(far).collect();
    others.sort_by(|a, b| length(*b).total_cmp(&length(*a)));
    for point in others {
        if ends.iter().all(|end| off_link(point, *end) > LINK * extent) {
            ends.push(point);
            shapes.push(link(point, ARM, extent));
        }
    }
    if shapes.is_empty() && (center.is_some() || outline.joint_axes.is_empty()) {
        shapes.push(Shape::new(Solid::Box { size: [0.08 * extent; 3] }, Pose::default()));
    }
    shapes.extend(outline.joint_axes.iter().filter_map(|axis| joint(axis, extent)));
    shapes.extend(center.filter(far).map(|c| {
        Shape::new(Solid::Sphere { radius: 0.025 * extent }, Pose::at(c)).colored(CENTER).translucent(0.9)
    }));
    if shapes.is_empty() {
        shapes.push(Shape::new(Solid::Box { size: [0.05 * extent; 3] }, Pose::default()));
    }
    shapes
}

/// Gives default shapes to every body of `scene` that has none; `outlines` stand beside
/// `scene.bodies`. The extent is that of the first frame.
pub fn dress(scene: &mut Scene, outlines: &[BodyOutline]) {
    let origins: Vec<_> = scene.bodies.iter().filter_map(|b| b.positions.first().copied()).collect();
    let extent = model_extent(outlines, &origins);
    for (k, body) in scene.bodies.iter_mut().enumerate() {
        if body.shapes.is_empty() {
            let nothing = BodyOutline::default();
            body.shapes = default_shapes(outlines.get(k).unwrap_or(&nothing), extent);
        }
    }
}

fn points_of(outline: &BodyOutline) -> impl Iterator<Item = [f64; 3]> {
    let places = outline.joint_points.iter().chain(&outline.held_points).chain(&outline.named_points);
    places.copied().chain(outline.mass_center)
}

impl BodyOutline {
    /// The named point farthest from the origin.
    pub fn tip(&self) -> Option<[f64; 3]> {
        let finite = self.named_points.iter().copied().filter(|p| length(*p).is_finite());
        finite.max_by(|a, b| length(*a).total_cmp(&length(*b)))
    }
}

fn length(v: [f64; 3]) -> f64 {
    v.iter().map(|c| c * c).sum::<f64>().sqrt()
}

fn distance(a: [f64; 3], b: [f64; 3]) -> f64 {
    length(std::array::from_fn(|i| a[i] - b[i]))
}

/// How far a point is from the line from the origin to `end`.
fn off_link(point: [f64; 3], end: [f64; 3]) -> f64 {
    let dot = |a: [f64; 3], b: [f64; 3]| (0..3).map(|i| a[i] * b[i]).sum::<f64>();
    let part = (dot(point, end) / dot(end, end)).clamp(0.0, 1.0);
    distance(point, end.map(|c| part * c))
}

/// A tapered capsule from the origin to `end`, slim against its length and the model.
fn link(end: [f64; 3], thickness: f64, extent: f64) -> Shape {
    let span = length(end);
    let radius = (thickness * extent).min(0.12 * span);
    let solid = Solid::Capsule { radius, end_radius: 0.6 * radius, length: span };
    Shape::new(solid, Pose::along(end.map(|c| c / 2.0), end))
}

fn joint(axis: &JointAxis, extent: f64) -> Option<Shape> {
    let long = length(axis.direction);
    if !(long.is_finite() && long > 0.0) {
        return None;
    }
    let solid = match axis.motion {
        JointMotion::Rotation => Solid::Cylinder { radius: 0.026 * extent, length: 0.075 * extent },
        JointMotion::Translation => Solid::Box { size: [0.022 * extent, 0.022 * extent, 0.16 * extent] },
    };
    Some(Shape::new(solid, Pose::along([0.0; 3], axis.direction)).colored(JOINT))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bounds::shape_bounds;
    use crate::scene::BodyTrack;

    fn hinge() -> JointAxis {
        JointAxis { direction: [0.0, 2.0, 0.0], motion: JointMotion::Rotation }
    }

    #[test]
    fn a_link_reaches_from_joint_to_joint() {
        let outline = BodyOutline {
            mass_center: Some([0.5, 0.0, 0.0]),
            joint_points: vec![[1.0, 0.0, 0.0]],
            joint_axes: vec![hinge()],
            ..BodyOutline::default()
        };
        let shapes = default_shapes(&outline, 2.0);
        assert_eq!(shapes.len(), 3);
        assert!(matches!(shapes[0].solid, Solid::Capsule { length, .. } if (length - 1.0).abs() < 1e-12));
        let b = shape_bounds(&shapes[0]).unwrap();
        assert!(b.low[0] < 0.0 && b.low[0] > -0.1 && b.high[0] > 1.0 && b.high[0] < 1.1);
        assert!(matches!(shapes[1].solid, Solid::Cylinder { .. }));
        assert_eq!(shapes[2].pose.position, [0.5, 0.0, 0.0]);
    }

    #[test]
    fn a_body_without_children_reaches_to_its_mass_centre() {
        let outline = BodyOutline { mass_center: Some([0.0, 0.0, -0.4]), ..BodyOutline::default() };
        let shapes = default_shapes(&outline, 1.0);
        assert!(matches!(shapes[0].solid, Solid::Capsule { length, .. } if (length - 0.4).abs() < 1e-12));
    }

    #[test]
    fn a_body_without_children_reaches_to_its_tip() {
        let outline = BodyOutline {
            mass_center: Some([0.0, 0.0, -0.4]),
            named_points: vec![[0.0, 0.0, -0.2], [0.0, 0.0, -1.0], [0.0, 0.5, 0.0]],
            ..BodyOutline::default()
        };
        let lengths: Vec<f64> = (default_shapes(&outline, 1.0).iter())
            .filter_map(|s| match s.solid {
                Solid::Capsule { length, .. } => Some(length),
                _ => None,
            })
            .collect();
        assert_eq!(lengths, [1.0, 0.5], "a link to the tip, an arm to the point beside it");
        assert_eq!(outline.tip(), Some([0.0, 0.0, -1.0]));
        assert_eq!(model_extent(&[outline], &[]), 2.0, "named points count for the size");
    }

    #[test]
    fn arms_reach_to_what_no_link_passes() {
        // A rod from joint to joint with a spring at its middle, one at the joint, and one far
        // out, of which the outer passes the inner.
        let outline = BodyOutline {
            mass_center: Some([0.5, 0.01, 0.0]),
            joint_points: vec![[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]],
            held_points: vec![[0.3, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, 0.4, 0.0], [0.0, 0.8, 0.0]],
            ..BodyOutline::default()
        };
        let shapes = default_shapes(&outline, 2.0);
        let lengths: Vec<(f64, bool)> = shapes
            .iter()
            .filter_map(|s| match s.solid {
                Solid::Capsule { length, radius, .. } => Some((length, radius > 0.03)),
                _ => None,
            })
            .collect();
        assert_eq!(lengths, [(1.0, true), (1.0, true), (0.8, false)]);
        // A mass centre aside of everything does not hang in the air.
        let aside = BodyOutline { mass_center: Some([0.0, -0.5, 0.0]), ..outline };
        assert_eq!(default_shapes(&aside, 2.0).len(), shapes.len() + 1);
    }

    #[test]
    fn nothing_known_makes_a_cube_scaled_by_the_model() {
        let small = default_shapes(&BodyOutline::default(), 1.0);
        let large = default_shapes(&BodyOutline::default(), 10.0);
        let edge = |s: &[Shape]| match s[0].solid {
            Solid::Box { size } => size[0],
            _ => panic!("expected a cube"),
        };
        assert!((edge(&large) / edge(&small) - 10.0).abs() < 1e-12);
    }

    #[test]
    fn nonsense_still_makes_finite_shapes() {
        let outline = BodyOutline {
            mass_center: Some([f64::NAN; 3]),
            joint_points: vec![[f64::INFINITY, 0.0, 0.0]],
            held_points: vec![[f64::NAN, 0.0, 0.0]],
            named_points: vec![[f64::NAN, 0.0, 1.0]],
            joint_axes: vec![JointAxis { direction: [0.0; 3], motion: JointMotion::Translation }],
        };
        let shapes = default_shapes(&outline, f64::NAN);
        assert!(!shapes.is_empty());
        assert!(shapes.iter().all(|s| shape_bounds(s).is_some_and(|b| b.diagonal().is_finite())));
    }

    #[test]
    fn dressing_leaves_given_shapes_alone() {
        let given = Shape::new(Solid::Sphere { radius: 3.0 }, Pose::default());
        let mut scene = Scene {
            bodies: vec![
                BodyTrack { shapes: vec![given.clone()], ..BodyTrack::default() },
                BodyTrack::default(),
            ],
            ..Scene::default()
        };
        dress(&mut scene, &[]);
        assert_eq!(scene.bodies[0].shapes, vec![given]);
        assert_eq!(scene.bodies[1].shapes.len(), 1);
        assert_eq!(model_extent(&[], &[]), 1.0);
    }
}
