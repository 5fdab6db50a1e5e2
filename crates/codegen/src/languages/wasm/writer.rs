//! The functions of a plan as WebAssembly.

use std::collections::BTreeMap;

use cardan_base::Id;
use cardan_program::{Beyond, Binary, Compare, FunctionId, InputId, Logic, Op, Type, Unary, ValueId};

use super::binary::{F64, Function, I32, Module, Signature, op, signed, unsigned};
use super::translate::Source;
use crate::library::Passing;
use crate::plan::{FunctionPlan, Kept, Plan, Source as Place};
use crate::writer::helpers::{is_long_power, tables};
use crate::writer::name_table::Vocabulary;

/// Where tables begin; nothing is ever at address 0.
const FIRST_ADDRESS: usize = 16;

/// Writes a plan.
pub(super) struct Writer<'a> {
    plan: &'a Plan<'a>,
    words: &'a Vocabulary,
    source: &'a Source<'a>,
    /// Index of each host function that is called.
    imports: BTreeMap<FunctionId, u32>,
    helpers: BTreeMap<&'a str, u32>,
    /// Addresses of the tables' arrays.
    tables: BTreeMap<String, Vec<usize>>,
    data: Vec<u8>,
    /// Four numbers for the rows of a surface.
    room: usize,
    /// Scratch for the matrix of any system.
    scratch: usize,
    /// Where each solution stands.
    solutions: BTreeMap<ValueId, usize>,
    free: usize,
}

/// The helpers that a plan calls, as text that mentions them.
pub(super) fn helper_calls(plan: &Plan) -> String {
    let needed = [
        ("sign_of(", plan.any(|op| matches!(op, Op::Unary(Unary::Sign, _)))),
        ("minimum(", plan.any(|op| matches!(op, Op::Binary(Binary::Min, ..)))),
        ("maximum(", plan.any(|op| matches!(op, Op::Binary(Binary::Max, ..)))),
        ("whole_power(", plan.any(|op| matches!(op, Op::Powi(..)))),
        ("look_up(", plan.any(|op| matches!(op, Op::Lookup1 { .. }))),
        ("look_up_2(", plan.any(|op| matches!(op, Op::Lookup2 { .. }))),
        ("solve_linear(", plan.any(|op| matches!(op, Op::Solve(_)))),
    ];
    needed.iter().filter(|(_, n)| *n).map(|(name, _)| *name).collect::<Vec<_>>().join(" ")
}

impl<'a> Writer<'a> {
    pub fn new(plan: &'a Plan<'a>, words: &'a Vocabulary, source: &'a Source<'a>) -> Self {
        let called = |id| plan.any(|op| matches!(op, Op::Call { function, .. } if *function == id));
        let imports: BTreeMap<FunctionId, u32> =
            plan.program.functions().ids().filter(|id| called(*id)).zip(0..).collect();
        let helpers = source.names().zip(imports.len() as u32..).collect();
        let mut data = vec![0; FIRST_ADDRESS];
        let mut table_places = BTreeMap::new();
        for table in tables(plan, &words.curves, &words.surfaces) {
            let mut places = Vec::new();
            for numbers in [&table.first, &table.second, &table.coefficients] {
                places.push(data.len());
                data.extend(numbers.iter().flat_map(|x| x.to_le_bytes()));
            }
            table_places.insert(table.name, places);
        }
        let room = data.len();
        let scratch = room + 32;
        let mut largest = 0;
        let mut solutions = BTreeMap::new();
        let mut total = 0;
        for function in &plan.functions {
            for v in &function.live {
                if let Op::Solve(s) = &plan.program.values()[*v]
                    && !solutions.contains_key(v)
                {
                    largest = largest.max(s.matrix.len());
                    solutions.insert(*v, total);
                    total += s.rhs.len();
                }
            }
        }
        let first = scratch + 8 * largest;
        solutions.values_mut().for_each(|place| *place = first + 8 * *place);
        let free = first + 8 * total;
        Writer {
            plan,
            words,
            source,
            imports,
            helpers,
            tables: table_places,
            data,
            room,
            scratch,
            solutions,
            free,
        }
    }

