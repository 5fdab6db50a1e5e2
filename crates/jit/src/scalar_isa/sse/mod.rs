//! x86-64 with the instructions that every such processor has (SSE2).
//!
//! Intel 64 and IA-32 Architectures Software Developer's Manual, vol. 2, sec. 2.2.1 (REX prefixes) and the
//! instruction pages. An instruction overwrites its first operand, so an operation is a copy and an instruction unless
//! the result may stay in place. The function of a stage keeps its memory in rbx, inputs in rbp, outputs in r13
//! and the context in r14. Rounding down and fused operations are calls.

use crate::allocation::registers::Register;
use crate::allocation::value_locations::Memory;
use crate::scalar_isa::isa::{Arithmetic, Bits, Isa, Relation, Signs, Simple};

/// The register that values never use.
const OWN: Register = Register(15);
/// `rbx` points this far into the memory, so that short displacements reach more of it.
const BIAS: i32 = 128;
/// Mandatory prefixes.
const PREFIX_66: u8 = 0x66;
const PREFIX_F2: u8 = 0xF2;

/// A buffer of instructions.
#[derive(Debug)]
pub(crate) struct Sse {
    code: Vec<u8>,
    lanes: usize,
}

impl Sse {
    /// The prefix of arithmetic and moves.
    fn prefix(&self) -> u8 {
        if self.lanes == 1 { PREFIX_F2 } else { PREFIX_66 }
    }

    /// prefix, REX, 0F, opcode, registers.
    fn registers(&mut self, prefix: u8, opcode: u8, d: Register, s: Register) {
        self.opcode(prefix, opcode, d.0 >= 8, s.0 >= 8);
        self.code.push(0xC0 | (d.0 & 7) << 3 | (s.0 & 7));
    }

    fn opcode(&mut self, prefix: u8, opcode: u8, d_extended: bool, s_extended: bool) {
        self.code.push(prefix);
        if d_extended || s_extended {
            self.code.push(0x40 | u8::from(d_extended) << 2 | u8::from(s_extended));
        }
        self.code.extend_from_slice(&[0x0F, opcode]);
    }

    /// A move between a register and memory.
    fn transfer(&mut self, opcode: u8, register: Register, m: Memory) {
        let (base, extended, place, bias) = match m {
            Memory::Work(place) => (3, false, place, BIAS),
            Memory::Input(place) => (5, false, place, 0),
            Memory::Output(place) => (5, true, place, 0),
        };
        let displacement = self.offset(place) - bias;
        self.opcode(self.prefix(), opcode, register.0 >= 8, extended);
        let fields = (register.0 & 7) << 3 | base;
        if let Ok(short) = i8::try_from(displacement) {
            self.code.extend_from_slice(&[0x40 | fields, short as u8]);
        } else {
            self.code.push(0x80 | fields);
            self.code.extend_from_slice(&displacement.to_le_bytes());
        }
    }

    /// Bytes from the start of a vector to its entry.
    fn offset(&self, place: u32) -> i32 {
        let bytes = u64::from(place) * 8 * self.lanes as u64;
        i32::try_from(bytes).expect("memory stays below 2 GiB")
    }

    /// d = d op b, after d = a.
    fn in_place(&mut self, prefix: u8, opcode: u8, d: Register, a: Register, b: Register) {
        if d == b && d != a {
            self.copy(OWN, b);
            self.copy(d, a);
            self.registers(prefix, opcode, d, OWN);
        } else {
            self.copy(d, a);
            self.registers(prefix, opcode, d, b);
        }
    }

    /// Shifts whole numbers of 64 bits by a count; the field of the register tells which way.
    fn shift(&mut self, field: u8, d: Register, count: u8) {
        self.registers(PREFIX_66, 0x73, Register(field), d);
        self.code.push(count);
    }

    /// OWN = ones in all bits.
    fn all_ones(&mut self) {
        self.registers(PREFIX_66, 0x76, OWN, OWN); // pcmpeqd
    }

