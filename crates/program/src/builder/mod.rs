//! Making a program value by value.
//!
//! The builder numbers values: asking twice for the same operation on the same operands yields the same
//! value. Constants are folded with the interpreter's own arithmetic, hence bit for bit. Each value goes to
//! the latest stage of its operands; [`finish`](ProgramBuilder::finish) sorts values by stage and verifies
//! the result.

pub(crate) mod inline_program;
pub(crate) mod simplify;

use std::collections::hash_map::Entry;
use std::sync::Arc;

use cardan_base::{Arena, Id, Map};

use crate::op::{
    Binary, Compare, Constant, CurveId, FunctionId, InputId, Logic, Op, OutputId, Solve, StageId, SurfaceId,
    Unary, ValueId,
};
use crate::program::{Function, Input, Label, Output, Program, Stage};
use crate::table::{Curve, Surface};
use crate::verify::{VerifyError, verify};

/// Which identities may be applied.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Math {
    /// Only those that change no bit of any result.
    #[default]
    Strict,
    /// Also those that hold for finite numbers when the sign of zero does not matter: x + 0 = x, 0 x = 0, x −
    /// x = 0.
    Finite,
}

/// Builds a [`Program`]. Copies share inputs and tables: a builder is copied for every way that is tried from where it is.
#[derive(Clone, Debug)]
pub struct ProgramBuilder {
    pub(crate) math: Math,
    name: String,
    stages: Vec<String>,
    inputs: Arc<Arena<InputId, Input>>,
    input_values: Vec<ValueId>,
    outputs: Arena<OutputId, Output>,
    curves: Arc<Arena<CurveId, Curve>>,
    surfaces: Arc<Arena<SurfaceId, Surface>>,
    functions: Arena<FunctionId, Function>,
    pub(crate) values: Arena<ValueId, Op>,
    value_stages: Vec<StageId>,
    numbers: Map<Op, ValueId>,
    earliest: StageId,
}

impl ProgramBuilder {
    /// An empty program with these stages, in order. Without any there is one stage, `main`.
    pub fn new<S: Into<String>>(
        name: impl Into<String>,
        stages: impl IntoIterator<Item = S>,
        math: Math,
    ) -> Self {
        let mut stages: Vec<String> = stages.into_iter().map(Into::into).collect();
        if stages.is_empty() {
            stages.push("main".into());
        }
        ProgramBuilder {
            math,
            name: name.into(),
            stages,
            inputs: Arc::default(),
            input_values: Vec::new(),
            outputs: Arena::new(),
            curves: Arc::default(),
            surfaces: Arc::default(),
            functions: Arena::new(),
            values: Arena::new(),
            value_stages: Vec::new(),
            numbers: Map::default(),
            earliest: StageId::from_index(0),
        }
    }

    /// A builder with the same stages, inputs, tables and functions as a program, but no outputs.
    /// Each input is value `input_value(i)`.
    pub fn like(program: &Program, math: Math) -> Self {
        let stages = program.stages.iter().map(|(_, s)| s.name.clone());
        let mut builder = ProgramBuilder::new(program.name.clone(), stages, math);
        builder.curves = Arc::new(program.curves.clone());
        builder.surfaces = Arc::new(program.surfaces.clone());
        builder.functions = program.functions.clone();
        for (_, input) in program.inputs.iter() {
            builder.input(input.label.clone(), input.stage);
        }
        builder
    }

    /// Replaces the name.
    pub fn rename(&mut self, name: impl Into<String>) {
        self.name = name.into();
    }
    /// The stage of this name.
    pub fn stage(&self, name: &str) -> Option<StageId> {
        self.stages.iter().position(|s| s == name).map(StageId::from_index)
    }
    /// From now on no new value goes to a stage before this one; returns the bound that held until now.
    pub fn set_earliest_stage(&mut self, stage: StageId) -> StageId {
        std::mem::replace(&mut self.earliest, stage)
    }
    /// The stage that will compute a value.
    pub fn stage_of(&self, value: ValueId) -> StageId {
        self.value_stages[value.index()]
    }
    /// The operation behind a value.
    pub fn operation(&self, value: ValueId) -> &Op {
        &self.values[value]
    }
    /// Number of values so far.
    pub fn n_values(&self) -> usize {
        self.values.len()
    }

    /// Makes room for so many more values.
    pub fn reserve(&mut self, n: usize) {
        self.values.reserve(n);
        self.value_stages.reserve(n);
        self.numbers.reserve(n);
    }

