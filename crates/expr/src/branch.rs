//! Identities on a branch: expressions that vanish for one choice of the signs of their roots.
//!
//! ```text
//! [branch]     √a = ± r with r² = a,   |x| = ± x,   sign x = ± 1,   min, max, select: one argument or the other
//! [root]       a in F_p is a square, or a/d is one, where d is none: then √a = w √(a/d) in F_p[w], w² = d
//! [nested]     √(a + b w) = x + y w,   x² = (a + n)/2,   y = b/2x,   n² = a² - d b²
//! ```
//!
//! `√(1 - sin² x) - cos x` is no zero of the algebra, for it is one only where the cosine is positive. As a function on
//! that branch it vanishes. The fields of [`fingerprint`](crate::fingerprint) decide it: every root of an element of F_p lies in the
//! quadratic extension of F_p, so all choices of signs are evaluated there at a random point. None of them is zero unless the
//! expression vanishes identically on some branch. Which branch a state is on is a matter of numbers, and of the caller.

use cardan_base::Map;

use crate::fingerprint::{self, Fingerprint};
use crate::{Expr, Function, Node, Pool, Rational};

/// More choices than this are not looked at: 2^6 evaluations.
const MAX_CHOICES: usize = 6;

/// a + b w with w² = d, over the field of a prime.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Quadratic(u64, u64);

/// The quadratic extension of one of the two fields.
struct Extension {
    /// Which of them.
    field: usize,
    p: u64,
    /// d: not a square.
    d: u64,
    /// p - 1 = 2^s odd.
    odd: u64,
    s: u32,
}

impl Extension {
    fn new(field: usize) -> Extension {
        let p = fingerprint::prime(field);
        let is_none = |d: &u64| fingerprint::pow(*d, (p - 1) / 2, p) != 1;
        let d = (2..p).find(is_none).expect("half of the elements of a field are no squares");
        let s = (p - 1).trailing_zeros();
        Extension { field, p, d, odd: (p - 1) >> s, s }
    }
    fn times(&self, a: u64, b: u64) -> u64 {
        fingerprint::mul(a, b, self.p)
    }
    fn plus(&self, a: u64, b: u64) -> u64 {
        let sum = a + b;
        if sum >= self.p { sum - self.p } else { sum }
    }
    fn minus(&self, a: u64, b: u64) -> u64 {
        if a >= b { a - b } else { a + self.p - b }
    }
    fn whole(&self, f: Fingerprint) -> Quadratic {
        Quadratic(f.words()[self.field], 0)
    }
    fn add(&self, a: Quadratic, b: Quadratic) -> Quadratic {
        Quadratic(self.plus(a.0, b.0), self.plus(a.1, b.1))
    }
    fn neg(&self, a: Quadratic) -> Quadratic {
        Quadratic(self.minus(0, a.0), self.minus(0, a.1))
    }
    fn mul(&self, a: Quadratic, b: Quadratic) -> Quadratic {
        let both = self.times(self.d, self.times(a.1, b.1));
        let cross = self.plus(self.times(a.0, b.1), self.times(a.1, b.0));
        Quadratic(self.plus(self.times(a.0, b.0), both), cross)
    }
    /// a² - d b².
    fn norm(&self, a: Quadratic) -> u64 {
        self.minus(self.times(a.0, a.0), self.times(self.d, self.times(a.1, a.1)))
    }
    /// An integer power; nothing if that would divide by zero.
    fn powi(&self, a: Quadratic, n: i64) -> Option<Quadratic> {
        let mut base = a;
        if n < 0 {
            let norm = self.norm(a);
            if norm == 0 {
                return None;
            }
            let scale = fingerprint::pow(norm, self.p - 2, self.p);
            base = Quadratic(self.times(a.0, scale), self.times(self.minus(0, a.1), scale));
        }
        let (mut result, mut exponent) = (Quadratic(1, 0), n.unsigned_abs());
        while exponent > 0 {
            if exponent & 1 == 1 {
                result = self.mul(result, base);
            }
            base = self.mul(base, base);
            exponent >>= 1;
        }
        Some(result)
    }
    fn is_square(&self, a: u64) -> bool {
        a == 0 || fingerprint::pow(a, (self.p - 1) / 2, self.p) == 1
    }
    /// The root of a square (Tonelli and Shanks).
    fn root_of_square(&self, a: u64) -> u64 {
        if a == 0 {
            return 0;
        }
        let pow = |base: u64, n: u64| fingerprint::pow(base, n, self.p);
        let (mut m, mut c) = (self.s, pow(self.d, self.odd));
        let (mut t, mut r) = (pow(a, self.odd), pow(a, self.odd.div_ceil(2)));
        while t != 1 {
            // The order of t is a power of two below 2^m, because a is a square.
            let (mut i, mut square) = (0, t);
            while square != 1 {
                square = self.times(square, square);
                i += 1;
            }
            let b = pow(c, 1 << (m - i - 1));
            (m, c) = (i, self.times(b, b));
            (t, r) = (self.times(t, c), self.times(r, b));
        }
        r
    }
    /// [root] [nested]; nothing where the root lies in no quadratic extension.
    fn root(&self, a: Quadratic) -> Option<Quadratic> {
        let inverse = |x: u64| fingerprint::pow(x, self.p - 2, self.p);
        if a.1 == 0 {
            return Some(match self.is_square(a.0) {
                true => Quadratic(self.root_of_square(a.0), 0),
                false => Quadratic(0, self.root_of_square(self.times(a.0, inverse(self.d)))),
            });
        }
        let norm = self.norm(a);
        if !self.is_square(norm) {
            return None;
        }
        let n = self.root_of_square(norm);
        let half = self.p.div_ceil(2);
        let squares = [self.plus(a.0, n), self.minus(a.0, n)].map(|x| self.times(x, half));
        let x = self.root_of_square(squares.into_iter().find(|x| *x != 0 && self.is_square(*x))?);
        Some(Quadratic(x, self.times(a.1, inverse(self.plus(x, x)))))
    }
}

