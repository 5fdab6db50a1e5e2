//! How joints share what they bear where they repeat one another.
//!
//! A loop that repeats constraints can be stressed without moving: forces of its joints that cancel at every body. Motion does not say how
//! large they are. Each row that says nothing new stands for one such stress, multipliers with G^T λ = 0 and what they do to the
//! joints of the tree that the loop goes through:
//!
//! ```text
//! [implied]      λ = e_i                          a row that holds by itself: its column of G^T is zero
//! [repeated]     λ = e_j - C_j^T e_kept,          C = G_r G_k^T (G_k G_k^T)^-1: the kept rows say the same
//! [transport]    f = -λ e,  n = -λ (p × e + m)    on a joint behind which the second body hangs; the opposite before the first
//! ```
//!
//! Of all reactions with which the bodies move as they do, those are given whose squares have the smallest sum: multipliers λ and, of each
//! joint of the tree, force and torque w at the origin of the carried frame, in SI units; a joint that ends in a weld counts once. With
//! stresses Z, their transport T and the reactions λ0, w0 of the kept rows alone
//!
//! ```text
//! [least-norm]   min |λ0 + Z z|² + |w0 + T z|²:    (Z^T Z + T^T T) z = -(Z^T λ0 + T^T w0)
//! ```

use std::collections::BTreeMap;

use cardan_expr::{Derivation, Expr, Function, Pool};
use cardan_kinematics::{FrameId, Vector};
use cardan_model::{Closing, Constraint, ConstraintId, ConstraintKind, JointId, Model, Row, RowAction};

use crate::Failure;
use crate::constrained::rows::{ConstraintRow, ConstraintRows};
use crate::reactions::wrenches;

/// A row: its constraint and its place there.
pub type Place = (ConstraintId, usize);
/// Force, then torque, components in the frame that a joint carries.
type Wrench = [Expr; 6];

/// Forces of joints that cancel at every body, per unit of one multiplier.
struct Stress {
    multipliers: Vec<(Place, Expr)>,
    wrenches: BTreeMap<JointId, Wrench>,
}

/// How much an output of a model is left open by the motion.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Openness {
    /// It changes with a stress, in general position.
    pub is_open: bool,
    /// It is open if one of these does not vanish: found with rows that repeat others where the rank was looked at, and to be looked at there.
    pub doubts: Vec<Expr>,
}

fn place(row: &ConstraintRow) -> Place {
    (row.constraint, row.row)
}

/// Whether anything looks at reactions: they are shared for nobody else.
fn is_asked(model: &Model) -> bool {
    let pool = model.space.pool();
    let looks = || {
        let laws: Vec<Expr> = model.laws.iter().map(|l| l.residual(pool)).collect();
        let rates = model.states.iter().map(|(_, s)| s.rate);
        let seen = pool.reachable(model.outputs.iter().map(|o| o.value).chain(laws).chain(rates));
        let mut multipliers = model.constraints.iter().flat_map(|(_, c)| &c.multipliers);
        multipliers.any(|symbol| seen.binary_search(symbol).is_ok())
    };
    !model.reactions.is_empty() || !model.hybrid.is_empty() || looks()
}

/// The multipliers of all rows that bear something, given those of the kept rows alone, shared if the model looks at them.
pub(crate) fn shared_if_asked(
    model: &Model,
    constraints: &ConstraintRows,
    kept: &[Expr],
) -> Result<Vec<(Place, Expr)>, Failure> {
    if is_asked(model) { shared(model, constraints, kept) } else { Ok(alone(constraints, kept)) }
}

/// Kept rows with their multipliers.
fn alone(constraints: &ConstraintRows, kept: &[Expr]) -> Vec<(Place, Expr)> {
    constraints.rows.iter().map(place).zip(kept.iter().copied()).collect()
}

