//! `cardan random_response`: densities, rms values and comfort under stationary random excitation.

use std::path::Path;

use cardan::analysis::{
    Comfort, RandomExcitation, RandomOptions, RandomResponse as Found, Stationary, random_response,
};
use cardan::control::power_spectrum::{PowerSpectrum, Road, RoadClass, Track, TrackClass};
use cardan::model::ExperimentKind;
use cardan::units::Dimension;
use cardan_viewer::{AxisScale, Curve, Plot, PlotFigure};
use clap::Args;
use serde_json::{Value, json};

use crate::analyze::arguments::{About, Common};
use crate::analyze::frequency::linear_system::{Frequencies, Ports, Prepared, prepared};
use crate::analyze::frequency::noise::{Simulated, simulated};
use crate::analyze::number;
use crate::analyze::page::{figures_page, table, write_figures};
use crate::exit::{Outcome, Problem};
use crate::files::{csv_cell, csv_cells, digits};
use crate::run::request::{quantity, quantity_of};
use crate::terminal::{Terminal, columns};

#[derive(Debug, Args)]
pub struct RandomResponse {
    #[command(flatten)]
    pub common: Common,
    #[command(flatten)]
    pub about: About,
    #[command(flatten)]
    pub ports: Ports,
    #[command(flatten)]
    pub frequencies: Frequencies,
    /// What excites the inputs: white:DENSITY, iso8608, erri_b176, pairs F:G,F:G,... or a CSV file
    /// with two columns;
    /// densities are one-sided, per Hz, in squared SI units of the input
    #[arg(long, value_name = "SPECTRUM")]
    pub spectrum: Option<String>,
    /// The class of the road of iso8608, A to H, or its roughness in m^3 at 0.1 cycles/m; of a
    /// track vertical_low, vertical_high, lateral_low or lateral_high
    #[arg(long, value_name = "CLASS")]
    pub class: Option<String>,
    /// The speed on the road
    #[arg(long, value_name = "SPEED")]
    pub speed: Option<String>,
    /// The inputs are reached by one source, each after its delay; without this they are independent
    #[arg(long, value_name = "TIMES", value_delimiter = ',')]
    pub delay: Vec<String>,
    /// Weightings of accelerations, OUTPUT=Wk, ...: Wk, Wd, Wf, Wc, We, Wj of ISO 2631-1, Wz_vertical or Wz_lateral of Sperling
    #[arg(long, value_name = "OUTPUT=WEIGHTING", value_delimiter = ',')]
    pub comfort: Vec<String>,
    /// The time within which the largest value is asked for
    #[arg(long, value_name = "TIME")]
    pub duration: Option<String>,
    /// Follow the nonlinear model under a realisation of the excitation for at least this time, too
    #[arg(long, value_name = "TIME")]
    pub simulate: Option<String>,
    /// The time between samples of the realisation; 5 ms if not given
    #[arg(long, value_name = "TIME", requires = "simulate")]
    pub step: Option<String>,
    /// Another seed gives another realisation
    #[arg(long, value_name = "N", requires = "simulate", default_value_t = 1)]
    pub seed: u64,
}

