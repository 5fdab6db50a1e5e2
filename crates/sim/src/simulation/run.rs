//! The run: from the start of a motion through its equations, in the form that is asked for, to its end.

use std::sync::PoisonError;

use cardan_base::{Id, Map};
use cardan_lower::CorrectionProgram;
use cardan_program::InputId;
use cardan_solve::{Method, Options, Outcome, Output, Problem, Sample, integrate};

use super::end::Ended;
use super::{Closing, CompiledClosed, CompiledPartition, CompiledStabilised, Simulation, StartError};
use crate::breakpoints::{self, Breakpoints, Held, breakpoints};
use crate::constraints::dead_point_switching;
use crate::constraints::dead_point_switching::Handover;
use crate::constraints::ggl;
use crate::constraints::ggl::Stabilised;
use crate::constraints::partitioning::Partitioned;
use crate::events::event_loop::Integrate;
use crate::events::impulse::struck;
use crate::events::{Followed, Happenings, HybridSystem, Logic, drive};
use crate::monitors::redundancy_loss::Watch;
use crate::monitors::singularity::Regularity;
use crate::nonsmooth::{Modes, Shown};
use crate::record::one_sided_output::{Corners, nudge};
use crate::record::recorder::{Observer, Recorder, columns};
use crate::record::step_observer::{Follower, StepObserver};
use crate::record::trajectory::{Beginning, Trajectory};
use crate::rhs::{Jacobian, Mechanism};
use crate::settings::{ConstraintForm, Settings, SettingsError};
use cardan_assembly::gimbal_lock::Locks;
use cardan_compile::jacobian::exact_jacobian;

/// How far the first step goes from a start in a singular position, in radians or metres.
const OFF_FORK: f64 = 1e-2;