/// The multipliers of all rows that bear something, given those of the kept rows alone. [least-norm]
pub(crate) fn shared(
    model: &Model,
    constraints: &ConstraintRows,
    kept: &[Expr],
) -> Result<Vec<(Place, Expr)>, Failure> {
    let pool = model.space.pool();
    let alone = alone(constraints, kept);
    if constraints.repeated.is_empty() && constraints.implied.is_empty() {
        return Ok(alone);
    }
    let stresses = stresses(model, constraints);
    let value = |places: &[(Place, Expr)], wanted: Place| {
        places.iter().find(|(p, _)| *p == wanted).map_or(pool.zero(), |(_, e)| *e)
    };
    let carriers: Vec<JointId> = model.joints.ids().filter(|j| is_carrier(model, *j)).collect();
    let borne = wrenches(model, &|wanted| value(&alone, wanted))?;
    let product = |a: &Stress, multipliers: &[(Place, Expr)], wrenches: &BTreeMap<JointId, Wrench>| {
        let own = a.multipliers.iter().map(|(p, e)| pool.mul(*e, value(multipliers, *p)));
        let counted = a.wrenches.iter().filter(|(joint, _)| !carriers.contains(joint));
        let met = counted.filter_map(|(joint, w)| Some((w, wrenches.get(joint)?)));
        let others = met.flat_map(|(w, v)| (0..6).map(|i| pool.mul(w[i], v[i])));
        pool.define(pool.sum(own.chain(others).collect::<Vec<_>>()))
    };
    let mut arguments = vec![];
    for (i, a) in stresses.iter().enumerate() {
        arguments.extend(stresses[..=i].iter().map(|b| product(a, &b.multipliers, &b.wrenches)));
    }
    arguments.extend(stresses.iter().map(|a| pool.neg(product(a, &alone, &borne))));
    let z = solve(pool, stresses.len(), &arguments);
    let silent = constraints.repeated.iter().map(place).chain(constraints.implied.iter().copied());
    let mut all: Vec<(Place, Expr)> = alone.into_iter().chain(silent.map(|p| (p, pool.zero()))).collect();
    for (p, e) in &mut all {
        let shares = stresses.iter().zip(&z).map(|(s, z)| pool.mul(value(&s.multipliers, *p), *z));
        *e = pool.define(pool.sum(shares.chain([*e]).collect::<Vec<_>>()));
    }
    Ok(all)
}

/// Which outputs of a model depend on how joints share what they bear, in the order of the outputs.
pub fn openness(model: &Model, constraints: &ConstraintRows) -> Vec<Openness> {
    let pool = model.space.pool();
    let mut found = vec![Openness::default(); model.outputs.len()];
    if constraints.repeated.is_empty() && constraints.implied.is_empty() || !is_asked(model) {
        return found;
    }
    for (k, stress) in stresses(model, constraints).into_iter().enumerate() {
        let mut along = Derivation::new();
        let mut set = |symbol: Expr, rate: Expr| {
            if let Some(symbol) = pool.as_symbol(symbol) {
                along.set(symbol, rate);
            }
        };
        for ((constraint, row), rate) in &stress.multipliers {
            set(model.constraints[*constraint].multipliers[*row], *rate);
        }
        for reaction in &model.reactions {
            let rates = stress.wrenches.get(&reaction.joint).into_iter().flatten();
            reaction.unknowns().zip(rates).for_each(|(symbol, rate)| set(symbol, *rate));
        }
        for (output, open) in model.outputs.iter().zip(&mut found) {
            let change = along.apply(pool, output.value);
            if pool.is_zero(change) {
                continue;
            }
            // Stresses of rows that hold by themselves come first.
            if k < constraints.implied.len() { open.is_open = true } else { open.doubts.push(change) }
        }
    }
    found
}

/// One stress per row that says nothing new: those that hold by themselves, then those that repeat others.
fn stresses(model: &Model, constraints: &ConstraintRows) -> Vec<Stress> {
    let pool = model.space.pool();
    let alone = constraints.implied.iter().map(|p| vec![(*p, pool.one())]); // [implied]
    let repeated = repeated(pool, constraints);
    let stress = |multipliers: Vec<(Place, Expr)>| {
        let mut wrenches: BTreeMap<JointId, Wrench> = BTreeMap::new();
        for (p, factor) in &multipliers {
            for (joint, w) in transport(model, *p) {
                let sum = wrenches.entry(joint).or_insert([pool.zero(); 6]);
                *sum = std::array::from_fn(|i| pool.define(pool.add(sum[i], pool.mul(*factor, w[i]))));
            }
        }
        Stress { multipliers, wrenches }
    };
    alone.chain(repeated).map(stress).collect()
}

