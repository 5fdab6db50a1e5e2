//! `cardan response --stepped`: the nonlinear model under a sine that is stepped through the
//! frequencies.

use std::f64::consts::{PI, TAU};

use cardan::analysis::{Named, Response as Found, SineDrive, SteppedOptions, SteppedPoint, stepped_sine};
use cardan::control::frequency_response::logarithmic_grid;
use cardan::lang::with_redefinition;
use cardan::model::ExperimentKind;
use cardan::sim::Settings;
use cardan::units::{Dimension, Unit};
use cardan_viewer::{Curve, CurveStyle, PlotFigure};
use serde_json::{Value, json};

use crate::analyze::arguments::Common;
use crate::analyze::frequency::linear_system::Prepared;
use crate::analyze::frequency::loop_opening::{declared, dimension as dimension_of};
use crate::analyze::frequency::response::{Response, decibel};
use crate::analyze::{number, prepare_loaded};
use crate::exit::Problem;
use crate::files::{self, csv_cell, digits};
use crate::load::load_text;
use crate::run::request::quantity_of;
use crate::terminal::Terminal;

/// Frequencies where nothing is said.
const USUAL_POINTS: usize = 20;

/// What was followed.
pub struct Stepped {
    outputs: Vec<String>,
    points: Vec<SteppedPoint>,
    /// The phases of the linear response near each point, by which phases are unwrapped.
    near: Vec<Vec<f64>>,
}

pub fn followed(
    terminal: &Terminal,
    arguments: &Response,
    prepared: &Prepared,
    linear: &Found,
    amplitude: &str,
) -> Result<Stepped, Problem> {
    let common = &arguments.common;
    let (input, amplitude) = amplitude_of(prepared, amplitude)?;
    let text = with_sine(terminal, common, &input)?;
    let loaded =
        load_text(&terminal.quieter(true), &common.file, &common.reading.setting(&common.set), text)?;
    let names = sine_names(&input);
    let asked = prepare_loaded(terminal, ExperimentKind::Response, common, loaded, &names, Ok)?;
    let (outputs, places) = output_places(prepared, &asked.study.output_names())?;
    let settings = Settings::of(asked.study.model(), asked.parameter_values()).map_err(Problem::wrong)?;
    let mut session = asked.compiled.session(&settings).map_err(Problem::failed)?;
    session.set_state(&prepared.linear.state).map_err(Problem::failed)?;
    let [amplitude_name, rate, angle] = names;
    let drive = SineDrive { amplitude: amplitude_name, rate, angle };
    let (first, last) = (linear.frequencies[0], linear.frequencies[linear.frequencies.len() - 1]);
    let points = arguments.frequencies.points.unwrap_or(USUAL_POINTS);
    let frequencies = logarithmic_grid(first, last, points.max(2));
    let options = SteppedOptions::default();
    let mut points =
        stepped_sine(&mut session, &drive, amplitude, &frequencies, &options).map_err(Problem::failed)?;
    for point in &mut points {
        point.response = places.iter().map(|k| point.response[*k]).collect();
        point.distortion = places.iter().map(|k| point.distortion[*k]).collect();
        point.mean = places.iter().map(|k| point.mean[*k]).collect();
    }
    if let Some(open) = points.iter().find(|p| !p.is_steady) {
        terminal.warning(&format!(
            "the response is not steady after {} periods at {} Hz",
            open.periods,
            number(open.frequency)
        ));
    }
    let near = linear.channels.iter().map(|c| {
        let polar = linear.polar(c);
        let at = |f: f64| linear.frequencies.partition_point(|x| *x < f).min(polar.len() - 1);
        points.iter().map(|p| polar[at(p.frequency)].1).collect()
    });
    Ok(Stepped { outputs, near: near.collect(), points })
}

impl Stepped {
    /// The phase of an output at a point, beside that of the linear response.
    fn phase(&self, output: usize, point: usize) -> f64 {
        let (raw, near) = (self.points[point].response[output].arg(), self.near[output][point]);
        if near.is_finite() { raw + TAU * ((near - raw) / TAU).round() } else { raw }
    }

    pub fn facts(&self) -> Value {
        let point = |(k, p): (usize, &SteppedPoint)| {
            let outputs = self.outputs.iter().enumerate().map(|(j, name)| {
                json!({
                    "output": name, "gain": p.response[j].norm(), "phase": self.phase(j, k),
                    "distortion": p.distortion[j], "mean": p.mean[j],
                })
            });
            json!({
                "frequency": p.frequency, "periods": p.periods, "steady": p.is_steady,
                "outputs": outputs.collect::<Vec<_>>(),
            })
        };
        json!(self.points.iter().enumerate().map(point).collect::<Vec<_>>())
    }

