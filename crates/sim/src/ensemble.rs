//! Many motions of one model that differ in parameters: eight, four or two at a time in machine code where that is possible, one
//! by one elsewhere.
//!
//! Each motion is a [`Member`]: values for some parameters. What is kept of it are its samples in the columns of a
//! [`Simulation`], works and the energy audit excepted.
//!
//! Lanes serve models without loops and events whose equations have no switches: their motions need neither assembly nor
//! breakpoints, and nothing happens at instants.
//! Where the values of a member change which constraints say something, its equations are derived anew, as they are for a single motion.
//! A motion that a lane loses (it is stiff, or it ends in a singularity) is followed again alone, which finds the reason.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use cardan_base::Id;
use cardan_jit::{Batch, Vectors, lanes};
use cardan_program::{Execute, Host};
use cardan_solve::{Absolute, LaneMethod, LaneNews, LaneProblem, LaneSystem, Method, integrate_lanes};

use crate::record::recorder;
use crate::record::trajectory::{Column, ColumnKind};
use crate::rhs::normalise;
use crate::{Ending, Settings, Simulation, StartError, Trajectory};
use cardan_compile::Plan;
use cardan_jit::Engine;

/// One motion: values of parameters, one per name that the ensemble varies.
pub type Member = Vec<f64>;

/// What came of a member.
#[derive(Clone, PartialEq, Debug)]
pub struct Followed {
    /// How it ended.
    pub ending: Ending,
    /// The time reached.
    pub reached: f64,
    /// The samples, one after the other, each as long as the ensemble has columns.
    pub samples: Vec<f64>,
}

/// A model whose motions differ in some parameters.
#[derive(Clone, Debug)]
pub struct Ensemble {
    simulation: Simulation,
    /// The places of the varied parameters among the plan's.
    varied: Vec<usize>,
    columns: Vec<Column>,
    lanes: Option<Vectors>,
    anew: Option<PerMember<Simulation>>,
    /// Whether every member has a simulation of its own.
    each_anew: bool,
    /// Where they differ from motion to motion.
    settings: Option<PerMember<Settings>>,
}

/// Makes something from the values of a member.
type Make<T> = dyn FnMut(&[f64]) -> Option<T> + Send;

/// Something that each member has of its own.
struct PerMember<T>(Arc<Mutex<Make<T>>>);

impl<T> PerMember<T> {
    fn new(make: impl FnMut(&[f64]) -> Option<T> + Send + 'static) -> Self {
        PerMember(Arc::new(Mutex::new(make)))
    }

    fn of(&self, member: &Member) -> Option<T> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)(member)
    }
}

impl<T> Clone for PerMember<T> {
    fn clone(&self) -> Self {
        PerMember(Arc::clone(&self.0))
    }
}

impl<T> fmt::Debug for PerMember<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PerMember")
    }
}

impl Ensemble {
    /// An ensemble in which these parameters differ; nothing if one of them is not an independent parameter.
    pub fn new(simulation: Simulation, parameters: &[String]) -> Option<Ensemble> {
        let plan = simulation.plan();
        let place = |name: &String| plan.parameters.iter().position(|p| p.label.name == *name);
        let varied: Option<Vec<usize>> = parameters.iter().map(place).collect();
        let kept = |c: &Column| !matches!(c.kind, ColumnKind::Work | ColumnKind::Residual);
        let columns = recorder::columns(plan).into_iter().filter(kept).collect();
        Some(
            Ensemble {
                varied: varied?,
                columns,
                lanes: None,
                anew: None,
                each_anew: false,
                settings: None,
                simulation,
            }
            .in_lanes(lanes()),
        )
    }

    /// The ensemble with 8, 4 or 2 motions at a time instead of as many as the processor's instructions treat, if its model allows;
    /// any other number stands for one by one. Results are the same.
    pub fn in_lanes(mut self, lanes: usize) -> Ensemble {
        let switches = self.simulation.has_switches();
        let jumps = self.simulation.events().is_some();
        let simple = !self.simulation.has_loops() && !switches && !jumps && self.simulation.is_native();
        self.lanes = match simple {
            true => Vectors::new(self.simulation.program(), &Host::new(), lanes),
            false => None,
        };
        self
    }

