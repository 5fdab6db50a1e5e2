//! Sine and cosine as a routine inside the code: argument in register 0, results in 0 and 1.
//!
//! It repeats `cardan_program::math::sincos` operation by operation (the formulas and their source stand
//! there) and touches only registers 0 to 8 and those for the moment. Products that are exact are fused with their sums where
//! the processor can. Arguments outside the main range, and NaN, go to the function itself; then the other registers wait in memory.

use crate::allocation::layout::{Layout, Patterns};
use crate::allocation::registers::Register;
use crate::allocation::value_locations::Memory;
use crate::scalar_isa::isa::Arithmetic::*;
use crate::scalar_isa::isa::{Bits, Isa, N_OF_ROUTINE, Signs};

/// Where the routine finds and leaves numbers; all in rows of its lanes.
pub(crate) struct Places {
    pub(crate) patterns: Patterns,
    /// Three rows: the argument, sine and cosine for the function outside.
    pub(crate) arguments: u32,
    /// Rows for registers that the function outside may overwrite.
    pub(crate) saved: u32,
}

impl Places {
    /// Rows of the plan of code with as many lanes as the routine.
    pub(crate) fn new<I: Isa>(layout: &mut Layout) -> Places {
        let patterns = layout.patterns;
        Places { patterns, arguments: layout.allocate_block(3), saved: layout.allocate_block(n_saved::<I>()) }
    }
}

/// How many registers the routine must keep.
pub(crate) fn n_saved<I: Isa>() -> u32 {
    u32::from(I::N_ALLOCATABLE - N_OF_ROUTINE)
}

/// Emits the routine and returns its position. The function outside is at `site`.
pub(crate) fn emit<I: Isa>(isa: &mut I, places: &Places, site: u32) -> usize {
    let start = isa.position();
    let p = &places.patterns;
    let [x0, x1, x2, x3, x4, x5, x6, x7, x8] = [0, 1, 2, 3, 4, 5, 6, 7, 8].map(Register);
    let t = I::scratch();

    isa.load(t, Memory::Work(p.all_but_sign));
    isa.bits(Bits::And, x1, x0, t);
    isa.load(t, Memory::Work(p.main_range));
    let slow = isa.jump_unless_below(x1, t);

    // n in x2, its low bits in x1.
    with_constant(isa, Mul, x1, x0, p.two_over_pi);
    isa.load(t, Memory::Work(p.rounder));
    isa.arithmetic(Add, x1, x1, t);
    isa.arithmetic(Sub, x2, x1, t);
    // a in x0, b in x3, d in x0, e in x2.
    minus_product(isa, x0, x0, x2, p.half_pi);
    minus_product(isa, x3, x0, x2, p.half_pi + 1);
    isa.arithmetic(Sub, x0, x0, x3);
    minus_product(isa, x0, x0, x2, p.half_pi + 1);
    with_constant(isa, Mul, x2, x2, p.half_pi + 2);
    isa.arithmetic(Sub, x2, x2, x0);
    // z, z² and z⁴ in x4, x5 and x6, w = 1 - z/2 in x7.
    isa.arithmetic(Mul, x4, x3, x3);
    isa.arithmetic(Mul, x5, x4, x4);
    isa.arithmetic(Mul, x6, x5, x5);
    isa.load(x7, Memory::Work(p.one));
    minus_product(isa, x7, x7, x4, p.half);
    // Sine in x0.
    polynomial(isa, x0, x8, [x4, x5, x6], p.sine);
    isa.arithmetic(Mul, x8, x3, x4);
    isa.arithmetic(Mul, x8, x8, x0);
    isa.arithmetic(Mul, x0, x2, x7);
    isa.arithmetic(Add, x0, x0, x8);
    isa.arithmetic(Sub, x0, x3, x0);
    // What the cosine needs besides its polynomial in x2, then the cosine in x2.
    isa.arithmetic(Mul, x3, x3, x2);
    isa.load(x2, Memory::Work(p.one));
    isa.arithmetic(Sub, x2, x2, x7);
    minus_product(isa, x2, x2, x4, p.half);
    isa.arithmetic(Add, x2, x3, x2);
    polynomial(isa, x8, x3, [x4, x5, x6], p.cosine);
    isa.arithmetic(Mul, x8, x5, x8);
    isa.arithmetic(Add, x2, x8, x2);
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
fn with_constant<I: Isa>(
    isa: &mut I,
    op: crate::scalar_isa::isa::Arithmetic,
    d: Register,
    a: Register,
    constant: u32,
) {
    isa.load(I::scratch(), Memory::Work(constant));
    isa.arithmetic(op, d, a, I::scratch());
}

/// d = a − n c, where the product with the constant is exact; d is not n.
fn minus_product<I: Isa>(isa: &mut I, d: Register, a: Register, n: Register, constant: u32) {
    let t = I::scratch();
    isa.load(t, Memory::Work(constant));
    if I::HAS_FUSED {
        isa.fused(Signs { minus_product: true, minus_addend: false }, d, n, t, a);
    } else {
        isa.arithmetic(Mul, t, n, t);
        isa.arithmetic(Sub, d, a, t);
    }
}

/// d = ((c₀ + z c₁) + z² (c₂ + z c₃)) + z⁴ (c₄ + z c₅). Overwrites s.
fn polynomial<I: Isa>(isa: &mut I, d: Register, s: Register, [z, z2, z4]: [Register; 3], coefficients: u32) {
    with_constant(isa, Mul, d, z, coefficients + 1);
    with_constant(isa, Add, d, d, coefficients);
    for (power, k) in [(z2, 2), (z4, 4)] {
        with_constant(isa, Mul, s, z, coefficients + k + 1);
        with_constant(isa, Add, s, s, coefficients + k);
        isa.arithmetic(Mul, s, power, s);
        isa.arithmetic(Add, d, d, s);
    }
}
