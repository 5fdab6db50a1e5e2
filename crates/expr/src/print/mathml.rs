//! Layouts as presentation MathML, which browsers draw without help.

use super::Layout;
use super::number::with_exponent;
use super::order::in_order;
use super::symbol::{Mark, greek};
use crate::{Function, Rational};

/// The sign of a comparison as mathematics has it.
pub fn comparison(sign: &str) -> &str {
    match sign {
        "<=" => "≤",
        ">=" => "≥",
        "==" => "=",
        "!=" => "≠",
        other => other,
    }
}

/// The layout as one `<mrow>`.
pub fn render(layout: &Layout) -> String {
    row(&body(layout))
}

/// `left = right` as a block formula.
pub fn equation(left: &str, right: &Layout) -> String {
    format!("<math display=\"block\">{}</math>", row(&format!("{}<mo>=</mo>{}", symbol(left), body(right))))
}

fn row(inner: &str) -> String {
    format!("<mrow>{inner}</mrow>")
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// A name: derivatives get dots, what belongs below becomes an index, Greek letters are letters.
pub fn symbol(name: &str) -> String {
    let mark = Mark::of(name);
    let letter = format!("<mi>{}</mi>", greek(mark.stem).map_or_else(|| escape(mark.stem), String::from));
    let dotted = match mark.dots {
        0 => letter,
        1 => format!("<mover accent=\"true\">{letter}<mo>˙</mo></mover>"),
        2 => format!("<mover accent=\"true\">{letter}<mo>¨</mo></mover>"),
        n => format!("<msup>{letter}<mrow><mo>(</mo><mn>{n}</mn><mo>)</mo></mrow></msup>"),
    };
    let primed = match mark.primes {
        0 => dotted,
        n => format!("<msup>{dotted}<mo>{}</mo></msup>", "′".repeat(n)),
    };
    if mark.index.is_empty() {
        primed
    } else {
        format!("<msub>{primed}<mtext>{}</mtext></msub>", escape(&mark.index))
    }
}

fn digits(number: &str) -> String {
    match with_exponent(number) {
        None => format!("<mn>{number}</mn>"),
        Some((mantissa, exponent)) => {
            let ten = format!("<msup><mn>10</mn><mn>{}</mn></msup>", exponent.replace('-', "−"));
            if mantissa == "1" { ten } else { format!("<mn>{mantissa}</mn><mo>×</mo>{ten}") }
        }
    }
}

fn fenced(layout: &Layout) -> String {
    format!("<mo>(</mo>{}<mo>)</mo>", row(&body(layout)))
}

/// The layout as it stands beside other factors: sums have brackets.
pub fn factor(layout: &Layout) -> String {
    match layout {
        Layout::Sum(_) | Layout::Minus(_) | Layout::Relation(..) | Layout::Cases(..) => fenced(layout),
        _ => body(layout),
    }
}

/// Factors side by side, functions last.
fn product(factors: &[Layout]) -> String {
    match factors {
        [] => return "<mn>1</mn>".into(),
        // Above or below a line, a sum needs no brackets.
        [only] => return body(only),
        _ => {}
    }
    let mut out = String::new();
    for (k, each) in in_order(factors).into_iter().enumerate() {
        if k > 0 {
            out.push_str("<mo>&#x2062;</mo><mspace width=\"0.17em\"></mspace>");
        }
        out.push_str(&factor(each));
    }
    out
}

/// The name of a function; those that a model declares look like other names of it.
fn function(name: &str) -> String {
    match name {
        "asin" | "acos" | "atan" => format!("<mi>arc{}</mi>", &name[1..]),
        "sign" => "<mi>sgn</mi>".into(),
        "solve" => "<mi>solve</mi>".into(),
        _ if Function::named(name).is_some() => format!("<mi>{}</mi>", escape(name)),
        _ => symbol(name),
    }
}

/// A function with its exponent, if it has one. The argument of a function that everybody knows needs no brackets if it is a letter.
fn call(name: &str, exponent: Option<&Rational>, parts: &[Layout]) -> String {
    let head = match exponent {
        Some(n) => format!("<msup>{}<mn>{n}</mn></msup>", function(name)),
        None => function(name),
    };
    if let ([Layout::Symbol(argument)], true) = (parts, Function::named(name).is_some()) {
        return format!("{head}<mo>&#x2061;</mo><mspace width=\"0.17em\"></mspace>{}", symbol(argument));
    }
    let inner = parts.iter().map(body).collect::<Vec<_>>().join("<mo>,</mo>");
    format!("{head}<mo>&#x2061;</mo><mo>(</mo>{}<mo>)</mo>", row(&inner))
}

fn body(layout: &Layout) -> String {
    match layout {
        Layout::Number(n, None) => digits(n),
        Layout::Number(n, Some(d)) => format!("<mfrac><mn>{n}</mn><mn>{d}</mn></mfrac>"),
        Layout::Symbol(name) => symbol(name),
        Layout::Minus(inner) => format!("<mo>−</mo>{}", factor(inner)),
        Layout::Sum(terms) => {
            let mut out = String::new();
            for (k, (minus, term)) in terms.iter().enumerate() {
                out.push_str(match (k, minus) {
                    (0, false) => "",
                    (_, true) => "<mo>−</mo>",
                    (_, false) => "<mo>+</mo>",
                });
                out.push_str(&factor(term));
            }
            out
        }
        Layout::Product(top, bottom) if bottom.is_empty() => product(top),
        Layout::Product(top, bottom) => {
            format!("<mfrac>{}{}</mfrac>", row(&product(top)), row(&product(bottom)))
        }
        Layout::Power(base, n) if *n == Rational::Small(1, 2) => {
            format!("<msqrt>{}</msqrt>", row(&body(base)))
        }
        Layout::Power(base, n) => match &**base {
            // The exponent of a function stands at its name: sin² x.
            Layout::Call(name, parts) if !matches!(name.as_str(), "abs" | "floor" | "pow" | "not") => {
                call(name, Some(n), parts)
            }
            Layout::Symbol(_) | Layout::Number(_, None) => {
                format!("<msup>{}<mn>{n}</mn></msup>", row(&body(base)))
            }
            _ => format!("<msup>{}<mn>{n}</mn></msup>", row(&fenced(base))),
        },
        Layout::Relation(a, sign, b) => {
            let shown = match *sign {
                "and" => "∧",
                "or" => "∨",
                other => comparison(other),
            };
            let part = |l: &Layout| match l {
                Layout::Relation(_, inner, _) if inner != sign && matches!(*inner, "and" | "or") => fenced(l),
                _ => body(l),
            };
            format!("{}<mo>{}</mo>{}", part(a), escape(shown), part(b))
        }
        Layout::Cases(arms, otherwise) => {
            let line = |value: &Layout, condition: &str| {
                format!("<mtr><mtd>{}</mtd><mtd>{condition}</mtd></mtr>", row(&body(value)))
            };
            let mut rows: String = arms
                .iter()
                .map(|(v, c)| line(v, &format!("<mtext>if&#xa0;</mtext>{}", row(&body(c)))))
                .collect();
            rows.push_str(&line(otherwise, "<mtext>otherwise</mtext>"));
            format!(
                "<mo stretchy=\"true\" fence=\"true\">{{</mo><mtable columnalign=\"left\">{rows}</mtable>"
            )
        }
        Layout::Call(name, parts) => match (name.as_str(), parts.as_slice()) {
            ("abs", [x]) => format!("<mo>|</mo>{}<mo>|</mo>", row(&body(x))),
            ("floor", [x]) => format!("<mo>⌊</mo>{}<mo>⌋</mo>", row(&body(x))),
            ("not", [x]) => format!("<mo>¬</mo>{}", factor(x)),
            ("pow", [x, y]) => format!("<msup>{}{}</msup>", row(&factor(x)), row(&body(y))),
            (name, parts) => call(name, None, parts),
        },
    }
}
