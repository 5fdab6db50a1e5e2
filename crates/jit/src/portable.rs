//! The portable engine: operations sorted into runs of one kind.
//!
//! Within a stage the operations that are ready are grouped by kind, the largest group goes first, and
//! whatever becomes ready of the same kind joins it. So the engine decides what to do once per run instead of
//! once per operation, several times faster than the interpreter, on any machine and without `unsafe`.

use std::collections::BTreeMap;
use std::sync::Arc;

use cardan_base::{Arena, Id};
use cardan_program::execute::check_run;
use cardan_program::{
    Binary, Compare, EvalError, Execute, FunctionId, Host, HostFunction, Logic, Op, Program, Solve, StageId,
    Stages, Type, Unary, Unbound, ValueId, linear, math, semantics,
};

/// Operations that share one loop.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Kind {
    Unary(Unary),
    Binary(Binary),
    Fma,
    Powi(i32),
    Compare(Compare),
    Logic(Logic),
    Not,
    Select,
    /// Tables, calls, systems and their entries: one at a time.
    Single,
}

impl Kind {
    fn of(op: &Op) -> Option<Kind> {
        Some(match op {
            Op::Const(_) | Op::Truth(_) | Op::Input(_) => return None,
            Op::Unary(op, _) => Kind::Unary(*op),
            Op::Binary(op, ..) => Kind::Binary(*op),
            Op::Fma(..) => Kind::Fma,
            Op::Powi(_, n) => Kind::Powi(*n),
            Op::Compare(op, ..) => Kind::Compare(*op),
            Op::Logic(op, ..) => Kind::Logic(*op),
            Op::Not(_) => Kind::Not,
            Op::Select(..) => Kind::Select,
            Op::Lookup1 { .. } | Op::Lookup2 { .. } | Op::Call { .. } | Op::Solve(_) | Op::Extract { .. } => {
                Kind::Single
            }
        })
    }
}

/// Operations `first..end` of the stage's list, all of one kind.
#[derive(Clone, Copy, Debug)]
struct Run {
    kind: Kind,
    first: usize,
    end: usize,
}

/// Result and up to three operands, as places in memory; for single operations the result is the value
/// itself.
type Places = [u32; 4];

#[derive(Debug, Default)]
struct StageTape {
    runs: Vec<Run>,
    operations: Vec<Places>,
    /// (output, place) to deliver at the end.
    outputs: Vec<(usize, usize)>,
}

/// What all copies share.
struct Recorded {
    program: Program,
    functions: Arena<FunctionId, HostFunction>,
    place: Vec<u32>,
    inputs: Vec<(usize, usize)>,
    stages: Vec<StageTape>,
}

/// A program as runs of operations. Copies share them and have memories of their own.
#[derive(Clone)]
pub(crate) struct Tape {
    recorded: Arc<Recorded>,
    memory: Vec<f64>,
    arguments: Vec<f64>,
}

impl std::fmt::Debug for Tape {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Tape").field("program", &self.recorded.program.name()).finish_non_exhaustive()
    }
}

impl Tape {
    /// Sorts a program into runs.
    pub(crate) fn new(program: &Program, host: &Host) -> Result<Tape, Unbound> {
        let functions = host.resolve(program)?;
        let mut place: Vec<u32> = Vec::with_capacity(program.values().len());
        let mut size = 0;
        for ty in program.types() {
            place.push(size);
            size += if let Type::Block(n) = ty { n } else { 1 };
        }
        let mut memory = vec![0.0; size as usize];
        let mut inputs = Vec::new();
        for (id, op) in program.values().iter() {
            let own = place[id.index()] as usize;
            match op {
                Op::Const(c) => memory[own] = c.value(),
                Op::Truth(t) => memory[own] = truth(*t),
                Op::Input(i) => inputs.push((own, i.index())),
                _ => {}
            }
        }
        let users = Users::new(program);
        let stages = program.stages().ids().map(|stage| record(program, stage, &users, &place)).collect();
        let recorded = Recorded { program: program.clone(), functions, place, inputs, stages };
        Ok(Tape { recorded: Arc::new(recorded), memory, arguments: Vec::new() })
    }

