//! What can be wrong with a unit text.

use std::fmt;
use std::ops::Range;

use cardan_base::Code;

/// The kinds of mistake, one per page under `docs/errors`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum UnitErrorKind {
    /// A name that is not in the table.
    UnknownName,
    /// A sign in a place where it means nothing.
    UnexpectedSign,
    /// Something after `^` that is no exponent.
    BadExponent,
    /// A temperature scale whose zero is not absolute.
    OffsetScale,
    /// A number other than 1 among the names.
    NumberInside,
    /// `a/b c`: it is not clear whether `c` is above or below the stroke.
    UnclearStroke,
    /// A factor that no exact number of reasonable size can hold.
    Inexact,
    /// A parenthesis without its partner, or too many of them.
    Parenthesis,
}

impl UnitErrorKind {
    /// Every kind, in the order of the codes.
    pub const ALL: [UnitErrorKind; 8] = [
        UnitErrorKind::UnknownName,
        UnitErrorKind::UnexpectedSign,
        UnitErrorKind::BadExponent,
        UnitErrorKind::OffsetScale,
        UnitErrorKind::NumberInside,
        UnitErrorKind::UnclearStroke,
        UnitErrorKind::Inexact,
        UnitErrorKind::Parenthesis,
    ];

    /// The stable code.
    pub const fn code(self) -> Code {
        match self {
            UnitErrorKind::UnknownName => Code("U001"),
            UnitErrorKind::UnexpectedSign => Code("U002"),
            UnitErrorKind::BadExponent => Code("U003"),
            UnitErrorKind::OffsetScale => Code("U004"),
            UnitErrorKind::NumberInside => Code("U005"),
            UnitErrorKind::UnclearStroke => Code("U006"),
            UnitErrorKind::Inexact => Code("U007"),
            UnitErrorKind::Parenthesis => Code("U008"),
        }
    }
}

/// A mistake in a unit text, as plain data: `lang` adds the offset of the text and makes a diagnostic of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UnitError {
    /// What kind of mistake.
    pub kind: UnitErrorKind,
    /// First byte of the place inside the unit text.
    pub start: usize,
    /// One past the last byte; equal to `start` where something is missing.
    pub end: usize,
    /// What is wrong, one line.
    pub message: String,
    /// What to type instead, if that can be guessed.
    pub hint: Option<String>,
}

impl UnitError {
    pub(crate) fn new(kind: UnitErrorKind, place: Range<usize>, message: impl Into<String>) -> Self {
        UnitError { kind, start: place.start, end: place.end, message: message.into(), hint: None }
    }
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

impl fmt::Display for UnitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for UnitError {}
