//! `cardan modes`: eigenvalues, damping, shapes, and a page on which the modes move.

use cardan::analysis::{
    LinearOptions, Mode, Modes as Found, Named, effective_masses, linearize, mode_motion, modes as find,
};
use cardan::model::ExperimentKind;
use cardan::sim::Frames;
use cardan_viewer::{Chapter, Chapters, Series};
use serde_json::{Value, json};

use crate::analyze::arguments::Modes;
use crate::analyze::locus::{parameter_grid::Over, root_locus};
use crate::analyze::page::{Answer, page, table};
use crate::analyze::{Asked, Chosen, absolute, derive, flat_words, number, read, warn_of_kinks};
use crate::exit::{Outcome, Problem};
use crate::files::{csv_cell, digits};
use crate::terminal::{Terminal, columns};

/// On the page each mode takes this long, whatever its own time.
const SHOWN: f64 = 4.0;
/// Between the last picture of one mode and the first of the next, in seconds.
const GAP: f64 = 0.02;
/// More modes than this are not animated.
const MAX_SHOWN: usize = 24;

pub fn run(terminal: &Terminal, arguments: &Modes) -> Result<Outcome, Problem> {
    let terminal = &terminal.quieter(arguments.common.quiet);
    let over = arguments.over.as_deref().map(Over::read).transpose()?;
    let inputs: Vec<String> = over.iter().map(|o| o.name.clone()).collect();
    let posed = read(terminal, &arguments.common, &[], Ok)?;
    let is_simple = over.is_none() && arguments.about.keep.is_empty();
    if let Some(reason) = absolute::reason(&posed.model, &arguments.common).filter(|_| is_simple) {
        let asked = (&arguments.about, arguments.count.unwrap_or(absolute::MODES));
        return absolute::modes(terminal, &posed, &arguments.common, reason, asked);
    }
    let mut asked = derive(terminal, ExperimentKind::Modes, &arguments.common, &inputs, posed)?;
    if let Some(over) = over {
        let about = &arguments.about;
        return root_locus::answer(
            terminal,
            &mut asked,
            about,
            (&[over], &[1.0, 2.0]),
            arguments.common.quiet,
        );
    }
    let Chosen { t, y, instead } = asked.state(terminal, &arguments.about)?;
    asked.say_discretes(terminal);
    let options = LinearOptions { keep: asked.list(&arguments.about.keep, "keep") };
    let linear = linearize(&mut asked.study, t, &y, &options).map_err(Problem::failed)?;
    let found = find(&asked.study, &linear).map_err(Problem::failed)?;
    asked.warn_of_imbalance(terminal, &linear);
    warn_of_kinks(terminal, &found.kinks);
    let about = match instead {
        true => format!(
            "the equilibrium near the start at t = {} s, NOT about the start itself, which is none",
            number(t)
        ),
        false => format!("{} at t = {} s", linear.point.words(), number(t)),
    };
    let mut facts = describe(&asked, &found, linear.point.words(), t, instead);
    let sampled = asked.sampled_poles(t, &y)?;
    if let Some((about, _)) = &sampled {
        terminal.warning(
            "the sampled blocks do nothing in these modes, which hold between samples; the poles of the loop with them are given apart",
        );
        facts["sampled"] = about.clone();
    }
    let masses = effective_masses(&asked.compiled.choice, &mut asked.study, &linear, &found);
    for (k, mass) in masses.map_err(Problem::failed)?.iter().enumerate() {
        facts["modes"][k]["effective_mass"] = json!(mass.mass);
        facts["modes"][k]["participation"] = json!(mass.participation);
    }
    let mut paths =
        vec![asked.write("modes.json", &format!("{facts:#}\n"))?, asked.write("modes.csv", &csv(&found))?];

    let mut frames = Frames::default();
    let mut shown_from = vec![];
    let mut series: Vec<Series> = coordinates(&asked);
    let still: Vec<String> = found.ignorable.iter().map(|n| n.name.clone()).collect();
    for mode in found.modes.iter().filter(|m| is_lively(m)).take(MAX_SHOWN) {
        let motion = mode_motion(&mut asked.study, &linear, mode).map_err(Problem::failed)?;
        let from = shown_from.len() as f64 * SHOWN;
        shown_from.push(from);
        append(&mut frames, &motion, from);
        deflections(&mut series, mode, motion.times.len());
    }
    series.retain(|s| !still.contains(&s.name));
    let rows = cells(&found);
    let chapters = chapters(&found, &rows, &shown_from);
    let note = format!(
        "Each mode is shown for {SHOWN} s, exaggerated and not in real time; small motions about {about}."
    );
    let answer = Answer {
        title: "modes".into(),
        warnings: found.kinks.iter().map(ToString::to_string).collect(),
        held: asked.held_words(),
        summary: vec![("about".into(), about.clone()), ("stability".into(), found.verdict.clone())],
        time: frames.times.clone(),
        series,
        tables: vec![table(
            "Modes",
            &note,
            &["", "in words", "eigenvalue", "frequency [Hz]", "damping ratio", "time constant [s]"],
            rows.clone(),
        )],
        chapters,
    };
    paths.push(asked.write("modes.html", &page(&asked, &frames, answer))?);
    asked.deliver()?;
    if terminal.json {
        terminal.print_json(&facts);
    } else if !arguments.common.quiet {
        let mut out = asked.heading(terminal, &format!("modes about {about}"));
        let heading = ["", "", "eigenvalue", "Hz", "damping", "time constant"].map(String::from).to_vec();
        let all: Vec<Vec<String>> = std::iter::once(heading).chain(rows).collect();
        out += &columns(&all, &[0, 2, 3, 4, 5]);
        out += &format!("  {}\n", found.verdict);
        sampled.iter().for_each(|(_, lines)| out += lines);
        out += &flat_words(&found.flat);
        paths.iter().for_each(|p| out += &format!("  {}\n", p.display()));
        terminal.print(&out);
    }
    Ok(Outcome::Done)
}

