//! Elementary functions with one result on every machine.
//!
//! Interpreter, machine code and constant folding call these same functions, so their results agree bit for
//! bit. Sine and cosine are our own ([`sincos`]); the rest is the pure-Rust `libm`, which uses plain IEEE
//! operations. Only correctly rounded primitives (`+ − × ÷ √ fma floor`) are left to the platform.

mod sincos;

pub use crate::math::sincos::{COSINE, HALF_PI, MAIN_RANGE, ROUNDER, SINE, TWO_OVER_PI, sincos};

/// Sine.
pub fn sin(x: f64) -> f64 {
    sincos(x).0
}
/// Cosine.
pub fn cos(x: f64) -> f64 {
    sincos(x).1
}
/// Tangent.
pub fn tan(x: f64) -> f64 {
    libm::tan(x)
}
/// Inverse sine.
pub fn asin(x: f64) -> f64 {
    libm::asin(x)
}
/// Inverse cosine.
pub fn acos(x: f64) -> f64 {
    libm::acos(x)
}
/// Inverse tangent.
pub fn atan(x: f64) -> f64 {
    libm::atan(x)
}
/// Angle of the point (x, y).
pub fn atan2(y: f64, x: f64) -> f64 {
    libm::atan2(y, x)
}
/// Hyperbolic sine.
pub fn sinh(x: f64) -> f64 {
    libm::sinh(x)
}
/// Hyperbolic cosine.
pub fn cosh(x: f64) -> f64 {
    libm::cosh(x)
}
/// Hyperbolic tangent.
pub fn tanh(x: f64) -> f64 {
    libm::tanh(x)
}
/// Exponential.
pub fn exp(x: f64) -> f64 {
    libm::exp(x)
}
/// Natural logarithm.
pub fn ln(x: f64) -> f64 {
    libm::log(x)
}
/// x to the real power y.
pub fn pow(x: f64, y: f64) -> f64 {
    libm::pow(x, y)
}

/// x to the whole power n: products of x, x², x⁴, … from the lowest bit of |n|, then the reciprocal if n < 0.
pub fn powi(x: f64, n: i32) -> f64 {
    let mut bits = n.unsigned_abs();
    if bits == 0 {
        return 1.0;
    }
    let mut base = x;
    while bits & 1 == 0 {
        base *= base;
        bits >>= 1;
    }
    let mut power = base;
    bits >>= 1;
    while bits != 0 {
        base *= base;
        if bits & 1 == 1 {
            power *= base;
        }
        bits >>= 1;
    }
    if n < 0 { 1.0 / power } else { power }
}

/// 1, −1, or x itself where it is neither above nor below zero.
pub fn sign(x: f64) -> f64 {
    if x > 0.0 {
        1.0
    } else if x < 0.0 {
        -1.0
    } else {
        x
    }
}

/// The first if it is less, otherwise the second.
pub fn min(a: f64, b: f64) -> f64 {
    if a < b { a } else { b }
}

/// The first if it is greater, otherwise the second.
pub fn max(a: f64, b: f64) -> f64 {
    if a > b { a } else { b }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_powers_follow_the_definition() {
        for n in -12i32..=12 {
            for x in [0.3, -1.7, 2.0, 1e3] {
                let plain = (0..n.unsigned_abs()).fold(1.0, |p, _| p * x);
                let expected = if n < 0 { 1.0 / plain } else { plain };
                assert!((powi(x, n) / expected - 1.0).abs() < 1e-14, "{x}^{n}");
            }
        }
        assert_eq!(powi(2.0, i32::MIN), 0.0);
    }

    #[test]
    fn special_arguments_of_the_piecewise_functions() {
        assert!(sign(f64::NAN).is_nan() && sign(-0.0).is_sign_negative());
        assert_eq!((min(f64::NAN, 1.0), max(f64::NAN, 1.0)), (1.0, 1.0));
        assert!(min(1.0, f64::NAN).is_nan() && max(0.0, -0.0).is_sign_negative());
    }
}