pub fn run(terminal: &Terminal, arguments: &RandomResponse) -> Result<Outcome, Problem> {
    let terminal = &terminal.quieter(arguments.common.quiet);
    let kind = ExperimentKind::RandomResponse;
    let prepared = prepared(terminal, kind, &arguments.common, &arguments.about, &arguments.ports)?;
    let spectrum = spectrum(&prepared, arguments)?;
    let delays = prepared.delays(&arguments.delay)?;
    let spectra = vec![spectrum; prepared.system.inputs.len()];
    let options = RandomOptions {
        range: prepared.range(&arguments.frequencies)?,
        duration: prepared.asked.time("duration", &arguments.duration)?,
        comfort: comfort(&prepared, &arguments.comfort)?,
    };
    let excitation = RandomExcitation { spectra, delays };
    let found = random_response(&prepared.system.system, &excitation, &options).map_err(Problem::failed)?;
    if let (true, Some(Err(error))) = (found.outputs.iter().all(Result::is_err), found.outputs.first()) {
        return Err(Problem::failed(error).hint("`cardan modes` says which motion does not die out"));
    }
    let asked = &prepared.asked;
    let mut facts = describe(&prepared, &found, &options);
    let rows = rows(&prepared, &found, &options);
    let mut figures = vec![figure(&prepared, &found)];
    let simulated = match &arguments.simulate {
        Some(time) => {
            let how = (time.as_str(), arguments.step.as_deref(), arguments.seed);
            Some(simulated(terminal, &arguments.common, &prepared, &excitation, how)?)
        }
        None => None,
    };
    if let Some(simulated) = &simulated {
        facts["simulated"] = simulated.facts();
        simulated.draw(&mut figures[0]);
    }
    let mut paths = vec![
        asked.write("random_response.json", &format!("{facts:#}\n"))?,
        asked.write("random_response.csv", &csv(&prepared, &found))?,
    ];
    if let Some(simulated) = &simulated {
        paths.push(asked.write("excitation.csv", &simulated.csv())?);
    }
    paths.extend(write_figures(asked, &figures)?);
    let summary = vec![
        ("about".to_string(), prepared.about.clone()),
        ("excited".to_string(), excited(&prepared, &excitation)),
    ];
    let note = "rms by integration over the frequency and by Lyapunov's equation; SI units";
    let tables = vec![table("Stationary response", note, &HEADS, rows.clone())];
    let page = figures_page(asked, "random response", summary, figures, tables);
    paths.push(asked.write("random_response.html", &page)?);
    asked.deliver()?;
    for (output, result) in prepared.system.outputs.iter().zip(&found.outputs) {
        if let Err(error) = result {
            terminal.warning(&format!("`{}` has no stationary response: {error}", output.name));
        }
    }
    if terminal.json {
        terminal.print_json(&facts);
    } else if !arguments.common.quiet {
        let mut out = asked.heading(terminal, &format!("random response about {}", prepared.about));
        let head = HEADS.map(String::from).to_vec();
        out += &columns(&std::iter::once(head).chain(rows).collect::<Vec<_>>(), &[1, 2, 3, 4, 5, 6]);
        if let Some(simulated) = &simulated {
            let all: Vec<Vec<String>> =
                std::iter::once(Simulated::titles()).chain(simulated.rows()).collect();
            out += &columns(&all, &[1, 2]);
        }
        paths.iter().for_each(|p| out += &format!("  {}\n", p.display()));
        terminal.print(&out);
    }
    Ok(Outcome::Done)
}

const HEADS: [&str; 8] =
    ["output", "rms", "by Lyapunov", "crossings/s", "peaks/s", "peak factor", "comfort", "unit"];

fn excited(prepared: &Prepared, excitation: &RandomExcitation) -> String {
    let names: Vec<&str> = prepared.system.inputs.iter().map(|n| n.name.as_str()).collect();
    let by = match excitation.spectra.first() {
        Some(PowerSpectrum::White(g)) => format!("white noise of density {}", number(*g)),
        Some(PowerSpectrum::Road(r)) => {
            format!("a road of roughness {} m^3 at {} m/s", number(r.roughness), number(r.speed))
        }
        Some(PowerSpectrum::Track(track)) => {
            format!("a track of amplitude {} m rad at {} m/s", number(track.amplitude), number(track.speed))
        }
        Some(PowerSpectrum::Table(points)) => format!("a spectrum of {} points", points.len()),
        None => "nothing".into(),
    };
    let how = match (&excitation.delays, names.len()) {
        (_, 0 | 1) => String::new(),
        (None, _) => ", independent of one another".into(),
        (Some(delays), _) => {
            let list: Vec<String> = delays.iter().map(|t| number(*t)).collect();
            format!(", from one source after {} s", list.join(", "))
        }
    };
    format!("{} by {by}{how}", names.join(", "))
}

