//! Formulas in the rich text format: on one line, with letters in italics and what belongs below or above in its place.

use cardan_expr::print::{Layout, Mark, greek, mathml};
use cardan_expr::{Function, Rational};

use crate::formats::rtf::words;

/// A formula.
pub(crate) fn scalar(layout: &Layout) -> String {
    match layout {
        Layout::Number(n, None) => digits(n),
        Layout::Number(n, Some(d)) => format!("{n}/{d}"),
        Layout::Symbol(name) => symbol(name),
        Layout::Minus(inner) => format!("{}{}", sign(true, true), factor(inner)),
        Layout::Sum(terms) => {
            terms.iter().enumerate().map(|(k, (minus, term))| sign(k == 0, *minus) + &factor(term)).collect()
        }
        Layout::Product(top, bottom) => match bottom.as_slice() {
            [] => product(top),
            [only] if is_atom(only) => format!("{}/{}", product(top), scalar(only)),
            several => format!("{}/({})", product(top), product(several)),
        },
        Layout::Power(base, n) if *n == Rational::Small(1, 2) => format!("{}({})", words("√"), scalar(base)),
        Layout::Power(base, n) => {
            let exponent = format!("{{\\super {}}}", words(&n.to_string().replace('-', "−")));
            match base.as_ref() {
                // The exponent of a function stands at its name.
                Layout::Call(name, parts) if !FENCES.contains(&name.as_str()) => {
                    format!("{}{exponent}({})", function(name), list(parts))
                }
                base if is_atom(base) => scalar(base) + &exponent,
                base => format!("({}){exponent}", scalar(base)),
            }
        }
        Layout::Relation(a, sign, b) => {
            let part = |l: &Layout| match l {
                Layout::Relation(_, inner, _) if inner != sign && matches!(*inner, "and" | "or") => {
                    format!("({})", scalar(l))
                }
                _ => scalar(l),
            };
            format!("{} {} {}", part(a), words(mathml::comparison(sign)), part(b))
        }
        Layout::Cases(arms, otherwise) => {
            let line = |(value, condition): &(Layout, Layout)| {
                format!("\\line\\tab {}  if {}", scalar(value), scalar(condition))
            };
            let arms: String = arms.iter().map(line).collect();
            format!("{arms}\\line\\tab {}  otherwise", scalar(otherwise))
        }
        Layout::Call(name, parts) => match (name.as_str(), parts.as_slice()) {
            ("abs", [x]) => format!("|{}|", scalar(x)),
            ("floor", [x]) => format!("{}{}{}", words("⌊"), scalar(x), words("⌋")),
            ("not", [x]) => format!("not {}", factor(x)),
            ("pow", [x, y]) => format!("{}{{\\super {}}}", factor(x), scalar(y)),
            (name, parts) => format!("{}({})", function(name), list(parts)),
        },
    }
}

const FENCES: [&str; 4] = ["abs", "floor", "not", "pow"];

/// A formula beside other factors.
pub(crate) fn factor(layout: &Layout) -> String {
    match layout {
        Layout::Sum(_) | Layout::Minus(_) | Layout::Relation(..) | Layout::Cases(..) => {
            format!("({})", scalar(layout))
        }
        other => scalar(other),
    }
}

/// The sign before a term.
pub(crate) fn sign(first: bool, minus: bool) -> String {
    match (first, minus) {
        (true, false) => String::new(),
        (true, true) => words("−"),
        (false, true) => format!(" {} ", words("−")),
        (false, false) => " + ".into(),
    }
}

/// A name with Greek letters for their names, dots or primes on it, and what belongs below.
pub(crate) fn symbol(name: &str) -> String {
    let mark = Mark::of(name);
    let stem = greek(mark.stem).unwrap_or(mark.stem);
    let below =
        if mark.index.is_empty() { String::new() } else { format!("{{\\sub {}}}", words(&mark.index)) };
    format!("{{\\i {}{}}}{below}", words(&accented(stem, mark.dots)), words(&"′".repeat(mark.primes)))
}

/// Letters that fonts have with a dot above, without and with it.
const DOTTED: [&str; 2] =
    ["ABCDEFGHMNOPRSTWXYZabcdefghmnoprstwxyz", "ȦḂĊḊĖḞĠḢṀṄȮṖṘṠṪẆẊẎŻȧḃċḋėḟġḣṁṅȯṗṙṡṫẇẋẏż"];

/// A word with a dot on a letter near its middle that fonts have with one, else a sign that stands on the letter before it.
fn accented(stem: &str, dots: usize) -> String {
    let letters: Vec<char> = stem.chars().collect();
    let middle = letters.len().saturating_sub(1) / 2;
    let with_dot = |c: char| DOTTED[0].chars().zip(DOTTED[1].chars()).find(|(a, _)| *a == c).map(|(_, b)| b);
    let place = match dots {
        1 => (middle..letters.len()).find(|k| with_dot(letters[*k]).is_some()),
        _ => None,
    };
    let mut out = String::new();
    for (k, c) in letters.iter().enumerate() {
        match (dots, place) {
            (1, Some(at)) if at == k => out.extend(with_dot(*c)),
            (1, None) if k == middle => out.extend([*c, '\u{307}']),
            (2.., _) if k == middle => out.extend([*c, '\u{308}']),
            _ => out.push(*c),
        }
    }
    out
}

/// Factors with raised points between them.
fn product(factors: &[Layout]) -> String {
    match factors {
        [] => "1".into(),
        [only] => scalar(only),
        _ => factors.iter().map(factor).collect::<Vec<_>>().join(&words("\u{200a}·\u{200a}")),
    }
}

fn is_atom(layout: &Layout) -> bool {
    matches!(layout, Layout::Number(_, None) | Layout::Symbol(_) | Layout::Call(..))
}

fn list(parts: &[Layout]) -> String {
    parts.iter().map(scalar).collect::<Vec<_>>().join(", ")
}

/// The name of a function; those that a model declares look like other names of it.
fn function(name: &str) -> String {
    match name {
        "asin" | "acos" | "atan" => format!("arc{}", &name[1..]),
        "sign" => "sgn".into(),
        "solve" => name.into(),
        _ if Function::named(name).is_some() => words(name),
        _ => symbol(name),
    }
}

fn digits(n: &str) -> String {
    match n.split_once('e') {
        None => n.into(),
        Some((mantissa, exponent)) => {
            let ten = format!("10{{\\super {}}}", words(&exponent.replace('-', "−")));
            if mantissa == "1" { ten } else { format!("{mantissa}{}{ten}", words("×")) }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::formats::rtf_math::*;

    #[test]
    fn rates_have_dots_that_fonts_have() {
        assert_eq!(accented("GA", 1), "ĠA");
        assert_eq!(accented("Y", 1), "Ẏ");
        assert_eq!(accented("φ", 1), "φ\u{307}");
        assert_eq!(accented("lean", 1), "lėan");
        assert_eq!(accented("x", 2), "x\u{308}");
    }
}
