//! Joints of a model that is built in a program.

use super::expression::{ScalarExpr, VectorExpr};

/// An axis of a joint: one of the frame's axes, or components in it.
#[derive(Clone, PartialEq, Debug)]
pub enum Direction {
    /// The first axis.
    X,
    /// The second axis.
    Y,
    /// The third axis.
    Z,
    /// Any direction.
    Along(VectorExpr),
}

impl Direction {
    fn text(&self) -> String {
        match self {
            Direction::X => "x".into(),
            Direction::Y => "y".into(),
            Direction::Z => "z".into(),
            Direction::Along(v) => v.to_string(),
        }
    }
}

/// Kind of a joint with its axis.
#[derive(Clone, PartialEq, Debug)]
enum Kind {
    Fixed,
    Revolute(Direction),
    Prismatic(Direction),
    Cylindrical(Direction),
    Screw(Direction, ScalarExpr),
    Planar(Direction),
    Universal(Direction, Direction),
    Spherical,
    Free,
}

/// A joint: its kind, axes, names of coordinates, options.
///
/// ```
/// use cardan::builder::{JointType, Y};
/// let pin = JointType::revolute(Y).coordinate("phi");
/// ```
#[derive(Clone, PartialEq, Debug)]
pub struct JointType {
    kind: Kind,
    coordinates: Vec<String>,
    sequence: Option<String>,
    is_small: bool,
}

impl JointType {
    fn of(kind: Kind) -> JointType {
        JointType { kind, coordinates: vec![], sequence: None, is_small: false }
    }
    /// No relative motion.
    pub fn fixed() -> JointType {
        JointType::of(Kind::Fixed)
    }
    /// One rotation.
    pub fn revolute(axis: Direction) -> JointType {
        JointType::of(Kind::Revolute(axis))
    }
    /// One translation.
    pub fn prismatic(axis: Direction) -> JointType {
        JointType::of(Kind::Prismatic(axis))
    }
    /// A rotation and a translation along one axis.
    pub fn cylindrical(axis: Direction) -> JointType {
        JointType::of(Kind::Cylindrical(axis))
    }
    /// A rotation and a translation that are coupled by a lead per turn.
    pub fn screw(axis: Direction, lead: impl Into<ScalarExpr>) -> JointType {
        JointType::of(Kind::Screw(axis, lead.into()))
    }
    /// Two translations in a plane and a rotation about its normal.
    pub fn planar(normal: Direction) -> JointType {
        JointType::of(Kind::Planar(normal))
    }
    /// Two rotations about perpendicular axes.
    pub fn universal(first: Direction, second: Direction) -> JointType {
        JointType::of(Kind::Universal(first, second))
    }
    /// Three rotations, by Euler parameters unless a [`sequence`](JointType::sequence) is given.
    pub fn spherical() -> JointType {
        JointType::of(Kind::Spherical)
    }
    /// Three translations and three rotations.
    pub fn free() -> JointType {
        JointType::of(Kind::Free)
    }
    /// The name of its coordinate.
    pub fn coordinate(self, name: &str) -> JointType {
        self.coordinates([name])
    }
    /// The names of its coordinates.
    pub fn coordinates<'a>(mut self, names: impl IntoIterator<Item = &'a str>) -> JointType {
        self.coordinates = names.into_iter().map(str::to_string).collect();
        self
    }
    /// The sequence of rotation axes, such as `"zxz"`.
    pub fn sequence(mut self, axes: &str) -> JointType {
        self.sequence = Some(axes.to_string());
        self
    }
    /// Declares its coordinates small: products of them are dropped.
    pub fn small(mut self) -> JointType {
        self.is_small = true;
        self
    }

    /// Names that the joint gives.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.coordinates.iter().map(String::as_str).chain(self.sequence.as_deref())
    }

    /// The call in the notation of the language.
    pub(super) fn text(&self) -> String {
        let (word, mut arguments) = match &self.kind {
            Kind::Fixed => ("fixed", vec![]),
            Kind::Revolute(axis) => ("revolute", vec![axis.text()]),
            Kind::Prismatic(axis) => ("prismatic", vec![axis.text()]),
            Kind::Cylindrical(axis) => ("cylindrical", vec![axis.text()]),
            Kind::Screw(axis, lead) => ("screw", vec![axis.text(), format!("lead = {lead}")]),
            Kind::Planar(axis) => ("planar", vec![axis.text()]),
            Kind::Universal(a, b) => ("universal", vec![a.text(), b.text()]),
            Kind::Spherical => ("spherical", vec![]),
            Kind::Free => ("free", vec![]),
        };
        if let Some(sequence) = &self.sequence {
            arguments.push(format!("rotate = {sequence}"));
        }
        match self.coordinates.as_slice() {
            [] => {}
            [one] => arguments.push(format!("q = {one}")),
            several => arguments.push(format!("q = ({})", several.join(", "))),
        }
        if self.is_small {
            arguments.push("small".into());
        }
        if arguments.is_empty() { word.into() } else { format!("{word}({})", arguments.join(", ")) }
    }
}
