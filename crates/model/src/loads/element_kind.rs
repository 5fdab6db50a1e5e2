//! Kinds of library elements.

use std::fmt::{self, Display, Formatter};

/// The kind of a library element.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ElementKind {
    /// A linear spring between two points.
    Spring,
    /// A linear damper between two points.
    Damper,
    /// Both in parallel.
    SpringDamper,
    /// A linear torsion spring between two bodies.
    TorsionSpring,
    /// A linear torsion damper between two bodies.
    TorsionDamper,
    /// Both in parallel.
    TorsionSpringDamper,
    /// Springs and dampers along and about the axes of a frame.
    Bushing,
    /// The range, largest speed and largest effort of a coordinate, which exert nothing.
    Limit,
    /// Springs and dampers beyond the ends of a range.
    Stop,
    /// A prescribed motion.
    Motion,
    /// A ball on a plane or on another ball.
    Contact,
}

impl ElementKind {
    /// Every kind.
    pub const ALL: [ElementKind; 11] = [
        ElementKind::Spring,
        ElementKind::Damper,
        ElementKind::SpringDamper,
        ElementKind::TorsionSpring,
        ElementKind::TorsionDamper,
        ElementKind::TorsionSpringDamper,
        ElementKind::Bushing,
        ElementKind::Limit,
        ElementKind::Stop,
        ElementKind::Motion,
        ElementKind::Contact,
    ];
    /// The word for it.
    pub const fn name(self) -> &'static str {
        match self {
            ElementKind::Spring => "spring",
            ElementKind::Damper => "damper",
            ElementKind::SpringDamper => "spring_damper",
            ElementKind::TorsionSpring => "torsion_spring",
            ElementKind::TorsionDamper => "torsion_damper",
            ElementKind::TorsionSpringDamper => "torsion_spring_damper",
            ElementKind::Bushing => "bushing",
            ElementKind::Limit => "limit",
            ElementKind::Stop => "stop",
            ElementKind::Motion => "motion",
            ElementKind::Contact => "contact",
        }
    }
    /// The kind with this name.
    pub fn named(name: &str) -> Option<ElementKind> {
        Self::ALL.into_iter().find(|k| k.name() == name)
    }
    /// Whether it has a spring that stretches or twists.
    pub fn has_spring(self) -> bool {
        !matches!(
            self,
            ElementKind::Damper
                | ElementKind::TorsionDamper
                | ElementKind::Limit
                | ElementKind::Motion
                | ElementKind::Contact
        )
    }
    /// Whether it has a damper.
    pub fn has_damper(self) -> bool {
        matches!(
            self,
            ElementKind::Damper
                | ElementKind::SpringDamper
                | ElementKind::TorsionDamper
                | ElementKind::TorsionSpringDamper
                | ElementKind::Bushing
                | ElementKind::Stop
        )
    }
}

impl Display for ElementKind {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
