//! Formalism against formalism on random trees, and against energy.

use cardan_base::Map;
use cardan_equations::constrained::rows;
use cardan_equations::{
    ConstraintRow, ConstraintRows, Equations, Failure, Formalism, derive, derive_with, inverse, unsolved,
};
use cardan_expr::{Expr, SymbolId};
use cardan_model::Model;
use cardan_testkit::{Loops, Random, TreeOptions, random_arm, random_mechanism, random_tree};

/// A random state of a model: values for every symbol that equations may contain.
struct Values(Map<SymbolId, f64>);

impl Values {
    fn of(model: &Model, seed: u64) -> Values {
        let pool = model.space.pool();
        let mut random = Random::new(seed);
        let mut values = Map::default();
        let mut set = |e: Expr, v: f64| {
            if let Some(s) = pool.as_symbol(e) {
                values.insert(s, v);
            }
        };
        for (_, p) in model.parameters.iter() {
            let default = p.default.expect("random trees give every parameter a value");
            set(p.symbol, pool.evaluate(default, &|_| f64::NAN));
        }
        set(model.space.time(), random.between(0.0, 2.0));
        model.coordinates.iter().for_each(|(_, q)| set(q.symbol, random.between(-1.0, 1.0)));
        for quadruple in &model.unit_quadruples {
            let e: [f64; 4] = std::array::from_fn(|_| random.between(-1.0, 1.0));
            let norm = e.iter().map(|x| x * x).sum::<f64>().sqrt();
            quadruple.iter().zip(e).for_each(|(q, x)| set(model.coordinates[*q].symbol, x / norm));
        }
        model.speeds.iter().for_each(|(_, u)| set(u.symbol, random.between(-1.0, 1.0)));
        model.speeds.iter().for_each(|(_, u)| set(u.rate, random.between(-1.0, 1.0)));
        Values(values)
    }
    fn at(&self, model: &Model, es: &[Expr]) -> Vec<f64> {
        model.space.pool().evaluate_all(es, &|s| self.0.get(&s).copied().unwrap_or(f64::NAN))
    }
}

fn close(a: &[f64], b: &[f64], tolerance: f64, what: &str) {
    let scale = a.iter().chain(b).fold(1.0f64, |m, x| m.max(x.abs()));
    for (i, (x, y)) in a.iter().zip(b).enumerate() {
        assert!((x - y).abs() <= tolerance * scale, "{what}[{i}]: {x} against {y} (scale {scale})");
    }
}

/// M u̇ - f at the solved u̇ must vanish.
fn residual(model: &Model, e: &Equations, values: &Values) -> Vec<f64> {
    let (Some(mass), Some(forcing)) = (&e.mass, &e.forcing) else { return vec![] };
    let n = forcing.len();
    let x = values.at(model, &e.u_dot);
    let f = values.at(model, forcing);
    let m: Vec<Vec<f64>> = mass.iter().map(|row| values.at(model, row)).collect();
    (0..n).map(|r| (0..n).map(|s| m[r][s] * x[s]).sum::<f64>() - f[r]).collect()
}

fn check(seed: u64, model: &Model) {
    let values = Values::of(model, seed ^ 0xfeed);
    // Each formalism on a model of its own: in one pool the second would find the first one's results.
    let (km, am) = (model.clone(), model.clone());
    let kane = derive(&km, Formalism::Kane).expect("every body has mass and inertia");
    let tag = |what: &str| format!("seed {seed}, {what}");
    let u_dot = values.at(&km, &kane.u_dot);
    assert!(u_dot.iter().all(|x| x.is_finite()), "seed {seed}: {u_dot:?}");
    let inverse_by = |formalism| {
        let own = model.clone();
        let tau = inverse(&own, formalism).expect("every body has mass and inertia");
        values.at(&own, &tau)
    };
    let tau = inverse_by(Formalism::Kane);
    let a = kane.mass.as_ref().expect("formed");
    for other in [Formalism::Recursive, Formalism::Lagrange] {
        let own = model.clone();
        let tag = |what: &str| tag(&format!("{what} kane against {}", other.name()));
        let found = derive(&own, other).expect("every body has mass and inertia");
        close(&u_dot, &values.at(&own, &found.u_dot), 1e-11, &tag("u_dot"));
        close(&tau, &inverse_by(other), 1e-11, &tag("inverse dynamics"));
        let b = found.mass.as_ref().expect("formed");
        for r in 0..a.len() {
            close(&values.at(&km, &a[r]), &values.at(&own, &b[r]), 1e-11, &tag("mass matrix row"));
        }
    }
    close(&residual(&km, &kane, &values), &vec![0.0; a.len()], 1e-9, &tag("residual"));
    // Each of these is one more derivation: some trees are enough.
    for formalism in Formalism::ALL.into_iter().filter(|_| seed.is_multiple_of(5)) {
        let own = model.clone();
        let open = unsolved(&own, formalism, rows::rows(&own)).expect("every body has mass and inertia");
        let forcing = values.at(&own, &open.forcing);
        let product = |row: &Vec<Expr>| values.at(&own, row).iter().zip(&u_dot).map(|(m, x)| m * x).sum();
        let inertia: Vec<f64> = open.mass.iter().map(product).collect();
        close(&inertia, &forcing, 1e-9, &tag("unsolved equations at the solution of kane"));
        assert!(open.constraints.rows.is_empty());
    }
    match derive(&am, Formalism::Articulated) {
        Ok(articulated) => {
            close(&u_dot, &values.at(&am, &articulated.u_dot), 1e-11, &tag("u_dot kane against articulated"));
        }
        Err(failure) => assert_eq!(failure, Failure::SpeedsAreNotRates, "seed {seed}"),
    }
}

