//! The parser's hands: a cursor over the tokens, diagnostics, recovery and limits.
//!
//! After the first complaint about a statement the parser stays silent until it has skipped to the
//! next one, so one slip gives one diagnostic. Every loop consumes tokens or stops; nothing is read
//! twice; nesting is bounded. Hence linear time and a bounded stack on any text.

pub(crate) mod suggestions;

use cardan_base::{Diagnostic, Diagnostics, FileId, Span};

use crate::codes;
use crate::expression::{Name, Text, UnitText};
use crate::layout;
use crate::token::{Token, TokenKind, tokens};
use crate::words;

mod actions;
mod attached;
mod declarations;
mod expressions;
mod statements;
mod tables;

/// Brackets and operators may be nested this deeply.
pub(crate) const EXPRESSION_DEPTH: usize = 200;
/// Blocks may be nested this deeply.
pub(crate) const BLOCK_DEPTH: usize = 64;

/// What the formatter wants to know about a token, by its first byte.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Mark {
    /// A statement or a row of a table begins here.
    Beginning,
    /// A sign, not an operator.
    Sign,
    /// The bracket of a list of arguments.
    Arguments,
    /// The bracket of a unit.
    Unit,
}

pub(crate) struct Parser<'a> {
    file: FileId,
    text: &'a str,
    tokens: Vec<Token>,
    /// Per token whether it is a brace that is closed before the text ends.
    is_closed: Vec<bool>,
    position: usize,
    depth: usize,
    blocks: usize,
    silent: bool,
    pub(crate) diagnostics: Diagnostics,
    pub(crate) marks: Vec<(usize, Mark)>,
}

/// Per token whether it is an opening brace with a closing one.
fn closed_braces(tokens: &[Token]) -> Vec<bool> {
    let (mut closed, mut open) = (vec![false; tokens.len()], vec![]);
    for (k, token) in tokens.iter().enumerate() {
        match token.kind {
            TokenKind::LeftBrace => open.push(k),
            TokenKind::RightBrace => open.pop().into_iter().for_each(|k| closed[k] = true),
            _ => {}
        }
    }
    closed
}

impl<'a> Parser<'a> {
    pub(crate) fn new(file: FileId, text: &'a str) -> Self {
        let tokens = layout::significant(text, &tokens(text));
        Parser {
            file,
            text,
            is_closed: closed_braces(&tokens),
            tokens,
            position: 0,
            depth: 0,
            blocks: 0,
            silent: false,
            diagnostics: Diagnostics::new(),
            marks: Vec::new(),
        }
    }

    // The cursor.

