//! What the joints had to bear: the largest force and torque of each, for people, for the page, for programs.

use cardan::assembly::rank::redundancy::NOT_UNIQUE;
use cardan::sim::Trajectory;
use cardan_viewer::Table;
use serde_json::{Value, json};

use crate::terminal::{Terminal, columns, short_number};

/// The largest size of a reaction over a run.
struct Peak {
    /// `arm.force`
    name: String,
    size: f64,
    unit: String,
    t: f64,
    /// Its components of which motion does not say how large they are: they are the smallest possible.
    open: Vec<String>,
    /// Whether these are all that it has.
    all_open: bool,
}

/// Whether a column is a component of one of these vectors.
pub fn is_component(vectors: &[String], column: &str) -> bool {
    column.rsplit_once('.').is_some_and(|(vector, _)| vectors.iter().any(|v| v == vector))
}

fn peaks(t: &Trajectory, vectors: &[String], not_unique: &[String]) -> Vec<Peak> {
    let times = t.times();
    let peak = |name: &String| {
        let of = |c: &str| c.rsplit_once('.').is_some_and(|(vector, _)| vector == name);
        let places: Vec<usize> = (0..t.columns.len()).filter(|k| of(&t.columns[*k].name)).collect();
        let unit = t.columns[*places.first()?].unit.clone();
        let size = |row: &[f64]| places.iter().map(|k| row[*k] * row[*k]).sum::<f64>().sqrt();
        let (k, size) = t
            .rows
            .iter()
            .map(size)
            .enumerate()
            .fold((0, 0.0), |best, new| if new.1 > best.1 { new } else { best });
        let is_open = |k: &&usize| not_unique.contains(&t.columns[**k].name);
        let axis = |k: &usize| t.columns[*k].name.rsplit_once('.').map_or("", |(_, axis)| axis).to_string();
        let open: Vec<String> = places.iter().filter(is_open).map(axis).collect();
        let all_open = open.len() == places.len();
        let t = times.get(k).copied().unwrap_or(t.reached);
        Some(Peak { name: name.clone(), size, unit, t, open, all_open })
    };
    vectors.iter().filter_map(peak).collect()
}

/// Said of a reaction that the motion leaves open: wholly, or along some axes.
fn mark(p: &Peak) -> String {
    match p.open.as_slice() {
        [] => String::new(),
        _ if p.all_open => NOT_UNIQUE.into(),
        some => format!("unique but for {} (least norm)", some.join(", ")),
    }
}

/// The largest reactions; nothing if none were asked for.
pub fn lines(terminal: &Terminal, t: &Trajectory, vectors: &[String], not_unique: &[String]) -> String {
    if vectors.is_empty() {
        return String::new();
    }
    let row = |p: &Peak| {
        vec![
            p.name.clone(),
            short_number(p.size),
            format!("[{}]", p.unit),
            format!("at t = {} s", short_number(p.t)),
            mark(p),
        ]
    };
    let rows: Vec<Vec<String>> = peaks(t, vectors, not_unique).iter().map(row).collect();
    format!("{}\n{}", terminal.bold("largest reactions"), columns(&rows, &[1]))
}

/// The same for the page.
pub fn table(t: &Trajectory, vectors: &[String], not_unique: &[String]) -> Option<Table> {
    if vectors.is_empty() {
        return None;
    }
    let row =
        |p: &Peak| vec![p.name.clone(), short_number(p.size), p.unit.clone(), short_number(p.t), mark(p)];
    Some(Table {
        title: "Largest reactions".into(),
        note: "What each joint did to the body it carries, or to the first of the two it joins.".into(),
        columns: ["joint", "size", "unit", "t [s]", ""].map(String::from).to_vec(),
        rows: peaks(t, vectors, not_unique).iter().map(row).collect(),
    })
}

/// The same with stable keys.
pub fn for_programs(t: &Trajectory, vectors: &[String], not_unique: &[String]) -> Value {
    let entry = |p: &Peak| {
        json!({
            "reaction": p.name, "largest": p.size, "unit": p.unit, "t": p.t, "unique": p.open.is_empty(), "not_unique": p.open,
        })
    };
    peaks(t, vectors, not_unique).iter().map(entry).collect()
}
