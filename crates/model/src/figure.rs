//! What a constraint looks like: the curve or the surface along which something moves.

use cardan_expr::Expr;

use crate::closing::Marker;

/// A curve or surface fixed in a body.
#[derive(Clone, PartialEq, Debug)]
pub enum Figure {
    /// A curve through points.
    Curve {
        /// Where its components count from, and along what.
        marker: Marker,
        /// The symbol of its parameter.
        parameter: Expr,
        /// Its components, expressions in that.
        places: [Expr; 3],
        /// The coordinate that the parameter is; nothing for a polar angle, which goes once round.
        coordinate: Option<Expr>,
    },
    /// A height over a plane.
    Surface {
        /// Where x, y and z count from, and along what.
        marker: Marker,
        /// The symbols of x and y.
        places: [Expr; 2],
        /// z, an expression in these.
        height: Expr,
    },
}
