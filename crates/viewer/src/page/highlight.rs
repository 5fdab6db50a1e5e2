//! Model text with line numbers and light colouring.
//!
//! Comments run from `#` to the end of the line, strings are quoted, units stand in brackets after a number or after `in`, numbers
//! and keywords are words. This is colouring, not parsing: a text that does not parse is shown just as well.

use cardan_syntax::words::{ELEMENTS, EXPERIMENTS, RESERVED, STATEMENTS};

use crate::page::markup::escape;

/// Whether a word opens or structures statements. `strict` opens `strict units`, and `stop` ends a run.
fn is_keyword(word: &str) -> bool {
    let plain = [RESERVED, STATEMENTS, EXPERIMENTS, &["stop", "units"]];
    plain.iter().any(|words| words.contains(&word)) || ELEMENTS.iter().any(|(kind, _)| *kind == word)
}

/// HTML: one `<li>` per line, with `id="L<n>"`, tokens in `<span class="k|c|s|n|u">` (keyword, comment, string,
/// number, unit).
pub fn highlight(text: &str) -> String {
    text.lines()
        .enumerate()
        .map(|(k, line)| format!("<li id=\"L{}\">{}</li>\n", k + 1, highlight_line(line)))
        .collect()
}

fn highlight_line(line: &str) -> String {
    let mut out = String::new();
    let mut rest = line;
    let mut after_number = false;
    while let Some(first) = rest.chars().next() {
        let (class, length) = token(rest, first, after_number);
        let (word, tail) = rest.split_at(length);
        match class {
            Some(class) => out.push_str(&format!("<span class=\"{class}\">{}</span>", escape(word))),
            None => out.push_str(&escape(word)),
        }
        let before_unit = class == Some("n") || matches!(word, ")" | "in");
        after_number = before_unit || (after_number && word.trim().is_empty());
        rest = tail;
    }
    out
}

/// Class and length in bytes of the token at the start of `rest`.
fn token(rest: &str, first: char, after_number: bool) -> (Option<&'static str>, usize) {
    let run = |test: fn(char) -> bool| rest.find(|c| !test(c)).unwrap_or(rest.len());
    match first {
        '#' => (Some("c"), rest.len()),
        '"' => (Some("s"), rest[1..].find('"').map_or(rest.len(), |end| end + 2)),
        '[' if after_number => (Some("u"), rest.find(']').map_or(rest.len(), |end| end + 1)),
        '0'..='9' => (Some("n"), number_length(rest)),
        c if c.is_alphabetic() || c == '_' => {
            let length = run(|c| c.is_alphanumeric() || c == '_');
            (is_keyword(&rest[..length]).then_some("k"), length)
        }
        c if c.is_whitespace() => (None, run(char::is_whitespace)),
        c => (None, c.len_utf8()),
    }
}

/// Length of a decimal number: digits, fraction, exponent.
fn number_length(text: &str) -> usize {
    let bytes = text.as_bytes();
    let digits = |mut i: usize| {
        while bytes.get(i).is_some_and(u8::is_ascii_digit) {
            i += 1;
        }
        i
    };
    let mut end = digits(0);
    if bytes.get(end) == Some(&b'.') && bytes.get(end + 1).is_some_and(u8::is_ascii_digit) {
        end = digits(end + 1);
    }
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
        let exponent = digits(end + 1 + sign);
        if exponent > end + 1 + sign {
            end = exponent;
        }
    }
    end
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_coloured() {
        let html = highlight_line(r#"body K1 on N { mass = 2.5e-3 [kg] } # "a <b>""#);
        assert_eq!(
            html,
            "<span class=\"k\">body</span> K1 <span class=\"k\">on</span> N { mass = \
             <span class=\"n\">2.5e-3</span> <span class=\"u\">[kg]</span> } \
             <span class=\"c\"># &quot;a &lt;b&gt;&quot;</span>"
        );
    }

    /// A word of each kind that opens or structures a statement, and the unit of something shown.
    #[test]
    fn the_words_of_the_language_are_coloured() {
        for word in ["between", "overwrite", "modes", "bushing", "stop"] {
            assert_eq!(highlight_line(word), format!("<span class=\"k\">{word}</span>"));
        }
        assert_eq!(highlight_line("stopper"), "stopper");
        let html = highlight_line("show phi in [deg]");
        assert_eq!(
            html,
            "<span class=\"k\">show</span> phi <span class=\"k\">in</span> <span class=\"u\">[deg]</span>"
        );
    }

    #[test]
    fn lines_are_numbered_and_nothing_is_lost() {
        let text = "model x \"open string\n\n  2..3 é 1e [3] </script>";
        let html = highlight(text);
        assert_eq!(html.matches("<li ").count(), 3);
        assert!(html.contains("id=\"L3\"") && !html.contains("</script>"));
        let mut plain = String::new();
        let mut inside = false;
        for c in html.chars() {
            match c {
                '<' => inside = true,
                '>' => inside = false,
                c if !inside => plain.push(c),
                _ => {}
            }
        }
        assert_eq!(plain.trim_end(), escape(text).trim_end());
    }
}