    /// The module.
    pub fn module(&self, about: String) -> Module {
        let functions = self.plan.program.functions();
        let import = |id: &FunctionId| {
            let parameters = vec![F64; functions[*id].arity as usize];
            (self.words.external[id.index()].clone(), Signature { parameters, results: vec![F64] })
        };
        let mut module = Module {
            imports: self.imports.keys().map(import).collect(),
            functions: self.source.translate(self.imports.len() as u32),
            data: self.data.clone(),
            free: self.free as u32,
            about,
            ..Module::default()
        };
        for function in &self.plan.functions {
            let index = (module.imports.len() + module.functions.len()) as u32;
            module.exports.push((self.words.functions[function.index].clone(), index));
            module.functions.push(Body::new(self, function).function());
        }
        module
    }
}

/// One function in the making.
struct Body<'a> {
    writer: &'a Writer<'a>,
    function: &'a FunctionPlan,
    parameters: Vec<u8>,
    work: u32,
    locals: Vec<u8>,
    inputs: BTreeMap<InputId, u32>,
    values: BTreeMap<ValueId, u32>,
    code: Vec<u8>,
}

impl<'a> Body<'a> {
    fn new(writer: &'a Writer<'a>, function: &'a FunctionPlan) -> Self {
        let plan = writer.plan;
        let spec = plan.spec(function);
        let mut parameters: Vec<u8> = Vec::new();
        for argument in &spec.arguments {
            parameters.push(if argument.passing == Passing::Scalar { F64 } else { I32 });
        }
        let work = parameters.len() as u32;
        if function.takes_work {
            parameters.push(I32);
        }
        parameters.extend(spec.results.iter().map(|_| I32));
        let mut body = Body {
            writer,
            function,
            parameters,
            work,
            locals: Vec::new(),
            inputs: BTreeMap::new(),
            values: BTreeMap::new(),
            code: Vec::new(),
        };
        for (input, _) in &function.inputs {
            let local = body.new_local(F64);
            body.inputs.insert(*input, local);
        }
        for value in &function.named {
            let local = match plan.types[value.index()] {
                Type::Real => body.new_local(F64),
                Type::Bool => body.new_local(I32),
                Type::Block(_) => continue,
            };
            body.values.insert(*value, local);
        }
        body
    }

    fn new_local(&mut self, ty: u8) -> u32 {
        self.locals.push(ty);
        (self.parameters.len() + self.locals.len()) as u32 - 1
    }

    fn function(mut self) -> Function {
        self.unpack();
        for value in &self.function.values {
            self.define(*value);
        }
        self.keep();
        self.deliver();
        let signature = Signature { parameters: self.parameters, results: Vec::new() };
        Function { signature, locals: self.locals, code: self.code }
    }

    fn get(&mut self, local: u32) {
        self.code.push(op::LOCAL_GET);
        unsigned(&mut self.code, u64::from(local));
    }
    fn set(&mut self, local: u32) {
        self.code.push(op::LOCAL_SET);
        unsigned(&mut self.code, u64::from(local));
    }
    fn real(&mut self, value: f64) {
        self.code.push(op::F64_CONST);
        self.code.extend(value.to_le_bytes());
    }
    fn whole(&mut self, value: usize) {
        self.code.push(op::I64_CONST);
        signed(&mut self.code, value as i64);
    }
    fn address(&mut self, value: usize) {
        self.code.push(op::I32_CONST);
        signed(&mut self.code, value as i64);
    }
    /// Reads the number at an offset, in bytes, from the address on the stack.
    fn load(&mut self, offset: usize) {
        self.code.extend([op::F64_LOAD, 3]);
        unsigned(&mut self.code, offset as u64);
    }
    fn store(&mut self, offset: usize) {
        self.code.extend([op::F64_STORE, 3]);
        unsigned(&mut self.code, offset as u64);
    }
    fn call(&mut self, helper: &str) {
        self.code.push(op::CALL);
        unsigned(&mut self.code, u64::from(self.writer.helpers.get(helper).copied().unwrap_or(u32::MAX)));
    }

