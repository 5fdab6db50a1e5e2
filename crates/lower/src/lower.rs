//! The verb: a request becomes a program.

use cardan_expr::{Expr, Node};
use cardan_program::{Program, passes};

use crate::arithmetic;
use crate::translate::Lowering;
use crate::{LowerError, Request};

/// The program that computes what a request asks for.
pub fn lower(request: &Request<'_>) -> Result<Program, LowerError> {
    check_defined(request)?;
    let mut lowering = Lowering::new(request)?;
    let mut values = vec![];
    for (_, e, _) in &request.outputs {
        values.push(lowering.value(*e)?);
    }
    for ((label, _, phase), value) in request.outputs.iter().zip(values) {
        let settled = value.settle(&mut lowering.builder);
        let real = arithmetic::real(&mut lowering.builder, settled);
        lowering.builder.output(label.clone(), lowering.stages[*phase as usize], real);
    }
    let [_, time, _, _, report] = lowering.stages;
    let program = lowering.builder.finish().map_err(LowerError::Unsound)?;
    Ok(passes::schedule(&passes::sink(&passes::remove_dead(&program), time, report)))
}

fn check_defined(request: &Request<'_>) -> Result<(), LowerError> {
    let is_undefined = |e: Expr| request.pool.node(e) == Node::Undefined;
    match request.outputs.iter().find(|(_, e, _)| is_undefined(*e)) {
        Some((label, _, _)) => Err(LowerError::Undefined { output: label.name.clone() }),
        None => Ok(()),
    }
}
