//! Symbols: the letters of the algebra.

use std::fmt;
use std::ops::{BitOr, BitOrAssign};

use cardan_base::define_id;

use crate::Expr;

define_id!(SymbolId, "s", "A symbol of a pool.");

/// What a symbol stands for. The order is the order in which values become known.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Kind {
    /// A number with a name, such as pi.
    Constant,
    /// Fixed during a motion.
    Parameter,
    /// The independent variable.
    Time,
    /// A generalised coordinate.
    Coordinate,
    /// A generalised speed.
    Speed,
    /// An auxiliary state, continuous or discrete, or an input.
    State,
    /// The time derivative of a speed, or another unknown that equations are solved for.
    Unknown,
    /// A name given to an expression.
    Intermediate,
}

/// On which kinds of symbols an expression depends.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Depends(u8);

impl Depends {
    /// On nothing but numbers.
    pub const NOTHING: Depends = Depends(0);
    /// On parameters.
    pub const PARAMETERS: Depends = Depends(1);
    /// On time.
    pub const TIME: Depends = Depends(2);
    /// On coordinates.
    pub const COORDINATES: Depends = Depends(4);
    /// On auxiliary states.
    pub const STATES: Depends = Depends(8);
    /// On speeds.
    pub const SPEEDS: Depends = Depends(16);
    /// On unknowns.
    pub const UNKNOWNS: Depends = Depends(32);

    /// What a symbol of this kind brings.
    pub fn on(kind: Kind) -> Depends {
        match kind {
            Kind::Constant | Kind::Intermediate => Self::NOTHING,
            Kind::Parameter => Self::PARAMETERS,
            Kind::Time => Self::TIME,
            Kind::Coordinate => Self::COORDINATES,
            Kind::State => Self::STATES,
            Kind::Speed => Self::SPEEDS,
            Kind::Unknown => Self::UNKNOWNS,
        }
    }
    /// Whether all of `other` is included.
    pub fn contains(self, other: Depends) -> bool {
        self.0 & other.0 == other.0
    }
    /// Whether anything is shared with `other`.
    pub fn intersects(self, other: Depends) -> bool {
        self.0 & other.0 != 0
    }
    /// Fixed during a motion: depends on numbers and parameters only.
    pub fn is_constant(self) -> bool {
        self.0 & !Self::PARAMETERS.0 == 0
    }
    /// The last kind to become known; a measure for ordering.
    pub fn rank(self) -> u32 {
        8 - self.0.leading_zeros()
    }
}

impl BitOr for Depends {
    type Output = Depends;
    fn bitor(self, other: Depends) -> Depends {
        Depends(self.0 | other.0)
    }
}

impl BitOrAssign for Depends {
    fn bitor_assign(&mut self, other: Depends) {
        self.0 |= other.0;
    }
}

impl fmt::Debug for Depends {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = ["p", "t", "q", "s", "u", "x"];
        let on: Vec<_> = (0..6).filter(|i| self.0 >> i & 1 == 1).map(|i| names[i]).collect();
        write!(f, "({})", on.join(","))
    }
}

/// A letter with its meaning.
#[derive(Clone, PartialEq, Debug)]
pub struct Symbol {
    /// How it is printed; need not be unique.
    pub name: String,
    /// What it stands for.
    pub kind: Kind,
    /// Order of smallness; 0 for an ordinary quantity.
    pub small: u8,
    /// What an intermediate is a name for.
    pub definition: Option<Expr>,
}
