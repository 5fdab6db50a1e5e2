//! A function of the state (rates, mass matrix, inverse dynamics, Jacobian, …) as one compiled program, evaluated at one
//! state, or at many with vector lanes and threads.
//!
//! What depends on parameters alone is computed once. A result has a shape, and its numbers stand row by row.

use std::ops::Range;

use cardan_base::Id;
use cardan_compile::jacobian::Structure;
use cardan_compile::{Choice, Plan};
use cardan_equations::{Formalism, inverse, mass_matrix};
use cardan_jit::{Batch, Engine, EngineKind, Vectors, lanes};
use cardan_lower::{inverse_program, mass_program};
use cardan_model::Causality;
use cardan_program::derive::Jacobian;
use cardan_program::{EvalError, Execute, Host, Math, Program, StageId, Stages, count, passes};

use crate::dynamics::joint_space::bodies_program;
use crate::{AnalysisError, Study};

/// What a function computes. n states, m inputs, k speeds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StateQuestion {
    /// ẋ of the state: n numbers.
    Rates,
    /// The outputs of the model.
    Outputs,
    /// The mass matrix of the speeds: k × k.
    Mass,
    /// The generalised forces that bring about accelerations of the speeds, which are arguments: k numbers.
    Inverse,
    /// The exact derivatives of the rates by states and inputs: n × (n + m).
    Jacobian,
    /// The exact derivatives of the outputs by states and inputs: outputs × (n + m).
    OutputJacobian,
    /// Origin and direction cosines of each body: bodies × 3 × 4, the axes as the first three columns.
    Poses,
    /// Velocity of the origin and angular velocity of each body, in the axes of the ground: bodies × 6.
    Twists,
}

impl StateQuestion {
    /// All of them.
    pub const ALL: [StateQuestion; 8] = [
        StateQuestion::Rates,
        StateQuestion::Outputs,
        StateQuestion::Mass,
        StateQuestion::Inverse,
        StateQuestion::Jacobian,
        StateQuestion::OutputJacobian,
        StateQuestion::Poses,
        StateQuestion::Twists,
    ];
}

/// A function of the state, ready to run.
#[derive(Clone, Debug)]
pub struct StateFunction {
    program: Program,
    host: Host,
    engine: Engine,
    /// The program for several states, made when it is first needed.
    vectors: Option<Vectors>,
    inputs: Vec<f64>,
    outputs: Vec<f64>,
    places: Places,
    setup: Stages,
    /// All stages but the setup; all of them where inputs enter that.
    rest: Stages,
    is_set_up: bool,
    /// The numbers of the result that are not always zero: the place of each, and the output it is.
    entries: Vec<(usize, usize)>,
    /// How many numbers a result has.
    length: usize,
    shape: Vec<usize>,
    /// Where the speeds are in the state.
    speeds: Range<usize>,
}

/// Where the arguments are among the inputs of the program.
#[derive(Clone, Debug)]
struct Places {
    time: usize,
    states: Vec<usize>,
    controls: Vec<usize>,
    accelerations: Vec<usize>,
}

/// The arguments of a function at one state.
#[derive(Clone, Copy, Debug)]
pub struct StateArguments<'a> {
    /// The time.
    pub t: f64,
    /// The state.
    pub x: &'a [f64],
    /// The inputs; as the model has them where nothing is given.
    pub u: Option<&'a [f64]>,
    /// Accelerations, for inverse dynamics only.
    pub accelerations: &'a [f64],
}

/// The arguments at many states: numbers of one state after those of the other. What has the length of one state's
/// numbers holds for all.
#[derive(Clone, Copy, Debug)]
pub struct ManyArguments<'a> {
    /// The times, or one.
    pub t: &'a [f64],
    /// The states.
    pub x: &'a [f64],
    /// The inputs; as the model has them where nothing is given.
    pub u: Option<&'a [f64]>,
    /// Accelerations, for inverse dynamics only.
    pub accelerations: &'a [f64],
}

