//! Late values to late stages.

use cardan_base::Id;

use super::rearrange;
use crate::op::StageId;
use crate::program::Program;

/// Moves values of stages `from` and later that only stage `into` (or later ones) needs into `into`.
///
/// A value used only by a report need not be computed at every step. Values of stages before `from` stay:
/// what depends on parameters alone is best computed once. Values that reach no output are dropped.
pub fn sink(program: &Program, from: StageId, into: StageId) -> Program {
    let mut needed_by: Vec<Option<StageId>> = vec![None; program.values.len()];
    let need = |place: &mut Option<StageId>, stage: StageId| {
        *place = Some(place.map_or(stage, |s| s.min(stage)));
    };
    for (_, output) in program.outputs.iter() {
        need(&mut needed_by[output.value.index()], output.stage);
    }
    let mut stages: Vec<StageId> = program.values.ids().map(|v| program.stage_of(v)).collect();
    for (id, op) in program.values.iter().rev() {
        // Users come after what they use: who has none by now reaches no output.
        let Some(needed) = needed_by[id.index()] else { continue };
        let own = stages[id.index()];
        if own >= from && own < into && needed >= into {
            stages[id.index()] = into;
        }
        let stage = stages[id.index()];
        op.for_each_operand(|v| need(&mut needed_by[v.index()], stage));
    }
    let live = program.values.ids().filter(|v| needed_by[v.index()].is_some());
    let mut order: Vec<_> = live.map(|v| (stages[v.index()], v)).collect();
    order.sort_by_key(|(stage, _)| *stage);
    rearrange(program, &order)
}
