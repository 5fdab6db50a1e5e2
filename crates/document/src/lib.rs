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
//! - [`document`]: sections, tables, formulas; [`tidy`](mod@tidy): numbers as people write them; `lines`: long sums on several lines; `meaning`: what
//!   coordinates mean where nothing is said;
//! - `symbols`, `bounds`, [`topology`], `vectors`, `scalars`: the chapters; [`listing`](mod@listing): M, k, q as older programs print them;
//! - [`describe`](mod@describe): all of them;
//! - [`latex`](mod@latex), [`html`](mod@html), [`rtf`](mod@rtf): the formats.

pub mod document;
mod lines;
mod meaning;
pub mod tidy;

mod bounds;
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

pub use describe::{Style, describe, readable};
pub use document::{Block, Cell, Document, Equation, Formula, Section};
pub use html::html;
pub use latex::latex;
pub use rtf::rtf;