/// So many operations are worth a thread: about a tenth of a millisecond, some five times what starting it takes.
const THREAD: usize = 400_000;
/// Columns along the structure of a larger tree have far more entries than the program has operations.
const MAX_ALONG_TREE: usize = 200;

/// The Jacobian of a tree along its structure, where that takes fewer operations than the derivative of the program.
fn along_tree(choice: &Choice, plan: &Plan, program: &Program) -> Option<Jacobian> {
    if !choice.model.constraints.is_empty() || plan.states.len() > MAX_ALONG_TREE {
        return None;
    }
    let structure = Structure { model: choice.model.clone(), powers: vec![] };
    let plan = Plan { powers: vec![], ..plan.clone() };
    let found = structure.jacobian(&choice.lowered.program, &plan)?;
    let operations = |program: &Program| count(program, every_stage(program)).total();
    (operations(&found.program) < operations(program)).then_some(found)
}

fn every_stage(program: &Program) -> Stages {
    Stages { first: StageId::from_index(0), last: StageId::from_index(program.stages().len() - 1) }
}

impl StateFunction {
    /// The function of a model whose equations have been derived. Parameters and inputs have the values of `study`, and its
    /// inputs are the inputs here.
    pub fn of(choice: &Choice, study: &Study, question: StateQuestion) -> Result<Self, AnalysisError> {
        let (host, plan) = (study.host(), study.plan());
        let (n, k) = (plan.states.len(), plan.n_speeds);
        let mut accelerations = 0..0;
        let all = |places: &[usize]| places.iter().map(|p| Some(*p)).collect();
        let (program, gather, shape): (Program, Vec<Option<usize>>, Vec<usize>) = match question {
            StateQuestion::Rates => {
                let rates: Vec<usize> = plan.states.iter().map(|s| s.derivative).collect();
                (choice.lowered.program.clone(), all(&rates), vec![n])
            }
            StateQuestion::Outputs => {
                let outputs: Vec<usize> = plan.outputs.iter().map(|(_, place)| *place).collect();
                (choice.lowered.program.clone(), all(&outputs), vec![outputs.len()])
            }
            StateQuestion::Mass => {
                // A model of its own: the mass matrix in its cheapest form.
                let copy = choice.model.clone();
                let made = mass_program(&copy, &mass_matrix(&copy, Formalism::Recursive)?, None)?;
                let below = |i: usize, j: usize| i * (i + 1) / 2 + j;
                let entry = |i: usize, j: usize| Some(below(i.max(j), i.min(j)));
                let gather = (0..k).flat_map(|i| (0..k).map(move |j| entry(i, j))).collect();
                (made.program, gather, vec![k, k])
            }
            StateQuestion::Inverse => {
                let copy = choice.model.clone();
                let made = inverse_program(&copy, &inverse(&copy, Formalism::Recursive)?)?;
                accelerations = made.accelerations;
                (made.program, (0..k).map(Some).collect(), vec![k])
            }
            StateQuestion::Jacobian | StateQuestion::OutputJacobian => {
                let slopes = match question {
                    StateQuestion::Jacobian => study.rate_slopes(),
                    _ => study.output_slopes(),
                };
                let (program, pattern, first, (rows, columns)) = slopes;
                let along_tree = match question {
                    StateQuestion::Jacobian if columns == n => along_tree(choice, plan, program),
                    _ => None,
                };
                let (program, pattern, first) = match &along_tree {
                    Some(found) => (&found.program, &found.pattern[..], found.first.index()),
                    None => (program, pattern, first),
                };
                let mut gather = vec![None; rows * columns];
                pattern.iter().enumerate().for_each(|(e, (i, j))| gather[i * columns + j] = Some(first + e));
                // Nobody compares derivatives to the bit: products and sums may be one operation.
                let options = passes::Options { math: Math::Finite, fuse: true };
                (passes::optimize(program, options), gather, vec![rows, columns])
            }
            StateQuestion::Poses => {
                let (program, per_body) = bodies_program(choice)?;
                let n_bodies = choice.model.bodies.len();
                let number = move |b: usize, i: usize, j: usize| match j {
                    3 => Some(b * per_body + i),
                    _ => Some(b * per_body + 3 + 3 * i + j),
                };
                let of_body = move |b: usize| (0..3).flat_map(move |i| (0..4).map(move |j| number(b, i, j)));
                (program, (0..n_bodies).flat_map(of_body).collect(), vec![n_bodies, 3, 4])
            }
            StateQuestion::Twists => {
                let (program, per_body) = bodies_program(choice)?;
                let n_bodies = choice.model.bodies.len();
                let of_body = |b: usize| (12..18).map(move |i| Some(b * per_body + i));
                (program, (0..n_bodies).flat_map(of_body).collect(), vec![n_bodies, 6])
            }
        };
        let engine = Engine::with_host(&program, EngineKind::Native, host)?;
        let mut inputs = study.placed(0.0, &vec![0.0; n]);
        inputs.resize(engine.n_inputs(), 0.0);
        let controls = study.input_places();
        let is_fixed = |place: &usize| {
            plan.parameters.iter().any(|p| p.input == *place && p.causality == Causality::Parameter)
        };
        let needs_setup = controls.iter().any(is_fixed);
        let first = StageId::from_index(0);
        let last = StageId::from_index(program.stages().len() - 1);
        let second = if needs_setup || program.stages().len() == 1 { first } else { StageId::from_index(1) };
        // Rates need no more than the stages of the motion.
        let last = match question {
            StateQuestion::Rates => plan.motion.last,
            _ => last,
        };
        Ok(StateFunction {
            places: Places {
                time: plan.time.index(),
                states: plan.states.iter().map(|s| s.input).collect(),
                controls,
                accelerations: accelerations.collect(),
            },
            outputs: vec![0.0; engine.n_outputs()],
            setup: Stages::from(first),
            rest: Stages { first: second, last },
            is_set_up: false,
            vectors: None,
            host: host.clone(),
            program,
            engine,
            inputs,
            speeds: plan.n_coordinates..plan.n_coordinates + k,
            length: gather.len(),
            entries: gather.iter().enumerate().filter_map(|(k, o)| o.map(|o| (k, o))).collect(),
            shape,
        })
    }

