//! `cardan check`: mistakes in texts, and mechanisms that cannot be put together or cannot move.

use serde_json::{Value, json};

use crate::arguments::Files;
use crate::loading::{findings, resolve};
use crate::outcome::{Outcome, Problem};
use crate::terminal::{Terminal, bodies, counted, freedom};

pub fn run(terminal: &Terminal, arguments: &Files) -> Result<Outcome, Problem> {
    let mut outcome = Outcome::Done;
    let mut reports: Vec<Value> = Vec::new();
    for path in &arguments.files {
        let name = path.to_string_lossy();
        let (mut resolved, _) = match resolve(path, &arguments.reading) {
            Ok(resolved) => resolved,
            Err(problem) => {
                terminal.problem(&problem);
                reports.push(json!({ "file": name, "ok": false, "error": problem.message }));
                outcome = Outcome::Wrong;
                continue;
            }
        };
        if let (Some(model), false) = (&resolved.model, resolved.diagnostics.has_errors()) {
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
                    terminal.green(&format!("ok, {bodies}, {}", freedom(model)))
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
