//! Removal of values that reach no output.

use cardan_base::Id;

use crate::passes::rearrange;
use crate::program::Program;

/// The program without values that reach no output. Inputs stay in the input vector.
pub fn remove_dead(program: &Program) -> Program {
    let live = live(program);
    let keep = program.values.ids().filter(|v| live[v.index()]);
    let order: Vec<_> = keep.map(|v| (program.stage_of(v), v)).collect();
    rearrange(program, &order)
}

/// Which values reach an output.
pub(crate) fn live(program: &Program) -> Vec<bool> {
    let mut live = vec![false; program.values.len()];
    for (_, output) in program.outputs.iter() {
        live[output.value.index()] = true;
    }
    for (id, op) in program.values.iter().rev() {
        if live[id.index()] {
            op.for_each_operand(|v| live[v.index()] = true);
        }
    }
    live
}
