//! Statements of an ADAMS data set: `KEYWORD/id, ARGUMENT = values, FLAG`.
//!
//! ```text
//! [data set]    title line, then statements up to END
//! [comment]     from `!` to the end of the line; `! adams_view_name='crank'` names the next statement
//! [continued]   a line that begins with a comma, or follows one that ends with `&`
//! [expression]  the arguments FUNCTION, FX … TZ, F1 … F8 run to a backslash or to the end of the statement
//! ```
//!
//! Source: the layout of Table 6 of ADAMS in the Multibody Systems Handbook, and of data sets that the program wrote.

use cardan_base::{Diagnostic, FileId, Span};

use crate::adams::codes;
use crate::findings::Findings;

/// Stands for the comma that begins a continued line. It parts arguments and is a blank inside an expression.
const CONTINUATION: char = '\u{1}';

/// A piece of text and where it stands.
#[derive(Clone, PartialEq, Debug)]
pub struct Piece {
    pub text: String,
    pub span: Span,
}

/// `NAME = values`, or a flag without values.
#[derive(Clone, PartialEq, Debug)]
pub struct Argument {
    /// In capitals.
    pub name: String,
    pub values: Vec<Piece>,
    pub span: Span,
}

/// One statement.
#[derive(Clone, PartialEq, Debug)]
pub struct Statement {
    /// In capitals.
    pub keyword: String,
    pub id: Option<u64>,
    pub arguments: Vec<Argument>,
    /// The name that ADAMS/View gave.
    pub label: Option<String>,
    pub span: Span,
}

impl Statement {
    /// An argument by its name or the beginning of it, at least three letters long.
    pub fn argument(&self, name: &str) -> Option<&Argument> {
        let is_short = |a: &Argument| a.name.len() >= 3 && name.starts_with(&a.name);
        self.arguments.iter().find(|a| a.name == name).or_else(|| self.arguments.iter().find(|a| is_short(a)))
    }

    /// Whether a flag is there.
    pub fn has(&self, flag: &str) -> bool {
        self.argument(flag).is_some()
    }
}

/// A statement in one line, with the place of every character in the file.
#[derive(Default)]
struct Line {
    text: Vec<(char, usize)>,
    label: Option<String>,
    /// Whether the next line belongs to it.
    is_open: bool,
}

/// The statements of a text. What cannot be read is told and left out.
pub fn statements(file: FileId, text: &str, findings: &mut Findings) -> Vec<Statement> {
    let mut lines: Vec<Line> = vec![];
    let mut label = None;
    let mut start = 0;
    for (number, raw) in text.split_inclusive('\n').enumerate() {
        let at = start;
        start += raw.len();
        // The first line is the title.
        if number == 0 {
            continue;
        }
        let (code, comment) = raw.split_once('!').map_or((raw, ""), |(code, comment)| (code, comment));
        if let Some((_, name)) = comment.split_once("adams_view_name='") {
            label = name.split('\'').next().map(str::to_owned);
        }
        let code = code.trim_end();
        let Some(first) = code.trim_start().chars().next() else { continue };
        let continues = lines.last().is_some_and(|l| first == ',' || l.is_open);
        if !continues {
            lines.push(Line { label: label.take(), ..Line::default() });
        }
        let Some(line) = lines.last_mut() else { continue };
        let open = code.strip_suffix('&');
        line.is_open = open.is_some();
        let mut letters: Vec<(char, usize)> = open.unwrap_or(code).char_indices().map(|(k, c)| (c, k)).collect();
        if continues && let Some(mark) = letters.iter_mut().find(|l| !l.0.is_whitespace() && first == ',') {
            mark.0 = CONTINUATION;
        }
        line.text.extend(letters.into_iter().map(|(c, k)| (c, at + k)));
    }
    let mut out = vec![];
    for line in lines {
        match statement(file, &line) {
            Ok(Some(statement)) if statement.keyword == "END" => break,
            Ok(statement) => out.extend(statement),
            Err(found) => findings.push(*found),
        }
    }
    out
}

fn span(file: FileId, chars: &[(char, usize)]) -> Span {
    let (first, last) = (chars.first().map_or(0, |c| c.1), chars.last().map_or(0, |c| c.1 + c.0.len_utf8()));
    Span::new(file, first, last.max(first))
}

