//! A model and its equations as a document: symbols, topology, kinematics, equations of motion, constraints, events, outputs, costs.
//!
//! ```text
//! Choice ─describe▶ Document ─latex, html, rtf▶ text
//! ```
//!
//! A [`Document`] says what is to be read, without a format; each format is one module that writes it.
//!
//! Absent by design: files, derivations beyond those that a formalism makes, fonts.
//!
//! In reading order:
//! - [`document`]: sections, formulas; [`columns`]: tables; [`plot`]: functions that points give; [`number_format`](mod@number_format): numbers as people write them;
//!   `line_breaking`: long sums on several lines; `default_descriptions`: what coordinates mean where nothing is said;
//! - [`chapters`]: symbols, topology, bodies, vectors, scalars, linear equations, events, and M, k,
//!   q as older programs print them;
//! - `abbreviations`: names for what does not fit on a line; `numbering`: one meaning per name; [`describe`](mod@describe): all of it;
//! - [`formats`]: LaTeX, HTML and RTF; the topology as a picture.

pub(crate) mod abbreviations;
pub(crate) mod default_descriptions;
pub(crate) mod line_breaking;
pub mod number_format;

pub mod columns;
pub mod document;
pub mod plot;

mod numbering;

pub mod chapters;
pub mod describe;
pub mod formats;

pub use crate::columns::Grid;
pub use crate::describe::{DocumentContents, Style, describe, readable};
pub use crate::document::{Block, Cell, Document, Equation, Formula, Section};
pub use crate::formats::html::html;
pub use crate::formats::latex::latex;
pub use crate::formats::rtf::rtf;
