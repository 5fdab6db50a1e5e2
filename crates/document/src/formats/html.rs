//! The document as one HTML page: MathML formulas, an SVG figure, no scripts.

use cardan_expr::print::{Layout, mathml};

use crate::chapters::topology::Drawing;
use crate::columns::Grid;
use crate::document::{Block, Cell, Document, Equation, Formula, runs};
use crate::formats::figure::{escape, svg};
use crate::line_breaking::{FEW, Line, can_break, grouped, is_short, lines, terms, width};
use crate::plot::{Plot, short};

/// Letters on a line of formulas.
const ROOM: usize = 80;

/// The document as a page.
pub fn html(document: &Document) -> String {
    let title = escape(&document.title);
    let mut out = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>{title}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>\n"
    );
    if !document.subtitle.is_empty() {
        out += &format!("<p class=\"subtitle\">{}</p>\n", escape(&document.subtitle));
    }
    for section in &document.sections {
        out += &format!("<section>\n<h2>{}</h2>\n", escape(&section.title));
        for run in section.blocks.chunk_by(|a, b| is_small(a) == is_small(b)) {
            let blocks: String = run.iter().map(write).collect();
            // Short equations stand side by side.
            out += &match run.len() >= FEW && is_small(&run[0]) {
                true => format!("<div class=\"beside\">\n{blocks}</div>\n"),
                false => blocks,
            };
        }
        out += "</section>\n";
    }
    out += "</body>\n</html>\n";
    // Few systems have fonts whose braces grow; this one is drawn.
    out.replace(BRACE, "<mtable class=\"cases\" columnalign=\"left\">")
}

/// How the rows of a case begin.
const BRACE: &str = "<mo stretchy=\"true\" fence=\"true\">{</mo><mtable columnalign=\"left\">";

fn is_small(block: &Block) -> bool {
    matches!(block, Block::Equation(e) if is_short(e))
}