/// Whether a mode can be seen: a neutral one is a constant departure.
fn is_lively(mode: &Mode) -> bool {
    mode.eigenvalue != (0.0, 0.0)
}

/// The modes that move, to be chosen from a list.
fn chapters(found: &Found, rows: &[Vec<String>], shown_from: &[f64]) -> Chapters {
    let lively = found.modes.iter().zip(rows).filter(|(m, _)| is_lively(m));
    // Names stand in the words as in a text, in quotes that a page does without.
    let plain = |words: &str| words.replace('`', "");
    let chapter = |((mode, row), from): ((&Mode, &Vec<String>), &f64)| Chapter {
        title: format!("Mode {}: {}", row[0], plain(&mode.words)),
        cells: row[..5].iter().map(|cell| plain(cell)).collect(),
        from: *from,
        to: from + SHOWN - GAP,
    };
    let columns = ["", "in words", "eigenvalue", "Hz", "damping"];
    Chapters {
        title: "Modes: choose one".into(),
        columns: columns.map(String::from).to_vec(),
        chapters: lively.zip(shown_from).map(chapter).collect(),
    }
}

/// An eigenvalue for people.
pub fn complex((re, im): (f64, f64)) -> String {
    match im {
        0.0 => number(re),
        im => format!("{} ± {}i", number(re), number(im)),
    }
}

fn cells(found: &Found) -> Vec<Vec<String>> {
    let row = |(k, m): (usize, &Mode)| {
        vec![
            format!("{}", k + 1),
            m.words.clone(),
            complex(m.eigenvalue),
            if m.frequency > 0.0 { number(m.frequency) } else { "–".into() },
            number(m.damping),
            if m.time_constant.is_finite() { number(m.time_constant) } else { "∞".into() },
        ]
    };
    found.modes.iter().enumerate().map(row).collect()
}

fn csv(found: &Found) -> String {
    let mut out = String::from("re [1/s],im [1/s],frequency [Hz],damping,time constant [s],words\n");
    for m in &found.modes {
        let (re, im) = m.eigenvalue;
        out += &format!(
            "{},{},{},{},{},{}\n",
            digits(re),
            digits(im),
            digits(m.frequency),
            digits(m.damping),
            digits(m.time_constant),
            csv_cell(&m.words)
        );
    }
    out
}

