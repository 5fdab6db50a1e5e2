//! Operations to instructions, one stage after another.
//!
//! Each stage becomes a function of its own, which goes on to the next as often as it is told. Within it values live in registers as long as there are enough;
//! operands that are in memory are used from there directly where an instruction allows. Values that later
//! stages read are stored when they are computed.

use cardan_base::Id;
use cardan_program::{Binary, Compare, Logic, Op, OutputId, Program, StageId, Unary, ValueId};

use crate::allocation::layout::Layout;
use crate::allocation::registers::Registers;
use crate::allocation::value_locations::{Homes, Memory};
use crate::code_context::Surroundings;
use crate::engine::Packing;
use crate::hoisted_sincos::Turns;
use crate::instructions::{Analysis, NEVER, Operand, Step, Steps};
use crate::outputs::Outputs;
use crate::slp::encode::FIRST;
use crate::x86::assembler::{Arithmetic, Assembler, Bits, Predicate, Source, Xmm};
use crate::x86::order::Item;
use crate::x86::sincos;
use crate::x86::sincos4;
use crate::x86::vectors::Vectors;
use crate::x86::width::Width;

/// Machine code and the plan of its memory.
pub(crate) struct Translation {
    pub(crate) code: Vec<u8>,
    /// Where the function of each stage begins.
    pub(crate) entries: Vec<usize>,
    pub(crate) layout: Layout,
}

/// Translates all stages.
pub(crate) fn translate(
    program: &Program,
    surroundings: &Surroundings,
    width: Width,
    packing: Packing,
) -> Translation {
    let mut layout = Layout::new(program);
    let mut asm = Assembler::new(width);
    let early_routine = sincos4::routine(program, &mut asm, &mut layout);
    let arguments = layout.reserve_arguments();
    let uses_sincos = |op: &Op| matches!(op, Op::Unary(Unary::Sin | Unary::Cos, _));
    let sincos_routine = if program.values().iter().any(|(_, op)| uses_sincos(op)) {
        sincos::emit(&mut asm, &layout.patterns)
    } else {
        0
    };
    let mut analysis = Analysis::new(program);
    let vectors = Vectors::plan(program, packing, &mut analysis, &mut layout);
    let (n_values, scratch) = (program.values().len(), Xmm(width.n_allocatable()));
    // Packs have the registers from their first on; without truth values, whose instructions know only half of the registers, scalars have all below.
    let registers = if asm.is_compact && has_only_numbers(program) {
        let n = if vectors.packs.are_any() { FIRST } else { 32 };
        Registers::without(n, scratch, n_values)
    } else {
        Registers::new(width.n_allocatable(), n_values)
    };
    let mut translator = Translator {
        program,
        surroundings,
        outputs: Outputs::new(program),
        analysis,
        vectors,
        asm,
        homes: Homes::new(layout, registers, n_values),
        scratch,
        arguments,
        sincos_routine,
        early_routine,
    };
    let mut entries = vec![];
    let mut arriving = None;
    for stage in program.stages().ids() {
        let (entry, leaving) = translator.stage(stage, arriving);
        entries.push(entry);
        arriving = Some(leaving);
    }
    // Nothing follows the last stage.
    if let Some(last) = arriving {
        translator.asm.land(last);
        translator.asm.leave();
    }
    Translation { code: translator.asm.code, entries, layout: translator.homes.layout }
}

/// Whether there are no truth values, whose instructions know only half of the registers.
fn has_only_numbers(program: &Program) -> bool {
    !program.values().iter().any(|(_, op)| {
        matches!(
            op,
            Op::Compare(..)
                | Op::Logic(..)
                | Op::Not(_)
                | Op::Select(..)
                | Op::Truth(_)
                | Op::Unary(Unary::Sign, _)
        )
    })
}

pub(crate) struct Translator<'a> {
    pub(crate) program: &'a Program,
    pub(crate) surroundings: &'a Surroundings,
    pub(crate) outputs: Outputs,
    analysis: Analysis,
    pub(crate) vectors: Vectors,
    pub(crate) asm: Assembler,
    pub(crate) homes: Homes,
    /// A register for the moment; it never holds a value.
    pub(crate) scratch: Xmm,
    pub(crate) arguments: u32,
    pub(crate) sincos_routine: usize,
    /// Sines and cosines of four arguments, where they are worth it.
    pub(crate) early_routine: Option<usize>,
}

