//! From equations to programs: sharing, sections, derivatives.
//!
//! Absent by design: mechanics beyond what a [`Request`] names, running programs, files. The meaning of expressions
//! is kept to rounding; sums and products are free to be reordered here and nowhere later.
//!
//! In reading order:
//! - [`request`]: what is asked for; [`error`]: why it may be refused;
//! - `arithmetic`, `tables`, `translate`: expressions as operations, one by one;
//! - `share`: fewer operations by naming what occurs more than once;
//! - [`lower`](mod@lower): a request becomes a program; [`counts`](mod@counts): what it costs;
//! - [`inputs`]: what programs about one model have in common;
//! - [`simulation`], [`jacobian`](mod@jacobian), [`slopes`], `columns` with `inverse`, [`questions`], [`closure`], [`closed`], [`partition`], [`stabilised`], [`hybrid`] with [`impact`]: the programs that others run.

pub mod error;
pub mod request;

mod arithmetic;
mod share;
mod tables;
mod translate;

pub mod counts;
pub mod lower;

pub mod closed;
pub mod closure;
mod columns;
pub mod hybrid;
pub mod impact;
pub mod inputs;
mod inverse;
pub mod jacobian;
pub mod partition;
pub mod questions;
pub mod simulation;
pub mod slopes;
pub mod stabilised;

pub use closed::{ClosedProgram, closed_program};
pub use closure::{ClosureProgram, CorrectionProgram, closure_program, correction_program};
pub use columns::columnwise_jacobian;
pub use counts::{counts, counts_per_step};
pub use error::LowerError;
pub use hybrid::{Comparison, Condition, EventPlace, EventProgram, Happens, Holds, Watch, event_program};
pub use impact::{CoordinatePlace, ImpactPlaces, SpeedPlace};
pub use inputs::{InputLayout, ParameterSlot};
pub use jacobian::{jacobian, state_jacobian};
pub use lower::{Draft, lower};
pub use partition::{PartitionProgram, partition_program};
pub use questions::{
    GivenMotionProgram, ModelProgram, expressions_program, given_motion_program, inverse_program,
    mass_program, mass_program_with, unknowns_program,
};
pub use request::{Effort, Phase, Request};
pub use simulation::{
    Layout, LoadPlace, Options, Simulation, SimulationDraft, simulation_program, simulation_program_with,
};
pub use slopes::structured_jacobian;
pub use stabilised::{StabilisedProgram, stabilised_program};
