//! Canonical products: `coefficient × Π base^exponent`.
//!
//! Nested products are flattened, numbers collected into the coefficient, equal bases combined,
//! factors sorted. A fractional power is never distributed over a product, because
//! (x²)^(1/2) is not x.

use crate::fingerprint::Fingerprint;
use crate::pool::{Inner, Meta};
use crate::{Depends, Expr, Node, Rational};

impl Inner {
    /// `coefficient × e`.
    pub fn scale(&mut self, coefficient: Rational, e: Expr) -> Expr {
        self.product(coefficient, vec![(e, Rational::ONE)])
    }

    pub fn product(&mut self, coefficient: Rational, factors: Vec<(Expr, Rational)>) -> Expr {
        let mut coefficient = coefficient;
        let mut flat: Vec<(Expr, Rational)> = Vec::with_capacity(factors.len() + 2);
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
                        NumberPower::Opaque => flat.push((base, exponent)),
                        NumberPower::Undefined => return self.undefined(),
                    },
                    Node::Product(c, inner) if exponent.is_int() => {
                        let power = exponent.to_int().and_then(|n| c.powi(n));
                        match power {
                            Some(value) => coefficient = coefficient.mul(&value),
                            None => {
                                let c = c.clone();
                                let inner = inner.to_vec();
                                let number = self.number(c);
                                flat.push((number, exponent.clone()));
                                stack.extend(inner.into_iter().rev().map(|(b, n)| (b, n.mul(&exponent))));
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
            flat.sort_by_key(|(base, _)| self.sort_key(*base));
            combine_equal_bases(&mut flat);
            // A combined exponent may have become an integer: its base is then taken apart again.
            let reopen = |f: &(Expr, Rational)| {
                f.1.is_int() && matches!(self.node(f.0), Node::Product(..) | Node::Number(_))
            };
            if !flat.iter().any(reopen) {
                break;
            }
            let (open, closed): (Vec<_>, Vec<_>) = flat.drain(..).partition(reopen);
            stack = open;
            flat = closed;
        }
        match &flat[..] {
            [] => return self.number(coefficient),
            [(base, exponent)] if exponent.is_one() && coefficient.is_one() => return *base,
            _ => {}
        }
        let meta = self.product_meta(&coefficient, &flat);
        self.intern(Node::Product(coefficient, flat.into()), meta)
    }

    fn product_meta(&mut self, coefficient: &Rational, factors: &[(Expr, Rational)]) -> Meta {
        let mut depends = Depends::NOTHING;
        let mut small = 0;
        let mut cost: u32 = u32::from(*coefficient != Rational::ONE && *coefficient != Rational::MINUS_ONE);
        let mut fingerprint = Some(self.number_fingerprint(coefficient));
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
    exact.map_or(NumberPower::Opaque, NumberPower::Exact)
}

fn combine_equal_bases(factors: &mut Vec<(Expr, Rational)>) {
    factors.dedup_by(|next, kept| {
        let same = next.0 == kept.0;
        if same {
            kept.1 = kept.1.add(&next.1);
        }
        same
    });
    factors.retain(|(_, exponent)| !exponent.is_zero());
}
