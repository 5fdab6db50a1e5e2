//! Sine and cosine as a routine inside the code: argument in register 0, results in 0 and 1.
//!
//! It repeats `cardan_program::math::sincos` operation by operation (the formulas and their source stand
//! there) and touches only registers 0 to 7 and those for the moment. Arguments outside the main range, and
//! NaN, go to the function itself; then the other registers wait in memory.

use super::isa::{Arithmetic::*, Bits, Isa, N_OF_ROUTINE};
use crate::homes::Memory;
use crate::layout::{Layout, Patterns};
use crate::registers::Register;

/// Where the routine finds and leaves numbers; all in rows of its lanes.
pub(super) struct Places {
    pub(super) patterns: Patterns,
    /// Three rows: the argument, sine and cosine for the function outside.
    pub(super) arguments: u32,
    /// Rows for registers that the function outside may overwrite.
    pub(super) saved: u32,
}

impl Places {
    /// Rows of the plan of code with as many lanes as the routine.
    pub(super) fn new<I: Isa>(layout: &mut Layout) -> Places {
        let patterns = layout.patterns;
        Places { patterns, arguments: layout.allocate_block(3), saved: layout.allocate_block(n_saved::<I>()) }
    }
}

/// How many registers the routine must keep.
pub(super) fn n_saved<I: Isa>() -> u32 {
    u32::from(I::N_ALLOCATABLE - N_OF_ROUTINE)
}

/// Emits the routine and returns its position. The function outside is at `site`.
pub(super) fn emit<I: Isa>(isa: &mut I, places: &Places, site: u32) -> usize {
    let start = isa.position();
    let p = &places.patterns;
    let [x0, x1, x2, x3, x4, x5, x6, x7] = [0, 1, 2, 3, 4, 5, 6, 7].map(Register);
    let t = I::scratch();

    isa.load(t, Memory::Work(p.all_but_sign));
    isa.bits(Bits::And, x1, x0, t);
    isa.load(t, Memory::Work(p.main_range));
    let slow = isa.jump_unless_below(x1, t);

    // n in x2, its low bits in x1; a in x0.
    with_constant(isa, Mul, x1, x0, p.two_over_pi);
    isa.load(t, Memory::Work(p.rounder));
    isa.arithmetic(Add, x1, x1, t);
    isa.arithmetic(Sub, x2, x1, t);
    with_constant(isa, Mul, x3, x2, p.half_pi);
    isa.arithmetic(Sub, x0, x0, x3);
    // b in x4, its rest in x5.
    with_constant(isa, Mul, x3, x2, p.half_pi + 1);
    isa.arithmetic(Sub, x4, x0, x3);
    isa.arithmetic(Sub, x5, x0, x4);
    isa.arithmetic(Add, x6, x4, x5);
    isa.arithmetic(Sub, x6, x0, x6);
    isa.arithmetic(Sub, x5, x5, x3);
    isa.arithmetic(Add, x5, x6, x5);
    // c in x0, its rest in x6.
    with_constant(isa, Mul, x3, x2, p.half_pi + 2);
    isa.arithmetic(Sub, x0, x4, x3);
    isa.arithmetic(Sub, x6, x4, x0);
    isa.arithmetic(Add, x7, x0, x6);
    isa.arithmetic(Sub, x7, x4, x7);
    isa.arithmetic(Sub, x6, x6, x3);
    isa.arithmetic(Add, x6, x7, x6);
    // r in x3, tail in x2.
    isa.arithmetic(Add, x5, x5, x6);
    with_constant(isa, Mul, x2, x2, p.half_pi + 3);
    isa.arithmetic(Sub, x2, x2, x5);
    isa.arithmetic(Sub, x3, x0, x2);
    isa.arithmetic(Sub, x4, x0, x3);
    isa.arithmetic(Sub, x2, x2, x4);
    // z in x4, z/2 in x5, w = 1 - z/2 in x7.
    isa.arithmetic(Mul, x4, x3, x3);
    with_constant(isa, Mul, x5, x4, p.half);
    isa.load(x7, Memory::Work(p.one));
    isa.arithmetic(Sub, x7, x7, x5);
    // Sine in x0.
    polynomial(isa, x6, x4, p.sine);
    isa.arithmetic(Mul, x6, x4, x6);
    isa.arithmetic(Mul, x6, x3, x6);
    isa.arithmetic(Mul, x0, x2, x7);
    isa.arithmetic(Add, x0, x0, x6);
    isa.arithmetic(Sub, x0, x3, x0);
    // Cosine in x2.
    isa.arithmetic(Mul, x2, x3, x2);
    isa.load(x3, Memory::Work(p.one));
    isa.arithmetic(Sub, x3, x3, x7);
    isa.arithmetic(Sub, x3, x3, x5);
    polynomial(isa, x6, x4, p.cosine);
    isa.arithmetic(Mul, x4, x4, x4);
    isa.arithmetic(Mul, x6, x4, x6);
    isa.arithmetic(Add, x2, x6, x2);
    isa.arithmetic(Add, x2, x3, x2);
    isa.arithmetic(Add, x2, x7, x2);
    // Exchange in odd quadrants, then signs.
    isa.is_odd(x3, x1);
    isa.blend(x4, x3, x2, x0);
    isa.blend(x5, x3, x0, x2);
    isa.load(x2, Memory::Work(p.sign_bit));
    isa.shift_left(x6, x1, 62);
    isa.bits(Bits::And, x6, x6, x2);
    isa.bits(Bits::Xor, x0, x4, x6);
    isa.load(t, Memory::Work(p.integer_one));
    isa.add_integers(x7, x1, t);
    isa.shift_left(x7, x7, 62);
    isa.bits(Bits::And, x7, x7, x2);
    isa.bits(Bits::Xor, x1, x5, x7);
    isa.return_from_routine();

    isa.land(slow);
    slow_path(isa, places, site);
    start
}

/// Saves the other registers and calls the function.
fn slow_path<I: Isa>(isa: &mut I, places: &Places, site: u32) {
    let kept = || (N_OF_ROUTINE..I::N_ALLOCATABLE).map(Register).zip(places.saved..);
    isa.begin_calls();
    for (register, place) in kept() {
        isa.store(Memory::Work(place), register);
    }
    isa.store(Memory::Work(places.arguments), Register(0));
    isa.call_out(site, places.arguments, places.arguments + 1);
    isa.load(Register(0), Memory::Work(places.arguments + 1));
    isa.load(Register(1), Memory::Work(places.arguments + 2));
    for (register, place) in kept() {
        isa.load(register, Memory::Work(place));
    }
    isa.end_calls();
}

/// d = a op constant.
fn with_constant<I: Isa>(isa: &mut I, op: super::isa::Arithmetic, d: Register, a: Register, constant: u32) {
    isa.load(I::scratch(), Memory::Work(constant));
    isa.arithmetic(op, d, a, I::scratch());
}

/// d = c₀ + z (c₁ + z (… + z c₅)).
fn polynomial<I: Isa>(isa: &mut I, d: Register, z: Register, coefficients: u32) {
    with_constant(isa, Mul, d, z, coefficients + 5);
    for k in (1..5).rev() {
        with_constant(isa, Add, d, d, coefficients + k);
        isa.arithmetic(Mul, d, z, d);
    }
    with_constant(isa, Add, d, d, coefficients);
}