    /// Members at whose values other constraints say something than at those of the simulation are derived by `derive`; without it they
    /// do not start.
    pub fn deriving(mut self, derive: impl FnMut(&[f64]) -> Option<Simulation> + Send + 'static) -> Ensemble {
        self.anew = Some(PerMember::new(derive));
        self
    }

    /// Every member has a simulation of its own, such as one that starts elsewhere; those that have none do not start. Motions are
    /// followed one by one then.
    pub fn deriving_each(
        self,
        derive: impl FnMut(&[f64]) -> Option<Simulation> + Send + 'static,
    ) -> Ensemble {
        Ensemble { each_anew: true, ..self.deriving(derive) }
    }

    /// Members have settings of their own: their intervals may depend on what varies. Where `settings` gives nothing, those of all apply.
    /// Motions are followed one by one then.
    pub fn with_settings(
        mut self,
        settings: impl FnMut(&[f64]) -> Option<Settings> + Send + 'static,
    ) -> Ensemble {
        self.settings = Some(PerMember::new(settings));
        self
    }

    /// What a sample holds, the time first.
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// How many motions are followed at a time with these settings.
    pub fn at_a_time(&self, settings: &Settings) -> usize {
        let alike = self.settings.is_none() && !self.each_anew;
        let possible = alike && settings.to > settings.from && settings.method != Method::Radau5;
        self.lanes.as_ref().filter(|_| possible).map_or(1, Vectors::lanes)
    }

    /// Follows members; `tell` hears of each that has ended, in no particular order, and answers whether to go on.
    pub fn follow(
        &self,
        members: &mut dyn Iterator<Item = (usize, Member)>,
        settings: &Settings,
        tell: &mut dyn FnMut(usize, Followed) -> bool,
    ) {
        match &self.lanes {
            Some(vectors) if self.at_a_time(settings) > 1 => match vectors {
                Vectors::Two(batch) => self.follow_in_lanes(batch, members, settings, tell),
                Vectors::Four(batch) => self.follow_in_lanes(batch, members, settings, tell),
                Vectors::Eight(batch) => self.follow_in_lanes(batch, members, settings, tell),
            },
            _ => {
                let mut simulation = self.simulation.clone();
                for (index, member) in members {
                    if !tell(index, self.follow_alone(&mut simulation, &member, settings)) {
                        return;
                    }
                }
            }
        }
    }

    /// Why the motion of a member does not reach the end; nothing if it does.
    pub fn why_lost(&self, member: &Member, settings: &Settings) -> Option<String> {
        match self.run(&mut self.simulation.clone(), member, settings) {
            Err(error) => Some(error.to_string()),
            Ok(trajectory) => (!trajectory.ending.is_complete()).then_some(trajectory.reason),
        }
    }

    /// One motion by itself.
    fn follow_alone(&self, simulation: &mut Simulation, member: &Member, settings: &Settings) -> Followed {
        let lost = Followed { ending: Ending::Failed, reached: settings.from, samples: vec![] };
        let Ok(trajectory) = self.run(simulation, member, settings) else { return lost };
        // Other constraints may have other columns.
        let place = |wanted: &Column| trajectory.columns.iter().position(|c| c.name == wanted.name);
        let places: Vec<Option<usize>> = self.columns.iter().map(place).collect();
        let mut samples = Vec::with_capacity(places.len() * trajectory.rows.len());
        for row in trajectory.rows.iter() {
            samples.extend(places.iter().map(|place| place.map_or(f64::NAN, |k| row[k])));
        }
        Followed { ending: trajectory.ending, reached: trajectory.reached, samples }
    }

    fn run(
        &self,
        simulation: &mut Simulation,
        member: &Member,
        settings: &Settings,
    ) -> Result<Trajectory, StartError> {
        for (slot, value) in self.varied.iter().zip(member) {
            simulation.set_slot(*slot, *value);
        }
        let own = self.settings.as_ref().and_then(|of| of.of(member));
        let settings = own.as_ref().unwrap_or(settings);
        if let Some(anew) = self.anew.as_ref().filter(|_| self.each_anew) {
            let none = || StartError::Evaluation("no start was found for these values".into());
            return anew.of(member).ok_or_else(none)?.run(settings, &mut ());
        }
        let refused = match simulation.run(settings, &mut ()) {
            Ok(trajectory) => return Ok(trajectory),
            Err(refused) => refused,
        };
        let Some(anew) = self.anew.as_ref().filter(|_| simulation.says_otherwise(settings.from)) else {
            return Err(refused);
        };
        anew.of(member).map_or(Err(refused), |own| own.run(settings, &mut ()))
    }

