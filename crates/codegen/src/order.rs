//! The order of statements in a function: what the longest way to a result waits for comes first.
//!
//! ```text
//! [height]   h(v) = l(v) + max over the users w of v of h(w),      l the latency of the operation, about, in cycles
//! ```
//!
//! A processor that looks a few hundred instructions ahead begins what is ready in the order of the text. In the order in which values
//! were derived it meets the beginnings of long chains late, and waits at the end: for the arm with six axes 15 %
//! longer (peers/RESULTS.md). Therefore stages are mixed too. Since each latency is positive, values come after what they need.

use std::collections::{BTreeMap, BTreeSet};

use cardan_program::{Binary, Op, Program, Unary, ValueId};

/// About how many cycles an operation takes.
fn latency(op: &Op) -> u32 {
    match op {
        Op::Binary(Binary::Div, ..) => 13,
        Op::Binary(Binary::Atan2 | Binary::Pow, ..) => 60,
        Op::Unary(Unary::Neg | Unary::Abs, _) => 1,
        Op::Unary(Unary::Sqrt, _) => 18,
        Op::Unary(..) | Op::Call { .. } | Op::Lookup1 { .. } | Op::Lookup2 { .. } => 40,
        Op::Solve(_) => 200,
        Op::Extract { .. } => 1,
        _ => 4,
    }
}

/// The height of each of some values. [height]
pub(crate) fn heights(program: &Program, live: &BTreeSet<ValueId>) -> BTreeMap<ValueId, u32> {
    let mut above: BTreeMap<ValueId, u32> = BTreeMap::new();
    let mut heights = BTreeMap::new();
    for v in live.iter().rev() {
        let op = &program.values()[*v];
        let height = latency(op) + above.get(v).copied().unwrap_or(0);
        heights.insert(*v, height);
        op.for_each_operand(|o| {
            let known = above.entry(o).or_default();
            *known = height.max(*known);
        });
    }
    heights
}
