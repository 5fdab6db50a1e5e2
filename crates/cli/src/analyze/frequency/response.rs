//! `cardan response`: transfer functions, frequency response, margins.

use std::f64::consts::{PI, TAU};

use cardan::analysis::{Channel, Named, Response as Found};
use cardan::control::controllability::{
    Reduction, balanced_reduction, controllable_rank, hankel_values, minimal_realisation, observable_rank,
};
use cardan::control::discretisation::Sampling;
use cardan::control::margins::Margin;
use cardan::control::{Clock, Complex, Matrix};
use cardan::model::ExperimentKind;
use clap::Args;
use serde_json::{Value, json};

use crate::analyze::arguments::{About, Common};
use crate::analyze::frequency::harmonic_balance::{Balanced, balanced};
use crate::analyze::frequency::linear_system::{Frequencies, Ports, Prepared, prepared_of};
use crate::analyze::frequency::loop_opening::opened;
use crate::analyze::frequency::{bode, stepped_sine};
use crate::analyze::modes::complex;
use crate::analyze::page::{figures_page, table, write_figures};
use crate::analyze::{number, read, word};
use crate::exit::{Outcome, Problem};
use crate::files::{csv_cell, digits};
use crate::terminal::{Terminal, columns};

#[derive(Debug, Args)]
pub struct Response {
    #[command(flatten)]
    pub common: Common,
    #[command(flatten)]
    pub about: About,
    #[command(flatten)]
    pub ports: Ports,
    #[command(flatten)]
    pub frequencies: Frequencies,
    /// Delays of the inputs, one per input, separated by commas
    #[arg(long, value_name = "TIMES", value_delimiter = ',')]
    pub delay: Vec<String>,
    /// Open the loop at this variable: the response from what is put in there to what comes back, with the sign of u = r - y
    #[arg(long, value_name = "VARIABLE", conflicts_with_all = ["input", "output"])]
    pub open: Option<String>,
    /// The sampled equivalent: inputs are held over steps of this length
    #[arg(long, value_name = "TIME")]
    pub sample: Option<String>,
    /// Reduce the system to so many states by balanced truncation
    #[arg(long, value_name = "N")]
    pub reduce: Option<usize>,
    /// Follow the nonlinear model under a stepped sine of this amplitude at the one input, too
    #[arg(long, value_name = "AMPLITUDE", conflicts_with_all = ["open", "sample", "delay"])]
    pub stepped: Option<String>,
    /// Periodic motions of the nonlinear model under a sine of this amplitude, by harmonic balance,
    /// with their stability
    #[arg(long, value_name = "AMPLITUDE", conflicts_with_all = ["open", "sample", "delay"])]
    pub balance: Option<String>,
    /// Harmonics of these motions; 7 if not given
    #[arg(long, value_name = "N", requires = "balance")]
    pub harmonics: Option<usize>,
    /// The inputs are forces or torques of an unbalance that turns with the frequency: the response
    /// per mass times arm, F = m e ω²
    #[arg(long, conflicts_with_all = ["stepped", "balance", "sample"])]
    pub unbalance: bool,
}

