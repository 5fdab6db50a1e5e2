//! A model as source code: which functions, composed into one program, written as a library or as a complete simulation.
//!
//! ```text
//! Model ─derive▶ Choice ─compose▶ Program + Library ─codegen▶ files
//!       sim              emit                        codegen
//! ```
//!
//! Each question (derivatives, outputs, mass matrix, …) is lowered on its own, so that none is dearer because another is asked
//! too; then all are spliced into one program, whose first stage they share.
//!
//! Absent by design: languages (they are in `codegen`), derivations, files.
//!
//! In reading order:
//! - [`question`]: what can be asked; [`error`]: why it may be refused;
//! - `compose`: many programs in one; `parts`: the programs;
//! - `pivots`: what tells of singular positions; `row`: what a table shows;
//! - `switches`: when functions of time switch; `clocks`: when conditions of the clock do; `instants`: that and events as part of the program, `jumps`: what they do under constraints, `impulse`: what drives that jump do;
//! - `frozen`: the program of motion with its sides told; `sliding`: motion where sides meet, `weights`: with which part of each side, `holding`: when it is held there;
//! - [`version`](mod@version): which text it came from; `about`: what headers say of the model;
//! - [`functions`](mod@functions): the function library; [`complete`](mod@complete): the simulation program.

pub mod error;
pub mod question;

mod about;
mod clocks;
mod compose;
mod frozen;
mod holding;
mod impulse;
mod instants;
mod jumps;
mod parts;
mod pivots;
mod row;
mod sliding;
mod switches;
mod weights;

pub mod complete;
pub mod functions;
pub mod version;

pub use complete::{Complete, complete};
pub use error::Error;
pub use functions::{Functions, functions};
pub use question::{By, Fix, Question, Request};
pub use version::version;
