//! What the densest matter allows.
//!
//! ```text
//! [densest]   J = 2/5 m r²,   m = 4/3 π ρ r³,   ρ = 22.6 g/cm³ (osmium)
//! ```
//!
//! Of all bodies of a mass, a ball of the densest matter has the smallest moments of inertia, but for the moment of a thin rod about its own axis.
//! What is smaller than this by many powers of ten, in any body, is no inertia but rounding of whoever computed it.

/// Of osmium, in kg/m³.
const DENSEST: f64 = 22.6e3;
/// Parts of moments that are rounding: data are written with some ten digits.
const ROUNDING: f64 = 1e-9;

/// A moment of inertia, in kg·m², below which data of a body of this mass are rounding; zero for a body without mass.
pub fn rounding_of_inertia(mass: f64) -> f64 {
    let volume = mass.max(0.0) / DENSEST;
    let radius = (0.75 * volume / std::f64::consts::PI).cbrt();
    ROUNDING * 0.4 * mass.max(0.0) * radius * radius
}

#[cfg(test)]
mod tests {
    use super::rounding_of_inertia;

    #[test]
    fn grams_of_metal_have_more_inertia_than_rounding() {
        // A ball of 10 g of osmium: r = 4.73 mm, J = 8.94e-8 kg·m².
        let rounding = rounding_of_inertia(0.01);
        assert!((rounding / 8.94e-17 - 1.0).abs() < 0.01, "{rounding}");
        assert_eq!(rounding_of_inertia(0.0), 0.0);
        assert!(rounding_of_inertia(1e-6) < 1e-20);
    }
}
