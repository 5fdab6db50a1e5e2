//! What a program is asked to compute: inputs, outputs, and what other symbols stand for.

use cardan_base::{Arena, Map};
use cardan_expr::{Expr, Pool, TableId};
use cardan_model::Table;
use cardan_program::Label;

/// When a value becomes known: the stages of every program that this crate makes, in order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Phase {
    /// Once per set of parameters.
    Setup,
    /// With the time.
    Time,
    /// With the coordinates.
    Position,
    /// With the speeds and auxiliary states.
    Motion,
    /// Only when results are wanted.
    Report,
}

impl Phase {
    /// All of them, in order.
    pub const ALL: [Phase; 5] = [Phase::Setup, Phase::Time, Phase::Position, Phase::Motion, Phase::Report];

    /// The name of the stage.
    pub fn name(self) -> &'static str {
        match self {
            Phase::Setup => "setup",
            Phase::Time => "time",
            Phase::Position => "position",
            Phase::Motion => "motion",
            Phase::Report => "report",
        }
    }
}

/// How hard to look for a cheap program.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Effort {
    /// Expressions are computed as they are written: for what runs a few times only.
    Plain,
    /// Common parts are shared in one order: for what is computed now and then.
    Little,
    /// All that is worth trying: for what is computed at every step.
    Full,
}

/// What is to be computed from what. Expressions belong to `pool`.
#[derive(Clone, Debug)]
pub struct Request<'p> {
    /// For people and files.
    pub name: String,
    /// Where the expressions live.
    pub pool: &'p Pool,
    /// The tables that expressions look values up in.
    pub tables: &'p Arena<TableId, Table>,
    /// The functions that are written elsewhere: name and number of arguments.
    pub externals: Vec<(String, usize)>,
    /// Symbols whose values the caller provides, in the order of the input vector.
    pub inputs: Vec<(Expr, Label, Phase)>,
    /// Symbols that stand for expressions: dependent parameters, solved unknowns.
    pub given: Map<Expr, Expr>,
    /// What is wanted, in the order of the output vector, and the phase that delivers it.
    pub outputs: Vec<(Label, Expr, Phase)>,
    /// How hard to look for a cheap program.
    pub effort: Effort,
}

impl<'p> Request<'p> {
    /// Nothing asked for yet.
    pub fn new(name: impl Into<String>, pool: &'p Pool, tables: &'p Arena<TableId, Table>) -> Self {
        Request {
            name: name.into(),
            pool,
            tables,
            externals: vec![],
            inputs: vec![],
            given: Map::default(),
            outputs: vec![],
            effort: Effort::Full,
        }
    }
    /// Adds an input and returns its position.
    pub fn input(&mut self, symbol: Expr, label: Label, phase: Phase) -> usize {
        self.inputs.push((symbol, label, phase));
        self.inputs.len() - 1
    }
    /// Adds an output and returns its position.
    pub fn output(&mut self, label: Label, value: Expr, phase: Phase) -> usize {
        self.outputs.push((label, value, phase));
        self.outputs.len() - 1
    }
}
