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
//! - [`mistaken`]: the unit that was probably meant where one of another dimension stands.

pub mod dimension;
pub mod error;
pub mod exponent;
pub mod format;
pub mod mistaken;
pub mod parse;
pub mod scale;
pub mod table;
pub mod unit;

pub use dimension::{Base, Dimension};
pub use error::{UnitError, UnitErrorKind};
pub use exponent::Exponent;
pub use mistaken::probably_meant;
pub use scale::Scale;
pub use unit::Unit;
