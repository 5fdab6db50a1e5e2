//! Random programs and inputs, the same for the same seed, for the tests and benches of every engine.

use crate::builder::{Math, ProgramBuilder};
use crate::execute::Host;
use crate::op::{
    Binary, Compare, Constant, CurveId, FunctionId, Logic, Op, Solve, StageId, SurfaceId, Unary, ValueId,
};
use crate::program::{Label, Program};
use crate::table::{Beyond, Curve, Kind, Surface};
use cardan_base::Id;

/// A small reproducible source of random numbers (xorshift with a multiplicative finish, Marsaglia and
/// Vigna).
#[derive(Clone, Debug)]
pub struct Dice {
    state: u64,
}

impl Dice {
    /// The sequence of this seed.
    pub fn new(seed: u64) -> Self {
        let mut dice = Dice { state: seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1 };
        dice.next();
        dice.next();
        dice
    }
    fn next(&mut self) -> u64 {
        self.state ^= self.state >> 12;
        self.state ^= self.state << 25;
        self.state ^= self.state >> 27;
        self.state.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }
    /// A whole number below `n`, which must not be zero.
    pub fn below(&mut self, n: usize) -> usize {
        ((self.next() >> 32) as usize) % n
    }
    /// A number in [−1, 1).
    pub fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
    /// True once in `n` times.
    pub fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }
    /// A number from anywhere: ordinary, tiny, huge, whole, zero of either sign, infinite, NaN.
    pub fn wild(&mut self) -> f64 {
        match self.below(12) {
            0 => f64::from_bits(self.next()),
            1 => [0.0, -0.0, f64::INFINITY, f64::NEG_INFINITY, f64::NAN, 1.0, -1.0][self.below(7)],
            2 => self.unit() * 1e6,
            3 => (self.unit() * 8.0).floor(),
            _ => self.unit() * 3.0,
        }
    }
}

/// Which operations a random program contains.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Flavour {
    /// What equations of motion are made of: 60 % products, 35 % sums, 4 % quotients, 1 % sine and cosine.
    Arithmetic,
    /// Only operations that are differentiable at nearly all arguments, kept in their domains.
    Smooth,
    /// Everything, in any domain; half of the seeds bypass all simplification.
    Everything,
}

/// Size and kind of a random program.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// Operations.
    pub flavour: Flavour,
    /// Number of values, about.
    pub n_values: usize,
    /// Number of inputs; at least one.
    pub n_inputs: usize,
    /// Number of outputs.
    pub n_outputs: usize,
    /// Number of stages; at least one.
    pub n_stages: usize,
}

/// The host functions that random programs call: `product` and its partial derivatives.
pub fn host() -> Host {
    let mut host = Host::new();
    host.bind("product", |a: &[f64]| a[0] * a[1] + a[0]);
    host.bind("product_0", |a: &[f64]| a[1] + 1.0);
    host.bind("product_1", |a: &[f64]| a[0]);
    host
}

/// Random inputs for a program; wild ones include infinities and NaN.
pub fn random_inputs(seed: u64, program: &Program, wild: bool) -> Vec<f64> {
    let mut dice = Dice::new(seed ^ 0x5EED);
    program.inputs().iter().map(|_| if wild { dice.wild() } else { dice.unit() * 2.0 }).collect()
}

/// A random program.
pub fn random_program(seed: u64, shape: &Shape) -> Program {
    let mut generator = Generator::new(seed, shape);
    while generator.builder.n_values() < shape.n_values {
        match shape.flavour {
            Flavour::Arithmetic => generator.arithmetic(),
            Flavour::Smooth => generator.smooth(),
            Flavour::Everything => generator.anything(),
        }
    }
    generator.finish(shape)
}

struct Generator {
    dice: Dice,
    builder: ProgramBuilder,
    raw: bool,
    reals: Vec<ValueId>,
    truths: Vec<ValueId>,
    curves: Vec<CurveId>,
    surface: SurfaceId,
    function: FunctionId,
}

