//! Many programs about one model in one program.
//!
//! All programs that `lower` makes about a model begin with the same inputs: parameters, t, q, u, s, d. Here they meet: each is
//! spliced in, equal values are computed once, and a parameter that is fixed is a number from the start.

use cardan_base::{Id, nearest};
use cardan_lower::{InputLayout, ModelProgram, Phase};
use cardan_model::{Causality, Model};
use cardan_program::{InputId, Label, Math, OutputId, Program, ProgramBuilder, StageId, ValueId};

use crate::error::Error;
use crate::request::Fix;

/// What the inputs of a model are in the program.
#[derive(Clone, Copy)]
pub(crate) enum InputsAre<'a> {
    /// Arguments of its functions.
    Arguments,
    /// Parameters, but for these, which are functions of time that the user provides.
    ParametersBut(&'a [String]),
}

impl InputsAre<'_> {
    fn is_called(self, name: &str) -> bool {
        matches!(self, InputsAre::ParametersBut(called) if called.iter().any(|n| n == name))
    }
}

/// A program in the making.
pub(crate) struct Composer {
    pub builder: ProgramBuilder,
    /// The inputs that all parts share: the value that stands for each.
    common: Vec<ValueId>,
    /// The accelerations, once they are asked for: value and input of each.
    accelerations: Option<Vec<(ValueId, InputId)>>,
    /// Parameters that are arguments: the input here, and where it is among the common inputs.
    pub parameters: Vec<(InputId, usize)>,
    /// Inputs of the model, likewise.
    pub controls: Vec<(InputId, usize)>,
    /// Parameters that are numbers.
    pub fixed: Vec<(Label, f64)>,
    /// Inputs of the model that are functions of time.
    pub called: Vec<Label>,
    /// Time.
    pub time: InputId,
    /// The state.
    pub states: Vec<InputId>,
    /// Discrete states.
    pub discretes: Vec<InputId>,
    /// How many further inputs a complete program with events has.
    n_memory: usize,
}

impl Composer {
    /// A program that has the inputs of `like`, a program about `model` with this layout, less those that are fixed.
    pub fn new(
        model: &Model,
        like: &Program,
        layout: &InputLayout,
        fix: &Fix,
        inputs: InputsAre<'_>,
    ) -> Result<Self, Error> {
        check(model, layout, fix)?;
        let mut builder = ProgramBuilder::new(&model.name, Phase::ALL.map(Phase::name), Math::Finite);
        let n = layout.discretes.end;
        let mut common = Vec::with_capacity(n);
        let (mut parameters, mut controls) = (Vec::new(), Vec::new());
        let (mut fixed, mut called) = (Vec::new(), Vec::new());
        let mut n_inputs = 0;
        let mut ids = vec![InputId::from_index(0); n];
        for (id, input) in like.inputs().iter().take(n) {
            let slot = layout.parameters.iter().find(|p| p.input == id);
            let number = slot.filter(|p| fixes(fix, &model.parameters[p.id].quantity.name));
            if let Some(value) = number.and_then(|p| p.default) {
                common.push(builder.constant(value));
                fixed.push((input.label.clone(), value));
                continue;
            }
            if slot.is_some_and(|p| inputs.is_called(&model.parameters[p.id].quantity.name)) {
                // The call takes its place below, once time is known.
                common.push(builder.constant(0.0));
                called.push((id.index(), input.label.clone()));
                continue;
            }
            let mut label = input.label.clone();
            if let Some(default) = slot.and_then(|p| p.default) {
                let comma = if label.description.is_empty() { "" } else { ", " };
                label.description += &format!("{comma}{default} in the model");
            }
            let causality = slot.map(|p| match inputs {
                InputsAre::Arguments => p.causality,
                InputsAre::ParametersBut(_) => Causality::Parameter,
            });
            let is_early = causality == Some(Causality::Parameter);
            let stage = if is_early { StageId::from_index(Phase::Setup as usize) } else { input.stage };
            common.push(builder.input(label, stage));
            ids[id.index()] = InputId::from_index(n_inputs);
            match causality {
                Some(Causality::Parameter) => parameters.push((ids[id.index()], id.index())),
                Some(Causality::Input) => controls.push((ids[id.index()], id.index())),
                None => {}
            }
            n_inputs += 1;
        }
        let states = layout.state().map(|k| ids[k]).collect();
        let discretes = layout.discretes.clone().map(|k| ids[k]).collect();
        let time = ids[layout.time.index()];
        for (place, label) in &called {
            let function = builder.function(label.name.clone(), 1);
            common[*place] = builder.call(function, &[common[layout.time.index()]]);
        }
        let called = called.into_iter().map(|(_, label)| label).collect();
        Ok(Composer {
            builder,
            common,
            accelerations: None,
            parameters,
            controls,
            fixed,
            called,
            time,
            states,
            discretes,
            n_memory: 0,
        })
    }

