//! Canonical constructors: equal expressions are built equal.
//!
//! - `sum`, `product`, `surd`, `function`: one per kind of node; `rules`: identities of functions as a table, read by `parse`.

pub mod function;
pub mod parse;
pub mod product;
pub mod rules;
pub mod sum;
pub(crate) mod surd;
