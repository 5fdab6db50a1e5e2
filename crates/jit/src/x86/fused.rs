//! Fused multiply-add: the one operation that overwrites an operand.
//!
//! The register that receives the result is, in order of preference, that of an operand not used again, a
//! fresh one loaded from memory, a fresh copy of the addend. The other two operands fill the remaining places
//! of the instruction.

use crate::instructions::{NEVER, Operand, Step};
use crate::x86::assembler::{FusedForm, Source, Xmm};
use crate::x86::translate::Translator;

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
            // One factor must be in a register: of two in memory the one that is used again sooner.
            let x_stays = if in_memory(x) && in_memory(y) { b.next_use <= a.next_use } else { in_memory(x) };
            let (first, second) = if x_stays { (b, x) } else { (a, y) };
            let first = self.loaded(first);
            self.asm.fused(FusedForm::F231, step.minus_product, step.minus_addend, d, first, second);
            d
        } else {
            let (own, own_source, other, other_operand) = match dies(a, x) {
                Some(register) => (register, x, y, b),
                None => (dies(b, y).unwrap_or(self.scratch), y, x, a),
            };
            let d = self.target(Some(own), own_source);
            let (product, addend) = (step.minus_product, step.minus_addend);
            match (other, z) {
                (Source::Memory(_), Source::Register(addend_register)) => {
                    self.asm.fused(FusedForm::F132, product, addend, d, addend_register, other);
                }
                _ => {
                    let other = self.loaded(other_operand);
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

    /// The operand in a register. One that must be loaded stays there if that costs nothing and it is used again before what was there.
    pub(crate) fn loaded(&mut self, operand: &Operand) -> Xmm {
        let memory = match self.source(operand.value) {
            Source::Register(register) => return register,
            Source::Memory(memory) => memory,
        };
        let kept = if operand.next_use == NEVER { None } else { self.homes.spare(operand.next_use) };
        let register = kept.unwrap_or(self.scratch);
        self.asm.load(register, memory);
        if kept.is_some() {
            self.homes.registers.put(register, operand.value, operand.next_use);
        }
        register
    }
}
