//! A mechanism with closed loops as differential and algebraic equations.
//!
//! ```text
//! [unknowns]   y = (q, u, s, W, a, λ, μ)      the state of the projected mechanism, then what has no derivative
//! [index]      a, λ, μ have index 2
//! [told]       what switches with the state is frozen as in the projected mechanism, and told its sides
//! [corner]     what Newton's iteration leaves of the constraints, the projection removes: a residual at rounding level, as for the
//!              projected form
//! ```
//!
//! Near a singular position λ and μ grow beyond all bounds, and steps become shorter without end. There the projected mechanism
//! carries the motion on, by the same method, until it is far from it:
//!
//! ```text
//! [across]     margins below NEAR, or a failure with margins below FAR or singular values of G below AWAY σ_1
//! ```
//!
//! `cardan_equations::forms::ggl` derives the equations. The first part of y is the state of [`Mechanism`], so that results are
//! recorded alike.

use cardan_base::Id;
use cardan_lower::{Phase, ResidualProgram};
use cardan_program::derive::{self, jacobian_with};
use cardan_program::{Execute, Host, InputId, Math, OutputId, Unbound, passes};
use cardan_solve::{
    Absolute, Control, Failure, Kind, Matrix, Options, Outcome, Output, Problem, Role, Sample, StopReason,
    System, integrate,
};

use crate::events::add;
use crate::monitors::singularity::Regularity;
use crate::nonsmooth::{Telling, Told};
use crate::rhs::{Mechanism, watched_by_mechanism};
use cardan_compile::layout::Plan;
use cardan_jit::{Engine, EngineKind};
use cardan_lower::stages;

/// The compiled equations and their exact Jacobian, which every run needs.
#[derive(Clone, Debug)]
pub(crate) struct Compiled {
    program: ResidualProgram,
    engine: Engine,
    jacobian: Option<CompiledJacobian>,
    telling: Option<Telling>,
}

#[derive(Clone, Debug)]
struct CompiledJacobian {
    engine: Engine,
    /// (row, column) of each entry: rows are equations; columns are states, then unknowns.
    pattern: Vec<(usize, usize)>,
    first: usize,
}

impl Compiled {
    pub fn new(
        mut program: ResidualProgram,
        plan: &Plan,
        kind: EngineKind,
        host: &Host,
    ) -> Result<Self, Unbound> {
        let motion = stages(&program.program, Phase::Time, Phase::Motion);
        let parts = (program.equations.clone(), program.unknowns.clone(), motion);
        let telling = Telling::freeze(&mut program.program, plan, parts, (kind, host)); // [told]
        let engine = Engine::with_host(&program.program, kind, host)?;
        let rows: Vec<OutputId> = program.equations.clone().map(OutputId::from_index).collect();
        let columns = program.inputs.state().chain(program.unknowns.clone());
        let columns: Vec<InputId> = columns.map(InputId::from_index).collect();
        let options = derive::Options { math: Math::Finite, ..derive::Options::default() };
        // A function of the host may have no derivative; then differences do.
        let jacobian = jacobian_with(&program.program, &rows, &columns, options).ok().and_then(|found| {
            let options = passes::Options { math: Math::Finite, fuse: false };
            let engine = Engine::with_host(&passes::optimize(&found.program, options), kind, host).ok()?;
            Some(CompiledJacobian { engine, pattern: found.pattern, first: found.first.index() })
        });
        Ok(Compiled { program, engine, jacobian, telling })
    }

    /// How many unknowns have no derivative.
    pub fn n_unknowns(&self) -> usize {
        self.program.unknowns.len()
    }
}

/// The equations in motion, around the projected mechanism that keeps their state on the constraints.
pub(crate) struct Stabilised<'m, 'a> {
    mechanism: &'m mut Mechanism<'a>,
    compiled: Compiled,
    inputs: Vec<f64>,
    outputs: Vec<f64>,
    jacobian_outputs: Vec<f64>,
    /// The switches, where there are any.
    told: Option<Told>,
    /// States and works: what comes before the unknowns.
    n_before: usize,
    n_states: usize,
}

