//! Expressions as text: `2*m*l^2*u1 - g*sin(q1)`.

use std::fmt::Write;

use crate::{Expr, Node, Pool, Rational};

/// How tightly an expression binds.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    Sum,
    Product,
    Power,
    Atom,
}

impl Pool {
    /// The expression as one line of text; intermediates appear by name.
    pub fn text(&self, e: Expr) -> String {
        let mut out = String::new();
        self.write(e, Level::Sum, &mut out);
        out
    }

    fn write(&self, e: Expr, around: Level, out: &mut String) {
        let (text, level) = match self.node(e) {
            Node::Undefined => ("undefined".to_string(), Level::Atom),
            Node::Symbol(s) => (self.symbol_data(s).name, Level::Atom),
            Node::Number(r) => {
                let text = r.to_string();
                let level = if r.is_negative() {
                    Level::Sum
                } else if text.contains('/') {
                    Level::Product
                } else {
                    Level::Atom
                };
                (text, level)
            }
            Node::Sum(terms) => (self.sum_text(&terms), Level::Sum),
            Node::Product(c, factors) => self.product_text(&c, &factors),
            Node::Call(f, arguments) => {
                let parts: Vec<String> = arguments.iter().map(|a| self.text(*a)).collect();
                (format!("{}({})", f.name(), parts.join(", ")), Level::Atom)
            }
        };
        if level < around {
            let _ = write!(out, "({text})");
        } else {
            out.push_str(&text);
        }
    }

    fn sum_text(&self, terms: &[(Rational, Expr)]) -> String {
        let mut out = String::new();
        // Constants read best at the end of a sum, variables in front.
        let (numbers, rest): (Vec<_>, Vec<_>) = terms.iter().partition(|(_, m)| *m == self.one());
        for (k, (c, monomial)) in rest.into_iter().chain(numbers).enumerate() {
            let sign = match (k, c.is_negative()) {
                (0, false) => "",
                (0, true) => "-",
                (_, false) => " + ",
                (_, true) => " - ",
            };
            out.push_str(sign);
            let magnitude = self.scale(c.abs(), *monomial);
            // An equal, named expression may stand for the scaled monomial; its sign must not be lost.
            self.write(magnitude, Level::Product, &mut out);
        }
        out
    }

    fn product_text(&self, c: &Rational, factors: &[(Expr, Rational)]) -> (String, Level) {
        let (above, below): (Vec<_>, Vec<_>) = factors.iter().partition(|(_, n)| !n.is_negative());
        let mut out = String::new();
        let magnitude = c.abs();
        if c.is_negative() {
            out.push('-');
        }
        let mut first = true;
        if !magnitude.is_one() || above.is_empty() {
            out.push_str(&magnitude.to_string());
            first = false;
        }
        for (base, n) in above {
            if !std::mem::take(&mut first) {
                out.push('*');
            }
            self.write_power(*base, n, &mut out);
        }
        let n_below = below.len();
        for (base, n) in below {
            out.push('/');
            self.write_power(*base, &n.neg(), &mut out);
        }
        let single_power = factors.len() == 1 && n_below == 0 && c.is_one();
        let level = if c.is_negative() {
            Level::Sum
        } else if single_power {
            Level::Power
        } else {
            Level::Product
        };
        (out, level)
    }

    fn write_power(&self, base: Expr, n: &Rational, out: &mut String) {
        if n.is_one() {
            self.write(base, Level::Power, out);
        } else if *n == Rational::Small(1, 2) {
            let _ = write!(out, "sqrt({})", self.text(base));
        } else {
            self.write(base, Level::Atom, out);
            let _ = if n.is_int() { write!(out, "^{n}") } else { write!(out, "^({n})") };
        }
    }
}
