//! The page of a sweep: what varied, how the results spread, and what matters for them.
//!
//! Where one quantity varies, results are drawn over it; where several do, as the share of motions below each value.

use cardan::sweep::{Design, influence};
use cardan_viewer::markup::escape;
use cardan_viewer::{Curve, Plot, svg_plot};

use super::Study;
use super::axes::design_text;
use super::table::{Quantity, number};
use crate::terminal::counted;

/// No more figures than this.
const MAX_FIGURES: usize = 12;

const STYLE: &str = "body{font:15px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#1b2430}\
h1{margin-bottom:0}table{border-collapse:collapse;margin:1rem 0}td,th{padding:.2rem .8rem;border-bottom:1px solid #d8dee6;text-align:right}\
td:first-child,th:first-child{text-align:left}figure{margin:1.5rem 0}figure svg{max-width:100%;height:auto}p.note{color:#5b6675}";

/// The whole page.
pub fn page(study: &Study) -> String {
    let mut body = format!("<h1>{}</h1>\n<p>{}</p>\n", escape(&study.name), escape(&study.description));
    let mut summary =
        format!("{}, {}", counted(study.plan.len(), "motion", "motions"), design_text(&study.design));
    if let Some(lost) = &study.lost {
        summary += &format!("; {} could not be followed to the end: {lost}", lost.count);
    }
    body += &format!("<p>{}. Values at t = {} s.</p>\n", escape(&summary), study.settings.to);
    body += "<h2>What varied</h2>\n";
    body += &html_table(&varied(study));
    body += "<h2>Spread of the results</h2>\n";
    body += &html_table(&study.table.spread_rows(usize::MAX));
    for gap in study.table.gaps() {
        body += &format!("<p class=\"note\">{}.</p>\n", escape(&gap));
    }
    let matters = matters(study);
    if matters.len() > 1 {
        body += "<h2>What matters</h2>\n<p class=\"note\">Rank correlation of each varied value with each result: near 1 the result \
                 rises with the value, near -1 it falls, near 0 it does not care or goes up and down.</p>\n";
        body += &html_table(&matters);
    }
    body += "<h2>Figures</h2>\n";
    for q in study.table.shown().take(MAX_FIGURES) {
        body += &format!("<figure>{}</figure>\n", svg_plot(&figure(study, q)));
    }
    format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{title}</title>\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n\
         <style>{STYLE}</style></head>\n<body>\n{body}<p class=\"note\">cardan {version}</p>\n</body></html>\n",
        title = escape(&study.name),
        version = env!("CARGO_PKG_VERSION"),
    )
}

fn html_table(rows: &[Vec<String>]) -> String {
    let mut out = String::from("<table>\n");
    for (k, row) in rows.iter().enumerate() {
        let tag = if k == 0 { "th" } else { "td" };
        let cells: String = row.iter().map(|c| format!("<{tag}>{}</{tag}>", escape(c))).collect();
        out += &format!("<tr>{cells}</tr>\n");
    }
    out + "</table>\n"
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

fn figure(study: &Study, q: &Quantity) -> Plot {
    let single = study.varied.len() == 1 || study.design == Design::List;
    if single {
        let v = &study.varied[0];
        let mut order: Vec<usize> = (0..q.end.len()).collect();
        let x = &study.table.values[0];
        order.sort_by(|i, j| x[*i].total_cmp(&x[*j]));
        let curve = |name: &str, y: &[f64]| Curve {
            name: name.into(),
            x: order.iter().map(|i| x[*i]).collect(),
            y: order.iter().map(|i| y[*i]).collect(),
        };
        return Plot {
            title: q.name.clone(),
            x_label: v.name.clone(),
            x_unit: plain(&v.dimension.to_string()),
            y_label: q.name.clone(),
            y_unit: q.unit.clone(),
            curves: vec![
                curve("at the end", &q.end),
                curve("least", &q.least),
                curve("greatest", &q.greatest),
            ],
            ..Plot::default()
        };
    }
    let share = |name: &str, values: &[f64]| {
        let mut x: Vec<f64> = values.iter().copied().filter(|v| v.is_finite()).collect();
        x.sort_by(f64::total_cmp);
        let n = x.len() as f64;
        let y = (0..x.len()).map(|k| (k as f64 + 0.5) / n).collect();
        Curve { name: name.into(), x, y }
    };
    Plot {
        title: q.name.clone(),
        x_label: q.name.clone(),
        x_unit: q.unit.clone(),
        y_label: "share of motions below".into(),
        curves: vec![share("at the end", &q.end), share("least", &q.least), share("greatest", &q.greatest)],
        ..Plot::default()
    }
}

/// A unit, nothing for a plain number.
fn plain(unit: &str) -> String {
    if unit == "1" { String::new() } else { unit.to_string() }
}
