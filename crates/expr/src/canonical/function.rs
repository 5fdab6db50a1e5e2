//! Canonical function calls.
//!
//! In this order: the rule table, exact numbers, whole and quarter turns in the argument of a sine
//! or cosine, the series of a small argument.

use cardan_base::Id;
use smallvec::smallvec;

use crate::fingerprint::Fingerprint;
use crate::intern::Shape;
use crate::pool::{Inner, Meta};
use crate::{Depends, Expr, Function, Kind, Node, Rational};

impl Inner {
    pub fn pi(&self) -> Expr {
        // The first symbol of every pool; its node follows the numbers made at birth.
        Expr::from_index(5)
    }

    pub fn call(&mut self, function: Function, mut arguments: Vec<Expr>) -> Expr {
        if arguments.iter().any(|a| *self.node(*a) == Node::Undefined) {
            return self.undefined();
        }
        if let Some(e) = self.rewrite(function, &arguments) {
            return e;
        }
        if let Some(e) = self.exact(function, &arguments) {
            return e;
        }
        match function {
            Function::Sin | Function::Cos => {
                if let Some(e) = self.without_quarter_turns(function, arguments[0]) {
                    return e;
                }
            }
            Function::Pow => {
                if let Some(exponent) = self.as_number(arguments[1]).cloned() {
                    return self.product(Rational::ONE, smallvec![(arguments[0], exponent)]);
                }
            }
            Function::Min | Function::Max | Function::And | Function::Or => {
                arguments.sort_by_key(|a| self.sort_key(*a));
            }
            Function::Atan2 => {
                if let Some(e) = self.without_common_factor(&arguments) {
                    return e;
                }
            }
            _ => {}
        }
        if let [x] = arguments[..]
            && let Some(e) = self.series(function, x)
        {
            return e;
        }
        match self.known(Shape::Call(function, &arguments)) {
            Ok(known) => known,
            Err(new) => {
                let meta = self.call_meta(function, &arguments);
                self.add(new, Node::Call(function, arguments.into()), meta)
            }
        }
    }

    fn exact(&mut self, function: Function, arguments: &[Expr]) -> Option<Expr> {
        let numbers: Option<Vec<Rational>> = arguments.iter().map(|a| self.as_number(*a).cloned()).collect();
        let numbers = numbers?;
        let truth = |b: bool| if b { Rational::ONE } else { Rational::ZERO };
        let value = match (function, &numbers[..]) {
            (Function::Abs, [x]) => x.abs(),
            (Function::Sign, [x]) if x.is_zero() => Rational::ZERO,
            (Function::Sign, [x]) => {
                if x.is_negative() {
                    Rational::MINUS_ONE
                } else {
                    Rational::ONE
                }
            }
            (Function::Min, [x, y]) => x.min(y).clone(),
            (Function::Max, [x, y]) => x.max(y).clone(),
            (Function::Floor, [Rational::Small(n, d)]) => Rational::int(n.div_euclid(*d)),
            (Function::Less, [x, y]) => truth(x < y),
            (Function::LessEqual, [x, y]) => truth(x <= y),
            (Function::Equal, [x, y]) => truth(x == y),
            (Function::And, [x, y]) => truth(!x.is_zero() && !y.is_zero()),
            (Function::Or, [x, y]) => truth(!x.is_zero() || !y.is_zero()),
            _ => return None,
        };
        Some(self.number(value))
    }

    /// sin(x + n π/2) and cos(x + n π/2) by quadrants; sin(π/6) = 1/2, cos(π/3) = 1/2.
    fn without_quarter_turns(&mut self, function: Function, argument: Expr) -> Option<Expr> {
        let pi = self.pi();
        let turn = match self.node(argument) {
            Node::Sum(terms) => terms.iter().find(|(_, m)| *m == pi).map(|(c, _)| c.clone())?,
            Node::Product(c, factors) if factors.len() == 1 && factors[0] == (pi, Rational::ONE) => c.clone(),
            Node::Symbol(_) if argument == pi => Rational::ONE,
            _ => return None,
        };
        // Sixths of a half turn with a rational sine.
        let sixths = turn.mul(&Rational::int(6));
        let is_multiple_of_pi = !matches!(self.node(argument), Node::Sum(_));
        if let (true, Some(n)) = (is_multiple_of_pi, sixths.to_int()) {
            let n = if function == Function::Cos { n + 3 } else { n };
            let half = Rational::Small(1, 2);
            match n.rem_euclid(12) {
                1 | 5 => return Some(self.number(half)),
                7 | 11 => return Some(self.number(half.neg())),
                _ => {}
            }
        }
        let quarters = turn.mul(&Rational::int(2)).to_int()?;
        let rest = self.sum(smallvec![(Rational::ONE, argument), (turn.neg(), pi)]);
        let quadrant = (quarters + i64::from(function == Function::Cos)).rem_euclid(4);
        let (f, sign) = [(Function::Sin, 1), (Function::Cos, 1), (Function::Sin, -1), (Function::Cos, -1)]
            [quadrant as usize];
        let value = self.call(f, vec![rest]);
        Some(self.scale(Rational::int(sign), value))
    }

