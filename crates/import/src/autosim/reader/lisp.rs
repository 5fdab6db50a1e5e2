//! Text to forms: symbols, keywords, numbers, strings, unit vectors in brackets, lists.
//!
//! As in Lisp, letters have no case (symbols are kept in capitals), `;` begins a comment and `#| … |#` encloses one, and a quote in a
//! string has a backslash before it. One thing is AUTOSIM's own: a symbol with a list directly after it is an indexed symbol or a call, `q(7)`.

use cardan_base::{Diagnostic, Diagnostics, FileId, Span};

use crate::autosim::codes;

/// Lists deeper than this are refused.
const MAX_DEPTH: usize = 64;

/// What a form is.
#[derive(Clone, PartialEq, Debug)]
pub(in crate::autosim) enum FormKind {
    /// In capitals.
    Symbol(String),
    /// In small letters, without its colon.
    Keyword(String),
    /// Its digits.
    Number(String),
    /// What stands between the quotes.
    Text(String),
    /// What stands between the brackets, in capitals.
    Direction(String),
    /// A symbol with a list directly after it.
    Indexed(String, Vec<Form>),
    /// Forms in parentheses.
    List(Vec<Form>),
}

/// A form and its place.
#[derive(Clone, PartialEq, Debug)]
pub(in crate::autosim) struct Form {
    pub kind: FormKind,
    pub span: Span,
}

impl Form {
    /// The symbol that it is.
    pub fn symbol(&self) -> Option<&str> {
        match &self.kind {
            FormKind::Symbol(s) => Some(s),
            _ => None,
        }
    }
    /// A name for people: a string, or a symbol as it is.
    pub fn words(&self) -> Option<&str> {
        match &self.kind {
            FormKind::Symbol(s) | FormKind::Text(s) => Some(s),
            _ => None,
        }
    }
}

/// All forms of a text.
pub(in crate::autosim) fn read(file: FileId, text: &str, findings: &mut Diagnostics) -> Vec<Form> {
    let mut reader = Reader { file, text, at: 0, ended: false, findings };
    let mut forms = vec![];
    loop {
        reader.blanks();
        if reader.at >= text.len() {
            return forms;
        }
        if reader.rest().starts_with(')') {
            let span = reader.span(reader.at, reader.at + 1);
            let d = Diagnostic::error(codes::FORM, "this parenthesis closes nothing").at(span, "");
            reader.findings.push(d.hint("remove it, or open the command with `(`"));
            reader.at += 1;
            continue;
        }
        if let Some(form) = reader.form(0) {
            forms.push(form);
        }
    }
}

struct Reader<'a, 'd> {
    file: FileId,
    text: &'a str,
    at: usize,
    /// Whether something is open where the text ends, which has been said.
    ended: bool,
    findings: &'d mut Diagnostics,
}

/// Whether a character belongs to a symbol or number.
fn is_constituent(c: char) -> bool {
    !c.is_whitespace() && !matches!(c, '(' | ')' | '[' | ']' | '"' | ';' | '\'' | '`' | ',')
}

