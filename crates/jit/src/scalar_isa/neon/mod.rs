//! AArch64: instructions to words of 32 bits.
//!
//! Arm Architecture Reference Manual for A-profile (DDI 0487), ch. C3 and the instruction pages of C6 and C7. One lane uses the
//! scalar instructions on `d` registers, two lanes the vector instructions on `v.2d`. The function of a stage
//! keeps its memory in x19, the outputs in x20, the context in x21 and the inputs in x22; x16 is for the moment.
//! Procedure Call Standard for the Arm 64-bit Architecture (AAPCS64), sec. 6.1: x19 to x28 and the lower halves of v8 to v15 are preserved.

use crate::allocation::registers::Register;
use crate::allocation::value_locations::Memory;
use crate::scalar_isa::isa::{Arithmetic, Bits, Isa, Relation, Signs, Simple};

/// A general register.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct General(u32);

const MOMENT: General = General(16);
const WORK: General = General(19);
const OUTPUTS: General = General(20);
const CONTEXT: General = General(21);
const INPUTS: General = General(22);
/// The vector register that values never use.
const OWN: Register = Register(31);

/// A word whose fields for registers are empty, for one lane and for two.
struct Form(u32, u32);

const ADD: Form = Form(0x1E60_2800, 0x4E60_D400);
const SUB: Form = Form(0x1E60_3800, 0x4EE0_D400);
const MUL: Form = Form(0x1E60_0800, 0x6E60_DC00);
const DIV: Form = Form(0x1E60_1800, 0x6E60_FC00);
const SQRT: Form = Form(0x1E61_C000, 0x6EE1_F800);
const NEG: Form = Form(0x1E61_4000, 0x6EE0_F800);
const ABS: Form = Form(0x1E60_C000, 0x4EE0_F800);
const ROUND_DOWN: Form = Form(0x1E65_4000, 0x4E61_9800);
const EQUAL: Form = Form(0x5E60_E400, 0x4E60_E400);
const NOT_LESS: Form = Form(0x7E60_E400, 0x6E60_E400);
const GREATER: Form = Form(0x7EE0_E400, 0x6EE0_E400);
const ADD_INTEGERS: Form = Form(0x5EE0_8400, 0x4EE0_8400);
/// The field of the count holds 64 + count.
const SHIFT_LEFT: Form = Form(0x5F00_5400, 0x4F00_5400);
/// The field of the count holds 128 − count.
const SHIFT_SIGN_RIGHT: Form = Form(0x5F00_0400, 0x4F00_0400);
const LOAD: Form = Form(0xFD40_0000, 0x3DC0_0000);
const STORE: Form = Form(0xFD00_0000, 0x3D80_0000);
/// With a general register that counts places.
const LOAD_AT: Form = Form(0xFC60_7800, 0x3CE0_7800);
const STORE_AT: Form = Form(0xFC20_7800, 0x3CA0_7800);
const FUSED: u32 = 0x1F40_0000;
const FUSED_ADD_TO: u32 = 0x4E60_CC00;
const FUSED_SUB_FROM: u32 = 0x4EE0_CC00;
const AND: u32 = 0x4E20_1C00;
const OR: u32 = 0x4EA0_1C00;
const XOR: u32 = 0x6E20_1C00;
const NOT: u32 = 0x6E20_5800;
/// The destination is the mask.
const SELECT: u32 = 0x6E60_1C00;
/// The destination is what stays where the mask is false.
const INSERT_IF_TRUE: u32 = 0x6EA0_1C00;
/// The destination is what stays where the mask is true.
const INSERT_IF_FALSE: u32 = 0x6EE0_1C00;

/// A buffer of instructions.
#[derive(Debug)]
pub(crate) struct Neon {
    words: Vec<u32>,
    lanes: usize,
}

impl Neon {
    fn word(&mut self, word: u32) {
        self.words.push(word);
    }

    /// The form for this number of lanes.
    fn form(&self, form: &Form) -> u32 {
        if self.lanes == 1 { form.0 } else { form.1 }
    }

    fn two(&mut self, word: u32, d: Register, n: Register) {
        self.word(word | u32::from(n.0) << 5 | u32::from(d.0));
    }

    fn three(&mut self, word: u32, d: Register, n: Register, m: Register) {
        self.two(word | u32::from(m.0) << 16, d, n);
    }

    /// A general register = a number below 2³².
    fn set(&mut self, d: General, value: u32) {
        self.word(0xD280_0000 | (value & 0xFFFF) << 5 | d.0); // movz
        if value > 0xFFFF {
            self.word(0xF2A0_0000 | (value >> 16) << 5 | d.0); // movk, shifted by 16
        }
    }

    /// d = n.
    fn move_general(&mut self, d: General, n: General) {
        self.word(0xAA00_03E0 | n.0 << 16 | d.0); // mov
    }

