//! From a tree with subsystems, loops and imports to a flat tree.
//!
//! ```text
//!  text ─parse▶ Tree ─expand▶ flat Tree ─resolve▶ Model
//! ```
//!
//! A flat tree has no imports, subsystems, instances, ports, connections, structural loops and conditions,
//! indices and sums. Every declared name is a path of text, `front.left.wheel` or `rod[3]`, and the first part of
//! every reference is such a path as a whole. It prints as a model text that reads back to the same tree, so what
//! a subsystem means is what the flat text says: flattening costs nothing and hides nothing.
//!
//! Design:
//!
//! - Expansion is two walks. The first decides loops and conditions, opens a scope for each instance and enters
//!   all flat names; the second writes the statements. Declarations may therefore stand in any order.
//! - Names are lexical: an instance knows its own names, then those of the text in which its definition stands.
//!   Parameters and constants are given by the maker of the instance; nothing else comes in but through ports.
//! - A connection is substitution (`ports`). A mirror image is a rewriting of the definition ([`mirror`]).
//! - What decides about structure is constant and exact (`constants`); `--set n=50` sets such a constant and
//!   the model is expanded anew.
//! - Spans keep the instance: each instance is a file of its own in [`Sources`] that shows the definition's text.
//! - Any text ends within the bounds of [`limits`].
//!
//! Absent by design: mechanics, files, floating point. Whether a joint exists or units agree is for `lang` to say;
//! texts come through a callback.
//!
//! In reading order:
//!
//! - [`codes`], [`limits`]: what can be wrong, and how much is too much;
//! - [`files`]: what a text reads beside itself: [`imports`], `data`, `mesh`, `tyre_file`;
//!   [`library`], [`reference`]: the standard library and its pages;
//! - [`subsystems`]: `definition`: names of a definition; `instances`, `slots`, `ports`, [`hierarchy`];
//!   `scope`: the scope of each instance; `plan`: the first walk; `images`: mirror images that it makes;
//! - `names`, `constants`: what names stand for, and structural values;
//! - `ports`, `connection_check`: connections and their two ends; [`mirror`], `reflection`: images;
//! - `statements`, `write`: the second walk; [`hierarchy`]: the instances as a tree of modules.

pub mod codes;
pub mod files;
mod images;
pub mod library;
pub mod limits;
mod plan;
pub mod reference;
mod scope;
mod statements;
pub mod subsystems;
mod write;

pub use crate::files::imports;
pub(crate) use crate::files::{data, experiment, mesh, tyre_file};
pub use crate::images::mirror;
pub(crate) use crate::scope::{constants, names};
pub use crate::subsystems::hierarchy;
pub(crate) use crate::subsystems::{definition, instances, ports};

use cardan_base::{Diagnostics, FileId, Map, Sources};
use cardan_syntax::{Block, Expr, Statement, StatementKind, Tree};

pub use imports::{Found, Read, Refusal};

/// What is chosen for one run, apart from the text.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Settings {
    /// Values of structural constants by path: `n` and `50`. Names of other things are left to others.
    pub constants: Vec<(String, String)>,
    /// Fillings of slots by path: `front.left.tyre` and `fiala`.
    pub fillings: Vec<(String, String)>,
}

/// A flat tree.
#[derive(Clone, PartialEq, Debug)]
pub struct Expanded {
    /// The tree.
    pub tree: Tree,
    /// The findings.
    pub diagnostics: Diagnostics,
    /// Which of the settings were constants of the model.
    pub taken: Vec<String>,
    /// Whether texts are missing or could not be read whole.
    pub incomplete: bool,
}

