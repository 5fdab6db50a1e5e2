//! What a constraint is in geometry: the curve or the surface along which something moves, and what moves along it.
//!
//! The rows say it all to mechanics; drawings and texts want to know where they come from.

use cardan_expr::Expr;

use crate::cam::{Follower, Profile};
use crate::closing::Marker;
use crate::rolling::Wheel;
use crate::surface::{Surface, Touching};

/// A curve or surface fixed in a body, and what is on it.
#[derive(Clone, PartialEq, Debug)]
pub enum Figure {
    /// A point on a curve in space.
    Track(Track),
    /// A point, roller or face on a curve in polar coordinates; a roller or face with the coordinate of its contact.
    Cam(Profile, Option<(Follower, Expr)>),
    /// A wheel or ball on the plane normal to the third axis of a marker.
    Plane(Wheel, Marker),
    /// What rolls on a surface.
    Road(Wheel, Surface, Touching),
}

/// A curve in space by a parameter.
#[derive(Clone, PartialEq, Debug)]
pub struct Track {
    /// Where its components count from, and along what.
    pub marker: Marker,
    /// The symbol of its parameter.
    pub parameter: Expr,
    /// Its components, expressions in that.
    pub places: [Expr; 3],
    /// The coordinate that the parameter is.
    pub coordinate: Expr,
}
