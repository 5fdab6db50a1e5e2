//! Numbers as people write them: 9.81 rather than 981/100, but 1/2 and 1/3 as fractions; no more digits than are read. Signs are drawn into brackets
//! that subtract: `x (t - 1)` rather than `-x (1 - t)`.

use cardan_expr::Rational;
use cardan_expr::print::Layout;

use crate::line_breaking::width;

/// Sums wider than this are broken.
const BREAKABLE: usize = 60;

/// The largest numerator and denominator that stay a fraction.
const SMALL: f64 = 12.0;

/// Fractions with more digits than this are shown as decimals even if these are rounded.
const LONG: usize = 9;

/// Digits of a number in a formula.
const DIGITS: usize = 7;

/// The layout with fractions of large numbers as decimals, where these are exact and short.
pub fn tidy(layout: Layout) -> Layout {
    match layout {
        Layout::Number(n, Some(d)) => match decimal(&n, &d) {
            Some(text) => Layout::Number(text, None),
            None => Layout::Number(n, Some(d)),
        },
        Layout::Product(top, bottom) => product(top, bottom),
        Layout::Sum(terms) => {
            let term = |(minus, t): (bool, Layout)| match tidy(t) {
                t if minus && turned(&t).is_some() => (false, turned(&t).unwrap_or(t)),
                t => (minus, t),
            };
            Layout::Sum(terms.into_iter().map(term).collect())
        }
        Layout::Minus(inner) => match tidy(*inner) {
            inner if turned(&inner).is_some() => turned(&inner).unwrap_or(inner),
            Layout::Sum(terms) if terms.iter().all(|(minus, t)| *minus || turned(t).is_some()) => {
                let opposite = |(minus, t): (bool, Layout)| if minus { t } else { turned(&t).unwrap_or(t) };
                Layout::Sum(terms.into_iter().map(|term| (false, opposite(term))).collect())
            }
            // A long sum can be broken between its terms, but not behind a sign in front.
            Layout::Sum(terms) if width(&Layout::Sum(terms.clone())) > BREAKABLE => {
                Layout::Sum(terms.into_iter().map(|(minus, t)| (!minus, t)).collect())
            }
            inner => Layout::Minus(Box::new(inner)),
        },
        Layout::Power(base, n) => Layout::Power(Box::new(tidy(*base)), n),
        Layout::Relation(a, sign, b) => Layout::Relation(Box::new(tidy(*a)), sign, Box::new(tidy(*b))),
        Layout::Cases(arms, otherwise) => {
            let arms = arms.into_iter().map(|(v, c)| (tidy(v), tidy(c))).collect();
            Layout::Cases(arms, Box::new(tidy(*otherwise)))
        }
        Layout::Call(name, parts) => Layout::Call(name, parts.into_iter().map(tidy).collect()),
        other => other,
    }
}

/// The opposite of a product with brackets that begin better with another term: of `x (1 - t)` it is `x (t - 1)`.
fn turned(product: &Layout) -> Option<Layout> {
    let Layout::Product(top, bottom) = product else { return None };
    let subtracts = |f: &Layout| match f {
        Layout::Sum(terms) => matches!(terms.as_slice(), [(false, _), (true, _)]),
        _ => false,
    };
    let place = top.iter().position(subtracts)?;
    let mut top = top.clone();
    if let Layout::Sum(terms) = &mut top[place] {
        terms.swap(0, 1);
        terms.iter_mut().for_each(|(minus, _)| *minus = !*minus);
    }
    Some(Layout::Product(top, bottom.clone()))
}

/// The layout with long decimals rounded.
pub fn rounded(layout: Layout) -> Layout {
    match layout {
        Layout::Number(n, None) => Layout::Number(fewer_digits(n), None),
        Layout::Sum(terms) => Layout::Sum(terms.into_iter().map(|(s, t)| (s, rounded(t))).collect()),
        Layout::Minus(inner) => Layout::Minus(Box::new(rounded(*inner))),
        Layout::Product(top, bottom) => {
            Layout::Product(top.into_iter().map(rounded).collect(), bottom.into_iter().map(rounded).collect())
        }
        Layout::Power(base, n) => Layout::Power(Box::new(rounded(*base)), n),
        Layout::Relation(a, sign, b) => Layout::Relation(Box::new(rounded(*a)), sign, Box::new(rounded(*b))),
        Layout::Cases(arms, otherwise) => {
            let arms = arms.into_iter().map(|(v, c)| (rounded(v), rounded(c))).collect();
            Layout::Cases(arms, Box::new(rounded(*otherwise)))
        }
        Layout::Call(name, parts) => Layout::Call(name, parts.into_iter().map(rounded).collect()),
        other => other,
    }
}