    /// One table, call, system or entry.
    fn single(&mut self, recorded: &Recorded, value: ValueId) -> Result<(), EvalError> {
        let place = |v: ValueId| recorded.place[v.index()] as usize;
        let own = place(value);
        match &recorded.program.values()[value] {
            Op::Lookup1 { table, x, order } => {
                self.memory[own] = recorded.program.curves()[*table].eval(self.memory[place(*x)], *order);
            }
            Op::Lookup2 { table, x, y, dx, dy } => {
                let (x, y) = (self.memory[place(*x)], self.memory[place(*y)]);
                self.memory[own] = recorded.program.surfaces()[*table].eval(x, y, *dx, *dy);
            }
            Op::Call { function, args } => {
                self.arguments.clear();
                self.arguments.extend(args.iter().map(|v| self.memory[place(*v)]));
                self.memory[own] = (recorded.functions[*function])(&self.arguments);
            }
            Op::Extract { solve, index } => self.memory[own] = self.memory[place(*solve) + *index as usize],
            Op::Solve(system) => return self.solve(recorded, system, value),
            _ => {}
        }
        Ok(())
    }

    fn solve(&mut self, recorded: &Recorded, system: &Solve, value: ValueId) -> Result<(), EvalError> {
        let place = |v: &ValueId| recorded.place[v.index()] as usize;
        self.arguments.clear();
        self.arguments.extend(system.matrix.iter().map(|v| self.memory[place(v)]));
        let own = place(&value);
        for (k, v) in system.rhs.iter().enumerate() {
            self.memory[own + k] = self.memory[place(v)];
        }
        let columns = &mut self.memory[own..own + system.rhs.len()];
        let solved = linear::solve(system.n as usize, &mut self.arguments, columns);
        if solved { Ok(()) } else { Err(EvalError::NotFinite { solve: value }) }
    }
}

impl Execute for Tape {
    fn run(&mut self, stages: Stages, inputs: &[f64], outputs: &mut [f64]) -> Result<(), EvalError> {
        let recorded = Arc::clone(&self.recorded);
        let expected = (self.n_inputs(), self.n_outputs());
        check_run(recorded.stages.len(), stages, expected, (inputs.len(), outputs.len()))?;
        for (place, input) in &recorded.inputs {
            self.memory[*place] = inputs[*input];
        }
        let mut first_not_finite: Option<ValueId> = None;
        for stage in &recorded.stages[stages.first.index()..=stages.last.index()] {
            for run in &stage.runs {
                let operations = &stage.operations[run.first..run.end];
                if run.kind != Kind::Single {
                    perform(run.kind, operations, &mut self.memory);
                    continue;
                }
                for [value, ..] in operations {
                    if let Err(EvalError::NotFinite { solve }) =
                        self.single(&recorded, ValueId::from_index(*value as usize))
                    {
                        first_not_finite = Some(first_not_finite.map_or(solve, |v| v.min(solve)));
                    }
                }
            }
            for (output, place) in &stage.outputs {
                outputs[*output] = self.memory[*place];
            }
        }
        first_not_finite.map_or(Ok(()), |solve| Err(EvalError::NotFinite { solve }))
    }
    fn n_inputs(&self) -> usize {
        self.recorded.program.inputs().len()
    }
    fn n_outputs(&self) -> usize {
        self.recorded.program.outputs().len()
    }
}

fn truth(t: bool) -> f64 {
    f64::from(u8::from(t))
}

