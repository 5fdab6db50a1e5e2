//! The loop that joins system, method, events and samples.
//!
//! **Breakpoints.** The interval is cut at the breakpoints. In each segment the integration starts anew, ends a step exactly
//! at the breakpoint, and evaluates the right-hand side strictly inside (by 8 ε max(|a|, |b|)): the last stage, at the end,
//! sees the value before the jump, and the first of the next segment the value after it. So a function of time
//! defined with `<` or `<=` is integrated with full order on both sides. Two breakpoints closer than the spacing of numbers are one.
//!
//! **Samples.** Steps do not stop at output times: those inside a step are read from the dense output (and projected).
//! Samples come in order of time; one at the very time of an event shows the state before it, one at a breakpoint what the system makes of
//! the state there.
//!
//! **Events.** See the module `event`: at a crossing the system reacts. `Continue` goes on within the step; `Restart` begins a new
//! step there; `Stop` ends.
//!
//! **Stretches.** A system may have stretches that are narrow beside a step, such as the pieces of a table. An explicit Euler step
//! says how far the next step may go, and a step that went much further is repeated.
//!
//! **States at which the right-hand side is not determined**, such as singular positions of a mechanism: see the module `singularity_passage`.
//!
//! **Methods.** `auto` begins explicitly and tries an implicit method where stability limits the steps: see `integrator_choice`.
//!
//! **Failures at trial states** (recoverable ones, and values that are not finite) reject the step and shorten it to a quarter;
//! when no step is short enough, that failure is the stop reason.

pub(crate) mod integrator_choice;
pub(crate) mod singularity_passage;

use crate::continuation::Continuation;
use crate::control::{Tolerance, first_step};
use crate::evaluate::{Evaluator, Trouble};
use crate::event::{EventWatch, Hit, Span};
use crate::options::{Absolute, Method, Options, Output, Problem};
use crate::outcome::{Control, Kind, Outcome, Sample, Stats, StopReason, Switch};
use crate::singularity_extrapolation::Trail;
use crate::stepper::{Stepper, Verdict, stepper};
use crate::stiffness::{CalmWatch, StiffnessWatch};
use crate::system::{Failure, Reaction, Role, Segment, System};

use crate::driver::integrator_choice::IntegratorChoice;
use crate::driver::singularity_passage::Fall;

/// So many restarts in a row without progress in time mean that events follow one another for ever, …
const MAX_RESTARTS_IN_PLACE: usize = 1000;

/// … and so many more for each event function: many may chatter at one place until each is no longer looked at.
const MORE_RESTARTS_IN_PLACE: usize = 64;

/// A step that went so much too far over stretches of the right-hand side is repeated.
const TOO_FAR: f64 = 0.5;

/// This part of a step is what usual steps become shorter by during it.
const FORGOTTEN: f64 = 0.02;

/// Before the first step, this part of the whole is taken for usual.
const STEP_OF_SPAN: f64 = 0.01;

/// So many rejections in a row shorten a step beyond all reason.
const MAX_REJECTIONS: u32 = 100;

/// So many steps show the pace of a motion.
const PACE: u64 = 1_000_000;

/// A pace at which the limit of steps is this many times too low will not become better.
const HOPELESS: f64 = 100.0;

/// A motion creeps if its steps are less than this part of the longest; otherwise the end is merely far away.
const SLOWED: f64 = 0.01;

/// Who sees the samples and may stop the integration.
pub type Observer<'a> = dyn FnMut(Sample<'_>) -> Control + 'a;

/// Integrates `system` over the interval of `problem`; everything computed reaches `observer` at once.
pub fn integrate(
    system: &mut dyn System,
    problem: &Problem,
    options: &Options,
    observer: &mut Observer<'_>,
) -> Outcome {
    if let Some(reason) = refuse(system, problem, options) {
        return Outcome {
            stop: StopReason::Refused { reason },
            stats: Stats::default(),
            switches: Vec::new(),
            passages: Vec::new(),
            stiff_at: None,
            coarser: None,
            method: options.method,
            t_reached: problem.t0,
            y_reached: problem.y0.clone(),
            continuation: None,
        };
    }
    let mut run = Run::new(system, problem, options, observer);
    let stop = match run.whole() {
        Ok(()) => StopReason::ReachedEnd,
        Err(stop) => stop,
    };
    Outcome {
        stop,
        stats: run.evaluator.stats,
        switches: run.switches,
        passages: run.passages,
        stiff_at: run.stiff_at,
        coarser: run.evaluator.coarser,
        method: run.stepper.method(),
        t_reached: run.t,
        y_reached: run.y,
        continuation: run.kept,
    }
}

