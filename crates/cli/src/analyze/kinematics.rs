//! `cardan kinematics`: driven mechanisms, and postures that bring points to their targets.

use cardan::analysis::{DrivenMotion, Study, kinematics as follow};
use cardan::base::Id;
use cardan::expr::Depends;
use cardan::model::{ConstraintKind, Drive, ExperimentKind, Model};
use cardan_viewer::Series;
use serde_json::json;

use crate::analyze::arguments::{Interval, Kinematics};
use crate::analyze::drive_override::make_room_for;
use crate::analyze::page::{Answer, page};
use crate::analyze::{
    Asked, branches, force_unit, inverse_kinematics, motion_statements, number, prepare, scale,
};
use crate::exit::{Outcome, Problem};
use crate::files::{csv_cell, digits};
use crate::terminal::{Terminal, columns};

pub fn run(terminal: &Terminal, arguments: &Kinematics) -> Result<Outcome, Problem> {
    let terminal = &terminal.quieter(arguments.common.quiet);
    if arguments.branches {
        return branches::run(terminal, arguments);
    }
    if !arguments.target.is_empty() || !arguments.orient.is_empty() {
        return inverse_kinematics::run(terminal, arguments);
    }
    let statements = motion_statements(&arguments.motion)?;
    let mut released = vec![];
    let mut asked =
        prepare(terminal, ExperimentKind::Kinematics, &arguments.common, &statements, &[], |model| {
            let room = make_room_for(model, &arguments.motion)?;
            released = room.1;
            Ok(room.0)
        })?;
    for drive in &released {
        terminal.note(&format!("the motions given take the place of the drive `{drive}` of the text"));
    }
    asked.say_discretes(terminal);
    let times = times(&asked, &arguments.interval)?;
    let drives = drives(asked.study.model(), &arguments.motion);
    let places: Vec<usize> = drives.iter().map(|(_, _, k)| *k).collect();
    let motion = follow(&mut asked.study, &times, &places).map_err(|e| {
        Problem::wrong(e).hint("prescribe it: --motion 'NAME=EXPRESSION', such as --motion 'phi=6 [rad/s]*t'")
    })?;
    let names: Vec<(String, String)> =
        drives.iter().map(|(name, unit, _)| (format!("force of {name}"), unit.clone())).collect();
    let columns_of = table_of(&asked.study, &motion, &names);
    let mut paths = vec![asked.write("kinematics.csv", &csv(&columns_of))?];
    let warnings = warnings(&motion);
    let answer = Answer {
        title: "kinematics".into(),
        held: asked.held_words(),
        summary: vec![
            ("drives".into(), drives.iter().map(|d| d.0.clone()).collect::<Vec<_>>().join(", ")),
            ("samples".into(), motion.samples.len().to_string()),
        ],
        warnings: warnings.clone(),
        time: motion.samples.iter().map(|s| s.time).collect(),
        series: columns_of[1..].to_vec(),
        ..Answer::default()
    };
    paths.push(asked.write("kinematics.html", &page(&asked, &motion.frames, answer))?);
    let facts = json!({
        "ok": motion.stopped.is_none(),
        "model": asked.study.model().name,
        "samples": motion.samples.len(),
        "drives": drives.iter().map(|d| d.0.clone()).collect::<Vec<_>>(),
        "released": released,
        "singular": motion.singular.iter().map(|(t, m)| json!({ "t": t, "margin": m })).collect::<Vec<_>>(),
        "stopped": motion.stopped,
        "not_unique": asked.not_unique(),
        "final": last(&columns_of),
        "files": paths.iter().map(|p| p.to_string_lossy()).collect::<Vec<_>>(),
    });
    asked.write("kinematics.json", &format!("{facts:#}\n"))?;
    asked.deliver()?;
    warnings.iter().for_each(|w| terminal.warning(w));
    say(terminal, arguments.common.quiet, &asked, &columns_of, &facts, "driven motion");
    Ok(if motion.stopped.is_none() { Outcome::Done } else { Outcome::Failed })
}

/// What a reader should know.
pub fn warnings(motion: &DrivenMotion) -> Vec<String> {
    let mut said: Vec<String> = motion.stopped.iter().cloned().collect();
    if let Some((t, margin)) = motion.singular.iter().min_by(|a, b| a.1.total_cmp(&b.1)) {
        said.push(format!(
            "near t = {} s the position is singular (margin {margin:.1e}): velocities and forces are ill determined there",
            number(*t)
        ));
    }
    said
}

/// The last values, their names and where the files are.
pub fn say(
    terminal: &Terminal,
    quiet: bool,
    asked: &Asked,
    table: &[Series],
    facts: &serde_json::Value,
    what: &str,
) {
    if terminal.json {
        terminal.print_json(facts);
        return;
    }
    if quiet {
        return;
    }
    let t = table.first().and_then(|s| s.values.last()).copied().unwrap_or(0.0);
    let n = table.first().map_or(0, |s| s.values.len());
    let mut out = asked.heading(terminal, &format!("{what}: {n} samples; at t = {} s", number(t)));
    let rows: Vec<Vec<String>> = table[1..]
        .iter()
        .filter_map(|s| {
            let mark = asked.mark(&s.name).to_string();
            Some(vec![s.name.clone(), number(*s.values.last()?), bracketed(&s.unit), mark])
        })
        .collect();
    out += &columns(&rows, &[1]);
    for path in facts["files"].as_array().into_iter().flatten().filter_map(|p| p.as_str()) {
        out += &format!("  {path}\n");
    }
    terminal.print(&out);
}

