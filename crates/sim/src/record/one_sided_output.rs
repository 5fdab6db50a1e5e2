//! Rows at the corners of drives.
//!
//! Where the rate of a drive jumps, a row can show one side alone. Its speeds tell which: on that side the constraints leave them as they are. All
//! else in the row, from accelerations to the power of the drive, is taken there.
//!
//! ```text
//! [either-side]   t⁻ = t - d, t⁺ = t + d      d = 8 ε max(|t0|, |t1|), as integrators keep off breakpoints
//! ```

use crate::rhs::Mechanism;

/// The times at which constraints may change their rate.
pub(crate) struct Corners {
    /// In order.
    times: Vec<f64>,
    nudge: f64,
}

/// How far a side is from its corner. [either-side]
pub(crate) fn nudge(from: f64, to: f64) -> f64 {
    8.0 * f64::EPSILON * from.abs().max(to.abs())
}

impl Corners {
    /// The corners of a motion between two times.
    pub fn new(times: Vec<f64>, from: f64, to: f64) -> Self {
        Corners { times, nudge: nudge(from, to) }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.times.is_empty()
    }

    /// The time at which a row shows what it does.
    pub fn side(&self, mechanism: &mut Mechanism<'_>, t: f64, y: &[f64]) -> f64 {
        let d = self.nudge;
        let near = self.times.partition_point(|corner| *corner < t - d);
        if self.times.get(near).is_none_or(|corner| *corner > t + d) {
            return t;
        }
        match (mechanism.would_strike(t - d, y), mechanism.would_strike(t + d, y)) {
            (false, true) => t - d,
            (true, false) => t + d,
            _ => t,
        }
    }
}
