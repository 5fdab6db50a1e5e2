//! What programs cost: operation counts of small examples and of a published robot.

#![allow(clippy::unwrap_used, reason = "a test may fail by panicking")]

use crate::robot;

use cardan_base::Arena;
use cardan_equations::{Formalism, derive, inverse, mass_matrix};
use cardan_expr::{Expr, Kind, Pool};
use cardan_lower::{
    Phase, Request, counts, counts_per_step, inverse_program, lower, mass_program, simulation_program,
};
use cardan_program::{Counts, Execute, Interpreter, Label, Program};

/// Lowers expressions, given as text, of parameters A to D and coordinates X to Z.
fn program(texts: &[&str]) -> Program {
    let pool = Pool::new();
    let parameters = ["A", "B", "C", "D"].map(|n| (n, pool.symbol(n, Kind::Parameter), Phase::Setup));
    let coordinates =
        ["V", "W", "X", "Y", "Z"].map(|n| (n, pool.symbol(n, Kind::Coordinate), Phase::Position));
    let symbols: Vec<(&str, Expr, Phase)> = parameters.into_iter().chain(coordinates).collect();
    let tables = Arena::new();
    let mut request = Request::new("example", &pool, &tables);
    for (name, symbol, phase) in &symbols {
        request.input(*symbol, Label::named(*name), *phase);
    }
    for text in texts {
        let known = |name: &str| symbols.iter().find(|(n, _, _)| *n == name).map(|(_, e, _)| *e);
        let e = pool.parse(text, &known).unwrap();
        request.output(Label::named(*text), e, Phase::Setup);
    }
    lower(&request).unwrap()
}

fn check(texts: &[&str], expected: Counts) {
    let program = program(texts);
    assert_eq!(counts_per_step(&program), expected, "{texts:?}\n{program}");
}

fn mul_add(mul: u64, add: u64) -> Counts {
    Counts { mul, add, ..Counts::default() }
}

#[test]
fn the_example_of_sayers() {
    // Equations 20 and 21: after p1 = A/cos(3A) three products, a square, a sine and a sum.
    let first = "A*sin(B*X + C*Y)^2/cos(3*A)";
    check(&[first], Counts { trig: 1, ..mul_add(4, 1) });
    // Equations 22 and 23: one division more.
    check(&[first, "5*cos(3*A)/sin(B*X + C*Y)"], Counts { trig: 1, div: 1, ..mul_add(4, 1) });
}

#[test]
fn common_sums_are_computed_once() {
    check(&["X + Y + Z", "X + Y + W"], mul_add(0, 3));
    check(&["X - Y + Z", "Y - X + W"], mul_add(0, 3));
    check(&["A + X + B", "Y + A + B"], mul_add(0, 2));
}

#[test]
fn common_products_are_computed_once() {
    check(&["X*Y*Z", "X*Y*W"], mul_add(3, 0));
    check(&["A*X*B", "A*Y*B"], mul_add(2, 0));
    check(&["X^2", "X^3", "X^4"], mul_add(3, 0));
}

#[test]
fn common_factors_are_taken_out() {
    check(&["X*Y + X*Z + W"], mul_add(1, 2));
    check(&["A*X + B*X + W"], mul_add(1, 1));
    check(&["A*X + A*Y + W"], mul_add(1, 2));
    check(&["X*Y*Z + X*Y*W + X*V"], mul_add(2, 2));
}

#[test]
fn one_division_is_enough() {
    check(&["X*Y/(Z*W)"], Counts { div: 1, ..mul_add(2, 0) });
    check(&["X/A"], mul_add(1, 0));
    check(&["X/Z", "Y/Z", "W/Z"], Counts { div: 1, ..mul_add(3, 0) });
    check(&["X/Z^(1/2)"], Counts { div: 1, sqrt: 1, ..Counts::default() });
}

#[test]
fn signs_cost_nothing() {
    let program = program(&["X - Y - Z", "A*X - B*Y", "W - (X + Y)*Z"]);
    assert!(!program.to_string().contains("neg"), "{program}");
}

#[test]
fn multiplying_out_lets_terms_cancel() {
    check(&["(X + Y)*Z - X*Z"], mul_add(1, 0));
    check(&["(A*cos(X)^2 + B*sin(X)^2)*Y - A*Y"], Counts { trig: 1, ..mul_add(3, 0) });
}

/// Multiplied out, the square would lose all digits.
#[test]
fn products_of_sums_are_not_multiplied_out() {
    let program = program(&["(X - Y)^2*Z + A*Z", "(X - Y)^2*W - 2*X*Y*Z"]);
    let mut outputs = [0.0; 2];
    let inputs = [0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 1e9 + 0.5, 1e9, 1.0];
    Interpreter::new(&program).unwrap().run(program.all_stages(), &inputs, &mut outputs).unwrap();
    assert_eq!(outputs[0], 0.25);
}

#[test]
fn constants_are_computed_in_the_first_stage() {
    let program = program(&["A*B*C*X + A*B*D*Y"]);
    let [setup, ..] = counts(&program);
    assert_eq!(setup.0, Phase::Setup);
    assert!(setup.1.mul > 0, "{program}");
    assert!(counts_per_step(&program).mul <= 2, "{program}");
}

/// The inverse dynamics and the inertia matrix of the robot in the Multibody Systems Handbook. SYM needs 71 products and 52
/// sums for the former before its optimiser, 23 and 11 for the latter after it (Table 2 of its chapter).
#[test]
fn the_robot_of_the_handbook() {
    let model = robot::robot();
    let own = model.clone();
    let forces = inverse(&own, Formalism::Recursive).unwrap();
    let inverse = counts_per_step(&inverse_program(&own, &forces).unwrap().program);
    assert!(inverse.mul <= 71 && inverse.add <= 46 && inverse.div == 0, "{inverse:?}");
    let mass = mass_matrix(&model, Formalism::Recursive).unwrap();
    let mass = counts_per_step(&mass_program(&model, &mass, None).unwrap().program);
    assert!(mass.mul <= 16 && mass.add <= 9 && mass.div == 0, "{mass:?}");
}

#[test]
fn the_same_model_gives_the_same_program() {
    let text = || {
        let model = robot::robot();
        let equations = derive(&model, Formalism::Kane).unwrap();
        simulation_program(&model, &equations).unwrap().program.to_string()
    };
    assert_eq!(text(), text());
}
