//! Sine and cosine as a routine inside the code: argument in register 0, results in 0 and 1.
//!
//! It repeats `cardan_program::math::sincos` operation by operation (the formulas and their source stand
//! there) and touches only registers 0 to 7, so values in other registers survive. Arguments outside the main
//! range, and NaN, go to the function itself.

use crate::assembler::{Arithmetic::*, Assembler, Bits, Xmm};
use crate::homes::Memory;
use crate::layout::Patterns;
use crate::shims;
use crate::width::Width;

/// The registers that the routine overwrites.
pub(crate) const CLOBBERED: u32 = 0xFF;

/// Emits the routine and returns its position.
pub(crate) fn emit(asm: &mut Assembler, p: &Patterns) -> usize {
    let start = asm.position();
    let [x0, x1, x2, x3, x4, x5, x6, x7] = [0, 1, 2, 3, 4, 5, 6, 7].map(Xmm);
    let at = Memory::Work;

    asm.bits(Bits::And, x1, x0, at(p.all_but_sign));
    let slow = asm.jump_unless_below(x1, at(p.main_range), x2);

    // n in x2, its low bits in x1; a in x0.
    asm.arithmetic(Mul, x1, x0, at(p.two_over_pi));
    asm.arithmetic(Add, x1, x1, at(p.rounder));
    asm.arithmetic(Sub, x2, x1, at(p.rounder));
    asm.arithmetic(Mul, x3, x2, at(p.half_pi));
    asm.arithmetic(Sub, x0, x0, x3);
    // b in x4, its rest in x5.
    asm.arithmetic(Mul, x3, x2, at(p.half_pi + 1));
    asm.arithmetic(Sub, x4, x0, x3);
    asm.arithmetic(Sub, x5, x0, x4);
    asm.arithmetic(Add, x6, x4, x5);
    asm.arithmetic(Sub, x6, x0, x6);
    asm.arithmetic(Sub, x5, x5, x3);
    asm.arithmetic(Add, x5, x6, x5);
    // c in x0, its rest in x6.
    asm.arithmetic(Mul, x3, x2, at(p.half_pi + 2));
    asm.arithmetic(Sub, x0, x4, x3);
    asm.arithmetic(Sub, x6, x4, x0);
    asm.arithmetic(Add, x7, x0, x6);
    asm.arithmetic(Sub, x7, x4, x7);
    asm.arithmetic(Sub, x6, x6, x3);
    asm.arithmetic(Add, x6, x7, x6);
    // r in x3, tail in x2.
    asm.arithmetic(Add, x5, x5, x6);
    asm.arithmetic(Mul, x2, x2, at(p.half_pi + 3));
    asm.arithmetic(Sub, x2, x2, x5);
    asm.arithmetic(Sub, x3, x0, x2);
    asm.arithmetic(Sub, x4, x0, x3);
    asm.arithmetic(Sub, x2, x2, x4);
    // z in x4, z/2 in x5, w = 1 - z/2 in x7.
    asm.arithmetic(Mul, x4, x3, x3);
    asm.arithmetic(Mul, x5, x4, at(p.half));
    asm.load(x7, at(p.one));
    asm.arithmetic(Sub, x7, x7, x5);
    // Sine in x0.
    polynomial(asm, x6, x4, p.sine);
    asm.arithmetic(Mul, x6, x4, x6);
    asm.arithmetic(Mul, x6, x3, x6);
    asm.arithmetic(Mul, x0, x2, x7);
    asm.arithmetic(Add, x0, x0, x6);
    asm.arithmetic(Sub, x0, x3, x0);
    // Cosine in x2.
    asm.arithmetic(Mul, x2, x3, x2);
    asm.load(x3, at(p.one));
    asm.arithmetic(Sub, x3, x3, x7);
    asm.arithmetic(Sub, x3, x3, x5);
    polynomial(asm, x6, x4, p.cosine);
    asm.arithmetic(Mul, x4, x4, x4);
    asm.arithmetic(Mul, x6, x4, x6);
    asm.arithmetic(Add, x2, x6, x2);
    asm.arithmetic(Add, x2, x3, x2);
    asm.arithmetic(Add, x2, x7, x2);
    // Exchange in odd quadrants, then signs.
    asm.shift_left(x3, x1, 63);
    asm.blend(x4, x0, x2, x3);
    asm.blend(x5, x2, x0, x3);
    asm.shift_left(x6, x1, 62);
    asm.bits(Bits::And, x6, x6, at(p.sign_bit));
    asm.bits(Bits::Xor, x0, x4, x6);
    asm.add_integers(x7, x1, at(p.integer_one));
    asm.shift_left(x7, x7, 62);
    asm.bits(Bits::And, x7, x7, at(p.sign_bit));
    asm.bits(Bits::Xor, x1, x5, x7);
    asm.ret();

    asm.land(slow);
    slow_path(asm);
    start
}

/// Saves the other registers and calls the function.
fn slow_path(asm: &mut Assembler) {
    let size = asm.register_size();
    let saved = |r: u8| i32::from(r - 8 + 2) * size;
    // Two registers for arguments and results, and those saved; the return address leaves the stack 8 bytes short
    // of alignment.
    let kept = 8..=asm.width.n_allocatable();
    let frame = (kept.len() as i32 + 2) * size + 8;
    asm.reserve_stack(frame);
    for r in kept.clone() {
        asm.store_on_stack(Xmm(r), saved(r));
    }
    match asm.width {
        Width::Scalar => asm.call(shims::sincos as extern "sysv64" fn(f64) -> shims::SinCos as usize),
        Width::Two | Width::Four | Width::Eight => {
            asm.store_on_stack(Xmm(0), 0);
            asm.pass_stack_pointer();
            asm.call(shims::for_width!(sincos_lanes(_), asm.width));
            asm.load_from_stack(Xmm(0), 0);
            asm.load_from_stack(Xmm(1), size);
        }
    }
    for r in kept {
        asm.load_from_stack(Xmm(r), saved(r));
    }
    asm.release_stack(frame);
    asm.ret();
}

/// d = c₀ + z (c₁ + z (… + z c₅)).
fn polynomial(asm: &mut Assembler, d: Xmm, z: Xmm, coefficients: u32) {
    asm.arithmetic(Mul, d, z, Memory::Work(coefficients + 5));
    for k in (1..5).rev() {
        asm.arithmetic(Add, d, d, Memory::Work(coefficients + k));
        asm.arithmetic(Mul, d, z, d);
    }
    asm.arithmetic(Add, d, d, Memory::Work(coefficients));
}
