//! Bodies that are round about the axes of their joints and carry nothing, such as wheels.
//!
//! Once its mass has been regrouped, such a body does not show by how much it has turned, so it gets the axes of its parent, and no vector
//! need be turned by its angle.
//!
//! ```text
//! [round]   R = 1,   I = J a a^T,   N = N_a a,   a in the axes of the parent
//! ```

use cardan_expr::{Expr, Pool};
use cardan_kinematics::Motion;
use cardan_kinematics::rotation::{apply, apply_transposed, identity, inner};
use cardan_model::Model;

use crate::recursive::inertia::Inertia;
use crate::recursive::tree::{Node, Tree};

impl Tree {
    /// Gives round bodies the axes of their parents. [round]
    pub fn settle(&mut self, model: &Model) {
        let pool = model.space.pool();
        for k in 0..self.nodes.len() {
            let Motion::Rotation { direction, rate } = self.nodes[k].motion else { continue };
            let is_leaf = self.nodes.iter().all(|node| node.parent != Some(k));
            if !is_leaf || !is_round(pool, &self.nodes[k], direction) {
                continue;
            }
            let node = &mut self.nodes[k];
            let J = inner(pool, direction, apply(pool, &node.inertia.I, direction));
            let a = apply_transposed(pool, &node.R, direction);
            let moment = inner(pool, direction, node.moment);
            node.moment = a.map(|x| pool.define(pool.mul(x, moment)));
            node.inertia.I = a.map(|x| a.map(|y| pool.define(pool.product([J, x, y]))));
            node.motion = Motion::Rotation { direction: a, rate };
            (node.R, node.turn) = (identity(pool), None);
        }
    }
}

/// Whether nothing of a node that carries no other shows by how much it has turned about `a`: what is left of its inertia is J a a^T,
/// and no load but a moment about `a` acts on it.
fn is_round(pool: &Pool, node: &Node, a: [Expr; 3]) -> bool {
    let k = (0..3).find(|k| (0..3).all(|i| i == *k || pool.is_zero(a[i])));
    let Some(k) = k else { return false };
    let Inertia { m, h, I } = &node.inertia;
    let is_axial = |i: usize, j: usize| (i == k && j == k) || pool.is_zero(I[i][j]);
    pool.is_zero(*m)
        && h.iter().chain(&node.force).all(|e| pool.is_zero(*e))
        && (0..3).all(|i| i == k || pool.is_zero(node.moment[i]))
        && (0..3).all(|i| (0..3).all(|j| is_axial(i, j)))
}
