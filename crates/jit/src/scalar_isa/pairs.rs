//! Sines and cosines of two arguments at once, in scalar code: see [`Turns`].

use cardan_program::{Program, StageId};

use crate::allocation::layout::Layout;
use crate::allocation::registers::Register;
use crate::allocation::value_locations::Memory;
use crate::hoisted_sincos::Turns;
use crate::instructions::Steps;
use crate::scalar_isa::calls::Site;
use crate::scalar_isa::isa::Isa;
use crate::scalar_isa::sincos;
use crate::scalar_isa::sincos::Places;
use crate::scalar_isa::translate::Translator;

const LANES: usize = 2;

/// Emits the routine if scalar code of this program may want it. Nothing else may have been planned yet.
pub(crate) fn routine<I: Isa>(
    program: &Program,
    isa: &mut I,
    layout: &mut Layout,
    sites: &mut Vec<Site>,
) -> Option<usize> {
    if isa.lanes() != 1 || Turns::count(program) < 2 {
        return None;
    }
    let lanes = LANES as u32;
    let patterns = layout.repeat_patterns(lanes);
    let mut rows = |n: u32| {
        let first = layout.allocate_row(lanes) / lanes;
        layout.allocate_block((n - 1) * lanes);
        first
    };
    let places = Places { patterns, arguments: rows(3), saved: rows(sincos::n_saved::<I>()) };
    sites.push(Site::SinCosOfTwo);
    isa.set_lanes(LANES);
    let routine = sincos::emit(isa, &places, sites.len() as u32 - 1);
    isa.set_lanes(1);
    Some(routine)
}

impl<I: Isa> Translator<'_, I> {
    /// Computes sines and cosines of arguments that are known before a stage begins. No register holds a value yet.
    pub(crate) fn early_turns(&mut self, steps: &Steps, stage: StageId) -> Turns {
        let Some(routine) = self.pairs_routine else { return Turns::default() };
        let early = Turns::new(self.program, &self.homes, steps);
        let lanes = LANES as u32;
        let [first, second] = [0, 1].map(Register);
        for two in early.turns.chunks(LANES) {
            let layout = &mut self.homes.layout;
            let (sines, cosines) = (layout.allocate_row(lanes), layout.allocate_row(lanes));
            let [a, b] = Turns::arguments::<LANES>(&self.homes, two);
            let isa = &mut self.isa;
            isa.load(first, a);
            isa.load(second, b);
            isa.join(first, second);
            isa.call_routine(routine);
            isa.set_lanes(LANES);
            isa.store(Memory::Work(sines / lanes), first);
            isa.store(Memory::Work(cosines / lanes), second);
            isa.set_lanes(1);
            for (place, turn) in (0..).zip(two) {
                for (value, row) in [(turn.sine, sines), (turn.cosine, cosines)] {
                    value.into_iter().for_each(|v| self.homes.set_place(v, row + place));
                }
            }
        }
        for value in early.results() {
            for output in self.outputs.of(self.program, value, stage) {
                self.deliver_from_memory(output, value);
            }
        }
        early
    }
}
