//! What moves: bodies with shapes, links between points, and the paths of points.
//!
//! Positions are in the inertial frame, in metres; orientations are unit quaternions (w, x, y, z) that turn body
//! components into inertial ones. All tracks stand beside [`Scene::times`] frame by frame; a track that is shorter
//! holds its last pose, and an empty one rests at the origin.

use serde::{Deserialize, Serialize};

/// All that the 3D view shows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Scene {
    /// Frame times in seconds, increasing.
    pub times: Vec<f64>,
    /// The bodies.
    pub bodies: Vec<BodyTrack>,
    /// Springs, dampers, rods and force arrows.
    pub links: Vec<Link>,
    /// Paths of points.
    pub traces: Vec<Trace>,
    /// Whether to draw the ground.
    pub ground: bool,
    /// Height of the ground along `up`; below the whole motion if not given.
    pub ground_height: Option<f64>,
    /// Direction against gravity; z by default.
    pub up: [f64; 3],
}

impl Default for Scene {
    fn default() -> Self {
        Self {
            times: Vec::new(),
            bodies: Vec::new(),
            links: Vec::new(),
            traces: Vec::new(),
            ground: true,
            ground_height: None,
            up: [0.0, 0.0, 1.0],
        }
    }
}

/// A body with its shapes and its motion.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct BodyTrack {
    /// The body's name.
    pub name: String,
    /// What it is, in words.
    pub description: String,
    /// Its data, as label and value: mass, inertia, joint.
    pub facts: Vec<(String, String)>,
    /// Its shapes, fixed in the body's frame.
    pub shapes: Vec<Shape>,
    /// The origin's position per frame.
    pub positions: Vec<[f64; 3]>,
    /// The orientation (w, x, y, z) per frame; upright if empty.
    pub quaternions: Vec<[f64; 4]>,
}

/// Where a shape sits in its body.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Pose {
    /// Origin.
    pub position: [f64; 3],
    /// Orientation (w, x, y, z).
    pub quaternion: [f64; 4],
}

impl Default for Pose {
    fn default() -> Self {
        Self { position: [0.0; 3], quaternion: [1.0, 0.0, 0.0, 0.0] }
    }
}

impl Pose {
    /// A pose that only shifts.
    pub fn at(position: [f64; 3]) -> Self {
        Self { position, ..Self::default() }
    }

    /// A pose at `position` whose z-axis points along `axis`; upright if `axis` is zero or not finite.
    pub fn along(position: [f64; 3], axis: [f64; 3]) -> Self {
        Self { position, quaternion: turn_z_to(axis) }
    }
}

/// The shortest rotation that takes z to the direction of `axis`: q = (1 + z·a, z × a), normalised.
fn turn_z_to(axis: [f64; 3]) -> [f64; 4] {
    let length = axis.iter().map(|c| c * c).sum::<f64>().sqrt();
    if !(length.is_finite() && length > 0.0) {
        return [1.0, 0.0, 0.0, 0.0];
    }
    let [x, y, z] = axis.map(|c| c / length);
    if z < -1.0 + 1e-12 {
        return [0.0, 1.0, 0.0, 0.0];
    }
    let norm = (2.0 * (1.0 + z)).sqrt();
    [(1.0 + z) / norm, -y / norm, x / norm, 0.0]
}

/// `v` turned by the unit quaternion `q` = (w, x, y, z).
pub fn rotate(q: [f64; 4], v: [f64; 3]) -> [f64; 3] {
    let [w, x, y, z] = q;
    let cross = |a: [f64; 3], b: [f64; 3]| {
        [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
    };
    let t = cross([x, y, z], v).map(|c| 2.0 * c);
    let s = cross([x, y, z], t);
    std::array::from_fn(|i| v[i] + w * t[i] + s[i])
}

/// A solid with pose and colour.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Shape {
    /// The solid.
    pub solid: Solid,
    /// Where it sits in the body.
    #[serde(default)]
    pub pose: Pose,
    /// Colour as `#rrggbb`; the body's colour of the page's palette if empty.
    #[serde(default)]
    pub color: String,
    /// From 0 (invisible) to 1 (opaque).
    #[serde(default = "opaque")]
    pub opacity: f64,
}

