//! The system of a model: tree, coordinates, cut joints and loops.

use cardan::model::{BodyId, Marker, Model};
use cardan::topology::System;
use serde_json::{Value, json};

use crate::terminal::Terminal;

pub fn show(terminal: &Terminal, model: &Model) {
    let system = System::of(model);
    match terminal.json {
        true => terminal.print_json(&values(&system)),
        false => terminal.print(&system.to_string()),
    }
}

/// The same for programs.
fn values(system: &System<'_>) -> Value {
    let model = system.model;
    let pool = model.space.pool();
    let ground = &model.space.frame(model.space.newtonian()).name;
    let name = |b: Option<BodyId>| b.map_or(ground, |b| &model.bodies[b].name);
    let place = |marker: &Marker| {
        let point = marker.point.coordinates.map(|c| pool.text(c));
        json!({ "body": model.space.frame(marker.frame()).name, "point": point })
    };
    let bodies: Vec<Value> = system
        .bodies
        .iter()
        .map(|b| {
            let joint = b.joint.map(|j| &model.joints[j]);
            let coordinates = b.coordinates.iter().map(|q| &model.coordinates[*q].quantity.name);
            let ends = b.edge.map(|e| system.edges[e].ends.each_ref().map(place));
            json!({
                "body": name(Some(b.body)),
                "parent": name(b.parent.map(|p| system.bodies[p].body)),
                "joint": joint.map(|j| j.kind_name()),
                "ends": ends,
                "coordinates": coordinates.collect::<Vec<_>>(),
            })
        })
        .collect();
    let loops: Vec<Value> = system
        .loops
        .iter()
        .map(|l| {
            let edge = &system.edges[l.edge];
            json!({
                "joint": edge.name,
                "kind": model.edge_kind(edge),
                "ends": edge.ends.each_ref().map(place),
                "rows": l.n_rows,
                "loop": l.bodies.iter().map(|b| name(*b)).collect::<Vec<_>>(),
            })
        })
        .collect();
    let others: Vec<Value> = system
        .other_constraints
        .iter()
        .map(|c| {
            let c = &model.constraints[*c];
            json!({ "constraint": c.name, "kind": c.kind.name(), "rows": c.rows.len() })
        })
        .collect();
    json!({
        "ok": true, "model": model.name, "bodies": bodies, "cut_joints": loops, "other_constraints": others,
        "coordinates": model.coordinates.iter().map(|(_, q)| &q.quantity.name).collect::<Vec<_>>(),
        "speeds": model.speeds.iter().map(|(_, u)| &u.quantity.name).collect::<Vec<_>>(),
    })
}
