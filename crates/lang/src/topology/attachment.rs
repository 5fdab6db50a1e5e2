//! Bodies held by a joint between two points.
//!
//! The joint sits at a point P of the body that is nearer to the ground and carries its other body at that body's own point Q:
//!
//! ```text
//! [mount]   shift to P, the motions of the joint, shift by -Q
//! ```
//!
//! If the joint was written the other way round, its motions are those of the nearer body in the further one. They are undone from the
//! last to the first, each along or about its axis backwards, so coordinates mean the same whichever body is held. The coordinates
//! of an orientation are the exception: they describe the body that is held.

use cardan_base::Diagnostic;
use cardan_expr::{Expr, Pool};
use cardan_kinematics::{FrameId, Point, rotation};
use cardan_model::{Orientation, Step};

use crate::codes;
use crate::context::{Env, Resolver};
use crate::joints::loop_joints::both_sides;
use crate::joints::plan::{JointPlan, PlannedStep};
use crate::topology::joint_graph::Mount;
use crate::types::value::Value;

/// The numbers of the coordinates of a joint in the order in which its steps make them.
pub fn making_order(plan: &JointPlan<'_>, reversed: bool) -> Vec<usize> {
    let made = |step: &PlannedStep<'_>| match step {
        PlannedStep::Turn(..) => 0..0,
        PlannedStep::Translate(_, k) | PlannedStep::Rotate(_, k) | PlannedStep::Screw(_, _, k) => *k..k + 1,
        PlannedStep::Ball(orientation, _, k, _) => *k..k + angles(*orientation),
        PlannedStep::Free(orientation, k, _) => *k..k + 3 + angles(*orientation),
    };
    match reversed {
        false => plan.steps.iter().flat_map(made).collect(),
        true => plan.steps.iter().rev().flat_map(made).collect(),
    }
}

fn angles(orientation: Orientation) -> usize {
    if orientation == Orientation::EulerParameters { 4 } else { 3 }
}

/// The steps that lead back.
pub fn undone(pool: &Pool, steps: Vec<Step>) -> Vec<Step> {
    let back = |d: [Expr; 3]| d.map(|c| pool.neg(c));
    let undo = |step| match step {
        Step::Shift(p) => Step::Shift(back(p)),
        Step::Turn(R) => Step::Turn(rotation::transpose(&R)),
        Step::Translate(d, spec) => Step::Translate(back(d), spec),
        Step::Rotate(d, spec) => Step::Rotate(back(d), spec),
        Step::Screw(d, lead, spec) => Step::Screw(back(d), lead, spec),
        held @ (Step::Ball(..) | Step::Free(..)) => held,
    };
    steps.into_iter().rev().map(undo).collect()
}

impl<'t> Resolver<'t> {
    /// How a body is held, if by a joint between two points.
    pub fn mount(&self, b: usize) -> Option<&'t Mount> {
        let mounts = self.mounts?;
        mounts.get(&self.names.bodies[b].tree.name.text)
    }

    /// The frame on which a body is held, and the place of the joint in it.
    pub fn seat(&mut self, mount: &'t Mount) -> Option<(FrameId, [Expr; 3])> {
        let point = self.place(&mount.base)?;
        for c in point.coordinates {
            self.constant(c, mount.base.span, "the place of a joint")?;
        }
        Some((point.frame, point.coordinates))
    }

    /// The place of the joint in the body that is held, whose frame is not there yet: `parent` lends its own.
    pub fn own_place(&mut self, b: usize, mount: &'t Mount, parent: FrameId) -> Option<[Expr; 3]> {
        let Some(e) = &mount.own else { return Some([self.pool().zero(); 3]) };
        let scope = if mount.inside { self.names.bodies[b].inner } else { self.root };
        let env = Env { scope: Some(scope), frame: Some(parent), ..Env::default() };
        let point = self.point(e, &env, "")?;
        if point.frame != parent {
            let name = &self.names.bodies[b].tree.name.text;
            let d = Diagnostic::error(codes::LOOSE, format!("`{name}` is held by a point of another body"));
            self.report(d.at(e.span, "").hint(format!("give the point by components in `{name}`")));
            return None;
        }
        for c in point.coordinates {
            self.constant(c, e.span, "the place of a joint")?;
        }
        Some(point.coordinates)
    }

    /// What a joint that holds a body does to its first body, at its second point: that of the body which it holds, or the one on which it
    /// sits if it was written the other way round.
    ///
    /// ```text
    /// [moved]   T^Q = T^Bo + r^{Q Bo} × F
    /// ```
    pub fn holding(&mut self, b: usize) -> Option<Vec<(&'static str, Value)>> {
        let mount = self.mount(b)?;
        if !mount.tells {
            return Some(vec![]);
        }
        let crate::names::scope::Status::Done(Value::Frame(frame)) =
            self.names.items[self.names.bodies[b].frame].status
        else {
            return None;
        };
        let point = match mount.reversed {
            true => self.place(&mount.base)?,
            false => {
                let coordinates = self.own_place(b, mount, frame)?;
                Point { name: String::new(), frame, coordinates }
            }
        };
        let joint = self.builder.model().joint_of(frame)?;
        let reaction = self.builder.reaction_of(joint).clone();
        let (space, pool) = (self.space(), self.pool());
        let (force, torque) = reaction.vectors(space);
        let arm = space.position(&point, &space.origin(frame));
        let torque = torque.add(pool, &space.cross(&arm, &force)); // [moved]
        let sign = if mount.reversed { pool.one() } else { pool.int(-1) };
        Some(both_sides(pool, &force.scale(pool, sign), &torque.scale(pool, sign)))
    }
}
