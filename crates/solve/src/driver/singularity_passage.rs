//! Through states at which the right-hand side is not determined.
//!
//! ```text
//! [margin]      m(t): zero where f is not determined, of the other sign beyond
//! [foretold]    gap = m / -ṁ                      the time until then, ṁ since m was larger by FALLEN
//! [approach]    h ≤ gap / 2                       where m < NEAR
//! [leap]        from m < LEAP to m < -LEAP / 2    by the motion before, continued; see the module `singularity_extrapolation`
//! [torn]        |δy_i| > s / √rtol                no projection may move a step so far; s is the scale of the largest |y|
//! [stays]       CROWD passages in a time that the rest is CROWDED times as long as
//! ```
//!
//! A motion that comes to rest where f is not determined stays there, and leaps to and fro: nothing tells how it goes on, and it ends. [stays]
//!
//! The slope of a mechanism loses digits near a singular position, and the constraints leave open there on which of several branches a
//! projection ends. What decides is the motion before: it goes on smoothly.

use crate::driver::{Run, Trial, stop_reason};
use crate::outcome::StopReason;
use crate::singularity_extrapolation::Leap;

/// From here on a step goes at most this part of the way.
const NEAR: f64 = 0.25;
const PART_OF_WAY: f64 = 0.5;
/// Nothing is evaluated at smaller margins. Accelerations have ten digits here.
const LEAP: f64 = 2e-3;
/// A step that cannot be taken may be stuck at a state with such a margin, …
const STUCK: f64 = 0.1;
/// … if it is this part of the usual ones, …
const COLLAPSED: f64 = 1e-5;
/// … or nearer, where it is this part of the way.
const STUCK_NEARER: f64 = 0.03;
const PART_WHEN_STUCK: f64 = 1e-3;
/// Margins that fall by less tell little about how fast they do.
const FALLEN: f64 = 0.9;
/// Those that rise by more than rounding do not fall.
const RISEN: f64 = 1.001;
/// The first leap goes so many times as far as to where f is not determined, …
const FIRST_LEAP: f64 = 2.0;
/// … the next ones go further, …
const FURTHER: f64 = 1.4;
/// … and there are so many of them.
const MOST_LEAPS: usize = 8;
/// So many passages … [stays]
const CROWD: usize = 20;
/// … in a time that the rest is so many times as long as do not lead away.
const CROWDED: f64 = 1e4;
/// Halvings that locate a zero of the margin.
const HALVINGS: usize = 48;

/// How margins fall: a time with its margin, and an earlier one that was larger by [`FALLEN`].
pub(crate) struct Fall {
    earlier: (f64, f64),
    later: (f64, f64),
    now: (f64, f64),
}

impl Fall {
    fn from(t: f64, m: f64) -> Fall {
        Fall { earlier: (t, m), later: (t, m), now: (t, m) }
    }

    fn look(&mut self, t: f64, m: f64) {
        if m > RISEN * self.now.1 {
            *self = Fall::from(t, m);
            return;
        }
        self.now = (t, m);
        if m <= FALLEN * self.later.1 {
            (self.earlier, self.later) = (self.later, self.now);
        }
    }

    /// [foretold]; nothing where they do not fall.
    fn gap(&self) -> Option<f64> {
        let ((t_before, m_before), (t, m)) = (self.earlier, self.now);
        let gap = (t - t_before).abs() * m / (m_before - m);
        Some(gap).filter(|gap| *gap > 0.0 && gap.is_finite())
    }
}

impl Run<'_, '_> {
    /// Forgets the states before this one.
    pub(crate) fn begin_trail(&mut self) {
        if !self.has_margin {
            return;
        }
        self.trail.clear();
        self.trail.push(self.t, &self.y);
        let found = self.evaluator.margin(self.t, &self.y);
        self.evaluator.system.mark();
        self.fall = found.map(|m| Fall::from(self.t, m.abs()));
    }

