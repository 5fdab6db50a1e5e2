//! Whether coordinates that were declared small stayed small.
//!
//! A small angle θ stands for its sine, and one for its cosine; products of small quantities are dropped.
//!
//! ```text
//! [angle]    1 - cos θ ≈ θ²/2   is the largest part of a kept term that one dropped term can be
//! [length]   x θ against L θ,   a small shift x beside the largest length L that is fixed in a body
//! ```
//!
//! The other series loses less: sin θ - θ is θ²/6 of it. Of small Euler parameters the last three are half the angles; the first is
//! near one. A hundredth is the limit because that is what a reader of a plot begins to see; it is reached at 0.14 rad, or 8 degrees,
//! and at a hundredth of L. Speeds are not judged: nothing in the model says what they are small against.

use crate::record::trajectory::Rows;
use cardan_base::without_noise;
use cardan_compile::layout::Plan;
use cardan_compile::small_coordinates::Small;

/// What may be neglected without a word.
const LIMIT: f64 = 0.01;

/// A sentence about the small coordinate that became largest, if one became too large.
pub(crate) fn warning(plan: &Plan, rows: &Rows) -> Option<String> {
    let mut worst: Option<(f64, f64, f64, &Small)> = None;
    let mut too_large = 0;
    for small in &plan.small {
        let at = |row: &[f64]| (small.neglected(row[1 + small.state]), row[1 + small.state], row[0]);
        let larger = |a: (f64, f64, f64), b: (f64, f64, f64)| if b.0 > a.0 { b } else { a };
        let (part, value, t) = rows.iter().map(at).fold((0.0, 0.0, 0.0), larger);
        if part > LIMIT {
            too_large += 1;
            if worst.is_none_or(|w| part > w.0) {
                worst = Some((part, value, t, small));
            }
        }
    }
    let (part, value, t, small) = worst?;
    let name = &plan.states[small.state].label.name;
    let others = match too_large - 1 {
        0 => String::new(),
        1 => "; another small quantity became too large, too".into(),
        n => format!("; {n} other small quantities became too large, too"),
    };
    let percent = (100.0 * part).round();
    Some(format!(
        "`{name}`, declared small, reached {} at t = {} s: neglected terms may be {percent} %{others}",
        small.words(value),
        without_noise(t)
    ))
}
