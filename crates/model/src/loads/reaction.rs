//! What a joint of the tree does to the body that it carries: a force at the origin of the body's frame, and a torque.
//!
//! Twice three unknowns, which the equations of motion give: see `reactions` of the crate `equations`. They stand in a
//! model only where somebody asked, so they cost nothing elsewhere.

use cardan_expr::{Expr, Kind};
use cardan_kinematics::{FrameId, Space, Vector};
use cardan_units::Dimension;

use crate::joint::JointId;
use crate::{Model, Output, Quantity};

/// The reaction of a joint of the tree.
#[derive(Clone, PartialEq, Debug)]
pub struct JointReaction {
    /// Which joint.
    pub joint: JointId,
    /// The frame of the body it carries.
    pub frame: FrameId,
    /// The force on the body at the origin of its frame; components in the frame, unknowns.
    pub force: [Expr; 3],
    /// The torque on the body about that origin; components in the frame, unknowns.
    pub torque: [Expr; 3],
}

impl JointReaction {
    /// Force and torque.
    pub fn vectors(&self, space: &Space) -> (Vector, Vector) {
        (space.vector(self.frame, self.force), space.vector(self.frame, self.torque))
    }
    /// The unknowns: force, then torque.
    pub fn unknowns(&self) -> impl Iterator<Item = Expr> + '_ {
        self.force.iter().chain(&self.torque).copied()
    }
}

impl Model {
    /// The joint whose last frame this is: the one that carries what is fixed in it.
    pub fn joint_of(&self, frame: FrameId) -> Option<JointId> {
        self.joints.iter().find(|(_, j)| j.frames.last() == Some(&frame)).map(|(id, _)| id)
    }

    /// The joints of the tree on the way from one frame to another, in the order of the tree.
    pub fn joints_between(&self, a: FrameId, b: FrameId) -> Vec<JointId> {
        let way_down = |frame: FrameId| {
            let parents = std::iter::successors(Some(frame), |f| self.space.frame(*f).parent);
            parents.filter_map(|f| self.joint_of(f)).collect::<Vec<_>>()
        };
        let (a, b) = (way_down(a), way_down(b));
        self.joints.ids().filter(|j| a.contains(j) != b.contains(j)).collect()
    }

    /// The reaction of a joint of the tree, made when it is first asked for.
    pub fn reaction_of(&mut self, joint: JointId) -> &JointReaction {
        let known = self.reactions.iter().position(|r| r.joint == joint);
        let k = known.unwrap_or_else(|| {
            let data = &self.joints[joint];
            let frame = data.frames.last().copied().unwrap_or(data.parent);
            let pool = self.space.pool();
            let unknowns = |what: &str| {
                ["x", "y", "z"].map(|i| pool.symbol(format!("{what}({}, {i})", data.name), Kind::Unknown))
            };
            let (force, torque) = (unknowns("reaction force"), unknowns("reaction torque"));
            self.reactions.push(JointReaction { joint, frame, force, torque });
            self.reactions.len() - 1
        });
        &self.reactions[k]
    }

    /// Makes the reactions of all joints of the tree known to the equations, without outputs.
    pub fn ask_for_joint_reactions(&mut self) {
        let joints = self.bearing_joints();
        joints.into_iter().for_each(|joint| _ = self.reaction_of(joint));
    }

    /// Asks for the reactions of all joints, of the tree and between its branches: outputs `arm.force.x`, … with
    /// components in the ground's axes, and how hard contacts press. Names that outputs have already are left out. Gives the names of the vectors.
    pub fn ask_for_reactions(&mut self) -> Vec<String> {
        let mut asked = vec![];
        for joint in self.bearing_joints() {
            let (force, torque) = self.reaction_of(joint).clone().vectors(&self.space);
            let name = self.joints[joint].name.clone();
            asked.extend(self.output_vector(format!("{name}.force"), Dimension::FORCE, &force));
            asked.extend(self.output_vector(format!("{name}.torque"), Dimension::TORQUE, &torque));
        }
        let told: Vec<_> =
            self.constraints.iter().map(|(_, c)| (c.name.clone(), c.reaction(&self.space))).collect();
        for (name, (force, torque)) in told {
            asked.extend(self.output_vector(format!("{name}.force"), Dimension::FORCE, &force));
            asked.extend(self.output_vector(format!("{name}.torque"), Dimension::TORQUE, &torque));
        }
        let presses: Vec<_> = self
            .constraints
            .iter()
            .filter_map(|(_, c)| Some((format!("{}.press", c.name), c.press(&self.space)?)))
            .collect();
        presses.into_iter().for_each(|(name, value)| self.output_once(name, Dimension::FORCE, value));
        asked
    }

    /// The joints of the tree but for those that only hold the coordinates of a contact, which bear nothing.
    fn bearing_joints(&self) -> Vec<JointId> {
        self.joints.iter().filter(|(_, j)| !j.is_contact()).map(|(id, _)| id).collect()
    }

    fn output_vector(&mut self, name: String, dimension: Dimension, vector: &Vector) -> Option<String> {
        if vector.is_zero() {
            return None;
        }
        let components = self.space.components(vector, self.space.newtonian());
        for (axis, value) in ["x", "y", "z"].into_iter().zip(components) {
            self.output_once(format!("{name}.{axis}"), dimension, value);
        }
        Some(name)
    }

    fn output_once(&mut self, name: String, dimension: Dimension, value: Expr) {
        if self.outputs.iter().all(|o| o.quantity.name != name) {
            self.outputs.push(Output { quantity: Quantity::new(name, dimension), value });
        }
    }
}
