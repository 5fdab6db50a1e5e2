//! The canonical layout of a text.
//!
//! The formatter works on the tokens, so nothing that is written can get lost, comments least of all;
//! the parser only tells it which token begins a statement, which minus is a sign, and which bracket
//! holds arguments or a unit. It keeps the writer's line breaks and decides everything else:
//!
//! - two spaces for each open brace, two more for a line that goes on from the line before;
//! - a block is on one line, or its braces end and begin lines;
//! - one space around operators but none around `^`, one before a unit, two before a comment;
//! - at most one blank line, none at the ends of blocks;
//! - no `;` at the end of a line and no comma before `}`.

use cardan_base::{Diagnostics, FileId, Id, Set};

use crate::parser::{Mark, Parser};
use crate::token::{Token, TokenKind, tokens};

/// The text in canonical layout, or what is wrong with it: a text with errors is left alone.
pub fn format(text: &str) -> Result<String, Diagnostics> {
    let mut parser = Parser::new(FileId::from_index(0), text);
    parser.tree();
    if parser.diagnostics.has_errors() {
        return Err(parser.diagnostics);
    }
    let raw = tokens(text);
    let broken = broken_braces(&raw);
    let mut writer = Writer {
        text,
        marks: parser.marks.into_iter().collect(),
        out: String::with_capacity(text.len() + text.len() / 8),
        level: 0,
        previous: None,
        newlines: 0,
    };
    let mut i = 0;
    while i < raw.len() {
        i = writer.token(&raw, &broken, i);
    }
    Ok(writer.out)
}

/// For each brace whether its block goes over several lines.
fn broken_braces(raw: &[Token]) -> Vec<bool> {
    let mut broken = vec![false; raw.len()];
    let mut open: Vec<(usize, usize)> = Vec::new();
    let mut n_newlines = 0;
    for (i, token) in raw.iter().enumerate() {
        match token.kind {
            TokenKind::Newline => n_newlines += 1,
            TokenKind::LeftBrace => open.push((i, n_newlines)),
            TokenKind::RightBrace => {
                if let Some((left, before)) = open.pop() {
                    broken[left] = n_newlines > before;
                    broken[i] = broken[left];
                }
            }
            _ => {}
        }
    }
    broken
}

struct Writer<'a> {
    text: &'a str,
    marks: Set<(usize, Mark)>,
    out: String,
    /// Number of open braces.
    level: usize,
    /// The token written last.
    previous: Option<Token>,
    /// Line breaks to write before the next token.
    newlines: usize,
}

impl<'a> Writer<'a> {
    fn slice(&self, token: Token) -> &'a str {
        &self.text[token.start..token.end]
    }

    fn marked(&self, token: Token, mark: Mark) -> bool {
        self.marks.contains(&(token.start, mark))
    }

    /// Writes the token at `i` and returns the index of the next one to write.
    fn token(&mut self, raw: &[Token], broken: &[bool], i: usize) -> usize {
        let token = raw[i];
        match token.kind {
            TokenKind::End => {
                if !self.out.is_empty() {
                    self.out.push('\n');
                }
            }
            TokenKind::Newline => self.newlines += 1,
            TokenKind::Comment => {
                let text = self.slice(token).trim_end();
                self.begin(token);
                self.out.push_str(text);
                self.previous = Some(token);
            }
            TokenKind::Semicolon | TokenKind::Comma if self.superfluous(raw, i) => {}
            TokenKind::LeftBrace => {
                if self.previous.is_none_or(|p| p.kind != TokenKind::Comment) {
                    self.newlines = 0;
                }
                self.write(token);
                self.level += 1;
                let comment = raw[i + 1].kind == TokenKind::Comment;
                self.newlines = usize::from(broken[i] && !comment);
                return skip_newlines(raw, i + 1);
            }
            TokenKind::RightBrace => {
                self.level = self.level.saturating_sub(1);
                self.newlines = usize::from(broken[i]);
                self.write(token);
            }
            TokenKind::LeftBracket if self.marked(token, Mark::Unit) => return self.unit(raw, i),
            _ => self.write(token),
        }
        i + 1
    }

    /// A separator that separates nothing: the line or the block ends with it, or it follows another.
    fn superfluous(&self, raw: &[Token], i: usize) -> bool {
        let comma = raw[i].kind == TokenKind::Comma;
        let passed = |kind: TokenKind| {
            matches!(kind, TokenKind::Newline | TokenKind::Comment) || (comma && kind == TokenKind::Semicolon)
        };
        let next = raw[i + 1..].iter().find(|t| !passed(t.kind));
        let before_brace = next.is_some_and(|t| t.kind == TokenKind::RightBrace);
        if comma {
            return before_brace;
        }
        let ends_line = matches!(
            raw[i + 1].kind,
            TokenKind::Newline | TokenKind::Comment | TokenKind::End | TokenKind::Semicolon
        );
        let begins_line = self.newlines > 0
            || self.previous.is_none_or(|p| matches!(p.kind, TokenKind::LeftBrace | TokenKind::Comma));
        before_brace || ends_line || begins_line
    }

    /// A unit with its text as it was written.
    fn unit(&mut self, raw: &[Token], i: usize) -> usize {
        let mut level = 0_usize;
        let mut last = i;
        for (j, token) in raw.iter().enumerate().skip(i) {
            match token.kind {
                TokenKind::LeftBracket => level += 1,
                TokenKind::RightBracket => level -= 1,
                _ => {}
            }
            last = j;
            if level == 0 {
                break;
            }
        }
        self.begin(raw[i]);
        let inner = &self.text[raw[i].end..raw[last].start];
        self.out.push('[');
        self.out.push_str(inner.trim());
        self.out.push(']');
        self.previous = Some(raw[last]);
        last + 1
    }

    fn write(&mut self, token: Token) {
        self.begin(token);
        self.out.push_str(self.slice(token));
        self.previous = Some(token);
    }

    /// Line breaks and indentation, or the space between two tokens.
    fn begin(&mut self, token: Token) {
        let Some(previous) = self.previous else {
            self.newlines = 0;
            return;
        };
        if self.newlines == 0 {
            let space = self.space(previous, token);
            self.out.push_str(space);
            return;
        }
        let beginning = self.marked(token, Mark::Beginning);
        let loose = beginning || token.kind == TokenKind::Comment;
        self.out.push('\n');
        if self.newlines > 1 && loose && previous.kind != TokenKind::LeftBrace {
            self.out.push('\n');
        }
        let flush = loose || matches!(token.kind, TokenKind::RightBrace | TokenKind::RightParen);
        let indent = self.level + usize::from(!flush);
        self.out.extend(std::iter::repeat_n("  ", indent));
        self.newlines = 0;
    }

    fn space(&self, previous: Token, token: Token) -> &'static str {
        use TokenKind::*;
        if token.kind == Comment {
            return "  ";
        }
        let none = match (previous.kind, token.kind) {
            (_, Comma | Semicolon | Colon | RightParen | RightBracket | Dot) => true,
            (LeftParen | LeftBracket | Dot | Caret, _) | (_, Caret) => true,
            (LeftBrace, RightBrace) => true,
            (Minus | Plus, _) if self.marked(previous, Mark::Sign) => true,
            (Arrow, LeftParen) => false,
            (_, LeftParen) => self.marked(token, Mark::Arguments),
            (_, LeftBracket) => !self.marked(token, Mark::Unit),
            _ => false,
        };
        if none { "" } else { " " }
    }
}

fn skip_newlines(raw: &[Token], from: usize) -> usize {
    from + raw[from..].iter().take_while(|t| t.kind == TokenKind::Newline).count()
}
