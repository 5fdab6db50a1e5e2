//! A mechanism whose dependent coordinates follow in closed form: a state of minimal size.
//!
//! ```text
//! [few]        y = (q_i, u_i, s, W)        independent coordinates and speeds, auxiliary states, works
//! [anchor]     a dependent angle is the one nearest to its value at the end of the step before: it goes on over turns
//! [margin]     the sine of the angle between the motions that the joints of a dyad give to its pin; zero at a dead point
//! [apart]      |δq| > APART + 3 h max|u|     no step moves a coordinate so far: it is on another branch
//! ```
//!
//! The branch of a dyad is that of the state from which a stretch in closed form begins, and does not change in it: a step with a
//! margin below `FLOOR` anywhere is repeated with a shorter one, and after a step that ends below [`LEAVE`] the motion goes on with all
//! coordinates. See `handover`.

use std::cell::RefCell;
use std::sync::OnceLock;

use cardan_base::Id;
use cardan_equations::minimal_form::margin;
use cardan_lower::{ClosedProgram, Phase};
use cardan_program::{Execute, Host, Program, Unbound};
use cardan_solve::{Failure, Matrix, System};

use crate::rhs::{Jacobian, Mechanism};
use cardan_compile::jacobian::{ExactJacobian, exact_jacobian};
use cardan_compile::layout::{Plan, StateSlot};
use cardan_jit::{Engine, EngineKind};
use cardan_lower::stages;

/// No evaluation with a smaller margin counts.
const FLOOR: f64 = 0.03;
/// Coordinates that go so much further than their speeds are on another branch, in radians or metres. [apart]
const APART: f64 = 0.1;
/// After a step that ends with a smaller margin, of a dyad or of the constraints, all coordinates are followed …
pub(crate) const LEAVE: f64 = 0.08;
/// … until all margins are larger than this.
pub(crate) const RETURN: f64 = 0.16;

/// The programs of the closed form, ready to run.
#[derive(Clone, Debug)]
pub(crate) struct Compiled {
    pub program: ClosedProgram,
    /// The names of the constraints that are closed by dyads.
    pub dyads: Vec<String>,
    plan: Plan,
    kind: EngineKind,
    host: Host,
    motion: Engine,
    settle: Engine,
    sides: Engine,
    jacobian: OnceLock<Option<ExactJacobian>>,
}

impl Compiled {
    /// `whole` is the plan of the simulation program.
    pub fn new(
        program: ClosedProgram,
        dyads: Vec<String>,
        whole: &Plan,
        kind: EngineKind,
        host: &Host,
    ) -> Result<Self, Unbound> {
        let engine = |p: &Program| Engine::with_host(p, kind, host);
        let states = program.independent.iter().enumerate();
        let states = states.map(|(k, state)| StateSlot {
            derivative: program.derivatives.start + k,
            ..whole.states[*state].clone()
        });
        let place = |k: &usize| program.independent.iter().position(|i| i == k).unwrap_or(0);
        let plan = Plan {
            setup: stages(&program.motion, Phase::Setup, Phase::Setup),
            motion: stages(&program.motion, Phase::Time, Phase::Motion),
            report: stages(&program.motion, Phase::Time, Phase::Report),
            states: states.collect(),
            unit_quadruples: whole.unit_quadruples.iter().map(|q| q.map(|k| place(&k))).collect(),
            powers: whole.powers.iter().map(|(name, _)| name.clone()).zip(program.powers.clone()).collect(),
            ..whole.clone()
        };
        Ok(Compiled {
            motion: engine(&program.motion)?,
            settle: engine(&program.settle)?,
            sides: engine(&program.sides)?,
            jacobian: OnceLock::new(),
            host: host.clone(),
            program,
            dyads,
            plan,
            kind,
        })
    }

    /// How many states are integrated, works excepted.
    pub fn n_states(&self) -> usize {
        self.program.independent.len()
    }

    /// Made when it is first asked for.
    pub fn exact_jacobian(&self) -> Option<&ExactJacobian> {
        let make = || exact_jacobian(&self.program.motion, &self.plan, self.kind, &self.host, None);
        self.jacobian.get_or_init(make).as_ref()
    }
}

/// A program with its memory.
struct Runner {
    engine: Engine,
    outputs: Vec<f64>,
}

