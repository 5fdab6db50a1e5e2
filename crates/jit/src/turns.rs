//! Sines and cosines whose arguments are known before a stage begins.
//!
//! Most angles of a mechanism are coordinates. Their sines and cosines are computed before everything else, several by the price of
//! one, and wait in memory. Each lane does what the scalar routine does, so the results are the same bit for bit. Arguments that the
//! stage itself computes, and one that is left over, go the scalar way.

use cardan_base::Set;
use cardan_program::{Op, Program, Unary, ValueId};

use crate::homes::Homes;
use crate::instructions::{Step, Steps};

/// One argument and what is wanted of it.
pub(crate) struct Turn {
    pub(crate) argument: ValueId,
    pub(crate) sine: Option<ValueId>,
    pub(crate) cosine: Option<ValueId>,
}

/// The sines and cosines of one stage that are computed before everything else.
#[derive(Default)]
pub(crate) struct Turns {
    pub(crate) turns: Vec<Turn>,
    results: Set<ValueId>,
}

impl Turns {
    /// Whether a program has several sines and cosines.
    pub(crate) fn are_worth_it(program: &Program) -> bool {
        let is_wanted = |op: &Op| matches!(op, Op::Unary(Unary::Sin | Unary::Cos, _));
        program.values().iter().filter(|(_, op)| is_wanted(op)).nth(1).is_some()
    }

    /// Those whose arguments are in memory when the stage begins, for a routine of so many lanes.
    pub(crate) fn new(program: &Program, homes: &Homes, steps: &Steps, lanes: usize) -> Turns {
        let mut turns = vec![];
        for step in &steps.steps {
            let Op::Unary(op @ (Unary::Sin | Unary::Cos), argument) = program.values()[step.value] else {
                continue;
            };
            if !homes.is_placed(argument) {
                continue;
            }
            let (own, other) = (Some(step.value), step.partner.map(|(value, _)| value));
            let (sine, cosine) = if op == Unary::Sin { (own, other) } else { (other, own) };
            turns.push(Turn { argument, sine, cosine });
        }
        if turns.len() % lanes == 1 {
            turns.pop();
        }
        let results = turns.iter().flat_map(|t| [t.sine, t.cosine]).flatten().collect();
        Turns { turns, results }
    }

    /// Whether a step is among them.
    pub(crate) fn contains(&self, step: &Step) -> bool {
        self.results.contains(&step.value)
    }

    /// All that they yield.
    pub(crate) fn results(&self) -> impl Iterator<Item = ValueId> {
        self.turns.iter().flat_map(|t| [t.sine, t.cosine]).flatten()
    }
}
