//! The document in LaTeX: article class, amsmath, TikZ for the figure.

use cardan_expr::print::{Layout, latex as math};

use crate::document::{Block, Cell, Document, Equation, Formula, runs};
use crate::lines::{Line, can_break, grouped, lines, terms, width};
use crate::topology::Drawing;

/// Letters on a line of formulas.
const ROOM: usize = 62;

/// The document as a LaTeX file.
pub fn latex(document: &Document) -> String {
    let mut out = String::from(PREAMBLE);
    let subtitle = match document.subtitle.as_str() {
        "" => String::new(),
        text => format!("\\\\[1ex]\\large {}", words(text)),
    };
    out += &format!(
        "\\title{{{}{subtitle}}}\n\\date{{}}\n\\begin{{document}}\n\\maketitle\n",
        words(&document.title)
    );
    for section in &document.sections {
        out += &format!("\n\\need{{10\\baselineskip}}\n\\section{{{}}}\n", words(&section.title));
        // Equations that follow one another are aligned with one another.
        let is_equation = |b: &Block| matches!(b, Block::Equation(_));
        for group in section.blocks.chunk_by(|a, b| is_equation(a) && is_equation(b)) {
            out += &write(group);
        }
    }
    out + "\\end{document}\n"
}

const PREAMBLE: &str = r"\documentclass[a4paper,11pt,fleqn]{article}
\usepackage[utf8]{inputenc}
\usepackage[margin=24mm]{geometry}
\usepackage{amsmath,graphicx,longtable,tikz}
\setlength{\parindent}{0pt}
\setlength{\parskip}{0.6ex}
\setlength{\jot}{0.8ex}
\setlength{\mathindent}{1.5em}
\allowdisplaybreaks
\AtBeginDocument{\setlength{\abovedisplayskip}{0.6ex}\setlength{\abovedisplayshortskip}{0.6ex}}
% A heading with less than this below it goes to the next page.
\makeatletter
\newcommand{\need}[1]{\par\begingroup\setlength{\dimen@}{\pagegoal}\addtolength{\dimen@}{-\pagetotal}%
  \ifdim\dimen@<#1\relax\ifdim\pagetotal>0pt\vfil\break\fi\fi\endgroup}
\makeatother
% What is wider than the page is made to fit.
\newsavebox{\wide}
\newcommand{\fit}[2]{\sbox{\wide}{#2}\ifdim\wd\wide>#1\resizebox{#1}{!}{\usebox{\wide}}\else\usebox{\wide}\fi}
\author{}
";

fn write(group: &[Block]) -> String {
    let equation = |b: &Block| match b {
        Block::Equation(equation) => Some(aligned(equation)),
        _ => None,
    };
    let rows: Vec<String> = group.iter().filter_map(equation).collect();
    if !rows.is_empty() {
        return format!("\\begin{{align*}}\n{}\n\\end{{align*}}\n", rows.join(" \\\\\n"));
    }
    group.iter().map(other).collect()
}

fn other(block: &Block) -> String {
    match block {
        Block::Equation(equation) => aligned(equation),
        Block::Text(text) => {
            let part = |(symbol, part): (bool, &str)| match symbol {
                true => format!("\\textit{{{}}}", words(part)),
                false => words(part),
            };
            format!("\n{}\n\n", runs(text).map(part).collect::<String>())
        }
        // A formula that follows directly stands below the heading without an empty line.
        Block::Heading(text) => {
            format!("\\need{{5\\baselineskip}}\\paragraph{{{}}}\\mbox{{}}\\nopagebreak\n", words(text))
        }
        Block::Table(heads, rows) => table(heads, rows),
        Block::Law(law) => format!("\\[{}\\]\n", law.latex),
        Block::Figure(drawing) => figure(drawing),
        Block::Listing(lines) => listing(lines),
    }
}

fn table(heads: &[String], rows: &[Vec<Cell>]) -> String {
    let columns = heads
        .iter()
        .enumerate()
        .map(|(k, _)| if k == 1 && matches!(heads.len(), 3 | 4) { "p{0.45\\linewidth}" } else { "l" });
    let mut out = format!("\\begin{{longtable}}[l]{{@{{}}{}@{{}}}}\n", columns.collect::<String>());
    let heads: Vec<String> = heads.iter().map(|h| format!("\\textit{{{}}}", words(h))).collect();
    out += &format!("{} \\\\ \\hline\n\\noalign{{\\vskip 0.5ex}}\n\\endhead\n", heads.join(" & "));
    for row in rows {
        let cell = |c: &Cell| match c {
            Cell::Words(text) => words(text),
            Cell::Symbol(name) => format!("${}$", math::symbol(name)),
            Cell::Formula(layout) => format!("${}$", math::render(layout)),
        };
        out += &format!("{} \\\\\n", row.iter().map(cell).collect::<Vec<_>>().join(" & "));
    }
    out + "\\end{longtable}\n"
}

/// The rows of an alignment, more than one if the equation is long.
fn aligned(equation: &Equation) -> String {
    let left = side(&equation.left);
    let may_be_wide = match &equation.right {
        Formula::Scalar(layout) => width(layout) > ROOM,
        Formula::Vector(terms) => terms.iter().map(|(t, _)| width(t) + 4).sum::<usize>() > ROOM,
        _ => false,
    };
    let lines: Vec<String> = match &equation.right {
        Formula::Scalar(layout) if may_be_wide && can_break(layout) => {
            lines(&terms(layout), ROOM).iter().enumerate().map(|(k, l)| line(l, k == 0)).collect()
        }
        Formula::Vector(terms) if !terms.is_empty() => {
            let groups = grouped(terms, |(t, unit)| width(t) + unit.len(), ROOM);
            groups.iter().enumerate().map(|(k, group)| vector(group, k == 0)).collect()
        }
        other => vec![side(other)],
    };
    let scaled = |line: &String| format!("\\fit{{0.8\\linewidth}}{{$\\displaystyle {line}$}}");
    let lines: Vec<String> = if may_be_wide { lines.iter().map(scaled).collect() } else { lines };
    format!("{left} &= {}", lines.join(" \\\\\n&\\quad "))
}

/// One line of a sum; the first one has no sign before it unless it is minus.
fn line(line: &Line, first: bool) -> String {
    let sign = |minus: bool| match (first, minus) {
        (true, false) => "",
        (true, true) => "-",
        (false, true) => "{} - ",
        (false, false) => "{} + ",
    };
    let factors = |list: &[Layout]| match list {
        [] => String::new(),
        list => math::render(&Layout::Product(list.to_vec(), vec![])),
    };
    let sum = math::render(&Layout::Sum(line.terms.clone()));
    let minus = line.terms.first().is_some_and(|(minus, _)| *minus);
    let begin = match &line.opens {
        Some((minus, before)) => format!("{}{} \\bigl(", sign(*minus), factors(before)),
        None if line.inside && minus => "\\quad {}".into(),
        None if line.inside => "\\quad {} + ".into(),
        None if minus => (if first { "" } else { "{}" }).into(),
        None => sign(false).into(),
    };
    let end = line.closes.as_ref().map_or(String::new(), |after| format!("\\bigr) {}", factors(after)));
    format!("{begin}{sum}{end}")
}

fn side(formula: &Formula) -> String {
    match formula {
        Formula::Scalar(layout) => math::render(layout),
        Formula::Name(name) => math::symbol(name),
        Formula::Entry(letter, indices) => {
            let indices: Vec<String> = indices.iter().map(usize::to_string).collect();
            format!("{letter}_{{{}}}", indices.join(","))
        }
        Formula::Quantity(letter, body, speed) => {
            let letter = if *letter == 'ω' { "\\omega".to_owned() } else { letter.to_string() };
            let index = speed.map_or(String::new(), |r| format!("_{{{r}}}"));
            let upper =
                if body.is_empty() { String::new() } else { format!("^{{\\mathrm{{{}}}}}", words(body)) };
            format!("\\boldsymbol{{{letter}}}{upper}{index}")
        }
        Formula::Vector(terms) => vector(terms, true),
    }
}

/// Scalars times unit vectors.
fn vector(terms: &[(Layout, String)], first: bool) -> String {
    if terms.is_empty() {
        return "\\boldsymbol{0}".into();
    }
    let mut out = String::new();
    for (k, (scalar, unit)) in terms.iter().enumerate() {
        let unit = unit_vector(unit);
        let (minus, scalar) = match scalar {
            Layout::Minus(inner) => (true, inner.as_ref()),
            other => (false, other),
        };
        let begin = first && k == 0;
        out += match (begin, minus) {
            (true, false) => "",
            (true, true) => "- ",
            (false, true) => "{} - ",
            (false, false) => "{} + ",
        };
        out += &match scalar {
            Layout::Number(n, None) if n == "1" => format!("{unit} "),
            Layout::Sum(_) | Layout::Cases(..) | Layout::Relation(..) => {
                format!("\\left({}\\right){unit} ", math::render(scalar))
            }
            other => format!("{}\\,{unit} ", math::render(other)),
        };
    }
    out
}

/// `B.x` as a hat over x with the frame as index.
fn unit_vector(name: &str) -> String {
    match name.rsplit_once('.') {
        Some((frame, axis)) => format!("\\hat{{\\boldsymbol{{{axis}}}}}_{{\\mathrm{{{}}}}}", words(frame)),
        None => format!("\\hat{{\\boldsymbol{{{}}}}}", words(name)),
    }
}

/// Boxes in columns, joints along the lines between them.
fn figure(drawing: &Drawing) -> String {
    let (_, rows) = drawing.size();
    let (step, height) = (3.6, (20.0 / rows).min(1.4));
    let style = "body/.style={draw, rounded corners=2pt, fill=white, font=\\small, align=center}";
    let mut out = format!("\\begin{{center}}\n\\fit{{\\linewidth}}{{\\begin{{tikzpicture}}[{style}]\n");
    for (k, knot) in drawing.knots.iter().enumerate() {
        let (x, y) = (step * knot.column as f64, -height * knot.row);
        let joint = match shortened(&knot.joint) {
            text if text.is_empty() => text,
            text => format!("\\\\[-2pt]{{\\tiny {}}}", words(&text)),
        };
        out += &format!("  \\node[body] (b{k}) at ({x:.2},{y:.2}) {{{}{joint}}};\n", words(&knot.name));
    }
    for (k, knot) in drawing.knots.iter().enumerate() {
        let line = knot.parent.map(|p| format!("  \\draw (b{p}.east) -- (b{k}.west);\n"));
        out += &line.unwrap_or_default();
    }
    for (a, b) in drawing.closures.iter().filter_map(|c| c.ends) {
        let bend = if drawing.knots[a].column == drawing.knots[b].column {
            ["east", "east", "out=0, in=0"]
        } else {
            ["south", "south", "out=-90, in=-90"]
        };
        let [from, to, bend] = bend;
        out += &format!("  \\draw[dashed] (b{a}.{from}) to[{bend}] (b{b}.{to});\n");
    }
    out += "\\end{tikzpicture}}\n\\end{center}\n";
    if !drawing.closures.is_empty() {
        out += &format!("Loops are closed by {}.\n\n", words(&drawing.closed_by()));
    }
    out
}

/// Long lists of coordinates are cut: the tables have them.
pub(crate) fn shortened(text: &str) -> String {
    if text.chars().count() <= 24 {
        text.to_owned()
    } else {
        format!("{}…", text.chars().take(23).collect::<String>())
    }
}

/// Lines in a typewriter font, folded.
fn listing(lines: &[String]) -> String {
    let mut out = String::from("\\begin{small}\n\\begin{verbatim}\n");
    for line in lines {
        let mut rest: Vec<&str> = line.split(' ').collect();
        rest.reverse();
        let mut text = String::new();
        while let Some(word) = rest.pop() {
            if !text.is_empty() && text.chars().count() + word.chars().count() > 80 {
                out += &format!("{text}\n");
                text = "     ".to_owned();
            }
            text += if text.is_empty() { "" } else { " " };
            text += word;
        }
        out += &format!("{text}\n");
    }
    out + "\\end{verbatim}\n\\end{small}\n"
}

/// Words with the letters that LaTeX would take for commands escaped.
fn words(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '\\' => out += "\\textbackslash{}",
            '^' => out += "\\textasciicircum{}",
            '~' => out += "\\textasciitilde{}",
            '<' | '>' | '|' => out += &format!("\\ensuremath{{{c}}}"),
            '#' | '$' | '%' | '&' | '_' | '{' | '}' => {
                out.push('\\');
                out.push(c);
            }
            '\u{307}' => {
                let letter = out.pop().unwrap_or(' ');
                out += &format!("\\ensuremath{{\\dot {letter}}}");
            }
            c if c.is_ascii() => out.push(c),
            other => match LETTERS.iter().find(|(letter, _)| *letter == other) {
                Some((_, command)) => out += &format!("\\ensuremath{{{command}}}"),
                None if LATIN.contains(&other) => out.push(other),
                None => out.push('?'),
            },
        }
    }
    out
}

/// Letters beyond ASCII that fonts with T1 encoding have.
const LATIN: std::ops::RangeInclusive<char> = '\u{c0}'..='\u{ff}';

/// Other letters and the commands for them.
const LETTERS: [(char, &str); 33] = [
    ('α', "\\alpha"),
    ('β', "\\beta"),
    ('γ', "\\gamma"),
    ('δ', "\\delta"),
    ('ε', "\\varepsilon"),
    ('ζ', "\\zeta"),
    ('η', "\\eta"),
    ('θ', "\\theta"),
    ('κ', "\\kappa"),
    ('λ', "\\lambda"),
    ('μ', "\\mu"),
    ('ν', "\\nu"),
    ('ξ', "\\xi"),
    ('π', "\\pi"),
    ('ρ', "\\rho"),
    ('σ', "\\sigma"),
    ('τ', "\\tau"),
    ('φ', "\\varphi"),
    ('χ', "\\chi"),
    ('ψ', "\\psi"),
    ('ω', "\\omega"),
    ('Ω', "\\Omega"),
    ('°', "^\\circ"),
    ('²', "^2"),
    ('³', "^3"),
    ('·', "\\cdot"),
    ('×', "\\times"),
    ('−', "-"),
    ('…', "\\ldots"),
    ('ᵀ', "^{T}"),
    ('ᵣ', "_{r}"),
    ('ẏ', "\\dot y"),
    ('ÿ', "\\ddot y"),
];