impl Runner {
    fn new(program: &Program, engine: &Engine, inputs: &[f64]) -> Result<Self, Failure> {
        let mut engine = engine.clone();
        let mut outputs = vec![0.0; engine.n_outputs()];
        let setup = stages(program, Phase::Setup, Phase::Setup);
        engine.run(setup, inputs, &mut outputs).map_err(|e| Failure::fatal(e.to_string()))?;
        Ok(Runner { engine, outputs })
    }
    fn run(&mut self, program: &Program, inputs: &[f64]) -> Result<&[f64], Failure> {
        let range = stages(program, Phase::Time, Phase::Motion);
        let run = self.engine.run(range, inputs, &mut self.outputs);
        run.map_err(|e| Failure::recoverable(e.to_string()))?;
        Ok(&self.outputs)
    }
}

/// Tells how far from its dead points a mechanism is.
pub(crate) struct Sides<'c> {
    compiled: &'c Compiled,
    runner: Runner,
    inputs: Vec<f64>,
}

impl<'c> Sides<'c> {
    /// With the parameters among `inputs` of the simulation program.
    pub fn new(compiled: &'c Compiled, inputs: &[f64]) -> Result<Self, Failure> {
        let runner = Runner::new(&compiled.program.sides, &compiled.sides, inputs)?;
        Ok(Sides { compiled, runner, inputs: inputs.to_vec() })
    }

    /// The margin of each dyad with the sign of its branch.
    pub fn at(&mut self, t: f64, y: &[f64]) -> Result<Vec<f64>, Failure> {
        let layout = &self.compiled.program.inputs;
        self.inputs[layout.time.index()] = t;
        let state = layout.state();
        let n = state.len();
        self.inputs[state].copy_from_slice(&y[..n]);
        let found = self.runner.run(&self.compiled.program.sides, &self.inputs)?;
        Ok(found.chunks_exact(4).map(|v| margin([[v[0], v[1]], [v[2], v[3]]])).collect())
    }
}

/// Makes whole states of independent ones.
pub(crate) struct Settler<'c> {
    program: &'c ClosedProgram,
    runner: Runner,
    inputs: Vec<f64>,
    /// The last whole state, works included.
    whole: Vec<f64>,
}

impl<'c> Settler<'c> {
    /// At a whole state that is on the constraints, on the branches that it is on.
    pub fn new(
        compiled: &'c Compiled,
        inputs: &[f64],
        whole: &[f64],
        sides: &[f64],
    ) -> Result<Self, Failure> {
        let program = &compiled.program;
        let mut inputs = inputs.to_vec();
        inputs.extend(sides.iter().map(|side| side.signum()));
        let runner = Runner::new(&program.settle, &compiled.settle, &inputs)?;
        let mut settler = Settler { program, runner, inputs, whole: whole.to_vec() };
        settler.anchor();
        Ok(settler)
    }

    /// The independent part of a whole state.
    pub fn reduced(&self, whole: &[f64]) -> Vec<f64> {
        let n = self.program.inputs.state().len();
        self.program.independent.iter().map(|k| whole[*k]).chain(whole[n..].iter().copied()).collect()
    }

    /// Takes the last whole state as the one near which angles are meant. [anchor]
    fn anchor(&mut self) {
        let first = self.program.inputs.state().start;
        for k in &self.program.dependent[..self.program.n_dependent_coordinates] {
            self.inputs[first + k] = self.whole[*k];
        }
    }

    /// The whole state that belongs to a reduced one.
    pub fn whole(&mut self, t: f64, y: &[f64]) -> Result<&[f64], Failure> {
        let program = self.program;
        let state = program.inputs.state();
        self.inputs[program.inputs.time.index()] = t;
        for (k, value) in program.independent.iter().zip(y) {
            self.inputs[state.start + k] = *value;
            self.whole[*k] = *value;
        }
        let works = &y[program.independent.len()..];
        self.whole[state.len()..].copy_from_slice(works);
        let found = self.runner.run(&program.settle, &self.inputs)?;
        for (k, value) in program.dependent.iter().zip(found) {
            self.whole[*k] = *value;
        }
        match self.whole.iter().all(|x| x.is_finite()) {
            true => Ok(&self.whole),
            false => Err(Failure::recoverable("the loops do not close here")),
        }
    }

