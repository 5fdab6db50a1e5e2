//! Tables: functions given by points.
//!
//! Every table is stored as piecewise cubics, one set of coefficients per interval and per direction, two of
//! them for the regions beyond the ends. [`segments`](mod@segments) makes them; a curve is one row of
//! segments, a surface the tensor product of two (or,
//! without overshoot, patches from slopes and twists at its points). So all kinds are evaluated by the same few lines, in every
//! derivative.

mod curve;
mod monotone;
pub mod segments;
mod surface;

pub use crate::table::curve::Curve;
pub use crate::table::segments::{Beyond, Kind};
pub use crate::table::surface::Surface;

/// Why points do not make a table.
#[derive(Clone, PartialEq, Debug)]
pub enum TableError {
    /// Fewer points than the kind needs.
    TooFewPoints {
        /// How many it needs.
        needed: usize,
        /// How many there are.
        found: usize,
    },
    /// A coordinate or value is infinite or not a number.
    NotFinite {
        /// Position in the list, from 0.
        index: usize,
    },
    /// A coordinate does not exceed the one before.
    NotIncreasing {
        /// Position of the offender, from 0.
        index: usize,
        /// The coordinate before.
        before: f64,
        /// The coordinate.
        here: f64,
    },
    /// The number of values does not fit the number of coordinates.
    WrongShape {
        /// How many values were needed.
        needed: usize,
        /// How many there are.
        found: usize,
    },
}

impl std::fmt::Display for TableError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            TableError::TooFewPoints { needed, found } => {
                write!(f, "a table of this kind needs at least {needed} points, but has {found}")
            }
            TableError::NotFinite { index } => write!(f, "entry {} is not a finite number", index + 1),
            TableError::NotIncreasing { index, before, here } => {
                write!(f, "coordinates must increase, but entry {} is {here} after {before}", index + 1)
            }
            TableError::WrongShape { needed, found } => {
                write!(f, "the coordinates call for {needed} values, but there are {found}")
            }
        }
    }
}

impl std::error::Error for TableError {}

/// Refuses coordinates that do not increase or are not finite.
fn check_knots(knots: &[f64], needed: usize) -> Result<(), TableError> {
    if knots.len() < needed {
        return Err(TableError::TooFewPoints { needed, found: knots.len() });
    }
    check_finite(knots)?;
    for (i, pair) in knots.windows(2).enumerate() {
        if pair[1] <= pair[0] {
            return Err(TableError::NotIncreasing { index: i + 1, before: pair[0], here: pair[1] });
        }
    }
    Ok(())
}

fn check_finite(values: &[f64]) -> Result<(), TableError> {
    match values.iter().position(|v| !v.is_finite()) {
        Some(index) => Err(TableError::NotFinite { index }),
        None => Ok(()),
    }
}
