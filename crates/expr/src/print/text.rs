//! Layouts on one line, or on a few where cases are told apart.

use super::Layout;
use crate::Rational;

/// How tightly something binds.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    Choice,
    Relation,
    Sum,
    Product,
    Power,
    Atom,
}

/// The layout as text that can be read back.
pub fn render(layout: &Layout) -> String {
    let mut out = String::new();
    write(layout, Level::Choice, &mut out);
    out
}

/// The layout as lines: one for each case, one for anything else.
pub fn lines(layout: &Layout) -> Vec<String> {
    let Layout::Cases(arms, otherwise) = layout else { return vec![render(layout)] };
    let mut lines: Vec<String> = vec![];
    for (value, condition) in arms {
        let mut line = String::from(if lines.is_empty() { "if " } else { "else if " });
        write_arm(value, condition, &mut line);
        lines.push(line);
    }
    lines.push(format!("else {}", render(otherwise)));
    lines
}

fn level(layout: &Layout) -> Level {
    match layout {
        Layout::Cases(..) => Level::Choice,
        Layout::Relation(..) => Level::Relation,
        Layout::Sum(_) | Layout::Minus(_) => Level::Sum,
        Layout::Product(..) | Layout::Number(_, Some(_)) => Level::Product,
        Layout::Power(_, n) if *n == Rational::Small(1, 2) => Level::Atom,
        Layout::Power(..) => Level::Power,
        Layout::Number(_, None) | Layout::Symbol(_) | Layout::Call(..) => Level::Atom,
    }
}

fn write_arm(value: &Layout, condition: &Layout, out: &mut String) {
    write(condition, Level::Relation, out);
    out.push_str(" then ");
    write(value, Level::Sum, out);
}

fn write(layout: &Layout, around: Level, out: &mut String) {
    let bracket = level(layout) < around;
    if bracket {
        out.push('(');
    }
    match layout {
        Layout::Number(n, None) | Layout::Symbol(n) => out.push_str(n),
        Layout::Number(n, Some(d)) => {
            out.push_str(n);
            out.push('/');
            out.push_str(d);
        }
        Layout::Minus(inner) => {
            out.push('-');
            write(inner, Level::Product, out);
        }
        Layout::Sum(terms) => {
            for (k, (minus, term)) in terms.iter().enumerate() {
                out.push_str(match (k, minus) {
                    (0, false) => "",
                    (0, true) => "-",
                    (_, false) => " + ",
                    (_, true) => " - ",
                });
                write(term, Level::Product, out);
            }
        }
        Layout::Product(top, bottom) => {
            write_factors(top, out);
            match bottom.as_slice() {
                [] => {}
                [only] => {
                    out.push('/');
                    write(only, Level::Power, out);
                }
                several => {
                    out.push_str("/(");
                    write_factors(several, out);
                    out.push(')');
                }
            }
        }
        Layout::Power(base, n) if *n == Rational::Small(1, 2) => {
            out.push_str("sqrt(");
            write(base, Level::Choice, out);
            out.push(')');
        }
        Layout::Power(base, n) => {
            write(base, Level::Atom, out);
            out.push_str(&if n.is_int() { format!("^{n}") } else { format!("^({n})") });
        }
        Layout::Relation(a, sign, b) => {
            write(a, Level::Sum, out);
            out.push_str(&format!(" {sign} "));
            write(b, Level::Sum, out);
        }
        Layout::Cases(arms, otherwise) => {
            for (value, condition) in arms {
                out.push_str("if ");
                write_arm(value, condition, out);
                out.push_str(" else ");
            }
            write(otherwise, Level::Sum, out);
        }
        Layout::Call(name, parts) => {
            out.push_str(name);
            out.push('(');
            for (k, part) in parts.iter().enumerate() {
                if k > 0 {
                    out.push_str(", ");
                }
                write(part, Level::Choice, out);
            }
            out.push(')');
        }
    }
    if bracket {
        out.push(')');
    }
}

fn write_factors(factors: &[Layout], out: &mut String) {
    if factors.is_empty() {
        out.push('1');
    }
    for (k, factor) in factors.iter().enumerate() {
        if k > 0 {
            out.push('*');
        }
        write(factor, Level::Power, out);
    }
}
