//! Texts and the spans that point into them.

use crate::{Arena, define_id};

define_id!(FileId, "file", "A text that diagnostics can point into.");

/// A range of bytes in one text.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Span {
    /// The text.
    pub file: FileId,
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// The bytes `start..end` of `file`.
    pub fn new(file: FileId, start: usize, end: usize) -> Self {
        let clamp = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        Span { file, start: clamp(start), end: clamp(end.max(start)) }
    }
    /// The smallest span that covers both; `self` if the other lies in another text.
    pub fn to(self, other: Span) -> Span {
        if self.file != other.file {
            return self;
        }
        Span { file: self.file, start: self.start.min(other.start), end: self.end.max(other.end) }
    }
    /// The byte range.
    pub fn range(self) -> std::ops::Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// One text with the name under which people know it.
#[derive(Clone, PartialEq, Debug)]
pub struct Source {
    /// Usually a file name.
    pub name: String,
    /// The whole text.
    pub text: String,
}

/// All texts of one compilation.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Sources {
    files: Arena<FileId, Source>,
}

impl Sources {
    /// No texts.
    pub fn new() -> Self {
        Self::default()
    }
    /// Adds a text.
    pub fn add(&mut self, name: impl Into<String>, text: impl Into<String>) -> FileId {
        self.files.push(Source { name: name.into(), text: text.into() })
    }
    /// The text behind an id.
    pub fn get(&self, file: FileId) -> Option<&Source> {
        self.files.get(file)
    }
    /// The characters under a span, or nothing if the span does not fit the text.
    pub fn slice(&self, span: Span) -> &str {
        self.files.get(span.file).and_then(|s| s.text.get(span.range())).unwrap_or("")
    }
    /// Line and column (from 1, in characters) of a byte offset.
    pub fn line_column(&self, file: FileId, offset: usize) -> (usize, usize) {
        let text = self.files.get(file).map_or("", |s| s.text.as_str());
        let mut end = offset.min(text.len());
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        let before = &text[..end];
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().map_or(0, |l| l.chars().count()) + 1;
        (line, column)
    }
}
