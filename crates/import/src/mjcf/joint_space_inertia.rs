//! The inertia that joints feel in the pose as written, for springs that are given by a time and a ratio.
//!
//! ```text
//! [mass]      M = Σ m v_r · v_s + w_r · I · w_s, and rotors        partial velocities of mass centres, angular ones of bodies
//! [felt]      J = n / Σ (M⁻¹)_rr                                   over the n degrees of freedom r of the joint
//! [settled]   k = J / (T ζ)²,   c = 2 J / T                        time constant T, damping ratio ζ
//! ```
//!
//! That is what MuJoCo makes of `springdamper` when it compiles a model, in its reference pose and regardless of loops.

use cardan_base::Map;
use cardan_expr::{Expr, Rational, SymbolId};
use cardan_model::{Freedom, Model};

/// Stiffness and damping from a time constant and a damping ratio; nothing if no mass resists the joint.
pub(super) fn settled(model: &Model, freedoms: &[Freedom], time: f64, ratio: f64) -> Option<[Rational; 2]> {
    let J = felt(model, freedoms)?;
    let numbers = [J / (time * ratio).powi(2), 2.0 * J / time]; // [settled]
    let [k, c] = numbers.map(Rational::from_f64);
    Some([k?, c?])
}

/// [felt]
fn felt(model: &Model, freedoms: &[Freedom]) -> Option<f64> {
    // Expressions that are made on the way stay out of the model's own pool.
    let model = &model.clone();
    let pool = model.space.pool();
    let speed = |e: Expr| model.speeds.iter().position(|(_, u)| u.symbol == e);
    let own: Vec<usize> = freedoms.iter().filter_map(|f| speed(model.space.rate(f.rate))).collect();
    let mut M = mass_matrix(model)?;
    for rotor in &model.rotors {
        let k = speed(model.space.rate(rotor.rate))?;
        M[k][k] += values(model, None)(&[rotor.inertia], pool)[0];
    }
    let columns: Option<Vec<f64>> = own.iter().map(|k| Some(solved(M.clone(), *k)?[*k])).collect();
    let sum: f64 = columns?.iter().sum();
    (!own.is_empty() && sum > 0.0 && sum.is_finite()).then(|| own.len() as f64 / sum)
}

/// Evaluates expressions in the pose as written, where at most one speed is one.
fn values(model: &Model, one: Option<usize>) -> impl Fn(&[Expr], &cardan_expr::Pool) -> Vec<f64> {
    let pool = model.space.pool();
    let mut known: Map<SymbolId, f64> = Map::default();
    let mut put = |symbol: Expr, value: f64| pool.as_symbol(symbol).map(|id| known.insert(id, value));
    for (_, p) in model.parameters.iter() {
        put(p.symbol, p.default.map_or(f64::NAN, |d| pool.evaluate(d, &|_| f64::NAN)));
    }
    put(model.space.time(), 0.0);
    model.coordinates.iter().for_each(|(_, q)| {
        put(q.symbol, pool.evaluate(q.start, &|_| f64::NAN));
    });
    model.speeds.iter().enumerate().for_each(|(k, (_, u))| {
        put(u.symbol, f64::from(u8::from(one == Some(k))));
    });
    move |es, pool| pool.evaluate_all(es, &|s| known.get(&s).copied().unwrap_or(f64::NAN))
}

/// [mass], without rotors.
fn mass_matrix(model: &Model) -> Option<Vec<Vec<f64>>> {
    let (space, pool) = (&model.space, model.space.pool());
    let n = model.speeds.len();
    let mut M = vec![vec![0.0; n]; n];
    for (_, body) in model.bodies.iter() {
        let v = space.components(&space.velocity(&body.center_point()), body.frame);
        let w = space.components(&space.w(body.frame), body.frame);
        let partials: Vec<Vec<f64>> =
            (0..n).map(|k| values(model, Some(k))(&[v, w].concat(), pool)).collect();
        let numbers = values(model, None);
        let m = numbers(&[body.mass], pool)[0];
        let I: Vec<f64> = numbers(&body.inertia.concat(), pool);
        for (r, a) in partials.iter().enumerate() {
            for (s, b) in partials.iter().enumerate() {
                let linear: f64 = (0..3).map(|i| a[i] * b[i]).sum();
                let turning: f64 = (0..9).map(|ij| a[3 + ij / 3] * I[ij] * b[3 + ij % 3]).sum();
                M[r][s] += m * linear + turning;
            }
        }
    }
    M.iter().flatten().all(|x| x.is_finite()).then_some(M)
}

/// The column `k` of the inverse of a positive matrix, by elimination; nothing if it is singular.
fn solved(mut M: Vec<Vec<f64>>, k: usize) -> Option<Vec<f64>> {
    let n = M.len();
    let mut x: Vec<f64> = (0..n).map(|i| f64::from(u8::from(i == k))).collect();
    for p in 0..n {
        let pivot = M[p][p];
        if !(pivot > 0.0 && pivot.is_finite()) {
            return None;
        }
        let row = M[p].clone();
        for i in (0..n).filter(|i| *i != p) {
            let factor = M[i][p] / pivot;
            M[i].iter_mut().zip(&row).for_each(|(a, b)| *a -= factor * b);
            x[i] -= factor * x[p];
        }
    }
    Some((0..n).map(|i| x[i] / M[i][i]).collect())
}
