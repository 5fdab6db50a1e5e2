//! Machine code means what the interpreter means: every model of the library, at every width, to the last bit.

use std::fs;
use std::path::Path;

use cardan::assembly::ParameterValues;
use cardan::jit::EngineKind;
use cardan::jit::{Batch, Instructions, Packing};
use cardan::lower::columnwise_jacobian;
use cardan::prelude::*;
use cardan::program::{Execute, Host, Interpreter, Program, passes};

/// Evaluates a program in lanes and by the interpreter, at random inputs of moderate size; how many numbers were finite.
fn lanes_equal_the_interpreter<const LANES: usize>(
    name: &str,
    program: &Program,
    instructions: Instructions,
) -> usize {
    let mut seed = 1u64;
    let mut next = || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        0.3 + (seed >> 11) as f64 / (1u64 << 53) as f64
    };
    let inputs: Vec<[f64; LANES]> =
        program.inputs().iter().map(|_| std::array::from_fn(|_| next())).collect();
    let mut found = vec![[0.0; LANES]; program.outputs().len()];
    let mut batch = Batch::<LANES>::with_instructions(program, &Host::new(), instructions)
        .expect("no functions of the host");
    let failed = batch.run(program.all_stages(), &inputs, &mut found).is_err();
    let mut interpreter = Interpreter::new(program).expect("no functions of the host");
    let mut expected = vec![0.0; found.len()];
    let (mut any_failed, mut finite) = (false, 0);
    for lane in 0..LANES {
        let own: Vec<f64> = inputs.iter().map(|row| row[lane]).collect();
        any_failed |= interpreter.run(program.all_stages(), &own, &mut expected).is_err();
        for (k, (row, x)) in found.iter().zip(&expected).enumerate() {
            let same = row[lane].to_bits() == x.to_bits() || row[lane].is_nan() && x.is_nan();
            assert!(same, "{name}, output {k}, lane {lane} of {LANES}: {} against {x}", row[lane]);
            finite += usize::from(x.is_finite());
        }
    }
    assert_eq!(failed, any_failed, "{name}");
    finite
}

#[test]
fn machine_code_equals_the_interpreter_on_every_model() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models");
    let (mut n_models, mut n_finite) = (0, 0);
    for entry in fs::read_dir(folder).expect("the library") {
        let path = entry.expect("readable").path();
        if path.extension().is_none_or(|e| e != "mbs") {
            continue;
        }
        let name = path.display().to_string();
        let text = fs::read_to_string(&path).expect("readable");
        let model = resolve(parse(&name, &text)).into_model().expect("models are right");
        let mut settings = Settings::of(&model, &ParameterValues::of(&model)).expect("good settings");
        settings.to = settings.from + 0.05 * (settings.to - settings.from);
        settings.every = Some((settings.to - settings.from) / 7.0);
        let rows = |engine: EngineKind| {
            let compiled =
                compile_model(&model, Options { engine, ..Options::default() }).expect("models compile");
            let motion = compiled.simulation.run(&settings, &mut ()).expect("a good start");
            motion.rows.iter().map(|row| row.iter().map(|x| x.to_bits()).collect()).collect::<Vec<Vec<u64>>>()
        };
        let expected = rows(EngineKind::Interpreter);
        assert_eq!(rows(EngineKind::Native), expected, "{name}");
        assert_eq!(rows(EngineKind::Baseline), expected, "{name}, instructions of every processor");
        let compiled = compile_model(&model, Options::default()).expect("models compile");
        let program = compiled.simulation.program();
        let finite = lanes_equal_the_interpreter::<2>(&name, program, Instructions::Baseline)
            + lanes_equal_the_interpreter::<2>(&name, program, Instructions::All)
            + lanes_equal_the_interpreter::<4>(&name, program, Instructions::All)
            + lanes_equal_the_interpreter::<8>(&name, program, Instructions::All);
        n_finite += finite;
        n_models += 1;
    }
    assert!(n_models >= 8 && n_finite > 1000, "{n_models} models, {n_finite} numbers");
}

/// Evaluates a program by the interpreter and by engines with and without packs; the sizes of their codes.
fn packs_equal_the_interpreter(name: &str, program: &Program) -> (usize, usize) {
    let mut seed = 7u64;
    let mut next = || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        0.3 + (seed >> 11) as f64 / (1u64 << 53) as f64
    };
    let compile = |packing| {
        cardan::jit::MachineCode::with_packing(program, &Host::new(), packing)
            .expect("no functions of the host")
    };
    let mut engines = [Packing::Never, Packing::WhereItPays, Packing::Always].map(compile);
    let mut interpreter = Interpreter::new(program).expect("no functions of the host");
    let n = program.outputs().len();
    let (mut expected, mut found) = (vec![0.0; n], vec![0.0; n]);
    for _ in 0..3 {
        let inputs: Vec<f64> = program.inputs().iter().map(|_| next()).collect();
        let failed = interpreter.run(program.all_stages(), &inputs, &mut expected);
        for engine in &mut engines {
            assert_eq!(engine.run(program.all_stages(), &inputs, &mut found), failed, "{name}");
            for (k, (x, y)) in expected.iter().zip(&found).enumerate() {
                assert!(
                    x.to_bits() == y.to_bits() || x.is_nan() && y.is_nan(),
                    "{name}, output {k}: {x} against {y}"
                );
            }
        }
    }
    (engines[0].code_size(), engines[2].code_size())
}

#[test]
fn derivatives_in_packs_equal_the_interpreter_on_every_model() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models");
    let (mut n_models, mut n_smaller) = (0, 0);
    for entry in fs::read_dir(folder).expect("the library") {
        let path = entry.expect("readable").path();
        if path.extension().is_none_or(|e| e != "mbs") {
            continue;
        }
        let name = path.display().to_string();
        let text = fs::read_to_string(&path).expect("readable");
        let model = resolve(parse(&name, &text)).into_model().expect("models are right");
        let Ok((jacobian, _)) = columnwise_jacobian(&model, true) else { continue };
        for program in [passes::schedule(&passes::fuse(&jacobian.program)), jacobian.program] {
            let (plain, packed) = packs_equal_the_interpreter(&name, &program);
            n_smaller += usize::from(packed < plain);
        }
        n_models += 1;
    }
    assert!(n_models >= 8, "{n_models} models");
    #[cfg(target_arch = "x86_64")]
    if std::is_x86_feature_detected!("avx512vl") && std::is_x86_feature_detected!("avx512dq") {
        assert!(n_smaller > 0, "nothing was packed");
    }
}
