//! `cardan inverse`: forces of actuators that bring a motion about, given by expressions or by an earlier run.

use cardan::analysis::{
    DrivenMotion, DrivenSample, GivenMotion, actuator, corners, differences_in_pieces, driven_coordinates,
    inverse as forces_at, kinematics as follow,
};
use cardan::model::ExperimentKind;
use cardan::units::{Dimension, Unit};
use serde_json::json;

use crate::analyze::arguments::Inverse;
use crate::analyze::drive_override::{make_room, make_room_for, moved};
use crate::analyze::kinematics::{csv, last, say, table_of, times, warnings};
use crate::analyze::page::{Answer, page};
use crate::analyze::{Asked, force_unit, motion_statements, number, or_list, prepare};
use crate::exit::{Outcome, Problem};
use crate::files;
use crate::terminal::Terminal;
use crate::transaction::Transaction;

pub fn run(terminal: &Terminal, arguments: &Inverse) -> Result<Outcome, Problem> {
    let terminal = &terminal.quieter(arguments.common.quiet);
    let given = if arguments.along.is_some() { &[][..] } else { &arguments.motion[..] };
    let mut moved = moved(given);
    let mut released = vec![];
    let mut free = prepare(terminal, ExperimentKind::Inverse, &arguments.common, &[], &[], |model| {
        let block = model.experiments.iter().find(|e| e.kind == ExperimentKind::Inverse).cloned();
        let actuated = or_list(&arguments.actuate, block.as_ref(), "actuate");
        if moved.is_empty() && arguments.along.is_none() {
            moved = driven_coordinates(&model);
        }
        let names = if actuated.is_empty() { &moved } else { &actuated };
        let room = make_room(model, names, &[])?;
        released = room.1;
        Ok(room.0)
    })?;
    for drive in &released {
        terminal.note(&format!("the actuators take the place of the drive `{drive}` of the text"));
    }
    let (mut motion, discretes, jumps) = match &arguments.along {
        Some(path) => {
            path.parent().map_or(Ok(()), Transaction::finish)?;
            recorded(&mut free, &files::read(path)?)?
        }
        None => {
            let motion = driven(terminal, arguments)?;
            free.say_discretes(terminal);
            (motion, vec![], vec![])
        }
    };
    let actuated = free.list(&arguments.actuate, "actuate");
    let names = if actuated.is_empty() { moved } else { actuated };
    if names.is_empty() {
        return Err(Problem::usage("no coordinate has an actuator").hint("name them: --actuate q1,q2"));
    }
    let places = names.iter().map(|n| actuator(&free.study, n)).collect::<Result<Vec<_>, _>>();
    let places = places.map_err(Problem::wrong)?;
    let mut left: f64 = 0.0;
    let mut largest: f64 = 0.0;
    let mut given =
        GivenMotion::with_host(&free.compiled.choice, free.study.host()).map_err(Problem::failed)?;
    for (k, s) in motion.samples.iter_mut().enumerate() {
        if let Some(values) = discretes.get(k) {
            free.study.hold_discretes(values);
        }
        let found = forces_at(&mut free.study, s.time, &s.state, &s.accelerations, &places);
        let found = found.map_err(Problem::failed)?;
        left = left.max(found.left);
        largest = found.forces.iter().fold(largest, |m, f| f.abs().max(m));
        let outputs =
            given.outputs(&mut free.study, s.time, &s.state, &s.accelerations, &places, &found.forces);
        s.outputs = outputs.map_err(Problem::failed)?;
        s.forces = found.forces;
    }
    let speeds: Vec<Dimension> =
        free.study.model().speeds.iter().map(|(_, u)| u.quantity.dimension).collect();
    let titled =
        |(n, k): (&String, &usize)| (format!("force along {n}"), force_unit(speeds[*k] * Dimension::TIME));
    let titles: Vec<(String, String)> = names.iter().zip(&places).map(titled).collect();
    let table = table_of(&free.study, &motion, &titles);
    let mut said = warnings(&motion);
    said.extend(across(&jumps));
    if left > 1e-6 * (1.0 + largest) {
        said.push(format!(
            "the actuators cannot bring this motion about: a generalised force of {} is left",
            number(left)
        ));
    }
    let mut paths = vec![free.write("inverse.csv", &csv(&table))?];
    let answer = Answer {
        title: "inverse dynamics".into(),
        summary: vec![("actuators".into(), names.join(", ")), ("force left".into(), number(left))],
        warnings: said.clone(),
        time: motion.samples.iter().map(|s| s.time).collect(),
        series: table[1..].to_vec(),
        ..Answer::default()
    };
    paths.push(free.write("inverse.html", &page(&free, &motion.frames, answer))?);
    let facts = json!({
        "ok": motion.stopped.is_none(),
        "model": free.study.model().name,
        "actuators": names,
        "released": released,
        "not_unique": free.not_unique(),
        "samples": motion.samples.len(),
        "left": left,
        "stopped": motion.stopped,
        "final": last(&table),
        "files": paths.iter().map(|p| p.to_string_lossy()).collect::<Vec<_>>(),
    });
    free.write("inverse.json", &format!("{facts:#}\n"))?;
    free.deliver()?;
    said.iter().for_each(|w| terminal.warning(w));
    say(terminal, arguments.common.quiet, &free, &table, &facts, "inverse dynamics");
    Ok(if motion.stopped.is_none() { Outcome::Done } else { Outcome::Failed })
}

