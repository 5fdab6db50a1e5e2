//! Names: scopes, declarations, paths.
//!
//! - `scope`: names and the region in which each is known; `declare`: declarations of a text;
//! - `dependency_order`: order of evaluation; `path`: dotted names;
//! - `name_usage`: names that a text mentions, for the choice of the spanning tree.

pub(crate) mod declare;
pub(crate) mod dependency_order;
pub(crate) mod name_usage;
pub(crate) mod path;
pub(crate) mod scope;
