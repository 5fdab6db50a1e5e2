//! A model as source code: a function library or a complete simulation program.
//!
//! ```text
//! Model ─derive▶ Choice ─link▶ Program + Library ─codegen▶ files
//!       compile         emit                     codegen
//! ```
//!
//! Each requested function (derivatives, outputs, mass matrix, …) is lowered on its own, so that its
//! cost does not depend on the others; then all are linked into one program with a common first stage.
//!
//! Absent by design: languages (they are in `codegen`), derivations, files.
//!
//! In reading order:
//!
//! - [`request`]: requested functions; [`error`]: reasons for refusal;
//! - `link`: several programs in one; `programs`: the programs; `table_row`: columns of a table;
//! - `hybrid`: events and discontinuities in time; `nonsmooth`: sliding along discontinuities;
//! - [`version`](mod@version): the source of the code; `header`: the head of each file;
//! - [`functions`](mod@functions): the function library; `joint_space`: its functions in joint space;
//!   [`simulation_program`](mod@simulation_program): the complete program.

pub(crate) mod header;
pub(crate) mod hybrid;
pub(crate) mod joint_space;
pub(crate) mod link;
pub(crate) mod nonsmooth;
pub(crate) mod programs;
pub mod request;
pub mod simulation_program;
pub(crate) mod table_row;

pub mod error;

pub mod functions;
pub mod version;

pub use crate::error::Error;
pub use crate::functions::{Functions, functions};
pub use crate::request::{By, Fix, Question, Request};
pub use crate::simulation_program::{Complete, complete, complete_calling};
pub use crate::version::version;
