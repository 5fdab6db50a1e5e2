//! The verb: a request becomes a program.

use cardan_base::Id;
use cardan_expr::{Expr, Node};
use cardan_program::{Counts, Program, ValueId, count_operations, passes};

use crate::arithmetic::{self, Signed};
use crate::cse::choose::Search;
use crate::translate::Lowering;
use crate::{Effort, LowerError, Phase, Request};

/// The program that computes what a request asks for.
pub fn lower(request: &Request<'_>) -> Result<Program, LowerError> {
    let mut draft = Draft::new(request)?;
    draft.pursue(request.effort)?;
    draft.finish(request)
}

/// A program in the making: what is needed at every step, as if there were nothing else. Reports follow from what is there, so they may be
/// asked for later.
pub struct Draft<'p> {
    search: Search<'p>,
    /// The outputs that are no reports, by their places.
    places: Vec<usize>,
}

impl<'p> Draft<'p> {
    /// Everything but reports, computed as it is written.
    pub fn new(request: &Request<'p>) -> Result<Self, LowerError> {
        check_defined(request)?;
        let (places, expressions) = wanted(request, false);
        Ok(Draft { search: Search::new(Lowering::new(request)?, expressions)?, places })
    }

    /// Looks for a cheaper program until this effort has been made. What the arithmetic of one step costs then, in multiplications.
    pub fn pursue(&mut self, effort: Effort) -> Result<u64, LowerError> {
        self.search.pursue(effort)?;
        Ok(self.search.arithmetic())
    }

    /// The operations of one step.
    pub fn counts(&self) -> Counts {
        let (lowering, values) = self.search.best();
        let builder = &lowering.builder;
        let mut live = vec![false; builder.n_values()];
        values.iter().for_each(|v| live[v.value.index()] = true);
        for v in (0..live.len()).rev() {
            if live[v] {
                let operation = builder.operation(ValueId::from_index(v));
                operation.for_each_operand(|part| live[part.index()] = true);
            }
        }
        let [setup, ..] = lowering.stages;
        let of_step = |v: &ValueId| live[v.index()] && builder.stage_of(*v) != setup;
        let values = (0..live.len()).map(ValueId::from_index).filter(of_step);
        count_operations(values.map(|v| builder.operation(v)))
    }

    /// The program of the request that this draft was made for, which may ask for more reports by now.
    pub fn finish(self, request: &Request<'p>) -> Result<Program, LowerError> {
        check_defined(request)?;
        let mut values: Vec<Option<Signed>> = vec![None; request.outputs.len()];
        let (lowering, found) = self.search.finish();
        self.places.iter().zip(found).for_each(|(k, value)| values[*k] = Some(value));
        let (places, expressions) = wanted(request, true);
        let mut search = Search::new(lowering, expressions)?;
        search.pursue(request.effort.min(Effort::Little))?;
        let (mut lowering, found) = search.finish();
        places.iter().zip(found).for_each(|(k, value)| values[*k] = Some(value));
        for ((label, _, phase), value) in request.outputs.iter().zip(values.into_iter().flatten()) {
            let settled = value.settle(&mut lowering.builder);
            let real = arithmetic::real(&mut lowering.builder, settled);
            lowering.builder.output(label.clone(), lowering.stages[*phase as usize], real);
        }
        let [_, time, _, _, report] = lowering.stages;
        let program = lowering.builder.finish().map_err(LowerError::Unsound)?;
        Ok(passes::schedule(&passes::sink(&program, time, report)))
    }
}

/// The outputs that are reports, or those that are not: their places and expressions.
fn wanted(request: &Request<'_>, is_report: bool) -> (Vec<usize>, Vec<Expr>) {
    let outputs = request.outputs.iter().enumerate();
    outputs.filter(|(_, (_, _, p))| (*p == Phase::Report) == is_report).map(|(k, (_, e, _))| (k, *e)).unzip()
}

fn check_defined(request: &Request<'_>) -> Result<(), LowerError> {
    let is_undefined = |e: Expr| request.pool.node(e) == Node::Undefined;
    match request.outputs.iter().find(|(_, e, _)| is_undefined(*e)) {
        Some((label, _, _)) => Err(LowerError::Undefined { output: label.name.clone() }),
        None => Ok(()),
    }
}
