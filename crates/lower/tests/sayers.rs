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
