//! Stages to functions: where values are, and moving them.
//!
//! Values live in registers as long as there are enough; constants and inputs are loaded when they are needed
//! and stay while they may. Values that later stages read are stored when they are computed.

use cardan_base::{Id, Map};
use cardan_program::{Op, OutputId, Program, StageId, Type, Unary, ValueId};

use super::calls::Site;
use super::isa::{Bits, Isa, Memory};
use super::pairs::Pairs;
use super::{fused, sincos};
use crate::instructions::{Analysis, NEVER, Operand, Step, Steps};
use crate::layout::Layout;
use crate::registers::{Register, Registers};

/// Machine code and the plan of its memory.
pub(super) struct Translation {
    pub(super) code: Vec<u8>,
    /// Where the function of each stage begins.
    pub(super) entries: Vec<usize>,
    pub(super) layout: Layout,
    /// What the calls of the code ask for.
    pub(super) sites: Vec<Site>,
}

pub(super) const NO_PLACE: u32 = u32::MAX;
/// Marks the place of an input, which is in the caller's vector and not in the engine's memory.
const INPUT: u32 = 1 << 31;

/// Translates all stages to code of one or two lanes.
pub(super) fn translate<I: Isa>(program: &Program, lanes: usize) -> Translation {
    let has = |wanted: fn(&Op) -> bool| program.values().iter().any(|(_, op)| wanted(op));
    let mut layout = Layout::new(program);
    let mut isa = I::new(lanes);
    let mut sites = Vec::new();
    let uses_fused = !I::HAS_FUSED && has(|op| matches!(op, Op::Fma(..)));
    let fused_constants = uses_fused.then(|| fused::Constants::new(&mut layout));
    let pairs_routine = Pairs::routine(program, &mut isa, &mut layout, &mut sites);
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
    let n = program.values().len();
    let mut outputs_of = vec![Vec::new(); n];
    for (id, output) in program.outputs().iter() {
        outputs_of[output.value.index()].push(id);
    }
    let mut translator = Translator {
        program,
        types: program.types(),
        analysis: Analysis::new(program),
        isa,
        layout,
        sites,
        site_index: Map::default(),
        registers: Registers::new(I::N_ALLOCATABLE, n),
        place: vec![NO_PLACE; n],
        spilled: vec![false; n],
        outputs_of,
        small_arguments,
        arguments,
        sincos_routine,
        pairs_routine,
        fused_routine,
    };
    let entries = program.stages().ids().map(|stage| translator.stage(stage)).collect();
    let Translator { isa, layout, sites, .. } = translator;
    Translation { code: isa.into_code(), entries, layout, sites }
}

pub(super) struct Translator<'a, I> {
    pub(super) program: &'a Program,
    types: Vec<Type>,
    analysis: Analysis,
    pub(super) isa: I,
    pub(super) layout: Layout,
    pub(super) sites: Vec<Site>,
    pub(super) site_index: Map<Site, u32>,
    pub(super) registers: Registers,
    /// Where each value is in memory, if it is.
    pub(super) place: Vec<u32>,
    /// Whether the place belongs to this value alone until its last use in the stage.
    spilled: Vec<bool>,
    outputs_of: Vec<Vec<OutputId>>,
    /// Four places for the arguments and the result of a call.
    pub(super) small_arguments: u32,
    /// Places for the arguments of calls of the host and of systems.
    pub(super) arguments: u32,
    pub(super) sincos_routine: usize,
    /// Sines and cosines of two arguments, where they are worth it.
    pub(super) pairs_routine: Option<usize>,
    /// Fused operations, where the processor has none.
    pub(super) fused_routine: usize,
}