/// Why the question makes no sense, if it does not.
fn refuse(system: &dyn System, problem: &Problem, options: &Options) -> Option<String> {
    let n = system.dim();
    if problem.y0.len() != n {
        return Some(format!("the initial state has {} values, the system has {n}", problem.y0.len()));
    }
    if options.method == Method::Alpha {
        let reason = "the method alpha is for absolute coordinates: ask for `formalism = absolute`";
        return Some(reason.to_owned());
    }
    if options.method == Method::Moreau {
        let reason = "the method moreau is for contacts between shapes: `contact c between A and B`";
        return Some(reason.to_owned());
    }
    let algebraic = (0..n).find(|i| system.role(*i) != Role::Differential);
    if let Some(i) = algebraic
        && options.method != Method::Auto
        && !options.method.is_implicit()
    {
        let method = options.method;
        return Some(format!(
            "unknown {i} is algebraic: the explicit method {method} does not apply; radau5 and bdf do"
        ));
    }
    if !(1..=6).contains(&options.max_order) {
        return Some(format!("the highest order {} is outside 1 to 6", options.max_order));
    }
    if !(problem.t0.is_finite() && problem.t1.is_finite()) {
        return Some(format!("the interval from {} to {} is not finite", problem.t0, problem.t1));
    }
    if let Output::Times(times) = &problem.output
        && !times.is_sorted_by(|a, b| (b - a) * (problem.t1 - problem.t0) >= 0.0)
    {
        return Some("the output times are not in the order of integration".to_owned());
    }
    if let Some(b) = problem.breakpoints.iter().find(|b| !b.is_finite()) {
        return Some(format!("the breakpoint {b} is not finite"));
    }
    if let Some(i) = problem.y0.iter().position(|y| !y.is_finite()) {
        return Some(format!("the initial value of state {i} is not finite"));
    }
    if let Absolute::Each(atol) = &options.atol
        && atol.len() != n
    {
        return Some(format!("{} absolute tolerances are given for {n} states", atol.len()));
    }
    if let Some(i) = (0..n).find(|&i| !(options.atol.at(i) >= 0.0 && options.atol.at(i).is_finite())) {
        return Some(format!(
            "the absolute tolerance {} of state {i} is negative or not finite",
            options.atol.at(i)
        ));
    }
    if !(options.rtol == 0.0 || (options.rtol >= 10.0 * f64::EPSILON && options.rtol < 1.0)) {
        return Some(format!("the relative tolerance {} is outside 2.3e-15 to 1", options.rtol));
    }
    if let Some(i) = (0..n).find(|&i| options.rtol == 0.0 && options.atol.at(i) == 0.0) {
        return Some(format!("both tolerances of state {i} are zero"));
    }
    let sizes = [
        ("maximal", options.max_step),
        ("fixed", options.fixed_step),
        ("first", options.first_step.unwrap_or(1.0)),
    ];
    sizes
        .iter()
        .find(|(_, h)| h.is_nan() || *h <= 0.0)
        .map(|(name, h)| format!("the {name} step size {h} is not positive"))
}

