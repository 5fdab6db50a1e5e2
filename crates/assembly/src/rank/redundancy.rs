//! Which loops repeat constraints, in mechanical words.
//!
//! ```text
//! [grubler]    freedom of the tree - all equations of what closes its loops
//! [mobility]   freedom of the tree - independent equations
//! ```
//!
//! The two differ by the equations that say nothing new. They change no motion; but what the joints of such a loop bear in those
//! directions is not unique.

use std::fmt;

use cardan_base::{Id, Map};
use cardan_equations::{ConstraintRows, openness};
use cardan_expr::SymbolId;
use cardan_model::Model;

use crate::ParameterValues;
use crate::assemble::RowName;

/// What is said of an output that the motion leaves open.
pub const NOT_UNIQUE: &str = "not unique; least norm";

/// A reaction changes with a stress if it does so by more than this part of it.
const CHANGES: f64 = 1e-8;

/// What a joint that closes a loop says again.
#[derive(Clone, PartialEq, Debug)]
pub struct Repetition {
    /// The joint or constraint.
    pub constraint: String,
    /// The joints of the tree that its loop goes through; empty where it couples numbers.
    pub through: Vec<String>,
    /// What is repeated, equation by equation.
    pub what: Vec<String>,
}

impl fmt::Display for Repetition {
    /// `pin repeats 3 constraints of the loop through crank, coupler, rocker: translation along z of coupler; …`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let n = self.what.len();
        write!(f, "{} repeats {n} constraint{}", self.constraint, if n == 1 { "" } else { "s" })?;
        if !self.through.is_empty() {
            write!(f, " of the loop through {}", self.through.join(", "))?;
        }
        write!(f, ": {}", self.what.join("; "))
    }
}

/// How freely a mechanism with loops moves, counted and true.
#[derive(Clone, PartialEq, Debug)]
pub struct Mobility {
    /// By counting equations. [grubler]
    pub counted: i64,
    /// By their rank. [mobility]
    pub freedom: usize,
    /// Where the two differ.
    pub repetitions: Vec<Repetition>,
}

impl Mobility {
    /// From the equations that say nothing new.
    pub fn of<'a>(model: &Model, repeated: impl Iterator<Item = &'a RowName>, freedom: usize) -> Mobility {
        let mut repetitions: Vec<Repetition> = vec![];
        for row in repeated {
            match repetitions.iter_mut().find(|r| r.constraint == row.constraint) {
                Some(known) => known.what.push(row.what.clone()),
                None => repetitions.push(Repetition {
                    constraint: row.constraint.clone(),
                    through: through(model, &row.constraint),
                    what: vec![row.what.clone()],
                }),
            }
        }
        let equations: usize = model.constraints.iter().map(|(_, c)| c.rows.len()).sum();
        Mobility { counted: model.speeds.len() as i64 - equations as i64, freedom, repetitions }
    }
}

/// The joints of the tree between the two bodies of a constraint.
pub fn through(model: &Model, constraint: &str) -> Vec<String> {
    let found = model.constraints.iter().find(|(_, c)| c.name == constraint);
    let Some(ends) = found.and_then(|(_, c)| c.ends.as_ref()) else { return vec![] };
    let joints = model.joints_between(ends.first, ends.second);
    joints.into_iter().map(|j| model.joints[j].name.clone()).collect()
}

/// The outputs of a model that depend on how joints share what they bear, by their places. Where the rank of the rows was looked at
/// in a state, so is whether an output changes.
pub fn not_unique(model: &Model, constraints: &ConstraintRows, state: &[f64]) -> Vec<usize> {
    let pool = model.space.pool();
    let parameters = ParameterValues::of(model);
    let mut known: Map<SymbolId, f64> = Map::default();
    let mut learn = |symbol, value: f64| {
        known.extend(pool.as_symbol(symbol).map(|s| (s, value)));
    };
    // As where the rank was found: a parameter without a value is taken as one.
    for (_, p) in model.parameters.iter() {
        let value = parameters.evaluate(model, p.symbol);
        learn(p.symbol, if value.is_finite() { value } else { 1.0 });
    }
    model.coordinates.iter().for_each(|(id, q)| learn(q.symbol, state[id.index()]));
    let n = model.coordinates.len();
    model.speeds.iter().for_each(|(id, u)| learn(u.symbol, state[n + id.index()]));
    let value = |s: SymbolId| known.get(&s).copied().unwrap_or(0.0);
    let found = openness(model, constraints).into_iter().enumerate();
    let is_open = |doubts: &[cardan_expr::Expr]| {
        // What cannot be evaluated is doubtful.
        pool.evaluate_all(doubts, &value).iter().any(|change| change.is_nan() || change.abs() > CHANGES)
    };
    found.filter(|(_, o)| o.is_open || is_open(&o.doubts)).map(|(k, _)| k).collect()
}
