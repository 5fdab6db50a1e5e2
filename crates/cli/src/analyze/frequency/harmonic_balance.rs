//! `cardan response --balance`: periodic motions under a sine, with their stability.

use std::f64::consts::PI;

use cardan::analysis::{HarmonicOptions, PeriodicOrbit, Response as Found, SineDrive, harmonic_balance};
use cardan::model::ExperimentKind;
use cardan_viewer::{Curve, CurveStyle, PlotFigure};
use serde_json::{Value, json};

use crate::analyze::frequency::linear_system::Prepared;
use crate::analyze::frequency::response::{Response, decibel};
use crate::analyze::frequency::stepped_sine::{amplitude_of, output_places, sine_names, with_sine};
use crate::analyze::{number, prepare_loaded};
use crate::exit::Problem;
use crate::files::{csv_cell, digits};
use crate::load::load_text;
use crate::terminal::Terminal;

/// Points of a branch without turning points where nothing is said.
const USUAL_POINTS: usize = 40;

/// A branch of periodic motions.
pub struct Balanced {
    outputs: Vec<String>,
    orbits: Vec<PeriodicOrbit>,
}

pub fn balanced(
    terminal: &Terminal,
    arguments: &Response,
    prepared: &Prepared,
    linear: &Found,
    amplitude: &str,
) -> Result<Balanced, Problem> {
    let common = &arguments.common;
    let (input, amplitude) = amplitude_of(prepared, amplitude)?;
    let text = with_sine(terminal, common, &input)?;
    let quiet = &terminal.quieter(true);
    let loaded = load_text(quiet, &common.file, &common.reading.setting(&common.set), text)?;
    let names = sine_names(&input);
    let mut asked = prepare_loaded(quiet, ExperimentKind::Response, common, loaded, &names, Ok)?;
    let (outputs, places) = output_places(prepared, &asked.study.output_names())?;
    let [amplitude_name, rate, angle] = names;
    let drive = SineDrive { amplitude: amplitude_name, rate, angle };
    let range = [linear.frequencies[0], linear.frequencies[linear.frequencies.len() - 1]];
    let points = arguments.frequencies.points.unwrap_or(USUAL_POINTS);
    let usual = HarmonicOptions::default();
    let options = HarmonicOptions { harmonics: arguments.harmonics.unwrap_or(usual.harmonics), ..usual };
    let start = (&prepared.linear.state[..], range, points);
    let mut orbits =
        harmonic_balance(&mut asked.study, &drive, amplitude, start, &options).map_err(Problem::failed)?;
    for orbit in &mut orbits {
        orbit.response = places.iter().map(|k| orbit.response[*k]).collect();
        orbit.distortion = places.iter().map(|k| orbit.distortion[*k]).collect();
    }
    Ok(Balanced { outputs, orbits })
}

impl Balanced {
    pub fn facts(&self) -> Value {
        let orbit = |o: &PeriodicOrbit| {
            let outputs = self.outputs.iter().enumerate().map(|(j, name)| {
                let (gain, phase) = (o.response[j].norm(), o.response[j].arg());
                json!({ "output": name, "gain": gain, "phase": phase, "distortion": o.distortion[j] })
            });
            json!({
                "frequency": o.frequency, "stable": o.is_stable(),
                "multipliers": o.multipliers.iter().map(|m| [m.re, m.im]).collect::<Vec<_>>(),
                "coefficients": o.coefficients,
                "outputs": outputs.collect::<Vec<_>>(),
            })
        };
        json!(self.orbits.iter().map(orbit).collect::<Vec<_>>())
    }

    pub fn csv(&self) -> String {
        let heads = self.outputs.iter().map(|o| {
            ["gain", "phase [deg]", "distortion"].map(|what| csv_cell(&format!("{o} {what}"))).join(",")
        });
        let heads = heads.collect::<Vec<_>>().join(",");
        let mut out = format!("frequency [Hz],largest multiplier,stable,{heads}\n");
        for o in &self.orbits {
            let cells = (0..self.outputs.len()).map(|j| {
                let z = o.response[j];
                [z.norm(), z.arg() * 180.0 / PI, o.distortion[j]].map(digits).join(",")
            });
            let cells = cells.collect::<Vec<_>>().join(",");
            let stable = u8::from(o.is_stable());
            out += &format!("{},{},{stable},{cells}\n", digits(o.frequency), digits(largest(o)));
        }
        out
    }

    pub fn titles() -> Vec<&'static str> {
        vec!["balanced [Hz]", "output", "gain", "distortion", "largest multiplier", "stability"]
    }

    /// The ends of the branch and of its stable parts, and the largest response.
    pub fn rows(&self) -> Vec<Vec<String>> {
        let n = self.orbits.len();
        let peak = |j: usize| {
            let gain = |k: &usize| self.orbits[*k].response[j].norm();
            (0..n).max_by(|a, b| gain(a).total_cmp(&gain(b)))
        };
        let mut shown: Vec<usize> = (0..self.outputs.len()).filter_map(peak).collect();
        let changes = |k: &usize| self.orbits[*k].is_stable() != self.orbits[k - 1].is_stable();
        shown.extend((1..n).filter(changes).chain([0, n.saturating_sub(1)]));
        shown.sort_unstable();
        shown.dedup();
        let mut rows = vec![];
        for o in shown.iter().map(|k| &self.orbits[*k]) {
            for (j, name) in self.outputs.iter().enumerate() {
                rows.push(vec![
                    number(o.frequency),
                    name.clone(),
                    number(o.response[j].norm()),
                    format!("{} %", number(100.0 * o.distortion[j])),
                    number(largest(o)),
                    if o.is_stable() { "stable".into() } else { "unstable".into() },
                ]);
            }
        }
        rows
    }

    /// Stable parts as lines, unstable ones dashed, in the Bode diagram of the gain.
    pub fn draw(&self, figures: &mut [PlotFigure]) {
        let Some(figure) = figures.first_mut() else { return };
        for (j, name) in self.outputs.iter().enumerate() {
            for is_stable in [true, false] {
                // Each part keeps the point that joins it to the next.
                let belongs = |k: usize| self.orbits.get(k).is_some_and(|o| o.is_stable() == is_stable);
                let shown =
                    |k: usize| belongs(k) || (!is_stable && (belongs(k + 1) || (k > 0 && belongs(k - 1))));
                if !(0..self.orbits.len()).any(belongs) {
                    continue;
                }
                let f = self.orbits.iter().map(|o| o.frequency).collect();
                let gain = |(k, o): (usize, &PeriodicOrbit)| {
                    if shown(k) { decibel(o.response[j].norm()) } else { f64::NAN }
                };
                let gains = self.orbits.iter().enumerate().map(gain).collect();
                let (words, style) = match is_stable {
                    true => ("periodic", CurveStyle::Line),
                    false => ("periodic, unstable", CurveStyle::Guide),
                };
                let curve = Curve::line(format!("{name} {words}"), f, gains).drawn(style);
                figure.plot.curves.push(curve.colored(self.outputs.len() + j));
            }
        }
    }
}

fn largest(orbit: &PeriodicOrbit) -> f64 {
    orbit.multipliers.first().map_or(0.0, |m| m.norm())
}
