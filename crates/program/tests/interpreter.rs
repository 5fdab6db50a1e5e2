//! Meaning of programs: stages, sharing, simplification.

use cardan_base::Id;
use cardan_program::testing::{Flavour, Shape, host, random_inputs, random_program};
use cardan_program::{
    Binary, Compare, EvalError, Execute, Interpreter, Label, Math, Op, Program, ProgramBuilder, Stages,
    Unary, ValueId,
};
use proptest::prelude::*;

#[test]
fn setup_runs_once_and_its_values_stay() {
    let mut b = ProgramBuilder::new("p", ["setup", "motion"], Math::Strict);
    let (setup, motion) = (b.stage("setup").unwrap(), b.stage("motion").unwrap());
    let p = b.input(Label::named("p"), setup);
    let q = b.input(Label::named("q"), motion);
    let square = b.mul(p, p);
    let sum = b.add(square, q);
    b.output(Label::named("sum"), setup, sum);
    b.output(Label::named("square"), setup, square);
    assert_eq!((b.stage_of(square), b.stage_of(sum)), (setup, motion));
    let program = b.finish().unwrap();

    let mut engine = Interpreter::new(&program).unwrap();
    let mut out = [-1.0; 2];
    engine.run(setup.into(), &[3.0, 0.5], &mut out).unwrap();
    assert_eq!(out, [-1.0, 9.0]);
    engine.run(motion.into(), &[3.0, 0.5], &mut out).unwrap();
    assert_eq!(out, [9.5, 9.0]);
    out[1] = 0.0;
    engine.run(motion.into(), &[3.0, 1.5], &mut out).unwrap();
    assert_eq!(out, [10.5, 0.0]);

    let wrong = Stages { first: motion, last: setup };
    assert_eq!(engine.run(wrong, &[0.0; 2], &mut out), Err(EvalError::NoSuchStages(wrong)));
    assert_eq!(
        engine.run(setup.into(), &[0.0; 3], &mut out),
        Err(EvalError::WrongInputs { expected: 2, found: 3 })
    );
}

#[test]
fn a_system_that_is_not_finite_is_reported_and_everything_else_is_delivered() {
    let mut b = ProgramBuilder::new("p", ["main"], Math::Strict);
    let stage = b.stage("main").unwrap();
    let x = b.input(Label::named("x"), stage);
    let two = b.constant(2.0);
    let minus = b.neg(x);
    let root = b.unary(Unary::Sqrt, minus);
    let unknowns = b.solve(2, &[root, x, x, two], &[x, two]);
    let other = b.add(x, two);
    b.output(Label::named("unknown"), stage, unknowns[0]);
    b.output(Label::named("other"), stage, other);
    let program = b.finish().unwrap();
    let mut out = [0.0; 2];
    let result = Interpreter::new(&program).unwrap().run(program.all_stages(), &[1.0], &mut out);
    assert!(matches!(result, Err(EvalError::NotFinite { .. })));
    assert!(out[0].is_nan() && out[1] == 3.0);
}

#[test]
fn a_missing_host_function_is_named() {
    let mut b = ProgramBuilder::new("p", ["main"], Math::Strict);
    b.function("tyre", 3);
    let error = Interpreter::new(&b.finish().unwrap()).unwrap_err();
    assert_eq!(error.to_string(), "the function `tyre` is not provided");
}

fn builder() -> (ProgramBuilder, ValueId, ValueId) {
    let mut b = ProgramBuilder::new("p", ["main"], Math::Finite);
    let stage = b.stage("main").expect("the stage exists");
    let x = b.input(Label::named("x"), stage);
    let y = b.input(Label::named("y"), stage);
    (b, x, y)
}

#[test]
fn equal_operations_are_one_value() {
    let (mut b, x, y) = builder();
    assert_eq!(b.add(x, y), b.add(y, x));
    assert_eq!(b.mul(x, y), b.mul(y, x));
    assert_ne!(b.sub(x, y), b.sub(y, x));
    assert_ne!(b.binary(Binary::Min, x, y), b.binary(Binary::Min, y, x));
    assert_eq!(b.compare(Compare::Eq, x, y), b.compare(Compare::Eq, y, x));
}

