//! Sines and cosines of angles that are known by their sines and cosines.
//!
//! ```text
//! [home]    z(e) = cos e + i sin e,  e = ±q + …        known for one sum e of angles per dependent angle q
//! [sum]     z(a + b) = z(a) z(b),  z(-a) = z(a)*        for every other sum
//! ```

use cardan_base::Map;
use cardan_expr::{Expr, Function, Node, Pool, Rational, SymbolId};

/// Cosine and sine.
pub type Rotor = [Expr; 2];

/// More turns than this of one angle in a sum are left alone.
const MOST_TIMES: i64 = 4;

/// Angles that are known by their sines and cosines, and symbols that stand for other expressions.
#[derive(Clone, Debug, Default)]
pub struct Rotors {
    /// A dependent angle, the sum of angles that is known with it, and its rotor. [home]
    homes: Vec<(Expr, Expr, Rotor)>,
    with: Map<SymbolId, Expr>,
    known: Map<Expr, Expr>,
}

impl Rotors {
    /// From now on the symbol stands for the expression.
    pub fn replace(&mut self, symbol: SymbolId, by: Expr) {
        self.with.insert(symbol, by);
    }

    /// Gives the sum of angles `home`, which contains the angle `q` once, its rotor.
    pub fn learn(&mut self, pool: &Pool, q: Expr, home: Expr, rotor: Rotor) {
        self.homes.push((q, home, rotor.map(|e| pool.define(e))));
    }

    /// The expression in terms of what is independent.
    pub fn rewrite(&mut self, pool: &Pool, e: Expr) -> Expr {
        if self.known.contains_key(&e) {
            return self.known[&e];
        }
        for part in pool.reachable([e]) {
            if let Node::Call(f @ (Function::Sin | Function::Cos), arguments) = pool.node(part)
                && !self.known.contains_key(&part)
                && self.homes.iter().any(|(q, _, _)| times(pool, arguments[0], *q).is_some_and(|n| n != 0))
                && let Some(rotor) = self.rotor(pool, arguments[0])
            {
                self.known.insert(part, rotor[usize::from(f == Function::Sin)]);
            }
        }
        // Where an angle is known by its rotor only, what is found now may be found otherwise later.
        let is_settled = |q: &Expr| pool.as_symbol(*q).is_some_and(|s| self.with.contains_key(&s));
        if self.homes.iter().all(|(q, _, _)| is_settled(q)) {
            pool.substitute(e, &self.with, &mut self.known)
        } else {
            pool.substitute(e, &self.with, &mut self.known.clone())
        }
    }

    /// The rotor of a sum of angles; nothing where a dependent angle is hidden in it. [sum]
    pub fn rotor(&mut self, pool: &Pool, e: Expr) -> Option<Rotor> {
        let Some((q, home, rotor)) =
            self.homes.iter().rev().find(|(q, _, _)| times(pool, e, *q) != Some(0)).copied()
        else {
            return Some([pool.cos(e), pool.sin(e)].map(|part| self.rewrite(pool, part)));
        };
        let (n, k) = (times(pool, e, q)?, times(pool, home, q)?);
        let n = n * k; // k is 1 or -1
        if n.abs() > MOST_TIMES {
            return None;
        }
        let rest = pool.sub(e, pool.scale(Rational::int(n), home));
        let mut z = if pool.is_zero(rest) { None } else { Some(self.rotor(pool, rest)?) };
        let by = if n < 0 { conjugate(pool, rotor) } else { rotor };
        for _ in 0..n.abs() {
            z = Some(z.map_or(by, |z| product(pool, z, by).map(|part| pool.define(part))));
        }
        z
    }
}

/// How often an angle occurs in a sum; nothing if it occurs otherwise than by an integer.
pub fn times(pool: &Pool, e: Expr, q: Expr) -> Option<i64> {
    let symbol = pool.as_symbol(q)?;
    let of = |c: &Rational, m: Expr| -> Option<i64> {
        match pool.node(m) {
            _ if m == q => c.to_int(),
            Node::Product(d, factors) if *factors == [(q, Rational::ONE)] => c.mul(&d).to_int(),
            _ if pool.contains(m, symbol) => None,
            _ => Some(0),
        }
    };
    match pool.node(e) {
        Node::Sum(terms) => terms.iter().map(|(c, m)| of(c, *m)).sum(),
        _ => of(&Rational::ONE, e),
    }
}

/// a b as complex numbers.
pub fn product(pool: &Pool, a: [Expr; 2], b: [Expr; 2]) -> [Expr; 2] {
    let re = pool.sub(pool.mul(a[0], b[0]), pool.mul(a[1], b[1]));
    [re, pool.add(pool.mul(a[0], b[1]), pool.mul(a[1], b[0]))]
}

/// a* as a complex number.
pub fn conjugate(pool: &Pool, a: [Expr; 2]) -> [Expr; 2] {
    [a[0], pool.neg(a[1])]
}
