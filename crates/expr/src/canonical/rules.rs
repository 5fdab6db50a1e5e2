//! Rewrite rules for functions: data, one line each.
//!
//! A rule fires when a call is built that matches its left side. Every rule is true wherever its left
//! side is defined; one that needs a condition the pool cannot decide is not in the table (so
//! `asin(sin(x))` stays as it is). The tests sample each rule at random points.
//!
//! Letters are variables. `-x` on the left matches an expression with a negative coefficient.

use std::sync::LazyLock;

use smallvec::smallvec;

use crate::pool::Inner;
use crate::{Expr, Function, Node, Rational};

/// Name, left side, right side.
#[rustfmt::skip]
pub(crate) const RULES: &[(&str, &str, &str)] = &[
    ("sin-odd",        "sin(-x)",           "-sin(x)"),
    ("cos-even",       "cos(-x)",           "cos(x)"),
    ("tan-odd",        "tan(-x)",           "-tan(x)"),
    ("asin-odd",       "asin(-x)",          "-asin(x)"),
    ("acos-mirror",    "acos(-x)",          "pi - acos(x)"),
    ("atan-odd",       "atan(-x)",          "-atan(x)"),
    ("sinh-odd",       "sinh(-x)",          "-sinh(x)"),
    ("cosh-even",      "cosh(-x)",          "cosh(x)"),
    ("tanh-odd",       "tanh(-x)",          "-tanh(x)"),
    ("sin-zero",       "sin(0)",            "0"),
    ("cos-zero",       "cos(0)",            "1"),
    ("tan-zero",       "tan(0)",            "0"),
    ("asin-zero",      "asin(0)",           "0"),
    ("asin-one",       "asin(1)",           "pi/2"),
    ("acos-zero",      "acos(0)",           "pi/2"),
    ("acos-one",       "acos(1)",           "0"),
    ("atan-zero",      "atan(0)",           "0"),
    ("atan-one",       "atan(1)",           "pi/4"),
    ("sinh-zero",      "sinh(0)",           "0"),
    ("cosh-zero",      "cosh(0)",           "1"),
    ("tanh-zero",      "tanh(0)",           "0"),
    ("exp-zero",       "exp(0)",            "1"),
    ("ln-one",         "ln(1)",             "0"),
    ("sin-asin",       "sin(asin(x))",      "x"),
    ("cos-acos",       "cos(acos(x))",      "x"),
    ("tan-atan",       "tan(atan(x))",      "x"),
    ("cos-asin",       "cos(asin(x))",      "(1 - x^2)^(1/2)"),
    ("sin-acos",       "sin(acos(x))",      "(1 - x^2)^(1/2)"),
    ("sin-atan",       "sin(atan(x))",      "x*(1 + x^2)^(-1/2)"),
    ("cos-atan",       "cos(atan(x))",      "(1 + x^2)^(-1/2)"),
    ("tan-asin",       "tan(asin(x))",      "x*(1 - x^2)^(-1/2)"),
    ("exp-ln",         "exp(ln(x))",        "x"),
    ("ln-exp",         "ln(exp(x))",        "x"),
    ("abs-even",       "abs(-x)",           "abs(x)"),
    ("abs-abs",        "abs(abs(x))",       "abs(x)"),
    ("abs-exp",        "abs(exp(x))",       "exp(x)"),
    ("sign-odd",       "sign(-x)",          "-sign(x)"),
    ("sign-abs",       "sign(sign(x))",     "sign(x)"),
    ("min-same",       "min(x, x)",         "x"),
    ("max-same",       "max(x, x)",         "x"),
    ("floor-floor",    "floor(floor(x))",   "floor(x)"),
    ("less-same",      "less(x, x)",        "0"),
    ("less-eq-same",   "less_equal(x, x)",  "1"),
    ("equal-same",     "equal(x, x)",       "1"),
    ("select-same",    "select(c, x, x)",   "x"),
    ("select-true",    "select(1, x, y)",   "x"),
    ("select-false",   "select(0, x, y)",   "y"),
    ("and-false",      "and(0, x)",         "0"),
    ("and-false-2",    "and(x, 0)",         "0"),
    ("or-true",        "or(1, x)",          "1"),
    ("or-true-2",      "or(x, 1)",          "1"),
    ("not-true",       "not(1)",            "0"),
    ("not-false",      "not(0)",            "1"),
    ("pow-zero",       "pow(x, 0)",         "1"),
    ("pow-of-one",     "pow(1, x)",         "1"),
];

/// The left or right side of a rule.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Pattern {
    Variable(char),
    Number(Rational),
    Pi,
    Sum(Vec<(Rational, Pattern)>),
    Power(Box<Pattern>, Rational),
    Product(Vec<Pattern>),
    Call(Function, Vec<Pattern>),
}

struct Rule {
    left: Pattern,
    right: Pattern,
}

static TABLE: LazyLock<Vec<Rule>> = LazyLock::new(|| {
    let side = |text: &str| {
        crate::canonical::parse::pattern(text).expect("the rule table is written in the pattern language")
    };
    RULES.iter().map(|(_, left, right)| Rule { left: side(left), right: side(right) }).collect()
});

