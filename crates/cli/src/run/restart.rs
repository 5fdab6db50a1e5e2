//! Where a motion goes on: a file with the time and all states, in SI units.

use std::collections::BTreeMap;
use std::path::Path;

use cardan::model::Model;
use cardan::sim::Trajectory;
use serde_json::{Value, json};

use crate::exit::Problem;
use crate::files::digits;

/// The file that every run leaves.
pub const RESTART: &str = "restart.json";

/// A time and the values of coordinates, speeds, auxiliary and discrete states.
pub struct Restart {
    pub model: String,
    pub time: f64,
    pub values: BTreeMap<String, f64>,
}

impl Restart {
    pub fn of(model: &Model, time: f64, state: &[f64], discretes: &[f64]) -> Restart {
        let names = model.coordinates.iter().map(|(_, q)| &q.quantity);
        let names = names.chain(model.speeds.iter().map(|(_, u)| &u.quantity));
        let names = names.chain(model.states.iter().map(|(_, s)| &s.quantity));
        let held = model.hybrid.discretes.iter().map(|(_, d)| &d.quantity).zip(discretes);
        let values = names.zip(state).chain(held).map(|(q, x)| (q.name.clone(), *x)).collect();
        Restart { model: model.name.clone(), time, values }
    }

    /// The end of a motion.
    pub fn at_end(model: &Model, trajectory: &Trajectory) -> Option<Restart> {
        let row = trajectory.rows.iter().last()?;
        let n = model.coordinates.len() + model.speeds.len() + model.states.len();
        let n_discretes = model.hybrid.discretes.len();
        let (state, rest) = row.get(1..)?.split_at_checked(n)?;
        Some(Restart::of(model, row[0], state, rest.get(..n_discretes)?))
    }

    /// All digits, so that a motion goes on exactly.
    pub fn text(&self) -> String {
        let values: Vec<String> =
            self.values.iter().map(|(n, x)| format!("    {}: {}", json!(n), number(*x))).collect();
        format!(
            "{{\n  \"model\": {},\n  \"time\": {},\n  \"values\": {{\n{}\n  }}\n}}\n",
            json!(self.model),
            number(self.time),
            values.join(",\n")
        )
    }

    pub fn read(path: &Path) -> Result<Restart, Problem> {
        let text = std::fs::read_to_string(path).map_err(|e| Problem::file("read", path, &e))?;
        let wrong = |what: &str| Problem::wrong(format!("{} is no restart file: {what}", path.display()));
        let all: Value = serde_json::from_str(&text).map_err(|e| wrong(&e.to_string()))?;
        let time = all["time"].as_f64().ok_or_else(|| wrong("it has no time"))?;
        let listed = all["values"].as_object().ok_or_else(|| wrong("it has no values"))?;
        let mut values = BTreeMap::new();
        for (name, value) in listed {
            let value = value.as_f64().ok_or_else(|| wrong(&format!("`{name}` has no number")))?;
            values.insert(name.clone(), value);
        }
        let model = all["model"].as_str().unwrap_or_default().to_string();
        Ok(Restart { model, time, values })
    }

    /// The model with these values at its start.
    pub fn applied(&self, mut model: Model) -> Result<Model, Problem> {
        for (name, value) in &self.values {
            model.set_value(name, *value, None).map_err(|error| {
                Problem::wrong(error).hint(format!("the restart file is of the model `{}`", self.model))
            })?;
        }
        Ok(model)
    }
}

fn number(x: f64) -> String {
    if x.is_finite() { digits(x) } else { "null".into() }
}
