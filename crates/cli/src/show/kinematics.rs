//! Angular velocities of bodies and velocities of their mass centres, with unit vectors of mixed frames.

use cardan::expr::print::text;
use cardan::expr::{Expr, Layout, Listing};
use cardan::kinematics::Vector;
use cardan::model::Model;
use serde_json::json;

use crate::terminal::Terminal;

pub fn show(terminal: &Terminal, model: &Model) {
    let space = &model.space;
    let mut vectors: Vec<(String, &str, Vector)> = Vec::new();
    for (_, body) in model.bodies.iter() {
        let center = body.center_point();
        let position = space.position_from(space.newtonian(), &center);
        vectors.push((body.name.clone(), "position of the mass centre", position));
        vectors.push((body.name.clone(), "angular velocity", space.w(body.frame)));
        vectors.push((body.name.clone(), "velocity of the mass centre", space.velocity(&center)));
    }
    // All coefficients in one listing, so that names are shared and defined once.
    let coefficients: Vec<(String, Expr)> = vectors
        .iter()
        .flat_map(|(_, _, v)| v.terms().iter().map(|(unit, e)| (space.unit_vector_name(*unit), *e)))
        .collect();
    let listing = Listing::of(space.pool(), &coefficients);
    let mut next = listing.results.iter().cloned();
    let written: Vec<(String, &str, String)> = vectors
        .into_iter()
        .map(|(body, what, v)| {
            let n = v.terms().len();
            let terms = next.by_ref().take(n).map(|(unit, c)| (c, unit));
            (body, what, text::render(&Layout::vector(terms)))
        })
        .collect();
    if terminal.json {
        let vectors: Vec<_> = written
            .iter()
            .map(|(body, what, v)| json!({ "body": body, "quantity": what, "vector": v }))
            .collect();
        let names: Vec<_> =
            listing.definitions().map(|(n, f)| json!({ "name": n, "formula": text::render(f) })).collect();
        terminal.print_json(&json!({
            "ok": true, "model": model.name, "vectors": vectors, "definitions": names,
        }));
        return;
    }
    let mut out = String::new();
    let mut current = String::new();
    for (body, what, v) in written {
        if body != current {
            out += &format!("{}\n", terminal.bold(&body));
            current = body;
        }
        out += &format!("  {what}: {v}\n");
    }
    if listing.definitions().next().is_some() {
        out += &format!("{}\n", terminal.bold("where"));
        for (name, formula) in listing.definitions() {
            out += &format!("  {name} = {}\n", text::render(formula));
        }
    }
    terminal.print(&out);
}
