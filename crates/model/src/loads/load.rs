//! Forces and torques.

use cardan_base::{Span, define_id};
use cardan_expr::Expr;
use cardan_kinematics::{FrameId, Point, Vector};

define_id!(LoadId, "load", "A force or torque.");

/// Where the opposite of a force acts.
#[derive(Clone, PartialEq, Debug)]
pub struct Reaction {
    /// The frame that feels it.
    pub frame: FrameId,
    /// The point through which it goes; the same place in space as the action if nothing.
    pub at: Option<Point>,
}

/// What acts on what.
#[derive(Clone, PartialEq, Debug)]
pub enum LoadKind {
    /// A force through a point.
    Force {
        /// On the first body.
        vector: Vector,
        /// Where.
        at: Point,
        /// The opposite force; nothing if it acts on the ground and nobody wants to know where.
        reaction: Option<Reaction>,
    },
    /// A free torque.
    Torque {
        /// On the first body.
        vector: Vector,
        /// The frame that feels it.
        on: FrameId,
        /// The frame that feels the opposite; nothing if it is the ground.
        reaction: Option<FrameId>,
    },
}

/// A force or torque with its name.
#[derive(Clone, PartialEq, Debug)]
pub struct Load {
    /// Path.
    pub name: String,
    /// For people; may be empty.
    pub description: String,
    /// What acts on what.
    pub kind: LoadKind,
    /// The potential energy, where the load has one and nothing else in it does work; several loads of one
    /// element may share it, then only the first carries it and the others are marked conservative.
    pub potential: Option<Expr>,
    /// Whether all of its work is accounted for by potentials.
    pub conservative: bool,
    /// Where it was declared.
    pub span: Option<Span>,
}
