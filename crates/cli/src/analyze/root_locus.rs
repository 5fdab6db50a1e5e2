//! `cardan modes --over`: eigenvalues while a parameter varies, as table and figures.

use cardan::analysis::{About as State, LocusPoint, root_locus};
use cardan::units::Dimension;
use cardan_viewer::{Curve, Plot, svg_plot};
use serde_json::{Value, json};

use crate::analyze::arguments::About;
use crate::analyze::modes::complex;
use crate::analyze::{Asked, number};
use crate::exit::{Outcome, Problem};
use crate::files::{csv_cell, digits};
use crate::run::request::{quantity_of, with_unit};
use crate::terminal::{Terminal, columns};

/// A parameter and the range of its values as written.
pub struct Over {
    pub name: String,
    range: String,
}

const MAX_VALUES: f64 = 1e5;
/// How many values a range has that does not say.
const USUAL_VALUES: &str = "21";

impl Over {
    /// `NAME=A..B:N` as `sweep --vary` has it, `NAME=V,V,V`, or `NAME=A:B:STEP`.
    pub fn read(text: &str) -> Result<Over, Problem> {
        let (name, range) = text.split_once('=').ok_or_else(|| wrong(text))?;
        Ok(Over { name: name.trim().to_string(), range: range.to_string() })
    }

    /// The values, of the dimension that the parameter has. The end belongs to the range even if the step is not exact in binary.
    fn values(&self, dimension: Dimension) -> Result<Vec<f64>, Problem> {
        let number = |part: &String| quantity_of(part, &self.name, dimension);
        let numbers =
            |parts: &[&str]| with_unit(parts).iter().map(number).collect::<Result<Vec<f64>, Problem>>();
        if let Some((from, rest)) = self.range.split_once("..") {
            let (to, n) = rest.rsplit_once(':').unwrap_or((rest, USUAL_VALUES));
            let n: usize = n.trim().parse().map_err(|_| wrong(&self.range))?;
            if n < 2 || n as f64 > MAX_VALUES {
                return Err(wrong(&self.range));
            }
            let ends = numbers(&[from, to])?;
            let step = (ends[1] - ends[0]) / (n - 1) as f64;
            return Ok((0..n)
                .map(|k| if k + 1 == n { ends[1] } else { ends[0] + step * k as f64 })
                .collect());
        }
        if self.range.contains(',') {
            return numbers(&self.range.split(',').collect::<Vec<_>>());
        }
        let [a, b, step] = numbers(&self.range.split(':').collect::<Vec<_>>())?[..] else {
            return Err(wrong(&self.range));
        };
        let n = ((b - a) / step).abs();
        if step == 0.0 || !n.is_finite() {
            return Err(wrong(&self.range));
        }
        if n > MAX_VALUES {
            let many =
                format!("`{}` has {:.0} values, and a locus at most {MAX_VALUES}", self.range, n + 1.0);
            return Err(Problem::usage(many).hint("take longer steps"));
        }
        let step = step.abs() * (b - a).signum();
        Ok((0..=(n + 1e-9).floor() as usize).map(|k| a + step * k as f64).collect())
    }
}

fn wrong(text: &str) -> Problem {
    Problem::usage(format!("`{text}` is no range"))
        .hint("write --over NAME=FROM..TO:COUNT, such as --over v=0..10:101 or --over 'L=50..200 [cm]:31'")
}

