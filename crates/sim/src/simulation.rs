//! A compiled model that can be run again and again with other parameters.

mod start;

pub use start::StartError;

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use cardan_base::{Id, nearest};
use cardan_lower::{ClosedProgram, CorrectionProgram, EventProgram, PartitionProgram, StabilisedProgram};
use cardan_program::{Execute, Host, InputId, Program, Unbound};
use cardan_solve::{Coarser, Failure, Output, Problem, Sample, StopReason, System, integrate};

use crate::assembly::Loops;
use crate::audit::tidy;
use crate::breakpoints::{self, Held, breakpoints};
use crate::choice::{Choice, ChosenLoops};
use crate::closed::Compiled as CompiledClosed;
use crate::corner::{Corners, nudge};
use crate::corrector::Corrector;
use crate::follower::Follower;
use crate::hybrid::{Followed, Happenings, Logic, drive};
use crate::jacobian::{ExactJacobian, JacobianWay, Structure, exact_jacobian};
use crate::lock::Locks;
use crate::mechanism::{Jacobian, Mechanism};
use crate::parting::Watch;
use crate::partition::{Compiled as CompiledPartition, Partitioned};
use crate::plan::Plan;
use crate::recorder::{Observer, Recorder};
use crate::settings::{ConstraintForm, Settings, SettingsError};
use crate::silent::Silent;
use crate::singular::Regularity;
use crate::smallness;
use crate::stabilised::{Compiled as CompiledStabilised, Stabilised};
use crate::switching::{self, Modes, Shown};
use crate::trajectory::{Ending, Trajectory};
use crate::{Engine, EngineKind, Verdict};
use crate::{handover, stabilised};

/// A model ready to move.
#[derive(Clone, Debug)]
pub struct Simulation {
    program: Program,
    plan: Plan,
    kind: EngineKind,
    host: Host,
    engine: Engine,
    /// Made when a stiff motion first asks for it.
    jacobian: OnceLock<Option<ExactJacobian>>,
    /// The tree that it may follow.
    structure: Option<Arc<Mutex<Structure>>>,
    /// One per parameter of the plan.
    values: Vec<Option<f64>>,
    /// What closes loops and keeps them closed.
    closing: Option<Closing>,
    /// Constraints that said nothing when the equations were derived.
    silent: Option<Silent>,
    /// The same motion as differential and algebraic equations, where they were asked for.
    stabilised: Option<CompiledStabilised>,
    /// The parts of its equations, where coordinates are to be partitioned.
    partition: Option<CompiledPartition>,
    /// Its closed form, where there is one that is wanted.
    closed: Option<CompiledClosed>,
    /// What happens at instants.
    events: Option<(EventProgram, Engine)>,
    /// What switches with the state; made at the first run.
    switching: OnceLock<Option<switching::Compiled>>,
}

/// The programs of closed loops, ready to run.
#[derive(Clone, Debug)]
struct Closing {
    loops: Loops,
    assembly: Engine,
    correction: CorrectionProgram,
    corrector: Engine,
    /// Independent rows in an ordinary position.
    rank: usize,
    /// Rows that repeat others at the start.
    dropped: Vec<usize>,
}

impl Closing {
    /// Compiles what was found; nothing if every row holds by itself.
    fn new(
        found: &ChosenLoops,
        n_speeds: usize,
        kind: EngineKind,
        host: &Host,
    ) -> Result<Option<Closing>, Unbound> {
        let Some(correction) = &found.correction else { return Ok(None) };
        Ok(Some(Closing {
            assembly: Engine::with_host(&found.loops.closure.program, kind, host)?,
            corrector: Engine::with_host(&correction.program, kind, host)?,
            loops: found.loops.clone(),
            correction: correction.clone(),
            dropped: found.dropped.clone(),
            rank: n_speeds.saturating_sub(found.mobility),
        }))
    }
}

impl Simulation {
    /// Compiles a simulation program that calls no external functions.
    pub fn new(program: Program, plan: Plan, kind: EngineKind) -> Result<Simulation, Unbound> {
        Simulation::with_host(program, plan, kind, Host::new())
    }

