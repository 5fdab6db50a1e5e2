//! `cardan random_response --simulate`: the nonlinear model under a realisation of the excitation.

use cardan::analysis::{NoiseDrive, NoiseOptions, NoiseResponse, RandomExcitation, noise_response};
use cardan::lang::with_redefinition;
use cardan::model::ExperimentKind;
use cardan::sim::Settings;
use cardan::units::Dimension;
use cardan_viewer::{Curve, CurveStyle, PlotFigure};
use serde_json::{Value, json};

use crate::analyze::arguments::Common;
use crate::analyze::frequency::linear_system::Prepared;
use crate::analyze::frequency::loop_opening::{declared, dimension};
use crate::analyze::{number, prepare_loaded};
use crate::exit::Problem;
use crate::files::{self, csv_cell, digits};
use crate::load::load_text;
use crate::run::request::time;
use crate::terminal::Terminal;

/// The time between samples where nothing is said, in seconds.
const STEP: f64 = 5e-3;
/// Samples at most.
const MAX_SAMPLES: f64 = 4_194_304.0;

/// What was simulated.
pub struct Simulated {
    options: NoiseOptions,
    inputs: Vec<String>,
    outputs: Vec<String>,
    found: NoiseResponse,
}

/// Follows the model for at least the given time.
pub fn simulated(
    terminal: &Terminal,
    common: &Common,
    prepared: &Prepared,
    excitation: &RandomExcitation,
    (duration, step, seed): (&str, Option<&str>, u64),
) -> Result<Simulated, Problem> {
    if prepared.is_moved {
        return Err(Problem::usage("a motion that is given cannot be a noise of a simulation")
            .hint("let a spring or a tyre follow the input"));
    }
    let duration = time("--simulate", duration)?;
    let step = step.map(|text| time("--step", text)).transpose()?.unwrap_or(STEP);
    let wanted = duration / step;
    if !(wanted > 1.0 && wanted <= MAX_SAMPLES) {
        let most = number(MAX_SAMPLES);
        return Err(Problem::usage(format!("{} samples are not simulated", number(wanted)))
            .hint(format!("choose --simulate and --step for 2 to {most} samples")));
    }
    let samples = (wanted.ceil() as usize).next_power_of_two().max(64);
    let options = NoiseOptions { step, samples, seed };
    let inputs: Vec<String> = prepared.system.inputs.iter().map(|n| n.name.clone()).collect();
    let quiet = &terminal.quieter(true);
    let mut text = files::read(&common.file)?;
    let mut drives = vec![];
    for name in &inputs {
        let of = dimension(quiet, common, name)?;
        let [value, slope, since] = ["noise", "noise_slope", "noise_since"].map(|w| format!("{name}_{w}"));
        let lines =
            [declared(&value, of), declared(&slope, of / Dimension::TIME), declared(&since, Dimension::TIME)];
        let changed = with_redefinition(&text, name, |inner| {
            let sum = format!("variable {name} = {inner} + {value} + {slope} * (t - {since})");
            format!("{}\n{sum}", lines.join("\n"))
        });
        text = changed.map_err(|why| Problem::wrong(format!("no noise can be added to `{name}`: {why}")))?;
        drives.push(NoiseDrive { value, slope, since });
    }
    let names: Vec<String> =
        drives.iter().flat_map(|d| [d.value.clone(), d.slope.clone(), d.since.clone()]).collect();
    let loaded = load_text(quiet, &common.file, &common.reading.setting(&common.set), text)?;
    let asked = prepare_loaded(quiet, ExperimentKind::RandomResponse, common, loaded, &names, Ok)?;
    let known = asked.study.output_names();
    let mut places = vec![];
    for output in &prepared.system.outputs {
        let place = known.iter().position(|o| o.name == output.name).ok_or_else(|| {
            let name = &output.name;
            Problem::usage(format!("`{name}` is no output of the model"))
                .hint(format!("a simulation is looked at through outputs: write `output y = {name}`"))
        })?;
        places.push(place);
    }
    let settings = Settings::of(asked.study.model(), asked.parameter_values()).map_err(Problem::wrong)?;
    let mut session = asked.compiled.session(&settings).map_err(Problem::failed)?;
    session.set_state(&prepared.linear.state).map_err(Problem::failed)?;
    let given = (&excitation.spectra[..], excitation.delays.as_deref());
    let mut found = noise_response(&mut session, &drives, given, &options).map_err(Problem::failed)?;
    found.rms = places.iter().map(|k| found.rms[*k]).collect();
    found.peak_factor = places.iter().map(|k| found.peak_factor[*k]).collect();
    found.densities = places.iter().map(|k| found.densities[*k].clone()).collect();
    let outputs = prepared.system.outputs.iter().map(|o| o.name.clone()).collect();
    Ok(Simulated { options, inputs, outputs, found })
}

impl Simulated {
    pub fn facts(&self) -> Value {
        let output = |(j, name): (usize, &String)| {
            json!({
                "name": name, "rms": self.found.rms[j], "peak_factor": self.found.peak_factor[j],
                "density": self.found.densities[j].iter().map(|(f, g)| json!([f, g])).collect::<Vec<_>>(),
            })
        };
        json!({
            "seed": self.options.seed, "step": self.options.step, "samples": self.options.samples,
            "outputs": self.outputs.iter().enumerate().map(output).collect::<Vec<_>>(),
        })
    }

    /// The excitation, as `cardan run --input NAME=excitation.csv` reads it.
    pub fn csv(&self) -> String {
        let heads = self.inputs.iter().map(|name| csv_cell(name));
        let mut out = std::iter::once("t".to_string()).chain(heads).collect::<Vec<_>>().join(",") + "\n";
        for k in 0..self.options.samples {
            let values = self.found.excitation.iter().map(|signal| digits(signal[k]));
            let cells = std::iter::once(digits(k as f64 * self.options.step)).chain(values);
            out += &(cells.collect::<Vec<_>>().join(",") + "\n");
        }
        out
    }

    pub fn titles() -> Vec<String> {
        ["simulated", "rms", "peak factor"].map(String::from).to_vec()
    }

    pub fn rows(&self) -> Vec<Vec<String>> {
        let row = |(j, name): (usize, &String)| {
            vec![name.clone(), number(self.found.rms[j]), number(self.found.peak_factor[j])]
        };
        self.outputs.iter().enumerate().map(row).collect()
    }

    /// The densities by Welch's method over those of the linear system.
    pub fn draw(&self, figure: &mut PlotFigure) {
        for (j, name) in self.outputs.iter().enumerate() {
            let list = self.found.densities[j].iter().filter(|(f, g)| *f > 0.0 && *g > 0.0);
            let (f, g): (Vec<f64>, Vec<f64>) = list.copied().unzip();
            let curve = Curve::line(format!("{name} simulated"), f, g).drawn(CurveStyle::Guide);
            figure.plot.curves.push(curve.colored(j));
        }
    }
}
