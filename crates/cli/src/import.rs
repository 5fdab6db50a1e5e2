//! Robots of other formats: how they are read, and `cardan import`, which says what became of one.

use std::path::Path;

use cardan::Resolved;
use cardan::assembly::ParameterValues;
use cardan::base::{Diagnostics, Severity};
use cardan::import::{Format, ImportOptions};
use cardan::model::Model;
use serde_json::json;

use crate::arguments::{Import, Reading, Target};
use crate::exit::{Outcome, Problem};
use crate::files;
use crate::load::{Language, Loaded, findings, load, translate};
use crate::terminal::{Terminal, bodies, columns, counted, freedom};

/// Resolves a text of another format. Files that it includes are read from below its own folder only.
pub fn resolve(path: &Path, text: &str, reading: &Reading) -> Resolved {
    let folder = path.parent().unwrap_or(Path::new(""));
    let mut read = |written: &str| files::read_below(folder, written);
    let plain = ImportOptions::default();
    let options = ImportOptions {
        free_base: reading.free,
        strict: reading.strict,
        loops: true,
        snap_angles: plain.snap_angles.filter(|_| !reading.exact),
        snap_lengths: plain.snap_lengths.filter(|_| !reading.exact),
        ..plain
    };
    cardan::import_text(&path.to_string_lossy(), text, &mut read, &options)
}

/// Options for other formats mean nothing for a model text.
pub fn refuse_for_text(path: &Path, reading: &Reading) -> Result<(), Problem> {
    let option = match (reading.free, reading.strict, reading.exact) {
        (true, ..) => "--free",
        (_, true, _) => "--strict",
        (.., true) => "--exact",
        _ => return Ok(()),
    };
    let said = format!("`{option}` is for robots of other formats, and {} is a model text", path.display());
    Err(Problem::usage(said).hint("write `by free` for a body that moves freely"))
}

pub fn run(terminal: &Terminal, arguments: &Import) -> Result<Outcome, Problem> {
    let (to, out) = (arguments.to, arguments.out.as_deref());
    out.map_or(Ok(()), refuse_other_endings)?;
    let arguments = &arguments.one;
    let Loaded { model, sources, diagnostics, text, .. } =
        load(terminal, &arguments.file, &arguments.reading)?;
    if to == Some(Target::Mbs) || out.is_some() {
        return print(terminal, &arguments.file, &model, &text, out);
    }
    let format = match Format::of(&text) {
        Some(Format::Urdf) => "URDF",
        Some(Format::Mjcf) => "MJCF",
        None => Language::of(&arguments.file).map_or("model text", Language::name),
    };
    let mass = mass(&model);
    let shapes: usize = model.bodies.iter().map(|(_, b)| b.shapes.len()).sum();
    if terminal.json {
        terminal.print_json(&json!({
            "ok": true,
            "file": arguments.file.to_string_lossy(),
            "format": format,
            "model": model.name,
            "bodies": model.bodies.len(),
            "mass": mass,
            "joints": model.joints.len(),
            "coordinates": model.coordinates.len(),
            "speeds": model.speeds.len(),
            "constraints": model.constraints.len(),
            "loads": model.loads.len(),
            "parameters": model.parameters.len(),
            "shapes": shapes,
            "diagnostics": findings(&diagnostics, &sources),
        }));
        return Ok(Outcome::Done);
    }
    let row = |label: &str, value: String| vec![label.to_string(), value];
    let rows = [
        row("format", format.to_string()),
        row("structure", format!("{}, {}", bodies(&model), freedom(&model))),
        row("mass", format!("{mass:.6} kg")),
        row("loads", counted(model.loads.len(), "load", "loads")),
        row("parameters", counted(model.parameters.len(), "parameter", "parameters")),
        row("geometry", counted(shapes, "shape", "shapes")),
    ];
    terminal.print(&format!("{}\n{}", terminal.bold(&model.name), columns(&rows, &[])));
    Ok(Outcome::Done)
}

/// A model text under the name of another format would be read as that format.
fn refuse_other_endings(out: &Path) -> Result<(), Problem> {
    let ending = out.extension().and_then(|e| e.to_str()).unwrap_or_default().to_lowercase();
    if !matches!(ending.as_str(), "urdf" | "xml" | "mjcf" | "lsp" | "adm") {
        return Ok(());
    }
    let said = format!("{} would hold a model text and be read as another format", out.display());
    Err(Problem::usage(said).hint(format!("write -o {}", out.with_extension("mbs").display())))
}

/// Prints a model as native text: a translation where there is one, otherwise written anew.
fn print(
    terminal: &Terminal,
    path: &Path,
    model: &Model,
    text: &str,
    out: Option<&Path>,
) -> Result<Outcome, Problem> {
    let written = match translate(path, text).and_then(|(_, native)| native) {
        Some(text) => cardan::lang::Written { text, left_out: vec![] },
        None => cardan::lang::write(model),
    };
    check(terminal, &written.text)?;
    for missing in &written.left_out {
        terminal.warning(&format!("not written: {missing}"));
    }
    if let Some(file) = out {
        files::write(file, written.text.as_bytes())?;
    }
    match out {
        _ if terminal.json => {
            terminal.print_json(&json!({ "ok": true, "text": written.text, "left_out": written.left_out }));
        }
        Some(file) => terminal.print(&format!("{}\n", file.display())),
        None => terminal.print_data(&written.text),
    }
    Ok(Outcome::Done)
}

/// Reads what was written: a text that cannot be read again is refused rather than given away.
fn check(terminal: &Terminal, text: &str) -> Result<(), Problem> {
    let again = cardan::resolve(cardan::parse("written.mbs", text));
    if !again.diagnostics.has_errors() {
        return Ok(());
    }
    let mut errors = Diagnostics::new();
    again.diagnostics.into_iter().filter(|d| d.severity == Severity::Error).for_each(|d| errors.push(d));
    terminal.diagnostics(&errors, &again.sources);
    Err(Problem::failed("this model has no text that could be read again")
        .hint("rewrite the part shown above in the model that was given, or use that model as it is"))
}

/// The mass of all bodies together, in kilograms.
fn mass(model: &Model) -> f64 {
    let values = ParameterValues::of(model);
    model.bodies.iter().map(|(_, b)| values.evaluate(model, b.mass)).sum()
}
