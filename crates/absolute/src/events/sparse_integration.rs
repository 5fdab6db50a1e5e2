//! Generalised-α and backward differentiation between two instants: rows and roots on their dense output.
//!
//! Event functions are looked at at the ends of several parts of a step; a change of sign between two looks is located by Brent's
//! method, and the time that is told lies just behind the root. Of several roots the first one counts.

use cardan_sim::{ConstraintForm, Settings};
use cardan_solve::driver::Observer;
use cardan_solve::roots::{RootFailure, brent_from};
use cardan_solve::{
    Control, Failure, Kind, Method, Options, Outcome, Output, Problem, Reaction, Sample, StopReason, System,
};

use crate::error::Unsupported;
use crate::implicit::bdf::{Bdf, Index};
use crate::implicit::generalised_alpha::GeneralisedAlpha;
use crate::implicit::{Step, Walk};
use crate::mechanism::Mechanism;
use crate::mechanism::works::{Trapezoids, Works};

/// Looks at event functions in a step.
const LOOKS: usize = 8;

/// A root in a step: when, and which functions with their directions.
struct Hit {
    t: f64,
    events: Vec<(usize, bool)>,
}

/// The event functions of a system, followed from step to step.
struct Roots {
    t: f64,
    g: Vec<f64>,
    sign: Vec<f64>,
}

impl Roots {
    fn start(system: &mut dyn System, t: f64, y: &[f64]) -> Result<Roots, Failure> {
        let mut g = vec![0.0; if system.watches() { system.n_events() } else { 0 }];
        if !g.is_empty() {
            system.events(t, y, &mut g)?;
        }
        let sign = g.iter().map(|g| sign(*g)).collect();
        Ok(Roots { t, g, sign })
    }

    /// The first root between the last look and the end of a step.
    fn scan(
        &mut self,
        system: &mut dyn System,
        end: f64,
        inside: &dyn Fn(f64) -> Vec<f64>,
    ) -> Result<Option<Hit>, Failure> {
        if self.g.is_empty() {
            return Ok(None);
        }
        let (from, n) = (self.t, self.g.len());
        let mut look = |t: f64| {
            let mut g = vec![0.0; n];
            system.events(t, &inside(t), &mut g).map(|()| g)
        };
        for part in 1..=LOOKS {
            let t = if part == LOOKS { end } else { from + (end - from) * part as f64 / LOOKS as f64 };
            if t == self.t {
                continue;
            }
            let g = look(t)?;
            let mut first: Option<(f64, usize)> = None;
            for k in 0..g.len() {
                let now = sign(g[k]);
                if self.sign[k] == 0.0 {
                    self.sign[k] = now;
                }
                if now == self.sign[k] || self.sign[k] == 0.0 {
                    continue;
                }
                let at = locate(&mut |t| look(t).map(|g| g[k]), (self.t, self.g[k]), (t, g[k]))?;
                if first.is_none_or(|(earlier, _)| at < earlier) {
                    first = Some((at, k));
                }
            }
            if let Some((at, k)) = first {
                let g = look(at)?;
                let mut events = vec![];
                for j in 0..g.len() {
                    let now = sign(g[j]);
                    if j == k || (now != self.sign[j] && now != 0.0 && self.sign[j] != 0.0) {
                        let new = if j == k { -self.sign[j] } else { now };
                        events.push((j, new > 0.0));
                        self.sign[j] = new;
                    }
                }
                (self.t, self.g) = (at, g);
                return Ok(Some(Hit { t: at, events }));
            }
            (self.t, self.g) = (t, g);
        }
        Ok(None)
    }
}

fn sign(g: f64) -> f64 {
    if g == 0.0 { 0.0 } else { g.signum() }
}

/// A time just behind the root between two looks.
fn locate(
    value: &mut dyn FnMut(f64) -> Result<f64, Failure>,
    before: (f64, f64),
    after: (f64, f64),
) -> Result<f64, Failure> {
    let tolerance = 4.0 * f64::EPSILON * before.0.abs().max(after.0.abs());
    let mut t = match brent_from(value, before, after, tolerance) {
        Ok(t) => t,
        Err(RootFailure::NoSignChange { .. }) => return Ok(after.0),
        Err(RootFailure::Function(failure)) => return Err(failure),
    };
    let mut nudge = tolerance;
    while t < after.0 && sign(value(t)?) != sign(after.1) {
        t = (t + nudge).min(after.0);
        nudge *= 2.0;
    }
    Ok(t)
}

/// What a part of a motion has come to.
struct Course<'c> {
    times: &'c [f64],
    shown: usize,
    /// Where an event, a failure or whoever looks has ended it.
    ended: Option<(StopReason, f64, Vec<f64>)>,
}

