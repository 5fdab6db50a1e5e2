//! Canonical products: `coefficient × Π base^exponent`.
//!
//! Nested products are flattened, numbers collected into the coefficient, equal bases combined,
//! factors sorted. A fractional power is never distributed over a product, because
//! (x²)^(1/2) is not x.

use std::sync::Arc;

use smallvec::{SmallVec, smallvec};

use crate::canonical::surd;
use crate::fingerprint::Fingerprint;
use crate::intern::Shape;
use crate::pool::{Inner, Meta};
use crate::{Depends, Expr, Node, Rational};
use cardan_base::Id;

/// Bases and exponents; few as a rule.
pub(crate) type Factors = SmallVec<[(Expr, Rational); 4]>;

impl Inner {
    /// `coefficient × e`.
    pub fn scale(&mut self, coefficient: Rational, e: Expr) -> Expr {
        match self.node(e) {
            Node::Number(r) => {
                let number = coefficient.mul(r);
                self.number(number)
            }
            Node::Undefined => e,
            _ if coefficient.is_zero() => Expr::from_index(0),
            // The factors of a product are in order already.
            Node::Product(c, factors) => {
                let (coefficient, factors) = (coefficient.mul(c), Arc::clone(factors));
                match &factors[..] {
                    [(base, exponent)] if exponent.is_one() && coefficient.is_one() => *base,
                    _ => self.canonical_product(coefficient, &factors, || Arc::clone(&factors)),
                }
            }
            _ if coefficient.is_one() => e,
            _ => {
                let factors = || [(e, Rational::ONE)];
                self.canonical_product(coefficient, &factors(), || Arc::new(factors()))
            }
        }
    }

    /// `a × b`.
    pub fn times(&mut self, a: Expr, b: Expr) -> Expr {
        let [zero, one] = [0, 1].map(Expr::from_index);
        for (factor, other) in [(a, b), (b, a)] {
            // As the general way does it: what has been named since goes by its name, unless it is a factor by itself.
            match self.node(other) {
                Node::Undefined => return other,
                _ if factor == zero => return zero,
                Node::Product(..) if factor == one => return self.named(other),
                _ if factor == one => return other,
                _ => {}
            }
        }
        let is_whole = |e: Expr| matches!(self.node(e), Node::Symbol(_) | Node::Sum(_) | Node::Call(..));
        if a != b && is_whole(a) && is_whole(b) {
            let (a, b) = if self.sort_key(a) < self.sort_key(b) { (a, b) } else { (b, a) };
            let factors = || [(a, Rational::ONE), (b, Rational::ONE)];
            return self.canonical_product(Rational::ONE, &factors(), || Arc::new(factors()));
        }
        self.product(Rational::ONE, smallvec![(a, Rational::ONE), (b, Rational::ONE)])
    }

    pub fn product(&mut self, coefficient: Rational, factors: Factors) -> Expr {
        let mut coefficient = coefficient;
        let mut radicand = 1;
        let mut flat = Factors::new();
        let mut stack = factors;
        stack.reverse();
        loop {
            while let Some((base, exponent)) = stack.pop() {
                if exponent.is_zero() {
                    continue;
                }
                match self.node(base) {
                    Node::Undefined => return self.undefined(),
                    Node::Number(r) => match power_of_number(r, &exponent) {
                        NumberPower::Exact(value) => coefficient = coefficient.mul(&value),
                        NumberPower::Surd(value, root) => match i64::checked_mul(radicand, root) {
                            Some(product) => {
                                let (outside, inside) = surd::reduced(product);
                                coefficient = coefficient.mul(&value).mul(&Rational::int(outside));
                                radicand = inside;
                            }
                            None => flat.push((base, exponent)),
                        },
                        NumberPower::Opaque => flat.push((base, exponent)),
                        NumberPower::Undefined => return self.undefined(),
                    },
                    Node::Product(c, inner) if exponent.is_int() => {
                        let power = exponent.to_int().and_then(|n| c.powi(n));
                        match power {
                            Some(value) => coefficient = coefficient.mul(&value),
                            None => {
                                let c = c.clone();
                                let inner = Arc::clone(inner);
                                let number = self.number(c);
                                flat.push((number, exponent.clone()));
                                stack.extend(inner.iter().rev().map(|(b, n)| (*b, n.mul(&exponent))));
                                continue;
                            }
                        }
                        stack.extend(inner.iter().rev().map(|(b, n)| (*b, n.mul(&exponent))));
                    }
                    _ => flat.push((base, exponent)),
                }
            }
            if coefficient.is_zero() {
                return self.number(Rational::ZERO);
            }
            let root = std::mem::replace(&mut radicand, 1);
            if root != 1 {
                flat.push((self.number(Rational::int(root)), Rational::Small(1, 2)));
            }
            flat.sort_by_key(|(base, _)| self.sort_key(*base));
            combine_equal_bases(&mut flat);
            // A combined exponent may have become an integer: its base is then taken apart again.
            // A power of a number that is too long to be computed stays as it is.
            let reopen = |f: &(Expr, Rational)| {
                f.1.is_int()
                    && match self.node(f.0) {
                        Node::Product(..) => true,
                        Node::Number(r) => !matches!(power_of_number(r, &f.1), NumberPower::Opaque),
                        _ => false,
                    }
            };
            if !flat.iter().any(reopen) {
                break;
            }
            let (open, closed): (Factors, Factors) = flat.drain(..).partition(reopen);
            stack = open;
            flat = closed;
        }
        match &flat[..] {
            [] => return self.number(coefficient),
            [(base, exponent)] if exponent.is_one() && coefficient.is_one() => return *base,
            _ => {}
        }
        self.canonical_product(coefficient, &flat, || Arc::from(&flat[..]))
    }

