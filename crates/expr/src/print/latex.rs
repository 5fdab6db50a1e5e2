//! Layouts as LaTeX (amsmath).

use super::Layout;
use crate::Rational;

/// The layout as the inside of a formula.
pub fn render(layout: &Layout) -> String {
    body(layout)
}

/// A name: `der(x)` gets a dot, trailing digits and what follows an underscore or a dot become a subscript.
pub fn symbol(name: &str) -> String {
    if let Some(inner) = name.strip_prefix("der(").and_then(|n| n.strip_suffix(')')) {
        return format!("\\dot{{{}}}", symbol(inner));
    }
    const GREEK: [&str; 21] = [
        "alpha", "beta", "gamma", "delta", "epsilon", "theta", "lambda", "mu", "nu", "xi", "pi", "rho",
        "sigma", "tau", "phi", "chi", "psi", "omega", "eta", "zeta", "kappa",
    ];
    let digits = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let cut = name.find(['_', '.']).filter(|at| *at > 0);
    let (base, index) = match cut {
        Some(at) => (&name[..at], &name[at + 1..]),
        None if !digits.is_empty() && digits.len() < name.len() => (digits, &name[digits.len()..]),
        None => (name, ""),
    };
    let base = if GREEK.contains(&base) {
        format!("\\{base}")
    } else if base.chars().count() > 1 {
        format!("\\mathit{{{}}}", escape(base))
    } else {
        escape(base)
    };
    if index.is_empty() {
        base
    } else if index.bytes().all(|b| b.is_ascii_digit()) {
        format!("{base}_{{{index}}}")
    } else {
        format!("{base}_{{\\mathit{{{}}}}}", escape(index))
    }
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
    if factors.is_empty() { "1".into() } else { factors.iter().map(factor).collect::<Vec<_>>().join("\\,") }
}

fn body(layout: &Layout) -> String {
    match layout {
        Layout::Number(n, None) => n.clone(),
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
        Layout::Power(base, n) => {
            let simple = matches!(**base, Layout::Symbol(_) | Layout::Number(_, None));
            let base =
                if simple { format!("{{{}}}", body(base)) } else { format!("\\left({}\\right)", body(base)) };
            format!("{base}^{{{n}}}")
        }
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
        Layout::Call(name, parts) => {
            let inner = parts.iter().map(body).collect::<Vec<_>>().join(", ");
            let name = match name.as_str() {
                "sin" | "cos" | "tan" | "exp" | "ln" | "sinh" | "cosh" | "tanh" | "min" | "max" => {
                    format!("\\{name}")
                }
                other => format!("\\operatorname{{{}}}", escape(other)),
            };
            format!("{name}\\left({inner}\\right)")
        }
    }
}
