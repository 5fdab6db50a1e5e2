//! Which body hangs on which: a tree.

use std::path::Path;

use cardan::assembly::Mobility;
use cardan::assembly::mobility;
use cardan::base::Diagnostics;
use cardan::compile::ChoiceError;
use cardan::document::chapters::topology::Drawing;
use cardan::document::formats::figure::svg;
use cardan::kinematics::FrameId;
use cardan::model::{BodyId, Model};
use cardan::sim::diagnose;
use serde_json::{Value, json};

use crate::exit::Problem;
use crate::files;
use crate::load::Loaded;
use crate::terminal::{Terminal, bodies, counted, freedom};

/// How freely a model with loops moves, or why that is not known.
type Found = Result<Option<Mobility>, ChoiceError>;

pub fn show(terminal: &Terminal, loaded: &Loaded, figure: Option<&Path>) -> Result<(), Problem> {
    let model = &loaded.model;
    let found = mobility(model).map_err(ChoiceError::from);
    if let Some(finding) = found.as_ref().err().and_then(|error| diagnose(model, error)) {
        let mut findings = Diagnostics::new();
        findings.push(finding);
        terminal.diagnostics(&findings, &loaded.sources);
    }
    if let Some(file) = figure {
        files::write(file, format!("{}\n", svg(&Drawing::of(model))).as_bytes())?;
    }
    let ground = model.space.newtonian();
    let name = &model.space.frame(ground).name;
    if terminal.json {
        let tree = json!({ "body": name, "children": branches(model, ground) });
        terminal.print_json(&json!({
            "ok": true, "model": model.name, "tree": tree, "loops": loops(&found),
        }));
        return Ok(());
    }
    let mut out = format!("{name}\n");
    draw(model, ground, "", &mut out);
    for (_, c) in model.constraints.iter() {
        let rows: Vec<&str> = c.rows.iter().map(|r| r.what.as_str()).collect();
        out += &format!("closed by {}: {} ({})\n", c.name, c.kind, rows.join("; "));
    }
    let joints = counted(model.joints.len(), "joint", "joints");
    out += &format!("{}, {joints}, {}\n", bodies(model), freedom(model));
    out += &mobility_words(&found);
    terminal.print(&out);
    Ok(())
}

/// What counting says of the loops, what is true, and where the two differ; nothing for a tree.
fn mobility_words(found: &Found) -> String {
    let found = match found {
        Ok(None) => return String::new(),
        Err(reason) => return format!("mobility unknown: {reason}\n"),
        Ok(Some(found)) => found,
    };
    let degrees = counted(found.freedom, "degree of freedom", "degrees of freedom");
    let mut out = format!("{degrees}; counting equations gives {}\n", found.counted);
    for repetition in &found.repetitions {
        out += &format!("{repetition}\n");
    }
    if !found.repetitions.is_empty() {
        out += "motion is unaffected; reactions in those directions are not unique\n";
    }
    out
}

/// The same for programs.
fn loops(found: &Found) -> Value {
    match found {
        Ok(None) => Value::Null,
        Err(reason) => json!({ "reason": reason.to_string() }),
        Ok(Some(found)) => {
            let repeats: Vec<Value> = found
                .repetitions
                .iter()
                .map(|r| json!({ "joint": r.constraint, "through": r.through, "what": r.what }))
                .collect();
            json!({ "freedom": found.freedom, "counted": found.counted, "repeats": repeats })
        }
    }
}

/// The bodies whose joints start from a frame.
fn children(model: &Model, frame: FrameId) -> Vec<BodyId> {
    let hangs = |b: &BodyId| model.bodies[*b].joint.is_some_and(|j| model.joints[j].parent == frame);
    model.bodies.ids().filter(hangs).collect()
}

fn joint_words(model: &Model, body: BodyId) -> (String, Vec<String>) {
    match model.bodies[body].joint {
        None => (String::new(), vec![]),
        Some(joint) => {
            let joint = &model.joints[joint];
            let names = joint.coordinates.iter().map(|q| model.coordinates[*q].quantity.name.clone());
            (joint.kind_name(), names.collect())
        }
    }
}

fn draw(model: &Model, frame: FrameId, indent: &str, out: &mut String) {
    let below = children(model, frame);
    for (k, body) in below.iter().enumerate() {
        let last = k + 1 == below.len();
        let (kind, names) = joint_words(model, *body);
        let coordinates = if names.is_empty() { String::new() } else { format!(" ({})", names.join(", ")) };
        let b = &model.bodies[*body];
        let words = if b.description.is_empty() { String::new() } else { format!("  \"{}\"", b.description) };
        *out +=
            &format!("{indent}{} {}: {kind}{coordinates}{words}\n", if last { "└─" } else { "├─" }, b.name);
        let further = format!("{indent}{}", if last { "   " } else { "│  " });
        draw(model, b.frame, &further, out);
    }
}

fn branches(model: &Model, frame: FrameId) -> Vec<Value> {
    children(model, frame)
        .into_iter()
        .map(|body| {
            let (joint, coordinates) = joint_words(model, body);
            let b = &model.bodies[body];
            json!({
                "body": b.name, "joint": joint, "coordinates": coordinates, "children": branches(model, b.frame),
            })
        })
        .collect()
}
