//! The program with frozen sides, and the numbers that say where sides end.

use cardan_base::Id;
use cardan_program::{
    Beyond, Binary, Compare, CurveId, Execute, Interpreter, Kind as Runs, Label, Math, Op, OutputId, Program,
    ProgramBuilder, StageId, Stages, Unary, ValueId, passes,
};

use crate::nonsmooth::friction_disc::Disc;
use crate::nonsmooth::print::{operand, short, words};
use crate::nonsmooth::switch::Kind;
use crate::nonsmooth::velocity_test::Rest;
use cardan_compile::Plan;

/// A switch of a program.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Switch {
    pub kind: Kind,
    /// As people write it.
    pub words: String,
    /// The first input that tells its side.
    pub input: usize,
    /// Where its sides meet.
    pub surface: Meeting,
}

/// Where the sides of a switch meet.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Meeting {
    /// What has a given value there, and that value if it is always the same.
    text: String,
    value: Option<String>,
    /// Whether it is a speed: a motion that stays there sticks.
    pub sticks: bool,
}

impl Meeting {
    /// Of an operation.
    fn of(program: &Program, rest: &Rest, op: &Op) -> Meeting {
        let spelled = |v: &ValueId| operand(program, *v);
        match op {
            Op::Compare(_, a, b) | Op::Binary(_, a, b) => {
                // `x > 5` is kept as `5 < x`.
                let turned = matches!(program.values()[*a], Op::Const(_));
                let (a, b) = if turned { (b, a) } else { (a, b) };
                Meeting { text: spelled(a), value: Some(spelled(b)), sticks: rest.are_speeds(&[*a, *b]) }
            }
            Op::Unary(Unary::Floor, x) | Op::Lookup1 { x, .. } | Op::Lookup2 { x, .. } => {
                Meeting { text: spelled(x), value: None, sticks: rest.are_speeds(&[*x]) }
            }
            op => {
                let x = op.operands();
                let text = x.first().map_or(String::new(), spelled);
                Meeting { text, value: Some("0".into()), sticks: rest.are_speeds(&x) }
            }
        }
    }

    /// As an equation; a level is told where there are several.
    pub fn words(&self, level: f64) -> String {
        format!("{} = {}", self.text, self.value.clone().unwrap_or_else(|| short(level)))
    }
}

/// Programs whose inputs are those of the simulation program, then the sides of the switches. Stages are the same.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Frozen {
    pub switches: Vec<Switch>,
    /// Divisions by the size of a velocity.
    pub discs: Vec<Disc>,
    /// Knots of smooth tables.
    pub stretches: Vec<Vec<f64>>,
    /// Delivers the derivatives of the states, then the powers.
    pub motion: Program,
    /// Delivers the numbers of the switches, then the squares of velocities, then the arguments of smooth tables; before the
    /// motion what the squares are never below.
    pub watch: Program,
    /// Delivers the outputs of the simulation program.
    pub report: Program,
}

/// The outputs that drive a motion: derivatives of the states, then powers.
fn rates(plan: &Plan) -> impl Iterator<Item = OutputId> + '_ {
    let rates = plan.states.iter().map(|s| s.derivative).chain(plan.powers.iter().map(|(_, p)| *p));
    rates.map(OutputId::from_index)
}

/// What is frozen of a program.
pub(crate) struct Scope {
    /// The outputs that must not switch.
    pub outputs: Vec<OutputId>,
    /// The inputs with which they switch.
    pub inputs: Vec<usize>,
    /// Where they are computed.
    pub stages: Stages,
    /// How often the motion differentiates them.
    pub differentiated: u8,
    /// Whether velocities that vanish are looked for.
    pub discs: bool,
}

impl Scope {
    /// The motion of a simulation program.
    fn motion(plan: &Plan) -> Scope {
        let inputs = plan.states.iter().map(|s| s.input).collect();
        Scope { outputs: rates(plan).collect(), inputs, stages: plan.motion, differentiated: 0, discs: true }
    }
}

/// Which values some outputs need.
fn needed(program: &Program, outputs: &[OutputId]) -> Vec<bool> {
    let mut needed = vec![false; program.values().len()];
    for output in outputs.iter().copied() {
        needed[program.outputs()[output].value.index()] = true;
    }
    for (id, op) in program.values().iter().rev() {
        if needed[id.index()] {
            op.for_each_operand(|v| needed[v.index()] = true);
        }
    }
    needed
}

