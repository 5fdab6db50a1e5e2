//! The EVEX prefix: eight lanes, mask registers, 32 registers, and short displacements that count numbers.
//!
//! Intel 64 and IA-32 Architectures Software Developer's Manual, vol. 2, sec. 2.7. Everything is of 64-bit elements (W = 1). Short displacements
//! count units (disp8*N): whole registers of vectors, single numbers of scalars and broadcasts. Truth values of eight lanes are all ones or zeros in a
//! vector register, as with other widths; the mask k1 holds them only between two neighbouring instructions.

use crate::x86::assembler::{
    Assembler, MAP_0F, MAP_0F38, NONE, PREFIX_66, PREFIX_F3, Place, Predicate, Source, Xmm,
};

/// The mask register that is used, as a register and as the field of a masked instruction.
const MASK: u8 = 1;
/// Bytes of a register of eight lanes.
const BYTES: i32 = 64;

/// What the prefix says besides registers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Form {
    /// Length (two bits from bit 5) and whether one number is for all lanes (bit 4).
    pub(crate) bits: u8,
    /// Which lanes, by the number of a mask register; 0 is all.
    pub(crate) mask: u8,
    /// Bytes that a short displacement counts.
    pub(crate) unit: i32,
}

/// Prefix, table and number of an instruction.
pub(crate) type Code = (u8, u8, u8);

impl Assembler {
    /// One instruction of any length.
    pub(crate) fn evex_instruction(&mut self, code: Code, form: Form, d: Xmm, a: Xmm, b: Place) {
        let (prefix, map, opcode) = code;
        let inverted = |bit: bool, place: u8| u8::from(!bit) << place;
        let (b_low, b_high) = match b {
            Place::Register(r) => (r.0 & 8 != 0, r.0 & 16 != 0),
            Place::At { base, .. } => (base & 8 != 0, false),
        };
        let high =
            inverted(d.0 & 8 != 0, 7) | inverted(b_high, 6) | inverted(b_low, 5) | inverted(d.0 & 16 != 0, 4);
        let second = 0x80 | (!a.0 & 15) << 3 | 4 | prefix;
        let third = form.bits | inverted(a.0 & 16 != 0, 3) | form.mask;
        self.code.extend_from_slice(&[0x62, high | map, second, third, opcode]);
        let register = (d.0 & 7) << 3;
        let (base, displacement) = match b {
            Place::Register(r) => return self.code.push(0xC0 | register | (r.0 & 7)),
            Place::At { base, displacement } => (base & 7, displacement),
        };
        match short(displacement, form.unit) {
            Some(short) => self.code.extend_from_slice(&[0x40 | register | base, short as u8]),
            None => {
                self.code.push(0x80 | register | base);
                self.code.extend_from_slice(&displacement.to_le_bytes());
            }
        }
    }

    /// One instruction of eight lanes; `mask` selects elements, 0 is all.
    #[allow(clippy::too_many_arguments, reason = "the fields of the prefix")]
    pub(crate) fn evex(&mut self, prefix: u8, map: u8, opcode: u8, d: Xmm, a: Xmm, b: Source, mask: u8) {
        let b = self.resolve(b);
        self.evex_instruction((prefix, map, opcode), Form { bits: 0x40, mask, unit: BYTES }, d, a, b);
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

    /// Moves a register to or from [rsp + offset]: of eight lanes, or the lower two of one that only this prefix knows.
    pub(crate) fn stack_move_of_evex(&mut self, opcode: u8, register: Xmm, offset: i32, is_eight: bool) {
        let high = 0x60 | u8::from(register.0 & 8 == 0) << 7 | u8::from(register.0 & 16 == 0) << 4;
        let third = 0x08 | if is_eight { 0x40 } else { 0 };
        self.code.extend_from_slice(&[0x62, high | MAP_0F, 0xFC | PREFIX_66, third]);
        self.code.extend_from_slice(&[opcode, 0x84 | (register.0 & 7) << 3, 0x24]);
        self.code.extend_from_slice(&offset.to_le_bytes());
    }
}

/// A displacement in units, if they are few.
pub(crate) fn short(displacement: i32, unit: i32) -> Option<i8> {
    i8::try_from(displacement / unit).ok().filter(|_| displacement % unit == 0)
}
