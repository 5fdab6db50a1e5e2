//! Every lane of a batch repeats the interpreter bit for bit, at every width.

use cardan_base::Id;
use cardan_jit::{Backend, Batch, Instructions, lanes};
use cardan_program::passes::{Options, optimize};
use cardan_program::testing::{Dice, Flavour, Shape, host, random_inputs, random_program};
use cardan_program::{Execute, Interpreter, Program, StageId, Stages, parse};

/// Widths with machine code of their own, and one without.
fn check(program: &Program, seed: u64) {
    check_width::<2>(program, seed, Instructions::Baseline);
    check_width::<2>(program, seed, Instructions::All);
    check_width::<4>(program, seed, Instructions::All);
    check_width::<8>(program, seed, Instructions::All);
    if seed.is_multiple_of(16) {
        check_width::<3>(program, seed, Instructions::All);
    }
}

fn check_width<const LANES: usize>(program: &Program, seed: u64, instructions: Instructions) {
    let host = host();
    let interpreter = Interpreter::with_host(program, &host).expect("the host provides all functions");
    let mut alone: [Interpreter; LANES] = std::array::from_fn(|_| interpreter.clone());
    let mut batch = Batch::<LANES>::with_instructions(program, &host, instructions)
        .expect("the host provides all functions");
    let n = program.outputs().len();
    let mut found = vec![[0.0; LANES]; n];
    let mut expected = [(); LANES].map(|()| vec![0.0; n]);
    let mut dice = Dice::new(seed);
    for round in 0..3 {
        let inputs: [Vec<f64>; LANES] = std::array::from_fn(|lane| {
            random_inputs(seed.wrapping_add(1000 * lane as u64 + round), program, round == 2)
        });
        let rows: Vec<[f64; LANES]> =
            (0..program.inputs().len()).map(|k| std::array::from_fn(|lane| inputs[lane][k])).collect();
        let n_stages = program.stages().len();
        let first = if round == 0 { 0 } else { dice.below(n_stages) };
        let stages = Stages { first: StageId::from_index(first), last: StageId::from_index(n_stages - 1) };
        let mut failed = false;
        for lane in 0..LANES {
            failed |= alone[lane].run(stages, &inputs[lane], &mut expected[lane]).is_err();
        }
        assert_eq!(batch.run(stages, &rows, &mut found).is_err(), failed);
        for (k, row) in found.iter().enumerate() {
            for lane in 0..LANES {
                let (a, b) = (expected[lane][k], row[lane]);
                let same = a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan());
                assert!(
                    same,
                    "program {seed}, round {round}, output {k}, lane {lane} of {LANES}: {a:?}, machine {b:?}"
                );
            }
        }
    }
}

fn shape(n_values: usize) -> Shape {
    Shape { flavour: Flavour::Everything, n_values, n_inputs: 6, n_outputs: 12, n_stages: 2 }
}

#[test]
fn vector_code_is_used_where_it_can_be() {
    let program = random_program(1, &shape(50));
    let expected = |can: bool| if can { Backend::Native } else { Backend::Portable };
    #[cfg(target_arch = "x86_64")]
    let (two, four, eight) = {
        let fused = std::is_x86_feature_detected!("avx") && std::is_x86_feature_detected!("fma");
        let four = fused && std::is_x86_feature_detected!("avx2");
        let eight =
            fused && std::is_x86_feature_detected!("avx512f") && std::is_x86_feature_detected!("avx512dq");
        (true, four, eight)
    };
    #[cfg(not(target_arch = "x86_64"))]
    let (two, four, eight) = (cfg!(target_arch = "aarch64"), false, false);
    assert_eq!(Batch::<2>::with_host(&program, &host()).unwrap().backend(), expected(two));
    assert_eq!(Batch::<4>::with_host(&program, &host()).unwrap().backend(), expected(four));
    assert_eq!(Batch::<8>::with_host(&program, &host()).unwrap().backend(), expected(eight));
    assert_eq!(Batch::<3>::with_host(&program, &host()).unwrap().backend(), Backend::Portable);
    let baseline = Batch::<2>::with_instructions(&program, &host(), Instructions::Baseline).unwrap();
    assert_eq!(baseline.backend(), expected(two));
    let widest = [(8, eight), (4, four), (2, two), (1, true)].into_iter().find(|(_, can)| *can);
    assert_eq!(Some(lanes()), widest.map(|(lanes, _)| lanes));
}

#[test]
fn random_programs() {
    for seed in 0..800 {
        check(&random_program(seed, &shape(60)), seed);
    }
}

#[test]
fn optimised_programs_with_many_live_values() {
    for seed in 0..200 {
        let program = random_program(seed, &Shape { n_inputs: 30, n_outputs: 40, ..shape(500) });
        check(&optimize(&program, Options { fuse: true, ..Options::default() }), seed);
    }
}

#[test]
fn large_programs() {
    check(&random_program(3, &shape(20_000)), 3);
    check(&random_program(4, &Shape { flavour: Flavour::Arithmetic, ..shape(20_000) }), 4);
}

#[test]
fn sine_and_cosine_with_lanes_of_different_magnitude() {
    let text = "program \"\"\nstages a\ninput i0 a \"x\" \"\" \"\"\nstage a\n  v0 = input i0\n  v1 = sin v0\n  v2 = cos v0\n\
                output o0 a v1 \"s\" \"\" \"\"\noutput o1 a v2 \"c\" \"\" \"\"\n";
    let program = parse(text).unwrap();
    for seed in 0..2000 {
        check(&program, seed);
    }
}
