//! `cardan stability`: where in the plane of two parameters a state is stable.

use cardan::analysis::{LocusQuestion, Stability as Verdict, StabilityMap, stability_map};
use cardan::model::ExperimentKind;
use cardan_viewer::{Curve, CurveStyle, MapCell, Plot, PlotFigure};
use clap::Args;
use serde_json::json;

use crate::analyze::arguments::{About, Common};
use crate::analyze::locus::parameter_grid::{Over, varied};
use crate::analyze::locus::root_locus::{state_of, state_words};
use crate::analyze::page::{figures_page, write_figures};
use crate::analyze::prepare;
use crate::exit::{Outcome, Problem};
use crate::files::{csv_cell, digits};
use crate::terminal::Terminal;

#[derive(Debug, Args)]
pub struct Stability {
    #[command(flatten)]
    pub common: Common,
    #[command(flatten)]
    pub about: About,
    /// A parameter and its values, NAME=FROM..TO:COUNT; given twice
    #[arg(long, alias = "vary", value_name = "NAME=A..B:N", allow_hyphen_values = true)]
    pub over: Vec<String>,
}

/// Values of a range in a block that does not say how many.
const USUAL_POINTS: usize = 31;
/// Cells of a map at most.
const MAX_CELLS: usize = 250_000;

pub fn run(terminal: &Terminal, arguments: &Stability) -> Result<Outcome, Problem> {
    let terminal = &terminal.quieter(arguments.common.quiet);
    let over = arguments.over.iter().map(|text| Over::read(text)).collect::<Result<Vec<_>, _>>()?;
    let inputs: Vec<String> = over.iter().map(|o| o.name.clone()).collect();
    let mut asked = prepare(terminal, ExperimentKind::Stability, &arguments.common, &[], &inputs, Ok)?;
    let keep = asked.list(&arguments.about.keep, "keep");
    let [first, second] = <[_; 2]>::try_from(varied(&asked, &over, 2, USUAL_POINTS)?)
        .map_err(|_| Problem::usage("a map has two parameters"))?;
    if first.2.len() * second.2.len() > MAX_CELLS {
        let n = first.2.len() * second.2.len();
        return Err(Problem::usage(format!("{n} cells are asked for; a map has at most {MAX_CELLS}")));
    }
    let corner = [&first, &second].map(|(name, _, values)| values.first().map(|x| (name.as_str(), *x)));
    let corner: Vec<(&str, f64)> = corner.into_iter().flatten().collect();
    let about = state_of(terminal, &mut asked, &arguments.about, &corner)?;
    asked.say_discretes(terminal);
    asked.warn_of_frozen_blocks(terminal);
    let question = LocusQuestion { parameter: first.0.clone(), about, t: 0.0, keep };
    let map = stability_map(&mut asked.study, &question, &first.2, (&second.0, &second.2))
        .map_err(Problem::failed)?;
    let count = |verdict: Verdict| map.verdicts.iter().flatten().filter(|v| **v == Some(verdict)).count();
    let words = |v: &Option<Verdict>| v.map_or("no answer", Verdict::name);
    let facts = json!({
        "ok": true,
        "model": asked.study.model().name,
        "parameters": [{ "name": first.0, "unit": first.1 }, { "name": second.0, "unit": second.1 }],
        "values": [map.first, map.second],
        "stability": map.verdicts.iter().map(|row| row.iter().map(words).collect::<Vec<_>>()).collect::<Vec<_>>(),
        "abscissa": map.abscissa,
        "boundary": map.boundary.iter().map(|(a, b)| json!([a, b])).collect::<Vec<_>>(),
    });
    let mut csv = format!("{},{},abscissa [1/s],stability\n", csv_cell(&first.0), csv_cell(&second.0));
    for (i, a) in map.first.iter().enumerate() {
        for (j, b) in map.second.iter().enumerate() {
            let verdict = words(&map.verdicts[i][j]);
            csv += &format!("{},{},{},{verdict}\n", digits(*a), digits(*b), digits(map.abscissa[i][j]));
        }
    }
    let figures = vec![figure(&map, (&first.0, &first.1), (&second.0, &second.1))];
    let mut paths =
        vec![asked.write("stability.json", &format!("{facts:#}\n"))?, asked.write("stability.csv", &csv)?];
    paths.extend(write_figures(&asked, &figures)?);
    let shares = [Verdict::Asymptotic, Verdict::Marginal, Verdict::Unstable];
    let total = map.first.len() * map.second.len();
    let shares: Vec<(String, String)> = (shares.into_iter())
        .filter(|v| count(*v) > 0)
        .map(|v| (v.name().to_string(), format!("{} of {total} cells", count(v))))
        .collect();
    paths.push(
        asked.write("stability.html", &figures_page(&asked, "stability", shares.clone(), figures, vec![]))?,
    );
    asked.deliver()?;
    if terminal.json {
        terminal.print_json(&facts);
    } else if !arguments.common.quiet {
        let mut out = asked.heading(
            terminal,
            &format!("stability over {} and {}, about the {}", first.0, second.0, state_words(about)),
        );
        shares.iter().for_each(|(name, n)| out += &format!("  {name}: {n}\n"));
        out += &format!("  {} points of the boundary\n", map.boundary.len());
        paths.iter().for_each(|p| out += &format!("  {}\n", p.display()));
        terminal.print(&out);
    }
    Ok(Outcome::Done)
}

/// Cells about the values, and the boundary between them.
fn figure(map: &StabilityMap, first: (&str, &str), second: (&str, &str)) -> PlotFigure {
    let edges = |v: &[f64], k: usize| {
        let before = if k == 0 { v[0] } else { 0.5 * (v[k - 1] + v[k]) };
        let after = if k + 1 == v.len() { v[k] } else { 0.5 * (v[k] + v[k + 1]) };
        (before, after)
    };
    let mut cells = vec![];
    for (i, row) in map.verdicts.iter().enumerate() {
        for (j, verdict) in row.iter().enumerate() {
            let color = match verdict {
                None => continue,
                Some(Verdict::Asymptotic) => 2,
                Some(Verdict::Marginal) => 4,
                Some(Verdict::Unstable) => 6,
            };
            cells.push(MapCell { x: edges(&map.first, i), y: edges(&map.second, j), color });
        }
    }
    let (x, y) = map.boundary.iter().copied().unzip();
    let key = |name: &str, color: usize| Curve::line(name, vec![], vec![]).colored(color);
    PlotFigure {
        title: "Stability map".into(),
        note:
            "green: asymptotically stable, yellow: marginally, red: unstable; circles: the boundary, refined"
                .into(),
        plot: Plot {
            x_label: first.0.into(),
            x_unit: first.1.into(),
            y_label: second.0.into(),
            y_unit: second.1.into(),
            cells,
            curves: vec![
                Curve::line("boundary", x, y).drawn(CurveStyle::Circles).colored(0),
                key("asymptotically stable", 2),
                key("marginally stable", 4),
                key("unstable", 6),
            ],
            height: 520.0,
            ..Plot::default()
        },
    }
}