    fn unpack(&mut self) {
        let function = self.function;
        for (input, source) in &function.inputs {
            match source {
                Place::Work(place) => {
                    self.get(self.work);
                    self.load(8 * place);
                }
                Place::Argument { argument, index } => {
                    self.get(*argument as u32);
                    if self.parameters[*argument] == I32 {
                        self.load(8 * index);
                    }
                }
            }
            self.set(self.inputs[input]);
        }
        for (value, place) in &function.loads {
            let Some(local) = self.values.get(value).copied() else { continue };
            self.get(self.work);
            self.load(8 * place);
            if self.writer.plan.types[value.index()] == Type::Bool {
                self.real(0.0);
                self.code.push(op::F64_NE);
            }
            self.set(local);
        }
    }

    fn define(&mut self, value: ValueId) {
        let writer = self.writer;
        let Op::Solve(system) = &writer.plan.program.values()[value] else {
            self.definition(value);
            self.set(self.values[&value]);
            return;
        };
        let solution = writer.solutions[&value];
        for (first, entries) in [(writer.scratch, &system.matrix), (solution, &system.rhs)] {
            for (k, entry) in entries.iter().enumerate() {
                self.address(first + 8 * k);
                self.operand(*entry);
                self.store(0);
            }
        }
        self.whole(system.n as usize);
        self.whole(writer.scratch);
        self.whole(system.rhs.len());
        self.whole(solution);
        self.call("solve_linear");
        self.code.push(op::DROP);
    }

    fn keep(&mut self) {
        let function = self.function;
        for (kept, place) in &function.stores {
            match kept {
                Kept::Input(input) => {
                    self.get(self.work);
                    self.get(self.inputs[input]);
                    self.store(8 * place);
                }
                Kept::Value(value) => {
                    if let Type::Block(n) = self.writer.plan.types[value.index()] {
                        for k in 0..n as usize {
                            self.get(self.work);
                            self.entry(*value, k);
                            self.store(8 * (place + k));
                        }
                    } else {
                        self.get(self.work);
                        self.number(*value);
                        self.store(8 * place);
                    }
                }
            }
        }
    }

    fn deliver(&mut self) {
        let results = &self.writer.plan.spec(self.function).results;
        let first = self.parameters.len() - results.len();
        for (group, r) in results.iter().enumerate() {
            for (k, output) in r.outputs.iter().enumerate() {
                self.get((first + group) as u32);
                self.number(self.writer.plan.program.outputs()[*output].value);
                self.store(8 * k);
            }
        }
    }

    /// A value as a number.
    fn number(&mut self, value: ValueId) {
        self.operand(value);
        if self.writer.plan.types[value.index()] == Type::Bool {
            self.code.push(op::F64_CONVERT_I32_S);
        }
    }

    /// One entry of a solution.
    fn entry(&mut self, solve: ValueId, index: usize) {
        match self.function.loads.iter().find(|(v, _)| *v == solve) {
            Some((_, place)) => {
                self.get(self.work);
                self.load(8 * (place + index));
            }
            None => {
                self.address(self.writer.solutions[&solve] + 8 * index);
                self.load(0);
            }
        }
    }

    fn operand(&mut self, value: ValueId) {
        match self.values.get(&value) {
            Some(local) => self.get(*local),
            None => self.definition(value),
        }
    }

