//! Named scalars: parameters, coordinates, speeds, auxiliary states, variables, outputs.

use cardan_base::{Span, define_id};
use cardan_expr::Expr;
use cardan_units::Dimension;

define_id!(ParameterId, "param", "A parameter.");
define_id!(CoordinateId, "q", "A generalised coordinate.");
define_id!(SpeedId, "u", "A generalised speed.");
define_id!(StateId, "s", "An auxiliary state.");

/// What every named scalar carries to results, plots, documents and generated files.
#[derive(Clone, PartialEq, Debug)]
pub struct Quantity {
    /// Path.
    pub name: String,
    /// For people; may be empty.
    pub description: String,
    /// Physical dimension.
    pub dimension: Dimension,
    /// The unit in which people want to see it; the SI unit of the dimension if nothing.
    pub display_unit: Option<String>,
    /// Where it was declared.
    pub span: Option<Span>,
}

impl Quantity {
    /// A quantity with a name and a dimension.
    pub fn new(name: impl Into<String>, dimension: Dimension) -> Self {
        Quantity { name: name.into(), description: String::new(), dimension, display_unit: None, span: None }
    }
    /// The unit in which values are shown.
    pub fn unit(&self) -> String {
        self.display_unit.clone().unwrap_or_else(|| self.dimension.to_string())
    }
}

/// Who gives a quantity its value, and when.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Causality {
    /// Given before a motion, and fixed during it.
    #[default]
    Parameter,
    /// Given from outside at every evaluation: a control force, a steering angle.
    Input,
}

/// A quantity that is given from outside: a parameter or an input.
#[derive(Clone, PartialEq, Debug)]
pub struct Parameter {
    /// Name, meaning, dimension.
    pub quantity: Quantity,
    /// The scalar in expressions.
    pub symbol: Expr,
    /// Its value unless set otherwise: a number, or an expression of other parameters. Nothing if it must be given.
    /// The value of an input is a number or a function of time.
    pub default: Option<Expr>,
    /// The least and the greatest value that its author meant it to have.
    pub range: Option<[Expr; 2]>,
    /// Whether it is fixed during a motion.
    pub causality: Causality,
}

impl Parameter {
    /// Whether its value may change at every evaluation.
    pub fn is_input(&self) -> bool {
        self.causality == Causality::Input
    }
}

/// How sure the value of a coordinate or speed at the start is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub enum Given {
    /// Nothing was said: assembly finds it.
    #[default]
    Nothing,
    /// A guess, `q ~ 80 [deg]`: kept if the others can close the loops, else moved as little as possible.
    Approximately,
    /// `q = 80 [deg]`: never moved.
    Exactly,
}

/// A generalised coordinate.
#[derive(Clone, PartialEq, Debug)]
pub struct Coordinate {
    /// Name, meaning, dimension.
    pub quantity: Quantity,
    /// The scalar in expressions.
    pub symbol: Expr,
    /// dq/dt in terms of speeds, coordinates and time.
    pub rate: Expr,
    /// At the start, in terms of parameters.
    pub start: Expr,
    /// How sure the start is.
    pub given: Given,
}

/// A generalised speed.
#[derive(Clone, PartialEq, Debug)]
pub struct Speed {
    /// Name, meaning, dimension.
    pub quantity: Quantity,
    /// The scalar in expressions.
    pub symbol: Expr,
    /// du/dt: an unknown of the equations of motion.
    pub rate: Expr,
    /// At the start, in terms of parameters.
    pub start: Expr,
    /// How sure the start is.
    pub given: Given,
}

/// An auxiliary state: a controller's, an actuator's, a tyre's.
#[derive(Clone, PartialEq, Debug)]
pub struct State {
    /// Name, meaning, dimension.
    pub quantity: Quantity,
    /// The scalar in expressions.
    pub symbol: Expr,
    /// Its time derivative.
    pub rate: Expr,
    /// At the start, in terms of parameters.
    pub start: Expr,
}

/// A named intermediate quantity.
#[derive(Clone, PartialEq, Debug)]
pub struct Variable {
    /// Name, meaning, dimension.
    pub quantity: Quantity,
    /// Its value.
    pub value: Expr,
}

/// A scalar that results contain.
#[derive(Clone, PartialEq, Debug)]
pub struct Output {
    /// Name, meaning, dimension.
    pub quantity: Quantity,
    /// Its value.
    pub value: Expr,
}

impl crate::Model {
    /// Makes guesses of all values given for coordinates and speeds at the start.
    pub fn guess_starts(&mut self) {
        let coordinates = self.coordinates.iter_mut().map(|(_, q)| &mut q.given);
        let all = coordinates.chain(self.speeds.iter_mut().map(|(_, u)| &mut u.given));
        all.for_each(|given| *given = (*given).min(Given::Approximately));
    }
}
