//! The function library: `defaults` and `setup`, then one function per question.

use cardan_base::Id;
use cardan_codegen::{Argument, FunctionSpec, Library, Results};
use cardan_compile::Choice;
use cardan_lower::{InputLayout, Phase, SimulationProgram as Lowered, jacobian, structured_jacobian};
use cardan_model::Causality;
use cardan_program::derive::Jacobian;
use cardan_program::{InputId, Label, OutputId, Program, StageId, Stages, ValueId, count};

use crate::error::Error;
use crate::header::{about, provided};
use crate::link::{Composer, InputsAre};
use crate::programs;
use crate::request::{By, Fix, Question, Request};

/// A program and the functions to be written of it.
#[derive(Clone, PartialEq, Debug)]
pub struct Functions {
    /// Everything that is computed.
    pub program: Program,
    /// In which functions.
    pub library: Library,
}

/// The functions that a request asks for, about the equations of a choice.
pub fn functions(choice: &Choice, request: &Request) -> Result<Functions, Error> {
    let motion = programs::motion(choice, false)?;
    let mut writer = Writer::new(choice, &motion, request)?;
    let mut questions = request.questions.clone();
    questions.sort_unstable();
    questions.dedup();
    for question in questions {
        match question {
            Question::Derivatives => writer.derivatives(),
            Question::Outputs => writer.outputs(),
            Question::Mass => writer.mass()?,
            Question::Forcing => writer.forcing()?,
            Question::Inverse => writer.inverse()?,
            Question::Jacobian => writer.jacobians(&request.by)?,
            Question::Residuals => writer.residuals()?,
            Question::Reactions => writer.reactions()?,
            Question::Poses => writer.poses()?,
            Question::BodyJacobians => writer.body_jacobians()?,
            Question::Gravity => writer.gravity()?,
            Question::Coriolis => writer.coriolis()?,
        }
    }
    writer.finish()
}

pub(crate) struct Writer<'a> {
    pub(crate) choice: &'a Choice,
    motion: &'a Lowered,
    pub(crate) composer: Composer,
    /// The values of the simulation program's outputs.
    values: Vec<ValueId>,
    labels: Vec<Label>,
    functions: Vec<FunctionSpec>,
}

/// The stage that runs once per set of parameters.
pub(crate) fn setup() -> StageId {
    StageId::from_index(Phase::Setup as usize)
}

/// The first of the stages that run at every evaluation.
pub(crate) fn time() -> StageId {
    StageId::from_index(Phase::Time as usize)
}

impl<'a> Writer<'a> {
    fn new(choice: &'a Choice, motion: &'a Lowered, request: &Request) -> Result<Self, Error> {
        let layout = &motion.layout.inputs;
        let fix = parameters_alone(&request.fix, choice);
        let mut composer = Composer::new(&choice.model, &motion.program, layout, &fix, InputsAre::Arguments)?;
        let values = composer.add(&motion.program, "motion")?;
        let labels = programs::labels(&motion.program);
        let mut writer = Writer { choice, motion, composer, values, labels, functions: vec![] };
        writer.defaults();
        let parameters = writer.composer.parameters.iter().map(|(input, _)| *input).collect();
        let start = writer.deliver(motion.layout.start.clone(), setup());
        let mut results = vec![Results::new("start", start, "the state at the beginning")];
        if !writer.composer.discretes.is_empty() {
            let part = programs::discrete_start(&choice.model)?;
            let values = writer.composer.add_still(&part, "discrete states")?;
            let named = programs::labels(&part.program).into_iter().zip(values);
            let start = named.map(|(label, value)| writer.composer.output(label, value, setup())).collect();
            results.push(Results::new("d_start", start, "discrete states at the beginning"));
        }
        writer.functions.push(FunctionSpec {
            name: "setup".into(),
            doc:
                "Computes what depends on parameters alone; call it first, and again when parameters change."
                    .into(),
            stages: setup().into(),
            arguments: vec![Argument::array("p", parameters, "parameters")],
            results,
        });
        Ok(writer)
    }