/// Whether anything in the motion switches, by the state or by time alone.
pub(crate) fn switches_at_all(program: &Program, plan: &Plan) -> bool {
    let needed = needed(program, &rates(plan).collect::<Vec<_>>());
    let moves = |v: &ValueId| program.stage_of(*v) >= plan.motion.first;
    program.values().iter().any(|(id, op)| {
        let switching = matches!(
            op,
            Op::Compare(..)
                | Op::Binary(Binary::Min | Binary::Max | Binary::Atan2, ..)
                | Op::Unary(Unary::Abs | Unary::Sign | Unary::Floor, _)
                | Op::Lookup1 { .. }
                | Op::Lookup2 { .. }
        );
        switching && needed[id.index()] && op.operands().iter().any(moves)
    })
}

/// What in a motion may switch with the state.
pub(crate) struct Suspects {
    /// Whether there is more than divisions by roots of squares of speeds.
    others: bool,
    /// The summands below which each such square never falls; nothing where its form does not tell.
    roots: Vec<Option<Vec<ValueId>>>,
}

impl Suspects {
    pub fn of(program: &Program, plan: &Plan) -> Suspects {
        let scope = Scope::motion(plan);
        let needed = needed(program, &scope.outputs);
        let rest = Rest::of(program, plan);
        let (guards, divisors) = (guards(program, &rest), divisors(program, &needed));
        let mut found = Suspects { others: false, roots: vec![] };
        let mut by_state: Vec<bool> = Vec::with_capacity(needed.len());
        for (id, op) in program.values().iter() {
            let mut depends = matches!(op, Op::Input(i) if scope.inputs.contains(&i.index()));
            op.for_each_operand(|v| depends |= by_state[v.index()]);
            by_state.push(depends);
            if !needed[id.index()] || !depends || guards.contains(&id) {
                continue;
            }
            found.others |= matches!(
                op,
                Op::Compare(..)
                    | Op::Binary(Binary::Min | Binary::Max | Binary::Atan2, ..)
                    | Op::Unary(Unary::Abs | Unary::Sign | Unary::Floor, _)
                    | Op::Lookup1 { .. }
                    | Op::Lookup2 { .. }
            );
            if divisors.contains(&id) && rest.are_speeds(&op.operands()) {
                let square = op.operands().first().copied();
                found.roots.push(square.and_then(|s| rest.floor(program, plan.setup.last, s)));
            }
        }
        found
    }

    /// The summands of all roots, where there is nothing else and all are known.
    pub fn only_roots(self) -> Option<Vec<Vec<ValueId>>> {
        if self.others {
            return None;
        }
        self.roots.into_iter().collect()
    }
}

/// Laws that are made smooth by a small speed, v/√(v² + ε²), look like friction along a velocity to `friction_disc`. While ε is not
/// zero they are none, and the program runs as it is, without the engines that friction needs. [floor]
///
/// What each root by which a motion divides is never below, as a program of the parameters.
#[derive(Clone, Debug)]
pub(crate) struct SmoothRoots {
    floors: Interpreter,
    n: usize,
}

impl SmoothRoots {
    /// Nothing where something else switches, or where a root has no floor by its form.
    pub fn of(program: &Program, plan: &Plan) -> Option<SmoothRoots> {
        let roots = Suspects::of(program, plan).only_roots()?;
        let setup = plan.setup.last;
        let mut builder = ProgramBuilder::like(program, Math::Strict);
        let mut map: Vec<ValueId> = vec![];
        for (id, op) in program.values().iter() {
            if program.stage_of(id) > setup {
                break;
            }
            let moved = op.map_operands(|v| map[v.index()]);
            map.push(builder.op(moved));
        }
        for (k, summands) in roots.iter().enumerate() {
            let zero = builder.constant(0.0);
            let floor = summands.iter().fold(zero, |sum, v| builder.add(sum, map[v.index()]));
            builder.output(Label::named(format!("floor {k}")), setup, floor);
        }
        let floors = Interpreter::new(&builder.finish().ok()?).ok()?;
        Some(SmoothRoots { floors, n: roots.len() })
    }

    /// Whether all floors are positive with these inputs of the simulation program.
    pub fn hold(&self, plan: &Plan, inputs: &[f64]) -> bool {
        let mut found = vec![0.0; self.n];
        let run = self.floors.clone().run(plan.setup, inputs, &mut found);
        run.is_ok() && found.iter().all(|floor| *floor > 0.0)
    }
}

