//! `cardan trim`: a steady motion with wanted values, and the inputs that keep it up.

use cardan::analysis::{Named, Trim as Found, trim as find};
use cardan::model::{ExperimentKind, Setting};
use cardan::units::{Dimension, Unit};
use clap::Args;
use serde_json::{Value, json};

use crate::analyze::arguments::Common;
use crate::analyze::{Asked, number, prepare, scale};
use crate::exit::{Outcome, Problem};
use crate::run::request::quantity_of;
use crate::run::restart::Restart;
use crate::terminal::{Terminal, columns};

#[derive(Debug, Args)]
pub struct Trim {
    #[command(flatten)]
    pub common: Common,
    /// A state or output with the value that it is to have; may be repeated
    #[arg(long, value_name = "NAME=VALUE", allow_hyphen_values = true)]
    pub want: Vec<String>,
    /// Inputs or parameters that are found, separated by commas; all inputs of the model if not given
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub input: Vec<String>,
}

pub fn run(terminal: &Terminal, arguments: &Trim) -> Result<Outcome, Problem> {
    let terminal = &terminal.quieter(arguments.common.quiet);
    let mut asked = prepare(terminal, ExperimentKind::Trim, &arguments.common, &[], &arguments.input, Ok)?;
    asked.say_discretes(terminal);
    let wanted = wanted(&asked, &arguments.want)?;
    let inputs = asked.study.input_names();
    let found = find(&mut asked.study, 0.0, &wanted).map_err(Problem::wrong)?;
    let facts = facts(&asked, &found, &inputs, &wanted);
    let mut restart = Restart::of(asked.study.model(), 0.0, &found.state, asked.study.discretes());
    restart.values.extend(inputs.iter().map(|n| n.name.clone()).zip(found.inputs.iter().copied()));
    let mut paths = vec![asked.write("trim.json", &format!("{facts:#}\n"))?];
    if found.balanced {
        paths.push(asked.write("restart.json", &restart.text())?);
    }
    asked.deliver()?;
    if terminal.json {
        terminal.print_json(&facts);
    } else if !arguments.common.quiet {
        let what = match found.balanced {
            true => format!("steady motion after {} iterations", found.iterations),
            false => "no steady motion; the search ended at".to_string(),
        };
        let mut out = asked.heading(terminal, &what);
        let states = asked.shown(&found.state).into_iter();
        let outputs = asked.study.model().outputs.iter().zip(&found.outputs).map(|(o, x)| {
            let (factor, unit) = scale(&o.quantity);
            (o.quantity.name.clone(), x * factor, unit)
        });
        let inputs = inputs.iter().zip(&found.inputs).map(|(n, x)| (n.name.clone(), *x, n.unit.clone()));
        let rows = inputs.chain(states).chain(outputs);
        let rows: Vec<Vec<String>> = rows.map(|(n, x, u)| vec![n, number(x), format!("[{u}]")]).collect();
        out += &columns(&rows, &[1]);
        if let Some(stability) = found.stability {
            out += &format!("  {}\n", stability.name());
        }
        paths.iter().for_each(|p| out += &format!("  {}\n", p.display()));
        terminal.print(&out);
    }
    if found.balanced {
        return Ok(Outcome::Done);
    }
    let left = number(found.residual);
    terminal.problem(
        &Problem::failed(format!("no steady motion was found: {left} is left of its equations, in SI units"))
            .hint("start nearer to it with --set, want less, or let more inputs vary with --input; what turns is steady in speeds along its own axes: `speed u = dot(velocity(car.o), car.x)`"),
    );
    Ok(Outcome::Failed)
}

/// Values that are wanted, by the command line over the block.
fn wanted(asked: &Asked, given: &[String]) -> Result<Vec<(String, f64)>, Problem> {
    let mut found: Vec<(String, f64)> = vec![];
    for (name, setting, _) in asked.block().iter().flat_map(|b| &b.settings) {
        if let Setting::Scalar(e, _) = setting {
            found.push((name.clone(), asked.value(*e)));
        }
    }
    for text in given {
        let (name, value) = text.split_once('=').ok_or_else(|| {
            Problem::usage(format!("`{text}` is no wanted value"))
                .hint("write --want NAME=VALUE, such as --want 'der(x)=20 [m/s]'")
        })?;
        let name = name.trim();
        let states = (0..asked.study.n_states()).map(|k| asked.study.state(k).0);
        let named = states.chain(asked.study.output_names()).find(|n| n.name == name);
        let dimension =
            named.and_then(|n| Unit::parse(&n.unit).ok()).map_or(Dimension::ONE, |u| u.dimension());
        let value = quantity_of(value, name, dimension)?;
        found.retain(|(known, _)| known != name);
        found.push((name.to_string(), value));
    }
    Ok(found)
}

fn facts(asked: &Asked, found: &Found, inputs: &[Named], wanted: &[(String, f64)]) -> Value {
    let names = |list: Vec<String>, values: &[f64]| -> serde_json::Map<String, Value> {
        list.into_iter().zip(values).map(|(n, x)| (n, json!(x))).collect()
    };
    let states = (0..asked.study.n_states()).map(|k| asked.study.state(k).0.name).collect();
    let outputs = asked.study.output_names().into_iter().map(|o| o.name).collect();
    json!({
        "ok": found.balanced,
        "model": asked.study.model().name,
        "wanted": wanted.iter().map(|(n, x)| (n.clone(), json!(x))).collect::<serde_json::Map<_, _>>(),
        "inputs": names(inputs.iter().map(|n| n.name.clone()).collect(), &found.inputs),
        "state": names(states, &found.state),
        "outputs": names(outputs, &found.outputs),
        "residual": found.residual,
        "iterations": found.iterations,
        "stability": found.stability.map(|s| s.name()),
    })
}