    /// Compiles a simulation program whose external functions are looked up in `host`.
    pub fn with_host(
        program: Program,
        plan: Plan,
        kind: EngineKind,
        host: Host,
    ) -> Result<Simulation, Unbound> {
        let engine = Engine::with_host(&program, kind, &host)?;
        let values = plan.parameters.iter().map(|p| p.value).collect();
        Ok(Simulation {
            program,
            plan,
            kind,
            host,
            engine,
            jacobian: OnceLock::new(),
            structure: None,
            values,
            closing: None,
            silent: None,
            stabilised: None,
            partition: None,
            closed: None,
            events: None,
            switching: OnceLock::new(),
        })
    }

    /// Compiles what was chosen: the program, and on a thread beside it what closes its loops.
    pub fn of(choice: &Choice, kind: EngineKind, host: Host) -> Result<Simulation, Unbound> {
        let plan = Plan::of(&choice.model, &choice.lowered);
        let program = choice.lowered.program.clone();
        let found = choice.loops.as_ref().filter(|f| f.correction.is_some());
        let Some(found) = found else {
            let silent = Silent::of(choice.loops.as_ref(), &host)?;
            return Ok(Simulation { silent, ..Simulation::with_host(program, plan, kind, host)? });
        };
        let n_speeds = plan.n_speeds;
        let (made, closing) = std::thread::scope(|scope| {
            let close = || Closing::new(found, n_speeds, kind, &host);
            let beside = std::thread::Builder::new().spawn_scoped(scope, close);
            let made = Simulation::with_host(program, plan, kind, host.clone());
            let closing = match beside {
                Ok(thread) => thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
                Err(_) => close(),
            };
            (made, closing)
        });
        let mut made = made?;
        made.closing = closing?;
        Ok(made)
    }

    /// Lets the Jacobian follow the structure of the model that was chosen, where it is a tree and that is cheaper.
    pub fn with_structure(mut self, choice: &Choice) -> Simulation {
        if choice.model.constraints.is_empty() {
            let powers = choice.equations.energy.powers.iter().map(|(_, e)| *e).collect();
            self.structure = Some(Arc::new(Mutex::new(Structure { model: choice.model.clone(), powers })));
        }
        self
    }

    /// How the Jacobian of the projected equations was found; nothing if no motion so far has asked for it.
    pub fn jacobian_way(&self) -> Option<JacobianWay> {
        if let Some(Some(frozen)) = self.switching.get() {
            return frozen.jacobian_way();
        }
        let made = self.jacobian.get()?;
        Some(made.as_ref().map_or(JacobianWay::Differences, |exact| exact.way))
    }

    /// Runs the program by another engine that computes the same; those of the Jacobian, of closing loops, of events and of equations
    /// that switch with the state stay. An engine of other lengths changes nothing.
    pub fn with_engine(mut self, engine: Engine) -> Simulation {
        let lengths = |e: &Engine| (e.n_inputs(), e.n_outputs());
        if lengths(&engine) == lengths(&self.engine) {
            self.engine = engine;
        }
        self
    }

    /// Closes the loops that were found when the formalism was chosen.
    pub fn with_loops(mut self, found: Option<&ChosenLoops>) -> Result<Simulation, Unbound> {
        self.silent = Silent::of(found, &self.host)?;
        self.closing = match found {
            None => None,
            Some(found) => Closing::new(found, self.plan.n_speeds, self.kind, &self.host)?,
        };
        Ok(self)
    }

    /// Allows `constraints = partitioned` and `baumgarte`; nothing for a tree.
    pub fn with_partition(mut self, program: Option<PartitionProgram>) -> Result<Simulation, Unbound> {
        self.partition = program.map(|p| CompiledPartition::new(p, self.kind, &self.host)).transpose()?;
        Ok(self)
    }

    /// Allows `constraints = closed`, and lets `auto` choose it: the programs, and the names of the constraints that dyads close.
    pub fn with_closed(mut self, program: ClosedProgram, dyads: Vec<String>) -> Result<Simulation, Unbound> {
        self.closed = Some(CompiledClosed::new(program, dyads, &self.plan, self.kind, &self.host)?);
        Ok(self)
    }

    /// What switches with the state.
    fn switching(&self) -> Option<&switching::Compiled> {
        let made = || switching::Compiled::new(&self.program, &self.plan, self.kind, &self.host);
        self.switching.get_or_init(made).as_ref()
    }

