//! Exact rational numbers: two machine words while they fit, big integers beyond.

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use num_bigint::BigInt;
use num_integer::Integer;
use num_rational::BigRational;
use num_traits::{One, Signed, ToPrimitive, Zero};

/// A rational number in lowest terms with a positive denominator.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Rational {
    /// Numerator, its negative and the denominator fit in machine words. Always used when they do.
    Small(i64, i64),
    /// They do not.
    Big(Arc<BigRational>),
}

use Rational::{Big, Small};

/// Powers with this many bits above or below the line are not computed.
const MOST_BITS: u64 = 20_000;

impl Rational {
    /// Zero.
    pub const ZERO: Rational = Small(0, 1);
    /// One.
    pub const ONE: Rational = Small(1, 1);
    /// Minus one.
    pub const MINUS_ONE: Rational = Small(-1, 1);

    /// `n / d`, or nothing if `d` is zero.
    pub fn new(n: i64, d: i64) -> Option<Rational> {
        (d != 0).then(|| Self::from_i128(n.into(), d.into()))
    }
    /// An integer.
    pub fn int(n: i64) -> Rational {
        if n == i64::MIN { Self::from_i128(n.into(), 1) } else { Small(n, 1) }
    }
    fn from_i128(n: i128, d: i128) -> Rational {
        // Almost every number fits a machine word, where the greatest common divisor is far quicker to find.
        if let (Ok(n), Ok(d @ 1..)) = (i64::try_from(n), i64::try_from(d))
            && n != i64::MIN
        {
            let g = if d == 1 { 1 } else { n.gcd(&d) };
            return Small(n / g, d / g);
        }
        let g = n.gcd(&d).max(1);
        let (n, d) = if d < 0 { (-n / g, -d / g) } else { (n / g, d / g) };
        match (i64::try_from(n), i64::try_from(d)) {
            (Ok(n), Ok(d)) if n != i64::MIN => Small(n, d),
            _ => Big(Arc::new(BigRational::new_raw(BigInt::from(n), BigInt::from(d)))),
        }
    }
    fn from_big(r: BigRational) -> Rational {
        match (r.numer().to_i64(), r.denom().to_i64()) {
            (Some(n), Some(d)) if n != i64::MIN => Small(n, d),
            _ => Big(Arc::new(r)),
        }
    }
    fn to_big(&self) -> BigRational {
        match self {
            Small(n, d) => BigRational::new_raw(BigInt::from(*n), BigInt::from(*d)),
            Big(r) => (**r).clone(),
        }
    }
    /// The exact value of a decimal literal such as `2.194e-6`; nothing if the text is not one, or
    /// if its exponent is absurd.
    pub fn from_decimal(text: &str) -> Option<Rational> {
        let (mantissa, exponent) = match text.find(['e', 'E']) {
            Some(at) => (&text[..at], text[at + 1..].parse::<i32>().ok()?),
            None => (text, 0),
        };
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let digits: String = [whole, fraction].concat();
        if digits.is_empty() || digits.len() > 400 || !digits.bytes().all(|b| b.is_ascii_digit()) {
            return None;
        }
        let power = exponent.checked_sub(i32::try_from(fraction.len()).ok()?)?;
        if power.unsigned_abs() > 400 {
            return None;
        }
        let n: BigInt = digits.parse().ok()?;
        let scale = BigInt::from(10).pow(power.unsigned_abs());
        let r = if power >= 0 { BigRational::from(n * scale) } else { BigRational::new(n, scale) };
        Some(Self::from_big(r))
    }
    /// The exact value of a float; nothing for infinities and NaN.
    pub fn from_f64(x: f64) -> Option<Rational> {
        BigRational::from_float(x).map(Self::from_big)
    }
    /// The nearest float.
    pub fn to_f64(&self) -> f64 {
        match self {
            Small(n, d) if n.unsigned_abs() < 1 << 53 && *d < 1 << 53 => *n as f64 / *d as f64,
            _ => self.to_big().to_f64().unwrap_or(f64::NAN),
        }
    }
    /// The value as a machine integer, if it is one.
    pub fn to_int(&self) -> Option<i64> {
        match self {
            Small(n, 1) => Some(*n),
            _ => None,
        }
    }
    /// Whether the value is an integer.
    pub fn is_int(&self) -> bool {
        match self {
            Small(_, d) => *d == 1,
            Big(r) => r.is_integer(),
        }
    }
    /// Whether the value is zero.
    pub fn is_zero(&self) -> bool {
        *self == Self::ZERO
    }
    /// Whether the value is one.
    pub fn is_one(&self) -> bool {
        *self == Self::ONE
    }
    /// Whether the value is below zero.
    pub fn is_negative(&self) -> bool {
        match self {
            Small(n, _) => *n < 0,
            Big(r) => r.is_negative(),
        }
    }
    /// Absolute value.
    pub fn abs(&self) -> Rational {
        if self.is_negative() { self.neg() } else { self.clone() }
    }
    /// Minus the value.
    pub fn neg(&self) -> Rational {
        match self {
            Small(n, d) => Small(-n, *d),
            Big(r) => Self::from_big(-(**r).clone()),
        }
    }
    /// Sum.
    pub fn add(&self, other: &Rational) -> Rational {
        if let (Small(a, b), Small(c, d)) = (self, other) {
            if let (1, 1, Some(sum)) = (b, d, a.checked_add(*c)) {
                return Self::int(sum);
            }
            let (a, b, c, d) = (i128::from(*a), i128::from(*b), i128::from(*c), i128::from(*d));
            return Self::from_i128(a * d + c * b, b * d);
        }
        Self::from_big(self.to_big() + other.to_big())
    }
    /// Difference.
    pub fn sub(&self, other: &Rational) -> Rational {
        self.add(&other.neg())
    }
    /// Product.
    pub fn mul(&self, other: &Rational) -> Rational {
        if let (Small(a, b), Small(c, d)) = (self, other) {
            if let (1, 1, Some(product)) = (b, d, a.checked_mul(*c)) {
                return Self::int(product);
            }
            let (a, b, c, d) = (i128::from(*a), i128::from(*b), i128::from(*c), i128::from(*d));
            return Self::from_i128(a * c, b * d);
        }
        Self::from_big(self.to_big() * other.to_big())
    }
    /// The greatest number of which both are whole multiples, never negative: 2 of 4 and 6, 1/6 of 1/2 and 1/3.
    pub fn gcd(&self, other: &Rational) -> Rational {
        let (a, b) = (self.to_big(), other.to_big());
        let numerator = (a.numer() * b.denom()).gcd(&(b.numer() * a.denom()));
        Self::from_big(BigRational::new(numerator, a.denom() * b.denom()))
    }
    /// One over the value; nothing for zero.
    pub fn recip(&self) -> Option<Rational> {
        match self {
            Small(0, _) => None,
            Small(n, d) => Some(Self::from_i128((*d).into(), (*n).into())),
            Big(r) => Some(Self::from_big(r.recip())),
        }
    }
    /// An integer power; nothing for a negative power of zero, an absurd exponent or a result of absurd length.
    pub fn powi(&self, n: i64) -> Option<Rational> {
        if self.is_one() || n == 0 {
            return Some(Self::ONE);
        }
        let base = if n < 0 { self.recip()? } else { self.clone() };
        // A power of a number in lowest terms is in lowest terms.
        if let Small(a, b) = base
            && let Ok(exponent) = u32::try_from(n.unsigned_abs())
            && let (Some(a), Some(b)) = (a.checked_pow(exponent), b.checked_pow(exponent))
            && a != i64::MIN
        {
            return Some(Small(a, b));
        }
        let exponent = u32::try_from(n.unsigned_abs()).ok().filter(|e| *e <= 1000)?;
        let r = base.to_big();
        // What is too long is not computed first.
        let least_bits = |n: &BigInt| n.bits().saturating_sub(1) * u64::from(exponent);
        if least_bits(r.numer()).max(least_bits(r.denom())) >= MOST_BITS {
            return None;
        }
        let (n, d) = (r.numer().pow(exponent), r.denom().pow(exponent));
        (n.bits() < MOST_BITS && d.bits() < MOST_BITS).then(|| Self::from_big(BigRational::new_raw(n, d)))
    }
    /// The exact square root, if there is one.
    pub fn sqrt(&self) -> Option<Rational> {
        if self.is_negative() {
            return None;
        }
        if *self == Self::ONE {
            return Some(Self::ONE);
        }
        let r = self.to_big();
        let (n, d) = (r.numer().sqrt(), r.denom().sqrt());
        (&n * &n == *r.numer() && &d * &d == *r.denom()).then(|| Self::from_big(BigRational::new(n, d)))
    }
    /// Numerator modulo `p` times the inverse of the denominator modulo `p`.
    pub(crate) fn residues(&self, p: u64) -> (u64, u64) {
        let modulo = |n: &BigInt| n.mod_floor(&BigInt::from(p)).to_u64().unwrap_or(0);
        match self {
            Small(n, d) => {
                let reduce = |x: i64| {
                    // Nearly all are below `p`, and a division is dear.
                    let size = x.unsigned_abs();
                    let size = if size < p { size } else { size % p };
                    if x < 0 && size > 0 { p - size } else { size }
                };
                (reduce(*n), if *d == 1 { 1 } else { reduce(*d) })
            }
            Big(r) => (modulo(r.numer()), modulo(r.denom())),
        }
    }
}

