//! `cardan fmt`: texts in the canonical layout.

use serde_json::json;

use crate::arguments::Fmt;
use crate::exit::{Outcome, Problem};
use crate::files;
use crate::terminal::Terminal;

pub fn run(terminal: &Terminal, arguments: &Fmt) -> Result<Outcome, Problem> {
    let mut outcome = Outcome::Done;
    let mut reports = Vec::new();
    for path in &arguments.files {
        let name = path.to_string_lossy();
        let text = files::read(path)?;
        let Ok(laid_out) = cardan::syntax::format(&text) else {
            let parsed = cardan::parse(&name, &text);
            terminal.diagnostics(&parsed.diagnostics, &parsed.sources);
            reports.push(json!({ "file": name, "ok": false, "changed": false }));
            outcome = Outcome::Wrong;
            continue;
        };
        let changed = laid_out != text;
        reports.push(json!({ "file": name, "ok": true, "changed": changed }));
        if !changed {
            continue;
        }
        if arguments.check {
            outcome = Outcome::Wrong;
        } else {
            files::rewrite(path, laid_out.as_bytes())?;
        }
        if !terminal.json {
            let verb = if arguments.check { "would change" } else { "laid out" };
            terminal.print(&format!("{name}: {verb}\n"));
        }
    }
    if terminal.json {
        terminal.print_json(&json!({ "ok": outcome == Outcome::Done, "files": reports }));
    }
    Ok(outcome)
}
