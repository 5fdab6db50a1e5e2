//! The document in the rich text format of word processors: formulas on lines of their own, with subscripts.

use cardan_expr::print::Layout;

use crate::columns::Grid;
use crate::document::{Block, Cell, Document, Equation, Formula, runs};
use crate::formats::rtf_math::{factor, scalar, sign, symbol};

/// Width of the text in twentieths of a point.
const WIDTH: f64 = 9600.0;

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
        Block::Table(grid) => table(grid),
        // Its points are in a table.
        Block::Plot(_) => String::new(),
        Block::Equation(equation) => display(equation),
        Block::Law(law) => format!("{{\\pard\\li400\\sa120\\fs22 {}\\par}}\n", law_text(law.text)),
        Block::Figure(drawing) => {
            let mut out = String::new();
            for knot in &drawing.knots {
                let joint = [knot.joint.as_str(), &knot.coordinates].join(" ");
                let (indent, joint) = (400 * knot.column, words(joint.trim()));
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

/// A law on one line: what follows an underscore stands below, letters of vectors are bold.
fn law_text(text: &str) -> String {
    let mut out = String::new();
    let mut below = false;
    for c in text.chars() {
        below = below && c.is_alphanumeric();
        out += &match c {
            '_' => {
                below = true;
                String::new()
            }
            c if below => format!("{{\\sub {}}}", words(&c.to_string())),
            'v' | 'a' | 'F' | 'T' | 'I' | 'ω' | 'α' => format!("{{\\b {}}}", words(&c.to_string())),
            c if c.is_alphabetic() && c != 'Σ' => format!("{{\\i {}}}", words(&c.to_string())),
            c => words(&c.to_string()),
        };
    }
    out
}

fn table(grid: &Grid) -> String {
    let shares = grid.shares();
    let edge = |k: usize| (WIDTH * shares[..=k].iter().sum::<f64>()) as usize;
    let edges: String = (0..shares.len()).map(|k| format!("\\cellx{}", edge(k))).collect();
    // The head is repeated on every page, and no row is torn apart.
    let row = |kind: &str, cells: Vec<String>| {
        let cells: String = cells.iter().map(|c| format!("\\pard\\intbl\\fs20 {c}\\cell")).collect();
        format!("{{\\trowd\\trgaph60\\trkeep{kind}{edges}\n{cells}\\row}}\n")
    };
    let cell = |c: &Cell| match c {
        Cell::Words(text) => words(text),
        Cell::Symbol(name) => symbol(name),
        Cell::Formula(formula) => side(formula),
    };
    let mut out = row("\\trhdr", grid.heads.iter().map(|h| format!("{{\\i {}}}", words(h))).collect());
    for cells in &grid.rows {
        out += &row("", cells.iter().map(cell).collect());
    }
    out + "{\\pard\\fs12\\par}\n"
}

fn display(equation: &Equation) -> String {
    let (left, right) = (side(&equation.left), side(&equation.right));
    let sign = if equation.sign.is_empty() { String::new() } else { format!("{} ", equation.sign) };
    format!("{{\\pard\\li900\\fi-500\\sa60\\fs22 {left} {sign}{right}\\par}}\n")
}

fn side(formula: &Formula) -> String {
    match formula {
        Formula::Scalar(layout) => scalar(layout),
        Formula::Name(name) => symbol(name),
        Formula::Words(text) => words(text),
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
            for (k, (coefficient, unit)) in terms.iter().enumerate() {
                let (minus, coefficient) = match coefficient {
                    Layout::Minus(inner) => (true, inner.as_ref()),
                    other => (false, other),
                };
                out += &sign(k == 0, minus);
                if !matches!(coefficient, Layout::Number(n, None) if n == "1") {
                    out += &factor(coefficient);
                    out += &words("\u{a0}");
                }
                out += &unit.split(' ').map(unit_vector).collect::<String>();
            }
            out
        }
    }
}

/// The axis with the frame below it.
fn unit_vector(name: &str) -> String {
    let (frame, axis) = name.rsplit_once('.').unwrap_or(("", name));
    let below = if frame.is_empty() { String::new() } else { format!("{{\\sub {}}}", words(frame)) };
    format!("{{\\b {}}}{below}", words(axis))
}

/// Words with everything beyond ASCII as numbers, each in braces so that no reader skips more than its substitute.
pub(crate) fn words(text: &str) -> String {
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
