//! When outputs are delivered: as soon as their values are in a register, or at the end of their stage.

use cardan_base::Id;
use cardan_program::{Op, OutputId, Program, StageId, Type, ValueId};

/// The outputs of a program by what they deliver.
#[derive(Debug)]
pub(crate) struct Outputs {
    of: Vec<Vec<OutputId>>,
    types: Vec<Type>,
}

impl Outputs {
    pub(crate) fn new(program: &Program) -> Outputs {
        let mut of = vec![Vec::new(); program.values().len()];
        for (id, output) in program.outputs().iter() {
            of[output.value.index()].push(id);
        }
        Outputs { of, types: program.types() }
    }

    /// The outputs of a stage that deliver a value.
    pub(crate) fn of(&self, program: &Program, value: ValueId, stage: StageId) -> Vec<OutputId> {
        let is_due = |output: &OutputId| program.outputs()[*output].stage == stage;
        self.of[value.index()].iter().copied().filter(is_due).collect()
    }

    /// Those whose values were not computed in a register of this stage, with their values.
    pub(crate) fn late(program: &Program, stage: StageId) -> Vec<(OutputId, ValueId)> {
        let is_late = |value: ValueId| {
            let op = &program.values()[value];
            op.is_leaf() || matches!(op, Op::Extract { .. }) || program.stage_of(value) != stage
        };
        let outputs = program.outputs().iter().filter(|(_, o)| o.stage == stage && is_late(o.value));
        outputs.map(|(id, output)| (id, output.value)).collect()
    }

    /// Whether a value is a truth, which is delivered as 1 or 0.
    pub(crate) fn is_truth(&self, value: ValueId) -> bool {
        self.types[value.index()] == Type::Bool
    }
}