#[test]
fn formalisms_agree_on_random_trees() {
    for seed in 0..1000 {
        let bodies = 1 + (seed % 6) as usize;
        let options = TreeOptions { bodies, loads: seed % 2 == 0, user_speeds: seed % 3 == 0 };
        check(seed, &random_tree(seed, options));
    }
}

/// Rows of parallel joints are derived by sums of their angles, round bodies without theirs.
#[test]
fn formalisms_agree_on_random_arms() {
    for seed in 0..100 {
        check(seed, &random_arm(seed, 2 + (seed % 7) as usize));
    }
}

/// Rows whose directions differ from those before them by more than rounding, at a state.
fn independent(model: &Model, values: &Values) -> ConstraintRows {
    let all = rows::rows(model);
    let n = model.speeds.len();
    let mut basis: Vec<Vec<f64>> = vec![];
    let mut is_new = |row: &ConstraintRow| {
        let entries = values.at(model, &row.jacobian.iter().map(|(_, e)| *e).collect::<Vec<_>>());
        let mut g = vec![0.0; n];
        row.jacobian.iter().zip(entries).for_each(|((k, _), x)| g[*k] = x);
        let size = |g: &[f64]| g.iter().map(|x| x * x).sum::<f64>().sqrt();
        let before = size(&g);
        for b in &basis {
            let along: f64 = b.iter().zip(&g).map(|(x, y)| x * y).sum();
            g.iter_mut().zip(b).for_each(|(x, y)| *x -= along * y);
        }
        let left = size(&g);
        let is_new = left > 0.05 * before && before > 0.0;
        if is_new {
            basis.push(g.iter().map(|x| x / left).collect());
        }
        is_new
    };
    let kept = all.rows.iter().filter(|r| is_new(r)).cloned().collect();
    ConstraintRows { rows: kept, ..ConstraintRows::default() }
}

/// In the position in which loops close by construction: all coordinates zero.
#[test]
fn formalisms_agree_on_random_loops() {
    let mut compared = 0;
    for seed in 0..250 {
        let kind = if seed % 2 == 0 { Loops::Planar } else { Loops::Spatial };
        let model = random_mechanism(seed, kind);
        let pool = model.space.pool();
        let mut values = Values::of(&model, seed);
        for (_, q) in model.coordinates.iter() {
            let is_first = model.unit_quadruples.iter().any(|e| model.coordinates[e[0]].symbol == q.symbol);
            values.0.insert(pool.as_symbol(q.symbol).unwrap(), f64::from(u8::from(is_first)));
        }
        let by = |formalism: Formalism| {
            let own = model.clone();
            let rows = independent(&own, &values);
            let n = rows.rows.len();
            let found = derive_with(&own, formalism, rows).expect("every body has mass and inertia");
            let augmented = found.augmented.as_ref();
            let multipliers = augmented.map_or(vec![], |a| values.at(&own, &a.multipliers));
            let mass: Vec<Expr> = found.mass.iter().flatten().flatten().copied().collect();
            let all = [values.at(&own, &found.u_dot), multipliers, values.at(&own, &mass)];
            (n, all)
        };
        let (n, expected) = by(Formalism::Kane);
        if n == 0 {
            continue;
        }
        compared += 1;
        for other in [Formalism::Recursive, Formalism::Lagrange] {
            for (a, b) in expected.iter().zip(&by(other).1) {
                assert!(a.iter().all(|x| x.is_finite()), "seed {seed}");
                close(a, b, 1e-11, &format!("seed {seed}, kane against {}", other.name()));
            }
        }
    }
    assert!(compared >= 200, "{compared}");
}

/// dE/dt = Σ power, by exact derivatives along the motion.
#[test]
fn energy_is_balanced_on_random_trees() {
    for seed in 0..300 {
        let model = random_tree(
            seed,
            TreeOptions { bodies: 1 + (seed % 5) as usize, loads: true, user_speeds: seed % 3 == 1 },
        );
        let pool = model.space.pool();
        let e = derive(&model, Formalism::Recursive).expect("every body has mass and inertia");
        let total = pool.add(e.energy.kinetic, e.energy.gravity);
        let mut d = cardan_expr::Derivation::new();
        let mut set = |x: Expr, rate: Expr| d.set(pool.as_symbol(x).expect("a symbol"), rate);
        set(model.space.time(), pool.one());
        model.coordinates.iter().for_each(|(_, q)| set(q.symbol, q.rate));
        model.speeds.iter().zip(&e.u_dot).for_each(|((_, u), rate)| set(u.symbol, *rate));
        let rate = d.apply(pool, total);
        let power = pool.sum(e.energy.powers.iter().map(|(_, p)| *p).collect::<Vec<_>>());
        let values = Values::of(&model, seed);
        let v = values.at(&model, &[rate, power, e.energy.kinetic]);
        let scale = 1.0 + v[1].abs() + v[2].abs();
        assert!((v[0] - v[1]).abs() < 1e-9 * scale, "seed {seed}: dE/dt = {}, power = {}", v[0], v[1]);
    }
}
