//! Types of values: what an expression stands for, and what its place asks for.
//!
//! - `value`: kinds of values; `quantity`: a value from a command line;
//! - `dimension`: dimensions of expressions; `angle_units`: degrees, cycles and bare angles;
//! - `coercion`: conversion to the kind that a place asks for; `unit_inference`: units of bare numbers;
//! - `synonyms`: words of other programs.

pub(crate) mod angle_units;
pub(crate) mod coercion;
pub(crate) mod dimension;
pub(crate) mod quantity;
pub(crate) mod synonyms;
pub(crate) mod unit_inference;
pub(crate) mod value;
