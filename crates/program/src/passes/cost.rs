//! How long an order of evaluation takes on a processor that looks ahead.
//!
//! A deliberately small model: instructions enter in order, a few per cycle; each starts when its operands
//! are ready; and no instruction enters while one that is a whole window older is unfinished. Latencies and
//! sizes are round figures for current 64-bit processors. Only the comparison of two orders matters, not the
//! number itself.

use cardan_base::Id;

use crate::op::{Binary, Op, Unary, ValueId};
use crate::program::Program;

/// Instructions that the processor can have under way.
const WINDOW: f64 = 400.0;
/// Instructions that enter per cycle.
const PER_CYCLE: f64 = 3.0;
/// A value that waits for its last use through more values than this is taken to be stored and loaded again.
const LONG_LIVED: usize = 40;

/// (cycles until the result is ready, instructions).
fn weight(op: &Op) -> (f64, f64) {
    match op {
        Op::Const(_) | Op::Truth(_) | Op::Input(_) | Op::Extract { .. } => (0.0, 0.0),
        Op::Unary(op, _) => match op {
            Unary::Neg | Unary::Abs => (1.0, 1.0),
            Unary::Sign => (9.0, 4.0),
            Unary::Floor => (8.0, 2.0),
            Unary::Sqrt => (18.0, 4.0),
            Unary::Sin | Unary::Cos => (70.0, 70.0),
            _ => (60.0, 70.0),
        },
        Op::Binary(op, ..) => match op {
            Binary::Add | Binary::Sub | Binary::Mul | Binary::Min | Binary::Max => (4.0, 1.0),
            Binary::Div => (14.0, 4.0),
            Binary::Atan2 | Binary::Pow => (90.0, 100.0),
        },
        Op::Fma(..) | Op::Compare(..) => (4.0, 1.0),
        Op::Powi(_, n) => {
            let products = f64::from(n.unsigned_abs().max(1).ilog2() + n.unsigned_abs().count_ones());
            (4.0 * products, products)
        }
        Op::Logic(..) | Op::Not(_) => (1.0, 1.0),
        Op::Select(..) => (3.0, 3.0),
        Op::Lookup1 { .. } | Op::Call { .. } => (50.0, 60.0),
        Op::Lookup2 { .. } => (80.0, 120.0),
        Op::Solve(s) => {
            let n = f64::from(s.n);
            (40.0 * n, n * n * n / 3.0 + n * s.rhs.len() as f64 + 30.0)
        }
    }
}

/// Cycles until the result is ready.
pub(super) fn latency(op: &Op) -> f64 {
    weight(op).0
}

/// Estimates orders of values of one program.
pub(super) struct Model<'a> {
    program: &'a Program,
    /// When each value is ready; zero between estimates.
    finish: Vec<f64>,
    last_use: Vec<usize>,
}

impl<'a> Model<'a> {
    pub(super) fn new(program: &'a Program) -> Self {
        let n = program.values.len();
        Model { program, finish: vec![0.0; n], last_use: vec![0; n] }
    }

    /// Cycles that the values need in this order.
    pub(super) fn estimate(&mut self, order: &[ValueId]) -> f64 {
        let Model { program, finish, last_use } = self;
        for (position, value) in order.iter().enumerate() {
            program.values[*value].for_each_operand(|v| last_use[v.index()] = position);
        }
        let mut entered = 0.0;
        let mut done: Vec<(f64, f64)> = Vec::with_capacity(order.len());
        let mut oldest = 0;
        let mut retired: f64 = 0.0;
        let mut end: f64 = 0.0;
        for (position, value) in order.iter().enumerate() {
            let op = &program.values[*value];
            let (latency, size) = weight(op);
            let stored = last_use[value.index()] > position + LONG_LIVED && !op.is_leaf();
            entered += size + if stored { 2.0 } else { 0.0 };
            while oldest < done.len() && done[oldest].0 < entered - WINDOW {
                retired = retired.max(done[oldest].1);
                oldest += 1;
            }
            let mut start = retired.max(entered / PER_CYCLE);
            op.for_each_operand(|v| start = start.max(finish[v.index()]));
            finish[value.index()] = start + latency;
            end = end.max(start + latency);
            done.push((entered, start + latency));
        }
        for value in order {
            finish[value.index()] = 0.0;
        }
        end
    }
}
