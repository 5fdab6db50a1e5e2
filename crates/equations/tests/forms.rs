//! Forms of the equations against one another, number by number.

use cardan_base::{Id, Map};
use cardan_equations::{Formalism, ImplicitForm, ResidualForm, StateRole, derive, ggl_form, implicit_form};
use cardan_expr::{Expr, SymbolId};
use cardan_model::Model;
use cardan_testkit::{Loops, Random, random_mechanism};

/// Values of all symbols of a model and its forms.
struct Values(Map<SymbolId, f64>);

impl Values {
    fn of(model: &Model, form: &ResidualForm, implicit: &ImplicitForm, random: &mut Random) -> Values {
        let pool = model.space.pool();
        let mut values = Map::default();
        let mut set = |e: Expr, v: f64| {
            if let Some(s) = pool.as_symbol(e) {
                values.insert(s, v);
            }
        };
        for (_, p) in model.parameters.iter() {
            set(p.symbol, p.default.map_or(1.0, |e| pool.evaluate(e, &|_| f64::NAN)));
        }
        set(model.space.time(), random.between(0.0, 2.0));
        set(implicit.decay_rate, random.between(1.0, 50.0));
        for symbol in form.variables.iter().filter_map(|v| v.symbol) {
            set(symbol, random.between(-1.0, 1.0));
        }
        Values(values)
    }
    fn at(&self, model: &Model, e: Expr) -> f64 {
        model.space.pool().evaluate(e, &|s| self.0.get(&s).copied().unwrap_or(f64::NAN))
    }
}

fn close(a: f64, b: f64, what: &str) {
    assert!((a - b).abs() <= 1e-9 * (1.0 + a.abs().max(b.abs())), "{what}: {a} against {b}");
}

/// G^T x by the entries of the implicit form.
fn transposed(model: &Model, implicit: &ImplicitForm, values: &Values, x: &[f64], n: usize) -> Vec<f64> {
    let mut out = vec![0.0; n];
    for (row, x) in implicit.jacobian.iter().zip(x) {
        row.iter().for_each(|(k, g)| out[*k] += values.at(model, *g) * x);
    }
    out
}

/// The rows of Gear, Gupta and Leimkuhler from the numbers M, f, G, W: [stabilised-q], [newton-law], [closed].
#[test]
fn the_residual_form_is_made_of_the_parts_of_the_implicit_form() {
    let mut n_checked = 0;
    for seed in 0..40 {
        let kind = if seed % 2 == 0 { Loops::Planar } else { Loops::Spatial };
        let model = random_mechanism(seed, kind);
        let Ok(equations) = derive(&model, Formalism::Recursive) else { continue };
        let (Some(form), Some(implicit)) = (ggl_form(&model, &equations), implicit_form(&model, &equations))
        else {
            continue;
        };
        n_checked += 1;
        let mut random = Random::new(seed ^ 0xbeef);
        let values = Values::of(&model, &form, &implicit, &mut random);
        let at = |e: Expr| values.at(&model, e);
        assert_eq!(form.rows.len(), form.variables.len(), "seed {seed}");
        let (n_q, n_u, n_rows) =
            (model.coordinates.len(), model.speeds.len(), equations.constraints.rows.len());
        let n_differential = form.n_differential();
        let unknowns: Vec<f64> = form.algebraic().iter().map(|v| at(v.symbol.unwrap())).collect();
        let (a, rest) = unknowns.split_at(n_u);
        let (lambda, mu) = rest.split_at(n_rows);
        let mut all_mu = vec![0.0; n_rows];
        let holonomic = (0..n_rows).filter(|r| implicit.positions[*r].is_some());
        holonomic.zip(mu).for_each(|(r, x)| all_mu[r] = *x);
        let shift = transposed(&model, &implicit, &values, &all_mu, n_u);
        for k in 0..n_q {
            let moved: f64 = implicit.rates[k].iter().map(|(s, w)| at(*w) * shift[*s]).sum();
            let expected = at(equations.q_dot[k]) + moved;
            close(at(form.rows[k]), expected, &format!("seed {seed}, rate {k}"));
        }
        let reaction = transposed(&model, &implicit, &values, lambda, n_u);
        for i in 0..n_u {
            let mass = |i: usize, j: usize| at(implicit.mass[i.max(j) * (i.max(j) + 1) / 2 + i.min(j)]);
            let inertia: f64 = (0..n_u).map(|j| mass(i, j) * a[j]).sum();
            let expected = inertia - at(implicit.forcing[i]) - reaction[i];
            close(at(form.rows[n_differential + i]), expected, &format!("seed {seed}, Newton's law {i}"));
            close(at(form.rows[n_q + i]), a[i], &format!("seed {seed}, acceleration {i}"));
        }
        let alpha = at(implicit.decay_rate);
        for r in 0..n_rows {
            let v = at(implicit.velocities[r]);
            close(at(form.rows[n_differential + n_u + r]), v, &format!("seed {seed}, velocity {r}"));
            let g = implicit.positions[r].map_or(0.0, at);
            let pull = 2.0 * alpha * v + alpha * alpha * g;
            close(at(implicit.stabilisation[r]), pull, &format!("seed {seed}, stabilisation {r}"));
        }
    }
    assert!(n_checked >= 20, "{n_checked}");
}