/// What is chosen of a node. [branch]
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Choice {
    /// The sign of the root of this expression.
    Root(Expr),
    /// The sign, or the argument, of this call.
    Call(Expr),
}

impl Pool {
    /// Whether the expression vanishes identically on a branch of its roots, absolute values and choices; always where it is zero.
    pub fn vanishes_on_a_branch(&self, e: Expr) -> bool {
        if self.is_zero(e) {
            return true;
        }
        let nodes = self.reachable([e]);
        let choices = self.choices(&nodes);
        if choices.is_empty() || choices.len() > MAX_CHOICES {
            return false;
        }
        let vanishes = |field: usize| {
            let extension = Extension::new(field);
            let value = |mask: u32| self.on_branch(e, &nodes, &extension, &choices, mask);
            (0..1u32 << choices.len()).any(|mask| value(mask) == Some(Quadratic(0, 0)))
        };
        vanishes(0) && vanishes(1)
    }

    /// The choices that an expression with these parts has. [branch]
    fn choices(&self, nodes: &[Expr]) -> Vec<Choice> {
        let mut choices = vec![];
        for node in nodes {
            match self.node(*node) {
                Node::Product(_, factors) => {
                    let roots = factors.iter().filter(|(_, n)| matches!(n, Rational::Small(_, 2)));
                    choices.extend(roots.map(|(base, _)| Choice::Root(*base)));
                }
                Node::Call(
                    Function::Abs | Function::Sign | Function::Min | Function::Max | Function::Select,
                    _,
                ) => choices.push(Choice::Call(*node)),
                _ => {}
            }
        }
        let mut seen = cardan_base::Set::default();
        choices.retain(|c| seen.insert(*c));
        choices
    }

