//! Derivatives of the accelerations of a tree, by its structure.
//!
//! With τ(q, u, u̇) = M u̇ - f from [inverse] dynamics and the accelerations put in (Jain & Rodriguez 1993; Carpentier & Mansard 2018):
//!
//! ```text
//! [slope-solve]    ∂u̇/∂x = -M^-1 ∂τ/∂x,   ∂u̇/∂(force along a speed) = M^-1
//! [slope-chain]    τ = W^T τ_η(π, η, η̇) - Q,   η = W u + X:
//!                  ∂τ/∂x = W^T (∂τ_η/∂π ∂π/∂x + ∂τ_η/∂η ∂η/∂x + M_η ∂η̇/∂x) + ∂W^T/∂x τ_η - ∂Q/∂x
//! [slope-free]     for a root that is free, M^-1 times a column of M is known without a solution: so its acceleration alone answers
//!                  a change of gravity, and of its velocity components what they sweep, v × S
//! ```
//!
//! - [`spatial`]: motions and wrenches; [`bodies`]: all bodies as their root sees them, sums over what each carries;
//! - [`natural`]: derivatives of natural forces by displacements and rates of joints.
//!
//! The accelerations come from the same mass matrix and factors. Forces of loads, Q, are differentiated as the expressions they are.

mod bodies;
mod natural;
mod spatial;

use cardan_base::Id;
use cardan_expr::{Depends, Derivation, Expr};
use cardan_kinematics::rotation::cross;
use cardan_kinematics::{Motion, RateId};
use cardan_model::Model;

use crate::ldl::{Elimination, Terms};
use crate::recursive::derivatives::bodies::Body;
use crate::recursive::derivatives::spatial::Pair;
use crate::recursive::joint_rates::Rates;
use crate::recursive::newton_euler::project;
use crate::recursive::tree::{Tree, to_parent};
use crate::{Failure, ldl, small};

type V3 = [Expr; 3];
type Matrix = Vec<Vec<Expr>>;

/// Accelerations and their derivatives; one row per speed.
#[derive(Clone, PartialEq, Debug)]
pub struct Slopes {
    /// u̇, solved.
    pub u_dot: Vec<Expr>,
    /// ∂u̇/∂q
    pub by_coordinate: Matrix,
    /// ∂u̇/∂u
    pub by_speed: Matrix,
    /// ∂u̇/∂s
    pub by_state: Matrix,
    /// ∂u̇/∂ of forces along the speeds: the inverse of the mass matrix.
    pub by_force: Matrix,
}

/// The linear systems whose solutions are the derivatives of accelerations: M ∂u̇/∂x = -∂τ/∂x but for what is known without one.
#[derive(Clone, PartialEq, Debug)]
pub struct SlopeSystems {
    /// u̇, solved.
    pub u_dot: Vec<Expr>,
    /// M, factored; in the order of elimination.
    pub factors: Vec<Elimination>,
    /// ∂τ/∂x, a column for each coordinate, speed and auxiliary state. [slope-solve]
    pub tau: Vec<Vec<Expr>>,
    /// What is added to the solutions, by column. [slope-free]
    pub known: Vec<Vec<Expr>>,
    /// Going backwards, by column and from the last row eliminated to the first: the rows that are added to it, and how often.
    pub back: Vec<Vec<Terms>>,
}

/// What changes with one variable.
struct Column {
    by: Derivation,
    /// ∂π_k/∂x of axes that are displaced.
    turned: Vec<(usize, Expr)>,
}

/// [slope-solve] with the solutions written out.
pub(crate) fn slopes(model: &Model) -> Result<Slopes, Failure> {
    let pool = model.space.pool();
    let n = model.speeds.len();
    let SlopeSystems { u_dot, factors, tau, known, .. } = slope_systems(model)?;
    let factors = ldl::Ldl(factors);
    let mut by_coordinate = solve(pool, &factors, &tau, &known);
    let mut by_speed = by_coordinate.split_off(model.coordinates.len());
    let by_state = by_speed.split_off(n);
    let rows = |columns: Vec<Vec<Expr>>| (0..n).map(|r| columns.iter().map(|c| c[r]).collect()).collect();
    Ok(Slopes {
        by_coordinate: rows(by_coordinate),
        by_speed: rows(by_speed),
        by_state: rows(by_state),
        by_force: factors.inverse(pool, n),
        u_dot,
    })
}

