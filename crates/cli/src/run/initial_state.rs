//! How a motion begins: which values were given, which were guessed, which were found, and the accelerations that follow.

use cardan::assembly::{Assembled, How, Placed};
use cardan::model::Model;
use cardan::sim::Trajectory;
use cardan::units::Dimension;
use serde_json::{Map, Value, json};

use crate::analyze::{number, scale};
use crate::terminal::{Terminal, columns, counted};

/// More rows than this are left to the file.
const MAX_ROWS: usize = 24;

/// Coordinates and speeds with factor and unit for people.
fn shown<'a>(model: &Model, found: &'a Assembled) -> Vec<(&'a Placed, f64, String)> {
    let quantities = model.coordinates.iter().map(|(_, q)| &q.quantity);
    let quantities = quantities.chain(model.speeds.iter().map(|(_, u)| &u.quantity));
    let all = found.placed.iter().zip(quantities).map(|(p, q)| {
        let (factor, unit) = scale(q);
        (p, factor, unit)
    });
    all.collect()
}

/// A table of all that assembly was told and what it found; nothing for a tree.
pub fn lines(terminal: &Terminal, model: &Model, trajectory: &Trajectory) -> String {
    let Some(found) = &trajectory.beginning.assembly else { return String::new() };
    let heading = format!(
        "assembled in {}, open by at most {:.1e}, rates by {:.1e}",
        counted(found.iterations, "iteration", "iterations"),
        found.residual,
        found.velocity_residual
    );
    let mut out = format!("{}\n", terminal.bold(&heading));
    let rows: Vec<Vec<String>> = shown(model, found)
        .into_iter()
        .filter(|(p, ..)| p.how != How::Free)
        .map(|(p, factor, unit)| {
            let from = match p.how {
                How::Moved => format!("from {}", number(p.wanted * factor)),
                _ => String::new(),
            };
            let value = number(p.value * factor);
            vec![p.name.clone(), value, format!("[{unit}]"), p.how.name().to_string(), from]
        })
        .collect();
    out += &columns(&rows[..rows.len().min(MAX_ROWS)], &[1]);
    if rows.len() > MAX_ROWS {
        out += &format!("  … and {} more in summary.json\n", rows.len() - MAX_ROWS);
    }
    out
}

/// That the start gives fewer speeds than are free while the mechanism moves: the rest is then chosen, and depends on the coordinates.
pub fn undecided(model: &Model, trajectory: &Trajectory) -> Option<String> {
    let found = trajectory.beginning.assembly.as_ref()?;
    let speeds = found.placed.get(model.coordinates.len()..)?;
    let names: Vec<String> =
        found.open_speeds.iter().filter_map(|k| speeds.get(*k)).map(|p| format!("{} = …", p.name)).collect();
    let n = names.len();
    (n > 0).then(|| {
        format!(
            "the start leaves {} open that {} free: as small as the constraints allow, which depends on the joints that are cut; give {} more: \
             `start {{ {} }}`",
            counted(n, "speed", "speeds"),
            if n == 1 { "is" } else { "are" },
            n,
            names.join("; ")
        )
    })
}

/// The same for programs.
pub fn for_programs(model: &Model, trajectory: &Trajectory) -> Value {
    let beginning = &trajectory.beginning;
    let assembly = beginning.assembly.as_ref().map(|found| {
        let values = shown(model, found).into_iter().map(|(p, factor, unit)| {
            json!({
                "name": p.name, "how": p.how.name(), "unit": unit,
                "wanted": p.wanted * factor, "value": p.value * factor,
            })
        });
        json!({
            "iterations": found.iterations,
            "residual": found.residual,
            "velocity_residual": found.velocity_residual,
            "values": values.collect::<Vec<_>>(),
        })
    });
    let mut accelerations = Map::new();
    for ((_, u), value) in model.speeds.iter().zip(&beginning.accelerations) {
        let unit = (u.quantity.dimension / Dimension::TIME).to_string();
        accelerations.insert(format!("der({})", u.quantity.name), json!({ "value": value, "unit": unit }));
    }
    json!({ "assembly": assembly, "accelerations": accelerations })
}
