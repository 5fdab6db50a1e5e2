//! The unit of length in which a scene is packed.
//!
//! The page draws in single precision, and shaders square lengths: beyond 10¹⁹ m squares are no numbers any more, and drawing may
//! never end. A motion that goes so far, or is so small, is therefore packed in another power of ten of a metre. Cells of the grid stay
//! round, and as no length is written in the view, nothing else changes.

use std::borrow::Cow;
use std::ops::Range;

use crate::bounds::Bounds;
use crate::scene::{BodyTrack, Link, Pose, Scene, Shape, Solid, Trace};

/// Reaches in metres that are drawn as they are.
const PLAIN: Range<f64> = 1e-3..1e9;

/// The unit in metres for a motion within `bounds`: 1, or a power of ten near its reach.
pub fn unit_for(bounds: &Bounds) -> f64 {
    let reach = bounds.low.iter().chain(&bounds.high).fold(0.0, |most: f64, c| most.max(c.abs()));
    if reach == 0.0 || PLAIN.contains(&reach) { 1.0 } else { 10f64.powi(reach.log10().floor() as i32) }
}

impl Bounds {
    /// The same box in another unit.
    pub fn measured_in(&self, unit: f64) -> Bounds {
        Bounds { low: self.low.map(|c| c / unit), high: self.high.map(|c| c / unit) }
    }
}

impl Scene {
    /// The same scene in another unit of length.
    pub fn measured_in(&self, unit: f64) -> Cow<'_, Scene> {
        if unit == 1.0 {
            return Cow::Borrowed(self);
        }
        let places = |track: &[[f64; 3]]| track.iter().map(|p| p.map(|c| c / unit)).collect();
        Cow::Owned(Scene {
            bodies: (self.bodies.iter())
                .map(|b| BodyTrack {
                    shapes: b.shapes.iter().map(|s| shape(s, unit)).collect(),
                    positions: places(&b.positions),
                    ..b.clone()
                })
                .collect(),
            links: (self.links.iter())
                .map(|l| Link { from: places(&l.from), to: places(&l.to), ..l.clone() })
                .collect(),
            traces: self.traces.iter().map(|t| Trace { points: places(&t.points), ..t.clone() }).collect(),
            ground_height: self.ground_height.map(|h| h / unit),
            ..self.clone()
        })
    }
}

fn shape(shape: &Shape, unit: f64) -> Shape {
    let pose = Pose { position: shape.pose.position.map(|c| c / unit), ..shape.pose };
    let points = |all: &[[f64; 3]]| all.iter().map(|p| p.map(|c| c / unit)).collect();
    let solid = match &shape.solid {
        Solid::Box { size } => Solid::Box { size: size.map(|c| c / unit) },
        Solid::Sphere { radius } => Solid::Sphere { radius: radius / unit },
        Solid::Cylinder { radius, length } => {
            Solid::Cylinder { radius: radius / unit, length: length / unit }
        }
        Solid::Cone { radius, length } => Solid::Cone { radius: radius / unit, length: length / unit },
        Solid::Capsule { radius, end_radius, length } => {
            Solid::Capsule { radius: radius / unit, end_radius: end_radius / unit, length: length / unit }
        }
        Solid::Ellipsoid { radii } => Solid::Ellipsoid { radii: radii.map(|c| c / unit) },
        Solid::Plane { size } => Solid::Plane { size: size.map(|c| c / unit) },
        Solid::Polyline { points: all } => Solid::Polyline { points: points(all) },
        Solid::Mesh { vertices, triangles } => {
            Solid::Mesh { vertices: points(vertices), triangles: triangles.clone() }
        }
    };
    Shape { solid, pose, ..shape.clone() }
}

#[cfg(test)]
mod tests {
    use crate::bounds::scene_bounds;
    use crate::length_unit::*;

    /// A scene with one of everything, of about the given size.
    fn of_size(size: f64) -> Scene {
        let points = vec![[0.0, size, -size], [size, 0.0, 0.0], [0.0, 0.0, 0.5 * size]];
        let solids = vec![
            Solid::Box { size: [size; 3] },
            Solid::Sphere { radius: size },
            Solid::Cylinder { radius: size, length: size },
            Solid::Cone { radius: size, length: size },
            Solid::Capsule { radius: size, end_radius: 0.5 * size, length: size },
            Solid::Ellipsoid { radii: [size; 3] },
            Solid::Plane { size: [size; 2] },
            Solid::Polyline { points: points.clone() },
            Solid::Mesh { vertices: points.clone(), triangles: vec![[0, 1, 2]] },
        ];
        let shapes = solids.into_iter().map(|solid| Shape::new(solid, Pose::at([size, 0.0, 0.0])));
        Scene {
            times: vec![0.0, 1.0, 2.0],
            bodies: vec![BodyTrack {
                shapes: shapes.collect(),
                positions: points.clone(),
                ..BodyTrack::default()
            }],
            links: vec![Link { from: points.clone(), to: vec![[size; 3]], ..Link::default() }],
            traces: vec![Trace { points, ..Trace::default() }],
            ground_height: Some(-size),
            ..Scene::default()
        }
    }

    #[test]
    fn a_scene_in_another_unit_is_the_same_scene() {
        let unit = 1024.0;
        assert_eq!(*of_size(unit).measured_in(unit), of_size(1.0));
        assert!(matches!(of_size(1.0).measured_in(1.0), Cow::Borrowed(_)));
    }

    #[test]
    fn whatever_goes_far_is_drawn_near() {
        for (size, expected) in [(1.0, 1.0), (7e6, 1.0), (1e-9, 1e-9), (2e27, 1e27), (3e299, 1e299)] {
            let bounds = Bounds { low: [0.0; 3], high: [0.0, size, 0.0] };
            let unit = unit_for(&bounds);
            assert!((unit / expected - 1.0).abs() < 1e-9, "{size}: {unit}");
        }
        let far = of_size(2e27);
        let bounds = scene_bounds(&far, &[0, 1, 2]).expect("a box");
        assert!(bounds.measured_in(unit_for(&bounds)).diagonal() < 100.0);
        assert_eq!(unit_for(&Bounds::of_point([0.0; 3])), 1.0);
    }
}
