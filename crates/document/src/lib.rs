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
//! - [`document`]: sections, formulas; [`columns`]: tables; [`plot`]: functions that points give; [`tidy`](mod@tidy): numbers as people write them;
//!   `lines`: long sums on several lines; `meaning`: what coordinates mean where nothing is said;
//! - `symbols`, [`topology`], `bodies`, `vectors`, `scalars`, `hybrid`: the chapters; [`listing`](mod@listing): M, k, q as older programs print them;
//! - `naming`: names for what does not fit on a line; `numbering`: one meaning per name; [`describe`](mod@describe): all of it;
//! - [`figure`]: the topology as a picture; [`latex`](mod@latex) with [`letters`], [`html`](mod@html), [`rtf`](mod@rtf) with `inline`: the formats.

pub mod columns;
pub mod document;
mod lines;
mod meaning;
pub mod plot;
pub mod tidy;

mod bodies;
mod hybrid;
pub mod listing;
mod naming;
mod numbering;
mod scalars;
mod symbols;
pub mod topology;
mod vectors;

pub mod describe;

pub mod figure;
pub mod html;
mod inline;
pub mod latex;
pub mod letters;
pub mod rtf;

pub use columns::Grid;
pub use describe::{Style, describe, readable};
pub use document::{Block, Cell, Document, Equation, Formula, Section};
pub use html::html;
pub use latex::latex;
pub use rtf::rtf;
