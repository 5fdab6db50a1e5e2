//! What goes to the terminal: colours where there is one, plain text elsewhere.

use std::borrow::Cow;
use std::io::{ErrorKind, IsTerminal, Write};
use std::sync::OnceLock;

use cardan::base::{Diagnostics, Severity, Sources, render};
use cardan::model::{Body, Model};

use crate::exit::Problem;

/// Where a command speaks.
#[derive(Clone, Copy, Debug)]
pub struct Terminal {
    /// One JSON object on standard output instead of text.
    pub json: bool,
    /// Errors only.
    quiet: bool,
    color_out: bool,
    color_err: bool,
}

/// The first reason why standard output took nothing more.
static UNWRITTEN: OnceLock<String> = OnceLock::new();

/// More errors than these, or more other findings, are only counted on a terminal.
const MOST_FINDINGS: usize = 20;

impl Terminal {
    /// Colours only on terminals, and never where `NO_COLOR` is set.
    pub fn new(json: bool) -> Self {
        let allowed = std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty());
        Terminal {
            json,
            quiet: false,
            color_out: allowed && std::io::stdout().is_terminal(),
            color_err: allowed && std::io::stderr().is_terminal(),
        }
    }

    /// The same, saying errors only if so wanted.
    pub fn quieter(self, quiet: bool) -> Self {
        Terminal { quiet, ..self }
    }

    /// A report on standard output. Control characters in it, which come from texts and names, are shown and not obeyed.
    pub fn print(&self, text: &str) {
        self.put(&harmless(text, self.color_out));
    }

    /// Data on standard output: as they are, unless they go to a terminal.
    pub fn print_data(&self, text: &str) {
        match std::io::stdout().is_terminal() {
            true => self.print(text),
            false => self.put(text),
        }
    }

    /// Writes to standard output; whoever stops listening is not an error, but a full disk is.
    fn put(&self, text: &str) {
        let mut out = std::io::stdout().lock();
        match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
            Err(error) if error.kind() != ErrorKind::BrokenPipe => {
                UNWRITTEN.get_or_init(|| error.to_string());
            }
            _ => {}
        }
    }

    /// Why what was said did not arrive, if it did not.
    pub fn unwritten(&self) -> Option<&'static str> {
        UNWRITTEN.get().map(String::as_str)
    }

    /// The one JSON object.
    pub fn print_json(&self, value: &serde_json::Value) {
        self.put(&format!("{}\n", in_json(&format!("{value:#}"))));
    }

    /// A heading.
    pub fn bold(&self, text: &str) -> String {
        if self.color_out { format!("\x1b[1m{text}\x1b[0m") } else { text.to_string() }
    }

    /// Something of less interest.
    pub fn dim(&self, text: &str) -> String {
        if self.color_out { format!("\x1b[2m{text}\x1b[0m") } else { text.to_string() }
    }

    /// Something good.
    pub fn green(&self, text: &str) -> String {
        if self.color_out { format!("\x1b[32m{text}\x1b[0m") } else { text.to_string() }
    }

    /// Something to look at.
    pub fn yellow(&self, text: &str) -> String {
        if self.color_out { format!("\x1b[33m{text}\x1b[0m") } else { text.to_string() }
    }

    /// Findings about a text, on standard error.
    pub fn diagnostics(&self, diagnostics: &Diagnostics, sources: &Sources) {
        let mut more = diagnostics.n_suppressed();
        // Errors and the rest are counted apart, so that no error is lost behind warnings.
        let mut shown = [0, 0];
        for diagnostic in diagnostics.iter().filter(|d| !self.quiet || d.severity == Severity::Error) {
            let count = &mut shown[usize::from(diagnostic.severity == Severity::Error)];
            *count += 1;
            if *count <= MOST_FINDINGS {
                self.say(&render(diagnostic, sources, self.color_err));
            } else {
                more += 1;
            }
        }
        if more > 0 {
            self.say(&format!("… and {more} more\n"));
        }
    }

    /// A problem, on standard error.
    pub fn problem(&self, problem: &Problem) {
        if problem.message.is_empty() {
            return;
        }
        let word = if self.color_err { "\x1b[1;31merror\x1b[0m" } else { "error" };
        let help = problem.help.as_ref().map_or(String::new(), |h| format!("  = help: {h}\n"));
        self.say(&format!("{word}: {}\n{help}", problem.message));
    }

    /// Something worth knowing, on standard error.
    pub fn note(&self, text: &str) {
        if !self.quiet {
            let word = if self.color_err { "\x1b[1;32mnote\x1b[0m" } else { "note" };
            self.say(&format!("{word}: {text}\n"));
        }
    }

    /// A warning, on standard error.
    pub fn warning(&self, text: &str) {
        if self.quiet {
            return;
        }
        let word = if self.color_err { "\x1b[1;33mwarning\x1b[0m" } else { "warning" };
        self.say(&format!("{word}: {text}\n"));
    }

    fn say(&self, text: &str) {
        let _ = std::io::stderr().lock().write_all(harmless(text, self.color_err).as_bytes());
    }
}

/// Whether a terminal may obey a character instead of showing it: control characters but for those of lines, and marks that change the
/// direction of writing, which let one text look like another.
fn is_obeyed(c: char) -> bool {
    let turns = matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    turns || (c.is_control() && !matches!(c, '\n' | '\t'))
}

