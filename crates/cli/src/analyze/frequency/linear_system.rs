//! The linear system that a question between inputs and outputs is about.

use std::f64::consts::TAU;

use cardan::analysis::{
    FrequencyRange, LinearOptions, LinearSystem, Linearization, SampledSystem, linearize,
};
use cardan::model::ExperimentKind;
use cardan::units::Dimension;
use clap::Args;

use crate::analyze::arguments::{About, Common};
use crate::analyze::frequency::base_motion::{AskedInput, with_rates};
use crate::analyze::{Asked, Chosen, Posed, derive, number, or_list, read, warn_of_kinks};
use crate::exit::Problem;
use crate::run::request::{quantity, time};
use crate::terminal::Terminal;

/// Inputs and outputs of a question.
#[derive(Clone, Debug, Args)]
pub struct Ports {
    /// Inputs or parameters that act, separated by commas; all inputs of the model if not given
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub input: Vec<String>,
    /// Outputs or states that are looked at, separated by commas; all outputs if not given
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub output: Vec<String>,
}

/// Frequencies.
#[derive(Debug, Args)]
pub struct Frequencies {
    /// The lowest frequency, in Hz or with a unit: 0.1, 2Hz, '1 [rad/s]'
    #[arg(long, value_name = "FREQUENCY")]
    pub from: Option<String>,
    /// The highest frequency
    #[arg(long, value_name = "FREQUENCY")]
    pub to: Option<String>,
    /// How many frequencies; 400 if not given
    #[arg(long, value_name = "N")]
    pub points: Option<usize>,
}

/// A model with its linear system.
pub struct Prepared {
    pub asked: Asked,
    pub linear: Linearization,
    pub system: LinearSystem,
    /// About which state, in words.
    pub about: String,
    /// The same with the sampled blocks of the model, for a question about responses.
    pub sampled: Option<SampledSystem>,
    /// Whether the rates of given motions are among its inputs: its states are then relative to
    /// these.
    pub is_moved: bool,
}

/// Reads a model and linearises it between its inputs and outputs.
pub fn prepared(
    terminal: &Terminal,
    verb: ExperimentKind,
    common: &Common,
    about: &About,
    ports: &Ports,
) -> Result<Prepared, Problem> {
    let posed = read(terminal, common, &[], Ok)?;
    prepared_of(terminal, verb, common, (about, ports), posed)
}

/// The same for a model that has been read. Inputs that move constraints act with their rates.
pub fn prepared_of(
    terminal: &Terminal,
    verb: ExperimentKind,
    common: &Common,
    (about, ports): (&About, &Ports),
    posed: Posed,
) -> Result<Prepared, Problem> {
    let block = posed.model.experiments.iter().find(|e| e.kind == verb);
    let inputs: Vec<AskedInput> =
        or_list(&ports.input, block, "input").iter().map(|text| AskedInput::read(text)).collect();
    let names: Vec<String> = inputs.iter().map(|i| i.name.clone()).collect();
    let asked = derive(terminal, verb, common, &names, posed)?;
    let prepared = linear_system(terminal, verb, asked, about, ports)?;
    with_rates(terminal, verb, common, (about, ports), (prepared, &inputs[..]))
}

/// Linearises a model between its inputs and outputs.
pub fn linear_system(
    terminal: &Terminal,
    verb: ExperimentKind,
    mut asked: Asked,
    about: &About,
    ports: &Ports,
) -> Result<Prepared, Problem> {
    if asked.study.input_names().is_empty() {
        let parameters = asked.study.model().parameters.iter().map(|(_, p)| p.quantity.name.as_str());
        let example = parameters.into_iter().next().unwrap_or("F");
        return Err(Problem::usage("the model has no inputs, and none is named")
            .hint(format!("write `input F [N]` into the text, or name parameters: --input {example}")));
    }
    let Chosen { t, y, instead } = asked.state(terminal, about)?;
    let options = LinearOptions { keep: asked.list(&about.keep, "keep") };
    let linear = linearize(&mut asked.study, t, &y, &options).map_err(Problem::failed)?;
    asked.warn_of_imbalance(terminal, &linear);
    warn_of_kinks(terminal, &linear.kinks);
    let outputs = asked.list(&ports.output, "output");
    let system = LinearSystem::of(&asked.study, &linear, &outputs).map_err(Problem::wrong)?;
    let sampled = match verb {
        ExperimentKind::Response => asked.sampled_system((t, &y), &options, &outputs)?,
        _ => None,
    };
    if sampled.is_none() {
        asked.say_discretes(terminal);
        asked.warn_of_frozen_blocks(terminal);
    }
    let about = match instead {
        true => format!("the equilibrium near the start at t = {} s", number(t)),
        false => format!("{} at t = {} s", linear.point.words(), number(t)),
    };
    Ok(Prepared { asked, linear, system, about, sampled, is_moved: false })
}

impl Prepared {
    /// The range of frequencies that the command line gives, or the block does.
    pub fn range(&self, given: &Frequencies) -> Result<FrequencyRange, Problem> {
        let end = |option: &str, text: &Option<String>| match text {
            Some(text) => frequency(&format!("--{option}"), text).map(Some),
            None => Ok(self.asked.number(option)),
        };
        let points = given.points.map(|n| n as f64).or(self.asked.number("points"));
        let points = points.map_or(FrequencyRange::default().points, |n| n.max(0.0) as usize);
        Ok(FrequencyRange { from: end("from", &given.from)?, to: end("to", &given.to)?, points })
    }

    /// Delays of the inputs, in their order.
    pub fn delays(&self, given: &[String]) -> Result<Option<Vec<f64>>, Problem> {
        let list = self.asked.list(given, "delay");
        if list.is_empty() {
            return Ok(None);
        }
        let n = self.system.inputs.len();
        if list.len() != n {
            return Err(Problem::usage(format!("{} delays are given for {n} inputs", list.len()))
                .hint("write one per input, separated by commas: --delay 0,0.02s"));
        }
        list.iter().map(|text| time("--delay", text)).collect::<Result<_, _>>().map(Some)
    }
}

/// A frequency in Hz; an angular frequency is converted.
fn frequency(option: &str, text: &str) -> Result<f64, Problem> {
    match quantity(text)? {
        (number, None) => Ok(number),
        (number, Some(d)) if d.compatible(&Dimension::FREQUENCY) => {
            Ok(if d == d.without_angle() { number } else { number / TAU })
        }
        (_, Some(d)) => {
            Err(Problem::usage(format!("`{option}` is a frequency in [Hz], and `{text}` is in [{d}]")))
        }
    }
}
