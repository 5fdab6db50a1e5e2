//! Sines and cosines whose arguments are known before a stage begins.
//!
//! Most angles of a mechanism are coordinates. Their sines and cosines are computed before everything else, several by the price of
//! one, and wait in memory: what follows waits for them, and a call in its midst would empty registers. Each lane does what the scalar
//! routine does, so the results are the same bit for bit. Arguments that the stage itself computes go the scalar way.

use cardan_base::Set;
use cardan_program::{Op, Program, Unary, ValueId};

use crate::allocation::value_locations::{Homes, Memory};
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
    /// How many arguments the sines and cosines of a program have.
    pub(crate) fn count(program: &Program) -> usize {
        let argument = |(_, op): (ValueId, &Op)| match op {
            Op::Unary(Unary::Sin | Unary::Cos, x) => Some(*x),
            _ => None,
        };
        program.values().iter().filter_map(argument).collect::<Set<ValueId>>().len()
    }

    /// Those whose arguments are in memory when the stage begins.
    pub(crate) fn new(program: &Program, homes: &Homes, steps: &Steps) -> Turns {
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
        // Neighbours in memory are loaded together.
        turns.sort_by_key(|turn| homes.memory(turn.argument));
        let results = turns.iter().flat_map(|t| [t.sine, t.cosine]).flatten().collect();
        Turns { turns, results }
    }

    /// Whether a step is among them.
    pub(crate) fn contains(&self, step: &Step) -> bool {
        self.results.contains(&step.value)
    }

    /// The places of the arguments of some of them, as many as a routine has lanes. A lane without argument of its own repeats the last.
    pub(crate) fn arguments<const LANES: usize>(homes: &Homes, some: &[Turn]) -> [Memory; LANES] {
        std::array::from_fn(|k| homes.memory(some[k.min(some.len() - 1)].argument))
    }

    /// All that they yield.
    pub(crate) fn results(&self) -> impl Iterator<Item = ValueId> {
        self.turns.iter().flat_map(|t| [t.sine, t.cosine]).flatten()
    }
}