impl<'a> Reader<'a, '_> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }
    fn span(&self, start: usize, end: usize) -> Span {
        Span::new(self.file, start, end)
    }
    /// Skips blanks, comments and quotation marks of Lisp.
    fn blanks(&mut self) {
        loop {
            let rest = self.rest();
            let trimmed =
                rest.trim_start_matches(|c: char| c.is_whitespace() || matches!(c, '\'' | '`' | ','));
            self.at += rest.len() - trimmed.len();
            if trimmed.starts_with(';') {
                self.at += trimmed.find('\n').unwrap_or(trimmed.len());
            } else if trimmed.starts_with("#|") {
                let start = self.at;
                self.at += trimmed.find("|#").map_or(trimmed.len(), |end| end + 2);
                if !trimmed.contains("|#") {
                    self.open(start, "comment", "|#");
                }
            } else {
                return;
            }
        }
    }

    /// The form that begins here; nothing if there is none, with a finding.
    fn form(&mut self, depth: usize) -> Option<Form> {
        let start = self.at;
        match self.rest().chars().next()? {
            '(' => {
                let list = self.list(depth)?;
                Some(Form { kind: FormKind::List(list), span: self.span(start, self.at) })
            }
            '"' => self.string().map(|t| self.close(FormKind::Text(t), start)),
            '[' => {
                let text = self.direction()?;
                Some(self.close(FormKind::Direction(text.trim().to_uppercase()), start))
            }
            ']' => {
                self.at += 1;
                let d = Diagnostic::error(codes::FORM, "this bracket closes nothing");
                self.findings
                    .push(d.at(self.span(start, self.at), "").hint("write unit vectors like `[b1]`"));
                None
            }
            _ => {
                let word: &str = self.rest().split(|c| !is_constituent(c)).next().unwrap_or("");
                self.at += word.len();
                if let Some(keyword) = word.strip_prefix(':') {
                    return Some(self.close(FormKind::Keyword(keyword.to_lowercase()), start));
                }
                if is_number(word) {
                    return Some(self.close(FormKind::Number(word.to_string()), start));
                }
                if self.rest().starts_with('(') {
                    let list = self.list(depth)?;
                    return Some(self.close(FormKind::Indexed(word.to_uppercase(), list), start));
                }
                Some(self.close(FormKind::Symbol(word.to_uppercase()), start))
            }
        }
    }

    fn close(&self, kind: FormKind, start: usize) -> Form {
        Form { kind, span: self.span(start, self.at) }
    }

    fn list(&mut self, depth: usize) -> Option<Vec<Form>> {
        let start = self.at;
        self.at += 1;
        if depth >= MAX_DEPTH {
            let d = Diagnostic::error(codes::FORM, format!("more than {MAX_DEPTH} lists in one another"));
            self.findings.push(d.at(self.span(start, self.at), "").hint("write fewer parentheses"));
            (self.at, self.ended) = (self.text.len(), true);
            return None;
        }
        let mut forms = vec![];
        loop {
            self.blanks();
            match self.rest().chars().next() {
                Some(')') => {
                    self.at += 1;
                    return Some(forms);
                }
                Some(_) => forms.extend(self.form(depth + 1)),
                None => {
                    self.open(start, "parenthesis", ")");
                    return None;
                }
            }
        }
    }

    /// The text of a string, without the backslashes before quotes and backslashes.
    fn string(&mut self) -> Option<String> {
        let start = self.at;
        let mut text = String::new();
        let mut chars = self.rest().char_indices().skip(1).peekable();
        while let Some((at, c)) = chars.next() {
            match c {
                '"' => {
                    self.at += at + 1;
                    return Some(text);
                }
                '\\' => text.push(chars.next_if(|(_, c)| matches!(c, '"' | '\\')).map_or(c, |(_, c)| c)),
                _ => text.push(c),
            }
        }
        self.open(start, "string", "\"");
        None
    }

    /// What stands between brackets.
    fn direction(&mut self) -> Option<&'a str> {
        let inside = &self.rest()[1..];
        match inside.find(']') {
            Some(end) => {
                self.at += end + 2;
                Some(&inside[..end])
            }
            None => {
                self.open(self.at, "unit vector", "]");
                None
            }
        }
    }

    /// Says that something is never closed; nothing is left to be read. One message for the innermost is enough.
    fn open(&mut self, start: usize, what: &str, closing: &str) {
        self.at = self.text.len();
        if std::mem::replace(&mut self.ended, true) {
            return;
        }
        let d = Diagnostic::error(codes::FORM, format!("this {what} is never closed"));
        let d = d.at(self.span(start, start + 1), "opened here");
        self.findings.push(d.hint(format!("write `{closing}` where it ends")));
    }
}

/// Whether a word is a decimal number, with a sign perhaps, or a ratio such as `1/3`.
pub(in crate::autosim) fn is_number(word: &str) -> bool {
    let digits = word.strip_prefix(['-', '+']).unwrap_or(word);
    let mut parts = digits.splitn(2, '/');
    let whole = |t: &str| !t.is_empty() && t.chars().all(|c| c.is_ascii_digit());
    match (parts.next(), parts.next()) {
        (Some(a), Some(b)) => whole(a) && whole(b),
        (Some(a), None) => crate::autosim::reader::infix::number_length(a) == a.len() && !a.is_empty(),
        _ => false,
    }
}
