//! The results of a sweep: one row per motion, in the units in which people want to see them.

use std::collections::BTreeMap;

use cardan::compile::Varied;
use cardan::sim::{Column, ColumnKind, Ending};
use cardan::sweep::{Spread, SweepPlan, influence, spread};
use serde_json::{Map, Value, json};

use super::Study;
use super::journal::Entry;
use crate::parquet::{self, Cells};

/// A quantity: its value at the end, its least and its greatest value, per motion.
pub struct Quantity {
    pub name: String,
    pub unit: String,
    pub description: String,
    pub kind: ColumnKind,
    pub end: Vec<f64>,
    pub least: Vec<f64>,
    pub greatest: Vec<f64>,
}

/// All motions, in the order of the plan.
pub struct Table {
    /// What varied, in SI units.
    pub values: Vec<Vec<f64>>,
    names: Vec<(String, String)>,
    pub endings: Vec<Ending>,
    pub reached: Vec<f64>,
    pub quantities: Vec<Quantity>,
    /// The names of the outputs of the text, which may be those of states.
    pub outputs: Vec<String>,
}

impl Table {
    pub fn new(
        entries: &BTreeMap<usize, Entry>,
        varied: &[Varied],
        plan: &SweepPlan,
        columns: &[Column],
    ) -> Table {
        let members: Vec<Vec<f64>> = entries.keys().map(|k| plan.member(*k)).collect();
        let quantity = |(k, c): (usize, &Column)| {
            let part = |which: usize| {
                entries
                    .values()
                    .map(|e| e.numbers.get(3 * k + which).map_or(f64::NAN, |x| x * c.scale))
                    .collect()
            };
            Quantity {
                name: c.name.clone(),
                unit: if c.unit == "1" { String::new() } else { c.unit.clone() },
                description: c.description.clone(),
                kind: c.kind,
                end: part(0),
                least: part(1),
                greatest: part(2),
            }
        };
        Table {
            values: (0..varied.len()).map(|a| members.iter().map(|m| m[a]).collect()).collect(),
            names: varied.iter().map(|v| (v.name.clone(), v.dimension.to_string())).collect(),
            endings: entries.values().map(|e| e.ending).collect(),
            reached: entries.values().map(|e| e.reached).collect(),
            quantities: columns.iter().skip(1).enumerate().map(quantity).collect(),
            outputs: vec![],
        }
    }

    /// The values of a member with the names of what varied.
    pub fn named(&self, member: &[f64]) -> Vec<(String, f64)> {
        self.names.iter().zip(member).map(|((name, _), value)| (name.clone(), *value)).collect()
    }

    /// The table as columns of a file.
    pub fn parquet_columns(&self) -> Vec<parquet::Column> {
        let column =
            |name: String, unit: &str, cells: Cells| parquet::Column { name, unit: unit.to_string(), cells };
        let endings = self.endings.iter().map(|e| match e {
            Ending::Finished => "finished",
            Ending::Stopped => "stopped",
            Ending::Interrupted => "interrupted",
            Ending::Failed => "failed",
        });
        let mut out =
            vec![column("member".into(), "", Cells::Whole((0..self.endings.len() as i64).collect()))];
        for ((name, unit), values) in self.names.iter().zip(&self.values) {
            let unit = if unit == "1" { "" } else { unit };
            out.push(column(format!("vary.{name}"), unit, Cells::Real(values.clone())));
        }
        out.push(column("ending".into(), "", Cells::Text(endings.collect())));
        out.push(column("reached".into(), "s", Cells::Real(self.reached.clone())));
        for q in &self.quantities {
            for (part, values) in [("end", &q.end), ("least", &q.least), ("greatest", &q.greatest)] {
                out.push(column(format!("{}.{part}", q.name), &q.unit, Cells::Real(values.clone())));
            }
        }
        out
    }

