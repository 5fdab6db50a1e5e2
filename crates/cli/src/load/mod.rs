//! From a file to a model, with what is to be said about it.

pub(crate) mod search;

use std::path::Path;

use cardan::assembly::AssemblyError;
use cardan::base::{Diagnostic, Diagnostics, Severity, Sources};
use cardan::compile::ChoiceError;
use cardan::expand::hierarchy::Node;
use cardan::model::Model;
use cardan::{Parsed, Resolved};
use serde_json::{Value, json};

use crate::arguments::{Reading, Texts};
use crate::exit::{Outcome, Problem};
use crate::files;
use crate::import;
use crate::run::request::set_values;
use crate::search::Search;
use crate::terminal::Terminal;

/// A model, its text, and findings that did not prevent it.
pub struct Loaded {
    pub model: Model,
    pub sources: Sources,
    pub diagnostics: Diagnostics,
    pub text: String,
    /// Settings that were structural constants, and are part of the model now.
    pub taken: Vec<String>,
}

impl Loaded {
    /// The settings that the model still has to be given.
    pub fn remaining(&self, set: &[String]) -> Vec<String> {
        remaining(&self.taken, set)
    }
}

/// The settings that were not taken as structural constants.
pub fn remaining(taken: &[String], set: &[String]) -> Vec<String> {
    let is_taken = |s: &&String| s.split_once('=').is_some_and(|(n, _)| taken.iter().any(|t| t == n.trim()));
    set.iter().filter(|s| !is_taken(s)).cloned().collect()
}

/// Reads and resolves a file in the format that its name tells.
pub fn resolve(path: &Path, reading: &Reading) -> Result<(Resolved, String), Problem> {
    let text = files::read(path)?;
    let resolved = match path.extension().and_then(|e| e.to_str()) {
        Some("urdf" | "xml" | "mjcf") => import::resolve(path, &text, reading),
        _ => {
            import::refuse_for_text(path, reading)?;
            match translate(path, &text) {
                Some((resolved, _)) => resolved,
                None => cardan::resolve(expand(path, &text, &reading.texts)?),
            }
        }
    };
    Ok((resolved, text))
}

/// Reads a text and the texts that it imports, and writes its instances and loops out.
pub fn expand(path: &Path, text: &str, texts: &Texts) -> Result<Parsed, Problem> {
    let (settings, search) = (choices(texts)?, Search::new(path, &texts.path));
    let parsed = cardan::parse(&path.to_string_lossy(), text);
    Ok(cardan::expand_with(parsed, &settings, &mut |wanted, from| search.read(wanted, from)))
}

/// Structural constants and fillings of slots that are chosen on the command line.
fn choices(texts: &Texts) -> Result<cardan::expand::Settings, Problem> {
    let pair = |given: &String, example: &str| match given.split_once('=') {
        Some((name, value)) => Ok((name.trim().to_owned(), value.trim().to_owned())),
        None => Err(Problem::usage(format!("`{given}` is no choice")).hint(format!("write {example}"))),
    };
    let constants = texts.set.iter().filter_map(|s| pair(s, "").ok()).collect();
    let fillings: Result<_, _> = texts
        .fillings
        .iter()
        .map(|s| pair(s, "--use SLOT=NAME, such as --use front.left.tyre=fiala"))
        .collect();
    Ok(cardan::expand::Settings { constants, fillings: fillings? })
}

/// The instances of a text with their ports.
pub fn hierarchy(
    path: &Path,
    text: &str,
    texts: &Texts,
) -> Result<(Vec<Node>, Diagnostics, Sources), Problem> {
    let (settings, search) = (choices(texts)?, Search::new(path, &texts.path));
    let parsed = cardan::parse(&path.to_string_lossy(), text);
    let (mut sources, mut diagnostics) = (parsed.sources, parsed.diagnostics);
    let mut read = |wanted: &str, from: &str| search.read(wanted, from);
    let (nodes, findings) = cardan::expand::hierarchy_of(parsed.tree, &mut sources, &settings, &mut read);
    diagnostics.append(findings);
    Ok((nodes, diagnostics, sources))
}

/// A language of another program that is translated into the native one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Language {
    Autosim,
    Adams,
}

impl Language {
    /// By the ending of a file's name.
    pub fn of(path: &Path) -> Option<Language> {
        let ending = path.extension()?.to_str()?.to_lowercase();
        match ending.as_str() {
            "lsp" => Some(Language::Autosim),
            "adm" => Some(Language::Adams),
            _ => None,
        }
    }

    /// As it is called.
    pub fn name(self) -> &'static str {
        match self {
            Language::Autosim => "AUTOSIM",
            Language::Adams => "ADAMS",
        }
    }
}

/// Resolves a text in the language of another program, and gives the native text that it became; nothing if the file holds a
/// model text. Texts that it loads lie in its own folder or below.
pub fn translate(path: &Path, text: &str) -> Option<(Resolved, Option<String>)> {
    let name = path.to_string_lossy();
    Some(match Language::of(path)? {
        Language::Autosim => {
            let folder = path.parent().unwrap_or(Path::new(""));
            let mut read = |written: &str| files::read_below(folder, written);
            cardan::resolve_autosim(&name, text, &mut read)
        }
        Language::Adams => cardan::resolve_adams(&name, text),
    })
}

/// Reads a model as asked; findings go to the terminal, and errors among them end the command.
pub fn load(terminal: &Terminal, path: &Path, reading: &Reading) -> Result<Loaded, Problem> {
    let (resolved, text) = resolve(path, reading)?;
    accept(terminal, path, resolved, text)
}

