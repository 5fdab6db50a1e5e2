//! Operations that become calls: tables, systems, host functions, and elementary functions without an
//! instruction.
//!
//! A call overwrites all floating-point registers, so values that are used again are stored before it. One
//! lane passes reals in registers; several lanes pass rows of numbers in memory, the result in the third row
//! of the arguments.

use cardan_base::Id;
use cardan_program::{Binary, CurveId, FunctionId, SurfaceId, Unary};

use crate::allocation::value_locations::Memory;
use crate::instructions::{Operand, Step};
use crate::x86::assembler::{Argument, Source, Xmm};
use crate::x86::translate::Translator;
use crate::x86::width::Width;
use crate::x86::{runtime_calls, sincos};

/// All registers: what a call may overwrite.
const ALL: u32 = u32::MAX;

/// General registers in the order of the convention.
const GENERAL: [Argument; 5] = [Argument::Rdi, Argument::Rsi, Argument::Rdx, Argument::Rcx, Argument::R8];

/// What to call: an address, and numbers for the first general registers.
struct Target<'a>(usize, &'a [u64]);

impl Translator<'_> {
    /// Empties registers that a call overwrites; their contents stay until the call itself.
    fn clobber(&mut self, mask: u32) {
        for r in (0..self.homes.registers.len()).filter(|r| mask & 1 << r != 0) {
            self.evict(Xmm(r));
        }
        self.evict_packs();
    }

    /// Calls a function of one or two reals.
    fn call(&mut self, step: &Step, reals: &[Operand], scalar: Target<'_>, lanes: Target<'_>) {
        match self.asm.width {
            Width::Scalar => self.call_in_registers(reals, &scalar),
            Width::Two | Width::Four | Width::Eight => self.call_in_memory(reals, &lanes),
        }
        self.define(step.value, Xmm(0), step.next_use);
    }

    fn call_in_registers(&mut self, reals: &[Operand], target: &Target<'_>) {
        let sources: Vec<Source> = reals.iter().map(|o| self.source(o.value)).collect();
        self.clobber(ALL);
        if let [_, second] = sources[..] {
            self.asm.copy(self.scratch, second);
        }
        self.asm.copy(Xmm(0), sources[0]);
        if sources.len() == 2 {
            self.asm.copy(Xmm(1), self.scratch);
        }
        for (register, value) in GENERAL.into_iter().zip(target.1) {
            self.asm.set(register, *value);
        }
        self.asm.call(target.0);
    }

    fn call_in_memory(&mut self, reals: &[Operand], target: &Target<'_>) {
        self.lay_out(reals, self.arguments);
        self.clobber(ALL);
        for (register, value) in GENERAL.into_iter().zip(target.1) {
            self.asm.set(register, *value);
        }
        let n = target.1.len();
        self.asm.address(GENERAL[n], self.arguments);
        self.asm.address(GENERAL[n + 1], self.arguments + 2);
        self.asm.call(target.0);
        self.asm.load(Xmm(0), Memory::Work(self.arguments + 2));
    }

    pub(crate) fn call_unary(&mut self, step: &Step, op: Unary, x: &Operand) {
        let function = runtime_calls::unary(op);
        let lanes = runtime_calls::for_width!(unary_lanes(_, _, _), self.asm.width);
        self.call(step, &[*x], Target(function, &[]), Target(lanes, &[function as u64]));
    }

    pub(crate) fn call_binary(&mut self, step: &Step, op: Binary, a: &Operand, b: &Operand) {
        let function = runtime_calls::binary(op);
        let lanes = runtime_calls::for_width!(binary_lanes(_, _, _), self.asm.width);
        self.call(step, &[*a, *b], Target(function, &[]), Target(lanes, &[function as u64]));
    }

    pub(crate) fn lookup1(&mut self, step: &Step, table: CurveId, order: u8, x: &Operand) {
        let table = std::ptr::from_ref(&self.surroundings.curves[table]) as u64;
        let general = [table, u64::from(order)];
        let scalar = runtime_calls::lookup1 as unsafe extern "sysv64" fn(_, _, _) -> _ as usize;
        let lanes = runtime_calls::for_width!(lookup1_lanes(_, _, _, _), self.asm.width);
        self.call(step, &[*x], Target(scalar, &general), Target(lanes, &general));
    }

    pub(crate) fn lookup2(
        &mut self,
        step: &Step,
        table: SurfaceId,
        orders: (u8, u8),
        x: &Operand,
        y: &Operand,
    ) {
        let table = std::ptr::from_ref(&self.surroundings.surfaces[table]) as u64;
        let general = [table, u64::from(orders.0), u64::from(orders.1)];
        let scalar = runtime_calls::lookup2 as unsafe extern "sysv64" fn(_, _, _, _, _) -> _ as usize;
        let lanes = runtime_calls::for_width!(lookup2_lanes(_, _, _, _, _), self.asm.width);
        self.call(step, &[*x, *y], Target(scalar, &general), Target(lanes, &general));
    }

    /// Sine and cosine by the routine inside the code.
    pub(crate) fn sincos(&mut self, step: &Step, op: Unary, x: &Operand) {
        let source = self.source(x.value);
        self.clobber(sincos::CLOBBERED);
        self.asm.copy(Xmm(0), source);
        self.asm.call_local(self.sincos_routine);
        let (own, other) = if op == Unary::Sin { (Xmm(0), Xmm(1)) } else { (Xmm(1), Xmm(0)) };
        self.define(step.value, own, step.next_use);
        if let Some((partner, next_use)) = step.partner {
            self.define(partner, other, next_use);
        }
    }

    /// Copies operands to places in a row.
    fn lay_out(&mut self, operands: &[Operand], first: u32) {
        for (place, operand) in (first..).zip(operands) {
            let register = match self.source(operand.value) {
                Source::Register(register) => register,
                Source::Memory(memory) => {
                    self.asm.load(self.scratch, memory);
                    self.scratch
                }
            };
            self.asm.store(Memory::Work(place), register);
        }
    }

    pub(crate) fn host_call(&mut self, step: &Step, function: FunctionId, args: &[Operand]) {
        let result = self.arguments + args.len() as u32;
        self.lay_out(args, self.arguments);
        self.clobber(ALL);
        self.asm.set(Argument::Rdi, std::ptr::from_ref(&self.surroundings.functions[function]) as u64);
        self.asm.address(Argument::Rsi, self.arguments);
        self.asm.set(Argument::Rdx, args.len() as u64);
        self.asm.status(Argument::Rcx);
        self.asm.address(Argument::R8, result);
        self.asm.call(runtime_calls::for_width!(call(_, _, _, _, _), self.asm.width));
        self.asm.load(Xmm(0), Memory::Work(result));
        self.define(step.value, Xmm(0), step.next_use);
    }

    pub(crate) fn solve(&mut self, step: &Step, n: u32, operands: &[Operand]) {
        let (matrix, rhs) = operands.split_at(n as usize * n as usize);
        let columns = self.homes.layout.allocate_block(rhs.len() as u32);
        self.homes.set_place(step.value, columns);
        self.lay_out(matrix, self.arguments);
        self.lay_out(rhs, columns);
        self.clobber(ALL);
        self.asm.set(Argument::Rdi, u64::from(n));
        self.asm.address(Argument::Rsi, self.arguments);
        self.asm.address(Argument::Rdx, columns);
        self.asm.set(Argument::Rcx, rhs.len() as u64);
        self.asm.status(Argument::R8);
        self.asm.set(Argument::R9, step.value.index() as u64);
        self.asm.call(runtime_calls::for_width!(solve(_, _, _, _, _, _), self.asm.width));
    }
}
