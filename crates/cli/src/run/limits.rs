//! Limits of joints that a motion passes: nothing enforces them, so that somebody must be told.

use cardan::model::Model;
use cardan::sim::{ParameterValues, Trajectory};

use crate::ask::{number, scale};

/// How many sentences are said.
const MOST: usize = 8;

/// A sentence for each limit of a coordinate that the samples of a motion pass.
pub fn passed(model: &Model, trajectory: &Trajectory) -> Vec<String> {
    let values = ParameterValues::of(model);
    let places: Vec<_> = model.coordinates.ids().collect();
    let mut said = vec![];
    for limit in &model.limits {
        let Some(place) = places.iter().position(|id| *id == limit.coordinate) else { continue };
        let (factor, unit) = scale(&model.coordinates[limit.coordinate].quantity);
        for (end, bound, sign) in [("lower", limit.lower, -1.0), ("upper", limit.upper, 1.0)] {
            let Some(bound) = bound.map(|e| values.evaluate(model, e)).filter(|x| x.is_finite()) else {
                continue;
            };
            let slack = 1e-9 * (1.0 + bound.abs());
            let beyond = trajectory.rows.iter().find(|row| sign * (row[1 + place] - bound) > slack);
            if let Some(row) = beyond {
                said.push(format!(
                    "`{}` passed its {end} limit {} {unit} at t = {} s; nothing stops it: add a stop, such as a spring or an event",
                    model.coordinates[limit.coordinate].quantity.name,
                    number(bound * factor),
                    number(row[0]),
                ));
            }
        }
    }
    let more = said.len().saturating_sub(MOST);
    if more > 0 {
        said.truncate(MOST);
        said.push(format!("{more} more limits of joints were passed"));
    }
    said
}