    pub fn csv(&self) -> String {
        let heads = self.outputs.iter().map(|o| {
            ["gain", "phase [deg]", "distortion"].map(|what| csv_cell(&format!("{o} {what}"))).join(",")
        });
        let mut out = format!("frequency [Hz],periods,{}\n", heads.collect::<Vec<_>>().join(","));
        for (k, p) in self.points.iter().enumerate() {
            let cells = (0..self.outputs.len()).map(|j| {
                [p.response[j].norm(), self.phase(j, k) * 180.0 / PI, p.distortion[j]].map(digits).join(",")
            });
            out +=
                &format!("{},{},{}\n", digits(p.frequency), p.periods, cells.collect::<Vec<_>>().join(","));
        }
        out
    }

    pub fn titles(&self) -> Vec<&'static str> {
        vec!["stepped [Hz]", "periods", "output", "gain", "phase", "distortion"]
    }

    pub fn rows(&self) -> Vec<Vec<String>> {
        let mut rows = vec![];
        for (k, p) in self.points.iter().enumerate() {
            for (j, name) in self.outputs.iter().enumerate() {
                rows.push(vec![
                    number(p.frequency),
                    p.periods.to_string(),
                    name.clone(),
                    number(p.response[j].norm()),
                    format!("{}°", number(self.phase(j, k) * 180.0 / PI)),
                    format!("{} %", number(100.0 * p.distortion[j])),
                ]);
            }
        }
        rows
    }

    /// Crosses in the Bode diagrams of the linear response.
    pub fn draw(&self, figures: &mut [PlotFigure]) {
        let f: Vec<f64> = self.points.iter().map(|p| p.frequency).collect();
        for j in 0..self.outputs.len() {
            let gains = self.points.iter().map(|p| decibel(p.response[j].norm())).collect();
            let phases = (0..f.len()).map(|k| self.phase(j, k) * 180.0 / PI).collect();
            for (figure, y) in figures.iter_mut().zip([gains, phases]) {
                let name = format!("{} stepped", self.outputs[j]);
                figure
                    .plot
                    .curves
                    .push(Curve::line(name, f.clone(), y).drawn(CurveStyle::Crosses).colored(j));
            }
        }
    }
}

/// The one input and the amplitude of its sine, in SI units.
pub fn amplitude_of(prepared: &Prepared, amplitude: &str) -> Result<(String, f64), Problem> {
    let [input] = &prepared.system.inputs[..] else {
        return Err(Problem::usage("a sine acts at one input").hint("name it: --input F"));
    };
    if prepared.is_moved {
        return Err(Problem::usage(format!(
            "`{}` moves constraints, where no sine can be added",
            input.name
        ))
        .hint("let a spring or a force follow the input"));
    }
    let dimension = Unit::parse(&input.unit).map_or(Dimension::ONE, |unit| unit.dimension());
    Ok((input.name.clone(), quantity_of(amplitude, &input.name, dimension)?))
}

/// The outputs of the question, and their places among those of a model.
pub fn output_places(prepared: &Prepared, known: &[Named]) -> Result<(Vec<String>, Vec<usize>), Problem> {
    let outputs: Vec<String> = prepared.system.outputs.iter().map(|o| o.name.clone()).collect();
    let mut places = vec![];
    for name in &outputs {
        let place = known.iter().position(|o| o.name == *name).ok_or_else(|| {
            Problem::usage(format!("`{name}` is no output of the model"))
                .hint(format!("a nonlinear motion is looked at through outputs: write `output y = {name}`"))
        })?;
        places.push(place);
    }
    Ok((outputs, places))
}

/// The names of the inputs that make up a sine.
pub fn sine_names(input: &str) -> [String; 3] {
    ["amplitude", "rate", "angle"].map(|part| format!("{input}_{part}"))
}

/// The text in which a sine is added to an input.
pub fn with_sine(terminal: &Terminal, common: &Common, input: &str) -> Result<String, Problem> {
    let text = files::read(&common.file)?;
    let dimension = dimension_of(&terminal.quieter(true), common, input)?;
    let [amplitude, rate, angle] = sine_names(input);
    let amplitude_input = declared(&amplitude, dimension);
    let text = with_redefinition(&text, input, |inner| {
        format!(
            "{amplitude_input}\ninput {rate} [rad/s], {angle} [rad]\n\
             variable {input} = {inner} + {amplitude} * sin({rate} * t + {angle})"
        )
    });
    text.map_err(|why| Problem::wrong(format!("no sine can be added to `{input}`: {why}")))
}
