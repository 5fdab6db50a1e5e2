//! `cardan lqr`, `cardan kalman`, `cardan pole_placement`: feedback and observers, written back as
//! a model text with the loop closed.

use std::path::PathBuf;

use cardan::analysis::{LinearSystem, Named};
use cardan::control::controllability::{controllable_rank, observable_rank};
use cardan::control::{Complex, Matrix};
use cardan::lang::{At, FeedbackLaw, ObserverLaw, with_feedback};
use cardan::model::{Experiment, ExperimentKind, Setting};
use cardan::units::{Dimension, Unit};
use clap::Args;
use serde_json::{Value, json};

use crate::analyze::arguments::{About, Common};
use crate::analyze::frequency::linear_system::{Ports, Prepared, prepared};
use crate::analyze::frequency::response::{list, matrix};
use crate::analyze::number;
use crate::exit::{Outcome, Problem};
use crate::load::first_error;
use crate::run::request::quantity_of;
use crate::terminal::{Terminal, columns};

#[derive(Debug, Args)]
pub struct Lqr {
    #[command(flatten)]
    pub common: Common,
    #[command(flatten)]
    pub about: About,
    #[command(flatten)]
    pub ports: Ports,
    /// The size of a state, output or input that is accepted: its weight is 1/size^2; may be repeated
    #[arg(long = "size", value_name = "NAME=VALUE")]
    pub size: Vec<String>,
    /// Feed back the estimates of the Kalman filter that the `kalman` block asks for (LQG)
    #[arg(long)]
    pub observer: bool,
}

#[derive(Debug, Args)]
pub struct Kalman {
    #[command(flatten)]
    pub common: Common,
    #[command(flatten)]
    pub about: About,
    #[command(flatten)]
    pub ports: Ports,
    /// The size of the noise of an output, input or state, the root of its density per Hz; may be repeated
    #[arg(long = "size", value_name = "NAME=VALUE")]
    pub size: Vec<String>,
}

#[derive(Debug, Args)]
pub struct PolePlacement {
    #[command(flatten)]
    pub common: Common,
    #[command(flatten)]
    pub about: About,
    #[command(flatten)]
    pub ports: Ports,
    /// The poles in 1/s, separated by commas: -1,-2±3i
    #[arg(long, value_name = "POLES", allow_hyphen_values = true)]
    pub poles: Option<String>,
    /// The poles of an observer of the outputs, whose estimates are fed back
    #[arg(long, value_name = "POLES", allow_hyphen_values = true)]
    pub observer: Option<String>,
}

/// A feedback, an observer, or both.
#[derive(Default)]
struct Design {
    /// K, with the poles of A − B K.
    feedback: Option<(Matrix, Vec<Complex>)>,
    /// L, with the poles of A − L C.
    observer: Option<(Matrix, Vec<Complex>)>,
    /// The relative residual of the Riccati equations.
    residual: Option<f64>,
    /// What it is, in words.
    words: String,
}

pub fn run_lqr(terminal: &Terminal, arguments: &Lqr) -> Result<Outcome, Problem> {
    let terminal = &terminal.quieter(arguments.common.quiet);
    let prepared =
        for_feedback(terminal, ExperimentKind::Lqr, &arguments.common, &arguments.about, &arguments.ports)?;
    let sizes = sizes(&prepared, &arguments.size, prepared.asked.block())?;
    let found = prepared.system.regulator(&sizes).map_err(|error| {
        Problem::failed(error)
            .hint("give a size to every input and to every coordinate that should come to rest")
    })?;
    let mut design = Design {
        feedback: Some((found.gain, found.poles)),
        residual: Some(found.residual),
        words: "Linear quadratic regulator".into(),
        ..Design::default()
    };
    if arguments.observer {
        let blocks = &prepared.asked.study.model().experiments;
        let block = blocks.iter().find(|e| e.kind == ExperimentKind::Kalman).ok_or_else(|| {
            Problem::usage("the text has no `kalman` block").hint("write `kalman { F = 1 [N]; x = 1 [mm] }`")
        })?;
        let noise = self::sizes(&prepared, &[], Some(block))?;
        let filter = prepared.system.filter(&noise).map_err(Problem::failed)?;
        design.observer = Some((filter.gain, filter.poles));
        design.words = "Linear quadratic regulator with a Kalman filter".into();
    }
    answer(terminal, &prepared, &design, "lqr", &arguments.common)
}

