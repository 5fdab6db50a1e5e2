//! Layouts as LaTeX (amsmath).

use super::Layout;
use super::number::with_exponent;
use super::symbol::{Mark, greek};
use crate::Rational;

/// The layout as the inside of a formula.
pub fn render(layout: &Layout) -> String {
    body(layout)
}

/// A name: derivatives get dots, what belongs below becomes an index, Greek letters are letters.
pub fn symbol(name: &str) -> String {
    let mark = Mark::of(name);
    let letter = match greek(mark.stem) {
        Some(_) => format!("\\{}", mark.stem),
        None if mark.stem.chars().count() > 1 => format!("\\mathit{{{}}}", escape(mark.stem)),
        None => escape(mark.stem),
    };
    let dotted = match mark.dots {
        0 => letter,
        1 => format!("\\dot{{{letter}}}"),
        2 => format!("\\ddot{{{letter}}}"),
        n => format!("{{{letter}}}^{{({n})}}"),
    };
    if mark.index.is_empty() { dotted } else { format!("{dotted}_{{\\mathrm{{{}}}}}", escape(&mark.index)) }
}

fn digits(number: &str) -> String {
    match with_exponent(number) {
        None => number.into(),
        Some(("1", exponent)) => format!("10^{{{exponent}}}"),
        Some((mantissa, exponent)) => format!("{mantissa} \\times 10^{{{exponent}}}"),
    }
}

fn function(name: &str) -> String {
    match name {
        "sin" | "cos" | "tan" | "exp" | "ln" | "sinh" | "cosh" | "tanh" | "min" | "max" => {
            format!("\\{name}")
        }
        other => format!("\\operatorname{{{}}}", escape(other)),
    }
}

fn call(head: &str, parts: &[Layout]) -> String {
    let inner = parts.iter().map(body).collect::<Vec<_>>().join(", ");
    format!("{head}\\left({inner}\\right)")
}

fn escape(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        if "_&%$#{}".contains(c) {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

fn factor(layout: &Layout) -> String {
    match layout {
        Layout::Sum(_) | Layout::Minus(_) | Layout::Relation(..) | Layout::Cases(..) => {
            format!("\\left({}\\right)", body(layout))
        }
        _ => body(layout),
    }
}

fn product(factors: &[Layout]) -> String {
    match factors {
        [] => "1".into(),
        [only] => body(only),
        _ => factors.iter().map(factor).collect::<Vec<_>>().join("\\,"),
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
            // The exponent of a function stands at its name.
            Layout::Call(name, parts) => call(&format!("{}^{{{n}}}", function(name)), parts),
            Layout::Symbol(_) | Layout::Number(_, None) => format!("{{{}}}^{{{n}}}", body(base)),
            _ => format!("\\left({}\\right)^{{{n}}}", body(base)),
        },
        Layout::Relation(a, sign, b) => {
            let sign = match *sign {
                "<=" => "\\le",
                "==" => "=",
                "and" => "\\wedge",
                "or" => "\\vee",
                other => other,
            };
            format!("{} {sign} {}", body(a), body(b))
        }
        Layout::Cases(arms, otherwise) => {
            let mut rows: String =
                arms.iter().map(|(v, c)| format!("{} & \\text{{if }} {} \\\\ ", body(v), body(c))).collect();
            rows.push_str(&format!("{} & \\text{{otherwise}}", body(otherwise)));
            format!("\\begin{{cases}}{rows}\\end{{cases}}")
        }
        Layout::Call(name, parts) => call(&function(name), parts),
    }
}
