//! The verb: a request becomes a program.

use cardan_expr::{Expr, Node};
use cardan_program::{Program, passes};

use crate::arithmetic::{self, Signed};
use crate::share::choose::{cheapest, cost};
use crate::translate::Lowering;
use crate::{Effort, LowerError, Phase, Request};

/// The program that computes what a request asks for.
pub fn lower(request: &Request<'_>) -> Result<Program, LowerError> {
    check_defined(request)?;
    // First what is needed at every step, as if there were nothing else; then reports, from what is there.
    let mut lowering = Lowering::new(request)?;
    let mut values: Vec<Option<Signed>> = vec![None; request.outputs.len()];
    for (effort, is_report) in [(request.effort, false), (request.effort.min(Effort::Little), true)] {
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

/// What a request would cost at every step, in multiplications, without making its program: reports are left out.
pub fn draft(request: &Request<'_>) -> Result<u64, LowerError> {
    check_defined(request)?;
    let steps = request.outputs.iter().filter(|(_, _, phase)| *phase != Phase::Report);
    let expressions: Vec<Expr> = steps.map(|(_, e, _)| *e).collect();
    let (lowering, _) = cheapest(&Lowering::new(request)?, &expressions, request.effort)?;
    Ok(cost(&lowering.builder).0)
}

fn check_defined(request: &Request<'_>) -> Result<(), LowerError> {
    let is_undefined = |e: Expr| request.pool.node(e) == Node::Undefined;
    match request.outputs.iter().find(|(_, e, _)| is_undefined(*e)) {
        Some((label, _, _)) => Err(LowerError::Undefined { output: label.name.clone() }),
        None => Ok(()),
    }
}
