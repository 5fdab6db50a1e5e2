//! Kinds of constraints: joints that close loops, higher pairs, couplings, drives and equations.

use std::fmt::{self, Display, Formatter};

use crate::closing::Closing;

/// The kind of a constraint.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ConstraintKind {
    /// A joint between two markers that closes a loop.
    Closing(Closing),
    /// Two points at a given distance: a massless rod.
    Distance,
    /// Two axes at a given angle.
    Angle,
    /// A thread that closes a loop.
    Screw,
    /// A point, roller or face on a curve.
    OnCurve,
    /// A wheel or ball that rolls on a plane, road or surface.
    Rolling,
    /// Two coordinates in a fixed ratio, or one that is a polynomial of the other.
    Gear,
    /// Two pulleys.
    Belt,
    /// A rack and its pinion.
    Rack,
    /// A linear combination of coordinates.
    Coupler,
    /// An equation between positions or velocities.
    Equation,
    /// A prescribed motion.
    Drive(Drive),
}

/// The origin of a prescribed motion.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Drive {
    /// A motion of the model. Its work is part of the energy balance.
    Motion,
    /// A motion that an analysis adds.
    Analysis,
    /// A coordinate that an analysis holds.
    Hold,
    /// A place or attitude that an analysis asks of a body.
    Target,
}

impl Drive {
    /// The word for it.
    pub const fn name(self) -> &'static str {
        match self {
            Drive::Motion => "motion",
            Drive::Analysis => "drive",
            Drive::Hold => "hold",
            Drive::Target => "target",
        }
    }
}

impl ConstraintKind {
    /// Kinds that are not joints between markers.
    const OTHERS: [ConstraintKind; 14] = [
        ConstraintKind::Distance,
        ConstraintKind::Angle,
        ConstraintKind::Screw,
        ConstraintKind::OnCurve,
        ConstraintKind::Rolling,
        ConstraintKind::Gear,
        ConstraintKind::Belt,
        ConstraintKind::Rack,
        ConstraintKind::Coupler,
        ConstraintKind::Equation,
        ConstraintKind::Drive(Drive::Motion),
        ConstraintKind::Drive(Drive::Analysis),
        ConstraintKind::Drive(Drive::Hold),
        ConstraintKind::Drive(Drive::Target),
    ];
    /// Every kind.
    pub fn all() -> impl Iterator<Item = ConstraintKind> {
        Closing::ALL.into_iter().map(ConstraintKind::Closing).chain(Self::OTHERS)
    }
    /// The word for it.
    pub const fn name(self) -> &'static str {
        match self {
            ConstraintKind::Closing(closing) => closing.name(),
            ConstraintKind::Distance => "distance",
            ConstraintKind::Angle => "angle",
            ConstraintKind::Screw => "screw",
            ConstraintKind::OnCurve => "on_curve",
            ConstraintKind::Rolling => "rolling",
            ConstraintKind::Gear => "gear",
            ConstraintKind::Belt => "belt",
            ConstraintKind::Rack => "rack",
            ConstraintKind::Coupler => "coupler",
            ConstraintKind::Equation => "equation",
            ConstraintKind::Drive(drive) => drive.name(),
        }
    }
    /// The kind with this name.
    pub fn named(name: &str) -> Option<ConstraintKind> {
        Self::all().find(|k| k.name() == name)
    }
    /// Whether it couples coordinates by a linear combination.
    pub fn is_coupling(self) -> bool {
        matches!(
            self,
            ConstraintKind::Gear | ConstraintKind::Belt | ConstraintKind::Rack | ConstraintKind::Coupler
        )
    }
    /// Whether it prescribes a motion.
    pub fn is_drive(self) -> bool {
        matches!(self, ConstraintKind::Drive(_))
    }
    /// Whether it is a motion of the model.
    pub fn is_motion(self) -> bool {
        self == ConstraintKind::Drive(Drive::Motion)
    }
}

impl Display for ConstraintKind {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