pub fn run_kalman(terminal: &Terminal, arguments: &Kalman) -> Result<Outcome, Problem> {
    let terminal = &terminal.quieter(arguments.common.quiet);
    let (common, about, ports) = (&arguments.common, &arguments.about, &arguments.ports);
    let prepared = for_feedback(terminal, ExperimentKind::Kalman, common, about, ports)?;
    let sizes = sizes(&prepared, &arguments.size, prepared.asked.block())?;
    let found = prepared.system.filter(&sizes).map_err(|error| {
        Problem::failed(error).hint("give a size of noise to every output and to the inputs that disturb")
    })?;
    let design = Design {
        observer: Some((found.gain, found.poles)),
        residual: Some(found.residual),
        words: "Kalman filter".into(),
        ..Design::default()
    };
    answer(terminal, &prepared, &design, "kalman", &arguments.common)
}

pub fn run_pole_placement(terminal: &Terminal, arguments: &PolePlacement) -> Result<Outcome, Problem> {
    let terminal = &terminal.quieter(arguments.common.quiet);
    let kind = ExperimentKind::PolePlacement;
    let prepared = for_feedback(terminal, kind, &arguments.common, &arguments.about, &arguments.ports)?;
    let text = arguments.poles.clone().or_else(|| prepared.asked.word("poles"));
    let text = text.ok_or_else(|| Problem::usage("no poles are given").hint("write --poles=-1,-2±3i"))?;
    let feedback = prepared.system.placed(&poles(&text)?).map_err(Problem::failed)?;
    let observer = arguments.observer.clone().or_else(|| prepared.asked.word("observer"));
    let observer = match observer {
        Some(text) => Some(prepared.system.observer_placed(&poles(&text)?).map_err(Problem::failed)?),
        None => None,
    };
    let words = "Feedback by pole placement".into();
    let design = Design { feedback: Some(feedback), observer, words, ..Design::default() };
    answer(terminal, &prepared, &design, "pole_placement", &arguments.common)
}

/// The linear system, whose inputs are loads: the states of a system with given motions are not
/// those of the model.
fn for_feedback(
    terminal: &Terminal,
    kind: ExperimentKind,
    common: &Common,
    about: &About,
    ports: &Ports,
) -> Result<Prepared, Problem> {
    let prepared = prepared(terminal, kind, common, about, ports)?;
    match prepared.is_moved {
        true => Err(Problem::wrong("an input moves constraints; feedback acts by loads")
            .hint("let a force or torque follow the input, or name other inputs: --input F")),
        false => Ok(prepared),
    }
}

/// Sizes that the command line gives, over those of a block.
fn sizes(
    prepared: &Prepared,
    given: &[String],
    block: Option<&Experiment>,
) -> Result<Vec<(String, f64)>, Problem> {
    let system = &prepared.system;
    let all = || system.states.iter().chain(&system.inputs).chain(&system.outputs);
    let mut found: Vec<(String, f64)> = vec![];
    for (name, setting, _) in block.iter().flat_map(|b| &b.settings) {
        if let (Setting::Scalar(e, _), true) = (setting, all().any(|q| q.name == *name)) {
            found.push((name.clone(), prepared.asked.value(*e)));
        }
    }
    for text in given {
        let (name, value) = text.split_once('=').ok_or_else(|| {
            Problem::usage(format!("`{text}` is no size"))
                .hint("write --size NAME=VALUE, such as --size 'x=10 [cm]'")
        })?;
        let name = name.trim();
        let dimension = all().find(|q| q.name == name).map_or(Dimension::ONE, dimension);
        let value = quantity_of(value, name, dimension)?;
        found.retain(|(known, _)| known != name);
        found.push((name.to_string(), value));
    }
    Ok(found)
}

fn dimension(named: &Named) -> Dimension {
    Unit::parse(&named.unit).map_or(Dimension::ONE, |unit| unit.dimension())
}

