//! The normal distribution.
//!
//! ```text
//! [cumulative]   Φ(x) = erfc(-x/√2) / 2
//! [quantile]     x ← x - r / (1 + x r / 2),   r = (Φ(x) - p) / φ(x)        Halley's method on Φ(x) = p
//! ```
//!
//! The first guess is 26.2.23 of Abramowitz & Stegun, good to 5e-4; two steps reach rounding.

use std::f64::consts::{PI, SQRT_2};

/// The probability of a value up to `x`. `[cumulative]`
pub fn cumulative(x: f64) -> f64 {
    0.5 * libm::erfc(-x / SQRT_2)
}

/// The value with this probability of being undercut; infinite at 0 and 1. `[quantile]`
pub fn quantile(p: f64) -> f64 {
    if p <= 0.0 || p >= 1.0 {
        return if p <= 0.0 { f64::NEG_INFINITY } else { f64::INFINITY };
    }
    // The lower half is computed, where Φ keeps its digits.
    if p > 0.5 {
        return -quantile(1.0 - p);
    }
    let t = (-2.0 * libm::log(p)).sqrt();
    let guess =
        (2.515517 + t * (0.802853 + t * 0.010328)) / (1.0 + t * (1.432788 + t * (0.189269 + t * 0.001308)));
    let mut x = guess - t;
    for _ in 0..3 {
        let density = libm::exp(-0.5 * x * x) / (2.0 * PI).sqrt();
        let r = (cumulative(x) - p) / density;
        x -= r / (1.0 + 0.5 * x * r);
    }
    x
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Published quantiles (any table of the normal distribution has them) and the definition.
    #[test]
    fn quantiles_are_those_of_the_tables() {
        for (p, x) in [
            (0.5, 0.0),
            (0.975, 1.959963984540054),
            (0.95, 1.6448536269514722),
            (0.99, 2.3263478740408408),
            (0.0013498980316300933, -3.0),
            (2.866515718791939e-7, -5.0),
        ] {
            assert!((quantile(p) - x).abs() < 1e-12 * x.abs().max(1.0), "{p}: {}", quantile(p));
        }
        for k in 1..1000 {
            let p = f64::from(k) / 1000.0;
            assert!((cumulative(quantile(p)) - p).abs() < 1e-15, "{p}");
        }
        assert_eq!(quantile(0.0), f64::NEG_INFINITY);
    }
}
