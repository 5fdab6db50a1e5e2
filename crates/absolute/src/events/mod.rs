//! Events in absolute and natural coordinates: conditions, sampled blocks, `stop`, resets.
//!
//! Conditions, their order and what an instant is are those of [`cardan_sim::events`]; here the coordinates and speeds that
//! they are written in are measured between the parts, and a block acts on the parts:
//!
//! ```text
//! [place]      assigned coordinates: all parts are placed anew by the coordinates of the tree, then loops close
//! [event-impulse] assigned speeds: min ½ δvᵀ M δv  with  G (v + δv) + ġ_t = 0  and  e_a (v + δv) = v_a
//! [overwrite]  overwritten speeds: the velocities of all parts anew by the speeds, then as [event-impulse]
//! ```
//!
//! [event-impulse] is the rule of the tree formalisms: the mass matrix of parts measures the same energy. e_a is the derivative of an
//! assigned speed by the velocities of its two parts.
//!
//! - [`reset`]: what a block does to the parts; `sparse_integration`: implicit methods between instants.

pub(crate) mod reset;
pub(crate) mod sparse_integration;

use std::cell::RefCell;
use std::rc::Rc;

use cardan_base::Id;
use cardan_expr::Expr;
use cardan_jit::{Engine, EngineKind};
use cardan_lower::{EventProgram, measured_event_program};
use cardan_model::{Model, Trigger};
use cardan_program::InputId;
use cardan_sim::Happenings;
use cardan_sim::breakpoints::{Breakpoints, Coming, Held, breakpoints};
use cardan_sim::events::event_loop::Integrate;
use cardan_sim::events::{Followed, HybridSystem, Logic, drive};
use cardan_sim::record::step_observer::StepObserver;
use cardan_solve::{Control, Failure, Kind, Options, Problem, Sample, System};

use crate::error::{AbsoluteError, Unsupported};
use crate::geometry::Pose;
use crate::mechanism::Mechanism;
use crate::mechanism::multipliers::Unknowns;
use crate::scalar_rows::Scalars;

/// The events of a model, compiled.
#[derive(Clone, Debug)]
pub(crate) struct Events {
    pub program: EventProgram,
    engine: Engine,
    pub measured: Measured,
}

/// What the program of events is given beside the state.
#[derive(Clone, Debug, Default)]
pub(crate) struct Measured {
    unknowns: Unknowns,
    /// Whether accelerations and unknowns are asked for.
    is_dynamic: bool,
}

impl Measured {
    /// [q; u; s] at a state, then accelerations and unknowns where they are asked for.
    pub fn of(&self, m: &mut Mechanism<'_>, t: f64, y: &[f64]) -> Result<Vec<f64>, String> {
        if self.is_dynamic {
            m.accelerate(t, y)?;
        }
        m.measure(y, true);
        let mut found = m.q.clone();
        found.extend(&m.u);
        found.extend(&y[crate::template::STATE * m.n_parts()..]);
        if self.is_dynamic {
            found.extend(m.accelerations_of_speeds(y));
            m.share();
            found.extend(self.unknowns.values(m, y));
        }
        Ok(found)
    }
}

impl Events {
    /// Those of a model; nothing where there are none.
    pub fn of(model: &Model) -> Result<Option<Events>, Unsupported> {
        let mut asked: Vec<Expr> = vec![];
        for (_, event) in model.hybrid.events.iter() {
            if let Trigger::When(condition) = event.trigger {
                asked.push(condition);
            }
            asked.extend(event.assignments.iter().map(|(_, e)| *e));
            asked.extend(event.stops.iter().map(|(e, _)| *e));
        }
        let pool = model.space.pool();
        let parts = pool.reachable(asked.iter().copied());
        let mut rates = model.speeds.iter().map(|(_, u)| u.rate);
        let unknowns = Unknowns::of(model, asked);
        let is_dynamic = !unknowns.is_empty() || rates.any(|r| parts.binary_search(&r).is_ok());
        let mut given: Vec<Expr> = vec![];
        if is_dynamic {
            given.extend(model.speeds.iter().map(|(_, u)| u.rate));
            given.extend(&unknowns.symbols);
        }
        let wrong = |e: String| Unsupported::Program(e);
        let Some(program) = measured_event_program(model, &given).map_err(|e| wrong(e.to_string()))? else {
            return Ok(None);
        };
        let engine = Engine::new(&program.program, EngineKind::Native).map_err(|e| wrong(e.to_string()))?;
        Ok(Some(Events { program, engine, measured: Measured { unknowns, is_dynamic } }))
    }
}

/// Where a motion was put by the last block, for those who follow it with a mechanism of their own.
#[derive(Clone, Debug, Default)]
pub(crate) struct Reached(Rc<RefCell<(Vec<f64>, Option<Turns>)>>);

/// Displacements of chains, turns of balls.
type Turns = (Vec<f64>, Vec<Vec<Pose>>);

impl Reached {
    /// Notes discrete states and, where parts were placed anew, how far their joints are turned.
    fn note(&self, m: &Mechanism<'_>, placed: bool) {
        let turns = placed.then(|| (m.travels.clone(), m.balls.clone()));
        *self.0.borrow_mut() = (m.discretes.clone(), turns);
    }

