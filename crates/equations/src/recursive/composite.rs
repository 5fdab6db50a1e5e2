//! The mass matrix from composite bodies (Walker & Orin 1982).
//!
//! ```text
//! [composite]       C_B = own inertia + Σ over children, seen from B
//! [unit-wrench]     for a unit acceleration of one degree of freedom:
//!                   rotation about a:  f = a × h,  n = I a;      translation along a:  f = m a,  n = h × a
//! [crba-rotor]      M_kk += J   for an inertia moved by the natural rate k alone
//! [crba-entry]      M_ki = the wrench of k, carried to the ancestor i, along the degree of freedom of i
//! ```

use cardan_base::Id;
use cardan_expr::Expr;
use cardan_kinematics::Motion;
use cardan_kinematics::rotation::{apply, cross, identity, inner};
use cardan_model::Model;

use super::inertia::Inertia;
use super::tree::{Tree, to_parent};

type V3 = [Expr; 3];

/// One degree of freedom of a node: which rate, and its direction of rotation or translation.
struct Freedom {
    rate: usize,
    turns: bool,
    direction: V3,
}

fn freedoms(pool: &cardan_expr::Pool, motion: &Motion) -> Vec<Freedom> {
    let unit = identity(pool);
    match motion {
        Motion::Fixed => vec![],
        Motion::Translation { direction, rate } => {
            vec![Freedom { rate: rate.index(), turns: false, direction: *direction }]
        }
        Motion::Rotation { direction, rate } => {
            vec![Freedom { rate: rate.index(), turns: true, direction: *direction }]
        }
        Motion::Ball { rates } => {
            (0..3).map(|i| Freedom { rate: rates[i].index(), turns: true, direction: unit[i] }).collect()
        }
        Motion::Free { rates } => (0..6)
            .map(|i| Freedom { rate: rates[i].index(), turns: i >= 3, direction: unit[i % 3] })
            .collect(),
    }
}

/// The mass matrix in natural rates.
pub(crate) fn mass_matrix(model: &Model, tree: &Tree) -> Vec<Vec<Expr>> {
    let pool = model.space.pool();
    let mut composite: Vec<Inertia> = tree.nodes.iter().map(|n| n.inertia.clone()).collect();
    let mut M = vec![vec![pool.zero(); model.space.n_rates()]; model.space.n_rates()];
    for k in (0..tree.nodes.len()).rev() {
        let node = &tree.nodes[k];
        composite[k] = composite[k].define(pool);
        if let Some(parent) = node.parent {
            let seen = composite[k].seen_from_parent(pool, node); // [composite]
            composite[parent] = composite[parent].add(pool, &seen);
        }
        let Inertia { m, h, I } = composite[k].clone();
        for own in freedoms(pool, &node.motion) {
            let d = own.direction;
            // [unit-wrench]
            let (f, n) = if own.turns {
                (cross(pool, d, h), apply(pool, &I, d))
            } else {
                (d.map(|c| pool.mul(m, c)), cross(pool, h, d))
            };
            let (mut f, mut n) = (f.map(|e| pool.define(e)), n.map(|e| pool.define(e)));
            let mut at = k;
            loop {
                // [crba-entry]
                for other in freedoms(pool, &tree.nodes[at].motion) {
                    let along = inner(pool, other.direction, if other.turns { n } else { f });
                    M[own.rate][other.rate] = pool.define(along);
                    M[other.rate][own.rate] = M[own.rate][other.rate];
                }
                let Some(parent) = tree.nodes[at].parent else { break };
                let moved = &tree.nodes[at];
                f = to_parent(pool, moved, f);
                n = to_parent(pool, moved, n);
                let arm = cross(pool, moved.p, f);
                n = std::array::from_fn(|i| pool.define(pool.add(n[i], arm[i])));
                at = parent;
            }
        }
    }
    for rotor in &model.rotors {
        let k = rotor.rate.index();
        M[k][k] = pool.define(pool.add(M[k][k], rotor.inertia)); // [crba-rotor]
    }
    M
}