/// An integration on its way.
struct Run<'a, 'o> {
    evaluator: Evaluator<'a>,
    problem: &'a Problem,
    options: &'a Options,
    observer: &'a mut Observer<'o>,
    tolerance: Tolerance,
    stepper: Box<dyn Stepper>,
    watch: EventWatch,
    stiffness: StiffnessWatch,
    calm: CalmWatch,
    choice: IntegratorChoice,
    switches: Vec<Switch>,
    passages: Vec<f64>,
    /// Whether margins are to be looked at, how they fall, and the states before.
    has_margin: bool,
    fall: Option<Fall>,
    trail: Trail,
    /// The method that comes after a leap.
    after_leap: Option<Method>,
    stiff_at: Option<f64>,
    direction: f64,
    t: f64,
    y: Vec<f64>,
    /// The state at the end of a step after projection, and its slope where the projection moved it.
    end: Vec<f64>,
    end_slope: Vec<f64>,
    sample: Vec<f64>,
    /// The events that led to a restart.
    fired: Vec<(usize, bool)>,
    next_output: usize,
    /// Samples from here on wait for what the system makes of the state at the next breakpoint.
    hold_from: f64,
    restarts_in_place: usize,
    last_restart: f64,
    /// Steps and time when the pace was last looked at.
    paced: (u64, f64),
    /// The longest step so far.
    longest: f64,
    /// The step that the method proposes after the one that was accepted last.
    proposed: f64,
    /// The beginning of the present step, where it is asked for.
    kept: Option<Continuation>,
}

/// How a step ended for the driver.
enum Trial {
    Accepted { next: f64, moved: bool },
    Rejected { next: f64, component: Option<usize>, trouble: Option<Trouble> },
}

impl<'a, 'o> Run<'a, 'o> {
    fn new(
        system: &'a mut dyn System,
        problem: &'a Problem,
        options: &'a Options,
        observer: &'a mut Observer<'o>,
    ) -> Self {
        let n = system.dim();
        let evaluator = Evaluator::new(system);
        let has_margin = evaluator.system.has_margin();
        let auto = options.method == Method::Auto;
        let settled_by_form = auto && evaluator.has_algebraic();
        let method = if settled_by_form { Method::Radau5 } else { first_method(options) };
        let reason = "unknowns without derivative need an implicit method".to_owned();
        let first = Switch { t: problem.t0, from: Method::Auto, to: method, reason };
        let tolerance = Tolerance { rtol: options.rtol, atol: options.atol.clone() };
        Run {
            watch: EventWatch::new(&evaluator, n, options),
            stepper: stepper(method, n, &tolerance, options),
            evaluator,
            problem,
            options,
            observer,
            tolerance,
            stiffness: StiffnessWatch::default(),
            calm: CalmWatch::default(),
            choice: IntegratorChoice::new(problem.t0),
            switches: if settled_by_form { vec![first] } else { Vec::new() },
            passages: Vec::new(),
            has_margin,
            fall: None,
            trail: Trail::default(),
            after_leap: None,
            stiff_at: None,
            direction: if problem.t1 >= problem.t0 { 1.0 } else { -1.0 },
            t: problem.t0,
            y: problem.y0.clone(),
            end: vec![0.0; n],
            end_slope: vec![0.0; n],
            sample: vec![0.0; n],
            fired: Vec::new(),
            next_output: 0,
            hold_from: f64::INFINITY,
            restarts_in_place: 0,
            last_restart: f64::NAN,
            paced: (0, problem.t0),
            longest: 0.0,
            proposed: 0.0,
            kept: None,
        }
    }

    /// From t0 to t1, segment by segment.
    fn whole(&mut self) -> Result<(), StopReason> {
        let (t0, t1) = (self.problem.t0, self.problem.t1);
        let is_break = |t: f64| self.problem.breakpoints.contains(&t);
        let mut cuts: Vec<f64> =
            self.problem.breakpoints.iter().copied().filter(|b| (b - t0) * (b - t1) < 0.0).collect();
        cuts.sort_by(|a, b| ((a - b) * self.direction).total_cmp(&0.0));
        let spacing = 64.0 * f64::EPSILON * t0.abs().max(t1.abs());
        cuts.dedup_by(|later, earlier| (*later - *earlier).abs() <= spacing);
        cuts.push(t1);
        let ends_broken = (is_break(t0), is_break(t1));

        self.evaluator.settle(t0, &mut self.y).map_err(stop_reason)?;
        match &self.problem.output {
            Output::Steps => self.show(Kind::Output)?,
            Output::Times(times) => {
                while times.get(self.next_output).is_some_and(|t| (t - t0) * self.direction <= 0.0) {
                    if times[self.next_output] == t0 {
                        self.show(Kind::Output)?;
                    }
                    self.next_output += 1;
                }
            }
        }
        if t0 == t1 {
            return Ok(());
        }
        let last = cuts.len() - 1;
        for (i, &to) in cuts.iter().enumerate() {
            let segment = Segment { from: self.t, to };
            let broken = (i > 0 || ends_broken.0, i < last || ends_broken.1);
            self.evaluator.enter(segment, &mut self.y, broken.0, broken.1).map_err(stop_reason)?;
            let beyond = f64::INFINITY * self.direction;
            self.hold_from = if i < last { to - spacing * self.direction } else { beyond };
            if i > 0 {
                self.held_back(spacing)?;
                // What the system has made of the state there is seen before the motion goes on.
                let method = self.stepper.method();
                self.show(Kind::Step { h: 0.0, method, next: None })?;
            }
            self.segment(to)?;
        }
        Ok(())
    }