    /// The shape of a result.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }
    /// How many numbers a result has.
    pub fn len(&self) -> usize {
        self.length
    }
    /// Whether a result is empty.
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }
    /// How many states, inputs and accelerations the function takes.
    pub fn sizes(&self) -> (usize, usize, usize) {
        let Places { states, controls, accelerations, .. } = &self.places;
        (states.len(), controls.len(), accelerations.len())
    }

    /// Where the speeds are in the state.
    pub fn speeds(&self) -> Range<usize> {
        self.speeds.clone()
    }

    /// Evaluates the function at a state. Slices have the lengths of [`Self::sizes`] and [`Self::len`].
    pub fn at(&mut self, arguments: &StateArguments<'_>, out: &mut [f64]) -> Result<(), EvalError> {
        // What the model has comes back afterwards.
        let given = arguments.u.map_or_else(Vec::new, |u| {
            let places = &self.places.controls;
            let own = places.iter().map(|p| self.inputs[*p]).collect();
            places.iter().zip(u).for_each(|(p, value)| self.inputs[*p] = *value);
            own
        });
        self.inputs[self.places.time] = arguments.t;
        self.places.states.iter().zip(arguments.x).for_each(|(p, x)| self.inputs[*p] = *x);
        let accelerations = self.places.accelerations.iter().zip(arguments.accelerations);
        accelerations.for_each(|(p, a)| self.inputs[*p] = *a);
        if !self.is_set_up {
            self.engine.run(self.setup, &self.inputs, &mut self.outputs)?;
            self.is_set_up = true;
        }
        let done = self.engine.run(self.rest, &self.inputs, &mut self.outputs);
        self.places.controls.iter().zip(given).for_each(|(p, own): (_, f64)| self.inputs[*p] = own);
        done?;
        if self.entries.len() < self.length {
            out.fill(0.0);
        }
        self.entries.iter().for_each(|(place, output)| out[*place] = self.outputs[*output]);
        Ok(())
    }

    /// Evaluates the function at many states; a state without an answer has undefined numbers. Fails only where the program cannot
    /// be compiled for lanes.
    pub fn at_many(
        &mut self,
        arguments: &ManyArguments<'_>,
        out: &mut [f64],
        threads: usize,
    ) -> Result<(), AnalysisError> {
        let length = self.len();
        if length == 0 || out.is_empty() {
            return Ok(());
        }
        if self.vectors.is_none() {
            // Without vector code two lanes run one after the other.
            self.vectors = Vectors::new(&self.program, &self.host, lanes().max(2));
        }
        let Some(vectors) = &self.vectors else {
            return Err(AnalysisError::Evaluation("an external function is missing".to_owned()));
        };
        let rows = out.len() / length;
        let width = vectors.lanes();
        let work = rows * self.program.values().len() / width;
        let threads = threads.min(work / THREAD).max(1);
        // Whole groups of lanes for each thread, so that results do not depend on their number.
        let share = rows.div_ceil(width).div_ceil(threads).max(1) * width;
        let this = &*self;
        std::thread::scope(|scope| {
            for (k, out) in out.chunks_mut(share * length).enumerate() {
                let first = k * share;
                let mut part = move || match vectors {
                    Vectors::Two(batch) => this.part(batch, arguments, first, out),
                    Vectors::Four(batch) => this.part(batch, arguments, first, out),
                    Vectors::Eight(batch) => this.part(batch, arguments, first, out),
                };
                if threads == 1 {
                    part();
                } else {
                    scope.spawn(part);
                }
            }
        });
        Ok(())
    }

    /// Rows from `first` on, as many as `out` has room for.
    fn part<const LANES: usize>(
        &self,
        batch: &Batch<LANES>,
        arguments: &ManyArguments<'_>,
        first: usize,
        out: &mut [f64],
    ) {
        let mut batch = batch.clone();
        let mut inputs: Vec<[f64; LANES]> = self.inputs.iter().map(|x| [*x; LANES]).collect();
        let mut outputs = vec![[0.0; LANES]; batch.n_outputs()];
        let _ = batch.run(self.setup, &inputs, &mut outputs);
        let (n, m, a) = self.sizes();
        let Places { time, states, controls, accelerations } = &self.places;
        // What is given once holds for all rows.
        let shared = |numbers: &[f64], width: usize| numbers.len() <= width;
        let every_time = shared(arguments.t, 1);
        let u = arguments.u.unwrap_or(&[]);
        let (same_u, same_a) = (shared(u, m), shared(arguments.accelerations, a));
        for (group, out) in out.chunks_mut(LANES * self.len()).enumerate() {
            let rows = out.len() / self.len();
            for lane in 0..LANES {
                // Lanes beyond the last row repeat it.
                let row = first + group * LANES + lane.min(rows - 1);
                inputs[*time][lane] = arguments.t[if every_time { 0 } else { row }];
                let x = &arguments.x[row * n..];
                states.iter().zip(x).for_each(|(p, x)| inputs[*p][lane] = *x);
                let u = u.get(if same_u { 0 } else { row * m }..).unwrap_or(&[]);
                controls.iter().zip(u).for_each(|(p, u)| inputs[*p][lane] = *u);
                let given = arguments.accelerations.get(if same_a { 0 } else { row * a }..).unwrap_or(&[]);
                accelerations.iter().zip(given).for_each(|(p, a)| inputs[*p][lane] = *a);
            }
            // A singular system makes its lane's unknowns undefined.
            let _ = batch.run(self.rest, &inputs, &mut outputs);
            if self.entries.len() < self.length {
                out.fill(0.0);
            }
            // Number by number: the lanes of one stand together.
            for (place, output) in &self.entries {
                let numbers = outputs[*output].iter();
                out[*place..].iter_mut().step_by(self.length).zip(numbers).for_each(|(x, n)| *x = *n);
            }
        }
    }
}
