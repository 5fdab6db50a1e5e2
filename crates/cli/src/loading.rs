//! From a file to a model, with what is to be said about it.

use std::path::{Path, PathBuf};

use cardan::Resolved;
use cardan::base::{Diagnostic, Diagnostics, Severity, Sources};
use cardan::model::Model;
use cardan::sim::ChoiceError;
use serde_json::{Value, json};

use crate::arguments::Reading;
use crate::files;
use crate::importing;
use crate::outcome::{Outcome, Problem};
use crate::terminal::Terminal;

/// A model, its text, and findings that did not prevent it.
pub struct Loaded {
    pub model: Model,
    pub sources: Sources,
    pub diagnostics: Diagnostics,
    pub text: String,
}

/// Reads and resolves a file in the format that its name tells.
pub fn resolve(path: &Path, reading: &Reading) -> Result<(Resolved, String), Problem> {
    let text = files::read(path)?;
    let resolved = match path.extension().and_then(|e| e.to_str()) {
        Some("urdf" | "xml" | "mjcf") => importing::resolve(path, &text, reading),
        _ => {
            importing::refuse_for_text(path, reading)?;
            cardan::resolve(cardan::parse(&path.to_string_lossy(), &text))
        }
    };
    Ok((resolved, text))
}

/// A file and how it is to be read; a path alone is read in the usual way.
pub struct Source<'a> {
    path: &'a Path,
    reading: Reading,
}

impl<'a> From<&'a PathBuf> for Source<'a> {
    fn from(path: &'a PathBuf) -> Self {
        Source { path, reading: Reading::default() }
    }
}

impl<'a> From<(&'a PathBuf, &Reading)> for Source<'a> {
    fn from((path, reading): (&'a PathBuf, &Reading)) -> Self {
        Source { path, reading: reading.clone() }
    }
}

/// Reads a model; findings go to the terminal, and errors among them end the command.
pub fn load<'a>(terminal: &Terminal, source: impl Into<Source<'a>>) -> Result<Loaded, Problem> {
    let Source { path, reading } = source.into();
    let (resolved, text) = resolve(path, &reading)?;
    let Resolved { sources, model, diagnostics, .. } = resolved;
    terminal.diagnostics(&diagnostics, &sources);
    match model {
        Some(model) if !diagnostics.has_errors() => Ok(Loaded { model, sources, diagnostics, text }),
        _ => {
            if terminal.json {
                terminal.print_json(&json!({
                    "ok": false,
                    "file": path.to_string_lossy(),
                    "diagnostics": findings(&diagnostics, &sources),
                }));
            }
            Err(Problem::said(Outcome::Wrong))
        }
    }
}

/// Why no equations or no program can be made of a model. The first formalism speaks for all: the others add what they alone
/// cannot do, which helps nobody where the first fails too.
pub fn underived(error: impl Into<cardan::Error>) -> Problem {
    let error = error.into();
    let cardan::Error::Choice(ChoiceError::NoFormalism(considered)) = &error else {
        return Problem::wrong(error);
    };
    let reason = considered.iter().find_map(|c| c.result.as_ref().err().filter(|r| r.contains("resists")));
    match reason {
        Some(reason) => Problem::wrong(reason).hint(
            "give a mass or inertia to what moves so, or another joint: a particle on a rope has `universal`, not `spherical`",
        ),
        None => Problem::wrong(error),
    }
}

/// Findings for programs.
pub fn findings(diagnostics: &Diagnostics, sources: &Sources) -> Vec<Value> {
    diagnostics.iter().map(|d| finding(d, sources)).collect()
}

fn finding(d: &Diagnostic, sources: &Sources) -> Value {
    let labels: Vec<Value> = d
        .labels
        .iter()
        .map(|l| {
            let (line, column) = sources.line_column(l.span.file, l.span.start as usize);
            let (end_line, end_column) = sources.line_column(l.span.file, l.span.end as usize);
            json!({
                "line": line, "column": column, "end_line": end_line, "end_column": end_column,
                "text": l.text, "primary": l.primary,
            })
        })
        .collect();
    json!({
        "code": d.code.0,
        "severity": severity(d.severity),
        "message": d.message,
        "labels": labels,
        "notes": d.notes,
        "help": d.help,
    })
}

/// `error`, `warning` or `note`.
pub fn severity(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "note",
    }
}
