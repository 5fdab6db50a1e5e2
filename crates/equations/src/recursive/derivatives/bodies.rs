//! Every body seen from the first one of its tree, with all that it carries.
//!
//! Where bodies are and how they move is expressed at the origin and in the axes of the node of their tree that stands on
//! the ground. Its own place matters only through the direction of gravity.
//!
//! ```text
//! [slope-axis]       S = (z; r × z) of a rotation about z through r,   (0; z) of a translation
//! [slope-v]          v = v_P + Σ S η
//! [slope-a]          a = a_P + Σ S η̇ + v_P × Σ S η,    a of the ground is -g
//! [slope-momentum]   (L; l) = I v
//! [slope-force]      f = I a + v ×* (L; l)
//! [slope-b]          2 B = v ×* I - I v × + (L; l) ×̄* = [K - L×, 0; -2 l×, 0]
//!                    K = [w×] J - J [w×] - h v^T - v h^T + 2 (v·h) 1
//! ```
//!
//! The zeros of 2 B follow from Jacobi's identity. Sums over all that a node carries are marked `carried`.

use cardan_base::Id;
use cardan_expr::{Expr, Pool, Rational};
use cardan_kinematics::rotation::{apply_transposed, compose, cross, identity, inner};
use cardan_kinematics::{Matrix3, Motion};
use cardan_model::Model;

use crate::recursive::derivatives::spatial::{Pair, V3, inertia_times, plus};
use crate::recursive::inertia::Inertia;
use crate::recursive::tree::{Tree, to_node};

/// One degree of freedom: its natural rate and its axis. [slope-axis]
pub(crate) struct Freedom {
    pub rate: usize,
    pub S: Pair,
}

/// A node as its root sees it.
pub(crate) struct Body {
    pub parent: Option<usize>,
    pub freedoms: Vec<Freedom>,
    /// [slope-v]
    pub v: Pair,
    /// For u̇ = 0, then for the accelerations that there are. [slope-a]
    pub a: Pair,
    inertia: Inertia,
    pub carried: Carried,
}

/// Sums over a node and all that it carries.
#[derive(Clone)]
pub(crate) struct Carried {
    pub inertia: Inertia,
    /// The symmetric part of [slope-b].
    pub K: [[Expr; 3]; 3],
    /// [slope-momentum]
    pub momentum: Pair,
    /// [slope-force]
    pub force: Pair,
}

/// -g in the axes of a root.
pub(crate) fn ground_acceleration(pool: &Pool, tree: &Tree, root: usize) -> V3 {
    to_node(pool, &tree.nodes[root], tree.base_acceleration)
}

/// All nodes, for natural accelerations `at_rest` that belong to u̇ = 0.
pub(crate) fn bodies(model: &Model, tree: &Tree, at_rest: &[Expr]) -> Vec<Body> {
    let pool = model.space.pool();
    let mut turns: Vec<(Matrix3, V3)> = vec![];
    let mut all: Vec<Body> = vec![];
    for (k, node) in tree.nodes.iter().enumerate() {
        let (C, r) = match node.parent {
            None => (identity(pool), [pool.zero(); 3]),
            Some(p) => {
                let (C_P, r_P): &(Matrix3, V3) = &turns[p];
                let C = compose(pool, &node.R, C_P).map(|row| row.map(|e| pool.define(e)));
                let step = apply_transposed(pool, C_P, node.p);
                (C, plus(pool, *r_P, step).map(|e| pool.define(e)))
            }
        };
        turns.push((C, r));
        let freedoms = freedoms(pool, &node.motion, &C, r);
        let before = node.parent.map(|p| (all[p].v, all[p].a));
        let (v_P, a_P) = before.unwrap_or_else(|| {
            (Pair::zero(pool), Pair { turn: [pool.zero(); 3], shift: ground_acceleration(pool, tree, k) })
        });
        let moved = |rate: &dyn Fn(usize) -> Expr| {
            let own: Vec<Pair> = freedoms.iter().map(|f| f.S.times(pool, rate(f.rate))).collect();
            Pair::sum(pool, &own)
        };
        let own = moved(&|k| model.space.rate(cardan_kinematics::RateId::from_index(k))).define(pool);
        let v = v_P.add(pool, own).define(pool);
        let a = Pair::sum(pool, &[a_P, moved(&|k| at_rest[k]), v_P.cross(pool, &own)]).define(pool);
        let inertia = node.inertia.seen_from(pool, &C, r).define(pool);
        let carried = own_sums(pool, &inertia, &v, &a);
        all.push(Body { parent: node.parent, freedoms, v, a, inertia, carried });
    }
    for k in (0..all.len()).rev() {
        let total = all[k].carried.define(pool);
        if let Some(p) = all[k].parent {
            all[p].carried = all[p].carried.add(pool, &total);
        }
        all[k].carried = total;
    }
    all
}

