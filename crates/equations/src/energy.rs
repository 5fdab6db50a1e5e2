//! The energy balance, by a walk along the tree with the inertial parameters as given (not the base parameters that
//! the equations of motion use). Node B, parent P; components in B.
//!
//! ```text
//! [v-walk]       w = w_P' + w_rel,   v = (v_P + w_P × p)' + v_rel
//! [kinetic]      T = Σ_B  m v·v / 2 + v·(w × h) + w·I w / 2
//! [kinetic-rotor]   T += J η² / 2
//! [height]       g·p_NBo = g·p_NPo + g_P·p
//! [gravity]      V = -Σ_B  m g·p_NBo + g_B·h
//! [power]        P = Σ  F·v + N·w   over the wrenches of a load
//! ```

use cardan_expr::{Expr, Rational};
use cardan_kinematics::rotation::{apply, cross, inner};
use cardan_model::{LoadId, Model};

use crate::Failure;
use crate::recursive::newton_euler::relative;
use crate::recursive::tree::{Tree, to_node};

/// w, v and g in the axes of a node, and g·p_NBo.
type NodeMotion = ([Expr; 3], [Expr; 3], [Expr; 3], Expr);

/// Whether the work of some load is in no potential.
pub(crate) fn has_powers(model: &Model) -> bool {
    model.loads.iter().any(|(_, load)| !load.conservative)
}

/// The tree with the motion of its nodes.
pub(crate) struct Walk {
    tree: Tree,
    motion: Vec<NodeMotion>,
}

impl Walk {
    /// From the ground to the leaves.
    pub fn of(model: &Model) -> Result<Walk, Failure> {
        let pool = model.space.pool();
        let tree = Tree::as_given(model)?;
        let o = [pool.zero(); 3];
        let at_rest = vec![pool.zero(); model.space.n_rates()];
        let mut motion: Vec<NodeMotion> = vec![];
        for node in &tree.nodes {
            let ground = (o, o, tree.base_acceleration.map(|e| pool.neg(e)), pool.zero());
            let (w_P, v_P, g_P, height_P) = node.parent.map_or(ground, |k| motion[k]);
            let rel = relative(model, &node.motion, &at_rest);
            let swept = cross(pool, w_P, node.p);
            let at_joint = std::array::from_fn(|i| pool.define(pool.add(v_P[i], swept[i])));
            let (w, v) = (to_node(pool, node, w_P), to_node(pool, node, at_joint));
            let w: [Expr; 3] = std::array::from_fn(|i| pool.define(pool.add(w[i], rel.w[i]))); // [v-walk]
            let v: [Expr; 3] = std::array::from_fn(|i| pool.define(pool.add(v[i], rel.v[i])));
            let g = to_node(pool, node, g_P);
            let height = pool.define(pool.add(height_P, inner(pool, g_P, node.p))); // [height]
            motion.push((w, v, g, height));
        }
        Ok(Walk { tree, motion })
    }

    /// Kinetic energy and the potential of gravity.
    pub fn energies(&self, model: &Model) -> (Expr, Expr) {
        let pool = model.space.pool();
        let half = |e: Expr| pool.scale(Rational::Small(1, 2), e);
        let mut kinetic = vec![];
        let mut gravity = vec![];
        for (node, (w, v, g, height)) in self.tree.nodes.iter().zip(&self.motion) {
            let body = &node.inertia;
            kinetic.push(half(pool.mul(body.m, inner(pool, *v, *v)))); // [kinetic]
            kinetic.push(inner(pool, *v, cross(pool, *w, body.h)));
            kinetic.push(half(inner(pool, *w, apply(pool, &body.I, *w))));
            gravity.push(pool.neg(pool.add(pool.mul(body.m, *height), inner(pool, *g, body.h)))); // [gravity]
        }
        for rotor in &model.rotors {
            let rate = model.space.rate(rotor.rate);
            kinetic.push(half(pool.product([rotor.inertia, rate, rate]))); // [kinetic-rotor]
        }
        let total =
            |parts: Vec<Expr>| pool.sum(parts.into_iter().map(|e| pool.define(e)).collect::<Vec<_>>());
        (total(kinetic), total(gravity))
    }

    /// Of loads whose work is in no potential.
    pub fn powers(&self, model: &Model) -> Vec<(LoadId, Expr)> {
        let pool = model.space.pool();
        let mut powers: Vec<(LoadId, Vec<Expr>)> = vec![];
        for wrench in self.tree.wrenches.iter().filter(|w| !model.loads[w.load].conservative) {
            let (w, v, _, _) = self.motion[wrench.node];
            let power = pool.add(inner(pool, wrench.force, v), inner(pool, wrench.moment, w)); // [power]
            match powers.iter_mut().find(|(l, _)| *l == wrench.load) {
                Some((_, parts)) => parts.push(power),
                None => powers.push((wrench.load, vec![power])),
            }
        }
        powers.into_iter().map(|(l, parts)| (l, pool.sum(parts))).collect()
    }
}
