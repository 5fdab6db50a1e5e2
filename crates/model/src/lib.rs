//! A mechanical system: bodies, joints, points, loads, signals; valid by construction.
//!
//! A [`Model`] is immutable. It is made by a [`Builder`] in four steps that follow the analyst's notebook:
//! structure (frames, joints, points), speeds, everything that uses velocities (loads, signals, outputs),
//! [`Builder::finish`]. It holds one [`Space`](cardan_kinematics::Space) with all its scalars.
//!
//! Absent by design: text, equations, floats (but for table data and `mass_bounds`). Names are paths (`front.left.q`).
//!
//! In reading order:
//!
//! - [`quantity`]: named scalars; [`display_units`]: their units in results; [`table`]: functions given by points;
//! - [`joints`]: [`joint_kind`], [`joint`], [`dof`]: chains of steps and the freedoms that they give; [`speeds`], [`symbolic_solve`]: rates of coordinates from speeds;
//! - [`bodies`]: [`body`], [`mass_bounds`], [`shape`]: mass, what it can be, and looks;
//! - [`loads`]: [`load`]: forces and torques; [`element_kind`], [`element`]: springs and their kin; [`reaction`]: what joints do to bodies, [`reaction_law`]: loads that depend on it;
//! - [`constraints`]: [`constraint_kind`], [`constraint`]: what is demanded; [`closing`]: by joints that close loops; [`pairs`], [`coupling`]: by surfaces, threads, gears, drives;
//!   `angle_wrapping`: angles without whole turns;
//! - [`track`], [`cam`], [`rolling`], [`surface`]: by curves, profiles, planes and curved surfaces; [`contact_geometry`]: how these look;
//! - [`hybrid`]: what changes in jumps; [`experiment`]: questions in the text;
//! - [`model`]: the finished system; [`graph`]: its joints between bodies; [`values`], [`drives`]: what analyses change in it; [`builder`]: the way there; [`validity`]: what it checks at the end.

#![allow(non_snake_case, reason = "monogram notation: R_AB, w_AB, p_PQ carry their frames in capitals")]

pub mod bodies;
pub mod constraints;
pub mod display_units;
pub mod drives;
pub mod joints;
pub mod loads;

pub mod builder;
pub mod experiment;
pub mod graph;
pub mod hybrid;
pub mod model;
pub mod quantity;
pub mod table;
pub mod validity;
pub mod values;

pub use crate::bodies::{body, mass_bounds, shape};
pub(crate) use crate::constraints::angle_wrapping;
pub use crate::constraints::{
    cam, constraint, constraint_kind, contact_geometry, coupling, pairs, rolling, surface, track,
};
pub use crate::joints::{closing, dof, joint, joint_kind, speeds, symbolic_solve};
pub use crate::loads::{element, element_kind, load, reaction, reaction_law};

pub use crate::body::{Body, BodyId};
pub use crate::builder::Builder;
pub use crate::closing::{Closing, Marker};
pub use crate::constraint::{Constraint, ConstraintId, Ends, Row, RowAction};
pub use crate::constraint_kind::{ConstraintKind, Drive};
pub use crate::contact_geometry::{Figure, Track};
pub use crate::dof::Freedom;
pub use crate::element::{Element, ElementEnds, ElementId, ElementPart, ElementProperty, PropertyValue};
pub use crate::element_kind::ElementKind;
pub use crate::experiment::{Experiment, ExperimentKind, Setting};
pub use crate::graph::Edge;
pub use crate::hybrid::{Discrete, DiscreteId, Event, EventId, External, Hybrid, Target, Trigger};
pub use crate::joint::{
    CoordinateSpec, Declared, Joint, JointId, Limit, Orientation, Rotor, SpeedChoice, Step, Stop,
};
pub use crate::joint_kind::JointKind;
pub use crate::load::{Load, LoadId, LoadKind, Reaction};
pub use crate::model::Model;
pub use crate::quantity::{
    Causality, Coordinate, CoordinateId, Given, Output, Parameter, ParameterId, Quantity, Speed, SpeedId,
    State, StateId, Variable,
};
pub use crate::reaction::JointReaction;
pub use crate::reaction_law::{Law, ReactionLaw};
pub use crate::shape::{Shape, ShapeKind};
pub use crate::table::{Interpolation, InvalidTable, Table};
pub use crate::validity::InvalidModel;
pub use crate::values::SetError;
