//! Functional mock-up units: a model as a component of other programs (FMI 2.0 and 3.0).
//!
//! ```text
//! Model ─describe▶ modelDescription.xml ┐
//!       ─write▶ resources/model.mbs     ├─pack▶ model.fmu
//! this crate as a shared library        ┘
//! ```
//!
//! The library inside a unit is this crate, the same for all models. It reads the text of the model from the resources,
//! derives and compiles the equations when an instance is made, and follows the motion by a
//! [`Session`](cardan::sim::Session). No compiler is needed where a unit is written, nor where it runs.
//!
//! Absent by design: globals, printing, panics that leave the library.
//!
//! In reading order:
//!
//! - [`variables`]: the variables of a unit and their value references;
//! - [`description`]: `modelDescription.xml` of both versions; [`archive`]: the file of a unit;
//! - [`instance`]: an instance as other programs drive it; `foreign`: pointers, strings and panics at the border;
//!   [`fmi2`], [`fmi3`]: the functions of the standard;
//! - [`controller`]: a unit of others as a sampled block.

pub mod archive;
pub mod controller;
pub mod description;
pub mod fmi2;
pub mod fmi3;
mod foreign;
pub mod instance;
pub mod variables;
