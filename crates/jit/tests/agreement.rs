//! Machine code repeats the interpreter bit for bit.

use cardan_base::Id;
use cardan_jit::{Backend, Instructions, MachineCode};
use cardan_program::passes::{Options, fuse, optimize};
use cardan_program::testing::{Dice, Flavour, Shape, host, random_inputs, random_program};
use cardan_program::{Execute, Interpreter, Program, StageId, Stages, parse};

/// The first output that differs, all NaNs being equal.
fn difference(a: &[f64], b: &[f64]) -> Option<usize> {
    a.iter().zip(b).position(|(x, y)| x.to_bits() != y.to_bits() && !(x.is_nan() && y.is_nan()))
}

/// Runs all engines on several inputs and stage ranges; the text of the program appears if they differ.
fn check(program: &Program, seed: u64) {
    let host = host();
    let mut expected_engine =
        Interpreter::with_host(program, &host).expect("the host provides all functions");
    let engine = MachineCode::with_host(program, &host).expect("the host provides all functions");
    let portable = MachineCode::portable(program, &host).expect("the host provides all functions");
    let baseline = MachineCode::with_instructions(program, &host, Instructions::Baseline)
        .expect("the host provides all functions");
    let n = program.outputs().len();
    let mut expected = vec![0.0; n];
    let mut engines = [engine, baseline, portable].map(|engine| (engine, vec![0.0; n]));
    let mut dice = Dice::new(seed);
    for round in 0..4 {
        let inputs = random_inputs(seed.wrapping_add(round), program, round >= 2);
        let n_stages = program.stages().len();
        let first = if round == 0 { 0 } else { dice.below(n_stages) };
        let last = if round == 0 { n_stages - 1 } else { first + dice.below(n_stages - first) };
        let stages = Stages { first: StageId::from_index(first), last: StageId::from_index(last) };
        let a = expected_engine.run(stages, &inputs, &mut expected);
        for (engine, found) in &mut engines {
            assert_eq!(a, engine.run(stages, &inputs, found), "program {seed}, round {round}");
            if let Some(k) = difference(&expected, found) {
                let text = if program.values().len() < 200 { program.to_string() } else { String::new() };
                let backend = engine.backend();
                panic!(
                    "{seed}, round {round}, output {k}: {:?}, {backend:?} {:?}\n{text}",
                    expected[k], found[k]
                );
            }
        }
    }
}

#[test]
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
fn native_code_is_used_where_it_can_be() {
    let program = random_program(1, &Shape { n_stages: 1, ..small() });
    let [all, baseline] = [Instructions::All, Instructions::Baseline]
        .map(|instructions| MachineCode::with_instructions(&program, &host(), instructions).unwrap());
    for engine in [&all, &baseline] {
        assert_eq!(engine.backend(), Backend::Native);
        assert!(engine.code_size() > 0);
    }
    #[cfg(target_arch = "x86_64")]
    let is_more = std::is_x86_feature_detected!("fma");
    #[cfg(target_arch = "aarch64")]
    let is_more = false;
    assert_eq!(all.code() != baseline.code(), is_more);
}

fn small() -> Shape {
    Shape { flavour: Flavour::Everything, n_values: 40, n_inputs: 4, n_outputs: 6, n_stages: 2 }
}

#[test]
fn small_programs() {
    for seed in 0..3000 {
        check(&random_program(seed, &small()), seed);
    }
}

#[test]
fn programs_with_many_stages_and_live_values() {
    for seed in 0..600 {
        let shape =
            Shape { n_values: 400, n_inputs: 30, n_outputs: 40, n_stages: 1 + seed as usize % 7, ..small() };
        check(&random_program(seed, &shape), seed);
    }
}

#[test]
fn optimised_and_fused_programs() {
    for seed in 0..400 {
        let shape = Shape { n_values: 200, n_inputs: 20, n_outputs: 20, n_stages: 3, ..small() };
        let program = random_program(seed, &shape);
        check(&optimize(&program, Options { fuse: true, ..Options::default() }), seed);
        check(&fuse(&program), seed);
    }
}

#[test]
fn arithmetic_programs() {
    for seed in 0..300 {
        let shape =
            Shape { flavour: Flavour::Arithmetic, n_values: 700, n_inputs: 20, n_outputs: 30, n_stages: 2 };
        let program = random_program(seed, &shape);
        check(&program, seed);
        check(&optimize(&program, Options { fuse: true, ..Options::default() }), seed);
    }
}

