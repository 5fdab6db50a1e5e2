//! The parts of a source file, in terms of a language.
//!
//! - `file_writer`, `layout`: files, lines and comments; `header`, `helpers`: what stands before the functions;
//! - `body`, `unpack`: the statements of a function; `statement_syntax`: how they look in each language;
//! - `expression`, `lookup`: expressions and tables; `name_table`: names of a file.

pub(crate) mod body;
pub(crate) mod expression;
pub(crate) mod file_writer;
pub(crate) mod header;
pub(crate) mod helpers;
pub(crate) mod layout;
pub(crate) mod lookup;
pub(crate) mod name_table;
pub(crate) mod statement_syntax;
pub(crate) mod unpack;
