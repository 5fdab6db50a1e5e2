//! How natural forces change with displacements and rates of joints.
//!
//! Displacing joint k along its axis by dπ carries all that hangs on it along as one rigid body, motion included. With
//! ψ̇ = v_P × S and ψ̈ = a_P × S + v_P × ψ̇ of the axis S as its parent P moves, and sums over what the outer one of two joints
//! carries (Singh, Russo & Wensing 2022, "Efficient analytical derivatives of rigid-body dynamics using spatial vector
//! algebra"; the recursion is Carpentier & Mansard's of 2018):
//!
//! ```text
//! [slope-mass]     M_ik = S_k · z_i,   z_i = I S_i
//! [slope-inner]    k carries i:   ∂τ_i/∂π_k = y_i · ψ̇_k + z_i · ψ̈_k,    ∂τ_i/∂η_k = y_i · S_k + z_i · (ψ̇_k + Ṡ_k),   y_i = 2 B^T S_i
//! [slope-outer]    i carries k:   ∂τ_i/∂π_k = S_i · (2 B ψ̇_k + I ψ̈_k + S_k ×* f),   ∂τ_i/∂η_k = S_i · (2 B S_k + I (ψ̇_k + Ṡ_k))
//! [slope-ground]   ∂τ_i/∂a_0 = what shifts of z_i,   for an acceleration a_0 of the ground
//! ```
//!
//! Axes are fixed in the node that they move: Ṡ = v × S. Within one node [slope-inner] holds. Nothing but the direction of
//! gravity depends on where a root is, so displacements of roots are left to [slope-ground].

use cardan_expr::{Expr, Pool, Rational};
use cardan_kinematics::rotation::inner;

use crate::recursive::derivatives::bodies::Body;
use crate::recursive::derivatives::spatial::{Pair, V3, inertia_times};

type Square = Vec<Vec<Expr>>;

/// What one degree of freedom needs of its own.
struct Axis {
    S: Pair,
    z: Pair,
    y: V3,
    psi: Pair,
    psi_dot: Pair,
    /// ψ̇ + Ṡ
    swept: Pair,
    /// 2 B S + I (ψ̇ + Ṡ)
    by_rate: Pair,
    /// 2 B ψ̇ + I ψ̈
    by_turn: Pair,
    /// S ×* f
    lever: Pair,
}

/// z of every natural rate.
pub(crate) fn unit_wrenches(pool: &Pool, bodies: &[Body], n: usize) -> Vec<Pair> {
    let mut z = vec![Pair::zero(pool); n];
    for body in bodies {
        for f in &body.freedoms {
            z[f.rate] = inertia_times(pool, &body.carried.inertia, &f.S).define(pool);
        }
    }
    z
}

/// A node and its ancestors.
fn path(bodies: &[Body], k: usize) -> impl Iterator<Item = usize> {
    std::iter::successors(Some(k), |m| bodies[*m].parent)
}

/// [slope-mass]
pub(crate) fn mass_matrix(pool: &Pool, bodies: &[Body], z: &[Pair]) -> Square {
    let n = z.len();
    let mut M = vec![vec![pool.zero(); n]; n];
    for (k, body) in bodies.iter().enumerate() {
        for i in &body.freedoms {
            for j in path(bodies, k).flat_map(|m| &bodies[m].freedoms) {
                M[i.rate][j.rate] = pool.define(j.S.dot(pool, &z[i.rate]));
                M[j.rate][i.rate] = M[i.rate][j.rate];
            }
        }
    }
    M
}

/// Derivatives of natural forces, inertia alone.
pub(crate) struct Natural {
    /// `by_turn[i][k]` = ∂τ_i/∂π_k for the axes of all nodes but roots.
    pub by_turn: Square,
    /// `by_rate[i][k]` = ∂τ_i/∂η_k
    pub by_rate: Square,
}

/// [slope-inner], [slope-outer]. For the rates in `free`, what Ṡ does is left out.
pub(crate) fn derivatives(pool: &Pool, bodies: &[Body], z: &[Pair], free: &[usize]) -> Natural {
    let n = z.len();
    let mut out = Natural { by_turn: vec![vec![pool.zero(); n]; n], by_rate: vec![vec![pool.zero(); n]; n] };
    let mut axes: Vec<Vec<Axis>> = vec![];
    for (k, body) in bodies.iter().enumerate() {
        axes.push(own_axes(pool, bodies, body, z, free));
        let is_root = body.parent.is_none();
        for (a, i) in body.freedoms.iter().enumerate() {
            let own = &axes[k][a];
            let total = own.by_turn.add(pool, own.lever).define(pool);
            for m in path(bodies, k) {
                for (b, j) in bodies[m].freedoms.iter().enumerate() {
                    let other = &axes[m][b];
                    if m == k {
                        out.by_rate[i.rate][j.rate] = pool.define(own.S.dot(pool, &other.by_rate));
                        if !is_root {
                            out.by_turn[i.rate][j.rate] = pool.define(own.S.dot(pool, &other.by_turn));
                        }
                        continue;
                    }
                    let along = |turn: V3, whole: &Pair| {
                        pool.define(pool.add(inner(pool, own.y, turn), own.z.dot(pool, whole)))
                    };
                    out.by_rate[i.rate][j.rate] = along(other.S.turn, &other.swept); // [slope-inner]
                    if bodies[m].parent.is_some() {
                        out.by_turn[i.rate][j.rate] = along(other.psi.turn, &other.psi_dot);
                    }
                    out.by_rate[j.rate][i.rate] = pool.define(other.S.dot(pool, &own.by_rate)); // [slope-outer]
                    out.by_turn[j.rate][i.rate] = pool.define(other.S.dot(pool, &total));
                }
            }
        }
    }
    out
}

fn own_axes(pool: &Pool, bodies: &[Body], body: &Body, z: &[Pair], free: &[usize]) -> Vec<Axis> {
    let zero = Pair::zero(pool);
    let before = body.parent.map(|p| (bodies[p].v, bodies[p].a));
    let several = body.freedoms.len() > 1;
    let carried = &body.carried;
    let axis = |f: &crate::recursive::derivatives::bodies::Freedom| {
        let S = f.S;
        let (psi, psi_dot) = before.map_or((zero, zero), |(v_P, a_P)| {
            let psi = v_P.cross(pool, &S).define(pool);
            (psi, a_P.cross(pool, &S).add(pool, v_P.cross(pool, &psi)).define(pool))
        });
        // One axis alone is not moved by its own rate.
        let swept = if free.contains(&f.rate) {
            zero
        } else if several {
            psi.add(pool, body.v.cross(pool, &S)).define(pool)
        } else {
            psi.times(pool, pool.number(Rational::int(2))).define(pool)
        };
        let by_rate =
            carried.b_times(pool, &S).add(pool, inertia_times(pool, &carried.inertia, &swept)).define(pool);
        let by_turn = carried.b_times(pool, &psi).add(pool, inertia_times(pool, &carried.inertia, &psi_dot));
        Axis {
            S,
            z: z[f.rate],
            y: carried.times_b(pool, &S).map(|e| pool.define(e)),
            psi,
            psi_dot,
            swept,
            by_rate,
            by_turn: if several { by_turn.define(pool) } else { by_turn },
            lever: S.cross_wrench(pool, &carried.force),
        }
    };
    body.freedoms.iter().map(axis).collect()
}
