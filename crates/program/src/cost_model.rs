//! What operations cost on machine code, in multiplications: by this formalisms and factorings compete.
//!
//! Counts in the words of the literature ([`count`](mod@crate::count)) call a quotient and a sine one operation each; a processor does not. The figures are
//! measured by `cargo bench -p cardan-jit --bench prices`: the time that one more operation adds to a program of products and sums, in that of one more
//! product. `cargo bench -p cardan --bench formalisms` holds them against the times of whole models.

use cardan_base::Id;

use crate::count::{Counts, count_operations};
use crate::op::{Binary, Op, Unary, ValueId};
use crate::program::{Program, Stages};

/// A quotient.
pub const DIVISION: u64 = 7;
/// A square root.
const ROOT: u64 = 11;
/// One of a sine and a cosine, which are found together; an inverse is somewhat more.
const TRIGONOMETRIC: u64 = 35;
/// An exponential, a logarithm, a table.
const OTHER: u64 = 65;

/// What an operation costs.
pub fn price(op: &Op) -> u64 {
    match op {
        // Most of what is in a program, without a detour.
        Op::Binary(Binary::Add | Binary::Sub | Binary::Mul, ..) => 1,
        Op::Const(_) | Op::Truth(_) | Op::Input(_) | Op::Unary(Unary::Neg, _) => 0,
        _ => price_of_counts(&count_operations([op])),
    }
}

/// What operations cost together.
pub fn price_of_counts(counts: &Counts) -> u64 {
    let Counts { add, mul, div, sqrt, trig, compare, other } = counts;
    add + mul + compare + DIVISION * div + ROOT * sqrt + TRIGONOMETRIC * trig + OTHER * other
}

/// What a range of stages costs.
pub fn price_of(program: &Program, stages: Stages) -> u64 {
    let stages = stages.iter().filter(|s| s.index() < program.stages().len());
    let values = stages.flat_map(|stage| program.stage_values(stage));
    values.map(|k| price(&program.values()[ValueId::from_index(k)])).sum()
}