impl Generator {
    fn new(seed: u64, shape: &Shape) -> Self {
        let mut dice = Dice::new(seed);
        let n_stages = shape.n_stages.max(1);
        let stages = (0..n_stages).map(|s| format!("stage{s}"));
        let mut builder = ProgramBuilder::new(format!("random{seed}"), stages, Math::Strict);
        let curves = Kind::ALL.map(|kind| {
            let knots = vec![-2.0, -0.5, 0.1, 1.0, 1.75];
            let values = knots.iter().map(|_| dice.unit()).collect();
            let beyond = Beyond::ALL[dice.below(2)];
            builder.curve(Curve::new(kind.name(), kind, beyond, knots, values).expect("knots increase"))
        });
        let grid = (0..12).map(|_| dice.unit()).collect();
        let (x, y) = (vec![-1.0, 0.0, 0.5, 1.5], vec![-2.0, 0.0, 1.0]);
        let surface = Surface::new("grid", Kind::Spline, Beyond::Extend, x, y, grid).expect("knots increase");
        let surface = builder.surface(surface);
        let function = builder.function("product", 2);
        for argument in 0..2 {
            let derivative = builder.function(format!("product_{argument}"), 2);
            builder.set_derivative(function, argument, derivative);
        }
        let reals = (0..shape.n_inputs.max(1))
            .map(|i| {
                let stage = StageId::from_index(dice.below(n_stages));
                builder.input(Label::new(format!("x{i}"), "m", "a random input"), stage)
            })
            .collect();
        let raw = shape.flavour == Flavour::Everything && seed % 2 == 1;
        Generator { dice, builder, raw, reals, truths: vec![], curves: curves.into(), surface, function }
    }

    fn real(&mut self) -> ValueId {
        let n = self.reals.len();
        if self.dice.one_in(8) {
            let c =
                if self.dice.one_in(4) { (self.dice.unit() * 3.0).floor() } else { self.dice.unit() * 2.0 };
            return self.builder.constant(c);
        }
        let back = if self.dice.one_in(4) { self.dice.below(n) } else { self.dice.below(n.min(40)) };
        self.reals[n - 1 - back]
    }

    fn truth(&mut self) -> ValueId {
        if self.truths.is_empty() || self.dice.one_in(20) {
            let t = self.dice.one_in(2);
            return self.builder.truth(t);
        }
        let n = self.truths.len();
        self.truths[n - 1 - self.dice.below(n.min(6))]
    }

    fn make(&mut self, op: Op) -> ValueId {
        if self.raw { self.builder.insert(op) } else { self.builder.op(op) }
    }

    fn push(&mut self, op: Op) {
        let value = self.make(op);
        self.reals.push(value);
    }

    fn arithmetic(&mut self) {
        let (a, b) = (self.real(), self.real());
        let op = match self.dice.below(100) {
            0 => Op::Unary([Unary::Sin, Unary::Cos][self.dice.below(2)], a),
            1..=4 => Op::Binary(Binary::Div, a, b),
            5..=22 => Op::Binary(Binary::Add, a, b),
            23..=39 => Op::Binary(Binary::Sub, a, b),
            _ => Op::Binary(Binary::Mul, a, b),
        };
        self.push(op);
    }

    fn smooth(&mut self) {
        let (a, b, c) = (self.real(), self.real(), self.real());
        let bounded = self.builder.unary(Unary::Tanh, a);
        let square = self.builder.mul(a, a);
        let one = self.builder.constant(1.25);
        let positive = self.builder.add(square, one);
        let half = self.builder.constant(0.5);
        let inside = self.builder.mul(bounded, half);
        let op = match self.dice.below(24) {
            0 => Op::Unary(Unary::Sin, a),
            1 => Op::Unary(Unary::Cos, a),
            2 => Op::Unary(Unary::Tan, inside),
            3 => Op::Unary(Unary::Asin, inside),
            4 => Op::Unary(Unary::Acos, inside),
            5 => Op::Unary(Unary::Atan, a),
            6 => Op::Unary(Unary::Sinh, inside),
            7 => Op::Unary(Unary::Cosh, inside),
            8 => Op::Unary(Unary::Exp, bounded),
            9 => Op::Unary(Unary::Ln, positive),
            10 => Op::Unary(Unary::Sqrt, positive),
            11 => Op::Binary(Binary::Div, b, positive),
            12 => Op::Binary(Binary::Atan2, b, positive),
            13 => Op::Binary(Binary::Pow, positive, inside),
            14 => Op::Powi(positive, [-3, -1, 3, 5][self.dice.below(4)]),
            15 => Op::Fma(bounded, b, c),
            16 => Op::Binary([Binary::Min, Binary::Max][self.dice.below(2)], a, b),
            17 => Op::Unary([Unary::Abs, Unary::Sign, Unary::Floor, Unary::Neg][self.dice.below(4)], a),
            18 => {
                let condition = self.builder.compare(Compare::Lt, b, c);
                Op::Select(condition, a, inside)
            }
            19 => Op::Lookup1 { table: self.curves[3], x: bounded, order: self.dice.below(2) as u8 },
            20 => Op::Lookup2 {
                table: self.surface,
                x: bounded,
                y: inside,
                dx: 0,
                dy: self.dice.below(2) as u8,
            },
            21 => Op::Call { function: self.function, args: [bounded, inside].into() },
            22 => {
                let rhs = [a, b, bounded, inside];
                let x = self.builder.solve(2, &[positive, inside, inside, one], &rhs);
                self.reals.extend_from_slice(&x);
                return;
            }
            _ => Op::Binary([Binary::Add, Binary::Sub, Binary::Mul][self.dice.below(3)], bounded, b),
        };
        self.push(op);
    }

