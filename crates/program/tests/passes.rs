//! Passes keep the meaning and do what they promise.

use cardan_base::Id;
use cardan_program::passes::{
    Options, fuse, hasten, number, optimize, remove_dead, schedule, sincos_pairs, sink,
};
use cardan_program::testing::{Dice, Flavour, Shape, host, random_inputs, random_program};
use cardan_program::{
    Execute, Interpreter, Label, Math, Op, Program, ProgramBuilder, StageId, Unary, ValueId, count, verify,
};
use proptest::prelude::*;

fn outputs(program: &Program, inputs: &[f64]) -> Vec<f64> {
    let mut out = vec![0.0; program.outputs().len()];
    let mut engine = Interpreter::with_host(program, &host()).expect("the host provides all functions");
    // Systems with numbers that are not finite deliver NaN on either side.
    let _ = engine.run(program.all_stages(), inputs, &mut out);
    out
}

fn same(a: &[f64], b: &[f64]) -> bool {
    a.iter().zip(b).all(|(x, y)| x.to_bits() == y.to_bits() || (x.is_nan() && y.is_nan()))
}

/// Values that are alive between two operations, at most.
fn pressure(program: &Program) -> usize {
    let mut last = vec![0; program.values().len()];
    for (id, op) in program.values().iter() {
        op.for_each_operand(|v| last[v.index()] = id.index());
    }
    let mut alive = 0usize;
    let mut most = 0;
    let mut ends = vec![0usize; program.values().len()];
    for (id, op) in program.values().iter() {
        if !op.is_leaf() && last[id.index()] > 0 {
            alive += 1;
            ends[last[id.index()]] += 1;
        }
        alive -= ends[id.index()];
        most = most.max(alive);
    }
    most
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]
    #[test]
    fn exact_passes_change_no_bit(seed in any::<u64>()) {
        let shape = Shape { flavour: Flavour::Everything, n_values: 150, n_inputs: 6, n_outputs: 10, n_stages: 4 };
        let program = random_program(seed, &shape);
        let mut dice = Dice::new(seed);
        let (from, into) = (dice.below(4), dice.below(4));
        let results = [
            remove_dead(&program),
            number(&program, Math::Strict),
            schedule(&program),
            sink(&program, StageId::from_index(from.min(into)), StageId::from_index(from.max(into))),
            optimize(&program, Options::default()),
        ];
        for result in &results {
            prop_assert_eq!(verify(result), Ok(()));
            for wild in [false, true] {
                let inputs = random_inputs(seed, &program, wild);
                prop_assert!(same(&outputs(&program, &inputs), &outputs(result, &inputs)));
            }
        }
        prop_assert!(results[0].use_counts().iter().all(|n| *n > 0));
    }

    #[test]
    fn hastening_changes_only_the_last_digits(seed in any::<u64>()) {
        let shape = Shape { flavour: Flavour::Smooth, n_values: 60, n_inputs: 6, n_outputs: 10, n_stages: 3 };
        let program = random_program(seed, &shape);
        let hastened = hasten(&program);
        prop_assert_eq!(verify(&hastened), Ok(()));
        prop_assert_eq!(count(&remove_dead(&program), program.all_stages()), count(&hastened, program.all_stages()));
        let inputs = random_inputs(seed, &program, false);
        let (plain, hastened) = (outputs(&program, &inputs), outputs(&hastened, &inputs));
        let close = |a: f64, b: f64| (a - b).abs() <= 1e-9 * (1.0 + a.abs()) || (a.is_nan() && b.is_nan());
        let n_far = plain.iter().zip(&hastened).filter(|(a, b)| !close(**a, **b)).count();
        prop_assert!(n_far <= 2, "{:?} {:?}", plain, hastened);
    }

    #[test]
    fn fusing_changes_only_the_last_digits(seed in any::<u64>()) {
        let shape = Shape { flavour: Flavour::Smooth, n_values: 60, n_inputs: 6, n_outputs: 10, n_stages: 3 };
        let program = random_program(seed, &shape);
        let fused = fuse(&program);
        prop_assert_eq!(verify(&fused), Ok(()));
        let inputs = random_inputs(seed, &program, false);
        let (plain, fused) = (outputs(&program, &inputs), outputs(&fused, &inputs));
        let close = |a: f64, b: f64| (a - b).abs() <= 1e-9 * (1.0 + a.abs()) || (a.is_nan() && b.is_nan());
        let n_far = plain.iter().zip(&fused).filter(|(a, b)| !close(**a, **b)).count();
        // A branch may tip over: `floor` and comparisons amplify the last digit.
        prop_assert!(n_far <= 2, "{:?} {:?}", plain, fused);
    }
}

#[test]
fn scheduling_lowers_the_number_of_live_values() {
    // Sixty products first, then their sum from the last to the first: the worst order.
    let mut b = ProgramBuilder::new("p", ["main"], Math::Strict);
    let stage = b.stage("main").unwrap();
    let x: Vec<ValueId> = (0..61).map(|i| b.input(Label::named(format!("x{i}")), stage)).collect();
    let products: Vec<ValueId> = (0..60).map(|i| b.mul(x[i], x[i + 1])).collect();
    let sum = products.iter().rev().copied().reduce(|s, p| b.add(s, p)).unwrap();
    b.output(Label::named("sum"), stage, sum);
    let program = b.finish().unwrap();
    let better = schedule(&program);
    assert_eq!(pressure(&program), 60);
    assert!(pressure(&better) <= 3, "{}", pressure(&better));
}

