//! `cardan root_locus`, `cardan modes --over`: eigenvalues while a parameter varies, and the values
//! at which stability is won or lost.

use std::f64::consts::TAU;

use cardan::analysis::{About as State, Critical, LocusPoint, LocusQuestion, RootLocus as Locus};
use cardan::model::ExperimentKind;
use cardan::units::Dimension;
use cardan_viewer::{Curve, CurveStyle, Plot, PlotFigure};
use clap::Args;
use serde_json::{Value, json};

use crate::analyze::arguments::{About, Common};
use crate::analyze::locus::parameter_grid::{Over, varied};
use crate::analyze::modes::complex;
use crate::analyze::page::{figures_page, table, write_figures};
use crate::analyze::{Asked, number, prepare};
use crate::exit::{Outcome, Problem};
use crate::files::{csv_cell, digits};
use crate::terminal::{Terminal, columns};

#[derive(Debug, Args)]
pub struct RootLocus {
    #[command(flatten)]
    pub common: Common,
    #[command(flatten)]
    pub about: About,
    /// The parameter and its values: NAME=FROM..TO:COUNT
    #[arg(long, alias = "vary", value_name = "NAME=A..B:N", allow_hyphen_values = true)]
    pub over: Option<String>,
    /// Orders of excitation in the Campbell diagram of a parameter that is an angular velocity; 1,2 if not given
    #[arg(long, value_name = "N", value_delimiter = ',')]
    pub orders: Vec<f64>,
}

/// Values of a range in a block that does not say how many.
const USUAL_POINTS: usize = 101;

pub fn run(terminal: &Terminal, arguments: &RootLocus) -> Result<Outcome, Problem> {
    let terminal = &terminal.quieter(arguments.common.quiet);
    let over = arguments.over.as_deref().map(Over::read).transpose()?;
    let inputs: Vec<String> = over.iter().map(|o| o.name.clone()).collect();
    let mut asked = prepare(terminal, ExperimentKind::RootLocus, &arguments.common, &[], &inputs, Ok)?;
    let given: Vec<Over> = over.into_iter().collect();
    let orders = if arguments.orders.is_empty() { vec![1.0, 2.0] } else { arguments.orders.clone() };
    answer(terminal, &mut asked, &arguments.about, (&given, &orders), arguments.common.quiet)
}

/// The state that a locus is about, for each value anew. Where nothing is said, it is the start, or
/// the equilibrium near it if the start is neither at rest nor in steady motion at these first values
/// of the parameters.
pub fn state_of(
    terminal: &Terminal,
    asked: &mut Asked,
    about: &About,
    first: &[(&str, f64)],
) -> Result<State, Problem> {
    match about.at.clone().or_else(|| asked.word("at")).as_deref() {
        None => {
            for (name, value) in first {
                asked.study.set(name, *value).map_err(Problem::wrong)?;
            }
            let y = asked.study.start(0.0).map_err(Problem::wrong)?;
            let Some(start) = asked.unrest(0.0, &y)? else { return Ok(State::Start) };
            // What sampled blocks assign is held where the mechanism rests with them.
            asked.settled(0.0, &y);
            terminal.note(&format!("{start}; the equilibria near it are used. `--at start` insists"));
            Ok(State::Equilibrium)
        }
        Some("start") => Ok(State::Start),
        Some("equilibrium") => Ok(State::Equilibrium),
        Some(other) => {
            Err(Problem::usage(format!("a locus is taken at the start or at equilibrium, not at `{other}`")))
        }
    }
}

/// The state that a locus is about, in words.
pub fn state_words(state: State) -> &'static str {
    match state {
        State::Start => "start for each",
        State::Equilibrium => "equilibrium for each",
    }
}

/// What was found.
struct Found {
    name: String,
    unit: String,
    points: Vec<LocusPoint>,
    critical: Vec<Critical>,
    /// Resonances of each order of a rotor.
    resonances: Vec<(f64, Critical)>,
    /// Orders drawn in the Campbell diagram; none unless the parameter is an angular velocity.
    orders: Vec<f64>,
}