pub fn run(
    terminal: &Terminal,
    asked: &mut Asked,
    about: &About,
    over: &Over,
    quiet: bool,
) -> Result<Outcome, Problem> {
    let state = match about.at.clone().or_else(|| asked.word("at")).as_deref() {
        None | Some("start") => State::Start,
        Some("equilibrium") => State::Equilibrium,
        Some(other) => {
            return Err(Problem::usage(format!(
                "a locus is taken at the start or at equilibrium, not at `{other}`"
            )));
        }
    };
    asked.say_discretes(terminal);
    let keep = asked.list(&about.keep, "keep");
    let quantities = || asked.study.model().parameters.iter().map(|(_, p)| &p.quantity);
    let dimension = quantities().find(|q| q.name == over.name).map_or(Dimension::ONE, |q| q.dimension);
    let values = over.values(dimension)?;
    let found = root_locus(&mut asked.study, &over.name, &values, state, 0.0, &keep);
    let found = found.map_err(Problem::failed)?;
    let changes = changes(&found);
    let facts = json!({
        "ok": true,
        "model": asked.study.model().name,
        "parameter": over.name,
        "values": found.iter().map(|p| p.value).collect::<Vec<_>>(),
        "eigenvalues": found.iter().map(|p| Value::Array(p.eigenvalues.iter().map(|z| json!([z.0, z.1])).collect())).collect::<Vec<_>>(),
        "stability": found.iter().map(|p| p.stability.name()).collect::<Vec<_>>(),
        "changes": changes.iter().map(|(a, b, words)| json!({ "between": [a, b], "to": words })).collect::<Vec<_>>(),
    });
    let paths = [
        asked.write("locus.json", &format!("{facts:#}\n"))?,
        asked.write("locus.csv", &csv(&over.name, &found))?,
        asked.write("locus.svg", &svg_plot(&parts(asked, &over.name, &found, false)))?,
        asked.write("locus-plane.svg", &svg_plot(&parts(asked, &over.name, &found, true)))?,
    ];
    asked.deliver()?;
    if terminal.json {
        terminal.print_json(&facts);
    } else if !quiet {
        let mut out =
            asked.heading(terminal, &format!("eigenvalues over {} at {} values", over.name, found.len()));
        out += &table(&over.name, &found);
        for (a, b, words) in &changes {
            out += &format!("  between {} = {} and {}: {words}\n", over.name, number(*a), number(*b));
        }
        paths.iter().for_each(|p| out += &format!("  {}\n", p.display()));
        terminal.print(&out);
    }
    Ok(Outcome::Done)
}

/// Where the verdict changes.
fn changes(found: &[LocusPoint]) -> Vec<(f64, f64, &'static str)> {
    let pairs = found.windows(2).filter(|w| w[0].stability != w[1].stability);
    pairs.map(|w| (w[0].value, w[1].value, w[1].stability.name())).collect()
}

fn csv(name: &str, found: &[LocusPoint]) -> String {
    let n = found.first().map_or(0, |p| p.eigenvalues.len());
    let heads: Vec<String> = (1..=n).map(|k| format!("re{k} [1/s],im{k} [1/s]")).collect();
    let mut out = format!("{},{},stability\n", csv_cell(name), heads.join(","));
    for p in found {
        let z: Vec<String> =
            p.eigenvalues.iter().map(|z| format!("{},{}", digits(z.0), digits(z.1))).collect();
        out += &format!("{},{},{}\n", digits(p.value), z.join(","), p.stability.name());
    }
    out
}

/// More lines than this are left to the file.
const MAX_LINES: usize = 21;

fn table(name: &str, found: &[LocusPoint]) -> String {
    let stride = found.len().div_ceil(MAX_LINES).max(1);
    let mut rows = vec![vec![name.to_string(), "eigenvalues".into()]];
    for p in found.iter().step_by(stride) {
        let upper = p.eigenvalues.iter().filter(|z| z.1 >= 0.0).map(|z| complex(*z));
        rows.push(std::iter::once(number(p.value)).chain(upper).collect());
    }
    columns(&rows, &[0])
}

/// Real parts and frequencies over the parameter, or eigenvalues in their plane.
fn parts(asked: &Asked, name: &str, found: &[LocusPoint], plane: bool) -> Plot {
    let n = found.first().map_or(0, |p| p.eigenvalues.len());
    let of = |k: usize, f: fn(&(f64, f64)) -> f64| -> Vec<f64> {
        found.iter().map(|p| p.eigenvalues.get(k).map_or(f64::NAN, f)).collect()
    };
    let over: Vec<f64> = found.iter().map(|p| p.value).collect();
    let mut curves = vec![];
    for k in 0..n {
        let (re, im) = (of(k, |z| z.0), of(k, |z| z.1));
        if plane {
            curves.push(Curve::line(format!("branch {}", k + 1), re, im));
        } else {
            curves.push(Curve::line(format!("Re {}", k + 1), over.clone(), re));
            if im.iter().any(|x| *x > 0.0) {
                let upper = im.iter().map(|x| if *x > 0.0 { *x } else { f64::NAN }).collect();
                curves.push(Curve::line(format!("Im {}", k + 1), over.clone(), upper));
            }
        }
    }
    let unit = asked.study.input_names().first().map_or(String::new(), |n| n.unit.clone());
    let title = format!("{}: eigenvalues over {name}", asked.study.model().name);
    let (x_label, x_unit) = if plane { ("real part".into(), "1/s".into()) } else { (name.to_string(), unit) };
    let y_label = if plane { "imaginary part" } else { "eigenvalues" };
    Plot { title, x_label, x_unit, y_label: y_label.into(), y_unit: "1/s".into(), curves, ..Plot::default() }
}
