//! What happened at instants: for people, for the page, for programs.

use cardan::base::without_noise;
use cardan::sim::{Happening, Happenings, Trajectory};
use cardan_viewer::Table;
use serde_json::{Value, json};

use crate::terminal::{Terminal, columns, counted};

/// More events than this are left to the files.
const MAX_LINES: usize = 20;
/// More events than this are not put on the page.
const MAX_ROWS: usize = 2000;

/// The events of a run, the first of them with their times; nothing for a model without events.
pub fn lines(terminal: &Terminal, t: &Trajectory) -> String {
    let h = &t.happenings;
    if h.names.is_empty() {
        return String::new();
    }
    let mut head = counted(h.n_events(), "event", "events");
    if h.sampled.contains(&true) {
        head += &format!(", {}", counted(h.n_samples(), "run of a sampled block", "runs of sampled blocks"));
    }
    let mut out = format!("{}\n", terminal.bold(&head));
    let row = |e: &Happening| vec![format!("t = {:.6} s", e.t), h.name(e).to_string()];
    let rows: Vec<Vec<String>> = h.list.iter().take(MAX_LINES).map(row).collect();
    out += &columns(&rows, &[]);
    if h.n_events() > MAX_LINES {
        out += &format!("  … and {} more in summary.json\n", h.n_events() - MAX_LINES);
    }
    out
}

/// The events of a run for the page.
pub fn table(h: &Happenings) -> Option<Table> {
    if h.names.is_empty() {
        return None;
    }
    let counts = h.names.iter().zip(&h.counts).map(|(name, n)| format!("{name}: {n}"));
    let mut note = format!("How often: {}.", counts.collect::<Vec<_>>().join("; "));
    if h.list.len() > MAX_ROWS {
        note += &format!(" The first {MAX_ROWS} are listed.");
    }
    let row = |e: &Happening| vec![format!("{}", without_noise(e.t)), h.name(e).to_string()];
    Some(Table {
        title: "Events".into(),
        note,
        columns: ["t [s]", "event"].map(String::from).to_vec(),
        rows: h.list.iter().take(MAX_ROWS).map(row).collect(),
    })
}

/// The events of a run with stable keys.
pub fn for_programs(h: &Happenings) -> Value {
    let counts: Vec<Value> = h
        .names
        .iter()
        .zip(&h.counts)
        .zip(&h.sampled)
        .map(|((name, n), sampled)| json!({ "event": name, "count": n, "sampled": sampled }))
        .collect();
    let list: Vec<Value> =
        h.list.iter().map(|e| json!({ "t": e.t, "event": h.name(e), "number": e.event })).collect();
    json!({ "count": h.n_events(), "samples": h.n_samples(), "by_event": counts, "list": list })
}
