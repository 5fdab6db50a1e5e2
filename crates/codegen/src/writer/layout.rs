//! Long expressions on several lines, and comments filled to the width.
//!
//! While an expression is put together, invisible marks are left where a line may end; each knows how deep in
//! parentheses it stands. A line ends at the shallowest mark of its second half, so that the outer structure
//! of an expression shows.

/// Marks with a blank begin here, marks without one [`SPAN`] later; the offset is the depth.
const FIRST: u32 = 0xE000;
const SPAN: u32 = 0x100;

/// A place where a line may end; otherwise a blank.
pub(crate) const BLANK: char = '\u{E000}';
/// A place where a line may end; otherwise nothing.
pub(crate) const SEAM: char = '\u{E100}';

/// The kind of mark, if it is one, and its depth.
fn mark(c: char) -> Option<(char, u32)> {
    let code = (c as u32).checked_sub(FIRST)?;
    match code / SPAN {
        0 => Some((BLANK, code)),
        1 => Some((SEAM, code - SPAN)),
        _ => None,
    }
}

/// The same text one level deeper.
pub(crate) fn deeper(text: &str) -> String {
    let shift = |c: char| match mark(c) {
        Some((kind, depth)) => char::from_u32(kind as u32 + (depth + 1).min(SPAN - 1)).unwrap_or(kind),
        None => c,
    };
    text.chars().map(shift).collect()
}

/// The text without line ends.
pub(crate) fn on_one_line(text: &str) -> String {
    let mut line = String::new();
    for c in text.chars() {
        match mark(c) {
            Some((BLANK, _)) => line.push(' '),
            Some(_) => {}
            None => line.push(c),
        }
    }
    line
}

/// Breaks the text into lines; the first may have `first` columns, the others `rest`.
pub(crate) fn broken(text: &str, first: usize, rest: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let mut left: Vec<char> = text.chars().collect();
    loop {
        let room = if lines.is_empty() { first } else { rest };
        let Some(end) = line_end(&left, room) else {
            lines.push(on_one_line(&left.iter().collect::<String>()));
            return lines;
        };
        lines.push(on_one_line(&left[..end].iter().collect::<String>()));
        left.drain(..=end);
    }
}

/// Where the first line ends, if the text is too long for one.
fn line_end(text: &[char], room: usize) -> Option<usize> {
    let mut column = 0;
    let mut best: Option<(u32, usize)> = None;
    let mut first_mark = None;
    for (i, c) in text.iter().enumerate() {
        if let Some((kind, depth)) = mark(*c) {
            if column > 0 && first_mark.is_none() {
                first_mark = Some(i);
            }
            if column <= room && column > 0 {
                let depth = if 2 * column < room { depth + SPAN } else { depth };
                if best.is_none_or(|(d, _)| depth <= d) {
                    best = Some((depth, i));
                }
            }
            column += usize::from(kind == BLANK);
        } else {
            column += 1;
        }
    }
    if column <= room { None } else { best.map(|(_, i)| i).or(first_mark) }
}

/// The text on one line, fit for a comment of any language: no control characters, no marks of writing
/// direction, no backslash at the end (it would continue a C comment) or its trigraph.
pub(crate) fn plain(text: &str) -> String {
    let harmless = |c: char| {
        let turns = matches!(c, '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}' | '\u{200E}' | '\u{200F}');
        !c.is_control() && !turns && mark(c).is_none()
    };
    let text: String = text.chars().map(|c| if harmless(c) { c } else { ' ' }).collect();
    let mut text = text.split_whitespace().collect::<Vec<_>>().join(" ").replace("??/", "?/");
    if text.ends_with('\\') {
        text.push('.');
    }
    text
}

/// Words filled into lines of at most `width` columns; line ends in the text are kept.
pub(crate) fn filled(text: &str, width: usize) -> Vec<String> {
    let mut lines = Vec::new();
    for paragraph in text.lines() {
        let mut line = String::new();
        for word in paragraph.split_whitespace() {
            if !line.is_empty() && line.chars().count() + 1 + word.chars().count() > width {
                lines.push(std::mem::take(&mut line));
            }
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
        lines.push(line);
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sum(terms: &[&str]) -> String {
        terms.join(&format!("{BLANK}+ "))
    }

    #[test]
    fn lines_end_where_the_structure_does() {
        let inner = deeper(&sum(&["bbbbbbbb", "cccccccc"]));
        let text = sum(&["aaaaaaaaaaaa", &format!("({inner})"), "d"]);
        assert_eq!(on_one_line(&text), "aaaaaaaaaaaa + (bbbbbbbb + cccccccc) + d");
        assert_eq!(broken(&text, 36, 30), ["aaaaaaaaaaaa + (bbbbbbbb + cccccccc)", "+ d"]);
        assert_eq!(broken(&text, 24, 40), ["aaaaaaaaaaaa", "+ (bbbbbbbb + cccccccc) + d"]);
        assert_eq!(broken(&text, 99, 9), [on_one_line(&text)]);
    }

    #[test]
    fn what_cannot_be_broken_stays_whole() {
        assert_eq!(broken("abcdefgh", 3, 3), ["abcdefgh"]);
        assert_eq!(broken(&sum(&["abcdefgh", "i"]), 3, 3), ["abcdefgh", "+ i"]);
    }

    #[test]
    fn comments_are_harmless() {
        assert_eq!(plain("a\r\nb\u{202E}c \u{E001} ??/ \\"), "a b c ?/ \\.");
    }

    #[test]
    fn words_are_filled() {
        assert_eq!(filled("one two three\nfour", 7), ["one two", "three", "four"]);
    }
}
