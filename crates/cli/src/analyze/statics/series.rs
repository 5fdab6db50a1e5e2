//! `cardan equilibrium --over`: equilibria while a parameter varies, through limit points.

use cardan::analysis::{EquilibriumSeries, SeriesPoint, SeriesQuestion, equilibrium_series};
use cardan_viewer::{Curve, CurveStyle, Plot, PlotFigure};
use serde_json::{Value, json};

use crate::analyze::locus::parameter_grid::{Over, varied};
use crate::analyze::page::{figures_page, table, write_figures};
use crate::analyze::{Asked, number, scale};
use crate::exit::{Outcome, Problem};
use crate::files::{csv_cell, digits};
use crate::terminal::{Terminal, columns};

/// Values of a range in a block that does not say how many.
const USUAL_POINTS: usize = 51;
/// More lines than this are left to the file.
const MAX_LINES: usize = 21;
/// More curves than this are left to the file.
const MAX_FIGURES: usize = 8;

pub fn answer(
    terminal: &Terminal,
    asked: &mut Asked,
    given: &[Over],
    t: f64,
    quiet: bool,
) -> Result<Outcome, Problem> {
    let (name, unit, values) = varied(asked, given, 1, USUAL_POINTS)?.remove(0);
    let (Some(from), Some(to)) = (values.first(), values.last()) else {
        return Err(Problem::usage(format!("`{name}` has no values")));
    };
    let question = SeriesQuestion { parameter: name.clone(), from: *from, to: *to, points: values.len() };
    let found = equilibrium_series(&mut asked.study, &question, t).map_err(Problem::failed)?;
    let shown = Shown::of(asked, name, unit, found);
    let facts = shown.facts(asked);
    let figures = shown.figures();
    let mut paths = vec![
        asked.write("equilibria.json", &format!("{facts:#}\n"))?,
        asked.write("equilibria.csv", &shown.csv())?,
    ];
    paths.extend(write_figures(asked, &figures)?);
    let heads: Vec<&str> = shown.heads.iter().map(String::as_str).collect();
    let limits = shown.series.limits.iter().map(|p| shown.row(p)).collect();
    let tables = vec![table("Limit points", "where the parameter turns back", &heads, limits)];
    let summary = vec![
        ("over".to_string(), format!("{} at {} points", shown.name, shown.series.points.len())),
        ("limit points".to_string(), shown.series.limits.len().to_string()),
    ];
    paths.push(asked.write("equilibria.html", &figures_page(asked, "equilibria", summary, figures, tables))?);
    asked.deliver()?;
    if terminal.json {
        terminal.print_json(&facts);
    } else if !quiet {
        let what = format!("equilibria over {} at {} points", shown.name, shown.series.points.len());
        let mut out = asked.heading(terminal, &what);
        out += &shown.said();
        paths.iter().for_each(|p| out += &format!("  {}\n", p.display()));
        terminal.print(&out);
    }
    if shown.series.complete {
        return Ok(Outcome::Done);
    }
    let last = shown.series.points.last().map_or(f64::NAN, |p| p.value);
    terminal.problem(
        &Problem::failed(format!(
            "the arc of equilibria does not reach {} = {}; it ended at {}",
            shown.name,
            number(*to),
            number(last)
        ))
        .hint("take more points, or a shorter range"),
    );
    Ok(Outcome::Failed)
}

/// Equilibria in the units in which they are shown.
struct Shown {
    name: String,
    series: EquilibriumSeries,
    /// The parameter, the coordinates and states, the outputs, the verdict.
    heads: Vec<String>,
    /// Places in y and factors.
    states: Vec<(usize, f64)>,
    outputs: Vec<f64>,
    unit: String,
}

