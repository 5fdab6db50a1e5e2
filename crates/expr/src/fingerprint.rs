//! Equality of expressions as functions, decided by evaluation in two finite fields.
//!
//! Every symbol is given a random element of the prime fields F_p and F_q; sums and products are
//! evaluated there. Two rational functions that agree at a random point agree identically but for
//! a chance of degree/p (Schwartz and Zippel), here below 1e-30 for both fields together. A pool
//! therefore returns the expression it already has when another form of it is built: `(a+b)^2 - a^2`
//! is `b*(2*a+b)` and a Jacobian's zero is 0, without a simplifier.
//!
//! Trigonometry joins in because p ≡ q ≡ 1 (mod 48): the field contains i and the 48th roots of unity,
//! so that e^(iθ) is a field element z and
//!
//! ```text
//! [cosine]      cos θ = (z + 1/z) / 2
//! [sine]        sin θ = (z - 1/z) / (2 i)
//! [angle-sum]   θ = Σ n_k/24 · m_k   ⇒   z = Π ζ_k^(n_k),   ζ_k random per monomial m_k, ζ_pi = e^(iπ/24)
//! ```
//!
//! make every identity of sines and cosines of sums a polynomial identity. Other functions and
//! fractional powers are opaque: random, but the same for the same arguments.

use crate::Rational;

/// Both are 2^61 less a small number, so that remainders take no division: see [`mul`].
const P: [u64; 2] = [0x1fff_ffff_ffff_ffe1, 0x1fff_ffff_ffff_fce1];
/// e^(iπ/24): an element of order 48.
const ROOT_48: [u64; 2] = [1_589_673_503_078_083_510, 1_201_619_104_761_845_530];

/// The prime of one of the fields.
pub(crate) fn prime(field: usize) -> u64 {
    P[field]
}

/// Values of an expression at a random point of two prime fields.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Fingerprint([u64; 2]);

/// a b modulo p = 2^61 - c with c < 2^10, for a, b < p: since 2^61 = c, h 2^61 + l = c h + l, and once more.
pub(crate) fn mul(a: u64, b: u64, p: u64) -> u64 {
    const BITS: u32 = 61;
    let mask = (1u64 << BITS) - 1;
    let c = mask + 1 - p;
    let fold = |x: u128| (x >> BITS) * u128::from(c) + u128::from(x as u64 & mask);
    // The product is below 2^122; folded once below 2^72, twice below 2^61 + 2^21.
    let x = fold(fold(u128::from(a) * u128::from(b))) as u64;
    if x >= p { x - p } else { x }
}

pub(crate) fn pow(mut base: u64, mut exponent: u64, p: u64) -> u64 {
    let mut result = 1;
    while exponent > 0 {
        if exponent & 1 == 1 {
            result = mul(result, base, p);
        }
        base = mul(base, base, p);
        exponent >>= 1;
    }
    result
}

fn inverse(a: u64, p: u64) -> u64 {
    pow(a, p - 2, p)
}

/// A well-mixed word (the finaliser of SplitMix64).
fn mix(x: u64) -> u64 {
    let x = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

impl Fingerprint {
    pub(crate) const ZERO: Fingerprint = Fingerprint([0, 0]);
    pub(crate) const ONE: Fingerprint = Fingerprint([1, 1]);
    /// 2 (p + 1)/2 = 1.
    const HALF: Fingerprint = Fingerprint([P[0].div_ceil(2), P[1].div_ceil(2)]);

    fn map(f: impl Fn(usize, u64) -> u64) -> Fingerprint {
        Fingerprint([f(0, P[0]), f(1, P[1])])
    }
    /// A random element, the same for the same words.
    pub(crate) fn opaque(words: &[u64]) -> Fingerprint {
        let seed = |k: u64| words.iter().fold(mix(k), |h, w| mix(h ^ w.wrapping_mul(0xff51_afd7_ed55_8ccd)));
        Self::map(|k, p| seed(k as u64 + 1) % p)
    }
    /// The words of this element, to mix into an opaque one.
    pub(crate) fn words(self) -> [u64; 2] {
        self.0
    }
    pub(crate) fn number(r: &Rational) -> Fingerprint {
        Self::map(|_, p| {
            let (n, d) = r.residues(p);
            if d == 1 { n } else { mul(n, inverse(d, p), p) }
        })
    }
    pub(crate) fn add(self, other: Fingerprint) -> Fingerprint {
        Self::map(|k, p| {
            let sum = self.0[k] + other.0[k];
            if sum >= p { sum - p } else { sum }
        })
    }
    pub(crate) fn neg(self) -> Fingerprint {
        Self::map(|k, p| if self.0[k] == 0 { 0 } else { p - self.0[k] })
    }
    pub(crate) fn mul(self, other: Fingerprint) -> Fingerprint {
        Self::map(|k, p| mul(self.0[k], other.0[k], p))
    }
    /// An integer power; nothing if that would divide by zero.
    pub(crate) fn powi(self, n: i64) -> Option<Fingerprint> {
        if n < 0 && self.0.contains(&0) {
            return None;
        }
        let exponent = n.unsigned_abs();
        if n == 1 {
            return Some(self);
        }
        Some(Self::map(|k, p| {
            let base = if n < 0 { inverse(self.0[k], p) } else { self.0[k] };
            pow(base, exponent, p)
        }))
    }
    /// e^(iπ n/24).
    pub(crate) fn turn(n: i64) -> Fingerprint {
        Self::map(|k, p| pow(ROOT_48[k], n.rem_euclid(48) as u64, p))
    }
    /// (z + 1/z)/2 for an element z of the unit circle.
    pub(crate) fn cosine(z: Fingerprint) -> Option<Fingerprint> {
        Some(z.add(z.powi(-1)?).mul(Self::HALF))
    }
    /// (z - 1/z)/(2i) for an element z of the unit circle.
    pub(crate) fn sine(z: Fingerprint) -> Option<Fingerprint> {
        // 1/i = e^(-iπ/2)
        Some(z.add(z.powi(-1)?.neg()).mul(Self::HALF).mul(Self::turn(-12)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_agree_with_division() {
        let mut x = 1;
        for _ in 0..10_000 {
            for p in P {
                let (a, b) = (mix(x) % p, mix(x ^ 0xabcd) % p);
                for (a, b) in [(a, b), (p - 1, p - 1), (p - 1, b), (a, 1), (0, b)] {
                    let exact = (u128::from(a) * u128::from(b) % u128::from(p)) as u64;
                    assert_eq!(mul(a, b, p), exact, "{a} {b} modulo {p}");
                }
            }
            x = mix(x);
        }
        assert_eq!(Fingerprint::HALF, Fingerprint::number(&Rational::new(1, 2).unwrap()));
    }

    #[test]
    fn the_roots_of_unity_are_what_they_claim() {
        assert_eq!(Fingerprint::turn(24), Fingerprint::ONE.neg());
        assert_eq!(Fingerprint::turn(12).mul(Fingerprint::turn(12)), Fingerprint::ONE.neg());
        // sin(pi/6) = 1/2
        let half = Fingerprint::number(&Rational::new(1, 2).unwrap());
        assert_eq!(Fingerprint::sine(Fingerprint::turn(4)), Some(half));
    }
}
