//! Which newlines end a statement.
//!
//! A newline is ignored inside `( )` and `[ ]`, after a sign or word that cannot end a statement, and
//! before one that cannot begin one. A minus sign at the beginning of a line is not such a sign: it
//! may begin the next row of a table.
//!
//! A slip must not swallow what follows it. A newline counts always if the next line begins with a
//! statement word and a name, or with a name and `=` outside a list. And if a brace, a semicolon, such a line or the end comes before a
//! bracket is closed, the newlines after the bracket count again.

use crate::token::{Token, TokenKind};
use crate::words;

/// The tokens without comments, and of the newlines only those that end a statement.
pub(crate) fn significant(text: &str, raw: &[Token]) -> Vec<Token> {
    let following = following(raw);
    let inside = inside_brackets(text, raw, &following);
    let mut kept: Vec<Token> = Vec::with_capacity(raw.len());
    for (i, token) in raw.iter().enumerate() {
        match token.kind {
            TokenKind::Comment => {}
            TokenKind::Newline => {
                let repeated = kept.last().is_none_or(|t| t.kind == TokenKind::Newline);
                let listed = inside[i] || kept.last().is_some_and(|t| t.kind == TokenKind::Comma);
                let new = begins_statement(text, raw, &following, following[i])
                    || (!listed && begins_setting(raw, &following, following[i]));
                let joined =
                    inside[i] || cannot_end(text, &kept) || cannot_begin(text, raw, &following, following[i]);
                if !repeated && (new || !joined) {
                    kept.push(*token);
                }
            }
            _ => kept.push(*token),
        }
    }
    kept
}

/// For each token the index of the next one that is neither a newline nor a comment.
fn following(raw: &[Token]) -> Vec<usize> {
    let mut next = raw.len().saturating_sub(1);
    let mut following = vec![next; raw.len()];
    for (i, token) in raw.iter().enumerate().rev() {
        following[i] = next;
        if !matches!(token.kind, TokenKind::Newline | TokenKind::Comment) {
            next = i;
        }
    }
    following
}

fn inside_brackets(text: &str, raw: &[Token], following: &[usize]) -> Vec<bool> {
    let mut inside = vec![false; raw.len()];
    let mut swallowed: Vec<usize> = Vec::new();
    let mut open = 0_usize;
    for (i, token) in raw.iter().enumerate() {
        let unclosed = match token.kind {
            TokenKind::LeftParen | TokenKind::LeftBracket => {
                open += 1;
                false
            }
            TokenKind::RightParen | TokenKind::RightBracket => {
                open = open.saturating_sub(1);
                if open == 0 {
                    swallowed.clear();
                }
                false
            }
            TokenKind::Newline if open > 0 => {
                inside[i] = true;
                swallowed.push(i);
                begins_statement(text, raw, following, following[i])
            }
            TokenKind::LeftBrace | TokenKind::RightBrace | TokenKind::Semicolon | TokenKind::End => true,
            _ => false,
        };
        if unclosed {
            for newline in swallowed.drain(..) {
                inside[newline] = false;
            }
            open = 0;
        }
    }
    inside
}

/// Whether a statement word followed by a name stands at `i`, as it never does in an expression.
fn begins_statement(text: &str, raw: &[Token], following: &[usize], i: usize) -> bool {
    let second = raw[following[i]];
    raw[i].kind == TokenKind::Word
        && words::STATEMENTS.contains(&&text[raw[i].start..raw[i].end])
        && second.kind == TokenKind::Word
        && !words::is_reserved(&text[second.start..second.end])
}

/// Whether `name =`, `name :=` or `name ~` stands at `i`, as it does in an expression only as a named argument.
fn begins_setting(raw: &[Token], following: &[usize], i: usize) -> bool {
    raw[i].kind == TokenKind::Word
        && matches!(raw[following[i]].kind, TokenKind::Equals | TokenKind::ColonEquals | TokenKind::Tilde)
}

