//! The box that holds a whole motion: what the camera frames.
//!
//! For each frame and shape the eight corners of the shape's local box are carried into the inertial frame. Links
//! and traces add their points. Values that have no place on an axis, because they are not finite or as good as that, are left out.

use crate::scene::{BodyTrack, Scene, Shape, Solid, rotate};
use crate::ticks::drawable;

/// A box along the inertial axes, from `low` to `high`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// Least coordinates.
    pub low: [f64; 3],
    /// Greatest coordinates.
    pub high: [f64; 3],
}

impl Bounds {
    /// The box of one point.
    pub fn of_point(p: [f64; 3]) -> Self {
        Self { low: p, high: p }
    }

    /// The smallest box that holds all drawable `points`; `None` without one.
    pub fn of_points(points: impl IntoIterator<Item = [f64; 3]>) -> Option<Self> {
        points.into_iter().filter(|p| p.iter().all(|c| drawable(*c))).fold(None, |seen, p| {
            let Some(b) = seen else { return Some(Self::of_point(p)) };
            Some(Self {
                low: std::array::from_fn(|i| p[i].min(b.low[i])),
                high: std::array::from_fn(|i| p[i].max(b.high[i])),
            })
        })
    }

    /// Length of the diagonal.
    pub fn diagonal(&self) -> f64 {
        // Squares of long ways may not be numbers.
        (0..3).fold(0.0, |d: f64, i| d.hypot(self.high[i] - self.low[i]))
    }

    fn corners(&self) -> [[f64; 3]; 8] {
        std::array::from_fn(|k| {
            std::array::from_fn(|i| if k >> i & 1 == 0 { self.low[i] } else { self.high[i] })
        })
    }
}

/// The box of everything in `scene` over the given frames.
pub fn scene_bounds(scene: &Scene, frames: &[usize]) -> Option<Bounds> {
    let bodies = scene.bodies.iter().flat_map(|body| body_points(body, frames));
    let ends = scene.links.iter().flat_map(|link| [&link.from, &link.to]);
    let paths = scene.traces.iter().map(|trace| &trace.points);
    let points = ends.chain(paths).flat_map(|path| frames.iter().filter_map(|&f| path.get(f).copied()));
    Bounds::of_points(bodies.chain(points))
}

/// Box of a shape in its body's frame.
pub fn shape_bounds(shape: &Shape) -> Option<Bounds> {
    let half = |h: [f64; 3]| Some(Bounds { low: h.map(|c| -c), high: h });
    let local = match &shape.solid {
        Solid::Box { size } => half(size.map(|s| s / 2.0)),
        Solid::Sphere { radius } => half([*radius; 3]),
        Solid::Cylinder { radius, length } | Solid::Cone { radius, length } => {
            half([*radius, *radius, length / 2.0])
        }
        Solid::Capsule { radius, end_radius, length } => {
            let wide = radius.max(*end_radius);
            half([wide, wide, length / 2.0 + wide])
        }
        Solid::Ellipsoid { radii } => half(*radii),
        Solid::Plane { size } => half([size[0] / 2.0, size[1] / 2.0, 0.0]),
        Solid::Polyline { points } => Bounds::of_points(points.iter().copied()),
        Solid::Mesh { vertices, .. } => Bounds::of_points(vertices.iter().copied()),
    }?;
    Bounds::of_points(local.corners().map(|c| place(c, shape.pose.position, shape.pose.quaternion)))
}

fn body_points(body: &BodyTrack, frames: &[usize]) -> Vec<[f64; 3]> {
    let local = Bounds::of_points(
        body.shapes.iter().filter_map(shape_bounds).flat_map(|b| [b.low, b.high]).chain([[0.0; 3]]),
    );
    let corners = local.map_or([[0.0; 3]; 8], |b| b.corners());
    frames
        .iter()
        .flat_map(|&f| {
            let position = held(&body.positions, f).unwrap_or([0.0; 3]);
            let quaternion = held(&body.quaternions, f).unwrap_or([1.0, 0.0, 0.0, 0.0]);
            corners.map(|c| place(c, position, quaternion))
        })
        .collect()
}

/// The value of a track at frame `f`; a track that is too short holds its last value.
pub(crate) fn held<T: Copy>(track: &[T], f: usize) -> Option<T> {
    track.get(f).or(track.last()).copied()
}

fn place(p: [f64; 3], position: [f64; 3], quaternion: [f64; 4]) -> [f64; 3] {
    let turned = rotate(quaternion, p);
    std::array::from_fn(|i| turned[i] + position[i])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::{Link, Pose};

    #[test]
    fn a_turned_and_shifted_box_is_held() {
        let half = std::f64::consts::FRAC_1_SQRT_2;
        let body = BodyTrack {
            shapes: vec![Shape::new(Solid::Box { size: [4.0, 2.0, 2.0] }, Pose::at([1.0, 0.0, 0.0]))],
            positions: vec![[0.0; 3], [10.0, 0.0, 0.0]],
            quaternions: vec![[1.0, 0.0, 0.0, 0.0], [half, 0.0, 0.0, half]],
            ..BodyTrack::default()
        };
        let scene = Scene { bodies: vec![body], ..Scene::default() };
        let still = scene_bounds(&scene, &[0]).unwrap();
        assert_eq!((still.low, still.high), ([-1.0, -1.0, -1.0], [3.0, 1.0, 1.0]));
        let both = scene_bounds(&scene, &[0, 1]).unwrap();
        assert!((both.high[0] - 11.0).abs() < 1e-12 && (both.high[1] - 3.0).abs() < 1e-12);
    }

    #[test]
    fn nothing_and_nonsense_have_no_box() {
        assert_eq!(scene_bounds(&Scene::default(), &[0]), None);
        let link = Link { from: vec![[f64::NAN; 3]], to: vec![[1.0; 3]], ..Link::default() };
        let scene = Scene { links: vec![link], ..Scene::default() };
        assert_eq!(scene_bounds(&scene, &[0, 5]), Some(Bounds::of_point([1.0; 3])));
    }
}
