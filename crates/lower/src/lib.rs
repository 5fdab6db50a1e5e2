//! From equations to programs: sharing, sections, derivatives.
//!
//! Absent by design: mechanics beyond what a [`Request`] names, running programs, files. The meaning of expressions
//! is kept to rounding; sums and products are free to be reordered here and nowhere later.
//!
//! In reading order:
//! - [`request`]: what is asked for; [`error`]: why it may be refused;
//! - `arithmetic`, `tables`, `translate`: expressions as operations, one by one;
//! - `cse`: fewer operations by naming what occurs more than once;
//! - [`lower`](mod@lower): a request becomes a program; [`operation_counts`](mod@operation_counts): what it costs;
//! - [`inputs`]: what programs about one model have in common;
//! - [`jacobian`](mod@jacobian), [`structural_jacobian`], `jacobian_columns` with `mass_inverse`: derivatives by the state;
//! - [`programs`] that others run: [`simulation`], [`analysis_programs`], [`constraint_programs`], [`minimal`], [`implicit`], [`residual`], [`hybrid`] with [`impact`]; `stages`: their stages by phase.

pub(crate) mod cse;
pub mod operation_counts;
pub mod programs;

pub mod error;
pub mod request;

mod translate;

pub mod lower;

pub mod inputs;
pub mod jacobian;
mod stages;

pub use crate::jacobian::structural_jacobian;
pub(crate) use crate::jacobian::{jacobian_columns, mass_inverse};
pub use crate::programs::{
    analysis_programs, constraint_programs, hybrid, impact, implicit, minimal, residual, simulation,
};
pub(crate) use crate::translate::arithmetic;

pub use crate::analysis_programs::{
    GivenMotionProgram, ModelProgram, expressions_program, given_motion_program, inverse_program,
    mass_entries_program, mass_program, measured_program, unknowns_program,
};
pub use crate::constraint_programs::{
    ClosureProgram, CorrectionProgram, closure_program, correction_program,
};
pub use crate::error::LowerError;
pub use crate::hybrid::{
    Comparison, Condition, EventPlace, EventProgram, Happens, Holds, Watch, event_program,
    measured_event_program,
};
pub use crate::impact::{CoordinatePlace, ImpactPlaces, SpeedPlace};
pub use crate::implicit::{ImplicitProgram, implicit_program};
pub use crate::inputs::{InputLayout, ParameterSlot};
pub use crate::jacobian::{jacobian, state_jacobian};
pub use crate::jacobian_columns::columnwise_jacobian;
pub use crate::lower::{Draft, lower};
pub use crate::minimal::{ClosedProgram, closed_program};
pub use crate::operation_counts::{counts, counts_per_step};
pub use crate::request::{Effort, Phase, Request};
pub use crate::residual::{ResidualProgram, residual_program};
pub use crate::simulation::{
    LoadPlace, ProgramLayout, SimulationDraft, SimulationOptions, SimulationProgram, simulation_program,
    simulation_program_with,
};
pub use crate::stages::{stage, stages};
pub use crate::structural_jacobian::structured_jacobian;
