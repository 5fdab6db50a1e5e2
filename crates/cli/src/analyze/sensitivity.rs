//! `cardan sensitivity`: how a motion changes with parameters.

use cardan::analysis::{Sensitivity as Found, sensitivity as find};
use cardan::model::ExperimentKind;
use cardan::sim::Settings;
use cardan_viewer::{Curve, Plot, PlotFigure};
use clap::Args;
use serde_json::{Value, json};

use crate::analyze::arguments::{Common, Interval};
use crate::analyze::page::{figures_page, table, write_figures};
use crate::analyze::{Asked, number, prepare};
use crate::exit::{Outcome, Problem};
use crate::files::{csv_cell, digits};
use crate::terminal::{Terminal, columns};

#[derive(Debug, Args)]
pub struct Sensitivity {
    #[command(flatten)]
    pub common: Common,
    /// Parameters, separated by commas
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub input: Vec<String>,
    #[command(flatten)]
    pub interval: Interval,
}

/// Samples at most.
const MAX_SAMPLES: f64 = 10_000.0;
/// More curves than this are left to the file.
const MAX_FIGURES: usize = 12;

pub fn run(terminal: &Terminal, arguments: &Sensitivity) -> Result<Outcome, Problem> {
    let terminal = &terminal.quieter(arguments.common.quiet);
    let kind = ExperimentKind::Sensitivity;
    let mut asked = prepare(terminal, kind, &arguments.common, &[], &arguments.input, Ok)?;
    if asked.study.input_names().is_empty() {
        return Err(Problem::usage("no parameter is named").hint("write --input k,m, or `input = \"k, m\"`"));
    }
    let times = times(&asked, &arguments.interval)?;
    let found = find(&mut asked.study, &times).map_err(Problem::failed)?;
    let names = names(&asked);
    let facts = facts(&asked, &found, &names);
    let figures = figures(&found, &names);
    let rows = at_end(&found, &names);
    let mut paths = vec![
        asked.write("sensitivity.json", &format!("{facts:#}\n"))?,
        asked.write("sensitivity.csv", &csv(&found, &names))?,
    ];
    paths.extend(write_figures(&asked, &figures)?);
    let heads: Vec<String> = std::iter::once("at the end".into())
        .chain(found.parameters.iter().map(|p| format!("by {}", p.name)))
        .collect();
    let columns_of: Vec<&str> = heads.iter().map(String::as_str).collect();
    let note = "derivatives in SI units";
    let tables = vec![table("Sensitivities at the end", note, &columns_of, rows.clone())];
    let end = times.last().copied().unwrap_or_default();
    let summary = vec![("until".to_string(), format!("t = {} s", number(end)))];
    paths.push(
        asked.write("sensitivity.html", &figures_page(&asked, "sensitivity", summary, figures, tables))?,
    );
    asked.deliver()?;
    if terminal.json {
        terminal.print_json(&facts);
    } else if !arguments.common.quiet {
        let mut out = asked.heading(terminal, &format!("sensitivities at t = {} s", number(end)));
        let right: Vec<usize> = (1..heads.len()).collect();
        out += &columns(&std::iter::once(heads).chain(rows).collect::<Vec<_>>(), &right);
        paths.iter().for_each(|p| out += &format!("  {}\n", p.display()));
        terminal.print(&out);
    }
    Ok(Outcome::Done)
}

fn times(asked: &Asked, interval: &Interval) -> Result<Vec<f64>, Problem> {
    let settings = Settings::of(asked.study.model(), asked.parameter_values()).map_err(Problem::wrong)?;
    let from = asked.time("from", &interval.from)?.unwrap_or(settings.from);
    let to = asked.time("to", &interval.to)?.unwrap_or(settings.to);
    let every = asked.time("every", &interval.every)?.unwrap_or((to - from).abs() / 100.0);
    let n = ((to - from).abs() / every).round();
    if !(1.0..=MAX_SAMPLES).contains(&n) {
        return Err(Problem::usage(format!("{n} samples are asked for; there are 1 to {MAX_SAMPLES}")));
    }
    let n = n as usize;
    Ok((0..=n).map(|k| from + (to - from) * k as f64 / n as f64).collect())
}