pub fn answer(
    terminal: &Terminal,
    asked: &mut Asked,
    about: &About,
    (given, orders): (&[Over], &[f64]),
    quiet: bool,
) -> Result<Outcome, Problem> {
    let (name, unit, values) = varied(asked, given, 1, USUAL_POINTS)?.remove(0);
    let first: Vec<(&str, f64)> = values.first().map(|x| (name.as_str(), *x)).into_iter().collect();
    let state = state_of(terminal, asked, about, &first)?;
    asked.say_discretes(terminal);
    asked.warn_of_frozen_blocks(terminal);
    let keep = asked.list(&about.keep, "keep");
    let question = LocusQuestion { parameter: name.clone(), about: state, t: 0.0, keep };
    let locus = Locus::of(&mut asked.study, question, &values).map_err(Problem::failed)?;
    let critical = locus.critical(&mut asked.study).map_err(Problem::failed)?;
    let is_rotor = unit == Dimension::ANGULAR_VELOCITY.to_string();
    let orders = if is_rotor { orders.to_vec() } else { vec![] };
    let mut resonances = vec![];
    for order in &orders {
        let found = locus.resonances(&mut asked.study, *order).map_err(Problem::failed)?;
        resonances.extend(found.into_iter().map(|c| (*order, c)));
    }
    let found = Found { name, unit, points: locus.points, critical, resonances, orders };
    let facts = found.facts(asked);
    let figures = found.figures();
    let mut paths =
        vec![asked.write("locus.json", &format!("{facts:#}\n"))?, asked.write("locus.csv", &found.csv())?];
    paths.extend(write_figures(asked, &figures)?);
    let tables = vec![table("Critical values", "where stability is won or lost", &CRITICAL, found.rows())];
    let summary = vec![
        ("over".to_string(), format!("{} at {} values", found.name, found.points.len())),
        ("about".to_string(), format!("the {}", state_words(state))),
        ("critical values".to_string(), found.words()),
    ];
    paths.push(asked.write("locus.html", &figures_page(asked, "root locus", summary, figures, tables))?);
    asked.deliver()?;
    if terminal.json {
        terminal.print_json(&facts);
    } else if !quiet {
        let what = format!(
            "eigenvalues over {} at {} values, about the {}",
            found.name,
            found.points.len(),
            state_words(state)
        );
        let mut out = asked.heading(terminal, &what);
        out += &found.table();
        out += &found.said();
        paths.iter().for_each(|p| out += &format!("  {}\n", p.display()));
        terminal.print(&out);
    }
    Ok(Outcome::Done)
}

const CRITICAL: [&str; 3] = ["value", "eigenvalue [1/s]", "beyond"];
/// More lines than this are left to the file.
const MAX_LINES: usize = 21;

