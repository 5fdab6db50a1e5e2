//! Canonical sums: `Σ coefficient × monomial`.
//!
//! In this order: nested sums are flattened and equal monomials collected; negligible terms dropped
//! ([`small`](crate::small)); squares of sines and cosines joined; common factors taken out, as
//! `add` does in Sayers' Table 6; terms sorted and the sum negated if its first coefficient is negative.

use cardan_base::Id;

use std::sync::Arc;

use smallvec::{SmallVec, smallvec};

use crate::canonical::product::Factors;
use crate::fingerprint::Fingerprint;
use crate::intern::Shape;
use crate::pool::{Inner, Meta};
use crate::{Depends, Expr, Function, Node, Rational};

/// Coefficients and monomials; few as a rule.
pub(crate) type Terms = SmallVec<[(Rational, Expr); 4]>;

impl Inner {
    /// `a + b`, or `a - b` with a coefficient of -1.
    pub fn plus(&mut self, a: Expr, coefficient: Rational, b: Expr) -> Expr {
        let zero = Expr::from_index(0);
        let simple = match (a == zero, b == zero) {
            (_, true) => Some(a),
            (true, _) if coefficient.is_one() => Some(b),
            _ => None,
        };
        match simple {
            // As the general way does it: what has been named since goes by its name, unless it is an atom.
            Some(e) if matches!(self.node(e), Node::Product(..) | Node::Sum(_)) => self.named(e),
            Some(e) => e,
            None => self.sum(smallvec![(Rational::ONE, a), (coefficient, b)]),
        }
    }

    /// The sum of one term where that is the term itself, perhaps by a name given to it since; nothing where it must be taken apart.
    pub fn alone(&self, e: Expr) -> Option<Expr> {
        match self.node(e) {
            Node::Symbol(_) | Node::Call(..) => Some(e),
            Node::Product(c, _) if c.is_one() => Some(self.named(e)),
            _ => None,
        }
    }

    pub fn sum(&mut self, terms: Terms) -> Expr {
        let Some(mut terms) = self.collect_terms(terms) else {
            return self.undefined();
        };
        self.drop_negligible(&mut terms);
        if terms.len() > 1 && self.join_squares(&mut terms) {
            return self.sum(terms);
        }
        match &terms[..] {
            [] => return self.number(Rational::ZERO),
            [(coefficient, monomial)] => return self.scale(coefficient.clone(), *monomial),
            _ => {}
        }
        if let Some(factored) = self.take_out_common_factor(&terms) {
            return factored;
        }
        terms.sort_by_key(|(_, monomial)| self.sort_key(*monomial));
        let negative = terms[0].0.is_negative();
        if negative {
            terms.iter_mut().for_each(|(c, _)| *c = c.neg());
        }
        let sum = match self.known(Shape::Sum(&terms)) {
            Ok(known) => known,
            Err(new) => {
                let meta = self.sum_meta(&terms);
                self.add(new, Node::Sum(Arc::from(&terms[..])), meta)
            }
        };
        if negative { self.scale(Rational::MINUS_ONE, sum) } else { sum }
    }

    /// Flat terms with distinct monomials and non-zero coefficients, sorted by id; the constant
    /// term has the monomial 1. Nothing if a term is undefined.
    fn collect_terms(&mut self, terms: Terms) -> Option<Terms> {
        let one = Expr::from_index(1);
        let mut flat = Terms::new();
        let mut stack = terms;
        while let Some((coefficient, e)) = stack.pop() {
            match self.node(e) {
                Node::Undefined => return None,
                Node::Number(r) => flat.push((coefficient.mul(r), one)),
                Node::Sum(inner) => {
                    stack.extend(inner.iter().map(|(c, monomial)| (c.mul(&coefficient), *monomial)));
                }
                Node::Product(c, factors) if !c.is_one() => {
                    let coefficient = coefficient.mul(c);
                    match &factors[..] {
                        [(base, n)] if n.is_one() => {
                            // ±(a + b) is opened; 2 (a + b) is cheaper as it stands.
                            let unit = coefficient == Rational::ONE || coefficient == Rational::MINUS_ONE;
                            if unit || !matches!(self.node(*base), Node::Sum(_)) {
                                stack.push((coefficient, *base));
                            } else {
                                flat.push((coefficient, *base));
                            }
                        }
                        _ => {
                            let factors = Arc::clone(factors);
                            let monomial = self.product(Rational::ONE, factors.iter().cloned().collect());
                            flat.push((coefficient, monomial));
                        }
                    }
                }
                _ => flat.push((coefficient, e)),
            }
        }
        flat.sort_by_key(|(_, monomial)| *monomial);
        flat.dedup_by(|next, kept| {
            let same = next.1 == kept.1;
            if same {
                kept.0 = kept.0.add(&next.0);
            }
            same
        });
        flat.retain(|(c, _)| !c.is_zero());
        Some(flat)
    }

