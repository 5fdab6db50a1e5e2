//! A model ready for questions: its vector field, constraints and mass matrix as numbers, with exact derivatives.
//!
//! ```text
//! [field]      ẏ = f(y, t, p),   y = (q, u, s)       tangent to the constraints
//! [outputs]    w = h(y, t, p)
//! [surface]    g(q, t, p) = 0,   v(q, u, t, p) = 0,   |e|² = 1     all rows, repeated ones too
//! ```
//!
//! Discrete states are numbers like parameters: they have their start unless they are held at other values. Nothing happens at instants.

mod projection;

use cardan_assembly::{Fork, Loops, RowName, assemble};
use cardan_base::Id;
use cardan_compile::{Choice, Plan};
use cardan_equations::{Formalism, StateVariable, mass_matrix};
use cardan_expr::{Expr, Rational};
use cardan_jit::{Engine, EngineKind};
use cardan_lower::{ClosureProgram, LoadPlace, ProgramLayout, expressions_program, mass_program};
use cardan_model::{Causality, Model, ParameterId, Quantity};
use cardan_program::{Execute, Host, Label, OutputId, Program, SwitchingProgram};
use cardan_sim::{Frames, Hold, LoadTrack, Pose};
use cardan_solve::Matrix;

use crate::AnalysisError;
use crate::derivatives::{SlopeParts, Slopes, stacked};
use crate::kinematics::closed_form::ClosedForm;
use crate::statics::closed_contacts::ClosedContacts;

/// A program that is run from beginning to end at each evaluation.
#[derive(Clone, Debug)]
pub(crate) struct Evaluator {
    program: Program,
    engine: Engine,
    inputs: Vec<f64>,
    pub outputs: Vec<f64>,
}

impl Evaluator {
    /// A program whose functions are looked up in `host`.
    pub fn new(program: &Program, host: &Host) -> Result<Self, AnalysisError> {
        let engine = Engine::with_host(program, EngineKind::Native, host)?;
        let (inputs, outputs) = (vec![0.0; engine.n_inputs()], vec![0.0; engine.n_outputs()]);
        Ok(Evaluator { program: program.clone(), engine, inputs, outputs })
    }

    pub fn program(&self) -> &Program {
        &self.program
    }

    /// Runs with the first inputs given and the others zero.
    pub fn run(&mut self, inputs: &[f64]) -> Result<&[f64], AnalysisError> {
        self.inputs[..inputs.len()].copy_from_slice(inputs);
        self.engine.run(self.program.all_stages(), &self.inputs, &mut self.outputs)?;
        Ok(&self.outputs)
    }
}

/// Constraints at work.
#[derive(Clone, Debug)]
struct Surface {
    loops: Loops,
    assembly: Engine,
    values: Evaluator,
    slopes: Slopes,
}

/// What kind of state a number of y is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StateKind {
    /// A generalised coordinate.
    Coordinate,
    /// A generalised speed.
    Speed,
    /// An auxiliary state.
    Auxiliary,
}

/// A named quantity of an answer, in SI units.
#[derive(Clone, PartialEq, Debug)]
pub struct Named {
    /// Path.
    pub name: String,
    /// SI unit; `1` for a plain number.
    pub unit: String,
    /// For people; may be empty.
    pub description: String,
}

impl From<&Quantity> for Named {
    fn from(q: &Quantity) -> Self {
        let unit = q.dimension.to_string();
        Named { name: q.name.clone(), unit, description: q.description.clone() }
    }
}

/// The constraints at a state.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Residuals {
    /// g, and |e|² - 1 of each group of Euler parameters.
    pub positions: Vec<f64>,
    /// v.
    pub velocities: Vec<f64>,
}

impl Residuals {
    pub fn largest(&self) -> f64 {
        self.positions.iter().chain(&self.velocities).fold(0.0, |m, x| x.abs().max(m))
    }
}

/// All first derivatives at a state; columns are the states, then the inputs.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Local {
    /// ∂f, then ∂h.
    pub field: Matrix,
    /// ∂g, and of the norms of Euler parameters.
    pub positions: Matrix,
    /// ∂v.
    pub velocities: Matrix,
}