#[test]
fn identities() {
    let (mut b, x, y) = builder();
    let (zero, one, minus_one) = (b.constant(0.0), b.constant(1.0), b.constant(-1.0));
    let (minus_x, minus_y) = (b.neg(x), b.neg(y));
    assert_eq!(b.neg(minus_x), x);
    assert_eq!(b.add(x, zero), x);
    assert_eq!(b.mul(x, one), x);
    assert_eq!(b.mul(x, minus_one), minus_x);
    assert_eq!(b.mul(x, zero), zero);
    assert_eq!(b.sub(x, x), zero);
    assert_eq!(b.add(x, minus_y), b.sub(x, y));
    assert_eq!(b.sub(x, minus_y), b.add(x, y));
    assert_eq!(b.mul(minus_x, minus_y), b.mul(x, y));
    assert_eq!(b.powi(x, 2), b.mul(x, x));
    let (four, two) = (b.constant(4.0), b.constant(2.0));
    assert_eq!(b.unary(Unary::Sqrt, four), two);
    let truth = b.compare(Compare::Lt, two, four);
    assert_eq!(b.select(truth, x, y), x);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]
    #[test]
    fn strict_simplification_changes_no_bit(seed in any::<u64>()) {
        let shape = Shape { flavour: Flavour::Everything, n_values: 120, n_inputs: 6, n_outputs: 12, n_stages: 3 };
        let program = random_program(seed | 1, &shape);
        let mut b = ProgramBuilder::like(&program, Math::Strict);
        let mut map: Vec<ValueId> = Vec::new();
        for (_, op) in program.values().iter() {
            let op: Op = op.map_operands(|v| map[v.index()]);
            map.push(b.op(op));
        }
        for (_, o) in program.outputs().iter() {
            b.output(o.label.clone(), o.stage, map[o.value.index()]);
        }
        let simpler = b.finish().map_err(|e| TestCaseError::fail(e.to_string()))?;
        for wild in [false, true] {
            let inputs = random_inputs(seed, &program, wild);
            let run = |p| {
                let mut out = vec![0.0; 12];
                let result = Interpreter::with_host(p, &host()).unwrap().run(program.all_stages(), &inputs, &mut out);
                (out, result.is_ok())
            };
            let (expected, found) = (run(&program), run(&simpler));
            prop_assert_eq!(expected.1, found.1);
            for (e, f) in expected.0.iter().zip(&found.0) {
                prop_assert!(e.to_bits() == f.to_bits() || (e.is_nan() && f.is_nan()), "{} {}", e, f);
            }
        }
    }
}

proptest! {
    #[test]
    fn a_spliced_program_computes_what_it_computed_alone(seed in any::<u64>()) {
        let shape = Shape { flavour: Flavour::Everything, n_values: 60, n_inputs: 4, n_outputs: 4, n_stages: 2 };
        let (inner, outer) = (random_program(seed, &shape), random_program(seed ^ 1, &shape));
        let mut b = ProgramBuilder::like(&outer, Math::Strict);
        let x: Vec<ValueId> = outer.inputs().ids().map(|i| b.input_value(i)).collect();
        let swapped = [x[3], x[2], x[1], x[0]];
        prop_assert_eq!(b.splice(&inner, &x[1..]), None);
        let results = b.splice(&inner, &swapped).expect("the inputs fit");
        for (k, value) in results.into_iter().enumerate() {
            b.output(Label::named(format!("y{k}")), outer.all_stages().first, value);
        }
        let program = b.finish().map_err(|e| TestCaseError::fail(e.to_string()))?;
        let inputs = random_inputs(seed, &outer, true);
        let reversed: Vec<f64> = inputs.iter().rev().copied().collect();
        let run = |p: &Program, x: &[f64]| {
            let mut out = vec![0.0; 4];
            let _ = Interpreter::with_host(p, &host()).unwrap().run(p.all_stages(), x, &mut out);
            out
        };
        for (e, f) in run(&inner, &reversed).iter().zip(&run(&program, &inputs)) {
            prop_assert!(e.to_bits() == f.to_bits() || (e.is_nan() && f.is_nan()), "{} {}", e, f);
        }
    }
}
