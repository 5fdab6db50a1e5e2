//! Global value numbering: equal operations on equal operands become one value.

use cardan_base::Id;

use crate::builder::{Math, ProgramBuilder};
use crate::op::ValueId;
use crate::passes::checked;
use crate::program::Program;

/// The program rebuilt with sharing, folding and identities; each value in its earliest stage.
pub fn number(program: &Program, math: Math) -> Program {
    let mut builder = ProgramBuilder::like(program, math);
    let map = copy(program, &mut builder);
    for (_, output) in program.outputs.iter() {
        builder.output(output.label.clone(), output.stage, map[output.value.index()]);
    }
    checked(builder.finish().expect("a well-formed program stays so when it is rebuilt"))
}

/// Adds all values of a program to a builder made like it; returns the new value of each old one.
pub(crate) fn copy(program: &Program, builder: &mut ProgramBuilder) -> Vec<ValueId> {
    let mut map: Vec<ValueId> = Vec::with_capacity(program.values.len());
    for (_, op) in program.values.iter() {
        let op = op.map_operands(|v| map[v.index()]);
        map.push(builder.op(op));
    }
    map
}