    /// Shows the samples of the breakpoint at which the motion is, which waited for what the system makes of the state there.
    fn held_back(&mut self, spacing: f64) -> Result<(), StopReason> {
        let Output::Times(times) = &self.problem.output else { return Ok(()) };
        while let Some(&t) = times.get(self.next_output)
            && (t - self.t) * self.direction <= spacing
        {
            self.next_output += 1;
            obey((self.observer)(Sample { t, y: &self.y, kind: Kind::Output }))?;
        }
        Ok(())
    }

    /// Shows the current state.
    fn show(&mut self, kind: Kind<'_>) -> Result<(), StopReason> {
        obey((self.observer)(Sample { t: self.t, y: &self.y, kind }))
    }

    /// From here to the breakpoint or end `to`.
    fn segment(&mut self, to: f64) -> Result<(), StopReason> {
        let mut h = self.restart(to, &[])?;
        let mut rejections = 0;
        let mut usual = STEP_OF_SPAN * (to - self.t).abs().min(self.options.first_step_bound);
        while (to - self.t) * self.direction > 0.0 {
            let steps = self.evaluator.stats.accepted + self.evaluator.stats.rejected;
            if steps >= self.options.max_steps {
                return Err(StopReason::TooManySteps { t: self.t, limit: self.options.max_steps });
            }
            self.watch_pace(steps)?;
            if self.options.keeps && rejections == 0 {
                self.kept = Some(self.beginning(h));
            }
            let wanted = self.shortened(h)?;
            let (step, t_end) = self.fit(wanted, to);
            if t_end == self.t {
                return Err(StopReason::StepTooSmall { t: self.t, h, component: None });
            }
            match self.try_step(step, t_end)? {
                Trial::Rejected { next, component, trouble } => {
                    self.evaluator.stats.rejected += 1;
                    rejections += 1;
                    let least = self.options.min_step.max(4.0 * f64::EPSILON * self.t.abs());
                    if next.abs() <= least || rejections > MAX_REJECTIONS {
                        return Err(match trouble {
                            Some(trouble) => stop_reason(trouble),
                            None => StopReason::StepTooSmall { t: self.t, h: next, component },
                        });
                    }
                    h = match self.has_margin {
                        true => self.leap_when_stuck(next, usual, to)?.unwrap_or(next),
                        false => next,
                    };
                }
                Trial::Accepted { next, moved } => {
                    self.evaluator.stats.accepted += 1;
                    self.longest = self.longest.max(step.abs());
                    rejections = 0;
                    self.proposed = next;
                    // It is forgotten as time goes by, not as steps go by: many short ones are what it is to be compared with.
                    usual = step.abs().max(usual - FORGOTTEN * step.abs());
                    h = match self.accept(step, t_end, moved, to)? {
                        Some(restarted) => restarted,
                        None => {
                            let next = self.change_method(next)?;
                            if self.has_margin { self.look_ahead(next, to)? } else { next }
                        }
                    };
                }
            }
        }
        Ok(())
    }

    /// The step that is to be tried first with size `h`, for somebody who goes on here later.
    fn beginning(&self, h: f64) -> Continuation {
        Continuation {
            t: self.t,
            h,
            stepper: self.stepper.copy(),
            method: self.stepper.method(),
            stiffness: self.stiffness.clone(),
            calm: self.calm.clone(),
        }
    }