/// States, then outputs.
fn names(asked: &Asked) -> Vec<(String, String)> {
    let states = (0..asked.study.n_states()).map(|k| asked.study.state(k).0);
    states.chain(asked.study.output_names()).map(|n| (n.name, n.unit)).collect()
}

/// The derivatives of all states and outputs by a parameter at a sample.
fn by(found: &Found, sample: usize, parameter: usize) -> Vec<f64> {
    let s = &found.samples[sample];
    s.states_by[parameter].iter().chain(&s.outputs_by[parameter]).copied().collect()
}

fn at_end(found: &Found, names: &[(String, String)]) -> Vec<Vec<String>> {
    let Some(last) = found.samples.len().checked_sub(1) else { return vec![] };
    let columns: Vec<Vec<f64>> = (0..found.parameters.len()).map(|k| by(found, last, k)).collect();
    let row = |(i, (name, unit)): (usize, &(String, String))| {
        let cells = columns.iter().map(|c| number(c[i]));
        std::iter::once(format!("{name} [{unit}]")).chain(cells).collect()
    };
    names.iter().enumerate().map(row).collect()
}

fn facts(asked: &Asked, found: &Found, names: &[(String, String)]) -> Value {
    let times: Vec<f64> = found.samples.iter().map(|s| s.time).collect();
    let of = |k: usize| {
        let all: Vec<Vec<f64>> = (0..found.samples.len()).map(|s| by(found, s, k)).collect();
        let column = |i: usize| json!(all.iter().map(|row| row[i]).collect::<Vec<_>>());
        Value::Object(names.iter().enumerate().map(|(i, (name, _))| (name.clone(), column(i))).collect())
    };
    let parameters = found.parameters.iter().enumerate();
    json!({
        "ok": true,
        "model": asked.study.model().name,
        "time": times,
        "by": Value::Object(parameters.map(|(k, p)| (p.name.clone(), of(k))).collect()),
    })
}

fn csv(found: &Found, names: &[(String, String)]) -> String {
    let mut heads = vec!["t [s]".to_string()];
    for p in &found.parameters {
        heads.extend(names.iter().map(|(name, _)| csv_cell(&format!("{name} by {}", p.name))));
    }
    let mut out = heads.join(",") + "\n";
    for (k, s) in found.samples.iter().enumerate() {
        let cells = (0..found.parameters.len()).flat_map(|p| by(found, k, p)).map(digits);
        out += &(std::iter::once(digits(s.time)).chain(cells).collect::<Vec<_>>().join(",") + "\n");
    }
    out
}

fn figures(found: &Found, names: &[(String, String)]) -> Vec<PlotFigure> {
    let times: Vec<f64> = found.samples.iter().map(|s| s.time).collect();
    let all: Vec<Vec<Vec<f64>>> = (0..found.parameters.len())
        .map(|p| (0..found.samples.len()).map(|s| by(found, s, p)).collect())
        .collect();
    let figure = |(i, (name, unit)): (usize, &(String, String))| {
        let curve = |(p, parameter): (usize, &cardan::analysis::Named)| {
            let y = all[p].iter().map(|row| row[i]).collect();
            Curve::line(format!("by {} [{}]", parameter.name, parameter.unit), times.clone(), y)
        };
        PlotFigure {
            title: format!("Sensitivity of {name}"),
            plot: Plot {
                y_label: format!("derivative of {name}"),
                y_unit: format!("{unit} per parameter"),
                curves: found.parameters.iter().enumerate().map(curve).collect(),
                ..Plot::default()
            },
            ..PlotFigure::default()
        }
    };
    names.iter().enumerate().take(MAX_FIGURES).map(figure).collect()
}