    /// Outputs, or states where there are no outputs: what people look at first.
    pub fn shown(&self) -> impl Iterator<Item = &Quantity> {
        let outputs =
            !self.outputs.is_empty() || self.quantities.iter().any(|q| q.kind == ColumnKind::Output);
        self.quantities.iter().filter(move |q| match q.kind {
            ColumnKind::Output => true,
            ColumnKind::Coordinate | ColumnKind::Speed | ColumnKind::State | ColumnKind::Discrete => {
                !outputs || self.outputs.contains(&q.name)
            }
            _ => false,
        })
    }

    /// The spread of what is shown at the end, as rows of text with a head. Where a quantity is not a number in some motions, a last column
    /// says of how many the spread is.
    pub fn spread_rows(&self, most: usize) -> Vec<Vec<String>> {
        let mut rows =
            vec![["", "mean", "deviation", "least", "median", "greatest", ""].map(String::from).to_vec()];
        let all = self.endings.len();
        let is_whole = |q: &Quantity| q.end.iter().all(|x| x.is_finite());
        let some_lack = !self.shown().all(is_whole);
        if some_lack {
            rows[0].push("motions".into());
        }
        for q in self.shown().take(most) {
            let found = spread(&q.end);
            let mut row = vec![q.name.clone()];
            match &found {
                Some(s) => row.extend([s.mean, s.deviation, s.least, s.median, s.greatest].map(number)),
                None => row.extend(vec!["–".to_string(); 5]),
            }
            row.push(if q.unit.is_empty() { String::new() } else { format!("[{}]", q.unit) });
            if some_lack {
                row.push(format!("{} of {all}", found.map_or(0, |s| s.count)));
            }
            rows.push(row);
        }
        rows
    }

    /// What is shown but is not a number at the end of some motions that were followed to their end, one sentence each.
    pub fn gaps(&self) -> Vec<String> {
        let finished = |q: &Quantity| {
            let members = q.end.iter().zip(&self.endings).filter(|(_, e)| e.is_complete());
            members.fold((0, 0), |(there, all), (x, _)| (there + usize::from(x.is_finite()), all + 1))
        };
        let counts = self.shown().map(|q| (q, finished(q))).filter(|(_, (there, all))| there < all);
        counts
            .map(|(q, (there, all))| {
                format!("{}: {there} of {all} motions, in the others it is not finite at the end", q.name)
            })
            .collect()
    }

    /// Everything with stable keys.
    pub fn for_programs(&self, study: &Study) -> Value {
        let spread_of = |values: &[f64]| {
            spread(values).map(|s: Spread| {
            json!({ "count": s.count, "mean": s.mean, "deviation": s.deviation, "least": s.least, "low": s.low,
                    "median": s.median, "high": s.high, "greatest": s.greatest })
        })
        };
        let quantities: Map<String, Value> = self
            .quantities
            .iter()
            .map(|q| {
                let causes: Map<String, Value> = self
                    .names
                    .iter()
                    .zip(&self.values)
                    .map(|((name, _), values)| (name.clone(), json!(influence(values, &q.end))))
                    .collect();
                let value = json!({
                    "unit": q.unit, "description": q.description, "end": spread_of(&q.end), "least": spread_of(&q.least),
                    "greatest": spread_of(&q.greatest), "influence": causes,
                });
                (q.name.clone(), value)
            })
            .collect();
        let varied: Vec<Value> = self
            .names
            .iter()
            .zip(study.plan.axes())
            .map(|((name, unit), axis)| json!({ "name": name, "unit": unit, "values": format!("{axis:?}") }))
            .collect();
        json!({
            "model": study.name,
            "members": study.plan.len(),
            "design": super::axes::design_text(&study.design),
            "varied": varied,
            "quantities": quantities,
        })
    }
}

/// Six digits.
pub fn number(x: f64) -> String {
    if x != 0.0 && (x.abs() < 1e-4 || x.abs() >= 1e7) { format!("{x:.5e}") } else { format!("{x:.6}") }
}
