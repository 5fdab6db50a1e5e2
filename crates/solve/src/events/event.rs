//! Sign changes of event functions, located on the dense output of an accepted step.
//!
//! The functions are looked at at the ends of several parts of the step, then wherever it is in doubt what they do between looks (see
//! the module `event_bracketing`), from the beginning of the step up to the first crossing. A crossing found between two looks is located by Brent's method; the
//! reported time is just after it, so that the sign has changed. Where another function has changed its sign by then, its
//! crossing came first, and is looked for in the same way. In the first step after a start the looks begin very close to
//! it, so that an event that follows at once (the last bounces of a ball) is seen.

use crate::evaluate::{Evaluator, Trouble};
use crate::event_bracketing::{Looks, first_looks};
use crate::options::Options;
use crate::roots::{RootFailure, brent_from};
use crate::stepper::Stepper;
use crate::system::Crossing;

/// Further looks of the first step after a start, as fractions of the step, before all others.
const CLOSE_LOOKS: [f64; 3] = [1e-9, 1e-7, 1e-5];
/// So many more looks for each step, …
const LOOKS_PER_STEP: u64 = 32;
/// … and for each crossing: there is something to see.
const LOOKS_PER_CROSSING: u64 = 256;

/// An accepted step, open to questions.
pub(crate) struct Span<'a> {
    pub(crate) t: f64,
    pub(crate) h: f64,
    /// The end state, after projection.
    pub(crate) end: &'a [f64],
    pub(crate) t_end: f64,
    pub(crate) stepper: &'a dyn Stepper,
}

impl Span<'_> {
    /// The time at a fraction of the step.
    pub(crate) fn time(&self, theta: f64) -> f64 {
        if theta >= 1.0 { self.t_end } else { self.t + theta * self.h }
    }

    /// The state at a fraction of the step.
    pub(crate) fn state(&self, theta: f64, out: &mut [f64]) {
        if theta >= 1.0 { out.copy_from_slice(self.end) } else { self.stepper.interpolate(theta, out) }
    }
}

/// One or more events at one time.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Hit {
    pub(crate) theta: f64,
    /// Which, and whether rising.
    pub(crate) events: Vec<(usize, bool)>,
}

/// What is remembered about the event functions from step to step.
pub(crate) struct EventWatch {
    /// The value and the sign before the next look; sign 0 is not decided yet.
    g: Vec<f64>,
    sign: Vec<i8>,
    crossing: Vec<Crossing>,
    just_started: bool,
    asleep: bool,
    probes: usize,
    /// Looks that may be made because of doubt, and the most there can be.
    n_left: u64,
    n_most: u64,
    y: Vec<f64>,
}

/// The event functions at a fraction of the step.
struct Look {
    theta: f64,
    g: Vec<f64>,
}

fn sign(g: f64) -> i8 {
    i8::from(g > 0.0) - i8::from(g < 0.0)
}

fn counts(crossing: Crossing, new_sign: i8) -> bool {
    match crossing {
        Crossing::Up => new_sign > 0,
        Crossing::Down => new_sign < 0,
        Crossing::Both => true,
    }
}

impl EventWatch {
    pub(crate) fn new(evaluator: &Evaluator<'_>, n: usize, options: &Options) -> Self {
        let n_events = evaluator.system.n_events();
        EventWatch {
            g: vec![0.0; n_events],
            sign: vec![0; n_events],
            crossing: (0..n_events).map(|k| evaluator.system.crossing(k)).collect(),
            just_started: true,
            asleep: false,
            probes: options.event_probes.max(6),
            n_left: options.event_looks,
            n_most: options.event_looks,
            y: vec![0.0; n],
        }
    }

    pub(crate) fn is_idle(&self) -> bool {
        self.g.is_empty() || self.asleep
    }