    fn follow_in_lanes<const LANES: usize>(
        &self,
        batch: &Batch<LANES>,
        members: &mut dyn Iterator<Item = (usize, Member)>,
        settings: &Settings,
        tell: &mut dyn FnMut(usize, Followed) -> bool,
    ) {
        let plan = self.simulation.plan();
        let method = match settings.method {
            Method::Rk4 => LaneMethod::Fixed { step: settings.fixed_step() },
            _ => LaneMethod::Adaptive { rtol: settings.rtol, atol: Absolute::Uniform(settings.atol) },
        };
        let times = settings.sample_times().split_off(1);
        let problem = LaneProblem {
            from: settings.from,
            times,
            method,
            max_step: settings.max_step.unwrap_or(f64::INFINITY),
            max_steps: settings.max_steps,
        };
        let members = std::cell::RefCell::new(members);
        // Members in flight, by index: their values and samples so far.
        let flying = std::cell::RefCell::new(Vec::<(usize, Member, Vec<f64>)>::new());
        let mut next = || {
            let (index, member) = members.borrow_mut().next()?;
            flying.borrow_mut().push((index, member, vec![]));
            Some(index)
        };
        let single = std::cell::RefCell::new(Single::new(self, plan));
        let mut lanes = Lanes::new(self, plan, batch, &flying, &single);
        let length = self.columns.len() * (problem.times.len() + 1);
        let mut alone: Option<Simulation> = None;
        integrate_lanes(&mut lanes, &mut std::iter::from_fn(&mut next), &problem, &mut |index, news| {
            let mut all = flying.borrow_mut();
            let Some(place) = all.iter().position(|(k, ..)| *k == index) else { return true };
            match news {
                LaneNews::Sample { t, y } => {
                    let (_, member, samples) = &mut all[place];
                    samples.reserve(length.saturating_sub(samples.len()));
                    single.borrow_mut().report(index, member, t, y, samples);
                    true
                }
                LaneNews::Done { .. } => {
                    let (_, _, samples) = all.swap_remove(place);
                    tell(index, Followed { ending: Ending::Finished, reached: settings.to, samples })
                }
                LaneNews::Lost { .. } => {
                    let (_, member, _) = all.swap_remove(place);
                    let simulation = alone.get_or_insert_with(|| self.simulation.clone());
                    tell(index, self.follow_alone(simulation, &member, settings))
                }
            }
        });
    }
}

type Flying = std::cell::RefCell<Vec<(usize, Member, Vec<f64>)>>;

/// The program in lanes.
struct Lanes<'a, const LANES: usize> {
    ensemble: &'a Ensemble,
    plan: &'a Plan,
    batch: Batch<LANES>,
    inputs: Vec<[f64; LANES]>,
    outputs: Vec<[f64; LANES]>,
    flying: &'a Flying,
    single: &'a std::cell::RefCell<Single<'a>>,
    /// Where the states begin among the inputs and their derivatives among the outputs, if both stand side by side in the order of the states.
    block: Option<(usize, usize)>,
    /// Whether the setup has to be run for members that are new.
    stale: bool,
}

impl<'a, const LANES: usize> Lanes<'a, LANES> {
    fn new(
        ensemble: &'a Ensemble,
        plan: &'a Plan,
        batch: &Batch<LANES>,
        flying: &'a Flying,
        single: &'a std::cell::RefCell<Single<'a>>,
    ) -> Self {
        let inputs = single.borrow().inputs.iter().map(|x| [*x; LANES]).collect();
        let outputs = vec![[0.0; LANES]; batch.n_outputs()];
        let block = plan.states.first().map(|s| (s.input, s.derivative)).filter(|(input, derivative)| {
            let in_turn = |(k, s): (usize, &cardan_compile::layout::StateSlot)| {
                s.input == input + k && s.derivative == derivative + k
            };
            plan.states.iter().enumerate().all(in_turn)
        });
        Lanes { ensemble, plan, batch: batch.clone(), inputs, outputs, flying, single, block, stale: true }
    }
}