    /// Stops a motion that will not come to its end.
    fn watch_pace(&mut self, steps: u64) -> Result<(), StopReason> {
        let (steps_before, from) = self.paced;
        if steps < steps_before + PACE {
            return Ok(());
        }
        self.paced = (steps, self.t);
        let span = (self.problem.t1 - self.problem.t0).abs();
        let reach = (self.t - from).abs() * self.options.max_steps as f64 / PACE as f64;
        if reach * HOPELESS >= span {
            return Ok(());
        }
        let step = (self.t - from).abs() / PACE as f64;
        if step < SLOWED * self.longest {
            return Err(StopReason::Creeps { t: self.t, from, steps: PACE });
        }
        Err(StopReason::OutOfReach { t: self.t, needed: span / step, limit: self.options.max_steps })
    }

    /// Starts the method at the current state; the first step size.
    fn restart(&mut self, to: f64, fired: &[(usize, bool)]) -> Result<f64, StopReason> {
        if let Some(method) = self.after_leap.take() {
            self.stepper = stepper(method, self.y.len(), &self.tolerance, self.options);
        }
        self.begin_trail();
        self.evaluator.settle(self.t, &mut self.y).map_err(stop_reason)?;
        self.stepper.start(&mut self.evaluator, self.t, &self.y).map_err(stop_reason)?;
        self.watch.start(&mut self.evaluator, self.t, &self.y, fired).map_err(stop_reason)?;
        let span = to - self.t;
        let begins = self.evaluator.stats.accepted + self.evaluator.stats.rejected == 0;
        if let Some(kept) = &self.options.continuation
            && begins
            && kept.t == self.t
            && kept.method == self.stepper.method()
        {
            if let Some(stepper) = kept.stepper.as_ref().and_then(|s| s.copy()) {
                self.stepper = stepper;
            }
            (self.stiffness, self.calm) = (kept.stiffness.clone(), kept.calm.clone());
            self.watch.goes_on();
            return Ok(kept.h);
        }
        if let Some(step) = self.options.resume_step
            && begins
            && self.stepper.first_step_order().is_some()
        {
            return Ok(step.copysign(span));
        }
        let wanted = match (self.stepper.first_step_order(), self.options.first_step) {
            (None, _) => {
                // Equal steps that end exactly at the end of the segment.
                let n = (span.abs() / self.options.fixed_step - 1e-9).ceil().max(1.0);
                return Ok(span / n);
            }
            (Some(_), Some(first)) => first.copysign(span),
            (Some(order), None) => first_step(
                &mut self.evaluator,
                &self.tolerance,
                order,
                self.t,
                &self.y,
                self.stepper.slope(),
                span.abs().min(self.options.first_step_bound).copysign(span),
            )
            .map_err(stop_reason)?,
        };
        // Never so short that time stands still: the error test decides about the rest.
        let least = (1e3 * f64::EPSILON * self.t.abs()).min(span.abs());
        Ok(wanted.abs().max(least).copysign(span))
    }

    /// A step of at most `h` that does not leave a tiny rest before `to`; its size and its end.
    fn fit(&self, h: f64, to: f64) -> (f64, f64) {
        let rest = to - self.t;
        let fixed = self.stepper.first_step_order().is_none();
        let h = if fixed { h.abs() } else { h.abs().min(self.options.max_step) };
        let slack = if fixed { 1e-6 } else { 1e-4 };
        if h * (1.0 + slack) >= rest.abs() {
            return (rest, to);
        }
        // Two equal steps rather than a long and a very short one.
        let h = if !fixed && 1.5 * h > rest.abs() { 0.5 * rest.abs() } else { h };
        let t_end = self.t + h * self.direction;
        (t_end - self.t, t_end)
    }

    /// A step of at most `h` that passes over no stretch of the right-hand side, as far as the present slope tells.
    fn shortened(&mut self, h: f64) -> Result<f64, StopReason> {
        if !self.evaluator.system.has_stretches() || self.stepper.first_step_order().is_none() {
            return Ok(h);
        }
        self.evaluator.derivative(self.t, &self.y, &mut self.end_slope).map_err(stop_reason)?;
        for ((end, y), slope) in self.end.iter_mut().zip(&self.y).zip(&self.end_slope) {
            *end = y + h * slope;
        }
        let part = self.evaluator.passable((self.t, &self.y), (self.t + h, &self.end));
        part.map(|part| h * part).map_err(stop_reason)
    }

