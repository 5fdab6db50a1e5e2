//! Accelerations in O(n) from articulated bodies (Featherstone 1983), with classical accelerations
//! A = (α, a) of the origin, components in the node; `'` marks a vector of the parent in the axes of the node.
//!
//! ```text
//! [art-wrench]      (n, f) = J A + b,   for one body J = [I, h×; -h×, m],  b = (w × I w - N, w × (w × h) - F)
//! [art-transport]   A = X A_P + c + S η̇,   X A_P = (α_P', (a_P + α_P × p)'),   c with S η̇ of what is prescribed
//! [art-joint]       U = J S,  d = S·U,  η̇ = -(S·b + U·(X A_P + c)) / d
//! [art-rotor]       d += J_r   for an inertia J_r moved by η alone
//! [art-inertia]     J_a = J - U U^T / d,   b_a = b + J_a c - U (S·b) / d
//! [art-parent]      J_P += X^T J_a X,  b_P += X^T b_a
//! ```
//!
//! A node with several degrees of freedom eliminates them one after the other.

use cardan_base::Id;
use cardan_expr::{Expr, Pool, Rational};
use cardan_kinematics::Motion;
use cardan_kinematics::rotation::{apply, cross};
use cardan_model::{Model, SpeedId};

use super::inertia::Inertia;
use super::newton_euler::{Relative, relative, u_matrix};
use super::tree::{Node, Tree, matrix_to_parent, to_node, to_parent};
use crate::Failure;

type V3 = [Expr; 3];
type V6 = [Expr; 6];
type M6 = [[Expr; 6]; 6];

/// The elimination of one degree of freedom.
struct Step {
    rate: usize,
    /// Which component of (α, a) it moves, by what direction.
    S: V6,
    U: V6,
    d_inverse: Expr,
    /// S·b
    bias: Expr,
}

fn dot(pool: &Pool, a: &V6, b: &V6) -> Expr {
    pool.sum((0..6).map(|i| pool.mul(a[i], b[i])).collect::<Vec<_>>())
}

fn halves(v: &V6) -> (V3, V3) {
    ([v[0], v[1], v[2]], [v[3], v[4], v[5]])
}

fn join(a: V3, b: V3) -> V6 {
    [a[0], a[1], a[2], b[0], b[1], b[2]]
}

/// S for every degree of freedom of a node.
fn subspace(pool: &Pool, motion: &Motion) -> Vec<(usize, V6)> {
    let o = [pool.zero(); 3];
    let unit = |k: usize| std::array::from_fn(|i| if i == k { pool.one() } else { pool.zero() });
    match motion {
        Motion::Fixed => vec![],
        Motion::Translation { direction, rate } => vec![(rate.index(), join(o, *direction))],
        Motion::Rotation { direction, rate } => vec![(rate.index(), join(*direction, o))],
        Motion::Ball { rates } => (0..3).map(|i| (rates[i].index(), unit(i))).collect(),
        Motion::Free { rates } => (0..6).map(|i| (rates[i].index(), unit((i + 3) % 6))).collect(),
    }
}

/// η̇ of every natural rate, where those that are prescribed have a `given` one.
pub(crate) fn accelerations(
    model: &Model,
    tree: &Tree,
    given: &[Option<Expr>],
) -> Result<Vec<Expr>, Failure> {
    let pool = model.space.pool();
    let n = tree.nodes.len();
    let prescribed: Vec<Expr> = given.iter().map(|d| d.unwrap_or(pool.zero())).collect();
    let mut w: Vec<V3> = vec![];
    let mut c: Vec<V6> = vec![];
    for node in &tree.nodes {
        let rel = relative(model, &node.motion, &prescribed);
        let (w_k, c_k) = velocity(pool, node, &rel, node.parent.map(|p| w[p]));
        w.push(w_k);
        c.push(c_k);
    }
    let mut J: Vec<M6> = tree.nodes.iter().map(|node| rigid(pool, &node.inertia)).collect();
    let mut b: Vec<V6> = (0..n).map(|k| body_bias(pool, &tree.nodes[k], w[k])).collect();
    let mut steps: Vec<Vec<Step>> = (0..n).map(|_| vec![]).collect();
    for k in (0..n).rev() {
        let node = &tree.nodes[k];
        for row in &mut J[k] {
            *row = row.map(|e| pool.define(e));
        }
        b[k] = b[k].map(|e| pool.define(e));
        for (rate, S) in subspace(pool, &node.motion) {
            if given[rate].is_some() {
                continue;
            }
            let rotors = model.rotors.iter().filter(|r| r.rate.index() == rate).map(|r| r.inertia);
            let rotor = pool.sum(rotors.collect::<Vec<_>>());
            let step = eliminate(pool, rate, S, rotor, &mut J[k], &mut b[k])
                .ok_or_else(|| no_inertia(model, rate))?;
            steps[k].push(step);
        }
        let Some(parent) = node.parent else { continue };
        let pushed: V6 = std::array::from_fn(|i| {
            pool.define(
                pool.sum((0..6).map(|j| pool.mul(J[k][i][j], c[k][j])).chain([b[k][i]]).collect::<Vec<_>>()),
            )
        });
        let (n_k, f_k) = halves(&pushed);
        let (n_P, f_P) = (to_parent(pool, node, n_k), to_parent(pool, node, f_k));
        let arm = cross(pool, node.p, f_P);
        for i in 0..3 {
            b[parent][i] = pool.sum([b[parent][i], n_P[i], arm[i]]);
            b[parent][i + 3] = pool.add(b[parent][i + 3], f_P[i]);
        }
        let seen = seen_from_parent(pool, &J[k], node);
        for i in 0..6 {
            for j in 0..6 {
                J[parent][i][j] = pool.add(J[parent][i][j], seen[i][j]);
            }
        }
    }
    Ok(outward(model, tree, &c, &steps))
}