impl Hash for Rational {
    /// By numerator and denominator, which are in lowest terms.
    fn hash<H: Hasher>(&self, state: &mut H) {
        match self {
            Small(n, d) => (n, d).hash(state),
            Big(r) => (r.numer(), r.denom()).hash(state),
        }
    }
}

impl Ord for Rational {
    fn cmp(&self, other: &Self) -> Ordering {
        if let (Small(a, b), Small(c, d)) = (self, other) {
            if b == d {
                return a.cmp(c);
            }
            return (i128::from(*a) * i128::from(*d)).cmp(&(i128::from(*c) * i128::from(*b)));
        }
        self.to_big().cmp(&other.to_big())
    }
}

impl PartialOrd for Rational {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for Rational {
    /// Exactly: as a decimal where one of at most 18 digits exists, else as a fraction.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Small(n, d) = self {
            if *d == 1 {
                return write!(f, "{n}");
            }
            let decimal = self.to_f64().to_string();
            let exact = decimal.trim_start_matches('-');
            if Self::from_decimal(exact).is_some_and(|r| r == self.abs()) && exact.len() <= 19 {
                return f.write_str(&decimal);
            }
            return write!(f, "{n}/{d}");
        }
        let r = self.to_big();
        if r.denom().is_one() || r.is_zero() {
            write!(f, "{}", r.numer())
        } else {
            write!(f, "{}/{}", r.numer(), r.denom())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Rational;

    #[test]
    fn decimals_are_exact() {
        let tenth = Rational::from_decimal("0.1").unwrap();
        assert_eq!(tenth, Rational::new(1, 10).unwrap());
        assert_eq!(Rational::from_decimal("2.194e-6").unwrap(), Rational::new(1097, 500_000_000).unwrap());
        assert_eq!(Rational::from_decimal("1e999999"), None);
        assert_eq!(Rational::from_decimal("."), None);
    }

    #[test]
    fn arithmetic_survives_the_machine_word() {
        let big = Rational::int(i64::MAX).mul(&Rational::int(i64::MAX));
        let back = big.mul(&Rational::int(i64::MAX).recip().unwrap());
        assert_eq!(back, Rational::int(i64::MAX));
        assert_eq!(Rational::int(i64::MIN).neg().neg(), Rational::int(i64::MIN));
    }

    #[test]
    fn the_least_machine_integer_has_a_negative() {
        let least = Rational::int(i64::MIN);
        let ways = [
            Rational::from_decimal("9223372036854775808").unwrap().neg(),
            Rational::int(-i64::MAX).sub(&Rational::ONE),
            Rational::int(i64::MIN / 2).mul(&Rational::int(2)),
            Rational::int(-2).powi(63).unwrap(),
            Rational::new(i64::MIN, 1).unwrap(),
        ];
        assert!(ways.iter().all(|way| *way == least && matches!(way, Rational::Big(_))));
        assert_eq!(least.neg().sub(&Rational::ONE), Rational::int(i64::MAX));
    }

    #[test]
    fn absurd_decimals_and_powers_are_nothing() {
        for text in ["1e-2147483648", "1.5e-2147483648", "1e2147483647", "1e401"] {
            assert_eq!(Rational::from_decimal(text), None, "{text}");
        }
        let long = Rational::from_decimal("1e400").unwrap();
        assert_eq!((long.powi(1000), long.powi(-1000), long.powi(i64::MIN)), (None, None, None));
    }

    #[test]
    fn text_is_exact() {
        assert_eq!(Rational::new(1, 3).unwrap().to_string(), "1/3");
        assert_eq!(
            Rational::from_decimal("-0.25".trim_start_matches('-')).unwrap().neg().to_string(),
            "-0.25"
        );
    }
}
