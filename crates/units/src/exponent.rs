//! The small rationals that stand above base units.
//!
//! Whole numbers suffice for most of mechanics; square roots of stiffness over mass need halves, and Hertzian
//! contact needs `N/m^(3/2)`. Numerator and denominator fit 16 bits. Arithmetic that would leave that range is
//! held at the nearest value inside it: a length to the power 32767 has no meaning that could be lost, and a text
//! that squares a quantity forty times must not stop the program.

use std::cmp::Ordering;
use std::fmt;
use std::ops::{Add, Mul, Neg, Sub};

/// A reduced fraction with a positive denominator.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Exponent {
    num: i16,
    den: i16,
}

const LIMIT: i64 = i16::MAX as i64;

impl Exponent {
    /// Absent.
    pub const ZERO: Exponent = Exponent::int(0);
    /// The first power.
    pub const ONE: Exponent = Exponent::int(1);
    /// A square root.
    pub const HALF: Exponent = Exponent { num: 1, den: 2 };

    /// A whole exponent.
    pub const fn int(n: i16) -> Self {
        // The most negative number has no opposite, so it is not used.
        Exponent { num: if n == i16::MIN { -i16::MAX } else { n }, den: 1 }
    }

    /// The fraction `num/den`, or nothing if `den` is zero or the reduced fraction needs more than 16 bits.
    pub fn new(num: i64, den: i64) -> Option<Self> {
        if den == 0 {
            return None;
        }
        let (num, den) = reduce(i128::from(num), i128::from(den));
        let fits = |n: i128| i16::try_from(n).ok().filter(|n| *n != i16::MIN);
        Some(Exponent { num: fits(num)?, den: fits(den)? })
    }

    /// The numerator; carries the sign.
    pub const fn numerator(self) -> i16 {
        self.num
    }
    /// The denominator; positive.
    pub const fn denominator(self) -> i16 {
        self.den
    }
    /// Whether it is zero.
    pub const fn is_zero(self) -> bool {
        self.num == 0
    }
    /// Its size without the sign.
    pub const fn abs(self) -> Self {
        Exponent { num: self.num.abs(), den: self.den }
    }

    /// The fraction, or the nearest one inside the range. `den` is positive.
    fn held(num: i64, den: i64) -> Self {
        let (num, den) = reduce(i128::from(num), i128::from(den));
        let (mut num, mut den) = (num as i64, den as i64);
        while den > LIMIT {
            (num, den) = (num / 2, den / 2);
        }
        if num.abs() > LIMIT * den {
            (num, den) = (LIMIT * num.signum(), 1);
        }
        while num.abs() > LIMIT {
            (num, den) = (num / 2, (den / 2).max(1));
        }
        let (num, den) = reduce(i128::from(num), i128::from(den));
        Exponent { num: num as i16, den: den as i16 }
    }
}

/// The fraction in lowest terms with a positive denominator; `den` is not zero.
fn reduce(num: i128, den: i128) -> (i128, i128) {
    let (mut a, mut b) = (num.unsigned_abs(), den.unsigned_abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    let divisor = a as i128 * den.signum();
    (num / divisor, den / divisor)
}

impl Add for Exponent {
    type Output = Exponent;
    fn add(self, other: Exponent) -> Exponent {
        let [a, b, c, d] = [self.num, self.den, other.num, other.den].map(i64::from);
        Exponent::held(a * d + c * b, b * d)
    }
}

impl Neg for Exponent {
    type Output = Exponent;
    fn neg(self) -> Exponent {
        Exponent { num: -self.num, den: self.den }
    }
}

impl Sub for Exponent {
    type Output = Exponent;
    fn sub(self, other: Exponent) -> Exponent {
        self + -other
    }
}

impl Mul for Exponent {
    type Output = Exponent;
    fn mul(self, other: Exponent) -> Exponent {
        let [a, b, c, d] = [self.num, self.den, other.num, other.den].map(i64::from);
        Exponent::held(a * c, b * d)
    }
}

impl Ord for Exponent {
    fn cmp(&self, other: &Self) -> Ordering {
        let [a, b, c, d] = [self.num, self.den, other.num, other.den].map(i64::from);
        (a * d).cmp(&(c * b))
    }
}

impl PartialOrd for Exponent {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl From<i16> for Exponent {
    fn from(n: i16) -> Self {
        Exponent::int(n)
    }
}

/// `2`, `-1`, `3/2`.
impl fmt::Display for Exponent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.den == 1 { write!(f, "{}", self.num) } else { write!(f, "{}/{}", self.num, self.den) }
    }
}

impl fmt::Debug for Exponent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn fraction(num: i64, den: i64) -> Exponent {
        Exponent::new(num, den).expect("small enough")
    }

    #[test]
    fn fractions_are_reduced_and_carry_the_sign_above() {
        assert_eq!(fraction(6, -4), fraction(-3, 2));
        assert_eq!(fraction(6, -4).to_string(), "-3/2");
        assert_eq!(fraction(0, -7), Exponent::ZERO);
    }

    #[test]
    fn what_does_not_fit_is_refused_or_held() {
        assert_eq!(Exponent::new(1, 0), None);
        assert_eq!(Exponent::new(40_000, 1), None);
        assert_eq!(Exponent::new(i64::MIN, i64::MIN), Some(Exponent::ONE));
        let most = Exponent::int(i16::MAX);
        assert_eq!(most + most, most);
        assert_eq!(-most - most, -most);
        assert_eq!(Exponent::int(i16::MIN), -most);
    }

    #[test]
    fn endless_squaring_and_rooting_end_in_range() {
        let mut power = fraction(3, 2);
        let mut root = fraction(7, 3);
        for _ in 0..100 {
            power = power * Exponent::int(2);
            root = root * fraction(1, 3);
        }
        assert_eq!(power, Exponent::int(i16::MAX));
        assert!(root.abs() < fraction(1, 1000));
    }

    proptest! {
        #[test]
        fn the_field_laws_hold(a in -60i64..60, b in 1i64..12, c in -60i64..60, d in 1i64..12) {
            let (x, y) = (fraction(a, b), fraction(c, d));
            prop_assert_eq!(x + y, fraction(a * d + c * b, b * d));
            prop_assert_eq!(x - y + y, x);
            prop_assert_eq!(x * y, fraction(a * c, b * d));
            prop_assert_eq!(x.cmp(&y), (a * d).cmp(&(c * b)));
        }
        #[test]
        fn arithmetic_never_overflows(a: i16, b in 1i16.., c: i16, d in 1i16..) {
            let x = fraction(a.max(-i16::MAX).into(), b.into());
            let y = fraction(c.max(-i16::MAX).into(), d.into());
            for z in [x + y, x - y, x * y] {
                prop_assert!(z.denominator() > 0);
            }
        }
    }
}
