//! Instructions of packs: vectors of four or eight numbers inside code for one state.
//!
//! Intel 64 and IA-32 Architectures Software Developer's Manual, vol. 2, sec. 2.7. Only registers from [`FIRST`] on are used, so that scalar
//! code, which has those below, and vectors do not meet. A memory operand is a row of numbers or one number for all lanes.

use crate::allocation::value_locations::Memory;
use crate::x86::assembler::{
    Arithmetic, Assembler, Bits, FusedForm, MAP_0F, MAP_0F38, NONE, PREFIX_66, Source, Xmm,
};
use crate::x86::evex::{Code, Form};

/// The first register of packs. Scalars beside them are many more and gain by every register; chains of packs need few.
pub(crate) const FIRST: u8 = 24;
/// The mask register that selects lanes of a store.
const MASK: u8 = 1;

/// The last operand of an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Operand {
    Register(Xmm),
    /// Numbers side by side.
    Row(Memory),
    /// One number.
    Broadcast(Memory),
}

/// How many lanes a register has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Length {
    Four,
    Eight,
}

impl Length {
    /// The shorter one that has so many lanes.
    pub(crate) fn of(n_lanes: usize) -> Length {
        if n_lanes <= 4 { Length::Four } else { Length::Eight }
    }

    fn bits(self) -> u8 {
        if self == Length::Four { 0x20 } else { 0x40 }
    }

    fn bytes(self) -> i32 {
        if self == Length::Four { 32 } else { 64 }
    }
}

impl Assembler {
    /// One instruction of packs; `mask` selects lanes, 0 is all.
    fn packed(&mut self, code: Code, length: Length, d: Xmm, a: Xmm, b: Operand, mask: u8) {
        let (source, unit, broadcast): (Source, i32, u8) = match b {
            Operand::Register(r) => (r.into(), 1, 0),
            Operand::Row(memory) => (memory.into(), length.bytes(), 0),
            Operand::Broadcast(memory) => (memory.into(), 8, 0x10),
        };
        let b = self.resolve_by(source, unit);
        self.evex_instruction(code, Form { bits: length.bits() | broadcast, mask, unit }, d, a, b);
    }

    /// d = a op b in all lanes.
    pub(crate) fn packed_arithmetic(&mut self, op: Arithmetic, length: Length, d: Xmm, a: Xmm, b: Operand) {
        self.packed((PREFIX_66, MAP_0F, op as u8), length, d, a, b, 0);
    }

    /// d = a op b on the bits of all lanes.
    pub(crate) fn packed_bits(&mut self, op: Bits, length: Length, d: Xmm, a: Xmm, b: Operand) {
        self.packed((PREFIX_66, MAP_0F, op as u8), length, d, a, b, 0);
    }

    /// d = ±(product) ± (addend) in all lanes; see [`FusedForm`].
    pub(crate) fn packed_fused(
        &mut self,
        form: FusedForm,
        (minus_product, minus_addend): (bool, bool),
        length: Length,
        d: Xmm,
        a: Xmm,
        b: Operand,
    ) {
        let opcode = form as u8 + 8 + 2 * u8::from(minus_addend) + 4 * u8::from(minus_product);
        self.packed((PREFIX_66, MAP_0F38, opcode), length, d, a, b, 0);
    }

    /// d = b.
    pub(crate) fn packed_load(&mut self, length: Length, d: Xmm, b: Operand) {
        match b {
            Operand::Register(r) if r == d => {}
            Operand::Register(_) | Operand::Row(_) => {
                self.packed((PREFIX_66, MAP_0F, 0x10), length, d, NONE, b, 0); // vmovupd
            }
            Operand::Broadcast(memory) => {
                // vbroadcastsd has the displacement of one number, and no bit for a broadcast.
                self.broadcast(length, d, memory);
            }
        }
    }

    fn broadcast(&mut self, length: Length, d: Xmm, memory: Memory) {
        let memory = self.resolve(memory);
        let form = Form { bits: length.bits(), mask: 0, unit: 8 };
        self.evex_instruction((PREFIX_66, MAP_0F38, 0x19), form, d, NONE, memory);
    }

    /// Numbers at m = all lanes of s.
    pub(crate) fn packed_store(&mut self, length: Length, m: Memory, s: Xmm) {
        self.packed((PREFIX_66, MAP_0F, 0x11), length, s, NONE, Operand::Row(m), 0);
    }

    /// Numbers at m = the lanes of s that the mask selects.
    pub(crate) fn packed_store_some(&mut self, length: Length, m: Memory, s: Xmm) {
        self.packed((PREFIX_66, MAP_0F, 0x11), length, s, NONE, Operand::Row(m), MASK);
    }

    /// The same where lane 0 would stand so many numbers before the first output.
    pub(crate) fn packed_store_before(&mut self, length: Length, n_before: u32, s: Xmm) {
        self.packed_store_some(length, Memory::Output(0), s);
        // In place of the short displacement, which is 0, a long one.
        self.code.pop();
        if let Some(mod_rm) = self.code.last_mut() {
            *mod_rm = 0x80 | (*mod_rm & 0x3F);
        }
        self.code.extend_from_slice(&(-8 * n_before.cast_signed()).to_le_bytes());
    }

    /// The mask = these lanes. Overwrites eax.
    pub(crate) fn select_lanes(&mut self, lanes: u8) {
        self.code.extend_from_slice(&[0xB8, lanes, 0, 0, 0]); // mov eax, imm32
        self.code.extend_from_slice(&[0xC5, 0xF8, 0x92, 0xC0 | MASK << 3]); // kmovw k1, eax
    }
}
