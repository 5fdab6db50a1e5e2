//! Stages of a lowered program, by phase.

use cardan_program::{Program, StageId, Stages};

use crate::Phase;

/// A stage of a lowered program.
pub fn stage(program: &Program, phase: Phase) -> StageId {
    program.stage(phase.name()).expect("a lowered program has all stages")
}

/// A range of stages of a lowered program.
pub fn stages(program: &Program, first: Phase, last: Phase) -> Stages {
    Stages { first: stage(program, first), last: stage(program, last) }
}
