//! A formula as MathML, which browsers draw without help.

use super::Formula;

/// Letters that have a name of their own.
const GREEK: [(&str, &str); 24] = [
    ("alpha", "α"),
    ("beta", "β"),
    ("gamma", "γ"),
    ("delta", "δ"),
    ("epsilon", "ε"),
    ("zeta", "ζ"),
    ("eta", "η"),
    ("theta", "θ"),
    ("kappa", "κ"),
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
    ("Delta", "Δ"),
    ("Phi", "Φ"),
    ("Omega", "Ω"),
];

/// `name = formula` as one displayed equation.
pub fn mathml_equation(name: &str, formula: &Formula) -> String {
    format!("<math display=\"block\"><mrow>{}<mo>=</mo>{}</mrow></math>", symbol(name), mathml(formula))
}

/// The formula as the inside of a `<math>` element.
fn mathml(formula: &Formula) -> String {
    match formula {
        Formula::Number(digits) => format!("<mn>{digits}</mn>"),
        Formula::Name(name) => symbol(name),
        Formula::Sum(terms) => {
            let mut out = String::from("<mrow>");
            for (k, (minus, term)) in terms.iter().enumerate() {
                out += match (k, minus) {
                    (0, false) => "",
                    (_, true) => "<mo>−</mo>",
                    (_, false) => "<mo>+</mo>",
                };
                out += &bracketed_if(term, matches!(term, Formula::Sum(_) | Formula::If(_)));
            }
            out + "</mrow>"
        }
        Formula::Product(factors) => {
            let part = |f: &Formula| bracketed_if(f, matches!(f, Formula::Sum(_) | Formula::If(_)));
            let parts: Vec<String> = factors.iter().map(part).collect();
            format!("<mrow>{}</mrow>", parts.join("<mo>⋅</mo>"))
        }
        Formula::Fraction(above, below) => format!("<mfrac>{}{}</mfrac>", row(above), row(below)),
        Formula::Power(base, exponent) => {
            // The exponent of a function stands at its name: sin² x.
            if let Formula::Call(name, arguments) = base.as_ref() {
                let head = format!("<msup>{}{}</msup>", function(name), mathml(exponent));
                return call(&head, arguments);
            }
            let simple = matches!(base.as_ref(), Formula::Name(_) | Formula::Number(_));
            format!("<msup>{}{}</msup>", bracketed_if(base, !simple), row(exponent))
        }
        Formula::Root(x) => format!("<msqrt>{}</msqrt>", mathml(x)),
        Formula::Call(name, arguments) => call(&function(name), arguments),
        Formula::Relation(a, sign, b) => {
            let sign = sign.replace('<', "&lt;");
            format!("<mrow>{}<mo>{sign}</mo>{}</mrow>", mathml(a), mathml(b))
        }
        Formula::If(parts) => {
            let [c, a, b] = parts.as_ref();
            let case = |value: &Formula, when: String| {
                format!("<mtr><mtd>{}</mtd><mtd>{when}</mtd></mtr>", mathml(value))
            };
            let first = case(a, format!("<mtext>if </mtext>{}", mathml(c)));
            let second = case(b, "<mtext>otherwise</mtext>".into());
            format!(
                "<mrow><mo stretchy=\"true\" fence=\"true\">{{</mo><mtable columnalign=\"left\">{first}{second}</mtable></mrow>"
            )
        }
    }
}

fn row(formula: &Formula) -> String {
    format!("<mrow>{}</mrow>", mathml(formula))
}

fn bracketed_if(formula: &Formula, needed: bool) -> String {
    let inner = mathml(formula);
    if needed { format!("<mrow><mo>(</mo>{inner}<mo>)</mo></mrow>") } else { inner }
}

