//! Exact numbers and lists of them from attributes.

use cardan_base::{Diagnostic, nearest};
use cardan_expr::Rational;

use crate::codes;
use crate::findings::Findings;
use crate::xml::{Attribute, Element};

/// The exact value of a decimal with a sign.
pub(crate) fn decimal(text: &str) -> Option<Rational> {
    let (negative, digits) = match text.strip_prefix(['-', '+']) {
        Some(rest) => (text.starts_with('-'), rest),
        None => (false, text),
    };
    let value = Rational::from_decimal(digits)?;
    // What a float cannot hold is a slip of the pen.
    let size = value.to_f64();
    (size.is_finite() && (size > 1e-290 || value.is_zero()) && size < 1e290)
        .then(|| if negative { value.neg() } else { value })
}

/// All numbers of an attribute, or a finding.
pub(crate) fn list(a: &Attribute, findings: &mut Findings) -> Option<Vec<Rational>> {
    let mut values = vec![];
    for word in a.value.split_whitespace() {
        match decimal(word) {
            Some(value) => values.push(value),
            None => {
                let mut found = Diagnostic::error(codes::VALUE, format!("`{word}` is not a number"))
                    .at(a.span, format!("`{}` takes decimal numbers", a.name));
                found = if a.value.contains("${") {
                    found.hint("expand the macros of this file first: `xacro robot.urdf.xacro > robot.urdf`")
                } else {
                    found.hint("write digits with at most one point and an exponent, such as `-1.25e-3`")
                };
                findings.push(found);
                return None;
            }
        }
    }
    Some(values)
}

/// Exactly `N` numbers, or a finding.
pub(crate) fn array<const N: usize>(a: &Attribute, findings: &mut Findings) -> Option<[Rational; N]> {
    let values = list(a, findings)?;
    let n = values.len();
    match values.try_into() {
        Ok(array) => Some(array),
        Err(_) => {
            let message = format!("`{}` has {n} numbers; it takes {N}", a.name);
            let found = Diagnostic::error(codes::VALUE, message).at(a.span, format!("{n} numbers"));
            findings.push(found.hint(format!("write {N} numbers with blanks between them")));
            None
        }
    }
}

/// One number of an element's attribute; nothing if it is absent or cannot be read.
pub(crate) fn scalar(e: &Element, name: &str, findings: &mut Findings) -> Option<Rational> {
    let [value] = array::<1>(e.attribute(name)?, findings)?;
    Some(value)
}

/// Three numbers of an element's attribute; `default` if it is absent or cannot be read.
pub(crate) fn triple(e: &Element, name: &str, default: [i64; 3], findings: &mut Findings) -> [Rational; 3] {
    e.attribute(name).and_then(|a| array(a, findings)).unwrap_or_else(|| default.map(Rational::int))
}

/// One of a few words, or a finding that proposes the nearest.
pub(crate) fn word<'a>(a: &Attribute, choices: &[&'a str], findings: &mut Findings) -> Option<&'a str> {
    let value = a.value.trim();
    if let Some(found) = choices.iter().find(|c| **c == value) {
        return Some(found);
    }
    let message = format!("`{value}` is not a value of `{}`", a.name);
    let found = Diagnostic::error(codes::VALUE, message).at(a.span, "not known here");
    findings.push(match nearest(value, choices.iter().copied()) {
        Some(near) => found.hint(format!("write `{near}`")),
        None => found.hint(format!("write one of {}", choices.join(", "))),
    });
    None
}

#[cfg(test)]
mod tests {
    use super::decimal;
    use cardan_expr::Rational;

    #[test]
    fn signs_and_exponents_are_exact() {
        assert_eq!(decimal("-1.5e-3"), Rational::new(-3, 2000));
        assert_eq!(decimal("+.5"), Rational::new(1, 2));
        assert_eq!(decimal("5."), Rational::new(5, 1));
        assert_eq!(decimal("0e5"), Rational::new(0, 1));
    }

    #[test]
    fn other_texts_are_not_numbers() {
        for text in ["", "-", "--1", "1,5", "nan", "inf", "0x10", "1e999", "1e-350", "1 2", "${pi}"] {
            assert_eq!(decimal(text), None, "{text}");
        }
    }
}
