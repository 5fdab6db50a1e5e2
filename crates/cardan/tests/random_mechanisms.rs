//! Five hundred random mechanisms: assembly, mobility, three formulations against one another, energy. Every third is light: general joints
//! close its loops, and some of its bodies have no mass or no inertia.

use cardan::assembly::assembled;
use cardan::base::Map;
use cardan::equations::constrained::rows;
use cardan::equations::{ConstraintRow, derive_unreduced, mass_matrix};
use cardan::expr::{Expr, SymbolId};
use cardan::prelude::*;
use cardan::sim::ConstraintForm;
use cardan::solve::linear::{Matrix, least_norm};
use cardan_testkit::{Loops, random_light_mechanism, random_mechanism};

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

/// How little resists a motion that the constraints admit: of Z^T M Z with Z orthonormal across G, the smallest singular value by the largest
/// element of M.
fn resistance(model: &Model, values: &Map<SymbolId, f64>) -> f64 {
    let n = model.speeds.len();
    let own = model.clone();
    let mass = mass_matrix(&own, Formalism::Kane).expect("a mass matrix");
    let flat: Vec<Expr> = mass.into_iter().flatten().collect();
    let m = at(&own, values, &flat);
    let g: Vec<Vec<f64>> = rows::rows(&own)
        .rows
        .iter()
        .map(|row| {
            let mut dense = vec![0.0; n];
            let entries = at(&own, values, &row.jacobian.iter().map(|(_, e)| *e).collect::<Vec<_>>());
            row.jacobian.iter().zip(entries).for_each(|((k, _), x)| dense[*k] = x);
            dense
        })
        .collect();
    // Gram and Schmidt: the rows of G, then what is left of the unit vectors.
    let dot = |a: &[f64], b: &[f64]| -> f64 { a.iter().zip(b).map(|(x, y)| x * y).sum() };
    let mut basis: Vec<Vec<f64>> = vec![];
    let mut rest = |mut v: Vec<f64>, least: f64| {
        for _ in 0..2 {
            for b in &basis {
                let along = dot(&v, b);
                v.iter_mut().zip(b).for_each(|(x, y)| *x -= along * y);
            }
        }
        let size = dot(&v, &v).sqrt();
        if size <= least {
            return false;
        }
        basis.push(v.iter().map(|x| x / size).collect());
        true
    };
    let largest = g.iter().map(|row| dot(row, row).sqrt()).fold(0.0, f64::max);
    let rank = g.iter().filter(|row| rest(row.to_vec(), 1e-8 * largest)).count();
    for k in 0..n {
        rest((0..n).map(|i| f64::from(u8::from(i == k))).collect(), 1e-6);
    }
    let z = &basis[rank..];
    let mut reduced = Matrix::zeros(z.len(), z.len());
    for (i, a) in z.iter().enumerate() {
        let moved: Vec<f64> = (0..n).map(|r| dot(&m[r * n..(r + 1) * n], a)).collect();
        z.iter().enumerate().for_each(|(j, b)| reduced[(i, j)] = dot(&moved, b));
    }
    let sizes = least_norm(&reduced, &vec![0.0; z.len()], 1e-12).expect("finite masses").singular_values;
    let scale = (0..n).map(|k| m[k * n + k]).fold(0.0, f64::max);
    sizes.last().map_or(1.0, |least| if scale > 0.0 { least / scale } else { 0.0 })
}

/// What was found on the way.
#[derive(Default)]
struct Found {
    eliminated: usize,
    light: usize,
    fast: usize,
    unresisted: usize,
}

/// What became of a mechanism.
#[derive(PartialEq)]
enum Checked {
    /// Its loops say nothing, or a motion without mass makes it too fast.
    Empty,
    /// It ends too near a singular position for accelerations to be compared; assembly, energy and gaps were looked at.
    Singular,
    /// All of it.
    Wholly,
}

