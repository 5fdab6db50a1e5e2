//! Fused multiply-add: a product that is used once, in a sum of the same stage, joins it.
//!
//! ```text
//! [fuse-sum]         a b + c  →  fma(a, b, c)
//! [fuse-less]        a b − c  →  fma(a, b, −c)
//! [fuse-from]        c − a b  →  fma(−a, b, c)
//! ```
//!
//! Negations cost nothing on machines whose fused operations come with either sign.

use cardan_base::{Arena, Id, Map};

use super::{checked, remove_dead};
use crate::op::{Binary, Op, Unary, ValueId};
use crate::program::Program;

/// The program with products fused into sums.
pub fn fuse(program: &Program) -> Program {
    let uses = program.use_counts();
    let mut result = program.clone();
    let mut fused = Fused { values: Arena::new(), negations: Map::default() };
    let mut map: Vec<ValueId> = Vec::with_capacity(program.values.len());
    for stage in program.stages.ids() {
        let range = program.stage_values(stage);
        let product = |v: ValueId| match program.values[v] {
            Op::Binary(Binary::Mul, a, b) if uses[v.index()] == 1 && range.contains(&v.index()) => {
                Some((a, b))
            }
            _ => None,
        };
        for value in range.clone().map(ValueId::from_index) {
            let op = &program.values[value];
            let new = match *op {
                Op::Binary(Binary::Add, x, y) => match (product(x), product(y)) {
                    (_, Some((a, b))) => Op::Fma(map[a.index()], map[b.index()], map[x.index()]), // [fuse-sum]
                    (Some((a, b)), _) => Op::Fma(map[a.index()], map[b.index()], map[y.index()]),
                    _ => op.map_operands(|v| map[v.index()]),
                },
                Op::Binary(Binary::Sub, x, y) => match (product(x), product(y)) {
                    (_, Some((a, b))) => {
                        Op::Fma(fused.negation(map[a.index()]), map[b.index()], map[x.index()]) // [fuse-from]
                    }
                    (Some((a, b)), _) => {
                        Op::Fma(map[a.index()], map[b.index()], fused.negation(map[y.index()])) // [fuse-less]
                    }
                    _ => op.map_operands(|v| map[v.index()]),
                },
                _ => op.map_operands(|v| map[v.index()]),
            };
            map.push(fused.values.push(new));
        }
        result.stages[stage].end = fused.values.len();
    }
    for (_, output) in result.outputs.iter_mut() {
        output.value = map[output.value.index()];
    }
    result.values = fused.values;
    remove_dead(&checked(result))
}

struct Fused {
    values: Arena<ValueId, Op>,
    negations: Map<ValueId, ValueId>,
}

impl Fused {
    fn negation(&mut self, x: ValueId) -> ValueId {
        if let Op::Unary(Unary::Neg, inner) = self.values[x] {
            return inner;
        }
        let values = &mut self.values;
        *self.negations.entry(x).or_insert_with(|| values.push(Op::Unary(Unary::Neg, x)))
    }
}