    /// One attempt with all that must succeed before it counts: projection, slope after it, dense output.
    fn try_step(&mut self, h: f64, t_end: f64) -> Result<Trial, StopReason> {
        let rejected = |trouble: Trouble| {
            if trouble.recoverable() {
                Ok(Trial::Rejected { next: 0.25 * h, component: None, trouble: Some(trouble) })
            } else {
                Err(stop_reason(trouble))
            }
        };
        let next = match self.stepper.attempt(&mut self.evaluator, self.t, &self.y, h) {
            Ok(Verdict::Accepted { next }) => next,
            Ok(Verdict::Rejected { next, component }) => {
                return Ok(Trial::Rejected { next, component, trouble: None });
            }
            Err(trouble) => return rejected(trouble),
        };
        match self.finish(h, t_end) {
            Ok((_, part)) if part < TOO_FAR => {
                self.stepper.start(&mut self.evaluator, self.t, &self.y).map_err(stop_reason)?;
                Ok(Trial::Rejected { next: part * h, component: None, trouble: None })
            }
            Ok((moved, _)) => Ok(Trial::Accepted { next, moved }),
            Err(trouble) => {
                // The method already believes in the step: it must forget it.
                self.stepper.start(&mut self.evaluator, self.t, &self.y).map_err(stop_reason)?;
                rejected(trouble)
            }
        }
    }

    /// Projection, slope and dense output of a step that passed the error test; whether the projection moved it, and which part of
    /// it was passable.
    fn finish(&mut self, h: f64, t_end: f64) -> Result<(bool, f64), Trouble> {
        self.end.copy_from_slice(self.stepper.end());
        let moved = self.evaluator.project(t_end, &mut self.end)?;
        if moved && self.has_margin && self.is_end_torn(t_end) {
            let failure = Failure::recoverable("the constraints pull the motion off its way");
            return Err(Trouble::Failed { t: t_end, failure });
        }
        if moved && self.stepper.needs_slope() {
            self.evaluator.derivative(t_end, &self.end, &mut self.end_slope)?;
        }
        let sample_inside = match &self.problem.output {
            Output::Steps => false,
            Output::Times(times) => {
                times.get(self.next_output).is_some_and(|t| (t - t_end) * self.direction < 0.0)
            }
        };
        if sample_inside || !self.watch.is_idle() {
            self.stepper.prepare_dense(&mut self.evaluator, self.t, &self.y, h)?;
        }
        let part = match self.evaluator.system.has_stretches() && self.stepper.first_step_order().is_some() {
            true => self.evaluator.passable((self.t, &self.y), (t_end, &self.end))?,
            false => 1.0,
        };
        Ok((moved, part))
    }

    /// Events and samples of an accepted step, then its end; a step size when an event restarted the integration.
    fn accept(&mut self, h: f64, t_end: f64, moved: bool, to: f64) -> Result<Option<f64>, StopReason> {
        let mut from = 0.0;
        while !self.watch.is_idle() && from < 1.0 {
            let span = Span { t: self.t, h, end: &self.end, t_end, stepper: &*self.stepper };
            let Some(hit) = self.watch.scan(&mut self.evaluator, &span, from).map_err(stop_reason)? else {
                break;
            };
            from = hit.theta;
            if self.happen(hit, h, t_end)? {
                return self.after_event(h, from, t_end, to).map(Some);
            }
        }
        self.samples_until(h, t_end, t_end, true)?;
        self.stepper.advance(moved.then_some(&self.end_slope));
        self.t = t_end;
        std::mem::swap(&mut self.y, &mut self.end);
        let method = self.stepper.method();
        if self.problem.output == Output::Steps {
            self.show(Kind::Output)?;
        }
        self.show(Kind::Step { h, method, next: Some(self.proposed.abs()) })?;
        Ok(None)
    }