impl Translator<'_> {
    /// Where the function of a stage begins, and the jump by which it goes on to the next. That of the stage before arrives here.
    fn stage(&mut self, stage: StageId, arriving: Option<usize>) -> (usize, usize) {
        let entry = self.asm.position();
        self.asm.enter();
        arriving.into_iter().for_each(|jump| self.asm.land(jump));
        self.asm.windows.begin();
        self.homes.place_leaves(self.program, stage);
        let (items, mut steps) = match self.vectors.take(stage) {
            Some((items, steps)) => (Some(items), steps),
            None => (None, self.analysis.steps(self.program, stage)),
        };
        self.analysis.look_ahead(&mut steps);
        let early = self.early_turns(&steps, stage);
        match items {
            None => {
                for step in &steps.steps {
                    self.step(step, &steps, &early);
                }
            }
            Some(items) => {
                let uses = self.next_uses(&items);
                for (position, item) in items.iter().enumerate() {
                    match item {
                        Item::Step(k) => self.step(&steps.steps[*k as usize], &steps, &early),
                        Item::Pack(pack) => self.pack(*pack, position, &uses),
                    }
                }
            }
        }
        for (output, value) in Outputs::late(self.program, stage) {
            self.asm.load(self.scratch, self.homes.memory(value));
            self.deliver(output, value, self.scratch);
        }
        let leaving = self.asm.jump_if_more();
        self.asm.leave();
        (entry, leaving)
    }

    /// Stores an output; a truth value as 1 or 0.
    pub(crate) fn deliver(&mut self, output: OutputId, value: ValueId, register: Xmm) {
        let mut source = register;
        if self.outputs.is_truth(value) {
            self.asm.bits(Bits::And, self.scratch, register, Memory::Work(self.homes.layout.patterns.one));
            source = self.scratch;
        }
        self.asm.store(Memory::Output(output.index() as u32), source);
    }

    /// One step; of one that is done already, only that its operands are used no more.
    fn step(&mut self, step: &Step, steps: &Steps, early: &Turns) {
        let operands = steps.operands(step);
        self.homes.begin_step(operands);
        let program = self.program;
        match (&program.values()[step.value], operands) {
            _ if early.contains(step) => {}
            (Op::Unary(op, _), [x]) => self.unary(step, *op, x),
            (Op::Binary(op, ..), [a, b]) => self.binary(step, *op, a, b),
            (Op::Fma(..), [a, b, c]) => self.fma(step, a, b, c),
            (Op::Powi(_, n), [x]) => self.powi(step, *n, x),
            (Op::Compare(op, ..), [a, b]) => self.compare(step, *op, a, b),
            (Op::Logic(op, ..), [a, b]) => {
                let op = if *op == Logic::And { Bits::And } else { Bits::Or };
                self.two_operands(step, a, b, true, |asm, d, a, b| asm.bits(op, d, a, b));
            }
            (Op::Not(_), [x]) => self.masked(step, Bits::Xor, x, self.homes.layout.patterns.all_ones),
            (Op::Select(..), [c, a, b]) => self.select(step, c, a, b),
            (Op::Lookup1 { table, order, .. }, [x]) => self.lookup1(step, *table, *order, x),
            (Op::Lookup2 { table, dx, dy, .. }, [x, y]) => self.lookup2(step, *table, (*dx, *dy), x, y),
            (Op::Call { function, .. }, args) => self.host_call(step, *function, args),
            (Op::Solve(s), all) => self.solve(step, s.n, all),
            (Op::Extract { solve, index }, _) => {
                self.homes.set_place_of_entry(step.value, *solve, *index);
            }
            (op, operands) => unreachable!("{op:?} does not have {} operands", operands.len()),
        }
        self.homes.finish_step(operands);
    }
}

