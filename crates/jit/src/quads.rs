//! Sines and cosines of four arguments at once, in scalar code.
//!
//! Most angles of a mechanism are coordinates, known before a stage begins. Their sines and cosines are computed first, four by the
//! price of one, and wait in memory. Each lane does what the scalar routine does, so the results are the same bit for bit. Arguments that the
//! stage itself computes, and one that is left over, go the scalar way.

use cardan_base::{Id, Set};
use cardan_program::{Op, Program, StageId, Unary, ValueId};

use crate::assembler::{Assembler, Memory, Xmm};
use crate::instructions::Steps;
use crate::layout::Layout;
use crate::sincos;
use crate::translate::{NO_PLACE, Translator};
use crate::width::Width;

const LANES: usize = 4;

/// One argument and what is wanted of it.
struct Wanted {
    argument: ValueId,
    sine: Option<ValueId>,
    cosine: Option<ValueId>,
}

/// The sines and cosines of one stage that are computed before everything else.
pub(crate) struct Quads {
    wanted: Vec<Wanted>,
    steps: Set<usize>,
}

impl Quads {
    /// Emits the routine if scalar code of this program may want it.
    pub(crate) fn routine(program: &Program, asm: &mut Assembler, layout: &mut Layout) -> Option<usize> {
        let is_wanted = |op: &Op| matches!(op, Op::Unary(Unary::Sin | Unary::Cos, _));
        let several = program.values().iter().filter(|(_, op)| is_wanted(op)).nth(1).is_some();
        if asm.width != Width::Scalar || !Width::Four.is_supported() || !several {
            return None;
        }
        let patterns = layout.repeat_patterns(LANES as u32);
        asm.width = Width::Four;
        let routine = sincos::emit(asm, &patterns);
        asm.width = Width::Scalar;
        Some(routine)
    }

    /// Those whose arguments are in memory when the stage begins.
    pub(crate) fn new(translator: &Translator<'_>, steps: &Steps) -> Quads {
        let mut quads = Quads { wanted: vec![], steps: Set::default() };
        if translator.quads_routine.is_none() {
            return quads;
        }
        for (k, step) in steps.steps.iter().enumerate() {
            let Op::Unary(op @ (Unary::Sin | Unary::Cos), argument) = translator.program.values()[step.value]
            else {
                continue;
            };
            if translator.place[argument.index()] == NO_PLACE {
                continue;
            }
            let (own, other) = (Some(step.value), step.partner.map(|(value, _)| value));
            let (sine, cosine) = if op == Unary::Sin { (own, other) } else { (other, own) };
            quads.wanted.push(Wanted { argument, sine, cosine });
            quads.steps.insert(k);
        }
        if quads.wanted.len() % LANES == 1 {
            let last = quads.wanted.pop().and_then(|w| w.sine.or(w.cosine));
            quads.steps.retain(|k| {
                let step = &steps.steps[*k];
                Some(step.value) != last && step.partner.is_none_or(|(value, _)| Some(value) != last)
            });
        }
        quads
    }

    /// Whether a step is done by [`emit`](Self::emit).
    pub(crate) fn contains(&self, step: usize) -> bool {
        self.steps.contains(&step)
    }

    /// Computes them. No register holds a value yet.
    pub(crate) fn emit(&self, translator: &mut Translator<'_>, stage: StageId) {
        let Some(routine) = translator.quads_routine.filter(|_| !self.wanted.is_empty()) else { return };
        let lanes = LANES as u32;
        for four in self.wanted.chunks(LANES) {
            let (sines, cosines) =
                (translator.layout.allocate_row(lanes), translator.layout.allocate_row(lanes));
            // A lane without argument of its own repeats the last.
            let argument = |k: usize| translator.memory(four[k.min(four.len() - 1)].argument);
            let [a, b, c, d] = [0, 1, 2, 3].map(argument);
            let asm = &mut translator.asm;
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
            for (place, wanted) in (0..).zip(four) {
                for (value, row) in [(wanted.sine, sines), (wanted.cosine, cosines)] {
                    value.into_iter().for_each(|v| translator.place[v.index()] = row + place);
                }
            }
        }
        translator.asm.width = Width::Four;
        translator.asm.clean_upper_halves();
        translator.asm.width = Width::Scalar;
        for value in self.wanted.iter().flat_map(|w| [w.sine, w.cosine]).flatten() {
            for k in 0..translator.outputs_of[value.index()].len() {
                let output = translator.outputs_of[value.index()][k];
                if translator.program.outputs()[output].stage == stage {
                    translator.asm.load(translator.scratch, Memory::Work(translator.place[value.index()]));
                    translator.deliver(output, value, translator.scratch);
                }
            }
        }
    }
}
