//! Drives of the text that a question takes the place of.
//!
//! ```text
//! [freedom]      n = motions of the mechanism without any drive
//! [gives-way]      a drive gives way to a motion given, or an actuator, on its own coordinate
//! [room]         of the others as many stay as n leaves room for, the first ones
//! ```
//!
//! A motion that is given twice over is no motion, and a drive that stays beside an actuator would bear what the actuator is asked for.

use cardan_assembly::mobility;
use cardan_expr::Expr;
use cardan_model::{Constraint, ConstraintId, Model};

use crate::AnalysisError;

fn is_drive(c: &Constraint) -> bool {
    c.kind.is_motion() && !c.rows.is_empty()
}

/// The coordinates that drives of the text move, each by itself.
pub fn driven_coordinates(model: &Model) -> Vec<String> {
    let pool = model.space.pool();
    let mut names = vec![];
    for (_, drive) in model.constraints.iter().filter(|(_, c)| is_drive(c)) {
        let holds = |symbol: Expr| {
            let mut rows = drive.rows.iter().filter_map(|r| r.position);
            pool.as_symbol(symbol).is_some_and(|s| rows.any(|e| pool.contains(e, s)))
        };
        let mut moved = model.coordinates.iter().filter(|(_, q)| holds(q.symbol));
        if let (Some((_, q)), None) = (moved.next(), moved.next()) {
            names.push(q.quantity.name.clone());
        }
    }
    names
}

/// The drives that give way where `named` coordinates or speeds are moved by others. `besides` are constraints that the question itself
/// has added; they do not count as part of the mechanism.
pub fn superseded(
    model: &Model,
    named: &[String],
    besides: &[ConstraintId],
) -> Result<Vec<ConstraintId>, AnalysisError> {
    let drives: Vec<ConstraintId> =
        model.constraints.iter().filter(|(_, c)| is_drive(c)).map(|(id, _)| id).collect();
    if drives.is_empty() {
        return Ok(vec![]);
    }
    let mut bare = model.clone();
    let others: Vec<ConstraintId> = drives.iter().chain(besides).copied().collect();
    bare.release(&others);
    bare.guess_starts();
    let has_rows = bare.constraints.iter().any(|(_, c)| !c.rows.is_empty());
    let found =
        if has_rows { mobility(&bare).map_err(|e| AnalysisError::Question(e.to_string()))? } else { None };
    let freedom = found.map_or(model.speeds.len(), |m| m.freedom); // [freedom]
    let pool = model.space.pool();
    let moves = |id: &ConstraintId| {
        let contains = |symbol| {
            let rows = model.constraints[*id].rows.iter();
            let symbol = pool.as_symbol(symbol);
            let mut rows = rows.flat_map(|r| r.position.into_iter().chain([r.velocity]));
            symbol.is_some_and(|s| rows.any(|e| pool.contains(e, s)))
        };
        let q = model.coordinates.iter().filter(|(_, q)| named.contains(&q.quantity.name));
        let u = model.speeds.iter().filter(|(_, u)| named.contains(&u.quantity.name));
        q.map(|(_, q)| q.symbol).chain(u.map(|(_, u)| u.symbol)).any(contains)
    };
    let (mut gone, stay): (Vec<_>, Vec<_>) = drives.into_iter().partition(moves); // [gives-way]
    gone.extend(stay.into_iter().skip(freedom.saturating_sub(named.len()))); // [room]
    gone.sort_unstable();
    Ok(gone)
}
