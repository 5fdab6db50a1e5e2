//! Instructions to bytes: the few dozen forms that straight-line floating-point code needs.
//!
//! Intel 64 and IA-32 Architectures Software Developer's Manual, vol. 2, sec. 2.3 (VEX prefix) and the
//! instruction pages. Memory operands are `[rbx + disp]` (the engine's memory, [`Memory::Work`]), `[rbp +
//! disp]` (the caller's inputs) or `[r13 + disp]` (the caller's outputs); the engine's memory is reached from further registers (`base_registers`) where
//! that makes displacements short. [`Width`] chooses between scalar instructions and those of several lanes,
//! which differ in prefix, length and a few opcodes; eight lanes have a prefix of their own (`evex`), which scalar
//! instructions take, too, where it is shorter or they name a register that only it knows.

/// A floating-point register: xmm0 to xmm15, with eight lanes zmm0 to zmm31.
pub(crate) use crate::allocation::registers::Register as Xmm;
use crate::allocation::value_locations::Memory;
use crate::x86::base_registers::{Reach, SIZE, Windows};
use crate::x86::evex::{Form, short};
use crate::x86::width::Width;

/// The last operand of an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Source {
    Register(Xmm),
    Memory(Memory),
}

impl From<Xmm> for Source {
    fn from(register: Xmm) -> Self {
        Source::Register(register)
    }
}

impl From<Memory> for Source {
    fn from(memory: Memory) -> Self {
        Source::Memory(memory)
    }
}

/// The last operand, as an instruction spells it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Place {
    Register(Xmm),
    At {
        /// The number of a general register.
        base: u8,
        displacement: i32,
    },
}

pub(crate) const PREFIX_66: u8 = 1;
pub(crate) const PREFIX_F3: u8 = 2;
pub(crate) const PREFIX_F2: u8 = 3;
pub(crate) const MAP_0F: u8 = 1;
pub(crate) const MAP_0F38: u8 = 2;
const MAP_0F3A: u8 = 3;
/// The register field of instructions without second operand.
pub(crate) const NONE: Xmm = Xmm(0);

/// d = a op b.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Arithmetic {
    Add = 0x58,
    Mul = 0x59,
    Sub = 0x5C,
    Min = 0x5D,
    Div = 0x5E,
    Max = 0x5F,
    Sqrt = 0x51,
}

/// d = a op b on bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Bits {
    And = 0x54,
    Or = 0x56,
    Xor = 0x57,
}

/// Predicates of comparisons: ordered ones are false for NaN and quiet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Predicate {
    Eq = 0x00,
    Ne = 0x04,
    Lt = 0x11,
    Le = 0x12,
    /// Also true for NaN.
    NotLt = 0x15,
    Ge = 0x1D,
    Gt = 0x1E,
}

/// Operand order of a fused operation: which of the three is `d`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum FusedForm {
    /// d = d · b + a.
    F132 = 0x90,
    /// d = a · d + b.
    F213 = 0xA0,
    /// d = a · b + d.
    F231 = 0xB0,
}

/// General registers, in the order of the calling convention, for arguments of calls.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Argument {
    Rdi = 7,
    Rsi = 6,
    Rdx = 2,
    Rcx = 1,
    R8 = 8,
    R9 = 9,
}

/// A buffer of machine code.
#[derive(Debug)]
pub(crate) struct Assembler {
    pub(crate) code: Vec<u8>,
    pub(crate) width: Width,
    pub(crate) windows: Windows,
    /// Whether scalar instructions may have the prefix of AVX-512.
    pub(crate) is_compact: bool,
}

impl Assembler {
    pub(crate) fn new(width: Width) -> Self {
        let is_compact =
            width == Width::Scalar && Width::Eight.is_supported() && is_x86_feature_detected!("avx512vl");
        Assembler { code: Vec::new(), width, windows: Windows::new(), is_compact }
    }

    pub(crate) fn position(&self) -> usize {
        self.code.len()
    }