impl<'m, 'a> Stabilised<'m, 'a> {
    /// With the parameters among `inputs` of the simulation program; runs the setup.
    pub fn new(
        compiled: &Compiled,
        mechanism: &'m mut Mechanism<'a>,
        parameters: &[f64],
    ) -> Result<Self, Failure> {
        let mut compiled = compiled.clone();
        let program = &compiled.program;
        let mut inputs = vec![0.0; compiled.engine.n_inputs()];
        for (input, value) in inputs[..program.unknowns.start].iter_mut().zip(parameters) {
            *input = *value;
        }
        let setup = stages(&program.program, Phase::Setup, Phase::Setup);
        let mut outputs = vec![0.0; compiled.engine.n_outputs()];
        let failed = |e: cardan_program::EvalError| Failure::fatal(e.to_string());
        compiled.engine.run(setup, &inputs, &mut outputs).map_err(failed)?;
        let mut jacobian_outputs = vec![];
        if let Some(jacobian) = &mut compiled.jacobian {
            jacobian_outputs.resize(jacobian.engine.n_outputs(), 0.0);
            jacobian.engine.run(setup, &inputs, &mut jacobian_outputs).map_err(failed)?;
        }
        let told = compiled.telling.as_ref().map(|t| Told::new(t, setup, &inputs)).transpose()?;
        let (n_before, n_states) = (mechanism.dim(), compiled.program.inputs.state().len());
        mechanism.drifts = true;
        Ok(Stabilised { mechanism, compiled, inputs, outputs, jacobian_outputs, told, n_before, n_states })
    }

    /// Finds out which switches of the mechanism are which here, in states around the start of a motion. [told]
    pub fn find_partners(&mut self, t: f64, y: &[f64]) -> Result<(), Failure> {
        let Some(mut told) = self.told.take() else { return Ok(()) };
        // Accelerations and multipliers must be those of the state, and tell nothing of sides themselves.
        let (n, unknowns) = (self.n_states, self.compiled.program.unknowns.clone());
        let mut inputs = self.inputs.clone();
        let Stabilised { mechanism, compiled, outputs, .. } = self;
        let report = stages(&compiled.program.program, Phase::Time, Phase::Report);
        let layout = &compiled.program.inputs;
        let mut place = |t: f64, y: &[f64], told: &mut Told| -> Result<Vec<f64>, Failure> {
            inputs[layout.time.index()] = t;
            inputs[layout.state()].copy_from_slice(&y[..n]);
            told.follow_all(&mut inputs)?;
            let run = compiled.engine.run(report, &inputs, outputs);
            run.map_err(|e| Failure::recoverable(e.to_string()))?;
            for (unknown, settled) in unknowns.clone().zip(compiled.program.settled.clone()) {
                inputs[unknown] = outputs[settled];
            }
            Ok(inputs.clone())
        };
        if let Some(modes) = mechanism.modes() {
            told.find_partners(modes, (t, &y[..n]), &mut place)?;
        }
        self.told = Some(told);
        Ok(())
    }

    /// Some outputs at a state, the last of them in a phase. [told]
    fn outputs_at(&mut self, t: f64, y: &[f64], last: Phase) -> Result<(), Failure> {
        self.place(t, y);
        let range = stages(&self.compiled.program.program, Phase::Time, last);
        let Stabilised { mechanism, compiled, inputs, outputs, told, .. } = self;
        let mut run = |inputs: &[f64], outputs: &mut Vec<f64>| {
            let run = compiled.engine.run(range, inputs, outputs);
            run.map_err(|e| Failure::recoverable(e.to_string()))
        };
        let Some(told) = told else { return run(inputs, outputs) };
        let mut tell = |sides: &[f64]| {
            told.tell(sides, inputs)?;
            run(inputs, outputs)?;
            Ok(outputs.clone())
        };
        let found = match mechanism.modes() {
            Some(modes) => modes.by_sides(t, y, &mut tell)?,
            None => tell(&[])?,
        };
        *outputs = found;
        Ok(())
    }

    fn place(&mut self, t: f64, y: &[f64]) {
        let program = &self.compiled.program;
        self.inputs[program.inputs.time.index()] = t;
        self.inputs[program.inputs.state()].copy_from_slice(&y[..self.n_states]);
        self.inputs[program.unknowns.clone()].copy_from_slice(&y[self.n_before..]);
    }
}

impl System for Stabilised<'_, '_> {
    fn dim(&self) -> usize {
        self.n_before + self.compiled.n_unknowns()
    }

    fn role(&self, component: usize) -> Role {
        let index = component.checked_sub(self.n_before).map(|k| self.compiled.program.indices[k]);
        index.map_or(Role::Differential, |index| Role::Algebraic { index }) // [index]
    }

    fn derivative(&mut self, t: f64, y: &[f64], dy: &mut [f64]) -> Result<(), Failure> {
        self.outputs_at(t, y, Phase::Motion)?;
        dy.copy_from_slice(&self.outputs[self.compiled.program.equations.clone()]);
        Ok(())
    }