    /// Lets the system react to a hit inside the step. `true` when the integration must restart there; the state is
    /// then in `sample`.
    fn happen(&mut self, hit: Hit, h: f64, t_end: f64) -> Result<bool, StopReason> {
        let t = if hit.theta >= 1.0 { t_end } else { self.t + hit.theta * h };
        self.samples_until(h, t, t_end, false)?;
        if hit.theta >= 1.0 {
            self.sample.copy_from_slice(&self.end);
        } else {
            self.stepper.interpolate(hit.theta, &mut self.sample);
            self.evaluator.project_hit(t, &mut self.sample).map_err(stop_reason)?;
        }
        self.fired.clear();
        let mut restart = false;
        for (event, rising) in hit.events {
            let before = self.sample.clone();
            let reaction = self.evaluator.system.react(event, rising, t, &mut self.sample);
            let reaction = reaction.map_err(|failure| StopReason::SystemFailed { t, failure })?;
            let sample = Sample { t, y: &self.sample, kind: Kind::Event { event, rising, before: &before } };
            let control = (self.observer)(sample);
            if reaction == Reaction::Stop || control == Control::Stop {
                self.t = t;
                self.y.copy_from_slice(&self.sample);
                obey(control)?;
                return Err(StopReason::Event { event, t });
            }
            self.fired.push((event, rising));
            restart |= reaction == Reaction::Restart;
        }
        Ok(restart)
    }

    /// Restarts at the fraction `theta` of the step with the state in `sample`.
    fn after_event(&mut self, h: f64, theta: f64, t_end: f64, to: f64) -> Result<f64, StopReason> {
        self.t = if theta >= 1.0 { t_end } else { self.t + theta * h };
        self.y.copy_from_slice(&self.sample);
        if (self.t - self.last_restart).abs() <= 1e-12 * (self.problem.t1 - self.problem.t0).abs() {
            self.restarts_in_place += 1;
        } else {
            self.restarts_in_place = 0;
            self.last_restart = self.t;
        }
        let limit = MAX_RESTARTS_IN_PLACE + MORE_RESTARTS_IN_PLACE * self.evaluator.system.n_events();
        if self.restarts_in_place > limit {
            let message =
                format!("events follow one another without end; the last is event {}", self.fired[0].0);
            return Err(StopReason::SystemFailed { t: self.t, failure: Failure::fatal(message) });
        }
        let method = self.stepper.method();
        if self.problem.output == Output::Steps {
            self.show(Kind::Output)?;
        }
        self.show(Kind::Step { h: theta * h, method, next: None })?;
        if (to - self.t) * self.direction <= 0.0 {
            return Ok(0.0);
        }
        let fired = std::mem::take(&mut self.fired);
        self.restart(to, &fired)
    }

    /// Shows the requested samples up to `t`, inside the step to `t_end`.
    fn samples_until(&mut self, h: f64, t: f64, t_end: f64, to_the_end: bool) -> Result<(), StopReason> {
        let Output::Times(times) = &self.problem.output else { return Ok(()) };
        while let Some(&at) = times.get(self.next_output)
            && (at - t) * self.direction <= 0.0
            && (at - self.hold_from) * self.direction < 0.0
        {
            self.next_output += 1;
            if to_the_end && at == t_end {
                self.sample.copy_from_slice(&self.end);
            } else {
                self.stepper.interpolate((at - self.t) / h, &mut self.sample);
                self.project_sample(at)?;
            }
            let sample = Sample { t: at, y: &self.sample, kind: Kind::Output };
            if (self.observer)(sample) == Control::Stop {
                self.t = at;
                self.y.copy_from_slice(&self.sample);
                return Err(StopReason::StoppedByObserver);
            }
        }
        Ok(())
    }
}

/// The method to begin with.
fn first_method(options: &Options) -> Method {
    match options.method {
        Method::Auto => options.resume.unwrap_or(Method::Auto),
        method => method,
    }
}

fn obey(control: Control) -> Result<(), StopReason> {
    match control {
        Control::Continue => Ok(()),
        Control::Stop => Err(StopReason::StoppedByObserver),
    }
}

pub(crate) fn stop_reason(trouble: Trouble) -> StopReason {
    match trouble {
        Trouble::Failed { t, failure } => StopReason::SystemFailed { t, failure },
        Trouble::NonFinite { t, component } => StopReason::NonFinite { t, component },
    }
}