    /// Begins anew at (t, y), where the events `fired` have just happened: index and whether rising.
    pub(crate) fn start(
        &mut self,
        evaluator: &mut Evaluator<'_>,
        t: f64,
        y: &[f64],
        fired: &[(usize, bool)],
    ) -> Result<(), Trouble> {
        self.asleep = !evaluator.system.watches();
        if self.is_idle() {
            return Ok(());
        }
        evaluator.events(t, y, &mut self.g)?;
        for k in 0..self.g.len() {
            self.crossing[k] = evaluator.system.crossing(k);
            self.sign[k] = sign(self.g[k]);
        }
        for &(k, rising) in fired {
            if self.sign[k] == 0 {
                self.sign[k] = if rising { 1 } else { -1 };
            }
        }
        self.just_started = true;
        Ok(())
    }

    /// The motion has not begun here but goes on: nothing follows at once.
    pub(crate) fn goes_on(&mut self) {
        self.just_started = false;
    }

    /// The first hit after the fraction `from` of the step.
    pub(crate) fn scan(
        &mut self,
        evaluator: &mut Evaluator<'_>,
        span: &Span<'_>,
        from: f64,
    ) -> Result<Option<Hit>, Trouble> {
        self.allow(LOOKS_PER_STEP);
        let mut looks = self.looks(evaluator, span, from)?;
        let mut i = 0;
        while i + 1 < looks.len() {
            if let Some(theta) = self.doubtful(&looks, i) {
                self.n_left -= 1;
                let look = self.look(evaluator, span, theta)?;
                looks.insert(i + 1, look);
                continue;
            }
            let crossed = self.crossed(&looks[i + 1]);
            if !crossed.is_empty() {
                self.allow(LOOKS_PER_CROSSING);
                return self.locate(evaluator, span, &looks[i], &looks[i + 1], &crossed).map(Some);
            }
            i += 1;
        }
        if let Some(last) = looks.into_iter().next_back() {
            self.g = last.g;
        }
        self.just_started = false;
        Ok(None)
    }

    /// The event functions at a fraction of the step.
    fn look(&mut self, evaluator: &mut Evaluator<'_>, span: &Span<'_>, theta: f64) -> Result<Look, Trouble> {
        let mut g = vec![0.0; self.g.len()];
        span.state(theta, &mut self.y);
        evaluator.events(span.time(theta), &self.y, &mut g)?;
        Ok(Look { theta, g })
    }

    /// Allows more looks because of doubt.
    fn allow(&mut self, n: u64) {
        self.n_left = self.n_left.saturating_add(n).min(self.n_most);
    }

    /// Where to look between two looks, if it is not known what a function does there.
    fn doubtful(&self, looks: &[Look], i: usize) -> Option<f64> {
        let (n, theta) = (looks.len(), |j: usize| looks[j].theta);
        let next = |k: usize| Looks { n, theta: &theta, g: &|j| looks[j].g[k] }.next(i);
        if self.n_left == 0 { None } else { (0..self.g.len()).find_map(next) }
    }

    /// The first looks from the fraction `from` to the end of the step.
    fn looks(
        &mut self,
        evaluator: &mut Evaluator<'_>,
        span: &Span<'_>,
        from: f64,
    ) -> Result<Vec<Look>, Trouble> {
        let mut looks = vec![Look { theta: from, g: self.g.clone() }];
        if self.just_started && from == 0.0 {
            for theta in CLOSE_LOOKS {
                looks.push(self.look(evaluator, span, theta)?);
            }
        }
        for part in first_looks(self.probes) {
            // The end of the step is the end, whatever the rounding.
            let theta = if part == 1.0 { 1.0 } else { from + (1.0 - from) * part };
            if theta > from {
                looks.push(self.look(evaluator, span, theta)?);
            }
        }
        Ok(looks)
    }