/// A row changes with a variable only where the pattern says so, and somewhere for each entry of it.
#[test]
fn the_pattern_of_a_residual_form_is_that_of_its_jacobian() {
    for seed in [3, 8] {
        let model = random_mechanism(seed, Loops::Spatial);
        let Ok(equations) = derive(&model, Formalism::Recursive) else { panic!("seed {seed}") };
        let form = ggl_form(&model, &equations).unwrap();
        let implicit = implicit_form(&model, &equations).unwrap();
        let mut random = Random::new(seed);
        let values = Values::of(&model, &form, &implicit, &mut random);
        let pool = model.space.pool();
        let pattern = form.pattern(pool);
        let before: Vec<f64> = form.rows.iter().map(|r| values.at(&model, *r)).collect();
        for (k, variable) in form.variables.iter().enumerate() {
            assert_eq!(variable.role == StateRole::Differential, k < form.n_differential());
            let Some(symbol) = variable.symbol.and_then(|s| pool.as_symbol(s)) else { continue };
            let mut moved = Values(values.0.clone());
            moved.0.entry(symbol).and_modify(|x| *x += 0.01);
            for (r, row) in form.rows.iter().enumerate() {
                let changed = (moved.at(&model, *row) - before[r]).abs() > 1e-12 * (1.0 + before[r].abs());
                assert!(!changed || pattern[r].contains(&k), "seed {seed}: row {r}, variable {k}");
            }
        }
        let entries: usize = pattern.iter().map(Vec::len).sum();
        assert!(entries < form.rows.len() * form.variables.len() * 3 / 4, "{entries}: not sparse");
        let speeds = model.speeds.ids().map(Id::index).count();
        assert!(pattern[model.coordinates.len()..][..speeds].iter().all(|row| row.len() == 1));
    }
}

/// Deriving twice from the same model gives the same states and, number by number, the same equations.
#[test]
fn a_second_derivation_gives_the_same_motion() {
    for seed in 0..20 {
        let model = random_mechanism(seed, Loops::Spatial);
        for formalism in [Formalism::Kane, Formalism::Recursive] {
            let (Ok(first), Ok(second)) = (derive(&model, formalism), derive(&model, formalism)) else {
                continue;
            };
            assert_eq!(first.states, second.states, "seed {seed}");
            assert_eq!(first.q_dot, second.q_dot, "seed {seed}");
            assert_eq!(first.mass, second.mass, "seed {seed}, {}", formalism.name());
            assert_eq!(first.forcing, second.forcing, "seed {seed}, {}", formalism.name());
            assert_eq!(first.u_dot, second.u_dot, "seed {seed}, {}", formalism.name());
        }
    }
}
