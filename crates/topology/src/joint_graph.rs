//! The joint graph: bodies are its nodes, joints its edges.

use cardan_base::{Arena, define_id};
use cardan_kinematics::Axis;

define_id!(NodeId, "node", "A body or a frame of the joint graph. The first one is the ground.");
define_id!(EdgeId, "edge", "A joint of the joint graph.");

/// A body, a frame or the ground.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BodyNode {
    /// Path.
    pub name: String,
    /// The node that carries it, where the description says so; else joints do.
    pub parent: Option<NodeId>,
}

/// A direction along or about which a joint moves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Direction {
    /// An axis of the frame reached so far, or the opposite of one.
    Axis(Axis, bool),
    /// Components, the same in both bodies. Equal numbers are equal directions.
    Components(usize),
    /// A vector of some body. Equal numbers are equal directions.
    Vector(usize),
}

impl Direction {
    /// The axis on whose line it lies.
    pub fn line(self) -> Option<Axis> {
        match self {
            Direction::Axis(axis, _) => Some(axis),
            Direction::Components(_) | Direction::Vector(_) => None,
        }
    }
}

/// One motion of a joint, from the frame reached so far.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RelativeMotion {
    /// A constant rotation.
    FixedRotation,
    /// A translation.
    Translation(Direction),
    /// A rotation about an axis.
    Rotation(Direction),
    /// A rotation and a translation along one axis, in a fixed ratio.
    Screw(Direction),
    /// All rotations.
    Spherical,
    /// All motions.
    Free,
    /// One that follows a function of time, or that is held or not known.
    Prescribed,
}

/// A joint between two bodies.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct JointEdge {
    /// Path.
    pub name: String,
    /// The two bodies.
    pub ends: [NodeId; 2],
    /// The motions of the second body in the first.
    pub motions: Vec<RelativeMotion>,
    /// Number of free speeds.
    pub n_freedoms: usize,
    /// Whether something refers to its coordinates, or depends on them: a limit, a rotor, a drive.
    pub needs_coordinates: bool,
    /// Whether something refers to its force or torque.
    pub needs_reaction: bool,
    /// Whether the description asks for the loop to be cut here.
    pub cut: bool,
}

/// Bodies and joints, before a spanning tree is chosen.
#[derive(Clone, PartialEq, Debug)]
pub struct JointGraph {
    /// The ground first.
    pub nodes: Arena<NodeId, BodyNode>,
    /// In order of declaration.
    pub joints: Arena<EdgeId, JointEdge>,
}

impl JointGraph {
    /// The ground alone.
    pub fn new(ground: impl Into<String>) -> JointGraph {
        let mut nodes = Arena::new();
        nodes.push(BodyNode { name: ground.into(), parent: None });
        JointGraph { nodes, joints: Arena::new() }
    }
    /// Adds a body that joints carry, or that `parent` carries.
    pub fn add_body(&mut self, name: impl Into<String>, parent: Option<NodeId>) -> NodeId {
        self.nodes.push(BodyNode { name: name.into(), parent })
    }
    /// Adds a joint.
    pub fn add_joint(&mut self, joint: JointEdge) -> EdgeId {
        self.joints.push(joint)
    }
}
