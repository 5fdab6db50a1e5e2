//! Questions asked of a model: equilibria, linear equations, modes, driven motion, driving forces.
//!
//! ```text
//! Model ─choose▶ Choice ─Study::of▶ Study ─equilibrium▶ Equilibrium
//!                                         ─linearize▶ Linearization ─modes▶ Modes
//!                                         ─kinematics▶ DrivenMotion ─inverse▶ ActuatorForces
//!                                         ─verify▶ Check
//! ```
//!
//! Absent by design: printing, files, text, derivations of equations. Answers are plain data in SI units with names beside them.
//!
//! In reading order:
//!
//! - [`error`]: why a question has no answer;
//! - [`study`]: a model as numbers, with exact derivatives;
//! - `dyads`, `closed_form`: planar linkages closed without iteration;
//! - `tangent`: which states are independent and how the others follow;
//! - `undetermined`: constraints that say nothing new in a singular position;
//! - [`mod@linearize`]: A, B, C, D and the second-order form;
//! - `unfelt`: departures that nothing feels, in any coordinates;
//! - [`kink`]: corners and jumps in a state; `beyond`: what linear equations leave out, and whether that matters;
//! - [`mod@modes`]: eigenvalues, shapes, words; [`shapes`]: a mode as pictures;
//! - [`mod@equilibrium`]: where nothing wants to move;
//! - [`locus`]: eigenvalues over a parameter;
//! - [`mod@drive`]: coordinates that are held or driven; [`mod@kinematics`]: the motion that follows, `followed` where it must be integrated; [`target`]: places and attitudes to reach;
//! - [`mod@inverse`]: forces of actuators for a given motion; [`mod@release`]: drives that give way to it; [`given`]: outputs in that motion;
//! - [`mod@verify`]: a model put to the test.

pub mod error;
pub mod study;

mod beyond;
mod closed_form;
mod dyads;
mod followed;
mod tangent;
mod undetermined;
mod unfelt;

pub mod drive;
pub mod equilibrium;
pub mod given;
pub mod inverse;
pub mod kinematics;
pub mod kink;
pub mod linearize;
pub mod locus;
pub mod modes;
pub mod release;
pub mod shapes;
pub mod target;
pub mod verify;

pub use drive::{drive, hold};
pub use equilibrium::{Equilibrium, EquilibriumOptions, Found, Obstacle, equilibrium};
pub use error::AnalysisError;
pub use given::GivenMotion;
pub use inverse::{ActuatorForces, actuator, differences, differences_in_pieces, inverse};
pub use kinematics::{DrivenMotion, DrivenSample, kinematics};
pub use kink::Kink;
pub use linearize::{Imbalance, Independent, LinearOptions, Linearization, Point, SecondOrder, linearize};
pub use locus::{About, LocusPoint, root_locus};
pub use modes::{Complex, Mode, Modes, Stability, modes};
pub use release::{release, superseded};
pub use shapes::mode_motion;
pub use study::{Named, StateKind, Study, free_parameters};
pub use target::{orient, orient_like, reach, release_drives};
pub use verify::{Check, Finding, verify};
