//! A diagnostic as text for a terminal.

use codespan_reporting::diagnostic as cs;
use codespan_reporting::files::{Error, Files, SimpleFile};
use codespan_reporting::term;

use crate::{Diagnostic, FileId, Severity, Sources};

/// The diagnostic with its source lines, in colour or plain.
pub fn render(diagnostic: &Diagnostic, sources: &Sources, color: bool) -> String {
    let severity = match diagnostic.severity {
        Severity::Error => cs::Severity::Error,
        Severity::Warning => cs::Severity::Warning,
        Severity::Note => cs::Severity::Note,
    };
    let labels = diagnostic.labels.iter().filter(|l| sources.get(l.span.file).is_some()).map(|l| {
        let style = if l.primary { cs::LabelStyle::Primary } else { cs::LabelStyle::Secondary };
        cs::Label::new(style, l.span.file, l.span.range()).with_message(&l.text)
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
        let result = term::emit_to_write_style(&mut buffer, &config, &FileTable(sources), &report);
        out = String::from_utf8_lossy(buffer.as_slice()).into_owned();
        result
    } else {
        term::emit_to_string(&mut out, &config, &FileTable(sources), &report)
    };
    if result.is_err() {
        out = format!("{:?}[{}]: {}\n", diagnostic.severity, diagnostic.code.0, diagnostic.message);
    }
    out
}

struct FileTable<'a>(&'a Sources);

impl<'a> FileTable<'a> {
    fn file(&self, id: FileId) -> Result<SimpleFile<&'a str, &'a str>, Error> {
        let source = self.0.get(id).ok_or(Error::FileMissing)?;
        Ok(SimpleFile::new(source.name.as_str(), source.text.as_str()))
    }
}

impl<'a> Files<'a> for FileTable<'a> {
    type FileId = FileId;
    type Name = &'a str;
    type Source = &'a str;

    fn name(&'a self, id: FileId) -> Result<&'a str, Error> {
        self.0.get(id).map(|s| s.name.as_str()).ok_or(Error::FileMissing)
    }
    fn source(&'a self, id: FileId) -> Result<&'a str, Error> {
        self.0.get(id).map(|s| s.text.as_str()).ok_or(Error::FileMissing)
    }
    fn line_index(&'a self, id: FileId, byte_index: usize) -> Result<usize, Error> {
        self.file(id)?.line_index((), byte_index)
    }
    fn line_range(&'a self, id: FileId, line_index: usize) -> Result<std::ops::Range<usize>, Error> {
        self.file(id)?.line_range((), line_index)
    }
}