/// [repeated]
fn repeated(pool: &Pool, constraints: &ConstraintRows) -> Vec<Vec<(Place, Expr)>> {
    let kept = &constraints.rows;
    let product = |a: &ConstraintRow, b: &ConstraintRow| {
        let other = |k: usize| b.jacobian.iter().find(|(i, _)| *i == k).map_or(pool.zero(), |(_, e)| *e);
        pool.define(pool.sum(a.jacobian.iter().map(|(k, e)| pool.mul(*e, other(*k))).collect::<Vec<_>>()))
    };
    if constraints.repeated.is_empty() {
        return vec![];
    }
    let mut triangle = vec![];
    for (i, a) in kept.iter().enumerate() {
        triangle.extend(kept[..=i].iter().map(|b| product(a, b)));
    }
    let combination = |row: &ConstraintRow| {
        let right = kept.iter().map(|k| product(k, row));
        let arguments: Vec<Expr> = triangle.iter().copied().chain(right).collect();
        let factors = solve(pool, kept.len(), &arguments);
        let others = kept.iter().zip(factors).map(|(k, c)| (place(k), pool.neg(c)));
        [(place(row), pool.one())].into_iter().chain(others).filter(|(_, c)| !pool.is_zero(*c)).collect()
    };
    constraints.repeated.iter().map(combination).collect()
}

/// The unknowns of a symmetric system, given by its lower triangle and its right-hand side.
fn solve(pool: &Pool, n: usize, arguments: &[Expr]) -> Vec<Expr> {
    match arguments {
        [square, right] => vec![pool.define(pool.div(*right, *square))],
        _ => (0..n as u16).map(|k| pool.define(pool.call(Function::Solve(n as u16, k), arguments))).collect(),
    }
}

/// Whether all that a joint carries is a frame without mass that is welded to another body: the weld bears what the joint does, and counts for it.
fn is_carrier(model: &Model, joint: JointId) -> bool {
    let Some(frame) = model.joints[joint].frames.last().copied() else { return false };
    let welds = model.constraints.iter().filter(|(_, c)| {
        c.kind == ConstraintKind::Closing(Closing::Fixed)
            && c.ends.as_ref().is_some_and(|ends| ends.first == frame || ends.second == frame)
    });
    let carries = model.joints.iter().any(|(_, j)| j.parent == frame);
    let weighs = model.bodies.iter().any(|(_, b)| b.frame == frame && !b.is_massless(&model.space));
    welds.count() == 1 && !carries && !weighs
}

/// What a unit multiplier does to the joints of the tree between the two bodies of its constraint. [transport]
fn transport(model: &Model, (constraint, row): Place) -> Vec<(JointId, Wrench)> {
    let (space, pool) = (&model.space, model.space.pool());
    let Constraint { ends: Some(ends), rows, .. } = &model.constraints[constraint] else { return vec![] };
    let Row { action: Some(action), .. } = &rows[row] else { return vec![] };
    let (force, moment) = match action {
        RowAction::Force(e) => (e.clone(), Vector::ZERO),
        RowAction::Torque(m) => (Vector::ZERO, m.clone()),
        RowAction::Wrench(e, m) => (e.clone(), m.clone()),
    };
    let carries = |frame: FrameId, body: FrameId| {
        std::iter::successors(Some(body), |f| space.frame(*f).parent).any(|f| f == frame)
    };
    let joints = model.joints_between(ends.first, ends.second).into_iter();
    let on = |joint: JointId| {
        let frame = *model.joints[joint].frames.last()?;
        let arm = space.position(&space.origin(frame), &ends.at);
        let torque = space.cross(&arm, &force).add(pool, &moment);
        let (f, n) = (space.components(&force, frame), space.components(&torque, frame));
        let behind = carries(frame, ends.second);
        let w = [f[0], f[1], f[2], n[0], n[1], n[2]].map(|e| if behind { pool.neg(e) } else { e });
        Some((joint, w.map(|e| pool.define(e))))
    };
    joints.filter_map(on).collect()
}
