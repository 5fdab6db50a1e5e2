//! Kinds of joints of the tree.

use std::fmt::{self, Display, Formatter};

/// The kind of one joint: the relative motion that it allows.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum JointKind {
    /// No motion.
    Fixed,
    /// A rotation about an axis.
    Revolute,
    /// A translation along an axis.
    Prismatic,
    /// A translation along and a rotation about one axis.
    Cylindrical,
    /// A rotation about an axis, coupled to the translation along it.
    Screw,
    /// Two translations in a plane and a rotation about its normal.
    Planar,
    /// Rotations about two axes.
    Universal,
    /// All rotations.
    Spherical,
    /// All motions.
    Free,
    /// Translations along axes of a frame, one after the other.
    Translate,
    /// Rotations about axes of a frame, one after the other.
    Rotate,
    /// The coordinates of a place of contact, held by a frame without mass that is not drawn.
    Contact,
}

impl JointKind {
    /// Every kind.
    pub const ALL: [JointKind; 12] = [
        JointKind::Fixed,
        JointKind::Revolute,
        JointKind::Prismatic,
        JointKind::Cylindrical,
        JointKind::Screw,
        JointKind::Planar,
        JointKind::Universal,
        JointKind::Spherical,
        JointKind::Free,
        JointKind::Translate,
        JointKind::Rotate,
        JointKind::Contact,
    ];
    /// The word for it.
    pub const fn name(self) -> &'static str {
        match self {
            JointKind::Fixed => "fixed",
            JointKind::Revolute => "revolute",
            JointKind::Prismatic => "prismatic",
            JointKind::Cylindrical => "cylindrical",
            JointKind::Screw => "screw",
            JointKind::Planar => "planar",
            JointKind::Universal => "universal",
            JointKind::Spherical => "spherical",
            JointKind::Free => "free",
            JointKind::Translate => "translate",
            JointKind::Rotate => "rotate",
            JointKind::Contact => "contact",
        }
    }
    /// The kind with this name.
    pub fn named(name: &str) -> Option<JointKind> {
        Self::ALL.into_iter().find(|k| k.name() == name)
    }
}

impl Display for JointKind {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl From<JointKind> for Vec<JointKind> {
    fn from(kind: JointKind) -> Self {
        vec![kind]
    }
}
