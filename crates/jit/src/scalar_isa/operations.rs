//! Operations to instructions and calls.

use cardan_base::Id;
use cardan_program::{Binary, Compare, Logic, Op, Unary};

use crate::allocation::registers::Register;
use crate::allocation::value_locations::Memory;
use crate::instructions::{Operand, Step};
use crate::scalar_isa::calls::Site;
use crate::scalar_isa::isa::{Arithmetic, Bits, Isa, N_OF_ROUTINE, Relation, Signs, Simple};
use crate::scalar_isa::translate::Translator;

impl<I: Isa> Translator<'_, I> {
    /// The instructions of one step.
    pub(crate) fn operate(&mut self, step: &Step, operands: &[Operand]) {
        let program = self.program;
        match (&program.values()[step.value], operands) {
            (Op::Unary(op, _), [x]) => self.unary(step, *op, x),
            (Op::Binary(op, ..), [a, b]) => self.binary(step, *op, a, b),
            (Op::Fma(..), [a, b, c]) => self.fma(step, a, b, c),
            (Op::Powi(_, n), [x]) => self.powi(step, *n, x),
            (Op::Compare(op, ..), [a, b]) => {
                let relation = match op {
                    Compare::Lt => Relation::Lt,
                    Compare::Le => Relation::Le,
                    Compare::Eq => Relation::Eq,
                    Compare::Ne => Relation::Ne,
                };
                self.two_operands(step, a, b, |isa, d, a, b| isa.compare(relation, d, a, b));
            }
            (Op::Logic(op, ..), [a, b]) => {
                let op = if *op == Logic::And { Bits::And } else { Bits::Or };
                self.two_operands(step, a, b, |isa, d, a, b| isa.bits(op, d, a, b));
            }
            (Op::Not(_), [x]) => {
                let x = self.in_register(x);
                let d = self.result(x);
                self.isa.not(d, x);
                self.define(step.value, d, step.next_use);
            }
            (Op::Select(..), [c, a, b]) => {
                let [mask, a, b] = [c, a, b].map(|x| self.in_register(x));
                let d = self.result(mask);
                self.isa.blend(d, mask, a, b);
                self.define(step.value, d, step.next_use);
            }
            (Op::Lookup1 { table, order, .. }, args) => {
                self.call(step, Site::Lookup1 { table: *table, order: *order }, args);
            }
            (Op::Lookup2 { table, dx, dy, .. }, args) => {
                self.call(step, Site::Lookup2 { table: *table, dx: *dx, dy: *dy }, args);
            }
            (Op::Call { function, .. }, args) => {
                let site = Site::Host { function: *function, n: args.len() };
                let result = self.arguments + args.len() as u32;
                self.call_at(step, site, args, self.arguments, result);
            }
            (Op::Solve(s), all) => self.solve(step, s.n, all),
            (Op::Extract { solve, index }, _) => {
                self.homes.set_place_of_entry(step.value, *solve, *index);
            }
            (op, operands) => unreachable!("{op:?} does not have {} operands", operands.len()),
        }
    }

    /// d = a op b.
    fn two_operands(
        &mut self,
        step: &Step,
        a: &Operand,
        b: &Operand,
        emit: impl Fn(&mut I, Register, Register, Register),
    ) {
        let [a, b] = [a, b].map(|x| self.in_register(x));
        let d = self.result(a);
        emit(&mut self.isa, d, a, b);
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
            Binary::Atan2 | Binary::Pow => return self.call(step, Site::Binary(op), &[*a, *b]),
        };
        self.two_operands(step, a, b, |isa, d, a, b| isa.arithmetic(arithmetic, d, a, b));
    }

    fn unary(&mut self, step: &Step, op: Unary, x: &Operand) {
        let simple = match op {
            Unary::Neg => Simple::Neg,
            Unary::Abs => Simple::Abs,
            Unary::Sqrt => Simple::Sqrt,
            Unary::Floor => Simple::Floor,
            Unary::Sign => return self.sign(step, x),
            Unary::Sin | Unary::Cos => return self.sincos(step, op, x),
            _ => return self.call(step, Site::Unary(op), &[*x]),
        };
        if !I::has(simple) {
            return self.call(step, Site::Unary(op), &[*x]);
        }
        let source = self.in_register(x);
        let d = self.result(source);
        self.isa.simple(simple, d, source);
        self.define(step.value, d, step.next_use);
    }

    /// 1 above zero, −1 below, otherwise the number itself.
    fn sign(&mut self, step: &Step, x: &Operand) {
        let patterns = self.homes.layout.patterns;
        let x = self.in_register(x);
        let (d, one, mask) = (self.allocate(), self.allocate(), I::scratch());
        for (pattern, is_above) in [(patterns.one, true), (patterns.minus_one, false)] {
            self.isa.load(mask, Memory::Work(patterns.zero));
            let (a, b) = if is_above { (mask, x) } else { (x, mask) };
            self.isa.compare(Relation::Lt, mask, a, b);
            self.isa.load(one, Memory::Work(pattern));
            self.isa.blend(d, mask, one, if is_above { x } else { d });
        }
        self.define(step.value, d, step.next_use);
    }

    /// ±a b ± c.
    fn fma(&mut self, step: &Step, a: &Operand, b: &Operand, c: &Operand) {
        let signs = Signs { minus_product: step.minus_product, minus_addend: step.minus_addend };
        if !I::HAS_FUSED {
            return self.fused_by_routine(step, signs, [a, b, c]);
        }
        let [a, b, c] = [a, b, c].map(|x| self.in_register(x));
        let d = self.result(c);
        self.isa.fused(signs, d, a, b, c);
        self.define(step.value, d, step.next_use);
    }

    fn powi(&mut self, step: &Step, n: i32, x: &Operand) {
        let one = Memory::Work(self.homes.layout.patterns.one);
        let d = if n == 0 {
            let d = self.allocate();
            self.isa.load(d, one);
            d
        } else {
            let source = self.in_register(x);
            let d = self.allocate();
            self.power(d, source, n.unsigned_abs());
            if n < 0 {
                self.isa.load(I::scratch(), one);
                self.isa.arithmetic(Arithmetic::Div, d, I::scratch(), d);
            }
            d
        };
        self.define(step.value, d, step.next_use);
    }

    /// d = x to the power `bits` > 0, in the order of `math::powi`. The squares are in the register for the
    /// moment.
    fn power(&mut self, d: Register, x: Register, bits: u32) {
        let square = |isa: &mut I, base: &mut Register| {
            isa.arithmetic(Arithmetic::Mul, I::scratch(), *base, *base);
            *base = I::scratch();
        };
        let mut bits = bits;
        let mut base = x;
        while bits & 1 == 0 {
            square(&mut self.isa, &mut base);
            bits >>= 1;
        }
        self.isa.copy(d, base);
        bits >>= 1;
        while bits != 0 {
            square(&mut self.isa, &mut base);
            if bits & 1 == 1 {
                self.isa.arithmetic(Arithmetic::Mul, d, d, base);
            }
            bits >>= 1;
        }
    }
}

