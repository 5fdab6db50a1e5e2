//! Solids and their placement.

use std::fmt;

use parry3d_f64::math::{Pose, Rotation, Vector};
use parry3d_f64::shape::SharedShape;

/// A rigid displacement: an origin, and Euler parameters e₀, e₁, e₂, e₃ of the turn.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Placement {
    /// The origin.
    pub origin: [f64; 3],
    /// The turn.
    pub turn: [f64; 4],
}

impl Placement {
    /// No displacement.
    pub const IDENTITY: Placement = Placement { origin: [0.0; 3], turn: [1.0, 0.0, 0.0, 0.0] };

    pub(crate) fn pose(&self) -> Pose {
        let [w, x, y, z] = self.turn;
        Pose::from_parts(Vector::from_array(self.origin), Rotation::from_xyzw(x, y, z, w))
    }
}

/// A solid in axes of its own, with its middle at the origin.
#[derive(Clone, PartialEq, Debug)]
pub enum ContactSolid {
    /// Radius.
    Sphere(f64),
    /// Edge lengths.
    Box([f64; 3]),
    /// Radius and length along z.
    Cylinder(f64, f64),
    /// Radius and length between the centres of the caps along z.
    Capsule(f64, f64),
    /// Radius of the base and height along z; the apex is at +z.
    Cone(f64, f64),
    /// Everything below the plane z = 0.
    HalfSpace,
    /// The convex hull of points.
    Hull(Vec<[f64; 3]>),
    /// Heights above the plane z = 0 at the nodes of a grid, by rows along y, over a rectangle of edge lengths x and y.
    HeightMap(Vec<Vec<f64>>, [f64; 2]),
}

/// A solid that has no volume.
#[derive(Clone, PartialEq, Debug)]
pub struct SolidError(pub String);

impl fmt::Display for SolidError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for SolidError {}

/// A quarter turn about x: the axis y of the library becomes z.
fn upright() -> Pose {
    let half = std::f64::consts::FRAC_1_SQRT_2;
    Pose::from_parts(Vector::ZERO, Rotation::from_xyzw(half, 0.0, 0.0, half))
}

impl ContactSolid {
    /// The shape of the library, and its pose in the axes of the solid.
    pub(crate) fn shape(&self) -> Result<(SharedShape, Pose), SolidError> {
        let positive = |sizes: &[f64]| match sizes.iter().all(|s| s.is_finite() && *s > 0.0) {
            true => Ok(()),
            false => Err(SolidError("a size of the solid is not positive".into())),
        };
        let none = Pose::IDENTITY;
        Ok(match self {
            ContactSolid::Sphere(r) => {
                positive(&[*r])?;
                (SharedShape::ball(*r), none)
            }
            ContactSolid::Box(sizes) => {
                positive(sizes)?;
                let [x, y, z] = sizes.map(|s| 0.5 * s);
                (SharedShape::cuboid(x, y, z), none)
            }
            ContactSolid::Cylinder(r, length) => {
                positive(&[*r, *length])?;
                (SharedShape::cylinder(0.5 * length, *r), upright())
            }
            ContactSolid::Capsule(r, length) => {
                positive(&[*r])?;
                if length.is_nan() || *length < 0.0 {
                    return Err(SolidError("the length of a capsule is negative".into()));
                }
                (SharedShape::capsule_z(0.5 * length, *r), none)
            }
            ContactSolid::Cone(r, height) => {
                positive(&[*r, *height])?;
                (SharedShape::cone(0.5 * height, *r), upright())
            }
            ContactSolid::HalfSpace => (SharedShape::halfspace(Vector::Z), none),
            ContactSolid::Hull(points) => {
                let list: Vec<Vector> = points.iter().map(|p| Vector::from_array(*p)).collect();
                let hull = (list.len() >= 4).then(|| SharedShape::convex_hull(&list)).flatten();
                (hull.ok_or_else(|| SolidError("the points of the hull lie in one plane".into()))?, none)
            }
            ContactSolid::HeightMap(rows, [x, y]) => {
                positive(&[*x, *y])?;
                let (n, m) = (rows.len(), rows.first().map_or(0, Vec::len));
                if n < 2 || m < 2 || rows.iter().any(|r| r.len() != m) {
                    return Err(SolidError("a height map has at least two rows of equal length".into()));
                }
                // Rows of the library run along its z, columns along x, heights along y. With y upright as z, its z is -y.
                let mut heights = parry3d_f64::utils::Array2::zeros(n, m);
                for (i, row) in rows.iter().rev().enumerate() {
                    row.iter().enumerate().for_each(|(j, h)| heights[(i, j)] = *h);
                }
                (SharedShape::heightfield(heights, Vector::new(*x, 1.0, *y)), upright())
            }
        })
    }
}