pub fn run(terminal: &Terminal, arguments: &Response) -> Result<Outcome, Problem> {
    let terminal = &terminal.quieter(arguments.common.quiet);
    let about = &arguments.about;
    let kind = ExperimentKind::Response;
    let (common, ports) = (&arguments.common, &arguments.ports);
    let mut prepared = match &arguments.open {
        Some(signal) => opened(terminal, kind, common, about, (signal, &arguments.delay))?,
        None => {
            let posed = read(terminal, common, &[], Ok)?;
            let block = posed.model.experiments.iter().find(|e| e.kind == kind);
            match block.and_then(|b| word(b, "open")) {
                Some(signal) => opened(terminal, kind, common, about, (&signal, &arguments.delay))?,
                None => prepared_of(terminal, kind, common, (about, ports), posed)?,
            }
        }
    };
    take_sampled_blocks(arguments, &mut prepared)?;
    if arguments.unbalance || prepared.asked.word("unbalance").is_some_and(|said| said == "yes") {
        prepared.system = prepared.system.by_unbalance().map_err(|error| {
            Problem::wrong(error).hint("look at positions and forces, not at accelerations")
        })?;
        prepared.about += ", per unbalance";
    }
    // A loop in z has its delay already; what is held has it before the samples are taken.
    let mut delays = match prepared.system.system.clock {
        Clock::Continuous => prepared.delays(&arguments.delay)?,
        Clock::Sampled(_) => None,
    };
    if let Some(step) = prepared.asked.time("sample", &arguments.sample)? {
        if let Some(delays) = delays.take() {
            prepared.system.system = prepared.system.system.with_delays(&delays).map_err(Problem::wrong)?;
        }
        let sampled = prepared.system.system.discretise(step, Sampling::ZeroOrderHold);
        prepared.system.system = sampled.map_err(Problem::wrong)?;
        prepared.system.name_added_states();
        prepared.about += &format!(", sampled every {} s", number(step));
    }
    let states = arguments.reduce.map(|n| n as f64).or(prepared.asked.number("reduce"));
    if let Some(n) = states {
        reduce(&mut prepared, n.max(0.0) as usize)?;
    }
    if let Some(delays) = delays {
        prepared.system.system = prepared.system.system.with_delays(&delays).map_err(Problem::wrong)?;
        if let Some(sampled) = &mut prepared.sampled {
            sampled.system = sampled.system.clone().with_delays(&delays).map_err(Problem::wrong)?;
        }
    }
    let range = prepared.range(&arguments.frequencies)?;
    let found = match &prepared.sampled {
        Some(sampled) => Found::of_sampled_data(&sampled.system, &range),
        None => Found::of(&prepared.system.system, &range),
    };
    let found = found.map_err(Problem::failed)?;
    let asked = &prepared.asked;
    let mut facts = describe(&prepared, &found);
    if let Some(sampled) = &prepared.sampled {
        let (z, _, verdict) = sampled.stability().map_err(Problem::failed)?;
        facts["sampled"] = json!({
            "blocks": sampled.blocks, "period": sampled.system.period(),
            "multipliers": numbers(&z), "stability": verdict.name(),
        });
    }
    let rows: Vec<Vec<String>> = found.channels.iter().map(|c| cells(&prepared, &found.poles, c)).collect();
    let margins: Vec<Vec<String>> = found.channels.iter().map(|c| margin_cells(&prepared, c)).collect();
    let mut figures = bode::figures(&prepared.system, &found);
    let stepped = match &arguments.stepped {
        Some(amplitude) => Some(stepped_sine::followed(terminal, arguments, &prepared, &found, amplitude)?),
        None => None,
    };
    if let Some(stepped) = &stepped {
        facts["stepped"] = stepped.facts();
        stepped.draw(&mut figures);
    }
    let balanced = match &arguments.balance {
        Some(amplitude) => Some(balanced(terminal, arguments, &prepared, &found, amplitude)?),
        None => None,
    };
    if let Some(balanced) = &balanced {
        facts["balanced"] = balanced.facts();
        balanced.draw(&mut figures);
    }
    let mut paths = vec![
        asked.write("response.json", &format!("{facts:#}\n"))?,
        asked.write("response.csv", &csv(&prepared, &found))?,
    ];
    if let Some(stepped) = &stepped {
        paths.push(asked.write("stepped.csv", &stepped.csv())?);
    }
    if let Some(balanced) = &balanced {
        paths.push(asked.write("balanced.csv", &balanced.csv())?);
    }
    paths.extend(write_figures(asked, &figures)?);
    let (heads, form) = channel_heads(prepared.system.system.clock);
    let summary = vec![
        ("about".to_string(), prepared.about.clone()),
        (heads[4].to_string(), list(&found.poles)),
        (heads[5].to_string(), list(&found.zeros)),
    ];
    let tables = vec![
        table("Transfer functions", form, &heads, rows.clone()),
        table("Margins", "of the loop that u = r − y closes", &MARGIN, margins.clone()),
    ];
    let page = figures_page(asked, "response", summary, figures, tables);
    paths.push(asked.write("response.html", &page)?);
    asked.deliver()?;
    if terminal.json {
        terminal.print_json(&facts);
    } else if !arguments.common.quiet {
        let what = format!("response about {}", prepared.about);
        let mut out = asked.heading(terminal, &what);
        let titled = |titles: &[&str], rows: Vec<Vec<String>>| {
            let head = titles.iter().map(|t| t.to_string()).collect();
            columns(&std::iter::once(head).chain(rows).collect::<Vec<_>>(), &[])
        };
        out += &titled(&heads, rows);
        out += &titled(&MARGIN, margins);
        if let Some(stepped) = &stepped {
            out += &titled(&stepped.titles(), stepped.rows());
        }
        if let Some(balanced) = &balanced {
            out += &titled(&Balanced::titles(), balanced.rows());
        }
        paths.iter().for_each(|p| out += &format!("  {}\n", p.display()));
        terminal.print(&out);
    }
    Ok(Outcome::Done)
}

