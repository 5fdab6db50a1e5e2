//! Frames, points, vectors and dyadics; velocity, acceleration, partial velocity.
//!
//! Vectors are basis-free: sums of scalar × unit vector, with unit vectors of any frames mixed, kept that
//! way until a dot product needs otherwise (Sayers, "Symbolic computer language for multibody systems").
//!
//! Absent by design: mass, force, text. A [`Space`] is a tree of frames whose relative motion is given
//! by coordinates and natural rates; what the rates are in terms of generalised speeds is told later
//! ([`Space::set_rate`]), so positions can be used before speeds are defined.
//!
//! Reading order: [`vector`], [`space`], [`segment`], [`product`], [`position`], [`velocity`], [`rotation`].

#![allow(non_snake_case, reason = "monogram notation: R_AB, w_AB, p_PQ carry their frames in capitals")]

pub mod position;
pub mod product;
pub mod rotation;
pub mod segment;
pub mod space;
pub mod vector;
pub mod velocity;

pub use crate::rotation::{Axis, Matrix3, Sequence};
pub use crate::segment::{Motion, Rate, RateId, Segment};
pub use crate::space::{Frame, FrameId, Point, PointId, Space, UnitVector, UnitVectorId};
pub use crate::vector::{Dyadic, Vector};
