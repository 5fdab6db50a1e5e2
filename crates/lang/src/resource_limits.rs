//! Bounds that keep any text within reasonable time and memory. All are far beyond what a model needs.

use cardan_expr::Rational;

/// Parts of expressions evaluated in one text, calls of functions unfolded.
pub const STEPS: usize = 1_000_000;
/// Terms of one sum, factors of one product, branches of one `if`.
pub const TERMS: usize = 2_000;
/// Functions that call functions that call functions.
pub const CALL_DEPTH: usize = 32;
/// Parts of expressions as which a statement that happens in order counts.
pub const STATEMENT: usize = 100;
/// Cost of an expression that gets a name of its own when it is assigned.
pub const LONG: u32 = 200;
/// Repetitions of one loop.
pub const REPETITIONS: i64 = 1_000;
/// Expressions inside expressions, calls of functions unfolded.
pub const NESTING: usize = 400;
/// Size of an exponent, its denominator included.
pub const EXPONENT: i64 = 1_000;
/// Bits of an exact number.
pub const BITS: u64 = 20_000;
/// Values in one table.
pub const TABLE: usize = 200_000;
/// Frames between the ground and a body.
pub const FRAME_DEPTH: usize = 40_000;
/// Parts of an expression that is differentiated. Derivatives of derivatives of products double at each level.
pub const DERIVED: usize = 20_000;
/// Nodes of the algebra made by one text.
pub const NODES: usize = 4_000_000;

/// Whether an exact number has become too long to compute with.
pub fn too_long(number: &Rational) -> bool {
    match number {
        Rational::Small(..) => false,
        Rational::Big(r) => r.numer().bits() + r.denom().bits() > BITS,
    }
}
