//! A mechanical system: bodies, joints, points, loads, signals; valid by construction.
//!
//! A [`Model`] is immutable. It is made by a [`Builder`] in four steps that follow the analyst's notebook:
//! structure (frames, joints, points), speeds, everything that uses velocities (loads, signals, outputs),
//! [`Builder::finish`]. It holds one [`Space`](cardan_kinematics::Space) with all its scalars.
//!
//! Absent by design: text, equations, floats (but for table data). Names are paths (`front.left.q`).
//!
//! In reading order:
//!
//! - [`quantity`]: named scalars; [`shown`]: their units in results; [`table`]: functions given by points;
//! - [`joint`], [`freedom`]: chains of steps and the freedoms that they give; [`speeds`], [`linear`]: rates of coordinates from speeds;
//! - [`body`], [`shape`]: mass, and looks; [`load`]: forces and torques; [`reaction`]: what joints do to bodies;
//! - [`constraint`]: what is demanded; [`closing`]: by joints that close loops; [`pairs`], [`coupling`]: by surfaces, threads, gears, drives;
//!   `turns`: angles without whole turns;
//! - [`track`], [`cam`], [`rolling`], [`surface`]: by curves, profiles, planes and curved surfaces; [`figure`]: how these look;
//! - [`hybrid`]: what changes in jumps; [`experiment`]: questions in the text;
//! - [`model`]: the finished system; [`builder`]: the way there.

#![allow(non_snake_case, reason = "monogram notation: R_AB, w_AB, p_PQ carry their frames in capitals")]

pub mod body;
pub mod builder;
pub mod cam;
pub mod closing;
pub mod constraint;
pub mod coupling;
pub mod experiment;
pub mod figure;
pub mod freedom;
pub mod hybrid;
pub mod joint;
pub mod linear;
pub mod load;
pub mod model;
pub mod pairs;
pub mod quantity;
pub mod reaction;
pub mod rolling;
pub mod shape;
pub mod shown;
pub mod speeds;
pub mod surface;
pub mod table;
pub mod track;
mod turns;

pub use body::{Body, BodyId};
pub use builder::Builder;
pub use closing::{Closing, Marker};
pub use constraint::{Constraint, ConstraintId, Ends, Row, RowAction};
pub use experiment::{Experiment, Setting};
pub use figure::{Figure, Track};
pub use freedom::Freedom;
pub use hybrid::{Discrete, DiscreteId, Event, EventId, External, Hybrid, Target, Trigger};
pub use joint::{CoordinateSpec, Joint, JointId, Limit, Orientation, Rotor, SpeedChoice, Step, Stop};
pub use load::{Load, LoadId, LoadKind, Reaction};
pub use model::Model;
pub use quantity::{
    Coordinate, CoordinateId, Given, Output, Parameter, ParameterId, Quantity, Speed, SpeedId, State,
    StateId, Variable,
};
pub use reaction::JointReaction;
pub use shape::{Shape, ShapeKind};
pub use table::{Interpolation, Table, TableError};