    /// Bytes from the start of a vector to its entry.
    fn offset(&self, index: u32) -> i32 {
        let bytes = u64::from(index) * 8 * self.width.lanes() as u64;
        i32::try_from(bytes).expect("memory stays below 2 GiB")
    }

    /// An instruction on numbers, in the encoding of the width; for scalars in the shorter one.
    fn vector(&mut self, prefix: u8, map: u8, wide: bool, opcode: u8, d: Xmm, a: Xmm, b: Source) {
        if self.width == Width::Eight {
            return self.evex(prefix, map, opcode, d, a, b, 0);
        }
        let b = self.resolve(b);
        if self.is_compact && self.width == Width::Scalar {
            let unit = if prefix == PREFIX_F2 || map != MAP_0F { 8 } else { 16 };
            let is_known = d.0 < 16 && a.0 < 16 && !matches!(b, Place::Register(r) if r.0 >= 16);
            // Comparisons, blends and tests of vectors are other instructions there.
            let has_evex = !matches!((map, opcode), (MAP_0F, 0xC2) | (MAP_0F3A, 0x4B) | (MAP_0F38, 0x17));
            let is_shorter = matches!(b, Place::At { displacement, .. }
                if short(displacement, 1).is_none() && short(displacement, unit).is_some());
            if has_evex && (is_shorter || !is_known) {
                let form = Form { bits: 0, mask: 0, unit };
                return self.evex_instruction((prefix, map, opcode), form, d, a, b);
            }
        }
        self.vex(prefix, map, wide, opcode, d, a, b);
    }

    fn vex(&mut self, prefix: u8, map: u8, wide: bool, opcode: u8, d: Xmm, a: Xmm, b: Place) {
        let base_extended = match b {
            Place::Register(r) => r.0 >= 8,
            Place::At { base, .. } => base >= 8,
        };
        let rest = (!a.0 & 15) << 3 | self.width.length() << 2 | prefix;
        let r = if d.0 < 8 { 0x80 } else { 0 };
        if map == MAP_0F && !wide && !base_extended {
            self.code.extend_from_slice(&[0xC5, r | rest, opcode]);
        } else {
            let b_bit = if base_extended { 0 } else { 0x20 };
            self.code.extend_from_slice(&[0xC4, r | 0x40 | b_bit | map, u8::from(wide) << 7 | rest, opcode]);
        }
        self.mod_rm(d.0 & 7, b);
    }

    /// Where a place is from the register that is always there.
    pub(crate) fn place(&self, memory: Memory) -> Place {
        let (base, displacement) = match memory {
            Memory::Work(index) => (3, self.offset(index) - self.width.bias()),
            Memory::Input(index) => (5, self.offset(index)),
            Memory::Output(index) => (13, self.offset(index)),
        };
        Place::At { base, displacement }
    }

    /// The operand as an instruction spells it; a register may move to the window of its place before.
    pub(crate) fn resolve(&mut self, b: impl Into<Source>) -> Place {
        self.resolve_by(b, 8 * self.width.lanes() as i32)
    }

    /// The same for an instruction whose short displacements count other units.
    pub(crate) fn resolve_by(&mut self, b: impl Into<Source>, counted: i32) -> Place {
        let memory = match b.into() {
            Source::Register(r) => return Place::Register(r),
            Source::Memory(memory) => memory,
        };
        let far = self.place(memory);
        let unit = 8 * self.width.lanes() as i32;
        let (Memory::Work(index), Place::At { displacement, .. }) = (memory, far) else { return far };
        let is_near = short(displacement, counted).is_some();
        if is_near || !(self.width == Width::Eight || self.is_compact && self.width == Width::Scalar) {
            return far;
        }
        let window = index / SIZE;
        let middle = window * SIZE + SIZE / 2;
        let near =
            |base| Place::At { base, displacement: (index.cast_signed() - middle.cast_signed()) * unit };
        match self.windows.reach(window) {
            Reach::Long => far,
            Reach::From(base) => near(base),
            Reach::Moved(base) => {
                let displacement = self.offset(middle) - self.width.bias();
                self.code.extend_from_slice(&[0x48 | u8::from(base >= 8) << 2, 0x8D, 0x83 | (base & 7) << 3]); // lea base, [rbx + disp]
                self.code.extend_from_slice(&displacement.to_le_bytes());
                near(base)
            }
        }
    }