impl<const LANES: usize> LaneSystem<LANES> for Lanes<'_, LANES> {
    fn dim(&self) -> usize {
        self.plan.states.len()
    }

    fn begin(&mut self, lane: usize, member: usize, y: &mut [f64]) -> bool {
        let flying = self.flying.borrow();
        let Some((_, values, _)) = flying.iter().find(|(k, ..)| *k == member) else { return false };
        for (slot, value) in self.ensemble.varied.iter().zip(values) {
            self.inputs[self.plan.parameters[*slot].input][lane] = *value;
        }
        self.stale = true;
        let mut single = self.single.borrow_mut();
        if !single.turn_to(member, values) {
            return false;
        }
        for (y, state) in y.iter_mut().zip(&self.plan.states) {
            *y = single.outputs[state.start];
        }
        drop(single);
        self.project(y)
    }

    fn derivative(&mut self, t: &[f64; LANES], y: &[[f64; LANES]], dy: &mut [[f64; LANES]]) {
        if std::mem::take(&mut self.stale) {
            // Lanes without a member, or with one that could not start, compute what nobody reads.
            let _ = self.batch.run(self.plan.setup, &self.inputs, &mut self.outputs);
        }
        self.inputs[self.plan.time.index()] = *t;
        // Whole blocks are copied by the widest registers, whose contents the machine code can read while they are on the way to memory.
        match self.block {
            Some((input, _)) => self.inputs[input..][..y.len()].copy_from_slice(y),
            None => self.plan.states.iter().zip(y).for_each(|(slot, value)| self.inputs[slot.input] = *value),
        }
        // A singular system makes its lane's unknowns undefined, which fails that lane's step.
        let _ = self.batch.run(self.plan.motion, &self.inputs, &mut self.outputs);
        match self.block {
            Some((_, derivative)) => dy.copy_from_slice(&self.outputs[derivative..][..dy.len()]),
            None => {
                self.plan.states.iter().zip(dy).for_each(|(slot, dy)| *dy = self.outputs[slot.derivative]);
            }
        }
    }

    fn has_invariants(&self) -> bool {
        !self.plan.unit_quadruples.is_empty()
    }

    fn project(&mut self, y: &mut [f64]) -> bool {
        self.plan.unit_quadruples.iter().all(|quadruple| normalise(y, quadruple).is_ok())
    }
}

/// The program for one member at a time: where it starts, and states to samples.
struct Single<'a> {
    ensemble: &'a Ensemble,
    plan: &'a Plan,
    engine: Engine,
    inputs: Vec<f64>,
    outputs: Vec<f64>,
    /// The member that the setup was run for.
    current: Option<usize>,
}

impl<'a> Single<'a> {
    fn new(ensemble: &'a Ensemble, plan: &'a Plan) -> Self {
        let engine = ensemble.simulation.engine().clone();
        let (mut inputs, outputs) = (vec![0.0; engine.n_inputs()], vec![0.0; engine.n_outputs()]);
        for (slot, value) in plan.parameters.iter().zip(ensemble.simulation.values()) {
            inputs[slot.input] = value.unwrap_or(f64::NAN);
        }
        Single { ensemble, plan, engine, inputs, outputs, current: None }
    }

    /// Runs the setup for a member, unless it was the last; whether that went well.
    fn turn_to(&mut self, index: usize, member: &Member) -> bool {
        if self.current == Some(index) {
            return true;
        }
        for (slot, value) in self.ensemble.varied.iter().zip(member) {
            self.inputs[self.plan.parameters[*slot].input] = *value;
        }
        let done = self.engine.run(self.plan.setup, &self.inputs, &mut self.outputs).is_ok();
        self.current = done.then_some(index);
        done
    }

    fn report(&mut self, index: usize, member: &Member, t: f64, y: &[f64], samples: &mut Vec<f64>) {
        // A member that flies could start.
        let _ = self.turn_to(index, member);
        self.inputs[self.plan.time.index()] = t;
        for (slot, value) in self.plan.states.iter().zip(y) {
            self.inputs[slot.input] = *value;
        }
        let _ = self.engine.run(self.plan.report, &self.inputs, &mut self.outputs);
        samples.push(t);
        samples.extend_from_slice(y);
        let outputs = self.plan.outputs.iter().map(|(_, place)| *place);
        let energies = [self.plan.kinetic, self.plan.gravity];
        let potentials = self.plan.potentials.iter().map(|(_, place)| *place);
        samples.extend(outputs.chain(energies).chain(potentials).map(|place| self.outputs[place]));
    }
}
