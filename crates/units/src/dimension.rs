//! Products of powers of base quantities, and what an angle means among them.
//!
//! Seven base quantities decide whether two dimensions agree. The eighth, the plane angle, is dimensionless: it is
//! remembered for display and never makes two dimensions disagree.
//!
//! ```text
//! [compatible]     A ~ B      when the seven exponents agree, whatever the angles:  N*m/rad ~ N*m,  rad ~ 1
//! [angle-product]  angle(A B) = angle(A) + angle(B):   (N*m/rad) * rad = N*m,   N*m * rad/s = W
//! [angle-sum]      angle(A + B) is the one further from zero, the first if they tie:   0.5 + 35 [deg] is an angle
//! ```
//!
//! Work counts as torque through an angle, so `J` and `W` remember one angle and `N*m` none; that is how a torque
//! is shown as `N*m` and an energy as `J`. `Hz` is `1/s` as in SI, and one `rev` is `2 pi` radians: a frequency
//! given as `50 [Hz]` where `rad/s` is meant agrees in dimension; [`Dimension::angle`] lets a checker notice.

use std::ops::{Add, Div, Mul, Neg, Sub};

use crate::Exponent;

/// A base quantity.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Base {
    /// Metre.
    Length,
    /// Kilogram.
    Mass,
    /// Second.
    Time,
    /// Ampere.
    Current,
    /// Kelvin.
    Temperature,
    /// Mole.
    Amount,
    /// Candela.
    Luminosity,
    /// Radian; remembered, never required.
    Angle,
}

impl Base {
    /// The seven quantities that decide about agreement, in the order of the fields of [`Dimension`].
    pub const DECIDING: [Base; 7] = [
        Base::Length,
        Base::Mass,
        Base::Time,
        Base::Current,
        Base::Temperature,
        Base::Amount,
        Base::Luminosity,
    ];

    /// The SI symbol.
    pub const fn symbol(self) -> &'static str {
        match self {
            Base::Length => "m",
            Base::Mass => "kg",
            Base::Time => "s",
            Base::Current => "A",
            Base::Temperature => "K",
            Base::Amount => "mol",
            Base::Luminosity => "cd",
            Base::Angle => "rad",
        }
    }
}

/// What kind of quantity a number is. Equality compares the remembered angle too; [`compatible`](Self::compatible)
/// is the physical comparison.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Dimension {
    exponents: [Exponent; 8],
}

impl Dimension {
    /// A plain number.
    pub const ONE: Dimension = Dimension::of(0, 0, 0);
    /// m.
    pub const LENGTH: Dimension = Dimension::of(1, 0, 0);
    /// kg.
    pub const MASS: Dimension = Dimension::of(0, 1, 0);
    /// s.
    pub const TIME: Dimension = Dimension::of(0, 0, 1);
    /// A.
    pub const CURRENT: Dimension = Dimension::ONE.with(Base::Current, 1);
    /// K.
    pub const TEMPERATURE: Dimension = Dimension::ONE.with(Base::Temperature, 1);
    /// rad.
    pub const ANGLE: Dimension = Dimension::ONE.with(Base::Angle, 1);
    /// m^2.
    pub const AREA: Dimension = Dimension::of(2, 0, 0);
    /// m^3.
    pub const VOLUME: Dimension = Dimension::of(3, 0, 0);
    /// m/s.
    pub const VELOCITY: Dimension = Dimension::of(1, 0, -1);
    /// m/s^2.
    pub const ACCELERATION: Dimension = Dimension::of(1, 0, -2);
    /// rad/s.
    pub const ANGULAR_VELOCITY: Dimension = Dimension::of(0, 0, -1).with(Base::Angle, 1);
    /// rad/s^2.
    pub const ANGULAR_ACCELERATION: Dimension = Dimension::of(0, 0, -2).with(Base::Angle, 1);
    /// 1/s, also called Hz.
    pub const FREQUENCY: Dimension = Dimension::of(0, 0, -1);
    /// N.
    pub const FORCE: Dimension = Dimension::of(1, 1, -2);
    /// N*m.
    pub const TORQUE: Dimension = Dimension::of(2, 1, -2);
    /// J: torque through an angle.
    pub const ENERGY: Dimension = Dimension::of(2, 1, -2).with(Base::Angle, 1);
    /// W.
    pub const POWER: Dimension = Dimension::of(2, 1, -3).with(Base::Angle, 1);
    /// N*s.
    pub const MOMENTUM: Dimension = Dimension::of(1, 1, -1);
    /// N*m*s.
    pub const ANGULAR_MOMENTUM: Dimension = Dimension::of(2, 1, -1);
    /// kg*m^2.
    pub const INERTIA: Dimension = Dimension::of(2, 1, 0);
    /// N/m.
    pub const STIFFNESS: Dimension = Dimension::of(0, 1, -2);
    /// N*s/m.
    pub const DAMPING: Dimension = Dimension::of(0, 1, -1);
    /// N*m/rad.
    pub const ANGULAR_STIFFNESS: Dimension = Dimension::of(2, 1, -2).with(Base::Angle, -1);
    /// N*m*s/rad.
    pub const ANGULAR_DAMPING: Dimension = Dimension::of(2, 1, -1).with(Base::Angle, -1);
    /// Pa.
    pub const PRESSURE: Dimension = Dimension::of(-1, 1, -2);
    /// kg/m^3.
    pub const DENSITY: Dimension = Dimension::of(-3, 1, 0);