    fn mod_rm(&mut self, register: u8, b: Place) {
        let (base, displacement) = match b {
            Place::Register(r) => {
                self.code.push(0xC0 | register << 3 | (r.0 & 7));
                return;
            }
            Place::At { base, displacement } => (base & 7, displacement),
        };
        if let Ok(short) = i8::try_from(displacement) {
            self.code.extend_from_slice(&[0x40 | register << 3 | base, short as u8]);
        } else {
            self.code.push(0x80 | register << 3 | base);
            self.code.extend_from_slice(&displacement.to_le_bytes());
        }
    }

    /// d = a op b. A square root ignores `a` but for the unused part of the register.
    pub(crate) fn arithmetic(&mut self, op: Arithmetic, d: Xmm, a: Xmm, b: impl Into<Source>) {
        let (mut a, mut b) = (if op == Arithmetic::Sqrt { self.upper_part(a) } else { a }, b.into());
        // The short prefix knows only eight registers as the last operand.
        if let (Arithmetic::Add | Arithmetic::Mul, Source::Register(last)) = (op, b)
            && last.0 >= 8
            && a.0 < 8
        {
            (a, b) = (last, a.into());
        }
        self.vector(self.width.prefix(), MAP_0F, false, op as u8, d, a, b);
    }
    /// d = a op b on all bits. A scalar memory operand is read 16 bytes wide.
    pub(crate) fn bits(&mut self, op: Bits, d: Xmm, a: Xmm, b: impl Into<Source>) {
        self.vector(PREFIX_66, MAP_0F, false, op as u8, d, a, b.into());
    }
    /// d = all ones if the comparison holds, otherwise zero.
    pub(crate) fn compare(&mut self, predicate: Predicate, d: Xmm, a: Xmm, b: impl Into<Source>) {
        if self.width == Width::Eight {
            self.compare_to_mask(predicate, a, b.into());
            return self.spread_mask(d);
        }
        self.vector(self.width.prefix(), MAP_0F, false, 0xC2, d, a, b.into());
        self.code.push(predicate as u8);
    }
    /// d = b if the sign bit of `mask` is set, otherwise a. A scalar memory operand is read 16 bytes wide.
    pub(crate) fn blend(&mut self, d: Xmm, a: Xmm, b: impl Into<Source>, mask: Xmm) {
        if self.width == Width::Eight {
            self.gather_mask(mask);
            return self.blend_by_mask(d, a, b.into());
        }
        self.vector(PREFIX_66, MAP_0F3A, false, 0x4B, d, a, b.into());
        self.code.push(mask.0 << 4);
    }
    /// The register that fills the unused part of a scalar result; packed instructions have no such operand.
    fn upper_part(&self, register: Xmm) -> Xmm {
        if self.width == Width::Scalar { register } else { NONE }
    }
    /// d = floor(b).
    pub(crate) fn floor(&mut self, d: Xmm, b: impl Into<Source>) {
        let opcode = if self.width == Width::Scalar { 0x0B } else { 0x09 };
        self.vector(PREFIX_66, MAP_0F3A, false, opcode, d, self.upper_part(d), b.into());
        self.code.push(9);
    }
    /// d = ±(product) ± (addend); see [`FusedForm`].
    pub(crate) fn fused(
        &mut self,
        form: FusedForm,
        minus_product: bool,
        minus_addend: bool,
        d: Xmm,
        a: Xmm,
        b: impl Into<Source>,
    ) {
        let kind = if self.width == Width::Scalar { 9 } else { 8 };
        let opcode = form as u8 + kind + 2 * u8::from(minus_addend) + 4 * u8::from(minus_product);
        self.vector(PREFIX_66, MAP_0F38, true, opcode, d, a, b.into());
    }
    /// d = number at m.
    pub(crate) fn load(&mut self, d: Xmm, m: Memory) {
        self.vector(self.width.prefix(), MAP_0F, false, 0x10, d, NONE, m.into());
    }
    /// d = the lower half of a, then the number at m. For scalar code that gathers.
    pub(crate) fn load_upper(&mut self, d: Xmm, a: Xmm, m: Memory) {
        self.vex(PREFIX_66, MAP_0F, false, 0x16, d, a, self.place(m)); // vmovhpd
    }
    /// d = four numbers side by side. For scalar code that gathers; what follows is code of four lanes.
    pub(crate) fn load_four(&mut self, d: Xmm, m: Memory) {
        let start = self.code.len();
        self.vex(PREFIX_66, MAP_0F, false, 0x10, d, NONE, self.place(m)); // vmovupd
        // The length stands in the last byte of the prefix.
        let last = if self.code[start] == 0xC5 { 1 } else { 2 };
        self.code[start + last] |= 4;
    }
    /// d = the lower two lanes of a, then those of b. For code of four lanes.
    pub(crate) fn join(&mut self, d: Xmm, a: Xmm, b: Xmm) {
        self.vex(PREFIX_66, MAP_0F3A, false, 0x18, d, a, Place::Register(b)); // vinsertf128
        self.code.push(1);
    }
    /// Number at m = s.
    pub(crate) fn store(&mut self, m: Memory, s: Xmm) {
        self.vector(self.width.prefix(), MAP_0F, false, 0x11, s, NONE, m.into());
    }
    /// d = s.
    pub(crate) fn copy(&mut self, d: Xmm, s: impl Into<Source>) {
        match s.into() {
            Source::Register(s) if s == d => {}
            Source::Register(s) => self.vector(PREFIX_66, MAP_0F, false, 0x28, d, NONE, s.into()),
            Source::Memory(m) => self.load(d, m),
        }
    }
    /// d = d shifted left by `count` bits, each half by itself.
    pub(crate) fn shift_left(&mut self, d: Xmm, s: Xmm, count: u8) {
        // The destination stands in the second-operand field; the register field extends the opcode.
        self.vector(PREFIX_66, MAP_0F, false, 0x73, Xmm(6), d, s.into());
        self.code.push(count);
    }
    /// d = a + b as whole numbers of 64 bits. A scalar memory operand is read 16 bytes wide.
    pub(crate) fn add_integers(&mut self, d: Xmm, a: Xmm, b: impl Into<Source>) {
        self.vector(PREFIX_66, MAP_0F, false, 0xD4, d, a, b.into());
    }
    /// Jumps ahead unless x is below the limit in every lane; returns the place to patch.
    pub(crate) fn jump_unless_below(&mut self, x: Xmm, limit: Memory, spare: Xmm) -> usize {
        match self.width {
            Width::Scalar => {
                self.load(spare, limit);
                self.vector(PREFIX_66, MAP_0F, false, 0x2E, spare, NONE, x.into()); // vucomisd limit, x
                self.code.extend_from_slice(&[0x0F, 0x86, 0, 0, 0, 0]); // jbe: limit ≤ x, or unordered
            }
            Width::Two | Width::Four => {
                self.compare(Predicate::NotLt, spare, x, limit);
                self.vector(PREFIX_66, MAP_0F38, false, 0x17, spare, NONE, spare.into()); // vptest
                self.code.extend_from_slice(&[0x0F, 0x85, 0, 0, 0, 0]); // jnz: a lane is not below
            }
            Width::Eight => {
                self.compare_to_mask(Predicate::NotLt, x, limit.into());
                self.test_mask();
                self.code.extend_from_slice(&[0x0F, 0x85, 0, 0, 0, 0]); // jnz: a lane is not below
            }
        }
        self.position()
    }
}

