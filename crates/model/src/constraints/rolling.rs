//! Rolling without slip on a plane: a disc, a wheel with a round tyre, a ball.
//!
//! The plane has the unit normal n and goes through a marker of body A. The wheel has its centre P, the unit axis a, a ring of radius R
//! and around it a tube of radius r; a disc has r = 0, a ball has R = 0 and needs no axis. The ring's lowest point lies along d:
//!
//! ```text
//! [steepest]   d = ((n·a) a - n) / s,   s = sqrt(1 - (n·a)²)
//! [contact]    c = R d - r n                                    from P to the point of contact
//! [touch]      p·n - R s - r = 0        rate (v + w × c)·n      p from the plane to P; v, w as seen from A
//! [no-slip]    (v + w × c)·t = 0        t = x and y of the plane's marker
//! ```
//!
//! d is stationary as the ring turns about a and as it tilts, so the rate of [touch] is the velocity of the material point at the
//! contact along n. The two rows of [no-slip] are nonholonomic. A disc that lies flat (s = 0) has no single point of contact.

use cardan_base::Span;
use cardan_expr::Expr;
use cardan_kinematics::{Point, Space, Vector};
use cardan_units::Dimension;

use crate::closing::{Marker, seen_from};
use crate::constraint::{Constraint, Row, RowAction};
use crate::constraint_kind::ConstraintKind;
use crate::contact_geometry::Figure;

/// What rolls.
#[derive(Clone, PartialEq, Debug)]
pub struct Wheel {
    /// Its centre.
    pub centre: Point,
    /// Its axis, a unit vector fixed in it or in what it turns on; nothing for a ball.
    pub axis: Option<Vector>,
    /// The radius of the ring.
    pub ring: Expr,
    /// The radius of the tube around it.
    pub tyre: Expr,
}

/// The rows of a wheel on the plane normal to the third axis of a marker, and the point of contact, in the frame of the plane.
///
/// The wheel counts as the first body, so that the reaction is what the ground does to it.
pub fn rolling(
    space: &Space,
    name: &str,
    wheel: &Wheel,
    plane: &Marker,
    span: Option<Span>,
) -> (Constraint, Point) {
    let pool = space.pool();
    let n = plane.axis(space, 2);
    let (mut arm, mut height) = (n.scale(pool, pool.neg(wheel.tyre)), wheel.tyre);
    if let Some(axis) = &wheel.axis {
        let tilt = pool.define(space.dot(&n, axis));
        let s = pool.define(pool.sqrt(pool.sub(pool.one(), pool.powi(tilt, 2))));
        let reach = pool.define(pool.div(wheel.ring, s));
        arm = arm.add(pool, &axis.scale(pool, pool.mul(reach, tilt))); // [contact] with [steepest]
        arm = arm.sub(pool, &n.scale(pool, reach)).define(pool);
        height = pool.add(height, pool.mul(wheel.ring, s));
    }
    let p = space.position(&plane.point, &wheel.centre);
    let w = space.w_in(wheel.centre.frame, plane.frame());
    let slip = seen_from(space, plane, &wheel.centre).add(pool, &space.cross(&w, &arm)).define(pool);
    let row = |e: Vector, position: Option<Expr>, what: String| Row {
        position,
        velocity: pool.define(pool.neg(space.dot(&slip, &e))),
        dimension: if position.is_some() { Dimension::LENGTH } else { Dimension::VELOCITY },
        what,
        action: Some(RowAction::Force(e)),
    };
    let gap = pool.define(pool.sub(height, space.dot(&p, &n))); // [touch]
    let mut rows = vec![row(n, Some(gap), format!("distance of {} from the plane", wheel.centre.name))];
    for k in 0..2 {
        let what = format!("slip along {}", plane.axis_in_words(space, k));
        rows.push(row(plane.axis(space, k), None, what)); // [no-slip]
    }
    let from_plane = p.add(pool, &arm);
    let offset = space.components(&from_plane, plane.frame());
    let coordinates = std::array::from_fn(|i| pool.define(pool.add(plane.point.coordinates[i], offset[i])));
    let contact = Point { name: format!("{name}.point"), frame: plane.frame(), coordinates };
    let figure = Figure::Plane(wheel.clone(), plane.clone());
    let constraint = Constraint::new(name, ConstraintKind::Rolling, rows, span).about(figure);
    (constraint.between(wheel.centre.frame, plane.frame(), &contact), contact)
}
