//! The finished system: what its parts are, and a few questions about them that need no equations.

use cardan_base::{Arena, Set, Span};
use cardan_expr::{Kind, TableId};
use cardan_kinematics::{FrameId, Motion, Space, Vector};

use crate::joint::{Joint, JointId};
use crate::quantity::*;
use crate::{
    Body, BodyId, Constraint, ConstraintId, Element, ElementId, Experiment, Hybrid, JointReaction, Limit,
    Load, LoadId, LoadKind, ReactionLaw, Rotor, Table,
};

/// A complete mechanical system.
#[derive(Clone, Debug)]
pub struct Model {
    /// For people and files.
    pub name: String,
    /// For people; may be empty.
    pub description: String,
    /// Frames, points and all scalars.
    pub space: Space,
    /// In order of declaration.
    pub parameters: Arena<ParameterId, Parameter>,
    /// In order of joints.
    pub coordinates: Arena<CoordinateId, Coordinate>,
    /// In order of joints.
    pub speeds: Arena<SpeedId, Speed>,
    /// In order of declaration.
    pub states: Arena<StateId, State>,
    /// Parents before children.
    pub joints: Arena<JointId, Joint>,
    /// Parents before children.
    pub bodies: Arena<BodyId, Body>,
    /// In order of declaration.
    pub loads: Arena<LoadId, Load>,
    /// In order of declaration, with the loads and constraints that they expand to.
    pub elements: Arena<ElementId, Element>,
    /// In order of declaration.
    pub constraints: Arena<ConstraintId, Constraint>,
    /// Tables that expressions look values up in.
    pub tables: Arena<TableId, Table>,
    /// Named intermediate quantities.
    pub variables: Vec<Variable>,
    /// What results contain besides the states.
    pub outputs: Vec<Output>,
    /// Energies and works that results show in another unit or with other words than by themselves.
    pub shown: Vec<Quantity>,
    /// The acceleration of free fall.
    pub gravity: Vector,
    /// Groups of Euler parameters, whose squares sum to one.
    pub unit_quadruples: Vec<[CoordinateId; 4]>,
    /// Inertias that turn or slide with a single natural rate and nothing else.
    pub rotors: Vec<Rotor>,
    /// How far, how fast and how hard joints may go.
    pub limits: Vec<Limit>,
    /// What joints of the tree do to their bodies, where somebody asked.
    pub reactions: Vec<JointReaction>,
    /// Efforts of loads that depend on reactions or accelerations.
    pub laws: Vec<ReactionLaw>,
    /// Questions asked in the text.
    pub experiments: Vec<Experiment>,
    /// What changes in jumps.
    pub hybrid: Hybrid,
}

impl Model {
    /// Takes in a constraint and makes its multipliers.
    pub fn add_constraint(&mut self, mut constraint: Constraint) -> ConstraintId {
        let pool = self.space.pool();
        let symbol = |k: usize| pool.symbol(format!("lambda({}, {})", constraint.name, k + 1), Kind::Unknown);
        constraint.multipliers = (0..constraint.rows.len()).map(symbol).collect();
        self.constraints.push(constraint)
    }
    /// Moves the places of declarations into another text.
    pub fn map_spans(&mut self, origin: impl Fn(Span) -> Span) {
        let move_to = |span: &mut Option<Span>| *span = span.map(&origin);
        self.bodies.iter_mut().for_each(|(_, b)| move_to(&mut b.span));
        for (_, joint) in self.joints.iter_mut() {
            move_to(&mut joint.span);
            joint.declared.iter_mut().for_each(|d| d.span = origin(d.span));
        }
        self.constraints.iter_mut().for_each(|(_, c)| move_to(&mut c.span));
        self.loads.iter_mut().for_each(|(_, l)| move_to(&mut l.span));
        self.elements.iter_mut().for_each(|(_, e)| move_to(&mut e.span));
        self.parameters.iter_mut().for_each(|(_, p)| move_to(&mut p.quantity.span));
        self.coordinates.iter_mut().for_each(|(_, q)| move_to(&mut q.quantity.span));
        self.speeds.iter_mut().for_each(|(_, u)| move_to(&mut u.quantity.span));
    }
    /// The inputs, in order of declaration.
    pub fn inputs(&self) -> impl Iterator<Item = (ParameterId, &Parameter)> {
        self.parameters.iter().filter(|(_, p)| p.is_input())
    }
    /// Whether a frame moves relative to its parent.
    pub fn is_moving(&self, frame: FrameId) -> bool {
        self.space.frame(frame).motion != Motion::Fixed
    }
    /// The body fixed in a frame.
    pub fn body_in(&self, frame: FrameId) -> Option<BodyId> {
        self.bodies.iter().find(|(_, b)| b.frame == frame).map(|(id, _)| id)
    }
    /// Frames that carry mass or feel a load, themselves or by what hangs on them.
    pub fn loaded_frames(&self) -> Set<FrameId> {
        let bodies = self.bodies.iter().filter(|(_, b)| !b.is_massless(&self.space)).map(|(_, b)| b.frame);
        let mut open: Vec<FrameId> = bodies.collect();
        for (_, load) in self.loads.iter() {
            match &load.kind {
                LoadKind::Force { at, reaction, .. } => {
                    open.push(at.frame);
                    open.extend(reaction.iter().map(|r| r.frame));
                }
                LoadKind::Torque { on, reaction, .. } => {
                    open.push(*on);
                    open.extend(reaction);
                }
            }
        }
        let mut found = Set::default();
        while let Some(frame) = open.pop() {
            if found.insert(frame) {
                open.extend(self.space.frame(frame).parent);
            }
        }
        found
    }
}
