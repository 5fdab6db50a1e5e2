//! The exact Jacobian of the state's derivative and of the powers, as a program of its own.

use cardan_base::Id;
use cardan_program::derive::{self, jacobian_with};
use cardan_program::{Host, InputId, Math, OutputId, Program, passes};

use crate::plan::Plan;
use crate::{Engine, EngineKind};

/// A compiled Jacobian; inputs and stages are those of the simulation program.
#[derive(Clone, Debug)]
pub(crate) struct ExactJacobian {
    pub engine: Engine,
    /// (row, column) of each entry: rows are states then works, columns are states.
    pub pattern: Vec<(usize, usize)>,
    /// The output that is the first entry.
    pub first: usize,
}

/// Nothing where a function of the host has no derivative.
pub(crate) fn exact_jacobian(
    program: &Program,
    plan: &Plan,
    kind: EngineKind,
    host: &Host,
) -> Option<ExactJacobian> {
    let rates = plan.states.iter().map(|s| s.derivative).chain(plan.powers.iter().map(|(_, p)| *p));
    let rates: Vec<OutputId> = rates.map(OutputId::from_index).collect();
    let states: Vec<InputId> = plan.states.iter().map(|s| InputId::from_index(s.input)).collect();
    let options = derive::Options { math: Math::Finite, ..derive::Options::default() };
    let jacobian = jacobian_with(program, &rates, &states, options).ok()?;
    let options = passes::Options { math: Math::Finite, fuse: false };
    let engine = Engine::with_host(&passes::optimize(&jacobian.program, options), kind, host).ok()?;
    Some(ExactJacobian { engine, pattern: jacobian.pattern, first: jacobian.first.index() })
}