    /// After a step: notes a state that it went through, and shortens the next one before such a state or leaps across it; the
    /// step size to go on with.
    pub(crate) fn look_ahead(&mut self, h: f64, to: f64) -> Result<f64, StopReason> {
        self.trail.push(self.t, &self.y);
        let Some(now) = self.evaluator.margin(self.t, &self.y) else {
            self.fall = None;
            return Ok(h);
        };
        if now < 0.0 {
            self.note_passage_of_step();
            self.evaluator.margin(self.t, &self.y);
            self.fall = None;
        }
        self.evaluator.system.mark();
        let fall = self.fall.get_or_insert(Fall::from(self.t, now.abs()));
        fall.look(self.t, now.abs());
        let Some(gap) = fall.gap() else { return Ok(h) };
        let is_fixed = self.stepper.first_step_order().is_none();
        if now < LEAP || is_fixed && now < NEAR && gap < h.abs() {
            return Ok(self.leap(gap, to, false)?.unwrap_or(h));
        }
        match now < NEAR && !is_fixed {
            true => Ok(h.abs().min(PART_OF_WAY * gap).copysign(h)), // [approach]
            false => Ok(h),
        }
    }

    /// Where no step of size `h` can be taken: leaps if f is not determined nearby. The step size to go on with.
    pub(crate) fn leap_when_stuck(&mut self, h: f64, usual: f64, to: f64) -> Result<Option<f64>, StopReason> {
        // Algebraic unknowns grow long before; a leap from there would go too far.
        let Some(fall) = self.fall.as_ref().filter(|_| !self.evaluator.has_algebraic()) else {
            return Ok(None);
        };
        let (gap, (_, m)) = (fall.gap(), fall.now);
        let is_collapsed = m < STUCK && h.abs() < COLLAPSED * usual;
        let is_nearer = m < STUCK_NEARER && gap.is_some_and(|gap| h.abs() < PART_WHEN_STUCK * gap);
        match is_collapsed || is_nearer {
            true => self.leap(gap.unwrap_or(0.0).max(h.abs()), to, true),
            false => Ok(None),
        }
    }

    /// One step that is the motion before, continued, and that ends where f is well determined; then a new start. The step size to go on
    /// with, or nothing where no such step is found. [leap]
    fn leap(&mut self, gap: f64, to: f64, is_stuck: bool) -> Result<Option<f64>, StopReason> {
        let crowd = self.passages.len().checked_sub(CROWD).map(|first| self.passages[first]);
        if let Some(from) = crowd.filter(|from| CROWDED * (self.t - from).abs() < (to - self.t).abs()) {
            return Err(StopReason::Creeps { t: self.t, from, steps: CROWD as u64 });
        }
        let method = self.stepper.method();
        let mut leap = match Leap::new(&mut self.evaluator, &self.trail, gap, method) {
            Ok(Some(leap)) => leap,
            Err(trouble) if !trouble.recoverable() => return Err(stop_reason(trouble)),
            _ => return Ok(None),
        };
        let least = self.fall.as_ref().map_or(LEAP, |fall| fall.now.1);
        let mut reach = FIRST_LEAP * gap;
        for _ in 0..MOST_LEAPS {
            let rest = (to - self.t).abs();
            let (h, t_end) = match reach < rest {
                true => (reach * self.direction, self.t + reach * self.direction),
                false => (to - self.t, to),
            };
            let tolerance = &self.tolerance;
            leap.aim(h, &|e, y| tolerance.norm(e, y));
            leap.after(h, &mut self.sample);
            let margin = self.evaluator.margin(t_end, &self.sample);
            let is_beyond = margin.is_some_and(|m| m < -0.5 * least || is_stuck && m > least);
            if is_beyond || reach >= rest {
                let usual = std::mem::replace(&mut self.stepper, Box::new(leap.clone()));
                let trial = self.try_step(h, t_end);
                if let Ok(Trial::Accepted { moved, .. }) = trial {
                    self.evaluator.stats.accepted += 1;
                    if margin.is_some_and(|m| m < 0.0) {
                        self.note_passage(&leap, (0.0, h));
                    }
                    self.after_leap = Some(method);
                    let restarted = self.accept(h, t_end, moved, to)?;
                    return match restarted {
                        Some(restarted) => Ok(Some(restarted)),
                        None => self.restart(to, &[]).map(Some),
                    };
                }
                // It knows of no leap, and of a rejected step only: a past that it needs is kept.
                self.stepper = usual;
                trial?;
            }
            if reach >= rest {
                break;
            }
            reach *= FURTHER;
        }
        Ok(None)
    }

