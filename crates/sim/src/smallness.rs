//! Whether angles that were declared small stayed small.
//!
//! A small angle θ stands for its sine, and one for its cosine; products of small quantities are dropped.
//!
//! ```text
//! [neglected]   1 - cos θ ≈ θ²/2  is the largest part of a kept term that one dropped term can be
//! ```
//!
//! The other series loses less: sin θ - θ is θ²/6 of it. A hundredth is the limit because that is what a reader of a plot
//! begins to see; it is reached at 0.14 rad, or 8 degrees. Lengths and speeds are not judged: nothing in the model says what they
//! are small against.

use crate::audit::tidy;
use crate::plan::Plan;
use crate::trajectory::Rows;

/// What may be neglected without a word.
const LIMIT: f64 = 0.01;

/// A sentence about the small angle that became largest, if one became too large.
pub(crate) fn warning(plan: &Plan, rows: &Rows) -> Option<String> {
    let mut worst = (0.0, 0.0, 0);
    let mut too_large = vec![];
    for k in &plan.small_angles {
        let mut largest = (0.0, 0.0);
        for row in rows.iter() {
            let angle = row[1 + k].abs();
            if angle > largest.0 {
                largest = (angle, row[0]);
            }
        }
        if neglected(largest.0) > LIMIT {
            too_large.push(*k);
        }
        if largest.0 > worst.0 {
            worst = (largest.0, largest.1, *k);
        }
    }
    let (angle, t, k) = worst;
    let part = neglected(angle);
    if part <= LIMIT {
        return None;
    }
    let name = &plan.states[k].label.name;
    let others = match too_large.len() - 1 {
        0 => String::new(),
        1 => "; another small angle became too large, too".into(),
        n => format!("; {n} other small angles became too large, too"),
    };
    let percent = (100.0 * part).round();
    Some(format!(
        "`{name}`, declared small, reached {angle:.2} rad at t = {} s: neglected terms may be {percent} %{others}",
        tidy(t)
    ))
}

/// [neglected]
fn neglected(angle: f64) -> f64 {
    angle * angle / 2.0
}
