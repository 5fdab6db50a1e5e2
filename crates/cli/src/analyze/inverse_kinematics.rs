//! `cardan kinematics --target --orient`: postures that bring points to their places and turn bodies as asked, by assembly.

use cardan::analysis::orient_like;
use cardan::model::ExperimentKind;
use cardan::sim::Frames;
use serde_json::json;

use crate::analyze::arguments::Kinematics;
use crate::analyze::page::{Answer, page, table};
use crate::analyze::{number, prepare};
use crate::exit::{Outcome, Problem};
use crate::terminal::{Terminal, columns};

/// Refuses what could be more than one value.
fn one_value(text: &str) -> Result<&str, Problem> {
    match text.contains(['\n', '#', '"', ';', '{', '}']) {
        true => Err(Problem::usage(format!("`{text}` is no target"))),
        false => Ok(text.trim()),
    }
}

/// `joint target_1 = spherical(hand.tip, N(0.5, 0, 0.2) [m])`
fn point_statement(k: usize, target: &str) -> Result<String, Problem> {
    let (point, place) = target.split_once('=').ok_or_else(|| {
        Problem::usage(format!("`{target}` is no target"))
            .hint("write --target 'POINT = (X, Y, Z)', such as --target 'hand.tip = (0.5, 0, 0.2) [m]'")
    })?;
    Ok(format!("joint target_{k} = spherical({}, N{})", one_value(point)?, one_value(place)?))
}

/// The body, and `frame orient_1 on N by fixed(rotate = zyx, angles = (0, 90, 0) [deg])`.
fn frame_statement(k: usize, target: &str) -> Result<(String, String), Problem> {
    let problem = || {
        Problem::usage(format!("`{target}` is no orientation"))
            .hint("write --orient 'BODY = zyx(A, B, C) [deg]', such as --orient 'hand = zyx(90, 0, 0) [deg]'")
    };
    let (body, turned) = target.split_once('=').ok_or_else(problem)?;
    let (sequence, angles) = one_value(turned)?.split_once('(').ok_or_else(problem)?;
    let sequence = if sequence.trim().is_empty() { "xyz" } else { sequence.trim() };
    let frame = format!("frame orient_{k} on N by fixed(rotate = {sequence}, angles = ({angles})");
    Ok((one_value(body)?.to_string(), frame))
}

pub fn run(terminal: &Terminal, arguments: &Kinematics) -> Result<Outcome, Problem> {
    let mut statements = vec![];
    for (k, target) in arguments.target.iter().enumerate() {
        statements.push(point_statement(k + 1, target)?);
    }
    let mut turned = vec![];
    for (k, target) in arguments.orient.iter().enumerate() {
        let (body, statement) = frame_statement(k + 1, target)?;
        turned.push((body, format!("orient_{}", k + 1)));
        statements.push(statement);
    }
    let mut asked =
        prepare(terminal, ExperimentKind::Kinematics, &arguments.common, &statements, &[], |mut model| {
            model.release_motions();
            for (body, like) in &turned {
                let target = orient_like(&model, body, like).map_err(Problem::wrong)?;
                model.add_target(target);
            }
            Ok(model)
        })?;
    asked.say_discretes(terminal);
    let t = asked.time("from", &arguments.interval.from)?.unwrap_or(0.0);
    let y = asked.study.start(t).map_err(Problem::failed)?;
    let (n_q, ..) = asked.study.sizes();
    let shown = asked.shown(&y[..n_q]);
    // Rounding of a coordinate that is zero in truth.
    let tidy = |v: f64| if v.abs() < 1e-12 { 0.0 } else { v };
    let rows: Vec<Vec<String>> =
        shown.iter().map(|(n, v, u)| vec![n.clone(), number(tidy(*v)), format!("[{u}]")]).collect();
    let mut frames = Frames::default();
    asked.study.picture(t, &y, &mut frames).map_err(Problem::failed)?;
    let targets: Vec<&String> = arguments.target.iter().chain(&arguments.orient).collect();
    let answer = Answer {
        title: "posture".into(),
        held: asked.held_words(),
        summary: targets.iter().map(|g| ("target".to_string(), g.to_string())).collect(),
        tables: vec![table("Posture", "", &["name", "value", "unit"], rows.clone())],
        ..Answer::default()
    };
    let mut paths = vec![asked.write("posture.html", &page(&asked, &frames, answer))?];
    let state: serde_json::Map<_, _> =
        shown.iter().map(|(n, v, u)| (n.clone(), json!({ "value": v, "unit": u }))).collect();
    let left = asked.study.left_open(t, &y).map_err(Problem::failed)?;
    let facts = json!({ "ok": true, "model": asked.study.model().name, "state": state, "residual": left });
    paths.push(asked.write("posture.json", &format!("{facts:#}\n"))?);
    asked.deliver()?;
    if terminal.json {
        terminal.print_json(&facts);
    } else if !arguments.common.quiet {
        let list: Vec<&str> = targets.iter().map(|t| t.as_str()).collect();
        let heading = format!("posture for {}, off by at most {left:.1e}", list.join(", "));
        let mut out = asked.heading(terminal, &heading);
        out += &columns(&rows, &[1]);
        paths.iter().for_each(|p| out += &format!("  {}\n", p.display()));
        terminal.print(&out);
    }
    Ok(Outcome::Done)
}
