//! The interpreter: the meaning of a program, one operation at a time.

use std::sync::Arc;

use cardan_base::{Arena, Id};

use crate::execute::{EvalError, Execute, Host, HostFunction, Unbound, check_run};
use crate::linear;
use crate::math;
use crate::op::{FunctionId, Op, Solve, Type, ValueId};
use crate::program::{Program, Stages};
use crate::semantics;

/// Runs a program by walking through its values.
#[derive(Clone)]
pub struct Interpreter {
    program: Arc<Program>,
    functions: Arena<FunctionId, HostFunction>,
    /// Where each value lives in `memory`; a block takes as many places as it has entries.
    place: Vec<usize>,
    /// The place of each input value, and the input.
    inputs: Vec<(usize, usize)>,
    memory: Vec<f64>,
    arguments: Vec<f64>,
}

impl std::fmt::Debug for Interpreter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Interpreter").field("program", &self.program.name()).finish_non_exhaustive()
    }
}

impl Interpreter {
    /// An interpreter for a program that calls no host functions.
    pub fn new(program: &Program) -> Result<Self, Unbound> {
        Self::with_host(program, &Host::new())
    }

    /// An interpreter whose host functions are looked up in `host`.
    pub fn with_host(program: &Program, host: &Host) -> Result<Self, Unbound> {
        let functions = host.resolve(program)?;
        let mut place = Vec::with_capacity(program.values().len());
        let mut size = 0;
        for ty in program.types() {
            place.push(size);
            size += if let Type::Block(n) = ty { n as usize } else { 1 };
        }
        let mut memory = vec![0.0; size];
        let mut inputs = Vec::new();
        for (id, op) in program.values().iter() {
            match op {
                Op::Input(i) => inputs.push((place[id.index()], i.index())),
                Op::Const(c) => memory[place[id.index()]] = c.value(),
                Op::Truth(b) => memory[place[id.index()]] = f64::from(u8::from(*b)),
                _ => {}
            }
        }
        let program = Arc::new(program.clone());
        Ok(Interpreter { program, functions, place, inputs, memory, arguments: Vec::new() })
    }

    /// The value as last computed; a truth value is 1 or 0, a block shows its first entry.
    pub fn value(&self, value: ValueId) -> f64 {
        self.memory[self.place[value.index()]]
    }

    fn truth(&self, value: ValueId) -> bool {
        self.value(value) != 0.0
    }

    fn solve(&mut self, system: &Solve, place: usize) -> bool {
        self.arguments.clear();
        self.arguments.extend(system.matrix.iter().map(|v| self.memory[self.place[v.index()]]));
        for (k, v) in system.rhs.iter().enumerate() {
            self.memory[place + k] = self.memory[self.place[v.index()]];
        }
        let columns = &mut self.memory[place..place + system.rhs.len()];
        linear::solve(system.n as usize, &mut self.arguments, columns)
    }

    fn call(&mut self, function: FunctionId, args: &[ValueId]) -> f64 {
        self.arguments.clear();
        self.arguments.extend(args.iter().map(|v| self.memory[self.place[v.index()]]));
        (self.functions[function])(&self.arguments)
    }

    fn compute(&mut self, program: &Program, id: ValueId) -> Result<(), EvalError> {
        let place = self.place[id.index()];
        let truth = |b: bool| f64::from(u8::from(b));
        self.memory[place] = match &program.values()[id] {
            Op::Const(_) | Op::Truth(_) | Op::Input(_) => return Ok(()),
            Op::Unary(op, a) => semantics::unary(*op, self.value(*a)),
            Op::Binary(op, a, b) => semantics::binary(*op, self.value(*a), self.value(*b)),
            Op::Fma(a, b, c) => self.value(*a).mul_add(self.value(*b), self.value(*c)),
            Op::Powi(a, n) => math::powi(self.value(*a), *n),
            Op::Compare(op, a, b) => truth(semantics::compare(*op, self.value(*a), self.value(*b))),
            Op::Logic(op, a, b) => truth(semantics::logic(*op, self.truth(*a), self.truth(*b))),
            Op::Not(a) => truth(!self.truth(*a)),
            Op::Select(c, a, b) => self.value(if self.truth(*c) { *a } else { *b }),
            Op::Lookup1 { table, x, order } => program.curves()[*table].eval(self.value(*x), *order),
            Op::Lookup2 { table, x, y, dx, dy } => {
                program.surfaces()[*table].eval(self.value(*x), self.value(*y), *dx, *dy)
            }
            Op::Call { function, args } => self.call(*function, args),
            Op::Solve(system) => {
                return if self.solve(system, place) {
                    Ok(())
                } else {
                    Err(EvalError::NotFinite { solve: id })
                };
            }
            Op::Extract { solve, index } => self.memory[self.place[solve.index()] + *index as usize],
        };
        Ok(())
    }
}

impl Execute for Interpreter {
    fn run(&mut self, stages: Stages, inputs: &[f64], outputs: &mut [f64]) -> Result<(), EvalError> {
        let expected = (self.n_inputs(), self.n_outputs());
        check_run(self.program.stages().len(), stages, expected, (inputs.len(), outputs.len()))?;
        for (place, input) in &self.inputs {
            self.memory[*place] = inputs[*input];
        }
        let program = Arc::clone(&self.program);
        let mut result = Ok(());
        for stage in stages.iter() {
            for index in program.stage_values(stage) {
                let computed = self.compute(&program, ValueId::from_index(index));
                result = result.and(computed);
            }
        }
        for (id, output) in program.outputs().iter() {
            if stages.contains(output.stage) {
                outputs[id.index()] = self.value(output.value);
            }
        }
        result
    }
    fn n_inputs(&self) -> usize {
        self.program.inputs().len()
    }
    fn n_outputs(&self) -> usize {
        self.program.outputs().len()
    }
}