/// A model ready for questions. Numbers are in SI units.
#[derive(Clone, Debug)]
pub struct Study {
    model: Model,
    layout: ProgramLayout,
    plan: Plan,
    /// The states of the equations.
    states: Vec<StateVariable>,
    inputs: Vec<f64>,
    /// Parameters and inputs by which linearisations differentiate: name and place.
    asked: Vec<(Named, usize)>,
    field: Evaluator,
    slopes: Slopes,
    output_slopes: Slopes,
    /// The switching functions of the rates; nothing where these are smooth.
    switching: Option<(SwitchingProgram, Evaluator)>,
    surface: Option<Surface>,
    /// Closes the loops of a driven linkage without iteration, where that is possible.
    closed_form: Option<ClosedForm>,
    mass: Evaluator,
    /// Derivatives of the mass matrix by the states, made when statics first asks for them.
    mass_slopes: Option<Slopes>,
    /// Multipliers of the rows that were kept, and the constraints that these belong to.
    multipliers: Option<(Evaluator, Vec<(usize, usize)>)>,
    quadruples: Vec<[usize; 4]>,
    /// Where discrete states start; nothing where there are none, or where they are held.
    discrete_start: Option<Evaluator>,
    /// Contacts that may be closed at the start, and the names of those that are.
    contacts: Option<ClosedContacts>,
    resting: Vec<String>,
    /// That the start is a singular position, if it is.
    fork: Option<Fork>,
    /// External functions.
    host: Host,
}

/// The values of parameters that follow from others, for [`Model::set_parameters`]: independent, they can be inputs.
pub fn free_parameters(model: &Model, names: &[String]) -> Result<Vec<(ParameterId, Expr)>, AnalysisError> {
    let values = cardan_assembly::ParameterValues::of(model);
    let mut free = vec![];
    for name in names {
        let known = model.parameters.iter().map(|(_, p)| p.quantity.name.as_str());
        let unknown = || AnalysisError::unknown("parameter", name, known);
        let found = model.parameters.iter().find(|(_, p)| p.quantity.name == *name).map(|(id, _)| id);
        let id = found.ok_or_else(unknown)?;
        let value = values.evaluate(model, model.parameters[id].symbol);
        // An input that follows a table begins with nothing known: it is free, from zero.
        let value = if model.parameters[id].is_input() && value.is_nan() { 0.0 } else { value };
        let Some(exact) = Rational::from_f64(value) else {
            return Err(AnalysisError::Missing(vec![name.clone()]));
        };
        free.push((id, model.space.pool().number(exact)));
    }
    Ok(free)
}

impl Study {
    /// Prepares a model whose equations have been derived. The parameters, inputs and discrete states named by `asked` are the inputs of
    /// linearisations; all inputs of the model where none is named.
    pub fn of(choice: &Choice, asked: &[String]) -> Result<Study, AnalysisError> {
        Study::with_host(choice, asked, Host::new())
    }