/// Reads a model and gives it the values that the command line sets.
pub fn load_set(
    terminal: &Terminal,
    path: &Path,
    reading: &Reading,
    set: &[String],
) -> Result<Loaded, Problem> {
    let mut loaded = load(terminal, path, &reading.setting(set))?;
    loaded.model = set_values(terminal, loaded.model.clone(), &loaded.remaining(set))?;
    Ok(loaded)
}

/// Reads a model text with statements added at the end.
pub fn load_with(
    terminal: &Terminal,
    path: &Path,
    reading: &Reading,
    statements: &[String],
) -> Result<Loaded, Problem> {
    if statements.is_empty() {
        return load(terminal, path, reading);
    }
    if path.extension().is_none_or(|e| e != "mbs") {
        let hint = format!("cardan import {} --to mbs writes one", path.display());
        return Err(Problem::usage("statements can be added to a model text only").hint(hint));
    }
    let mut text = files::read(path)?;
    for statement in statements {
        text += &format!("\n{statement}\n");
    }
    load_text(terminal, path, reading, text)
}

/// Reads a model from an edited text of its file.
pub fn load_text(
    terminal: &Terminal,
    path: &Path,
    reading: &Reading,
    text: String,
) -> Result<Loaded, Problem> {
    let resolved = cardan::resolve(expand(path, &text, &reading.texts)?);
    accept(terminal, path, resolved, text)
}

/// What is wrong with an edited text of a file, if anything is: the first error, in words.
pub fn first_error(path: &Path, reading: &Reading, text: &str) -> Result<Option<String>, Problem> {
    let resolved = cardan::resolve(expand(path, text, &reading.texts)?);
    let error = resolved.diagnostics.iter().find(|d| d.severity == Severity::Error);
    Ok(error.map(|d| d.message.clone()))
}

fn accept(terminal: &Terminal, path: &Path, resolved: Resolved, text: String) -> Result<Loaded, Problem> {
    let Resolved { sources, model, diagnostics, taken, .. } = resolved;
    terminal.diagnostics(&diagnostics, &sources);
    match model {
        Some(model) if !diagnostics.has_errors() => Ok(Loaded { model, sources, diagnostics, text, taken }),
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
    if let cardan::Error::Choice(ChoiceError::Assembly(AssemblyError::Open(open))) = &error {
        let hint = match open.held.first() {
            None => "look at the lengths and axes along this loop, or start nearer to where it closes".into(),
            Some(fight) => {
                format!("relax one of them: write `{} ~ …`, which is a guess, instead of `=`", fight.name)
            }
        };
        return Problem::wrong(error).hint(hint);
    }
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

/// The same for a model whose text is known: what is wrong with the mechanism is shown in its place.
pub fn refused(
    terminal: &Terminal,
    model: &Model,
    sources: &Sources,
    error: impl Into<cardan::Error>,
) -> Problem {
    let error = error.into();
    let finding = match &error {
        cardan::Error::Choice(error) => cardan::sim::diagnose(model, error),
        _ => None,
    };
    let Some(finding) = finding else { return underived(error) };
    let mut diagnostics = Diagnostics::new();
    diagnostics.push(in_its_format(finding, sources));
    show_findings(terminal, &diagnostics.with_instances(sources), sources)
}

/// A motion that does not begin, with the finding behind it where there is one.
pub fn not_begun(
    terminal: &Terminal,
    model: &Model,
    sources: &Sources,
    error: cardan::sim::StartError,
) -> Problem {
    let Some(finding) = cardan::sim::diagnose_start(model, &error) else { return Problem::wrong(error) };
    let mut diagnostics = Diagnostics::new();
    diagnostics.push(in_its_format(finding, sources));
    show_findings(terminal, &diagnostics, sources)
}

/// A finding about a text of another format, where starts are guesses unless they are set on the command line and no
/// statement of the model language can be typed.
fn in_its_format(mut finding: Diagnostic, sources: &Sources) -> Diagnostic {
    let file = finding.span().and_then(|span| sources.get(span.file));
    let extension = file.and_then(|f| Path::new(&f.name).extension()?.to_str());
    if !matches!(extension, Some("urdf" | "xml" | "mjcf" | "lsp" | "adm")) {
        return finding;
    }
    for help in &mut finding.help {
        if let Some((name, _)) =
            help.strip_prefix("relax one of them: write `").and_then(|h| h.split_once(" ~ "))
        {
            *help = format!("relax one of them: leave out `--set {name}=…`, or set what it would have to be");
        } else {
            *help = in_words_of_command(help);
        }
    }
    finding
}

/// `start { q ~ 30 [deg] }` in a help as the option that does the same.
fn in_words_of_command(help: &str) -> String {
    let Some((before, rest)) = help.split_once("`start { ") else { return help.to_owned() };
    let Some((start, after)) = rest.split_once(" }`") else { return help.to_owned() };
    let name = start.split_once(" ~ ").map_or(start, |(name, _)| name);
    format!("{before}`--set {name}=…`{after}")
}

/// Shows findings that end the command.
pub fn show_findings(terminal: &Terminal, diagnostics: &Diagnostics, sources: &Sources) -> Problem {
    terminal.diagnostics(diagnostics, sources);
    if terminal.json {
        terminal.print_json(&json!({ "ok": false, "diagnostics": findings(diagnostics, sources) }));
    }
    Problem::said(Outcome::Wrong)
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
