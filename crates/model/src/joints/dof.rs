//! Degrees of freedom of joints, one by one: the rate that moves a frame, and what pushes along it.
//!
//! ```text
//! [effort]   on the frame that moves: Q a (a force through its origin, or a torque), with the opposite on the frame before it;
//!            a the unit vector of the freedom, so that the power is Q times its rate
//! ```

use cardan_expr::Expr;
use cardan_kinematics::rotation::identity;
use cardan_kinematics::{FrameId, Motion, RateId, Vector};

use crate::joint::JointId;
use crate::load::{LoadKind, Reaction};
use crate::{CoordinateId, Model};

/// One degree of freedom of a joint.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Freedom {
    /// The frame that it moves.
    pub frame: FrameId,
    /// The rate by which it does.
    pub rate: RateId,
}

impl Model {
    /// The degrees of freedom of a joint, in order; a screw has two that depend on one another.
    pub fn freedoms(&self, joint: JointId) -> Vec<Freedom> {
        let moving = self.joints[joint].frames.iter().flat_map(|f| {
            let rates = self.space.frame(*f).motion.rates();
            rates.into_iter().map(|rate| Freedom { frame: *f, rate })
        });
        moving.collect()
    }

    /// The first freedom of a joint whose rate has this value.
    pub fn freedom_at(&self, joint: JointId, rate: Expr) -> Option<Freedom> {
        self.freedoms(joint).into_iter().find(|f| self.space.rate(f.rate) == rate)
    }

    /// The freedom whose rate is that of a coordinate; nothing where speeds are components in the body.
    pub fn freedom_of(&self, coordinate: CoordinateId) -> Option<Freedom> {
        let own = |(_, j): &(JointId, &crate::Joint)| j.coordinates.contains(&coordinate);
        let (joint, _) = self.joints.iter().find(own)?;
        self.freedom_at(joint, self.coordinates[coordinate].rate)
    }

    /// The load that an effort along a freedom is; nothing if the frame does not move. Speeds are fixed by then.
    pub fn effort_along(&self, freedom: Freedom, effort: Expr) -> Option<LoadKind> {
        let space = &self.space;
        let pool = space.pool();
        let axes = identity(pool);
        let frame = space.frame(freedom.frame);
        let index = |rates: &[RateId]| rates.iter().position(|r| *r == freedom.rate);
        let (direction, turns) = match &frame.motion {
            Motion::Fixed => return None,
            Motion::Translation { direction, .. } => (*direction, false),
            Motion::Rotation { direction, .. } => (*direction, true),
            Motion::Ball { rates } => (axes[index(rates)?], true),
            Motion::Free { rates } => (axes[index(rates)? % 3], index(rates)? >= 3),
        };
        let vector: Vector = space.vector(freedom.frame, direction.map(|d| pool.mul(d, effort))); // [effort]
        let parent = frame.parent.filter(|p| *p != space.newtonian());
        Some(match turns {
            true => LoadKind::Torque { vector, on: freedom.frame, reaction: parent },
            false => {
                let reaction = parent.map(|frame| Reaction { frame, at: None });
                LoadKind::Force { vector, at: space.origin(freedom.frame), reaction }
            }
        })
    }
}