    /// The dyad with the smallest margin in the last whole state, and its margin.
    pub fn nearest(&self) -> (usize, f64) {
        smallest(&self.runner.outputs[self.program.dependent.len()..])
    }
}

/// The smallest of squared margins, as a margin; zero for what is no number.
fn smallest(squares: &[f64]) -> (usize, f64) {
    let margin = |m: f64| if m > 0.0 { m.sqrt() } else { 0.0 };
    let all = squares.iter().map(|m| margin(*m)).enumerate();
    all.min_by(|a, b| a.1.total_cmp(&b.1)).unwrap_or((0, 1.0))
}

/// The closed form in motion.
pub(crate) struct Closed<'s, 'c, 'm, 'a> {
    compiled: &'s Compiled,
    mechanism: Mechanism<'s>,
    settler: &'s RefCell<Settler<'c>>,
    /// With all coordinates, to see how well the loops are closed.
    whole: &'m mut Mechanism<'a>,
    /// Time and whole state at the end of the step before.
    before: Option<(f64, Vec<f64>)>,
}

impl<'s, 'c, 'm, 'a> Closed<'s, 'c, 'm, 'a> {
    /// Goes on from where the settler is.
    pub fn new(
        compiled: &'s Compiled,
        settler: &'s RefCell<Settler<'c>>,
        jacobian: &'s dyn Fn() -> Option<&'s ExactJacobian>,
        whole: &'m mut Mechanism<'a>,
    ) -> Result<Self, Failure> {
        let inputs = settler.borrow().inputs.clone();
        let mechanism = Mechanism::new(&compiled.plan, &compiled.motion, inputs, Jacobian::Source(jacobian))?;
        let before = None;
        Ok(Closed { compiled, mechanism, settler, whole, before })
    }
}

impl System for Closed<'_, '_, '_, '_> {
    fn dim(&self) -> usize {
        self.mechanism.dim()
    }

    fn derivative(&mut self, t: f64, y: &[f64], dy: &mut [f64]) -> Result<(), Failure> {
        self.mechanism.derivative(t, y, dy)?;
        let (_, margin) = smallest(&self.mechanism.outputs()[self.compiled.program.margins.clone()]);
        if margin < FLOOR {
            return Err(Failure::recoverable("a dyad is at a dead point"));
        }
        Ok(())
    }

    fn jacobian(&mut self, t: f64, y: &[f64], j: &mut Matrix) -> Result<bool, Failure> {
        self.mechanism.jacobian(t, y, j)
    }

    fn project(&mut self, t: f64, y: &mut [f64]) -> Result<bool, Failure> {
        let moved = self.mechanism.project(t, y)?;
        let mut settler = self.settler.borrow_mut();
        let whole = settler.whole(t, y)?;
        // Where the lever of a dyad vanishes its angle says nothing: a singular position. [apart]
        let n = self.compiled.program.inputs.coordinates.len();
        if let Some((t_before, before)) = &self.before {
            let n_states = self.compiled.program.inputs.state().len();
            let fastest = whole[n..n_states].iter().fold(0.0, |m: f64, u| m.max(u.abs()));
            let limit = APART + 3.0 * (t - t_before).abs() * fastest;
            if whole[..n].iter().zip(before).any(|(q, before)| (q - before).abs() > limit) {
                return Err(Failure::recoverable("the loops close on another branch"));
            }
        }
        if self.whole.margin(t, whole).is_ok_and(|m| m.abs() < FLOOR) {
            return Err(Failure::recoverable("the constraints are near a singular position"));
        }
        self.whole.mark();
        self.before = Some((t, whole.to_vec()));
        self.whole.note_open(t, whole)?;
        settler.anchor();
        let first = self.compiled.program.inputs.state().start;
        for k in &self.compiled.program.dependent[..self.compiled.program.n_dependent_coordinates] {
            self.mechanism.give(first + k, settler.whole[*k]);
        }
        Ok(moved)
    }

    // Angles of a sample are meant near the end of its step.
    fn project_sample(&mut self, t: f64, y: &mut [f64]) -> Result<bool, Failure> {
        self.mechanism.project(t, y)
    }
}
