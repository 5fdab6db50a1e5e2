//! Fused multiply-add for processors without it, as a routine inside the code: a b + c from registers 0, 1 and 2 to register 0,
//! rounded once.
//!
//! Boldo and Melquiond, Emulation of a FMA and correctly rounded sums: proved algorithms using rounding to odd, IEEE
//! Transactions on Computers 57 (2008) 462, fig. 4:
//!
//! ```text
//! [exact-product]    u + u' = a b
//! [first-sum]        t + t' = c + u'
//! [second-sum]       v + v' = u + t
//! [odd-sum]          z = t' + v', rounded to odd
//! [fused]            a b + c = v + z, rounded to nearest
//! ```
//!
//! The product is made exact from halves of 26 bits (Dekker 1971), the sums by Møller and Knuth. Rounding to odd takes the sum
//! and its error: where there is an error and the last bit is even, the neighbour on the side of the error is the one to take.
//! All of this is exact while nothing overflows and the product does not underflow: with a² + b² + c² < 2¹⁰⁰⁰ and (a b)² > 2⁻¹⁰⁰⁰, for then
//! no part of the product is below 2⁻⁶⁰⁶, and sums do not suffer from underflow. Other numbers, zero products among them, go to the
//! function of the standard library; then the other registers wait in memory.

use crate::allocation::layout::Layout;
use crate::allocation::registers::Register;
use crate::allocation::value_locations::Memory;
use crate::scalar_isa::isa::Arithmetic::{Add, Mul, Sub};
use crate::scalar_isa::isa::{Bits, Isa, N_OF_ROUTINE, Relation};

/// Where the routine finds its constants.
pub(crate) struct Constants {
    /// 2¹⁰⁰⁰.
    large: u32,
    /// 2⁻¹⁰⁰⁰.
    small: u32,
    /// Half a unit of what rounding to 26 bits keeps.
    half_unit: u32,
    /// The bits that it keeps.
    upper_bits: u32,
}

impl Constants {
    /// Plans them, before any value.
    pub(crate) fn new(layout: &mut Layout) -> Constants {
        let bits = [f64::powi(2.0, 1000).to_bits(), f64::powi(2.0, -1000).to_bits(), 1 << 26, u64::MAX << 27];
        let [large, small, half_unit, upper_bits] = layout.constants_of_code(bits);
        Constants { large, small, half_unit, upper_bits }
    }
}

/// Where the routine leaves numbers for the function outside.
struct Places {
    /// Three arguments and the result.
    arguments: u32,
    /// For registers that the function may overwrite.
    saved: u32,
}

impl Places {
    fn new<I: Isa>(layout: &mut Layout) -> Places {
        let n_saved = u32::from(I::N_ALLOCATABLE - N_OF_ROUTINE);
        Places { arguments: layout.allocate_block(4), saved: layout.allocate_block(n_saved) }
    }
}