    /// Adds an input; stages from `stage` on may read it.
    pub fn input(&mut self, label: Label, stage: StageId) -> ValueId {
        let id = Arc::make_mut(&mut self.inputs).push(Input { label, stage });
        let value = self.insert(Op::Input(id));
        self.input_values.push(value);
        value
    }
    /// The value of an input.
    pub fn input_value(&self, input: InputId) -> ValueId {
        self.input_values[input.index()]
    }
    /// Adds an output. It is delivered by `stage`, or by the stage of its value if that is later.
    pub fn output(&mut self, label: Label, stage: StageId, value: ValueId) -> OutputId {
        let stage = stage.max(self.stage_of(value));
        self.outputs.push(Output { label, value, stage })
    }
    /// Adds a table of one argument.
    pub fn curve(&mut self, curve: Curve) -> CurveId {
        Arc::make_mut(&mut self.curves).push(curve)
    }
    /// Adds a table of two arguments.
    pub fn surface(&mut self, surface: Surface) -> SurfaceId {
        Arc::make_mut(&mut self.surfaces).push(surface)
    }
    /// The table equal to this one, added if there is none yet.
    pub fn shared_curve(&mut self, curve: &Curve) -> CurveId {
        let known = self.curves.iter().find(|(_, c)| *c == curve).map(|(id, _)| id);
        known.unwrap_or_else(|| self.curve(curve.clone()))
    }
    /// The table equal to this one, added if there is none yet.
    pub(crate) fn shared_surface(&mut self, surface: &Surface) -> SurfaceId {
        let known = self.surfaces.iter().find(|(_, s)| *s == surface).map(|(id, _)| id);
        known.unwrap_or_else(|| self.surface(surface.clone()))
    }
    /// The tables of one argument.
    pub fn curves(&self) -> &Arena<CurveId, Curve> {
        &self.curves
    }
    /// The tables of two arguments.
    pub fn surfaces(&self) -> &Arena<SurfaceId, Surface> {
        &self.surfaces
    }
    /// Number of arguments of a function.
    pub fn arity(&self, function: FunctionId) -> u32 {
        self.functions[function].arity
    }
    /// Declares a function of the host; the same name gives the same function.
    pub fn function(&mut self, name: impl Into<String>, arity: u32) -> FunctionId {
        let name = name.into();
        if let Some((id, _)) = self.functions.iter().find(|(_, f)| f.name == name) {
            return id;
        }
        self.functions.push(Function { name, arity, derivatives: vec![None; arity as usize] })
    }
    /// States that `derivative` is the partial derivative of `function` with respect to its argument number
    /// `argument`. A number beyond the arity is ignored.
    pub fn set_derivative(&mut self, function: FunctionId, argument: usize, derivative: FunctionId) {
        if let Some(place) = self.functions[function].derivatives.get_mut(argument) {
            *place = Some(derivative);
        }
    }

    /// The value of an operation, simplified and shared.
    pub fn op(&mut self, op: Op) -> ValueId {
        match self.simplify(op) {
            Ok(value) => value,
            Err(op) => self.insert(op),
        }
    }

    /// The value of exactly this operation.
    pub(crate) fn insert(&mut self, op: Op) -> ValueId {
        let new = match self.numbers.entry(op) {
            Entry::Occupied(known) => return *known.get(),
            Entry::Vacant(new) => new,
        };
        let op = new.key();
        let mut stage = StageId::from_index(0);
        match op {
            Op::Const(_) | Op::Truth(_) => {}
            Op::Input(i) => stage = self.inputs[*i].stage,
            _ => {
                stage = self.earliest;
                op.for_each_operand(|v| stage = stage.max(self.value_stages[v.index()]));
            }
        }
        let value = self.values.push(op.clone());
        self.value_stages.push(stage);
        new.insert(value);
        value
    }

