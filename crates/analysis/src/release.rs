//! Drives of the text that a question takes the place of.
//!
//! ```text
//! [freedom]      n = motions of the mechanism without any drive
//! [gives-way]      a drive gives way to a motion given, or an actuator, on its own coordinate
//! [room]         of the others as many stay as n leaves room for, the first ones
//! ```
//!
//! A motion that is given twice over is no motion, and a drive that stays beside an actuator would bear what the actuator is asked for.

use cardan_model::{Constraint, ConstraintId, Model};
use cardan_sim::choice::mobility;

use crate::AnalysisError;

fn is_drive(c: &Constraint) -> bool {
    c.kind == "motion" && !c.rows.is_empty()
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
    release(&mut bare, &others);
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

/// Lets constraints go, and the outputs that tell of their forces; the names of these outputs.
pub fn release(model: &mut Model, gone: &[ConstraintId]) -> Vec<String> {
    let mut forces = vec![];
    for id in gone {
        let c = &mut model.constraints[*id];
        c.rows.clear();
        forces.append(&mut c.multipliers);
    }
    let pool = model.space.pool();
    let forces: Vec<_> = forces.into_iter().filter_map(|f| pool.as_symbol(f)).collect();
    let tells = |value| forces.iter().any(|f| pool.contains(value, *f));
    let (told, kept): (Vec<_>, Vec<_>) =
        std::mem::take(&mut model.outputs).into_iter().partition(|o| tells(o.value));
    model.outputs = kept;
    told.into_iter().map(|o| o.quantity.name).collect()
}
