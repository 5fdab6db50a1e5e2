//! The target languages: each writes expressions, statements, files and complete programs in its syntax.
//!
//! - `c` (and C++), `fortran`, `fortran77`, `matlab`, `python`, `rust`, `wasm`;
//! - `kernels`: elementary functions for languages that have none.

pub(crate) mod c;
pub(crate) mod fortran;
pub(crate) mod fortran77;
pub(crate) mod kernels;
pub(crate) mod matlab;
pub(crate) mod python;
pub(crate) mod rust;
pub(crate) mod wasm;