/// One run: the kind is decided once, then a tight loop.
fn perform(kind: Kind, operations: &[Places], memory: &mut [f64]) {
    fn one(operations: &[Places], m: &mut [f64], f: impl Fn(f64) -> f64) {
        operations.iter().for_each(|[d, a, ..]| m[*d as usize] = f(m[*a as usize]));
    }
    fn two(operations: &[Places], m: &mut [f64], f: impl Fn(f64, f64) -> f64) {
        operations.iter().for_each(|[d, a, b, _]| m[*d as usize] = f(m[*a as usize], m[*b as usize]));
    }
    fn three(operations: &[Places], m: &mut [f64], f: impl Fn(f64, f64, f64) -> f64) {
        operations
            .iter()
            .for_each(|[d, a, b, c]| m[*d as usize] = f(m[*a as usize], m[*b as usize], m[*c as usize]));
    }
    match kind {
        Kind::Unary(Unary::Neg) => one(operations, memory, |x| -x),
        Kind::Unary(Unary::Sqrt) => one(operations, memory, f64::sqrt),
        Kind::Unary(op) => one(operations, memory, |x| semantics::unary(op, x)),
        Kind::Binary(Binary::Add) => two(operations, memory, |a, b| a + b),
        Kind::Binary(Binary::Sub) => two(operations, memory, |a, b| a - b),
        Kind::Binary(Binary::Mul) => two(operations, memory, |a, b| a * b),
        Kind::Binary(Binary::Div) => two(operations, memory, |a, b| a / b),
        Kind::Binary(op) => two(operations, memory, |a, b| semantics::binary(op, a, b)),
        Kind::Fma => three(operations, memory, f64::mul_add),
        Kind::Powi(n) => one(operations, memory, |x| math::powi(x, n)),
        Kind::Compare(op) => two(operations, memory, |a, b| truth(semantics::compare(op, a, b))),
        Kind::Logic(op) => two(operations, memory, |a, b| truth(semantics::logic(op, a != 0.0, b != 0.0))),
        Kind::Not => one(operations, memory, |a| truth(a == 0.0)),
        Kind::Select => three(operations, memory, |c, a, b| if c != 0.0 { a } else { b }),
        Kind::Single => {}
    }
}

/// Who reads each value, as one list with ranges.
struct Users {
    start: Vec<usize>,
    list: Vec<ValueId>,
}

impl Users {
    fn new(program: &Program) -> Self {
        let mut start = vec![0; program.values().len() + 1];
        for (_, op) in program.values().iter() {
            op.for_each_operand(|v| start[v.index() + 1] += 1);
        }
        for k in 1..start.len() {
            start[k] += start[k - 1];
        }
        let mut next = start.clone();
        let mut list = vec![ValueId::from_index(0); start[start.len() - 1]];
        for (id, op) in program.values().iter() {
            op.for_each_operand(|v| {
                list[next[v.index()]] = id;
                next[v.index()] += 1;
            });
        }
        Users { start, list }
    }

    fn of(&self, value: ValueId) -> &[ValueId] {
        &self.list[self.start[value.index()]..self.start[value.index() + 1]]
    }
}

/// Sorts one stage into runs.
fn record(program: &Program, stage: StageId, users: &Users, place: &[u32]) -> StageTape {
    let range = program.stage_values(stage);
    let mut waits_for = vec![0u32; range.len()];
    let mut ready: BTreeMap<Kind, Vec<ValueId>> = BTreeMap::new();
    for index in range.clone() {
        let op = &program.values()[ValueId::from_index(index)];
        let Some(kind) = Kind::of(op) else {
            continue;
        };
        let wait = &mut waits_for[index - range.start];
        op.for_each_operand(|v| {
            *wait += u32::from(range.contains(&v.index()) && !program.values()[v].is_leaf())
        });
        if *wait == 0 {
            ready.entry(kind).or_default().push(ValueId::from_index(index));
        }
    }
    let mut tape = StageTape::default();
    while let Some(kind) = ready.iter().max_by_key(|(_, list)| list.len()).map(|(kind, _)| *kind) {
        let first = tape.operations.len();
        let mut queue = ready.remove(&kind).unwrap_or_default();
        let mut next = 0;
        while let Some(value) = queue.get(next).copied() {
            next += 1;
            tape.operations.push(places(program, kind, value, place));
            for user in users.of(value).iter().filter(|u| range.contains(&u.index())) {
                let wait = &mut waits_for[user.index() - range.start];
                *wait -= 1;
                if *wait == 0 {
                    match Kind::of(&program.values()[*user]) {
                        Some(k) if k == kind => queue.push(*user),
                        Some(k) => ready.entry(k).or_default().push(*user),
                        None => {}
                    }
                }
            }
        }
        tape.runs.push(Run { kind, first, end: tape.operations.len() });
    }
    let delivered = program.outputs().iter().filter(|(_, o)| o.stage == stage);
    tape.outputs = delivered.map(|(id, o)| (id.index(), place[o.value.index()] as usize)).collect();
    tape
}

fn places(program: &Program, kind: Kind, value: ValueId, place: &[u32]) -> Places {
    if kind == Kind::Single {
        return [value.index() as u32, 0, 0, 0];
    }
    let mut places = [place[value.index()], 0, 0, 0];
    let mut next = 1;
    program.values()[value].for_each_operand(|v| {
        places[next] = place[v.index()];
        next += 1;
    });
    places
}
