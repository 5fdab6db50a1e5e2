//! Inverse dynamics by Newton and Euler, root to leaves and back (Luh, Walker & Paul 1980; Khalil & Kleinfinger
//! 1987 for the matrix U). Node B, parent P; all components in B unless marked; `'` marks a vector of P in the axes of B.
//!
//! ```text
//! [u-matrix]       U = [α×] + [w×][w×]
//! [ne-w]           w = w_P' + w_rel
//! [ne-alpha]       α = α_P' + ẇ_rel + w_P' × w_rel
//! [ne-a]           a = (a_P + U_P p)' + v̇_rel + w_rel × v_rel + 2 w_P' × v_rel
//! [ne-force]       f = m a + U h - F
//! [ne-moment]      n = I α + w × I w + h × a - N
//! [ne-back]        f_P += f',   n_P += n' + p × f'
//! [ne-rotor]       τ += J η̇    for an inertia J moved by the natural rate η alone
//! ```
//!
//! Gravity enters as an upward acceleration of the ground.

use cardan_base::Id;
use cardan_expr::{Expr, Pool, Rational};
use cardan_kinematics::Motion;
use cardan_kinematics::rotation::{cross, inner};
use cardan_model::Model;

use super::inertia::Inertia;
use super::tree::{Node, Tree, to_node, to_parent};

type V3 = [Expr; 3];

/// The motion of a node.
struct State {
    w: V3,
    alpha: V3,
    a: V3,
    /// [u-matrix]
    U: [[Expr; 3]; 3],
}

/// The natural force of every rate that brings about the natural accelerations η̇.
pub(crate) fn inverse_dynamics(model: &Model, tree: &Tree, eta_dot: &[Expr]) -> Vec<Expr> {
    let pool = model.space.pool();
    let mut tau = vec![pool.zero(); model.space.n_rates()];
    for (node, (f, n)) in tree.nodes.iter().zip(joint_wrenches(model, tree, eta_dot)).rev() {
        project(model, &node.motion, f, n, &mut tau);
    }
    for rotor in &model.rotors {
        let k = rotor.rate.index();
        tau[k] = pool.define(pool.add(tau[k], pool.mul(rotor.inertia, eta_dot[k]))); // [ne-rotor]
    }
    tau
}

/// What each node must get from its parent to move with the natural accelerations η̇: force and moment about its origin.
pub(crate) fn joint_wrenches(model: &Model, tree: &Tree, eta_dot: &[Expr]) -> Vec<(V3, V3)> {
    let pool = model.space.pool();
    let mut states: Vec<State> = vec![];
    for node in &tree.nodes {
        states.push(forward(model, tree, node, &states, eta_dot));
    }
    let mut f: Vec<[Vec<Expr>; 3]> = vec![Default::default(); tree.nodes.len()];
    let mut n: Vec<[Vec<Expr>; 3]> = vec![Default::default(); tree.nodes.len()];
    let mut wrenches = vec![];
    for (k, node) in tree.nodes.iter().enumerate().rev() {
        let (own_f, own_n) = backward(pool, node, &states[k]);
        let total = |own: V3, children: &[Vec<Expr>; 3]| -> V3 {
            std::array::from_fn(|i| {
                pool.define(pool.sum(children[i].iter().copied().chain([own[i]]).collect::<Vec<_>>()))
            })
        };
        let (f_k, n_k) = (total(own_f, &f[k]), total(own_n, &n[k]));
        wrenches.push((f_k, n_k));
        if let Some(parent) = node.parent {
            // [ne-back]
            let (f_P, n_P) = (to_parent(pool, node, f_k), to_parent(pool, node, n_k));
            let arm = cross(pool, node.p, f_P);
            for i in 0..3 {
                f[parent][i].push(f_P[i]);
                n[parent][i].extend([n_P[i], arm[i]]);
            }
        }
    }
    wrenches.reverse();
    wrenches
}

/// The components of a wrench along the degrees of freedom of a node.
pub(crate) fn project(model: &Model, motion: &Motion, f: V3, n: V3, tau: &mut [Expr]) {
    let pool = model.space.pool();
    match motion {
        Motion::Fixed => {}
        Motion::Translation { direction, rate } => {
            tau[rate.index()] = pool.define(inner(pool, *direction, f))
        }
        Motion::Rotation { direction, rate } => tau[rate.index()] = pool.define(inner(pool, *direction, n)),
        Motion::Ball { rates } => (0..3).for_each(|i| tau[rates[i].index()] = n[i]),
        Motion::Free { rates } => (0..3).for_each(|i| {
            tau[rates[i].index()] = f[i];
            tau[rates[i + 3].index()] = n[i];
        }),
    }
}

/// Relative velocity and acceleration of a node: w, ẇ, v, v̇ in its axes.
pub(crate) struct Relative {
    pub w: V3,
    pub w_dot: V3,
    pub v: V3,
    pub v_dot: V3,
}

