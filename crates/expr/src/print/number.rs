//! Numbers as they are written: exact, and short where they are very large or very small.

use super::Layout;
use crate::Rational;

/// Decimals with more letters than this give way to a form with an exponent of ten where that is shorter.
const LONG: usize = 8;

/// A number from zero on: `0.000000000066743` is `6.6743e-11`.
pub(super) fn number(r: &Rational) -> Layout {
    let text = r.to_string();
    if text.len() > LONG {
        let short = format!("{:e}", r.to_f64());
        if short.len() < text.len() && Rational::from_decimal(&short).as_ref() == Some(r) {
            return Layout::Number(short, None);
        }
    }
    match text.split_once('/') {
        Some((n, d)) => Layout::Number(n.into(), Some(d.into())),
        None => Layout::Number(text, None),
    }
}

/// The number that a layout is, if it is one.
pub(super) fn value(layout: &Layout) -> Option<Rational> {
    match layout {
        Layout::Number(n, None) => Rational::from_decimal(n),
        Layout::Number(n, Some(d)) => {
            Some(Rational::from_decimal(n)?.mul(&Rational::from_decimal(d)?.recip()?))
        }
        Layout::Minus(inner) => Some(value(inner)?.neg()),
        _ => None,
    }
}

/// Digits before the exponent of ten, and the exponent.
pub(super) fn with_exponent(number: &str) -> Option<(&str, &str)> {
    number.split_once('e')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extreme_numbers_are_short_and_exact() {
        let table = [
            ("6.6743e-11", "6.6743e-11"),
            ("9.81", "9.81"),
            ("200000000000", "2e11"),
            ("0.0000001", "1e-7"),
            ("123456789.25", "123456789.25"),
            ("0.00005", "0.00005"),
            ("0", "0"),
            ("1.602176634e-29", "1.602176634e-29"),
        ];
        for (given, expected) in table {
            let r = Rational::from_decimal(given).unwrap();
            let shown = number(&r);
            assert_eq!(shown, Layout::Number(expected.into(), None));
            assert_eq!(value(&shown), Some(r));
        }
    }
}
