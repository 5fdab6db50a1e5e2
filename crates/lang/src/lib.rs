//! From tree to model: names, units, checks, all with places in the text.
//!
//! [`compile_text`] reads a text, expands and elaborates it; [`resolve`] elaborates a flat
//! tree. Both give a model only if there are no errors, and always all diagnostics. Nothing here panics on any text, and time
//! and memory are bounded ([`resource_limits`]).
//!
//! Absent by design: files, floats (but for the data of tables), equations of motion. Declaration order
//! does not matter; every expression is checked by dimension; every diagnostic has a place, a cause and
//! a line that can be typed.
//!
//! In reading order:
//!
//! - [`codes`]: the diagnostics; [`resource_limits`]: bounds on the size of a text;
//! - `types`: kinds of values, dimensions, units;
//! - `names`: scopes, declarations, order of dependencies, paths;
//! - `topology`: joint graph and spanning tree, before names are resolved;
//! - `context`: the state of an elaboration; `elaborate`: its phases;
//! - `eval`: evaluation of expressions and of statements that happen in order;
//! - `bodies`, `joints`: bodies on their joints, loop joints, higher pairs, prescribed motions;
//! - `statements`: quantities, loads, elements, events, experiments;
//! - `checks`: constraints, geometry, unused names;
//! - [`vocabulary`]: the words, for documents; [`mod@unparse`]: the way back, a model as text;
//!   [`feedback_law`]: a text with its loop closed.

#![allow(non_snake_case, reason = "monogram notation: R_AB carries its frames in capitals")]

pub(crate) mod bodies;
pub(crate) mod checks;
pub(crate) mod context;
pub(crate) mod elaborate;
pub(crate) mod eval;
pub(crate) mod joints;
pub(crate) mod names;
pub mod resource_limits;
pub(crate) mod statements;
pub(crate) mod topology;
pub(crate) mod types;
pub mod unparse;

pub mod codes;
pub mod feedback_law;
pub mod vocabulary;

use cardan_base::{Diagnostics, Sources};
use cardan_model::Model;
use cardan_syntax::Tree;

pub use crate::feedback_law::{At, FeedbackLaw, ObserverLaw, with_feedback, with_redefinition};
pub use crate::types::angle_units::counts_cycles;
pub use crate::types::quantity::{ReadQuantity, read_quantity};
pub use crate::unparse::{Written, write};

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
    let unread = diagnostics.has_errors();
    let expanded = cardan_expand::expand_alone(tree, &mut sources);
    let incomplete = unread || expanded.incomplete || expanded.diagnostics.has_errors();
    // What is missing because it could not be read is no news.
    if !unread {
        diagnostics.append(expanded.diagnostics);
    }
    let (model, findings) = elaborate::resolve(&expanded.tree, &sources, incomplete);
    diagnostics.append(findings);
    let model = model.filter(|_| !diagnostics.has_errors());
    Compiled { model, sources, diagnostics }
}

/// Resolves a flat tree that was read without errors.
pub fn resolve(tree: &Tree, sources: &Sources) -> (Option<Model>, Diagnostics) {
    elaborate::resolve(tree, sources, false)
}

/// Resolves a flat tree of which parts are missing, for what can be said about the rest.
pub fn resolve_incomplete(tree: &Tree, sources: &Sources) -> Diagnostics {
    elaborate::resolve(tree, sources, true).1
}

/// The same with nothing taken as small, whatever the tree says.
pub fn resolve_whole(tree: &Tree, sources: &Sources) -> (Option<Model>, Diagnostics) {
    elaborate::resolve_as(tree, sources, false, true)
}