#[test]
fn what_is_known_last_comes_last() {
    let mut b = ProgramBuilder::new("p", ["setup", "main"], Math::Strict);
    let stage = b.stage("main").unwrap();
    let x: Vec<ValueId> = (0..5).map(|i| b.input(Label::named(format!("x{i}")), stage)).collect();
    let late = b.unary(Unary::Sin, x[0]);
    // ((late x1 + x2 x3) - x4) - x3, and (late x1) (x2 x3) x4.
    let (p, q) = (b.mul(late, x[1]), b.mul(x[2], x[3]));
    let s = b.add(p, q);
    let s = b.sub(s, x[4]);
    let sum = b.sub(s, x[3]);
    let (p, q) = (b.mul(late, x[2]), b.mul(x[3], x[4]));
    let r = b.mul(p, x[1]);
    let product = b.mul(r, q);
    b.output(Label::named("sum"), stage, sum);
    b.output(Label::named("product"), stage, product);
    let program = b.finish().unwrap();
    let hastened = hasten(&program);
    assert_eq!(verify(&hastened), Ok(()));
    let after = |program: &Program| {
        let mut n: Vec<Option<u32>> = vec![];
        for (_, op) in program.values().iter() {
            let mut longest = None;
            op.for_each_operand(|v| longest = longest.max(n[v.index()]));
            n.push(if matches!(op, Op::Unary(Unary::Sin, _)) { Some(0) } else { longest.map(|l| l + 1) });
        }
        program.outputs().iter().map(|(_, o)| n[o.value.index()]).collect::<Vec<_>>()
    };
    // Before: a product and three sums, and three products, wait for the sine.
    assert_eq!(after(&program), [Some(4), Some(3)]);
    assert_eq!(after(&fuse(&hastened)), [Some(1), Some(1)]);
    let all = program.all_stages();
    assert_eq!(count(&program, all), count(&hastened, all));
    let inputs = [0.3, 1.25, -2.5, 0.75, 3.5];
    for (a, b) in outputs(&program, &inputs).iter().zip(outputs(&hastened, &inputs)) {
        assert!((a - b).abs() < 1e-14, "{a} {b}");
    }
}

#[test]
fn sums_of_products_become_fused_operations() {
    let mut b = ProgramBuilder::new("p", ["main"], Math::Strict);
    let stage = b.stage("main").unwrap();
    let x: Vec<ValueId> = (0..6).map(|i| b.input(Label::named(format!("x{i}")), stage)).collect();
    let (p, q, r) = (b.mul(x[0], x[1]), b.mul(x[2], x[3]), b.mul(x[4], x[5]));
    let s = b.add(p, q);
    let d = b.sub(s, r);
    b.output(Label::named("d"), stage, d);
    let program = fuse(&b.finish().unwrap());
    let n_fused = program.values().iter().filter(|(_, op)| matches!(op, Op::Fma(..))).count();
    assert_eq!(n_fused, 2);
    let counts = count(&program, program.all_stages());
    assert_eq!((counts.mul, counts.add), (3, 2));
    assert_eq!(outputs(&program, &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]), [1.0 * 2.0 + 3.0 * 4.0 - 30.0]);
}

#[test]
fn report_values_sink_into_the_report() {
    let mut b = ProgramBuilder::new("p", ["setup", "motion", "report"], Math::Strict);
    let [setup, motion, report] = ["setup", "motion", "report"].map(|s| b.stage(s).unwrap());
    let p = b.input(Label::named("p"), setup);
    let q = b.input(Label::named("q"), motion);
    let constant = b.unary(Unary::Exp, p);
    let shared = b.mul(constant, q);
    let late = b.unary(Unary::Sin, shared);
    let later = b.mul(late, constant);
    b.output(Label::named("shared"), motion, shared);
    b.output(Label::named("later"), report, later);
    let sunk = sink(&b.finish().unwrap(), motion, report);
    let motion_values: Vec<usize> = sunk.stage_values(motion).collect();
    let report_values: Vec<usize> = sunk.stage_values(report).collect();
    assert_eq!((motion_values.len(), report_values.len()), (2, 2));
    assert_eq!(sunk.stage_values(setup).len(), 2);
}

#[test]
fn pairs_stand_side_by_side_after_scheduling() {
    let mut b = ProgramBuilder::new("p", ["main"], Math::Strict);
    let stage = b.stage("main").unwrap();
    let x = b.input(Label::named("x"), stage);
    let sine = b.unary(Unary::Sin, x);
    let middle = b.mul(sine, sine);
    let cosine = b.unary(Unary::Cos, x);
    let end = b.mul(middle, cosine);
    b.output(Label::named("end"), stage, end);
    let program = schedule(&b.finish().unwrap());
    let pairs = sincos_pairs(&program);
    assert_eq!(pairs.len(), 1);
    assert_eq!(pairs[0].0.index().abs_diff(pairs[0].1.index()), 1);
}
