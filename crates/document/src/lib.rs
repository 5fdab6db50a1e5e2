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
//! - `symbols`, [`topology`], `bodies`, `vectors`, `scalars`, `hybrid`: the chapters; [`listing`](mod@listing): M, k, q as older programs print them;
//! - `abbreviations`: names for what does not fit on a line; `numbering`: one meaning per name; [`describe`](mod@describe): all of it;
//! - [`figure`]: the topology as a picture; [`latex`](mod@latex) with [`latex_unicode`], [`html`](mod@html), [`rtf`](mod@rtf) with `rtf_math`: the formats.

pub(crate) mod abbreviations;
pub(crate) mod default_descriptions;
pub mod latex_unicode;
pub(crate) mod line_breaking;
pub mod number_format;
pub(crate) mod rtf_math;

pub mod columns;
pub mod document;
pub mod plot;

mod bodies;
mod hybrid;
pub mod listing;
mod numbering;
mod scalars;
mod symbols;
pub mod topology;
mod vectors;

pub mod describe;

pub mod figure;
pub mod html;
pub mod latex;
pub mod rtf;

pub use crate::columns::Grid;
pub use crate::describe::{Style, describe, readable};
pub use crate::document::{Block, Cell, Document, Equation, Formula, Section};
pub use crate::html::html;
pub use crate::latex::latex;
pub use crate::rtf::rtf;