/// Puts the flow between samples in the place of the system whose sampled blocks do nothing, and says
/// so; what has no meaning with samples is refused.
fn take_sampled_blocks(arguments: &Response, prepared: &mut Prepared) -> Result<(), Problem> {
    let Some(sampled) = &prepared.sampled else { return Ok(()) };
    let names: Vec<String> = sampled.blocks.iter().map(|n| format!("`{n}`")).collect();
    let names = names.join(", ");
    let asked = &prepared.asked;
    let refused = [
        ("reduce", arguments.reduce.is_some() || asked.number("reduce").is_some()),
        ("sample", arguments.sample.is_some() || asked.number("sample").is_some()),
        ("unbalance", arguments.unbalance || asked.word("unbalance").is_some_and(|said| said == "yes")),
        ("balance", arguments.balance.is_some()),
    ];
    if let Some((option, _)) = refused.iter().find(|(_, is_asked)| *is_asked) {
        return Err(Problem::usage(format!("`{option}` has no meaning with the sampled blocks {names}"))
            .hint("leave it out, or write the controller as a continuous one"));
    }
    if prepared.is_moved {
        return Err(Problem::usage(format!(
            "the rates of inputs that move constraints are not known to the sampled blocks {names}"
        ))
        .hint("drive the base by a stiff spring, or ask for the response to a force"));
    }
    let (_, _, verdict) = sampled.stability().map_err(Problem::failed)?;
    prepared.about += &format!(
        ", with the samples of {names} every {} s ({}); gains at the frequency that goes in, aliases left out",
        number(sampled.system.period()),
        verdict.name()
    );
    prepared.system.system = sampled.system.flow().clone();
    prepared.system.states = sampled.states.clone();
    Ok(())
}

/// Keeps the states with the largest Hankel values.
fn reduce(prepared: &mut Prepared, n: usize) -> Result<(), Problem> {
    let system = minimal_realisation(&prepared.system.system).map_err(Problem::failed)?;
    let Reduction { system, error_bound } = balanced_reduction(&system, n).map_err(|error| {
        Problem::failed(error)
            .hint("only a stable system has Hankel values; hold what drifts, or choose outputs")
    })?;
    let state =
        |k: usize| Named { name: format!("balanced{k}"), unit: "1".into(), description: String::new() };
    prepared.system.states = (1..=system.n_states()).map(state).collect();
    prepared.about +=
        &format!(", reduced to {} states with an error below {}", system.n_states(), number(error_bound));
    prepared.system.system = system;
    Ok(())
}

