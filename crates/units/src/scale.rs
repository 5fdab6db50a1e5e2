//! Exact factors: a positive rational times a power of pi.
//!
//! `1 in = 127/5000 m`, `1 deg = pi/180 rad`, `1 rpm = pi/30 rad/s`. Whatever would not fit 128 bits, or would be
//! irrational in another way (the square root of a millimetre), is not represented: the operations return nothing.

use crate::Exponent;

/// `num/den * pi^pi`, reduced, positive.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Scale {
    num: i128,
    den: i128,
    pi: i8,
}

impl Scale {
    /// The factor of an SI unit.
    pub const ONE: Scale = Scale { num: 1, den: 1, pi: 0 };

    /// The factor `num/den * pi^pi`; nothing unless both are positive.
    pub const fn new(num: i128, den: i128, pi: i8) -> Option<Self> {
        if num <= 0 || den <= 0 {
            return None;
        }
        let divisor = gcd(num, den);
        Some(Scale { num: num / divisor, den: den / divisor, pi })
    }

    /// The numerator of the rational part; positive.
    pub const fn numerator(self) -> i128 {
        self.num
    }
    /// The denominator of the rational part; positive.
    pub const fn denominator(self) -> i128 {
        self.den
    }
    /// The power of pi.
    pub const fn pi(self) -> i8 {
        self.pi
    }

    /// The product, if it fits.
    pub fn checked_mul(self, other: Scale) -> Option<Scale> {
        let (left, right) = (gcd(self.num, other.den), gcd(other.num, self.den));
        let num = (self.num / left).checked_mul(other.num / right)?;
        let den = (self.den / right).checked_mul(other.den / left)?;
        Some(Scale { num, den, pi: self.pi.checked_add(other.pi)? })
    }

    /// One over it, if it fits.
    pub fn checked_recip(self) -> Option<Scale> {
        Some(Scale { num: self.den, den: self.num, pi: self.pi.checked_neg()? })
    }

    /// The power, if it is again a rational times a whole power of pi, and fits.
    pub fn checked_pow(self, exponent: Exponent) -> Option<Scale> {
        let root = exponent.denominator().unsigned_abs();
        let power = u32::from(exponent.numerator().unsigned_abs());
        let pi = i64::from(self.pi) * i64::from(exponent.numerator());
        if pi % i64::from(root) != 0 {
            return None;
        }
        let num = exact_root(self.num, root)?.checked_pow(power)?;
        let den = exact_root(self.den, root)?.checked_pow(power)?;
        let pi = i8::try_from(pi / i64::from(root)).ok()?;
        if exponent.numerator() < 0 {
            return Some(Scale { num: den, den: num, pi });
        }
        Some(Scale { num, den, pi })
    }

    /// The nearest floating-point number, to within two units in the last place.
    pub fn to_f64(self) -> f64 {
        let rational = self.num as f64 / self.den as f64;
        let pis = (0..self.pi.unsigned_abs()).fold(1.0, |product, _| product * std::f64::consts::PI);
        if self.pi < 0 { rational / pis } else { rational * pis }
    }
}

const fn gcd(a: i128, b: i128) -> i128 {
    let (mut a, mut b) = (a, b);
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// The positive integer whose `n`-th power is `value`, if there is one. `value` is positive.
fn exact_root(value: i128, n: u16) -> Option<i128> {
    let n = u32::from(n);
    if n == 1 || value == 1 {
        return Some(value);
    }
    let (mut low, mut high) = (1_i128, 1_i128 << (128 / n).min(126));
    while low < high {
        let middle = low + (high - low) / 2;
        if middle.checked_pow(n).is_some_and(|p| p < value) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    (low.checked_pow(n) == Some(value)).then_some(low)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn half() -> Exponent {
        Exponent::HALF
    }

    #[test]
    fn products_are_reduced() {
        let inch = Scale::new(254, 10_000, 0).expect("positive");
        assert_eq!((inch.numerator(), inch.denominator()), (127, 5000));
        let square = inch.checked_mul(inch).expect("fits");
        assert_eq!((square.numerator(), square.denominator()), (16_129, 25_000_000));
    }

    #[test]
    fn roots_are_exact_or_refused() {
        let scale = |n, d, pi| Scale::new(n, d, pi).expect("positive");
        assert_eq!(scale(9, 4, 2).checked_pow(half()), Some(scale(3, 2, 1)));
        assert_eq!(scale(1, 1000, 0).checked_pow(half()), None);
        assert_eq!(scale(9, 4, 1).checked_pow(half()), None);
        assert_eq!(scale(9, 4, 1).checked_pow(Exponent::int(-2)), Some(scale(16, 81, -2)));
        assert_eq!(scale(10, 1, 0).checked_pow(Exponent::int(40)), None);
    }

    #[test]
    fn nothing_but_positive_factors() {
        assert_eq!(Scale::new(0, 1, 0), None);
        assert_eq!(Scale::new(1, -1, 0), None);
    }

    proptest! {
        #[test]
        fn a_root_undoes_a_power(base in 1i128..2000, n in 1u16..9) {
            prop_assert_eq!(exact_root(base.pow(n.into()), n), Some(base));
            if base > 1 && n > 1 {
                prop_assert_eq!(exact_root(base.pow(n.into()) + 1, n), None);
            }
        }
        #[test]
        fn a_factor_times_its_inverse_is_one(n in 1i128.., d in 1i128.., pi in -9i8..9) {
            let scale = Scale::new(n, d, pi).expect("positive");
            let inverse = scale.checked_recip().expect("fits");
            prop_assert_eq!(scale.checked_mul(inverse), Some(Scale::ONE));
        }
        #[test]
        fn the_float_is_near(n in 1i128..1_000_000_000, d in 1i128..1_000_000_000) {
            let scale = Scale::new(n, d, 1).expect("positive");
            let expected = n as f64 / d as f64 * std::f64::consts::PI;
            prop_assert!((scale.to_f64() - expected).abs() <= 4.0 * f64::EPSILON * expected);
        }
    }
}
