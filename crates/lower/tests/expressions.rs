//! Lowered programs compute what the pool says expressions are worth.

#![allow(clippy::unwrap_used, reason = "a test may fail by panicking")]

use cardan_base::{Arena, Map};
use cardan_expr::{Expr, Function, Kind, Pool, Rational, SymbolId};
use cardan_lower::{Phase, Request, lower};
use cardan_program::{Execute, Interpreter, Label};
use proptest::prelude::*;

const SYMBOLS: [(&str, Kind, Phase); 8] = [
    ("a", Kind::Parameter, Phase::Setup),
    ("b", Kind::Parameter, Phase::Setup),
    ("t", Kind::Time, Phase::Time),
    ("x", Kind::Coordinate, Phase::Position),
    ("y", Kind::Coordinate, Phase::Position),
    ("u", Kind::Speed, Phase::Motion),
    ("v", Kind::Speed, Phase::Motion),
    ("s", Kind::State, Phase::Motion),
];

/// A recipe for an expression.
#[derive(Clone, Debug)]
enum Recipe {
    Symbol(usize),
    Number(i64, i64),
    Sum(Vec<Recipe>),
    Product(Vec<Recipe>),
    Power(Box<Recipe>, i64, i64),
    Named(Box<Recipe>),
    Call(usize, Vec<Recipe>),
}

const FUNCTIONS: [(Function, usize); 24] = [
    (Function::Sin, 1),
    (Function::Cos, 1),
    (Function::Tan, 1),
    (Function::Asin, 1),
    (Function::Acos, 1),
    (Function::Atan, 1),
    (Function::Sinh, 1),
    (Function::Cosh, 1),
    (Function::Tanh, 1),
    (Function::Exp, 1),
    (Function::Ln, 1),
    (Function::Abs, 1),
    (Function::Sign, 1),
    (Function::Floor, 1),
    (Function::Not, 1),
    (Function::Atan2, 2),
    (Function::Pow, 2),
    (Function::Min, 2),
    (Function::Max, 2),
    (Function::Less, 2),
    (Function::LessEqual, 2),
    (Function::And, 2),
    (Function::Or, 2),
    (Function::Select, 3),
];

fn recipe() -> impl Strategy<Value = Recipe> {
    let leaf = prop_oneof![
        6 => (0..SYMBOLS.len()).prop_map(Recipe::Symbol),
        1 => (-7i64..8, 1i64..5).prop_map(|(n, d)| Recipe::Number(n, d)),
    ];
    leaf.prop_recursive(6, 64, 5, |inner| {
        prop_oneof![
            5 => prop::collection::vec(inner.clone(), 2..5).prop_map(Recipe::Sum),
            5 => prop::collection::vec(inner.clone(), 2..5).prop_map(Recipe::Product),
            1 => (inner.clone(), -3i64..6, 1i64..4).prop_map(|(r, n, d)| Recipe::Power(Box::new(r), n, d)),
            3 => inner.clone().prop_map(|r| Recipe::Named(Box::new(r))),
            2 => (0..FUNCTIONS.len(), prop::collection::vec(inner, 3)).prop_map(|(f, a)| Recipe::Call(f, a)),
        ]
    })
}

fn build(pool: &Pool, symbols: &[Expr], recipe: &Recipe) -> Expr {
    let all = |list: &[Recipe]| list.iter().map(|r| build(pool, symbols, r)).collect::<Vec<_>>();
    match recipe {
        Recipe::Symbol(k) => symbols[*k],
        Recipe::Number(n, d) => pool.number(Rational::new(*n, *d).unwrap()),
        Recipe::Sum(list) => pool.sum(all(list)),
        Recipe::Product(list) => pool.product(all(list)),
        Recipe::Power(base, n, d) => pool.pow(build(pool, symbols, base), Rational::new(*n, *d).unwrap()),
        Recipe::Named(inner) => pool.define(build(pool, symbols, inner)),
        Recipe::Call(f, list) => {
            let (function, arity) = FUNCTIONS[*f];
            pool.call(function, &all(&list[..arity]))
        }
    }
}

/// The largest of all parts; NaN if one of them is not a number, because then even its sign is open.
fn largest_part(pool: &Pool, roots: &[Expr], value: &dyn Fn(SymbolId) -> f64) -> f64 {
    let parts = pool.reachable(roots.iter().copied());
    pool.evaluate_all(&parts, value)
        .into_iter()
        .map(f64::abs)
        .fold(1.0, |a, b| if a < b || b.is_nan() { b } else { a })
}

/// -(a < b) is minus a number, though a < b is a truth value.
#[test]
fn the_negative_of_a_comparison_is_a_number() {
    let pool = Pool::new();
    let (a, b) = (pool.symbol("a", Kind::Coordinate), pool.symbol("b", Kind::Coordinate));
    let tables = Arena::new();
    let mut request = Request::new("p", &pool, &tables);
    request.input(a, Label::named("a"), Phase::Position);
    request.input(b, Label::named("b"), Phase::Position);
    request.output(Label::named("r"), pool.neg(pool.call(Function::Less, &[a, b])), Phase::Position);
    let program = lower(&request).unwrap();
    let mut found = [0.0];
    Interpreter::new(&program).unwrap().run(program.all_stages(), &[1.0, 2.0], &mut found).unwrap();
    assert_eq!(found, [-1.0]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]
    #[test]
    fn programs_equal_expressions(
        recipes in prop::collection::vec(recipe(), 1..5),
        point in prop::collection::vec(0.2f64..1.8, SYMBOLS.len()),
    ) {
        let pool = Pool::new();
        let symbols: Vec<Expr> = SYMBOLS.iter().map(|(n, k, _)| pool.symbol(*n, *k)).collect();
        let roots: Vec<Expr> = recipes.iter().map(|r| build(&pool, &symbols, r)).collect();
        prop_assume!(roots.iter().all(|e| !pool.is_undefined(*e)));
        let values: Map<SymbolId, f64> =
            symbols.iter().zip(&point).map(|(e, v)| (pool.as_symbol(*e).unwrap(), *v)).collect();
        let expected = pool.evaluate_all(&roots, &|s| values[&s]);
        let scale = largest_part(&pool, &roots, &|s| values[&s]);
        if scale.is_nan() || scale > 1e4 {
            return Ok(());
        }

        let tables = Arena::new();
        let mut request = Request::new("p", &pool, &tables);
        for (e, (name, _, phase)) in symbols.iter().zip(SYMBOLS) {
            request.input(*e, Label::named(name), phase);
        }
        for (k, e) in roots.iter().enumerate() {
            let phase = if k % 2 == 0 { Phase::Setup } else { Phase::Report };
            request.output(Label::named(format!("r{k}")), *e, phase);
        }
        let program = lower(&request).unwrap();
        let mut found = vec![0.0; roots.len()];
        Interpreter::new(&program).unwrap().run(program.all_stages(), &point, &mut found).unwrap();
        for (e, (x, y)) in roots.iter().zip(expected.iter().zip(&found)) {
            let same = (x.is_nan() && y.is_nan()) || (x - y).abs() <= 1e-11 * scale * scale;
            prop_assert!(same, "{} = {x}, but the program says {y}\n{program}", pool.text(*e));
        }
        prop_assert_eq!(&program, &lower(&request).unwrap());
    }
}