fn call(head: &str, arguments: &[Formula]) -> String {
    // Sine and its kin need no brackets around a single symbol.
    if let [Formula::Name(name)] = arguments
        && !name.contains(['.', '('])
    {
        return format!("<mrow>{head}<mo>&#x2061;</mo><mspace width=\"0.15em\"/>{}</mrow>", symbol(name));
    }
    let parts: Vec<String> = arguments.iter().map(mathml).collect();
    format!(
        "<mrow>{head}<mo>&#x2061;</mo><mrow><mo>(</mo>{}<mo>)</mo></mrow></mrow>",
        parts.join("<mo>,</mo>")
    )
}

fn function(name: &str) -> String {
    format!("<mi>{}</mi>", escape(name))
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// A symbol: `der(x)` gets a dot, trailing digits and what follows an underscore become an index, Greek names letters, parts
/// of a path an index in front of the others: `arm.q1` is q with the index `arm,1`.
fn symbol(name: &str) -> String {
    let (name, dots) = match name.strip_prefix("der(").and_then(|rest| rest.strip_suffix(')')) {
        Some(inner) => (inner, 1),
        None => (name, 0),
    };
    if let Some(inner) = name.strip_prefix("der(").and_then(|rest| rest.strip_suffix(')')) {
        return letter(inner, 2);
    }
    letter(name, dots)
}

/// A letter with dots above and an index below.
fn letter(name: &str, dots: usize) -> String {
    let dotted = |stem: &str| match dots {
        0 => plain(stem),
        1 => format!("<mover accent=\"true\">{}<mo>˙</mo></mover>", plain(stem)),
        _ => format!("<mover accent=\"true\">{}<mo>¨</mo></mover>", plain(stem)),
    };
    if let Some((matrix, index)) = name.strip_suffix(')').and_then(|n| n.split_once('(')) {
        return format!("<msub>{}<mtext>{}</mtext></msub>", dotted(matrix), escape(index));
    }
    let (owner, last) = match name.rsplit_once('.') {
        Some((owner, last)) => (Some(owner), last),
        None => (None, name),
    };
    let digits = last.len() - last.trim_end_matches(|c: char| c.is_ascii_digit()).len();
    let (stem, index) = match last.split_once('_') {
        Some((stem, index)) if !stem.is_empty() && !index.is_empty() => (stem, index),
        _ => last.split_at(last.len() - digits),
    };
    let (stem, index) = if stem.is_empty() { (last, "") } else { (stem, index) };
    let below = match (owner, index) {
        (None, "") => return dotted(stem),
        (None, index) => escape(index),
        (Some(owner), "") => escape(owner),
        (Some(owner), index) => format!("{},{}", escape(owner), escape(index)),
    };
    format!("<msub>{}<mtext>{below}</mtext></msub>", dotted(stem))
}

fn plain(name: &str) -> String {
    let shown = GREEK.iter().find(|(n, _)| *n == name).map_or(name, |(_, letter)| letter);
    format!("<mi>{}</mi>", escape(shown))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn symbols_get_dots_and_indices() {
        assert_eq!(symbol("omega"), "<mi>ω</mi>");
        assert_eq!(symbol("q12"), "<msub><mi>q</mi><mtext>12</mtext></msub>");
        assert_eq!(symbol("der(x)"), "<mover accent=\"true\"><mi>x</mi><mo>˙</mo></mover>");
        assert_eq!(symbol("arm.q1"), "<msub><mi>q</mi><mtext>arm,1</mtext></msub>");
        assert_eq!(symbol("a<b"), "<mi>a&lt;b</mi>");
        assert_eq!(symbol("M(1,2)"), "<msub><mi>M</mi><mtext>1,2</mtext></msub>");
    }

    #[test]
    fn a_squared_sine_carries_its_exponent_at_the_name() {
        let sine = Formula::Call("sin".into(), vec![Formula::Name("q".into())]);
        let squared = Formula::Power(Box::new(sine), Box::new(Formula::Number("2".into())));
        assert!(mathml(&squared).starts_with("<mrow><msup><mi>sin</mi><mn>2</mn></msup>"));
    }
}
