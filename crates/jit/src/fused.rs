//! Fused multiply-add: the one operation that overwrites an operand.
//!
//! The register that receives the result is, in order of preference, that of an operand not used again, a
//! fresh one loaded from memory, a fresh copy of the addend. The other two operands fill the remaining places
//! of the instruction.

use crate::assembler::{FusedForm, Source, Xmm};
use crate::instructions::{NEVER, Operand, Step};
use crate::translate::Translator;

impl Translator<'_> {
    /// ±a b ± c.
    pub(crate) fn fma(&mut self, step: &Step, a: &Operand, b: &Operand, c: &Operand) {
        let [x, y, z] = [a, b, c].map(|o| self.anywhere(o));
        let dies = |o: &Operand, s: Source| match s {
            Source::Register(register) if o.next_use == NEVER => Some(register),
            _ => None,
        };
        let in_memory = |s: Source| matches!(s, Source::Memory(_));
        let overwrite_addend = dies(c, z).is_some() || (dies(a, x).is_none() && dies(b, y).is_none());
        let d = if overwrite_addend {
            let d = self.target(dies(c, z), z);
            // One factor must be in a register.
            let (first, second) = if in_memory(x) { (y, x) } else { (x, y) };
            let first = self.register_or_scratch(first);
            self.asm.fused(FusedForm::F231, step.minus_product, step.minus_addend, d, first, second);
            d
        } else {
            let (own, own_source, other) = match dies(a, x) {
                Some(register) => (register, x, y),
                None => (dies(b, y).unwrap_or(self.scratch), y, x),
            };
            let d = self.target(Some(own), own_source);
            let (product, addend) = (step.minus_product, step.minus_addend);
            match (other, z) {
                (Source::Memory(_), Source::Register(addend_register)) => {
                    self.asm.fused(FusedForm::F132, product, addend, d, addend_register, other);
                }
                _ => {
                    let other = self.register_or_scratch(other);
                    self.asm.fused(FusedForm::F213, product, addend, d, other, z);
                }
            }
            d
        };
        self.homes.registers.clear(d);
        self.define(step.value, d, step.next_use);
    }

    /// The register to overwrite: the one that is given up, or a fresh one with a copy.
    fn target(&mut self, given_up: Option<Xmm>, source: Source) -> Xmm {
        given_up.unwrap_or_else(|| {
            let d = self.allocate();
            self.asm.copy(d, source);
            d
        })
    }

    fn register_or_scratch(&mut self, source: Source) -> Xmm {
        match source {
            Source::Register(register) => register,
            Source::Memory(memory) => {
                self.asm.load(self.scratch, memory);
                self.scratch
            }
        }
    }
}
