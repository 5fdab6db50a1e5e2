//! Sines and cosines of four arguments at once, in scalar code: see [`Turns`].
//!
//! Vectors of eight would do more by one call, and do so by themselves, but scalar operations beside them then have one unit less: robots of
//! six joints took half as long again.

use cardan_program::{Program, StageId};

use crate::allocation::layout::Layout;
use crate::allocation::value_locations::Memory;
use crate::hoisted_sincos::{Turn, Turns};
use crate::instructions::Steps;
use crate::x86::assembler::{Assembler, Xmm};
use crate::x86::sincos;
use crate::x86::translate::Translator;
use crate::x86::width::Width;

const LANES: usize = 4;

/// Emits the routine if scalar code of this program may want it. Nothing else may have been planned yet.
pub(crate) fn routine(program: &Program, asm: &mut Assembler, layout: &mut Layout) -> Option<usize> {
    if asm.width != Width::Scalar || !Width::Four.is_supported() || Turns::count(program) < 2 {
        return None;
    }
    let patterns = layout.repeat_patterns(LANES as u32);
    asm.width = Width::Four;
    let routine = sincos::emit(asm, &patterns);
    asm.width = Width::Scalar;
    Some(routine)
}

impl Translator<'_> {
    /// Computes sines and cosines of arguments that are known before a stage begins. No register holds a value yet.
    pub(crate) fn early_turns(&mut self, steps: &Steps, stage: StageId) -> Turns {
        let Some(routine) = self.early_routine else { return Turns::default() };
        let early = Turns::new(self.program, &self.homes, steps);
        for four in early.turns.chunks(LANES) {
            self.four_turns(routine, four);
        }
        if !early.turns.is_empty() {
            self.asm.width = Width::Four;
            self.asm.clean_upper_halves();
            self.asm.width = Width::Scalar;
        }
        for value in early.results() {
            for output in self.outputs.of(self.program, value, stage) {
                self.asm.load(self.scratch, self.homes.memory(value));
                self.deliver(output, value, self.scratch);
            }
        }
        early
    }

    fn four_turns(&mut self, routine: usize, four: &[Turn]) {
        let lanes = LANES as u32;
        let layout = &mut self.homes.layout;
        let (sines, cosines) = (layout.allocate_row(lanes), layout.allocate_row(lanes));
        let asm = &mut self.asm;
        match Turns::arguments::<LANES>(&self.homes, four) {
            [Memory::Input(a), rest @ ..] if (a + 1..).zip(rest).all(|(k, m)| m == Memory::Input(k)) => {
                asm.load_four(Xmm(0), Memory::Input(a));
                asm.width = Width::Four;
            }
            [a, b, c, d] => {
                asm.load(Xmm(0), a);
                asm.load_upper(Xmm(0), Xmm(0), b);
                asm.load(Xmm(1), c);
                asm.load_upper(Xmm(1), Xmm(1), d);
                asm.width = Width::Four;
                asm.join(Xmm(0), Xmm(0), Xmm(1));
            }
        }
        asm.call_local(routine);
        asm.store(Memory::Work(sines / lanes), Xmm(0));
        asm.store(Memory::Work(cosines / lanes), Xmm(1));
        asm.width = Width::Scalar;
        for (place, turn) in (0..).zip(four) {
            for (value, row) in [(turn.sine, sines), (turn.cosine, cosines)] {
                value.into_iter().for_each(|v| self.homes.set_place(v, row + place));
            }
        }
    }
}