#[test]
fn large_programs() {
    for (seed, flavour) in [(1, Flavour::Everything), (2, Flavour::Everything), (3, Flavour::Arithmetic)] {
        let shape = Shape { flavour, n_values: 20_000, n_inputs: 50, n_outputs: 200, n_stages: 4 };
        check(&random_program(seed, &shape), seed);
    }
}

#[test]
fn most_random_programs_deliver_ordinary_numbers() {
    // Otherwise the comparisons above would compare NaN with NaN.
    let mut finite = 0;
    let mut total = 0;
    for seed in 0..200 {
        let program = random_program(seed, &small());
        let mut out = vec![0.0; 6];
        let _ = Interpreter::with_host(&program, &host()).unwrap().run(
            program.all_stages(),
            &random_inputs(seed, &program, false),
            &mut out,
        );
        finite += out.iter().filter(|x| x.is_finite()).count();
        total += out.len();
    }
    assert!(finite * 4 > total * 3, "{finite} of {total}");
}

#[test]
fn sine_and_cosine_over_all_magnitudes() {
    let text = "program \"\"\nstages a\ninput i0 a \"x\" \"\" \"\"\nstage a\n  v0 = input i0\n  v1 = sin v0\n  v2 = cos v0\n\
                output o0 a v1 \"s\" \"\" \"\"\noutput o1 a v2 \"c\" \"\" \"\"\n";
    let program = parse(text).unwrap();
    let mut expected_engine = Interpreter::new(&program).unwrap();
    let mut engines = [Instructions::All, Instructions::Baseline]
        .map(|instructions| MachineCode::with_instructions(&program, &host(), instructions).unwrap());
    let mut dice = Dice::new(7);
    for i in 0..200_000 {
        let x = if i % 2 == 0 { dice.wild() } else { dice.unit() * 400_000.0 };
        let (mut a, mut b) = ([0.0; 2], [0.0; 2]);
        expected_engine.run(program.all_stages(), &[x], &mut a).unwrap();
        for engine in &mut engines {
            engine.run(program.all_stages(), &[x], &mut b).unwrap();
            assert_eq!(difference(&a, &b), None, "{x:?}: {a:?} {b:?}");
        }
    }
}

#[test]
fn copies_of_an_engine_do_not_disturb_one_another() {
    let program = random_program(5, &Shape { flavour: Flavour::Smooth, ..small() });
    let mut first = MachineCode::with_host(&program, &host()).unwrap();
    let setup = Stages::from(StageId::from_index(0));
    let rest = Stages::from(StageId::from_index(1));
    let (one, two) = (random_inputs(1, &program, false), random_inputs(2, &program, false));
    let mut out = vec![0.0; 6];
    first.run(setup, &one, &mut out).unwrap();
    let mut second = first.clone();
    let other = std::thread::spawn(move || {
        let mut out = vec![0.0; 6];
        second.run(setup, &two, &mut out).unwrap();
        second.run(rest, &two, &mut out).unwrap();
    });
    other.join().unwrap();
    first.run(rest, &one, &mut out).unwrap();
    let mut expected = vec![0.0; 6];
    let mut interpreter = Interpreter::with_host(&program, &host()).unwrap();
    interpreter.run(program.all_stages(), &one, &mut expected).unwrap();
    assert_eq!(difference(&out, &expected), None);
}

#[test]
fn a_panic_in_a_host_function_reaches_the_caller() {
    let text = "program \"\"\nstages a\nfunction f0 \"bad\" 0 ()\nstage a\n  v0 = call f0 ()\noutput o0 a v0 \"\" \"\" \"\"\n";
    let program = parse(text).unwrap();
    let mut host = host();
    host.bind("bad", |_: &[f64]| panic!("out of range"));
    let mut engine = MachineCode::with_host(&program, &host).unwrap();
    let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        let _ = engine.run(program.all_stages(), &[], &mut [0.0]);
    }));
    assert_eq!(outcome.unwrap_err().downcast_ref::<&str>(), Some(&"out of range"));
}