impl Frozen {
    /// Nothing where nothing in the motion switches with the state.
    pub fn of(program: &Program, plan: &Plan) -> Option<Frozen> {
        Frozen::within(program, plan, &Scope::motion(plan))
    }

    /// The same for some outputs of a program whose inputs begin with those of the simulation program.
    pub fn within(program: &Program, plan: &Plan, scope: &Scope) -> Option<Frozen> {
        let needed = needed(program, &scope.outputs);
        let mut making = Making {
            program,
            rest: Rest::of(program, plan),
            builder: ProgramBuilder::like(program, Math::Strict),
            n_inputs: program.inputs().len(),
            stage: scope.stages.first,
            switches: vec![],
            numbers: vec![],
            stretches: vec![],
            known: vec![],
            bent: bent(program, &needed, scope.differentiated),
            discs: vec![],
            roots: vec![],
            squares: vec![],
            floors: vec![],
            divisors: if scope.discs { divisors(program, &needed) } else { vec![] },
        };
        let guards = guards(program, &making.rest);
        let mut by_state: Vec<bool> = Vec::with_capacity(needed.len());
        let mut map: Vec<ValueId> = Vec::with_capacity(needed.len());
        for (id, op) in program.values().iter() {
            let mut depends = matches!(op, Op::Input(i) if scope.inputs.contains(&i.index()));
            op.for_each_operand(|v| depends |= by_state[v.index()]);
            by_state.push(depends);
            let moved = op.map_operands(|v| map[v.index()]);
            map.push(match needed[id.index()] && depends {
                true if guards.contains(&id) => making.builder.op(moved),
                true if making.divisors.contains(&id) => {
                    let floor = making.floor(op, plan.setup.last).into_iter().map(|v| map[v.index()]);
                    making.disc(id, op, moved, floor.collect())
                }
                true => making.freeze(op, moved, &|v| by_state[v.index()]),
                false => making.builder.op(moved),
            });
        }
        if making.switches.is_empty() && making.stretches.is_empty() && making.discs.is_empty() {
            return None;
        }
        let Making { builder, switches, numbers, stretches, discs, squares, floors, .. } = making;
        let (first, last) = (plan.setup.last, scope.stages.last);
        let finish = |values: &mut dyn Iterator<Item = (ValueId, StageId)>| {
            let mut builder = builder.clone();
            for (k, (value, stage)) in values.enumerate() {
                builder.output(Label::named(format!("number {k}")), stage, value);
            }
            let program = builder.finish().ok()?;
            Some(passes::optimize(&program, passes::Options { math: Math::Strict, fuse: false }))
        };
        let rates = scope.outputs.iter().map(|o| map[program.outputs()[*o].value.index()]);
        let motion = finish(&mut rates.map(|v| (v, last)))?;
        let arguments = stretches.iter().map(|(x, _)| *x);
        let watched = numbers.iter().chain(&squares).copied().chain(arguments).map(|v| (v, last));
        let watch = finish(&mut watched.chain(floors.iter().map(|v| (*v, first))))?;
        let stretches = stretches.into_iter().map(|(_, knots)| knots).collect();
        let mut builder = builder;
        for (_, output) in program.outputs().iter() {
            builder.output(output.label.clone(), output.stage, map[output.value.index()]);
        }
        let report = passes::remove_dead(&builder.finish().ok()?);
        Some(Frozen { switches, discs, stretches, motion, watch, report })
    }
}

/// A frozen program in the making.
struct Making<'p> {
    program: &'p Program,
    rest: Rest,
    builder: ProgramBuilder,
    n_inputs: usize,
    stage: StageId,
    switches: Vec<Switch>,
    /// The number of each switch.
    numbers: Vec<ValueId>,
    /// Arguments and knots of smooth tables.
    stretches: Vec<(ValueId, Vec<f64>)>,
    /// Tables that are known already: which, its argument, the first input of its switch.
    known: Vec<(Table, ValueId, usize)>,
    /// Tables and arguments of the program whose knots are seen in the motion.
    bent: Vec<(CurveId, ValueId)>,
    /// Divisions by the size of a velocity, that size in the program, and its square.
    discs: Vec<Disc>,
    roots: Vec<ValueId>,
    squares: Vec<ValueId>,
    /// What each square is never below.
    floors: Vec<ValueId>,
    /// The roots by which the program divides.
    divisors: Vec<ValueId>,
}