/// The motion that expressions prescribe, or the drives of the text; expressions take the place of drives.
fn driven(terminal: &Terminal, arguments: &Inverse) -> Result<DrivenMotion, Problem> {
    let statements = motion_statements(&arguments.motion)?;
    let mut driven_by_text = vec![];
    let quiet = terminal.quieter(true);
    let mut asked = prepare(&quiet, ExperimentKind::Inverse, &arguments.common, &statements, &[], |model| {
        driven_by_text = driven_coordinates(&model);
        Ok(make_room_for(model, &arguments.motion)?.0)
    })?;
    if statements.is_empty() && driven_by_text.is_empty() {
        return Err(Problem::usage("no motion is given")
            .hint("write --motion 'NAME=EXPRESSION' for each degree of freedom, `motion` statements, or --along results.csv"));
    }
    let times = times(&asked, &arguments.interval)?;
    follow(&mut asked.study, &times, &[]).map_err(|e| {
        Problem::wrong(e).hint("prescribe it: --motion 'NAME=EXPRESSION', such as --motion 'phi=6 [rad/s]*t'")
    })
}

/// A motion, the discrete states of its samples, and the times at which forces jump.
type Recorded = (DrivenMotion, Vec<Vec<f64>>, Vec<f64>);

/// The motion of an earlier run: coordinates, speeds and states by the headings of its columns; accelerations by differences, which do
/// not reach across changes of discrete states. Beside it the discrete states of each sample.
/// And the times at which forces jump, so that speeds have corners.
fn recorded(asked: &mut Asked, text: &str) -> Result<Recorded, Problem> {
    let mut lines = text.lines();
    let heads = files::csv_cells(lines.next().unwrap_or(""));
    let column = |name: &str| -> Option<(usize, f64)> {
        heads.iter().enumerate().find_map(|(k, head)| {
            let (n, unit) = head.trim().rsplit_once(" [")?;
            let factor = Unit::parse(unit.trim_end_matches(']')).map_or(1.0, |u| 1.0 / u.from_si(1.0));
            (n == name).then_some((k, factor))
        })
    };
    let n = asked.study.n_states();
    let mut places = vec![];
    for k in 0..n {
        let name = asked.study.state(k).0.name;
        let missing = || Problem::wrong(format!("the earlier run has no column `{name}`"));
        places.push(column(&name).ok_or_else(missing)?);
    }
    let names = asked.study.model().hybrid.discretes.iter().map(|(_, d)| d.quantity.name.clone());
    let mut discrete_places = vec![];
    for name in names {
        let missing = || Problem::wrong(format!("the earlier run has no column `{name}`"));
        discrete_places.push(column(&name).ok_or_else(missing)?);
    }
    let time = column("t").ok_or_else(|| Problem::wrong("the earlier run has no column `t`"))?.0;
    let mut motion = DrivenMotion::default();
    let mut discretes: Vec<Vec<f64>> = vec![];
    for (number, line) in lines.enumerate() {
        let bad = || Problem::wrong(format!("line {} of the earlier run is no row of numbers", number + 2));
        let cells = line.split(',').map(|c| c.trim().parse::<f64>()).collect::<Result<Vec<_>, _>>();
        let cells = cells.map_err(|_| bad())?;
        let at = |k: usize| cells.get(k).copied().ok_or_else(bad);
        let values = |places: &[(usize, f64)]| {
            places.iter().map(|(k, f)| Ok(at(*k)? * f)).collect::<Result<Vec<_>, Problem>>()
        };
        let state = values(&places)?;
        let sample = DrivenSample {
            time: at(time)?,
            state,
            accelerations: vec![],
            outputs: vec![],
            forces: vec![],
            margin: 1.0,
        };
        // A row that repeats its time says nothing about rates.
        if motion.samples.last().is_none_or(|s| s.time < sample.time) {
            motion.samples.push(sample);
            discretes.push(values(&discrete_places)?);
        }
    }
    if motion.samples.len() < 2 {
        return Err(Problem::wrong("the earlier run has fewer than two rows"));
    }
    let (n_q, n_u, _) = asked.study.sizes();
    let times: Vec<f64> = motion.samples.iter().map(|s| s.time).collect();
    let told: Vec<usize> = (1..discretes.len()).filter(|k| discretes[*k] != discretes[k - 1]).collect();
    let mut found: Vec<usize> = vec![];
    for k in n_q..n_q + n_u {
        let values: Vec<f64> = motion.samples.iter().map(|s| s.state[k]).collect();
        found.extend(corners(&times, &values));
    }
    found.sort_unstable();
    found.dedup();
    // Neighbours speak of one jump, and changes of discrete states are known.
    let near = |a: usize, b: usize| a.abs_diff(b) <= 1;
    let mut jumps: Vec<usize> = vec![];
    for k in found {
        if !told.iter().chain(&jumps).any(|j| near(*j, k)) {
            jumps.push(k);
        }
    }
    let mut starts: Vec<usize> = told.into_iter().chain(jumps.iter().copied()).collect();
    starts.sort_unstable();
    let jumps = jumps.into_iter().map(|k| times[k]).collect();
    for k in n_q..n_q + n_u {
        let values: Vec<f64> = motion.samples.iter().map(|s| s.state[k]).collect();
        for (s, a) in motion.samples.iter_mut().zip(differences_in_pieces(&times, &values, &starts)) {
            s.accelerations.push(a);
        }
    }
    for (s, values) in motion.samples.iter().zip(&discretes) {
        asked.study.hold_discretes(values);
        asked.study.picture(s.time, &s.state, &mut motion.frames).map_err(Problem::failed)?;
    }
    Ok((motion, discretes, jumps))
}

/// A warning that speeds have corners: accelerations are taken from each side of them.
fn across(jumps: &[f64]) -> Option<String> {
    /// So many are named.
    const NAMED: usize = 5;
    if jumps.is_empty() {
        return None;
    }
    let mut list: Vec<String> = jumps.iter().take(NAMED).map(|t| format!("{} s", number(*t))).collect();
    if jumps.len() > NAMED {
        list.push(format!("{} more", jumps.len() - NAMED));
    }
    Some(format!(
        "forces jump near t = {}: accelerations are differences of the rows on each side, and forces between these rows are not known; \
         write more rows with `every` for a closer look",
        list.join(", ")
    ))
}