    /// Splices a program in that has no other inputs than the common ones; the values of its outputs.
    pub fn add(&mut self, program: &Program, what: &'static str) -> Result<Vec<ValueId>, Error> {
        let inputs = &self.common[..];
        self.builder.splice(program, inputs).ok_or(Error::Mismatch(what))
    }

    /// The value of a common input.
    pub fn common(&self, input: usize) -> ValueId {
        self.common[input]
    }

    /// Splices a program in with other values for some of the common inputs, and `further` inputs after them.
    pub fn add_with(
        &mut self,
        program: &Program,
        instead: &[(usize, ValueId)],
        further: &[ValueId],
        what: &'static str,
    ) -> Result<Vec<ValueId>, Error> {
        let mut inputs = self.common.clone();
        instead.iter().for_each(|(input, value)| inputs[*input] = *value);
        inputs.extend(further);
        self.builder.splice(program, &inputs).ok_or(Error::Mismatch(what))
    }

    /// Splices a program in that also has accelerations as inputs.
    pub fn add_question(&mut self, part: &ModelProgram, what: &'static str) -> Result<Vec<ValueId>, Error> {
        let accelerations = self.accelerations(part);
        let inputs: Vec<ValueId> =
            self.common.iter().copied().chain(accelerations.into_iter().map(|(v, _)| v)).collect();
        self.builder.splice(&part.program, &inputs).ok_or(Error::Mismatch(what))
    }

    /// Splices a program in that has accelerations as inputs, which are known.
    pub fn add_moving(
        &mut self,
        part: &ModelProgram,
        accelerations: &[ValueId],
        what: &'static str,
    ) -> Result<Vec<ValueId>, Error> {
        let inputs: Vec<ValueId> = self.common.iter().chain(accelerations).copied().collect();
        self.builder.splice(&part.program, &inputs).ok_or(Error::Mismatch(what))
    }

    /// Splices a program in that has accelerations as inputs, with zeros for them.
    pub fn add_still(&mut self, part: &ModelProgram, what: &'static str) -> Result<Vec<ValueId>, Error> {
        let zero = self.builder.constant(0.0);
        let inputs: Vec<ValueId> = (0..part.program.inputs().len())
            .map(|k| if part.accelerations.contains(&k) { zero } else { self.common[k] })
            .collect();
        self.builder.splice(&part.program, &inputs).ok_or(Error::Mismatch(what))
    }

    /// The accelerations as inputs; they are made when they are first asked for.
    pub fn accelerations(&mut self, part: &ModelProgram) -> Vec<(ValueId, InputId)> {
        if let Some(known) = &self.accelerations {
            return known.clone();
        }
        let mut list = Vec::new();
        for k in part.accelerations.clone() {
            let input = &part.program.inputs()[InputId::from_index(k)];
            let id = InputId::from_index(self.n_given() + list.len());
            list.push((self.builder.input(input.label.clone(), input.stage), id));
        }
        self.accelerations = Some(list.clone());
        list
    }

    /// How many inputs all parts share, less those that are numbers.
    fn n_given(&self) -> usize {
        self.parameters.len() + self.controls.len() + 1 + self.states.len() + self.discretes.len()
    }

    /// A further input that changes between evaluations: its value and itself.
    pub fn memory(&mut self, label: Label) -> (ValueId, InputId) {
        let input = InputId::from_index(self.n_given() + self.n_memory);
        self.n_memory += 1;
        (self.builder.input(label, StageId::from_index(Phase::Time as usize)), input)
    }

    /// Delivers a value, not before the stage `earliest`.
    pub fn output(&mut self, label: Label, value: ValueId, earliest: StageId) -> OutputId {
        let stage = self.builder.stage_of(value).max(earliest);
        self.builder.output(label, stage, value)
    }
}

/// Whether a parameter becomes a number.
pub(crate) fn fixes(fix: &Fix, name: &str) -> bool {
    match fix {
        Fix::Nothing => false,
        Fix::Named(names) => names.iter().any(|n| n == name),
        Fix::Everything => true,
    }
}

/// Refuses to fix what is no independent parameter or has no value.
fn check(model: &Model, layout: &InputLayout, fix: &Fix) -> Result<(), Error> {
    let name = |p: &cardan_lower::ParameterSlot| model.parameters[p.id].quantity.name.as_str();
    if let Fix::Named(names) = fix {
        let known = |n: &&String| !layout.parameters.iter().any(|p| name(p) == n.as_str());
        if let Some(unknown) = names.iter().find(known) {
            let close = nearest(unknown, layout.parameters.iter().map(name)).map(str::to_owned);
            return Err(Error::NoSuchParameter { name: unknown.clone(), nearest: close });
        }
    }
    let without = layout.parameters.iter().filter(|p| fixes(fix, name(p)) && p.default.is_none());
    let without: Vec<String> = without.map(|p| name(p).to_owned()).collect();
    if without.is_empty() { Ok(()) } else { Err(Error::NoValue(without)) }
}
