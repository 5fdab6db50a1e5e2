//! Layouts as presentation MathML.

use super::Layout;
use crate::Rational;

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

/// A name: `der(x)` gets a dot, trailing digits and what follows an underscore or a dot become a subscript.
pub fn symbol(name: &str) -> String {
    if let Some(inner) = name.strip_prefix("der(").and_then(|n| n.strip_suffix(')')) {
        return format!("<mover accent=\"true\">{}<mo>˙</mo></mover>", row(&symbol(inner)));
    }
    let greek = |base: &str| {
        let letters = [
            ("alpha", "α"),
            ("beta", "β"),
            ("gamma", "γ"),
            ("delta", "δ"),
            ("epsilon", "ε"),
            ("theta", "θ"),
            ("lambda", "λ"),
            ("mu", "μ"),
            ("nu", "ν"),
            ("xi", "ξ"),
            ("pi", "π"),
            ("rho", "ρ"),
            ("sigma", "σ"),
            ("tau", "τ"),
            ("phi", "φ"),
            ("chi", "χ"),
            ("psi", "ψ"),
            ("omega", "ω"),
            ("eta", "η"),
            ("zeta", "ζ"),
            ("kappa", "κ"),
        ];
        letters.iter().find(|(n, _)| *n == base).map_or_else(|| escape(base), |(_, l)| (*l).to_string())
    };
    let digits = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let cut = name.find(['_', '.']).filter(|at| *at > 0);
    let (base, index) = match cut {
        Some(at) => (&name[..at], &name[at + 1..]),
        None if !digits.is_empty() && digits.len() < name.len() => (digits, &name[digits.len()..]),
        None => (name, ""),
    };
    let base = format!("<mi>{}</mi>", greek(base));
    if index.is_empty() { base } else { format!("<msub>{base}<mi>{}</mi></msub>", escape(index)) }
}

fn fenced(layout: &Layout) -> String {
    format!("<mo>(</mo>{}<mo>)</mo>", row(&body(layout)))
}

/// A factor of a product: sums in brackets.
fn factor(layout: &Layout) -> String {
    match layout {
        Layout::Sum(_) | Layout::Minus(_) | Layout::Relation(..) | Layout::Cases(..) => fenced(layout),
        _ => body(layout),
    }
}

fn product(factors: &[Layout]) -> String {
    if factors.is_empty() {
        return "<mn>1</mn>".into();
    }
    factors.iter().map(factor).collect::<Vec<_>>().join("<mo>&#x2062;</mo><mspace width=\"0.17em\"></mspace>")
}

fn body(layout: &Layout) -> String {
    match layout {
        Layout::Number(n, None) => format!("<mn>{n}</mn>"),
        Layout::Number(n, Some(d)) => format!("<mfrac><mn>{n}</mn><mn>{d}</mn></mfrac>"),
        Layout::Symbol(name) => symbol(name),
        Layout::Minus(inner) => format!("<mo>-</mo>{}", factor(inner)),
        Layout::Sum(terms) => {
            let mut out = String::new();
            for (k, (minus, term)) in terms.iter().enumerate() {
                out.push_str(match (k, minus) {
                    (0, false) => "",
                    (_, true) => "<mo>-</mo>",
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
        Layout::Power(base, n) => {
            let simple = matches!(**base, Layout::Symbol(_) | Layout::Number(_, None));
            let base = if simple { body(base) } else { row(&fenced(base)) };
            format!("<msup>{}<mn>{n}</mn></msup>", row(&base))
        }
        Layout::Relation(a, sign, b) => {
            let sign = match *sign {
                "<=" => "≤",
                "==" => "=",
                other => other,
            };
            format!("{}<mo>{}</mo>{}", body(a), escape(sign), body(b))
        }
        Layout::Cases(arms, otherwise) => {
            let line = |value: &Layout, condition: &str| {
                format!("<mtr><mtd>{}</mtd><mtd>{condition}</mtd></mtr>", row(&body(value)))
            };
            let mut rows: String =
                arms.iter().map(|(v, c)| line(v, &format!("<mtext>if </mtext>{}", row(&body(c))))).collect();
            rows.push_str(&line(otherwise, "<mtext>otherwise</mtext>"));
            format!("<mo>{{</mo><mtable>{rows}</mtable>")
        }
        Layout::Call(name, parts) => {
            let inner = parts.iter().map(body).collect::<Vec<_>>().join("<mo>,</mo>");
            format!("<mi>{}</mi><mo>(</mo>{}<mo>)</mo>", escape(name), row(&inner))
        }
    }
}
