//! What bodies look like.

use cardan_expr::Expr;

/// A solid fixed in a body's frame.
#[derive(Clone, PartialEq, Debug)]
pub struct Shape {
    /// Which solid.
    pub kind: ShapeKind,
    /// Its middle, components in the body's frame.
    pub at: [Expr; 3],
    /// The direction of its axis (cylinder, capsule, cone), components in the body's frame; z if nothing.
    pub axis: Option<[Expr; 3]>,
    /// A colour as `#rrggbb` or a common name.
    pub color: Option<String>,
}

/// A solid with its dimensions.
#[derive(Clone, PartialEq, Debug)]
pub enum ShapeKind {
    /// Edge lengths.
    Box([Expr; 3]),
    /// Radius.
    Sphere(Expr),
    /// Semi-axes.
    Ellipsoid([Expr; 3]),
    /// Radius and length.
    Cylinder(Expr, Expr),
    /// Radius and length between the centres of its caps.
    Capsule(Expr, Expr),
    /// Radius of the base and height.
    Cone(Expr, Expr),
    /// A line from `at` to this point, with a radius.
    Rod([Expr; 3], Expr),
    /// Outer radius, inner radius and length.
    Tube(Expr, Expr, Expr),
    /// Corners of a polygon in the plane x, y, counted against the clock, and the length along z, which the plane halves.
    Extrusion(Vec<[Expr; 2]>, Expr),
    /// Corners (radius, height) of a polygon that turns about the axis.
    Revolution(Vec<[Expr; 2]>),
    /// Corners in metres, and triangles by the numbers of their corners.
    Mesh(Vec<[f64; 3]>, Vec<[u32; 3]>),
    /// Everything below a plane through the middle; the axis points out of it.
    Plane,
}
