//! Model text to a tree of statements and expressions; the formatter.
//!
//! Parsing never fails: any text gives a tree and a list of diagnostics, in linear time and bounded
//! depth. `docs/grammar.md` is the grammar on one page.
//!
//! Absent by design: mechanics, units, names and what they mean. The tree knows that `body` has a
//! parent and not whether the parent exists; a unit is the text between its brackets; a number is its
//! digits.
//!
//! - [`codes`][]: the diagnostics that this crate can give;
//! - [`words`][]: the words of the language;
//! - [`expression`][]: expressions, names and units as written;
//! - [`tree`][], [`action`][]: statements, and those that happen in order;
//! - [`tree_dump`][]: the tree as text, brackets made explicit;
//! - `token`, `layout`: characters to tokens, and which newlines count;
//! - `parser`: tokens to a tree;
//! - [`format`][mod@format]: the canonical layout of a text;
//! - [`print`][mod@print]: a tree as text that reads back to it.

pub mod tree_dump;

pub mod action;
pub mod codes;
pub mod expression;
pub mod format;
mod layout;
mod parser;
pub mod print;
mod token;
pub mod tree;
pub mod words;

use cardan_base::{Diagnostics, FileId};

pub use crate::action::{
    Attach, Branches, Detach, Every, External, For, Procedure, Several, Stop, Update, When,
};
pub use crate::expression::{
    Argument, Call, ChainOp, CompareOp, Expr, ExprKind, Name, Path, Segment, Text, UnaryOp, UnitText,
};
pub use crate::format::format;
pub use crate::print::{print, print_expression, print_statement};
pub use crate::tree::*;

/// The tree of a text, and what is wrong with the text. Statements that cannot be understood are left
/// out of the tree; each has an error among the diagnostics.
pub fn parse(file: FileId, text: &str) -> (Tree, Diagnostics) {
    let mut parser = parser::Parser::new(file, text);
    let tree = parser.tree();
    (tree, parser.diagnostics)
}

/// One expression that is the whole text, as on a command line: `12 [N/m]`.
pub fn parse_expression(file: FileId, text: &str) -> (Expr, Diagnostics) {
    let mut parser = parser::Parser::new(file, text);
    let expr = parser.expression();
    parser.nothing_more();
    (expr, parser.diagnostics)
}