/// `-1, -2+3i, -2-3i`, or `-2±3i` for both of a pair.
fn poles(text: &str) -> Result<Vec<Complex>, Problem> {
    let wrong = |part: &str| {
        Problem::usage(format!("`{part}` is no pole")).hint("write numbers in 1/s: -1, -2+3i, -2-3i or -2±3i")
    };
    let mut found = vec![];
    for part in text.split(',') {
        let plain: String = part.chars().filter(|c| !c.is_whitespace()).collect();
        if let Some((re, im)) = plain.split_once('±') {
            let im = im.strip_suffix(['i', 'j']).ok_or_else(|| wrong(part))?;
            let number = |text: &str| text.parse::<f64>().ok();
            let (re, im) = number(re).zip(number(im)).ok_or_else(|| wrong(part))?;
            found.extend([Complex::new(re, im), Complex::new(re, -im)]);
            continue;
        }
        match plain.strip_suffix(['i', 'j']) {
            None => found.push(Complex::new(plain.parse().map_err(|_| wrong(part))?, 0.0)),
            Some(complex) => {
                // The sign between the parts is the last one that does not belong to an exponent.
                let signs = complex
                    .char_indices()
                    .skip(1)
                    .filter(|(k, c)| matches!(c, '+' | '-') && !complex[..*k].ends_with(['e', 'E']));
                let at = signs.map(|(k, _)| k).last().unwrap_or(0);
                let (re, im) = complex.split_at(at);
                let re = if re.is_empty() { Ok(0.0) } else { re.parse::<f64>() };
                let (re, im) = re.ok().zip(im.parse::<f64>().ok()).ok_or_else(|| wrong(part))?;
                found.push(Complex::new(re, im));
            }
        }
    }
    Ok(found)
}

fn answer(
    terminal: &Terminal,
    prepared: &Prepared,
    design: &Design,
    verb: &str,
    common: &Common,
) -> Result<Outcome, Problem> {
    let asked = &prepared.asked;
    let facts = describe(prepared, design)?;
    let mut paths = vec![asked.write(&format!("{verb}.json"), &format!("{facts:#}\n"))?];
    let written = match with_feedback(&asked.text, &law(prepared, design)?) {
        // A text that nobody can read is not written.
        Ok(text) => match first_error(&common.file, &common.reading.setting(&common.set), &text)? {
            Some(error) => Err(error),
            None => Ok(text),
        },
        Err(reason) => Err(reason),
    };
    match written {
        Ok(text) => {
            // Named by the design, so that none overwrites another's.
            let what = if design.feedback.is_some() { "closed_loop" } else { "observer" };
            paths.push(asked.write(&format!("{what}_{verb}.mbs"), &text)?);
        }
        Err(reason) => terminal.warning(&format!("the loop is not written as text: {reason}")),
    }
    asked.deliver()?;
    if terminal.json {
        terminal.print_json(&facts);
    } else if !common.quiet {
        terminal.print(&said(terminal, prepared, design, &paths));
    }
    Ok(Outcome::Done)
}

fn said(terminal: &Terminal, prepared: &Prepared, design: &Design, paths: &[PathBuf]) -> String {
    let LinearSystem { states, inputs, outputs, .. } = &prepared.system;
    let mut out = prepared.asked.heading(terminal, &format!("{} about {}", design.words, prepared.about));
    let names = |list: &[Named]| list.iter().map(|q| q.name.clone()).collect::<Vec<_>>();
    let gains = |m: &Matrix, rows: Vec<String>, heads: Vec<String>| {
        let head = std::iter::once(String::new()).chain(heads.clone()).collect();
        let row = |(i, name): (usize, String)| {
            std::iter::once(name).chain((0..m.ncols()).map(|j| number(m[(i, j)]))).collect()
        };
        let all: Vec<Vec<String>> =
            std::iter::once(head).chain(rows.into_iter().enumerate().map(row)).collect();
        columns(&all, &(1..=heads.len()).collect::<Vec<_>>())
    };
    if let Some((k, poles)) = &design.feedback {
        out += &format!("{}\n", terminal.bold("feedback K of u = reference - K x"));
        out += &gains(k, names(inputs), names(states));
        out += &format!("  poles [1/s]: {}\n", list(poles));
    }
    if let Some((l, poles)) = &design.observer {
        out += &format!("{}\n", terminal.bold("observer gain L"));
        out += &gains(l, names(states), names(outputs));
        out += &format!("  poles [1/s]: {}\n", list(poles));
    }
    if let Some(residual) = design.residual {
        out += &format!("  residual of the Riccati equation: {residual:.1e}\n");
    }
    paths.iter().for_each(|p| out += &format!("  {}\n", p.display()));
    out
}

