//! Layouts as LaTeX (amsmath).

use super::Layout;
use super::number::with_exponent;
use super::order::{Height, height, in_order};
use super::symbol::{Mark, greek};
use crate::Rational;

/// The layout as the inside of a formula.
pub fn render(layout: &Layout) -> String {
    body(layout)
}

/// A name: derivatives get dots or primes, what belongs below becomes an index, Greek letters are letters.
pub fn symbol(name: &str) -> String {
    let mark = Mark::of(name);
    let letter = match (mark.stem, greek(mark.stem)) {
        ("epsilon" | "phi", _) => format!("\\var{}", mark.stem),
        (_, Some(_)) => format!("\\{}", mark.stem),
        (stem, None) if stem.chars().count() > 1 => format!("\\mathit{{{}}}", escape(stem)),
        (stem, None) => escape(stem),
    };
    let dotted = match mark.dots {
        0 => letter,
        1 => format!("\\dot{{{letter}}}"),
        2 => format!("\\ddot{{{letter}}}"),
        n => format!("{{{letter}}}^{{({n})}}"),
    };
    let primed = dotted + &"'".repeat(mark.primes);
    if mark.index.is_empty() { primed } else { format!("{primed}_{{\\mathrm{{{}}}}}", escape(&mark.index)) }
}

fn digits(number: &str) -> String {
    match with_exponent(number) {
        None => number.into(),
        Some(("1", exponent)) => format!("10^{{{exponent}}}"),
        Some((mantissa, exponent)) => format!("{mantissa} \\times 10^{{{exponent}}}"),
    }
}

/// The name of a function; those that a model declares look like other names of it.
fn function(name: &str) -> String {
    match name {
        "sin" | "cos" | "tan" | "exp" | "ln" | "sinh" | "cosh" | "tanh" | "min" | "max" => {
            format!("\\{name}")
        }
        "asin" | "acos" | "atan" => format!("\\arc{}", &name[1..]),
        "sign" => "\\operatorname{sgn}".into(),
        "atan2" | "solve" => format!("\\operatorname{{{name}}}"),
        other => symbol(other),
    }
}

fn list(parts: &[Layout]) -> String {
    parts.iter().map(body).collect::<Vec<_>>().join(", ")
}

fn call(head: &str, parts: &[Layout]) -> String {
    format!("{head}{}", fenced(parts.iter().map(height).max(), &list(parts)))
}

/// A function of what may stand behind it without brackets.
fn bare(name: &str, parts: &[Layout]) -> bool {
    matches!(parts, [Layout::Symbol(_)])
        && matches!(name, "sin" | "cos" | "tan" | "asin" | "acos" | "atan" | "sinh" | "cosh" | "tanh" | "ln")
}

/// Brackets as high as what they hold.
fn fenced(height: Option<Height>, inner: &str) -> String {
    match height {
        Some(Height::Tall) => format!("\\left({inner}\\right)"),
        Some(Height::Fenced) => format!("\\bigl({inner}\\bigr)"),
        _ => format!("({inner})"),
    }
}

/// A name within a formula. Names that come from other formats may hold any letter, and none of them makes a command: TeX reads `^^5c` as a
/// backslash too.
fn escape(text: &str) -> String {
    let letter = |c: char| match c {
        '_' | '&' | '%' | '$' | '#' | '{' | '}' => format!("\\{c}"),
        '\\' => "{\\backslash}".into(),
        '^' => "{\\wedge}".into(),
        '~' => "{\\sim}".into(),
        ' ' => "\\ ".into(),
        c if c.is_control() => String::new(),
        c => c.into(),
    };
    text.chars().map(letter).collect()
}

/// The layout as it stands beside other factors: sums have brackets as high as they are.
pub fn factor(layout: &Layout) -> String {
    match layout {
        Layout::Sum(_) | Layout::Minus(_) | Layout::Relation(..) | Layout::Cases(..) => {
            fenced(Some(height(layout)), &body(layout))
        }
        _ => body(layout),
    }
}