/// The titles of a table of transfer functions, and their form.
fn channel_heads(clock: Clock) -> ([&'static str; 6], &'static str) {
    let (poles, zeros, form) = match clock {
        Clock::Continuous => ("poles [1/s]", "zeros [1/s]", "k Π (s − z) / Π (s − p), without delays"),
        Clock::Sampled(_) => {
            ("poles in z", "zeros in z", "k Π (z − zeros) / Π (z − poles), without whole steps of delay")
        }
    };
    (["from", "to", "static gain", "factor k", poles, zeros], form)
}
const MARGIN: [&str; 6] = ["from", "to", "gain margin", "phase margin", "delay margin", "modulus margin"];

/// The names of a channel's ends, with their units.
pub fn ends<'a>(inputs: &'a [Named], outputs: &'a [Named], channel: &Channel) -> (&'a Named, &'a Named) {
    (&inputs[channel.input], &outputs[channel.output])
}

/// The two roots of a pair that are nearer to one another than this are one double root for all that
/// is known: rounding ε parts it by √ε.
const DOUBLE: f64 = 1e-7;

/// Complex numbers for people, conjugate pairs as one.
pub fn list(roots: &[Complex]) -> String {
    let size = roots.iter().map(|z| z.norm()).fold(0.0, f64::max);
    let tidy = |x: f64| if x.abs() < 1e-12 * size { 0.0 } else { x };
    let mut upper: Vec<(f64, f64)> = roots.iter().map(|z| (tidy(z.re), tidy(z.im))).collect();
    upper.retain(|z| z.1 >= 0.0);
    let is_double = |z: &(f64, f64)| z.1 > 0.0 && z.1 <= DOUBLE * z.0.abs();
    let doubles: Vec<(f64, f64)> = upper.iter().filter(|z| is_double(z)).map(|z| (z.0, 0.0)).collect();
    upper.retain(|z| !is_double(z));
    upper.extend(doubles.iter().chain(&doubles));
    upper.sort_by(|a, b| a.0.hypot(a.1).total_cmp(&b.0.hypot(b.1)).then(a.0.total_cmp(&b.0)));
    match &upper[..] {
        [] => "none".into(),
        all => all.iter().map(|z| complex(*z)).collect::<Vec<_>>().join(", "),
    }
}

fn cells(prepared: &Prepared, poles: &[Complex], channel: &Channel) -> Vec<String> {
    let (from, to) = ends(&prepared.system.inputs, &prepared.system.outputs, channel);
    let gain = match channel.static_gain.is_finite() {
        true => format!("{} [{}]", number(channel.static_gain), ratio(to, from)),
        false => "infinite".into(),
    };
    let (factor, poles, zeros) = match &channel.transfer {
        Some(transfer) => (number(transfer.gain), list(&transfer.poles), list(&transfer.zeros)),
        None => ("none".into(), list(poles), "none".into()),
    };
    vec![from.name.clone(), to.name.clone(), gain, factor, poles, zeros]
}

/// The unit of an output over that of an input.
pub fn ratio(output: &Named, input: &Named) -> String {
    match (output.unit.as_str(), input.unit.as_str()) {
        (o, "1") => o.to_string(),
        (o, i) if i.contains(['*', '/']) => format!("{o}/({i})"),
        (o, i) => format!("{o}/{i}"),
    }
}

pub fn decibel(x: f64) -> f64 {
    20.0 * x.log10()
}

fn margin_cells(prepared: &Prepared, channel: &Channel) -> Vec<String> {
    let (from, to) = ends(&prepared.system.inputs, &prepared.system.outputs, channel);
    let shown = |m: Option<Margin>, words: fn(f64) -> String| match m {
        None => "none".to_string(),
        Some(m) => format!("{} at {} Hz", words(m.value), number(m.frequency / TAU)),
    };
    let all = &channel.margins;
    vec![
        from.name.clone(),
        to.name.clone(),
        shown(all.gain_margin(), |x| format!("{} dB", number(decibel(x)))),
        shown(all.phase_margin(), |x| format!("{}°", number(x * 180.0 / PI))),
        shown(all.delay_margin(), |x| format!("{} s", number(x))),
        shown(Some(all.modulus), number),
    ]
}