    /// `m^length * kg^mass * s^time`.
    pub const fn of(length: i16, mass: i16, time: i16) -> Self {
        let mut exponents = [Exponent::ZERO; 8];
        exponents[Base::Length as usize] = Exponent::int(length);
        exponents[Base::Mass as usize] = Exponent::int(mass);
        exponents[Base::Time as usize] = Exponent::int(time);
        Dimension { exponents }
    }

    /// The same dimension with one exponent replaced.
    #[must_use]
    pub const fn with(mut self, base: Base, exponent: i16) -> Self {
        self.exponents[base as usize] = Exponent::int(exponent);
        self
    }

    /// The exponent of one base quantity.
    pub const fn exponent(&self, base: Base) -> Exponent {
        self.exponents[base as usize]
    }

    /// The remembered exponent of the angle.
    pub const fn angle(&self) -> Exponent {
        self.exponent(Base::Angle)
    }

    /// The same dimension with its angle forgotten.
    #[must_use]
    pub const fn without_angle(self) -> Self {
        self.with(Base::Angle, 0)
    }

    /// Whether it is a plain number; angles are.
    pub fn is_dimensionless(&self) -> bool {
        self.compatible(&Dimension::ONE)
    }

    /// Whether two quantities may be added or compared, `[compatible]`.
    pub fn compatible(&self, other: &Dimension) -> bool {
        Base::DECIDING.iter().all(|&b| self.exponent(b) == other.exponent(b))
    }

    /// The dimension without its angle.
    pub fn angle_free(self) -> Dimension {
        Base::DECIDING
            .iter()
            .fold(Dimension::ONE, |d, b| d * Dimension::ONE.with(*b, 1).pow(self.exponent(*b)))
    }

    /// The dimension of a sum or of a choice between the two, `[angle-sum]`; nothing if they disagree.
    pub fn join(self, other: Dimension) -> Option<Dimension> {
        let further = if other.angle().abs() > self.angle().abs() { other } else { self };
        self.compatible(&other).then_some(further)
    }

    /// The whole power.
    #[must_use]
    pub fn powi(self, n: i16) -> Self {
        self.pow(Exponent::int(n))
    }

    /// The power.
    #[must_use]
    pub fn pow(self, exponent: Exponent) -> Self {
        Dimension { exponents: self.exponents.map(|e| e * exponent) }
    }

    /// The square root.
    #[must_use]
    pub fn sqrt(self) -> Self {
        self.pow(Exponent::HALF)
    }

    /// One over it.
    #[must_use]
    pub fn recip(self) -> Self {
        Dimension { exponents: self.exponents.map(Exponent::neg) }
    }

    fn zip(self, other: Dimension, operation: impl Fn(Exponent, Exponent) -> Exponent) -> Self {
        let at = |i: usize| operation(self.exponents[i], other.exponents[i]);
        Dimension { exponents: std::array::from_fn(at) }
    }
}

impl Mul for Dimension {
    type Output = Dimension;
    fn mul(self, other: Dimension) -> Dimension {
        self.zip(other, Exponent::add)
    }
}

impl Div for Dimension {
    type Output = Dimension;
    fn div(self, other: Dimension) -> Dimension {
        self.zip(other, Exponent::sub)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn newton_times_metre_is_torque_and_through_an_angle_is_energy() {
        assert_eq!(Dimension::FORCE * Dimension::LENGTH, Dimension::TORQUE);
        assert_eq!(Dimension::TORQUE * Dimension::ANGLE, Dimension::ENERGY);
        assert_eq!(Dimension::TORQUE * Dimension::ANGULAR_VELOCITY, Dimension::POWER);
        assert_eq!(Dimension::ANGULAR_STIFFNESS * Dimension::ANGLE, Dimension::TORQUE);
        assert_eq!(Dimension::ANGULAR_DAMPING * Dimension::ANGULAR_VELOCITY, Dimension::TORQUE);
    }

    #[test]
    fn angles_never_disagree() {
        assert!(Dimension::ANGLE.is_dimensionless());
        assert!(Dimension::TORQUE.compatible(&Dimension::ANGULAR_STIFFNESS));
        assert!((Dimension::LENGTH * Dimension::ANGULAR_VELOCITY).compatible(&Dimension::VELOCITY));
        assert_ne!(Dimension::TORQUE, Dimension::ENERGY);
    }

    #[test]
    fn every_deciding_quantity_can_disagree() {
        for base in Base::DECIDING {
            let one = Dimension::ONE.with(base, 1);
            assert!(!one.is_dimensionless(), "{base:?}");
            assert!(!one.compatible(&one.powi(2)), "{base:?}");
        }
    }

    #[test]
    fn a_sum_keeps_the_angle_of_either_side() {
        assert_eq!(Dimension::ONE.join(Dimension::ANGLE), Some(Dimension::ANGLE));
        assert_eq!(Dimension::ANGLE.join(Dimension::ONE), Some(Dimension::ANGLE));
        assert_eq!(Dimension::FORCE.join(Dimension::TORQUE), None);
    }

    #[test]
    fn the_root_of_stiffness_over_mass_is_a_frequency() {
        assert_eq!((Dimension::STIFFNESS / Dimension::MASS).sqrt(), Dimension::FREQUENCY);
    }
}
