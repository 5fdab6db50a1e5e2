//! Stretches of time on which a switch holds the motion where its sides meet.

use std::fmt;

use cardan_base::without_noise;

/// A motion that slid on a surface: both sides of a switch pointed back to it.
#[derive(Clone, PartialEq, Debug)]
pub struct Slide {
    /// The surface as an equation: `v + 2 * x = 0`.
    pub surface: String,
    /// Whether it is a speed that has a given value: then something sticks.
    pub sticks: bool,
    /// From when on.
    pub from: f64,
    /// Until when.
    pub to: f64,
}

impl fmt::Display for Slide {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let how = if self.sticks { "sticks at" } else { "slides on" };
        write!(
            f,
            "{how} {} from t = {} s to {} s",
            self.surface,
            without_noise(self.from),
            without_noise(self.to)
        )
    }
}
