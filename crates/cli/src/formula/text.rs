//! A formula as one line of text that the model language could read.

use super::Formula;

/// How tightly a formula binds.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    Choice,
    Relation,
    Sum,
    Product,
    Power,
    Atom,
}

/// The formula as text.
pub fn text(formula: &Formula) -> String {
    write(formula).0
}

fn inside(formula: &Formula, at_least: Level) -> String {
    let (text, level) = write(formula);
    if level < at_least { format!("({text})") } else { text }
}

fn write(formula: &Formula) -> (String, Level) {
    match formula {
        Formula::Number(digits) => (digits.clone(), Level::Atom),
        Formula::Name(name) => (name.clone(), Level::Atom),
        Formula::Sum(terms) => {
            let mut out = String::new();
            for (k, (minus, term)) in terms.iter().enumerate() {
                out += match (k, minus) {
                    (0, false) => "",
                    (0, true) => "-",
                    (_, false) => " + ",
                    (_, true) => " - ",
                };
                out += &inside(term, Level::Product);
            }
            (out, Level::Sum)
        }
        Formula::Product(factors) => {
            let parts: Vec<String> = factors.iter().map(|f| inside(f, Level::Power)).collect();
            (parts.join("*"), Level::Product)
        }
        Formula::Fraction(above, below) => {
            (format!("{}/{}", inside(above, Level::Product), inside(below, Level::Power)), Level::Product)
        }
        Formula::Power(base, exponent) => {
            (format!("{}^{}", inside(base, Level::Atom), inside(exponent, Level::Atom)), Level::Power)
        }
        Formula::Root(x) => (format!("sqrt({})", text(x)), Level::Atom),
        Formula::Call(name, arguments) => {
            let parts: Vec<String> = arguments.iter().map(text).collect();
            (format!("{name}({})", parts.join(", ")), Level::Atom)
        }
        Formula::Relation(a, sign, b) => {
            let sign = match *sign {
                "≤" => "<=",
                "=" => "==",
                other => other,
            };
            (format!("{} {sign} {}", inside(a, Level::Sum), inside(b, Level::Sum)), Level::Relation)
        }
        Formula::If(parts) => {
            let [c, a, b] = parts.as_ref();
            (format!("if {} then {} else {}", text(c), inside(a, Level::Relation), text(b)), Level::Choice)
        }
    }
}