fn numbers(roots: &[Complex]) -> Vec<Value> {
    roots.iter().map(|z| json!([z.re, z.im])).collect()
}

/// A matrix for programs, row by row.
pub fn matrix(m: &Matrix) -> Vec<Vec<f64>> {
    (0..m.nrows()).map(|i| (0..m.ncols()).map(|j| m[(i, j)]).collect()).collect()
}

fn describe(prepared: &Prepared, found: &Found) -> Value {
    let named = |list: &[Named]| -> Vec<Value> {
        list.iter().map(|n| json!({ "name": n.name, "unit": n.unit })).collect()
    };
    let margin = |m: &Margin| json!({ "frequency": m.frequency / TAU, "value": m.value });
    let channel = |c: &Channel| {
        let (from, to) = ends(&prepared.system.inputs, &prepared.system.outputs, c);
        let polar = found.polar(c);
        json!({
            "input": from.name, "output": to.name,
            "static_gain": c.static_gain,
            "poles": c.transfer.as_ref().map(|t| numbers(&t.poles)),
            "zeros": c.transfer.as_ref().map(|t| numbers(&t.zeros)),
            "factor": c.transfer.as_ref().map(|t| t.gain),
            "numerator": c.transfer.as_ref().map(|t| t.numerator()),
            "denominator": c.transfer.as_ref().map(|t| t.denominator()),
            "gain_margins": c.margins.gain.iter().map(margin).collect::<Vec<_>>(),
            "phase_margins": c.margins.phase.iter().map(margin).collect::<Vec<_>>(),
            "delay_margin": c.margins.delay_margin().as_ref().map(margin),
            "modulus_margin": margin(&c.margins.modulus),
            "gain": polar.iter().map(|p| p.0).collect::<Vec<_>>(),
            "phase": polar.iter().map(|p| p.1).collect::<Vec<_>>(),
        })
    };
    let s = &prepared.system.system;
    let plain = prepared.sampled.is_none().then_some(s);
    json!({
        "ok": true,
        "model": prepared.asked.study.model().name,
        "time": prepared.linear.time,
        "point": prepared.linear.point.words(),
        "states": named(&prepared.system.states),
        "inputs": named(&prepared.system.inputs),
        "outputs": named(&prepared.system.outputs),
        "delays": s.delays,
        "A": matrix(&s.a), "B": matrix(&s.b), "C": matrix(&s.c), "D": matrix(&s.d),
        "poles": numbers(&found.poles), "zeros": numbers(&found.zeros),
        "controllable": plain.and_then(|s| controllable_rank(s).ok()),
        "observable": plain.and_then(|s| observable_rank(s).ok()),
        "hankel_values": plain.and_then(|s| hankel_values(s).ok()),
        "frequencies": found.frequencies,
        "channels": found.channels.iter().map(channel).collect::<Vec<_>>(),
        "principal_gains": found.gains,
    })
}

fn csv(prepared: &Prepared, found: &Found) -> String {
    let mut heads = vec!["frequency [Hz]".to_string()];
    for c in &found.channels {
        let (from, to) = ends(&prepared.system.inputs, &prepared.system.outputs, c);
        heads.push(csv_cell(&format!("gain {} over {} [{}]", to.name, from.name, ratio(to, from))));
        heads.push(csv_cell(&format!("phase {} over {} [deg]", to.name, from.name)));
    }
    let n_gains = found.gains.first().map_or(0, Vec::len);
    heads.extend((1..=n_gains).map(|k| format!("principal gain {k}")));
    let polar: Vec<Vec<(f64, f64)>> = found.channels.iter().map(|c| found.polar(c)).collect();
    let mut out = heads.join(",") + "\n";
    for (k, f) in found.frequencies.iter().enumerate() {
        let mut row = vec![digits(*f)];
        polar.iter().for_each(|p| row.extend([digits(p[k].0), digits(p[k].1 * 180.0 / PI)]));
        row.extend(found.gains[k].iter().map(|g| digits(*g)));
        out += &(row.join(",") + "\n");
    }
    out
}
