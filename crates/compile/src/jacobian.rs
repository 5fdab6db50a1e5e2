//! The exact Jacobian of the state's derivative and of the powers, as a program of its own.
//!
//! There are two ways to it: the derivative of the simulation's program, and for a tree the derivatives along its structure. The one with
//! fewer operations is taken. Where deriving would take longer than most motions do, there is none,
//! and the integrator takes differences: as many evaluations as there are states, beside the
//! factorisation of a matrix of that size. Its products and sums are fused: a Jacobian steers an
//! iteration, whose end does not depend on its last bits.

use cardan_base::{Id, Map};
use cardan_expr::Expr;
use cardan_lower::{columnwise_jacobian, structured_jacobian};
use cardan_model::Model;
use cardan_program::derive::{self, jacobian_with};
use cardan_program::{Host, InputId, Math, OutputId, Program, count, passes};

use crate::formalism_selection::{MAX_SPEEDS_FOR_KANE, depths};
use crate::layout::Plan;
use cardan_jit::{Engine, EngineKind};

/// A model and the powers of its loads, for derivatives along its structure.
#[derive(Debug)]
pub struct Structure {
    /// The model.
    pub model: Model,
    /// Powers of its loads.
    pub powers: Vec<Expr>,
}

impl Structure {
    /// The Jacobian along the tree; nothing where there is none, or where inputs or rows are not those of the plan.
    pub fn jacobian(&self, program: &Program, plan: &Plan) -> Option<derive::Jacobian> {
        let together =
            if self.powers.is_empty() { columnwise_jacobian(&self.model, false).ok() } else { None };
        let (found, _) = match together {
            Some(found) => found,
            None => structured_jacobian(&self.model, &self.powers, false).ok()?,
        };
        let same = found.program.inputs() == program.inputs() && self.powers.len() == plan.powers.len();
        same.then_some(found)
    }
}

/// How an exact Jacobian was found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum JacobianWay {
    /// Along the structure of the tree.
    Structure,
    /// By differentiating the program.
    Program,
    /// Not exactly: a function of the host has no derivative, or deriving takes too long; the
    /// integrator takes differences.
    Differences,
}

impl JacobianWay {
    /// In a few words.
    pub fn words(self) -> &'static str {
        match self {
            JacobianWay::Structure => "exact, by structure",
            JacobianWay::Program => "exact, by program",
            JacobianWay::Differences => "by differences",
        }
    }
}

/// A compiled Jacobian; inputs and stages are those of the simulation program.
#[derive(Clone, Debug)]
pub struct ExactJacobian {
    /// The program, ready to run.
    pub engine: Engine,
    /// (row, column) of each entry: rows are states then works, columns are states.
    pub pattern: Vec<(usize, usize)>,
    /// The output that is the first entry.
    pub first: usize,
    /// How it was found.
    pub way: JacobianWay,
}

impl ExactJacobian {
    /// The derivative of a program's outputs by its inputs; nothing where a function of the host has none.
    pub fn of_program(
        program: &Program,
        outputs: &[OutputId],
        inputs: &[InputId],
        fuse: bool,
        (kind, host): (EngineKind, &Host),
    ) -> Option<ExactJacobian> {
        let options =
            derive::Options { math: Math::Finite, bounded_roots: true, ..derive::Options::default() };
        let found = jacobian_with(program, outputs, inputs, options).ok()?;
        let options = passes::Options { math: Math::Finite, fuse };
        let engine = Engine::with_host(&passes::optimize(&found.program, options), kind, host).ok()?;
        let (first, way) = (found.first.index(), JacobianWay::Program);
        Some(ExactJacobian { engine, pattern: found.pattern, first, way })
    }
}

/// Deriving takes about 20 µs for each operation and state: seconds above this product of their
/// numbers.
const DEAR: u64 = 100_000;

/// Whether deriving the Jacobian of a motion takes longer than it is worth.
fn is_dear(program: &Program, plan: &Plan) -> bool {
    count(program, plan.motion).total() * plan.states.len() as u64 > DEAR
}

/// Nothing where a function of the host has no derivative, or where deriving takes too long.
pub fn exact_jacobian(
    program: &Program,
    plan: &Plan,
    kind: EngineKind,
    host: &Host,
    structure: Option<&Structure>,
) -> Option<ExactJacobian> {
    if is_dear(program, plan) {
        return None;
    }
    let rates = plan.states.iter().map(|s| s.derivative).chain(plan.powers.iter().map(|(_, p)| *p));
    let rates: Vec<OutputId> = rates.map(OutputId::from_index).collect();
    let states: Vec<InputId> = plan.states.iter().map(|s| InputId::from_index(s.input)).collect();
    let options = derive::Options { math: Math::Finite, bounded_roots: true, ..derive::Options::default() };
    let optimized = |j: derive::Jacobian| derive::Jacobian {
        program: passes::optimize(&j.program, passes::Options { math: Math::Finite, fuse: true }),
        ..j
    };
    let mut jacobian = optimized(jacobian_with(program, &rates, &states, options).ok()?);
    let cost = |j: &derive::Jacobian| count(&j.program, plan.motion).total();
    let mut way = JacobianWay::Program;
    let structure = structure.filter(|s| least_by_structure(&s.model) < cost(&jacobian));
    if let Some(found) = structure.and_then(|s| s.jacobian(program, plan)).map(optimized)
        && cost(&found) < cost(&jacobian)
    {
        (jacobian, way) = (found, JacobianWay::Structure);
    }
    let engine = Engine::with_host(&jacobian.program, kind, host).ok()?;
    Some(ExactJacobian { engine, pattern: jacobian.pattern, first: jacobian.first.index(), way })
}

/// Operations that the columns of a large tree take at least where they follow its structure: each goes back through the factors of M, which have
/// an entry for each speed before another. Long chains have far more of them than the derivative of a program has operations, and
/// forming them fills the memory.
fn least_by_structure(model: &Model) -> u64 {
    let depths = depths(model);
    if depths.len() <= MAX_SPEEDS_FOR_KANE {
        return 0;
    }
    let mut trees: Map<usize, (u64, u64)> = Map::default();
    for (tree, depth) in depths {
        let (n_speeds, n_entries) = trees.entry(tree).or_default();
        *n_speeds += 1;
        *n_entries += depth as u64;
    }
    trees.values().map(|(n_speeds, n_entries)| 2 * n_speeds * n_entries).sum()
}
