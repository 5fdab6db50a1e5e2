//! The document in LaTeX: article class, amsmath, TikZ for the figure.

use cardan_expr::print::{Layout, latex as math};

use crate::chapters::topology::Drawing;
use crate::columns::Grid;
use crate::document::{Block, Cell, Document, Equation, Formula, runs};
use crate::formats::figure::Picture;
use crate::formats::latex_unicode::{said, unshown, words};
use crate::line_breaking::{
    BESIDE, FEW, Line, can_break, grouped, is_short, lines, side_width, terms, width,
};
use crate::plot::{Plot, short};

/// Letters on a line of formulas.
const ROOM: usize = 76;

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
    out += "\\end{document}\n";
    match unshown(&out).as_slice() {
        [] => out,
        letters => format!("% {}.\n{CODE_POINT}{out}", said(letters)),
    }
}

/// What stands for a letter that has no sign.
const CODE_POINT: &str = "\\newcommand{\\codepoint}[1]{\\texttt{[U+#1]}}\n";

const PREAMBLE: &str = r"\documentclass[a4paper,11pt,fleqn]{article}
\usepackage[utf8]{inputenc}
\usepackage[T1]{fontenc}
\IfFileExists{lmodern.sty}{\usepackage{lmodern}}{}
\usepackage[margin=24mm]{geometry}
\usepackage{amsmath,array,graphicx,longtable,textcomp,tikz}
\setlength{\parindent}{0pt}
\setlength{\parskip}{0.6ex}
\setlength{\jot}{0.8ex}
\setlength{\mathindent}{1.5em}
\allowdisplaybreaks
\AtBeginDocument{\setlength{\abovedisplayskip}{0.6ex}\setlength{\abovedisplayshortskip}{0.6ex}}
% A heading with less than this below it goes to the next page.
\makeatletter
\newcommand{\need}[1]{\par\penalty-100\begingroup\setlength{\dimen@}{\pagegoal}\addtolength{\dimen@}{-\pagetotal}%
  \ifdim\dimen@<#1\relax\ifdim\pagetotal>0pt\vfil\break\fi\fi\endgroup}
\makeatother
% The topology.
\tikzset{body/.style={draw, rounded corners=2pt, fill=white, inner sep=0pt, minimum height=28},
  held/.style={black!60}, cut/.style={dashed, red!60!black},
  heldwords/.style={font=\footnotesize, inner sep=1pt, fill=white, text=black!75},
  cutwords/.style={font=\footnotesize, inner sep=1pt, fill=white, text=red!60!black}}
% What is wider than the page is made to fit.
\newsavebox{\wide}
\newcommand{\fit}[2]{\sbox{\wide}{#2}\ifdim\wd\wide>#1\ifdim0.95\wd\wide>#1\typeout{Shrunk to fit.}\fi\resizebox{#1}{!}{\usebox{\wide}}\else\usebox{\wide}\fi}
\author{}
";

fn write(group: &[Block]) -> String {
    let equations: Vec<&Equation> =
        group.iter().filter_map(|b| if let Block::Equation(e) = b { Some(e) } else { None }).collect();
    if equations.is_empty() {
        return group.iter().map(other).collect();
    }
    let mut out = String::new();
    let mut waiting: Vec<String> = vec![];
    let mut flush = |rows: &mut Vec<String>| {
        if !rows.is_empty() {
            out += &format!("\\begin{{align*}}\n{}\n\\end{{align*}}\n", rows.join(" \\\\\n"));
            rows.clear();
        }
    };
    for run in equations.chunk_by(|a, b| is_short(a) == is_short(b)) {
        let rows = run.iter().map(|e| aligned(e));
        if run.len() < FEW || !run.iter().all(|e| is_short(e)) {
            waiting.extend(rows);
            continue;
        }
        // Short equations stand side by side.
        flush(&mut waiting);
        let rows: Vec<String> = rows.collect();
        flush(&mut rows.chunks(BESIDE).map(|list| list.join(" & ")).collect());
    }
    flush(&mut waiting);
    out
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
        Block::Table(grid) => table(grid),
        Block::Plot(curve) => plot(curve),
        Block::Law(law) => format!("\\[{}\\]\n", law.latex),
        Block::Figure(drawing) => figure(drawing),
        Block::Listing(lines) => listing(lines),
    }
}

fn table(grid: &Grid) -> String {
    // Columns of known width look right the first time that LaTeX sees them.
    let column = |share: f64| {
        format!(">{{\\raggedright\\arraybackslash}}p{{\\dimexpr{share:.3}\\linewidth-2\\tabcolsep}}")
    };
    let columns = grid.shares().into_iter().map(column);
    let mut out = format!("\\begin{{longtable}}[l]{{@{{}}{}@{{}}}}\n", columns.collect::<String>());
    let heads: Vec<String> = grid.heads.iter().map(|h| format!("\\textit{{{}}}", words(h))).collect();
    out += &format!("{} \\\\ \\hline\n\\noalign{{\\vskip 0.5ex}}\n\\endhead\n", heads.join(" & "));
    for row in &grid.rows {
        let cell = |c: &Cell| match c {
            Cell::Words(text) => words(text),
            Cell::Symbol(name) => format!("${}$", math::symbol(name)),
            Cell::Formula(formula) => format!("${}$", side(formula)),
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
    // What the left side and the indentation leave.
    let share = (84.0 - side_width(&equation.left) as f64).max(50.0) / 92.0;
    let scaled = |line: &String| format!("\\fit{{{share:.2}\\linewidth}}{{$\\displaystyle {line}$}}");
    let lines: Vec<String> = if may_be_wide { lines.iter().map(scaled).collect() } else { lines };
    let sign = equation.sign.replace(":=", "\\mathrel{:=}");
    format!("{left} &{sign} {}", lines.join(" \\\\\n&\\quad "))
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
        [only] => math::factor(only),
        list => math::render(&Layout::Product(list.to_vec(), vec![])),
    };
    let sum = math::render(&Layout::Sum(line.terms.clone()));
    let size = if line.tall { "Bigg" } else { "big" };
    let minus = line.terms.first().is_some_and(|(minus, _)| *minus);
    let begin = match &line.opens {
        Some((minus, before)) => format!("{}{} \\{size}l(", sign(*minus), factors(before)),
        None if line.inside && minus => "\\quad {}".into(),
        None if line.inside => "\\quad {} + ".into(),
        None if minus => (if first { "" } else { "{}" }).into(),
        None => sign(false).into(),
    };
    let end = line.closes.as_ref().map_or(String::new(), |after| format!("\\{size}r) {}", factors(after)));
    format!("{begin}{sum}{end}")
}

fn side(formula: &Formula) -> String {
    match formula {
        Formula::Scalar(layout) => math::render(layout),
        Formula::Name(name) => math::symbol(name),
        Formula::Words(text) => format!("\\text{{{}}}\\quad ", words(text)),
        Formula::Entry(letter, indices) => {
            let indices: Vec<String> = indices.iter().map(usize::to_string).collect();
            format!("{letter}_{{{}}}", indices.join(","))
        }
        Formula::Quantity(letter, body, speed) => {
            let letter = match letter {
                'ω' => "\\omega".to_owned(),
                'α' => "\\alpha".to_owned(),
                other => other.to_string(),
            };
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
                format!("{}\\,{unit} ", math::factor(scalar))
            }
            other => format!("{}\\,{unit} ", math::render(other)),
        };
    }
    out
}

/// `B.x` as a hat over x with the frame as index; two of them side by side are a dyad.
fn unit_vector(name: &str) -> String {
    if let Some((first, second)) = name.split_once(' ') {
        return unit_vector(first) + &unit_vector(second);
    }
    match name.rsplit_once('.') {
        Some((frame, axis)) => format!("\\hat{{\\boldsymbol{{{axis}}}}}_{{\\mathrm{{{}}}}}", words(frame)),
        None => format!("\\hat{{\\boldsymbol{{{}}}}}", words(name)),
    }
}

/// Largest width and height of a figure, in points.
const LARGEST: [f64; 2] = [455.0, 600.0];

/// What is scaled down further cannot be read.
const SMALLEST: f64 = 0.42;

/// Boxes in columns, joints along the lines between them; scaled to the page.
fn figure(drawing: &Drawing) -> String {
    let picture = Picture::of(drawing);
    let [w, h] = picture.size;
    let scale = |[across, up]: [f64; 2]| (across / w).min(up / h).min(0.85);
    let (upright, turned) = (scale(LARGEST), scale([LARGEST[1], LARGEST[0]]));
    // A long drawing that would be too small to be read stands on its side.
    let (scale, angle) = if upright < SMALLEST && turned > upright { (turned, 90) } else { (upright, 0) };
    let mut out = format!(
        "\\begin{{center}}\n\\rotatebox{{{angle}}}{{\\scalebox{{{scale:.3}}}{{\\begin{{tikzpicture}}[x=1pt, y=-1pt, body/.append style={{minimum width={:.0}}}]\n{}\\end{{tikzpicture}}}}}}\n\\end{{center}}\n",
        picture.box_width,
        picture.tikz(words)
    );
    if !drawing.closures.is_empty() {
        out += &format!("Loops are closed by {}.\n\n", words(&drawing.closed_by()));
    }
    out
}

/// A curve in a frame with the numbers at its corners.
fn plot(plot: &Plot) -> String {
    let [x, y] = plot.bounds();
    let (w, h) = (8.0, 2.6);
    let points: Vec<String> = plot.placed(w, h).iter().map(|[x, y]| format!("({x:.3},{y:.3})")).collect();
    let label = |at: &str, anchor: &str, value: f64| {
        format!("  \\node[anchor={anchor}, font=\\scriptsize] at {at} {{${}$}};\n", short(value))
    };
    let mut out =
        format!("\\begin{{center}}\n\\begin{{tikzpicture}}\n  \\draw[black!40] (0,0) rectangle ({w},{h});\n");
    out += &format!("  \\draw[thick] plot coordinates {{{}}};\n", points.join(" "));
    out += &label("(0,0)", "north", x[0]);
    out += &label(&format!("({w},0)"), "north", x[1]);
    if y[1] > y[0] {
        out += &label(&format!("(0,{h})"), "east", y[1]);
    }
    out += &label("(0,0.12)", "east", y[0]);
    out + "\\end{tikzpicture}\n\\end{center}\n"
}

/// Lines in a typewriter font, folded.
fn listing(lines: &[String]) -> String {
    const END: &str = "\\end{verbatim";
    let mut out = String::from("\\begin{small}\n\\begin{verbatim}\n");
    for line in lines {
        // A name cannot end the listing.
        let line: String = line.replace(END, "\\ end{verbatim").chars().filter(|c| !c.is_control()).collect();
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