/// Whether the last token kept calls for another one.
fn cannot_end(text: &str, kept: &[Token]) -> bool {
    use TokenKind::*;
    let Some(last) = kept.last() else { return true };
    match last.kind {
        Plus | Minus | Star | Slash | Caret => true,
        Less | LessEquals | Greater | GreaterEquals | EqualsEquals | NotEquals => true,
        Equals | ColonEquals | Tilde | Arrow | Colon | Comma | DotDot | LeftBrace => true,
        Word => {
            let after_dot = kept.len() >= 2 && kept[kept.len() - 2].kind == Dot;
            !after_dot && words::is_reserved(&text[last.start..last.end])
        }
        _ => false,
    }
}

/// Whether the token at `i` continues the line before it.
fn cannot_begin(text: &str, raw: &[Token], following: &[usize], i: usize) -> bool {
    use TokenKind::*;
    match raw[i].kind {
        Plus | Star | Slash | Caret | Equals | Tilde | DotDot | LeftBrace => true,
        Less | LessEquals | Greater | GreaterEquals | EqualsEquals | NotEquals => true,
        // A value that begins with `if` follows a sign that cannot end a line; otherwise `if` begins a statement.
        Word if &text[raw[i].start..raw[i].end] == "if" => false,
        Word if words::is_reserved(&text[raw[i].start..raw[i].end]) => {
            !matches!(raw[following[i]].kind, Equals | ColonEquals | Tilde | Arrow | Colon | Comma | Dot)
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::token::tokens;

    /// The statements of `text`, each with single spaces between its tokens.
    fn lines(text: &str) -> Vec<String> {
        let kept = significant(text, &tokens(text));
        kept.split(|t| t.kind == TokenKind::Newline)
            .map(|line| line.iter().map(|t| &text[t.start..t.end]).collect::<Vec<_>>().join(" "))
            .map(|line| line.trim().to_string())
            .filter(|line| !line.is_empty())
            .collect()
    }

    #[test]
    fn a_newline_ends_a_statement() {
        assert_eq!(lines("a = 1\n\n# note\nb = 2 # more\n"), ["a = 1", "b = 2"]);
    }

    #[test]
    fn operators_and_brackets_continue_a_line() {
        assert_eq!(lines("a = 1 +\n 2\n * 3\nb = (1\n, 2)"), ["a = 1 + 2 * 3", "b = ( 1 , 2 )"]);
        assert_eq!(lines("a =\n if b\n then c\n else d"), ["a = if b then c else d"]);
        assert_eq!(lines("body A on B\n by pin(z)\n at C\n{\n}"), ["body A on B by pin ( z ) at C { }"]);
    }

    #[test]
    fn an_if_begins_a_line_unless_a_value_is_missing() {
        assert_eq!(
            lines("a := 1\nif b { c := 2 }\nelse { c := 3 }"),
            ["a := 1", "if b { c := 2 } else { c := 3 }"]
        );
        assert_eq!(lines("a = 1 +\nif b then c else\nif d then e else f").len(), 1);
    }

    #[test]
    fn a_minus_begins_a_line() {
        assert_eq!(lines("-1: 2\n-2: 3"), ["- 1 : 2", "- 2 : 3"]);
    }

    #[test]
    fn a_setting_may_be_called_at() {
        assert_eq!(lines("a = 1\nat = 2"), ["a = 1", "at = 2"]);
        assert_eq!(lines("a = B.in\nb = 2"), ["a = B . in", "b = 2"]);
    }

    #[test]
    fn an_open_bracket_stops_at_the_next_statement() {
        assert_eq!(lines("a = (1\nb = 2\n"), ["a = ( 1", "b = 2"]);
        assert_eq!(lines("a = 1 +\nparameter b = 2\n"), ["a = 1 +", "parameter b = 2"]);
        assert_eq!(lines("a =\nb = 2\n"), ["a =", "b = 2"]);
        assert_eq!(lines("parameter a,\nb = f(\nc = 2)"), ["parameter a , b = f ( c = 2 )"]);
        assert_eq!(lines("a = (1\nparameter b = (2\n)"), ["a = ( 1", "parameter b = ( 2 )"]);
    }
}
