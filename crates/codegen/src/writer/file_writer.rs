//! A file in the making: statements, comments, blank lines, each within the width of its language.

use crate::writer::layout::{broken, filled, plain};

/// How a language continues a statement on the next line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Continuation {
    /// It just goes on.
    Plain,
    /// An ampersand at the end of the line.
    Ampersand,
    /// An ampersand in the sixth column.
    SixthColumn,
    /// Parentheses around the expression.
    Parentheses,
    /// Three points at the end of the line.
    Points,
}

/// Lines of one file.
#[derive(Clone, Debug)]
pub(crate) struct Page {
    text: String,
    continuation: Continuation,
    comment: &'static str,
    width: usize,
}

impl Page {
    pub fn new(continuation: Continuation, comment: &'static str) -> Self {
        let width = if continuation == Continuation::SixthColumn { 72 } else { 100 };
        Page { text: String::new(), continuation, comment, width }
    }

    pub fn finish(self) -> String {
        self.text
    }

    /// Lines as they are.
    pub fn lines(&mut self, text: &str) {
        self.text.push_str(text);
        self.text.push('\n');
    }

    /// An empty line, unless there is one already.
    pub fn gap(&mut self) {
        if !self.text.is_empty() && !self.text.ends_with("\n\n") {
            self.text.push('\n');
        }
    }

    /// A comment, filled to the width. A line that begins with blanks keeps them for all its parts.
    pub fn comment(&mut self, indent: usize, text: &str) {
        for paragraph in text.lines() {
            let own = paragraph.len() - paragraph.trim_start().len();
            let margin = if self.continuation == Continuation::SixthColumn { 0 } else { indent };
            let lead = format!("{}{} {}", " ".repeat(margin), self.comment, " ".repeat(own));
            let room = self.width.saturating_sub(lead.len() + 1).max(30);
            for line in filled(&plain(paragraph), room) {
                self.lines(format!("{lead}{}", plain(&line)).trim_end());
            }
            if paragraph.trim().is_empty() {
                self.lines(format!("{}{}", " ".repeat(margin), self.comment).trim_end());
            }
        }
    }

    /// A statement, broken where its text has marks.
    pub fn statement(&mut self, indent: usize, head: &str, text: &str, tail: &str) {
        let margin = " ".repeat(indent);
        let used = indent + head.chars().count() + tail.len();
        // Room for the sign of continuation or the parenthesis.
        let (first, rest) = match self.continuation {
            Continuation::Plain => (self.width.saturating_sub(used), self.width.saturating_sub(indent + 5)),
            Continuation::SixthColumn => (self.width.saturating_sub(used), self.width.saturating_sub(10)),
            _ => (self.width.saturating_sub(used + 4), self.width.saturating_sub(indent + 10)),
        };
        let lines = broken(text, first, rest);
        let last = lines.len() - 1;
        for (k, line) in lines.iter().enumerate() {
            let mut full = if k == 0 {
                let open = if self.continuation == Continuation::Parentheses && last > 0 { "(" } else { "" };
                format!("{margin}{head}{open}{line}")
            } else if self.continuation == Continuation::SixthColumn {
                format!("     &  {line}")
            } else {
                format!("{margin}    {line}")
            };
            if k == last {
                if self.continuation == Continuation::Parentheses && last > 0 {
                    full.push(')');
                }
                full.push_str(tail);
            } else {
                match self.continuation {
                    Continuation::Ampersand => full.push_str(" &"),
                    Continuation::Points => full.push_str(" ..."),
                    _ => {}
                }
            }
            self.lines(full.trim_end());
        }
    }
}
