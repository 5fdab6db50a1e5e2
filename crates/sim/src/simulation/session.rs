//! A session: a motion that is advanced piece by piece, with inputs that change between the pieces.
//!
//! ```text
//! begin ─▶ advance ─▶ read, give inputs, set the state, copy, save ─▶ advance …
//! ```
//!
//! **Pauses leave no trace.** The integrator takes its own steps, also beyond a pause, and the state at the pause comes
//! from the interpolation inside its last step. The session keeps the beginning of that step as its [`Mark`] and goes on
//! from there: with the same inputs, a motion in a thousand pieces has the steps of the motion in one. An input or state
//! that changes makes the pause itself the mark.
//!
//! Constraints are kept by projection, whatever the model asks for: other forms have memories of their own.

use std::fmt;
use std::sync::{Arc, PoisonError};

use cardan_base::{Id, Map, nearest};
use cardan_program::InputId;
use cardan_solve::{
    Continuation, Control, Kind, Method, Output, Problem, Sample, StopReason, System, integrate,
};

use super::exchange::Anchor;
use super::run::Course;
use super::{Simulation, StartError};
use crate::events::conditions::ConditionMemory;
use crate::events::impulse::struck;
use crate::events::{Happenings, Logic};
use crate::nonsmooth::{ModeMemory, Shown};
use crate::record::step_observer::StepObserver;
use crate::rhs::{Jacobian, Mechanism};
use crate::settings::Settings;
use cardan_compile::jacobian::exact_jacobian;

/// Where the integrator goes on after a pause: the beginning of the step inside which the pause is.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Mark {
    pub t: f64,
    /// States and works.
    pub y: Vec<f64>,
    /// The size of the next step, where one was proposed.
    pub step: Option<f64>,
    /// Whether the right-hand side jumps here.
    pub is_break: bool,
}

/// A motion that is advanced piece by piece. A clone goes its own way.
#[derive(Clone, Debug)]
pub struct Session {
    simulation: Arc<Simulation>,
    pub(super) settings: Settings,
    /// One per parameter and input of the plan.
    pub(super) values: Vec<Option<f64>>,
    /// The energy at the start, by which works are measured.
    pub(super) energy: f64,
    pub(super) t: f64,
    /// States and works.
    pub(super) y: Vec<f64>,
    pub(super) mark: Mark,
    pub(super) method: Option<Method>,
    /// What the method remembers at the mark; it begins anew where this is absent or of another time.
    pub(super) continuation: Option<Continuation>,
    pub(super) conditions: Option<ConditionMemory>,
    pub(super) modes: Option<ModeMemory>,
    /// Where the modes hold, if an integrator outside moves the state.
    pub(super) anchor: Option<Anchor>,
    /// Why the motion is over.
    pub(super) ended: Option<String>,
}

/// Why a session could not do what was asked; it stays where it was.
#[derive(Clone, PartialEq, Debug)]
pub enum SessionError {
    /// It cannot begin, or a value given to it makes no sense.
    Start(StartError),
    /// Nothing has this name.
    Unknown {
        /// The name.
        name: String,
        /// What it may be a misspelling of.
        nearest: Option<String>,
    },
    /// A number is infinite or undefined.
    NotFinite(String),
    /// Numbers given and numbers expected.
    Length(usize, usize),
    /// The time asked for lies before the present one.
    Backward {
        /// The present time.
        now: f64,
        /// The time asked for.
        to: f64,
    },
    /// A block has ended the motion, for this reason.
    Ended(String),
    /// The motion cannot be followed further, for this reason.
    Failed(String),
    /// Bytes that are no saved session of this model.
    Foreign,
}

impl fmt::Display for SessionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SessionError::Start(error) => error.fmt(f),
            SessionError::Unknown { name, nearest } => {
                write!(f, "the model has no parameter or input `{name}`")?;
                nearest.as_ref().map_or(Ok(()), |n| write!(f, "; is `{n}` meant?"))
            }
            SessionError::NotFinite(what) => write!(f, "{what} is not a finite number"),
            SessionError::Length(given, expected) => write!(f, "{given} numbers are given for {expected}"),
            SessionError::Backward { now, to } => {
                write!(
                    f,
                    "the session is at t = {now} s and cannot go back to {to} s; restore an earlier state"
                )
            }
            SessionError::Ended(reason) => write!(f, "the motion has ended: {reason}"),
            SessionError::Failed(reason) => f.write_str(reason),
            SessionError::Foreign => f.write_str("this is no saved session of this model"),
        }
    }
}

