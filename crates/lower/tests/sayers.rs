//! The worked examples of intermediate variables in Sayers, "Symbolic computer language for multibody systems" (J. Guidance 14, 1991),
//! Eqs. 14 to 23: A, B, C are constants, X and Y are variables, and no more operations are made than he counts.

use cardan_base::Arena;
use cardan_expr::{Expr, Kind, Pool};
use cardan_lower::{Phase, Request, counts, lower};
use cardan_program::{Counts, Label};

/// Operations once per parameter set, and at every evaluation.
fn operations(texts: &[&str]) -> (Counts, Counts) {
    let pool = Pool::new();
    let letters = [
        ("A", Kind::Parameter),
        ("B", Kind::Parameter),
        ("C", Kind::Parameter),
        ("X", Kind::Coordinate),
        ("Y", Kind::Coordinate),
    ];
    let symbols: Vec<(&str, Expr)> = letters.iter().map(|(n, k)| (*n, pool.symbol(*n, *k))).collect();
    let tables = Arena::new();
    let mut request = Request::new("example", &pool, &tables);
    for ((name, kind), (_, e)) in letters.iter().zip(&symbols) {
        let phase = if *kind == Kind::Parameter { Phase::Setup } else { Phase::Position };
        request.input(*e, Label::named(*name), phase);
    }
    for (k, text) in texts.iter().enumerate() {
        let find = |n: &str| symbols.iter().find(|(name, _)| *name == n).map(|(_, e)| *e);
        let e = pool.parse(text, &find).expect("an expression");
        request.output(Label::named(format!("r{k}")), e, Phase::Position);
    }
    let program = lower(&request).expect("a program");
    let found = counts(&program);
    let of = |phase: Phase| found.iter().find(|(p, _)| *p == phase).map(|(_, c)| *c).expect("a stage");
    (of(Phase::Setup), of(Phase::Position))
}

/// Eq. 14: what depends on constants only is computed once.
#[test]
fn constants_are_computed_once() {
    let (setup, evaluation) = operations(&["A*((23/10)*B - C^2)"]);
    assert_eq!(evaluation.total(), 0);
    assert!(setup.mul <= 3 && setup.add <= 1, "{setup:?}");
}

/// Eq. 15: constant factors leave the sum. The paper's form takes three multiplications, A B (2 X + B Y).
#[test]
fn constant_factors_are_collected() {
    let (_, evaluation) = operations(&["A*(2*B*X + B^2*Y)"]);
    assert!(evaluation.mul <= 3 && evaluation.add == 1 && evaluation.div == 0, "{evaluation:?}");
}

/// Eqs. 20 and 21: three multiplications, one square, one function, one addition after the constants.
#[test]
fn a_compound_expression_costs_what_the_paper_says() {
    let (setup, evaluation) = operations(&["A*sin(B*X + C*Y)^2/cos(3*A)"]);
    assert_eq!((evaluation.mul, evaluation.add, evaluation.trig, evaluation.div), (4, 1, 1, 0));
    assert_eq!((setup.trig, setup.div), (1, 1));
}

/// Eqs. 22 and 23: a second expression with the same sine costs one division more.
#[test]
fn a_shared_expression_costs_one_division() {
    let first = "A*sin(B*X + C*Y)^2/cos(3*A)";
    let (setup_one, one) = operations(&[first]);
    let (setup_both, both) = operations(&[first, "5*cos(3*A)/sin(B*X + C*Y)"]);
    assert_eq!((both.div, both.total()), (one.div + 1, one.total() + 1));
    assert_eq!(setup_both.trig, setup_one.trig);
}

/// Eq. 16: a product of five factors takes four multiplications, and the product of the first two is there for others.
#[test]
fn factors_are_taken_two_at_a_time() {
    let product = "X*Y*sin(X)*cos(Y)*exp(X)";
    let (_, alone) = operations(&[product]);
    assert_eq!((alone.mul, alone.add, alone.div), (4, 0, 0));
    let (_, with_number) = operations(&["3*X*Y*sin(X)*cos(Y)*exp(X)"]);
    assert_eq!(with_number.mul, 5);
    let (_, both) = operations(&["X*Y", "X*Y*sin(X)"]);
    assert_eq!(both.mul, 2);
}

/// Eq. 17: each term of a sum is made once, and so is the sum.
#[test]
fn terms_of_a_sum_are_shared() {
    let (_, one) = operations(&["A*X + sin(Y)"]);
    let (_, more) = operations(&["A*X + sin(Y)", "A*X", "sin(Y)", "cos(A*X + sin(Y))"]);
    assert_eq!((more.mul, more.add, more.trig), (one.mul, one.add, one.trig + 1));
}

/// Eqs. 18 and 19: the base of a power and the arguments of a function are made once.
#[test]
fn bases_and_arguments_are_shared() {
    let sum = "A*X + B*Y";
    let (_, one) = operations(&[sum]);
    let (_, both) = operations(&[sum, "(A*X + B*Y)^2", "sin(A*X + B*Y)", "exp(A*X + B*Y)"]);
    assert_eq!((both.mul, both.add, both.trig), (one.mul + 1, one.add, 1));
}
