//! What an operation costs on machine code, in multiplications: the figures behind `cardan_program::cost_model`.
//!
//! ```text
//! [price]     (t with n more of it - t without) / (t with n more multiplications - t without)
//! ```
//!
//! in a program of products and sums whose eight chains do not wait for one another, as in equations of motion.

use std::hint::black_box;
use std::time::Instant;

use cardan_jit::MachineCode;
use cardan_program::cost_model::price;
use cardan_program::op::{Binary, Unary};
use cardan_program::program::Label;
use cardan_program::testing::host;
use cardan_program::{Execute, Math, Program, ProgramBuilder, ValueId};

/// Values that do not wait for one another.
const CHAINS: usize = 8;
/// Products and sums of the program without what is measured.
const MULTIPLY_ADDS: usize = 600;
/// How often what is measured stands in the program.
const TIMES: usize = 60;
/// Runs of all programs in turn, the best of each counting.
const ROUNDS: usize = 40;
const REPEATS: usize = 400;

type Apply = fn(&mut ProgramBuilder, ValueId, ValueId) -> ValueId;

/// An operation of two values, both between 0 and 3.
const OPERATIONS: [(&str, Apply); 18] = [
    ("multiplication", |b, x, y| b.mul(x, y)),
    ("addition", |b, x, y| b.add(x, y)),
    ("division", |b, x, y| b.div(x, y)),
    ("square root", |b, x, _| b.unary(Unary::Sqrt, x)),
    ("sine", |b, x, _| b.unary(Unary::Sin, x)),
    ("sine and cosine", |b, x, _| {
        let (s, c) = (b.unary(Unary::Sin, x), b.unary(Unary::Cos, x));
        b.add(s, c)
    }),
    ("tangent", |b, x, _| b.unary(Unary::Tan, x)),
    ("inverse sine", |b, x, _| b.unary(Unary::Asin, x)),
    ("inverse tangent", |b, x, _| b.unary(Unary::Atan, x)),
    ("angle of a point", |b, x, y| b.binary(Binary::Atan2, x, y)),
    ("exponential", |b, x, _| b.unary(Unary::Exp, x)),
    ("logarithm", |b, x, _| b.unary(Unary::Ln, x)),
    ("hyperbolic tangent", |b, x, _| b.unary(Unary::Tanh, x)),
    ("power", |b, x, y| b.binary(Binary::Pow, x, y)),
    ("absolute value", |b, x, _| b.unary(Unary::Abs, x)),
    ("minimum", |b, x, y| b.binary(Binary::Min, x, y)),
    ("sign", |b, x, _| b.unary(Unary::Sign, x)),
    ("floor", |b, x, _| b.unary(Unary::Floor, x)),
];

/// Chains of x ← x/2 + y/4, y an input between 0 and 1, with an operation on one chain and another now and then.
fn program(apply: Option<Apply>) -> Option<Program> {
    let mut b = ProgramBuilder::new("prices", ["main"], Math::Strict);
    let stage = b.stage("main")?;
    let given: Vec<ValueId> =
        (0..2 * CHAINS).map(|k| b.input(Label::named(format!("y{k}")), stage)).collect();
    let mut x = given[..CHAINS].to_vec();
    let every = MULTIPLY_ADDS / TIMES;
    for k in 0..MULTIPLY_ADDS {
        let (i, half, quarter) = (k % CHAINS, b.constant(0.5), b.constant(0.25));
        let kept = b.mul(x[i], half);
        let more = b.mul(given[(3 * k + k / 7) % given.len()], quarter);
        x[i] = b.add(kept, more);
        if let Some(apply) = apply.filter(|_| k % every == 0) {
            x[i] = apply(&mut b, x[i], given[(k + 5) % given.len()]);
        }
    }
    for (k, x) in x.into_iter().enumerate() {
        b.output(Label::named(format!("x{k}")), stage, x);
    }
    b.finish().ok()
}

fn seconds(engine: &mut MachineCode, program: &Program, inputs: &[f64], outputs: &mut [f64]) -> f64 {
    let start = Instant::now();
    for _ in 0..REPEATS {
        // Without systems of equations nothing can fail.
        let _ = engine.run(program.all_stages(), black_box(inputs), outputs);
        black_box(&mut *outputs);
    }
    start.elapsed().as_secs_f64() / REPEATS as f64
}

fn main() {
    let inputs: Vec<f64> = (0..2 * CHAINS).map(|k| 0.3 + 0.04 * k as f64).collect();
    let mut outputs = vec![0.0; CHAINS];
    let without = std::iter::once(("nothing", None));
    let asked = without.chain(OPERATIONS.into_iter().map(|(name, apply)| (name, Some(apply))));
    let mut entrants = vec![];
    for (name, apply) in asked {
        let Some(program) = program(apply) else { continue };
        let Ok(engine) = MachineCode::with_host(&program, &host()) else { continue };
        entrants.push((name, program, engine, f64::INFINITY));
    }
    for _ in 0..ROUNDS {
        for (_, program, engine, best) in &mut entrants {
            *best = best.min(seconds(engine, program, &inputs, &mut outputs));
        }
    }
    let base = entrants[0].3;
    let unit = (entrants[1].3 - base) / TIMES as f64;
    println!("a multiplication among others takes {:.2} ns", unit * 1e9);
    println!("{:20} {:>8} {:>9}", "", "measured", "taken as");
    let bare = entrants[0].1.clone();
    for (name, program, _, best) in &entrants[1..] {
        let taken: u64 = program.values().iter().map(|(_, op)| price(op)).sum::<u64>()
            - bare.values().iter().map(|(_, op)| price(op)).sum::<u64>();
        println!("{name:20} {:8.1} {:9.1}", (best - base) / TIMES as f64 / unit, taken as f64 / TIMES as f64);
    }
}
