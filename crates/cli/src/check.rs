//! `cardan check`: mistakes in texts, and mechanisms that cannot be put together or cannot move.

use cardan::model::Model;
use serde_json::{Value, json};

use crate::arguments::Files;
use crate::exit::{Outcome, Problem};
use crate::load::{findings, remaining, resolve};
use crate::run::request::set_values;
use crate::terminal::{Terminal, bodies, counted, freedom};

/// The most speeds of a model whose assembly is tried: its matrices are dense.
const EXAMINED: usize = 1_200;

pub fn run(terminal: &Terminal, arguments: &Files) -> Result<Outcome, Problem> {
    let mut outcome = Outcome::Done;
    let mut reports: Vec<Value> = Vec::new();
    for path in &arguments.files {
        let name = path.to_string_lossy();
        let (mut resolved, _) = match resolve(path, &arguments.reading.setting(&arguments.set)) {
            Ok(resolved) => resolved,
            Err(problem) => {
                terminal.problem(&problem);
                reports.push(json!({ "file": name, "ok": false, "error": problem.message }));
                outcome = Outcome::Wrong;
                continue;
            }
        };
        if let Some(model) = resolved.model.take() {
            resolved.model = Some(set_values(terminal, model, &remaining(&resolved.taken, &arguments.set))?);
        }
        let small = |model: &&Model| model.speeds.len() <= EXAMINED;
        let examined = resolved.model.as_ref().filter(small);
        if let (Some(model), false) = (examined, resolved.diagnostics.has_errors()) {
            resolved.diagnostics.append(cardan::sim::examine(model));
        }
        terminal.diagnostics(&resolved.diagnostics, &resolved.sources);
        let ok = !resolved.diagnostics.has_errors();
        if !ok {
            outcome = Outcome::Wrong;
        }
        reports.push(json!({
            "file": name,
            "ok": ok,
            "model": resolved.model.as_ref().map(|m| m.name.clone()),
            "diagnostics": findings(&resolved.diagnostics, &resolved.sources),
        }));
        if !terminal.json {
            let verdict = match (&resolved.model, ok) {
                (Some(model), true) => {
                    let bodies = bodies(model);
                    let only = if small(&model) { "" } else { "; the text alone, too large to be assembled" };
                    terminal.green(&format!("ok, {bodies}, {}{only}", freedom(model)))
                }
                _ => counted(resolved.diagnostics.n_errors(), "error", "errors"),
            };
            terminal.print(&format!("{name}: {verdict}\n"));
        }
    }
    if terminal.json {
        terminal.print_json(&json!({ "ok": outcome == Outcome::Done, "files": reports }));
    }
    Ok(outcome)
}
