//! The page of a sweep: results of many motions against what varied, then their distributions.
//!
//! The figures are drawn by `assets/page/sweep.js`: lines for one varied quantity, a heat map for
//! two on a grid, points and parallel coordinates for more. Tables are written as HTML here and
//! can be read without scripts.

use serde_json::{Value, json};

use crate::page::markup::{escape, script_json};
use crate::page::pack::{f32s, f64s};
use crate::page::{STYLE, fill, summary, tables};
use crate::report::Table;

const TEMPLATE: &str = include_str!("../assets/sweep.html");
const SCRIPTS: [&str; 4] = [
    include_str!("../assets/page/data.js"),
    include_str!("../assets/page/chart.js"),
    include_str!("../assets/page/export.js"),
    include_str!("../assets/page/sweep.js"),
];
/// Motions that the page holds at most; of more, every second, third, … is taken.
const MOST_MOTIONS: usize = 20_000;
/// Numbers of the page up to which they are stored in double precision.
const DOUBLE_VALUES: usize = 200_000;

/// All that the page of a sweep shows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SweepReport {
    /// The model's name.
    pub title: String,
    /// One sentence about the model.
    pub description: String,
    /// Program and version that made the page.
    pub generated_by: String,
    /// How many motions of which plan, as label and value.
    pub summary: Vec<(String, String)>,
    /// How many motions ended early; a badge tells them.
    pub lost: usize,
    /// What varied, one value per motion.
    pub varied: Vec<Parameter>,
    /// What came of it, one value per motion.
    pub quantities: Vec<SweepResult>,
    /// Spread, influence and other tables.
    pub tables: Vec<Table>,
}

/// A varied quantity.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Parameter {
    /// As in the model.
    pub name: String,
    /// Unit as text; empty if dimensionless.
    pub unit: String,
    /// One value per motion.
    pub values: Vec<f64>,
}

/// A quantity of every motion.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SweepResult {
    /// As in the model.
    pub name: String,
    /// Unit as text; empty if dimensionless.
    pub unit: String,
    /// What it is, in words.
    pub description: String,
    /// At the end of each motion.
    pub end: Vec<f64>,
    /// The least value of each motion.
    pub least: Vec<f64>,
    /// The greatest value of each motion.
    pub greatest: Vec<f64>,
}

/// The page as one HTML text that needs nothing else to be shown.
pub fn render_sweep(report: &SweepReport) -> String {
    let badges = match report.lost {
        0 => String::new(),
        n => format!("<span class=\"badge poor\">{n} ended early</span>"),
    };
    let data = script_json(&pack(report).to_string());
    fill(
        TEMPLATE,
        &[
            ("title", &escape(&report.title)),
            ("description", &escape(&report.description)),
            ("generated_by", &escape(&report.generated_by)),
            ("badges", &badges),
            ("summary", &summary(&report.summary)),
            ("tables", &tables(&report.tables)),
            ("style", STYLE),
            ("scripts", &SCRIPTS.join("\n")),
            ("data", &data),
        ],
    )
}

fn pack(report: &SweepReport) -> Value {
    let motions = report.varied.iter().map(|v| v.values.len()).max().unwrap_or(0);
    let step = motions.div_ceil(MOST_MOTIONS).max(1);
    let columns = report.varied.len() + 3 * report.quantities.len();
    let double = motions / step * columns <= DOUBLE_VALUES;
    let packed = |values: &[f64]| {
        let kept: Vec<f64> = values.iter().copied().step_by(step).collect();
        if double { f64s(&kept) } else { f32s(&kept) }
    };
    let varied: Vec<Value> = (report.varied.iter())
        .map(|v| json!({"name": v.name, "unit": v.unit, "values": packed(&v.values)}))
        .collect();
    let quantities: Vec<Value> = (report.quantities.iter())
        .map(|q| {
            json!({"name": q.name, "unit": q.unit, "description": q.description, "end": packed(&q.end),
                   "least": packed(&q.least), "greatest": packed(&q.greatest)})
        })
        .collect();
    let numbers: Option<Vec<usize>> = (step > 1).then(|| (0..motions).step_by(step).map(|k| k + 1).collect());
    json!({"varied": varied, "quantities": quantities, "numbers": numbers})
}

#[cfg(test)]
mod tests {
    use super::*;

    const EVIL: &str = "</script><img src=x onerror=\"alert(1)\">{{data}}";

    #[test]
    fn hostile_names_stay_names() {
        let evil = || EVIL.to_string();
        let report = SweepReport {
            title: evil(),
            description: evil(),
            generated_by: evil(),
            summary: vec![(evil(), evil())],
            varied: vec![Parameter { name: evil(), unit: evil(), values: vec![1.0] }],
            quantities: vec![SweepResult {
                name: evil(),
                unit: evil(),
                description: evil(),
                ..SweepResult::default()
            }],
            tables: vec![Table { title: evil(), columns: vec![evil()], ..Table::default() }],
            ..SweepReport::default()
        };
        let (page, plain) = (render_sweep(&report), render_sweep(&SweepReport::default()));
        assert!(!page.contains("<img src=x") && page.contains("default-src 'none'"));
        assert_eq!(page.matches("</script").count(), plain.matches("</script").count());
    }

    #[test]
    fn a_large_sweep_stays_small_and_keeps_its_numbers() {
        let n = 100_000;
        let values: Vec<f64> = (0..n).map(f64::from).collect();
        let result = SweepResult { end: values.clone(), ..SweepResult::default() };
        let report = SweepReport {
            varied: vec![Parameter { values, ..Parameter::default() }],
            quantities: vec![result; 10],
            ..SweepReport::default()
        };
        let packed = pack(&report);
        assert!(packed.to_string().len() < 3_000_000);
        assert_eq!(packed["numbers"][1], 6);
        assert_eq!(pack(&SweepReport::default())["numbers"], Value::Null);
    }
}
