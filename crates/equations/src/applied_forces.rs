//! What acts on each frame: every load split into action and reaction.

use cardan_kinematics::{FrameId, Vector};
use cardan_model::{LoadId, LoadKind, Model};

use crate::Failure;

/// A force through a place given relative to the origin of the frame on which it acts, or a free torque.
pub(crate) enum Action {
    Force { load: LoadId, frame: FrameId, force: Vector, arm: Vector },
    Torque { load: LoadId, frame: FrameId, torque: Vector },
}

impl Action {
    pub fn load(&self) -> LoadId {
        match self {
            Action::Force { load, .. } | Action::Torque { load, .. } => *load,
        }
    }
}

/// All actions and reactions, gravity excepted. Those on the ground are left out.
pub(crate) fn actions(model: &Model) -> Result<Vec<Action>, Failure> {
    let space = &model.space;
    let pool = space.pool();
    let ground = space.newtonian();
    let mut out = vec![];
    for (load, l) in model.loads.iter() {
        match &l.kind {
            LoadKind::Force { vector, at, reaction } => {
                let force = vector.define(pool);
                let arm = space.vector(at.frame, at.coordinates);
                out.push(Action::Force { load, frame: at.frame, force: force.clone(), arm });
                if let Some(reaction) = reaction {
                    let place = reaction.at.as_ref().unwrap_or(at);
                    let arm = space.position(&space.origin(reaction.frame), place);
                    out.push(Action::Force { load, frame: reaction.frame, force: force.neg(pool), arm });
                }
            }
            LoadKind::Torque { vector, on, reaction } => {
                let torque = vector.define(pool);
                out.push(Action::Torque { load, frame: *on, torque: torque.clone() });
                if let Some(frame) = reaction {
                    out.push(Action::Torque { load, frame: *frame, torque: torque.neg(pool) });
                }
            }
        }
    }
    out.retain(|a| match a {
        Action::Force { frame, .. } | Action::Torque { frame, .. } => *frame != ground,
    });
    Ok(out)
}