    /// The functions whose relevant crossings become visible at `look`, with their new signs.
    fn crossed(&mut self, look: &Look) -> Vec<(usize, i8)> {
        let mut crossed = Vec::new();
        for k in 0..self.g.len() {
            let seen = sign(look.g[k]);
            if self.sign[k] == 0 {
                self.sign[k] = seen;
                continue;
            }
            // Zero itself counts as the other side: the root is exactly at this look.
            let new_sign = if seen == 0 { -self.sign[k] } else { seen };
            if new_sign != self.sign[k] {
                if counts(self.crossing[k], new_sign) {
                    crossed.push((k, new_sign));
                } else {
                    self.sign[k] = new_sign;
                }
            }
        }
        crossed
    }

    /// The earliest crossing between two looks, with those at the same time; those in `crossed` are seen at the second.
    fn locate(
        &mut self,
        evaluator: &mut Evaluator<'_>,
        span: &Span<'_>,
        before: &Look,
        after: &Look,
        crossed: &[(usize, i8)],
    ) -> Result<Hit, Trouble> {
        let magnitude = span.t.abs().max(span.t_end.abs()).max(span.h.abs());
        let tolerance = 4.0 * f64::EPSILON * magnitude / span.h.abs();
        let (mut roots, mut found) = self.roots(evaluator, span, (before, after), crossed, tolerance)?;
        for _ in 0..self.g.len() {
            let earlier = self.others(&found, &roots);
            if earlier.is_empty() || found.theta <= before.theta {
                break;
            }
            (roots, found) = self.roots(evaluator, span, (before, &found), &earlier, tolerance)?;
        }
        let theta = found.theta;
        self.g = found.g;
        for k in 0..self.g.len() {
            if sign(self.g[k]) != 0 {
                self.sign[k] = sign(self.g[k]);
            }
        }
        for &(k, new_sign) in &roots {
            self.sign[k] = new_sign;
        }
        Ok(Hit { theta, events: roots.into_iter().map(|(k, new_sign)| (k, new_sign > 0)).collect() })
    }

    /// The first of these crossings between two looks, with those at the same time, and a look there.
    fn roots(
        &mut self,
        evaluator: &mut Evaluator<'_>,
        span: &Span<'_>,
        (before, after): (&Look, &Look),
        crossed: &[(usize, i8)],
        tolerance: f64,
    ) -> Result<(Vec<(usize, i8)>, Look), Trouble> {
        let mut roots = Vec::with_capacity(crossed.len());
        for &(k, new_sign) in crossed {
            let ends = ((before.theta, before.g[k]), (after.theta, after.g[k]));
            let mut value = |theta: f64| self.look(evaluator, span, theta).map(|look| look.g[k]);
            let mut theta = match brent_from(&mut value, ends.0, ends.1, tolerance) {
                Ok(theta) => theta,
                Err(RootFailure::NoSignChange { .. }) => after.theta,
                Err(RootFailure::Function(trouble)) => return Err(trouble),
            };
            let mut nudge = tolerance;
            while theta < after.theta && sign(value(theta)?) != new_sign {
                theta = (theta + nudge).min(after.theta);
                nudge *= 2.0;
            }
            roots.push((theta, k, new_sign));
        }
        let first = roots.iter().fold(f64::INFINITY, |first, root| first.min(root.0));
        roots.retain(|root| root.0 <= first + 2.0 * tolerance);
        let theta = roots.iter().fold(first, |last, root| last.max(root.0));
        let found = self.look(evaluator, span, theta)?;
        Ok((roots.into_iter().map(|(_, k, new_sign)| (k, new_sign)).collect(), found))
    }

    /// The functions besides `roots` that have made a relevant crossing before a look.
    fn others(&self, look: &Look, roots: &[(usize, i8)]) -> Vec<(usize, i8)> {
        let changed = |k: usize| {
            let seen = sign(look.g[k]);
            let relevant = self.sign[k] != 0 && seen != 0 && seen != self.sign[k];
            (relevant && counts(self.crossing[k], seen)).then_some((k, seen))
        };
        (0..self.g.len()).filter(|k| roots.iter().all(|r| r.0 != *k)).filter_map(changed).collect()
    }
}
