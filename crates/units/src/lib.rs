//! Physical dimensions and units: parse, check, convert, format.
//!
//! A [`Dimension`] says what kind of quantity a number is; a [`Unit`] is a dimension with an exact factor to SI
//! and the text that a person typed. All factors are rationals times a power of pi, so a length typed in inches
//! or an angle typed in degrees loses nothing on the way into the algebra.
//!
//! Absent by design: numbers that carry units (the algebra has one scalar type and `lang` checks it), offset
//! scales such as degrees Celsius, diagnostics (an error here is plain data; `lang` puts it in its place).
//!
//! - [`exponent`]: the small rationals that stand above base units;
//! - [`dimension`]: products of powers of base quantities, and what an angle means among them;
//! - [`scale`]: exact factors;
//! - [`table`]: every unit by its definition;
//! - [`error`]: what can be wrong with a unit text;
//! - [`parse`]: the grammar of unit texts;
//! - [`mod@unit`]: the result;
//! - [`mod@format`]: a dimension as the unit an engineer would write;
//! - [`unit_suggestion`]: the unit that was probably meant where one of another dimension stands.

pub mod unit_suggestion;

pub mod dimension;
pub mod error;
pub mod exponent;
pub mod format;
pub mod parse;
pub mod scale;
pub mod table;
pub mod unit;

pub use crate::dimension::{Base, Dimension};
pub use crate::error::{UnitError, UnitErrorKind};
pub use crate::exponent::Exponent;
pub use crate::scale::Scale;
pub use crate::unit::Unit;
pub use crate::unit_suggestion::probably_meant;
