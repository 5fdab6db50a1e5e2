//! Derivatives: forward, reverse and finite differences agree.

use cardan_base::Id;
use cardan_program::derive::{DeriveError, Direction, Jacobian, Options, jacobian, jacobian_with};
use cardan_program::testing::{Flavour, Shape, host, random_inputs, random_program};
use cardan_program::{
    Binary, Compare, Execute, InputId, Interpreter, Label, Math, OutputId, Program, ProgramBuilder, StageId,
    SwitchingProgram, Unary, ValueId, parse,
};
use proptest::prelude::*;

fn run(program: &Program, inputs: &[f64]) -> Vec<f64> {
    let mut out = vec![0.0; program.outputs().len()];
    let mut engine = Interpreter::with_host(program, &host()).expect("the host provides all functions");
    let _ = engine.run(program.all_stages(), inputs, &mut out);
    out
}

/// The Jacobian as a full matrix.
fn dense(jacobian: &Jacobian, n_rows: usize, n_columns: usize, inputs: &[f64]) -> Vec<Vec<f64>> {
    let mut matrix = vec![vec![0.0; n_columns]; n_rows];
    let out = run(&jacobian.program, inputs);
    for (k, (row, column)) in jacobian.pattern.iter().enumerate() {
        matrix[*row][*column] = out[jacobian.first.index() + k];
    }
    matrix
}

fn everything(program: &Program) -> (Vec<OutputId>, Vec<InputId>) {
    (program.outputs().ids().collect(), program.inputs().ids().collect())
}

fn with(program: &Program, direction: Direction) -> Jacobian {
    let (of, wrt) = everything(program);
    jacobian_with(program, &of, &wrt, Options { direction: Some(direction), ..Options::default() })
        .expect("smooth programs have derivatives")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]
    #[test]
    fn forward_reverse_and_differences_agree(seed in any::<u64>()) {
        let shape = Shape { flavour: Flavour::Smooth, n_values: 50, n_inputs: 4, n_outputs: 5, n_stages: 2 };
        let program = random_program(seed, &shape);
        let (forward, reverse) = (with(&program, Direction::Forward), with(&program, Direction::Reverse));
        let inputs = random_inputs(seed, &program, false);
        let (a, b) = (dense(&forward, 5, 4, &inputs), dense(&reverse, 5, 4, &inputs));
        let size = a.iter().flatten().fold(1.0f64, |m, v| m.max(v.abs()));
        let at = run(&program, &inputs);
        prop_assert!(at.iter().all(|v| v.is_finite()));
        for column in 0..4 {
            let shifted = |h: f64| {
                let mut x = inputs.clone();
                x[column] += h;
                run(&program, &x)
            };
            let h = 1e-6;
            let (plus, minus) = (shifted(h), shifted(-h));
            for row in 0..5 {
                prop_assert!((a[row][column] - b[row][column]).abs() <= 1e-9 * size, "{} {}", a[row][column], b[row][column]);
                let (right, left) = ((plus[row] - at[row]) / h, (at[row] - minus[row]) / h);
                let scale = 1.0 + size;
                let kink = (right - left).abs() > 1e-3 * scale;
                let slope = 0.5 * (right + left);
                prop_assert!(kink || (slope - a[row][column]).abs() < 2e-3 * scale,
                    "row {} column {}: {} by differences, {} exactly", row, column, slope, a[row][column]);
            }
        }
    }
}

#[test]
fn absent_dependence_is_absent_from_the_pattern() {
    let mut b = ProgramBuilder::new("p", ["main"], Math::Strict);
    let stage = StageId::from_index(0);
    let x: Vec<_> = (0..3).map(|i| b.input(Label::new(format!("x{i}"), "m", ""), stage)).collect();
    let p = b.mul(x[0], x[1]);
    let f = b.unary(Unary::Floor, x[2]);
    let g = b.add(f, x[1]);
    b.output(Label::new("p", "N", ""), stage, p);
    b.output(Label::named("g"), stage, g);
    let program = b.finish().unwrap();
    let (of, wrt) = everything(&program);
    for direction in [Direction::Forward, Direction::Reverse] {
        let options = Options { direction: Some(direction), keep_outputs: true, ..Options::default() };
        let j = jacobian_with(&program, &of, &wrt, options).unwrap();
        assert_eq!(j.pattern, [(0, 0), (0, 1), (1, 1)]);
        assert_eq!(run(&j.program, &[2.0, 3.0, 0.5]), [6.0, 3.0, 3.0, 2.0, 1.0]);
        assert_eq!(j.program.outputs()[j.first].label, Label::new("d p / d x0", "(N)/(m)", ""));
    }
}

