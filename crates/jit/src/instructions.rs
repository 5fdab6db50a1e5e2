//! The operations of one stage as a list of steps, with what the register allocator must know of the future.
//!
//! Leaves are no steps: they wait in memory. A negation that only fused operations of its stage read
//! disappears into their signs; a sine and a cosine of one argument become one step.

use cardan_base::{Id, Map};
use cardan_program::passes::sincos_pairs;
use cardan_program::{Op, Program, StageId, Unary, ValueId};

/// "Not used again in this stage."
pub(crate) const NEVER: u32 = u32::MAX;

/// One operation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step {
    /// The result.
    pub(crate) value: ValueId,
    /// The other result, of a step that yields sine and cosine.
    pub(crate) partner: Option<(ValueId, u32)>,
    /// The next step that reads the result.
    pub(crate) next_use: u32,
    /// Of a fused operation: whether the product is subtracted.
    pub(crate) minus_product: bool,
    /// Of a fused operation: whether the third operand is subtracted.
    pub(crate) minus_addend: bool,
    first: u32,
    end: u32,
}

/// An operand and the next step after this one that reads it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Operand {
    pub(crate) value: ValueId,
    pub(crate) next_use: u32,
}

/// What is known of the whole program before any stage is translated.
#[derive(Debug)]
pub(crate) struct Analysis {
    folded: Vec<bool>,
    pair: Map<ValueId, ValueId>,
    /// Values that later stages or their outputs read.
    pub(crate) crosses: Vec<bool>,
    /// For each step read last, by value; all [`NEVER`] between stages.
    last_seen: Vec<u32>,
}

impl Analysis {
    pub(crate) fn new(program: &Program) -> Self {
        let n = program.values().len();
        let mut folded = vec![false; n];
        let mut crosses = vec![false; n];
        for stage in program.stages().ids() {
            let range = program.stage_values(stage);
            for value in range.clone().map(ValueId::from_index) {
                let op = &program.values()[value];
                folded[value.index()] = matches!(op, Op::Unary(Unary::Neg, _));
                op.for_each_operand(|v| {
                    crosses[v.index()] |= v.index() < range.start;
                    folded[v.index()] &= matches!(op, Op::Fma(..)) && range.contains(&v.index());
                });
            }
        }
        for (_, output) in program.outputs().iter() {
            folded[output.value.index()] = false;
            crosses[output.value.index()] |= program.stage_of(output.value) < output.stage;
        }
        let mut pair = Map::default();
        for (sine, cosine) in sincos_pairs(program) {
            pair.insert(sine, cosine);
            pair.insert(cosine, sine);
        }
        Analysis { folded, pair, crosses, last_seen: vec![NEVER; n] }
    }

    /// The steps of a stage, without next uses.
    pub(crate) fn steps(&self, program: &Program, stage: StageId) -> Steps {
        let mut list = Steps { steps: Vec::new(), operands: Vec::new() };
        let mut sines_done = Map::default();
        for value in program.stage_values(stage).map(ValueId::from_index) {
            let op = &program.values()[value];
            if op.is_leaf() || self.folded[value.index()] || sines_done.contains_key(&value) {
                continue;
            }
            let partner = self.pair.get(&value).copied();
            sines_done.extend(partner.map(|p| (p, ())));
            list.push(program, &self.folded, value, partner, op);
        }
        list
    }

    /// Fills in every next use, walking backwards.
    pub(crate) fn look_ahead(&mut self, list: &mut Steps) {
        for position in (0..list.steps.len()).rev() {
            let step = &mut list.steps[position];
            step.next_use = self.last_seen[step.value.index()];
            if let Some((partner, next_use)) = &mut step.partner {
                *next_use = self.last_seen[partner.index()];
            }
            let operands = &mut list.operands[step.first as usize..step.end as usize];
            for operand in operands.iter_mut() {
                operand.next_use = self.last_seen[operand.value.index()];
            }
            for operand in operands {
                self.last_seen[operand.value.index()] = position as u32;
            }
        }
        for operand in &list.operands {
            self.last_seen[operand.value.index()] = NEVER;
        }
    }
}

/// The steps of one stage in order.
#[derive(Debug)]
pub(crate) struct Steps {
    pub(crate) steps: Vec<Step>,
    operands: Vec<Operand>,
}

impl Steps {
    fn push(
        &mut self,
        program: &Program,
        folded: &[bool],
        value: ValueId,
        partner: Option<ValueId>,
        op: &Op,
    ) {
        let first = self.operands.len() as u32;
        let (mut minus_product, mut minus_addend) = (false, false);
        if !matches!(op, Op::Extract { .. }) {
            let mut place = 0;
            op.for_each_operand(|v| {
                let mut operand = v;
                if let (true, Op::Unary(Unary::Neg, inner)) = (folded[v.index()], &program.values()[v]) {
                    operand = *inner;
                    if place < 2 {
                        minus_product = !minus_product;
                    } else {
                        minus_addend = true;
                    }
                }
                place += 1;
                self.operands.push(Operand { value: operand, next_use: NEVER });
            });
        }
        let end = self.operands.len() as u32;
        let partner = partner.map(|p| (p, NEVER));
        self.steps.push(Step { value, partner, next_use: NEVER, minus_product, minus_addend, first, end });
    }

    /// Some of the steps, in this order.
    #[cfg(target_arch = "x86_64")]
    pub(crate) fn keep(self, kept: &[u32]) -> Steps {
        let steps = kept.iter().map(|k| self.steps[*k as usize]).collect();
        Steps { steps, ..self }
    }

    /// The operands of a step.
    pub(crate) fn operands(&self, step: &Step) -> &[Operand] {
        &self.operands[step.first as usize..step.end as usize]
    }
}
