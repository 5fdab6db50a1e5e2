//! Mirror images of instances.
//!
//! Let `S` be the reflection in a plane of the port frame, `S = diag(1, -1, 1)` for `plane = xz`. A mirror image
//! obeys one law:
//!
//! > If everything outside is mirrored too, all scalars of the image — coordinates, speeds, lengths of springs,
//! > variables, outputs — have the values that they have in the original. Its polar vectors are `S v`, its axial
//! > vectors `-S v`.
//!
//! Frames stay right-handed: the image of a frame with rotation matrix `R` has `S R S`, a proper rotation. A body
//! frame of the image is therefore not turned with respect to the original when both stand straight. What follows:
//!
//! ```text
//! [mirror-polar]    places, points, centres, forces, axes of slides     v -> S v
//! [mirror-axial]    torques, angular velocities, axes of turns          w -> -S w,  since S R(n, q) S = R(-S n, q)
//! [mirror-inertia]  J -> S J S: products of inertia with the normal of the plane change their sign
//! [mirror-screw]    the turn is axial and the slide polar: the lead changes its sign, right becomes left hand
//! [mirror-cross]    S a × S b = -S (a × b): the cross product of two polar vectors is axial, as it must be
//! ```
//!
//! So a wheel that turns about `y` has the axis `y` on both sides of a car, a king pin about `z` has `-z` on the
//! other side, and toe-in is toe-in on both. Source: Goldstein, Classical Mechanics, ch. 4 (improper orthogonal
//! transformations; polar and axial vectors).
//!
//! Joints with three angles or Euler parameters in one (`spherical`, `free`) have no axes that could be turned
//! one by one; they are refused inside an image. A ball joint that closes a loop has no coordinates and is fine.

/// The signs that a reflection gives to the components of a polar vector.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Signs([i8; 3]);

/// How a vector behaves under reflection.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Parity {
    /// As a displacement does.
    Polar,
    /// As an angular velocity does.
    Axial,
}

impl Parity {
    /// The other one.
    pub fn other(self) -> Parity {
        match self {
            Parity::Polar => Parity::Axial,
            Parity::Axial => Parity::Polar,
        }
    }
}

impl Signs {
    /// No reflection.
    pub const NONE: Signs = Signs([1; 3]);

    /// This reflection and another one.
    pub fn then(self, other: Signs) -> Signs {
        Signs([0, 1, 2].map(|k| self.0[k] * other.0[k]))
    }
    /// Whether nothing is reflected.
    pub fn is_none(self) -> bool {
        self == Signs::NONE
    }
    /// Whether right becomes left: an odd number of reflections.
    pub fn is_improper(self) -> bool {
        self.0.iter().product::<i8>() < 0
    }
    /// Whether a component of a vector changes its sign.
    pub fn flips(self, axis: usize, parity: Parity) -> bool {
        let polar = self.0[axis] < 0;
        match parity {
            Parity::Polar => polar,
            Parity::Axial => polar != self.is_improper(),
        }
    }
}

/// The reflection in a plane that two axes span.
pub fn plane(name: &str) -> Option<Signs> {
    match name {
        "xy" | "yx" => Some(Signs([1, 1, -1])),
        "yz" | "zy" => Some(Signs([-1, 1, 1])),
        "xz" | "zx" => Some(Signs([1, -1, 1])),
        _ => None,
    }
}

/// The number of an axis.
pub fn axis(letter: &str) -> Option<usize> {
    ["x", "y", "z"].iter().position(|a| *a == letter)
}
