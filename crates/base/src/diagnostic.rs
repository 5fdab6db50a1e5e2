//! What went wrong, where, why, and what to type instead.
//!
//! The voice: no "you", no compiler jargon, no blame. The message says what is wrong in mechanical
//! words; labels show the places; notes explain; help can be typed.

use crate::{Map, Sources, Span};

/// A stable code such as `M012`; each has a page under `docs/errors`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Code(pub &'static str);

/// How bad it is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Severity {
    /// Worth knowing; changes nothing.
    Note,
    /// Probably not meant; the computation goes on.
    Warning,
    /// The model cannot be used as it stands.
    Error,
}

/// A place in a text, with a few words about it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Label {
    /// The place.
    pub span: Span,
    /// What to say about it; may be empty.
    pub text: String,
    /// The main place, or one that helps to understand it.
    pub primary: bool,
}

/// One finding about a model text or its data.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostic {
    /// Stable code.
    pub code: Code,
    /// How bad it is.
    pub severity: Severity,
    /// What is wrong, one line.
    pub message: String,
    /// Where.
    pub labels: Vec<Label>,
    /// Why.
    pub notes: Vec<String>,
    /// What to do, in words that can be typed.
    pub help: Vec<String>,
}

impl Diagnostic {
    /// An error.
    pub fn error(code: Code, message: impl Into<String>) -> Self {
        Self::new(Severity::Error, code, message)
    }
    /// A warning.
    pub fn warning(code: Code, message: impl Into<String>) -> Self {
        Self::new(Severity::Warning, code, message)
    }
    /// A note.
    pub fn note(code: Code, message: impl Into<String>) -> Self {
        Self::new(Severity::Note, code, message)
    }
    fn new(severity: Severity, code: Code, message: impl Into<String>) -> Self {
        Diagnostic { code, severity, message: message.into(), labels: vec![], notes: vec![], help: vec![] }
    }
    /// Adds the main place.
    #[must_use]
    pub fn at(mut self, span: Span, text: impl Into<String>) -> Self {
        self.labels.push(Label { span, text: text.into(), primary: true });
        self
    }
    /// Adds a second place.
    #[must_use]
    pub fn also(mut self, span: Span, text: impl Into<String>) -> Self {
        self.labels.push(Label { span, text: text.into(), primary: false });
        self
    }
    /// Adds a line that explains.
    #[must_use]
    pub fn because(mut self, note: impl Into<String>) -> Self {
        self.notes.push(note.into());
        self
    }
    /// Adds a line that helps.
    #[must_use]
    pub fn hint(mut self, help: impl Into<String>) -> Self {
        self.help.push(help.into());
        self
    }
    /// The finding with its places in the text of the definition, and the instance that it is about.
    fn with_instance(mut self, sources: &Sources) -> Self {
        /// Statements of nested instances that are shown; the path tells the others.
        const SHOWN: usize = 3;
        let Some(file) = self.span().map(|span| span.file) else { return self };
        let mut origin = sources.instance(file);
        let mut places = vec![];
        while let Some(instance) = origin.filter(|_| places.len() < SHOWN) {
            places.push((sources.in_text(instance.place), format!("in the instance `{}`", instance.path)));
            origin = sources.instance(instance.place.file);
        }
        for label in &mut self.labels {
            label.span = sources.in_text(label.span);
        }
        for (span, text) in places {
            if self.labels.iter().all(|l| l.span != span) {
                self.labels.push(Label { span, text, primary: false });
            }
        }
        self
    }
    /// The first main place.
    pub fn span(&self) -> Option<Span> {
        self.labels.iter().find(|l| l.primary).or(self.labels.first()).map(|l| l.span)
    }
}

/// Findings in the order in which they were made, at most [`Diagnostics::LIMIT`] of them.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Diagnostics {
    items: Vec<Diagnostic>,
    suppressed: usize,
    errors: usize,
}

impl Diagnostics {
    /// More than this helps nobody; further ones are only counted.
    pub const LIMIT: usize = 100;

    /// No findings.
    pub fn new() -> Self {
        Self::default()
    }
    /// Adds a finding; one that repeats an earlier finding word for word is dropped.
    pub fn push(&mut self, diagnostic: Diagnostic) {
        if diagnostic.severity == Severity::Error {
            self.errors += 1;
        }
        if self.items.contains(&diagnostic) {
            return;
        }
        if self.items.len() < Self::LIMIT {
            self.items.push(diagnostic);
        } else {
            self.suppressed += 1;
        }
    }
    /// Adds all findings of another list.
    pub fn append(&mut self, other: Diagnostics) {
        self.suppressed += other.suppressed;
        for item in other.items {
            self.push(item);
        }
    }
    /// The findings with the instances in which they were made: the place in the definition, the statements that
    /// made the instance, and its path. A finding that many instances of one definition share is told once.
    #[must_use]
    pub fn with_instances(self, sources: &Sources) -> Diagnostics {
        if self.items.iter().all(|d| d.labels.iter().all(|l| sources.instance(l.span.file).is_none())) {
            return self;
        }
        let mut told: Vec<Diagnostic> = vec![];
        let mut places: Map<(Code, Vec<Span>), usize> = Map::default();
        let mut repeated: Map<usize, usize> = Map::default();
        for item in self.items {
            let spans: Vec<Span> = item.labels.iter().map(|l| sources.in_text(l.span)).collect();
            let in_instance = item.labels.iter().any(|l| sources.instance(l.span.file).is_some());
            if in_instance && let Some(first) = places.get(&(item.code, spans.clone())) {
                *repeated.entry(*first).or_default() += 1;
                continue;
            }
            places.insert((item.code, spans), told.len());
            told.push(item.with_instance(sources));
        }
        for (k, n) in repeated {
            let others = if n == 1 { "another instance".to_owned() } else { format!("{n} more instances") };
            told[k].notes.push(format!("the same holds in {others}"));
        }
        Diagnostics { items: told, suppressed: self.suppressed, errors: self.errors }
    }
    /// Whether any finding is an error.
    pub fn has_errors(&self) -> bool {
        self.errors > 0
    }
    /// Number of errors, the suppressed ones included.
    pub fn n_errors(&self) -> usize {
        self.errors
    }
    /// How many findings were counted but not kept.
    pub fn n_suppressed(&self) -> usize {
        self.suppressed
    }
    /// The findings kept.
    pub fn iter(&self) -> std::slice::Iter<'_, Diagnostic> {
        self.items.iter()
    }
    /// Whether there are no findings.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }
    /// Number of findings kept.
    pub fn len(&self) -> usize {
        self.items.len()
    }
}

impl<'a> IntoIterator for &'a Diagnostics {
    type Item = &'a Diagnostic;
    type IntoIter = std::slice::Iter<'a, Diagnostic>;
    fn into_iter(self) -> Self::IntoIter {
        self.items.iter()
    }
}

impl IntoIterator for Diagnostics {
    type Item = Diagnostic;
    type IntoIter = std::vec::IntoIter<Diagnostic>;
    fn into_iter(self) -> Self::IntoIter {
        self.items.into_iter()
    }
}
