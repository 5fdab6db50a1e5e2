//! Joints: chains of steps between a parent frame and a body's frame.
//!
//! Every joint is the same mechanism: a sequence of offsets, turns, translations and rotations. `revolute` is one
//! rotation, `cylindrical` a translation and a rotation, `universal` two rotations, `free` three translations and
//! an orientation.

use cardan_base::{Span, define_id};
use cardan_expr::Expr;
use cardan_kinematics::{FrameId, Matrix3, RateId, Sequence};
use cardan_units::Dimension;

use crate::CoordinateId;
use crate::element::{Element, ElementEnds, ElementPart};
use crate::element_kind::ElementKind;
use crate::joint_kind::JointKind;
use crate::load::LoadId;
use crate::model::Model;
use crate::quantity::Quantity;

define_id!(JointId, "joint", "A joint of the tree.");

/// Which scalars describe a velocity.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum SpeedChoice {
    /// The time derivatives of the coordinates.
    #[default]
    CoordinateRates,
    /// Components in the moving body (quasi-velocities).
    BodyFixed,
}

/// How an orientation is described.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Orientation {
    /// Three successive rotations.
    Angles(Sequence),
    /// Four parameters of unit norm; speeds are body-fixed.
    EulerParameters,
}

/// A coordinate to be made by a step.
#[derive(Clone, PartialEq, Debug)]
pub struct CoordinateSpec {
    /// Name, meaning, dimension.
    pub quantity: Quantity,
    /// The name of its speed.
    pub speed_name: String,
    /// Order of smallness of the coordinate and its speed; 0 for an ordinary one.
    pub small: u8,
    /// Held at its start value: then it is a parameter and has no speed.
    pub locked: bool,
    /// Follows this expression of time, parameters and coordinates made before it, instead of moving freely.
    pub prescribed: Option<Expr>,
}

impl CoordinateSpec {
    /// An ordinary coordinate.
    pub fn new(quantity: Quantity, speed_name: impl Into<String>) -> Self {
        CoordinateSpec { quantity, speed_name: speed_name.into(), small: 0, locked: false, prescribed: None }
    }
}

/// One step of a joint, from the frame reached so far.
#[derive(Clone, PartialEq, Debug)]
pub enum Step {
    /// A constant offset, components in the frame so far.
    Shift([Expr; 3]),
    /// A constant turn, `b_i · a_j`.
    Turn(Matrix3),
    /// A translation along a unit vector (components in the frame so far).
    Translate([Expr; 3], CoordinateSpec),
    /// A rotation about a unit vector (components in the frame so far).
    Rotate([Expr; 3], CoordinateSpec),
    /// A rotation and a translation along the same unit vector, coupled: displacement = lead × angle / 2π.
    Screw([Expr; 3], Expr, CoordinateSpec),
    /// Any orientation. Three specs for angles, four for Euler parameters; three speed names for body-fixed speeds.
    Ball(Orientation, SpeedChoice, Vec<CoordinateSpec>, Vec<Quantity>),
    /// Three translations along the parent's axes and any orientation, with body-fixed speeds: three and
    /// three or four specs; six speeds.
    Free(Orientation, Vec<CoordinateSpec>, Vec<Quantity>),
}

/// A joint of the tree.
#[derive(Clone, PartialEq, Debug)]
pub struct Joint {
    /// Path; usually that of the body it carries.
    pub name: String,
    /// Its kinds, one after the other from the parent; usually one.
    pub kinds: Vec<JointKind>,
    /// The frame it starts from.
    pub parent: FrameId,
    /// The frames of its segments, the body's frame last.
    pub frames: Vec<FrameId>,
    /// Its coordinates.
    pub coordinates: Vec<CoordinateId>,
    /// Where it was declared.
    pub span: Option<Span>,
    /// The joint of the text that it is; none where it stands with its body.
    pub declared: Option<Declared>,
}

/// A joint between two bodies as the text declares it.
#[derive(Clone, PartialEq, Debug)]
pub struct Declared {
    /// Path.
    pub name: String,
    /// Its statement.
    pub span: Span,
    /// Whether the parent is the second body of the joint.
    pub reversed: bool,
}

impl Joint {
    /// The names of its kinds, separated by spaces: `revolute`, `translate rotate`.
    pub fn kind_name(&self) -> String {
        let names: Vec<&str> = self.kinds.iter().map(|k| k.name()).collect();
        names.join(" ")
    }
    /// Whether it holds the coordinates of a place of contact.
    pub fn is_contact(&self) -> bool {
        self.kinds == [JointKind::Contact]
    }
}

/// An inertia that a single natural rate moves and that feels nothing else: a geared motor's rotor, whose own
/// inertia is multiplied by the square of the ratio and whose gyroscopic effect is neglected.
///
/// ```text
/// [rotor]   T = J η² / 2
/// ```
#[derive(Clone, PartialEq, Debug)]
pub struct Rotor {
    /// Path.
    pub name: String,
    /// η.
    pub rate: RateId,
    /// J: a mass for a translation.
    pub inertia: Expr,
}

/// How far, how fast and how hard a coordinate's joint may go; nothing where it is free. The equations of motion do
/// not enforce it unless there is a stop, whose loads are loads of the model.
#[derive(Clone, PartialEq, Debug)]
pub struct Limit {
    /// Which coordinate.
    pub coordinate: CoordinateId,
    /// Smallest value.
    pub lower: Option<Expr>,
    /// Largest value.
    pub upper: Option<Expr>,
    /// Largest absolute rate.
    pub speed: Option<Expr>,
    /// Largest absolute force or torque of its drive.
    pub effort: Option<Expr>,
    /// What pushes back beyond the smallest and the largest value.
    pub stop: Option<Stop>,
    /// Where it was declared.
    pub span: Option<Span>,
}

impl Limit {
    /// The element that it is: a stop where something pushes back.
    pub(crate) fn element(&self, model: &Model) -> Element {
        let quantity = &model.coordinates[self.coordinate].quantity;
        let dimension = quantity.dimension;
        let effort = (Dimension::ENERGY / dimension).without_angle();
        let stiffness = Dimension::ENERGY / dimension / dimension;
        let stop = self.stop.as_ref();
        let kind = if stop.is_some() { ElementKind::Stop } else { ElementKind::Limit };
        let name = stop.map_or_else(|| format!("{}.limit", quantity.name), |s| s.name.clone());
        let mut element = Element::new(name, kind, ElementEnds::Coordinate(self.coordinate), self.span);
        let given = [
            ("lower", dimension, self.lower),
            ("upper", dimension, self.upper),
            ("speed", dimension / Dimension::TIME, self.speed),
            ("effort", effort, self.effort),
            ("stiffness", stiffness, stop.map(|s| s.stiffness)),
            ("damping", stiffness * Dimension::TIME, stop.map(|s| s.damping)),
        ];
        for (name, dimension, value) in given {
            if let Some(value) = value {
                element = element.with_scalar(name, dimension, value);
            }
        }
        if let Some(stop) = stop {
            element.description.clone_from(&stop.description);
            element.loads =
                [ElementPart::Spring, ElementPart::Damper].into_iter().zip(stop.loads.clone()).collect();
        }
        element
    }
}

/// A spring and a damper that push, and never pull, beyond the ends of a range.
#[derive(Clone, PartialEq, Debug)]
pub struct Stop {
    /// Path.
    pub name: String,
    /// For people; may be empty.
    pub description: String,
    /// Of the spring.
    pub stiffness: Expr,
    /// Of the damper.
    pub damping: Expr,
    /// What they exert.
    pub loads: Vec<LoadId>,
}