/// [slope-solve] to be solved.
pub(crate) fn slope_systems(model: &Model) -> Result<SlopeSystems, Failure> {
    if small::any_small(model) || !model.constraints.is_empty() || !is_steady(model) {
        return Err(Failure::NoStructure);
    }
    let pool = model.space.pool();
    let mut tree = Tree::of(model)?;
    let loads = load_forces(model, &tree);
    for node in &mut tree.nodes {
        (node.force, node.moment) = ([pool.zero(); 3], [pool.zero(); 3]);
    }
    let rates = Rates::of(model);
    let n = model.speeds.len();
    let columns = coordinate_columns(model, &tree, &rates)?;

    // Accelerations.
    let at_rest = rates.accelerations(model, &vec![pool.zero(); n]);
    let mut bodies = bodies::bodies(model, &tree, &at_rest);
    let z = natural::unit_wrenches(pool, &bodies, at_rest.len());
    let mut mass = natural::mass_matrix(pool, &bodies, &z);
    for rotor in &model.rotors {
        let k = rotor.rate.index();
        mass[k][k] = pool.define(pool.add(mass[k][k], rotor.inertia));
    }
    let loads = rates.to_speeds(model, loads);
    let bias = rates.to_speeds(model, natural_forces(model, &bodies, &at_rest));
    let forcing: Vec<Expr> = (0..n).map(|r| pool.define(pool.sub(loads[r], bias[r]))).collect();
    let factors = ldl::factor(pool, &rates.reduce(model, mass.clone()))?;
    let u_dot = factors.solve(pool, &forcing);
    let natural_dot = rates.accelerations(model, &u_dot);
    let more: Vec<Expr> = (0..at_rest.len()).map(|k| pool.sub(natural_dot[k], at_rest[k])).collect();
    bodies::accelerate(pool, &mut bodies, &more);

    // Their derivatives.
    let free = free_roots(model, &tree, &rates);
    let free_rates: Vec<usize> = free.iter().flat_map(|(_, rates, _)| rates.iter().copied()).collect();
    let parts = Parts {
        model,
        rates: &rates,
        mass: &mass,
        natural: natural::derivatives(pool, &bodies, &z, &free_rates),
        forces: natural_forces(model, &bodies, &natural_dot),
        u_dot: &u_dot,
        loads: &loads,
    };
    let (mut taus, mut knowns) = (vec![], vec![]);
    for mut column in columns {
        let mut tau = parts.natural_column(&mut column);
        let mut known = vec![pool.zero(); n];
        for k in (0..tree.nodes.len()).filter(|k| tree.nodes[*k].parent.is_none()) {
            let turned = bodies::ground_acceleration(pool, &tree, k).map(|e| column.by.apply(pool, e));
            match free.iter().find(|(root, ..)| *root == k) {
                Some((_, _, speeds)) => (0..3).for_each(|i| known[speeds[i]] = pool.neg(turned[i])),
                None => ground(pool, &bodies, k, &z, turned, &mut tau),
            }
        }
        taus.push(parts.speed_column(&mut column, tau));
        knowns.push(known);
    }
    for (r, (_, u)) in model.speeds.iter().enumerate() {
        let mut column = Column { by: Derivation::partial(pool, u.symbol), turned: vec![] };
        let tau = parts.natural_column(&mut column);
        taus.push(parts.speed_column(&mut column, tau));
        knowns.push(swept(pool, &bodies, &free, r, n));
    }
    for (_, s) in model.states.iter() {
        let mut column = Column { by: Derivation::partial(pool, s.symbol), turned: vec![] };
        let tau = parts.natural_column(&mut column);
        taus.push(parts.speed_column(&mut column, tau));
        knowns.push(vec![pool.zero(); n]);
    }
    let entries: Vec<Vec<bool>> =
        taus.iter().map(|tau| tau.iter().map(|e| !pool.is_zero(*e)).collect()).collect();
    let back = factors.ways_back(pool, &entries);
    Ok(SlopeSystems { u_dot, factors: factors.0, tau: taus, known: knowns, back })
}

/// Whether masses, inertias and gravity are the same in every state, as the closed forms take them to be.
fn is_steady(model: &Model) -> bool {
    let pool = model.space.pool();
    let varies = [Depends::COORDINATES, Depends::SPEEDS, Depends::STATES];
    let is_steady = |e: Expr| !varies.iter().any(|v| pool.depends(e).intersects(*v));
    let gravity = model.space.components(&model.gravity, model.space.newtonian());
    gravity.into_iter().all(is_steady)
        && model.rotors.iter().all(|r| is_steady(r.inertia))
        && model.bodies.iter().all(|(_, b)| {
            let inertia = b.inertia.iter().flatten().chain(&b.center);
            inertia.copied().chain([b.mass]).all(is_steady)
        })
}

