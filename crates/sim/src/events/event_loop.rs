//! From instant to instant.

use cardan_solve::driver::Observer;
use cardan_solve::{
    Control, Failure, Kind, Method, Options, Outcome, Output, Problem, Sample, Segment, StopReason, System,
};

use crate::breakpoints::Coming;
use crate::events::event_time::are_one;
use crate::events::hybrid_system::HybridSystem;
use crate::events::zeno::Chatter;
use crate::events::zero_crossings::Watched;
use crate::events::{Happenings, Logic};
use crate::record::step_observer::StepObserver;
use cardan_base::without_noise;

/// More blocks than this at one instant set each other off without end.
const BLOCKS_PER_INSTANT: usize = 1000;
/// So many more looks at conditions in doubt for each instant, …
const LOOKS_PER_INSTANT: u64 = 512;
/// … and for each step.
const LOOKS_PER_STEP: u64 = 64;

/// What came of a motion with events.
pub struct Followed {
    /// Of the integration, all parts together.
    pub outcome: Outcome,
    /// What happened.
    pub happenings: Happenings,
    /// Why the events themselves ended the motion, in words.
    pub reason: Option<String>,
}

/// The times after one at which loads and rates switch, with the discrete states as they are.
pub type Switching<'s> = dyn Fn(&[f64], f64) -> Coming + 's;

/// What follows a motion between two instants.
pub type Integrate<'i> = dyn FnMut(&mut dyn System, &Problem, &Options, &mut Observer<'_>) -> Outcome + 'i;

/// A motion on its way.
struct Drive<'d, 'a> {
    mechanism: &'d mut dyn HybridSystem,
    integrate: &'d mut Integrate<'d>,
    logic: &'d mut Logic<'a>,
    follower: &'d mut dyn StepObserver,
    happenings: Happenings,
    t: f64,
    y: Vec<f64>,
    switching: &'d Switching<'d>,
    chatter: Chatter,
}

/// Integrates from `problem.t0` to `problem.t1` and lets everything happen on the way.
pub fn drive<'a>(
    (mechanism, integrate): (&mut dyn HybridSystem, &mut Integrate<'_>),
    logic: &mut Logic<'a>,
    follower: &mut dyn StepObserver,
    (problem, options): (&Problem, &Options),
    happenings: Happenings,
    switching: &Switching<'_>,
) -> Followed {
    let (t, y) = (problem.t0, problem.y0.clone());
    let span = problem.t1 - problem.t0;
    let row = match &problem.output {
        Output::Times(times) if times.len() > 1 => span / (times.len() - 1) as f64,
        _ => 0.0,
    };
    let chatter = Chatter::new(problem.t0, span, row);
    logic.until(problem.t1);
    let mut drive = Drive { mechanism, integrate, logic, follower, happenings, t, y, switching, chatter };
    let mut total = Outcome::before(problem, options);
    let mut reason = None;
    if let Err(stop) = drive.whole(problem, options, &mut total) {
        total.stop = match stop {
            Halt::Integrator(stop) => stop,
            Halt::Events(failure) => {
                reason = Some(failure.message.clone());
                StopReason::SystemFailed { t: drive.t, failure }
            }
            Halt::Stop { event, reason: why } => {
                drive.follower.record(drive.t, &drive.y);
                reason = Some(why);
                StopReason::Event { event, t: drive.t }
            }
        };
    }
    (total.t_reached, total.y_reached) = (drive.t, drive.y);
    Followed { outcome: total, happenings: drive.happenings, reason }
}

enum Halt {
    Integrator(StopReason),
    Events(Failure),
    /// A block says `stop`.
    Stop {
        event: usize,
        reason: String,
    },
}

impl From<Failure> for Halt {
    fn from(failure: Failure) -> Self {
        Halt::Events(failure)
    }
}

