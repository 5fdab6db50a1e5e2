//! The document in the rich text format of word processors: formulas on lines of their own, with subscripts.

use cardan_expr::print::{Layout, greek, text};

use crate::document::{Block, Cell, Document, Equation, Formula, runs};

/// The document as a file of ASCII letters.
pub fn rtf(document: &Document) -> String {
    let mut out = String::from(
        "{\\rtf1\\ansi\\deff0{\\fonttbl{\\f0 Times New Roman;}{\\f1 Courier New;}}\\paperw11906\\paperh16838\\margl1134\\margr1134\n",
    );
    out += &format!("{{\\pard\\sa120\\fs36\\b {}\\par}}\n", words(&document.title));
    if !document.subtitle.is_empty() {
        out += &format!("{{\\pard\\sa240\\fs24\\i {}\\par}}\n", words(&document.subtitle));
    }
    for section in &document.sections {
        out += &format!("{{\\pard\\keepn\\sb360\\sa120\\fs28\\b {}\\par}}\n", words(&section.title));
        section.blocks.iter().for_each(|block| out += &write(block));
    }
    out + "}\n"
}

fn write(block: &Block) -> String {
    match block {
        Block::Text(text) => {
            let part = |(symbol, part): (bool, &str)| match symbol {
                true => format!("{{\\i {}}}", words(part)),
                false => words(part),
            };
            format!("{{\\pard\\sa120\\fs22 {}\\par}}\n", runs(text).map(part).collect::<String>())
        }
        Block::Heading(text) => format!("{{\\pard\\keepn\\sb160\\sa60\\fs22\\b {}\\par}}\n", words(text)),
        Block::Table(heads, rows) => table(heads, rows),
        Block::Equation(equation) => display(equation),
        Block::Law(law) => format!("{{\\pard\\li400\\sa120\\fs22 {}\\par}}\n", words(law.text)),
        Block::Figure(drawing) => {
            let mut out = String::new();
            for knot in &drawing.knots {
                let (indent, joint) = (400 * knot.column, words(&knot.joint));
                let line = if joint.is_empty() { String::new() } else { format!(": {joint}") };
                out += &format!("{{\\pard\\li{indent}\\fs22 {{\\b {}}}{line}\\par}}\n", words(&knot.name));
            }
            if !drawing.closures.is_empty() {
                let list = words(&drawing.closed_by());
                out += &format!("{{\\pard\\sb120\\fs22 Loops are closed by {list}.\\par}}\n");
            }
            out
        }
        Block::Listing(lines) => {
            let line = |l: &String| format!("{{\\pard\\li300\\fi-300\\f1\\fs18 {}\\par}}\n", words(l));
            lines.iter().map(line).collect()
        }
    }
}

fn table(heads: &[String], rows: &[Vec<Cell>]) -> String {
    let widths: Vec<usize> = match heads.len() {
        4 => vec![1900, 6300, 7900, 9600],
        3 => vec![1900, 7000, 9600],
        n => (1..=n).map(|k| 9600 * k / n).collect(),
    };
    let edges: String = widths.iter().map(|w| format!("\\cellx{w}")).collect();
    let row = |cells: Vec<String>| {
        let cells: String = cells.iter().map(|c| format!("\\pard\\intbl\\fs20 {c}\\cell")).collect();
        format!("{{\\trowd\\trgaph60{edges}\n{cells}\\row}}\n")
    };
    let cell = |c: &Cell| match c {
        Cell::Words(text) => words(text),
        Cell::Symbol(name) => symbols(name),
        Cell::Formula(layout) => symbols(&text::render(layout)),
    };
    let mut out = row(heads.iter().map(|h| format!("{{\\i {}}}", words(h))).collect());
    for cells in rows {
        out += &row(cells.iter().map(cell).collect());
    }
    out + "{\\pard\\par}\n"
}