/// The density of the excitation.
fn spectrum(prepared: &Prepared, arguments: &RandomResponse) -> Result<PowerSpectrum, Problem> {
    let asked = &prepared.asked;
    let said = arguments.spectrum.clone().or_else(|| asked.word("spectrum"));
    let text = said.ok_or_else(|| {
        Problem::usage("nothing is said about what excites the inputs")
            .hint("write --spectrum white:0.01, or --spectrum iso8608 --class C --speed 20m/s")
    })?;
    let text = text.trim();
    if text == "iso8608" || text == "erri_b176" {
        let class = arguments.class.clone().or_else(|| asked.word("class"));
        let speed = match &arguments.speed {
            Some(text) => Some(quantity_of(text, "--speed", Dimension::VELOCITY)?),
            None => asked.number("speed"),
        };
        let speed = speed.ok_or_else(|| {
            Problem::usage("a road needs a speed").hint("write --speed 20m/s, or `speed = 20 [m/s]`")
        })?;
        if !(speed > 0.0 && speed.is_finite()) {
            return Err(Problem::usage(format!("a road is not passed at {speed} m/s")));
        }
        return Ok(match text {
            "iso8608" => {
                PowerSpectrum::Road(Road { roughness: roughness(class.as_deref().unwrap_or("C"))?, speed })
            }
            _ => {
                let amplitude = amplitude(class.as_deref().unwrap_or("vertical_low"))?;
                PowerSpectrum::Track(Track { amplitude, speed })
            }
        });
    }
    let wrong = |text: &str| {
        Problem::usage(format!("`{text}` is no spectrum"))
            .hint("write white:DENSITY, iso8608, erri_b176, pairs of frequency and density such as 0.1:1e-3,10:1e-5, or a CSV file")
    };
    if let Some(density) = text.strip_prefix("white") {
        let density = density.trim_start_matches([':', ' ']);
        let (density, _) = quantity(density).map_err(|_| wrong(text))?;
        return match density > 0.0 {
            true => Ok(PowerSpectrum::White(density)),
            false => Err(wrong(text)),
        };
    }
    let pair = |f: &str, g: &str| Some((f.trim().parse().ok()?, g.trim().parse().ok()?));
    let points: Option<Vec<(f64, f64)>> = if text.contains(':') && !Path::new(text).exists() {
        text.split(',').map(|p| p.split_once(':').and_then(|(f, g)| pair(f, g))).collect()
    } else if arguments.spectrum.is_some() {
        let path = Path::new(text);
        let content = std::fs::read_to_string(path).map_err(|e| Problem::file("read", path, &e))?;
        let row = |line: &str| {
            let cells = csv_cells(line);
            pair(cells.first()?, cells.get(1)?)
        };
        Some(content.lines().filter_map(row).collect())
    } else {
        None
    };
    PowerSpectrum::table(points.ok_or_else(|| wrong(text))?).map_err(Problem::wrong)
}

/// A of the formula for tracks, by its class or as a number.
fn amplitude(class: &str) -> Result<f64, Problem> {
    use TrackClass::{LateralHigh, LateralLow, VerticalHigh, VerticalLow};
    let names = [
        ("vertical_low", VerticalLow),
        ("vertical_high", VerticalHigh),
        ("lateral_low", LateralLow),
        ("lateral_high", LateralHigh),
    ];
    if let Some((_, class)) = names.iter().find(|(name, _)| *name == class) {
        return Ok(class.amplitude());
    }
    match quantity(class) {
        Ok((amplitude, _)) if amplitude > 0.0 => Ok(amplitude),
        _ => Err(Problem::usage(format!("there is no track of class `{class}`")).hint(
            "classes are vertical_low, vertical_high, lateral_low, lateral_high; a number is A in m rad",
        )),
    }
}

fn roughness(class: &str) -> Result<f64, Problem> {
    use RoadClass::{A, B, C, D, E, F, G, H};
    let letters = [("A", A), ("B", B), ("C", C), ("D", D), ("E", E), ("F", F), ("G", G), ("H", H)];
    if let Some((_, class)) = letters.iter().find(|(letter, _)| *letter == class) {
        return Ok(class.roughness());
    }
    match quantity(class) {
        Ok((roughness, _)) if roughness > 0.0 => Ok(roughness),
        _ => Err(Problem::usage(format!("there is no road of class `{class}`"))
            .hint("classes are A to H; a number is the roughness in m^3, such as 64e-6")),
    }
}

/// Weightings by the places of the outputs.
fn comfort(prepared: &Prepared, given: &[String]) -> Result<Vec<(usize, Comfort)>, Problem> {
    let mut found = vec![];
    for text in prepared.asked.list(given, "comfort") {
        let (name, weighting) =
            text.split_once('=').or_else(|| text.split_once(':')).unwrap_or((&text, "Wk"));
        let outputs = &prepared.system.outputs;
        let place = outputs.iter().position(|o| o.name == name.trim()).ok_or_else(|| {
            let names: Vec<&str> = outputs.iter().map(|o| o.name.as_str()).collect();
            Problem::usage(format!("`{}` is none of the outputs", name.trim()))
                .hint(format!("outputs are {}", names.join(", ")))
        })?;
        let weighting = Comfort::named(weighting.trim()).ok_or_else(|| {
            let names = Comfort::ALL.map(|(n, _)| n).join(", ");
            Problem::usage(format!("there is no weighting `{}`", weighting.trim()))
                .hint(format!("there are {names}"))
        })?;
        found.push((place, weighting));
    }
    Ok(found)
}