/// Roots by which something is divided, as dir(v) does by √(v·v).
fn divisors(program: &Program, needed: &[bool]) -> Vec<ValueId> {
    let divides = |(id, op): (ValueId, &Op)| match op {
        Op::Binary(Binary::Div, _, b) if needed[id.index()] => Some(*b),
        _ => None,
    };
    let is_root = |v: &ValueId| matches!(program.values()[*v], Op::Unary(Unary::Sqrt, _));
    program.values().iter().filter_map(divides).filter(is_root).collect()
}

/// Comparisons that only guard a division by a pivot p of an elimination, and are no law:
///
/// ```text
/// [guard]      p > ε s ? ±c/p : 0    with ε ≤ 1e-9, or p ≥ 0 by its form and s = 0
/// ```
fn guards(program: &Program, rest: &Rest) -> Vec<ValueId> {
    let values = program.values();
    let constant = |v: ValueId| match &values[v] {
        Op::Const(c) => Some(c.value()),
        _ => None,
    };
    let is_tiny = |v: ValueId| constant(v).is_some_and(|c| c.abs() <= GUARD);
    let is_guard = |condition: ValueId, then: ValueId, otherwise: ValueId| {
        let Op::Compare(Compare::Lt, least, pivot) = values[condition] else { return false };
        let quotient = match &values[then] {
            Op::Unary(Unary::Neg, q) => *q,
            _ => then,
        };
        let divides = matches!(&values[quotient], Op::Binary(Binary::Div, _, b) if *b == pivot);
        let is_rounding = match &values[least] {
            Op::Binary(Binary::Mul, a, b) => is_tiny(*a) || is_tiny(*b),
            _ => constant(least) == Some(0.0) && rest.is_not_negative(pivot),
        };
        divides && is_rounding && constant(otherwise) == Some(0.0)
    };
    let (mut found, mut others) = (vec![], vec![]);
    for (_, op) in values.iter() {
        match op {
            Op::Select(c, a, b) if is_guard(*c, *a, *b) => found.push(*c),
            _ => op.for_each_operand(|v| {
                if matches!(values[v], Op::Compare(..)) {
                    others.push(v);
                }
            }),
        }
    }
    found.retain(|c| !others.contains(c));
    found
}

/// The largest ε of a guard. [guard]
const GUARD: f64 = 1e-9;

/// The smooth tables of which a derivative that bends or jumps at knots is needed, and the arguments. [bent]
fn bent(program: &Program, needed: &[bool], differentiated: u8) -> Vec<(CurveId, ValueId)> {
    let seen = program.values().iter().filter_map(|(id, op)| match op {
        Op::Lookup1 { table, x, order } if needed[id.index()] => {
            let smooth = match program.curves()[*table].kind() {
                Runs::Steps | Runs::Linear => return None,
                Runs::Monotone => 1,
                Runs::Spline => 2,
            };
            (*order + differentiated >= smooth).then_some((*table, *x))
        }
        _ => None,
    });
    seen.collect()
}

/// A table of one argument, or an argument of a table of two.
#[derive(Clone, Copy, PartialEq)]
enum Table {
    Curve(CurveId),
    First(cardan_program::SurfaceId),
    Second(cardan_program::SurfaceId),
}