/// Calls, frames and the few general-purpose instructions they need.
impl Assembler {
    /// Saves what the convention asks for and takes the arguments: memory, outputs, status, inputs, and how many more stages run. Five registers
    /// saved leave the stack aligned, as calls want it.
    pub(crate) fn enter(&mut self) {
        self.code.extend_from_slice(&[0x53, 0x55, 0x41, 0x55, 0x41, 0x56, 0x41, 0x57]); // push rbx, rbp, r13, r14, r15
        self.code.extend_from_slice(&[0x48, 0x8D, 0x9F]); // lea rbx, [rdi + BIAS]
        self.code.extend_from_slice(&self.width.bias().to_le_bytes());
        self.code.extend_from_slice(&[0x49, 0x89, 0xF5]); // mov r13, rsi
        self.code.extend_from_slice(&[0x49, 0x89, 0xD6]); // mov r14, rdx
        self.code.extend_from_slice(&[0x48, 0x89, 0xCD]); // mov rbp, rcx
        self.code.extend_from_slice(&[0x4D, 0x89, 0xC7]); // mov r15, r8
    }
    /// Jumps ahead if more stages run; returns the place to patch.
    pub(crate) fn jump_if_more(&mut self) -> usize {
        self.code.extend_from_slice(&[0x49, 0x83, 0xEF, 0x01]); // sub r15, 1
        self.code.extend_from_slice(&[0x0F, 0x83, 0, 0, 0, 0]); // jnc
        self.position()
    }
    /// Restores and returns.
    pub(crate) fn leave(&mut self) {
        self.clean_upper_halves();
        self.code.extend_from_slice(&[0x41, 0x5F, 0x41, 0x5E, 0x41, 0x5D, 0x5D, 0x5B]); // pop r15, r14, r13, rbp, rbx
        self.ret();
    }
    pub(crate) fn ret(&mut self) {
        self.code.push(0xC3);
    }
    /// A general register = a number.
    pub(crate) fn set(&mut self, register: Argument, value: u64) {
        self.windows.forget();
        let index = register as u8;
        let extended = index >= 8;
        if let Ok(small) = u32::try_from(value) {
            if extended {
                self.code.push(0x41);
            }
            self.code.push(0xB8 | (index & 7)); // mov r32, imm32 clears the upper half
            self.code.extend_from_slice(&small.to_le_bytes());
        } else {
            self.code.extend_from_slice(&[0x48 | u8::from(extended), 0xB8 | (index & 7)]); // mov r64, imm64
            self.code.extend_from_slice(&value.to_le_bytes());
        }
    }
    /// A general register = address of a number in the engine's memory.
    pub(crate) fn address(&mut self, register: Argument, index: u32) {
        self.windows.forget();
        let r = register as u8;
        self.code.extend_from_slice(&[0x48 | if r >= 8 { 4 } else { 0 }, 0x8D, 0x80 | (r & 7) << 3 | 3]); // lea
        self.code.extend_from_slice(&(self.offset(index) - self.width.bias()).to_le_bytes());
    }
    /// A general register = address of the status.
    pub(crate) fn status(&mut self, register: Argument) {
        self.windows.forget();
        let r = register as u8;
        self.code.extend_from_slice(&[0x4C | u8::from(r >= 8), 0x89, 0xF0 | (r & 7)]); // mov r64, r14
    }
    /// Calls a function at a fixed address.
    pub(crate) fn call(&mut self, target: usize) {
        self.windows.forget();
        self.clean_upper_halves();
        self.code.extend_from_slice(&[0x48, 0xB8]); // mov rax, imm64
        self.code.extend_from_slice(&(target as u64).to_le_bytes());
        self.code.extend_from_slice(&[0xFF, 0xD0]); // call rax
    }
    /// Calls code at a position in this buffer, which leaves the registers of windows as they are.
    pub(crate) fn call_local(&mut self, target: usize) {
        let next = self.position() as i64 + 5;
        let distance = i32::try_from(target as i64 - next).expect("code stays below 2 GiB");
        self.code.push(0xE8);
        self.code.extend_from_slice(&distance.to_le_bytes());
    }
    /// Makes the jump that ends at `patch` arrive here.
    pub(crate) fn land(&mut self, patch: usize) {
        let distance = i32::try_from(self.position() - patch).expect("code stays below 2 GiB");
        self.code[patch - 4..patch].copy_from_slice(&distance.to_le_bytes());
    }
    /// Saves registers on the stack; `bytes` are reserved, a multiple of 16 plus what alignment needs.
    pub(crate) fn reserve_stack(&mut self, bytes: i32) {
        self.code.extend_from_slice(&[0x48, 0x81, 0xEC]); // sub rsp, imm32
        self.code.extend_from_slice(&bytes.to_le_bytes());
    }
    /// Gives the stack back.
    pub(crate) fn release_stack(&mut self, bytes: i32) {
        self.code.extend_from_slice(&[0x48, 0x81, 0xC4]); // add rsp, imm32
        self.code.extend_from_slice(&bytes.to_le_bytes());
    }
    /// Stores a whole register at [rsp + offset].
    pub(crate) fn store_on_stack(&mut self, register: Xmm, offset: i32) {
        self.stack_move(0x11, register, offset);
    }
    /// Loads a whole register from [rsp + offset].
    pub(crate) fn load_from_stack(&mut self, register: Xmm, offset: i32) {
        self.stack_move(0x10, register, offset);
    }
    fn stack_move(&mut self, opcode: u8, register: Xmm, offset: i32) {
        if self.width == Width::Eight || register.0 >= 16 {
            return self.stack_move_of_evex(opcode, register, offset, self.width == Width::Eight);
        }
        let r = if register.0 < 8 { 0x80 } else { 0 };
        self.code.extend_from_slice(&[0xC5, r | 0x78 | self.width.length() << 2 | PREFIX_66, opcode]); // vmovupd
        self.code.extend_from_slice(&[0x84 | (register.0 & 7) << 3, 0x24]);
        self.code.extend_from_slice(&offset.to_le_bytes());
    }
    /// Saves the registers of windows; an even number of them, so that the stack stays as aligned as it was.
    pub(crate) fn push_windows(&mut self) {
        self.code.extend_from_slice(&[0x51, 0x52, 0x56, 0x57]); // push rcx, rdx, rsi, rdi
        self.code.extend_from_slice(&[0x41, 0x50, 0x41, 0x51, 0x41, 0x52, 0x41, 0x53]); // push r8, r9, r10, r11
    }
    /// Restores them.
    pub(crate) fn pop_windows(&mut self) {
        self.code.extend_from_slice(&[0x41, 0x5B, 0x41, 0x5A, 0x41, 0x59, 0x41, 0x58]); // pop r11, r10, r9, r8
        self.code.extend_from_slice(&[0x5F, 0x5E, 0x5A, 0x59]); // pop rdi, rsi, rdx, rcx
    }
    /// The first argument of a call = rsp.
    pub(crate) fn pass_stack_pointer(&mut self) {
        self.code.extend_from_slice(&[0x48, 0x89, 0xE7]); // mov rdi, rsp
    }
    /// Bytes of a whole register.
    pub(crate) fn register_size(&self) -> i32 {
        (8 * self.width.lanes() as i32).max(16)
    }
    /// Leaves the upper halves of vector registers clean, as code of scalar kind expects.
    pub(crate) fn clean_upper_halves(&mut self) {
        if matches!(self.width, Width::Four | Width::Eight) {
            self.code.extend_from_slice(&[0xC5, 0xF8, 0x77]); // vzeroupper
        }
    }
}
