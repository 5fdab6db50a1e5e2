//! A unit: dimension, exact factor to SI, and the text that a person typed.

use std::fmt;
use std::str::FromStr;

use crate::{Dimension, Scale, UnitError, parse};

/// A unit of measure.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Unit {
    dimension: Dimension,
    scale: Scale,
    text: String,
}

impl Unit {
    /// The unit that a text such as `N*m/rad` names; empty, `-` and `1` name plain numbers.
    pub fn parse(text: &str) -> Result<Self, UnitError> {
        let (dimension, scale) = parse::quantity(text)?;
        let text = match text.trim() {
            "" | "-" => "1",
            trimmed => trimmed,
        };
        Ok(Unit { dimension, scale, text: text.to_owned() })
    }

    /// The SI unit of a dimension, with the text of [`mod@crate::format`].
    pub fn si(dimension: Dimension) -> Self {
        Unit { dimension, scale: Scale::ONE, text: dimension.to_string() }
    }

    /// What kind of quantity it measures.
    pub const fn dimension(&self) -> Dimension {
        self.dimension
    }
    /// How many SI units one of it is.
    pub const fn scale(&self) -> Scale {
        self.scale
    }
    /// The text that a person typed, without surrounding blanks.
    pub fn text(&self) -> &str {
        &self.text
    }
    /// How many of `other` one of `self` is; nothing if they measure different things or the factor is too large.
    pub fn factor_to(&self, other: &Unit) -> Option<Scale> {
        if !self.dimension.compatible(&other.dimension) {
            return None;
        }
        self.scale.checked_mul(other.scale.checked_recip()?)
    }
    /// A value in this unit, in SI.
    pub fn to_si(&self, value: f64) -> f64 {
        value * self.scale.to_f64()
    }
    /// An SI value, in this unit.
    pub fn from_si(&self, value: f64) -> f64 {
        value / self.scale.to_f64()
    }
}

impl FromStr for Unit {
    type Err = UnitError;
    fn from_str(text: &str) -> Result<Self, UnitError> {
        Unit::parse(text)
    }
}

impl fmt::Display for Unit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}
