//! Power spectral densities of stationary excitations.
//!
//! A density is one-sided over the frequency in Hz: the variance is ∫₀^∞ G(f) df.

use crate::error::ControlError;
use crate::matrix::of_rows;
use crate::state_space::StateSpace;
use std::f64::consts::{PI, TAU};

/// A one-sided power spectral density G(f).
#[derive(Clone, Debug, PartialEq)]
pub enum PowerSpectrum {
    /// G(f) is constant.
    White(f64),
    /// The height of a road that is passed at a speed.
    Road(Road),
    /// The irregularity of a railway track that is passed at a speed.
    Track(Track),
    /// Pairs of frequency and density, interpolated in their logarithms; zero outside.
    Table(Vec<(f64, f64)>),
}

/// A road by ISO 8608: G(n) = G(n₀) (n/n₀)⁻², passed at a speed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Road {
    /// The density of the height at n₀ = 0.1 cycles/m, in m³.
    pub roughness: f64,
    /// The speed in m/s.
    pub speed: f64,
}

/// A railway track by the formula of ERRI B 176: S(Ω) = A Ω_c²/((Ω² + Ω_r²)(Ω² + Ω_c²)) of one
/// side, per rad/m, passed at a speed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Track {
    /// A, in m rad.
    pub amplitude: f64,
    /// The speed in m/s.
    pub speed: f64,
}

/// The direction and the quality of a track by ERRI B 176. The constants are those in common use; they
/// have not been compared with the report. Tests check the formula, not these numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TrackClass {
    /// Level of both rails, good track.
    VerticalLow,
    /// Level of both rails, bad track.
    VerticalHigh,
    /// Alignment, good track.
    LateralLow,
    /// Alignment, bad track.
    LateralHigh,
}

impl TrackClass {
    /// A, in m rad.
    pub fn amplitude(self) -> f64 {
        match self {
            TrackClass::VerticalLow => 4.032e-7,
            TrackClass::VerticalHigh => 1.080e-6,
            TrackClass::LateralLow => 2.119e-7,
            TrackClass::LateralHigh => 6.125e-7,
        }
    }
}

/// Ω_c of a track, in rad/m.
pub const TRACK_CUTOFF: f64 = 0.8246;
/// Ω_r of a track, in rad/m.
pub const TRACK_REFERENCE: f64 = 0.0206;

impl Track {
    /// The density over time, with ω = Ω v: G(f) = 2 π S(2 π f/v)/v.
    pub fn density(&self, f: f64) -> f64 {
        let wave = TAU * f / self.speed;
        let (c, r) = (TRACK_CUTOFF, TRACK_REFERENCE);
        let along = self.amplitude * c * c / ((wave * wave + r * r) * (wave * wave + c * c));
        TAU * along / self.speed
    }

    /// The variance π A Ω_c/(2 Ω_r (Ω_r + Ω_c)), whatever the speed.
    pub fn variance(&self) -> f64 {
        let (c, r) = (TRACK_CUTOFF, TRACK_REFERENCE);
        PI * self.amplitude * c / (2.0 * r * (r + c))
    }

    /// The shape filter k/((s + Ω_r v)(s + Ω_c v)) from white noise of the density 1 per Hz.
    pub fn shape_filter(&self) -> Result<StateSpace, ControlError> {
        let (c, r) = (TRACK_CUTOFF * self.speed, TRACK_REFERENCE * self.speed);
        let gain = (TAU * self.amplitude * self.speed).sqrt() * c;
        let a = of_rows(&[&[-r, 1.0], &[0.0, -c]]);
        StateSpace::new(a, of_rows(&[&[0.0], &[gain]]), of_rows(&[&[1.0, 0.0]]), of_rows(&[&[0.0]]))
    }
}

/// A class of roads by ISO 8608, from very good to unusable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[allow(missing_docs, reason = "the letters are the standard's names")]
pub enum RoadClass {
    A,
    B,
    C,
    D,
    E,
    F,
    G,
    H,
}

/// The reference spatial frequency of ISO 8608, in cycles/m.
pub const REFERENCE_SPATIAL_FREQUENCY: f64 = 0.1;

impl RoadClass {
    /// The geometric mean of the density of the height at n₀, in m³ (ISO 8608, Annex C).
    pub fn roughness(self) -> f64 {
        16e-6 * 4.0_f64.powi(self as i32)
    }
}