    fn layout(&self) -> &'a InputLayout {
        &self.motion.layout.inputs
    }

    /// Outputs of the simulation program as outputs here.
    fn deliver(&mut self, range: impl IntoIterator<Item = usize>, earliest: StageId) -> Vec<OutputId> {
        let one = |k: usize| self.composer.output(self.labels[k].clone(), self.values[k], earliest);
        range.into_iter().map(one).collect()
    }

    /// Values with their labels as outputs.
    pub(crate) fn deliver_all(&mut self, list: impl IntoIterator<Item = (Label, ValueId)>) -> Vec<OutputId> {
        list.into_iter().map(|(label, value)| self.composer.output(label, value, time())).collect()
    }

    /// Time, state, and inputs and discrete states where there are any.
    pub(crate) fn arguments(&self) -> Vec<Argument> {
        let mut arguments = vec![
            Argument::scalar("t", self.composer.time, "time"),
            Argument::array(
                "x",
                self.composer.states.clone(),
                "state: coordinates, speeds, auxiliary states",
            ),
        ];
        if !self.composer.controls.is_empty() {
            let controls = self.composer.controls.iter().map(|(input, _)| *input).collect();
            arguments.push(Argument::array("u", controls, "inputs"));
        }
        if !self.composer.discretes.is_empty() {
            let contents = "discrete states, which the caller holds and changes";
            arguments.push(Argument::array("d", self.composer.discretes.clone(), contents));
        }
        arguments
    }

    /// A function of time and state.
    pub(crate) fn function(
        &mut self,
        name: &str,
        doc: &str,
        arguments: Vec<Argument>,
        results: Vec<Results>,
    ) {
        // The stages are known when all is composed; `finish` sets the last one.
        let stages = Stages { first: time(), last: time() };
        self.functions.push(FunctionSpec { name: name.into(), doc: doc.into(), stages, arguments, results });
    }

    /// The values that parameters have in the model, in the order of the argument `p`; NaN for those without. Absent where all are fixed.
    fn defaults(&mut self) {
        let slots = &self.layout().parameters;
        let mut list = Vec::new();
        for (_, place) in self.composer.parameters.clone() {
            let input = InputId::from_index(place);
            let mut label = self.motion.program.inputs()[input].label.clone();
            let value = slots.iter().find(|p| p.input == input).and_then(|p| p.default);
            if value.is_none() {
                let comma = if label.description.is_empty() { "" } else { ", " };
                label.description += &format!("{comma}without value in the model");
            }
            list.push((label, self.composer.builder.constant(value.unwrap_or(f64::NAN))));
        }
        if list.is_empty() {
            return;
        }
        let numbers = list.into_iter().map(|(l, value)| self.composer.output(l, value, setup())).collect();
        self.functions.push(FunctionSpec {
            name: "defaults".into(),
            doc: "Delivers the values that the parameters have in the model.".into(),
            stages: setup().into(),
            arguments: vec![],
            results: vec![Results::new("p", numbers, "parameters")],
        });
    }

    fn derivatives(&mut self) {
        let rates = self.deliver(self.motion.layout.derivatives.clone(), time());
        let results = vec![Results::new("dx", rates, "time derivatives of the state")];
        let arguments = self.arguments();
        self.function("derivatives", "Computes the time derivatives of the state.", arguments, results);
    }

    fn outputs(&mut self) {
        let layout = &self.motion.layout;
        let energies = [layout.kinetic, layout.gravity].into_iter();
        let energies = energies.chain(layout.potentials.iter().map(|(_, o)| *o)).map(OutputId::index);
        let reports = self.deliver(layout.outputs.clone().chain(energies), time());
        let results = vec![Results::new("y", reports, "outputs of the model, then energies")];
        let arguments = self.arguments();
        self.function("outputs", "Computes the outputs of the model.", arguments, results);
    }

    fn mass(&mut self) -> Result<(), Error> {
        let part = programs::mass(&self.choice.model)?;
        let values = self.composer.add_question(&part, "mass matrix")?;
        let matrix = self.deliver_all(programs::labels(&part.program).into_iter().zip(values));
        let arguments = self.arguments();
        let results = vec![Results::new("m", matrix, "lower triangle of the mass matrix M, row by row")];
        self.function("mass_matrix", "Computes M of M du/dt = f.", arguments, results);
        Ok(())
    }

    /// f = -τ at u̇ = 0.
    fn forcing(&mut self) -> Result<(), Error> {
        let part = programs::inverse_dynamics(&self.choice.model)?;
        let forces = self.composer.add_still(&part, "right-hand side")?;
        let mut named = Vec::new();
        for (value, (_, u)) in forces.into_iter().zip(self.choice.model.speeds.iter()) {
            let name = &u.quantity.name;
            let label = Label::new(format!("f({name})"), "", format!("right-hand side along {name}"));
            named.push((label, self.composer.builder.neg(value)));
        }
        let forcing = self.deliver_all(named);
        let arguments = self.arguments();
        let contents = "right-hand side of M du/dt = f (without constraint forces)";
        let results = vec![Results::new("f", forcing, contents)];
        self.function("forcing", "Computes f of M du/dt = f.", arguments, results);
        Ok(())
    }

    fn inverse(&mut self) -> Result<(), Error> {
        let part = programs::inverse_dynamics(&self.choice.model)?;
        let values = self.composer.add_question(&part, "inverse dynamics")?;
        let forces = self.deliver_all(programs::labels(&part.program).into_iter().zip(values));
        let accelerations = self.composer.accelerations(&part).into_iter().map(|(_, input)| input).collect();
        let mut arguments = self.arguments();
        arguments.push(Argument::array("du", accelerations, "time derivatives of the speeds"));
        let doc = "Computes the generalised forces that motors in place of the speeds would have to add.";
        let results = vec![Results::new("tau", forces, "generalised forces M du/dt - f")];
        self.function("inverse_dynamics", doc, arguments, results);
        Ok(())
    }

    fn jacobians(&mut self, by: &[By]) -> Result<(), Error> {
        let mut by = by.to_vec();
        by.sort_unstable();
        by.dedup();
        for choice in by {
            let columns: Vec<InputId> = match choice {
                By::States => self.layout().state_inputs(),
                By::Time => vec![self.layout().time],
                By::Parameters => {
                    self.composer.parameters.iter().map(|(_, place)| InputId::from_index(*place)).collect()
                }
            };
            let mut found = jacobian(self.motion, &columns)?;
            if let Some(along_tree) = self.structured().filter(|_| choice == By::States)
                && total(&along_tree.program) < total(&found.program)
            {
                found = along_tree;
            }
            let values = self.composer.add(&found.program, "Jacobian")?;
            let labels = programs::labels(&found.program);
            let entries = self.deliver_all(
                labels
                    .into_iter()
                    .zip(values)
                    .skip(found.first.index())
                    .zip(&found.pattern)
                    .map(|((label, value), (row, column))| (placed(label, *row, *column), value)),
            );
            let (name, array, symbol) = match choice {
                By::States => ("jacobian", "dfdx", "the state"),
                By::Parameters => ("jacobian_parameters", "dfdp", "the parameters"),
                By::Time => ("jacobian_time", "dfdt", "time"),
            };
            let doc = format!(
                "Computes the partial derivatives of dx with respect to {symbol}; entries that are always zero are left out."
            );
            let contents = "entries by rows; each with its row and column, counted from 1";
            let arguments = self.arguments();
            self.function(name, &doc, arguments, vec![Results::new(array, entries, contents)]);
        }
        Ok(())
    }

    /// The Jacobian along the structure of a tree, where there is one; what it has to do with the derivatives is shared less.
    fn structured(&self) -> Option<Jacobian> {
        // Expressions that are made on the way stay out of the model's own pool.
        let (found, _) = structured_jacobian(&self.choice.model, &[], false).ok()?;
        let same = found.program.inputs() == self.motion.program.inputs();
        same.then_some(found)
    }

    fn residuals(&mut self) -> Result<(), Error> {
        let programs::Residuals { part, n_positions, n_velocities } = programs::residuals(self.choice)?;
        let values = self.composer.add_question(&part, "residuals")?;
        let all = self.deliver_all(programs::labels(&part.program).into_iter().zip(values));
        let (positions, rest) = all.split_at(n_positions);
        let (velocities, entries) = rest.split_at(n_velocities);
        let results = vec![
            Results::new("g", positions.to_vec(), "what vanishes in an admissible position"),
            Results::new("v", velocities.to_vec(), "what vanishes in an admissible motion: G u + b"),
            Results::new(
                "gu",
                entries.to_vec(),
                "entries of G by rows; those that are always zero are left out",
            ),
        ];
        let arguments = self.arguments();
        self.function(
            "residuals",
            "Computes how far the constraints are from being met.",
            arguments,
            results,
        );
        Ok(())
    }

    /// The accelerations as the motion's program computes them.
    fn accelerations(&self) -> Vec<ValueId> {
        let states = &self.choice.equations.states;
        let rates = states.iter().zip(self.motion.layout.derivatives.clone());
        rates.filter(|(state, _)| state.is_speed()).map(|(_, k)| self.values[k]).collect()
    }

    fn reactions(&mut self) -> Result<(), Error> {
        let joints = programs::joints(self.choice)?;
        let mut results = vec![];
        match programs::reactions(self.choice) {
            Err(Error::NoConstraints(_)) if joints.is_some() => {}
            rows => {
                let part = rows?;
                let rates = self.accelerations();
                let values = self.composer.add_moving(&part, &rates, "reactions")?;
                let forces = self.deliver_all(programs::labels(&part.program).into_iter().zip(values));
                results.push(Results::new("r", forces, "one force or torque per constraint row"));
            }
        }
        if let Some(part) = joints {
            let rates = self.accelerations();
            let values = self.composer.add_moving(&part, &rates, "reactions")?;
            let wrenches = self.deliver_all(programs::labels(&part.program).into_iter().zip(values));
            let what = "force and torque of each joint of the tree on its body, in the ground's axes";
            results.push(Results::new("j", wrenches, what));
        }
        let doc = "Computes the forces and torques by which constraints and joints act.";
        let arguments = self.arguments();
        self.function("reactions", doc, arguments, results);
        Ok(())
    }

    fn finish(self) -> Result<Functions, Error> {
        let model = &self.choice.model;
        let mut doc = about(self.choice, &self.composer.fixed);
        let program =
            self.composer.builder.finish().map_err(|e| Error::Lower(cardan_lower::LowerError::Unsound(e)))?;
        let mut functions = self.functions;
        for f in functions.iter_mut().filter(|f| f.stages.first != setup()) {
            let outputs = f.results.iter().flat_map(|r| &r.outputs);
            let last = outputs.map(|o| program.stage_of(program.outputs()[*o].value)).max();
            f.stages.last = last.unwrap_or(time()).max(time());
        }
        if !model.hybrid.is_empty() {
            doc += "\n\nEvents are not part of these functions: discrete states are arguments, which the caller holds and changes.";
        }
        let (name, version) = (model.name.clone(), String::new());
        let library = Library { name, version, doc, functions, provided: provided(model) };
        Ok(Functions { program, library })
    }
}

/// The label of an entry with its row and column.
fn placed(label: Label, row: usize, column: usize) -> Label {
    let description = format!("row {}, column {}", row + 1, column + 1);
    Label { description, ..label }
}

/// Operations at every evaluation.
fn total(program: &Program) -> u64 {
    let last = program.all_stages().last;
    count(program, Stages { first: time(), last }).total()
}

/// Run-time inputs stay arguments where all parameters become numbers.
pub(crate) fn parameters_alone(fix: &Fix, choice: &Choice) -> Fix {
    let slots = &choice.lowered.layout.inputs.parameters;
    if *fix != Fix::Everything || slots.iter().all(|p| p.causality != Causality::Input) {
        return fix.clone();
    }
    let fixed = slots.iter().filter(|p| p.causality != Causality::Input);
    Fix::Named(fixed.map(|p| choice.model.parameters[p.id].quantity.name.clone()).collect())
}
