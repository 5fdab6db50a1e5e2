//! Variables of a form and their roles.

use cardan_expr::{Expr, Pool};
use cardan_model::{ConstraintId, CoordinateId, LoadId, Model, Quantity, SpeedId, StateId};

/// The meaning of a variable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum VariableKind {
    /// A generalised coordinate.
    Coordinate(CoordinateId),
    /// A generalised speed.
    Speed(SpeedId),
    /// An auxiliary state.
    Auxiliary(StateId),
    /// The work of a load.
    LoadWork(LoadId),
    /// The work of a drive.
    DriveWork(ConstraintId),
    /// The derivative of a speed.
    Acceleration(SpeedId),
    /// The multiplier of a constraint row, by the row's number.
    Multiplier(usize),
    /// The multiplier that keeps the position of a constraint row.
    PositionMultiplier(usize),
}

/// The role of a variable in a form.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StateRole {
    /// Its derivative stands in the equations.
    Differential,
    /// It has no derivative. The index is the number of differentiations after which one would appear.
    Algebraic {
        /// From 1 to 3.
        index: u8,
    },
}

impl StateRole {
    /// The index of an algebraic variable.
    pub fn index(self) -> Option<u8> {
        match self {
            StateRole::Differential => None,
            StateRole::Algebraic { index } => Some(index),
        }
    }
}

/// A variable of a form.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct StateVariable {
    /// Its meaning.
    pub kind: VariableKind,
    /// Its role.
    pub role: StateRole,
    /// The symbol that stands for it in the equations; nothing for a work, on which nothing depends.
    pub symbol: Option<Expr>,
}

impl StateVariable {
    /// A variable with a derivative.
    pub fn differential(kind: VariableKind, symbol: Option<Expr>) -> StateVariable {
        StateVariable { kind, role: StateRole::Differential, symbol }
    }
    /// A variable without one.
    pub fn algebraic(kind: VariableKind, symbol: Expr, index: u8) -> StateVariable {
        StateVariable { kind, role: StateRole::Algebraic { index }, symbol: Some(symbol) }
    }
    /// Whether it is a coordinate.
    pub fn is_coordinate(&self) -> bool {
        matches!(self.kind, VariableKind::Coordinate(_))
    }
    /// Whether it is a speed.
    pub fn is_speed(&self) -> bool {
        matches!(self.kind, VariableKind::Speed(_))
    }
    /// Name, dimension and description of a state of a model; nothing for an unknown of a form.
    pub fn quantity<'m>(&self, model: &'m Model) -> Option<&'m Quantity> {
        match self.kind {
            VariableKind::Coordinate(q) => Some(&model.coordinates[q].quantity),
            VariableKind::Speed(u) => Some(&model.speeds[u].quantity),
            VariableKind::Auxiliary(s) => Some(&model.states[s].quantity),
            _ => None,
        }
    }
    /// The start value of a state of a model.
    pub fn start(&self, model: &Model) -> Option<Expr> {
        match self.kind {
            VariableKind::Coordinate(q) => Some(model.coordinates[q].start),
            VariableKind::Speed(u) => Some(model.speeds[u].start),
            VariableKind::Auxiliary(s) => Some(model.states[s].start),
            _ => None,
        }
    }
    /// A name for lists of variables.
    pub fn name(&self, model: &Model) -> String {
        match self.kind {
            VariableKind::LoadWork(load) => format!("work of {}", model.loads[load].name),
            VariableKind::DriveWork(drive) => format!("work of {}", model.constraints[drive].name),
            VariableKind::Acceleration(u) => format!("der({})", model.speeds[u].quantity.name),
            VariableKind::Multiplier(row) => format!("lambda{}", row + 1),
            VariableKind::PositionMultiplier(row) => format!("mu{}", row + 1),
            _ => self.quantity(model).map_or(String::new(), |q| q.name.clone()),
        }
    }
    /// Whether an expression depends on it.
    pub fn occurs_in(&self, pool: &Pool, e: Expr) -> bool {
        self.symbol.and_then(|s| pool.as_symbol(s)).is_some_and(|symbol| pool.contains(e, symbol))
    }
}

/// The states of a model's tree: coordinates, speeds, auxiliary states.
pub fn states(model: &Model) -> Vec<StateVariable> {
    let q = model.coordinates.iter().map(|(id, q)| (VariableKind::Coordinate(id), q.symbol));
    let u = model.speeds.iter().map(|(id, u)| (VariableKind::Speed(id), u.symbol));
    let s = model.states.iter().map(|(id, s)| (VariableKind::Auxiliary(id), s.symbol));
    q.chain(u)
        .chain(s)
        .map(|(variable, symbol)| StateVariable::differential(variable, Some(symbol)))
        .collect()
}