/// [art-transport] and [art-joint], root to leaves.
fn outward(model: &Model, tree: &Tree, c: &[V6], steps: &[Vec<Step>]) -> Vec<Expr> {
    let pool = model.space.pool();
    let o = [pool.zero(); 3];
    let mut eta_dot = vec![pool.zero(); model.space.n_rates()];
    let mut A: Vec<V6> = vec![];
    for (k, node) in tree.nodes.iter().enumerate() {
        let (alpha_P, a_P) = match node.parent {
            None => (o, tree.base_acceleration),
            Some(p) => {
                let (alpha, a) = halves(&A[p]);
                let swept = cross(pool, alpha, node.p);
                (alpha, std::array::from_fn(|i| pool.define(pool.add(a[i], swept[i]))))
            }
        };
        let carried = join(to_node(pool, node, alpha_P), to_node(pool, node, a_P));
        let mut A_k: V6 = std::array::from_fn(|i| pool.define(pool.add(carried[i], c[k][i])));
        for step in steps[k].iter().rev() {
            let load = pool.add(step.bias, dot(pool, &step.U, &A_k));
            let value = pool.define(pool.neg(pool.mul(load, step.d_inverse))); // [art-joint]
            eta_dot[step.rate] = value;
            A_k = std::array::from_fn(|i| pool.define(pool.add(A_k[i], pool.mul(step.S[i], value))));
        }
        A.push(A_k);
    }
    eta_dot
}

fn no_inertia(model: &Model, rate: usize) -> Failure {
    let value = model.space.rate(cardan_kinematics::RateId::from_index(rate));
    let speed = model.speeds.iter().position(|(_, u)| u.symbol == value).unwrap_or(0);
    Failure::NoInertia(SpeedId::from_index(speed))
}

/// w of the node, and the acceleration c that it has without any u̇ of its own or of its ancestors.
fn velocity(pool: &Pool, node: &Node, rel: &Relative, parent_w: Option<V3>) -> (V3, V6) {
    let o = [pool.zero(); 3];
    let (w_P, centripetal) = match parent_w {
        None => (o, o),
        Some(w) => {
            let U = u_matrix(pool, w, o);
            (to_node(pool, node, w), to_node(pool, node, apply(pool, &U, node.p).map(|e| pool.define(e))))
        }
    };
    let w = std::array::from_fn(|i| pool.define(pool.add(w_P[i], rel.w[i])));
    let swing = cross(pool, w_P, rel.w);
    let turning = cross(pool, rel.w, rel.v);
    let coriolis = cross(pool, w_P, rel.v);
    let angular = std::array::from_fn(|i| pool.add(swing[i], rel.w_dot[i]));
    let linear = std::array::from_fn(|i| {
        pool.sum([centripetal[i], turning[i], pool.scale(Rational::int(2), coriolis[i]), rel.v_dot[i]])
    });
    (w, join(angular, linear).map(|e| pool.define(e)))
}

fn rigid(pool: &Pool, inertia: &Inertia) -> M6 {
    let Inertia { m, h, I } = inertia;
    let mut J = [[pool.zero(); 6]; 6];
    for i in 0..3 {
        for j in 0..3 {
            J[i][j] = I[i][j];
        }
        J[i + 3][i + 3] = *m;
        let (j, k) = ((i + 1) % 3, (i + 2) % 3);
        // n = h × a:  n_i = h_j a_k - h_k a_j
        J[i][k + 3] = h[j];
        J[k + 3][i] = h[j];
        J[i][j + 3] = pool.neg(h[k]);
        J[j + 3][i] = J[i][j + 3];
    }
    J
}