/// A value with the digits that root finding has.
fn exact(x: f64) -> String {
    let text = format!("{x:.12}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_string() } else { text }
}

impl Found {
    fn facts(&self, asked: &Asked) -> Value {
        let pairs = |list: &[(f64, f64)]| list.iter().map(|z| json!([z.0, z.1])).collect::<Vec<_>>();
        let critical = |c: &Critical| {
            json!({
                "value": c.value, "eigenvalue": [c.eigenvalue.0, c.eigenvalue.1],
                "branch": c.branch.map(|k| k + 1), "after": c.after.name(),
            })
        };
        let resonance = |(order, c): &(f64, Critical)| json!({ "order": order, "value": c.value, "frequency": c.eigenvalue.1 / TAU });
        let points = &self.points;
        json!({
            "ok": true,
            "model": asked.study.model().name,
            "parameter": self.name,
            "unit": self.unit,
            "values": points.iter().map(|p| p.value).collect::<Vec<_>>(),
            "eigenvalues": points.iter().map(|p| pairs(&p.eigenvalues)).collect::<Vec<_>>(),
            "stability": points.iter().map(|p| p.stability.name()).collect::<Vec<_>>(),
            "critical": self.critical.iter().map(critical).collect::<Vec<_>>(),
            "resonances": self.resonances.iter().map(resonance).collect::<Vec<_>>(),
        })
    }

    fn csv(&self) -> String {
        let n = self.points.first().map_or(0, |p| p.eigenvalues.len());
        let heads: Vec<String> = (1..=n).map(|k| format!("re{k} [1/s],im{k} [1/s]")).collect();
        let mut out = format!("{},{},stability\n", csv_cell(&self.name), heads.join(","));
        for p in &self.points {
            let z: Vec<String> =
                p.eigenvalues.iter().map(|z| format!("{},{}", digits(z.0), digits(z.1))).collect();
            out += &format!("{},{},{}\n", digits(p.value), z.join(","), p.stability.name());
        }
        out
    }

    fn rows(&self) -> Vec<Vec<String>> {
        let row = |c: &Critical| {
            vec![
                format!("{} [{}]", exact(c.value), self.unit),
                complex(c.eigenvalue),
                c.after.name().to_string(),
            ]
        };
        self.critical.iter().map(row).collect()
    }

    fn words(&self) -> String {
        let list: Vec<String> =
            self.critical.iter().map(|c| format!("{} [{}]", exact(c.value), self.unit)).collect();
        if list.is_empty() { "none".into() } else { list.join(", ") }
    }

    fn table(&self) -> String {
        let stride = self.points.len().div_ceil(MAX_LINES).max(1);
        let mut rows = vec![vec![self.name.clone(), "eigenvalues".into()]];
        for p in self.points.iter().step_by(stride) {
            let upper = p.eigenvalues.iter().filter(|z| z.1 >= 0.0).map(|z| complex(*z));
            rows.push(std::iter::once(number(p.value)).chain(upper).collect());
        }
        columns(&rows, &[0])
    }

    fn said(&self) -> String {
        let Found { name, unit, .. } = self;
        let mut out = String::new();
        for c in &self.critical {
            let at = match c.eigenvalue.1 {
                0.0 => "an eigenvalue passes zero".to_string(),
                im => format!("a pair passes ±{}i", number(im)),
            };
            out += &format!("  {name} = {} [{unit}]: {at}; beyond, {}\n", exact(c.value), c.after.name());
        }
        for (order, c) in &self.resonances {
            let hertz = number(c.eigenvalue.1 / TAU);
            out += &format!(
                "  {name} = {} [{unit}]: resonance of order {order} at {hertz} Hz\n",
                exact(c.value)
            );
        }
        out
    }

    fn figures(&self) -> Vec<PlotFigure> {
        let Found { name, unit, points, .. } = self;
        let n = points.first().map_or(0, |p| p.eigenvalues.len());
        let of = |k: usize, f: fn(&(f64, f64)) -> f64| -> Vec<f64> {
            points.iter().map(|p| p.eigenvalues.get(k).map_or(f64::NAN, f)).collect()
        };
        let over: Vec<f64> = points.iter().map(|p| p.value).collect();
        let positive =
            |y: Vec<f64>| y.into_iter().map(|y| if y > 0.0 { y } else { f64::NAN }).collect::<Vec<_>>();
        let values = || self.critical.iter().map(|c| c.value).collect::<Vec<_>>();
        let (mut parts, mut plane, mut campbell) = (vec![], vec![], vec![]);
        for k in 0..n {
            let (re, im) = (of(k, |z| z.0), positive(of(k, |z| z.1)));
            parts.push(Curve::line(format!("Re {}", k + 1), over.clone(), re.clone()).colored(k));
            plane.push(Curve::line(format!("branch {}", k + 1), re, of(k, |z| z.1)).colored(k));
            if im.iter().any(|x| x.is_finite()) {
                let hertz = im.iter().map(|x| x / TAU).collect();
                parts.push(
                    Curve::line(format!("Im {}", k + 1), over.clone(), im)
                        .drawn(CurveStyle::Guide)
                        .colored(k),
                );
                campbell.push(Curve::line(format!("branch {}", k + 1), over.clone(), hertz).colored(k));
            }
        }
        parts.push(
            Curve::line("", values(), vec![0.0; self.critical.len()]).drawn(CurveStyle::Circles).colored(6),
        );
        let start = |f: fn(&(f64, f64)) -> f64| {
            points.first().map_or(vec![], |p| p.eigenvalues.iter().map(f).collect())
        };
        plane.push(
            Curve::line("first value", start(|z| z.0), start(|z| z.1)).drawn(CurveStyle::Crosses).colored(6),
        );
        let axis = |c: &Critical| [(0.0, c.eigenvalue.1), (0.0, -c.eigenvalue.1)];
        let (x, y) = self.critical.iter().flat_map(axis).unzip();
        plane.push(Curve::line("critical", x, y).drawn(CurveStyle::Circles).colored(6));
        let mut all = vec![
            PlotFigure {
                title: "Locus".into(),
                note: format!(
                    "real parts, and broken the imaginary parts, over {name}; circles: critical values"
                ),
                plot: Plot {
                    x_label: name.clone(),
                    x_unit: unit.clone(),
                    y_label: "eigenvalues".into(),
                    y_unit: "1/s".into(),
                    curves: parts,
                    ..Plot::default()
                },
            },
            PlotFigure {
                title: "Locus plane".into(),
                note: format!("eigenvalues in their plane while {name} varies"),
                plot: Plot {
                    x_label: "real part".into(),
                    x_unit: "1/s".into(),
                    y_label: "imaginary part".into(),
                    y_unit: "1/s".into(),
                    curves: plane,
                    ..Plot::default()
                },
            },
        ];
        if !self.orders.is_empty() {
            let ends = [over.first(), over.last()].into_iter().flatten().copied().collect::<Vec<_>>();
            for order in &self.orders {
                let y = ends.iter().map(|w| order * w.abs() / TAU).collect();
                campbell.push(
                    Curve::line(format!("{order} ×"), ends.clone(), y).drawn(CurveStyle::Guide).colored(4),
                );
            }
            let (x, y) = self.resonances.iter().map(|(_, c)| (c.value, c.eigenvalue.1 / TAU)).unzip();
            campbell.push(Curve::line("", x, y).drawn(CurveStyle::Circles).colored(6));
            all.push(PlotFigure {
                title: "Campbell".into(),
                note: "natural frequencies over the speed of rotation; broken: orders of excitation; circles: resonances".into(),
                plot: Plot {
                    x_label: name.clone(),
                    x_unit: unit.clone(),
                    y_label: "frequency".into(),
                    y_unit: "Hz".into(),
                    curves: campbell,
                    ..Plot::default()
                },
            });
        }
        all
    }
}
