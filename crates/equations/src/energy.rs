//! The energy balance.
//!
//! ```text
//! [kinetic]     T = Σ_B (m v_cm·v_cm + w·I·w) / 2
//! [gravity]     V = -Σ_B m g·p_cm
//! [power]       P = F·v_P - F·v_Q    for a force at P with its reaction at Q;   T·(w_B - w_A) for a torque
//! ```

use cardan_expr::{Expr, Rational};
use cardan_model::Model;

use crate::loads::{Action, actions};
use crate::system::Energy;

pub(crate) fn balance(model: &Model) -> Energy {
    let space = &model.space;
    let pool = space.pool();
    let half = |e: Expr| pool.scale(Rational::Small(1, 2), e);
    let mut kinetic = vec![];
    let mut gravity = vec![];
    for (_, body) in model.bodies.iter() {
        if body.is_massless(space) {
            continue;
        }
        let center = body.center_point();
        let v = space.velocity(&center).define(pool);
        kinetic.push(half(pool.mul(body.mass, space.dot(&v, &v))));
        let w = space.components(&space.w(body.frame), body.frame).map(|e| pool.define(e));
        for i in 0..3 {
            for j in 0..3 {
                kinetic.push(half(pool.product([body.inertia[i][j], w[i], w[j]])));
            }
        }
        let p = space.position_from(space.newtonian(), &center);
        gravity.push(pool.neg(pool.mul(body.mass, space.dot(&model.gravity, &p))));
    }
    let mut powers: Vec<(cardan_model::LoadId, Vec<Expr>)> = vec![];
    // Loads that depend on accelerations are refused before this is asked for.
    for action in actions(model).unwrap_or_default() {
        let load = action.load();
        if model.loads[load].conservative {
            continue;
        }
        let power = match &action {
            Action::Force { frame, force, arm, .. } => {
                let v = space.v_origin(*frame).add(pool, &space.cross(&space.w(*frame), arm));
                space.dot(force, &v)
            }
            Action::Torque { frame, torque, .. } => space.dot(torque, &space.w(*frame)),
        };
        match powers.iter_mut().find(|(l, _)| *l == load) {
            Some((_, parts)) => parts.push(power),
            None => powers.push((load, vec![power])),
        }
    }
    Energy {
        kinetic: pool.sum(kinetic),
        gravity: pool.sum(gravity),
        potentials: model.loads.iter().filter_map(|(id, l)| Some((id, l.potential?))).collect(),
        powers: powers.into_iter().map(|(l, parts)| (l, pool.sum(parts))).collect(),
        is_closed: true,
    }
}