fn trimmed(chars: &[(char, usize)]) -> &[(char, usize)] {
    let Some(first) = chars.iter().position(|c| !c.0.is_whitespace()) else { return &[] };
    let last = chars.iter().rposition(|c| !c.0.is_whitespace()).unwrap_or(first);
    &chars[first..=last]
}

fn string(chars: &[(char, usize)]) -> String {
    chars.iter().map(|c| c.0).collect()
}

fn statement(file: FileId, line: &Line) -> Result<Option<Statement>, Box<Diagnostic>> {
    let chars = trimmed(&line.text);
    if chars.is_empty() {
        return Ok(None);
    }
    let whole = span(file, chars);
    let unreadable = |what: &str| {
        let found = Diagnostic::error(codes::STATEMENT, what.to_owned()).at(whole, "here");
        Box::new(found.hint("write `KEYWORD/number, ARGUMENT = value, …`"))
    };
    let cut = chars.iter().position(|c| c.0 == '/').unwrap_or(chars.len());
    let keyword = string(trimmed(&chars[..cut])).to_uppercase();
    if keyword.is_empty() || !keyword.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
        return Err(unreadable("this is no statement of a data set"));
    }
    let rest = chars.get(cut + 1..).unwrap_or(&[]);
    let digits = rest.iter().position(|c| matches!(c.0, ',' | CONTINUATION)).unwrap_or(rest.len());
    let head = trimmed(&rest[..digits]);
    let id: Option<u64> = string(head).parse().ok();
    let mut tail = &rest[digits..];
    // `UNITS/ FORCE = NEWTON`: no number stands before the first argument.
    if id.is_none() && !head.is_empty() {
        tail = rest;
    }
    let arguments = arguments(file, &keyword, tail);
    Ok(Some(Statement { keyword, id, arguments, label: line.label.clone(), span: whole }))
}

/// Whether the value of an argument is an expression, which may hold commas and equals signs.
fn is_expression(name: &str) -> bool {
    let numbered = |n: &str| n.len() == 2 && n.starts_with('F') && n.ends_with(|c: char| c.is_ascii_digit());
    matches!(name, "FUNCTION" | "FX" | "FY" | "FZ" | "TX" | "TY" | "TZ") || numbered(name)
}

fn arguments(file: FileId, keyword: &str, chars: &[(char, usize)]) -> Vec<Argument> {
    let mut out: Vec<Argument> = vec![];
    let mut at = 0;
    while at < chars.len() {
        // A piece ends at a comma or a backslash outside brackets.
        let mut depth = 0i32;
        let mut end = at;
        let mut equals = None;
        let mut expression = false;
        while end < chars.len() {
            match chars[end].0 {
                '(' => depth += 1,
                ')' => depth -= 1,
                '=' if depth == 0 && equals.is_none() => {
                    equals = Some(end);
                    let name = string(trimmed(&chars[at..end])).to_uppercase();
                    expression = is_expression(&name);
                    // A comment is the rest of its statement; C is a damping elsewhere.
                    if name == "COMMENT" || name == "C" && keyword == "REQUEST" {
                        return out;
                    }
                }
                ',' if depth <= 0 => break,
                CONTINUATION if depth <= 0 && !expression => break,
                '\\' => break,
                _ => {}
            }
            end += 1;
        }
        let piece = trimmed(&chars[at..end]);
        match equals {
            _ if piece.is_empty() => {}
            Some(equals) => {
                let name = string(trimmed(&chars[at..equals])).to_uppercase();
                let value = trimmed(&chars[equals + 1..end]);
                let value =
                    Piece { text: string(value).replace(CONTINUATION, " "), span: span(file, value) };
                out.push(Argument { name, values: vec![value], span: span(file, piece) });
            }
            None => {
                let text = string(piece);
                let is_value = text.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '+' | '-' | '.'));
                let piece_span = span(file, piece);
                match out.last_mut().filter(|a| is_value && !a.values.is_empty()) {
                    Some(argument) => argument.values.push(Piece { text, span: piece_span }),
                    None => {
                        out.push(Argument { name: text.to_uppercase(), values: vec![], span: piece_span });
                    }
                }
            }
        }
        at = end + 1;
    }
    out
}