impl Road {
    /// The road of a class.
    pub fn of_class(class: RoadClass, speed: f64) -> Road {
        Road { roughness: class.roughness(), speed }
    }

    /// The density of the height over time, with f = n v: G(f) = G(n₀) n₀² v / f².
    pub fn height(&self, f: f64) -> f64 {
        self.roughness * REFERENCE_SPATIAL_FREQUENCY.powi(2) * self.speed / (f * f)
    }

    /// The intensity q of the white noise z' with E[z'(t) z'(t + τ)] = q δ(τ).
    ///
    /// The density of z' is (2 π f)² G(f) = 4 π² G(n₀) n₀² v for every f, and q is half of it.
    pub fn velocity_intensity(&self) -> f64 {
        2.0 * PI * PI * self.roughness * REFERENCE_SPATIAL_FREQUENCY.powi(2) * self.speed
    }

    /// The shape filter z' = −2 π v n_c z + w from white noise to a road that is flat below n_c.
    pub fn shape_filter(&self, cutoff: f64) -> Result<StateSpace, ControlError> {
        if !(cutoff.is_finite() && cutoff > 0.0) {
            return Err(ControlError::Value { what: "the cutoff of a road is positive", value: cutoff });
        }
        let one = of_rows(&[&[1.0]]);
        let a = of_rows(&[&[-TAU * self.speed * cutoff]]);
        StateSpace::new(a, one.clone(), one, of_rows(&[&[0.0]]))
    }
}

impl PowerSpectrum {
    /// White noise of the two-sided density S₀ per rad/s: E[w(t) w(t + τ)] = 2 π S₀ δ(τ).
    pub fn white_two_sided(s0: f64) -> PowerSpectrum {
        PowerSpectrum::White(4.0 * PI * s0)
    }

    /// White noise of the intensity q: E[w(t) w(t + τ)] = q δ(τ).
    pub fn white_of_intensity(q: f64) -> PowerSpectrum {
        PowerSpectrum::White(2.0 * q)
    }

    /// A table of positive, growing frequencies and densities that are not negative.
    pub fn table(points: Vec<(f64, f64)>) -> Result<PowerSpectrum, ControlError> {
        if points.len() < 2 {
            return Err(ControlError::Size { what: format!("a spectrum of {} points", points.len()) });
        }
        for (i, (f, g)) in points.iter().enumerate() {
            if !(f.is_finite() && *f > 0.0) || (i > 0 && *f <= points[i - 1].0) {
                return Err(ControlError::Value { what: "frequencies are positive and grow", value: *f });
            }
            if !(g.is_finite() && *g >= 0.0) {
                return Err(ControlError::Value { what: "a density is not negative", value: *g });
            }
        }
        Ok(PowerSpectrum::Table(points))
    }

    /// The density at a frequency in Hz.
    pub fn at(&self, f: f64) -> f64 {
        match self {
            PowerSpectrum::White(g) => *g,
            PowerSpectrum::Road(road) => road.height(f),
            PowerSpectrum::Track(track) => track.density(f),
            PowerSpectrum::Table(points) => interpolated(points, f),
        }
    }

    /// Frequencies at which the density is not smooth, or bends.
    pub fn marks(&self) -> Vec<f64> {
        match self {
            PowerSpectrum::Table(points) => points.iter().map(|p| p.0).collect(),
            PowerSpectrum::Track(track) => {
                [TRACK_REFERENCE, TRACK_CUTOFF].map(|w| w * track.speed / TAU).to_vec()
            }
            PowerSpectrum::White(_) | PowerSpectrum::Road(_) => vec![],
        }
    }
}

fn interpolated(points: &[(f64, f64)], f: f64) -> f64 {
    let next = points.partition_point(|p| p.0 < f);
    let Some((f1, g1)) = points.get(next) else { return 0.0 };
    if *f1 == f {
        return *g1;
    }
    let Some((f0, g0)) = next.checked_sub(1).map(|i| points[i]) else { return 0.0 };
    let along = (f / f0).ln() / (f1 / f0).ln();
    if g0 > 0.0 && *g1 > 0.0 {
        (g0.ln() + along * (g1 / g0).ln()).exp()
    } else {
        g0 + (g1 - g0) * (f - f0) / (f1 - f0)
    }
}
