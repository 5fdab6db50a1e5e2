//! What the translator asks of an instruction set.
//!
//! Every operation takes its operands from registers and may put the result into any of them. Scalar code and
//! code of two lanes offer the same. Truth values are all ones or all zeros.

use crate::allocation::registers::Register;
use crate::allocation::value_locations::Memory;

/// Registers from this number on are not touched by the routines inside the code.
pub(crate) const N_OF_ROUTINE: u8 = 9;

/// d = a op b.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Arithmetic {
    Add,
    Sub,
    Mul,
    Div,
    /// a if a < b, otherwise b.
    Min,
    /// a if a > b, otherwise b.
    Max,
}

/// d = op x, where there is an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Simple {
    Neg,
    Abs,
    Sqrt,
    Floor,
}

/// d = a op b on bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Bits {
    And,
    Or,
    Xor,
}

/// Comparisons; those with NaN are false but for `Ne`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Relation {
    Lt,
    Le,
    Eq,
    Ne,
}

/// What a fused operation subtracts instead of adding.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Signs {
    pub(crate) minus_product: bool,
    pub(crate) minus_addend: bool,
}

/// Instructions to bytes.
pub(crate) trait Isa {
    /// Registers that hold values. The next one is the translator's for the moment, the one after it the
    /// instruction set's own.
    const N_ALLOCATABLE: u8;
    /// Whether there is an instruction for fused operations.
    const HAS_FUSED: bool;

    /// Whether there is an instruction for an operation of one number; there is one for `Neg`.
    fn has(op: Simple) -> bool;

    /// An empty buffer for code of one or two lanes.
    fn new(lanes: usize) -> Self;
    /// One or two.
    fn lanes(&self) -> usize;
    /// What follows is code of so many lanes.
    fn set_lanes(&mut self, lanes: usize);
    /// Where the next instruction will stand.
    fn position(&self) -> usize;
    /// The bytes.
    fn into_code(self) -> Vec<u8>;

    /// Begins the function of a stage: memory, outputs, context, inputs.
    fn enter(&mut self);
    /// Ends it.
    fn leave(&mut self);
    /// Calls a routine of the code.
    fn call_routine(&mut self, position: usize);
    /// Ends a routine that calls nothing.
    fn return_from_routine(&mut self);
    /// In a routine: what precedes calls.
    fn begin_calls(&mut self);
    /// In a routine: what follows calls, and the end.
    fn end_calls(&mut self);
    /// Calls the context's function with the context, the site, and the addresses of two places.
    fn call_out(&mut self, site: u32, args: u32, out: u32);

    /// d = number at m.
    fn load(&mut self, d: Register, m: Memory);
    /// Number at m = s.
    fn store(&mut self, m: Memory, s: Register);
    /// d = s.
    fn copy(&mut self, d: Register, s: Register);
    /// d = a op b.
    fn arithmetic(&mut self, op: Arithmetic, d: Register, a: Register, b: Register);
    /// d = op x, if the set [has](Self::has) it.
    fn simple(&mut self, op: Simple, d: Register, x: Register);
    /// d = ±a b ± c, rounded once, if the set [has](Self::HAS_FUSED) it.
    fn fused(&mut self, signs: Signs, d: Register, a: Register, b: Register, c: Register);
    /// d = whether the relation holds.
    fn compare(&mut self, relation: Relation, d: Register, a: Register, b: Register);
    /// d = a op b on all bits.
    fn bits(&mut self, op: Bits, d: Register, a: Register, b: Register);
    /// d = the opposite truth.
    fn not(&mut self, d: Register, x: Register);
    /// d = a where the mask is true, otherwise b.
    fn blend(&mut self, d: Register, mask: Register, a: Register, b: Register);

    /// The second lane of d = the first of s.
    fn join(&mut self, d: Register, s: Register);
    /// d = s shifted left, as whole numbers of 64 bits.
    fn shift_left(&mut self, d: Register, s: Register, count: u8);
    /// d = a + b as whole numbers of 64 bits.
    fn add_integers(&mut self, d: Register, a: Register, b: Register);
    /// d = whether the lowest bit of s is set.
    fn is_odd(&mut self, d: Register, s: Register);
    /// Jumps ahead unless x is below the limit in every lane; returns what [`land`](Self::land) needs.
    fn jump_unless_below(&mut self, x: Register, limit: Register) -> usize;
    /// Makes a jump arrive here.
    fn land(&mut self, jump: usize);

    /// A register for the moment; it never holds a value.
    fn scratch() -> Register {
        Register(Self::N_ALLOCATABLE)
    }
}
