//! Collision detection: where solids are near each other or overlap.
//!
//! A [`World`] holds solids that are fixed in bodies. For the placements of the bodies it gives contact points: a normal, a
//! place on either surface and the gap between them, several points where faces or edges lie on each other. A broad phase finds
//! the pairs whose boxes meet; the narrow phase is that of the crate `parry3d`, in double precision.
//!
//! Absent by design: masses, forces, models. This is the only crate that sees `parry3d`.
//!
//! In reading order: [`solid`], [`world`].

pub mod solid;
pub mod world;

pub use crate::solid::{ContactSolid, Placement, SolidError};
pub use crate::world::{Collider, ContactPoint, World};