    /// atan2(k y, k x) → atan2(y, x) for a positive number k.
    fn without_common_factor(&mut self, arguments: &[Expr]) -> Option<Expr> {
        let coefficient = |e: Expr| match self.node(e) {
            Node::Product(c, _) | Node::Number(c) => c.abs(),
            _ => Rational::ONE,
        };
        let (y, x) = (coefficient(arguments[0]), coefficient(arguments[1]));
        if x.is_one() || x.is_zero() || x != y {
            return None;
        }
        let scale = x.recip()?;
        let reduced = arguments.iter().map(|a| self.scale(scale.clone(), *a)).collect();
        Some(self.call(Function::Atan2, reduced))
    }

    fn call_meta(&self, function: Function, arguments: &[Expr]) -> Meta {
        let mut depends = Depends::NOTHING;
        let mut cost = 10u32;
        for a in arguments {
            depends |= self.meta(*a).depends;
            cost = cost.saturating_add(self.meta(*a).cost);
        }
        let small = match function {
            Function::Abs
            | Function::Asin
            | Function::Atan
            | Function::Sin
            | Function::Tan
            | Function::Sinh
            | Function::Tanh => self.meta(arguments[0]).small.max(0),
            Function::Min | Function::Max => arguments.iter().map(|a| self.meta(*a).small).min().unwrap_or(0),
            Function::Select => arguments[1..].iter().map(|a| self.meta(*a).small).min().unwrap_or(0),
            _ => 0,
        };
        Meta { depends, small, cost, fingerprint: self.call_fingerprint(function, arguments) }
    }

    fn call_fingerprint(&self, function: Function, arguments: &[Expr]) -> Option<Fingerprint> {
        match function {
            Function::Sin => Fingerprint::sine(self.rotor(arguments[0])?),
            Function::Cos => Fingerprint::cosine(self.rotor(arguments[0])?),
            Function::Tan => {
                let z = self.rotor(arguments[0])?;
                Some(Fingerprint::sine(z)?.mul(Fingerprint::cosine(z)?.powi(-1)?))
            }
            _ => {
                let tag = match function {
                    Function::Table(id, [a, b]) => {
                        0x7ab1e + ((id.index() as u64) << 20) + (u64::from(a) << 52) + (u64::from(b) << 56)
                    }
                    Function::External(id) => 0xe47e4 + ((id.index() as u64) << 20),
                    Function::Solve(n, k) => 0x501fe + (u64::from(n) << 24) + (u64::from(k) << 40),
                    _ => function
                        .name()
                        .bytes()
                        .fold(7, |h: u64, b| h.wrapping_mul(131).wrapping_add(b.into())),
                };
                let mut words = vec![tag];
                for a in arguments {
                    words.extend(self.meta(*a).fingerprint?.words());
                }
                Some(Fingerprint::opaque(&words))
            }
        }
    }

    /// e^(iθ) in the fields; see [`crate::fingerprint`].
    fn rotor(&self, angle: Expr) -> Option<Fingerprint> {
        let single = [(Rational::ONE, angle)];
        let terms = match self.node(angle) {
            Node::Sum(terms) => &terms[..],
            _ => &single[..],
        };
        let mut z = Fingerprint::ONE;
        for (coefficient, monomial) in terms {
            let (coefficient, words) = match self.node(*monomial) {
                Node::Product(c, factors) => {
                    // The fingerprint of the monomial without its coefficient.
                    let inverse = Fingerprint::number(&c.recip()?);
                    debug_assert!(!factors.is_empty());
                    (coefficient.mul(c), self.meta(*monomial).fingerprint?.mul(inverse).words())
                }
                _ => (coefficient.clone(), self.meta(*monomial).fingerprint?.words()),
            };
            let twenty_fourths = coefficient.mul(&Rational::int(24)).to_int();
            let is_pi =
                matches!(self.node(*monomial), Node::Symbol(s) if self.symbol_of(*s).kind == Kind::Constant);
            let part = match (twenty_fourths, is_pi) {
                (Some(n), true) => Fingerprint::turn(n),
                (Some(n), false) => Fingerprint::opaque(&[0xa461e, words[0], words[1]]).powi(n)?,
                (None, _) => {
                    let [a, b] = Fingerprint::number(&coefficient).words();
                    Fingerprint::opaque(&[0xa461e, words[0], words[1], a, b])
                }
            };
            z = z.mul(part);
        }
        Some(z)
    }
}