/// Expands a tree; imported texts come from `read`.
pub fn expand<'a>(
    tree: Tree,
    sources: &'a mut Sources,
    settings: &Settings,
    read: &'a mut Read<'a>,
) -> Expanded {
    let models = tree.statements.iter().filter(|s| matches!(s.kind, StatementKind::Model(_))).count();
    if models > 1 {
        // Which of them is meant is not known; `lang` says so.
        return Expanded { tree, diagnostics: Diagnostics::new(), taken: vec![], incomplete: false };
    }
    let planned = planned(tree, sources, settings, read, |expander, root| {
        let content = expander.flat();
        expander.check_experiment();
        within_model(root, content)
    });
    let tree = Tree { file: planned.file, statements: planned.made };
    let (diagnostics, taken, incomplete) = (planned.diagnostics, planned.taken, planned.incomplete);
    Expanded { tree, diagnostics, taken, incomplete }
}

/// The instances of a model, inside one another, with their ports; imported texts come from `read`.
pub fn hierarchy_of<'a>(
    tree: Tree,
    sources: &'a mut Sources,
    settings: &Settings,
    read: &'a mut Read<'a>,
) -> (Vec<hierarchy::Node>, Diagnostics) {
    let planned = planned(tree, sources, settings, read, |expander, _| expander.hierarchy());
    (planned.made, planned.diagnostics)
}

/// What is made of a plan, and what else is to be known of it.
struct Planned<T> {
    made: T,
    file: FileId,
    diagnostics: Diagnostics,
    taken: Vec<String>,
    incomplete: bool,
}

/// Loads the texts of a model, plans its instances, and makes something of the plan and the statements of the model.
fn planned<'a, T>(
    tree: Tree,
    sources: &'a mut Sources,
    settings: &Settings,
    read: &'a mut Read<'a>,
    make: impl FnOnce(&mut plan::Expander<'_, '_>, &[Statement]) -> T,
) -> Planned<T> {
    let mut diagnostics = Diagnostics::new();
    let mut loaded = Sources::new();
    std::mem::swap(&mut loaded, sources);
    let chosen: Vec<&str> = settings.fillings.iter().map(|(_, text)| text.as_str()).collect();
    let (modules, incomplete) = imports::load(tree, &chosen, &mut loaded, read, &mut diagnostics);
    std::mem::swap(&mut loaded, sources);
    let mut overrides: Map<String, Expr> = Map::default();
    for (name, text) in &settings.constants {
        let file = sources.add(format!("--set {name}"), text.clone());
        let (e, findings) = cardan_syntax::parse_expression(file, text);
        if !findings.has_errors() {
            overrides.insert(name.clone(), e);
        }
    }
    for (path, text) in &settings.fillings {
        let file = sources.add(format!("--use {path}"), text.clone());
        let (e, findings) = cardan_syntax::parse_expression(file, text);
        diagnostics.append(findings);
        overrides.insert(format!("use {path}"), e);
    }
    let mut expander = plan::Expander::new(&modules, settings, &overrides, sources);
    expander.diagnostics = diagnostics;
    expander.incomplete = incomplete;
    expander.plan();
    expander.check_fillings();
    let made = make(&mut expander, &modules[0].tree.statements);
    let mut taken = std::mem::take(&mut expander.taken);
    let diagnostics = std::mem::take(&mut expander.diagnostics);
    taken.sort();
    taken.dedup();
    let diagnostics = diagnostics.with_instances(sources);
    Planned { made, file: modules[0].tree.file, diagnostics, taken, incomplete }
}

/// Expands a tree that imports nothing.
pub fn expand_alone(tree: Tree, sources: &mut Sources) -> Expanded {
    expand(tree, sources, &Settings::default(), &mut |_, _| Err(Refusal::Missing))
}

/// The flat statements in the block of the model, if there is one.
fn within_model(original: &[Statement], content: Vec<Statement>) -> Vec<Statement> {
    let model = original.iter().find_map(|s| match &s.kind {
        StatementKind::Model(block) => Some((block, s.span)),
        _ => None,
    });
    match model {
        None => content,
        Some((block, span)) => {
            let (name, description) = (block.name.clone(), block.description.clone());
            vec![Statement { kind: StatementKind::Model(Block { name, description, content }), span }]
        }
    }
}