    fn definition(&mut self, value: ValueId) {
        let program = self.writer.plan.program;
        let operation = &program.values()[value];
        match operation {
            Op::Const(c) => self.real(c.value()),
            Op::Truth(b) => self.address(usize::from(*b)),
            Op::Input(i) => self.get(self.inputs[i]),
            Op::Extract { solve, index } => self.entry(*solve, *index as usize),
            Op::Select(condition, a, b) => {
                for v in [a, b, condition] {
                    self.operand(*v);
                }
                self.code.push(op::SELECT);
            }
            Op::Powi(a, n @ (2 | 3)) if !is_long_power(program, operation) => {
                for _ in 0..*n {
                    self.operand(*a);
                }
                for _ in 1..*n {
                    self.code.push(op::F64_MUL);
                }
            }
            Op::Powi(a, n) => {
                self.operand(*a);
                self.whole(n.unsigned_abs() as usize);
                self.whole(usize::from(*n < 0));
                self.call("whole_power");
            }
            Op::Lookup1 { table, x, order } => self.curve(table.index(), *x, *order),
            Op::Lookup2 { table, x, y, dx, dy } => self.surface(table.index(), [*x, *y], [*dx, *dy]),
            _ => {
                operation.for_each_operand(|v| self.operand(v));
                self.operator(operation);
            }
        }
    }

    fn curve(&mut self, table: usize, x: ValueId, order: u8) {
        let writer = self.writer;
        let curve = &writer.plan.program.curves().as_slice()[table];
        let places = &writer.tables[&writer.words.curves[table]];
        self.whole(places[0]);
        self.whole(curve.knots().len());
        self.whole(places[2]);
        self.whole(usize::from(curve.beyond() == Beyond::Clamp));
        self.operand(x);
        self.whole(usize::from(order));
        self.call("look_up");
    }

    fn surface(&mut self, table: usize, arguments: [ValueId; 2], orders: [u8; 2]) {
        let writer = self.writer;
        let surface = &writer.plan.program.surfaces().as_slice()[table];
        let places = &writer.tables[&writer.words.surfaces[table]];
        self.whole(places[0]);
        self.whole(surface.x().len());
        self.whole(places[1]);
        self.whole(surface.y().len());
        self.whole(places[2]);
        self.whole(writer.room);
        self.whole(usize::from(surface.beyond() == Beyond::Clamp));
        arguments.into_iter().for_each(|v| self.operand(v));
        orders.into_iter().for_each(|d| self.whole(usize::from(d)));
        self.call("look_up_2");
    }

    /// An operator whose operands are on the stack.
    fn operator(&mut self, operation: &Op) {
        match operation {
            Op::Unary(u, _) => match u {
                Unary::Neg => self.code.push(op::F64_NEG),
                Unary::Abs => self.code.push(op::F64_ABS),
                Unary::Floor => self.code.push(op::F64_FLOOR),
                Unary::Sqrt => self.code.push(op::F64_SQRT),
                Unary::Sign => self.call("sign_of"),
                u => self.call(u.name()),
            },
            Op::Binary(b, ..) => match b {
                Binary::Add => self.code.push(op::F64_ADD),
                Binary::Sub => self.code.push(op::F64_SUB),
                Binary::Mul => self.code.push(op::F64_MUL),
                Binary::Div => self.code.push(op::F64_DIV),
                Binary::Min => self.call("minimum"),
                Binary::Max => self.call("maximum"),
                Binary::Atan2 => self.call("atan2"),
                Binary::Pow => self.call("pow"),
            },
            Op::Fma(..) => self.call("fused"),
            Op::Compare(c, ..) => self.code.push(match c {
                Compare::Lt => op::F64_LT,
                Compare::Le => op::F64_LE,
                Compare::Eq => op::F64_EQ,
                Compare::Ne => op::F64_NE,
            }),
            Op::Logic(Logic::And, ..) => self.code.push(op::I32_AND),
            Op::Logic(Logic::Or, ..) => self.code.push(op::I32_OR),
            Op::Not(_) => self.code.push(op::I32_EQZ),
            Op::Call { function, .. } => {
                self.code.push(op::CALL);
                let index = self.writer.imports.get(function).copied().unwrap_or(u32::MAX);
                unsigned(&mut self.code, u64::from(index));
            }
            _ => {}
        }
    }
}