/// Where values are, and moving them.
impl Translator<'_> {
    /// Where an operand is now.
    pub(crate) fn source(&self, value: ValueId) -> Source {
        match self.homes.registers.of(value) {
            Some(register) => Source::Register(register),
            None => Source::Memory(self.homes.memory(value)),
        }
    }

    /// An empty register, locked.
    pub(crate) fn allocate(&mut self) -> Xmm {
        let (register, store) = self.homes.allocate();
        store.into_iter().for_each(|memory| self.asm.store(memory, register));
        register
    }

    /// Empties a register; a value that is used again is stored unless memory has it already.
    pub(crate) fn evict(&mut self, register: Xmm) {
        let store = self.homes.evict(register);
        store.into_iter().for_each(|memory| self.asm.store(memory, register));
    }

    /// The operand in a register.
    pub(crate) fn in_register(&mut self, operand: &Operand) -> Xmm {
        match self.source(operand.value) {
            Source::Register(register) => register,
            Source::Memory(memory) => {
                let register = self.allocate();
                self.asm.load(register, memory);
                self.homes.registers.put(register, operand.value, operand.next_use);
                register
            }
        }
    }

    /// The operand where it is; but if it is used again and a register is free, it moves there. Where displacements are short an
    /// operand in memory makes an instruction no longer than one in a register, and to load it would only be one more.
    pub(crate) fn anywhere(&mut self, operand: &Operand) -> Source {
        let source = self.source(operand.value);
        if matches!(source, Source::Memory(_))
            && !self.asm.is_compact
            && operand.next_use != NEVER
            && self.homes.registers.free().is_some()
        {
            return self.in_register(operand).into();
        }
        source
    }

    /// A register for the result of an instruction that reads all operands before it writes.
    pub(crate) fn result(&mut self) -> Xmm {
        self.homes.registers.drop_dead();
        self.allocate()
    }

    /// The result is in a register: remember it, and store it where others need it.
    pub(crate) fn define(&mut self, value: ValueId, register: Xmm, next_use: u32) {
        if self.analysis.crosses[value.index()] {
            let memory = self.homes.keep(value);
            self.asm.store(memory, register);
        }
        self.bring_home(value, register);
        for output in self.outputs.of(self.program, value, self.program.stage_of(value)) {
            self.deliver(output, value, register);
        }
        self.homes.registers.put(register, value, next_use);
    }
}