/// -M^-1 times columns, and what is known besides. [slope-solve]
fn solve(
    pool: &cardan_expr::Pool,
    factors: &ldl::Ldl,
    columns: &[Vec<Expr>],
    known: &[Vec<Expr>],
) -> Vec<Vec<Expr>> {
    let b: Vec<Vec<Expr>> = columns.iter().map(|c| c.iter().map(|e| pool.neg(*e)).collect()).collect();
    let sum = |(x, k): (Vec<Expr>, &Vec<Expr>)| -> Vec<Expr> {
        x.into_iter().zip(k).map(|(x, k)| pool.define(pool.add(x, *k))).collect()
    };
    factors.solve_all(pool, &b).into_iter().zip(known).map(sum).collect()
}

/// Forces of inertia along the natural rates.
fn natural_forces(model: &Model, bodies: &[Body], eta_dot: &[Expr]) -> Vec<Expr> {
    let pool = model.space.pool();
    let mut tau = vec![pool.zero(); eta_dot.len()];
    for body in bodies {
        for f in &body.freedoms {
            tau[f.rate] = pool.define(f.S.dot(pool, &body.carried.force));
        }
    }
    for rotor in &model.rotors {
        let k = rotor.rate.index();
        tau[k] = pool.define(pool.add(tau[k], pool.mul(rotor.inertia, eta_dot[k])));
    }
    tau
}

/// Forces of loads along the natural rates, leaves to root.
fn load_forces(model: &Model, tree: &Tree) -> Vec<Expr> {
    let pool = model.space.pool();
    let mut total: Vec<(V3, V3)> = tree.nodes.iter().map(|node| (node.force, node.moment)).collect();
    let mut Q = vec![pool.zero(); model.space.n_rates()];
    for (k, node) in tree.nodes.iter().enumerate().rev() {
        let (f, n) = (total[k].0.map(|e| pool.define(e)), total[k].1.map(|e| pool.define(e)));
        project(model, &node.motion, f, n, &mut Q);
        if let Some(p) = node.parent {
            let (f_P, n_P) = (to_parent(pool, node, f), to_parent(pool, node, n));
            let arm = cross(pool, node.p, f_P);
            total[p] = (
                std::array::from_fn(|i| pool.add(total[p].0[i], f_P[i])),
                std::array::from_fn(|i| pool.sum([total[p].1[i], n_P[i], arm[i]])),
            );
        }
    }
    Q
}

/// Per coordinate, which axes it displaces and by how much. Coordinates of roots displace none: see [`natural`].
fn coordinate_columns(model: &Model, tree: &Tree, rates: &Rates) -> Result<Vec<Column>, Failure> {
    let pool = model.space.pool();
    let column = |q: Expr| Column { by: Derivation::partial(pool, q), turned: vec![] };
    let mut columns: Vec<Column> = model.coordinates.iter().map(|(_, q)| column(q.symbol)).collect();
    let coordinate_of = |rate: Expr| model.coordinates.iter().position(|(_, q)| q.rate == rate);
    for node in tree.nodes.iter().filter(|node| node.parent.is_some()) {
        let rate = match &node.motion {
            Motion::Fixed => continue,
            Motion::Translation { rate, .. } | Motion::Rotation { rate, .. } => *rate,
            Motion::Ball { .. } | Motion::Free { .. } => return Err(Failure::NoStructure),
        };
        let k = rate.index();
        if let Some(c) = coordinate_of(model.space.rate(RateId::from_index(k))) {
            columns[c].turned.push((k, pool.one()));
            continue;
        }
        for (r, w) in &rates.w[k] {
            let (_, u) = model.speeds.iter().nth(*r).ok_or(Failure::NoStructure)?;
            let c = coordinate_of(u.symbol).ok_or(Failure::NoStructure)?;
            columns[c].turned.push((k, *w));
        }
    }
    Ok(columns)
}

