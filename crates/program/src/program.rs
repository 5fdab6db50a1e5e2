//! The program itself: inputs, values in evaluation order, stages, outputs.
//!
//! Values are grouped into stages that follow one another; a value reads only values before it, hence only of
//! its own and earlier stages. An engine runs any contiguous range of stages and keeps what later stages read
//! in its own memory, so that `setup` may be run once per parameter set and the rest once per step. Inputs
//! are read afresh on every run; whoever changes one runs again from its stage on.

use std::ops::Range;

use cardan_base::{Arena, Id};

use crate::op::{CurveId, FunctionId, InputId, Op, OutputId, StageId, SurfaceId, Type, ValueId};
use crate::table::{Curve, Surface};

/// What people call a number.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Label {
    /// Short name.
    pub name: String,
    /// Unit as text; empty for a pure number.
    pub unit: String,
    /// One line of explanation; may be empty.
    pub description: String,
}

impl Label {
    /// A label of these three texts.
    pub fn new(name: impl Into<String>, unit: impl Into<String>, description: impl Into<String>) -> Self {
        Label { name: name.into(), unit: unit.into(), description: description.into() }
    }
    /// A name alone.
    pub fn named(name: impl Into<String>) -> Self {
        Label::new(name, "", "")
    }
}

/// A number that the caller provides.
#[derive(Clone, PartialEq, Debug)]
pub struct Input {
    /// Name, unit, description.
    pub label: Label,
    /// The earliest stage that may read it.
    pub stage: StageId,
}

/// A number that the program delivers. A truth value is delivered as 1 or 0.
#[derive(Clone, PartialEq, Debug)]
pub struct Output {
    /// Name, unit, description.
    pub label: Label,
    /// The value delivered.
    pub value: ValueId,
    /// The stage that delivers it; not before the value's own.
    pub stage: StageId,
}

/// A group of values that are computed together.
#[derive(Clone, PartialEq, Debug)]
pub struct Stage {
    /// Name, such as `setup` or `motion`.
    pub name: String,
    /// One past the last value; the stage begins where the one before ends.
    pub(crate) end: usize,
}

/// A function that the host provides under a name.
#[derive(Clone, PartialEq, Debug)]
pub struct Function {
    /// The name under which it is bound.
    pub name: String,
    /// Number of arguments.
    pub arity: u32,
    /// For each argument, the function (of the same arguments) that is the partial derivative, if there is
    /// one.
    pub derivatives: Vec<Option<FunctionId>>,
}

/// A contiguous range of stages.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stages {
    /// First stage.
    pub first: StageId,
    /// Last stage, included.
    pub last: StageId,
}

impl Stages {
    /// Whether the stage lies in the range.
    pub fn contains(self, stage: StageId) -> bool {
        self.first <= stage && stage <= self.last
    }
    /// The stages in order.
    pub fn iter(self) -> impl Iterator<Item = StageId> {
        (self.first.index()..=self.last.index()).map(StageId::from_index)
    }
}

impl From<StageId> for Stages {
    fn from(stage: StageId) -> Self {
        Stages { first: stage, last: stage }
    }
}

/// A straight-line numeric program.
#[derive(Clone, PartialEq, Debug)]
pub struct Program {
    pub(crate) name: String,
    pub(crate) stages: Arena<StageId, Stage>,
    pub(crate) inputs: Arena<InputId, Input>,
    pub(crate) values: Arena<ValueId, Op>,
    pub(crate) outputs: Arena<OutputId, Output>,
    pub(crate) curves: Arena<CurveId, Curve>,
    pub(crate) surfaces: Arena<SurfaceId, Surface>,
    pub(crate) functions: Arena<FunctionId, Function>,
}