impl std::error::Error for SessionError {}

impl<E: Into<StartError>> From<E> for SessionError {
    fn from(error: E) -> Self {
        SessionError::Start(error.into())
    }
}

/// Watches the integrator until it has come to the pause.
struct Pause {
    to: f64,
    mark: Mark,
    method: Option<Method>,
    reached: Option<Vec<f64>>,
    /// Whether a block has happened since the mark.
    jumped: bool,
}

impl StepObserver for Pause {
    fn see(&mut self, sample: Sample<'_>) -> Control {
        match sample.kind {
            Kind::Output if sample.t == self.to => self.reached = Some(sample.y.to_vec()),
            // Nothing has happened where the motion goes on.
            Kind::Step { h: 0.0, .. } if sample.t == self.mark.t && !self.jumped => {}
            Kind::Step { h, method, next } if self.reached.is_none() => {
                self.jumped = false;
                self.mark = Mark { t: sample.t, y: sample.y.to_vec(), step: next, is_break: h == 0.0 };
                self.method = Some(method);
            }
            _ => {}
        }
        if self.reached.is_some() { Control::Stop } else { Control::Continue }
    }
    /// At an instant the motion starts anew: what has happened there must not happen again.
    fn record(&mut self, t: f64, y: &[f64]) {
        if t == self.to {
            self.mark = Mark { t, y: y.to_vec(), step: None, is_break: true };
            self.reached = Some(y.to_vec());
        }
    }
    fn jump(&mut self, _discretes: &[f64], _work: f64) {
        self.jumped = true;
    }
}

/// The integrator is asked for a motion so many times as long as to the pause, so that the pause does not shape its steps.
const BEYOND: f64 = 100.0;
/// A first step that is chosen from the problem is at most this part of the whole motion, wherever the pause is.
const FIRST_STEP: f64 = 1e-3;
/// What a set state may be moved by to satisfy the constraints is found in so many projections.
const PROJECTIONS: usize = 4;

impl Session {
    /// Begins a motion where `settings` begins, with the values that the simulation has. Events of the first instant happen.
    pub fn begin(simulation: Arc<Simulation>, settings: &Settings) -> Result<Session, SessionError> {
        settings.check()?;
        let (values, t) = (simulation.values.clone(), settings.from);
        let mark = Mark { t, y: vec![], step: None, is_break: false };
        let mut session = Session {
            simulation,
            settings: settings.clone(),
            values,
            energy: 0.0,
            t,
            y: vec![],
            mark,
            method: None,
            continuation: None,
            conditions: None,
            modes: None,
            anchor: None,
            ended: None,
        };
        session.restart()?;
        Ok(session)
    }

    /// Begins anew, with the parameters and inputs as they are.
    pub fn restart(&mut self) -> Result<(), SessionError> {
        let simulation = Arc::clone(&self.simulation);
        let from = self.settings.from;
        let mut inputs = simulation.inputs_with(&self.values)?;
        simulation.logic(&self.settings, &mut inputs)?;
        let mut mechanism =
            Mechanism::new(&simulation.plan, &simulation.engine, inputs.clone(), Jacobian::Absent)?;
        simulation.close_by(&mut mechanism, &inputs)?;
        let (y, _) = simulation.start(&mut mechanism, &inputs, from, &mut vec![])?;
        self.energy = mechanism.stored(from, &y);
        (self.t, self.y) = (from, y.clone());
        self.mark = Mark { t: from, y, step: None, is_break: false };
        (self.method, self.conditions, self.modes, self.ended) = (None, None, None, None);
        self.continuation = None;
        self.anchor = None;
        if simulation.events.is_some() {
            self.follow(from)?;
        }
        Ok(())
    }