#[test]
fn the_cheaper_direction_is_taken() {
    let build = |n_inputs: usize, n_outputs: usize| {
        let mut b = ProgramBuilder::new("p", ["main"], Math::Strict);
        let stage = StageId::from_index(0);
        let x: Vec<_> = (0..n_inputs).map(|i| b.input(Label::named(format!("x{i}")), stage)).collect();
        let mut sum = x.iter().copied().reduce(|s, v| b.mul(s, v)).unwrap();
        for i in 0..n_outputs {
            sum = b.unary(Unary::Sin, sum);
            b.output(Label::named(format!("y{i}")), stage, sum);
        }
        let program = b.finish().unwrap();
        let (of, wrt) = everything(&program);
        jacobian(&program, &of, &wrt).unwrap().direction
    };
    assert_eq!(build(30, 1), Direction::Reverse);
    assert_eq!(build(1, 30), Direction::Forward);
}

#[test]
fn a_branch_not_taken_does_not_spoil_the_slope() {
    // y = sqrt(x) for x > 0, otherwise 3 x: at x = 0 the root's slope is infinite but not asked for.
    let mut b = ProgramBuilder::new("p", ["main"], Math::Strict);
    let stage = StageId::from_index(0);
    let x = b.input(Label::named("x"), stage);
    let (zero, three) = (b.constant(0.0), b.constant(3.0));
    let root = b.unary(Unary::Sqrt, x);
    let line = b.mul(three, x);
    let positive = b.compare(Compare::Lt, zero, x);
    let y = b.select(positive, root, line);
    let z = b.unary(Unary::Sin, y);
    b.output(Label::named("z"), stage, z);
    let program = b.finish().unwrap();
    for direction in [Direction::Forward, Direction::Reverse] {
        let j = with(&program, direction);
        assert_eq!(run(&j.program, &[0.0]), [3.0]);
        assert_eq!(run(&j.program, &[0.25]), [0.5f64.cos()]);
    }
}

#[test]
fn second_derivatives_are_derivatives_of_derivatives() {
    let text = "program \"cube\"\nstages main\ninput i0 main \"x\" \"\" \"\"\ninput i1 main \"y\" \"\" \"\"\nstage main\n  \
                v0 = input i0\n  v1 = input i1\n  v2 = powi v0 3\n  v3 = mul v2 v1\noutput o0 main v3 \"f\" \"\" \"\"\n";
    let program = parse(text).unwrap();
    let (of, wrt) = everything(&program);
    let gradient = jacobian(&program, &of, &wrt).unwrap().program;
    let (of, wrt) = everything(&gradient);
    let hessian = jacobian(&gradient, &of, &wrt).unwrap();
    assert_eq!(hessian.pattern, [(0, 0), (0, 1), (1, 0)]);
    assert_eq!(run(&hessian.program, &[2.0, 5.0]), [60.0, 12.0, 12.0]);
}

#[test]
fn functions_without_derivatives_and_truth_values_are_refused() {
    let mut b = ProgramBuilder::new("p", ["main"], Math::Strict);
    let stage = StageId::from_index(0);
    let x = b.input(Label::named("x"), stage);
    let f = b.function("tyre", 1);
    let y = b.call(f, &[x]);
    let t = b.compare(Compare::Lt, x, y);
    let y = b.output(Label::named("y"), stage, y);
    let t = b.output(Label::named("t"), stage, t);
    let program = b.finish().unwrap();
    let wrt = [InputId::from_index(0)];
    let missing = DeriveError::NoDerivative { function: "tyre".into(), argument: 0 };
    assert_eq!(jacobian(&program, &[y], &wrt), Err(missing));
    assert_eq!(jacobian(&program, &[t], &wrt), Err(DeriveError::NotReal(t)));
    assert_eq!(jacobian(&program, &[OutputId::from_index(9)], &wrt), Err(DeriveError::NoSuchPlace));
}

