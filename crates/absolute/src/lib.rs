//! Absolute coordinates: the formalism for large and heavily looped systems.
//!
//! ```text
//! Model ─Structure▶ parts, chains ─pairing▶ pairs of markers ─template, kernel▶ rows, forces ─Mechanism▶ motion
//! ```
//!
//! Every part has a mass centre and Euler parameters of its own; joints are pairs of markers (Orlandea, Chace and
//! Calahan 1977; Koh and Park 1994). One kernel per kind of element is derived by the algebra, compiled once and run
//! over all elements of the kind: code does not grow with the number of parts, and the cost of a step grows in
//! proportion to it.
//!
//! Absent by design: text, files, printing; straight-line code of a whole model.
//!
//! In reading order:
//!
//! - [`geometry`]: vectors, turns and Euler parameters as numbers; [`error`]: what does not apply;
//! - [`joint_chain`]: joints of the tree, and their coordinates measured; [`parts`]: rigid parts of a model;
//! - [`pairing`]: joints as pairs of markers; [`template`]: their rows derived; [`kernel`]: run over instances;
//! - [`scalar_rows`]: constraints between coordinates; [`loads`]: forces and torques;
//! - [`mechanism`]: the sparse equations; [`initial_pose`]: their start;
//! - [`contact`]: contacts between shapes, time stepping;
//! - [`events`]: conditions, sampled blocks, resets;
//! - [`implicit`]: generalised-α and backward differentiation on the sparse residual;
//! - [`motion`]: a run from start to end; [`natural`]: points and unit vectors that parts share, instead of Euler parameters;
//! - [`statics`]: equilibria; [`vibration`]: modes of small motions.

#![allow(non_snake_case, reason = "monogram notation: R_AB, w_AB, p_PQ carry their frames in capitals")]

pub mod contact;
pub mod error;
pub mod events;
pub mod geometry;
pub mod implicit;
pub mod initial_pose;
pub mod joint_chain;
pub mod kernel;
pub mod loads;
pub mod mechanism;
pub mod motion;
pub mod natural;
pub mod pairing;
pub mod parts;
pub mod scalar_rows;
pub mod statics;
pub mod template;
pub mod vibration;

pub use crate::error::{AbsoluteError, Unsupported};
pub use crate::mechanism::Mechanism;
pub use crate::motion::{AbsoluteMotion, is_worth_it};