    /// The compiled model.
    pub fn simulation(&self) -> &Simulation {
        &self.simulation
    }
    /// The present time.
    pub fn time(&self) -> f64 {
        self.t
    }
    /// Coordinates, speeds and auxiliary states.
    pub fn state(&self) -> &[f64] {
        &self.y[..self.simulation.plan.states.len()]
    }
    /// The discrete states.
    pub fn discretes(&self) -> &[f64] {
        self.conditions.as_ref().map_or(&[], |c| &c.discretes)
    }
    /// Why the motion is over, where a block has ended it.
    pub fn ended(&self) -> Option<&str> {
        self.ended.as_deref()
    }

    /// The value of a parameter or input, in SI units.
    pub fn value(&self, name: &str) -> Result<f64, SessionError> {
        Ok(self.values[self.place(name)?].unwrap_or(f64::NAN))
    }

    /// The same by its place among the parameters of the plan; undefined where there is none.
    pub fn value_at(&self, place: usize) -> f64 {
        self.values.get(place).copied().flatten().unwrap_or(f64::NAN)
    }

    /// The time at which [`restart`](Self::restart) begins.
    pub fn start_at(&mut self, from: f64) -> Result<(), SessionError> {
        if !from.is_finite() {
            return Err(SessionError::NotFinite("the time at the start".to_owned()));
        }
        let length = self.settings.to - self.settings.from;
        (self.settings.from, self.settings.to) = (from, from + length);
        Ok(())
    }

    /// Gives an input or a parameter a value in SI units from now on.
    pub fn set(&mut self, name: &str, value: f64) -> Result<(), SessionError> {
        let place = self.place(name)?;
        self.set_place(place, value)
    }

    /// The same by its place among the parameters of the plan.
    pub fn set_place(&mut self, place: usize, value: f64) -> Result<(), SessionError> {
        let Some(slot) = self.simulation.plan.parameters.get(place) else {
            return Err(SessionError::Length(place, self.values.len()));
        };
        if !value.is_finite() {
            return Err(SessionError::NotFinite(format!("the value for `{}`", slot.label.name)));
        }
        if self.values[place].map(f64::to_bits) != Some(value.to_bits()) {
            self.values[place] = Some(value);
            self.pause_here();
        }
        Ok(())
    }

    fn place(&self, name: &str) -> Result<usize, SessionError> {
        let names = || self.simulation.plan.parameters.iter().map(|p| p.label.name.as_str());
        let unknown = || SessionError::Unknown {
            name: name.to_owned(),
            nearest: nearest(name, names()).map(str::to_owned),
        };
        names().position(|n| n == name).ok_or_else(unknown)
    }

    /// The motion goes on from the present state, not from the beginning of the integrator's step.
    pub(super) fn pause_here(&mut self) {
        self.mark = Mark { t: self.t, y: self.y.clone(), step: self.mark.step, is_break: false };
        self.continuation = None;
    }

    /// Puts the model into another state: coordinates, speeds and auxiliary states. What constraints do not allow is
    /// moved onto them.
    pub fn set_state(&mut self, state: &[f64]) -> Result<(), SessionError> {
        let n = self.simulation.plan.states.len();
        if state.len() != n {
            return Err(SessionError::Length(state.len(), n));
        }
        if let Some(k) = state.iter().position(|x| !x.is_finite()) {
            let name = &self.simulation.plan.states[k].label.name;
            return Err(SessionError::NotFinite(format!("the value for `{name}`")));
        }
        let mut y = self.y.clone();
        y[..n].copy_from_slice(state);
        let simulation = Arc::clone(&self.simulation);
        let inputs = simulation.inputs_with(&self.values)?;
        let mut mechanism =
            Mechanism::new(&simulation.plan, &simulation.engine, inputs.clone(), Jacobian::Absent)?;
        simulation.close_by(&mut mechanism, &inputs)?;
        mechanism.measure(self.t, &y)?;
        for _ in 0..PROJECTIONS {
            mechanism.project(self.t, &mut y)?;
        }
        self.y = y;
        (self.modes, self.anchor) = (None, None);
        self.pause_here();
        self.mark.step = None;
        self.ended = None;
        Ok(())
    }

