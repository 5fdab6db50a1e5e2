//! Statements that happen in order: procedures, and what stands in the braces of `when` and `every`.
//!
//! ```text
//! [in-order]   local y = x^2;  y := y + 1;  if y > 2 { … } else { … };  for k in 1 .. 5 { … };  return y;  stop "…"
//! ```

use cardan_base::Span;

use crate::expression::{Expr, Name, Path, Text, UnitText};
use crate::tree::{Input, Statement};

/// `when CONDITION "…" { … }`, done at the instant at which the condition becomes true.
#[derive(Clone, PartialEq, Debug)]
pub struct When {
    /// What starts the block.
    pub condition: Expr,
    /// What it is, in words.
    pub description: Option<Text>,
    /// What happens then.
    pub content: Vec<Statement>,
}

/// `every PERIOD from OFFSET "…" { … }`, done again and again.
#[derive(Clone, PartialEq, Debug)]
pub struct Every {
    /// The time between two runs of the block.
    pub period: Expr,
    /// The time of the first run.
    pub offset: Option<Expr>,
    /// What it is, in words.
    pub description: Option<Text>,
    /// What happens then.
    pub content: Vec<Statement>,
}

/// `attach BODY to BODY at POINT`: from now on both move as one.
#[derive(Clone, PartialEq, Debug)]
pub struct Attach {
    /// The body that is attached.
    pub body: Path,
    /// What it is attached to.
    pub to: Path,
    /// Where it is held, if the text says so.
    pub at: Option<Expr>,
}

/// `detach BODY from BODY`: both move apart again.
#[derive(Clone, PartialEq, Debug)]
pub struct Detach {
    /// The body that is detached.
    pub body: Path,
    /// What it is detached from; whatever it is attached to if the text does not say.
    pub from: Option<Path>,
}

/// `if CONDITION { … } else if CONDITION { … } else { … }` among statements.
#[derive(Clone, PartialEq, Debug)]
pub struct Branches {
    /// Conditions with what happens, at least one.
    pub arms: Vec<(Expr, Vec<Statement>)>,
    /// What happens if no condition holds.
    pub otherwise: Vec<Statement>,
}

/// `for k in 1 .. 5 { … }`.
#[derive(Clone, PartialEq, Debug)]
pub struct For {
    /// The name of the number that counts.
    pub name: Name,
    /// Its first and last value, always an [`ExprKind::Range`](crate::ExprKind::Range) or missing.
    pub range: Expr,
    /// What is repeated.
    pub content: Vec<Statement>,
}

/// `procedure f(x [m]) -> (a [N], b) "…" { … }`.
#[derive(Clone, PartialEq, Debug)]
pub struct Procedure {
    /// Its name.
    pub name: Name,
    /// Its arguments.
    pub inputs: Vec<Input>,
    /// What it gives, at least one.
    pub results: Vec<Input>,
    /// What it is, in words.
    pub description: Option<Text>,
    /// What it does.
    pub content: Vec<Statement>,
}

/// `external function f(x [m]) [N] "…"`, a function that is written elsewhere.
#[derive(Clone, PartialEq, Debug)]
pub struct External {
    /// Its name.
    pub name: Name,
    /// Its arguments.
    pub inputs: Vec<Input>,
    /// The unit of its value.
    pub unit: Option<UnitText>,
    /// What it is, in words.
    pub description: Option<Text>,
}

/// `(a, b) := EXPR`, several new values at once.
#[derive(Clone, PartialEq, Debug)]
pub struct Several {
    /// What is set, at least two.
    pub targets: Vec<Path>,
    /// From the opening to the closing bracket.
    pub span: Span,
    /// To what.
    pub value: Expr,
}

/// `x := EXPR`, `der(q) := EXPR`, `overwrite u := EXPR`, a new value of a discrete state, a state, a
/// coordinate, a speed or a local variable.
#[derive(Clone, PartialEq, Debug)]
pub struct Update {
    /// What is set.
    pub target: Path,
    /// Whether the time derivative of the target is set.
    pub is_rate: bool,
    /// Whether the value is replaced without an impulse.
    pub overwrites: bool,
    /// To what.
    pub value: Expr,
}

/// `stop "…"`, the end of a run.
#[derive(Clone, PartialEq, Debug)]
pub struct Stop {
    /// Why, in words.
    pub reason: Option<Text>,
}
