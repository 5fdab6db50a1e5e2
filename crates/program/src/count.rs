//! Operation counts: the cost of a program in the words of the literature.

use cardan_base::Id;

use crate::op::{Binary, Op, Unary, ValueId};
use crate::program::{Program, Stages};

/// How many operations of each kind. A negation is free; a fused multiply-add is one of each.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counts {
    /// Additions and subtractions.
    pub add: u64,
    /// Multiplications.
    pub mul: u64,
    /// Divisions.
    pub div: u64,
    /// Square roots.
    pub sqrt: u64,
    /// Sines, cosines, tangents and their inverses.
    pub trig: u64,
    /// Comparisons and selections, minimum, maximum, absolute value, sign, floor, logic.
    pub compare: u64,
    /// Exponentials, logarithms, powers, hyperbolic functions, tables, calls.
    pub other: u64,
}

impl Counts {
    /// All operations.
    pub fn total(&self) -> u64 {
        self.add + self.mul + self.div + self.sqrt + self.trig + self.compare + self.other
    }
}

/// The operations of a range of stages.
pub fn count(program: &Program, stages: Stages) -> Counts {
    let mut counts = Counts::default();
    for stage in stages.iter().filter(|s| s.index() < program.stages().len()) {
        for index in program.stage_values(stage) {
            tally(&mut counts, &program.values()[ValueId::from_index(index)]);
        }
    }
    counts
}

/// The operations behind some values, each counted by itself.
pub fn count_values(program: &Program, values: impl IntoIterator<Item = ValueId>) -> Counts {
    count_operations(values.into_iter().map(|value| &program.values()[value]))
}

/// Operations, each counted by itself.
pub fn count_operations<'o>(operations: impl IntoIterator<Item = &'o Op>) -> Counts {
    let mut counts = Counts::default();
    operations.into_iter().for_each(|op| tally(&mut counts, op));
    counts
}

fn tally(c: &mut Counts, op: &Op) {
    match op {
        Op::Const(_) | Op::Truth(_) | Op::Input(_) | Op::Extract { .. } | Op::Unary(Unary::Neg, _) => {}
        Op::Unary(op, _) => match op {
            Unary::Sqrt => c.sqrt += 1,
            Unary::Sin | Unary::Cos | Unary::Tan | Unary::Asin | Unary::Acos | Unary::Atan => c.trig += 1,
            Unary::Neg | Unary::Abs | Unary::Sign | Unary::Floor => c.compare += 1,
            Unary::Sinh | Unary::Cosh | Unary::Tanh | Unary::Exp | Unary::Ln => c.other += 1,
        },
        Op::Binary(op, ..) => match op {
            Binary::Add | Binary::Sub => c.add += 1,
            Binary::Mul => c.mul += 1,
            Binary::Div => c.div += 1,
            Binary::Min | Binary::Max => c.compare += 1,
            Binary::Atan2 => c.trig += 1,
            Binary::Pow => c.other += 1,
        },
        Op::Fma(..) => {
            c.mul += 1;
            c.add += 1;
        }
        Op::Powi(_, n) => {
            let bits = n.unsigned_abs();
            if bits > 0 {
                c.mul += u64::from(bits.ilog2() + bits.count_ones() - 1);
            }
            c.div += u64::from(*n < 0);
        }
        Op::Compare(..) | Op::Logic(..) | Op::Not(_) | Op::Select(..) => c.compare += 1,
        Op::Lookup1 { .. } | Op::Lookup2 { .. } | Op::Call { .. } => c.other += 1,
        Op::Solve(s) => {
            let n = u64::from(s.n);
            let columns = s.rhs.len() as u64 / n.max(1);
            // Row k of LDL^T: k (k-1) / 2 products for t, k for d, as many sums, k quotients; two substitutions per column.
            let elimination: u64 = (0..n).map(|k| k * (k + 1) / 2).sum();
            let substitution = columns * n * n.saturating_sub(1);
            c.mul += elimination + substitution;
            c.add += elimination + substitution;
            c.div += n * n.saturating_sub(1) / 2 + columns * n;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builder::{Math, ProgramBuilder};
    use crate::program::Label;

    #[test]
    fn each_kind_is_counted_once() {
        let mut b = ProgramBuilder::new("p", ["main"], Math::Strict);
        let stage = b.stage("main").unwrap();
        let x = b.input(Label::named("x"), stage);
        let y = b.input(Label::named("y"), stage);
        let fused = b.fma(x, y, x);
        let power = b.powi(fused, -11);
        let negative = b.neg(power);
        let root = b.unary(Unary::Sqrt, negative);
        let unknowns = b.solve(2, &[x, y, root, x], &[x, y]);
        b.output(Label::named("u"), stage, unknowns[1]);
        let p = b.finish().unwrap();
        // Powi 11 = 0b1011: 3 squarings and 2 products; Solve: 3 + 1 products, 1 + 2 quotients.
        let expected = Counts { add: 1 + 3, mul: 1 + 5 + 3, div: 1 + 1 + 2, sqrt: 1, ..Counts::default() };
        assert_eq!(count(&p, p.all_stages()), expected);
    }
}
