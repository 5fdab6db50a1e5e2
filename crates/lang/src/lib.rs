//! From tree to model: names, units, checks, all with places in the text.
//!
//! [`compile_text`] reads a text and resolves it; [`resolve`] resolves a tree. Both give a model only if there are no
//! errors, and always all findings. Nothing here panics on any text, and time and memory are bounded ([`limits`]).
//!
//! Absent by design: files, floats (but for the data of tables), equations of motion. Declaration order does not
//! matter; every expression is checked by dimension; every finding has a place, a cause and a line that can be typed.
//!
//! In reading order:
//!
//! - [`codes`]: what can be wrong; [`limits`]: how much is too much;
//! - `value`: what an expression stands for; `scope`: names and where they are known; `mention`: which of them a text speaks of;
//! - `planner`, `joints`: the vocabulary of joints, and the plan of each; `graph`, `spanning`: which joints hold the bodies;
//!   `cutting`: a joint in its two forms; `mounts`, `carried`: joints between two points, and those that are cut with their coordinates;
//! - `resolver`: the state of a resolution; `collect`: who is called what; `order`: what comes first; `resolve`: the phases;
//! - `dimension`, `turns`, `kinds`, `wanted`: what a place asks for, and whether it gets that;
//! - `expression`, `choice`, `paths`, `calls`, `functions`, `algebra`: evaluation; `procedures`, `actions`: what happens in order;
//!   `externals`: functions written elsewhere;
//! - `items`: parameters, constants, variables, states, points; `periodic`: tables that repeat; `signals`: speeds, outputs, starts; `show`: in which units;
//! - `bodies`, `axes`, `mass`, `armatures`, `shapes`: bodies on their joints;
//! - `loads`, `elements`, `stops`: gravity and forces, springs and their kin, limits that push back;
//! - `closures`, `pairs`, `touching`, `contacts`: joints that close loops, gears and threads, wheels and curves;
//! - `drives`, `kinked`: prescribed motions; `events`: what changes in jumps; `experiments`: questions;
//! - `contradictions`, `sensible`, `unused`: what is allowed word by word, and cannot be meant;
//! - `quantity`: a value from a command line; [`vocabulary`]: the words, for documents; [`mod@write`]: the way back, a model as text.

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
