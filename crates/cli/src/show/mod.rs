//! `cardan show`: what a model became on its way.

mod bounds;
mod equations;
mod kinematics;
mod library;
mod model;
mod module_figure;
mod synthesis;
mod system;
mod topology;

use std::path::{Path, PathBuf};

use cardan::base::nearest;
use cardan::compile::formalism_selection::short;
use cardan::equations::Formalism;
use cardan::program::count;
use clap::ValueEnum;
use serde_json::json;

use crate::arguments::{Show, What};
use crate::exit::{Outcome, Problem};
use crate::files;
use crate::load::{Loaded, expand, load_set, refused, show_findings};
use crate::terminal::Terminal;

pub use crate::show::equations::{Section, sections};

/// What is to be shown of which file. Without a word, a file that is there is shown as a model.
fn asked(arguments: &Show) -> Result<(What, PathBuf), Problem> {
    let words = What::value_variants().iter().filter_map(What::to_possible_value);
    let words: Vec<String> = words.map(|v| v.get_name().to_string()).collect();
    let word = &arguments.what;
    match (What::from_str(word, false), &arguments.file) {
        (Ok(what), Some(file)) => Ok((what, file.clone())),
        (Ok(_), None) => {
            let said = format!("which file is to be shown by its {word}?");
            Err(Problem::usage(said).hint(format!("write `cardan show {word} FILE`")))
        }
        (Err(_), None) => Ok((What::Model, PathBuf::from(word))),
        (Err(_), Some(file)) if words.iter().any(|w| file.as_os_str() == w.as_str()) => {
            let said = format!("`{word}` is the file, and what is to be shown stands before it");
            Err(Problem::usage(said).hint(format!("write `cardan show {} {word}`", file.display())))
        }
        (Err(_), Some(file)) => {
            let near = nearest(word, words.iter().map(String::as_str)).unwrap_or("model");
            let said = format!("there is no `{word}` of a model to show, only {}", words.join(", "));
            Err(Problem::usage(said).hint(format!("write `cardan show {near} {}`", file.display())))
        }
    }
}

pub fn run(terminal: &Terminal, arguments: &Show) -> Result<Outcome, Problem> {
    if arguments.file.is_none() && library::is_asked(&arguments.what) {
        return library::show(terminal, &arguments.what);
    }
    let (what, file) = asked(arguments)?;
    let formalism = arguments.formalism.as_deref().map(formalism).transpose()?;
    if arguments.figure.is_some() && !matches!(what, What::Topology | What::Synthesis) {
        return Err(Problem::usage("only topology and synthesis are drawn")
            .hint("write `show topology … --figure FILE`"));
    }
    if arguments.form.is_some() && what != What::Equations {
        return Err(Problem::usage("only equations have a form").hint("write `show equations … --form NAME`"));
    }
    if let Some(file) = &arguments.figure
        && file.extension().is_none_or(|ending| !ending.eq_ignore_ascii_case("svg"))
    {
        let said = format!("drawings are written as `.svg`, and {} ends otherwise", file.display());
        let hint = format!("write --figure {}", file.with_extension("svg").display());
        return Err(Problem::usage(said).hint(hint));
    }
    if what == What::Expanded {
        return expanded(terminal, &file, arguments);
    }
    if what == What::Synthesis {
        return synthesis::show(terminal, &file, arguments);
    }
    let loaded = load_set(terminal, &file, &arguments.reading, &arguments.set)?;
    match what {
        What::Expanded | What::Synthesis => {}
        What::Model => model::show(terminal, &loaded.model),
        What::Topology => topology::show(terminal, &loaded, arguments.figure.as_deref())?,
        What::System => system::show(terminal, &loaded.model),
        What::Kinematics => kinematics::show(terminal, &loaded.model),
        What::Equations => equations::show(terminal, &loaded, formalism, arguments.form)?,
        What::Program => program(terminal, &loaded, formalism)?,
    }
    Ok(Outcome::Done)
}

/// The flat text of a model.
fn expanded(terminal: &Terminal, file: &Path, arguments: &Show) -> Result<Outcome, Problem> {
    let parsed = expand(file, &files::read(file)?, &arguments.reading.setting(&arguments.set).texts)?;
    if parsed.diagnostics.has_errors() {
        return Err(show_findings(terminal, &parsed.diagnostics, &parsed.sources));
    }
    let text = cardan::syntax::print(&parsed.tree);
    match terminal.json {
        true => terminal.print_json(&json!({ "ok": true, "file": file.to_string_lossy(), "text": text })),
        false => terminal.print(&text),
    }
    Ok(Outcome::Done)
}

/// The formalism of this name.
pub fn formalism(name: &str) -> Result<Formalism, Problem> {
    Formalism::named(name).ok_or_else(|| {
        let known = Formalism::ALL.map(Formalism::name).join(", ");
        Problem::usage(format!("there is no formalism `{name}`")).hint(format!("there are {known}"))
    })
}

fn program(terminal: &Terminal, loaded: &Loaded, formalism: Option<Formalism>) -> Result<(), Problem> {
    let choice = cardan::derive(&loaded.model, formalism)
        .map_err(|e| refused(terminal, &loaded.model, &loaded.sources, e))?;
    let program = &choice.lowered.program;
    if terminal.json {
        let stages: Vec<_> = program
            .stages()
            .iter()
            .map(|(id, s)| json!({ "name": s.name, "operations": count(program, id.into()).total() }))
            .collect();
        let label = |l: &cardan::program::Label| json!({ "name": l.name, "unit": l.unit, "description": l.description });
        terminal.print_json(&json!({
            "ok": true,
            "model": loaded.model.name,
            "formalism": choice.equations.formalism.name(),
            "stages": stages,
            "inputs": program.inputs().iter().map(|(_, i)| label(&i.label)).collect::<Vec<_>>(),
            "outputs": program.outputs().iter().map(|(_, o)| label(&o.label)).collect::<Vec<_>>(),
            "text": program.to_string(),
        }));
        return Ok(());
    }
    let mut out = format!("; {choice}\n");
    for (id, stage) in program.stages().iter() {
        out += &format!("; {}: {}\n", stage.name, short(&count(program, id.into())));
    }
    terminal.print(&format!("{out}{program}"));
    Ok(())
}
