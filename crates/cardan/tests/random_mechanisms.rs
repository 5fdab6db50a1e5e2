//! Five hundred random mechanisms: assembly, mobility, three formulations against one another, energy.

use cardan::base::Map;
use cardan::equations::{ConstraintRow, constraints, derive_unreduced};
use cardan::expr::{Expr, SymbolId};
use cardan::prelude::*;
use cardan::sim::ConstraintForm;
use cardan::solve::linear::{Matrix, least_norm};
use cardan_testkit::{Loops, random_mechanism};

const MECHANISMS: usize = 500;

/// The values of a model's symbols at a state.
fn values(model: &Model, state: &[f64]) -> Map<SymbolId, f64> {
    let pool = model.space.pool();
    let symbols = model.coordinates.iter().map(|(_, q)| q.symbol);
    let symbols = symbols.chain(model.speeds.iter().map(|(_, u)| u.symbol));
    let mut map: Map<SymbolId, f64> =
        symbols.zip(state).filter_map(|(e, v)| Some((pool.as_symbol(e)?, *v))).collect();
    map.extend(pool.as_symbol(model.space.time()).map(|t| (t, 0.0)));
    map
}

fn at(model: &Model, values: &Map<SymbolId, f64>, list: &[Expr]) -> Vec<f64> {
    model.space.pool().evaluate_all(list, &|s| values.get(&s).copied().unwrap_or(f64::NAN))
}

/// The singular values of G.
fn singular_values(model: &Model, values: &Map<SymbolId, f64>, rows: &[ConstraintRow]) -> Vec<f64> {
    let mut g = Matrix::zeros(rows.len(), model.speeds.len());
    for (i, row) in rows.iter().enumerate() {
        let entries = at(model, values, &row.jacobian.iter().map(|(_, e)| *e).collect::<Vec<_>>());
        row.jacobian.iter().zip(entries).for_each(|((k, _), x)| g[(i, *k)] = x);
    }
    least_norm(&g, &vec![0.0; rows.len()], 1e-8).expect("finite rows").singular_values
}

fn close(a: &[f64], b: &[f64], tolerance: f64, what: &str) {
    let scale = a.iter().chain(b).fold(1.0f64, |m, x| m.max(x.abs()));
    for (i, (x, y)) in a.iter().zip(b).enumerate() {
        assert!((x - y).abs() <= tolerance * scale, "{what}[{i}]: {x} against {y}, scale {scale}");
    }
}

/// What became of a mechanism.
#[derive(PartialEq)]
enum Checked {
    /// Its loops say nothing.
    Empty,
    /// It ends too near a singular position for accelerations to be compared; assembly, energy and gaps were looked at.
    Singular,
    /// All of it.
    Wholly,
}

fn check(seed: u64, kind: Loops, eliminated: &mut usize) -> Checked {
    let model = random_mechanism(seed, kind);
    if constraints::rows(&model).rows.is_empty() {
        return Checked::Empty;
    }
    let tag = format!("{kind:?} {seed}");
    let compiled = compile_model(&model, Options::default()).unwrap_or_else(|e| panic!("{tag}: {e}"));
    let compiled =
        compiled.for_constraints(ConstraintForm::Partitioned).unwrap_or_else(|e| panic!("{tag}: {e}"));
    let loops = compiled.choice.loops.as_ref().expect("a mechanism with loops");
    let settings = Settings { to: 0.3, every: Some(0.1), rtol: 1e-10, atol: 1e-12, ..Settings::default() };
    let run = compiled.simulation.run(&settings, &mut ()).unwrap_or_else(|e| panic!("{tag}: {e}"));
    assert_eq!(run.ending, Ending::Finished, "{tag}: {}", run.reason);
    // A few start in a singular position, where accelerations have fewer digits.
    assert!(run.audit.relative() < 1e-7, "{tag}: energy {:e}", run.audit.relative());
    let (gap, slip) = run.left_open.expect("a mechanism with loops");
    assert!(gap < 1e-11 && slip < 1e-9, "{tag}: open by {gap:e} and {slip:e}");

    let names = compiled.simulation.plan().states.iter().map(|s| s.label.name.clone());
    let state: Vec<f64> =
        names.map(|n| *run.series(&n).expect("a state").last().expect("a sample")).collect();
    let own = compiled.model();
    let there = values(own, &state);
    // Near a singular position, or where joints hold by curvature only, the compliance matrix loses digits as 1/σ².
    let kept = &compiled.choice.equations.constraints.rows;
    if singular_values(own, &there, kept).last().is_some_and(|least| *least < 1e-3) {
        return Checked::Singular;
    }
    let all = singular_values(own, &there, &constraints::rows(own).rows);
    let rank = all.iter().filter(|s| **s > 1e-8 * all[0]).count();
    assert_eq!(own.speeds.len() - rank, loops.mobility, "{tag}: mobility");

    let n = own.coordinates.len();
    let direct = compiled.simulation.derivative(ConstraintForm::Projected, 0.0, &state).expect("finite");
    let parted = compiled.simulation.derivative(ConstraintForm::Partitioned, 0.0, &state).expect("finite");
    close(&direct[n..], &parted[n..], 1e-9, &format!("{tag}: (b)"));
    let other = model.clone();
    let kept = compiled.choice.equations.constraints.clone();
    *eliminated += usize::from(cardan::equations::elimination::eliminate(&other, &kept).is_some());
    let unreduced = derive_unreduced(&other, Formalism::Kane, kept).expect("every body has inertia");
    close(&direct[n..], &at(&other, &there, &unreduced.u_dot), 1e-9, &format!("{tag}: (c)"));
    Checked::Wholly
}

#[test]
fn formulations_agree_on_random_mechanisms() {
    let (mut found, mut eliminated, mut tried) = (0, 0, 0u64);
    let (mut empty, mut singular) = (0, 0);
    for seed in 0.. {
        tried = seed;
        let kind = if seed % 5 < 3 { Loops::Planar } else { Loops::Spatial };
        match check(seed, kind, &mut eliminated) {
            Checked::Empty => empty += 1,
            Checked::Singular => singular += 1,
            Checked::Wholly => found += 1,
        }
        if found == MECHANISMS {
            break;
        }
    }
    println!("{tried} tried: {empty} say nothing, {singular} end near a singular position");
    assert!(singular * 100 < MECHANISMS, "{singular} end too near a singular position");
    assert!(tried < 2 * MECHANISMS as u64, "{tried} were needed: too many say nothing or are singular");
    assert!(eliminated > MECHANISMS / 10, "{eliminated} have speeds that can be eliminated");
}