/// The derivative of one operation by both directions and by a fourth-order difference, at a generic point.
fn check_operation(make: impl Fn(&mut ProgramBuilder, ValueId, ValueId) -> ValueId, at: [f64; 2]) {
    let mut b = ProgramBuilder::new("p", ["main"], Math::Strict);
    let stage = StageId::from_index(0);
    let (x, y) = (b.input(Label::named("x"), stage), b.input(Label::named("y"), stage));
    let f = make(&mut b, x, y);
    b.output(Label::named("f"), stage, f);
    let program = b.finish().expect("one operation is well formed");
    let f = |shift: [f64; 2]| run(&program, &[at[0] + shift[0], at[1] + shift[1]])[0];
    for direction in [Direction::Forward, Direction::Reverse] {
        let j = dense(&with(&program, direction), 1, 2, &at);
        let h = 1e-3;
        for (column, unit) in [[h, 0.0], [0.0, h]].into_iter().enumerate() {
            let s = |k: f64| f([k * unit[0], k * unit[1]]);
            let slope = (8.0 * (s(1.0) - s(-1.0)) - (s(2.0) - s(-2.0))) / (12.0 * h);
            assert!(
                (slope - j[0][column]).abs() < 1e-9 * (1.0 + slope.abs()),
                "{program}{slope} {}",
                j[0][column]
            );
        }
    }
}

#[test]
fn every_operation_by_itself() {
    for (op, _) in Unary::ALL {
        for x in [0.37, 0.81] {
            check_operation(|b, x, _| b.unary(op, x), [x, 0.0]);
        }
    }
    for (op, _) in Binary::ALL {
        check_operation(|b, x, y| b.binary(op, x, y), [0.7, 1.3]);
        check_operation(|b, x, y| b.binary(op, x, y), [1.9, 0.4]);
    }
    for n in [-3, -1, 0, 1, 2, 3, 7] {
        check_operation(|b, x, _| b.powi(x, n), [1.4, 0.0]);
    }
    check_operation(|b, x, y| b.fma(x, y, x), [0.3, 0.9]);
    check_operation(|b, x, y| b.fma(x, x, y), [0.3, 0.9]);
    for index in 0..4 {
        let system = |b: &mut ProgramBuilder, x, y| {
            let (one, sum) = (b.constant(1.0), b.add(x, y));
            b.solve(2, &[sum, x, x, one], &[x, one, y, sum])[index]
        };
        check_operation(system, [0.3, 1.9]);
    }
}

/// |v| v has the derivative 0 at rest; a root of what does not vanish twice has an infinite one,
/// recognisably.
#[test]
fn bounded_roots_are_cancelled_by_factors_that_vanish() {
    let mut b = ProgramBuilder::new("drag", ["main"], Math::Finite);
    let stage = StageId::from_index(0);
    let [x, y] = ["x", "y"].map(|name| b.input(Label::named(name), stage));
    let (xx, yy) = (b.mul(x, x), b.mul(y, y));
    let square = b.add(xx, yy);
    let size = b.unary(Unary::Sqrt, square);
    let drag = b.mul(size, x);
    let root = b.unary(Unary::Sqrt, x);
    for value in [drag, root] {
        b.output(Label::named("f"), stage, value);
    }
    let program = b.finish().expect("a sound program");
    let (of, wrt) = everything(&program);
    for direction in [Direction::Forward, Direction::Reverse] {
        let options = Options { direction: Some(direction), bounded_roots: true, ..Options::default() };
        let found = jacobian_with(&program, &of, &wrt, options).expect("derivatives");
        let [drag, root] = &dense(&found, 2, 2, &[0.0, 0.0])[..] else { panic!("two rows") };
        assert!(drag.iter().all(|x| *x == 0.0), "{drag:?}");
        assert!(root[0] > 1e100 && root[0].is_finite(), "{root:?}");
    }
}

/// Where operations are not smooth is known without evaluating anything beside a state.
#[test]
fn switching_functions_are_those_of_the_outputs_asked_for() {
    let mut b = ProgramBuilder::new("switches", ["main"], Math::Finite);
    let stage = StageId::from_index(0);
    let [x, y] = ["x", "y"].map(|name| b.input(Label::named(name), stage));
    let (size, wave) = (b.unary(Unary::Abs, x), b.unary(Unary::Sin, y));
    let most = b.binary(Binary::Max, x, y);
    for value in [size, wave, most] {
        b.output(Label::named("f"), stage, value);
    }
    let program = b.finish().expect("a sound program");
    let outputs: Vec<OutputId> = program.outputs().ids().collect();
    assert!(SwitchingProgram::of(&program, &outputs[1..2]).is_none(), "a sine is smooth");
    let found = SwitchingProgram::of(&program, &outputs).expect("two switches");
    let at = |x: f64, y: f64| found.values(&run(&found.program, &[x, y]));
    assert_eq!(found.passed(&at(-1.0, 3.0), &at(0.0, 3.0)), [true, false]);
    assert_eq!(found.passed(&at(1.0, 3.0), &at(4.0, 3.0)), [false, true]);
    assert_eq!(found.passed(&at(1.0, 3.0), &at(2.0, 4.0)), [false, false]);
}