fn display(equation: &Equation) -> String {
    let (left, right) = (side(&equation.left), side(&equation.right));
    format!("{{\\pard\\li900\\fi-500\\sa60\\fs22 {left} = {right}\\par}}\n")
}

fn side(formula: &Formula) -> String {
    match formula {
        Formula::Scalar(layout) => symbols(&text::render(layout)),
        Formula::Name(name) => symbols(name),
        Formula::Entry(letter, indices) => {
            let indices: Vec<String> = indices.iter().map(usize::to_string).collect();
            format!("{{\\i {letter}}}{{\\sub {}}}", indices.join(","))
        }
        Formula::Quantity(letter, body, speed) => {
            let index = speed.map_or(String::new(), |r| format!("{{\\sub {r}}}"));
            format!("{{\\b {}}}{{\\super {}}}{index}", words(&letter.to_string()), words(body))
        }
        Formula::Vector(terms) if terms.is_empty() => "{\\b 0}".into(),
        Formula::Vector(terms) => {
            let mut out = String::new();
            for (k, (scalar, unit)) in terms.iter().enumerate() {
                let (minus, scalar) = match scalar {
                    Layout::Minus(inner) => (true, inner.as_ref()),
                    other => (false, other),
                };
                out += match (k, minus) {
                    (0, false) => "",
                    (0, true) => "-",
                    (_, true) => " - ",
                    (_, false) => " + ",
                };
                let shown = symbols(&text::render(scalar));
                out += &match scalar {
                    Layout::Number(n, None) if n == "1" => String::new(),
                    Layout::Sum(_) | Layout::Relation(..) | Layout::Cases(..) => format!("({shown}) "),
                    _ => format!("{shown} "),
                };
                let (frame, axis) = unit.rsplit_once('.').unwrap_or(("", unit));
                out += &format!("{{\\b {}}}{{\\sub {}}}", words(axis), words(frame));
            }
            out
        }
    }
}

/// A formula on one line: names in italics, their numbers as subscripts, products with a raised point.
fn symbols(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let is_letter = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
        if first.is_alphabetic() {
            let end = rest.find(|c: char| !is_letter(c)).unwrap_or(rest.len());
            let (name, after) = rest.split_at(end);
            // A rate is its name with a dot above.
            let inside = after.strip_prefix('(').and_then(|a| a.split_once(')')).map(|(inside, _)| inside);
            if let Some(rated) = inside.filter(|n| name == "der" && !n.is_empty() && n.chars().all(is_letter))
            {
                out += &dotted(rated, "\u{307}");
                rest = &after[rated.len() + 2..];
                continue;
            }
            out += &if after.starts_with('(') { words(name) } else { symbol(name) };
            rest = after;
        } else {
            out += &match first {
                '*' => words("·"),
                other => words(&other.to_string()),
            };
            rest = &rest[first.len_utf8()..];
        }
    }
    out
}

fn symbol(name: &str) -> String {
    dotted(name, "")
}

/// A name with Greek letters for their names, an accent on it, and its number as subscript.
fn dotted(name: &str, accent: &str) -> String {
    let digits = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let (base, index) = match name.find(['_', '.']) {
        Some(at) => (&name[..at], &name[at + 1..]),
        None => name.split_at(digits.len()),
    };
    let index = if index.is_empty() { String::new() } else { format!("{{\\sub {}}}", words(index)) };
    format!("{{\\i {}{}}}{index}", words(greek(base).unwrap_or(base)), words(accent))
}

/// Words with everything beyond ASCII as numbers, each in braces so that no reader skips more than its substitute.
fn words(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '\\' | '{' | '}' => {
                out.push('\\');
                out.push(c);
            }
            c if c.is_ascii() => out.push(c),
            other => {
                let mut units = [0; 2];
                other.encode_utf16(&mut units).iter().for_each(|u| out += &format!("{{\\u{}?}}", *u as i16));
            }
        }
    }
    out
}
