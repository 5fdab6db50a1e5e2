//! Stages to functions: where values are, and moving them.
//!
//! Values live in registers as long as there are enough; constants and inputs are loaded when they are needed
//! and stay while they may. Values that later stages read are stored when they are computed.

use cardan_base::{Id, Map};
use cardan_program::{Op, OutputId, Program, StageId, Unary, ValueId};

use crate::allocation::layout::Layout;
use crate::allocation::registers::{Register, Registers};
use crate::allocation::value_locations::{Homes, Memory};
use crate::instructions::{Analysis, Operand};
use crate::outputs::Outputs;
use crate::scalar_isa::calls::Site;
use crate::scalar_isa::isa::{Bits, Isa};
use crate::scalar_isa::{fused, pairs, sincos};

/// Machine code and the plan of its memory.
pub(crate) struct Translation {
    pub(crate) code: Vec<u8>,
    /// Where the function of each stage begins.
    pub(crate) entries: Vec<usize>,
    pub(crate) layout: Layout,
    /// What the calls of the code ask for.
    pub(crate) sites: Vec<Site>,
}

/// Translates all stages to code of one or two lanes.
pub(crate) fn translate<I: Isa>(program: &Program, lanes: usize) -> Translation {
    let has = |wanted: fn(&Op) -> bool| program.values().iter().any(|(_, op)| wanted(op));
    let mut layout = Layout::new(program);
    let mut isa = I::new(lanes);
    let mut sites = Vec::new();
    let uses_fused = !I::HAS_FUSED && has(|op| matches!(op, Op::Fma(..)));
    let fused_constants = uses_fused.then(|| fused::Constants::new(&mut layout));
    let pairs_routine = pairs::routine(program, &mut isa, &mut layout, &mut sites);
    // Three arguments and a result are the most that calls other than those of the host and of systems have.
    let (small_arguments, arguments) = (layout.allocate_block(4), layout.reserve_arguments());
    let fused_routine = fused_constants.map_or(0, |constants| {
        sites.push(Site::Fused);
        fused::emit(&mut isa, &mut layout, &constants, sites.len() as u32 - 1)
    });
    let mut sincos_routine = 0;
    if has(|op| matches!(op, Op::Unary(Unary::Sin | Unary::Cos, _))) {
        sites.push(Site::SinCos);
        let places = sincos::Places::new::<I>(&mut layout);
        sincos_routine = sincos::emit(&mut isa, &places, sites.len() as u32 - 1);
    }
    let mut translator = Translator {
        program,
        outputs: Outputs::new(program),
        analysis: Analysis::new(program),
        isa,
        homes: Homes::new(
            layout,
            Registers::new(I::N_ALLOCATABLE, program.values().len()),
            program.values().len(),
        ),
        sites,
        site_index: Map::default(),
        small_arguments,
        arguments,
        sincos_routine,
        pairs_routine,
        fused_routine,
    };
    let entries = program.stages().ids().map(|stage| translator.stage(stage)).collect();
    let Translator { isa, homes, sites, .. } = translator;
    Translation { code: isa.into_code(), entries, layout: homes.layout, sites }
}

pub(crate) struct Translator<'a, I> {
    pub(crate) program: &'a Program,
    pub(crate) outputs: Outputs,
    analysis: Analysis,
    pub(crate) isa: I,
    pub(crate) homes: Homes,
    pub(crate) sites: Vec<Site>,
    pub(crate) site_index: Map<Site, u32>,
    /// Four places for the arguments and the result of a call.
    pub(crate) small_arguments: u32,
    /// Places for the arguments of calls of the host and of systems.
    pub(crate) arguments: u32,
    pub(crate) sincos_routine: usize,
    /// Sines and cosines of two arguments, where they are worth it.
    pub(crate) pairs_routine: Option<usize>,
    /// Fused operations, where the processor has none.
    pub(crate) fused_routine: usize,
}

impl<I: Isa> Translator<'_, I> {
    fn stage(&mut self, stage: StageId) -> usize {
        let entry = self.isa.position();
        self.isa.enter();
        self.homes.place_leaves(self.program, stage);
        let mut steps = self.analysis.steps(self.program, stage);
        self.analysis.look_ahead(&mut steps);
        let early = self.early_turns(&steps, stage);
        for step in &steps.steps {
            let operands = steps.operands(step);
            self.homes.begin_step(operands);
            if !early.contains(step) {
                self.operate(step, operands);
            }
            self.homes.finish_step(operands);
        }
        for (output, value) in Outputs::late(self.program, stage) {
            self.deliver_from_memory(output, value);
        }
        self.isa.leave();
        entry
    }

    /// Stores an output that is a value in memory.
    pub(crate) fn deliver_from_memory(&mut self, output: OutputId, value: ValueId) {
        let register = self.allocate();
        self.isa.load(register, self.homes.memory(value));
        self.deliver(output, value, register);
        self.homes.registers.unlock();
    }

    /// Stores an output; a truth value as 1 or 0.
    fn deliver(&mut self, output: OutputId, value: ValueId, register: Register) {
        let mut source = register;
        if self.outputs.is_truth(value) {
            source = I::scratch();
            self.isa.load(source, Memory::Work(self.homes.layout.patterns.one));
            self.isa.bits(Bits::And, source, register, source);
        }
        self.isa.store(Memory::Output(output.index() as u32), source);
    }
}

/// Where values are, and moving them.
impl<I: Isa> Translator<'_, I> {
    /// An empty register, locked.
    pub(crate) fn allocate(&mut self) -> Register {
        let (register, store) = self.homes.allocate();
        store.into_iter().for_each(|memory| self.isa.store(memory, register));
        register
    }

    /// Empties a register; a value that is used again is stored unless memory has it already.
    pub(crate) fn evict(&mut self, register: Register) {
        let store = self.homes.evict(register);
        store.into_iter().for_each(|memory| self.isa.store(memory, register));
    }

    /// The operand in a register.
    pub(crate) fn in_register(&mut self, operand: &Operand) -> Register {
        self.homes.registers.of(operand.value).unwrap_or_else(|| {
            let register = self.allocate();
            self.isa.load(register, self.homes.memory(operand.value));
            self.homes.registers.put(register, operand.value, operand.next_use);
            register
        })
    }

    /// The operand brought to a given register, whatever that holds.
    pub(crate) fn bring(&mut self, register: Register, value: ValueId) {
        match self.homes.registers.of(value) {
            Some(own) => self.isa.copy(register, own),
            None => self.isa.load(register, self.homes.memory(value)),
        }
    }

    /// A register for the result: that of an operand which is not used again, or another. Operations allow the
    /// result in any of their operands.
    pub(crate) fn result(&mut self, preferred: Register) -> Register {
        self.homes.registers.drop_dead();
        if self.homes.registers.held(preferred).is_none() {
            self.homes.registers.lock(preferred);
            return preferred;
        }
        self.allocate()
    }

    /// The result is in a register: remember it, and store it where others need it.
    pub(crate) fn define(&mut self, value: ValueId, register: Register, next_use: u32) {
        if self.analysis.crosses[value.index()] {
            let memory = self.homes.keep(value);
            self.isa.store(memory, register);
        }
        for output in self.outputs.of(self.program, value, self.program.stage_of(value)) {
            self.deliver(output, value, register);
        }
        self.homes.registers.put(register, value, next_use);
    }
}
