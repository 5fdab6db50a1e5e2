//! Limits and rotor inertias of joints, as rows and as data.

use cardan::assembly::ParameterValues;
use cardan::expr::Expr;
use cardan::model::{Limit, Model};
use serde_json::{Value, json};

use crate::terminal::short_number;

/// One row for each limit: coordinate, range, unit, what happens there.
pub fn limits(model: &Model, values: &ParameterValues) -> Vec<Vec<String>> {
    let row = |limit: &Limit| {
        let own = &model.coordinates[limit.coordinate].quantity;
        let text = |e: Option<Expr>, open: &str| {
            e.map_or(open.to_owned(), |e| short_number(values.evaluate(model, e)))
        };
        let range = format!("{} .. {}", text(limit.lower, "-inf"), text(limit.upper, "inf"));
        let mut meaning = vec![match &limit.stop {
            None => "watched".to_owned(),
            Some(stop) => format!("stopped by {}", stop.name),
        }];
        meaning.extend(limit.speed.map(|e| format!("speed at most {}", text(Some(e), ""))));
        meaning.extend(limit.effort.map(|e| format!("effort at most {}", text(Some(e), ""))));
        vec![own.name.clone(), range, format!("[{}]", own.dimension), meaning.join(", ")]
    };
    model.limits.iter().map(row).collect()
}

/// one row for each rotor: name and inertia.
pub fn rotors(model: &Model, values: &ParameterValues) -> Vec<Vec<String>> {
    let inertia = |e: Expr| short_number(values.evaluate(model, e));
    model.rotors.iter().map(|r| vec![r.name.clone(), inertia(r.inertia)]).collect()
}

/// The limits for programs.
pub fn for_programs(model: &Model, values: &ParameterValues) -> Vec<Value> {
    let number = |e: Option<Expr>| e.map(|e| values.evaluate(model, e)).filter(|x| x.is_finite());
    let entry = |limit: &Limit| {
        json!({
            "coordinate": model.coordinates[limit.coordinate].quantity.name,
            "lower": number(limit.lower),
            "upper": number(limit.upper),
            "speed": number(limit.speed),
            "effort": number(limit.effort),
            "stop": limit.stop.as_ref().map(|s| s.name.clone()),
        })
    };
    model.limits.iter().map(entry).collect()
}
