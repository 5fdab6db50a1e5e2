//! A text in the native language that was made from another format, with where each statement comes from.

use cardan_base::{Diagnostics, FileId, Span};

/// Where a part of the native text comes from.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Place {
    pub start: usize,
    pub end: usize,
    pub span: Span,
    /// Whether the part is the span's text, character by character.
    pub exact: bool,
}

/// A text in the native language, with where it comes from.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Native {
    /// The text.
    pub text: String,
    pub(crate) places: Vec<Place>,
    /// Parameters without a value, and the symbols that may be meant.
    pub(crate) alike: Vec<(String, String)>,
}

impl Native {
    /// Adds a statement and the place that it comes from.
    pub(crate) fn push(&mut self, statement: &str, span: Span) {
        let start = self.text.len();
        self.text.push_str(statement);
        self.places.push(Place { start, end: self.text.len(), span, exact: false });
        self.text.push('\n');
    }

    /// An empty line between groups of statements.
    pub(crate) fn blank(&mut self) {
        if !self.text.ends_with("\n\n") {
            self.text.push('\n');
        }
    }

    /// The place in the sources of a range of the native text.
    pub fn origin(&self, start: usize, end: usize) -> Option<Span> {
        let place = self.places.iter().find(|p| (p.start..=p.end).contains(&start))?;
        if !place.exact {
            return Some(place.span);
        }
        let at = |offset: usize| place.span.start as usize + (offset - place.start);
        Some(Span::new(place.span.file, at(start), at(end.clamp(start, place.end))))
    }

    /// Findings about the native text `file`, with their places taken back to the text that was read.
    pub fn back(&self, file: FileId, findings: Diagnostics) -> Diagnostics {
        let mut out = Diagnostics::new();
        for mut finding in findings {
            let exact = finding.labels.iter().filter(|l| l.span.file == file).all(|l| {
                self.places.iter().any(|p| p.exact && (p.start..=p.end).contains(&(l.span.start as usize)))
            });
            let place = finding.span().filter(|s| s.file == file && !exact).map_or(0..0, Span::range);
            let written = self.text.get(..place.start).filter(|_| !place.is_empty()).map(|before| {
                let line = before.rfind('\n').map_or(0, |n| n + 1);
                self.text[line..].lines().next().unwrap_or("").trim().to_string()
            });
            for label in &mut finding.labels {
                if label.span.file == file
                    && let Some(span) = self.origin(label.span.start as usize, label.span.end as usize)
                {
                    label.span = span;
                }
            }
            let mut meant = vec![];
            // A value is given by a command of this language.
            for help in &mut finding.help {
                let name = help.strip_prefix("write `parameter ").and_then(|h| h.split_once(" = "));
                if let Some((name, _)) = name.filter(|_| help.ends_with("or set it for the run")) {
                    *help =
                        format!("write `(set-defaults {} 1)`, or set it for the run", name.to_lowercase());
                    let told = finding.notes.iter().chain([&finding.message]);
                    let words: Vec<&str> = told.flat_map(|t| t.split([' ', ','])).collect();
                    let slips = self.alike.iter().filter(|(name, _)| words.contains(&name.as_str()));
                    meant.extend(slips.map(|(name, near)| {
                        format!(
                            "write `{}` for `{}` if that is meant",
                            near.to_lowercase(),
                            name.to_lowercase()
                        )
                    }));
                }
            }
            finding.help.extend(meant);
            if let Some(line) = written.filter(|l| !l.is_empty()) {
                finding.notes.push(format!("in the native language: {line}"));
            }
            out.push(finding);
        }
        out
    }
}
