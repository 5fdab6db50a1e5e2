//! Square roots of numbers in lowest terms, so that equal numbers are one expression.
//!
//! ```text
//! [surd]   (a/b)^(n/2) = (a/b)^((n-1)/2) · √(a b)/b,   √(s² f) = s √f      n odd
//! ```
//!
//! √8 is 2 √2, 1/√2 is √2/2, √2 √3 is √6. Decimals with long denominators stay as they are written: √9.81 reads better
//! than 3/10 √109.

use crate::Rational;

/// Denominators up to here are rationalised.
const LARGEST_DENOMINATOR: i64 = 64;
/// Radicands up to here are searched for square factors.
const LARGEST_RADICAND: i64 = 1_000_000;

/// s and f of n = s² f with f free of squares.
pub(crate) fn reduced(n: i64) -> (i64, i64) {
    if !(1..=LARGEST_RADICAND).contains(&n) {
        return (1, n);
    }
    let (mut outside, mut rest, mut inside, mut p) = (1, n, 1, 2);
    while p * p <= rest {
        while rest % (p * p) == 0 {
            rest /= p * p;
            outside *= p;
        }
        if rest % p == 0 {
            rest /= p;
            inside *= p;
        }
        p += 1;
    }
    (outside, inside * rest)
}

/// c and f of base^exponent = c √f, if it is such a number. `[surd]`
pub(crate) fn root(base: &Rational, exponent: &Rational) -> Option<(Rational, i64)> {
    let (Rational::Small(a, b), Rational::Small(n, 2)) = (base, exponent) else { return None };
    if *a <= 0 || *b > LARGEST_DENOMINATOR {
        return None;
    }
    let product = a.checked_mul(*b).filter(|r| *r <= LARGEST_RADICAND)?;
    let (outside, inside) = reduced(product);
    let whole = base.powi((n - 1).div_euclid(2))?;
    Some((whole.mul(&Rational::new(outside, *b)?), inside))
}

#[cfg(test)]
mod tests {
    use crate::{Pool, Rational};

    #[test]
    fn roots_of_numbers_are_in_lowest_terms() {
        let pool = Pool::new();
        let root = |n: i64| pool.sqrt(pool.int(n));
        assert_eq!(root(8), pool.scale(Rational::int(2), root(2)));
        assert_eq!(pool.mul(root(2), root(2)), pool.int(2));
        assert_eq!(pool.mul(root(2), root(3)), root(6));
        assert_eq!(pool.mul(root(6), root(3)), pool.scale(Rational::int(3), root(2)));
        assert_eq!(pool.div(pool.one(), root(2)), pool.scale(Rational::Small(1, 2), root(2)));
        assert_eq!(pool.sqrt(pool.number(Rational::Small(1, 2))), pool.div(pool.one(), root(2)));
        assert_eq!(pool.add(pool.div(root(2), pool.int(2)), pool.div(pool.one(), root(2))), root(2));
        // A name does not hide what a number is.
        let named = pool.define(root(2));
        assert_eq!(pool.mul(named, named), pool.int(2));
    }

    #[test]
    fn values_stay_what_they_are() {
        let pool = Pool::new();
        for a in 1..40 {
            for b in [1, 2, 3, 7, 12, 64, 100] {
                for n in [-5, -3, -1, 1, 3] {
                    let base = Rational::new(a, b).expect("no zero");
                    let e = pool.pow(pool.number(base.clone()), Rational::Small(n, 2));
                    let (found, expected) =
                        (pool.evaluate(e, &|_| f64::NAN), base.to_f64().powf(n as f64 / 2.0));
                    assert!(
                        (found - expected).abs() <= 1e-14 * expected,
                        "({a}/{b})^({n}/2): {found} {expected}"
                    );
                }
            }
        }
    }
}