    /// The value on one branch at the random point of a field; nothing where it is not known.
    fn on_branch(
        &self,
        e: Expr,
        nodes: &[Expr],
        x: &Extension,
        choices: &[Choice],
        mask: u32,
    ) -> Option<Quadratic> {
        let chosen = |c: Choice| choices.iter().position(|k| *k == c).is_some_and(|k| mask >> k & 1 == 1);
        let signed = |v: Quadratic, minus: bool| if minus { x.neg(v) } else { v };
        let known_field = |n: Expr| self.with(|p| p.meta(n).fingerprint);
        // Values of what the choices change; the fields know all the others.
        let mut changed: Map<Expr, Quadratic> = Map::default();
        for node in nodes {
            let at = |n: &Expr| changed.get(n).copied().or_else(|| Some(x.whole(known_field(*n)?)));
            let is_changed = |n: &Expr| changed.contains_key(n);
            let value = match self.node(*node) {
                Node::Number(_) | Node::Undefined => continue,
                Node::Symbol(_) => match self.definition(*node).filter(is_changed) {
                    Some(definition) => at(&definition)?,
                    None => continue,
                },
                Node::Sum(terms) if terms.iter().any(|(_, m)| is_changed(m)) => {
                    let mut sum = Quadratic(0, 0);
                    for (c, monomial) in terms.iter() {
                        sum = x.add(sum, x.mul(x.whole(Fingerprint::number(c)), at(monomial)?));
                    }
                    sum
                }
                Node::Product(c, factors) => {
                    let has_root = factors.iter().any(|(_, n)| matches!(n, Rational::Small(_, 2)));
                    if !has_root && !factors.iter().any(|(base, _)| is_changed(base)) {
                        continue;
                    }
                    let mut product = x.whole(Fingerprint::number(&c));
                    for (base, exponent) in factors.iter() {
                        let power = match exponent {
                            Rational::Small(n, 1) => x.powi(at(base)?, *n)?,
                            Rational::Small(n, 2) => {
                                let root = x.root(at(base)?)?;
                                x.powi(signed(root, chosen(Choice::Root(*base))), *n)?
                            }
                            _ if is_changed(base) => return None,
                            // The field knows the power, if only by itself.
                            n => x.whole(known_field(self.pow(*base, n.clone()))?),
                        };
                        product = x.mul(product, power);
                    }
                    product
                }
                Node::Call(function, arguments) => {
                    let other = chosen(Choice::Call(*node));
                    match (function, &arguments[..]) {
                        (Function::Abs, [a]) => signed(at(a)?, other),
                        (Function::Sign, [_]) => signed(Quadratic(1, 0), other),
                        (Function::Min | Function::Max, [a, b]) | (Function::Select, [_, a, b]) => {
                            at(if other { b } else { a })?
                        }
                        _ if arguments.iter().any(is_changed) => return None,
                        _ => continue,
                    }
                }
                Node::Sum(_) => continue,
            };
            changed.insert(*node, value);
        }
        changed.get(&e).copied().or_else(|| Some(x.whole(known_field(e)?)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Kind;

    #[test]
    fn roots_of_elements_square_to_them() {
        for field in 0..2 {
            let x = Extension::new(field);
            for seed in 1..200u64 {
                let [a, b] = [seed, seed + 1000].map(|k| Fingerprint::opaque(&[k]).words()[field]);
                let root = x.root(Quadratic(a, 0)).expect("every element of the field has a root");
                assert_eq!(x.mul(root, root), Quadratic(a, 0));
                let square = x.mul(Quadratic(a, b), Quadratic(a, b));
                let root = x.root(square).expect("a square has a root");
                assert!(root == Quadratic(a, b) || x.neg(root) == Quadratic(a, b));
                let inverse = x.powi(Quadratic(a, b), -1).expect("only zero has no inverse");
                assert_eq!(x.mul(inverse, Quadratic(a, b)), Quadratic(1, 0));
            }
        }
    }

    #[test]
    fn identities_on_a_branch_are_told_from_equations() {
        let pool = Pool::new();
        let [a, b, q] = ["a", "b", "q"].map(|name| pool.symbol(name, Kind::Coordinate));
        let (s, c) = (pool.sin(q), pool.cos(q));
        let root = pool.sqrt(pool.sub(pool.one(), pool.powi(s, 2)));
        assert!(pool.vanishes_on_a_branch(pool.sub(root, c)));
        assert!(pool.vanishes_on_a_branch(pool.add(pool.define(root), c)));
        assert!(!pool.vanishes_on_a_branch(pool.sub(root, s)));
        assert!(!pool.vanishes_on_a_branch(pool.sub(pool.scale(Rational::int(2), root), c)));
        // √(a² + 2ab + b²) - a - b, and the same with half the angle of a turn.
        let square =
            pool.sum([pool.powi(a, 2), pool.scale(Rational::int(2), pool.mul(a, b)), pool.powi(b, 2)]);
        assert!(pool.vanishes_on_a_branch(pool.sub(pool.sqrt(square), pool.add(a, b))));
        let half = pool.cos(pool.scale(Rational::Small(1, 2), q));
        let doubled = pool.sqrt(pool.scale(Rational::Small(1, 2), pool.add(pool.one(), c)));
        assert!(pool.vanishes_on_a_branch(pool.sub(half, doubled)));
        // √(1 - a²) is no rational function, and is still its own square root.
        let circle = pool.sqrt(pool.sub(pool.one(), pool.powi(a, 2)));
        let ratio = pool.div(pool.sub(pool.one(), pool.powi(a, 2)), circle);
        assert!(pool.vanishes_on_a_branch(pool.sub(ratio, circle)));
        assert!(!pool.vanishes_on_a_branch(pool.sub(circle, a)));
        assert!(pool.vanishes_on_a_branch(pool.sub(pool.call(Function::Abs, &[a]), a)));
        assert!(!pool.vanishes_on_a_branch(pool.sub(pool.call(Function::Abs, &[a]), b)));
        // A root in a root: √(a² b²) inside.
        let inner = pool.sqrt(pool.mul(pool.powi(a, 2), pool.powi(b, 2)));
        let nested =
            pool.sqrt(pool.sum([pool.powi(a, 2), pool.powi(b, 2), pool.scale(Rational::int(2), inner)]));
        assert!(pool.vanishes_on_a_branch(pool.sub(nested, pool.add(a, b))));
    }
}