/// The equations that a run integrates.
#[derive(Clone, Copy)]
enum Form<'r> {
    /// Those of all coordinates, projected after each step.
    Projected,
    /// Differential and algebraic ones.
    Stabilised(&'r CompiledStabilised),
    /// Those of independent coordinates, or of all with a pull towards the constraints.
    Partitioned { compiled: &'r CompiledPartition, pull: Option<f64> },
    /// Those of the coordinates from which dyads close the rest.
    Closed(&'r CompiledClosed),
}

/// What a motion is followed by, whatever its equations are.
pub(super) struct Course<'s> {
    pub settings: &'s Settings,
    pub inputs: &'s [f64],
    pub problem: Problem,
    pub options: Options,
    /// The energy that works are measured by.
    pub energy: f64,
}

/// What came of a motion without events.
struct Came {
    outcome: Outcome,
    partitions: usize,
    handovers: Vec<Handover>,
}

impl Came {
    fn by(outcome: Outcome) -> Came {
        Came { outcome, partitions: 0, handovers: vec![] }
    }
}

impl Simulation {
    /// Moves the model. Whatever happens on the way, what was computed is in the trajectory.
    pub fn run<'r>(
        &'r self,
        settings: &Settings,
        observer: &'r mut dyn Observer,
    ) -> Result<Trajectory, StartError> {
        settings.check()?;
        settings.check_size(columns(&self.plan).len())?;
        let mut inputs = self.inputs()?;
        let mut logic = self.logic(settings, &mut inputs)?;
        let make = || {
            let structure = self.structure.as_ref().map(|s| s.lock().unwrap_or_else(PoisonError::into_inner));
            exact_jacobian(&self.program, &self.plan, self.kind, &self.host, structure.as_deref())
        };
        let source = || self.jacobian.get_or_init(make).as_ref();
        let exact = Jacobian::from(&source, settings.method);
        let mut mechanism = Mechanism::new(&self.plan, &self.engine, inputs.clone(), exact)?;
        self.close_by(&mut mechanism, &inputs)?;
        let mut warnings = Vec::new();
        let (y0, mut beginning) = self.start(&mut mechanism, &inputs, settings.from, &mut warnings)?;
        // Nothing tells what equal steps leave from what an impulse does.
        if settings.method != Method::Rk4 {
            mechanism.struck = struck(settings.rtol);
        }
        let shown = Shown::default();
        if let Some(mut modes) = self.modes(settings, &inputs)? {
            modes.may_slide(shown.clone());
            mechanism.freeze(modes);
        }
        let form = self.compiled(settings)?;

        let known: Map<usize, f64> =
            self.plan.parameters.iter().map(|p| (p.input, inputs[p.input])).collect();
        let known = |i: InputId| known.get(&i.index()).copied();
        let (found, corners) = self.switching_times(settings, &known);
        if found.truncated {
            let limit = breakpoints::LIMIT;
            warnings.push(format!(
                "the model switches more than {limit} times; the later switches are not met exactly"
            ));
        }

        let times = settings.sample_times();
        let stride = times.len().div_ceil(settings.max_frames.max(1));
        let second = self.second(settings, &inputs, (&y0, &mut beginning), shown, &corners)?;
        let mut recorder = Recorder::new(&self.plan, second, stride, mechanism.impulses.clone(), corners);
        if let Some((logic, _)) = &logic {
            recorder.jump(logic.discretes(), 0.0);
        }
        observer.begin(&recorder.columns);
        let span = settings.to - settings.from;
        let mut follower = Follower {
            watch: None,
            parting: None,
            locks: Locks::new(&self.plan.turns, span),
            lock: None,
            recorder,
            observer,
            trouble: None,
            from: settings.from,
            span,
            n_recorded: y0.len(),
        };
        let problem = Problem {
            t0: settings.from,
            t1: settings.to,
            y0,
            output: Output::Times(times),
            breakpoints: found.times.clone(),
        };
        let course = self.course(settings, &inputs, form, &mut mechanism, problem, &beginning);
        if let Some(c) = &self.closing {
            let watch = Watch::new(&c.loops, &c.assembly, &inputs, &c.dropped);
            follower.watch = watch.map_err(StartError::Assembly)?;
        }
        let (followed, partitions, handovers) = match &mut logic {
            Some((logic, happenings)) => {
                let happenings = std::mem::take(happenings);
                let followed =
                    self.follow_events(&course, &mut mechanism, &mut follower, (logic, happenings), &known);
                (followed, 0, vec![])
            }
            None => {
                let came = self.follow(form, &course, &mut mechanism, &mut follower)?;
                let happenings = Happenings::default();
                let followed = Followed { outcome: came.outcome, happenings, reason: None };
                (followed, came.partitions, came.handovers)
            }
        };
        let breakpoints = found.times;
        let mechanism = &mut mechanism;
        let ended = Ended {
            mechanism,
            follower,
            followed,
            partitions,
            handovers,
            beginning,
            breakpoints,
            warnings,
            settings,
        };
        Ok(self.trajectory(ended))
    }

    /// The events at the start; discrete states get their values among the inputs.
    pub(super) fn logic<'r>(
        &'r self,
        settings: &Settings,
        inputs: &mut [f64],
    ) -> Result<Option<(Logic<'r>, Happenings)>, StartError> {
        let Some((program, engine)) = &self.events else { return Ok(None) };
        if settings.to < settings.from {
            let message = "a motion with events cannot run backward in time";
            return Err(StartError::Evaluation(message.into()));
        }
        let started = Logic::new(program, engine, inputs.to_vec(), settings.from)?;
        inputs[program.inputs.discretes.clone()].copy_from_slice(started.discretes());
        Ok(Some((started, Happenings::of(program))))
    }

    /// The sides of what switches with the state, once for each mechanism that needs them.
    pub(super) fn modes<'r>(
        &'r self,
        settings: &Settings,
        inputs: &[f64],
    ) -> Result<Option<Modes<'r>>, StartError> {
        let Some(compiled) = self.switching_with(inputs) else { return Ok(None) };
        let times = (settings.from, settings.to - settings.from, settings.interval());
        Ok(Some(Modes::new(compiled, &self.plan, inputs, times)?))
    }

    /// The equations of the form of the constraints that is asked for, if this motion can have it.
    fn compiled(&self, settings: &Settings) -> Result<Form<'_>, StartError> {
        let form = self.form(settings.constraints);
        let wrong =
            |message: String| StartError::Settings(SettingsError { name: "constraints".into(), message });
        if self.events.is_some() && form != ConstraintForm::Projected {
            let name = form.name();
            return Err(wrong(format!("a motion with events needs `constraints = projected`, not {name}")));
        }
        if form == ConstraintForm::Closed && self.switching().is_some() {
            let message = "a motion that switches with the state needs `constraints = projected`, not closed";
            return Err(wrong(message.into()));
        }
        let absent = || wrong(format!("the {} equations of this model were not compiled", form.name()));
        let pulled = |pull: Option<f64>| {
            let compiled = self.partition.as_ref().ok_or_else(absent)?;
            Ok(Form::Partitioned { compiled, pull })
        };
        match form {
            ConstraintForm::Auto | ConstraintForm::Projected => Ok(Form::Projected),
            ConstraintForm::Stabilised => self.stabilised.as_ref().map(Form::Stabilised).ok_or_else(absent),
            ConstraintForm::Positions => Err(wrong(
                "positions alone are imposed in absolute coordinates: ask for `formalism = absolute`".into(),
            )),
            ConstraintForm::Partitioned => pulled(None),
            ConstraintForm::Baumgarte => pulled(Some(settings.baumgarte)),
            ConstraintForm::Closed => self.closed.as_ref().map(Form::Closed).ok_or_else(|| {
                wrong(
                    "the loops of this model do not close by one dyad after the other; \
                     `constraints = projected` follows all coordinates"
                        .into(),
                )
            }),
        }
    }

    /// The times at which functions of time switch, and those at which constraints may change their rate, also at the end of the motion.
    pub(super) fn switching_times(
        &self,
        settings: &Settings,
        known: &dyn Fn(InputId) -> Option<f64>,
    ) -> (Breakpoints, Corners) {
        let (from, to) = (settings.from, settings.to);
        let mut found = breakpoints(&self.program, self.plan.time, known, from, to);
        let mut corners = vec![];
        // A drive may change its rate at once where no acceleration shows it.
        if let Some(closing) = &self.closing {
            let CorrectionProgram { program, inputs, .. } = &closing.correction;
            let beyond = to + (to - from).signum() * nudge(from, to);
            let mut own = breakpoints(program, inputs.time, known, from, beyond);
            corners.clone_from(&own.times);
            own.times.retain(|t| (t - from) * (t - to) < 0.0);
            found.join(own);
        }
        (found, Corners::new(corners, from, to))
    }

    /// The same mechanism again, to compute results from states without disturbing the integration.
    fn second<'r>(
        &'r self,
        settings: &Settings,
        inputs: &[f64],
        (y0, beginning): (&[f64], &mut Beginning),
        shown: Shown,
        corners: &Corners,
    ) -> Result<Mechanism<'r>, StartError> {
        let mut second = Mechanism::new(&self.plan, &self.engine, inputs.to_vec(), Jacobian::Absent)?;
        if beginning.fork().is_some() || !corners.is_empty() {
            self.close_by(&mut second, inputs)?;
        }
        if beginning.fork().is_some() {
            second.fork_at(settings.from, y0);
        }
        if let Some(mut modes) = self.modes(settings, inputs)? {
            modes.follow_shown(shown);
            second.freeze(modes);
            // What friction holds does not accelerate.
            beginning.accelerations = second.accelerations(settings.from, y0)?;
        }
        Ok(second)
    }

    /// How an integrator solves the problem, which gets the unknowns that its equations have beside the state.
    fn course<'s>(
        &self,
        settings: &'s Settings,
        inputs: &'s [f64],
        form: Form<'_>,
        mechanism: &mut Mechanism<'_>,
        mut problem: Problem,
        beginning: &Beginning,
    ) -> Course<'s> {
        let n_unknowns = if let Form::Stabilised(compiled) = form { compiled.n_unknowns() } else { 0 };
        problem.y0.resize(problem.y0.len() + n_unknowns, 0.0);
        // Where constraints part, multipliers and their powers leap; what is wrong is told by the constraints.
        let may_part = n_unknowns > 0 && self.closing.as_ref().is_some_and(|c| !c.dropped.is_empty());
        let energy = if may_part { f64::MAX.sqrt() } else { mechanism.stored(settings.from, &problem.y0) };
        let plan = &self.plan;
        let mut options = settings.options(plan.states.len(), plan.powers.len(), n_unknowns, energy);
        options.operations = plan.motion.iter().map(|s| self.program.stage_values(s).len() as f64).sum();
        if beginning.fork().is_some() {
            // Nearer to a fork accelerations have too few digits to choose a step by.
            let speeds = problem.y0[plan.n_coordinates..][..plan.n_speeds].iter();
            let fastest = speeds.fold(0.0, |m: f64, u| m.max(u.abs()));
            let span = (settings.to - settings.from).abs();
            options.first_step = (fastest > 0.0).then(|| f64::min(OFF_FORK / fastest, 0.1 * span));
        }
        Course { settings, inputs, problem, options, energy }
    }

    /// Follows a motion without events.
    fn follow<'r>(
        &'r self,
        form: Form<'_>,
        course: &Course<'_>,
        mechanism: &mut Mechanism<'r>,
        follower: &mut Follower<'r>,
    ) -> Result<Came, StartError> {
        let Course { settings, inputs, problem, options, energy } = course;
        let mut see = |sample: Sample<'_>| follower.see(sample);
        match form {
            Form::Projected => Ok(Came::by(integrate(mechanism, problem, options, &mut see))),
            Form::Stabilised(compiled) => {
                let mut system = Stabilised::new(compiled, mechanism, inputs)?;
                system.find_partners(settings.from, &problem.y0)?;
                Ok(Came::by(match &mut self.near(inputs, settings.from, &problem.y0)? {
                    Some(near) => ggl::follow(&mut system, near, problem, options, &mut see),
                    None => integrate(&mut system, problem, options, &mut see),
                }))
            }
            Form::Partitioned { compiled, pull } => {
                let mut system = Partitioned::new(compiled, mechanism, inputs, pull)?;
                let outcome = integrate(&mut system, problem, options, &mut see);
                Ok(Came { partitions: system.switches, ..Came::by(outcome) })
            }
            Form::Closed(compiled) => {
                let few = settings.options(compiled.n_states(), self.plan.powers.len(), 0, *energy);
                let mut near = self.near(inputs, settings.from, &problem.y0)?;
                let sights = (follower, near.as_mut());
                let (outcome, handovers) = dead_point_switching::follow(
                    compiled,
                    mechanism,
                    inputs,
                    problem,
                    (options, &few),
                    sights,
                )?;
                Ok(Came { handovers, ..Came::by(outcome) })
            }
        }
    }

    /// Follows a motion from event to event.
    pub(super) fn follow_events<'r>(
        &self,
        course: &Course<'_>,
        mechanism: &mut Mechanism<'r>,
        follower: &mut dyn StepObserver,
        (logic, happenings): (&mut Logic<'r>, Happenings),
        known: &dyn Fn(InputId) -> Option<f64>,
    ) -> Followed {
        let Course { problem, options, .. } = course;
        let (program, time) = (&self.program, self.plan.time);
        let place = |i: InputId| self.plan.discretes.iter().position(|(_, input)| *input == i.index());
        let held = Held::of(program, time, known, &|i| place(i).map(|_| 0.0));
        let switching = |discretes: &[f64], t: f64| {
            let now = |i: InputId| known(i).or_else(|| place(i).map(|k| discretes[k]));
            held.coming(program, time, &now, (t, problem.t1))
        };
        let moved = (mechanism as &mut dyn HybridSystem, &mut integrate as &mut Integrate<'_>);
        drive(moved, logic, follower, (problem, options), happenings, &switching)
    }

    /// What tells of singular positions; nothing for a tree.
    fn near(&self, inputs: &[f64], from: f64, y: &[f64]) -> Result<Option<Regularity<'_>>, StartError> {
        let Some(closing) = &self.closing else { return Ok(None) };
        let Closing { loops, assembly, rank, dropped, .. } = closing;
        let mut found = Regularity::new(loops, assembly, inputs, *rank, dropped)?;
        found.start(from, &y[..self.plan.states.len()])?;
        Ok(Some(found))
    }
}