    /// The token `ahead` of the cursor; the last token, of kind `End`, is never passed.
    fn token(&self, ahead: usize) -> Token {
        let last = self.tokens.len() - 1;
        self.tokens[(self.position + ahead).min(last)]
    }
    fn kind(&self) -> TokenKind {
        self.token(0).kind
    }
    fn at(&self, kind: TokenKind) -> bool {
        self.kind() == kind
    }
    fn bump(&mut self) -> Token {
        let token = self.token(0);
        if token.kind != TokenKind::End {
            self.position += 1;
        }
        token
    }
    fn eat(&mut self, kind: TokenKind) -> bool {
        let found = self.at(kind);
        if found {
            self.bump();
        }
        found
    }
    fn slice(&self, token: Token) -> &'a str {
        &self.text[token.start..token.end]
    }
    fn word(&self, ahead: usize) -> Option<&'a str> {
        let token = self.token(ahead);
        (token.kind == TokenKind::Word).then(|| self.slice(token))
    }
    fn at_word(&self, word: &str) -> bool {
        self.word(0) == Some(word)
    }
    fn eat_word(&mut self, word: &str) -> bool {
        let found = self.at_word(word);
        if found {
            self.bump();
        }
        found
    }
    /// Whether a token that cannot be part of the statement is next.
    fn at_end(&self) -> bool {
        matches!(
            self.kind(),
            TokenKind::Newline | TokenKind::Semicolon | TokenKind::RightBrace | TokenKind::End
        )
    }
    fn previous(&self) -> Option<Token> {
        self.position.checked_sub(1).map(|i| self.tokens[i])
    }
    fn before_previous(&self) -> Option<Token> {
        self.position.checked_sub(2).map(|i| self.tokens[i])
    }
    /// Whether the next token touches the one before it.
    fn touches(&self) -> bool {
        self.previous().is_some_and(|t| t.end == self.token(0).start)
    }
    fn mark(&mut self, mark: Mark) {
        self.marks.push((self.token(0).start, mark));
    }

    // Places.

    fn span(&self, start: usize, end: usize) -> Span {
        Span::new(self.file, start, end)
    }
    fn span_of(&self, token: Token) -> Span {
        self.span(token.start, token.end)
    }
    /// From `start` to the end of the token before the cursor, separators left out.
    fn span_from(&self, start: usize) -> Span {
        let separator = |t: &&Token| matches!(t.kind, TokenKind::Newline | TokenKind::Semicolon);
        let last = self.tokens[..self.position].iter().rev().find(|t| !separator(t));
        self.span(start, last.map_or(start, |t| t.end))
    }
    /// What is written at a place.
    fn written(&self, span: Span) -> &'a str {
        self.text.get(span.range()).unwrap_or("")
    }
    /// The next token, or the place after the last one if the line ends there.
    fn here(&self) -> Span {
        let token = self.token(0);
        match self.previous() {
            Some(last) if matches!(token.kind, TokenKind::Newline | TokenKind::End) => {
                self.span(last.end, last.end)
            }
            _ => self.span_of(token),
        }
    }
    /// The next token in words.
    fn found(&self) -> String {
        match self.kind() {
            TokenKind::Newline => "the end of the line".into(),
            TokenKind::End => "the end of the text".into(),
            _ => format!("`{}`", self.slice(self.token(0))),
        }
    }

    // Complaints.

    /// Reports and goes on: the statement is still understood.
    fn report(&mut self, diagnostic: Diagnostic) {
        if !self.silent {
            self.diagnostics.push(diagnostic);
        }
    }
    /// Reports and gives the statement up.
    fn give_up(&mut self, diagnostic: Diagnostic) {
        self.report(diagnostic);
        self.silent = true;
    }
    /// Gives the statement up because `what` is not next.
    fn missing_sign(&mut self, what: &str, hint: impl Into<String>) {
        if self.complain_about_token() {
            return;
        }
        let message = format!("{what} is missing before {}", self.found());
        let diagnostic =
            Diagnostic::error(codes::MISSING_SIGN, message).at(self.here(), format!("expected {what}"));
        self.give_up(diagnostic.hint(hint));
    }
    fn expect(&mut self, kind: TokenKind, what: &str, hint: &str) -> bool {
        let found = self.eat(kind);
        if !found {
            self.missing_sign(what, hint);
        }
        found
    }
    /// Closes the bracket that `open` opened.
    fn close(&mut self, open: Token, kind: TokenKind) -> bool {
        if self.eat(kind) {
            return true;
        }
        if self.complain_about_token() {
            return false;
        }
        let (left, right) = match kind {
            TokenKind::RightParen => ("(", ")"),
            TokenKind::RightBracket => ("[", "]"),
            _ => ("{", "}"),
        };
        let message = format!("this `{left}` is not closed");
        let diagnostic = Diagnostic::error(codes::OPEN_BRACKET, message)
            .at(self.span_of(open), "opened here")
            .also(self.here(), format!("`{right}` expected before {}", self.found()));
        let meant = self.meant_by_open_bracket(open.start).map(str::to_owned);
        self.give_up(diagnostic.hint(meant.unwrap_or(format!("add `{right}`"))));
        false
    }
    /// The help where a comma stands for the decimal point: `1,5`.
    fn decimal_comma(&self) -> Option<String> {
        let [whole, comma] = self.tokens.get(self.position.checked_sub(2)?..self.position)? else {
            return None;
        };
        let fraction = self.token(0);
        let numbers = [whole.kind, fraction.kind] == [TokenKind::Number; 2] && comma.kind == TokenKind::Comma;
        let joined = whole.end == comma.start && comma.end == fraction.start;
        let text = (self.slice(*whole), self.slice(fraction));
        (numbers && joined).then(|| format!("a point separates decimals: `{}.{}`", text.0, text.1))
    }
    /// Complains about a next token that fits nowhere, so that the real cause is named first.
    fn complain_about_token(&mut self) -> bool {
        let token = self.token(0);
        let place = self.span_of(token);
        let diagnostic = match token.kind {
            TokenKind::Unknown => Diagnostic::error(
                codes::CHARACTER,
                format!("the character `{}` has no meaning here", self.slice(token)),
            )
            .at(place, "not part of the language")
            .hint(self.meant_by_character()),
            TokenKind::OpenText => {
                Diagnostic::error(codes::OPEN_TEXT, "this string is not closed on its line")
                    .at(place, "no closing quote")
                    .hint("add `\"` at its end")
            }
            TokenKind::Ellipsis => Diagnostic::error(codes::ELLIPSIS, "something is not written yet")
                .at(place, "dots stand for what is left out")
                .hint("write it out, or remove the dots"),
            _ => return false,
        };
        self.give_up(diagnostic);
        true
    }

    // Recovery and limits.

    /// Skips to the end of the statement, over whole blocks.
    fn skip_statement(&mut self) {
        let mut open = 0_usize;
        loop {
            match self.kind() {
                TokenKind::End => break,
                TokenKind::Newline | TokenKind::Semicolon | TokenKind::RightBrace if open == 0 => break,
                TokenKind::LeftBrace => open += 1,
                TokenKind::RightBrace => open -= 1,
                _ => {}
            }
            self.bump();
        }
    }
    /// Skips to the brace that closes the block around the cursor, over whole blocks, after a complaint.
    fn skip_block(&mut self) {
        let mut open = 0_usize;
        loop {
            match self.kind() {
                TokenKind::End => break,
                TokenKind::RightBrace if open == 0 => {
                    self.bump();
                    break;
                }
                TokenKind::LeftBrace => open += 1,
                TokenKind::RightBrace => open -= 1,
                _ => {}
            }
            self.bump();
        }
    }
    /// Runs `read` one level deeper, or gives up if that is too deep.
    fn deeper<T>(&mut self, read: impl FnOnce(&mut Self) -> T) -> Option<T> {
        if self.depth > EXPRESSION_DEPTH {
            let message = format!("this expression is nested more than {EXPRESSION_DEPTH} levels deep");
            let diagnostic = Diagnostic::error(codes::DEPTH, message).at(self.here(), "too deep");
            self.give_up(diagnostic.hint("name a part with `variable part = ...` and use the name"));
            return None;
        }
        self.depth += 1;
        let result = read(self);
        self.depth -= 1;
        Some(result)
    }

    // Small parts.

    fn name(&mut self, what: &str, example: &str) -> Option<Name> {
        let token = self.token(0);
        if token.kind != TokenKind::Word {
            if !self.complain_about_token() {
                let message = format!("the name of {what} is missing before {}", self.found());
                let diagnostic = Diagnostic::error(codes::MISSING_NAME, message)
                    .at(self.here(), "a name is expected here");
                let hint = self.decimal_comma().unwrap_or(format!("write `{example}`"));
                self.give_up(diagnostic.hint(hint));
            }
            return None;
        }
        let text = self.slice(token);
        if words::is_reserved(text) {
            let because = format!("`{text}` joins parts of a statement and can name nothing");
            let used_as_name = matches!(
                self.token(1).kind,
                TokenKind::Equals | TokenKind::LeftBracket | TokenKind::Comma | TokenKind::Colon
            );
            if used_as_name {
                let diagnostic = Diagnostic::error(codes::NAME, format!("{what} cannot be called `{text}`"))
                    .at(self.span_of(token), "a word that the language keeps for itself")
                    .because(because);
                self.give_up(diagnostic.hint(format!("write another name, for example `{text}_`")));
                return None;
            }
            let message = format!("the name of {what} is missing before the word `{text}`");
            let diagnostic = Diagnostic::error(codes::MISSING_NAME, message)
                .at(self.span_of(token), "a name is expected here")
                .because(because);
            self.give_up(diagnostic.hint(format!("write `{example}`")));
            return None;
        }
        self.bump();
        Some(self.checked_name(token))
    }
    /// The name that `token` spells; complains about letters that generated code cannot carry.
    fn checked_name(&mut self, token: Token) -> Name {
        let text = self.slice(token);
        let span = self.span_of(token);
        if !text.is_ascii() {
            let message = format!("the name `{text}` has letters outside a to z");
            let diagnostic = Diagnostic::error(codes::NAME, message)
                .at(span, "use a to z, A to Z, 0 to 9 and _")
                .because("names travel into generated programs, which know no other letters");
            self.report(diagnostic.hint(suggestions::spelled_out(text)));
        }
        Name::new(text, span)
    }
    /// A name that is being declared: `wheel`, `rod[k]`, or a path of a flat text, `leg[2].tube`.
    fn declared(&mut self, what: &str, example: &str) -> Option<Name> {
        let mut name = self.name(what, example)?;
        let start = name.span.start as usize;
        loop {
            if self.at(TokenKind::LeftBracket) && self.touches() {
                let open = self.bump();
                name.index = self.list(|p| Some(p.expression()));
                self.close(open, TokenKind::RightBracket);
                name.span = self.span_from(start);
            }
            if self.silent || !self.at(TokenKind::Dot) || self.token(1).kind != TokenKind::Word {
                return Some(name);
            }
            self.bump();
            let token = self.bump();
            let part = self.checked_name(token);
            let index: Vec<String> = name.index.drain(..).map(|e| e.to_string()).collect();
            let index = if index.is_empty() { String::new() } else { format!("[{}]", index.join(",")) };
            name.text = format!("{}{index}.{part}", name.text);
            name.span = self.span_from(start);
        }
    }
    /// Whether a declared name and `=` are next.
    fn at_named(&self) -> bool {
        let mut ahead = 0;
        loop {
            if self.token(ahead).kind != TokenKind::Word {
                return false;
            }
            ahead += 1;
            if self.token(ahead).kind == TokenKind::LeftBracket {
                ahead += 1;
                while self.token(ahead).kind != TokenKind::RightBracket {
                    let stops = [TokenKind::End, TokenKind::Newline, TokenKind::Equals, TokenKind::LeftBrace];
                    if stops.contains(&self.token(ahead).kind) {
                        return false;
                    }
                    ahead += 1;
                }
                ahead += 1;
            }
            match self.token(ahead).kind {
                TokenKind::Equals => return true,
                TokenKind::Dot => ahead += 1,
                _ => return false,
            }
        }
    }
    fn description(&mut self) -> Option<Text> {
        self.at(TokenKind::Text).then(|| self.text_literal())
    }
    fn text_literal(&mut self) -> Text {
        let token = self.bump();
        let inner = self.text.get(token.start + 1..token.end - 1).unwrap_or("");
        let mut text = String::with_capacity(inner.len());
        let mut characters = inner.chars();
        while let Some(c) = characters.next() {
            match c {
                '\\' => text.extend(characters.next()),
                c => text.push(c),
            }
        }
        Text { text, span: self.span_of(token) }
    }
    /// Reads a description if one is next; there may be only one.
    fn second_description(&mut self, first: Option<Text>) -> Option<Text> {
        let second = self.description();
        if let (Some(first), Some(second)) = (&first, &second) {
            let diagnostic = Diagnostic::error(codes::TWICE, "this is described twice")
                .at(second.span, "second description")
                .also(first.span, "first description");
            self.report(diagnostic.hint("remove one of the two strings"));
        }
        first.or(second)
    }
    /// A unit in brackets, if one is next.
    fn unit(&mut self) -> Option<UnitText> {
        if !self.at(TokenKind::LeftBracket) {
            return None;
        }
        self.mark(Mark::Unit);
        let open = self.bump();
        let mut level = 0_usize;
        loop {
            match self.kind() {
                TokenKind::RightBracket if level == 0 => break,
                TokenKind::RightBracket => level -= 1,
                TokenKind::LeftBracket => level += 1,
                TokenKind::LeftBrace | TokenKind::OpenText => {
                    self.close(open, TokenKind::RightBracket);
                    return None;
                }
                _ if self.at_end() => {
                    self.close(open, TokenKind::RightBracket);
                    return None;
                }
                _ => {}
            }
            self.bump();
        }
        let close = self.bump();
        let inner = &self.text[open.end..close.start];
        let text = inner.trim();
        let start = open.end + (inner.len() - inner.trim_start().len());
        if text.is_empty() {
            let diagnostic = Diagnostic::error(codes::UNIT, "this unit is empty")
                .at(self.span(open.start, close.end), "a unit is expected between the brackets");
            self.report(
                diagnostic.hint("write `[1]` for a number without dimension, or remove the brackets"),
            );
        }
        Some(UnitText { text: text.to_string(), span: self.span(start, start + text.len()) })
    }
    /// Reads a unit if one is next; there may be only one.
    fn second_unit(&mut self, first: Option<UnitText>) -> Option<UnitText> {
        let second = self.unit();
        if let (Some(first), Some(second)) = (&first, &second) {
            let diagnostic = Diagnostic::error(codes::TWICE, "this has two units")
                .at(second.span, "second unit")
                .also(first.span, "first unit");
            self.report(diagnostic.hint("remove one of the two units"));
        }
        first.or(second)
    }
    /// One or more of something, with commas between them.
    fn list<T>(&mut self, mut read: impl FnMut(&mut Self) -> Option<T>) -> Vec<T> {
        let mut items = Vec::new();
        loop {
            items.extend(read(self));
            if self.silent || !self.eat(TokenKind::Comma) {
                return items;
            }
        }
    }
}
