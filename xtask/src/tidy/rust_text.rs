//! Rust text with the insides of comments and literals blanked out, so that words found in it are code.
//!
//! Byte offsets and line breaks stay as they are. This is a scanner, not a parser: enough for text that compiles.

/// The text with every byte inside comments, strings and character literals replaced by a blank.
pub fn code_only(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out: Vec<u8> = bytes.to_vec();
    let mut at = 0;
    while at < bytes.len() {
        let (inner, next) = match bytes[at] {
            b'/' if bytes.get(at + 1) == Some(&b'/') => {
                let end = find(bytes, at, b"\n").unwrap_or(bytes.len());
                (at..end, end)
            }
            b'/' if bytes.get(at + 1) == Some(&b'*') => {
                let end = block_comment_end(bytes, at);
                (at..end, end)
            }
            b'"' => string(bytes, at),
            b'r' if !continues_word(bytes, at) => raw_string(bytes, at).unwrap_or((at..at, at + 1)),
            b'b' if bytes.get(at + 1) == Some(&b'r') && !continues_word(bytes, at) => {
                raw_string(bytes, at + 1).unwrap_or((at..at, at + 1))
            }
            b'\'' => character(text, at).unwrap_or((at..at, at + 1)),
            _ => (at..at, at + 1),
        };
        for byte in &mut out[inner] {
            if *byte != b'\n' {
                *byte = b' ';
            }
        }
        at = next;
    }
    String::from_utf8(out).unwrap_or_default()
}

/// Where `word` stands alone in `text`, not inside a longer identifier.
pub fn word_positions<'a>(text: &'a str, word: &'a str) -> impl Iterator<Item = usize> + 'a {
    text.match_indices(word).map(|(at, _)| at).filter(move |&at| {
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        !text[..at].chars().next_back().is_some_and(is_word)
            && !text[at + word.len()..].chars().next().is_some_and(is_word)
    })
}

/// The line of a byte offset, counted from 1.
pub fn line_of(text: &str, offset: usize) -> usize {
    text.as_bytes()[..offset].iter().filter(|b| **b == b'\n').count() + 1
}

/// One past the bracket that closes the one at `open`; the end of the text if none does.
pub fn closing(code: &str, open: usize) -> usize {
    let mut depth = 0_usize;
    for (i, byte) in code.bytes().enumerate().skip(open) {
        match byte {
            b'{' | b'(' | b'[' => depth += 1,
            b'}' | b')' | b']' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return i + 1;
                }
            }
            _ => {}
        }
    }
    code.len()
}

type Literal = (std::ops::Range<usize>, usize);

fn find(bytes: &[u8], from: usize, wanted: &[u8]) -> Option<usize> {
    bytes[from..].windows(wanted.len()).position(|w| w == wanted).map(|i| from + i)
}

fn continues_word(bytes: &[u8], at: usize) -> bool {
    at > 0 && (bytes[at - 1].is_ascii_alphanumeric() || bytes[at - 1] == b'_')
}

fn block_comment_end(bytes: &[u8], start: usize) -> usize {
    let mut depth = 0_usize;
    let mut at = start;
    while at + 1 < bytes.len() {
        match &bytes[at..at + 2] {
            b"/*" => (depth, at) = (depth + 1, at + 2),
            b"*/" => (depth, at) = (depth - 1, at + 2),
            _ => at += 1,
        }
        if depth == 0 {
            return at;
        }
    }
    bytes.len()
}

fn string(bytes: &[u8], quote: usize) -> Literal {
    let mut at = quote + 1;
    while at < bytes.len() && bytes[at] != b'"' {
        at += if bytes[at] == b'\\' { 2 } else { 1 };
    }
    let end = at.min(bytes.len());
    (quote + 1..end, (end + 1).min(bytes.len()))
}

fn raw_string(bytes: &[u8], r: usize) -> Option<Literal> {
    let hashes = bytes[r + 1..].iter().take_while(|b| **b == b'#').count();
    let quote = r + 1 + hashes;
    if bytes.get(quote) != Some(&b'"') {
        return None;
    }
    let mut closing = vec![b'"'];
    closing.resize(1 + hashes, b'#');
    let end = find(bytes, quote + 1, &closing).unwrap_or(bytes.len());
    Some((quote + 1..end, (end + closing.len()).min(bytes.len())))
}

/// A character literal; a lifetime is none.
fn character(text: &str, quote: usize) -> Option<Literal> {
    let rest = text.get(quote + 1..)?;
    let mut chars = rest.char_indices();
    let end = match chars.next()?.1 {
        '\\' => {
            chars.next()?;
            chars.find(|(_, c)| *c == '\'').map(|(i, _)| i)?
        }
        '\'' => return None,
        _ => chars.next().filter(|(_, c)| *c == '\'').map(|(i, _)| i)?,
    };
    Some((quote + 1..quote + 1 + end, quote + 2 + end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_and_comments_are_blanked() {
        let cases = [
            ("a // b\nc", "a     \nc"),
            ("a /* b /* c */ d */ e", "a                   e"),
            (r#"f("x \" y") g"#, r#"f("      ") g"#),
            (r##"r#"a "b" c"# d"##, r##"r#"       "# d"##),
            ("'x' '\\'' '\\u{41}' 'é' b", "' ' '  ' '      ' '  ' b"),
            ("fn f<'a>(x: &'a str) {}", "fn f<'a>(x: &'a str) {}"),
            ("var\"b\"", "var\" \""),
            ("br\"b\" br", "br\" \" br"),
            ("\"open", "\"    "),
            ("/* open", "       "),
        ];
        for (text, expected) in cases {
            assert_eq!(code_only(text), expected, "{text}");
        }
    }

    #[test]
    fn words_stand_alone() {
        let at: Vec<usize> = word_positions("unsafe_code unsafe un_unsafe (unsafe)", "unsafe").collect();
        assert_eq!(at, [12, 30]);
    }

    #[test]
    fn brackets_and_lines_are_counted() {
        assert_eq!(closing("{ ( ) [] } }", 0), 10);
        assert_eq!(closing("f { a { b } } c", 2), 13);
        assert_eq!(line_of("a\nb\nc", 4), 3);
    }
}