    /// Sorts the values by stage and checks everything.
    pub fn finish(self) -> Result<Program, VerifyError> {
        let mut order: Vec<ValueId> = self.values.ids().collect();
        order.sort_by_key(|v| self.value_stages[v.index()]);
        let mut new_id = vec![ValueId::from_index(0); order.len()];
        for (new, old) in order.iter().enumerate() {
            new_id[old.index()] = ValueId::from_index(new);
        }
        let values = order.iter().map(|v| self.values[*v].map_operands(|o| new_id[o.index()])).collect();
        let ends = (0..self.stages.len()).map(|s| order.partition_point(|v| self.stage_of(*v).index() <= s));
        let stages = ends.zip(&self.stages).map(|(end, name)| Stage { name: name.clone(), end }).collect();
        let mut outputs = self.outputs;
        for (_, output) in outputs.iter_mut() {
            output.value = new_id[output.value.index()];
        }
        let program = Program {
            name: self.name,
            stages,
            inputs: Arc::unwrap_or_clone(self.inputs),
            values,
            outputs,
            curves: Arc::unwrap_or_clone(self.curves),
            surfaces: Arc::unwrap_or_clone(self.surfaces),
            functions: self.functions,
        };
        verify(&program)?;
        Ok(program)
    }
}

/// One method per operation.
impl ProgramBuilder {
    /// A fixed number.
    pub fn constant(&mut self, value: f64) -> ValueId {
        self.op(Op::Const(Constant::new(value)))
    }
    /// A fixed truth value.
    pub fn truth(&mut self, value: bool) -> ValueId {
        self.op(Op::Truth(value))
    }
    /// An operation of one real.
    pub fn unary(&mut self, op: Unary, x: ValueId) -> ValueId {
        self.op(Op::Unary(op, x))
    }
    /// An operation of two reals.
    pub fn binary(&mut self, op: Binary, a: ValueId, b: ValueId) -> ValueId {
        self.op(Op::Binary(op, a, b))
    }
    /// −x.
    pub fn neg(&mut self, x: ValueId) -> ValueId {
        self.unary(Unary::Neg, x)
    }
    /// a + b.
    pub fn add(&mut self, a: ValueId, b: ValueId) -> ValueId {
        self.binary(Binary::Add, a, b)
    }
    /// a − b.
    pub fn sub(&mut self, a: ValueId, b: ValueId) -> ValueId {
        self.binary(Binary::Sub, a, b)
    }
    /// a · b.
    pub fn mul(&mut self, a: ValueId, b: ValueId) -> ValueId {
        self.binary(Binary::Mul, a, b)
    }
    /// a / b.
    pub fn div(&mut self, a: ValueId, b: ValueId) -> ValueId {
        self.binary(Binary::Div, a, b)
    }
    /// a · b + c, rounded once.
    pub fn fma(&mut self, a: ValueId, b: ValueId, c: ValueId) -> ValueId {
        self.op(Op::Fma(a, b, c))
    }
    /// A whole power.
    pub fn powi(&mut self, x: ValueId, n: i32) -> ValueId {
        self.op(Op::Powi(x, n))
    }
    /// A comparison.
    pub fn compare(&mut self, op: Compare, a: ValueId, b: ValueId) -> ValueId {
        self.op(Op::Compare(op, a, b))
    }
    /// Both.
    pub fn and(&mut self, a: ValueId, b: ValueId) -> ValueId {
        self.op(Op::Logic(Logic::And, a, b))
    }
    /// At least one.
    pub fn or(&mut self, a: ValueId, b: ValueId) -> ValueId {
        self.op(Op::Logic(Logic::Or, a, b))
    }
    /// The opposite.
    pub fn not(&mut self, a: ValueId) -> ValueId {
        self.op(Op::Not(a))
    }
    /// `a` if `condition`, otherwise `b`.
    pub fn select(&mut self, condition: ValueId, a: ValueId, b: ValueId) -> ValueId {
        self.op(Op::Select(condition, a, b))
    }
    /// A table of one argument, or its derivative.
    pub fn lookup1(&mut self, table: CurveId, x: ValueId, order: u8) -> ValueId {
        self.op(Op::Lookup1 { table, x, order })
    }
    /// A table of two arguments, or a partial derivative.
    pub fn lookup2(&mut self, table: SurfaceId, x: ValueId, y: ValueId, dx: u8, dy: u8) -> ValueId {
        self.op(Op::Lookup2 { table, x, y, dx, dy })
    }
    /// A function of the host.
    pub fn call(&mut self, function: FunctionId, args: &[ValueId]) -> ValueId {
        self.op(Op::Call { function, args: args.into() })
    }
    /// The unknowns of A X = B: A by rows, B and X column by column.
    pub fn solve(&mut self, n: u32, matrix: &[ValueId], rhs: &[ValueId]) -> Vec<ValueId> {
        let solve = self.op(Op::Solve(Box::new(Solve { n, matrix: matrix.into(), rhs: rhs.into() })));
        (0..rhs.len() as u32).map(|index| self.op(Op::Extract { solve, index })).collect()
    }
}
