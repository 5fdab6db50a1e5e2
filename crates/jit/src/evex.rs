//! Instructions of eight lanes: the EVEX prefix and mask registers.
//!
//! Intel 64 and IA-32 Architectures Software Developer's Manual, vol. 2, sec. 2.7. Everything is 512 bits wide and of 64-bit
//! elements (W = 1). Short displacements count whole registers (disp8*N, N = 64). Truth values are all ones or zeros in a
//! vector register, as with other widths; the mask k1 holds them only between two neighbouring instructions.

use crate::assembler::{Assembler, MAP_0F, MAP_0F38, NONE, PREFIX_66, PREFIX_F3, Predicate, Source, Xmm};
use crate::homes::Memory;

/// The mask register that is used, as a register and as the field of a masked instruction.
const MASK: u8 = 1;
/// Bytes of a register.
const BYTES: i32 = 64;

impl Assembler {
    /// One instruction; `mask` selects elements, 0 is all.
    #[allow(clippy::too_many_arguments, reason = "the fields of the prefix")]
    pub(crate) fn evex(&mut self, prefix: u8, map: u8, opcode: u8, d: Xmm, a: Xmm, b: Source, mask: u8) {
        let (base_low, base_high) = match b {
            Source::Register(r) => (r.0 & 8 != 0, r.0 & 16 != 0),
            Source::Memory(Memory::Work(_) | Memory::Input(_)) => (false, false),
            Source::Memory(Memory::Output(_)) => (true, false),
        };
        self.evex_prefix(prefix, map, d, a, (base_low, base_high), mask);
        self.code.push(opcode);
        let register = (d.0 & 7) << 3;
        let (base, displacement) = match b {
            Source::Register(r) => return self.code.push(0xC0 | register | (r.0 & 7)),
            Source::Memory(memory) => self.place(memory),
        };
        if let Ok(short) = i8::try_from(displacement / BYTES) {
            self.code.extend_from_slice(&[0x40 | register | base, short as u8]);
        } else {
            self.code.push(0x80 | register | base);
            self.code.extend_from_slice(&displacement.to_le_bytes());
        }
    }

    /// 62, then inverted high bits of registers, then the second operand, length and mask.
    fn evex_prefix(&mut self, prefix: u8, map: u8, d: Xmm, a: Xmm, base: (bool, bool), mask: u8) {
        let inverted = |bit: bool, place: u8| u8::from(!bit) << place;
        let high_bits = inverted(d.0 & 8 != 0, 7)
            | inverted(base.1, 6)
            | inverted(base.0, 5)
            | inverted(d.0 & 16 != 0, 4);
        let second = 0x80 | (!a.0 & 15) << 3 | 4 | prefix;
        let length = 0x40 | inverted(a.0 & 16 != 0, 3) | mask;
        self.code.extend_from_slice(&[0x62, high_bits | map, second, length]);
    }

    /// The mask = where the comparison holds.
    pub(crate) fn compare_to_mask(&mut self, predicate: Predicate, a: Xmm, b: Source) {
        self.evex(PREFIX_66, MAP_0F, 0xC2, Xmm(MASK), a, b, 0); // vcmppd
        self.code.push(predicate as u8);
    }

    /// d = all ones where the mask is set, otherwise zero.
    pub(crate) fn spread_mask(&mut self, d: Xmm) {
        self.evex(PREFIX_F3, MAP_0F38, 0x38, d, NONE, Xmm(MASK).into(), 0); // vpmovm2q
    }

    /// The mask = sign bits of s.
    pub(crate) fn gather_mask(&mut self, s: Xmm) {
        self.evex(PREFIX_F3, MAP_0F38, 0x39, Xmm(MASK), NONE, s.into(), 0); // vpmovq2m
    }

    /// d = b where the mask is set, otherwise a.
    pub(crate) fn blend_by_mask(&mut self, d: Xmm, a: Xmm, b: Source) {
        self.evex(PREFIX_66, MAP_0F38, 0x65, d, a, b, MASK); // vblendmpd
    }

    /// The zero flag = the mask is empty.
    pub(crate) fn test_mask(&mut self) {
        self.code.extend_from_slice(&[0xC5, 0xF9, 0x98, 0xC0 | MASK << 3 | MASK]); // kortestb k1, k1
    }

    /// Moves a register to or from [rsp + offset].
    pub(crate) fn stack_move_of_eight(&mut self, opcode: u8, register: Xmm, offset: i32) {
        self.evex_prefix(PREFIX_66, MAP_0F, register, NONE, (false, false), 0);
        self.code.extend_from_slice(&[opcode, 0x84 | (register.0 & 7) << 3, 0x24]);
        self.code.extend_from_slice(&offset.to_le_bytes());
    }
}
