//! Characters to tokens. Every byte of the text belongs to a token or to white space, and reading
//! never fails: what the language does not use becomes a token that the parser complains about,
//! unless it stands inside a unit, where every character is allowed.

use logos::Logos;

/// The kinds of tokens.
#[derive(Logos, Clone, Copy, PartialEq, Eq, Debug)]
#[logos(skip(r"[ \t\r\u{feff}\u{a0}]+"))]
pub(crate) enum TokenKind {
    #[token("\n")]
    Newline,
    #[regex(r"#[^\n]*", allow_greedy = true)]
    Comment,
    #[regex(r"[\p{L}_][\p{L}\p{M}0-9_]*")]
    Word,
    #[regex(r"[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?")]
    #[regex(r"\.[0-9]+([eE][+-]?[0-9]+)?")]
    Number,
    #[regex(r#""([^"\\\n]|\\[^\n])*""#)]
    Text,
    #[regex(r#""([^"\\\n]|\\[^\n])*\\?"#)]
    OpenText,
    #[token("(")]
    LeftParen,
    #[token(")")]
    RightParen,
    #[token("[")]
    LeftBracket,
    #[token("]")]
    RightBracket,
    #[token("{")]
    LeftBrace,
    #[token("}")]
    RightBrace,
    #[token(",")]
    Comma,
    #[token(";")]
    Semicolon,
    #[token(":")]
    Colon,
    #[token(":=")]
    ColonEquals,
    #[token("=")]
    Equals,
    #[token("~")]
    Tilde,
    #[token("==")]
    EqualsEquals,
    #[token("!=")]
    NotEquals,
    #[token("<")]
    Less,
    #[token("<=")]
    LessEquals,
    #[token(">")]
    Greater,
    #[token(">=")]
    GreaterEquals,
    #[token("+")]
    Plus,
    #[token("-")]
    Minus,
    #[token("*")]
    Star,
    #[token("/")]
    Slash,
    #[token("^")]
    Caret,
    #[token(".")]
    Dot,
    #[token("..")]
    DotDot,
    #[token("...")]
    #[token("…")]
    Ellipsis,
    #[token("->")]
    Arrow,
    Unknown,
    End,
}

/// A kind and the bytes that it covers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Token {
    pub kind: TokenKind,
    pub start: usize,
    pub end: usize,
}

/// All tokens of the text, comments and newlines included, closed by one of kind `End`.
pub(crate) fn tokens(text: &str) -> Vec<Token> {
    let mut tokens: Vec<Token> = TokenKind::lexer(text)
        .spanned()
        .map(|(kind, range)| Token {
            kind: kind.unwrap_or(TokenKind::Unknown),
            start: range.start,
            end: range.end,
        })
        .collect();
    tokens.push(Token { kind: TokenKind::End, start: text.len(), end: text.len() });
    tokens
}

#[cfg(test)]
mod tests {
    use super::TokenKind::*;
    use super::*;

    fn kinds(text: &str) -> Vec<TokenKind> {
        tokens(text).iter().map(|t| t.kind).collect()
    }

    #[test]
    fn numbers_leave_ranges_alone() {
        assert_eq!(kinds("0..10"), [Number, DotDot, Number, End]);
        assert_eq!(kinds("1.5e-3 .5 2E6"), [Number, Number, Number, End]);
        assert_eq!(kinds("2.x"), [Number, Dot, Word, End]);
    }

    #[test]
    fn strings_end_with_their_line() {
        assert_eq!(kinds("\"a \\\" b\" \"c\n\"d\\"), [Text, OpenText, Newline, OpenText, End]);
    }

    #[test]
    fn what_is_not_known_is_still_a_token() {
        let text = "a @ °b #c° \n…";
        assert_eq!(kinds(text), [Word, Unknown, Unknown, Word, Comment, Newline, Ellipsis, End]);
        let all = tokens(text);
        assert!(all.windows(2).all(|pair| pair[0].end <= pair[1].start));
        assert!(all.iter().all(|t| text.get(t.start..t.end).is_some()));
    }
}