fn rows(prepared: &Prepared, found: &Found, options: &RandomOptions) -> Vec<Vec<String>> {
    let shown = |x: Option<f64>, absent: &str| x.map_or(absent.to_string(), number);
    let outputs = prepared.system.outputs.iter().zip(&found.outputs).enumerate();
    outputs
        .map(|(k, (output, result))| match result {
            Ok(s) => {
                let weighted = options.comfort.iter().any(|(place, _)| *place == k);
                vec![
                    output.name.clone(),
                    shown(s.rms, "infinite"),
                    shown(s.rms_by_lyapunov, "–"),
                    shown(s.crossing_rate, "–"),
                    shown(s.peak_rate, "–"),
                    shown(s.peak_factor, "–"),
                    if weighted { shown(s.comfort, "infinite") } else { "–".into() },
                    format!("[{}]", output.unit),
                ]
            }
            Err(_) => {
                let mut row = vec![output.name.clone(), "not stationary".into()];
                row.resize(HEADS.len() - 1, "–".into());
                row.push(format!("[{}]", output.unit));
                row
            }
        })
        .collect()
}

fn describe(prepared: &Prepared, found: &Found, options: &RandomOptions) -> Value {
    let outputs = prepared.system.outputs.iter().zip(&found.outputs).enumerate();
    let one = |(k, (output, result)): (usize, (&cardan::analysis::Named, &Result<Stationary, _>))| {
        let weighting = options
            .comfort
            .iter()
            .find(|(place, _)| *place == k)
            .and_then(|(_, c)| Comfort::ALL.iter().find(|(_, known)| known == c).map(|(name, _)| *name));
        match result {
            Ok(s) => json!({
                "name": output.name, "unit": output.unit, "stationary": true,
                "rms": s.rms, "rms_by_lyapunov": s.rms_by_lyapunov, "crossing_rate": s.crossing_rate,
                "peak_rate": s.peak_rate, "peak_factor": s.peak_factor,
                "weighting": weighting, "comfort": s.comfort, "density": s.density,
            }),
            Err(error) => json!({
                "name": output.name, "unit": output.unit, "stationary": false, "reason": format!("{error}"),
            }),
        }
    };
    json!({
        "ok": true,
        "model": prepared.asked.study.model().name,
        "inputs": prepared.system.inputs.iter().map(|n| n.name.clone()).collect::<Vec<_>>(),
        "outputs": outputs.map(one).collect::<Vec<_>>(),
        "frequencies": found.frequencies,
    })
}

fn csv(prepared: &Prepared, found: &Found) -> String {
    let heads =
        prepared.system.outputs.iter().map(|o| csv_cell(&format!("{} [{}]", o.name, per_hertz(&o.unit))));
    let mut out =
        std::iter::once("frequency [Hz]".to_string()).chain(heads).collect::<Vec<_>>().join(",") + "\n";
    for (k, f) in found.frequencies.iter().enumerate() {
        out += &digits(*f);
        for result in &found.outputs {
            out += &format!(",{}", digits(result.as_ref().map_or(f64::NAN, |s| s.density[k])));
        }
        out.push('\n');
    }
    out
}

/// The unit of a density.
fn per_hertz(unit: &str) -> String {
    match unit {
        "1" => "1/Hz".into(),
        unit if unit.contains(['*', '/', '^']) => format!("({unit})^2/Hz"),
        unit => format!("{unit}^2/Hz"),
    }
}

fn figure(prepared: &Prepared, found: &Found) -> PlotFigure {
    let outputs = prepared.system.outputs.iter().zip(&found.outputs);
    let curve = |(output, result): (&cardan::analysis::Named, &Result<Stationary, _>)| {
        let density = result.as_ref().ok()?.density.clone();
        let name = format!("{} [{}]", output.name, per_hertz(&output.unit));
        Some(Curve::line(name, found.frequencies.clone(), density))
    };
    PlotFigure {
        title: "Power spectral density".into(),
        note: "one-sided, per Hz, SI units; its integral over the frequency is the mean square".into(),
        plot: Plot {
            x_label: "frequency".into(),
            x_unit: "Hz".into(),
            x_scale: AxisScale::Logarithmic,
            y_scale: AxisScale::Logarithmic,
            y_label: "density".into(),
            curves: outputs.filter_map(curve).collect(),
            ..Plot::default()
        },
    }
}