/// Follows a part of a motion by the method of the settings.
pub(crate) fn integrate_sparse(
    (mechanism, works): (&mut Mechanism<'_>, &Works),
    settings: &Settings,
    system: &mut dyn System,
    (part, options): (&Problem, &Options),
    see: &mut Observer<'_>,
) -> Result<Outcome, Unsupported> {
    let n = mechanism.n_states();
    let is_alpha = settings.method == Method::Alpha;
    let walk = Walk {
        ends: (part.t0, part.t1),
        tolerances: (settings.rtol, settings.atol),
        first: settings.step,
        longest: settings.max_step.unwrap_or(f64::INFINITY),
        limit: options.max_steps,
    };
    let none = vec![];
    let times = match &part.output {
        Output::Times(times) => times,
        Output::Steps => &none,
    };
    let mut outcome = Outcome::before(part, options);
    let mut course = Course { times, shown: 0, ended: None };
    let failed = |t: f64, failure: Failure| StopReason::SystemFailed { t, failure };
    let mut roots = match Roots::start(system, part.t0, &part.y0) {
        Ok(roots) => roots,
        Err(failure) => {
            outcome.stop = failed(part.t0, failure);
            return Ok(outcome);
        }
    };
    let mut trapezoids = Trapezoids::new(works.clone(), &part.y0[n..]);
    let direction = (part.t1 - part.t0).signum();
    let mut each = |m: &mut Mechanism<'_>, step: &Step<'_>| {
        let [t0, t1] = step.times;
        if is_alpha && let Err(e) = trapezoids.add(m, step) {
            course.ended = Some((failed(t0, Failure::fatal(e)), t0, step.states[0].to_vec()));
            return false;
        }
        let inside = |t: f64| {
            let mut y = if t == t1 { step.states[1].to_vec() } else { (step.inside)(t) };
            if is_alpha {
                y.truncate(n);
                y.extend(trapezoids.at((t - t0) / (t1 - t0)));
            }
            y
        };
        loop {
            let hit = match roots.scan(system, t1, &inside) {
                Ok(hit) => hit,
                Err(failure) => {
                    course.ended = Some((failed(t0, failure), t0, inside(t0)));
                    return false;
                }
            };
            let until = hit.as_ref().map_or(t1, |h| h.t);
            while course.shown < course.times.len() && (until - course.times[course.shown]) * direction >= 0.0
            {
                let t = course.times[course.shown];
                course.shown += 1;
                if see(Sample { t, y: &inside(t), kind: Kind::Output }) == Control::Stop {
                    course.ended = Some((StopReason::StoppedByObserver, t, inside(t)));
                    return false;
                }
            }
            let Some(hit) = hit else { break };
            let mut y = inside(hit.t);
            let mut stop = None;
            let reacted = system.project_hit(hit.t, &mut y).and_then(|_| {
                for (event, rising) in &hit.events {
                    if system.react(*event, *rising, hit.t, &mut y)? == Reaction::Stop {
                        stop = stop.or(Some(*event));
                    }
                }
                Ok(())
            });
            match (reacted, stop) {
                (Err(failure), _) => course.ended = Some((failed(hit.t, failure), hit.t, y)),
                (Ok(()), Some(event)) => {
                    course.ended = Some((StopReason::Event { event, t: hit.t }, hit.t, y));
                }
                (Ok(()), None) => continue,
            }
            return false;
        }
        let y = inside(t1);
        let kind = Kind::Step { h: t1 - t0, method: settings.method, next: None };
        let goes_on = see(Sample { t: t1, y: &y, kind }) == Control::Continue;
        if !goes_on {
            course.ended = Some((StopReason::StoppedByObserver, t1, y));
        }
        goes_on
    };
    let (stop, t, mut y, stats) = if is_alpha {
        let mut method = GeneralisedAlpha::new(mechanism)?;
        let (stop, t, y) = method.run(walk, &part.y0[..n], &mut each);
        (stop, t, y, method.stats)
    } else {
        let index = match settings.constraints {
            ConstraintForm::Positions => Index::Three,
            ConstraintForm::Stabilised => Index::Two,
            _ => Index::One,
        };
        let mut method = Bdf::new(mechanism, works.clone(), index)?;
        let (stop, t, y) = method.run(walk, &part.y0, &mut each);
        (stop, t, y, method.stats)
    };
    if is_alpha {
        y.extend(trapezoids.at(1.0));
    }
    (outcome.stop, outcome.t_reached, outcome.y_reached) = course.ended.unwrap_or((stop, t, y));
    outcome.stats = stats;
    Ok(outcome)
}
