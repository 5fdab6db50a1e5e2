//! Compile time and time per operation of random straight-line programs, interpreter and machine code.

use std::hint::black_box;
use std::time::Instant;

use cardan_jit::{Batch, Instructions, MachineCode};
use cardan_program::passes::{Options, optimize};
use cardan_program::testing::{Flavour, Shape, host, random_inputs, random_program};
use cardan_program::{Execute, Interpreter, Program};

/// Best time of several, in seconds.
fn best(n: usize, mut work: impl FnMut()) -> f64 {
    let mut best = f64::INFINITY;
    for _ in 0..n {
        let start = Instant::now();
        work();
        best = best.min(start.elapsed().as_secs_f64());
    }
    best
}

/// Seconds per run.
fn run_time(engine: &mut impl Execute, program: &Program) -> f64 {
    let inputs = random_inputs(1, program, false);
    let mut outputs = vec![0.0; program.outputs().len()];
    let repeats = 2_000_000 / program.values().len() + 1;
    let total = best(5, || {
        for _ in 0..repeats {
            // Systems with numbers that are not finite do not occur in arithmetic programs.
            let _ = engine.run(program.all_stages(), black_box(&inputs), &mut outputs);
            black_box(&mut outputs);
        }
    });
    total / repeats as f64
}

/// Seconds per run of one lane of so many.
fn lane_time<const LANES: usize>(program: &Program) -> f64 {
    let Ok(mut batch) = Batch::<LANES>::with_host(program, &host()) else { return f64::NAN };
    let inputs: Vec<[f64; LANES]> = random_inputs(1, program, false).iter().map(|x| [*x; LANES]).collect();
    let mut outputs = vec![[0.0; LANES]; program.outputs().len()];
    let repeats = 500_000 / program.values().len() + 1;
    let total = best(5, || {
        for _ in 0..repeats {
            let _ = batch.run(program.all_stages(), black_box(&inputs), &mut outputs);
            black_box(&mut outputs);
        }
    });
    total / (repeats * LANES) as f64
}

fn main() {
    println!(
        "                 | once, ms           | per operation, ns                                                  |"
    );
    println!(
        "  values   order |   passes   compile | interpret  portable  baseline  machine  2 lanes  4 lanes  8 lanes | bytes"
    );
    for n_values in [200, 1_000, 2_000, 5_000, 20_000, 100_000] {
        let shape =
            Shape { flavour: Flavour::Arithmetic, n_values, n_inputs: 20, n_outputs: 20, n_stages: 1 };
        let random = random_program(42, &shape);
        for (order, program, passes) in [("random", random.clone(), 0.0), scheduled(&random)] {
            let n = program.values().len() as f64;
            let compile = best(5, || {
                black_box(MachineCode::with_host(&program, &host()).is_ok());
            });
            let (Ok(mut interpreter), Ok(mut portable), Ok(mut baseline), Ok(mut engine)) = (
                Interpreter::with_host(&program, &host()),
                MachineCode::portable(&program, &host()),
                MachineCode::with_instructions(&program, &host(), Instructions::Baseline),
                MachineCode::with_host(&program, &host()),
            ) else {
                println!("the host lacks a function");
                return;
            };
            println!(
                "{:>8} {order:>7} | {:>8.3} {:>9.3} | {:>9.2} {:>9.2} {:>9.3} {:>8.3} {:>8.3} {:>8.3} {:>8.3} | {:>5.1}",
                program.values().len(),
                passes * 1e3,
                compile * 1e3,
                run_time(&mut interpreter, &program) / n * 1e9,
                run_time(&mut portable, &program) / n * 1e9,
                run_time(&mut baseline, &program) / n * 1e9,
                run_time(&mut engine, &program) / n * 1e9,
                lane_time::<2>(&program) / n * 1e9,
                lane_time::<4>(&program) / n * 1e9,
                lane_time::<8>(&program) / n * 1e9,
                engine.code_size() as f64 / n,
            );
        }
    }
}

fn scheduled(program: &Program) -> (&'static str, Program, f64) {
    let options = Options { fuse: true, ..Options::default() };
    let mut result = program.clone();
    let time = best(3, || result = optimize(program, options));
    ("fused", result, time)
}