    /// The same with external functions from `host`.
    pub fn with_host(choice: &Choice, asked: &[String], host: Host) -> Result<Study, AnalysisError> {
        let model = choice.model.clone();
        let layout = choice.lowered.layout.clone();
        let program = &choice.lowered.program;
        let mut inputs = vec![0.0; layout.inputs.discretes.end];
        let mut missing = vec![];
        let read = program.inputs_read();
        for slot in &layout.inputs.parameters {
            match slot.default {
                Some(value) => inputs[slot.input.index()] = value,
                None if !read[slot.input.index()] => inputs[slot.input.index()] = f64::NAN,
                None => missing.push(model.parameters[slot.id].quantity.name.clone()),
            }
        }
        if !missing.is_empty() {
            return Err(AnalysisError::Missing(missing));
        }
        let mut chosen = vec![];
        let own = layout.inputs.parameters.iter().filter(|s| s.causality == Causality::Input);
        let own: Vec<String> = own.map(|s| model.parameters[s.id].quantity.name.clone()).collect();
        for name in if asked.is_empty() { &own[..] } else { asked } {
            let slots = &layout.inputs.parameters;
            let found = slots.iter().find(|s| model.parameters[s.id].quantity.name == *name);
            let names = slots.iter().map(|s| model.parameters[s.id].quantity.name.as_str());
            let mut discretes = model.hybrid.discretes.iter().enumerate();
            if let Some((k, (_, d))) = discretes.find(|(_, (_, d))| d.quantity.name == *name) {
                chosen.push((Named::from(&d.quantity), layout.inputs.discretes.start + k));
                continue;
            }
            let slot = found.ok_or_else(|| AnalysisError::unknown("independent parameter", name, names))?;
            chosen.push((Named::from(&model.parameters[slot.id].quantity), slot.input.index()));
        }
        let columns: Vec<usize> =
            layout.inputs.state().chain(chosen.iter().map(|(_, input)| *input)).collect();
        let rows: Vec<usize> = layout.derivatives.clone().collect();
        let output_rows: Vec<usize> = layout.outputs.clone().collect();
        let surface = match &choice.loops {
            None => None,
            Some(found) => {
                let ClosureProgram { program, positions, velocities, .. } = &found.loops.closure;
                let rows: Vec<usize> = positions.iter().flatten().chain(velocities).copied().collect();
                Some(Surface {
                    loops: found.loops.clone(),
                    assembly: Engine::with_host(program, EngineKind::Native, &host)?,
                    values: Evaluator::new(program, &host)?,
                    slopes: Slopes::new(program, &rows, &columns, &host)?,
                })
            }
        };
        // A model of its own: the mass matrix in its cheapest form.
        let copy = choice.model.clone();
        let mass = mass_program(&copy, &mass_matrix(&copy, Formalism::Recursive)?, None)?;
        let multipliers = match &choice.equations.augmented {
            None => None,
            Some(augmented) => {
                let named = augmented.multipliers.iter().map(|e| (Label::named("multiplier"), *e));
                let made = expressions_program(&choice.model, "multipliers", named)?;
                let rows = choice.equations.constraints.rows.iter();
                let rows = rows.map(|r| (r.constraint.index(), r.row)).collect();
                Some((Evaluator::new(&made.program, &host)?, rows))
            }
        };
        let starts =
            choice.model.hybrid.discretes.iter().map(|(_, d)| (Label::named(&d.quantity.name), d.start));
        let discrete_start = match model.hybrid.discretes.is_empty() {
            true => None,
            false => {
                let made = expressions_program(&choice.model, "starts of discrete states", starts)?;
                Some(Evaluator::new(&made.program, &host)?)
            }
        };
        let derivatives: Vec<OutputId> = layout.derivatives.clone().map(OutputId::from_index).collect();
        let switching = match SwitchingProgram::of(program, &derivatives) {
            Some(found) => {
                let evaluator = Evaluator::new(&found.program, &host)?;
                Some((found, evaluator))
            }
            None => None,
        };
        let mut study = Study {
            switching,
            field: Evaluator::new(program, &host)?,
            slopes: Slopes::new(program, &rows, &columns, &host)?,
            output_slopes: Slopes::with(program, &output_rows, &columns, &host, false)?,
            mass: Evaluator::new(&mass.program, &host)?,
            mass_slopes: None,
            quadruples: model.unit_quadruples.iter().map(|q| q.map(Id::index)).collect(),
            asked: chosen,
            multipliers,
            closed_form: ClosedForm::of(choice, &host)?,
            surface,
            plan: Plan::of(&choice.model, &choice.equations, &choice.lowered),
            states: choice.equations.states.clone(),
            model,
            layout,
            inputs,
            discrete_start,
            contacts: ClosedContacts::of(choice, &host)?,
            resting: vec![],
            fork: None,
            host,
        };
        study.start_discretes()?;
        Ok(study)
    }

