//! Kane against Newton-Euler and Lagrange on every model of the library, at random states: accelerations of trees, inverse dynamics, mass
//! matrices. Random trees are compared in the crate of the equations.

#![allow(clippy::unwrap_used, reason = "what fails fails the test")]

use std::path::Path;

use cardan::assembly::ParameterValues;
use cardan::base::Map;
use cardan::equations::{derive, inverse};
use cardan::expr::{Expr, SymbolId};
use cardan::prelude::*;
use cardan_testkit::Random;

/// Values for every symbol that the equations of a model may contain.
fn random_state(model: &Model, seed: u64) -> Map<SymbolId, f64> {
    let pool = model.space.pool();
    let known = ParameterValues::of(model);
    let mut random = Random::new(seed);
    let mut values = Map::default();
    let mut set = |e: Expr, v: f64| {
        if let Some(s) = pool.as_symbol(e) {
            values.insert(s, v);
        }
    };
    model.parameters.iter().for_each(|(_, p)| set(p.symbol, known.evaluate(model, p.symbol)));
    set(model.space.time(), random.between(0.0, 0.5));
    model.coordinates.iter().for_each(|(_, q)| set(q.symbol, random.between(-1.0, 1.0)));
    for quadruple in &model.unit_quadruples {
        let e: [f64; 4] = std::array::from_fn(|_| random.between(-1.0, 1.0));
        let norm = e.iter().map(|x| x * x).sum::<f64>().sqrt();
        quadruple.iter().zip(e).for_each(|(q, x)| set(model.coordinates[*q].symbol, x / norm));
    }
    for (_, u) in model.speeds.iter() {
        set(u.symbol, random.between(-1.0, 1.0));
        set(u.rate, random.between(-1.0, 1.0));
    }
    values
}

/// Compares what can be evaluated, relative to the largest; how much that was. In long chains the solution of M u̇ = f loses more digits
/// than a product does: `slack` is 1 for products.
fn close(a: &[f64], b: &[f64], slack: f64, what: &str) -> usize {
    let scale = a.iter().chain(b).filter(|x| x.is_finite()).fold(1e-12f64, |m, x| m.max(x.abs()));
    assert_eq!(a.len(), b.len(), "{what}");
    for (i, (x, y)) in a.iter().zip(b).enumerate() {
        assert_eq!(x.is_finite(), y.is_finite(), "{what}[{i}]: {x} against {y}");
        assert!(
            !x.is_finite() || (x - y).abs() <= slack * 1e-11 * scale,
            "{what}[{i}]: {x} against {y} (scale {scale})"
        );
    }
    a.iter().filter(|x| x.is_finite()).count()
}

#[test]
fn formalisms_agree_on_every_model() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models");
    let mut models = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let text = std::fs::read_to_string(&path).unwrap_or_default();
        // Where quantities are small, each formalism drops what it may.
        if path.extension().is_none_or(|e| e != "mbs") || text.contains("small") {
            continue;
        }
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        // Each formalism has a model of its own: in one pool the second would find the first one's results.
        let fresh = resolve(parse(&name, &text)).into_model().unwrap_or_else(|e| panic!("{name}: {e}"));
        let by = |formalism: Formalism| {
            let (model, of_inverse) = (fresh.clone(), fresh.clone());
            let equations =
                derive(&model, formalism).unwrap_or_else(|e| panic!("{name}: {}", e.message(&model)));
            let tau = inverse(&of_inverse, formalism).ok().unwrap();
            let at = |model: &Model, es: &[Expr], seed: u64| {
                let values = random_state(model, seed);
                model.space.pool().evaluate_all(es, &|s| values.get(&s).copied().unwrap_or(f64::NAN))
            };
            let rows = |seed: u64| {
                let is_tree = model.constraints.is_empty();
                let mass: Vec<Vec<f64>> =
                    equations.mass.iter().flatten().map(|row| at(&model, row, seed)).collect();
                let accelerations = is_tree.then(|| at(&model, &equations.u_dot, seed));
                (accelerations, at(&of_inverse, &tau, seed), mass)
            };
            (0..5).map(rows).collect::<Vec<_>>()
        };
        let expected = by(Formalism::Kane);
        for other in [Formalism::Recursive, Formalism::Lagrange] {
            let mut compared = 0;
            let name = format!("{name}, kane against {}", other.name());
            for (a, b) in expected.iter().zip(by(other)) {
                if let (Some(a), Some(b)) = (&a.0, &b.0) {
                    let slack = (a.len() as f64 / 12.0).max(1.0);
                    compared += close(a, b, slack, &format!("{name}: accelerations"));
                }
                compared += close(&a.1, &b.1, 1.0, &format!("{name}: inverse dynamics"));
                for (r, (a, b)) in a.2.iter().zip(&b.2).enumerate() {
                    compared += close(a, b, 1.0, &format!("{name}: row {r} of the mass matrix"));
                }
            }
            assert!(compared > 0, "{name}: nothing could be evaluated");
        }
        models += 1;
    }
    assert!(models > 15, "{models}");
}