/// A text in which characters that a terminal would obey stand as their codes, `\u{1b}`. Where `colored`, colours stay.
fn harmless(text: &str, colored: bool) -> Cow<'_, str> {
    if !text.contains(is_obeyed) {
        return text.into();
    }
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(is_obeyed) {
        out += &rest[..at];
        rest = &rest[at..];
        let color = if colored { color_length(rest) } else { None };
        let length = color.unwrap_or_else(|| rest.chars().next().map_or(1, char::len_utf8));
        let (first, after) = rest.split_at(length);
        match color {
            Some(_) => out += first,
            None => first.chars().for_each(|c| out.extend(c.escape_unicode())),
        }
        rest = after;
    }
    (out + rest).into()
}

/// The length of the colour at the beginning of a text, `ESC [ digits m`.
fn color_length(text: &str) -> Option<usize> {
    let rest = text.strip_prefix("\u{1b}[")?;
    let end = rest.find(|c: char| !(c.is_ascii_digit() || c == ';'))?;
    rest[end..].starts_with('m').then_some(2 + end + 1)
}

/// JSON in which characters that a terminal would obey stand as their codes. Those below a space do so already.
fn in_json(text: &str) -> Cow<'_, str> {
    if !text.contains(is_obeyed) {
        return text.into();
    }
    let letter = |c: char| if is_obeyed(c) { format!("\\u{:04x}", u32::from(c)) } else { c.into() };
    text.chars().map(letter).collect::<String>().into()
}

/// Rows of cells as aligned columns; the columns listed in `right` are aligned to the right.
pub fn columns(rows: &[Vec<String>], right: &[usize]) -> String {
    let n = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |c: usize| rows.iter().filter_map(|r| r.get(c)).map(|s| s.chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..n).map(width).collect();
    let mut out = String::new();
    for row in rows {
        let mut line = String::from(" ");
        for (c, cell) in row.iter().enumerate() {
            let pad = " ".repeat(widths[c] - cell.chars().count());
            line += " ";
            line += &if right.contains(&c) { format!("{pad}{cell}") } else { format!("{cell}{pad}") };
            line += " ";
        }
        out += line.trim_end();
        out.push('\n');
    }
    out
}

/// A number in few letters: at most seven digits, with an exponent of ten where it is very large or small.
pub fn short_number(x: f64) -> String {
    let exact = exact_number(x);
    let rounded = exact_number(format!("{x:.6e}").parse().unwrap_or(x));
    if exact.len() <= 12 { exact } else { rounded }
}

/// All digits of a number, with an exponent of ten where it is very large or small.
pub fn exact_number(x: f64) -> String {
    let usual = x == 0.0 || (1e-4..1e7).contains(&x.abs()) || !x.is_finite();
    if usual { format!("{x}") } else { format!("{x:e}") }
}

/// `1 body`, `2 bodies`.
pub fn counted(n: usize, one: &str, many: &str) -> String {
    format!("{n} {}", if n == 1 { one } else { many })
}

/// `3 bodies, 1 frame`; a frame has no mass.
pub fn bodies(model: &Model) -> String {
    let pool = model.space.pool();
    let massless = |b: &Body| pool.is_zero(b.mass) && b.inertia.iter().flatten().all(|i| pool.is_zero(*i));
    let frames = model.bodies.iter().filter(|(_, b)| massless(b)).count();
    let bodies = counted(model.bodies.len() - frames, "body", "bodies");
    if frames == 0 { bodies } else { format!("{bodies}, {}", counted(frames, "frame", "frames")) }
}

/// `2 degrees of freedom`; with loops, `4 speeds, 1 constraint`, for which freedom is left is known only after assembly.
pub fn freedom(model: &Model) -> String {
    let n = model.speeds.len();
    match model.constraints.len() {
        0 => counted(n, "degree of freedom", "degrees of freedom"),
        c => format!("{}, {}", counted(n, "speed", "speeds"), counted(c, "constraint", "constraints")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extreme_numbers_have_exponents() {
        assert_eq!(short_number(1e-9), "1e-9");
        assert_eq!(short_number(0.01), "0.01");
        assert_eq!(short_number(1.0 / 3.0), "0.3333333");
        assert_eq!(short_number(-2.5e20), "-2.5e20");
        assert_eq!(short_number(86400.0), "86400");
        assert_eq!(exact_number(1.0 / 3e9), "3.333333333333333e-10");
    }

    #[test]
    fn control_characters_are_shown() {
        let foreign = "a\u{1b}]0;title\u{7}b\u{9b}2J\u{202e}c\r\n\u{1b}[31mred";
        let plain = "a\\u{1b}]0;title\\u{7}b\\u{9b}2J\\u{202e}c\\u{d}\n\\u{1b}[31mred";
        assert_eq!(harmless(foreign, false), plain);
        assert_eq!(harmless(foreign, true), plain.replace("\\u{1b}[31m", "\u{1b}[31m"));
        assert_eq!(harmless("\u{1b}[31;1x\u{1b}[", true), "\\u{1b}[31;1x\\u{1b}[");
        let value = serde_json::json!({ "a\u{9b}": "b\u{1b}\u{202e}" });
        let text = value.to_string();
        let shown = in_json(&text);
        assert!(!shown.contains(is_obeyed), "{shown}");
        assert_eq!(serde_json::from_str::<serde_json::Value>(&shown).ok(), Some(value));
    }

    #[test]
    fn cells_line_up() {
        let rows = [vec!["a".into(), "1.5".into()], vec!["long".into(), "-20".into()]];
        assert_eq!(columns(&rows, &[1]), "  a     1.5\n  long  -20\n");
    }
}