    /// A general register = address of a place in the engine's memory. `field` has the register in its place.
    fn address(&mut self, field: u8, place: u32) {
        self.code.extend_from_slice(&[0x48, 0x8D, 0x83 | field]); // lea r64, [rbx + disp32]
        self.code.extend_from_slice(&(self.offset(place) - BIAS).to_le_bytes());
    }
}

const LEFT: u8 = 6;
const RIGHT: u8 = 2;

impl Isa for Sse {
    const N_ALLOCATABLE: u8 = 14;
    const HAS_FUSED: bool = false;

    fn has(op: Simple) -> bool {
        op != Simple::Floor
    }

    fn new(lanes: usize) -> Self {
        Sse { code: Vec::new(), lanes }
    }
    fn lanes(&self) -> usize {
        self.lanes
    }
    fn set_lanes(&mut self, lanes: usize) {
        self.lanes = lanes;
    }
    fn position(&self) -> usize {
        self.code.len()
    }
    fn into_code(self) -> Vec<u8> {
        self.code
    }

    fn enter(&mut self) {
        self.code.extend_from_slice(&[0x53, 0x55, 0x41, 0x55, 0x41, 0x56]); // push rbx, rbp, r13, r14
        self.code.extend_from_slice(&[0x48, 0x83, 0xEC, 0x08]); // sub rsp, 8: calls want it aligned
        self.code.extend_from_slice(&[0x48, 0x8D, 0x9F]); // lea rbx, [rdi + BIAS]
        self.code.extend_from_slice(&BIAS.to_le_bytes());
        self.code.extend_from_slice(&[0x49, 0x89, 0xF5]); // mov r13, rsi
        self.code.extend_from_slice(&[0x49, 0x89, 0xD6]); // mov r14, rdx
        self.code.extend_from_slice(&[0x48, 0x89, 0xCD]); // mov rbp, rcx
    }
    fn leave(&mut self) {
        self.code.extend_from_slice(&[0x48, 0x83, 0xC4, 0x08]); // add rsp, 8
        self.code.extend_from_slice(&[0x41, 0x5E, 0x41, 0x5D, 0x5D, 0x5B, 0xC3]); // pop r14, r13, rbp, rbx; ret
    }
    fn call_routine(&mut self, position: usize) {
        let next = self.position() as i64 + 5;
        let distance = i32::try_from(position as i64 - next).expect("code stays below 2 GiB");
        self.code.push(0xE8);
        self.code.extend_from_slice(&distance.to_le_bytes());
    }
    fn return_from_routine(&mut self) {
        self.code.push(0xC3);
    }
    fn begin_calls(&mut self) {
        self.code.extend_from_slice(&[0x48, 0x83, 0xEC, 0x08]); // sub rsp, 8
    }
    fn end_calls(&mut self) {
        self.code.extend_from_slice(&[0x48, 0x83, 0xC4, 0x08]); // add rsp, 8
        self.return_from_routine();
    }
    fn call_out(&mut self, site: u32, args: u32, out: u32) {
        self.code.extend_from_slice(&[0x4C, 0x89, 0xF7]); // mov rdi, r14
        self.code.push(0xBE); // mov esi, imm32
        self.code.extend_from_slice(&site.to_le_bytes());
        self.address(2 << 3, args); // rdx
        self.address(1 << 3, out); // rcx
        self.code.extend_from_slice(&[0x41, 0xFF, 0x16]); // call [r14]
    }

