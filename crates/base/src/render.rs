//! A diagnostic as text for a terminal.

use std::collections::BTreeMap;
use std::ops::Range;

use codespan_reporting::diagnostic as cs;
use codespan_reporting::files::{Error, Files, SimpleFile};
use codespan_reporting::term;

use crate::window::Window;
use crate::{Diagnostic, FileId, Severity, Sources};

/// The diagnostic with its source lines, in colour or plain.
pub fn render(diagnostic: &Diagnostic, sources: &Sources, color: bool) -> String {
    let severity = match diagnostic.severity {
        Severity::Error => cs::Severity::Error,
        Severity::Warning => cs::Severity::Warning,
        Severity::Note => cs::Severity::Note,
    };
    let files = FileTable { sources, windows: windows(diagnostic, sources) };
    let labels = diagnostic.labels.iter().filter(|l| sources.get(l.span.file).is_some()).map(|l| {
        let style = if l.primary { cs::LabelStyle::Primary } else { cs::LabelStyle::Secondary };
        let place = files.window(l.span.file).map_or(l.span.range(), |w| w.place(l.span.range()));
        cs::Label::new(style, l.span.file, place).with_message(&l.text)
    });
    let notes = diagnostic.notes.iter().map(|n| format!("note: {n}"));
    let help = diagnostic.help.iter().map(|h| format!("help: {h}"));
    let report = cs::Diagnostic::new(severity)
        .with_code(diagnostic.code.0)
        .with_message(&diagnostic.message)
        .with_labels(labels.collect())
        .with_notes(notes.chain(help).collect());

    let config = term::Config { tab_width: 2, ..term::Config::default() };
    let mut out = String::new();
    let result = if color {
        let mut buffer = term::termcolor::Buffer::ansi();
        let result = term::emit_to_write_style(&mut buffer, &config, &files, &report);
        out = String::from_utf8_lossy(buffer.as_slice()).into_owned();
        result
    } else {
        term::emit_to_string(&mut out, &config, &files, &report)
    };
    if result.is_err() {
        out = format!("{:?}[{}]: {}\n", diagnostic.severity, diagnostic.code.0, diagnostic.message);
    }
    out
}

/// The texts with long lines in which the diagnostic shows places, cut.
fn windows(diagnostic: &Diagnostic, sources: &Sources) -> BTreeMap<FileId, Window> {
    let mut places: BTreeMap<FileId, Vec<Range<usize>>> = BTreeMap::new();
    let (first, second): (Vec<_>, Vec<_>) = diagnostic.labels.iter().partition(|l| l.primary);
    for label in first.into_iter().chain(second) {
        places.entry(label.span.file).or_default().push(label.span.range());
    }
    let cut = |(file, places): (FileId, Vec<Range<usize>>)| {
        Some((file, Window::of(&sources.get(file)?.text, &places)?))
    };
    places.into_iter().filter_map(cut).collect()
}

struct FileTable<'a> {
    sources: &'a Sources,
    windows: BTreeMap<FileId, Window>,
}

impl FileTable<'_> {
    fn window(&self, id: FileId) -> Option<&Window> {
        self.windows.get(&id)
    }
    fn file(&self, id: FileId) -> Result<SimpleFile<&str, &str>, Error> {
        Ok(SimpleFile::new(self.name(id)?, self.source(id)?))
    }
}

impl<'a> Files<'a> for FileTable<'_> {
    type FileId = FileId;
    type Name = &'a str;
    type Source = &'a str;

    fn name(&'a self, id: FileId) -> Result<&'a str, Error> {
        self.sources.get(id).map(|s| s.name.as_str()).ok_or(Error::FileMissing)
    }
    fn source(&'a self, id: FileId) -> Result<&'a str, Error> {
        let whole = self.sources.get(id).ok_or(Error::FileMissing)?;
        Ok(self.window(id).map_or(whole.text.as_str(), |w| w.text.as_str()))
    }
    fn line_index(&'a self, id: FileId, byte_index: usize) -> Result<usize, Error> {
        self.file(id)?.line_index((), byte_index)
    }
    fn column_number(&'a self, id: FileId, line_index: usize, byte_index: usize) -> Result<usize, Error> {
        match self.window(id) {
            Some(window) => Ok(self.sources.line_column(id, window.original(byte_index)).1),
            None => self.file(id)?.column_number((), line_index, byte_index),
        }
    }
    fn line_range(&'a self, id: FileId, line_index: usize) -> Result<Range<usize>, Error> {
        self.file(id)?.line_range((), line_index)
    }
}
