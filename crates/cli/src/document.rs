//! `cardan document`: the model and its equations to be read.

use std::path::Path;

use cardan::document::formats::latex_unicode::{said, unshown};
use cardan::document::{DocumentContents, Style, describe, html, latex, readable, rtf};
use serde_json::json;

use crate::arguments::{Document, Format};
use crate::emit::named;
use crate::exit::{Outcome, Problem};
use crate::files;
use crate::load::{Loaded, load_set, refused};
use crate::show;
use crate::terminal::Terminal;

pub fn run(terminal: &Terminal, arguments: &Document) -> Result<Outcome, Problem> {
    let style = named(&arguments.style, "style", &Style::ALL)?;
    let formalism = arguments.formalism.as_deref().map(show::formalism).transpose()?;
    let format = format(arguments.format, arguments.out.as_deref())?;
    let Loaded { model, sources, .. } =
        load_set(terminal, &arguments.file, &arguments.reading, &arguments.set)?;
    let choice = readable(&model, formalism).map_err(|e| refused(terminal, &model, &sources, e))?;
    let document = describe(&choice, DocumentContents { style, linear: arguments.linear });
    let (text, ending) = match format {
        Format::Latex => (latex(&document), "tex"),
        Format::Html => (html(&document), "html"),
        Format::Rtf => (rtf(&document), "rtf"),
    };
    let path = arguments.out.clone().unwrap_or_else(|| {
        let stem = files::file_name(&model.name);
        files::default_folder("generated", &model.name).join(format!("{stem}.{ending}"))
    });
    files::spare(&path)?;
    if let Some(folder) = path.parent().filter(|f| *f != Path::new("")) {
        files::make_folder(folder)?;
    }
    files::write(&path, text.as_bytes())?;
    let letters = if format == Format::Latex { unshown(&text) } else { vec![] };
    if !letters.is_empty() {
        terminal.warning(&said(&letters));
    }
    let shown = path.display().to_string();
    if terminal.json {
        terminal.print_json(&json!({ "ok": true, "file": shown, "sections": document.sections.len() }));
    } else {
        terminal.print(&format!("{shown}\n"));
    }
    Ok(Outcome::Done)
}

/// The format that is asked for, by its name or by the ending of the file; both must say the same.
fn format(asked: Option<Format>, file: Option<&Path>) -> Result<Format, Problem> {
    let Some(ending) = file.and_then(Path::extension) else { return Ok(asked.unwrap_or(Format::Html)) };
    let ending = ending.to_string_lossy();
    let meant = Format::ENDINGS.iter().find(|(known, _)| ending.eq_ignore_ascii_case(known));
    match (meant, asked) {
        (None, _) => {
            let known: Vec<String> = Format::ENDINGS.iter().map(|(known, _)| format!(".{known}")).collect();
            let said = format!("documents are not written as `.{ending}`, only as {}", known.join(", "));
            let hint = match ending.eq_ignore_ascii_case("pdf") {
                true => "write a .tex and let pdflatex make the PDF, or print the .html from a browser",
                false => "give the file one of these endings",
            };
            Err(Problem::usage(said).hint(hint))
        }
        (Some((_, meant)), Some(asked)) if *meant != asked => Err(Problem::usage(format!(
            "a file that ends in `.{ending}` is none for the format that is asked for"
        ))
        .hint("leave out --format, or give the file another ending")),
        (Some((_, meant)), _) => Ok(*meant),
    }
}
