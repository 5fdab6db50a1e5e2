//! Coordinates that are held or driven: constraints added to a model before its equations are derived.
//!
//! ```text
//! [drive]    g = q - m(t),   v = q̇ - ṁ(t)
//! ```
//!
//! The multiplier of such a row is the generalised force along q that brings the motion about.

use cardan_expr::{Expr, Kind, Rational};
use cardan_model::{Constraint, ConstraintId, Given, Model, Row};

use crate::AnalysisError;

/// Makes a coordinate follow `motion`, an expression of time and parameters in the model's pool.
pub fn drive(model: &mut Model, coordinate: &str, motion: Expr) -> Result<ConstraintId, AnalysisError> {
    let names = model.coordinates.iter().map(|(_, q)| q.quantity.name.as_str());
    let found = model.coordinates.iter().find(|(_, q)| q.quantity.name == coordinate);
    let (_, q) = found.ok_or_else(|| AnalysisError::unknown("coordinate", coordinate, names))?;
    let pool = model.space.pool();
    let row = Row {
        position: Some(pool.sub(q.symbol, motion)),
        velocity: pool.sub(q.rate, model.space.dt(motion)), // [drive]
        dimension: q.quantity.dimension,
        what: format!("motion of {coordinate}"),
        action: None,
    };
    let (symbol, name) = (q.symbol, format!("drive of {coordinate}"));
    // A start that contradicts the drive is no start, and others may have to follow.
    model.guess_starts();
    for (_, q) in model.coordinates.iter_mut().filter(|(_, q)| q.symbol == symbol) {
        q.given = Given::Nothing;
    }
    let force = model.space.pool().symbol(format!("lambda({name}, 1)"), Kind::Unknown);
    Ok(model
        .constraints
        .push(Constraint { multipliers: vec![force], ..Constraint::new(&name, "drive", vec![row], None) }))
}

/// Holds a coordinate at a value in SI units; at its start if nothing.
pub fn hold(model: &mut Model, coordinate: &str, value: Option<f64>) -> Result<ConstraintId, AnalysisError> {
    let start = model.coordinates.iter().find(|(_, q)| q.quantity.name == coordinate).map(|(_, q)| q.start);
    let at = match value {
        None => start.unwrap_or(model.space.pool().zero()),
        Some(value) => match Rational::from_f64(value) {
            Some(exact) => model.space.pool().number(exact),
            None => {
                return Err(AnalysisError::Question(format!("`{coordinate}` cannot be held at {value}")));
            }
        },
    };
    let id = drive(model, coordinate, at)?;
    let c = &mut model.constraints[id];
    (c.name, c.kind) = (format!("hold of {coordinate}"), "hold".into());
    for (_, q) in model.coordinates.iter_mut().filter(|(_, q)| q.quantity.name == coordinate) {
        q.start = at;
    }
    Ok(id)
}