    /// A general register = address of a place in the engine's memory.
    fn address(&mut self, d: General, place: u32) {
        let shift = if self.lanes == 1 { 3 } else { 4 };
        if place << shift < 1 << 12 && place < 1 << 12 {
            self.word(0x9100_0000 | (place << shift) << 10 | WORK.0 << 5 | d.0); // add, immediate
        } else {
            self.set(MOMENT, place);
            self.word(0x8B00_0000 | MOMENT.0 << 16 | shift << 10 | WORK.0 << 5 | d.0); // add, shifted
        }
    }

    fn transfer(&mut self, near: &Form, far: &Form, register: Register, m: Memory) {
        let (base, place) = match m {
            Memory::Work(place) => (WORK, place),
            Memory::Input(place) => (INPUTS, place),
            Memory::Output(place) => (OUTPUTS, place),
        };
        let t = u32::from(register.0);
        if place < 1 << 12 {
            self.word(self.form(near) | place << 10 | base.0 << 5 | t);
        } else {
            self.set(MOMENT, place);
            self.word(self.form(far) | MOMENT.0 << 16 | base.0 << 5 | t);
        }
    }

    /// Two registers to or from [sp + 16 slot].
    fn pair(&mut self, word: u32, slot: u32, first: u32) {
        self.word(word | (2 * slot) << 15 | (first + 1) << 10 | 31 << 5 | first);
    }
}

/// Pairs of registers: general ones and the lower halves of vectors.
const STORE_PAIR: u32 = 0xA900_0000;
const LOAD_PAIR: u32 = 0xA940_0000;
const STORE_PAIR_OF_NUMBERS: u32 = 0x6D00_0000;
const LOAD_PAIR_OF_NUMBERS: u32 = 0x6D40_0000;

impl Isa for Neon {
    const N_ALLOCATABLE: u8 = 30;
    const HAS_FUSED: bool = true;

    fn has(_: Simple) -> bool {
        true
    }

    fn new(lanes: usize) -> Self {
        Neon { words: Vec::new(), lanes }
    }
    fn lanes(&self) -> usize {
        self.lanes
    }
    fn set_lanes(&mut self, lanes: usize) {
        self.lanes = lanes;
    }
    fn position(&self) -> usize {
        4 * self.words.len()
    }
    fn into_code(self) -> Vec<u8> {
        self.words.iter().flat_map(|word| word.to_le_bytes()).collect()
    }

    fn enter(&mut self) {
        self.word(0xA9B9_7BFD); // stp x29, x30, [sp, -112]!
        self.word(0x9100_03FD); // mov x29, sp
        self.pair(STORE_PAIR, 1, WORK.0);
        self.pair(STORE_PAIR, 2, CONTEXT.0);
        for k in 0..4 {
            self.pair(STORE_PAIR_OF_NUMBERS, 3 + k, 8 + 2 * k);
        }
        for (register, argument) in [WORK, OUTPUTS, CONTEXT, INPUTS].into_iter().zip(0..) {
            self.move_general(register, General(argument));
        }
    }
    fn leave(&mut self) {
        for k in 0..4 {
            self.pair(LOAD_PAIR_OF_NUMBERS, 3 + k, 8 + 2 * k);
        }
        self.pair(LOAD_PAIR, 2, CONTEXT.0);
        self.pair(LOAD_PAIR, 1, WORK.0);
        self.word(0xA8C7_7BFD); // ldp x29, x30, [sp], 112
        self.return_from_routine();
    }
    fn call_routine(&mut self, position: usize) {
        let distance = position as i64 / 4 - self.words.len() as i64;
        assert!(distance.abs() < 1 << 25, "code stays below 128 MiB");
        self.word(0x9400_0000 | (distance as u32 & 0x03FF_FFFF)); // bl
    }
    fn return_from_routine(&mut self) {
        self.word(0xD65F_03C0); // ret
    }
    fn begin_calls(&mut self) {
        self.word(0xF81F_0FFE); // str x30, [sp, -16]!
    }
    fn end_calls(&mut self) {
        self.word(0xF841_07FE); // ldr x30, [sp], 16
        self.return_from_routine();
    }
    fn call_out(&mut self, site: u32, args: u32, out: u32) {
        self.move_general(General(0), CONTEXT);
        self.set(General(1), site);
        self.address(General(2), args);
        self.address(General(3), out);
        self.word(0xF940_0000 | CONTEXT.0 << 5 | MOMENT.0); // ldr x16, [x21]
        self.word(0xD63F_0000 | MOMENT.0 << 5); // blr x16
    }

