//! AUTOSIM's notation.
//!
//! - `lisp`: text to forms; `infix`: the algebra; `load` and `routine`: other texts, and what native ones declare.

pub(crate) mod infix;
pub(crate) mod lisp;
pub(crate) mod load;
pub(crate) mod routine;
