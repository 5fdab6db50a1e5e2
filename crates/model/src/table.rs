//! Tables of data: a function given by points.

use std::fmt;

use cardan_units::Dimension;

/// How values between the points are found.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Interpolation {
    /// The value of the last point at or before the argument.
    Steps,
    /// Straight lines.
    Linear,
    /// Cubic pieces that do not overshoot.
    Monotone,
    /// Natural cubic spline.
    Spline,
}

/// A function of one or two arguments given by points, in SI units.
#[derive(Clone, PartialEq, Debug)]
pub struct Table {
    /// For people.
    pub name: String,
    /// What it is, in words; may be empty.
    pub description: String,
    /// Names and dimensions of its arguments.
    pub arguments: Vec<(String, Dimension)>,
    /// The dimension of its values.
    pub dimension: Dimension,
    /// How values between the points are found.
    pub interpolation: Interpolation,
    /// Increasing.
    pub x: Vec<f64>,
    /// Increasing; empty for a function of one argument.
    pub y: Vec<f64>,
    /// One value per x, or for two arguments row by row: all x for the first y, and so on.
    pub values: Vec<f64>,
}

/// What is wrong with a table.
#[derive(Clone, PartialEq, Debug)]
pub enum InvalidTable {
    /// Too few points.
    TooFew(usize),
    /// Arguments must increase; the index of the first that does not.
    NotIncreasing(usize),
    /// A number that is not finite.
    NotFinite,
    /// Number of values found and expected.
    WrongSize(usize, usize),
}

impl fmt::Display for InvalidTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            InvalidTable::TooFew(n) => write!(f, "the table has {n} points; it needs at least 2"),
            InvalidTable::NotIncreasing(i) => {
                write!(f, "argument number {} is not larger than the one before it", i + 1)
            }
            InvalidTable::NotFinite => write!(f, "the table contains a number that is not finite"),
            InvalidTable::WrongSize(found, expected) => {
                write!(f, "the table has {found} values; its arguments need {expected}")
            }
        }
    }
}

impl Table {
    /// The table, if its data make sense.
    pub fn validate(self) -> Result<Table, InvalidTable> {
        for axis in [&self.x, &self.y] {
            if let Some(i) = (1..axis.len()).find(|i| axis[*i] <= axis[i - 1]) {
                return Err(InvalidTable::NotIncreasing(i));
            }
        }
        if self.x.len() < 2 || self.y.len() == 1 {
            return Err(InvalidTable::TooFew(self.x.len().min(self.y.len().max(1))));
        }
        if self.x.iter().chain(&self.y).chain(&self.values).any(|v| !v.is_finite()) {
            return Err(InvalidTable::NotFinite);
        }
        let expected = self.x.len() * self.y.len().max(1);
        if self.values.len() != expected {
            return Err(InvalidTable::WrongSize(self.values.len(), expected));
        }
        Ok(self)
    }
    /// The function as it is written, with the units of what it takes and gives: `lift(x [m]) [N]`.
    pub fn head(&self) -> String {
        let of = |d: &Dimension| if *d == Dimension::ONE { String::new() } else { format!(" [{d}]") };
        let arguments: Vec<String> =
            self.arguments.iter().map(|(name, d)| format!("{name}{}", of(d))).collect();
        format!("{}({}){}", self.name, arguments.join(", "), of(&self.dimension))
    }
    /// Number of arguments.
    pub fn arity(&self) -> usize {
        if self.y.is_empty() { 1 } else { 2 }
    }
}