/// Operations that become instructions.
impl Translator<'_> {
    /// d = a op b, where only b may be in memory.
    fn two_operands(
        &mut self,
        step: &Step,
        a: &Operand,
        b: &Operand,
        commutative: bool,
        emit: impl Fn(&mut Assembler, Xmm, Xmm, Source),
    ) {
        let (mut a, mut b) = (a, b);
        let in_memory = |t: &Self, x: &Operand| matches!(t.source(x.value), Source::Memory(_));
        let is_sooner = |b: &Operand, a: &Operand| b.next_use < a.next_use;
        if commutative && in_memory(self, a) && (!in_memory(self, b) || is_sooner(b, a)) {
            (a, b) = (b, a);
        }
        let first = self.in_register(a);
        let second = self.anywhere(b);
        let d = self.result();
        emit(&mut self.asm, d, first, second);
        self.define(step.value, d, step.next_use);
    }

    fn binary(&mut self, step: &Step, op: Binary, a: &Operand, b: &Operand) {
        let arithmetic = match op {
            Binary::Add => Arithmetic::Add,
            Binary::Sub => Arithmetic::Sub,
            Binary::Mul => Arithmetic::Mul,
            Binary::Div => Arithmetic::Div,
            Binary::Min => Arithmetic::Min,
            Binary::Max => Arithmetic::Max,
            Binary::Atan2 | Binary::Pow => return self.call_binary(step, op, a, b),
        };
        let emit = |asm: &mut Assembler, d, a, b: Source| asm.arithmetic(arithmetic, d, a, b);
        self.two_operands(step, a, b, op.is_commutative(), emit);
    }

    fn compare(&mut self, step: &Step, op: Compare, a: &Operand, b: &Operand) {
        let swap = matches!(self.source(a.value), Source::Memory(_))
            && matches!(self.source(b.value), Source::Register(_));
        let predicate = match (op, swap) {
            (Compare::Eq, _) => Predicate::Eq,
            (Compare::Ne, _) => Predicate::Ne,
            (Compare::Lt, false) => Predicate::Lt,
            (Compare::Lt, true) => Predicate::Gt,
            (Compare::Le, false) => Predicate::Le,
            (Compare::Le, true) => Predicate::Ge,
        };
        let (a, b) = if swap { (b, a) } else { (a, b) };
        self.two_operands(step, a, b, false, |asm, d, a, b| asm.compare(predicate, d, a, b));
    }

    /// d = x op pattern.
    fn masked(&mut self, step: &Step, op: Bits, x: &Operand, pattern: u32) {
        let source = self.loaded(x);
        let d = self.result();
        self.asm.bits(op, d, source, Memory::Work(pattern));
        self.define(step.value, d, step.next_use);
    }

    fn unary(&mut self, step: &Step, op: Unary, x: &Operand) {
        let patterns = self.homes.layout.patterns;
        match op {
            Unary::Neg => self.masked(step, Bits::Xor, x, patterns.sign_bit),
            Unary::Abs => self.masked(step, Bits::And, x, patterns.all_but_sign),
            Unary::Sqrt | Unary::Floor => {
                let source = self.in_register(x);
                let d = self.result();
                match op {
                    Unary::Sqrt => self.asm.arithmetic(Arithmetic::Sqrt, d, source, source),
                    _ => self.asm.floor(d, source),
                }
                self.define(step.value, d, step.next_use);
            }
            Unary::Sign => {
                let source = self.in_register(x);
                let d = self.allocate();
                self.asm.compare(Predicate::Gt, self.scratch, source, Memory::Work(patterns.zero));
                self.asm.blend(d, source, Memory::Work(patterns.one), self.scratch);
                self.asm.compare(Predicate::Lt, self.scratch, source, Memory::Work(patterns.zero));
                self.asm.blend(d, d, Memory::Work(patterns.minus_one), self.scratch);
                self.define(step.value, d, step.next_use);
            }
            Unary::Sin | Unary::Cos => self.sincos(step, op, x),
            _ => self.call_unary(step, op, x),
        }
    }

    fn powi(&mut self, step: &Step, n: i32, x: &Operand) {
        let d = if n == 0 {
            let d = self.allocate();
            self.asm.load(d, Memory::Work(self.homes.layout.patterns.one));
            d
        } else {
            let source = self.in_register(x);
            let d = self.allocate();
            self.power(d, source, n.unsigned_abs());
            if n < 0 {
                self.asm.load(self.scratch, Memory::Work(self.homes.layout.patterns.one));
                self.asm.arithmetic(Arithmetic::Div, d, self.scratch, d);
            }
            d
        };
        self.define(step.value, d, step.next_use);
    }

    /// d = x to the power `bits` > 0, in the order of `math::powi`. The squares are in the scratch register.
    fn power(&mut self, d: Xmm, x: Xmm, bits: u32) {
        let mut bits = bits;
        let mut base = x;
        while bits & 1 == 0 {
            self.asm.arithmetic(Arithmetic::Mul, self.scratch, base, base);
            base = self.scratch;
            bits >>= 1;
        }
        self.asm.copy(d, base);
        bits >>= 1;
        while bits != 0 {
            self.asm.arithmetic(Arithmetic::Mul, self.scratch, base, base);
            base = self.scratch;
            if bits & 1 == 1 {
                self.asm.arithmetic(Arithmetic::Mul, d, d, base);
            }
            bits >>= 1;
        }
    }

    fn select(&mut self, step: &Step, c: &Operand, a: &Operand, b: &Operand) {
        let mask = self.in_register(c);
        let otherwise = self.in_register(b);
        // A blend reads more than a number, which the caller's vector may not have.
        let then = match self.source(a.value) {
            Source::Memory(Memory::Input(_)) => self.in_register(a).into(),
            _ => self.anywhere(a),
        };
        let d = self.result();
        self.asm.blend(d, otherwise, then, mask);
        self.define(step.value, d, step.next_use);
    }
}
