//! Bodies: mass properties fixed in a frame.

use cardan_base::{Span, define_id};
use cardan_expr::Expr;
use cardan_kinematics::{FrameId, Point, Space};

use crate::{JointId, Shape};

define_id!(BodyId, "body", "A body.");

/// A rigid body, a particle (no inertia) or a massless frame (no mass either).
#[derive(Clone, PartialEq, Debug)]
pub struct Body {
    /// Path.
    pub name: String,
    /// For people; may be empty.
    pub description: String,
    /// The frame in which it is fixed; has the body's name.
    pub frame: FrameId,
    /// The joint by which it hangs on its parent.
    pub joint: Option<JointId>,
    /// Mass; zero for a massless frame.
    pub mass: Expr,
    /// Central inertia, components in the frame: symmetric, tensor signs (products negative of ∫xy dm).
    pub inertia: [[Expr; 3]; 3],
    /// Mass centre, components in the frame from its origin.
    pub center: [Expr; 3],
    /// What it looks like.
    pub shapes: Vec<Shape>,
    /// Where it was declared.
    pub span: Option<Span>,
}

impl Body {
    /// The mass centre as a point.
    pub fn center_point(&self) -> Point {
        Point { name: format!("{}.cm", self.name), frame: self.frame, coordinates: self.center }
    }
    /// Whether it has neither mass nor inertia.
    pub fn is_massless(&self, space: &Space) -> bool {
        let pool = space.pool();
        pool.is_zero(self.mass) && self.inertia.iter().flatten().all(|e| pool.is_zero(*e))
    }
}
