//! `--fmu FILE`: a functional mock-up unit of others as a sampled block.
//!
//! At each sample the unit gets the states and outputs of the model that its inputs are called like, advances by one period, and its
//! outputs become the inputs of the model of the same names until the next sample. The motion is followed once to find these
//! inputs; the run itself then has them as steps over the time, so that its results, energies and page are those of any run.
//!
//! Foreign code runs only because the command line names it; a model text cannot.

use std::path::Path;

use cardan::model::{Interpolation, Model, Table};
use cardan::sim::{Session, Settings};
use cardan::units::Dimension;
use cardan_fmu::controller::Controller;

use crate::exit::Problem;
use crate::run::externals::Workshop;

/// More samples than this are no run.
const MAX_SAMPLES: f64 = 1e7;

/// The model with the inputs that a unit gives it.
pub fn couple(
    mut model: Model,
    settings: &Settings,
    file: &Path,
    period: Option<f64>,
) -> Result<Model, Problem> {
    let bytes = std::fs::read(file).map_err(|e| Problem::file("read", file, &e))?;
    let told = |message: String| Problem::failed(format!("{}: {message}", file.display()));
    let workshop = Workshop::new()?;
    let mut unit = Controller::open(&bytes, workshop.folder(), settings.from).map_err(told)?;
    let period = period.or(unit.described.step).unwrap_or(settings.interval());
    let samples = ((settings.to - settings.from) / period).ceil();
    if !(period.is_finite() && period > 0.0 && samples < MAX_SAMPLES) {
        return Err(Problem::usage(format!("the unit is sampled every {period} s"))
            .hint("--fmu-step 0.01 samples it every 10 ms"));
    }
    let compiled = cardan::compile_model(&model, cardan::Options::default()).map_err(Problem::failed)?;
    let mut session = compiled.session(settings).map_err(Problem::failed)?;
    let sources = sources(&session, &unit, file)?;
    let targets = targets(&model, &unit, file)?;
    let (mut times, mut values) = (vec![], vec![vec![]; targets.len()]);
    for k in 0..=samples as usize {
        let t = (settings.from + k as f64 * period).min(settings.to);
        session.advance(t).map_err(Problem::failed)?;
        let seen = seen(&session, &sources)?;
        // What the unit makes of a sample holds from that sample on.
        unit.advance(&seen, t).map_err(told)?;
        let given = unit.outputs().map_err(told)?;
        times.push(t);
        for ((place, name, _), column) in targets.iter().zip(&mut values) {
            session.set(name, given[*place]).map_err(Problem::failed)?;
            column.push(given[*place]);
        }
    }
    times.dedup();
    for ((_, name, dimension), mut values) in targets.into_iter().zip(values) {
        values.truncate(times.len());
        let table = Table {
            name: format!("table of {name}"),
            description: format!("from {}", file.display()),
            arguments: vec![("t".into(), Dimension::TIME)],
            dimension,
            interpolation: Interpolation::Steps,
            x: times.clone(),
            y: vec![],
            values,
        };
        let table = table.validate().map_err(|e| told(e.to_string()))?;
        model.bind_input(&name, table);
    }
    Ok(model)
}

/// Where an input of the unit comes from.
#[derive(Clone, Copy)]
enum Source {
    State(usize),
    Output(usize),
    Time,
}

fn sources(session: &Session, unit: &Controller, file: &Path) -> Result<Vec<Source>, Problem> {
    let plan = session.simulation().plan();
    let source = |name: &str| {
        let state = plan.states.iter().position(|s| s.label.name == name).map(Source::State);
        let output = || plan.outputs.iter().position(|(label, _)| label.name == name).map(Source::Output);
        let time = || matches!(name, "t" | "time").then_some(Source::Time);
        state.or_else(output).or_else(time).ok_or_else(|| {
            let words = format!(
                "{} wants `{name}`, and the model has no state or output of this name",
                file.display()
            );
            Problem::wrong(words).hint(format!("write `output {name} = …`"))
        })
    };
    unit.described.inputs.iter().map(|port| source(&port.name)).collect()
}

fn seen(session: &Session, sources: &[Source]) -> Result<Vec<f64>, Problem> {
    let needs = |s: &Source| matches!(s, Source::Output(_));
    let outputs = match sources.iter().any(needs) {
        true => session.outputs().map_err(Problem::failed)?,
        false => vec![],
    };
    let value = |source: &Source| match source {
        Source::State(k) => session.state()[*k],
        Source::Output(k) => outputs[*k],
        Source::Time => session.time(),
    };
    Ok(sources.iter().map(value).collect())
}

/// The outputs of the unit that are inputs of the model: place, name, dimension.
fn targets(
    model: &Model,
    unit: &Controller,
    file: &Path,
) -> Result<Vec<(usize, String, Dimension)>, Problem> {
    let outputs = unit.described.outputs.iter().enumerate();
    let target = |(place, port): (usize, &cardan_fmu::controller::Port)| {
        let found = model.inputs().find(|(_, p)| p.quantity.name == port.name);
        found.map(|(_, p)| (place, port.name.clone(), p.quantity.dimension))
    };
    let found: Vec<_> = outputs.filter_map(target).collect();
    if found.is_empty() {
        let names: Vec<&str> = unit.described.outputs.iter().map(|p| p.name.as_str()).collect();
        let words = format!(
            "{} gives {}, and the model has no input of such a name",
            file.display(),
            names.join(", ")
        );
        return Err(Problem::wrong(words).hint("declare it: `input F [N] = 0`"));
    }
    Ok(found)
}
