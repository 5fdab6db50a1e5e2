//! Programs of whole models against the expressions they come from.

#![allow(clippy::unwrap_used, reason = "a test may fail by panicking")]

use crate::robot;

use cardan_base::{Id, Map};
use cardan_equations::{self as equations, Equations, Formalism, derive};
use cardan_expr::{Expr, SymbolId};
use cardan_lower::{inverse_program, mass_program, simulation_program, state_jacobian};
use cardan_model::Model;
use cardan_program::{Execute, Interpreter, Program};
use cardan_testkit::{Random, TreeOptions, random_tree};

/// Values for every input of a program about a model, and for every symbol of its expressions.
fn random_inputs(
    model: &Model,
    equations: &Equations,
    program: &Program,
    seed: u64,
) -> (Vec<f64>, Map<SymbolId, f64>) {
    let pool = model.space.pool();
    let mut random = Random::new(seed);
    let mut values: Map<SymbolId, f64> = Map::default();
    let mut inputs = vec![];
    let mut given = |e: Expr, v: f64| {
        inputs.push(v);
        values.insert(pool.as_symbol(e).unwrap(), v);
    };
    for (_, p) in model.parameters.iter() {
        given(p.symbol, pool.evaluate(p.default.unwrap(), &|_| f64::NAN));
    }
    given(model.space.time(), random.between(0.0, 2.0));
    model.coordinates.iter().for_each(|(_, q)| given(q.symbol, random.between(-1.0, 1.0)));
    model.speeds.iter().for_each(|(_, u)| given(u.symbol, random.between(-1.0, 1.0)));
    if program.inputs().len() > inputs.len() {
        model.speeds.iter().for_each(|_| inputs.push(random.between(-1.0, 1.0)));
        let rates = inputs[inputs.len() - model.speeds.len()..].to_vec();
        values.extend(model.speeds.iter().zip(rates).map(|((_, u), v)| (pool.as_symbol(u.rate).unwrap(), v)));
    } else {
        let solved = pool.evaluate_all(&equations.u_dot, &|s| values.get(&s).copied().unwrap_or(f64::NAN));
        values
            .extend(model.speeds.iter().zip(solved).map(|((_, u), v)| (pool.as_symbol(u.rate).unwrap(), v)));
    }
    (inputs, values)
}

fn run(program: &Program, inputs: &[f64]) -> Vec<f64> {
    let mut outputs = vec![f64::NAN; program.outputs().len()];
    Interpreter::new(program).unwrap().run(program.all_stages(), inputs, &mut outputs).unwrap();
    outputs
}

fn close(found: &[f64], expected: &[f64], tolerance: f64, what: &str) {
    assert_eq!(found.len(), expected.len());
    let scale = expected.iter().fold(1.0f64, |m, x| m.max(x.abs()));
    for (i, (x, y)) in found.iter().zip(expected).enumerate() {
        assert!((x - y).abs() <= tolerance * scale, "{what}[{i}]: {x} instead of {y} (scale {scale})");
    }
}

fn check(model: &Model, formalism: Formalism, seed: u64) {
    let Ok(equations) = derive(model, formalism) else { return };
    let pool = model.space.pool();
    let tag = |what: &str| format!("{} by {}, {what}", model.name, formalism.name());

    let simulation = simulation_program(model, &equations).unwrap();
    let (inputs, values) = random_inputs(model, &equations, &simulation.program, seed);
    let expected = |list: &[Expr]| pool.evaluate_all(list, &|s| values[&s]);
    let found = run(&simulation.program, &inputs);
    let layout = &simulation.layout;
    let rates: Vec<Expr> =
        equations.q_dot.iter().chain(&equations.u_dot).chain(&equations.s_dot).copied().collect();
    close(&found[layout.derivatives.clone()], &expected(&rates), 1e-11, &tag("derivatives"));
    let powers: Vec<Expr> = equations.energy.powers.iter().map(|(_, e)| *e).collect();
    close(&found[layout.powers.clone()], &expected(&powers), 1e-11, &tag("powers"));
    let energies = [equations.energy.kinetic, equations.energy.gravity];
    let computed = [layout.kinetic, layout.gravity].map(|o| found[o.index()]);
    close(&computed, &expected(&energies), 1e-11, &tag("energies"));
    for (body, first) in &layout.poses {
        let pose = &found[first.index()..first.index() + 12];
        let space = &model.space;
        let p = space.position_from(space.newtonian(), &space.origin(model.bodies[*body].frame));
        close(&pose[..3], &expected(&space.components(&p, space.newtonian())), 1e-11, &tag("origin"));
        // Euler parameters at random have no unit norm, and then their matrix is no rotation.
        if model.unit_quadruples.is_empty() {
            let r = &pose[3..];
            let determinant = r[0] * (r[4] * r[8] - r[5] * r[7]) - r[1] * (r[3] * r[8] - r[5] * r[6])
                + r[2] * (r[3] * r[7] - r[4] * r[6]);
            close(&[determinant], &[1.0], 1e-11, &tag("determinant of the pose"));
        }
    }

    let jacobian = state_jacobian(&simulation).unwrap();
    let entries = run(&jacobian.program, &inputs);
    let mut interpreter = Interpreter::new(&simulation.program).unwrap();
    for (column, input) in layout.inputs.state().enumerate() {
        let mut at = |h: f64| {
            let mut moved = inputs.clone();
            moved[input] += h;
            let mut outputs = found.clone();
            interpreter.run(simulation.program.all_stages(), &moved, &mut outputs).unwrap();
            outputs[layout.derivatives.clone()].to_vec()
        };
        let (ahead, behind) = (at(1e-5), at(-1e-5));
        let mut exact = vec![0.0; ahead.len()];
        for (k, (row, c)) in jacobian.pattern.iter().enumerate() {
            if *c == column {
                exact[*row] = entries[jacobian.first.index() + k];
            }
        }
        let differences: Vec<f64> = ahead.iter().zip(&behind).map(|(a, b)| (a - b) / 2e-5).collect();
        close(&exact, &differences, 1e-5, &tag("column of the Jacobian"));
    }

    let forces = equations::inverse(model, formalism).unwrap();
    let inverse = inverse_program(model, &forces).unwrap();
    let (inputs, values) = random_inputs(model, &equations, &inverse.program, seed + 1);
    let expected = |list: &[Expr]| pool.evaluate_all(list, &|s| values[&s]);
    close(&run(&inverse.program, &inputs), &expected(&forces), 1e-11, &tag("inverse dynamics"));
    if let Some(mass) = &equations.mass {
        let program = mass_program(model, mass, equations.forcing.as_deref()).unwrap().program;
        let lower: Vec<Expr> = mass.iter().enumerate().flat_map(|(r, row)| row[..=r].to_vec()).collect();
        let all: Vec<Expr> = lower.into_iter().chain(equations.forcing.clone().unwrap()).collect();
        close(&run(&program, &inputs), &expected(&all), 1e-11, &tag("mass matrix and right-hand side"));
    }
}

#[test]
fn programs_of_random_trees_equal_their_equations() {
    for seed in 0..40 {
        let options =
            TreeOptions { bodies: 1 + seed as usize % 5, loads: seed % 2 == 0, user_speeds: seed % 3 == 0 };
        let model = random_tree(seed, options);
        for formalism in Formalism::ALL {
            check(&model.clone(), formalism, seed);
        }
    }
}

#[test]
fn programs_of_the_robot_equal_its_equations() {
    let model = robot::robot();
    for formalism in Formalism::ALL {
        check(&model.clone(), formalism, 7);
    }
}
