//! `cardan show synthesis`: the hierarchy of a model in the order in which its signals are computed, as Fig. 8 of Bae,
//! Kim and Jhang lists a synthesised program, and its drawing.

use std::path::Path;

use cardan::expand::hierarchy::{Coupling, Node, Passes, in_order};
use serde_json::{Value, json};

use super::module_figure;
use crate::arguments::Show;
use crate::exit::{Outcome, Problem};
use crate::files;
use crate::load::{hierarchy, show_findings};
use crate::terminal::Terminal;

pub fn show(terminal: &Terminal, file: &Path, arguments: &Show) -> Result<Outcome, Problem> {
    let (nodes, diagnostics, sources) =
        hierarchy(file, &files::read(file)?, &arguments.reading.setting(&arguments.set).texts)?;
    if diagnostics.has_errors() {
        return Err(show_findings(terminal, &diagnostics, &sources));
    }
    let title = file.file_stem().map_or(String::new(), |s| s.to_string_lossy().into_owned());
    if let Some(figure) = &arguments.figure {
        files::write(figure, module_figure::svg(&title, &nodes).as_bytes())?;
    }
    if terminal.json {
        terminal.print_json(&json!({ "ok": true, "model": title, "modules": branches(&nodes, None) }));
        return Ok(Outcome::Done);
    }
    let mut out = format!("{title}\n");
    if nodes.is_empty() {
        out += "  no instances: the model is one module\n";
    }
    list(&nodes, None, "", &mut out);
    terminal.print(&out);
    Ok(Outcome::Done)
}

fn arrow(coupling: &Coupling) -> &'static str {
    match coupling.passes {
        Passes::Mechanics => "--",
        Passes::In => "<-",
        Passes::Out => "=",
    }
}

fn list(nodes: &[Node], parent: Option<usize>, indent: &str, out: &mut String) {
    let inside = in_order(nodes, parent);
    for (k, node) in inside.iter().enumerate() {
        let last = k + 1 == inside.len();
        let (branch, further) = if last { ("└─", "   ") } else { ("├─", "│  ") };
        *out += &format!("{indent}{branch} {} {}\n", nodes[*node].kind, nodes[*node].name(nodes));
        let further = format!("{indent}{further}");
        let bar = if in_order(nodes, Some(*node)).is_empty() { "   " } else { "│  " };
        for coupling in &nodes[*node].couplings {
            *out += &format!("{further}{bar}{} {} {}\n", coupling.port, arrow(coupling), coupling.with);
        }
        list(nodes, Some(*node), &further, out);
    }
}

fn branches(nodes: &[Node], parent: Option<usize>) -> Vec<Value> {
    let module = |k: usize| {
        let ports: Vec<Value> = nodes[k]
            .couplings
            .iter()
            .map(|c| json!({ "port": c.port, "passes": format!("{:?}", c.passes).to_lowercase(), "with": c.with }))
            .collect();
        json!({ "path": nodes[k].path, "kind": nodes[k].kind, "ports": ports, "modules": branches(nodes, Some(k)) })
    };
    in_order(nodes, parent).into_iter().map(module).collect()
}
