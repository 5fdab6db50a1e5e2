//! `cardan fmu`: a model as a functional mock-up unit.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use cardan::assembly::ParameterValues;
use cardan::sim::{Session, Settings};
use cardan_fmu::archive::archive;
use cardan_fmu::description::{Unit, Version, describe};
use cardan_fmu::instance::MODEL;
use serde_json::json;

use crate::arguments::{FmiVersion, Fmu};
use crate::checksum::checksum;
use crate::exit::{Outcome, Problem};
use crate::files;
use crate::load::{load, refused};
use crate::program::RunningProgram;
use crate::run::request::set_values;
use crate::terminal::Terminal;

/// The library of this system: its ending, and the folders that the two versions of the standard call it by.
const SYSTEM: (&str, &str, &str) = if cfg!(all(target_os = "linux", target_arch = "x86_64")) {
    ("so", "linux64", "x86_64-linux")
} else if cfg!(target_os = "linux") {
    ("so", "aarch64-linux", "aarch64-linux")
} else if cfg!(target_os = "macos") {
    ("dylib", "darwin64", if cfg!(target_arch = "x86_64") { "x86_64-darwin" } else { "aarch64-darwin" })
} else {
    ("dll", "win64", "x86_64-windows")
};

pub fn run(terminal: &Terminal, arguments: &Fmu) -> Result<Outcome, Problem> {
    let terminal = &terminal.quieter(arguments.quiet);
    let loaded = load(terminal, &arguments.file, &arguments.reading.setting(&arguments.set))?;
    let set = loaded.remaining(&arguments.set);
    let model = set_values(terminal, loaded.model, &set)?;
    if let Some((_, external)) = model.hybrid.externals.iter().next() {
        let message = format!("a unit cannot call the external function `{}`", external.name);
        return Err(Problem::wrong(message).hint("write it as a function, procedure or table of the text"));
    }
    let written = cardan::lang::write(&model);
    if let Some(part) = written.left_out.first() {
        return Err(Problem::wrong(format!("the text of the model cannot hold {part}")));
    }
    // The unit holds what its text says, so that is what is described.
    let model = cardan::resolve(cardan::parse(MODEL, &written.text)).into_model().map_err(Problem::failed)?;
    let settings = Settings::of(&model, &ParameterValues::of(&model)).map_err(Problem::wrong)?;
    let options = cardan::Options { formalism: settings.formalism, ..cardan::Options::default() };
    let compiled =
        cardan::compile_model(&model, options).map_err(|e| refused(terminal, &model, &loaded.sources, e))?;
    let session = Session::begin(Arc::new(compiled.simulation), &settings).map_err(Problem::wrong)?;
    let (ending, two, three) = SYSTEM;
    let library = runtime(arguments.runtime.as_deref(), ending)?;
    let library = std::fs::read(&library).map_err(|e| Problem::file("read", &library, &e))?;
    let identifier: String = files::file_name(&model.name)
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '_' })
        .collect();
    let token = format!("{{cardan-{:016x}}}", checksum(written.text.as_bytes()));
    let unit = Unit {
        model: &model,
        session: &session,
        settings: &settings,
        identifier: &identifier,
        n_indicators: session.n_indicators().map_err(Problem::wrong)?,
        token: &token,
    };
    let (version, platform) = match arguments.fmi {
        FmiVersion::Two => (Version::Two, two),
        FmiVersion::Three => (Version::Three, three),
    };
    let file = archive(&[
        ("modelDescription.xml".to_owned(), describe(&unit, version).into_bytes()),
        (format!("binaries/{platform}/{identifier}.{ending}"), library),
        (format!("resources/{MODEL}"), written.text.into_bytes()),
    ]);
    let path = arguments.out.clone().unwrap_or_else(|| PathBuf::from(format!("{identifier}.fmu")));
    std::fs::write(&path, &file).map_err(|e| Problem::file("written", &path, &e))?;
    let kinds = "Model Exchange and Co-Simulation";
    if terminal.json {
        terminal.print_json(&json!({
            "ok": true, "model": model.name, "file": path.to_string_lossy(), "bytes": file.len(), "kinds": kinds,
        }));
    } else if !arguments.quiet {
        terminal.print(&format!("{}: {kinds}, {} bytes\n", path.display(), file.len()));
    }
    Ok(Outcome::Done)
}

/// The library that goes into the unit: the one given, or the one beside the command.
fn runtime(given: Option<&Path>, ending: &str) -> Result<PathBuf, Problem> {
    if let Some(path) = given {
        return Ok(path.to_owned());
    }
    let name = if ending == "dll" { "cardan_fmu.dll".to_owned() } else { format!("libcardan_fmu.{ending}") };
    let folder = RunningProgram::running().folder();
    let places = [folder.join(&name), folder.join("deps").join(&name), folder.join("../lib").join(&name)];
    places.iter().find(|p| p.is_file()).cloned().ok_or_else(|| {
        Problem::wrong(format!("the library {name} of the units is not beside the command"))
            .hint("`cargo build --release -p cardan-fmu` builds it; --runtime FILE names another place")
    })
}
