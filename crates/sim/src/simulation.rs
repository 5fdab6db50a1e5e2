//! A compiled model that can be run again and again with other parameters.
//!
//! - `start`: the state that a motion begins with; `run`: the motion; `end`: what is left of it;
//! - `session`: a motion piece by piece; `session_file`: a session as bytes.

mod end;
mod exchange;
mod run;
mod session;
mod session_file;
mod start;

pub use crate::simulation::exchange::Settled;
pub use crate::simulation::session::{Session, SessionError};
pub use crate::simulation::start::StartError;

use std::sync::{Arc, Mutex, OnceLock};

use cardan_base::nearest;
use cardan_lower::{ClosedProgram, CorrectionProgram, EventProgram, ImplicitProgram, ResidualProgram};
use cardan_program::{Execute, Host, Program, Unbound};
use cardan_solve::System;

use crate::constraints::ggl::Compiled as CompiledStabilised;
use crate::constraints::inactive_constraints::Silent;
use crate::constraints::minimal_coordinates::Compiled as CompiledClosed;
use crate::constraints::partitioning::{Compiled as CompiledPartition, Partitioned};
use crate::constraints::projection::Corrector;
use crate::events::Logic;
use crate::monitors::singularity::Regularity;
use crate::nonsmooth;
use crate::rhs::{Jacobian, Mechanism};
use crate::settings::ConstraintForm;
use cardan_assembly::assemble::Loops;
use cardan_compile::formalism_selection::{Choice, ChosenLoops};
use cardan_compile::jacobian::{ExactJacobian, JacobianWay, Structure};
use cardan_compile::layout::Plan;
use cardan_jit::{Engine, EngineKind};

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
    switching: OnceLock<Option<nonsmooth::Compiled>>,
    smooth_roots: OnceLock<Option<nonsmooth::SmoothRoots>>,
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
    /// Compiles a simulation program whose external functions are looked up in `host`.
    fn with_host(program: Program, plan: Plan, kind: EngineKind, host: Host) -> Result<Simulation, Unbound> {
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
            smooth_roots: OnceLock::new(),
        })
    }

    /// Compiles what was chosen, with its constraints, its events and the structure of its Jacobian.
    pub fn of(choice: &Choice, kind: EngineKind, host: Host) -> Result<Simulation, Unbound> {
        let simulation = Simulation::constrained(choice, kind, host)?;
        Ok(simulation.with_events(choice.events.as_ref())?.with_structure(choice))
    }

    /// The program, and on a thread beside it the programs of its constraints.
    fn constrained(choice: &Choice, kind: EngineKind, host: Host) -> Result<Simulation, Unbound> {
        let plan = Plan::of(&choice.model, &choice.equations, &choice.lowered);
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

    /// Lets the Jacobian follow the structure of the model, where it is a tree and that is cheaper.
    fn with_structure(mut self, choice: &Choice) -> Simulation {
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

    /// Allows `constraints = partitioned` and `baumgarte`; nothing for a tree.
    pub fn with_partition(mut self, program: Option<ImplicitProgram>) -> Result<Simulation, Unbound> {
        self.partition = program.map(|p| CompiledPartition::new(p, self.kind, &self.host)).transpose()?;
        Ok(self)
    }

    /// Allows `constraints = closed`, and lets `auto` choose it: the programs, and the names of the constraints that dyads close.
    pub fn with_closed(mut self, program: ClosedProgram, dyads: Vec<String>) -> Result<Simulation, Unbound> {
        self.closed = Some(CompiledClosed::new(program, dyads, &self.plan, self.kind, &self.host)?);
        Ok(self)
    }

    /// What switches with the state.
    fn switching(&self) -> Option<&nonsmooth::Compiled> {
        let made = || nonsmooth::Compiled::new(&self.program, &self.plan, self.kind, &self.host);
        self.switching.get_or_init(made).as_ref()
    }

    /// What switches with the state, with these inputs of the program.
    fn switching_with(&self, inputs: &[f64]) -> Option<&nonsmooth::Compiled> {
        let roots = self.smooth_roots.get_or_init(|| nonsmooth::SmoothRoots::of(&self.program, &self.plan));
        let is_smooth = roots.as_ref().is_some_and(|roots| roots.hold(&self.plan, inputs));
        if is_smooth { None } else { self.switching() }
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
    pub fn with_stabilised(mut self, program: Option<ResidualProgram>) -> Result<Simulation, Unbound> {
        self.stabilised =
            program.map(|p| CompiledStabilised::new(p, &self.plan, self.kind, &self.host)).transpose()?;
        Ok(self)
    }

    /// Attaches the events of the model.
    fn with_events(mut self, found: Option<&EventProgram>) -> Result<Simulation, Unbound> {
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
    /// The external functions.
    pub fn host(&self) -> &Host {
        &self.host
    }
    /// Takes over the values of the parameters that both have.
    pub fn take_values(&mut self, other: &Simulation) {
        for (slot, value) in other.plan.parameters.iter().zip(&other.values) {
            let place = self.plan.parameters.iter().position(|p| p.label.name == slot.label.name);
            place.into_iter().for_each(|k| self.values[k] = *value);
        }
    }
    /// Gives an independent parameter a value in SI units; dependent ones follow.
    pub fn set(&mut self, name: &str, value: f64) -> Result<(), cardan_assembly::SetError> {
        let slot = self.plan.parameters.iter().position(|p| p.label.name == name);
        let Some(slot) = slot else {
            let names = self.plan.parameters.iter().map(|p| p.label.name.as_str());
            let close = nearest(name, names).map(str::to_string);
            return Err(cardan_assembly::SetError::Unknown { name: name.to_string(), nearest: close });
        };
        if !value.is_finite() {
            return Err(cardan_assembly::SetError::NotFinite { name: name.to_string() });
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
    pub fn has_loops(&self) -> bool {
        self.closing.is_some() || self.silent.is_some()
    }
    /// Whether anything in the motion switches, by the state or by time alone.
    pub(crate) fn has_switches(&self) -> bool {
        nonsmooth::switches_at_all(&self.program, &self.plan)
    }
    /// Whether the motion is that of ordinary differential equations: no loops, no events, nothing that switches.
    pub fn is_smooth_tree(&self) -> bool {
        !self.has_loops() && self.events.is_none() && !self.has_switches()
    }
    /// Whether machine code was asked for.
    pub(crate) fn is_native(&self) -> bool {
        self.kind == EngineKind::Native
    }

    /// The inputs with the parameters set. A parameter without a value is missing only if something depends on it: a
    /// sliding block needs no moments of inertia.
    fn inputs(&self) -> Result<Vec<f64>, StartError> {
        self.inputs_with(&self.values)
    }

    /// The inputs with these values for the parameters of the plan.
    fn inputs_with(&self, values: &[Option<f64>]) -> Result<Vec<f64>, StartError> {
        let mut inputs = vec![0.0; self.program.inputs().len()];
        let mut missing = Vec::new();
        let read = self.program.inputs_read();
        for (slot, value) in self.plan.parameters.iter().zip(values) {
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
        let mut inputs = self.inputs()?;
        if let Some((program, engine)) = &self.events {
            let started = Logic::new(program, engine, inputs.clone(), t)?;
            inputs[program.inputs.discretes.clone()].copy_from_slice(started.discretes());
        }
        let mut mechanism = Mechanism::new(&self.plan, &self.engine, inputs.clone(), Jacobian::Absent)?;
        let mut y = state.to_vec();
        y.resize(mechanism.dim(), 0.0);
        let mut dy = vec![0.0; y.len()];
        match (form, &self.partition) {
            (ConstraintForm::Partitioned, Some(compiled)) => {
                let mut system = Partitioned::new(compiled, &mut mechanism, &inputs, None)?;
                system.derivative(t, &y, &mut dy)?;
            }
            _ => mechanism.derivative(t, &y, &mut dy)?,
        }
        dy.truncate(self.plan.states.len());
        Ok(dy)
    }

    /// Whether a motion can begin at this time.
    pub fn begins(&self, from: f64) -> Result<(), StartError> {
        let inputs = self.inputs()?;
        let mut mechanism = Mechanism::new(&self.plan, &self.engine, inputs.clone(), Jacobian::Absent)?;
        self.close_by(&mut mechanism, &inputs)?;
        self.start(&mut mechanism, &inputs, from, &mut vec![]).map(|_| ())
    }

    /// Lets a mechanism keep its loops closed.
    fn close_by<'r>(&'r self, mechanism: &mut Mechanism<'r>, inputs: &[f64]) -> Result<(), StartError> {
        if let Some(closing) = &self.closing {
            let corrector = Corrector::new(&closing.correction, &closing.corrector, inputs)?;
            let Closing { loops, assembly, rank, dropped, .. } = closing;
            let regularity = Regularity::new(loops, assembly, inputs, *rank, dropped)?;
            mechanism.correct_by(corrector, regularity);
        }
        Ok(())
    }
}