    /// c·m·sin² + c·m·cos² → c·m, and c·m − c·m·sin² → c·m·cos². True if anything was joined.
    fn join_squares(&mut self, terms: &mut Terms) -> bool {
        for i in 0..terms.len() {
            let (coefficient, monomial) = terms[i].clone();
            if !matches!(self.node(monomial), Node::Product(..)) {
                continue;
            }
            for (function, argument) in self.squared_trigonometry(monomial) {
                let square = self.call(function, vec![argument]);
                let other = if function == Function::Sin { Function::Cos } else { Function::Sin };
                let partner = self.call(other, vec![argument]);
                let two = Rational::int(2);
                let cofactor =
                    self.product(Rational::ONE, smallvec![(monomial, Rational::ONE), (square, two.neg())]);
                let mirrored =
                    self.product(Rational::ONE, smallvec![(cofactor, Rational::ONE), (partner, two)]);
                let position = |m: Expr, c: &Rational| terms.iter().position(|(k, e)| *e == m && k == c);
                if let Some(j) = position(mirrored, &coefficient) {
                    terms[i].1 = cofactor;
                    terms.remove(j);
                    return true;
                }
                if let Some(j) = position(cofactor, &coefficient.neg()) {
                    terms[i] = (coefficient.neg(), mirrored);
                    terms.remove(j);
                    return true;
                }
            }
        }
        false
    }

    fn squared_trigonometry(&self, monomial: Expr) -> Vec<(Function, Expr)> {
        let Node::Product(_, factors) = self.node(monomial) else {
            return vec![];
        };
        let square = |(base, n): &(Expr, Rational)| match self.node(*base) {
            Node::Call(f @ (Function::Sin | Function::Cos), a) if *n >= Rational::int(2) => Some((*f, a[0])),
            _ => None,
        };
        factors.iter().filter_map(square).collect()
    }

    /// a·x + a·y → a·(x + y), for the factors and for a coefficient that all terms share.
    fn take_out_common_factor(&mut self, terms: &[(Rational, Expr)]) -> Option<Expr> {
        let mut common = self.factors_of(terms[0].1);
        for (_, monomial) in &terms[1..] {
            if common.is_empty() {
                break;
            }
            let itself = [(*monomial, Rational::ONE)];
            let factors = match self.node(*monomial) {
                Node::Product(_, factors) => &factors[..],
                Node::Number(_) => &[],
                _ => &itself,
            };
            common.retain(|(base, exponent)| {
                let Some((_, other)) = factors.iter().find(|(b, _)| b == base) else {
                    return false;
                };
                let same_sign = exponent.is_negative() == other.is_negative();
                if other.abs() < exponent.abs() {
                    *exponent = other.clone();
                }
                same_sign
            });
        }
        let size = terms[0].0.abs();
        let coefficient = if terms.iter().all(|(c, _)| c.abs() == size) { size } else { Rational::ONE };
        if common.is_empty() && coefficient.is_one() {
            return None;
        }
        let inverse: Factors = common.iter().map(|(base, n)| (*base, n.neg())).collect();
        let scale = coefficient.recip()?;
        let mut rest = Terms::new();
        for (c, monomial) in terms {
            let mut factors: Factors = smallvec![(*monomial, Rational::ONE)];
            factors.extend(inverse.iter().cloned());
            rest.push((c.mul(&scale), self.product(Rational::ONE, factors)));
        }
        let rest = self.sum(rest);
        common.push((rest, Rational::ONE));
        Some(self.product(coefficient, common))
    }

    /// The factors of a monomial with coefficient one.
    fn factors_of(&self, monomial: Expr) -> Factors {
        match self.node(monomial) {
            Node::Product(_, factors) => factors.iter().cloned().collect(),
            Node::Number(_) => smallvec![],
            _ => smallvec![(monomial, Rational::ONE)],
        }
    }

    fn sum_meta(&mut self, terms: &[(Rational, Expr)]) -> Meta {
        let mut depends = Depends::NOTHING;
        let mut small = i32::MAX;
        let mut cost = (terms.len() - 1) as u32;
        let mut fingerprint = Some(Fingerprint::ZERO);
        for (coefficient, monomial) in terms {
            let part = self.meta(*monomial);
            depends |= part.depends;
            small = small.min(part.small);
            let scaled = coefficient.abs() != Rational::ONE && self.as_number(*monomial).is_none();
            cost = cost.saturating_add(part.cost).saturating_add(u32::from(scaled));
            let own = part.fingerprint;
            let own = match coefficient {
                Rational::Small(1, 1) => own,
                Rational::Small(-1, 1) => own.map(Fingerprint::neg),
                _ => own.map(|f| f.mul(self.number_fingerprint(coefficient))),
            };
            fingerprint = fingerprint.and_then(|f| Some(f.add(own?)));
        }
        Meta { depends, small, cost, fingerprint }
    }
}