/// A unit in brackets; that of a plain number is one.
fn bracketed(unit: &str) -> String {
    format!("[{}]", if unit.is_empty() { "1" } else { unit })
}

pub fn last(table: &[Series]) -> serde_json::Value {
    let cells = table
        .iter()
        .filter_map(|s| Some((s.name.clone(), json!({ "value": s.values.last()?, "unit": s.unit }))));
    serde_json::Value::Object(cells.collect())
}

/// Constraints that drive, motions of the text and of the command line: name, unit of the force, place.
fn drives(model: &Model, motions: &[String]) -> Vec<(String, String, usize)> {
    let pool = model.space.pool();
    let moves = |e| pool.depends(e).intersects(Depends::TIME);
    let mut found = vec![];
    for (id, c) in model.constraints.iter() {
        let [row] = &c.rows[..] else { continue };
        // Statements of the command line are numbered from one.
        let given = c.name.strip_prefix("drive_").and_then(|k| k.parse::<usize>().ok());
        let given = given.and_then(|k| motions.get(k.checked_sub(1)?));
        if given.is_some()
            || matches!(c.kind, ConstraintKind::Drive(Drive::Motion | Drive::Analysis))
            || row.position.is_some_and(moves)
        {
            let name =
                given.and_then(|m| m.split_once('=')).map_or(c.name.clone(), |(n, _)| n.trim().to_string());
            found.push((name, force_unit(row.dimension), id.index()));
        }
    }
    found
}

/// More samples than these are a slip of the pen.
const MAX_SAMPLES: f64 = 1e6;

/// The sample times.
pub fn times(asked: &Asked, interval: &Interval) -> Result<Vec<f64>, Problem> {
    let from = asked.time("from", &interval.from)?.unwrap_or(0.0);
    let to = asked.time("to", &interval.to)?.unwrap_or(from + 1.0);
    let every = asked.time("every", &interval.every)?.unwrap_or((to - from).abs() / 100.0);
    let n = ((to - from) / every).abs();
    if from == to {
        return Ok(vec![from]);
    }
    if !(every > 0.0 && n.is_finite()) {
        return Err(Problem::usage(format!("samples every {every} s from {from} to {to} s make no sense")));
    }
    if n > MAX_SAMPLES {
        let many = format!(
            "every {every} s from {from} to {to} s are {n:.0} samples; at most {MAX_SAMPLES} are computed"
        );
        return Err(Problem::usage(many).hint("write a longer --every"));
    }
    let n = (n - 1e-9).ceil() as usize;
    Ok((0..=n).map(|k| if k == n { to } else { from + (to - from).signum() * every * k as f64 }).collect())
}

/// Everything over time in the units that people want to see.
pub fn table_of(study: &Study, motion: &DrivenMotion, forces: &[(String, String)]) -> Vec<Series> {
    let model = study.model();
    let samples = &motion.samples;
    let series = |name: String, unit: String, group: &str, values: Vec<f64>| Series {
        name,
        unit: if unit == "1" { String::new() } else { unit },
        group: group.into(),
        values,
        ..Series::default()
    };
    let mut all = vec![series("t".into(), "s".into(), "", samples.iter().map(|s| s.time).collect())];
    let quantities = model.coordinates.iter().map(|(_, q)| (&q.quantity, "Coordinates"));
    let quantities = quantities.chain(model.speeds.iter().map(|(_, u)| (&u.quantity, "Speeds")));
    let quantities = quantities.chain(model.states.iter().map(|(_, s)| (&s.quantity, "Auxiliary states")));
    for (k, (q, group)) in quantities.enumerate() {
        let (factor, unit) = scale(q);
        all.push(series(q.name.clone(), unit, group, samples.iter().map(|s| s.state[k] * factor).collect()));
    }
    for (k, (_, u)) in model.speeds.iter().enumerate() {
        let unit = (u.quantity.dimension / cardan::units::Dimension::TIME).to_string();
        let values = samples.iter().map(|s| s.accelerations[k]).collect();
        all.push(series(format!("der({})", u.quantity.name), unit, "Accelerations", values));
    }
    for (k, o) in model.outputs.iter().enumerate() {
        let (factor, unit) = scale(&o.quantity);
        let values = samples.iter().map(|s| s.outputs[k] * factor).collect();
        let description = o.quantity.description.clone();
        let shown = series(o.quantity.name.clone(), unit, "Outputs", values);
        all.push(Series { description, ..shown });
    }
    for (k, (name, unit)) in forces.iter().enumerate() {
        let values = samples.iter().map(|s| s.forces[k]).collect();
        all.push(series(name.clone(), unit.clone(), "Forces", values));
    }
    all
}

pub fn csv(table: &[Series]) -> String {
    let unit = |s: &Series| if s.unit.is_empty() { "1".to_string() } else { s.unit.clone() };
    let head: Vec<String> = table.iter().map(|s| csv_cell(&format!("{} [{}]", s.name, unit(s)))).collect();
    let mut out = head.join(",") + "\n";
    for k in 0..table.first().map_or(0, |s| s.values.len()) {
        let row: Vec<String> = table.iter().map(|s| digits(s.values[k])).collect();
        out += &(row.join(",") + "\n");
    }
    out
}
