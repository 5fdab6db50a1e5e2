//! Operations that share vector instructions within one evaluation give the interpreter's results bit for bit.

use cardan_base::Id;
use cardan_jit::{MachineCode, Packing};
use cardan_program::passes::fuse;
use cardan_program::testing::{Dice, Flavour, Shape, host, random_inputs, random_program};
use cardan_program::{
    Binary, Execute, Interpreter, Label, Math, Program, ProgramBuilder, StageId, Stages, Unary, ValueId,
};

/// Columns computed by one rule from factors that they share: what a linear system with many right-hand sides is made of. Now and then a column
/// leaves the rule, reads its neighbour, or is delivered elsewhere; functions and scalars stand between.
fn columns(seed: u64, n_columns: usize, n_rows: usize) -> Program {
    let mut dice = Dice::new(seed);
    let mut b = ProgramBuilder::new("columns", ["first", "second", "third"], Math::Strict);
    let stages: Vec<StageId> = ["first", "second", "third"].iter().filter_map(|s| b.stage(s)).collect();
    let inputs: Vec<ValueId> =
        (0..12).map(|k| b.input(Label::named(format!("x{k}")), stages[k % 3])).collect();
    let mut shared: Vec<ValueId> = inputs.clone();
    for _ in 0..10 {
        let (x, y) = (shared[dice.below(shared.len())], shared[dice.below(shared.len())]);
        let product = b.mul(x, y);
        shared.push(if dice.one_in(4) { b.unary(Unary::Sin, product) } else { product });
    }
    let mut rows: Vec<Vec<ValueId>> = vec![];
    for _ in 0..2 {
        let start = (0..n_columns).map(|_| {
            let (x, y) = (shared[dice.below(shared.len())], shared[dice.below(shared.len())]);
            b.binary(if dice.one_in(2) { Binary::Mul } else { Binary::Add }, x, y)
        });
        rows.push(start.collect());
    }
    for _ in 0..n_rows {
        let (i, j, l) = (dice.below(rows.len()), dice.below(rows.len()), shared[dice.below(shared.len())]);
        let rule = dice.below(6);
        let leaves = if dice.one_in(3) { dice.below(n_columns) } else { n_columns };
        let mut row: Vec<ValueId> = vec![];
        for c in 0..n_columns {
            let (x, mut y) = (rows[i][c], rows[j][c]);
            if c == leaves {
                y = match dice.below(4) {
                    0 => row.last().copied().unwrap_or(y),
                    1 => b.unary(Unary::Cos, y),
                    2 => l,
                    _ => rows[j][(c + 1) % n_columns],
                };
            }
            let product = b.mul(l, x);
            row.push(match rule {
                0 => b.add(y, product),
                1 => b.sub(y, product),
                2 => b.sub(product, y),
                3 => b.neg(x),
                4 => b.div(x, l),
                _ => b.mul(x, y),
            });
        }
        if dice.one_in(8) {
            shared.push(row[dice.below(n_columns)]);
        }
        rows.push(row);
    }
    for (r, row) in rows.iter().enumerate().filter(|(r, _)| r % 2 == 0 || *r + 1 == rows.len()) {
        let stage = stages[dice.below(3)];
        let shift = if dice.one_in(5) { dice.below(n_columns) } else { 0 };
        for c in 0..n_columns {
            b.output(Label::named(format!("y{r}_{c}")), stage, row[(c + shift) % n_columns]);
        }
    }
    b.finish().expect("it is well formed")
}

fn same(a: f64, b: f64) -> bool {
    a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan())
}

/// Compares engines over several inputs and stage ranges; the sizes of code with and without packs.
fn check(program: &Program, seed: u64) -> (usize, usize) {
    let host = host();
    let mut interpreter = Interpreter::with_host(program, &host).expect("the host provides all functions");
    let compile = |packing| {
        MachineCode::with_packing(program, &host, packing).expect("the host provides all functions")
    };
    let mut engines = [Packing::Never, Packing::WhereItPays, Packing::Always].map(compile);
    let n = program.outputs().len();
    let mut expected = vec![0.0; n];
    let mut found = vec![vec![0.0; n]; 3];
    let mut dice = Dice::new(seed);
    for round in 0..4 {
        let inputs = random_inputs(seed.wrapping_add(round), program, round == 3);
        let n_stages = program.stages().len();
        let first = if round == 0 { 0 } else { dice.below(n_stages) };
        let stages = Stages { first: StageId::from_index(first), last: StageId::from_index(n_stages - 1) };
        let failed = interpreter.run(stages, &inputs, &mut expected);
        for (engine, found) in engines.iter_mut().zip(&mut found) {
            assert_eq!(engine.run(stages, &inputs, found), failed, "program {seed}, round {round}");
            for (k, (x, y)) in expected.iter().zip(&*found).enumerate() {
                assert!(
                    same(*x, *y),
                    "program {seed}, round {round}, output {k}: {x:?}, machine {y:?}\n{program}"
                );
            }
        }
    }
    (engines[0].code_size(), engines[2].code_size())
}

#[test]
fn columns_of_all_widths() {
    let (mut plain, mut packed) = (0, 0);
    for seed in 0..600 {
        let program = columns(seed, 2 + seed as usize % 11, 5 + seed as usize % 40);
        for program in [fuse(&program), program] {
            let sizes = check(&program, seed);
            plain += sizes.0;
            packed += sizes.1;
        }
    }
    #[cfg(target_arch = "x86_64")]
    let packs = std::is_x86_feature_detected!("avx512vl") && std::is_x86_feature_detected!("avx512dq");
    #[cfg(not(target_arch = "x86_64"))]
    let packs = false;
    assert_eq!(packed * 16 < plain * 15, packs, "{packed} bytes with packs, {plain} without");
}

#[test]
fn many_columns_and_rows_that_do_not_fit_into_registers() {
    for seed in 0..30 {
        let program = columns(seed, 24, 300);
        check(&program, seed);
        check(&fuse(&program), seed);
    }
}

#[test]
fn random_programs() {
    for seed in 0..400 {
        let shape =
            Shape { flavour: Flavour::Everything, n_values: 120, n_inputs: 6, n_outputs: 30, n_stages: 3 };
        check(&random_program(seed, &shape), seed);
    }
}