fn check(seed: u64, kind: Loops, found: &mut Found) -> Checked {
    let is_light = seed % 3 == 2;
    let make = if is_light { random_light_mechanism } else { random_mechanism };
    let model = make(seed, kind);
    if rows::rows(&model).rows.is_empty() {
        return Checked::Empty;
    }
    let tag = format!("{kind:?} {seed}");
    if is_light {
        let Ok(Some(start)) = assembled(&model) else { return Checked::Empty };
        let left = resistance(&model, &values(&model, &start.state));
        // A motion without mass that nothing holds is refused by name; one that hardly anything resists is too fast to be compared.
        if left < 1e-10 {
            let error = compile_model(&model, Options::default()).err().map(|e| e.to_string());
            let named = |e: String| e.contains("no mass or inertia resists");
            let unnamed = format!("{tag}: {left:e} of the inertia is left");
            assert!(cardan::sim::examine(&model).has_errors() || error.is_some_and(named), "{unnamed}");
            found.unresisted += 1;
            return Checked::Empty;
        }
        let rows = rows::rows(&model).rows;
        let kept: Vec<ConstraintRow> = start.independent.iter().map(|k| rows[*k].clone()).collect();
        let sizes = singular_values(&model, &values(&model, &start.state), &kept);
        if left < 1e-2 || sizes.last().is_some_and(|size| *size < 2e-2) {
            return Checked::Empty;
        }
    }
    let compiled = compile_model(&model, Options::default()).unwrap_or_else(|e| panic!("{tag}: {e}"));
    let compiled =
        compiled.for_constraints(ConstraintForm::Partitioned).unwrap_or_else(|e| panic!("{tag}: {e}"));
    let loops = compiled.choice.loops.as_ref().expect("a mechanism with loops");
    let mut settings =
        Settings { to: 0.3, every: Some(0.1), rtol: 1e-10, atol: 1e-12, ..Settings::default() };
    if is_light {
        (settings.to, settings.every, settings.max_steps) = (0.1, Some(0.1), 20_000);
    }
    let run = compiled.simulation.run(&settings, &mut ()).unwrap_or_else(|e| panic!("{tag}: {e}"));
    // A light mechanism may come to a position where next to nothing resists its motion: a catapult without load.
    if is_light && run.ending != Ending::Finished {
        found.fast += 1;
        return Checked::Empty;
    }
    assert_eq!(run.ending, Ending::Finished, "{tag}: {}", run.reason);
    let names = compiled.simulation.plan().states.iter().map(|s| s.label.name.clone());
    let state: Vec<f64> =
        names.map(|n| *run.series(&n).expect("a state").last().expect("a sample")).collect();
    let own = compiled.model();
    let there = values(own, &state);
    let kept = &compiled.choice.equations.constraints.rows;
    let least = if is_light { 1e-2 } else { 1e-3 };
    let is_singular = singular_values(own, &there, kept).last().is_some_and(|size| *size < least);
    if is_light && (is_singular || resistance(own, &there) < 1e-3) {
        return Checked::Empty;
    }
    // A few start in a singular position, where accelerations have fewer digits.
    assert!(run.audit.relative() < 1e-7, "{tag}: energy {:e}", run.audit.relative());
    let (gap, slip) = run.left_open.expect("a mechanism with loops");
    assert!(gap < 1e-11 && slip < 1e-9, "{tag}: open by {gap:e} and {slip:e}");
    // Near a singular position, or where joints hold by curvature only, the compliance matrix loses digits as 1/σ².
    if is_singular {
        return Checked::Singular;
    }
    let all = singular_values(own, &there, &rows::rows(own).rows);
    let rank = all.iter().filter(|s| **s > 1e-8 * all[0]).count();
    assert_eq!(own.speeds.len() - rank, loops.mobility, "{tag}: mobility");

    let n = own.coordinates.len();
    let direct = compiled.simulation.derivative(ConstraintForm::Projected, 0.0, &state).expect("finite");
    let parted = compiled.simulation.derivative(ConstraintForm::Partitioned, 0.0, &state).expect("finite");
    close(&direct[n..], &parted[n..], 1e-9, &format!("{tag}: (b)"));
    let other = model.clone();
    let kept = compiled.choice.equations.constraints.clone();
    found.eliminated +=
        usize::from(cardan::equations::constrained::elimination::eliminate(&other, &kept).is_some());
    let unreduced = derive_unreduced(&other, Formalism::Kane, kept).expect("every motion has inertia");
    close(&direct[n..], &at(&other, &there, &unreduced.u_dot), 1e-9, &format!("{tag}: (c)"));
    found.light += usize::from(is_light);
    Checked::Wholly
}

#[test]
fn formulations_agree_on_random_mechanisms() {
    let (mut checked, mut found, mut tried) = (0, Found::default(), 0u64);
    let (mut empty, mut singular) = (0, 0);
    for seed in 0.. {
        tried = seed;
        let kind = if seed % 5 < 3 { Loops::Planar } else { Loops::Spatial };
        match check(seed, kind, &mut found) {
            Checked::Empty => empty += 1,
            Checked::Singular => singular += 1,
            Checked::Wholly => checked += 1,
        }
        if checked == MECHANISMS {
            break;
        }
    }
    let Found { eliminated, light, fast, unresisted } = found;
    println!("{tried} tried: {empty} say nothing or are too light, {singular} end near a singular position");
    assert!(singular * 10 < MECHANISMS, "{singular} end too near a singular position");
    assert!(tried < 2 * MECHANISMS as u64, "{tried} were needed: too many say nothing or are singular");
    assert!(eliminated > MECHANISMS / 10, "{eliminated} have speeds that can be eliminated");
    assert!(light > MECHANISMS / 10, "{light} have motions without mass");
    assert!(fast < light / 10, "{fast} of {light} came to a stop");
    assert!(unresisted > 5, "{unresisted} have free motions without mass");
}
