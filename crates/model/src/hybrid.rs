//! What changes in jumps: discrete states, events, sampled blocks; and functions that are written elsewhere.
//!
//! ```text
//! [edge]      a `when` happens at the instant at which its condition becomes true
//! [sample]    an `every` happens at offset + k period, k = 0, 1, 2, …
//! [jump]      x⁺ = value(x⁻), for each assignment of the block at once
//! [impulse]   a speed is set by an impulse along it, which changes other speeds as the masses say
//! [overwrite] a speed is replaced, and no other changes unless constraints tie it
//! ```
//!
//! The values of a block's assignments are written in terms of what holds before the block: what an earlier line of the same
//! block has changed is already inserted.

use cardan_base::{Arena, Span, define_id};
use cardan_expr::{Expr, ExternalId, Function, Kind};

use crate::builder::Builder;
use crate::quantity::{CoordinateId, Quantity, SpeedId, StateId};

define_id!(DiscreteId, "d", "A discrete state.");
define_id!(EventId, "event", "A block that happens at an instant.");

/// A state that changes only in events.
#[derive(Clone, PartialEq, Debug)]
pub struct Discrete {
    /// Name, meaning, dimension.
    pub quantity: Quantity,
    /// The scalar in expressions.
    pub symbol: Expr,
    /// At the start, in terms of parameters.
    pub start: Expr,
}

/// What an event can change.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Target {
    /// A discrete state.
    Discrete(DiscreteId),
    /// A generalised coordinate.
    Coordinate(CoordinateId),
    /// A generalised speed, by an impulse along it.
    Speed(SpeedId),
    /// An auxiliary state.
    State(StateId),
    /// A generalised speed, without an impulse.
    Overwrite(SpeedId),
    /// A generalised speed after an impulse that was solved together with the constraints already: of a contact, of a lock.
    Struck(SpeedId),
}

impl Target {
    /// The same quantity, whether an impulse sets it or it is overwritten.
    pub fn quantity(self) -> Target {
        match self {
            Target::Overwrite(id) | Target::Struck(id) => Target::Speed(id),
            other => other,
        }
    }
}

/// When a block happens.
#[derive(Clone, PartialEq, Debug)]
pub enum Trigger {
    /// When this becomes true. [edge]
    When(Expr),
    /// At these times; both are fixed during a motion. [sample]
    Every {
        /// Time between two.
        period: Expr,
        /// Time of the first.
        offset: Expr,
    },
}

/// A block that happens at an instant.
#[derive(Clone, PartialEq, Debug)]
pub struct Event {
    /// For people: its description, or its head as written.
    pub name: String,
    /// When it happens.
    pub trigger: Trigger,
    /// What is new afterwards, in terms of what was before. [jump]
    pub assignments: Vec<(Target, Expr)>,
    /// Conditions under which the run ends after the block, in terms of what was before, and why.
    pub stops: Vec<(Expr, String)>,
    /// Whether it belongs to an element, and not to the text.
    pub of_element: bool,
    /// Where it was written.
    pub span: Option<Span>,
}

/// A function that is written elsewhere and bound before a run.
#[derive(Clone, PartialEq, Debug)]
pub struct External {
    /// Its name.
    pub name: String,
    /// What it is, in words; may be empty.
    pub description: String,
    /// Names of its arguments, and the units in which they are given, as written; empty for plain numbers.
    pub arguments: Vec<(String, String)>,
    /// The unit of its value, as written.
    pub unit: String,
    /// Where it was declared.
    pub span: Option<Span>,
}

impl External {
    /// Its number of arguments.
    pub fn arity(&self) -> usize {
        self.arguments.len()
    }
    /// The function as it is written, with the units of what it takes and gives: `drag(v [m/s]) [N]`.
    pub fn head(&self) -> String {
        let of = |unit: &str| if unit.is_empty() { String::new() } else { format!(" [{unit}]") };
        let arguments: Vec<String> =
            self.arguments.iter().map(|(name, unit)| format!("{name}{}", of(unit))).collect();
        format!("{}({}){}", self.name, arguments.join(", "), of(&self.unit))
    }
}

/// The part of a model that changes in jumps.
#[derive(Clone, Debug, Default)]
pub struct Hybrid {
    /// In order of declaration.
    pub discretes: Arena<DiscreteId, Discrete>,
    /// In order of the text, which is the order in which they happen at one instant.
    pub events: Arena<EventId, Event>,
    /// In order of declaration; their values may depend on anything but their own past.
    pub externals: Arena<ExternalId, External>,
}

impl Hybrid {
    /// Whether nothing jumps.
    pub fn is_empty(&self) -> bool {
        self.discretes.is_empty() && self.events.is_empty()
    }
}

impl Builder {
    /// Adds a discrete state.
    pub fn add_discrete(&mut self, quantity: Quantity, start: Expr) -> DiscreteId {
        let pool = self.space().pool();
        let (symbol, zero) = (pool.symbol(&quantity.name, Kind::State), pool.zero());
        self.space_mut().set_derivative(symbol, zero);
        self.hybrid_mut().discretes.push(Discrete { quantity, symbol, start })
    }
    /// Adds a function that is written elsewhere.
    pub fn add_external(&mut self, external: External) -> ExternalId {
        let name = external.name.clone();
        let id = self.hybrid_mut().externals.push(external);
        self.space().pool().call_function(Function::External(id), &name);
        id
    }
    /// Adds a block that happens at an instant.
    pub fn add_event(&mut self, event: Event) -> EventId {
        self.hybrid_mut().events.push(event)
    }
}
