//! Limits of joints that a motion passes: nothing enforces them, so that somebody must be told.

use cardan::assembly::ParameterValues;
use cardan::model::{Limit, Model};
use cardan::sim::Trajectory;

use crate::analyze::{number, scale};

/// How many sentences are said.
const MOST: usize = 8;

/// A sentence for each limit of a coordinate that the samples of a motion pass. A stop is meant to be passed a little.
pub fn passed(model: &Model, trajectory: &Trajectory) -> Vec<String> {
    let values = ParameterValues::of(model);
    let mut said = vec![];
    for limit in &model.limits {
        let own = &model.coordinates[limit.coordinate].quantity;
        let value = |e: Option<_>| e.map(|e| values.evaluate(model, e)).filter(|x: &f64| x.is_finite());
        let place = model.coordinates.ids().position(|id| id == limit.coordinate);
        let watched = [("lower", limit.lower, -1.0), ("upper", limit.upper, 1.0)];
        let first = |place: usize, test: &dyn Fn(f64) -> bool| {
            trajectory.rows.iter().find(|row| row.get(1 + place).is_some_and(|x| test(*x)))
        };
        let (factor, unit) = scale(own);
        for (end, bound, sign) in watched.into_iter().filter(|_| limit.stop.is_none()) {
            let (Some(bound), Some(place)) = (value(bound), place) else { continue };
            let slack = 1e-9 * (1.0 + bound.abs());
            if let Some(row) = first(place, &|x| sign * (x - bound) > slack) {
                let name = own.name.replace('.', "_");
                said.push(format!(
                    "`{}` passed its {end} limit {} {unit} at t = {} s; nothing stops it: `stop {name}_stop on {} {{ stiffness = … }}` would",
                    own.name,
                    number(bound * factor),
                    number(row[0]),
                    own.name,
                ));
            }
        }
        if let (Some(bound), Some((place, quantity))) = (value(limit.speed), speed_of(model, limit)) {
            let slack = 1e-9 * (1.0 + bound.abs());
            if let Some(row) = first(place, &|x| x.abs() > bound + slack) {
                let (factor, unit) = scale(quantity);
                said.push(format!(
                    "`{}` passed the limit {} {unit} of its speed at t = {} s",
                    own.name,
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

/// Where among the columns the speed stands that is the rate of a coordinate.
fn speed_of<'m>(model: &'m Model, limit: &Limit) -> Option<(usize, &'m cardan::model::Quantity)> {
    let rate = model.coordinates[limit.coordinate].rate;
    let place = model.speeds.iter().position(|(_, u)| u.symbol == rate)?;
    let (_, speed) = model.speeds.iter().nth(place)?;
    Some((model.coordinates.len() + place, &speed.quantity))
}
