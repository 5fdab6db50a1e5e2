//! Sines and cosines of four arguments at once, in scalar code: see [`Turns`].

use cardan_program::{Program, StageId};

use crate::assembler::{Assembler, Xmm};
use crate::homes::Memory;
use crate::instructions::Steps;
use crate::layout::Layout;
use crate::sincos;
use crate::translate::Translator;
use crate::turns::Turns;
use crate::width::Width;

const LANES: usize = 4;

/// Emits the routine if scalar code of this program may want it.
pub(crate) fn routine(program: &Program, asm: &mut Assembler, layout: &mut Layout) -> Option<usize> {
    if asm.width != Width::Scalar || !Width::Four.is_supported() || !Turns::are_worth_it(program) {
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
        let Some(routine) = self.quads_routine else { return Turns::default() };
        let early = Turns::new(self.program, &self.homes, steps, LANES);
        if early.turns.is_empty() {
            return early;
        }
        let lanes = LANES as u32;
        for four in early.turns.chunks(LANES) {
            let layout = &mut self.homes.layout;
            let (sines, cosines) = (layout.allocate_row(lanes), layout.allocate_row(lanes));
            // A lane without argument of its own repeats the last.
            let argument = |k: usize| self.homes.memory(four[k.min(four.len() - 1)].argument);
            let [a, b, c, d] = [0, 1, 2, 3].map(argument);
            let asm = &mut self.asm;
            asm.load(Xmm(0), a);
            asm.load_upper(Xmm(0), Xmm(0), b);
            asm.load(Xmm(1), c);
            asm.load_upper(Xmm(1), Xmm(1), d);
            asm.width = Width::Four;
            asm.join(Xmm(0), Xmm(0), Xmm(1));
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
        self.asm.width = Width::Four;
        self.asm.clean_upper_halves();
        self.asm.width = Width::Scalar;
        for value in early.results() {
            for output in self.outputs.of(self.program, value, stage) {
                self.asm.load(self.scratch, self.homes.memory(value));
                self.deliver(output, value, self.scratch);
            }
        }
        early
    }
}
