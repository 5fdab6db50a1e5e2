//! Rows that say nothing but what is left of rounded data.
//!
//! ```text
//! [faint]    |G_r| ≤ FAINT s      s = 1 for turns, else the length of the longest row with the same unit
//! ```
//!
//! Axes that are parallel to ten digits leave rows that hold by themselves to ten digits. Compared with their own lengths these are rows like any other, and
//! would keep a linkage from moving.

use crate::assembly::RowName;

/// No mechanism is built so exactly. [faint]
const FAINT: f64 = 1e-9;

/// Which rows are faint, by the lengths of all of them in one position.
pub fn faint(rows: &[RowName], lengths: &[f64]) -> Vec<bool> {
    let scale = |unit: &str| match unit {
        "rad" => 1.0,
        _ => {
            rows.iter().zip(lengths).filter(|(row, _)| row.unit == unit).fold(0.0, |m: f64, (_, l)| m.max(*l))
        }
    };
    rows.iter().zip(lengths).map(|(row, length)| *length <= FAINT * scale(&row.unit)).collect()
}