impl Shown {
    fn of(asked: &Asked, name: String, unit: String, series: EquilibriumSeries) -> Shown {
        let m = asked.study.model();
        let (n_q, n_u, _) = asked.study.sizes();
        let coordinates = m.coordinates.iter().map(|(_, q)| &q.quantity).enumerate();
        let states = m.states.iter().map(|(_, s)| &s.quantity).enumerate();
        let states = states.map(|(k, q)| (n_q + n_u + k, q));
        let mut heads = vec![format!("{name} [{unit}]")];
        let mut places = vec![];
        for (place, q) in coordinates.chain(states) {
            let (factor, unit) = scale(q);
            heads.push(format!("{} [{unit}]", q.name));
            places.push((place, factor));
        }
        let mut outputs = vec![];
        for output in &m.outputs {
            let (factor, unit) = scale(&output.quantity);
            heads.push(format!("{} [{unit}]", output.quantity.name));
            outputs.push(factor);
        }
        heads.push("stability".into());
        Shown { name, series, heads, states: places, outputs, unit }
    }

    fn numbers(&self, p: &SeriesPoint) -> Vec<f64> {
        let states = self.states.iter().map(|(k, factor)| p.state[*k] * factor);
        let outputs = p.outputs.iter().zip(&self.outputs).map(|(x, factor)| x * factor);
        std::iter::once(p.value).chain(states).chain(outputs).collect()
    }

    fn row(&self, p: &SeriesPoint) -> Vec<String> {
        let verdict = p.stability.map_or("–", |s| s.name()).to_string();
        self.numbers(p).into_iter().map(number).chain([verdict]).collect()
    }

    fn csv(&self) -> String {
        let mut out = self.heads.iter().map(|h| csv_cell(h)).collect::<Vec<_>>().join(",") + "\n";
        for p in &self.series.points {
            let cells: Vec<String> = self.numbers(p).into_iter().map(digits).collect();
            out += &format!("{},{}\n", cells.join(","), p.stability.map_or("", |s| s.name()));
        }
        out
    }

    fn facts(&self, asked: &Asked) -> Value {
        let point = |p: &SeriesPoint| json!({ "values": self.numbers(p), "stability": p.stability.map(|s| s.name()) });
        json!({
            "ok": self.series.complete,
            "model": asked.study.model().name,
            "parameter": self.name,
            "columns": self.heads[..self.heads.len() - 1],
            "points": self.series.points.iter().map(point).collect::<Vec<_>>(),
            "limits": self.series.limits.iter().map(point).collect::<Vec<_>>(),
        })
    }

    fn said(&self) -> String {
        let stride = self.series.points.len().div_ceil(MAX_LINES).max(1);
        let rows = self.series.points.iter().step_by(stride).map(|p| self.row(p));
        let rows: Vec<Vec<String>> = std::iter::once(self.heads.clone()).chain(rows).collect();
        let mut out = columns(&rows, &(0..self.heads.len() - 1).collect::<Vec<_>>());
        for p in &self.series.limits {
            out += &format!("  limit point at {} = {} [{}]\n", self.name, number(p.value), self.unit);
        }
        out
    }

    /// Each coordinate, state and output over the parameter.
    fn figures(&self) -> Vec<PlotFigure> {
        let rows: Vec<Vec<f64>> = self.series.points.iter().map(|p| self.numbers(p)).collect();
        let limits: Vec<Vec<f64>> = self.series.limits.iter().map(|p| self.numbers(p)).collect();
        let column = |rows: &[Vec<f64>], k: usize| rows.iter().map(|r| r[k]).collect::<Vec<f64>>();
        let n = self.heads.len() - 1;
        let figure = |k: usize| {
            let name = self.heads[k].split(" [").next().unwrap_or_default().to_string();
            PlotFigure {
                title: format!("{name} over {}", self.name),
                note: "equilibria along the arc; circles: limit points".into(),
                plot: Plot {
                    x_label: self.name.clone(),
                    x_unit: self.unit.clone(),
                    y_label: self.heads[k].clone(),
                    curves: vec![
                        Curve::line("", column(&rows, 0), column(&rows, k)),
                        Curve::line("", column(&limits, 0), column(&limits, k))
                            .drawn(CurveStyle::Circles)
                            .colored(6),
                    ],
                    ..Plot::default()
                },
            }
        };
        // An output may be a coordinate, which is drawn already.
        let is_new = |k: &usize| !self.heads[..*k].contains(&self.heads[*k]);
        (1..n).filter(is_new).take(MAX_FIGURES).map(figure).collect()
    }
}