pub(crate) fn relative(model: &Model, motion: &Motion, eta_dot: &[Expr]) -> Relative {
    let pool = model.space.pool();
    let o = [pool.zero(); 3];
    let eta = |r: &cardan_kinematics::RateId| model.space.rate(*r);
    let dot = |r: &cardan_kinematics::RateId| eta_dot[r.index()];
    let along = |d: &V3, s: Expr| d.map(|c| pool.mul(c, s));
    match motion {
        Motion::Fixed => Relative { w: o, w_dot: o, v: o, v_dot: o },
        Motion::Translation { direction: d, rate } => {
            Relative { w: o, w_dot: o, v: along(d, eta(rate)), v_dot: along(d, dot(rate)) }
        }
        Motion::Rotation { direction: d, rate } => {
            Relative { w: along(d, eta(rate)), w_dot: along(d, dot(rate)), v: o, v_dot: o }
        }
        Motion::Ball { rates } => Relative {
            w: [0, 1, 2].map(|i| eta(&rates[i])),
            w_dot: [0, 1, 2].map(|i| dot(&rates[i])),
            v: o,
            v_dot: o,
        },
        Motion::Free { rates } => Relative {
            w: [3, 4, 5].map(|i| eta(&rates[i])),
            w_dot: [3, 4, 5].map(|i| dot(&rates[i])),
            v: [0, 1, 2].map(|i| eta(&rates[i])),
            v_dot: [0, 1, 2].map(|i| dot(&rates[i])),
        },
    }
}

fn forward(model: &Model, tree: &Tree, node: &Node, states: &[State], eta_dot: &[Expr]) -> State {
    let pool = model.space.pool();
    let o = [pool.zero(); 3];
    let rel = relative(model, &node.motion, eta_dot);
    let (w_P, alpha_P, a_P) = match node.parent {
        None => (o, o, to_node(pool, node, tree.base_acceleration)),
        Some(k) => {
            let P = &states[k];
            let at_joint = std::array::from_fn(|i| {
                let swept = pool.sum((0..3).map(|j| pool.mul(P.U[i][j], node.p[j])).collect::<Vec<_>>());
                pool.define(pool.add(P.a[i], swept))
            });
            (to_node(pool, node, P.w), to_node(pool, node, P.alpha), to_node(pool, node, at_joint))
        }
    };
    let w: V3 = std::array::from_fn(|i| pool.define(pool.add(w_P[i], rel.w[i]))); // [ne-w]
    let swing = cross(pool, w_P, rel.w);
    let alpha: V3 = std::array::from_fn(|i| pool.define(pool.sum([alpha_P[i], rel.w_dot[i], swing[i]]))); // [ne-alpha]
    let turning = cross(pool, rel.w, rel.v);
    let coriolis = cross(pool, w_P, rel.v);
    let a: V3 = std::array::from_fn(|i| {
        let twice = pool.scale(Rational::int(2), coriolis[i]);
        pool.define(pool.sum([a_P[i], rel.v_dot[i], turning[i], twice])) // [ne-a]
    });
    State { U: u_matrix(pool, w, alpha), w, alpha, a }
}

/// [u-matrix]
pub(crate) fn u_matrix(pool: &Pool, w: V3, alpha: V3) -> [[Expr; 3]; 3] {
    let square = |i: usize| pool.define(pool.mul(w[i], w[i]));
    let mut U = [[pool.zero(); 3]; 3];
    for i in 0..3 {
        let (j, k) = ((i + 1) % 3, (i + 2) % 3);
        U[i][i] = pool.define(pool.neg(pool.add(square(j), square(k))));
        let product = pool.define(pool.mul(w[i], w[j]));
        U[i][j] = pool.define(pool.sub(product, alpha[k]));
        U[j][i] = pool.define(pool.add(product, alpha[k]));
    }
    U
}

/// Inertia force and moment about the origin, less the applied ones.
fn backward(pool: &Pool, node: &Node, s: &State) -> (V3, V3) {
    let Inertia { m, h, I } = &node.inertia;
    let f = std::array::from_fn(|i| {
        let spin = (0..3).map(|j| pool.mul(s.U[i][j], h[j]));
        let terms = spin.chain([pool.mul(*m, s.a[i]), pool.neg(node.force[i])]);
        pool.sum(terms.collect::<Vec<_>>()) // [ne-force]
    });
    let lift = cross(pool, *h, s.a);
    let n = std::array::from_fn(|i| {
        let (j, k) = ((i + 1) % 3, (i + 2) % 3);
        // [ne-moment], with w × I w written by the products that U already needs
        let terms = [
            pool.mul(I[i][i], s.alpha[i]),
            pool.product([pool.define(pool.sub(I[k][k], I[j][j])), pool.define(pool.mul(s.w[j], s.w[k]))]),
            pool.mul(I[j][k], pool.sub(s.U[j][j], s.U[k][k])),
            pool.neg(pool.mul(I[i][j], s.U[k][i])),
            pool.mul(I[i][k], s.U[j][i]),
            lift[i],
            pool.neg(node.moment[i]),
        ];
        pool.sum(terms)
    });
    (f, n)
}