    /// Takes over what was noted.
    pub fn take_over(&self, m: &mut Mechanism<'_>) {
        let (discretes, turns) = &*self.0.borrow();
        if !discretes.is_empty() {
            m.hold(discretes);
        }
        if let Some((travels, balls)) = turns {
            m.travels.clone_from(travels);
            m.balls.clone_from(balls);
        }
    }
}

impl Measured {
    /// Lets a block happen to a state of the parts; it is in a state in which the constraints hold afterwards.
    pub fn jump(
        &self,
        m: &mut Mechanism<'_>,
        (logic, event): (&mut Logic<'_>, usize),
        t: f64,
        y: &mut [f64],
        reached: &Reached,
    ) -> Result<(), Failure> {
        let mut measured = self.of(m, t, y).map_err(Failure::recoverable)?;
        logic.happen(event, t, &mut measured)?;
        m.hold(logic.discretes());
        let (n, k) = (m.model.coordinates.len() + m.model.speeds.len(), m.model.states.len());
        let before = y.to_vec();
        let placed = match m.reset(t, y, &measured[n..n + k], logic.assigned(), logic.name(event)) {
            Ok(placed) => placed,
            Err(refused) => {
                // What was reached is the state before.
                y.copy_from_slice(&before);
                return Err(refused);
            }
        };
        reached.note(m, placed);
        Ok(())
    }
}

/// What is told of a motion on its way.
pub(crate) enum News<'n> {
    /// A row of results is wanted.
    Row(f64, &'n [f64]),
    /// A step was accepted.
    Step(f64, &'n [f64]),
    /// Discrete states and energy have changed at once.
    Jump(&'n [f64], f64),
}

impl<'n> News<'n> {
    /// What a sample of an integrator tells, if anything.
    fn of(sample: &Sample<'n>) -> Option<News<'n>> {
        match sample.kind {
            Kind::Output => Some(News::Row(sample.t, sample.y)),
            Kind::Step { .. } => Some(News::Step(sample.t, sample.y)),
            Kind::Event { .. } => None,
        }
    }
}

/// Whoever follows a motion.
pub(crate) type Tell<'t> = dyn FnMut(News<'_>) -> Control + 't;

struct Told<'t, 'u>(&'t mut Tell<'u>);

impl StepObserver for Told<'_, '_> {
    fn see(&mut self, sample: Sample<'_>) -> Control {
        News::of(&sample).map_or(Control::Continue, |news| (self.0)(news))
    }
    fn record(&mut self, t: f64, y: &[f64]) {
        (self.0)(News::Row(t, y));
    }
    fn jump(&mut self, discretes: &[f64], work: f64) {
        (self.0)(News::Jump(discretes, work));
    }
}

/// The times at which expressions of time alone switch.
pub(crate) fn switching_times(scalars: &Scalars, (from, to): (f64, f64)) -> Breakpoints {
    let Some((program, inputs)) = scalars.program() else { return Breakpoints::default() };
    breakpoints(program, inputs.time, &|i| parameter(scalars, i), from, to)
}

fn parameter(scalars: &Scalars, input: InputId) -> Option<f64> {
    let (_, inputs) = scalars.program()?;
    inputs.parameters.iter().find(|slot| slot.input == input)?.default
}

/// Follows a motion, from event to event where there are any.
pub(crate) fn follow(
    moved: (&mut dyn HybridSystem, &mut Integrate<'_>),
    events: Option<&Events>,
    scalars: &Scalars,
    (problem, options): (&Problem, &Options),
    tell: &mut Tell<'_>,
) -> Result<Followed, AbsoluteError> {
    let mut told = Told(tell);
    let Some(events) = events else {
        let (system, integrate) = moved;
        let mut see = |sample: Sample<'_>| told.see(sample);
        let outcome = integrate(system as &mut dyn System, problem, options, &mut see);
        return Ok(Followed { outcome, happenings: Happenings::default(), reason: None });
    };
    if problem.t1 < problem.t0 {
        let message = "a motion with events cannot run backward in time";
        return Err(AbsoluteError::Settings(message.into()));
    }
    let program = &events.program;
    let inputs = program.inputs.defaults(program.program.inputs().len());
    let wrong = |f: Failure| AbsoluteError::Settings(f.message);
    let mut logic = Logic::new(program, &events.engine, inputs, problem.t0).map_err(wrong)?;
    told.jump(logic.discretes(), 0.0);
    let known = |i: InputId| parameter(scalars, i);
    let held = scalars.program().map(|(program, inputs)| {
        let first = inputs.discretes.clone();
        Held::of(program, inputs.time, &known, &|i| first.contains(&i.index()).then_some(0.0))
    });
    let switching = |discretes: &[f64], t: f64| {
        let (Some((program, inputs)), Some(held)) = (scalars.program(), &held) else {
            return Coming::default();
        };
        let place = |i: InputId| i.index().checked_sub(inputs.discretes.start);
        let now = |i: InputId| known(i).or_else(|| place(i).and_then(|k| discretes.get(k).copied()));
        held.coming(program, inputs.time, &now, (t, problem.t1))
    };
    let happenings = Happenings::of(program);
    Ok(drive(moved, &mut logic, &mut told, (problem, options), happenings, &switching))
}
