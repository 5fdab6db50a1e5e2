//! When two times are one instant, and the beats of sampled blocks.
//!
//! The third sample of `every = 0.1 [s]` is at 0.3 s, and 3 · 0.1 is 0.30000000000000004: times that people mean to be one differ by rounding.
//! So times are computed from whole numbers and never summed, and two that differ by rounding only are one instant:
//!
//! ```text
//! [beat]       t_k = offset + k period,  k = 0, 1, 2, …
//! [one]        |a - b| <= 8 ε max(|a|, |b|, |from|): a and b are one instant
//! ```
//!
//! All that belongs to one instant happens before its row of results is written.

/// Times closer than this part of their size are one.
pub(crate) const SAME: f64 = 8.0 * f64::EPSILON;

/// Whether two times of a motion that begins at `from` are one instant. [one]
pub(crate) fn are_one(a: f64, b: f64, from: f64) -> bool {
    (a - b).abs() <= SAME * a.abs().max(b.abs()).max(from.abs())
}

/// A sampled block.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Beat {
    /// Its number in the text.
    pub event: usize,
    period: f64,
    offset: f64,
    /// The number of the next sample, a whole one.
    k: f64,
}

impl Beat {
    /// The first sample that is not before `from`.
    pub fn new(event: usize, period: f64, offset: f64, from: f64) -> Beat {
        let k = ((from - offset) / period * (1.0 - SAME)).ceil().max(0.0);
        Beat { event, period, offset, k }
    }

    /// The next sample. [beat]
    pub fn at(&self) -> f64 {
        self.offset + self.k * self.period
    }

    /// How many samples are still to be taken until `to`.
    pub fn left(&self, to: f64) -> f64 {
        ((to - self.at()) / self.period).max(0.0)
    }

    /// The number of the next sample.
    pub fn count(&self) -> f64 {
        self.k
    }

    /// Goes on with the sample of this number.
    pub fn resume(&mut self, k: f64) {
        self.k = k;
    }

    /// One more sample has been taken.
    pub fn advance(&mut self) {
        self.k += 1.0;
    }
}

#[cfg(test)]
mod tests {
    use crate::events::event_time::*;

    #[test]
    fn products_and_quotients_of_one_time_are_one_instant() {
        for rate in 1..200 {
            let period = 1.0 / f64::from(rate);
            for k in 0..5000 {
                let (product, quotient) = (f64::from(k) * period, f64::from(k) / f64::from(rate));
                assert!(are_one(product, quotient, 0.0), "{k} of {period}");
            }
            assert!(!are_one(1e6 * period, 1e6 * period + 1e-4 * period, 0.0));
        }
    }

    #[test]
    fn a_motion_that_begins_at_a_beat_begins_with_it() {
        for k in 0..1000 {
            let beat = Beat::new(0, 0.1, 0.0, f64::from(k) / 10.0);
            assert!(are_one(beat.at(), f64::from(k) / 10.0, 0.0), "{k}");
        }
        assert_eq!(Beat::new(0, 0.5, 0.25, 0.3).at(), 0.75);
        assert_eq!(Beat::new(0, 0.5, 0.25, -3.0).at(), 0.25);
    }
}