    /// Gives the discrete states other values.
    pub fn set_discretes(&mut self, values: &[f64]) -> Result<(), SessionError> {
        let n = self.discretes().len();
        if values.len() != n {
            return Err(SessionError::Length(values.len(), n));
        }
        if values.iter().any(|x| !x.is_finite()) {
            return Err(SessionError::NotFinite("a discrete state".to_owned()));
        }
        if let Some(conditions) = &mut self.conditions {
            conditions.discretes.copy_from_slice(values);
        }
        self.pause_here();
        Ok(())
    }

    /// Follows the motion to a time, with inputs and parameters as they are. Everything that happens at that time has
    /// happened then.
    pub fn advance(&mut self, to: f64) -> Result<(), SessionError> {
        if !to.is_finite() {
            return Err(SessionError::NotFinite("the time".to_owned()));
        }
        if to < self.t {
            return Err(SessionError::Backward { now: self.t, to });
        }
        if let Some(reason) = &self.ended {
            return Err(SessionError::Ended(reason.clone()));
        }
        if to == self.t { Ok(()) } else { self.follow(to) }
    }

    /// Settings of a motion from a time on that lasts as long as the whole one: how near to a surface of switching counts as on it
    /// follows from that, and must not depend on where the session pauses.
    fn whole(&self, from: f64) -> Settings {
        let length = (self.settings.to - self.settings.from).max(f64::MIN_POSITIVE);
        Settings { from, to: from + length, ..self.settings.clone() }
    }

    pub(super) fn follow(&mut self, to: f64) -> Result<(), SessionError> {
        let simulation = Arc::clone(&self.simulation);
        let simulation = &*simulation;
        let plan = &simulation.plan;
        let mut inputs = simulation.inputs_with(&self.values)?;
        let mut logic = match &simulation.events {
            None => None,
            Some((program, engine)) => {
                let mut logic = Logic::new(program, engine, inputs.clone(), self.settings.from)?;
                self.conditions.iter().for_each(|memory| logic.recall(memory));
                inputs[program.inputs.discretes.clone()].copy_from_slice(logic.discretes());
                Some(logic)
            }
        };
        let make = || {
            let structure =
                simulation.structure.as_ref().map(|s| s.lock().unwrap_or_else(PoisonError::into_inner));
            exact_jacobian(&simulation.program, plan, simulation.kind, &simulation.host, structure.as_deref())
        };
        let source = || simulation.jacobian.get_or_init(make).as_ref();
        let mut mechanism =
            Mechanism::new(plan, &simulation.engine, inputs.clone(), Jacobian::Source(&source))?;
        simulation.close_by(&mut mechanism, &inputs)?;
        let from = self.mark.t;
        mechanism.measure(from, &self.mark.y)?;
        // Equal steps have no size of their own to keep.
        let is_fixed = self.settings.method == Method::Rk4;
        if !is_fixed {
            mechanism.struck = struck(self.settings.rtol);
        }
        let reach = (to - from).max(self.mark.step.unwrap_or(0.0));
        let first_step_bound = FIRST_STEP * (self.settings.to - self.settings.from).max(f64::MIN_POSITIVE);
        let beyond = (BEYOND * reach).max(first_step_bound);
        let horizon = if is_fixed || to == from { to } else { to + beyond };
        let settings = Settings { from, to: horizon, ..self.settings.clone() };
        if let Some(mut modes) = simulation.modes(&self.whole(from), &inputs)? {
            modes.may_slide(Shown::default());
            self.modes.iter().for_each(|memory| modes.recall(memory));
            mechanism.freeze(modes);
        }
        let known: Map<usize, f64> = plan.parameters.iter().map(|p| (p.input, inputs[p.input])).collect();
        let known = |i: InputId| known.get(&i.index()).copied();
        let mut breakpoints = simulation.switching_times(&settings, &known).0.times;
        breakpoints.extend(self.mark.is_break.then_some(from));
        let problem = Problem {
            t0: from,
            t1: horizon,
            y0: self.mark.y.clone(),
            output: Output::Times(vec![to]),
            breakpoints,
        };
        let mut options = settings.options(plan.states.len(), plan.powers.len(), 0, self.energy);
        options.resume = self.method;
        options.resume_step = self.mark.step;
        (options.first_step_bound, options.keeps) = (first_step_bound, true);
        let begins_there = |c: &Continuation| c.t == from && self.mark.step.is_some();
        options.continuation = self.continuation.clone().filter(begins_there);
        let mut pause =
            Pause { to, mark: self.mark.clone(), method: self.method, reached: None, jumped: false };
        let (outcome, reason) = match &mut logic {
            Some(logic) => {
                let course =
                    Course { settings: &settings, inputs: &inputs, problem, options, energy: self.energy };
                let happenings = Happenings::of(logic.program);
                let followed = simulation.follow_events(
                    &course,
                    &mut mechanism,
                    &mut pause,
                    (logic, happenings),
                    &known,
                );
                (followed.outcome, followed.reason)
            }
            None => {
                let mut see = |sample: Sample<'_>| pause.see(sample);
                (integrate(&mut mechanism, &problem, &options, &mut see), None)
            }
        };
        let conditions = logic.as_ref().map(Logic::memory);
        let modes = mechanism.modes().map(|m| m.memory());
        let reached = match (&outcome.stop, pause.reached) {
            (_, Some(y)) => y,
            (StopReason::ReachedEnd, None) => outcome.y_reached,
            (StopReason::Event { .. }, None) => {
                self.t = outcome.t_reached;
                self.y = outcome.y_reached;
                (self.conditions, self.modes) = (conditions, modes);
                self.pause_here();
                let reason = reason.unwrap_or_else(|| "a block stops the motion".to_owned());
                self.ended = Some(reason.clone());
                return Err(SessionError::Ended(reason));
            }
            (stop, None) => {
                return Err(SessionError::Failed(reason.unwrap_or_else(|| simulation.reason(stop))));
            }
        };
        (self.t, self.y, self.mark, self.method) = (to, reached, pause.mark, pause.method);
        let mark = &self.mark;
        self.continuation = outcome.continuation.filter(|c| c.t == mark.t && mark.step.is_some());
        (self.conditions, self.modes) = (conditions, modes);
        if to == from {
            self.pause_here();
        }
        Ok(())
    }

