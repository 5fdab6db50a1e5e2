//! Sine and cosine as a routine inside the code: argument in register 0, results in 0 and 1.
//!
//! It repeats `cardan_program::math::sincos` operation by operation (the formulas and their source stand
//! there) and touches only registers 0 to 7 and the one for the moment, so values in other registers survive. Products that are exact are
//! fused with their sums. Arguments outside the main range, and NaN, go to the function itself.

use crate::allocation::layout::Patterns;
use crate::allocation::value_locations::Memory;
use crate::x86::assembler::{Arithmetic::*, Assembler, Bits, FusedForm, Xmm};
use crate::x86::runtime_calls;
use crate::x86::width::Width;

/// The registers that the routine overwrites.
pub(crate) const CLOBBERED: u32 = 0xFF;

/// Emits the routine and returns its position.
pub(crate) fn emit(asm: &mut Assembler, p: &Patterns) -> usize {
    let start = asm.position();
    let [x0, x1, x2, x3, x4, x5, x6, x7] = [0, 1, 2, 3, 4, 5, 6, 7].map(Xmm);
    let at = Memory::Work;

    asm.bits(Bits::And, x1, x0, at(p.all_but_sign));
    let slow = asm.jump_unless_below(x1, at(p.main_range), x2);

    // n in x2, its low bits in x1.
    asm.arithmetic(Mul, x1, x0, at(p.two_over_pi));
    asm.arithmetic(Add, x1, x1, at(p.rounder));
    asm.arithmetic(Sub, x2, x1, at(p.rounder));
    // a in x0, b in x3, d in x0, e in x2.
    minus_product(asm, x0, x2, p.half_pi);
    asm.copy(x3, x0);
    minus_product(asm, x3, x2, p.half_pi + 1);
    asm.arithmetic(Sub, x0, x0, x3);
    minus_product(asm, x0, x2, p.half_pi + 1);
    asm.arithmetic(Mul, x2, x2, at(p.half_pi + 2));
    asm.arithmetic(Sub, x2, x2, x0);
    // z, z² and z⁴ in x4, x5 and x6, w = 1 - z/2 in x7.
    asm.arithmetic(Mul, x4, x3, x3);
    asm.arithmetic(Mul, x5, x4, x4);
    asm.arithmetic(Mul, x6, x5, x5);
    asm.load(x7, at(p.one));
    minus_product(asm, x7, x4, p.half);
    // Sine in x0.
    let t = Xmm(asm.width.n_allocatable());
    polynomial(asm, x0, t, [x4, x5, x6], p.sine);
    asm.arithmetic(Mul, t, x3, x4);
    asm.arithmetic(Mul, t, t, x0);
    asm.arithmetic(Mul, x0, x2, x7);
    asm.arithmetic(Add, x0, x0, t);
    asm.arithmetic(Sub, x0, x3, x0);
    // What the cosine needs besides its polynomial in x2, then the cosine in x2.
    asm.arithmetic(Mul, x3, x3, x2);
    asm.load(x2, at(p.one));
    asm.arithmetic(Sub, x2, x2, x7);
    minus_product(asm, x2, x4, p.half);
    asm.arithmetic(Add, x2, x3, x2);
    polynomial(asm, t, x3, [x4, x5, x6], p.cosine);
    asm.arithmetic(Mul, t, x5, t);
    asm.arithmetic(Add, x2, t, x2);
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
    let scratch = asm.width.n_allocatable();
    let end = if asm.width == Width::Scalar && asm.is_compact { 32 } else { scratch };
    let kept = (8..end).filter(|r| *r != scratch);
    let frame = i32::from(end - 8 + 2) * size + 8;
    asm.push_windows();
    asm.reserve_stack(frame);
    for r in kept.clone() {
        asm.store_on_stack(Xmm(r), saved(r));
    }
    match asm.width {
        Width::Scalar => {
            asm.call(runtime_calls::sincos as extern "sysv64" fn(f64) -> runtime_calls::SinCos as usize)
        }
        Width::Two | Width::Four | Width::Eight => {
            asm.store_on_stack(Xmm(0), 0);
            asm.pass_stack_pointer();
            asm.call(runtime_calls::for_width!(sincos_lanes(_), asm.width));
            asm.load_from_stack(Xmm(0), 0);
            asm.load_from_stack(Xmm(1), size);
        }
    }
    for r in kept {
        asm.load_from_stack(Xmm(r), saved(r));
    }
    asm.release_stack(frame);
    asm.pop_windows();
    asm.ret();
}

/// d = d − n c, where the product with the constant is exact.
fn minus_product(asm: &mut Assembler, d: Xmm, n: Xmm, constant: u32) {
    asm.fused(FusedForm::F231, true, false, d, n, Memory::Work(constant));
}

/// d = ((c₀ + z c₁) + z² (c₂ + z c₃)) + z⁴ (c₄ + z c₅). Overwrites t.
fn polynomial(asm: &mut Assembler, d: Xmm, t: Xmm, [z, z2, z4]: [Xmm; 3], coefficients: u32) {
    let at = |k: u32| Memory::Work(coefficients + k);
    asm.arithmetic(Mul, d, z, at(1));
    asm.arithmetic(Add, d, d, at(0));
    for (power, k) in [(z2, 2), (z4, 4)] {
        asm.arithmetic(Mul, t, z, at(k + 1));
        asm.arithmetic(Add, t, t, at(k));
        asm.arithmetic(Mul, t, power, t);
        asm.arithmetic(Add, d, d, t);
    }
}
