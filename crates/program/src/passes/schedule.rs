//! An order of evaluation that keeps few values alive.
//!
//! Within each stage, values are visited depth first from what leaves the stage (outputs, operands of later
//! stages). Of several operands the one that needs more registers comes first, as in Sethi and Ullman 1970
//! (J. ACM 17), whose numbering is exact for trees and a good guide for shared values. A sine and a cosine
//! of one argument are computed side by side.
//!
//! Few live values are not everything: depth first, each operation waits for the one before. So the new order
//! is taken only for stages in which the processor model of `cost` finds it faster than the old one.

use cardan_base::{Id, Map};

use super::cost::Model;
use super::{rearrange, sincos_pairs};
use crate::op::{StageId, ValueId};
use crate::passes::dce::live;
use crate::program::Program;

/// The live values of the program in a better order.
pub fn schedule(program: &Program) -> Program {
    let live = live(program);
    let needs = register_needs(program);
    let mut partner: Map<ValueId, ValueId> = Map::default();
    for (sine, cosine) in sincos_pairs(program) {
        if live[sine.index()] && live[cosine.index()] {
            partner.insert(sine, cosine);
            partner.insert(cosine, sine);
        }
    }
    let mut placed = vec![false; program.values.len()];
    let mut order: Vec<(StageId, ValueId)> = Vec::with_capacity(program.values.len());
    let mut model = Model::new(program);
    for (stage, roots) in program.stages.ids().zip(roots(program, &live)) {
        let mut deep: Vec<ValueId> = Vec::new();
        let mut stack: Vec<(ValueId, bool)> = Vec::new();
        for root in roots {
            stack.push((root, false));
            while let Some((value, ready)) = stack.pop() {
                if placed[value.index()] {
                    continue;
                }
                if ready {
                    placed[value.index()] = true;
                    deep.push(value);
                    if let Some(other) = partner.get(&value).filter(|v| !placed[v.index()]) {
                        placed[other.index()] = true;
                        deep.push(*other);
                    }
                    continue;
                }
                stack.push((value, true));
                let first = stack.len();
                program.values[value].for_each_operand(|v| {
                    if !placed[v.index()] {
                        stack.push((v, false));
                    }
                });
                stack[first..].sort_by_key(|(v, _)| needs[v.index()]);
            }
        }
        let given: Vec<ValueId> =
            program.stage_values(stage).filter(|i| live[*i]).map(ValueId::from_index).collect();
        let better = if model.estimate(&deep) < model.estimate(&given) { deep } else { given };
        order.extend(better.into_iter().map(|v| (stage, v)));
    }
    rearrange(program, &order)
}

/// For each stage, the values that leave it, in the order of their last use by outputs and later stages.
fn roots(program: &Program, live: &[bool]) -> Vec<Vec<ValueId>> {
    let mut roots = vec![Vec::new(); program.stages.len()];
    let mut known = vec![false; program.values.len()];
    let mut add = |value: ValueId| {
        if !std::mem::replace(&mut known[value.index()], true) {
            roots[program.stage_of(value).index()].push(value);
        }
    };
    for (_, output) in program.outputs.iter() {
        add(output.value);
    }
    for stage in program.stages.ids() {
        let range = program.stage_values(stage);
        for index in range.clone().filter(|i| live[*i]) {
            program.values[ValueId::from_index(index)].for_each_operand(|v| {
                if v.index() < range.start {
                    add(v);
                }
            });
        }
    }
    roots
}

/// Registers needed to compute each value as if nothing were shared; leaves and values of earlier stages need
/// none.
fn register_needs(program: &Program) -> Vec<u32> {
    let mut needs: Vec<u32> = Vec::with_capacity(program.values.len());
    let mut operands: Vec<u32> = Vec::new();
    for stage in program.stages.ids() {
        let range = program.stage_values(stage);
        for index in range.clone() {
            let op = &program.values[ValueId::from_index(index)];
            operands.clear();
            op.for_each_operand(|v| {
                operands.push(if v.index() < range.start { 0 } else { needs[v.index()] })
            });
            operands.sort_unstable_by(|a, b| b.cmp(a));
            let held = operands.iter().zip(0..).map(|(need, held)| need + held).max();
            needs.push(if op.is_leaf() { 0 } else { held.unwrap_or(0).max(1) });
        }
    }
    needs
}