    /// The form of the constraints that a run takes.
    pub fn form(&self, wanted: ConstraintForm) -> ConstraintForm {
        match wanted {
            _ if self.closing.is_none() => ConstraintForm::Projected,
            ConstraintForm::Auto
                if self.closed.is_some() && self.events.is_none() && self.switching().is_none() =>
            {
                ConstraintForm::Closed
            }
            ConstraintForm::Auto => ConstraintForm::Projected,
            form => form,
        }
    }

    /// Allows `constraints = stabilised`; nothing for a tree.
    pub fn with_stabilised(mut self, program: Option<StabilisedProgram>) -> Result<Simulation, Unbound> {
        self.stabilised =
            program.map(|p| CompiledStabilised::new(p, &self.plan, self.kind, &self.host)).transpose()?;
        Ok(self)
    }

    /// Lets the events happen that were found with the formalism.
    pub fn with_events(mut self, found: Option<&EventProgram>) -> Result<Simulation, Unbound> {
        self.events = match found {
            None => None,
            Some(found) => Some((found.clone(), Engine::with_host(&found.program, self.kind, &self.host)?)),
        };
        self.plan.jumps = found.is_some_and(|f| f.does_work);
        Ok(self)
    }

    /// The program.
    pub fn program(&self) -> &Program {
        &self.program
    }
    /// Where things are in the program's inputs and outputs.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }
    /// What happens at instants; nothing for a model without events and discrete states.
    pub fn events(&self) -> Option<&EventProgram> {
        self.events.as_ref().map(|(program, _)| program)
    }
    /// What runs it.
    pub fn engine(&self) -> &Engine {
        &self.engine
    }
    /// Gives an independent parameter a value in SI units; dependent ones follow.
    pub fn set(&mut self, name: &str, value: f64) -> Result<(), crate::SetError> {
        let slot = self.plan.parameters.iter().position(|p| p.label.name == name);
        let Some(slot) = slot else {
            let names = self.plan.parameters.iter().map(|p| p.label.name.as_str());
            let close = nearest(name, names).map(str::to_string);
            return Err(crate::SetError::Unknown { name: name.to_string(), nearest: close });
        };
        if !value.is_finite() {
            return Err(crate::SetError::NotFinite { name: name.to_string() });
        }
        self.values[slot] = Some(value);
        Ok(())
    }

    /// The same by place in the plan, for ensembles.
    pub(crate) fn set_slot(&mut self, slot: usize, value: f64) {
        self.values[slot] = Some(value);
    }
    /// The values of the plan's parameters.
    pub(crate) fn values(&self) -> &[Option<f64>] {
        &self.values
    }
    /// Whether there are loops to close, with these values or with others.
    pub(crate) fn has_loops(&self) -> bool {
        self.closing.is_some() || self.silent.is_some()
    }
    /// Whether anything in the motion switches, by the state or by time alone.
    pub(crate) fn has_switches(&self) -> bool {
        switching::switches_at_all(&self.program, &self.plan)
    }
    /// Whether machine code was asked for.
    pub(crate) fn is_native(&self) -> bool {
        self.kind == EngineKind::Native
    }

    /// The inputs with the parameters set. A parameter without a value is missing only if something depends on it: a
    /// sliding block needs no moments of inertia.
    fn inputs(&self) -> Result<Vec<f64>, StartError> {
        let mut inputs = vec![0.0; self.program.inputs().len()];
        let mut missing = Vec::new();
        let read = self.program.inputs_read();
        for (slot, value) in self.plan.parameters.iter().zip(&self.values) {
            match value {
                Some(value) if value.is_finite() => inputs[slot.input] = *value,
                Some(_) => {
                    return Err(StartError::NotFinite {
                        what: format!("the parameter `{}`", slot.label.name),
                    });
                }
                None if read[slot.input] => missing.push(slot.label.name.clone()),
                None => inputs[slot.input] = f64::NAN,
            }
        }
        if missing.is_empty() { Ok(inputs) } else { Err(StartError::Missing(missing)) }
    }

