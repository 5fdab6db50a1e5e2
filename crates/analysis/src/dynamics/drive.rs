//! Coordinates that are held or driven, by their names.

use cardan_expr::{Expr, Rational};
use cardan_model::{CoordinateId, Model};

use crate::AnalysisError;

/// The coordinate with this name.
pub fn coordinate_named(model: &Model, name: &str) -> Result<CoordinateId, AnalysisError> {
    let found = model.coordinates.iter().find(|(_, q)| q.quantity.name == name).map(|(id, _)| id);
    let names = model.coordinates.iter().map(|(_, q)| q.quantity.name.as_str());
    found.ok_or_else(|| AnalysisError::unknown("coordinate", name, names))
}

/// A coordinate and the value at which it is to be held, in SI units; its start if nothing.
pub fn held_at(model: &Model, name: &str, value: Option<f64>) -> Result<(CoordinateId, Expr), AnalysisError> {
    let coordinate = coordinate_named(model, name)?;
    let at = match value {
        None => model.coordinates[coordinate].start,
        Some(value) => {
            let refused = || AnalysisError::Question(format!("`{name}` cannot be held at {value}"));
            model.space.pool().number(Rational::from_f64(value).ok_or_else(refused)?)
        }
    };
    Ok((coordinate, at))
}