    /// The product of factors in order; `own` gives them memory of their own where the product is new.
    fn canonical_product(
        &mut self,
        coefficient: Rational,
        factors: &[(Expr, Rational)],
        own: impl FnOnce() -> Arc<[(Expr, Rational)]>,
    ) -> Expr {
        match self.known(Shape::Product(&coefficient, factors)) {
            Ok(known) => known,
            Err(new) => {
                let meta = self.product_meta(&coefficient, factors);
                self.add(new, Node::Product(coefficient, own()), meta)
            }
        }
    }

    fn product_meta(&mut self, coefficient: &Rational, factors: &[(Expr, Rational)]) -> Meta {
        let mut depends = Depends::NOTHING;
        let mut small = 0;
        let mut cost: u32 = u32::from(*coefficient != Rational::ONE && *coefficient != Rational::MINUS_ONE);
        let scale =
            if coefficient.is_one() { Fingerprint::ONE } else { self.number_fingerprint(coefficient) };
        let mut fingerprint = Some(scale);
        for (base, exponent) in factors {
            let part = self.meta(*base);
            depends |= part.depends;
            if part.small != 0 {
                small += (f64::from(part.small) * exponent.to_f64()).floor() as i32;
            }
            let multiplications = match exponent.to_int() {
                Some(n) => u32::try_from(n.unsigned_abs()).unwrap_or(u32::MAX).min(8),
                None => 6,
            };
            cost = cost.saturating_add(part.cost).saturating_add(multiplications);
            fingerprint =
                fingerprint.and_then(|f| Some(f.mul(power_fingerprint(part.fingerprint?, exponent)?)));
        }
        Meta { depends, small, cost: cost.saturating_sub(1).max(1), fingerprint }
    }
}

/// b^(n/d): the n-th power of an opaque d-th root.
fn power_fingerprint(base: Fingerprint, exponent: &Rational) -> Option<Fingerprint> {
    match exponent {
        Rational::Small(n, 1) => base.powi(*n),
        Rational::Small(n, d) => {
            let [a, b] = base.words();
            Fingerprint::opaque(&[0x2007, *d as u64, a, b]).powi(*n)
        }
        Rational::Big(_) => None,
    }
}

enum NumberPower {
    Exact(Rational),
    /// A number times the square root of an integer without square factors.
    Surd(Rational, i64),
    Opaque,
    Undefined,
}

fn power_of_number(base: &Rational, exponent: &Rational) -> NumberPower {
    if base.is_zero() {
        return if exponent.is_negative() {
            NumberPower::Undefined
        } else {
            NumberPower::Exact(Rational::ZERO)
        };
    }
    let exact = match exponent {
        Rational::Small(n, 1) => base.powi(*n),
        Rational::Small(n, 2) => base.sqrt().and_then(|r| r.powi(*n)),
        _ => None,
    };
    match exact {
        Some(value) => NumberPower::Exact(value),
        None => surd::root(base, exponent).map_or(NumberPower::Opaque, |(c, s)| NumberPower::Surd(c, s)),
    }
}

fn combine_equal_bases(factors: &mut Factors) {
    factors.dedup_by(|next, kept| {
        let same = next.0 == kept.0;
        if same {
            kept.1 = kept.1.add(&next.1);
        }
        same
    });
    factors.retain(|(_, exponent)| !exponent.is_zero());
}
