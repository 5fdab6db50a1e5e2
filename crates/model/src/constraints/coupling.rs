//! Coordinates that depend on one another: gears, belts, racks, drives.
//!
//! ```text
//! [coupling]   Σ c_i x_i - f = 0      rate Σ c_i ẋ_i - ḟ = 0      c_i fixed, f a function of time
//! ```
//!
//! The multiplier is the effort (force or torque) on x_1 where c_1 = 1. With f = 0 it does no work in all; where f varies,
//! the effort times ḟ is the power that the drive brings into the system.

use cardan_base::Span;
use cardan_expr::Expr;
use cardan_kinematics::Space;
use cardan_units::Dimension;

use crate::constraint::{Constraint, Row};
use crate::constraint_kind::ConstraintKind;

/// A combination of positions, each with its factor, that equals a function of time.
pub fn combination(
    space: &Space,
    (name, kind): (&str, ConstraintKind),
    terms: &[(Expr, Expr)],
    value: Expr,
    (dimension, what): (Dimension, String),
    span: Option<Span>,
) -> Constraint {
    let pool = space.pool();
    let sum = pool.sum(terms.iter().map(|(factor, x)| pool.mul(*factor, *x)).collect::<Vec<_>>());
    let position = pool.define(pool.sub(sum, value)); // [coupling]
    let velocity = pool.define(space.dt(position));
    let row = Row { position: Some(position), velocity, dimension, what, action: None };
    Constraint::new(name, kind, vec![row], span)
}
