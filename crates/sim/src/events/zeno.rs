//! Events and switches that will never end.
//!
//! A ball that bounces ever lower has infinitely many impacts in a finite time; a relay without hysteresis switches ever faster around its
//! goal. Both are told by their instants, counted in blocks:
//!
//! ```text
//! [still]      100 instants within 1e-9 of the whole time
//! [faster]     blocks of 500 instants, each shorter than the one before, eight or more of them, the last a quarter of the first and
//!              shorter than what a row of results can show: max(time between two rows, whole time / 1000); none half as long as the one before, which has
//!              a pause in it
//! ```
//!
//! A pulse width modulation at a high but steady rate is neither, and goes on. Of what switches with the state only going to and fro counts: a table may
//! have many knots one after the other. What comes of it is not decided here: endless events end a motion, endless switches are no longer located.

use std::collections::VecDeque;

use cardan_base::without_noise;

/// So many instants … [still]
const STILL: usize = 100;
/// … in this part of the whole time never end.
const STILL_PART: f64 = 1e-9;
/// Instants in a block. [faster]
const BLOCK: usize = 500;
/// Blocks that became shorter, one after the other.
const SHORTER: usize = 8;
/// The first of them against the last.
const RATIO: f64 = 4.0;
/// A block so many times as long as the next one has a pause in it.
const PAUSE: f64 = 2.0;
/// Part of the whole time that a row of results shows at least.
const ROW_PART: f64 = 1e-3;

/// The instants of a motion, as far as they tell whether they end.
pub(crate) struct Chatter {
    span: f64,
    /// The time between two rows of results.
    row: f64,
    /// The last instants at which conditions became true, and the last event of each.
    recent: VecDeque<(f64, usize)>,
    /// The block that is being counted: its start, and its instants so far.
    block: (f64, usize),
    /// When the first of the blocks that become shorter ended, how long it was, how many came after it.
    first: (f64, f64, usize),
    /// How long the last block was.
    last: f64,
}

impl Chatter {
    /// For a motion from a time on that is to last so long, with so much time between two rows of results.
    pub fn new(from: f64, span: f64, row: f64) -> Chatter {
        let (span, unknown) = (span.abs(), f64::INFINITY);
        Chatter {
            span,
            row: row.max(ROW_PART * span),
            recent: VecDeque::new(),
            block: (from, 0),
            first: (from, unknown, 0),
            last: unknown,
        }
    }

    /// The events of the last instants, with how often each came.
    pub fn recent(&self) -> Vec<(usize, usize)> {
        self.counts(0)
    }

    fn counts(&self, from: usize) -> Vec<(usize, usize)> {
        let mut counts: Vec<(usize, usize)> = vec![];
        for (_, event) in self.recent.iter().skip(from) {
            match counts.iter_mut().find(|(e, _)| e == event) {
                Some((_, n)) => *n += 1,
                None => counts.push((*event, 1)),
            }
        }
        counts
    }

    /// Forgets the instants of some events, which will not be noted any more.
    pub fn forget(&mut self, gone: &dyn Fn(usize) -> bool) {
        self.recent.retain(|(_, event)| !gone(*event));
    }

    /// Notes an instant at which an event happened; in words what is wrong if such instants will never end.
    pub fn note(&mut self, t: f64, event: usize, name: &dyn Fn(usize) -> String) -> Option<String> {
        self.recent.push_back((t, event));
        if self.recent.len() > BLOCK {
            self.recent.pop_front();
        }
        self.stands_still(t, name).or_else(|| self.grows(t, name))
    }

    /// [still]
    fn stands_still(&self, t: f64, name: &dyn Fn(usize) -> String) -> Option<String> {
        let from = self.recent.len().checked_sub(STILL + 1)?;
        let within = t - self.recent[from + 1].0;
        (within <= STILL_PART * self.span).then(|| {
            format!(
                "events crowd together at t = {} s: {STILL} instants within {within:.1e} s, by {}; a dead zone, a shortest time between two, or a state of rest would end it",
                without_noise(t),
                self.names(from + 1, name),
            )
        })
    }

    /// [faster]
    fn grows(&mut self, t: f64, name: &dyn Fn(usize) -> String) -> Option<String> {
        self.block.1 += 1;
        if self.block.1 < BLOCK {
            return None;
        }
        let length = t - self.block.0;
        self.block = (t, 0);
        // A block that is much shorter at once comes after a pause.
        if length < self.last && length * PAUSE > self.last {
            self.first.2 += 1;
        } else {
            self.first = (t, length, 0);
        }
        self.last = length;
        let (since, at_first, n_shorter) = self.first;
        let endless = n_shorter >= SHORTER && length * RATIO <= at_first && length <= self.row;
        endless.then(|| {
            format!(
                "events come ever faster, at t = {} s {BLOCK} within {length:.1e} s after {BLOCK} within {at_first:.1e} s before t = {} s, by {}; hysteresis, a shortest time between two, or a sampled block (`every`) would end it",
                without_noise(t),
                without_noise(since),
                self.names(0, name),
            )
        })
    }

    /// The events of the last instants, with how often each came.
    fn names(&self, from: usize, name: &dyn Fn(usize) -> String) -> String {
        let counts = self.counts(from);
        let words = counts.iter().take(5).map(|(event, n)| format!("`{}` ({n} times)", name(*event)));
        words.collect::<Vec<_>>().join(", ")
    }
}

#[cfg(test)]
mod tests {
    use crate::events::zeno::*;

    /// When instants given by their times are found endless.
    fn found(times: impl Iterator<Item = f64>) -> Option<(f64, String)> {
        let mut chatter = Chatter::new(0.0, 1.0, 1e-3);
        let name = |k: usize| format!("block {k}");
        times.enumerate().find_map(|(k, t)| chatter.note(t, k % 2, &name).map(|words| (t, words)))
    }

    #[test]
    fn impacts_that_end_in_a_finite_time_are_endless() {
        let (t, words) = found((0..10_000).map(|k| 0.5 * (1.0 - 0.8f64.powi(k)))).expect("it is endless");
        assert!((t - 0.5).abs() < 1e-9, "{t}");
        assert!(words.contains("crowd together") && words.contains("`block 1` (50 times)"), "{words}");
    }

    #[test]
    fn a_rate_that_grows_without_bound_is_endless() {
        // The rate is 200 exp(10 t) per second.
        let (t, words) = found((1..200_000).map(|k| (1.0 + f64::from(k) / 20.0).ln() / 10.0)).expect("it is");
        assert!(t < 0.95, "{t}");
        assert!(words.contains("ever faster") && words.contains("`block 0` (250 times)"), "{words}");
    }

    #[test]
    fn a_high_rate_that_is_steady_is_not() {
        assert_eq!(found((1..1_000_000).map(|k| f64::from(k) * 1e-6)), None);
        // It may waver, and begin after a pause.
        let wave = |k: i32| f64::from(k) * 1e-6 + 2e-4 * (f64::from(k) * 1e-4).sin();
        assert_eq!(found((1..500_000).map(|k| 0.3 + wave(k))), None);
    }
}
