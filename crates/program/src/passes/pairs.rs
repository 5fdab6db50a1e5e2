//! Sines and cosines of one argument: an engine computes both at the price of one.

use cardan_base::{Id, Map};

use crate::op::{Op, StageId, Unary, ValueId};
use crate::program::Program;

/// For each sine with a cosine of the same argument in the same stage: (sine, cosine).
pub fn sincos_pairs(program: &Program) -> Vec<(ValueId, ValueId)> {
    let mut cosines: Map<(StageId, ValueId), ValueId> = Map::default();
    let mut sines = Vec::new();
    for stage in program.stages.ids() {
        for value in program.stage_values(stage).map(ValueId::from_index) {
            match program.values[value] {
                Op::Unary(Unary::Sin, x) => sines.push((stage, x, value)),
                Op::Unary(Unary::Cos, x) => {
                    cosines.entry((stage, x)).or_insert(value);
                }
                _ => {}
            }
        }
    }
    let mut pairs: Vec<(ValueId, ValueId)> = Vec::new();
    for (stage, x, sine) in sines {
        if let Some(cosine) = cosines.remove(&(stage, x)) {
            pairs.push((sine, cosine));
        }
    }
    pairs
}