    fn anything(&mut self) {
        let (a, b, c) = (self.real(), self.real(), self.real());
        let op = match self.dice.below(40) {
            0..=4 => Op::Unary(Unary::ALL[self.dice.below(Unary::ALL.len())].0, a),
            5..=7 => Op::Binary(Binary::ALL[self.dice.below(Binary::ALL.len())].0, a, b),
            8..=9 => Op::Fma(a, b, c),
            10 => Op::Powi(a, self.dice.below(21) as i32 - 10),
            11..=12 => {
                let op = Op::Compare(Compare::ALL[self.dice.below(4)].0, a, b);
                return self.push_truth(op);
            }
            13 => {
                let (a, b) = (self.truth(), self.truth());
                let op = Op::Logic([Logic::And, Logic::Or][self.dice.below(2)], a, b);
                return self.push_truth(op);
            }
            14 => {
                let op = if self.dice.one_in(3) {
                    Op::Select(self.truth(), self.truth(), self.truth())
                } else {
                    Op::Not(self.truth())
                };
                return self.push_truth(op);
            }
            15..=17 => Op::Select(self.truth(), a, b),
            18 => {
                let table = self.curves[self.dice.below(4)];
                Op::Lookup1 { table, x: a, order: self.dice.below(5) as u8 }
            }
            19 => {
                let (dx, dy) = (self.dice.below(4) as u8, self.dice.below(4) as u8);
                Op::Lookup2 { table: self.surface, x: a, y: b, dx, dy }
            }
            20 => Op::Call { function: self.function, args: [a, b].into() },
            21 => return self.system(),
            22 => Op::Const(Constant::new(self.dice.wild())),
            23 => Op::Unary([Unary::Sin, Unary::Cos][self.dice.below(2)], a),
            24..=26 => Op::Unary([Unary::Tanh, Unary::Sin, Unary::Atan][self.dice.below(3)], a),
            _ => Op::Binary([Binary::Add, Binary::Sub, Binary::Mul][self.dice.below(3)], a, b),
        };
        self.push(op);
    }

    fn push_truth(&mut self, op: Op) {
        let value = self.make(op);
        self.truths.push(value);
    }

    fn system(&mut self) {
        let n = 1 + self.dice.below(4);
        let columns = 1 + self.dice.below(2);
        let matrix = (0..n * n).map(|_| self.real()).collect();
        let rhs = (0..n * columns).map(|_| self.real()).collect();
        let solve = self.make(Op::Solve(Box::new(Solve { n: n as u32, matrix, rhs })));
        for index in 0..(n * columns) as u32 {
            if !self.dice.one_in(3) {
                self.push(Op::Extract { solve, index });
            }
        }
    }

    fn finish(mut self, shape: &Shape) -> Program {
        for i in 0..shape.n_outputs {
            let truth = !self.truths.is_empty() && self.dice.one_in(6);
            let pool = if truth { &self.truths } else { &self.reals };
            let value = pool[pool.len() - 1 - self.dice.below(pool.len().min(60))];
            let stage = StageId::from_index(self.dice.below(shape.n_stages.max(1)));
            self.builder.output(Label::new(format!("y{i}"), "", "a \"random\" output"), stage, value);
        }
        self.builder.finish().expect("random programs are well formed")
    }
}
