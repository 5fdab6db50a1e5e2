//! Checks of an AUTOSIM text.
//!
//! - `extra_arguments`: values without a place; `name_clash`, `shape`: names and expressions that cannot be;
//! - `spelling_check`: symbols without value; `unused`: values without use.

pub(crate) mod extra_arguments;
pub(crate) mod name_clash;
pub(crate) mod shape;
pub(crate) mod spelling_check;
pub(crate) mod unused;
