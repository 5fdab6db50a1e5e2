//! Findings gathered while a text is read; many of one kind are told once, with their number.

use cardan_base::{Diagnostic, Diagnostics, Severity, Span};

/// Something that may happen many times.
struct Tally {
    /// What to say if it happened once.
    one: Diagnostic,
    /// What to say if it happened more often; `{n}` stands for how often.
    many: String,
    count: usize,
}

/// Diagnostics in the making.
pub(crate) struct Findings {
    diagnostics: Diagnostics,
    tallies: Vec<Tally>,
    strict: bool,
}

impl Findings {
    pub fn new(strict: bool) -> Findings {
        Findings { diagnostics: Diagnostics::new(), tallies: vec![], strict }
    }
    pub fn push(&mut self, found: Diagnostic) {
        self.diagnostics.push(found);
    }
    /// A warning, or an error where the text is read strictly.
    pub fn doubtful(&mut self, mut found: Diagnostic) {
        found.severity = self.severity();
        self.diagnostics.push(found);
    }
    /// What becomes of a doubtful thing.
    pub fn severity(&self) -> Severity {
        if self.strict { Severity::Error } else { Severity::Warning }
    }
    /// Counts a finding; those with the same code and the same plural are told as one, at the place of the first.
    pub fn tally(&mut self, one: Diagnostic, many: &str) {
        match self.tallies.iter_mut().find(|t| t.one.code == one.code && t.many == many) {
            Some(tally) => tally.count += 1,
            None => self.tallies.push(Tally { one, many: many.to_string(), count: 1 }),
        }
    }
    /// Whether any finding so far refuses the model.
    pub fn has_errors(&self) -> bool {
        self.diagnostics.has_errors() || self.tallies.iter().any(|t| t.one.severity == Severity::Error)
    }
    /// All findings, the counted ones last.
    pub fn finish(mut self) -> Diagnostics {
        for Tally { mut one, many, count } in self.tallies {
            if count > 1 {
                one.message = many.replace("{n}", &count.to_string());
                if let Some(label) = one.labels.first_mut() {
                    label.text = "the first of them".into();
                }
            }
            self.diagnostics.push(one);
        }
        self.diagnostics
    }
}

/// An attribute or element that is needed is not there.
pub(crate) fn missing(span: Span, what: &str, help: impl Into<String>) -> Diagnostic {
    Diagnostic::error(crate::codes::MISSING, format!("{what} is missing")).at(span, "here").hint(help)
}