const STYLE: &str = "
body { max-width: 62rem; margin: 2rem auto; padding: 0 1.5rem; font: 16px/1.5 'Source Serif 4', Georgia, serif; color: #1d2433; background: #fff }
h1 { font-size: 2rem; margin-bottom: 0.2rem } h2 { margin-top: 2.5rem; border-bottom: 1px solid #d5dae3; padding-bottom: 0.2rem }
h3 { font-size: 1rem; margin: 1.2rem 0 0.3rem } .subtitle { color: #5a6478; margin-top: 0 }
table.symbols { border-collapse: collapse; margin: 0.5rem 0 1rem } table.symbols th, table.symbols td { text-align: left; padding: 0.2rem 1.2rem 0.2rem 0; vertical-align: top }
table.symbols th { font-style: italic; font-weight: normal; color: #5a6478; border-bottom: 1px solid #d5dae3 }
mo.dot { font-size: 1.35em; line-height: 0.5 }
div.beside { display: grid; grid-template-columns: repeat(3, minmax(0, 1fr)) } div.formula { overflow-x: auto; overflow-y: hidden; padding: 0.35rem 0 0.5rem 1.5rem } math { font-size: 1.05em } mtable { math-style: normal }
mtable.cases { margin-left: 0.2em; padding-left: 0.75em; background: url(\"data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 10 100' preserveAspectRatio='none'%3E%3Cpath d='M9 1C6 1 6 4 6 9V38C6 46 5 50 1 50C5 50 6 54 6 62V91C6 96 6 99 9 99' fill='none' stroke='%231d2433' stroke-width='1.2' vector-effect='non-scaling-stroke'/%3E%3C/svg%3E\") left / 0.6em 100% no-repeat; print-color-adjust: exact; -webkit-print-color-adjust: exact }
mtd { text-align: left; padding: 0.15em 0.2em } @media print { body { max-width: none; margin: 0; font-size: 11pt } h2, h3 { break-after: avoid } tr, div.formula { break-inside: avoid } }
 figure { margin: 1rem 0 } svg { max-width: 100%; height: auto } pre { overflow-x: auto; background: #f5f7fa; padding: 0.8rem; font-size: 0.85rem }
";

fn write(block: &Block) -> String {
    match block {
        Block::Text(text) => {
            let part = |(symbol, part): (bool, &str)| match symbol {
                true => format!("<i>{}</i>", escape(part)),
                false => escape(part),
            };
            format!("<p>{}</p>\n", runs(text).map(part).collect::<String>())
        }
        Block::Heading(text) => format!("<h3>{}</h3>\n", escape(text)),
        Block::Table(grid) => table(grid),
        Block::Plot(curve) => plot(curve),
        Block::Equation(equation) => display(equation),
        Block::Law(law) => {
            format!("<div class=\"formula\"><math display=\"block\">{}</math></div>\n", law.mathml)
        }
        Block::Figure(drawing) => format!("<figure>{}</figure>\n{}", svg(drawing), closures(drawing)),
        Block::Listing(lines) => format!("<pre>{}</pre>\n", escape(&lines.join("\n"))),
    }
}

fn closures(drawing: &Drawing) -> String {
    match drawing.closures.as_slice() {
        [] => String::new(),
        _ => format!("<p>Loops are closed by {}.</p>\n", escape(&drawing.closed_by())),
    }
}

/// A curve in a frame with the numbers at its corners.
fn plot(plot: &Plot) -> String {
    let [x, y] = plot.bounds();
    let (w, h, left) = (420.0, 130.0, 70.0);
    let points: Vec<String> =
        plot.placed(w, h).iter().map(|[x, y]| format!("{:.1},{:.1}", left + x, 8.0 + h - y)).collect();
    let label = |x: f64, y: f64, anchor: &str, value: f64| {
        format!("<text x=\"{x}\" y=\"{y}\" text-anchor=\"{anchor}\">{}</text>", short(value))
    };
    let mut labels = label(left, h + 24.0, "middle", x[0]) + &label(left + w, h + 24.0, "middle", x[1]);
    labels += &label(left - 6.0, h + 8.0, "end", y[0]);
    if y[1] > y[0] {
        labels += &label(left - 6.0, 16.0, "end", y[1]);
    }
    format!(
        "<figure><svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 530 162\" width=\"530\" font-family=\"sans-serif\" font-size=\"11\" fill=\"#5a6478\"><title>{}</title><rect x=\"{left}\" y=\"8\" width=\"{w}\" height=\"{h}\" fill=\"none\" stroke=\"#d5dae3\"/><polyline points=\"{}\" fill=\"none\" stroke=\"#34405a\" stroke-width=\"1.5\"/>{labels}</svg></figure>\n",
        escape(&plot.name),
        points.join(" ")
    )
}

fn table(grid: &Grid) -> String {
    let heads: String = grid.heads.iter().map(|h| format!("<th>{}</th>", escape(h))).collect();
    let cell = |c: &Cell| match c {
        Cell::Words(text) => format!("<td>{}</td>", escape(text)),
        Cell::Symbol(name) => format!("<td><math>{}</math></td>", symbol(name)),
        Cell::Formula(formula) => format!("<td><math>{}</math></td>", side(formula)),
    };
    let rows: String = grid
        .rows
        .iter()
        .map(|row| format!("<tr>{}</tr>\n", row.iter().map(cell).collect::<String>()))
        .collect();
    format!("<table class=\"symbols\">\n<thead><tr>{heads}</tr></thead>\n{rows}</table>\n")
}

/// An equation of its own, on several lines if it is long.
fn display(equation: &Equation) -> String {
    let lines: Vec<String> = match &equation.right {
        Formula::Scalar(layout) if width(layout) > ROOM && can_break(layout) => {
            lines(&terms(layout), ROOM).iter().enumerate().map(|(k, l)| line(l, k == 0)).collect()
        }
        Formula::Vector(terms) if !terms.is_empty() => {
            let groups = grouped(terms, |(t, unit)| width(t) + unit.len(), ROOM);
            groups.iter().enumerate().map(|(k, group)| vector(group, k == 0)).collect()
        }
        other => vec![side(other)],
    };
    let left = side(&equation.left);
    let row = |(k, line): (usize, &String)| {
        let sign = equation.sign;
        let head = match (k, sign) {
            (0, "") => left.clone(),
            (0, sign) => format!("{left}<mo>{sign}</mo>"),
            _ => String::new(),
        };
        format!("<mtr><mtd>{head}</mtd><mtd>{line}</mtd></mtr>")
    };
    let rows: String = lines.iter().enumerate().map(row).collect();
    format!(
        "<div class=\"formula\"><math><mstyle displaystyle=\"true\"><mtable>{rows}</mtable></mstyle></math></div>\n"
    )
}

/// One line of a sum; the first one has no sign before it unless it is minus.
fn line(line: &Line, first: bool) -> String {
    let sign = |minus: bool| match (first, minus) {
        (true, false) => "",
        (_, true) => "<mo form=\"prefix\">-</mo>",
        (false, false) => "<mo form=\"prefix\">+</mo>",
    };
    let factors = |list: &[Layout]| match list {
        [] => String::new(),
        [only] => polished(&mathml::factor(only)),
        list => scalar_markup(&Layout::Product(list.to_vec(), vec![])),
    };
    let sum = scalar_markup(&Layout::Sum(line.terms.clone()));
    let minus = line.terms.first().is_some_and(|(minus, _)| *minus);
    let begin = match &line.opens {
        Some((minus, before)) => format!("{}{}<mo form=\"prefix\">(</mo>", sign(*minus), factors(before)),
        None if minus => String::new(),
        None => sign(false).into(),
    };
    let space = if line.inside { "<mspace width=\"1.5em\"/>" } else { "" };
    let end = |after: &Vec<Layout>| format!("<mo form=\"postfix\">)</mo>{}", factors(after));
    format!("{space}{begin}{sum}{}", line.closes.as_ref().map_or(String::new(), end))
}

fn side(formula: &Formula) -> String {
    match formula {
        Formula::Scalar(layout) => scalar_markup(layout),
        Formula::Name(name) => symbol(name),
        Formula::Words(text) => format!("<mtext>{}</mtext>", escape(text)),
        Formula::Entry(letter, indices) => {
            let indices: Vec<String> = indices.iter().map(usize::to_string).collect();
            format!("<msub><mi>{letter}</mi><mtext>{}</mtext></msub>", indices.join(","))
        }
        Formula::Quantity(letter, body, speed) => {
            let letter = format!("<mi>{}</mi>", bold(*letter));
            let body = format!("<mtext>{}</mtext>", escape(body));
            match speed {
                Some(r) => format!("<msubsup>{letter}<mn>{r}</mn>{body}</msubsup>"),
                None => format!("<msup>{letter}{body}</msup>"),
            }
        }
        Formula::Vector(terms) => vector(terms, true),
    }
}

/// The letter in the bold face that mathematics has for vectors.
fn bold(letter: char) -> char {
    match letter {
        'ω' => '𝛚',
        'α' => '𝛂',
        'a'..='z' => char::from_u32('𝐚' as u32 + letter as u32 - 'a' as u32).unwrap_or(letter),
        'A'..='Z' => char::from_u32('𝐀' as u32 + letter as u32 - 'A' as u32).unwrap_or(letter),
        other => other,
    }
}

/// Scalars times unit vectors.
fn vector(terms: &[(Layout, String)], first: bool) -> String {
    if terms.is_empty() {
        return "<mn>𝟎</mn>".into();
    }
    let mut out = String::from("<mrow>");
    for (k, (scalar, unit)) in terms.iter().enumerate() {
        let (minus, scalar) = match scalar {
            Layout::Minus(inner) => (true, inner.as_ref()),
            other => (false, other),
        };
        out += match (first && k == 0, minus) {
            (true, false) => "",
            (_, true) => "<mo>−</mo>",
            (false, false) => "<mo>+</mo>",
        };
        out += &match scalar {
            Layout::Number(n, None) if n == "1" => String::new(),
            Layout::Sum(_) | Layout::Cases(..) | Layout::Relation(..) => {
                format!("<mo>(</mo>{}<mo>)</mo>", scalar_markup(scalar))
            }
            other => format!("{}<mspace width=\"0.17em\"></mspace>", scalar_markup(other)),
        };
        out += &unit_vector(unit);
    }
    out + "</mrow>"
}

fn unit_vector(name: &str) -> String {
    if let Some((first, second)) = name.split_once(' ') {
        return unit_vector(first) + &unit_vector(second);
    }
    let (frame, axis) = name.rsplit_once('.').unwrap_or(("", name));
    let axis: String = axis.chars().map(bold).collect();
    let hat = format!("<mover accent=\"true\"><mi>{axis}</mi><mo>^</mo></mover>");
    if frame.is_empty() { hat } else { format!("<msub>{hat}<mtext>{}</mtext></msub>", escape(frame)) }
}

/// A name; as an accent a dot would touch a capital letter.
fn symbol(name: &str) -> String {
    dotted(&mathml::symbol(name))
}

fn dotted(markup: &str) -> String {
    let over = markup.replace("<mover accent=\"true\">", "<mover>");
    over.replace("<mo>˙</mo>", "<mo class=\"dot\">˙</mo>").replace("<mo>¨</mo>", "<mo class=\"dot\">¨</mo>")
}

/// A scalar; a minus is as long as a plus, and words keep their distance.
fn scalar_markup(layout: &Layout) -> String {
    polished(&mathml::render(layout))
}

fn polished(markup: &str) -> String {
    let markup = dotted(markup).replace("<mo>-</mo>", "<mo>−</mo>");
    ["if", "otherwise"].iter().fold(markup, |m, word| {
        m.replace(&format!("<mtext>{word}"), &format!("<mtext>\u{a0}\u{a0}{word}\u{a0}"))
    })
}