fn freedoms(pool: &Pool, motion: &Motion, C: &Matrix3, r: V3) -> Vec<Freedom> {
    let o = [pool.zero(); 3];
    let seen = |d: V3| apply_transposed(pool, C, d).map(|e| pool.define(e));
    let turning = |d: V3| {
        let z = seen(d);
        Pair { turn: z, shift: cross(pool, r, z) }.define(pool)
    };
    let sliding = |d: V3| Pair { turn: o, shift: seen(d) };
    let unit = identity(pool);
    let rates: Vec<usize> = motion.rates().iter().map(|r| r.index()).collect();
    let axes: Vec<Pair> = match motion {
        Motion::Fixed => vec![],
        Motion::Translation { direction, .. } => vec![sliding(*direction)],
        Motion::Rotation { direction, .. } => vec![turning(*direction)],
        Motion::Ball { .. } => unit.map(turning).to_vec(),
        Motion::Free { .. } => unit.map(sliding).into_iter().chain(unit.map(turning)).collect(),
    };
    rates.into_iter().zip(axes).map(|(rate, S)| Freedom { rate, S }).collect()
}

/// What a body contributes to the sums.
fn own_sums(pool: &Pool, inertia: &Inertia, v: &Pair, a: &Pair) -> Carried {
    let Inertia { h, I, .. } = inertia;
    let momentum = inertia_times(pool, inertia, v).define(pool);
    let force = inertia_times(pool, inertia, a).add(pool, v.cross_wrench(pool, &momentum));
    let column = |j: usize| cross(pool, v.turn, [I[0][j], I[1][j], I[2][j]]);
    let turned: [V3; 3] = std::array::from_fn(column); // turned[j][i] = ([w×] J)_ij
    let twice = pool.scale(Rational::int(2), inner(pool, v.shift, *h));
    let mut K = [[pool.zero(); 3]; 3];
    for i in 0..3 {
        for j in 0..=i {
            let mut terms = vec![
                turned[j][i],
                turned[i][j],
                pool.neg(pool.mul(h[i], v.shift[j])),
                pool.neg(pool.mul(h[j], v.shift[i])),
            ];
            if i == j {
                terms.push(twice);
            }
            K[i][j] = pool.define(pool.sum(terms)); // [slope-b]
            K[j][i] = K[i][j];
        }
    }
    Carried { inertia: inertia.clone(), K, momentum, force: force.define(pool) }
}

impl Carried {
    fn define(&self, pool: &Pool) -> Carried {
        Carried {
            inertia: self.inertia.define(pool),
            K: self.K.map(|row| row.map(|e| pool.define(e))),
            momentum: self.momentum.define(pool),
            force: self.force.define(pool),
        }
    }

    fn add(&self, pool: &Pool, other: &Carried) -> Carried {
        Carried {
            inertia: self.inertia.add(pool, &other.inertia),
            K: std::array::from_fn(|i| plus(pool, self.K[i], other.K[i])),
            momentum: self.momentum.add(pool, other.momentum),
            force: self.force.add(pool, other.force),
        }
    }

    /// 2 B m. [slope-b]
    pub fn b_times(&self, pool: &Pool, m: &Pair) -> Pair {
        let Pair { turn: L, shift: l } = self.momentum;
        let turn = plus(pool, self.K.map(|row| inner(pool, row, m.turn)), cross(pool, m.turn, L));
        Pair { turn, shift: cross(pool, m.turn, l).map(|e| pool.scale(Rational::int(2), e)) }
    }

    /// (2 B)^T m: what turns; the rest vanishes. [slope-b]
    pub fn times_b(&self, pool: &Pool, m: &Pair) -> V3 {
        let Pair { turn: L, shift: l } = self.momentum;
        let twice = cross(pool, l, m.shift).map(|e| pool.scale(Rational::int(2), e));
        let turn = plus(pool, self.K.map(|row| inner(pool, row, m.turn)), cross(pool, L, m.turn));
        plus(pool, turn, twice)
    }
}

/// Brings the accelerations from those of u̇ = 0 to those with the natural accelerations `more` added.
pub(crate) fn accelerate(pool: &Pool, bodies: &mut [Body], more: &[Expr]) {
    let mut added: Vec<Pair> = vec![];
    let mut forces: Vec<Vec<Pair>> = vec![vec![]; bodies.len()];
    for (k, body) in bodies.iter_mut().enumerate() {
        let own = body.freedoms.iter().map(|f| f.S.times(pool, more[f.rate]));
        let parts: Vec<Pair> = body.parent.map(|p| added[p]).into_iter().chain(own).collect();
        let total = Pair::sum(pool, &parts).define(pool);
        added.push(total);
        body.a = body.a.add(pool, total).define(pool);
        forces[k].push(inertia_times(pool, &body.inertia, &total));
    }
    for k in (0..bodies.len()).rev() {
        let total = Pair::sum(pool, &forces[k]).define(pool);
        bodies[k].carried.force = bodies[k].carried.force.add(pool, total).define(pool);
        if let Some(p) = bodies[k].parent {
            forces[p].push(total);
        }
    }
}
