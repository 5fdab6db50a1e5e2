//! Constraints that have no direction where they hold: `(a - b)² = 0`, the length of a vector that must vanish, an angle of zero.
//!
//! ```text
//! [aimless]    |∂g/∂q| vanishes in the assembled position and not beside it, and g is open there while the others are closed
//! ```
//!
//! No speed changes such a row to first order, so that nothing holds it: it looks like a row that repeats others, and is none.

use crate::newton::Work;

/// What is less than this part of itself beside an assembled position vanishes there: Newton's method closes a row that opens quadratically
/// only up to the root of its tolerance.
const VANISHES: f64 = 1e-4;
/// A row no longer than this beside an assembled position says nothing anywhere, in SI units: rounding.
const SILENT: f64 = 1e-8;

/// The first of the rows `redundant` that is no repetition. [aimless] `here` are lengths of rows in the assembled position, `usual` those beside it.
pub(crate) fn aimless(work: &Work<'_>, redundant: &[usize], here: &[f64], usual: &[f64]) -> Option<usize> {
    let places: Vec<usize> = work.positions().into_iter().map(|(r, _)| r).collect();
    let is_aimless = |r: &usize| {
        places.contains(r)
            && !work.left_out.contains(r)
            && usual[*r] > SILENT
            && here[*r] <= VANISHES * usual[*r]
    };
    redundant.iter().copied().find(is_aimless)
}