    /// The model.
    pub fn model(&self) -> &Model {
        &self.model
    }
    /// The external functions.
    pub fn host(&self) -> &Host {
        &self.host
    }
    /// How many coordinates, speeds and auxiliary states there are.
    pub fn sizes(&self) -> (usize, usize, usize) {
        let n_states = self.plan.states.len();
        let (n_q, n_u) = (self.plan.n_coordinates, self.plan.n_speeds);
        (n_q, n_u, n_states - n_q - n_u)
    }
    /// How many states there are.
    pub fn n_states(&self) -> usize {
        self.layout.inputs.state().len()
    }
    /// A state by its place in y.
    pub fn state(&self, k: usize) -> (Named, StateKind) {
        let (n_q, n_u, _) = self.sizes();
        let quantity = self.quantity(k);
        let kind = match k {
            k if k < n_q => StateKind::Coordinate,
            k if k < n_q + n_u => StateKind::Speed,
            _ => StateKind::Auxiliary,
        };
        (Named::from(quantity), kind)
    }
    fn quantity(&self, k: usize) -> &Quantity {
        let state = self.states.get(k).and_then(|state| state.quantity(&self.model));
        state.expect("a place in y is below the number of states")
    }
    /// The place in y of the state of this name.
    pub fn place(&self, name: &str) -> Result<usize, AnalysisError> {
        let names: Vec<String> = (0..self.n_states()).map(|k| self.state(k).0.name).collect();
        let found = names.iter().position(|n| n == name);
        found.ok_or_else(|| {
            AnalysisError::unknown("coordinate, speed or state", name, names.iter().map(String::as_str))
        })
    }
    /// The coordinate that each speed is the rate of, where there is one.
    pub(crate) fn coordinate_of_speed(&self) -> Vec<Option<usize>> {
        let rate_of = |symbol| self.model.coordinates.iter().position(|(_, q)| q.rate == symbol);
        self.model.speeds.iter().map(|(_, u)| rate_of(u.symbol)).collect()
    }
    /// The inputs of linearisations.
    pub fn input_names(&self) -> Vec<Named> {
        self.asked.iter().map(|(name, _)| name.clone()).collect()
    }
    /// Takes the values of parameters and discrete states from a study of the same model.
    pub(crate) fn take_values(&mut self, other: &Study) {
        self.inputs.copy_from_slice(&other.inputs);
        self.discrete_start = other.discrete_start.clone();
    }
    /// Where the states are among the inputs of the programs.
    pub(crate) fn state_places(&self) -> std::ops::Range<usize> {
        self.layout.inputs.state()
    }
    /// Where the inputs of linearisations are among those of the programs.
    pub(crate) fn input_places(&self) -> Vec<usize> {
        self.asked.iter().map(|(_, place)| *place).collect()
    }
    /// Where states, parameters and outputs are in the program.
    pub(crate) fn plan(&self) -> &Plan {
        &self.plan
    }
    /// The Jacobian of the rates as a program.
    pub(crate) fn rate_slopes(&self) -> SlopeParts<'_> {
        self.slopes.parts()
    }
    /// The Jacobian of the outputs as a program.
    pub(crate) fn output_slopes(&self) -> SlopeParts<'_> {
        self.output_slopes.parts()
    }
    /// The outputs of the model.
    pub fn output_names(&self) -> Vec<Named> {
        self.model.outputs.iter().map(|o| Named::from(&o.quantity)).collect()
    }
    /// How many rows of position there are, norms of Euler parameters included.
    pub(crate) fn n_position_rows(&self) -> usize {
        let holonomic =
            self.surface.as_ref().map_or(0, |s| s.loops.closure.positions.iter().flatten().count());
        holonomic + self.quadruples.len()
    }
    /// The constraint rows by name; empty for a tree.
    pub fn row_names(&self) -> &[RowName] {
        self.surface.as_ref().map_or(&[], |s| &s.loops.rows)
    }
    /// Gives an independent parameter another value.
    pub fn set(&mut self, name: &str, value: f64) -> Result<(), AnalysisError> {
        let slots = &self.layout.inputs.parameters;
        let found = slots.iter().find(|s| self.model.parameters[s.id].quantity.name == name);
        let names = slots.iter().map(|s| self.model.parameters[s.id].quantity.name.as_str());
        let slot = found.ok_or_else(|| AnalysisError::unknown("independent parameter", name, names))?;
        self.inputs[slot.input.index()] = value;
        self.start_discretes()
    }
    /// The value of an independent parameter.
    pub fn parameter(&self, name: &str) -> Option<f64> {
        let slots = &self.layout.inputs.parameters;
        let slot = slots.iter().find(|s| self.model.parameters[s.id].quantity.name == name)?;
        Some(self.inputs[slot.input.index()])
    }
    /// Gives discrete states the start that follows from the parameters.
    fn start_discretes(&mut self) -> Result<(), AnalysisError> {
        if let Some(start) = &mut self.discrete_start {
            let values = start.run(&self.inputs)?;
            if let Some(k) = values.iter().position(|x| !x.is_finite()) {
                let name = self.model.hybrid.discretes.iter().nth(k).map(|(_, d)| d.quantity.name.as_str());
                let name = name.unwrap_or_default();
                return Err(AnalysisError::Evaluation(format!("the start of `{name}` is not finite")));
            }
            self.inputs[self.layout.inputs.discretes.clone()].copy_from_slice(values);
        }
        Ok(())
    }
    /// The discrete states as they are held.
    pub fn discretes(&self) -> &[f64] {
        &self.inputs[self.layout.inputs.discretes.clone()]
    }
    /// Holds the discrete states at other values from now on: those that a motion has reached.
    pub fn hold_discretes(&mut self, values: &[f64]) {
        self.discrete_start = None;
        self.inputs[self.layout.inputs.discretes.clone()].copy_from_slice(values);
    }

    pub(crate) fn placed(&self, t: f64, y: &[f64]) -> Vec<f64> {
        let mut inputs = self.inputs.clone();
        inputs[self.layout.inputs.time.index()] = t;
        inputs[self.layout.inputs.state()].copy_from_slice(y);
        inputs
    }

    /// That the start is a singular position, if it is; known once [`Study::start`] has been asked.
    pub(crate) fn fork(&self) -> Option<&Fork> {
        self.fork.as_ref()
    }

    /// The start that the model gives, with its loops closed to rounding.
    pub fn start(&mut self, t: f64) -> Result<Vec<f64>, AnalysisError> {
        let inputs = self.placed(t, &vec![0.0; self.n_states()]);
        let mut y = match &self.surface {
            Some(surface) if !surface.loops.rows.is_empty() => {
                let assembled = assemble(&surface.loops, &surface.assembly, &inputs)?;
                self.fork = assembled.fork;
                assembled.state
            }
            _ => {
                // Only the setup is wanted: derivatives may not exist at y = 0.
                let mut field = self.field.clone();
                let setup = field.program.stages().iter().next().map(|(id, _)| id.into());
                if let Some(setup) = setup {
                    field.engine.run(setup, &inputs, &mut field.outputs)?;
                }
                field.outputs[self.layout.start.clone()].to_vec()
            }
        };
        if let Some(k) = y.iter().position(|y| !y.is_finite()) {
            let name = self.state(k).0.name;
            return Err(AnalysisError::Evaluation(format!("the start of `{name}` is not finite")));
        }
        self.close(t, &mut y)?;
        self.close_contacts(t, &y)?;
        Ok(y)
    }

    /// Contacts that touch and press at the start are closed; not where a motion has said which are.
    fn close_contacts(&mut self, t: f64, y: &[f64]) -> Result<(), AnalysisError> {
        let Some(mut contacts) = self.contacts.take().filter(|_| self.discrete_start.is_some()) else {
            return Ok(());
        };
        self.start_discretes()?;
        let mut inputs = self.placed(t, y);
        let discretes = self.layout.inputs.discretes.clone();
        let found = contacts.close(&mut inputs, discretes.clone());
        self.inputs[discretes.clone()].copy_from_slice(&inputs[discretes]);
        self.contacts = Some(contacts);
        self.resting = found?;
        Ok(())
    }

    /// The rigid contacts that are taken as closed, since they touch and press at the start; known once [`Study::start`] has been asked.
    pub fn resting_contacts(&self) -> &[String] {
        &self.resting
    }

    /// ẏ.
    pub fn rates(&mut self, t: f64, y: &[f64]) -> Result<Vec<f64>, AnalysisError> {
        let inputs = self.placed(t, y);
        Ok(self.field.run(&inputs)?[self.layout.derivatives.clone()].to_vec())
    }
    /// ∂ẏ/∂y, and ∂ẏ by the inputs of linearisations.
    pub fn rate_derivatives(&mut self, t: f64, y: &[f64]) -> Result<(Matrix, Matrix), AnalysisError> {
        let inputs = self.placed(t, y);
        let slopes = self.slopes.run(&inputs)?;
        let (n, n_inputs) = (self.n_states(), self.asked.len());
        let mut by = (Matrix::zeros(n, n), Matrix::zeros(n, n_inputs));
        (0..n).for_each(|j| by.0.column_mut(j).copy_from_slice(&slopes.column(j)[..n]));
        (0..n_inputs).for_each(|j| by.1.column_mut(j).copy_from_slice(&slopes.column(n + j)[..n]));
        Ok(by)
    }
    /// Whether a switching function of the rates passes a level on the way through these states,
    /// next to next.
    pub(crate) fn switches_between(&mut self, t: f64, states: [&[f64]; 3]) -> bool {
        let inputs = states.map(|y| self.placed(t, y));
        let Some((program, evaluator)) = &mut self.switching else { return false };
        let values = inputs.map(|inputs| evaluator.run(&inputs).ok().map(|out| program.values(out)));
        let [Some(a), Some(b), Some(c)] = values else { return true };
        program.passed(&a, &b).into_iter().chain(program.passed(&b, &c)).any(|passed| passed)
    }
    /// What dry friction holds at a state; nothing where nothing sticks.
    pub fn held(&self, t: f64, y: &[f64]) -> Result<Option<Hold>, AnalysisError> {
        let found = Hold::at((&self.field.program, &self.plan, &self.host), &self.inputs, t, y);
        found.map_err(|failure| AnalysisError::Evaluation(failure.message))
    }
    /// The outputs of the model.
    pub fn outputs(&mut self, t: f64, y: &[f64]) -> Result<Vec<f64>, AnalysisError> {
        let inputs = self.placed(t, y);
        Ok(self.field.run(&inputs)?[self.layout.outputs.clone()].to_vec())
    }
    /// Potential energy of gravity and of all loads that have one.
    pub fn potential(&mut self, t: f64, y: &[f64]) -> Result<f64, AnalysisError> {
        let inputs = self.placed(t, y);
        let out = self.field.run(&inputs)?;
        let loads = self.layout.potentials.iter().map(|(_, o)| out[o.index()]).sum::<f64>();
        Ok(out[self.layout.gravity.index()] + loads)
    }
    /// Whether every load has a potential and nothing else moves the mechanism.
    pub(crate) fn is_conservative(&self) -> bool {
        self.layout.powered.is_empty() && self.layout.driven.is_empty() && self.model.states.is_empty()
    }
    /// Where the bodies are and what acts on them, added to the pictures taken before.
    pub fn picture(&mut self, t: f64, y: &[f64], frames: &mut Frames) -> Result<(), AnalysisError> {
        let inputs = self.placed(t, y);
        let out = self.field.run(&inputs)?;
        let three = |first: usize| [out[first], out[first + 1], out[first + 2]];
        if frames.bodies.is_empty() {
            frames.bodies = vec![vec![]; self.layout.poses.len()];
            let track = |l: &LoadPlace| LoadTrack {
                load: l.load,
                at: vec![],
                reaction: l.reaction.map(|_| vec![]),
                vector: vec![],
            };
            frames.loads = self.layout.loads.iter().map(track).collect();
        }
        frames.times.push(t);
        for (track, (_, first)) in frames.bodies.iter_mut().zip(&self.layout.poses) {
            let k = first.index();
            track.push(Pose { position: three(k), rotation: [three(k + 3), three(k + 6), three(k + 9)] });
        }
        for (track, place) in frames.loads.iter_mut().zip(&self.layout.loads) {
            track.at.push(three(place.at.index()));
            track.vector.push(three(place.vector.index()));
            if let (Some(places), Some(first)) = (&mut track.reaction, place.reaction) {
                places.push(three(first.index()));
            }
        }
        Ok(())
    }

    /// The forces of constraints with one row, such as drives, by their places in the model: their multipliers. Zero where the row
    /// repeats others.
    pub fn holding_forces(&mut self, t: f64, y: &[f64], wanted: &[usize]) -> Result<Vec<f64>, AnalysisError> {
        let inputs = self.placed(t, y);
        let Some((evaluator, rows)) = &mut self.multipliers else { return Ok(vec![0.0; wanted.len()]) };
        let out = evaluator.run(&inputs)?;
        let of = |c: &usize| rows.iter().position(|r| *r == (*c, 0)).map_or(0.0, |k| out[k]);
        Ok(wanted.iter().map(of).collect())
    }

    /// The mass matrix of all speeds.
    pub fn mass(&mut self, t: f64, y: &[f64]) -> Result<Matrix, AnalysisError> {
        let n = self.plan.n_speeds;
        let inputs = self.placed(t, y);
        let out = self.mass.run(&inputs)?;
        let mut m = Matrix::zeros(n, n);
        let mut k = 0;
        for i in 0..n {
            for j in 0..=i {
                m[(i, j)] = out[k];
                m[(j, i)] = out[k];
                k += 1;
            }
        }
        Ok(m)
    }

    /// The loads that nothing balances, M u̇, and their derivatives by the states:
    /// ∂(M u̇) = M ∂u̇ + (∂M) u̇.
    pub(crate) fn loads(
        &mut self,
        t: f64,
        y: &[f64],
        local: &Local,
    ) -> Result<(Vec<f64>, Matrix), AnalysisError> {
        let (n_q, n_u, _) = self.sizes();
        let n = self.n_states();
        if self.mass_slopes.is_none() {
            let program = &self.mass.program;
            let outputs: Vec<usize> = (0..program.outputs().len()).collect();
            let columns: Vec<usize> = self.layout.inputs.state().collect();
            self.mass_slopes = Some(Slopes::new(program, &outputs, &columns, &self.host)?);
        }
        let rates = self.rates(t, y)?;
        let u_dot = &rates[n_q..n_q + n_u];
        let mass = self.mass(t, y)?;
        let mut loads = vec![0.0; n_u];
        mass.multiply(u_dot, &mut loads);
        let inputs = self.placed(t, y);
        let turned = match &mut self.mass_slopes {
            Some(slopes) => slopes.run(&inputs)?,
            None => Matrix::zeros(n_u * (n_u + 1) / 2, n),
        };
        let mut slope = Matrix::zeros(n_u, n);
        for c in 0..n {
            mass.multiply(&local.field.column(c)[n_q..n_q + n_u], slope.column_mut(c));
            for i in 0..n_u {
                for j in 0..n_u {
                    let (row, column) = (i.max(j), i.min(j));
                    slope[(i, c)] += turned[(row * (row + 1) / 2 + column, c)] * u_dot[j];
                }
            }
        }
        Ok((loads, slope))
    }

    /// The constraints at a state.
    pub(crate) fn residuals(&mut self, t: f64, y: &[f64]) -> Result<Residuals, AnalysisError> {
        let inputs = self.placed(t, y);
        let (mut positions, mut velocities) = (vec![], vec![]);
        if let Some(surface) = &mut self.surface {
            let out = surface.values.run(&inputs)?;
            let closure = &surface.loops.closure;
            positions.extend(closure.positions.iter().flatten().map(|o| out[*o]));
            velocities.extend(closure.velocities.iter().map(|o| out[*o]));
        }
        let norm = |q: &[usize; 4]| q.iter().map(|k| y[*k] * y[*k]).sum::<f64>() - 1.0;
        positions.extend(self.quadruples.iter().map(norm));
        Ok(Residuals { positions, velocities })
    }

    /// All first derivatives, with the parameters and the state rounded in a pattern of directions.
    /// Zeros stay zero unless `zeros` are rounded too.
    pub(crate) fn local_with_rounding(
        &mut self,
        t: f64,
        y: &[f64],
        pattern: usize,
        zeros: bool,
    ) -> Result<Local, AnalysisError> {
        let sign = |k: usize| {
            let bits =
                (k as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15 ^ (pattern as u64 * 0x94d0_49bb_1331));
            if (bits >> 40) & 1 == 0 { 1.0 } else { -1.0 }
        };
        let given = self.inputs.clone();
        for slot in &self.layout.inputs.parameters {
            let k = slot.input.index();
            self.inputs[k] *= 1.0 + sign(k) * f64::EPSILON;
        }
        let round = |(k, y): (usize, &f64)| match *y {
            0.0 if !zeros => 0.0,
            y => y + sign(given.len() + k) * STATE_ROUNDING * y.abs().max(1.0),
        };
        let rounded: Vec<f64> = y.iter().enumerate().map(round).collect();
        let found = self.local(t, &rounded);
        self.inputs = given;
        found
    }

    /// All first derivatives at a state.
    pub(crate) fn local(&mut self, t: f64, y: &[f64]) -> Result<Local, AnalysisError> {
        let inputs = self.placed(t, y);
        let field = stacked(&self.slopes.run(&inputs)?, &self.output_slopes.run(&inputs)?);
        let (positions, velocities) = self.surface_slopes(&inputs, y)?;
        let n_g = positions.n_rows() - self.quadruples.len();
        // Outputs may have edges where nothing else does, and only some questions look at them.
        let row_of = |k: usize| &self.row_names()[k];
        let holonomic = || self.holonomic_rows();
        let rates = (&field, self.n_states());
        let surface = [(&positions, positions.n_rows()), (&velocities, velocities.n_rows())];
        for (what, (m, rows)) in [rates].into_iter().chain(surface).enumerate() {
            let Some((i, j)) = first_not_finite(m, 0..rows) else { continue };
            if let Some(fork) = &self.fork {
                return Err(AnalysisError::Fork(Box::new(fork.clone())));
            }
            let of = match what {
                0 => format!("the rate of `{}`", self.state(i).0.name),
                1 if i < n_g => format!("`{}`", row_of(holonomic()[i]).constraint),
                1 => "the norm of Euler parameters".to_string(),
                _ => format!("the rate of `{}`", row_of(i).constraint),
            };
            let by = self.variable(j).name;
            return Err(AnalysisError::Evaluation(format!(
                "the derivative of {of} by `{by}` is not finite at this state"
            )));
        }
        Ok(Local { field, positions, velocities })
    }

    /// ∂g with the norms of Euler parameters, and ∂v.
    fn surface_slopes(&mut self, inputs: &[f64], y: &[f64]) -> Result<(Matrix, Matrix), AnalysisError> {
        let width = self.n_states() + self.asked.len();
        let (mut n_g, mut n_v, mut all) = (0, 0, Matrix::zeros(0, width));
        if let Some(surface) = &mut self.surface {
            n_g = surface.loops.closure.positions.iter().flatten().count();
            n_v = surface.loops.closure.velocities.len();
            all = surface.slopes.run(inputs)?;
        }
        let mut positions = Matrix::zeros(n_g + self.quadruples.len(), width);
        let mut velocities = Matrix::zeros(n_v, width);
        for j in 0..width {
            positions.column_mut(j)[..n_g].copy_from_slice(&all.column(j)[..n_g]);
            velocities.column_mut(j).copy_from_slice(&all.column(j)[n_g..]);
        }
        for i in self.rounding_rows(&positions, StateKind::Coordinate) {
            (0..width).for_each(|j| positions[(i, j)] = 0.0);
        }
        for i in self.rounding_rows(&velocities, StateKind::Speed) {
            (0..width).for_each(|j| velocities[(i, j)] = 0.0);
        }
        for (i, quadruple) in self.quadruples.iter().enumerate() {
            quadruple.iter().for_each(|k| positions[(n_g + i, *k)] = 2.0 * y[*k]);
        }
        Ok((positions, velocities))
    }

    /// The rows of ∂g that are rounding by the coordinates, or of ∂v by the speeds: whatever else they depend on, they hold nothing.
    fn rounding_rows(&self, slopes: &Matrix, by: StateKind) -> Vec<usize> {
        let Some(Surface { loops, .. }) = &self.surface else { return vec![] };
        let (rows, variables, first) = match by {
            StateKind::Coordinate => (self.holonomic_rows(), &loops.coordinates, 0),
            _ => ((0..loops.rows.len()).collect(), &loops.speeds, self.sizes().0),
        };
        let entries = |i: usize| {
            variables.iter().enumerate().map(move |(k, v)| (v.unit.as_str(), slopes[(i, first + k)]))
        };
        (0..rows.len()).filter(|i| loops.is_rounding(rows[*i], entries(*i))).collect()
    }

    /// The rows of constraints that have a position, by their place among all rows.
    pub(crate) fn holonomic_rows(&self) -> Vec<usize> {
        let positions = self.surface.as_ref().map_or(&[][..], |s| &s.loops.closure.positions[..]);
        (0..positions.len()).filter(|k| positions[*k].is_some()).collect()
    }

    /// What a column of the derivatives is by: a state or an input.
    fn variable(&self, column: usize) -> Named {
        match column.checked_sub(self.n_states()) {
            None => self.state(column).0,
            Some(k) => self.asked[k].0.clone(),
        }
    }

    /// The outputs whose derivative is not finite, each with the first variable that it is by.
    pub(crate) fn undefined_outputs(&self, local: &Local) -> Vec<(Named, Named)> {
        let n = self.n_states();
        let names = self.output_names().into_iter().enumerate();
        names
            .filter_map(|(k, output)| {
                let (_, column) = first_not_finite(&local.field, n + k..n + k + 1)?;
                Some((output, self.variable(column)))
            })
            .collect()
    }

    /// The largest residual of position or velocity at a state.
    pub fn left_open(&mut self, t: f64, y: &[f64]) -> Result<f64, AnalysisError> {
        Ok(self.residuals(t, y)?.largest())
    }

    /// Whether loops are closed without iteration.
    pub fn has_closed_form(&self) -> bool {
        self.closed_form.is_some()
    }

    /// Closes loops by iteration from now on, even where a closed form is known.
    pub fn iterate(&mut self) {
        self.closed_form = None;
    }
}

/// The first entry of some rows, column by column, that is infinite or undefined.
fn first_not_finite(m: &Matrix, rows: std::ops::Range<usize>) -> Option<(usize, usize)> {
    let mut places = (0..m.n_cols()).flat_map(|j| rows.clone().map(move |i| (i, j)));
    places.find(|place| !m[*place].is_finite() || m[*place].abs() > INFINITE)
}

/// Derivatives above this are infinite: the root of zero has one of 5e159.
const INFINITE: f64 = 1e100;
/// States satisfy constraints and balances to this, in SI units or relative.
const STATE_ROUNDING: f64 = 16.0 * f64::EPSILON;

/// Singular values below this fraction of the largest count as zero.
pub(crate) const RANK_TOLERANCE: f64 = 1e-9;