    fn jacobian(&mut self, t: f64, y: &[f64], j: &mut Matrix) -> Result<bool, Failure> {
        // On a surface weights depend on the state, too: differences see that.
        if self.mechanism.is_sliding() {
            return Ok(false);
        }
        self.place(t, y);
        let Stabilised { mechanism, inputs, told, .. } = self;
        if let (Some(told), Some(modes)) = (told, mechanism.modes()) {
            modes.by_sides(t, y, &mut |sides| told.tell(sides, inputs).map(|()| vec![]))?;
        }
        let Compiled { program, jacobian: Some(exact), .. } = &mut self.compiled else { return Ok(false) };
        let motion = stages(&program.program, Phase::Time, Phase::Motion);
        let run = exact.engine.run(motion, &self.inputs, &mut self.jacobian_outputs);
        run.map_err(|e| Failure::recoverable(e.to_string()))?;
        let n_works = self.n_before - self.n_states;
        j.clear();
        for (k, (row, column)) in exact.pattern.iter().enumerate() {
            let column = if *column < self.n_states { *column } else { *column + n_works };
            j[(*row, column)] = self.jacobian_outputs[exact.first + k];
        }
        Ok(true)
    }

    fn settle(&mut self, t: f64, y: &mut [f64]) -> Result<(), Failure> {
        self.outputs_at(t, y, Phase::Report)?;
        let unknowns = &mut y[self.n_before..];
        unknowns.fill(0.0);
        for (unknown, settled) in unknowns.iter_mut().zip(self.compiled.program.settled.clone()) {
            *unknown = self.outputs[settled];
        }
        Ok(())
    }

    fn project(&mut self, t: f64, y: &mut [f64]) -> Result<bool, Failure> {
        self.mechanism.project(t, y) // [corner]
    }

    watched_by_mechanism!();
}

/// Where singular values of the constraints are less than this part of the largest, the projected mechanism does better.
const AWAY: f64 = 0.1;
/// At margins below this it takes over, …
const NEAR: f64 = 0.1;
/// … below this where no step can be taken, and goes on until they are larger.
const FAR: f64 = 0.3;

/// Follows the equations, and the projected mechanism where they fail near a singular position. [across]
pub(crate) fn follow(
    system: &mut Stabilised<'_, '_>,
    near: &mut Regularity<'_>,
    problem: &Problem,
    options: &Options,
    see: &mut dyn FnMut(Sample<'_>) -> Control,
) -> Outcome {
    let (n, n_states) = (system.n_before, system.n_states);
    let from = |t: f64, y0: Vec<f64>| Problem {
        t0: t,
        t1: problem.t1,
        y0,
        output: match &problem.output {
            Output::Times(times) => {
                Output::Times(times.iter().copied().filter(|x| (x - t) * (problem.t1 - t) > 0.0).collect())
            }
            Output::Steps => Output::Steps,
        },
        breakpoints: problem.breakpoints.clone(),
    };
    let atol = match &options.atol {
        Absolute::Each(list) => Absolute::Each(list[..n].to_vec()),
        same => same.clone(),
    };
    let projected = Options { atol, ..options.clone() };
    let mut total = Outcome::before(problem, options);
    let mut part = problem.clone();
    loop {
        let mut is_near = false;
        let next = integrate(system, &part, options, &mut |sample| {
            let place = step_of(&sample, n_states);
            let control = see(sample);
            is_near = place.is_some_and(|(t, y)| near.margin(t, &y).is_ok_and(|m| m.abs() < NEAR));
            near.mark();
            if is_near { Control::Stop } else { control }
        });
        add(&mut total, &next);
        (total.t_reached, total.y_reached, total.stop) = (next.t_reached, next.y_reached, next.stop);
        let ended = matches!(
            total.stop,
            StopReason::ReachedEnd | StopReason::StoppedByObserver | StopReason::TooManySteps { .. }
        );
        let (t, y) = (total.t_reached, &total.y_reached);
        let mut is_far = || {
            let margin = near.margin(t, &y[..n_states]).map_or(f64::INFINITY, f64::abs);
            margin > FAR && near.is_beyond(t, &y[..n_states], AWAY).unwrap_or(true)
        };
        if !is_near && (ended || is_far()) {
            return total;
        }
        let mut is_away = false;
        let across = integrate(system.mechanism, &from(t, y[..n].to_vec()), &projected, &mut |sample| {
            let place = step_of(&sample, n_states);
            let control = see(sample);
            is_away = place.is_some_and(|(t, y)| {
                let margin = near.margin(t, &y).map_or(0.0, f64::abs);
                near.mark();
                margin > FAR && near.is_beyond(t, &y, AWAY).unwrap_or(false)
            });
            if is_away { Control::Stop } else { control }
        });
        let mut y = across.y_reached.clone();
        y.resize(system.dim(), 0.0);
        let t = across.t_reached;
        add(&mut total, &across);
        (total.t_reached, total.y_reached, total.stop) = (t, y.clone(), across.stop);
        if !is_away || t == problem.t1 {
            if is_away {
                total.stop = StopReason::ReachedEnd;
            }
            return total;
        }
        part = from(t, y);
    }
}

/// Time and state at the end of a step.
fn step_of(sample: &Sample<'_>, n_states: usize) -> Option<(f64, Vec<f64>)> {
    matches!(sample.kind, Kind::Step { .. }).then(|| (sample.t, sample.y[..n_states].to_vec()))
}
