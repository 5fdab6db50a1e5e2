//! The verb: a request becomes a program.

use cardan_expr::{Expr, Node};
use cardan_program::{Program, passes};

use crate::arithmetic::{self, Signed};
use crate::share::choose::{Effort, cheapest};
use crate::translate::Lowering;
use crate::{LowerError, Phase, Request};

/// The program that computes what a request asks for.
pub fn lower(request: &Request<'_>) -> Result<Program, LowerError> {
    check_defined(request)?;
    // First what is needed at every step, as if there were nothing else; then reports, from what is there.
    let mut lowering = Lowering::new(request)?;
    let mut values: Vec<Option<Signed>> = vec![None; request.outputs.len()];
    let steps = if request.is_seldom_run { Effort::Little } else { Effort::Full };
    for (effort, is_report) in [(steps, false), (Effort::Little, true)] {
        let wanted = |k: &usize| (request.outputs[*k].2 == Phase::Report) == is_report;
        let places: Vec<usize> = (0..values.len()).filter(wanted).collect();
        let expressions: Vec<Expr> = places.iter().map(|k| request.outputs[*k].1).collect();
        let (better, found) = cheapest(&lowering, &expressions, effort)?;
        lowering = better;
        places.into_iter().zip(found).for_each(|(k, value)| values[k] = Some(value));
    }
    for ((label, _, phase), value) in request.outputs.iter().zip(values.into_iter().flatten()) {
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