impl<I: Isa> Translator<'_, I> {
    fn stage(&mut self, stage: StageId) -> usize {
        let entry = self.isa.position();
        self.isa.enter();
        for value in self.program.stage_values(stage).map(ValueId::from_index) {
            self.place_leaf(value);
        }
        let mut steps = self.analysis.steps(self.program, stage);
        self.analysis.look_ahead(&mut steps);
        let pairs = Pairs::new(self, &steps);
        pairs.emit(self, stage);
        for step in &steps.steps {
            self.operation(step, &steps, pairs.contains(step));
            self.finish_step(steps.operands(step));
        }
        self.late_outputs(stage);
        self.isa.leave();
        entry
    }

    /// Constants and inputs wait in memory: constants in the engine's, inputs in the caller's.
    fn place_leaf(&mut self, value: ValueId) {
        let place = match &self.program.values()[value] {
            Op::Const(c) => self.layout.constant(c.value().to_bits()),
            Op::Truth(t) => self.layout.truth(*t),
            Op::Input(i) => INPUT | i.index() as u32,
            _ => return,
        };
        self.place[value.index()] = place;
    }

    /// One operation; its operands stay where they are meanwhile. Of one that is done already, only that they are used.
    fn operation(&mut self, step: &Step, steps: &Steps, is_done: bool) {
        let operands = steps.operands(step);
        for operand in operands {
            if let Some(register) = self.registers.of(operand.value) {
                self.registers.touch(register, operand.next_use);
            }
        }
        if !is_done {
            self.operate(step, operands);
        }
    }

    /// Gives back what the operands of a step need no longer.
    fn finish_step(&mut self, operands: &[Operand]) {
        self.registers.unlock();
        self.registers.drop_dead();
        for operand in operands {
            if operand.next_use == NEVER && self.spilled[operand.value.index()] {
                self.spilled[operand.value.index()] = false;
                self.layout.release(self.place[operand.value.index()]);
            }
        }
    }

    /// Outputs of this stage whose values were not computed in a register of this stage.
    fn late_outputs(&mut self, stage: StageId) {
        for (id, output) in self.program.outputs().iter() {
            let op = &self.program.values()[output.value];
            let computed_here = self.program.stage_of(output.value) == stage;
            let in_memory = op.is_leaf() || matches!(op, Op::Extract { .. }) || !computed_here;
            if output.stage == stage && in_memory {
                let register = self.allocate();
                self.isa.load(register, self.memory(output.value));
                self.deliver(id, output.value, register);
                self.registers.unlock();
            }
        }
    }

    /// Outputs of this stage that are a value in memory.
    pub(super) fn deliver_from_memory(&mut self, value: ValueId, stage: StageId) {
        for k in 0..self.outputs_of[value.index()].len() {
            let output = self.outputs_of[value.index()][k];
            if self.program.outputs()[output].stage == stage {
                let register = self.allocate();
                self.isa.load(register, self.memory(value));
                self.deliver(output, value, register);
                self.registers.unlock();
            }
        }
    }

    /// Stores an output; a truth value as 1 or 0.
    fn deliver(&mut self, output: OutputId, value: ValueId, register: Register) {
        let mut source = register;
        if self.types[value.index()] == Type::Bool {
            source = I::scratch();
            self.isa.load(source, Memory::Work(self.layout.patterns.one));
            self.isa.bits(Bits::And, source, register, source);
        }
        self.isa.store(Memory::Output(output.index() as u32), source);
    }
}

/// Where values are, and moving them.
impl<I: Isa> Translator<'_, I> {
    /// Where a value is in memory.
    pub(super) fn memory(&self, value: ValueId) -> Memory {
        match self.place[value.index()] {
            place if place & INPUT != 0 => Memory::Input(place & !INPUT),
            place => Memory::Work(place),
        }
    }

    /// An empty register, locked.
    pub(super) fn allocate(&mut self) -> Register {
        let register = self.registers.free().unwrap_or_else(|| {
            let register = self.registers.victim();
            self.evict(register);
            register
        });
        self.registers.lock(register);
        register
    }

    /// Empties a register; a value that is used again is stored unless memory has it already.
    pub(super) fn evict(&mut self, register: Register) {
        if let Some((value, next_use)) = self.registers.held(register) {
            if next_use != NEVER && self.place[value.index()] == NO_PLACE {
                let place = self.layout.allocate();
                self.place[value.index()] = place;
                self.spilled[value.index()] = true;
                self.isa.store(Memory::Work(place), register);
            }
            self.registers.clear(register);
        }
    }

    /// The operand in a register.
    pub(super) fn in_register(&mut self, operand: &Operand) -> Register {
        self.registers.of(operand.value).unwrap_or_else(|| {
            let register = self.allocate();
            self.isa.load(register, self.memory(operand.value));
            self.registers.put(register, operand.value, operand.next_use);
            register
        })
    }

    /// The operand brought to a given register, whatever that holds.
    pub(super) fn bring(&mut self, register: Register, value: ValueId) {
        match self.registers.of(value) {
            Some(own) => self.isa.copy(register, own),
            None => self.isa.load(register, self.memory(value)),
        }
    }

    /// A register for the result: that of an operand which is not used again, or another. Operations allow the
    /// result in any of their operands.
    pub(super) fn result(&mut self, preferred: Register) -> Register {
        self.registers.drop_dead();
        if self.registers.held(preferred).is_none() {
            self.registers.lock(preferred);
            return preferred;
        }
        self.allocate()
    }

    /// The result is in a register: remember it, and store it where others need it.
    pub(super) fn define(&mut self, value: ValueId, register: Register, next_use: u32) {
        if self.analysis.crosses[value.index()] {
            let place = self.layout.allocate_block(1);
            self.place[value.index()] = place;
            self.isa.store(Memory::Work(place), register);
        }
        for k in 0..self.outputs_of[value.index()].len() {
            let output = self.outputs_of[value.index()][k];
            if self.program.outputs()[output].stage == self.program.stage_of(value) {
                self.deliver(output, value, register);
            }
        }
        self.registers.put(register, value, next_use);
    }
}
