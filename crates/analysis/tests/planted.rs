//! Errors planted in a copy of the equations: `verify` finds them and names the equation.

use crate::common;

use cardan_analysis::verify::POINTS;
use cardan_analysis::{Check, Finding, Study, verify};
use cardan_compile::{Choice, choose};
use cardan_equations::{Formalism, unsolved};
use cardan_expr::{Expr, Node, Pool, Rational};
use cardan_jit::EngineKind;
use cardan_lower::simulation_program;
use cardan_model::Model;
use cardan_program::Host;
use cardan_sim::{Settings, Simulation};

/// A carriage with two arms of its own: speeds of several dimensions.
const ARMS: &str = "
model arms
gravity = -9.81 [m/s^2] * N.z
body base on N by translate(x = x) rotate(z = psi) {
  mass = 4 [kg]; inertia = (0.2, 0.3, 0.4) [kg*m^2]; center = (0.1, 0, 0.1) [m]
}
body upper on base by rotate(y = q1) at (0.2, 0, 0.3) [m] {
  mass = 2 [kg]; inertia = (0.1, 0.12, 0.03) [kg*m^2]; center = (0, 0, 0.4) [m]
}
body lower on upper by rotate(x = q2) at (0, 0, 0.8) [m] {
  mass = 1 [kg]; inertia = (0.05, 0.06, 0.02) [kg*m^2]; center = (0.1, 0.05, 0.3) [m]
}
start { x = 0 [m]; q1 = 0.4 [rad]; q2 = -0.7 [rad]; der(psi) = 1.5 [rad/s]; der(q1) = -1 [rad/s]; der(q2) = 2 [rad/s]; der(x) = 0.6 [m/s] }
simulate { to = 0.5 [s], every = 0.05 [s] }
";

/// Four bars with a spring: the same under constraints.
const BARS: &str = "
model bars
gravity = -9.81 [m/s^2] * N.y
body crank on N by rotate(z = q1) { mass = 1 [kg]; inertia = (0, 0, 0.1) [kg*m^2]; center = (0.2, 0, 0) [m]; point end = (0.4, 0, 0) [m] }
body coupler on crank by rotate(z = q2) at crank.end { mass = 2 [kg]; inertia = (0, 0, 0.4) [kg*m^2]; center = (0.5, 0.1, 0) [m]; point end = (1, 0, 0) [m] }
body rocker on N by rotate(z = q3) at (1, 0, 0) [m] { mass = 1.5 [kg]; inertia = (0, 0, 0.2) [kg*m^2]; center = (0.4, 0, 0) [m]; point end = (0.8, 0, 0) [m] }
joint close = revolute(coupler.end, rocker.end, axis = z)
start { q1 = 1 [rad]; q2 ~ -0.5 [rad]; q3 ~ 1.4 [rad]; der(q1) = 3 [rad/s] }
simulate { to = 0.3 [s], every = 0.03 [s] }
";

/// A way to spoil rows: M and f of the row are given.
type Spoil<'a> = &'a dyn Fn(&Pool, usize, &mut [Vec<Expr>], &mut [Expr]);

/// The terms of a sum, seen through its name.
fn terms(pool: &Pool, e: Expr) -> Vec<Expr> {
    let open = pool.definition(e).unwrap_or(e);
    match pool.node(open) {
        Node::Sum(terms) => terms.iter().map(|(c, m)| pool.scale(c.clone(), *m)).collect(),
        _ => vec![open],
    }
}

/// The term of a row that is largest at the start tells most; which one is left to the test.
fn change_term(pool: &Pool, e: Expr, k: usize, factor: Rational) -> Expr {
    let mut all = terms(pool, e);
    let k = k % all.len();
    all[k] = pool.scale(factor, all[k]);
    pool.define(pool.sum(all))
}

/// Verifies a model with rows that were spoiled.
fn verified(text: &str, formalism: Formalism, row: usize, spoil: Spoil<'_>) -> (Vec<String>, Check) {
    let model: Model = common::model(text);
    let choice = choose(&model, Some(formalism)).unwrap();
    let own = &choice.model;
    let mut rows = unsolved(own, formalism, choice.equations.constraints.clone()).unwrap();
    spoil(own.space.pool(), row, &mut rows.mass, &mut rows.forcing);
    let equations = rows.solved(own, formalism).unwrap();
    let lowered = simulation_program(own, &equations).unwrap();
    let names = own.speeds.iter().map(|(_, u)| u.quantity.name.clone()).collect();
    let choice = Choice { equations, lowered, ..choice };
    let simulation = Simulation::of(&choice, EngineKind::Native, Host::new()).unwrap();
    let mut study = Study::of(&choice, &[]).unwrap();
    let settings = Settings { to: 0.3, every: Some(0.03), ..Settings::default() };
    let checks = verify(&model, &choice, &simulation, &mut study, (&settings, POINTS), &mut |_| ()).unwrap();
    (names, checks.into_iter().find(|c| c.name == "formalisms").unwrap())
}

fn flipped(pool: &Pool, r: usize, _: &mut [Vec<Expr>], f: &mut [Expr]) {
    f[r] = change_term(pool, f[r], 0, Rational::int(-1));
}
fn dropped(pool: &Pool, r: usize, _: &mut [Vec<Expr>], f: &mut [Expr]) {
    f[r] = change_term(pool, f[r], 0, Rational::int(0));
}
fn scaled(pool: &Pool, r: usize, m: &mut [Vec<Expr>], _: &mut [Expr]) {
    m[r][r] = pool.define(pool.scale(Rational::new(1001, 1000).unwrap(), m[r][r]));
}

#[test]
fn sound_equations_hold() {
    for text in [ARMS, BARS] {
        for formalism in [Formalism::Kane, Formalism::Recursive, Formalism::Lagrange] {
            let (_, check) = verified(text, formalism, 0, &|_, _, _, _| ());
            assert_eq!(check.finding, Finding::Holds, "{check:?}");
            assert!(!check.compared.contains("differ"), "{check:?}");
        }
    }
}

/// One sign flipped, one term dropped, one partial scaled by a thousandth: each in every row, and that row is named, and no other.
#[test]
fn a_planted_error_is_found_in_its_row() {
    let errors: [(&str, Spoil<'_>); 3] = [("flip", &flipped), ("drop", &dropped), ("scale", &scaled)];
    for (text, n) in [(ARMS, 4), (BARS, 3)] {
        for row in 0..n {
            for (kind, spoil) in errors {
                let formalism = if row % 2 == 0 { Formalism::Lagrange } else { Formalism::Recursive };
                let (names, check) = verified(text, formalism, row, spoil);
                let what = format!("{kind} in {}: {check:?}", names[row]);
                assert!(matches!(check.finding, Finding::Doubtful | Finding::Fails), "{what}");
                let named = format!("; the equation of `{}` differs", names[row]);
                assert!(check.compared.ends_with(&named), "{what}");
            }
        }
    }
}