    fn load(&mut self, d: Register, m: Memory) {
        self.transfer(0x10, d, m);
    }
    fn store(&mut self, m: Memory, s: Register) {
        self.transfer(0x11, s, m);
    }
    fn copy(&mut self, d: Register, s: Register) {
        if d != s {
            self.registers(PREFIX_66, 0x28, d, s); // movapd
        }
    }
    fn arithmetic(&mut self, op: Arithmetic, d: Register, a: Register, b: Register) {
        let (opcode, commutes) = match op {
            Arithmetic::Add => (0x58, true),
            Arithmetic::Mul => (0x59, true),
            Arithmetic::Sub => (0x5C, false),
            Arithmetic::Min => (0x5D, false),
            Arithmetic::Div => (0x5E, false),
            Arithmetic::Max => (0x5F, false),
        };
        let (a, b) = if commutes && d == b { (b, a) } else { (a, b) };
        self.in_place(self.prefix(), opcode, d, a, b);
    }
    fn simple(&mut self, op: Simple, d: Register, x: Register) {
        match op {
            Simple::Sqrt => self.registers(self.prefix(), 0x51, d, x),
            Simple::Neg => {
                self.all_ones();
                self.shift(LEFT, OWN, 63);
                self.bits(Bits::Xor, d, x, OWN);
            }
            Simple::Abs => {
                self.all_ones();
                self.shift(RIGHT, OWN, 1);
                self.bits(Bits::And, d, x, OWN);
            }
            Simple::Floor => unreachable!("rounding down is a call"),
        }
    }
    fn fused(&mut self, _: Signs, _: Register, _: Register, _: Register, _: Register) {
        unreachable!("a fused operation is a call")
    }
    fn compare(&mut self, relation: Relation, d: Register, a: Register, b: Register) {
        self.in_place(self.prefix(), 0xC2, d, a, b);
        self.code.push(match relation {
            Relation::Eq => 0,
            Relation::Lt => 1,
            Relation::Le => 2,
            Relation::Ne => 4,
        });
    }
    fn bits(&mut self, op: Bits, d: Register, a: Register, b: Register) {
        let opcode = match op {
            Bits::And => 0x54,
            Bits::Or => 0x56,
            Bits::Xor => 0x57,
        };
        let (a, b) = if d == b { (b, a) } else { (a, b) };
        self.in_place(PREFIX_66, opcode, d, a, b);
    }
    fn not(&mut self, d: Register, x: Register) {
        self.all_ones();
        self.bits(Bits::Xor, d, x, OWN);
    }
    fn blend(&mut self, d: Register, mask: Register, a: Register, b: Register) {
        self.copy(OWN, mask);
        self.registers(PREFIX_66, 0x55, OWN, b); // andnpd: b where the mask is false
        self.bits(Bits::And, d, mask, a);
        self.registers(PREFIX_66, 0x56, d, OWN); // orpd
    }

    fn join(&mut self, d: Register, s: Register) {
        self.registers(PREFIX_66, 0x14, d, s); // unpcklpd
    }
    fn shift_left(&mut self, d: Register, s: Register, count: u8) {
        self.copy(d, s);
        self.shift(LEFT, d, count);
    }
    fn add_integers(&mut self, d: Register, a: Register, b: Register) {
        let (a, b) = if d == b { (b, a) } else { (a, b) };
        self.in_place(PREFIX_66, 0xD4, d, a, b); // paddq
    }
    fn is_odd(&mut self, d: Register, s: Register) {
        self.copy(OWN, s);
        self.shift(LEFT, OWN, 63);
        self.shift(RIGHT, OWN, 63);
        self.registers(PREFIX_66, 0xEF, d, d); // pxor
        self.registers(PREFIX_66, 0xFB, d, OWN); // psubq: 0 − 1 is all ones
    }
    fn jump_unless_below(&mut self, x: Register, limit: Register) -> usize {
        if self.lanes == 1 {
            self.registers(PREFIX_66, 0x2E, limit, x); // ucomisd limit, x
            self.code.extend_from_slice(&[0x0F, 0x86, 0, 0, 0, 0]); // jbe: limit ≤ x, or unordered
        } else {
            self.compare(Relation::Lt, OWN, x, limit);
            self.registers(PREFIX_66, 0x50, Register(0), OWN); // movmskpd eax
            self.code.extend_from_slice(&[0x83, 0xF8, 0x03]); // cmp eax, 3: both lanes
            self.code.extend_from_slice(&[0x0F, 0x85, 0, 0, 0, 0]); // jne
        }
        self.position()
    }
    fn land(&mut self, jump: usize) {
        let distance = i32::try_from(self.position() - jump).expect("code stays below 2 GiB");
        self.code[jump - 4..jump].copy_from_slice(&distance.to_le_bytes());
    }
}

#[cfg(test)]
mod tests;
