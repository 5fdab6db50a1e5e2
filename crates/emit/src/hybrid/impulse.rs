//! Works of impulses: a drive whose rate jumps changes speeds at once, and what that takes is its work.
//!
//! ```text
//! [brought]   W ← W + (T + V) after a correction - (T + V) before,    where it changes a speed by more than the part ε of the fastest
//! ```
//!
//! Smaller corrections mend errors of integration, and their work is nobody's. W is the work of the only drive. Where there are several nothing tells how they
//! share it, and where there is none an impact has taken it away: W is then a number of its own that the balance counts, as in a run, and no column shows.

use std::ops::Range;

use cardan_lower::InputLayout;
use cardan_program::{Binary, Compare, Op, Program, Unary, ValueId};

use crate::error::Error;
use crate::link::Composer;
use crate::table_row::Row;

/// Whether what a program computes may jump: its constraints then change speeds at once.
pub(crate) fn may_jump(program: &Program) -> bool {
    let jumps = |op: &Op| match op {
        Op::Lookup1 { .. } | Op::Lookup2 { .. } | Op::Select(..) => true,
        Op::Unary(op, _) => matches!(op, Unary::Abs | Unary::Sign | Unary::Floor),
        Op::Binary(op, ..) => matches!(op, Binary::Min | Binary::Max),
        _ => false,
    };
    program.values().iter().any(|(_, op)| jumps(op))
}

/// A correction: the state before and after it.
pub(crate) struct Corrected {
    pub before: Vec<ValueId>,
    pub after: Vec<ValueId>,
    /// Which of it are speeds.
    pub speeds: Range<usize>,
}

/// The energy that a correction brings if it is an impulse, after the time `from`, else nothing. [brought]
pub(crate) fn brought(
    corrected: &Corrected,
    row: &Row<'_>,
    motion: &Program,
    layout: &InputLayout,
    composer: &mut Composer,
    (struck, from): (f64, f64),
) -> Result<ValueId, Error> {
    let instead: Vec<(usize, ValueId)> = layout.state().zip(corrected.after.iter().copied()).collect();
    let after = composer.add_with(motion, &instead, &[], "motion")?;
    let (before, after) = (row.energy(composer, row.values), row.energy(composer, &after));
    let t = composer.builder.input_value(composer.time);
    let b = &mut composer.builder;
    let zero = b.constant(0.0);
    let (mut change, mut fastest) = (zero, zero);
    for k in corrected.speeds.clone() {
        let (u, v) = (corrected.before[k], corrected.after[k]);
        let difference = b.sub(v, u);
        let sizes = [difference, u, v].map(|x| b.unary(Unary::Abs, x));
        change = b.binary(Binary::Max, change, sizes[0]);
        fastest = b.binary(Binary::Max, fastest, sizes[1]);
        fastest = b.binary(Binary::Max, fastest, sizes[2]);
    }
    let (part, from) = (b.constant(struck), b.constant(from));
    let least = b.mul(part, fastest);
    let (is_impulse, is_later) = (b.compare(Compare::Lt, least, change), b.compare(Compare::Lt, from, t));
    let counts = b.and(is_impulse, is_later);
    let energy = b.sub(after, before);
    Ok(b.select(counts, energy, zero))
}
