//! Assembly: positions and velocities that satisfy the constraints, and the rank of the constraints.
//!
//! ```text
//! Model ─rows_of▶ constraint system ─assemble▶ Assembled (state, independent and redundant rows)
//! ```
//!
//! Absent by design: integration, formalisms, text, files.
//!
//! In reading order:
//!
//! - [`parameter_values`]: numbers of parameters and initial values, by name;
//! - [`constraint_system`]: constraint rows as a numeric system;
//! - `assemble`: consistent positions and velocities; `newton`: its Newton iteration;
//!   [`assembly_error`]: loops that stay open, and the reason;
//! - [`rank`]: redundant rows, round-off, zero gradients;
//! - [`branches`]: other closed positions; `configuration`: their description; `self_motion`: positions
//!   that are connected by a motion; [`bifurcation`]: starts with several tangents;
//! - `free_initial_speeds`: speeds that the start leaves open; [`gimbal_lock`]: lost axes.

pub mod assemble;
pub mod assembly_error;
pub mod bifurcation;
pub mod branches;
pub(crate) mod configuration;
pub mod constraint_system;
pub(crate) mod free_initial_speeds;
pub mod gimbal_lock;
pub mod newton;
pub mod parameter_values;
pub mod rank;
pub(crate) mod self_motion;

pub use crate::assemble::{Assembled, Begin, How, Loops, Placed, RowName, assemble};
pub use crate::assembly_error::{AssemblyError, Fight, OpenLoop};
pub use crate::bifurcation::{Fork, Way};
pub use crate::branches::{Branch, Branches, branches};
pub use crate::constraint_system::{ConstraintError, assembled, mobility};
pub use crate::parameter_values::ParameterValues;
pub use crate::rank::redundancy::{Mobility, Repetition};
pub use cardan_model::SetError;
