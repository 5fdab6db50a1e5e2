//! `cardan document`: the model and its equations to be read.

use std::path::{Path, PathBuf};

use cardan::document::{Style, describe, html, latex, readable, rtf};
use serde_json::json;

use crate::arguments::{Document, Format};
use crate::emit::named;
use crate::files;
use crate::loading::{Loaded, load, refused};
use crate::outcome::{Outcome, Problem};
use crate::show;
use crate::terminal::Terminal;

pub fn run(terminal: &Terminal, arguments: &Document) -> Result<Outcome, Problem> {
    let style = named(&arguments.style, "style", &Style::ALL)?;
    let formalism = arguments.formalism.as_deref().map(show::formalism).transpose()?;
    let Loaded { model, sources, .. } = load(terminal, &arguments.file, &arguments.reading)?;
    let choice = readable(&model, formalism).map_err(|e| refused(terminal, &model, &sources, e))?;
    let document = describe(&choice, style);
    let asked = arguments.format.or_else(|| Format::of(arguments.out.as_deref()?));
    let (text, ending) = match asked.unwrap_or(Format::Html) {
        Format::Latex => (latex(&document), "tex"),
        Format::Html => (html(&document), "html"),
        Format::Rtf => (rtf(&document), "rtf"),
    };
    let path = arguments.out.clone().unwrap_or_else(|| {
        PathBuf::from("generated").join(&model.name).join(format!("{}.{ending}", model.name))
    });
    if let Some(folder) = path.parent().filter(|f| *f != Path::new("")) {
        files::make_folder(folder)?;
    }
    files::write(&path, text.as_bytes())?;
    let shown = path.display().to_string();
    if terminal.json {
        terminal.print_json(&json!({ "ok": true, "file": shown, "sections": document.sections.len() }));
    } else {
        terminal.print(&format!("{shown}\n"));
    }
    Ok(Outcome::Done)
}
