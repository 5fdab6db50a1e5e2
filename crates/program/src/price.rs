//! What operations cost on machine code, in multiplications: by this formalisms and factorings compete.
//!
//! Counts in the words of the literature ([`count`](mod@crate::count)) call a quotient and a sine one operation each; a processor does not. The figures are those of
//! `cargo bench -p cardan-jit --bench prices`, rounded: time that one more operation adds to a program of products and sums.

use crate::op::{Binary, Op, Unary};
use crate::program::{Program, Stages};

/// A quotient.
pub const DIVISION: u64 = 4;
/// A function of a library.
const FUNCTION: u64 = 10;

/// What an operation costs.
pub fn price(op: &Op) -> u64 {
    match op {
        Op::Const(_) | Op::Truth(_) | Op::Input(_) | Op::Unary(Unary::Neg, _) => 0,
        Op::Binary(Binary::Add | Binary::Sub | Binary::Mul, ..) => 1,
        Op::Binary(Binary::Div, ..) => DIVISION,
        _ => FUNCTION,
    }
}

/// What a range of stages costs.
pub fn price_of(program: &Program, stages: Stages) -> u64 {
    let stages = stages.iter().filter(|s| cardan_base::Id::index(*s) < program.stages().len());
    stages
        .flat_map(|stage| program.stage_values(stage))
        .map(|k| price(&program.values()[cardan_base::Id::from_index(k)]))
        .sum()
}