    /// The time derivative of a state (coordinates, speeds, auxiliary states), by a form of the constraints that was compiled;
    /// discrete states have their start.
    pub fn derivative(&self, form: ConstraintForm, t: f64, state: &[f64]) -> Result<Vec<f64>, StartError> {
        let failed = |failure: Failure| StartError::Evaluation(failure.message);
        let mut inputs = self.inputs()?;
        if let Some((program, engine)) = &self.events {
            let started = Logic::new(program, engine, inputs.clone(), t).map_err(failed)?;
            inputs[program.inputs.discretes.clone()].copy_from_slice(started.discretes());
        }
        let mut mechanism =
            Mechanism::new(&self.plan, &self.engine, inputs.clone(), Jacobian::Absent).map_err(failed)?;
        let mut y = state.to_vec();
        y.resize(mechanism.dim(), 0.0);
        let mut dy = vec![0.0; y.len()];
        match (form, &self.partition) {
            (ConstraintForm::Partitioned, Some(compiled)) => {
                let mut system = Partitioned::new(compiled, &mut mechanism, &inputs, None).map_err(failed)?;
                system.derivative(t, &y, &mut dy).map_err(failed)?;
            }
            _ => mechanism.derivative(t, &y, &mut dy).map_err(failed)?,
        }
        dy.truncate(self.plan.states.len());
        Ok(dy)
    }

    /// Whether a motion can begin at this time.
    pub fn begins(&self, from: f64) -> Result<(), StartError> {
        let inputs = self.inputs()?;
        let failed = |failure: Failure| StartError::Evaluation(failure.message);
        let mut mechanism =
            Mechanism::new(&self.plan, &self.engine, inputs.clone(), Jacobian::Absent).map_err(failed)?;
        self.close_by(&mut mechanism, &inputs)?;
        self.start(&mut mechanism, &inputs, from, &mut vec![]).map(|_| ())
    }

