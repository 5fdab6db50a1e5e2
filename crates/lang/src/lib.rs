//! From tree to model: names, units, checks, all with places in the text.
//!
//! [`compile_text`] reads a text and resolves it; [`resolve`] resolves a tree. Both give a model only if there are no
//! errors, and always all findings. Nothing here panics on any text, and time and memory are bounded ([`limits`]).
//!
//! Absent by design: files, floats (but for the data of tables), equations of motion. Declaration order does not
//! matter; every expression is checked by dimension; every finding has a place, a cause and a line that can be typed.
//!
//! Reading order: [`codes`], [`limits`], `value`, `scope`, `joints` and `planner` (the vocabulary), `resolver` (the state), `collect`
//! (who is called what), `order` (what comes first), `dimension`, `turns`, `kinds`, `wanted`, `expression`, `choice`, `paths`, `calls`, `functions`,
//! `algebra` (evaluation), `actions`, `procedures` (what happens in order), `externals`, `items`, `bodies`, `axes`, `mass`, `shapes`, `signals`, `show`, `loads`, `elements`, `drives`, `kinked`, `stops`, `armatures`, `closures`, `pairs`, `contacts`, `touching`, `contradictions`, `sensible`, `periodic`, `events`, `experiments` (statements), `unused`, `resolve` (the phases), `quantity` (a
//! value from a command line), [`vocabulary`] (the words, for documents), and the way back: [`mod@write`] (a model as text).

#![allow(non_snake_case, reason = "monogram notation: R_AB carries its frames in capitals")]

mod actions;
mod algebra;
mod armatures;
mod axes;
mod bodies;
mod calls;
mod carried;
mod choice;
mod closures;
pub mod codes;
mod collect;
mod contacts;
mod contradictions;
mod cutting;
mod dimension;
mod drives;
mod elements;
mod events;
mod experiments;
mod expression;
mod externals;
mod functions;
mod graph;
mod items;
mod joints;
mod kinds;
mod kinked;
pub mod limits;
mod loads;
mod mass;
mod mention;
mod mounts;
mod order;
mod pairs;
mod paths;
mod periodic;
mod planner;
mod procedures;
mod quantity;
mod resolve;
mod resolver;
mod scope;
mod sensible;
mod shapes;
mod show;
mod signals;
mod spanning;
mod stops;
mod touching;
mod turns;
mod unused;
mod value;
pub mod vocabulary;
mod wanted;
pub mod write;

use cardan_base::{Diagnostics, Sources};
use cardan_model::Model;
use cardan_syntax::Tree;

pub use quantity::{ReadQuantity, read_quantity};
pub use turns::counts_cycles;
pub use write::{Written, write};

/// A text with what it means and what is to be said about it.
#[derive(Debug)]
pub struct Compiled {
    /// The model, if there are no errors.
    pub model: Option<Model>,
    /// The text, for rendering the findings.
    pub sources: Sources,
    /// The findings.
    pub diagnostics: Diagnostics,
}

/// Reads and resolves a text. The name is what people know the text by, usually a file name.
pub fn compile_text(name: &str, text: &str) -> Compiled {
    let mut sources = Sources::new();
    let file = sources.add(name, text);
    let (tree, mut diagnostics) = cardan_syntax::parse(file, text);
    let (model, findings) = resolve::resolve(&tree, &sources, diagnostics.has_errors());
    diagnostics.append(findings);
    let model = model.filter(|_| !diagnostics.has_errors());
    Compiled { model, sources, diagnostics }
}

/// Resolves a tree that was read without errors.
pub fn resolve(tree: &Tree, sources: &Sources) -> (Option<Model>, Diagnostics) {
    resolve::resolve(tree, sources, false)
}