/// A decimal with at most so many digits; integers keep all of theirs.
fn fewer_digits(n: String) -> String {
    let (mantissa, _) = n.split_once('e').unwrap_or((&n, ""));
    let count = mantissa.trim_start_matches(['0', '.']).chars().filter(char::is_ascii_digit).count();
    let Some(value) = n.parse::<f64>().ok().filter(|_| mantissa.contains('.') && count > DIGITS) else {
        return n;
    };
    let short = format!("{value:.*e}", DIGITS - 1).parse::<f64>().unwrap_or(value);
    match short.abs() {
        size if (1e-4..1e9).contains(&size) => short.to_string(),
        _ => format!("{short:e}"),
    }
}

/// The numbers above and below the line become one in front.
fn product(top: Vec<Layout>, bottom: Vec<Layout>) -> Layout {
    let split = |list: Vec<Layout>| -> (Vec<String>, Vec<Layout>) {
        let (numbers, rest): (Vec<Layout>, Vec<Layout>) =
            list.into_iter().partition(|l| matches!(l, Layout::Number(_, None)));
        let digits = |l: Layout| match l {
            Layout::Number(n, _) => n,
            _ => String::new(),
        };
        (numbers.into_iter().map(digits).collect(), rest.into_iter().map(tidy).collect())
    };
    let ((above, mut top), (below, mut bottom)) = (split(top), split(bottom));
    let one = |list: &[String]| if let [n] = list { n.clone() } else { "1".into() };
    if above.len() <= 1
        && below.len() == 1
        && let Some(text) = decimal(&one(&above), &one(&below))
    {
        top.insert(0, Layout::Number(text, None));
    } else {
        let number = |n: String| Layout::Number(n, None);
        top.splice(0..0, above.into_iter().map(number));
        bottom.splice(0..0, below.into_iter().map(number));
    }
    if bottom.is_empty() && top.len() == 1 {
        return top.remove(0);
    }
    Layout::Product(top, bottom)
}

/// n/d as a decimal, unless it is better as a fraction.
fn decimal(n: &str, d: &str) -> Option<String> {
    let exact = Rational::from_decimal(n)?.mul(&Rational::from_decimal(d)?.recip()?);
    let small = |t: &str| t.parse::<f64>().is_ok_and(|x| x.abs() <= SMALL);
    if small(n) && small(d) {
        return None;
    }
    let text = exact.to_f64().to_string();
    let is_exact = Rational::from_decimal(&text).as_ref() == Some(&exact);
    let short = text.len() <= 12 && is_exact;
    // A fraction of many digits is read as the decimal that it nearly is.
    (short || n.len().max(d.len()) > LONG).then_some(text)
}

#[cfg(test)]
mod tests {
    use cardan_expr::print::{Names, text};
    use cardan_expr::{Kind, Pool};

    use crate::number_format::*;

    fn shown(expression: &str) -> String {
        let pool = Pool::new();
        let [m, l] = ["m", "l"].map(|n| pool.symbol(n, Kind::Parameter));
        let find = |name: &str| [("m", m), ("l", l)].iter().find(|(n, _)| *n == name).map(|(_, e)| *e);
        let e = pool.parse(expression, &find).unwrap();
        text::render(&tidy(Layout::of(&pool, e, &Names::default())))
    }

    #[test]
    fn decimals_where_they_are_short() {
        assert_eq!(shown("981/100*m*l"), "9.81*m*l");
        assert_eq!(shown("m/3"), "m/3");
        assert_eq!(shown("981/100"), "9.81");
        assert_eq!(shown("m/7000"), "m/7000");
        assert_eq!(shown("0.1*m*(l - 1) - l*(1 - m)*0.3"), "0.3*l*(m - 1) + 0.1*m*(l - 1)");
        assert_eq!(shown("6171389001427644/100000000000000003"), "0.06171389001427644");
    }

    #[test]
    fn long_decimals_are_rounded_and_integers_are_not() {
        let table = [
            ("0.06171389001427645", "0.06171389"),
            ("0.30000000000000004", "0.3"),
            ("1.234567891e-12", "1.234568e-12"),
            ("123456789", "123456789"),
            ("0.0000123", "0.0000123"),
            ("4530.25", "4530.25"),
        ];
        for (given, expected) in table {
            assert_eq!(fewer_digits(given.into()), expected);
        }
    }
}
