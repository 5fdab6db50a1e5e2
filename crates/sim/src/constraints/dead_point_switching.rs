//! A motion in closed form that near dead points goes on with all coordinates, and comes back.
//!
//! ```text
//! [leave]     a step ends with a margin, of a dyad or of the constraints, below LEAVE: all coordinates are followed, and each step is projected
//! [return]    a step ends with all margins above RETURN: closed form again, on the branch that the mechanism is on then
//! ```
//!
//! The branch is never guessed: it is what the motion with all coordinates came out on.

use std::cell::{Cell, RefCell};
use std::fmt;

use cardan_solve::{
    Control, Failure, Kind, Method, Options, Outcome, Output, Problem, Sample, StopReason, integrate,
};

use crate::constraints::minimal_coordinates::{Closed, Compiled, LEAVE, RETURN, Settler, Sides};
use crate::events::add;
use crate::monitors::singularity::Regularity;
use crate::record::step_observer::{Follower, StepObserver};
use crate::rhs::Mechanism;

/// After so many the closed form is not taken up again.
const MOST_HANDOVERS: usize = 200;

/// A stretch of a motion near a dead point of a dyad, without closed form.
#[derive(Clone, PartialEq, Debug)]
pub struct Handover {
    /// From when on.
    pub from: f64,
    /// Until when; nothing if it lasted to the end.
    pub until: Option<f64>,
    /// The constraint that the dyad closes.
    pub constraint: String,
}

impl fmt::Display for Handover {
    /// `from t = 0.512 s to t = 0.634 s all coordinates are followed: pin1 is near a dead point`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "from t = {:.6} s ", self.from)?;
        match self.until {
            Some(until) => write!(f, "to t = {until:.6} s ")?,
            None => f.write_str("on ")?,
        }
        write!(f, "all coordinates are followed: {} is near a dead point", self.constraint)
    }
}

/// Integrates from `problem.t0` to `problem.t1`; `options` are those of all coordinates, `reduced` those of the independent ones.
pub(crate) fn follow(
    compiled: &Compiled,
    mechanism: &mut Mechanism<'_>,
    inputs: &[f64],
    problem: &Problem,
    (options, reduced): (&Options, &Options),
    (follower, mut near): (&mut Follower<'_>, Option<&mut Regularity<'_>>),
) -> Result<(Outcome, Vec<Handover>), Failure> {
    let mut sides = Sides::new(compiled, inputs)?;
    let none = vec![];
    let times = match &problem.output {
        Output::Times(times) => times,
        Output::Steps => &none,
    };
    let mut total = Outcome::before(problem, options);
    let mut handovers: Vec<Handover> = vec![];
    let mut shown = 0;
    let mut limit = LEAVE;
    let mut resume = options.resume;
    loop {
        let (t, y) = (total.t_reached, total.y_reached.clone());
        let margins = sides.at(t, &y)?;
        let n_states = compiled.program.inputs.state().len();
        let mut of_constraints = |t: f64, y: &[f64]| {
            let Some(near) = near.as_mut() else { return 1.0 };
            let margin = near.margin(t, &y[..n_states]).map_or(0.0, f64::abs);
            near.mark();
            margin
        };
        let (dyad, margin) = nearest(&margins);
        let margin = margin.min(of_constraints(t, &y));
        let left = options.max_steps.saturating_sub(total.stats.accepted + total.stats.rejected);
        let part = |y0: Vec<f64>| Problem {
            t0: t,
            y0,
            output: Output::Times(times[shown..].to_vec()),
            ..problem.clone()
        };
        let is_closed = margin > limit && handovers.len() < MOST_HANDOVERS;
        let next = Cell::new(false);
        let seen = Cell::new(0);
        let see = |sample: &Sample<'_>, follower: &mut Follower<'_>, y: &[f64]| {
            seen.set(seen.get() + usize::from(sample.kind == Kind::Output));
            follower.see(Sample { t: sample.t, y, kind: sample.kind })
        };
        let stop;
        if is_closed {
            handovers.last_mut().iter_mut().for_each(|h| {
                h.until.get_or_insert(t);
            });
            let settler = RefCell::new(Settler::new(compiled, inputs, &y, &margins)?);
            let y0 = settler.borrow().reduced(&y);
            let source = || compiled.exact_jacobian();
            let mut system = Closed::new(compiled, &settler, &source, mechanism)?;
            let options = Options { max_steps: left, resume, ..reduced.clone() };
            let lost = Cell::new(None);
            let outcome = integrate(&mut system, &part(y0), &options, &mut |sample| {
                let mut settler = settler.borrow_mut();
                let is_step = matches!(sample.kind, Kind::Step { .. });
                let (control, beside) = match settler.whole(sample.t, sample.y) {
                    Ok(whole) => {
                        let beside = if is_step { of_constraints(sample.t, whole) } else { 1.0 };
                        (see(&sample, follower, whole), beside)
                    }
                    Err(_) => (Control::Continue, 1.0),
                };
                if is_step {
                    let (dyad, margin) = settler.nearest();
                    if margin.min(beside) < LEAVE {
                        lost.set(Some(dyad)); // [leave]
                        return Control::Stop;
                    }
                }
                control
            });
            let whole = settler.borrow_mut().whole(outcome.t_reached, &outcome.y_reached)?.to_vec();
            add(&mut total, &outcome);
            (total.t_reached, total.y_reached) = (outcome.t_reached, whole);
            // What the closed form cannot follow all coordinates may.
            let failed = !matches!(outcome.stop, StopReason::ReachedEnd | StopReason::StoppedByObserver);
            let lost = lost.get().or_else(|| failed.then(|| settler.borrow().nearest().0));
            if let Some(dyad) = lost {
                next.set(true);
                let constraint = compiled.dyads[dyad].clone();
                handovers.push(Handover { from: outcome.t_reached, until: None, constraint });
            }
            (limit, resume) = (RETURN, Some(outcome.method));
            stop = outcome.stop;
        } else {
            if handovers.is_empty() {
                handovers.push(Handover { from: t, until: None, constraint: compiled.dyads[dyad].clone() });
            }
            let options = Options { max_steps: left, resume, ..options.clone() };
            let may_return = handovers.len() < MOST_HANDOVERS;
            let outcome = integrate(mechanism, &part(y), &options, &mut |sample| {
                let control = see(&sample, follower, sample.y);
                let is_step = matches!(sample.kind, Kind::Step { .. });
                let beside = if is_step { of_constraints(sample.t, sample.y) } else { 0.0 };
                if beside > RETURN
                    && may_return
                    && sides.at(sample.t, sample.y).is_ok_and(|m| nearest(&m).1 > RETURN)
                {
                    next.set(true); // [return]
                    return Control::Stop;
                }
                control
            });
            add(&mut total, &outcome);
            resume = Some(outcome.method);
            (total.t_reached, total.y_reached) = (outcome.t_reached, outcome.y_reached);
            stop = outcome.stop;
        }
        if options.method != Method::Auto {
            resume = None;
        }
        shown += seen.get();
        let done = total.t_reached == problem.t1;
        if !next.get() || done {
            total.stop = if done && next.get() { StopReason::ReachedEnd } else { stop };
            return Ok((total, handovers));
        }
    }
}

/// The dyad with the smallest margin.
fn nearest(sides: &[f64]) -> (usize, f64) {
    let margin = |m: f64| if m.is_nan() { 0.0 } else { m.abs() };
    let all = sides.iter().map(|m| margin(*m)).enumerate();
    all.min_by(|a, b| a.1.total_cmp(&b.1)).unwrap_or((0, 1.0))
}