impl Drive<'_, '_> {
    fn whole(&mut self, problem: &Problem, options: &Options, total: &mut Outcome) -> Result<(), Halt> {
        let empty = vec![];
        let times = match &problem.output {
            Output::Times(times) => times,
            Output::Steps => &empty,
        };
        let mut shown = 0;
        // The switch of a load at which the last part ended.
        let mut switched = None;
        let mut options = options.clone();
        let most_looks = options.event_looks;
        let most_steps = options.max_steps;
        self.logic.check_samples(problem.t1)?;
        self.look(&[])?;
        self.instant()?;
        if self.happenings.counts.iter().any(|n| *n > 0) {
            (options.resume_step, options.continuation) = (None, None);
        }
        self.show(problem, times, &mut shown);
        self.progress(options.method)?;
        while self.t < problem.t1 {
            let coming = (self.switching)(self.logic.discretes(), self.t);
            let end = self.logic.next_time(self.t).min(coming.first.unwrap_or(f64::INFINITY));
            let end =
                if end < problem.t1 && !are_one(end, problem.t1, problem.t0) { end } else { problem.t1 };
            let is_before = |t: &f64| *t < end && !are_one(*t, end, problem.t0);
            let inside = times[shown..].iter().copied().take_while(is_before).collect();
            let mut breakpoints = problem.breakpoints.clone();
            breakpoints.extend(coming.times);
            breakpoints.extend(coming.first);
            breakpoints.extend(switched);
            switched = coming.first.filter(|first| *first == end);
            let part = Problem {
                t0: self.t,
                t1: end,
                y0: self.y.clone(),
                output: Output::Times(inside),
                breakpoints,
            };
            let mut system =
                Watched { mechanism: self.mechanism, logic: self.logic, seen: (f64::NAN, vec![]) };
            let follower = &mut *self.follower;
            let mut see = |sample: Sample<'_>| {
                shown += usize::from(sample.kind == Kind::Output);
                follower.see(sample)
            };
            let outcome = (self.integrate)(&mut system, &part, &options, &mut see);
            let (seen_at, seen) = system.seen;
            (self.t, self.y) = (outcome.t_reached, outcome.y_reached.clone());
            add(total, &outcome);
            options.max_steps =
                options.max_steps.saturating_sub(outcome.stats.accepted + outcome.stats.rejected);
            let looks = outcome.stats.event_evaluations;
            let more = LOOKS_PER_INSTANT + LOOKS_PER_STEP * outcome.stats.accepted;
            options.event_looks = (options.event_looks.saturating_sub(looks) + more).min(most_looks);
            (options.resume_step, options.continuation) = (None, None);
            // A motion that was found stiff is stiff still.
            if options.method == Method::Auto {
                options.resume = Some(outcome.method);
            }
            // What happens at a corner of a drive, and a row there, see the speeds after it.
            let goes_on = matches!(outcome.stop, StopReason::ReachedEnd) && self.t < problem.t1;
            if goes_on && part.breakpoints.contains(&self.t) {
                self.mechanism.enter(Segment { from: self.t, to: problem.t1 }, &mut self.y)?;
            }
            match outcome.stop {
                StopReason::ReachedEnd => self.look(&all_at(seen_at, self.t, seen))?,
                StopReason::Event { .. } => self.look(&seen)?,
                // The limit is that of the whole motion, not what the parts before have left of it.
                StopReason::TooManySteps { t, .. } => {
                    return Err(Halt::Integrator(StopReason::TooManySteps { t, limit: most_steps }));
                }
                stop => return Err(Halt::Integrator(stop)),
            }
            self.instant()?;
            self.show(problem, times, &mut shown);
            self.progress(options.method)?;
        }
        Ok(())
    }

    /// Shows the state if a sample is wanted at this instant: after everything that happens then.
    fn show(&mut self, problem: &Problem, times: &[f64], shown: &mut usize) {
        while let Some(at) = times.get(*shown)
            && (*at <= self.t || are_one(*at, self.t, problem.t0))
        {
            *shown += 1;
            self.follower.record(*at, &self.y);
        }
    }

    /// All that happens now. [instant]
    fn instant(&mut self) -> Result<(), Halt> {
        let mut n_blocks = 0;
        for event in self.logic.due(self.t) {
            self.happen(event)?;
            n_blocks += 1;
        }
        let mut last = None;
        while let Some(event) = self.logic.next_event() {
            self.happen(event)?;
            n_blocks += 1;
            if n_blocks > BLOCKS_PER_INSTANT {
                return Err(self.endless(event).into());
            }
            last = Some(event);
        }
        let Some(event) = last else { return Ok(()) };
        let name = |event: usize| self.logic.name(event).to_owned();
        match self.chatter.note(self.t, event, &name) {
            Some(words) => Err(Halt::Events(Failure::fatal(words))),
            None => Ok(()),
        }
    }

    /// Tells how far the motion has come; whoever looks may end it, also where instants follow one another within single steps.
    fn progress(&mut self, method: Method) -> Result<(), Halt> {
        match self.follower.see(Sample {
            t: self.t,
            y: &self.y,
            kind: Kind::Step { h: 0.0, method, next: None },
        }) {
            Control::Continue => Ok(()),
            Control::Stop => Err(Halt::Integrator(StopReason::StoppedByObserver)),
        }
    }

    /// One block; the energy that it brings is noted. [energy]
    fn happen(&mut self, event: usize) -> Result<(), Halt> {
        let before = self.mechanism.energy(self.t, &self.y)?;
        self.mechanism.jump(self.logic, event, self.t, &mut self.y)?;
        let after = self.mechanism.energy(self.t, &self.y)?;
        self.follower.jump(self.logic.discretes(), after - before);
        self.happenings.note(self.t, event);
        if let Some(reason) = self.logic.stop {
            return Err(Halt::Stop { event, reason: reason.to_owned() });
        }
        self.look(&[])?;
        Ok(())
    }

    /// Looks at all comparisons; what the integrator has seen itself stays.
    fn look(&mut self, seen: &[usize]) -> Result<(), Failure> {
        let measured = self.mechanism.measured(self.t, &self.y)?;
        self.logic.look_after(self.t, &measured, seen)
    }

    fn endless(&self, last: usize) -> Failure {
        let mut names: Vec<&str> = vec![self.logic.name(last)];
        for happening in self.happenings.list.iter().rev().take_while(|h| h.t == self.t).take(50) {
            let name = self.happenings.name(happening);
            if !names.contains(&name) {
                names.push(name);
            }
        }
        let list: Vec<String> = names.iter().take(5).map(|n| format!("`{n}`")).collect();
        Failure::fatal(format!(
            "at t = {} s {} set one another off without end; let a block make its own condition false only once",
            without_noise(self.t),
            list.join(", ")
        ))
    }
}

/// The roots that were seen at this time.
fn all_at(seen_at: f64, t: f64, seen: Vec<usize>) -> Vec<usize> {
    if seen_at == t { seen } else { vec![] }
}

/// Adds what a part of a motion took.
pub(crate) fn add(total: &mut Outcome, part: &Outcome) {
    let (a, b) = (&mut total.stats, &part.stats);
    a.accepted += b.accepted;
    a.rejected += b.rejected;
    a.evaluations += b.evaluations;
    a.jacobians += b.jacobians;
    a.factorisations += b.factorisations;
    a.newton_iterations += b.newton_iterations;
    a.event_evaluations += b.event_evaluations;
    a.projections += b.projections;
    total.switches.extend(part.switches.iter().cloned());
    total.passages.extend(part.passages.iter().copied());
    total.method = part.method;
    total.continuation.clone_from(&part.continuation);
    total.stiff_at = total.stiff_at.or(part.stiff_at);
    total.coarser = total.coarser.or(part.coarser);
}