/// Roots whose six natural rates are speeds, with the rates and the speeds in order.
fn free_roots(model: &Model, tree: &Tree, rates: &Rates) -> Vec<(usize, Vec<usize>, Vec<usize>)> {
    let pool = model.space.pool();
    let speed = |k: usize| match rates.w[k][..] {
        [(r, c)] if c == pool.one() && pool.is_zero(rates.drift[k]) => {
            let elsewhere =
                rates.w.iter().enumerate().any(|(j, row)| j != k && row.iter().any(|(s, _)| *s == r));
            (!elsewhere).then_some(r)
        }
        _ => None,
    };
    let mut found = vec![];
    for (root, node) in tree.nodes.iter().enumerate() {
        if let (None, Motion::Free { rates: own }) = (node.parent, &node.motion) {
            let own: Vec<usize> = own.iter().map(|r| r.index()).collect();
            let speeds: Option<Vec<usize>> = own.iter().map(|k| speed(*k)).collect();
            found.extend(speeds.map(|speeds| (root, own, speeds)));
        }
    }
    found
}

/// What the speed r of a free root sweeps, -(v × S), as accelerations. [slope-free]
fn swept(
    pool: &cardan_expr::Pool,
    bodies: &[Body],
    free: &[(usize, Vec<usize>, Vec<usize>)],
    r: usize,
    n: usize,
) -> Vec<Expr> {
    let mut known = vec![pool.zero(); n];
    for (root, _, speeds) in free {
        let Some(place) = speeds.iter().position(|s| *s == r) else { continue };
        let Pair { turn, shift } = bodies[*root].v.cross(pool, &bodies[*root].freedoms[place].S);
        for i in 0..3 {
            known[speeds[i]] = pool.neg(shift[i]);
            known[speeds[i + 3]] = pool.neg(turn[i]);
        }
    }
    known
}

/// Adds what a change `turned` of the ground's acceleration does to all that a root carries. [slope-ground]
fn ground(pool: &cardan_expr::Pool, bodies: &[Body], root: usize, z: &[Pair], turned: V3, tau: &mut [Expr]) {
    let root_of = |k: usize| std::iter::successors(Some(k), |m| bodies[*m].parent).last();
    for f in (0..bodies.len()).filter(|k| root_of(*k) == Some(root)).flat_map(|k| &bodies[k].freedoms) {
        let felt = (0..3).map(|i| pool.mul(z[f.rate].shift[i], turned[i]));
        tau[f.rate] = pool.sum(felt.chain([tau[f.rate]]).collect::<Vec<_>>());
    }
}

struct Parts<'a> {
    model: &'a Model,
    rates: &'a Rates,
    mass: &'a Matrix,
    natural: natural::Natural,
    /// τ_η
    forces: Vec<Expr>,
    u_dot: &'a [Expr],
    loads: &'a [Expr],
}

impl Parts<'_> {
    /// ∂τ_η/∂π ∂π/∂x + ∂τ_η/∂η ∂η/∂x + M_η ∂η̇/∂x. [slope-chain]
    fn natural_column(&self, column: &mut Column) -> Vec<Expr> {
        let pool = self.model.space.pool();
        let n = self.mass.len();
        let mut terms: Vec<Vec<Expr>> = vec![vec![]; n];
        let mut add = |matrix: &Matrix, k: usize, factor: Expr| {
            if !pool.is_zero(factor) {
                (0..n).for_each(|i| terms[i].push(pool.mul(matrix[i][k], factor)));
            }
        };
        for (k, factor) in &column.turned {
            add(&self.natural.by_turn, *k, *factor);
        }
        for k in 0..n {
            let eta = self.model.space.rate(RateId::from_index(k));
            add(&self.natural.by_rate, k, column.by.apply(pool, eta));
            let mut dot = vec![column.by.apply(pool, self.rates.drift[k])];
            for (r, w) in &self.rates.w[k] {
                dot.push(pool.mul(column.by.apply(pool, *w), self.u_dot[*r]));
            }
            add(self.mass, k, pool.sum(dot));
        }
        terms.into_iter().map(|t| pool.define(pool.sum(t))).collect()
    }

    /// W^T (∂τ_η/∂x) + ∂W^T/∂x τ_η - ∂Q/∂x. [slope-chain]
    fn speed_column(&self, column: &mut Column, natural: Vec<Expr>) -> Vec<Expr> {
        let pool = self.model.space.pool();
        let mut terms: Vec<Vec<Expr>> =
            self.loads.iter().map(|Q| vec![pool.neg(column.by.apply(pool, *Q))]).collect();
        for (k, row) in self.rates.w.iter().enumerate() {
            for (r, w) in row {
                terms[*r].push(pool.mul(*w, natural[k]));
                terms[*r].push(pool.mul(column.by.apply(pool, *w), self.forces[k]));
            }
        }
        terms.into_iter().map(|t| pool.define(pool.sum(t))).collect()
    }
}