/// Sines, cosines or both of so many inputs: whole groups, groups that are not full, and one left over.
#[test]
fn sines_and_cosines_of_any_number_of_inputs() {
    use std::fmt::Write;
    let strange = [0.5, -3.0, 1e6, 1e300, f64::NAN, f64::INFINITY, -0.0, 2e9, 100.0, -1e-300];
    for n in 1..=10usize {
        let (mut inputs, mut values, mut outputs) = (String::new(), String::new(), String::new());
        let put =
            |text: &mut String, line: std::fmt::Arguments<'_>| writeln!(text, "{line}").expect("memory");
        let mut n_outputs = 0;
        for k in 0..n {
            put(&mut inputs, format_args!("input i{k} s \"x{k}\" \"\" \"\""));
            put(&mut values, format_args!("  v{k} = input i{k}"));
        }
        let mut next = n;
        for k in 0..n {
            for (op, wanted) in [("sin", k % 3 != 1), ("cos", k % 3 != 2)] {
                if wanted {
                    put(&mut values, format_args!("  v{next} = {op} v{k}"));
                    put(
                        &mut outputs,
                        format_args!("output o{n_outputs} s v{next} \"y{n_outputs}\" \"\" \"\""),
                    );
                    next += 1;
                    n_outputs += 1;
                }
            }
        }
        let text = format!("program \"sines\"\nstages s\n{inputs}stage s\n{values}{outputs}");
        let program = parse(&text).unwrap_or_else(|e| panic!("{e:?}\n{text}"));
        let mut interpreter = Interpreter::new(&program).unwrap();
        let mut engines = [Instructions::All, Instructions::Baseline]
            .map(|instructions| MachineCode::with_instructions(&program, &host(), instructions).unwrap());
        for shift in 0..strange.len() {
            let inputs: Vec<f64> = (0..n).map(|k| strange[(k + shift) % strange.len()]).collect();
            let (mut expected, mut found) = (vec![0.0; n_outputs], vec![0.0; n_outputs]);
            interpreter.run(program.all_stages(), &inputs, &mut expected).unwrap();
            for engine in &mut engines {
                engine.run(program.all_stages(), &inputs, &mut found).unwrap();
                assert_eq!(difference(&expected, &found), None, "{n} inputs, shift {shift}");
            }
        }
    }
}

/// ±a b ± c on numbers that make rounding hard: near cancellation, near ties, of all magnitudes.
#[test]
fn fused_operations_are_rounded_once() {
    let text = "program \"\"\nstages s\ninput i0 s \"a\" \"\" \"\"\ninput i1 s \"b\" \"\" \"\"\ninput i2 s \"c\" \"\" \"\"\nstage s\n  \
                v0 = input i0\n  v1 = input i1\n  v2 = input i2\n  v3 = neg v0\n  v4 = neg v2\n  v5 = fma v0 v1 v2\n  v6 = fma v3 v1 v2\n  \
                v7 = fma v0 v1 v4\n  v8 = fma v3 v1 v4\n  v9 = fma v5 v6 v5\n  v10 = fma v2 v0 v1\n  v11 = fma v1 v2 v0\n\
                output o0 s v5 \"\" \"\" \"\"\noutput o1 s v6 \"\" \"\" \"\"\noutput o2 s v7 \"\" \"\" \"\"\noutput o3 s v8 \"\" \"\" \"\"\n\
                output o4 s v9 \"\" \"\" \"\"\noutput o5 s v10 \"\" \"\" \"\"\noutput o6 s v11 \"\" \"\" \"\"\n";
    let program = parse(text).unwrap_or_else(|e| panic!("{e:?}\n{text}"));
    let mut engines = [Instructions::All, Instructions::Baseline]
        .map(|instructions| MachineCode::with_instructions(&program, &host(), instructions).unwrap());
    let mut dice = Dice::new(11);
    for i in 0..300_000 {
        // Few bits make products and sums that lie on ties.
        let bits = 1 + dice.below(53);
        let few = |dice: &mut Dice| {
            let wide = (dice.unit() * f64::powi(2.0, bits as i32)).floor();
            wide * f64::powi(2.0, dice.below(80) as i32 - 40)
        };
        let (mut a, mut b) = (few(&mut dice), few(&mut dice));
        if dice.one_in(4) {
            let far = dice.below(1800) as i32 - 900;
            (a, b) = (a * f64::powi(2.0, far / 2), b * f64::powi(2.0, far - far / 2));
        }
        let c = match i % 4 {
            0 => -(a * b) * (1.0 + (dice.unit() * 4.0).floor() * f64::EPSILON),
            1 => a * b * f64::powi(2.0, dice.below(220) as i32 - 110) * dice.unit(),
            2 => few(&mut dice),
            _ => dice.wild(),
        };
        let expected = [a.mul_add(b, c), (-a).mul_add(b, c), a.mul_add(b, -c), (-a).mul_add(b, -c)];
        let last = [expected[0].mul_add(expected[1], expected[0]), c.mul_add(a, b), b.mul_add(c, a)];
        let expected = [&expected[..], &last].concat();
        for engine in &mut engines {
            let mut found = [0.0; 7];
            engine.run(program.all_stages(), &[a, b, c], &mut found).unwrap();
            assert_eq!(difference(&expected, &found), None, "{a:e} {b:e} {c:e}: {expected:?} {found:?}");
        }
    }
}