/// Operations that become calls.
impl<I: Isa> Translator<'_, I> {
    /// The number of a site; equal ones are one.
    fn site(&mut self, site: Site) -> u32 {
        let sites = &mut self.sites;
        *self.site_index.entry(site).or_insert_with(|| {
            sites.push(site);
            sites.len() as u32 - 1
        })
    }

    /// Empties the first `n` registers; their contents stay until they are overwritten.
    fn clobber(&mut self, n: u8) {
        for r in 0..n {
            self.evict(Register(r));
        }
    }

    /// Copies operands to places in a row.
    fn lay_out(&mut self, operands: &[Operand], first: u32) {
        for (place, operand) in (first..).zip(operands) {
            let register = self.homes.registers.of(operand.value).unwrap_or_else(|| {
                self.bring(I::scratch(), operand.value);
                I::scratch()
            });
            self.isa.store(Memory::Work(place), register);
        }
    }

    /// Calls a function of at most three reals.
    fn call(&mut self, step: &Step, site: Site, args: &[Operand]) {
        self.call_at(step, site, args, self.small_arguments, self.small_arguments + 3);
    }

    fn call_at(&mut self, step: &Step, site: Site, args: &[Operand], first: u32, result: u32) {
        let site = self.site(site);
        self.lay_out(args, first);
        self.clobber(I::N_ALLOCATABLE);
        self.isa.call_out(site, first, result);
        self.isa.load(Register(0), Memory::Work(result));
        self.define(step.value, Register(0), step.next_use);
    }

    /// Sine and cosine by the routine inside the code.
    fn sincos(&mut self, step: &Step, op: Unary, x: &Operand) {
        let source = self.homes.registers.of(x.value);
        self.clobber(N_OF_ROUTINE);
        match source {
            Some(register) => self.isa.copy(Register(0), register),
            None => self.bring(Register(0), x.value),
        }
        self.isa.call_routine(self.sincos_routine);
        let [sine, cosine] = [0, 1].map(Register);
        let (own, other) = if op == Unary::Sin { (sine, cosine) } else { (cosine, sine) };
        self.define(step.value, own, step.next_use);
        if let Some((partner, next_use)) = step.partner {
            self.define(partner, other, next_use);
        }
    }

    /// A fused operation by the routine inside the code, where the processor has none.
    fn fused_by_routine(&mut self, step: &Step, signs: Signs, operands: [&Operand; 3]) {
        self.bring_to_first(operands);
        for (register, negated) in [(Register(0), signs.minus_product), (Register(2), signs.minus_addend)] {
            if negated {
                self.isa.simple(Simple::Neg, register, register);
            }
        }
        self.isa.call_routine(self.fused_routine);
        self.define(step.value, Register(0), step.next_use);
    }

    /// Empties the registers that a routine may use and brings operands to the first of them.
    fn bring_to_first(&mut self, operands: [&Operand; 3]) {
        let sources = operands.map(|operand| self.homes.registers.of(operand.value));
        self.clobber(N_OF_ROUTINE);
        let targets = || (0..).map(Register).zip(sources);
        let mut moves: Vec<(Register, Register)> =
            targets().filter_map(|(d, s)| s.filter(|s| *s != d).map(|s| (d, s))).collect();
        while let Some((_, blocked)) = moves.first().copied() {
            match moves.iter().position(|(d, _)| moves.iter().all(|(_, s)| s != d)) {
                Some(k) => {
                    let (d, s) = moves.swap_remove(k);
                    self.isa.copy(d, s);
                }
                // Each waits for the next in a ring: one steps aside.
                None => {
                    self.isa.copy(I::scratch(), blocked);
                    moves.iter_mut().filter(|(_, s)| *s == blocked).for_each(|(_, s)| *s = I::scratch());
                }
            }
        }
        for ((d, source), operand) in targets().zip(operands) {
            if source.is_none() {
                self.isa.load(d, self.homes.memory(operand.value));
            }
        }
    }

    fn solve(&mut self, step: &Step, n: u32, operands: &[Operand]) {
        let n = n as usize;
        let (matrix, rhs) = operands.split_at(n * n);
        let columns = self.homes.layout.allocate_block(rhs.len() as u32);
        self.homes.set_place(step.value, columns);
        let site = self.site(Site::Solve { n, length: rhs.len(), value: step.value.index() as u32 });
        self.lay_out(matrix, self.arguments);
        self.lay_out(rhs, columns);
        self.clobber(I::N_ALLOCATABLE);
        self.isa.call_out(site, self.arguments, columns);
    }
}
