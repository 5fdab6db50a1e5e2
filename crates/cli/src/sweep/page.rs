//! The page of a sweep: results against what varied, their spread, and the influence of each
//! varied value.

use cardan::sweep::influence;
use cardan_viewer::{Parameter, SweepReport, SweepResult, Table, render_sweep};

use crate::sweep::Study;
use crate::sweep::axes::design_text;
use crate::sweep::table::number;
use crate::terminal::counted;

/// No more results than this can be chosen on the page.
const MAX_RESULTS: usize = 40;

/// The whole page.
pub fn page(study: &Study) -> String {
    let mut summary = vec![
        ("motions".to_string(), counted(study.plan.len(), "motion", "motions")),
        ("plan".to_string(), design_text(&study.design)),
        ("values".to_string(), study.when()),
    ];
    if let Some(lost) = &study.lost {
        summary.push(("ended early".into(), format!("{}: {lost}", lost.count)));
    }
    let parameters = study.varied.iter().zip(&study.table.values).map(|(v, values)| Parameter {
        name: v.name.clone(),
        unit: plain(&v.dimension.to_string()),
        values: values.clone(),
    });
    let results = study.table.shown().take(MAX_RESULTS).map(|q| SweepResult {
        name: q.name.clone(),
        unit: q.unit.clone(),
        description: q.description.clone(),
        end: q.end.clone(),
        least: q.least.clone(),
        greatest: q.greatest.clone(),
    });
    let spread_note = study.table.gaps().iter().map(|gap| format!("{gap}.")).collect::<Vec<_>>().join(" ");
    let mut tables = vec![
        table("Spread of the results at the end", &spread_note, study.table.spread_rows(usize::MAX)),
        table("What varied", "", varied(study)),
    ];
    let matters = matters(study);
    if matters.len() > 1 {
        let note = "Rank correlation (Spearman) of each varied value with each result: near 1 the result rises with the \
                    value, near -1 it falls, near 0 there is no monotonic relation.";
        tables.insert(0, table("What matters", note, matters));
    }
    render_sweep(&SweepReport {
        title: format!("{}: sweep", study.name),
        description: study.description.clone(),
        generated_by: format!("cardan {}", env!("CARGO_PKG_VERSION")),
        summary,
        lost: study.lost.as_ref().map_or(0, |lost| lost.count),
        varied: parameters.collect(),
        quantities: results.collect(),
        tables,
    })
}

/// A table whose first row is the head.
fn table(title: &str, note: &str, mut rows: Vec<Vec<String>>) -> Table {
    let columns = rows.remove(0);
    Table { title: title.into(), note: note.into(), columns, rows }
}

fn varied(study: &Study) -> Vec<Vec<String>> {
    let mut rows = vec![["", "least", "greatest", "in the model", "unit"].map(String::from).to_vec()];
    for (v, values) in study.varied.iter().zip(&study.table.values) {
        let least = values.iter().copied().fold(f64::NAN, f64::min);
        let greatest = values.iter().copied().fold(f64::NAN, f64::max);
        let nominal = if v.nominal.is_finite() { number(v.nominal) } else { String::new() };
        rows.push(vec![v.name.clone(), number(least), number(greatest), nominal, v.dimension.to_string()]);
    }
    rows
}

fn matters(study: &Study) -> Vec<Vec<String>> {
    let mut head = vec![String::new()];
    head.extend(study.varied.iter().map(|v| v.name.clone()));
    let mut rows = vec![head];
    for q in study.table.shown() {
        let found: Vec<Option<f64>> =
            study.table.values.iter().map(|values| influence(values, &q.end)).collect();
        if found.iter().any(Option::is_some) {
            let mut row = vec![q.name.clone()];
            row.extend(found.into_iter().map(|r| r.map_or(String::new(), |r| format!("{r:+.2}"))));
            rows.push(row);
        }
    }
    rows
}

/// A unit, nothing for a plain number.
fn plain(unit: &str) -> String {
    if unit == "1" { String::new() } else { unit.to_string() }
}
