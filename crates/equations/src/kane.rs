//! Kane's equations with basis-free vectors (Sayers; Kane & Levinson 1985, ch. 4 and 6).
//!
//! ```text
//! [partial]          v_r = ∂v/∂u_r,  w_r = ∂w/∂u_r
//! [kane-mass]        M_rs = Σ_B  m v_r·v_s + w_r·I·w_s
//! [kane-remainder]   a' = dv/dt, α' = dw/dt  with u̇ = 0
//! [kane-rotor]       M_rs += J η_r η_s,  f_r -= J η_r η̇'   for an inertia J moved by the natural rate η
//! [kane-forcing]     f_r = Σ F·v_r + T·w_r  -  Σ_B  m a'·v_r + (I·α' + w × I·w)·w_r
//! ```

use cardan_expr::{Derivation, Expr};
use cardan_kinematics::{FrameId, Vector};
use cardan_model::Model;

use crate::Failure;
use crate::applied_forces::{Action, actions};
use crate::collect_terms::{collected, is_worth_trying};
use crate::equations::Dynamics;
use crate::small;

/// The time derivative with the speeds held constant.
pub(crate) fn time_derivation(model: &Model) -> Derivation {
    let pool = model.space.pool();
    let mut d = Derivation::new();
    let mut set = |symbol: Expr, rate: Expr| {
        if let Some(s) = pool.as_symbol(symbol) {
            d.set(s, rate);
        }
    };
    set(model.space.time(), pool.one());
    model.coordinates.iter().for_each(|(_, q)| set(q.symbol, q.rate));
    model.states.iter().for_each(|(_, s)| set(s.symbol, s.rate));
    d
}

/// M and f.
pub(crate) fn mass_and_forcing(model: &Model) -> Result<(Vec<Vec<Expr>>, Vec<Expr>), Failure> {
    let space = &model.space;
    let pool = space.pool();
    let n = model.speeds.len();
    let mut by_speed: Vec<Derivation> =
        model.speeds.iter().map(|(_, u)| Derivation::partial(pool, u.symbol)).collect();
    let mut partials = |v: &Vector| -> Vec<Vector> {
        by_speed.iter_mut().map(|d| space.partial(v, d).define(pool)).collect() // [partial]
    };
    let mut at_rest = time_derivation(model);

    let mut mass = vec![vec![vec![]; n]; n];
    let mut forcing: Vec<Vec<Expr>> = vec![vec![]; n];
    // What weight and loads give, for rows that may be collected.
    let collects = is_worth_trying(model);
    let mut given: Vec<Vec<Expr>> = vec![vec![]; n];
    for (_, body) in model.bodies.iter() {
        if body.is_massless(space) {
            continue;
        }
        let v = space.velocity(&body.center_point()).define(pool);
        let w = space.w(body.frame);
        let I = space.dyadic(body.frame, &body.inertia);
        let (v_r, w_r) = (partials(&v), partials(&w));
        let a = space.derive_vector(&v, &mut |e| at_rest.apply(pool, e)).define(pool); // [kane-remainder]
        let alpha = space.derive_vector(&w, &mut |e| at_rest.apply(pool, e)).define(pool);
        let momentum = space.dyadic_dot(&I, &w).define(pool);
        let torque = space.dyadic_dot(&I, &alpha).add(pool, &space.cross(&w, &momentum)).define(pool);
        let weight = model.gravity.sub(pool, &a).scale(pool, body.mass).define(pool);
        let I_w: Vec<Vector> = w_r.iter().map(|w| space.dyadic_dot(&I, w).define(pool)).collect();
        for r in 0..n {
            for s in 0..=r {
                mass[r][s].push(pool.mul(body.mass, space.dot(&v_r[r], &v_r[s]))); // [kane-mass]
                mass[r][s].push(space.dot(&w_r[r], &I_w[s]));
            }
            forcing[r].push(space.dot(&weight, &v_r[r])); // [kane-forcing]
            forcing[r].push(pool.neg(space.dot(&torque, &w_r[r])));
            if collects && !model.gravity.is_zero() {
                given[r].push(pool.mul(body.mass, space.dot(&model.gravity, &v_r[r])));
            }
        }
    }
    for rotor in &model.rotors {
        let rate = space.rate(rotor.rate);
        let eta_r: Vec<Expr> = model
            .speeds
            .iter()
            .map(|(_, u)| pool.define(Derivation::partial(pool, u.symbol).apply(pool, rate)))
            .collect();
        let drift = at_rest.apply(pool, rate);
        for r in (0..n).filter(|r| !pool.is_zero(eta_r[*r])) {
            for s in 0..=r {
                mass[r][s].push(pool.product([rotor.inertia, eta_r[r], eta_r[s]])); // [kane-rotor]
            }
            forcing[r].push(pool.neg(pool.product([rotor.inertia, eta_r[r], drift])));
        }
    }
    let n_inertial: Vec<usize> = forcing.iter().map(Vec::len).collect();
    for action in actions(model)? {
        let (force, arm, torque, frame): (Vector, Vector, Vector, FrameId) = match action {
            Action::Force { frame, force, arm, .. } => (force, arm, Vector::ZERO, frame),
            Action::Torque { frame, torque, .. } => (Vector::ZERO, Vector::ZERO, torque, frame),
        };
        let moment = space.cross(&arm, &force).add(pool, &torque).define(pool);
        let v_r = partials(&space.v_origin(frame));
        let w_r = partials(&space.w(frame));
        for r in 0..n {
            forcing[r].push(space.dot(&force, &v_r[r]));
            forcing[r].push(space.dot(&moment, &w_r[r]));
        }
    }
    let mut M = vec![vec![pool.zero(); n]; n];
    for r in 0..n {
        for s in 0..=r {
            M[r][s] = pool.define(pool.sum(std::mem::take(&mut mass[r][s])));
            M[s][r] = M[r][s];
        }
    }
    let mut f = vec![];
    for (r, terms) in forcing.into_iter().enumerate() {
        let loads: Vec<Expr> = terms[n_inertial[r]..].to_vec();
        let row = pool.sum(terms);
        let row = match collects {
            true => {
                let given = pool.sum(given[r].iter().copied().chain(loads));
                collected(model, row, given, &mut by_speed)
            }
            false => row,
        };
        f.push(pool.define(row));
    }
    small::truncate(model, &mut M, &mut f);
    Ok((M, f))
}

pub(crate) fn derive(model: &Model) -> Result<Dynamics, Failure> {
    let (mass, forcing) = mass_and_forcing(model)?;
    Ok(Dynamics::Implicit { mass, forcing })
}