impl Making<'_> {
    /// A switch with this number; its first input.
    fn switch(&mut self, kind: Kind, op: &Op, number: ValueId) -> usize {
        let input = self.n_inputs;
        (0..kind.n_inputs()).for_each(|_| _ = self.next_input());
        let surface = Meeting::of(self.program, &self.rest, op);
        self.switches.push(Switch { kind, words: words(self.program, op), input, surface });
        self.numbers.push(number);
        input
    }

    /// The summands of the square of a velocity below which it never falls. [floor]
    fn floor(&self, op: &Op, setup: StageId) -> Vec<ValueId> {
        let found = op.operands().first().and_then(|square| self.rest.floor(self.program, setup, *square));
        found.unwrap_or_default()
    }

    /// The size of a velocity, with a sign that is told; other roots are left as they are, and those of what has a constant
    /// positive floor, as in v/√(v² + ε²).
    fn disc(&mut self, id: ValueId, op: &Op, moved: Op, floor: Vec<ValueId>) -> ValueId {
        let Op::Unary(Unary::Sqrt, square) = moved else { return self.builder.op(moved) };
        if !self.rest.are_speeds(&op.operands()) {
            return self.builder.op(moved);
        }
        let zero = self.builder.constant(0.0);
        let floor = floor.into_iter().fold(zero, |sum, v| self.builder.add(sum, v));
        if matches!(self.builder.operation(floor), Op::Const(c) if c.value() > 0.0) {
            return self.builder.op(moved);
        }
        let input = self.next_input();
        let words = format!("{} = 0", words(self.program, op));
        self.discs.push(Disc { input, rests: None, words });
        self.roots.push(id);
        self.squares.push(square);
        self.floors.push(floor);
        let (root, sign) = (self.builder.op(moved), self.told(input));
        self.builder.mul(sign, root)
    }

    /// One more input that tells a side.
    fn next_input(&mut self) -> usize {
        let input = self.n_inputs;
        let k = input - self.program.inputs().len();
        self.builder.input(Label::named(format!("side {k}")), self.stage);
        self.n_inputs += 1;
        input
    }

    /// Whether a velocity along which friction acts is at rest, where a comparison asks for that: told while friction
    /// holds it. [disc-static]
    fn rests(&mut self, op: &Op) -> Option<ValueId> {
        let Op::Compare(compare @ (Compare::Eq | Compare::Ne), a, b) = op else { return None };
        let is_zero = |v: &ValueId| matches!(self.program.values()[*v], Op::Const(c) if c.value() == 0.0);
        let root = if is_zero(b) { a } else { Some(b).filter(|_| is_zero(a))? };
        let k = self.roots.iter().position(|r| r == root)?;
        let input = match self.discs[k].rests {
            Some(input) => input,
            None => self.next_input(),
        };
        self.discs[k].rests = Some(input);
        let (zero, told) = (self.builder.constant(0.0), self.told(input));
        Some(match compare {
            Compare::Eq => self.builder.compare(Compare::Lt, zero, told),
            _ => self.builder.compare(Compare::Le, told, zero),
        })
    }

    fn told(&self, input: usize) -> ValueId {
        self.builder.input_value(Id::from_index(input))
    }

    /// Whether a side is 1.
    fn holds(&mut self, side: ValueId) -> ValueId {
        let zero = self.builder.constant(0.0);
        self.builder.compare(Compare::Lt, zero, side)
    }

    /// The value of an operation, frozen if it switches. `op` is as it was, `moved` has the operands of the frozen program. [frozen]
    fn freeze(&mut self, op: &Op, moved: Op, by_state: &dyn Fn(ValueId) -> bool) -> ValueId {
        if let Some(rests) = self.rests(op) {
            return rests;
        }
        match moved {
            Op::Compare(compare, a, b) => {
                let kind = match compare {
                    Compare::Lt => Kind::Below { or_equal: false },
                    Compare::Le => Kind::Below { or_equal: true },
                    Compare::Eq => Kind::Zero { opposite: false },
                    Compare::Ne => Kind::Zero { opposite: true },
                };
                let number = self.builder.sub(a, b);
                let input = self.switch(kind, op, number);
                let side = self.told(input);
                self.holds(side)
            }
            Op::Binary(Binary::Min | Binary::Max, a, b) => {
                let is_min = matches!(moved, Op::Binary(Binary::Min, ..));
                let number = if is_min { self.builder.sub(a, b) } else { self.builder.sub(b, a) };
                let input = self.switch(Kind::Below { or_equal: false }, op, number);
                let side = self.told(input);
                let first = self.holds(side);
                self.builder.select(first, a, b)
            }
            Op::Binary(Binary::Atan2, y, x) => {
                let input = self.switch(Kind::Angle, op, y);
                let side = self.told(input);
                let angle = self.turned(side, y, x);
                if let Some(number) = self.numbers.last_mut() {
                    *number = angle;
                }
                angle
            }
            Op::Unary(Unary::Abs, x) => {
                let input = self.switch(Kind::Factor, op, x);
                let side = self.told(input);
                self.builder.mul(side, x)
            }
            Op::Unary(Unary::Sign, x) => {
                let input = self.switch(Kind::Sign, op, x);
                self.told(input)
            }
            Op::Unary(Unary::Floor, x) => {
                let input = self.switch(Kind::Whole, op, x);
                self.told(input)
            }
            Op::Lookup1 { table, x, order } => {
                let curve = &self.program.curves()[table];
                let knots = curve.knots();
                let is_straight = matches!(curve.kind(), Runs::Steps | Runs::Linear);
                let old = op.operands().first().copied();
                if !is_straight && !self.bent.iter().any(|(t, v)| *t == table && Some(*v) == old) {
                    self.smooth(Table::Curve(table), x, knots, curve.beyond(), op);
                    return self.builder.op(moved);
                }
                let n = if is_straight { 2 } else { 4 };
                let piece = |(k, c): (usize, &[f64; 4])| {
                    let from = knots[k.saturating_sub(1)];
                    [from].into_iter().chain(c[..n].iter().copied()).collect::<Vec<f64>>()
                };
                let pieces = curve.segments().iter().enumerate().map(piece).collect();
                let input = match self.place_of(Table::Curve(table), x) {
                    Some(input) => input,
                    None => {
                        let input = self.switch(Kind::Pieces { knots: knots.to_vec(), pieces }, op, x);
                        self.known.push((Table::Curve(table), x, input));
                        input
                    }
                };
                let coefficients: Vec<ValueId> = (1..=n).map(|k| self.told(input + k)).collect();
                let along = self.told(input);
                let along = self.builder.sub(x, along);
                self.polynomial(&coefficients, along, usize::from(order))
            }
            Op::Lookup2 { table, x, y, .. } => {
                let surface = &self.program.surfaces()[table];
                let Op::Lookup2 { x: old_x, y: old_y, .. } = op else { return self.builder.op(moved) };
                let axes = [
                    (Table::First(table), x, surface.x(), by_state(*old_x)),
                    (Table::Second(table), y, surface.y(), by_state(*old_y)),
                ];
                for (which, argument, knots, _) in axes.into_iter().filter(|axis| axis.3) {
                    if !matches!(surface.kind(), Runs::Steps | Runs::Linear) {
                        self.smooth(which, argument, knots, surface.beyond(), op);
                    } else if self.place_of(which, argument).is_none() {
                        let input = self.switch(Kind::Knots { knots: knots.to_vec() }, op, argument);
                        self.known.push((which, argument, input));
                    }
                }
                self.builder.op(moved)
            }
            moved => self.builder.op(moved),
        }
    }

    /// The derivative of the given order of Σ c_j d^j.
    fn polynomial(&mut self, c: &[ValueId], d: ValueId, order: usize) -> ValueId {
        let b = &mut self.builder;
        let Some((last, lower)) = c.split_last().filter(|_| order < c.len()) else { return b.constant(0.0) };
        // j! / (j - order)!
        let times = |b: &mut ProgramBuilder, j: usize, c: ValueId| {
            let factor: f64 = (j + 1 - order..=j).map(|k| k as f64).product();
            if factor == 1.0 {
                return c;
            }
            let factor = b.constant(factor);
            b.mul(factor, c)
        };
        let mut sum = times(b, lower.len(), *last);
        for (j, c) in lower.iter().enumerate().skip(order).rev() {
            let (rise, term) = (b.mul(d, sum), times(b, j, *c));
            sum = b.add(term, rise);
        }
        sum
    }

    /// The angle of a point, counted from the direction that a side s stands for: s π/2 + atan2(-s x + (1 - s²) y, s y + (1 - s²) x).
    fn turned(&mut self, side: ValueId, y: ValueId, x: ValueId) -> ValueId {
        let b = &mut self.builder;
        let (one, quarter) = (b.constant(1.0), b.constant(std::f64::consts::FRAC_PI_2));
        let square = b.mul(side, side);
        let rest = b.sub(one, square);
        let (side_x, side_y) = (b.mul(side, x), b.mul(side, y));
        let (rest_x, rest_y) = (b.mul(rest, x), b.mul(rest, y));
        let across = b.sub(rest_y, side_x);
        let along = b.add(side_y, rest_x);
        let angle = b.binary(Binary::Atan2, across, along);
        let from = b.mul(side, quarter);
        b.add(angle, from)
    }

    fn place_of(&self, table: Table, x: ValueId) -> Option<usize> {
        self.known.iter().find(|(t, v, _)| *t == table && *v == x).map(|(.., input)| *input)
    }

    /// A smooth table: steps must look into each of its pieces; where it is held beyond its ends, it has a kink there. [stretch]
    fn smooth(&mut self, table: Table, x: ValueId, knots: &[f64], beyond: Beyond, op: &Op) {
        if self.place_of(table, x).is_some() {
            return;
        }
        self.stretches.push((x, knots.to_vec()));
        let ends = match (beyond, knots) {
            (Beyond::Clamp, [first, .., last]) => vec![*first, *last],
            _ => vec![],
        };
        let input =
            if ends.is_empty() { self.n_inputs } else { self.switch(Kind::Knots { knots: ends }, op, x) };
        self.known.push((table, x, input));
    }
}