    /// Runs a function on the mechanism at the present state.
    pub(super) fn look<T>(
        &self,
        ask: impl FnOnce(&mut Mechanism<'_>, f64, &[f64]) -> Result<T, SessionError>,
    ) -> Result<T, SessionError> {
        let simulation = &*self.simulation;
        let mut inputs = simulation.inputs_with(&self.values)?;
        for ((_, input), value) in simulation.plan.discretes.iter().zip(self.discretes()) {
            inputs[*input] = *value;
        }
        let mut mechanism =
            Mechanism::new(&simulation.plan, &simulation.engine, inputs.clone(), Jacobian::Absent)?;
        let mut y = self.y.clone();
        if let Some(mut modes) = simulation.modes(&self.whole(self.t), &inputs)? {
            modes.may_slide(Shown::default());
            self.modes.iter().for_each(|memory| modes.recall(memory));
            match &self.anchor {
                None => modes.enter(self.t, self.t, &mut y)?,
                Some(Anchor { t, y }) => modes.enter(*t, *t, &mut y.clone())?,
            }
            mechanism.freeze(modes);
        }
        ask(&mut mechanism, self.t, &y)
    }

    /// The outputs of the model now, in the order of the plan, in SI units.
    pub fn outputs(&self) -> Result<Vec<f64>, SessionError> {
        let places: Vec<usize> = self.simulation.plan.outputs.iter().map(|(_, k)| *k).collect();
        self.look(|mechanism, t, y| {
            let all = mechanism.report(t, y)?;
            Ok(places.iter().map(|k| all[*k]).collect())
        })
    }

    /// The time derivatives of coordinates, speeds and auxiliary states now.
    pub fn derivatives(&self) -> Result<Vec<f64>, SessionError> {
        let n = self.simulation.plan.states.len();
        self.look(|mechanism, t, y| {
            let mut dy = vec![0.0; y.len()];
            mechanism.derivative(t, y, &mut dy)?;
            dy.truncate(n);
            Ok(dy)
        })
    }

    /// Kinetic and potential energy now.
    pub fn energy(&self) -> Result<f64, SessionError> {
        self.look(|mechanism, t, y| Ok(mechanism.energy(t, y)?))
    }
}