    /// What tells of singular positions; nothing for a tree.
    fn near(&self, inputs: &[f64], from: f64, y: &[f64]) -> Result<Option<Regularity<'_>>, StartError> {
        let Some(closing) = &self.closing else { return Ok(None) };
        let failed = |failure: Failure| StartError::Evaluation(failure.message);
        let Closing { loops, assembly, rank, dropped, .. } = closing;
        let found = Regularity::new(loops, assembly, inputs, *rank, dropped);
        let mut found = found.map_err(failed)?;
        found.start(from, &y[..self.plan.states.len()]).map_err(failed)?;
        Ok(Some(found))
    }

    /// Lets a mechanism keep its loops closed.
    fn close_by<'r>(&'r self, mechanism: &mut Mechanism<'r>, inputs: &[f64]) -> Result<(), StartError> {
        let failed = |failure: Failure| StartError::Evaluation(failure.message);
        if let Some(closing) = &self.closing {
            let corrector =
                Corrector::new(&closing.correction, &closing.corrector, inputs).map_err(failed)?;
            let Closing { loops, assembly, rank, dropped, .. } = closing;
            let regularity = Regularity::new(loops, assembly, inputs, *rank, dropped).map_err(failed)?;
            mechanism.correct_by(corrector, regularity);
        }
        Ok(())
    }

    /// Moves the model. Whatever happens on the way, what was computed is in the trajectory.
    pub fn run<'r>(
        &'r self,
        settings: &Settings,
        observer: &'r mut dyn Observer,
    ) -> Result<Trajectory, StartError> {
        settings.check()?;
        let mut inputs = self.inputs()?;
        let failed = |failure: Failure| StartError::Evaluation(failure.message);
        let mut logic = None;
        if let Some((program, engine)) = &self.events {
            if settings.to < settings.from {
                return Err(StartError::Evaluation(
                    "a motion with events cannot run backward in time".into(),
                ));
            }
            let started = Logic::new(program, engine, inputs.clone(), settings.from).map_err(failed)?;
            let discretes = program.inputs.discretes.clone();
            inputs[discretes].copy_from_slice(started.discretes());
            logic = Some((started, Happenings::of(program)));
        }
        let make = || {
            let structure = self.structure.as_ref().map(|s| s.lock().unwrap_or_else(PoisonError::into_inner));
            exact_jacobian(&self.program, &self.plan, self.kind, &self.host, structure.as_deref())
        };
        let source = || self.jacobian.get_or_init(make).as_ref();
        let exact = Jacobian::Source(&source);
        let mut mechanism =
            Mechanism::new(&self.plan, &self.engine, inputs.clone(), exact).map_err(failed)?;
        let mut warnings = Vec::new();
        self.close_by(&mut mechanism, &inputs)?;
        let (mut y0, beginning) = self.start(&mut mechanism, &inputs, settings.from, &mut warnings)?;
        // Nothing tells what equal steps leave from what an impulse does.
        if settings.method != cardan_solve::Method::Rk4 {
            mechanism.struck = crate::impulse::struck(settings.rtol);
        }
        let form = self.form(settings.constraints);
        let shown = Shown::default();
        let times = (settings.from, settings.to - settings.from, settings.interval());
        let frozen =
            || self.switching().map(|compiled| Modes::new(compiled, &self.plan, &inputs, times)).transpose();
        if let Some(mut modes) = frozen().map_err(failed)? {
            modes.may_slide(shown.clone());
            mechanism.freeze(modes);
        }
        let absent = || {
            StartError::Settings(SettingsError {
                name: "constraints".into(),
                message: match form {
                    ConstraintForm::Closed => {
                        "the loops of this model do not close by one dyad after the other; \
                        `constraints = projected` follows all coordinates"
                            .into()
                    }
                    form => format!("the {} equations of this model were not compiled", form.name()),
                },
            })
        };
        if logic.is_some() && form != ConstraintForm::Projected {
            return Err(StartError::Settings(SettingsError {
                name: "constraints".into(),
                message: format!("a motion with events needs `constraints = projected`, not {}", form.name()),
            }));
        }
        if form == ConstraintForm::Closed && self.switching().is_some() {
            return Err(StartError::Settings(SettingsError {
                name: "constraints".into(),
                message: "a motion that switches with the state needs `constraints = projected`, not closed"
                    .into(),
            }));
        }
        let stabilised = match form {
            ConstraintForm::Stabilised => Some(self.stabilised.as_ref().ok_or_else(absent)?),
            _ => None,
        };
        let partition = match form {
            ConstraintForm::Partitioned | ConstraintForm::Baumgarte => {
                Some(self.partition.as_ref().ok_or_else(absent)?)
            }
            _ => None,
        };

        let closed = match form {
            ConstraintForm::Closed => Some(self.closed.as_ref().ok_or_else(absent)?),
            _ => None,
        };

        let known: cardan_base::Map<usize, f64> =
            self.plan.parameters.iter().map(|p| (p.input, inputs[p.input])).collect();
        let known = |i: InputId| known.get(&i.index()).copied();
        let mut found = breakpoints(&self.program, self.plan.time, &known, settings.from, settings.to);
        // A drive may change its rate at once where no acceleration shows it, also at the end of the motion.
        let mut corners = vec![];
        if let Some(closing) = &self.closing {
            let CorrectionProgram { program, inputs, .. } = &closing.correction;
            let beyond =
                settings.to + (settings.to - settings.from).signum() * nudge(settings.from, settings.to);
            let mut own = breakpoints(program, inputs.time, &known, settings.from, beyond);
            corners.clone_from(&own.times);
            own.times.retain(|t| (t - settings.from) * (t - settings.to) < 0.0);
            found.join(own);
        }
        if found.truncated {
            let limit = breakpoints::LIMIT;
            warnings.push(format!(
                "the model switches more than {limit} times; the later switches are not met exactly"
            ));
        }

        let times = settings.sample_times();
        let stride = times.len().div_ceil(settings.max_frames.max(1));
        let mut second =
            Mechanism::new(&self.plan, &self.engine, inputs.clone(), Jacobian::Absent).map_err(failed)?;
        let is_fork = beginning.assembly.as_ref().is_some_and(|a| a.fork.is_some());
        if is_fork || !corners.is_empty() {
            self.close_by(&mut second, &inputs)?;
        }
        if is_fork {
            second.fork_at(settings.from, &y0);
        }
        if let Some(mut modes) = frozen().map_err(failed)? {
            modes.follow_shown(shown);
            second.freeze(modes);
        }
        let corners = Corners::new(corners, settings.from, settings.to);
        let mut recorder = Recorder::new(&self.plan, second, stride, mechanism.impulses.clone(), corners);
        if let Some((logic, _)) = &logic {
            recorder.jump(logic.discretes(), 0.0);
        }
        observer.begin(&recorder.columns);

        let n_unknowns = stabilised.map_or(0, CompiledStabilised::n_unknowns);
        let n_recorded = y0.len();
        y0.resize(n_recorded + n_unknowns, 0.0);
        let problem = Problem {
            t0: settings.from,
            t1: settings.to,
            y0,
            output: Output::Times(times),
            breakpoints: found.times.clone(),
        };
        // Where constraints part, multipliers and their powers leap; what is wrong is told by the constraints.
        let may_part = n_unknowns > 0 && self.closing.as_ref().is_some_and(|c| !c.dropped.is_empty());
        let energy = if may_part { f64::MAX.sqrt() } else { mechanism.stored(settings.from, &problem.y0) };
        let n_works = self.plan.powers.len();
        let mut options = settings.options(self.plan.states.len(), n_works, n_unknowns, energy);
        if is_fork {
            // Nearer to a fork accelerations have too few digits to choose a step by.
            let n = self.plan.n_coordinates;
            let speeds = problem.y0[n..n + self.plan.n_speeds].iter();
            let fastest = speeds.fold(0.0, |m: f64, u| m.max(u.abs()));
            let span = (settings.to - settings.from).abs();
            options.first_step = (fastest > 0.0).then(|| f64::min(OFF_FORK / fastest, 0.1 * span));
        }
        let watch = match &self.closing {
            Some(c) => {
                Watch::new(&c.loops, &c.assembly, &inputs, &c.dropped).map_err(StartError::Assembly)?
            }
            None => None,
        };
        let mut follower = Follower {
            watch,
            parting: None,
            locks: Locks::new(&self.plan.turns, settings.to - settings.from),
            lock: None,
            recorder,
            observer,
            trouble: None,
            from: settings.from,
            span: settings.to - settings.from,
            n_recorded,
        };
        let mut partitions = 0;
        let mut handovers = vec![];
        let followed = match (&mut logic, closed) {
            (None, Some(compiled)) => {
                let few = settings.options(compiled.n_states(), n_works, 0, energy);
                let mut near = self.near(&inputs, settings.from, &problem.y0)?;
                let sights = (&mut follower, near.as_mut());
                let followed =
                    handover::follow(compiled, &mut mechanism, &inputs, &problem, (&options, &few), sights);
                let outcome;
                (outcome, handovers) = followed.map_err(failed)?;
                Followed { outcome, happenings: Happenings::default(), reason: None }
            }
            (None, None) => {
                let mut see = |sample: Sample<'_>| follower.see(sample);
                let outcome = match (stabilised, partition) {
                    (Some(compiled), _) => {
                        let mut system =
                            Stabilised::new(compiled, &mut mechanism, &inputs).map_err(failed)?;
                        system.find_partners(settings.from, &problem.y0).map_err(failed)?;
                        let mut near = self.near(&inputs, settings.from, &problem.y0)?;
                        match &mut near {
                            Some(near) => stabilised::follow(&mut system, near, &problem, &options, &mut see),
                            None => integrate(&mut system, &problem, &options, &mut see),
                        }
                    }
                    (None, Some(compiled)) => {
                        let pull = (form == ConstraintForm::Baumgarte).then_some(settings.baumgarte);
                        let mut system =
                            Partitioned::new(compiled, &mut mechanism, &inputs, pull).map_err(failed)?;
                        let outcome = integrate(&mut system, &problem, &options, &mut see);
                        partitions = system.switches;
                        outcome
                    }
                    (None, None) => integrate(&mut mechanism, &problem, &options, &mut see),
                };
                Followed { outcome, happenings: Happenings::default(), reason: None }
            }
            (Some((logic, happenings)), _) => {
                let happenings = std::mem::take(happenings);
                let (program, time) = (&self.program, self.plan.time);
                let place =
                    |i: InputId| self.plan.discretes.iter().position(|(_, input)| *input == i.index());
                let held = Held::of(program, time, &known, &|i| place(i).map(|_| 0.0));
                let switching = |discretes: &[f64], t: f64| {
                    let now = |i: InputId| known(i).or_else(|| place(i).map(|k| discretes[k]));
                    held.coming(program, time, &now, (t, settings.to))
                };
                drive(&mut mechanism, logic, &mut follower, &problem, &options, happenings, &switching)
            }
        };
        let Followed { outcome, happenings, reason } = followed;
        let Follower { mut recorder, observer, trouble, parting, locks, lock, .. } = follower;
        let is_stuck = lock.is_some() || ending(&outcome.stop) == Ending::Failed;
        let locked = || locks.blamed(outcome.t_reached, &outcome.y_reached);
        let lock = lock.or_else(|| if is_stuck { locked() } else { None });
        let blamed = if is_stuck { mechanism.blamed(outcome.t_reached, &outcome.y_reached) } else { None };
        // The last state is worth keeping wherever the motion ended.
        let last = recorder.last_time();
        if last != Some(outcome.t_reached)
            && outcome.y_reached.iter().all(|y| y.is_finite())
            && let Ok(row) = recorder.record(outcome.t_reached, &outcome.y_reached[..n_recorded], true)
        {
            observer.row(row);
        }
        if let Some((t, failure)) = trouble {
            warnings.push(format!("outputs could not be computed from t = {t} s on: {failure}"));
        }
        if let Some(t) = outcome.stiff_at.filter(|_| outcome.switches.is_empty()) {
            let advice = "`method = radau5` or `auto` will be faster";
            warnings.push(format!("the motion is stiff from t = {t:.6} s on; {advice}"));
        }
        warnings.extend(outcome.coarser.map(|c| self.coarser(&c)));
        let crossings = mechanism.crossings(outcome.t_reached);
        for (verdict, t) in &crossings.given_up {
            warnings.push(format!(
                "{verdict}; from t = {} s on these switches are not located, and small steps alone follow them",
                tidy(*t)
            ));
        }
        for (column, since) in recorder.columns.iter().zip(&recorder.not_finite) {
            if let Some(t) = since {
                warnings.push(format!("`{}` is not finite, first at t = {} s", column.name, tidy(*t)));
            }
        }
        warnings.extend(smallness::warning(&self.plan, &recorder.rows));
        if matches!(recorder.audit.verdict(), Verdict::Doubtful | Verdict::Fails) {
            warnings.push(recorder.audit.to_string());
        }
        Ok(Trajectory {
            ending: if parting.is_some() || is_stuck { Ending::Failed } else { ending(&outcome.stop) },
            reason: match (&parting, lock) {
                (Some(parting), _) => parting.to_string(),
                (None, Some(lock)) => lock.to_string(),
                (None, None) => reason.unwrap_or_else(|| match blamed {
                    Some(near) => near.in_the_way(),
                    None => self.reason(&outcome.stop),
                }),
            },
            parting,
            happenings,
            columns: recorder.columns,
            rows: recorder.rows,
            beginning,
            frames: recorder.frames,
            audit: recorder.audit,
            reached: outcome.t_reached,
            statistics: outcome.stats,
            switches: outcome.switches,
            passages: mechanism.passages(),
            partitions,
            handovers,
            breakpoints: found.times,
            crossings: crossings.located,
            slides: crossings.slides,
            norm_drift: mechanism.norm_drift,
            left_open: mechanism.left_open(),
            warnings,
        })
    }

    /// What a component of the integrator's state is.
    fn component(&self, k: usize) -> String {
        match self.plan.states.get(k) {
            Some(state) => format!("`{}`", state.label.name),
            None => match self.plan.powers.get(k - self.plan.states.len()) {
                Some((load, _)) => format!("the work of `{load}`"),
                None => "an acceleration or multiplier".to_string(),
            },
        }
    }

    /// That a tolerance cannot be kept.
    fn coarser(&self, found: &Coarser) -> String {
        format!(
            "the tolerances ask for an error of {:.1e} in {} at t = {} s, less than numbers can tell there, because the constraints tie it to larger ones; \
             its steps are judged by {:.1e} where rounding is above the tolerance",
            found.asked,
            self.component(found.component),
            tidy(found.t),
            found.kept
        )
    }

    /// Why the integration ended, with the names of states.
    fn reason(&self, stop: &StopReason) -> String {
        let name = |k: usize| self.component(k);
        match stop {
            StopReason::StepTooSmall { t, h, component } => {
                let where_ =
                    component.map_or(String::new(), |k| format!("; {} is the hardest to follow", name(k)));
                format!("the step size fell to {h:.1e} s at t = {} s{where_}", tidy(*t))
            }
            StopReason::NonFinite { t, component } => {
                format!("the time derivative of {} is not finite near t = {} s", name(*component), tidy(*t))
            }
            other => other.to_string(),
        }
    }
}

/// How far the first step goes from a start in a singular position, in radians or metres.
const OFF_FORK: f64 = 1e-2;

fn ending(stop: &StopReason) -> Ending {
    match stop {
        StopReason::ReachedEnd | StopReason::Event { .. } => Ending::Finished,
        StopReason::StoppedByObserver => Ending::Interrupted,
        _ => Ending::Failed,
    }
}
