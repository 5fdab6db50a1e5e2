//! `(load "…")`: other texts, in this language or in the native one. Each is loaded once, and none by itself.

use std::collections::BTreeMap;

use cardan_base::{Diagnostic, FileId, Sources, Span};

use crate::autosim::codes;
use crate::autosim::command::{self, Command};
use crate::autosim::reader::lisp::{self, FormKind};
use crate::autosim::reader::routine;
use crate::autosim::scene::Scene;

/// Texts loaded by one another deeper than this are refused.
const MAX_LOADS: usize = 8;

/// What loading needs and leaves.
pub(in crate::autosim) struct Loads<'a, 'r> {
    pub sources: &'a mut Sources,
    pub read: &'a mut crate::mjcf::Reader<'r>,
    /// Texts in the native language, with their places.
    pub routines: Vec<(String, Span)>,
    /// Texts that are being carried out, the first one first.
    open: Vec<String>,
    /// Texts that were loaded, with the commands.
    loaded: BTreeMap<String, Span>,
}

impl<'a, 'r> Loads<'a, 'r> {
    pub fn new(sources: &'a mut Sources, read: &'a mut crate::mjcf::Reader<'r>) -> Loads<'a, 'r> {
        Loads { sources, read, routines: vec![], open: vec![], loaded: BTreeMap::new() }
    }

    /// Carries out every command of a text.
    pub fn carry_out(&mut self, file: FileId, scene: &mut Scene) {
        let (name, text) = self
            .sources
            .get(file)
            .map_or((String::new(), String::new()), |s| (s.name.clone(), s.text.clone()));
        // Texts are named from the folder of the first one.
        let name = if self.open.is_empty() { name.rsplit(['/', '\\']).next().unwrap_or("") } else { &name };
        self.open.push(plain(name));
        for form in &lisp::read(file, &text, &mut scene.findings) {
            let Some(command) = command::command(form, self.sources, scene) else { continue };
            if command.word.name == "LOAD" {
                self.load(&command, scene);
            } else {
                scene.carry_out(&command);
            }
        }
        self.open.pop();
    }

    fn load(&mut self, command: &Command<'_>, scene: &mut Scene) {
        let Some(FormKind::Text(path)) = command.positional.first().map(|f| &f.kind) else {
            let message = "`load` needs the name of a file";
            scene.refuse(codes::MISSING, message, command.span, "write `(load \"routines.mbs\")`");
            return;
        };
        let Some(text) = self.text(path, command.span, scene) else { return };
        let file = self.sources.add(path.clone(), text.clone());
        if !path.ends_with(".mbs") {
            self.carry_out(file, scene);
            return;
        }
        let (tree, _) = cardan_syntax::parse(file, &text);
        for (name, signature) in routine::declared(&tree) {
            scene.signatures.extend(signature.map(|s| (name.to_uppercase(), s)));
            scene.routines.insert(name.to_uppercase(), name);
        }
        let span = Span::new(file, 0, text.len());
        self.routines.push((text, span));
    }

    /// The text of a file that is not there yet, or a finding.
    fn text(&mut self, path: &str, span: Span, scene: &mut Scene) -> Option<String> {
        let name = plain(path);
        let error = |code, message: String| Diagnostic::error(code, message).at(span, "");
        if let Some(k) = self.open.iter().position(|open| *open == name) {
            let d = error(codes::ROUTINE, format!("`{path}` loads itself"));
            let between: Vec<String> = self.open[k + 1..].iter().map(|n| format!("`{n}`")).collect();
            let d =
                if between.is_empty() { d } else { d.because(format!("by way of {}", between.join(", "))) };
            scene.findings.push(d.hint("remove this command"));
            return None;
        }
        if let Some(first) = self.loaded.insert(name, span) {
            let d = Diagnostic::error(codes::DUPLICATE, format!("`{path}` is loaded twice"));
            scene
                .findings
                .push(d.at(span, "here again").also(first, "first here").hint("remove one of the commands"));
            return None;
        }
        if self.open.len() > MAX_LOADS {
            let d = error(codes::ROUTINE, format!("more than {MAX_LOADS} texts load one another"));
            scene.findings.push(d.hint("load all of them from the first text"));
            return None;
        }
        let text = (self.read)(path);
        if text.is_none() {
            let d = error(codes::ROUTINE, format!("`{path}` cannot be read"));
            scene.findings.push(d.hint("name a file beside this one, or remove the command"));
        }
        text
    }
}

/// A path without steps that lead nowhere.
fn plain(path: &str) -> String {
    let parts: Vec<&str> = path.split(['/', '\\']).filter(|part| !matches!(*part, "" | ".")).collect();
    parts.join("/")
}
