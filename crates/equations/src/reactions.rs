//! What joints do to the bodies that they carry.
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

use std::collections::BTreeMap;

use cardan_base::Id;
use cardan_expr::Expr;
use cardan_kinematics::rotation::cross;
use cardan_kinematics::{FrameId, Vector};
use cardan_model::{JointId, Model};

use crate::Failure;
use crate::constrained::reaction_sharing::Place;
use crate::recursive::joint_rates::Rates;
use crate::recursive::newton_euler::joint_wrenches;
use crate::recursive::tree::Tree;

/// Each unknown of the reactions that the model asks for, in terms of accelerations and multipliers.
pub(crate) fn of_joints(model: &Model) -> Result<Vec<(Expr, Expr)>, Failure> {
    if model.reactions.is_empty() {
        return Ok(vec![]);
    }
    let wrenches = wrenches(model, &|(constraint, row)| model.constraints[constraint].multipliers[row])?;
    let mut out = vec![];
    for reaction in &model.reactions {
        out.extend(reaction.unknowns().zip(wrenches.get(&reaction.joint).into_iter().flatten().copied()));
    }
    Ok(out)
}

/// Force and torque of every joint of the tree on the frame that it carries, in that frame, in terms of accelerations and of the
/// multipliers given. [joint-force], [joint-torque]
pub(crate) fn wrenches(
    model: &Model,
    multiplier: &dyn Fn(Place) -> Expr,
) -> Result<BTreeMap<JointId, [Expr; 6]>, Failure> {
    let mut tree = Tree::of_frames(model)?;
    add_constraints(model, &mut tree, multiplier);
    let unknowns: Vec<Expr> = model.speeds.iter().map(|(_, u)| u.rate).collect();
    let natural = Rates::of(model).accelerations(model, &unknowns);
    let wrenches = joint_wrenches(model, &tree, &natural);
    let of_joint = |joint: JointId| {
        let data = &model.joints[joint];
        let frame = data.frames.last().copied().unwrap_or(data.parent);
        let (f, n) = wrenches[node_of(frame)?];
        Some((joint, [f[0], f[1], f[2], n[0], n[1], n[2]]))
    };
    Ok(model.joints.ids().filter_map(of_joint).collect())
}

/// The node of a frame among those of all frames; nothing for the ground.
fn node_of(frame: FrameId) -> Option<usize> {
    frame.index().checked_sub(1)
}

/// What joints that close loops do to the nodes they lie between.
fn add_constraints(model: &Model, tree: &mut Tree, multiplier: &dyn Fn(Place) -> Expr) {
    let space = &model.space;
    let pool = space.pool();
    for (id, constraint) in model.constraints.iter() {
        let Some(ends) = &constraint.ends else { continue };
        let multipliers: Vec<Expr> = (0..constraint.rows.len()).map(|row| multiplier((id, row))).collect();
        let (force, torque) = constraint.reaction_of(space, &multipliers);
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