type Bindings = Vec<(char, Expr)>;

impl Inner {
    /// The right side of the first rule that matches `function(arguments)`.
    pub(crate) fn rewrite(&mut self, function: Function, arguments: &[Expr]) -> Option<Expr> {
        for rule in TABLE.iter() {
            let Pattern::Call(f, parts) = &rule.left else {
                continue;
            };
            if *f != function || parts.len() != arguments.len() {
                continue;
            }
            let mut bindings = Bindings::new();
            if parts.iter().zip(arguments).all(|(part, a)| self.matches(part, *a, &mut bindings)) {
                return Some(self.build(&rule.right, &bindings));
            }
        }
        None
    }

    fn matches(&mut self, pattern: &Pattern, e: Expr, bindings: &mut Bindings) -> bool {
        match pattern {
            Pattern::Variable(name) => match bindings.iter().find(|(n, _)| n == name) {
                Some((_, bound)) => *bound == e,
                None => {
                    bindings.push((*name, e));
                    true
                }
            },
            Pattern::Number(r) => self.as_number(e) == Some(r),
            Pattern::Sum(terms) => match (&terms[..], self.node(e)) {
                ([(c, inner)], Node::Product(k, _) | Node::Number(k))
                    if c.is_negative() && k.is_negative() =>
                {
                    let opposite = self.scale(Rational::MINUS_ONE, e);
                    self.matches(inner, opposite, bindings)
                }
                _ => false,
            },
            Pattern::Call(function, parts) => match self.node(e) {
                Node::Call(f, arguments) if f == function && arguments.len() == parts.len() => {
                    let arguments = arguments.to_vec();
                    parts.iter().zip(arguments).all(|(part, a)| self.matches(part, a, bindings))
                }
                _ => false,
            },
            Pattern::Pi | Pattern::Power(..) | Pattern::Product(_) => false,
        }
    }

    fn build(&mut self, pattern: &Pattern, bindings: &Bindings) -> Expr {
        match pattern {
            Pattern::Variable(name) => match bindings.iter().find(|(n, _)| n == name) {
                Some((_, bound)) => *bound,
                None => self.undefined(),
            },
            Pattern::Number(r) => self.number(r.clone()),
            Pattern::Pi => self.pi(),
            Pattern::Sum(terms) => {
                let terms = terms.iter().map(|(c, part)| (c.clone(), self.build(part, bindings))).collect();
                self.sum(terms)
            }
            Pattern::Power(base, exponent) => {
                let base = self.build(base, bindings);
                self.product(Rational::ONE, smallvec![(base, exponent.clone())])
            }
            Pattern::Product(parts) => {
                let factors = parts.iter().map(|part| (self.build(part, bindings), Rational::ONE)).collect();
                self.product(Rational::ONE, factors)
            }
            Pattern::Call(function, parts) => {
                let arguments = parts.iter().map(|part| self.build(part, bindings)).collect();
                self.call(*function, arguments)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::RULES;
    use crate::canonical::parse::pattern;
    use crate::canonical::rules::Pattern;

    /// Evaluates a pattern without the pool, so that no rule checks itself.
    fn value(p: &Pattern, x: f64, y: f64, c: f64) -> f64 {
        let v = |p: &Pattern| value(p, x, y, c);
        match p {
            Pattern::Variable('x') => x,
            Pattern::Variable('y') => y,
            Pattern::Variable(_) => c,
            Pattern::Number(r) => r.to_f64(),
            Pattern::Pi => std::f64::consts::PI,
            Pattern::Sum(terms) => terms.iter().map(|(k, t)| k.to_f64() * v(t)).sum(),
            Pattern::Power(b, n) => v(b).powf(n.to_f64()),
            Pattern::Product(parts) => parts.iter().map(v).product(),
            Pattern::Call(f, parts) => {
                let arguments: Vec<f64> = parts.iter().map(v).collect();
                crate::evaluate::apply(*f, &arguments)
            }
        }
    }

    #[test]
    fn every_rule_holds_at_random_points() {
        for (name, left, right) in RULES {
            let (left, right) = (pattern(left).unwrap(), pattern(right).unwrap());
            let mut tried = 0;
            let mut seed = 12345u64;
            let mut random = || {
                seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                (seed >> 11) as f64 / (1u64 << 53) as f64 * 2.0 - 1.0
            };
            for k in 0..400 {
                let scale = [0.9, 3.0, 20.0][k % 3];
                let (x, y, c) = (scale * random(), scale * random(), f64::from(u8::from(random() > 0.0)));
                let (a, b) = (value(&left, x, y, c), value(&right, x, y, c));
                if a.is_nan() {
                    continue;
                }
                tried += 1;
                // A tangent near a pole amplifies rounding by its own square.
                let tolerance = 1e-12 * (1.0 + a * a);
                assert!((a - b).abs() <= tolerance, "{name}: {a} and {b} at x = {x}, y = {y}, c = {c}");
            }
            assert!(tried >= 100, "{name}: defined at only {tried} of 400 points");
        }
    }

    #[test]
    fn names_are_unique() {
        let mut names: Vec<_> = RULES.iter().map(|r| r.0).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), RULES.len());
    }
}