fn opaque() -> f64 {
    1.0
}

impl Shape {
    /// An opaque shape in the body's own colour.
    pub fn new(solid: Solid, pose: Pose) -> Self {
        Self { solid, pose, color: String::new(), opacity: 1.0 }
    }

    /// The same in a given colour, as `#rrggbb`.
    pub fn colored(mut self, color: impl Into<String>) -> Self {
        self.color = color.into();
        self
    }

    /// The same, translucent.
    pub fn translucent(mut self, opacity: f64) -> Self {
        self.opacity = opacity;
        self
    }
}

/// A geometric form. Round ones have their axis along local z and are centred at the origin.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum Solid {
    /// A box by its edge lengths.
    Box {
        /// Edge lengths along x, y, z.
        size: [f64; 3],
    },
    /// A ball.
    Sphere {
        /// Radius.
        radius: f64,
    },
    /// A cylinder along z.
    Cylinder {
        /// Radius.
        radius: f64,
        /// Length along z.
        length: f64,
    },
    /// A cone along z, with its tip at +z.
    Cone {
        /// Radius of the base.
        radius: f64,
        /// Height.
        length: f64,
    },
    /// Two balls and their hull: a capsule along z, tapered if the radii differ.
    Capsule {
        /// Radius at -z.
        radius: f64,
        /// Radius at +z.
        end_radius: f64,
        /// Distance between the balls' centres.
        length: f64,
    },
    /// An ellipsoid.
    Ellipsoid {
        /// Semi-axes along x, y, z.
        radii: [f64; 3],
    },
    /// A thin rectangle, normal to z.
    Plane {
        /// Edge lengths along x and y.
        size: [f64; 2],
    },
    /// A line through points.
    Polyline {
        /// The points.
        points: Vec<[f64; 3]>,
    },
    /// Triangles; those with an index out of range are not drawn.
    Mesh {
        /// Corner points.
        vertices: Vec<[f64; 3]>,
        /// Three indices into `vertices` per triangle.
        triangles: Vec<[u32; 3]>,
    },
}

/// How a [`Link`] is drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LinkKind {
    /// A coil.
    Spring,
    /// A cylinder with a piston.
    Damper,
    /// A straight line.
    #[default]
    Line,
    /// An arrow from the first point to the second.
    Force,
    /// An arrow with a double head.
    Torque,
}

/// Something between two moving points.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Link {
    /// Its name.
    pub name: String,
    /// What it is, in words.
    pub description: String,
    /// How it is drawn.
    pub kind: LinkKind,
    /// First end per frame.
    pub from: Vec<[f64; 3]>,
    /// Second end per frame.
    pub to: Vec<[f64; 3]>,
    /// Colour as `#rrggbb`; by kind if empty.
    pub color: String,
}

/// The path of a point.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Trace {
    /// The point's name.
    pub name: String,
    /// Its position per frame.
    pub points: Vec<[f64; 3]>,
    /// Colour as `#rrggbb`; of the page's palette if empty.
    pub color: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn along_turns_z_to_the_axis() {
        for axis in [[0.0, 0.0, 1.0], [0.0, 0.0, -1.0], [1.0, 0.0, 0.0], [0.3, -2.0, 0.7], [-1.0, 1e-9, -5.0]]
        {
            let turned = rotate(Pose::along([0.0; 3], axis).quaternion, [0.0, 0.0, 1.0]);
            let length = axis.iter().map(|c| c * c).sum::<f64>().sqrt();
            for i in 0..3 {
                assert!((turned[i] - axis[i] / length).abs() < 1e-7, "{axis:?} gave {turned:?}");
            }
        }
        assert_eq!(Pose::along([0.0; 3], [0.0; 3]), Pose::default());
        assert_eq!(Pose::along([0.0; 3], [f64::NAN; 3]), Pose::default());
    }

    #[test]
    fn solids_read_from_short_json() {
        let shape: Shape = serde_json::from_str(r#"{"solid": {"kind": "sphere", "radius": 2}}"#).unwrap();
        assert_eq!(shape, Shape::new(Solid::Sphere { radius: 2.0 }, Pose::default()));
    }
}
