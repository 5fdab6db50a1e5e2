//! `cardan show std`, `cardan show std.motor`: the standard library, from its own text.

use cardan::base::nearest;
use cardan::expand::reference::{Entry, EntryKind, Item, entries};
use serde_json::{Value, json};

use crate::exit::{Outcome, Problem};
use crate::terminal::{Terminal, columns};

/// Whether a word names the library or a definition of it.
pub fn is_asked(word: &str) -> bool {
    word == "std" || word.starts_with("std.")
}

/// Shows one definition, or all whose paths begin so.
pub fn show(terminal: &Terminal, word: &str) -> Result<Outcome, Problem> {
    let all = entries();
    if let Some(entry) = all.iter().find(|e| e.path == word) {
        match terminal.json {
            true => terminal.print_json(&for_programs(entry)),
            false => terminal.print(&page(terminal, entry)),
        }
        return Ok(Outcome::Done);
    }
    let listed: Vec<&Entry> = all.iter().filter(|e| e.path.starts_with(&format!("{word}."))).collect();
    if listed.is_empty() {
        let problem = Problem::usage(format!("there is no `{word}` in the standard library"));
        return Err(match nearest(word, all.iter().map(|e| e.path.as_str())) {
            Some(near) => problem.hint(format!("write `cardan show {near}`")),
            None => problem.hint("`cardan show std` lists what there is"),
        });
    }
    if terminal.json {
        let list: Vec<Value> = listed.iter().map(|e| for_programs(e)).collect();
        terminal.print_json(&json!({ "ok": true, "library": list }));
        return Ok(Outcome::Done);
    }
    let mut families: Vec<&str> = vec![];
    listed.iter().for_each(|e| {
        if !families.contains(&e.family.as_str()) {
            families.push(&e.family);
        }
    });
    let mut out = String::new();
    for family in families {
        let of_family = listed.iter().filter(|e| e.family == family);
        let rows: Vec<Vec<String>> = of_family.map(|e| vec![e.path.clone(), e.title.clone()]).collect();
        out += &format!("{}\n{}\n", terminal.bold(family), columns(&rows, &[]));
    }
    terminal.print(out.trim_end_matches('\n'));
    terminal.print("\n");
    Ok(Outcome::Done)
}

fn page(terminal: &Terminal, entry: &Entry) -> String {
    let mut out = format!("{}  {}\n", terminal.bold(&entry.path), entry.title);
    if !entry.text.is_empty() {
        out += &format!("\n{}\n", entry.text.join("\n"));
    }
    let ports = if entry.kind == EntryKind::Function { "arguments" } else { "ports" };
    for (title, items) in [(ports, &entry.ports), ("parameters", &entry.parameters), ("tells", &entry.tells)]
    {
        if !items.is_empty() {
            let rows: Vec<Vec<String>> = items.iter().map(row).collect();
            out += &format!("\n{}\n{}", terminal.bold(title), columns(&rows, &[]));
        }
    }
    if !entry.example.is_empty() {
        let example: String = entry.example.lines().map(|l| format!("  {l}\n")).collect();
        out += &format!("\n{}\n{example}", terminal.bold("example"));
    }
    let source: String = entry.source.lines().map(|l| format!("  {l}\n")).collect();
    out + &format!("\n{}\n{source}", terminal.bold("text"))
}

fn row(item: &Item) -> Vec<String> {
    let unit = format!("[{}]", item.unit);
    let unit = if item.unit.is_empty() || item.form.ends_with(&unit) { String::new() } else { unit };
    vec![item.name.clone(), item.form.clone(), unit, item.description.clone()]
}

fn for_programs(entry: &Entry) -> Value {
    let items = |list: &[Item]| -> Vec<Value> {
        let item = |i: &Item| json!({ "name": i.name, "form": i.form, "unit": i.unit, "description": i.description });
        list.iter().map(item).collect()
    };
    json!({
        "ok": true,
        "name": entry.path,
        "title": entry.title,
        "family": entry.family,
        "text": entry.text.join("\n"),
        "ports": items(&entry.ports),
        "parameters": items(&entry.parameters),
        "tells": items(&entry.tells),
        "example": entry.example,
        "source": entry.source,
    })
}