    fn load(&mut self, d: Register, m: Memory) {
        self.transfer(&LOAD, &LOAD_AT, d, m);
    }
    fn store(&mut self, m: Memory, s: Register) {
        self.transfer(&STORE, &STORE_AT, s, m);
    }
    fn copy(&mut self, d: Register, s: Register) {
        if d != s {
            self.three(OR, d, s, s); // mov
        }
    }
    fn arithmetic(&mut self, op: Arithmetic, d: Register, a: Register, b: Register) {
        let form = match op {
            Arithmetic::Add => ADD,
            Arithmetic::Sub => SUB,
            Arithmetic::Mul => MUL,
            Arithmetic::Div => DIV,
            // The minimum and maximum of the processor treat NaN and zeros otherwise.
            Arithmetic::Min | Arithmetic::Max => {
                let (greater, less) = if op == Arithmetic::Min { (b, a) } else { (a, b) };
                self.three(self.form(&GREATER), OWN, greater, less);
                self.three(SELECT, OWN, a, b);
                return self.copy(d, OWN);
            }
        };
        self.three(self.form(&form), d, a, b);
    }
    fn simple(&mut self, op: Simple, d: Register, x: Register) {
        let form = match op {
            Simple::Neg => NEG,
            Simple::Abs => ABS,
            Simple::Sqrt => SQRT,
            Simple::Floor => ROUND_DOWN,
        };
        self.two(self.form(&form), d, x);
    }
    fn fused(&mut self, signs: Signs, d: Register, a: Register, b: Register, c: Register) {
        if self.lanes == 1 {
            // The processor's sign of the addend is that of the whole: fnmadd is −ab − c, fnmsub is ab − c.
            let subtract = signs.minus_product != signs.minus_addend;
            let word = FUSED | u32::from(signs.minus_addend) << 21 | u32::from(subtract) << 15;
            return self.three(word | u32::from(c.0) << 10, d, a, b);
        }
        let sum = if d == a || d == b { OWN } else { d };
        if signs.minus_addend {
            self.simple(Simple::Neg, sum, c);
        } else {
            self.copy(sum, c);
        }
        self.three(if signs.minus_product { FUSED_SUB_FROM } else { FUSED_ADD_TO }, sum, a, b);
        self.copy(d, sum);
    }
    fn compare(&mut self, relation: Relation, d: Register, a: Register, b: Register) {
        match relation {
            Relation::Lt => self.three(self.form(&GREATER), d, b, a),
            Relation::Le => self.three(self.form(&NOT_LESS), d, b, a),
            Relation::Eq | Relation::Ne => self.three(self.form(&EQUAL), d, a, b),
        }
        if relation == Relation::Ne {
            self.not(d, d);
        }
    }
    fn bits(&mut self, op: Bits, d: Register, a: Register, b: Register) {
        let word = match op {
            Bits::And => AND,
            Bits::Or => OR,
            Bits::Xor => XOR,
        };
        self.three(word, d, a, b);
    }
    fn not(&mut self, d: Register, x: Register) {
        self.two(NOT, d, x);
    }
    fn blend(&mut self, d: Register, mask: Register, a: Register, b: Register) {
        if d == b {
            self.three(INSERT_IF_TRUE, d, a, mask);
        } else if d == a {
            self.three(INSERT_IF_FALSE, d, b, mask);
        } else {
            self.copy(d, mask);
            self.three(SELECT, d, a, b);
        }
    }

    fn join(&mut self, d: Register, s: Register) {
        self.three(0x4EC0_3800, d, d, s); // zip1
    }
    fn shift_left(&mut self, d: Register, s: Register, count: u8) {
        self.two(self.form(&SHIFT_LEFT) | (64 + u32::from(count)) << 16, d, s);
    }
    fn add_integers(&mut self, d: Register, a: Register, b: Register) {
        self.three(self.form(&ADD_INTEGERS), d, a, b);
    }
    fn is_odd(&mut self, d: Register, s: Register) {
        self.shift_left(d, s, 63);
        self.two(self.form(&SHIFT_SIGN_RIGHT) | (128 - 63) << 16, d, d);
    }
    fn jump_unless_below(&mut self, x: Register, limit: Register) -> usize {
        if self.lanes == 1 {
            self.word(0x1E60_2000 | u32::from(limit.0) << 16 | u32::from(x.0) << 5); // fcmp x, limit
            self.word(0x5400_0005); // b.pl: not below, or unordered
        } else {
            self.three(GREATER.1, OWN, limit, x);
            self.two(0x6EB1_A800, OWN, OWN); // uminv s31, v31.4s: zero unless both lanes are all ones
            self.word(0x1E26_0000 | u32::from(OWN.0) << 5 | MOMENT.0); // fmov w16, s31
            self.word(0x3400_0000 | MOMENT.0); // cbz w16
        }
        self.words.len() - 1
    }
    fn land(&mut self, jump: usize) {
        let distance = self.words.len() - jump;
        assert!(distance < 1 << 18, "a routine stays below 1 MiB");
        self.words[jump] |= (distance as u32) << 5;
    }
}

#[cfg(test)]
mod tests;
