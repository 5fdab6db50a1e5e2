//! From equations to programs: sharing, sections, derivatives.
//!
//! Absent by design: mechanics beyond what a [`Request`] names, running programs, files.
//!
//! In reading order:
//! - [`request`]: what is asked for; [`error`]: why it may be refused;
//! - `arithmetic`, `tables`, `translate`: expressions as operations, one by one;
//! - [`lower`](mod@lower): a request becomes a program;
//! - [`inputs`]: what programs about one model have in common;
//! - [`simulation`], [`jacobian`](mod@jacobian), [`inverse`]: the programs that others run.

pub mod error;
pub mod request;

mod arithmetic;
mod tables;
mod translate;

pub mod lower;

pub mod inputs;
pub mod inverse;
pub mod jacobian;
pub mod simulation;

pub use error::LowerError;
pub use inputs::{InputLayout, ParameterSlot};
pub use inverse::{ModelProgram, expressions_program, inverse_program, mass_program};
pub use jacobian::{jacobian, state_jacobian};
pub use lower::lower;
pub use request::{Phase, Request};
pub use simulation::{Layout, LoadPlace, Options, Simulation, simulation_program, simulation_program_with};