/// Emits the routine and returns its position. The function outside is at `site`.
pub(crate) fn emit<I: Isa>(isa: &mut I, layout: &mut Layout, constants: &Constants, site: u32) -> usize {
    let places = Places::new::<I>(layout);
    let start = isa.position();
    let t = I::scratch();
    let [a, b, c, x3, x4, x5, x6, u] = [0, 1, 2, 3, 4, 5, 6, 7].map(Register);

    // The range, by squares.
    isa.arithmetic(Mul, x3, a, a);
    isa.arithmetic(Mul, x4, b, b);
    isa.arithmetic(Add, x3, x3, x4);
    isa.arithmetic(Mul, x4, c, c);
    isa.arithmetic(Add, x3, x3, x4);
    isa.load(t, Memory::Work(constants.large));
    let too_large = isa.jump_unless_below(x3, t);
    isa.arithmetic(Mul, u, a, b);
    isa.arithmetic(Mul, x3, u, u);
    isa.load(t, Memory::Work(constants.small));
    let too_small = isa.jump_unless_below(t, x3);

    // [exact-product]: upper halves in x3 and x4, lower ones in x5 and x6; the rest u' in x3.
    for (number, upper, lower) in [(a, x3, x5), (b, x4, x6)] {
        isa.load(t, Memory::Work(constants.half_unit));
        isa.add_integers(upper, number, t);
        isa.load(t, Memory::Work(constants.upper_bits));
        isa.bits(Bits::And, upper, upper, t);
        isa.arithmetic(Sub, lower, number, upper);
    }
    isa.arithmetic(Mul, a, x3, x4);
    isa.arithmetic(Sub, a, a, u);
    isa.arithmetic(Mul, x3, x3, x6);
    isa.arithmetic(Add, a, a, x3);
    isa.arithmetic(Mul, x4, x4, x5);
    isa.arithmetic(Add, a, a, x4);
    isa.arithmetic(Mul, x5, x5, x6);
    isa.arithmetic(Add, x3, a, x5);
    // [first-sum]: t in x4, t' in x5. [second-sum]: v in x6, v' in x3.
    sum(isa, [x4, x5], c, x3, [a, b]);
    sum(isa, [x6, x3], u, x4, [a, b]);
    // [odd-sum]: the sum in x4, its error in u.
    sum(isa, [x4, u], x5, x3, [a, b]);
    round_to_odd(isa, layout, x4, u, [a, b, c, x3]);
    // [fused]
    isa.arithmetic(Add, a, x6, x4);
    isa.return_from_routine();

    isa.land(too_large);
    isa.land(too_small);
    slow_path(isa, &places, site);
    start
}

/// s + e = a + b, where s is rounded to nearest and e is its error. `a` and `b` may not be among the others.
fn sum<I: Isa>(isa: &mut I, [s, e]: [Register; 2], a: Register, b: Register, [x, y]: [Register; 2]) {
    isa.arithmetic(Add, s, a, b);
    isa.arithmetic(Sub, x, s, a);
    isa.arithmetic(Sub, y, s, x);
    isa.arithmetic(Sub, y, a, y);
    isa.arithmetic(Sub, x, b, x);
    isa.arithmetic(Add, e, y, x);
}

/// s = its neighbour on the side of the error e, if there is an error and the last bit of s is even.
fn round_to_odd<I: Isa>(isa: &mut I, layout: &Layout, s: Register, e: Register, moment: [Register; 4]) {
    let p = &layout.patterns;
    let [is_due, step, away, other] = moment;
    let t = I::scratch();
    isa.load(t, Memory::Work(p.zero));
    isa.compare(Relation::Ne, is_due, e, t);
    isa.is_odd(other, s);
    isa.not(other, other);
    isa.bits(Bits::And, is_due, is_due, other);
    // Bits count away from zero: up if the signs are equal, otherwise down.
    isa.bits(Bits::Xor, other, s, e);
    isa.load(step, Memory::Work(p.sign_bit));
    isa.bits(Bits::And, other, other, step);
    isa.load(step, Memory::Work(p.one));
    isa.bits(Bits::Or, other, other, step);
    isa.compare(Relation::Lt, away, t, other);
    isa.load(step, Memory::Work(p.integer_one));
    isa.load(t, Memory::Work(p.all_ones));
    isa.blend(step, away, step, t);
    isa.bits(Bits::And, step, step, is_due);
    isa.add_integers(s, s, step);
}

/// Saves the other registers and calls the function.
fn slow_path<I: Isa>(isa: &mut I, places: &Places, site: u32) {
    let kept = || (N_OF_ROUTINE..I::N_ALLOCATABLE).map(Register).zip(places.saved..);
    isa.begin_calls();
    for (register, place) in kept() {
        isa.store(Memory::Work(place), register);
    }
    for (argument, place) in (0..3).map(Register).zip(places.arguments..) {
        isa.store(Memory::Work(place), argument);
    }
    isa.call_out(site, places.arguments, places.arguments + 3);
    isa.load(Register(0), Memory::Work(places.arguments + 3));
    for (register, place) in kept() {
        isa.load(register, Memory::Work(place));
    }
    isa.end_calls();
}
