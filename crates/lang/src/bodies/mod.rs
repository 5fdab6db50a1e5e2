//! Bodies on their joints.
//!
//! - `frame`: bodies, frames and particles; `mass_properties`: mass, mass centre, inertia;
//!   `solids`: moments of inertia of homogeneous solids; `design_position`: hard points in the ground's axes;
//! - `rotor_inertia`: geared rotors; `shapes`: solids, `colors`: their colours, `volume_moments`: their mass properties.

pub(crate) mod colors;
pub(crate) mod design_position;
pub(crate) mod frame;
pub(crate) mod mass_properties;
pub(crate) mod rotor_inertia;
pub(crate) mod shapes;
pub(crate) mod solids;
pub(crate) mod volume_moments;