impl Program {
    /// The name.
    pub fn name(&self) -> &str {
        &self.name
    }
    /// Stages in order; there is at least one.
    pub fn stages(&self) -> &Arena<StageId, Stage> {
        &self.stages
    }
    /// Inputs in the order of the flat input vector.
    pub fn inputs(&self) -> &Arena<InputId, Input> {
        &self.inputs
    }
    /// Values in evaluation order.
    pub fn values(&self) -> &Arena<ValueId, Op> {
        &self.values
    }
    /// Outputs in the order of the flat output vector.
    pub fn outputs(&self) -> &Arena<OutputId, Output> {
        &self.outputs
    }
    /// Tables of one argument.
    pub fn curves(&self) -> &Arena<CurveId, Curve> {
        &self.curves
    }
    /// Tables of two arguments.
    pub fn surfaces(&self) -> &Arena<SurfaceId, Surface> {
        &self.surfaces
    }
    /// Functions that the host must provide.
    pub fn functions(&self) -> &Arena<FunctionId, Function> {
        &self.functions
    }
    /// The stage of this name.
    pub fn stage(&self, name: &str) -> Option<StageId> {
        self.stages.iter().find(|(_, s)| s.name == name).map(|(id, _)| id)
    }
    /// The range from one named stage to another, both included.
    pub fn stage_range(&self, first: &str, last: &str) -> Option<Stages> {
        let range = Stages { first: self.stage(first)?, last: self.stage(last)? };
        (range.first <= range.last).then_some(range)
    }
    /// All stages.
    pub fn all_stages(&self) -> Stages {
        Stages { first: StageId::from_index(0), last: StageId::from_index(self.stages.len().max(1) - 1) }
    }
    /// The values of one stage, as indices.
    pub fn stage_values(&self, stage: StageId) -> Range<usize> {
        let start = match stage.index() {
            0 => 0,
            i => self.stages[StageId::from_index(i - 1)].end,
        };
        start..self.stages[stage].end
    }
    /// The stage that computes a value.
    pub fn stage_of(&self, value: ValueId) -> StageId {
        StageId::from_index(self.stages.as_slice().partition_point(|s| s.end <= value.index()))
    }
    /// The input of this name.
    pub fn input_named(&self, name: &str) -> Option<InputId> {
        self.inputs.iter().find(|(_, i)| i.label.name == name).map(|(id, _)| id)
    }
    /// The output of this name.
    pub fn output_named(&self, name: &str) -> Option<OutputId> {
        self.outputs.iter().find(|(_, o)| o.label.name == name).map(|(id, _)| id)
    }
    /// The type of a value. Of an ill-formed operation it is what the operation should yield.
    pub fn type_of(&self, value: ValueId) -> Type {
        let mut value = value;
        while let Op::Select(_, a, _) = &self.values[value] {
            value = *a;
        }
        op_type(&self.values[value], |_| Type::Real)
    }
    /// The types of all values in order.
    pub fn types(&self) -> Vec<Type> {
        let mut types: Vec<Type> = Vec::with_capacity(self.values.len());
        for (_, op) in self.values.iter() {
            let ty = op_type(op, |v| types.get(v.index()).copied().unwrap_or(Type::Real));
            types.push(ty);
        }
        types
    }
    /// Which inputs are read, by operations or by outputs.
    pub fn inputs_read(&self) -> Vec<bool> {
        let counts = self.use_counts();
        let mut read = vec![false; self.inputs.len()];
        for (value, op) in self.values.iter() {
            if let Op::Input(input) = op {
                read[input.index()] |= counts[value.index()] > 0;
            }
        }
        read
    }
    /// How many times each value is read, by operations and by outputs.
    pub fn use_counts(&self) -> Vec<u32> {
        let mut counts = vec![0; self.values.len()];
        for (_, op) in self.values.iter() {
            op.for_each_operand(|v| counts[v.index()] += 1);
        }
        for (_, output) in self.outputs.iter() {
            counts[output.value.index()] += 1;
        }
        counts
    }
}

/// The type that an operation yields, given the types of its operands.
pub(crate) fn op_type(op: &Op, type_of: impl Fn(ValueId) -> Type) -> Type {
    match op {
        Op::Truth(_) | Op::Compare(..) | Op::Logic(..) | Op::Not(_) => Type::Bool,
        Op::Solve(s) => Type::Block(s.rhs.len() as u32),
        Op::Select(_, a, _) => type_of(*a),
        _ => Type::Real,
    }
}
