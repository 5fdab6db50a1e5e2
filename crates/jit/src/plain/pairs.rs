//! Sines and cosines of two arguments at once, in scalar code.
//!
//! Most angles of a mechanism are coordinates, known before a stage begins. Their sines and cosines are computed first, two by the
//! price of one, and wait in memory. Each lane does what the scalar routine does, so the results are the same bit for bit.
//! Arguments that the stage itself computes, and one that is left over, go the scalar way.

use cardan_base::{Id, Set};
use cardan_program::{Op, Program, StageId, Unary, ValueId};

use super::calls::Site;
use super::isa::{Isa, Memory};
use super::sincos::{self, Places};
use super::translate::{NO_PLACE, Translator};
use crate::instructions::{Step, Steps};
use crate::layout::Layout;
use crate::registers::Register;

const LANES: usize = 2;

/// One argument and what is wanted of it.
struct Wanted {
    argument: ValueId,
    sine: Option<ValueId>,
    cosine: Option<ValueId>,
}

/// The sines and cosines of one stage that are computed before everything else.
pub(super) struct Pairs {
    wanted: Vec<Wanted>,
    results: Set<ValueId>,
}

impl Pairs {
    /// Emits the routine if scalar code of this program may want it. Nothing else may have been planned yet.
    pub(super) fn routine<I: Isa>(
        program: &Program,
        isa: &mut I,
        layout: &mut Layout,
        sites: &mut Vec<Site>,
    ) -> Option<usize> {
        let is_wanted = |op: &Op| matches!(op, Op::Unary(Unary::Sin | Unary::Cos, _));
        let several = program.values().iter().filter(|(_, op)| is_wanted(op)).nth(1).is_some();
        if isa.lanes() != 1 || !several {
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

    /// Those whose arguments are in memory when the stage begins.
    pub(super) fn new<I: Isa>(translator: &Translator<'_, I>, steps: &Steps) -> Pairs {
        let mut pairs = Pairs { wanted: vec![], results: Set::default() };
        if translator.pairs_routine.is_none() {
            return pairs;
        }
        for step in &steps.steps {
            let Op::Unary(op @ (Unary::Sin | Unary::Cos), argument) = translator.program.values()[step.value]
            else {
                continue;
            };
            if translator.place[argument.index()] == NO_PLACE {
                continue;
            }
            let (own, other) = (Some(step.value), step.partner.map(|(value, _)| value));
            let (sine, cosine) = if op == Unary::Sin { (own, other) } else { (other, own) };
            pairs.wanted.push(Wanted { argument, sine, cosine });
        }
        if pairs.wanted.len() % LANES == 1 {
            pairs.wanted.pop();
        }
        pairs.results = pairs.wanted.iter().flat_map(|w| [w.sine, w.cosine]).flatten().collect();
        pairs
    }

    /// Whether a step is done by [`emit`](Self::emit).
    pub(super) fn contains(&self, step: &Step) -> bool {
        self.results.contains(&step.value)
    }

    /// Computes them. No register holds a value yet.
    pub(super) fn emit<I: Isa>(&self, translator: &mut Translator<'_, I>, stage: StageId) {
        let Some(routine) = translator.pairs_routine.filter(|_| !self.wanted.is_empty()) else { return };
        let lanes = LANES as u32;
        let [first, second] = [0, 1].map(Register);
        for two in self.wanted.chunks_exact(LANES) {
            let layout = &mut translator.layout;
            let (sines, cosines) = (layout.allocate_row(lanes), layout.allocate_row(lanes));
            let [a, b] = [0, 1].map(|k| translator.memory(two[k].argument));
            let isa = &mut translator.isa;
            isa.load(first, a);
            isa.load(second, b);
            isa.join(first, second);
            isa.call_routine(routine);
            isa.set_lanes(LANES);
            isa.store(Memory::Work(sines / lanes), first);
            isa.store(Memory::Work(cosines / lanes), second);
            isa.set_lanes(1);
            for (place, wanted) in (0..).zip(two) {
                for (value, row) in [(wanted.sine, sines), (wanted.cosine, cosines)] {
                    value.into_iter().for_each(|v| translator.place[v.index()] = row + place);
                }
            }
        }
        for value in self.wanted.iter().flat_map(|w| [w.sine, w.cosine]).flatten() {
            translator.deliver_from_memory(value, stage);
        }
    }
}