fn describe(asked: &Asked, found: &Found, point: &str, t: f64, instead: bool) -> Value {
    let shape = |m: &Mode| -> serde_json::Map<String, Value> {
        m.shape.iter().enumerate().map(|(k, z)| (asked.study.state(k).0.name, json!([z.0, z.1]))).collect()
    };
    let shares = |m: &Mode| -> Vec<Value> {
        m.shares.iter().map(|(k, s)| json!({ "name": asked.study.state(*k).0.name, "share": s })).collect()
    };
    let names = |list: &[Named]| list.iter().map(|n| n.name.clone()).collect::<Vec<_>>();
    let finite = |x: f64| if x.is_finite() { json!(x) } else { Value::Null };
    let modes: Vec<Value> = found
        .modes
        .iter()
        .map(|m| {
            json!({
                "words": m.words,
                "eigenvalue": [m.eigenvalue.0, m.eigenvalue.1],
                "frequency": m.frequency,
                "damped_frequency": m.damped_frequency,
                "damping": m.damping,
                "time_constant": finite(m.time_constant),
                "shape": shape(m),
                "shares": shares(m),
            })
        })
        .collect();
    json!({
        "ok": true,
        "model": asked.study.model().name,
        "time": t,
        "point": point,
        "instead_of_start": instead,
        "discrete": asked.discretes(),
        "stability": found.stability.name(),
        "verdict": found.verdict,
        "decided": found.decided,
        "ignorable": names(&found.ignorable),
        "flat": names(&found.flat),
        "kinks": found.kinks.iter().map(ToString::to_string).collect::<Vec<_>>(),
        "unfelt_together": found.together.iter().map(|group| names(group)).collect::<Vec<_>>(),
        "modes": modes,
    })
}

/// Puts the pictures of a mode behind those of the modes before it.
fn append(frames: &mut Frames, motion: &Frames, from: f64) {
    let n = motion.times.len().max(2) as f64 - 1.0;
    frames.times.extend((0..motion.times.len()).map(|k| from + (SHOWN - GAP) * k as f64 / n));
    if frames.bodies.is_empty() {
        frames.bodies.clone_from(&motion.bodies);
        frames.loads.clone_from(&motion.loads);
        return;
    }
    for (track, more) in frames.bodies.iter_mut().zip(&motion.bodies) {
        track.extend(more);
    }
    for (track, more) in frames.loads.iter_mut().zip(&motion.loads) {
        track.at.extend(&more.at);
        track.vector.extend(&more.vector);
        if let (Some(places), Some(others)) = (&mut track.reaction, &more.reaction) {
            places.extend(others);
        }
    }
}

fn coordinates(asked: &Asked) -> Vec<Series> {
    let (n_q, ..) = asked.study.sizes();
    let made = (0..n_q).map(|k| Series {
        name: asked.study.state(k).0.name,
        group: "Shapes: deflections relative to the largest".into(),
        ..Series::default()
    });
    made.collect()
}

/// Deflections of the coordinates over two periods, or over the decay.
fn deflections(series: &mut [Series], mode: &Mode, n: usize) {
    for (k, s) in series.iter_mut().enumerate() {
        let (re, im) = mode.shape[k];
        s.values.extend((0..n).map(|i| {
            let phase = i as f64 / (n.max(2) - 1) as f64;
            match mode.damped_frequency > 0.0 {
                true => {
                    let angle = 2.0 * std::f64::consts::TAU * phase;
                    re * angle.cos() - im * angle.sin()
                }
                false if mode.time_constant > 0.0 && mode.time_constant.is_finite() => {
                    re * (-4.0 * phase).exp()
                }
                false if mode.time_constant.is_finite() => re * (4.0 * (phase - 1.0)).exp(),
                false => re * (std::f64::consts::TAU * phase).sin(),
            }
        }));
    }
}
