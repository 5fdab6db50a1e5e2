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

/// A text, or a definition in one of them that stands in an instance.
#[derive(Clone, PartialEq, Debug)]
enum Entry {
    Text(Source),
    Instance { of: FileId, path: String, place: Span },
}

/// An instance of a definition: what spans of its parts say beside their place in the definition.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct InstanceOrigin<'a> {
    /// The path of the instance: `front.left`.
    pub path: &'a str,
    /// The statement that made it; itself in an instance, if instances are nested.
    pub place: Span,
}

/// All texts of one compilation.
///
/// A definition that is used many times has one text and many meanings. Each instance gets a [`FileId`] of its
/// own that shows the same text, so that a plain [`Span`] tells the definition's place and the instance alike.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Sources {
    files: Arena<FileId, Entry>,
}

impl Sources {
    /// No texts.
    pub fn new() -> Self {
        Self::default()
    }
    /// Adds a text.
    pub fn add(&mut self, name: impl Into<String>, text: impl Into<String>) -> FileId {
        self.files.push(Entry::Text(Source { name: name.into(), text: text.into() }))
    }
    /// Adds an instance of what stands in `file`, made by the statement at `place`.
    pub fn add_instance(&mut self, file: FileId, path: impl Into<String>, place: Span) -> FileId {
        let of = self.text_of(file);
        self.files.push(Entry::Instance { of, path: path.into(), place })
    }
    /// The text that a file shows: the file itself, unless it is an instance.
    pub fn text_of(&self, file: FileId) -> FileId {
        match self.files.get(file) {
            Some(Entry::Instance { of, .. }) => *of,
            _ => file,
        }
    }
    /// The same place in the text of the definition.
    pub fn in_text(&self, span: Span) -> Span {
        Span { file: self.text_of(span.file), ..span }
    }
    /// The instance that a file stands for.
    pub fn instance(&self, file: FileId) -> Option<InstanceOrigin<'_>> {
        match self.files.get(file) {
            Some(Entry::Instance { path, place, .. }) => Some(InstanceOrigin { path, place: *place }),
            _ => None,
        }
    }
    /// The text behind an id.
    pub fn get(&self, file: FileId) -> Option<&Source> {
        match self.files.get(self.text_of(file)) {
            Some(Entry::Text(source)) => Some(source),
            _ => None,
        }
    }
    /// The characters under a span, or nothing if the span does not fit the text.
    pub fn slice(&self, span: Span) -> &str {
        self.get(span.file).and_then(|s| s.text.get(span.range())).unwrap_or("")
    }
    /// Line and column (from 1, in characters) of a byte offset.
    pub fn line_column(&self, file: FileId, offset: usize) -> (usize, usize) {
        let text = self.get(file).map_or("", |s| s.text.as_str());
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
