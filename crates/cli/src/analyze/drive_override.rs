//! Motions of the command line take the place of drives of the text.

use cardan::analysis::superseded;
use cardan::model::{ConstraintId, Model};

use crate::exit::Problem;

/// The coordinates that motions of the command line move.
pub fn moved(motions: &[String]) -> Vec<String> {
    motions.iter().filter_map(|m| m.split_once('=')).map(|(n, _)| n.trim().to_string()).collect()
}

/// Lets go of the drives whose place others take; their names. `besides` are constraints that the question itself has added.
pub fn make_room(
    mut model: Model,
    named: &[String],
    besides: &[ConstraintId],
) -> Result<(Model, Vec<String>), Problem> {
    let gone = superseded(&model, named, besides).map_err(Problem::wrong)?;
    model.release(&gone);
    let names = gone.iter().map(|id| model.constraints[*id].name.clone()).collect();
    Ok((model, names))
}

/// Lets go of the drives whose place motions of the command line take; their names.
pub fn make_room_for(model: Model, motions: &[String]) -> Result<(Model, Vec<String>), Problem> {
    if motions.is_empty() {
        return Ok((model, vec![]));
    }
    // What was asked for beyond the text stands last.
    let first = model.constraints.len().saturating_sub(motions.len());
    let given: Vec<ConstraintId> = model.constraints.ids().skip(first).collect();
    make_room(model, &moved(motions), &given)
}