fn product(factors: &[Layout]) -> String {
    match factors {
        [] => "1".into(),
        [only] => body(only),
        _ => in_order(factors).into_iter().map(factor).collect::<Vec<_>>().join("\\,"),
    }
}

fn body(layout: &Layout) -> String {
    match layout {
        Layout::Number(n, None) => digits(n),
        Layout::Number(n, Some(d)) => format!("\\frac{{{n}}}{{{d}}}"),
        Layout::Symbol(name) => symbol(name),
        Layout::Minus(inner) => format!("-{}", factor(inner)),
        Layout::Sum(terms) => {
            let mut out = String::new();
            for (k, (minus, term)) in terms.iter().enumerate() {
                out.push_str(match (k, minus) {
                    (0, false) => "",
                    (0, true) => "-",
                    (_, true) => " - ",
                    (_, false) => " + ",
                });
                out.push_str(&factor(term));
            }
            out
        }
        Layout::Product(top, bottom) if bottom.is_empty() => product(top),
        Layout::Product(top, bottom) => format!("\\frac{{{}}}{{{}}}", product(top), product(bottom)),
        Layout::Power(base, n) if *n == Rational::Small(1, 2) => format!("\\sqrt{{{}}}", body(base)),
        Layout::Power(base, n) => match &**base {
            Layout::Call(name, parts) if matches!(name.as_str(), "abs" | "floor" | "pow") => {
                format!("\\left({}\\right)^{{{n}}}", body(&Layout::Call(name.clone(), parts.clone())))
            }
            // The exponent of a function stands at its name.
            Layout::Call(name, parts) if bare(name, parts) => {
                format!("{}^{{{n}}} {}", function(name), list(parts))
            }
            Layout::Call(name, parts) => call(&format!("{{{}}}^{{{n}}}", function(name)), parts),
            // The exponent stands above the index.
            Layout::Symbol(name) if Mark::of(name).primes == 0 => {
                let (stem, index) = match symbol(name).split_once("_{\\mathrm{") {
                    Some((stem, index)) => (stem.to_owned(), format!("_{{\\mathrm{{{index}")),
                    None => (symbol(name), String::new()),
                };
                format!("{{{stem}}}{index}^{{{n}}}")
            }
            Layout::Symbol(_) | Layout::Number(_, None) => format!("{{{}}}^{{{n}}}", body(base)),
            _ => format!("{}^{{{n}}}", fenced(Some(height(base)), &body(base))),
        },
        Layout::Relation(a, sign, b) => {
            let shown = match *sign {
                "<=" => "\\le",
                ">=" => "\\ge",
                "==" => "=",
                "!=" => "\\ne",
                "and" => "\\wedge",
                "or" => "\\vee",
                other => other,
            };
            let part = |l: &Layout| match l {
                Layout::Relation(_, inner, _) if inner != sign && matches!(*inner, "and" | "or") => {
                    format!("({})", body(l))
                }
                _ => body(l),
            };
            format!("{} {shown} {}", part(a), part(b))
        }
        Layout::Cases(arms, otherwise) => {
            let mut rows: String =
                arms.iter().map(|(v, c)| format!("{} & \\text{{if }} {} \\\\ ", body(v), body(c))).collect();
            rows.push_str(&format!("{} & \\text{{otherwise}}", body(otherwise)));
            format!("\\begin{{cases}}{rows}\\end{{cases}}")
        }
        Layout::Call(name, parts) => match (name.as_str(), parts.as_slice()) {
            ("abs", [x]) => format!("\\left|{}\\right|", body(x)),
            ("floor", [x]) => format!("\\left\\lfloor {}\\right\\rfloor", body(x)),
            ("not", [x]) => format!("\\neg {}", factor(x)),
            ("pow", [x, y]) => format!("{{{}}}^{{{}}}", factor(x), body(y)),
            (name, parts) if bare(name, parts) => format!("{} {}", function(name), list(parts)),
            (name, parts) => call(&function(name), parts),
        },
    }
}
