//! Rounding of numbers that people read.

/// A number without the noise of its last digits.
pub fn without_noise(x: f64) -> f64 {
    format!("{x:.11e}").parse().unwrap_or(x)
}
