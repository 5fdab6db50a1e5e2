//! Ride comfort: the frequency weightings of ISO 2631-1 and Sperling's Wz.
//!
//! ```text
//! [weighting]  H = H_h H_l H_t H_s                                                   ω_i = 2 π f_i
//!              H_h = s²/(s² + √2 ω₁ s + ω₁²),   H_l = ω₂²/(s² + √2 ω₂ s + ω₂²)
//!              H_t = (1 + s/ω₃)/(1 + s/(Q₄ ω₄) + (s/ω₄)²)
//!              H_s = (1 + s/(Q₅ ω₅) + (s/ω₅)²)/(1 + s/(Q₆ ω₆) + (s/ω₆)²) (ω₅/ω₆)²
//! [sperling]   Wz = (Σ a_i² B(f_i)²)^(1/6.67) = (2 ∫ G_a B² df)^(1/6.67)    a in cm/s², amplitudes
//! ```
//!
//! Sources: ISO 2631-1:1997, Annex A; Garg & Dukkipati, Dynamics of Railway Vehicle
//! Systems, 1984 (Sperling & Betzhold, Glasers Annalen 80 (1956) 314).

use crate::error::ControlError;
use crate::matrix::{Complex, of_rows};
use crate::state_space::StateSpace;
use std::f64::consts::{SQRT_2, TAU};

/// A frequency weighting of ISO 2631-1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weighting {
    /// Vertical, seat, and lying except the head.
    Wk,
    /// Horizontal.
    Wd,
    /// Motion sickness, vertical.
    Wf,
    /// Backrest, fore and aft.
    Wc,
    /// Rotations.
    We,
    /// Head of a lying person, vertical.
    Wj,
}

/// f₁, f₂, (f₃, f₄, Q₄), (f₅, Q₅, f₆, Q₆); a missing f₃ is infinite.
type Constants = (f64, f64, Option<(Option<f64>, f64, f64)>, Option<(f64, f64, f64, f64)>);

/// A quotient of quadratic polynomials, coefficients of s⁰, s¹, s².
struct Section {
    numerator: [f64; 3],
    denominator: [f64; 3],
}

impl Weighting {
    /// All weightings.
    pub const ALL: [Weighting; 6] =
        [Weighting::Wk, Weighting::Wd, Weighting::Wf, Weighting::Wc, Weighting::We, Weighting::Wj];

    /// ISO 2631-1:1997, Annex A, in Hz.
    fn constants(self) -> Constants {
        let step = Some((2.37, 0.91, 3.35, 0.91));
        match self {
            Weighting::Wk => (0.4, 100.0, Some((Some(12.5), 12.5, 0.63)), step),
            Weighting::Wd => (0.4, 100.0, Some((Some(2.0), 2.0, 0.63)), None),
            Weighting::Wf => (0.08, 0.63, Some((None, 0.25, 0.86)), Some((0.0625, 0.8, 0.1, 0.8))),
            Weighting::Wc => (0.4, 100.0, Some((Some(8.0), 8.0, 0.63)), None),
            Weighting::We => (0.4, 100.0, Some((Some(1.0), 1.0, 0.63)), None),
            Weighting::Wj => (0.4, 100.0, None, Some((3.75, 0.91, 5.32, 0.91))),
        }
    }

    /// The factors of the weighting. [weighting]
    fn sections(self) -> Vec<Section> {
        let (f1, f2, transition, step) = self.constants();
        let (w1, w2) = (TAU * f1, TAU * f2);
        let mut sections = vec![
            Section { numerator: [0.0, 0.0, 1.0], denominator: [w1 * w1, SQRT_2 * w1, 1.0] },
            Section { numerator: [w2 * w2, 0.0, 0.0], denominator: [w2 * w2, SQRT_2 * w2, 1.0] },
        ];
        if let Some((f3, f4, q4)) = transition {
            let w4 = TAU * f4;
            let slope = f3.map_or(0.0, |f3| 1.0 / (TAU * f3));
            let denominator = [w4 * w4, w4 / q4, 1.0];
            sections.push(Section { numerator: [w4 * w4, w4 * w4 * slope, 0.0], denominator });
        }
        if let Some((f5, q5, f6, q6)) = step {
            let (w5, w6) = (TAU * f5, TAU * f6);
            // (1 + s/(Q₅ω₅) + (s/ω₅)²) ω₅² = ω₅² + ω₅ s/Q₅ + s², and likewise below.
            let numerator = [w5 * w5, w5 / q5, 1.0];
            sections.push(Section { numerator, denominator: [w6 * w6, w6 / q6, 1.0] });
        }
        sections
    }

    /// The weighting as a complex factor at a frequency in Hz.
    pub fn response(self, f: f64) -> Complex {
        let s = Complex::new(0.0, TAU * f);
        let value = |p: &[f64; 3]| (s * p[2] + p[1]) * s + p[0];
        let factor = |section: &Section| value(&section.numerator) / value(&section.denominator);
        self.sections().iter().map(factor).fold(Complex::new(1.0, 0.0), |h, x| h * x)
    }

    /// The magnitude of the weighting at a frequency in Hz.
    pub fn factor(self, f: f64) -> f64 {
        self.response(f).norm()
    }

    /// The weighting as a system from an acceleration to the weighted acceleration.
    pub fn filter(self) -> Result<StateSpace, ControlError> {
        let mut whole = StateSpace::gain(of_rows(&[&[1.0]]))?;
        for section in self.sections() {
            whole = whole.series(&section.realised()?)?;
        }
        Ok(whole)
    }
}

impl Section {
    /// The controller form of the section.
    fn realised(&self) -> Result<StateSpace, ControlError> {
        let ([b0, b1, b2], [a0, a1, a2]) = (self.numerator, self.denominator);
        let (b0, b1, b2, a0, a1) = (b0 / a2, b1 / a2, b2 / a2, a0 / a2, a1 / a2);
        // States scaled by the corner frequency have like sizes.
        let w = a0.sqrt();
        StateSpace::new(
            of_rows(&[&[0.0, w], &[-w, -a1]]),
            of_rows(&[&[0.0], &[1.0]]),
            of_rows(&[&[(b0 - b2 * a0) / w, b1 - b2 * a1]]),
            of_rows(&[&[b2]]),
        )
    }
}

/// The direction of the acceleration in Sperling's index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Vertical.
    Vertical,
    /// Lateral.
    Lateral,
}

/// Sperling's weight B(f) of comfort for an acceleration in cm/s².
pub fn sperling_weight(direction: Direction, f: f64) -> f64 {
    let k = match direction {
        Direction::Vertical => 0.588,
        Direction::Lateral => 0.737,
    };
    let f2 = f * f;
    let above = 1.911 * f2 + (0.25 * f2).powi(2);
    let below = (1.0 - 0.277 * f2).powi(2) + (1.563 * f - 0.0368 * f * f2).powi(2);
    k * (above / below).sqrt()
}

/// Sperling's Wz of harmonics: pairs of frequency in Hz and amplitude in m/s². [sperling]
pub fn sperling_index(direction: Direction, harmonics: &[(f64, f64)]) -> f64 {
    let part = |(f, a): &(f64, f64)| (100.0 * a * sperling_weight(direction, *f)).powi(2);
    harmonics.iter().map(part).sum::<f64>().powf(1.0 / 6.67)
}

/// Sperling's Wz from ∫ G_a B² df, with accelerations in m/s². [sperling]
pub fn sperling_index_of_mean_square(weighted_mean_square: f64) -> f64 {
    (2.0 * 1e4 * weighted_mean_square).powf(1.0 / 6.67)
}
