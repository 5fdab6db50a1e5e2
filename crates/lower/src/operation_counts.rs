//! Operation counts by phase: what a program costs, and how often.

use cardan_program::{Counts, Program, count};

use crate::Phase;

/// The operations of each phase.
pub fn counts(program: &Program) -> [(Phase, Counts); 5] {
    Phase::ALL.map(|phase| (phase, between(program, phase, phase)))
}

/// The operations of every step of a simulation: all but those that are done once or for reports only.
pub fn counts_per_step(program: &Program) -> Counts {
    between(program, Phase::Time, Phase::Motion)
}

/// The operations from one phase to another, both included; none if the program has no such stages.
fn between(program: &Program, first: Phase, last: Phase) -> Counts {
    let stages = program.stage_range(first.name(), last.name());
    stages.map_or_else(Counts::default, |stages| count(program, stages))
}