/// b of one body. [art-wrench]
fn body_bias(pool: &Pool, node: &Node, w: V3) -> V6 {
    let Inertia { h, I, .. } = &node.inertia;
    let o = [pool.zero(); 3];
    let U = u_matrix(pool, w, o);
    let spin = apply(pool, &U, *h);
    let n: V3 = std::array::from_fn(|i| {
        let (j, k) = ((i + 1) % 3, (i + 2) % 3);
        let terms = [
            pool.product([pool.define(pool.sub(I[k][k], I[j][j])), pool.define(pool.mul(w[j], w[k]))]),
            pool.mul(I[j][k], pool.sub(U[j][j], U[k][k])),
            pool.neg(pool.mul(I[i][j], U[k][i])),
            pool.mul(I[i][k], U[j][i]),
            pool.neg(node.moment[i]),
        ];
        pool.sum(terms)
    });
    join(n, std::array::from_fn(|i| pool.sub(spin[i], node.force[i])))
}

/// [art-joint], [art-inertia]
fn eliminate(pool: &Pool, rate: usize, S: V6, rotor: Expr, J: &mut M6, b: &mut V6) -> Option<Step> {
    let U: V6 = std::array::from_fn(|i| pool.define(dot(pool, &J[i], &S)));
    let d = pool.define(pool.add(dot(pool, &S, &U), rotor)); // [art-rotor]
    if pool.is_zero(d) {
        return None;
    }
    let d_inverse = pool.define(pool.powi(d, -1));
    let bias = pool.define(dot(pool, &S, b));
    let scaled: V6 = U.map(|u| pool.define(pool.mul(u, d_inverse)));
    let ratio = scaled.map(|u| pool.mul(u, bias));
    // Along a coordinate axis what remains of J vanishes in that row and column, unless a rotor takes part of
    // the load; elsewhere it is computed.
    let pivot = S
        .iter()
        .position(|s| *s == pool.one() || *s == pool.int(-1))
        .filter(|_| S.iter().filter(|s| !pool.is_zero(**s)).count() == 1 && pool.is_zero(rotor));
    for i in 0..6 {
        for j in 0..=i {
            let rest = if pivot == Some(i) || pivot == Some(j) {
                pool.zero()
            } else {
                pool.define(pool.sub(J[i][j], pool.mul(scaled[i], U[j])))
            };
            J[i][j] = rest;
            J[j][i] = rest;
        }
        b[i] = if pivot == Some(i) { pool.zero() } else { pool.define(pool.sub(b[i], ratio[i])) };
    }
    Some(Step { rate, S, U, d_inverse, bias })
}

/// X^T J X. With blocks J = [A, B; B^T, C] turned into the parent's axes and P = [p×]:
///
/// ```text
/// [art-shift]   B' = B + P C,   A' = A - B P + P B'^T,   C' = C
/// ```
fn seen_from_parent(pool: &Pool, J: &M6, node: &Node) -> M6 {
    let block = |r: usize, s: usize| -> [[Expr; 3]; 3] {
        std::array::from_fn(|i| std::array::from_fn(|j| J[r + i][s + j]))
    };
    let turn = |M: [[Expr; 3]; 3]| matrix_to_parent(pool, node, &M);
    let (A, B, C) = (turn(block(0, 0)), turn(block(0, 3)), turn(block(3, 3)));
    let column = |M: &[[Expr; 3]; 3], j: usize| [M[0][j], M[1][j], M[2][j]];
    // P C: p × each column; B P: each row × p, for (B P)_i = B_i × p.
    let mut B1 = B;
    for j in 0..3 {
        let arm = cross(pool, node.p, column(&C, j));
        for i in 0..3 {
            B1[i][j] = pool.define(pool.add(B[i][j], arm[i]));
        }
    }
    let mut A1 = A;
    for j in 0..3 {
        let arm = cross(pool, node.p, B1[j]);
        for i in j..3 {
            let row = cross(pool, B[i], node.p);
            A1[i][j] = pool.define(pool.sum([A[i][j], pool.neg(row[j]), arm[i]])); // [art-shift]
            A1[j][i] = A1[i][j];
        }
    }
    let mut out = *J;
    for i in 0..3 {
        for j in 0..3 {
            out[i][j] = A1[i][j];
            out[i][j + 3] = B1[i][j];
            out[j + 3][i] = B1[i][j];
            out[i + 3][j + 3] = C[i][j];
        }
    }
    out
}
