//! What absolute coordinates do not do, and why a motion does not begin.

use std::fmt;

/// A part of a model that this formalism has no equations for.
#[derive(Clone, PartialEq, Debug)]
pub enum Unsupported {
    /// The coordinates of a place of contact.
    Contact(String),
    /// Something that hangs on a frame inside a joint.
    Inside(String),
    /// A part without mass that moves.
    Massless(String),
    /// A joint whose rotations and translations alternate, or whose axes do not meet.
    Chain(String),
    /// A speed that is not a rate of a joint.
    Speed(String),
    /// A load on a frame inside a joint.
    Load(String),
    /// A function written elsewhere.
    External(String),
    /// An event whose impulse is written in the coordinates of the tree: of a lock, of a contact.
    Struck(String),
    /// Gravity that changes.
    Gravity,
    /// Quantities that are declared small.
    Small,
    /// An input that follows a table.
    Input(String),
    /// Rotors of geared motors.
    Rotor(String),
    /// A constraint of a kind without rows between bodies or coordinates.
    Constraint(String),
    /// A body of a contact without shapes.
    Shapeless(String),
    /// A body whose shape cannot touch, and why.
    Shape(String, String),
    /// An expression that could not be made into a program.
    Program(String),
    /// Something for which natural coordinates have no equation.
    Coordinates(String),
    /// An angle or displacement that is no natural coordinate, by its joint.
    Angle(String),
}

impl Unsupported {
    /// The same of the coordinates that were asked for.
    pub fn told_of(&self, coordinates: &str) -> String {
        format!("{coordinates} coordinates do not apply: {}", Reason(self))
    }
}

impl fmt::Display for Unsupported {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let own = matches!(self, Unsupported::Coordinates(_) | Unsupported::Angle(_));
        f.write_str(&self.told_of(if own { "natural" } else { "absolute" }))
    }
}

/// Why coordinates do not apply, without which.
struct Reason<'u>(&'u Unsupported);

impl fmt::Display for Reason<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Unsupported::Contact(n) => write!(f, "`{n}` holds the coordinates of a contact"),
            Unsupported::Inside(n) => write!(f, "`{n}` hangs on a frame inside a joint"),
            Unsupported::Massless(n) => write!(f, "`{n}` moves and has no mass"),
            Unsupported::Chain(n) => {
                write!(
                    f,
                    "the rotations and translations of the joint `{n}` alternate, or its axes do not meet"
                )
            }
            Unsupported::Speed(n) => write!(f, "the speed `{n}` is not the rate of one freedom of a joint"),
            Unsupported::Load(n) => write!(f, "the load `{n}` acts on a frame inside a joint"),
            Unsupported::External(n) => write!(f, "`{n}` is a function that is written elsewhere"),
            Unsupported::Struck(n) => {
                write!(
                    f,
                    "`{n}` gives an impulse of a lock or contact, which needs the coordinates of the tree"
                )
            }
            Unsupported::Gravity => write!(f, "gravity changes during the motion"),
            Unsupported::Small => write!(f, "quantities are declared small"),
            Unsupported::Input(n) => write!(f, "the input `{n}` follows a table"),
            Unsupported::Rotor(n) => write!(f, "`{n}` is an inertia of a single rate"),
            Unsupported::Constraint(n) => {
                write!(f, "the constraint `{n}` is of a kind without absolute form")
            }
            Unsupported::Shapeless(n) => {
                write!(f, "`{n}` is in a contact between shapes and has no `shape`")
            }
            Unsupported::Shape(n, why) => write!(f, "a shape of `{n}` cannot touch: {why}"),
            Unsupported::Program(m) => f.write_str(m),
            Unsupported::Coordinates(what) => write!(f, "they have no equation for {what}"),
            Unsupported::Angle(n) => write!(
                f,
                "an equation names an angle or displacement of the joint `{n}`, which is none about or along one axis"
            ),
        }
    }
}

impl std::error::Error for Unsupported {}

/// Why there is no motion.
#[derive(Clone, PartialEq, Debug)]
pub enum AbsoluteError {
    /// The model.
    Unsupported(Unsupported),
    /// The start: which constraint stays open, and by how much.
    Open(String, f64),
    /// Two constraints demand different things of one motion.
    Contradiction(String),
    /// Something that is not a number.
    NotFinite(String),
    /// Two rigid bodies overlap at the start, by a depth in metres.
    Overlap([String; 2], f64),
    /// The settings.
    Settings(String),
}

impl fmt::Display for AbsoluteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AbsoluteError::Unsupported(e) => e.fmt(f),
            AbsoluteError::Open(name, gap) => {
                write!(f, "the start cannot be assembled: `{name}` stays open by {gap:.3e}")
            }
            AbsoluteError::Contradiction(name) => {
                write!(f, "nothing can satisfy `{name}`: no motion changes it, and it is not zero")
            }
            AbsoluteError::NotFinite(what) => write!(f, "{what} is not a finite number"),
            AbsoluteError::Overlap([a, b], depth) => write!(
                f,
                "`{a}` and `{b}` overlap by {depth} m at the start; what is rigid cannot: move one of them, or give the contact a `stiffness`"
            ),
            AbsoluteError::Settings(m) => f.write_str(m),
        }
    }
}

impl std::error::Error for AbsoluteError {}

impl From<Unsupported> for AbsoluteError {
    fn from(e: Unsupported) -> Self {
        AbsoluteError::Unsupported(e)
    }
}