    /// Notes what the last step went through.
    fn note_passage_of_step(&mut self) {
        let Some((t_before, _)) = self.trail.before() else { return };
        let method = self.stepper.method();
        let back = t_before - self.t;
        if let Ok(Some(mut path)) = Leap::new(&mut self.evaluator, &self.trail, 0.0, method) {
            let tolerance = &self.tolerance;
            path.aim(0.5 * back, &|e, y| tolerance.norm(e, y));
            self.note_passage(&path, (back, 0.0));
        }
    }

    /// Notes the state at which the margin vanishes on a path, positive at the first of two times and negative at the second.
    fn note_passage(&mut self, path: &Leap, (mut from, mut to): (f64, f64)) {
        for _ in 0..HALVINGS {
            let middle = 0.5 * (from + to);
            path.after(middle, &mut self.sample);
            match self.evaluator.margin(self.t + middle, &self.sample) {
                Some(m) if m > 0.0 => from = middle,
                _ => to = middle,
            }
        }
        path.after(to, &mut self.sample);
        let t = self.t + to;
        if self.evaluator.system.passed(t, &self.sample).is_ok() {
            self.passages.push(t);
        }
    }

    /// Whether a projection near a state at which f is not determined moved a state further than the error of a step can explain. [torn]
    fn is_torn(&mut self, t: f64, before: &[f64], after: &[f64]) -> bool {
        let limit = 1.0 / self.tolerance.rtol.max(f64::EPSILON).sqrt();
        let is_fixed = self.stepper.first_step_order().is_none();
        let differential = (0..before.len()).filter(|i| self.evaluator.is_differential(*i));
        let most = differential.clone().fold(0.0, |m: f64, i| m.max(before[i].abs()));
        let far = |i: usize| (after[i] - before[i]).abs() > limit * self.tolerance.scale(i, most, most);
        // Elsewhere a step may go far beyond a switch, which is then located.
        !is_fixed
            && differential.into_iter().any(far)
            && self.evaluator.margin(t, before).is_some_and(|m| m < NEAR)
    }

    /// Whether the end of a step was torn off its way.
    pub(crate) fn is_end_torn(&mut self, t_end: f64) -> bool {
        let before = self.stepper.end().to_vec();
        let after = std::mem::take(&mut self.end);
        let is_torn = self.is_torn(t_end, &before, &after);
        self.end = after;
        is_torn
    }

    /// Pulls the state in `sample` onto the invariants, unless that tears it off its way.
    pub(crate) fn project_sample(&mut self, t: f64) -> Result<(), StopReason> {
        let before = if self.has_margin { self.sample.clone() } else { vec![] };
        let moved = self.evaluator.project_sample(t, &mut self.sample);
        if self.has_margin {
            let after = std::mem::take(&mut self.sample);
            let is_lost = moved.is_err() && self.evaluator.margin(t, &before).is_some_and(|m| m < NEAR);
            let is_torn = is_lost || self.is_torn(t, &before, &after);
            self.sample = if is_torn { before } else { after };
            if is_lost {
                return Ok(());
            }
        }
        moved.map_err(stop_reason)
    }
}