fn describe(prepared: &Prepared, design: &Design) -> Result<Value, Problem> {
    let LinearSystem { system, states, inputs, outputs } = &prepared.system;
    let names = |list: &[Named]| list.iter().map(|q| q.name.clone()).collect::<Vec<_>>();
    let roots = |poles: &[Complex]| poles.iter().map(|z| json!([z.re, z.im])).collect::<Vec<_>>();
    let of = |part: &Option<(Matrix, Vec<Complex>)>| {
        part.as_ref().map(|(gain, poles)| json!({ "gain": matrix(gain), "poles": roots(poles) }))
    };
    Ok(json!({
        "ok": true,
        "model": prepared.asked.study.model().name,
        "point": prepared.linear.point.words(),
        "states": names(states), "inputs": names(inputs), "outputs": names(outputs),
        "feedback": of(&design.feedback),
        "observer": of(&design.observer),
        "riccati_residual": design.residual,
        "controllable": controllable_rank(system).map_err(Problem::failed)?,
        "observable": observable_rank(system).map_err(Problem::failed)?,
    }))
}

/// The feedback as it is written into the text.
fn law(prepared: &Prepared, design: &Design) -> Result<FeedbackLaw, Problem> {
    let LinearSystem { system, states, inputs, outputs } = &prepared.system;
    let linear = &prepared.linear;
    let at = |named: &Named, value: f64| At { name: named.name.clone(), dimension: dimension(named), value };
    // A departure below rounding is none.
    let tidy = |x: f64| if x.abs() < 1e-12 { 0.0 } else { x };
    let of_state = |k: usize| at(&states[k], tidy(linear.state[linear.independent[k].place]));
    let of_input = |named: &Named| at(named, prepared.asked.study.parameter(&named.name).unwrap_or(0.0));
    let mut study = prepared.asked.study.clone();
    let values = study.outputs(linear.time, &linear.state).map_err(Problem::failed)?;
    let of_output = |named: &Named| {
        let outputs = linear.outputs.iter().position(|o| o.name == named.name).map(|k| values[k]);
        let place = || study.place(&named.name).ok().map(|k| linear.state[k]);
        at(named, tidy(outputs.or_else(place).unwrap_or(0.0)))
    };
    let observer = design.observer.as_ref().map(|(gain, _)| ObserverLaw {
        outputs: outputs.iter().map(of_output).collect(),
        a: matrix(&system.a),
        b: matrix(&system.b),
        c: matrix(&system.c),
        d: matrix(&system.d),
        gain: matrix(gain),
    });
    Ok(FeedbackLaw {
        heading: format!("{} about {}.", design.words, prepared.about),
        inputs: inputs.iter().map(of_input).collect(),
        states: (0..states.len()).map(of_state).collect(),
        gain: design.feedback.as_ref().map_or(vec![], |(gain, _)| matrix(gain)),
        observer,
    })
}

#[cfg(test)]
mod tests {
    use super::poles;

    #[test]
    fn poles_are_read_in_every_spelling() {
        let read = |text: &str| poles(text).ok().map(|p| p.iter().map(|z| (z.re, z.im)).collect::<Vec<_>>());
        assert_eq!(read("-1, -2±3i"), Some(vec![(-1.0, 0.0), (-2.0, 3.0), (-2.0, -3.0)]));
        assert_eq!(read("-1e-1+2i,-1e-1 - 2e0j"), Some(vec![(-0.1, 2.0), (-0.1, -2.0)]));
        assert_eq!(read("3i"), Some(vec![(0.0, 3.0)]));
        assert_eq!((read("x"), read("-1+i3"), read("")), (None, None, None));
    }
}
