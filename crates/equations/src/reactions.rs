//! What joints do to the bodies that they carry, and what repeated constraints do together.
//!
//! A joint of the tree is cut behind its last segment. What is outboard moves as it does because of the loads on it, the
//! joints that close loops there, and the joint that was cut. Newton and Euler for everything outboard give the last, as force
//! and moment about the origin of the carried frame (equations `[ne-force]` to `[ne-back]` of the recursion along the tree):
//!
//! ```text
//! [joint-force]    f = Σ m (a - g) - Σ F
//! [joint-torque]   n = Σ p × m (a - g) + I α + w × I w - Σ p × F + T
//! ```
//!
//! Drives, gears and constraints written as equations act between coordinates and name no place; their efforts count as part of
//! what the joints of those coordinates do, as that of a prescribed motion does.
//!
//! Where constraint rows repeat others, many multipliers bring about the same motion. The shortest of them in SI units lies in the
//! range of G:
//!
//! ```text
//! [least-norm]     min |λ|  with  G^T λ = G_kept^T λ_kept:   λ = G y,   G^T G y = G_kept^T λ_kept
//! ```

use cardan_base::Id;
use cardan_expr::{Expr, Function};
use cardan_kinematics::rotation::cross;
use cardan_kinematics::{FrameId, Vector};
use cardan_model::Model;

use crate::Failure;
use crate::constraints::{ConstraintRow, ConstraintRows};
use crate::recursive::newton_euler::joint_wrenches;
use crate::recursive::rates::Rates;
use crate::recursive::tree::Tree;

/// Each unknown of the reactions that the model asks for, in terms of accelerations and multipliers.
pub(crate) fn of_joints(model: &Model) -> Result<Vec<(Expr, Expr)>, Failure> {
    if model.reactions.is_empty() {
        return Ok(vec![]);
    }
    let mut tree = Tree::of_frames(model)?;
    add_constraints(model, &mut tree);
    let unknowns: Vec<Expr> = model.speeds.iter().map(|(_, u)| u.rate).collect();
    let natural = Rates::of(model).accelerations(model, &unknowns);
    let wrenches = joint_wrenches(model, &tree, &natural);
    let mut out = vec![];
    for reaction in &model.reactions {
        if let Some((f, n)) = node_of(reaction.frame).map(|k| wrenches[k]) {
            out.extend(reaction.unknowns().zip(f.into_iter().chain(n))); // [joint-force], [joint-torque]
        }
    }
    Ok(out)
}

/// The node of a frame among those of all frames; nothing for the ground.
fn node_of(frame: FrameId) -> Option<usize> {
    frame.index().checked_sub(1)
}

/// What joints that close loops do to the nodes they lie between.
fn add_constraints(model: &Model, tree: &mut Tree) {
    let space = &model.space;
    let pool = space.pool();
    for (_, constraint) in model.constraints.iter() {
        let Some(ends) = &constraint.ends else { continue };
        let (force, torque) = constraint.reaction(space);
        let sides =
            [(ends.first, force.clone(), torque.clone()), (ends.second, force.neg(pool), torque.neg(pool))];
        for (frame, force, torque) in sides {
            let Some(node) = node_of(frame).map(|k| &mut tree.nodes[k]) else { continue };
            let components = |v: &Vector| space.components(v, frame).map(|e| pool.define(e));
            let f = components(&force);
            let arm = components(&space.position(&space.origin(frame), &ends.at));
            let (lever, t) = (cross(pool, arm, f), components(&torque));
            node.force = std::array::from_fn(|i| pool.define(pool.add(node.force[i], f[i])));
            node.moment = std::array::from_fn(|i| pool.define(pool.sum([node.moment[i], lever[i], t[i]])));
        }
    }
}

/// The multipliers of all rows, kept ones first, given those of the kept rows. [least-norm]
pub(crate) fn least_norm(model: &Model, constraints: &ConstraintRows, kept: &[Expr]) -> Vec<Expr> {
    if constraints.repeated.is_empty() {
        return kept.to_vec();
    }
    let pool = model.space.pool();
    let rows: Vec<&ConstraintRow> = constraints.rows.iter().chain(&constraints.repeated).collect();
    let touched = |k: usize| rows.iter().any(|r| r.jacobian.iter().any(|(i, _)| *i == k));
    let speeds: Vec<usize> = (0..model.speeds.len()).filter(|k| touched(*k)).collect();
    let entry = |row: &ConstraintRow, k: usize| {
        row.jacobian.iter().find(|(i, _)| *i == k).map_or(pool.zero(), |(_, e)| *e)
    };
    let sum = |terms: &mut dyn Iterator<Item = Expr>| pool.define(pool.sum(terms.collect::<Vec<_>>()));
    let mut arguments = vec![];
    for (i, a) in speeds.iter().enumerate() {
        for b in &speeds[..=i] {
            arguments.push(sum(&mut rows.iter().map(|r| pool.mul(entry(r, *a), entry(r, *b)))));
        }
    }
    for a in &speeds {
        arguments.push(sum(&mut constraints.rows.iter().zip(kept).map(|(r, l)| pool.mul(entry(r, *a), *l))));
    }
    let n = speeds.len() as u16;
    let y: Vec<Expr> = match arguments[..] {
        [square, force] => vec![pool.define(pool.div(force, square))],
        _ => (0..n).map(|k| pool.define(pool.call(Function::Solve(n, k), &arguments))).collect(),
    };
    rows.iter().map(|r| sum(&mut speeds.iter().zip(&y).map(|(k, y)| pool.mul(entry(r, *k), *y)))).collect()
}
