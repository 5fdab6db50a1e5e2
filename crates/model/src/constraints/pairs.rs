//! Pairs of surfaces between two markers: directions at an angle, a thread, a point on a curve.
//!
//! Marker A is fixed in the first body, marker B in the second, as in [`closing`](crate::closing); p runs from A to B, v is the
//! velocity of B seen from A, w the angular velocity of B's body in A's.
//!
//! ```text
//! [at-angle]   b·a - cos α = 0                         rate w·(b × a)              a and b the third axes of A and B
//! [thread]     (h/2π) sin(2π z/h - θ) = 0              rate v·e_z - (h/2π) w·e_z   z = p·e_z, θ the turn of B's x in A, lead h
//! [polar]      ρ - r(φ) = 0                            rate v·(e_ρ - (r'/ρ) e_φ)   ρ, φ polar coordinates of B in A's plane of x and y
//! ```
//!
//! The sine makes a thread indifferent to whole turns. Its other root, half a turn away, repels Newton's method, because the rate has the
//! opposite sign there.

use cardan_base::{Map, Span};
use cardan_expr::{Derivation, Expr, Function};
use cardan_kinematics::Space;
use cardan_units::Dimension;

use crate::cam::Profile;
use crate::closing::{Closing, Marker, close, seen_from};
use crate::constraint::{Constraint, Row, RowAction};
use crate::constraint_kind::ConstraintKind;
use crate::contact_geometry::Figure;

/// The third axes of two markers keep an angle between them.
pub fn at_angle(
    space: &Space,
    name: &str,
    a: &Marker,
    b: &Marker,
    angle: Expr,
    span: Option<Span>,
) -> Constraint {
    let pool = space.pool();
    let (ea, eb) = (a.axis(space, 2), b.axis(space, 2));
    let lever = space.cross(&eb, &ea).define(pool);
    let cosine = pool.call(Function::Cos, &[angle]);
    let row = Row {
        position: Some(pool.define(pool.sub(space.dot(&eb, &ea), cosine))), // [at-angle]
        velocity: pool.define(space.dot(&space.w_in(b.frame(), a.frame()), &lever)),
        dimension: Dimension::ANGLE,
        what: format!("angle between {} and {}", space.frame(a.frame()).name, space.frame(b.frame()).name),
        action: Some(RowAction::Torque(lever)),
    };
    let constraint = Constraint::new(name, ConstraintKind::Angle, vec![row], span);
    let markers = Some(Box::new([a.clone(), b.clone()]));
    Constraint { markers, size: Some(angle), ..constraint.between(a.frame(), b.frame(), &b.point) }
}

/// A screw about and along the third axis of the first marker, which advances by `lead` in a turn.
pub fn screw(
    space: &Space,
    name: &str,
    a: &Marker,
    b: &Marker,
    lead: Expr,
    span: Option<Span>,
) -> Constraint {
    let pool = space.pool();
    let mut constraint = close(space, name, Closing::Cylindrical, a, b, span);
    constraint.kind = ConstraintKind::Screw;
    constraint.size = Some(lead);
    let (x, y, z) = (a.axis(space, 0), a.axis(space, 1), a.axis(space, 2));
    let turning = b.axis(space, 0);
    let pitch = pool.define(pool.div(lead, pool.mul(pool.int(2), pool.pi())));
    let along = space.dot(&space.position(&a.point, &b.point), &z);
    let turn = pool.define(pool.div(along, pitch));
    let sine = pool.mul(pool.call(Function::Sin, &[turn]), space.dot(&turning, &x));
    let cosine = pool.mul(pool.call(Function::Cos, &[turn]), space.dot(&turning, &y));
    let lag = pool.mul(pitch, pool.sub(sine, cosine));
    let slide = space.dot(&seen_from(space, a, &b.point), &z);
    let spin = pool.mul(pitch, space.dot(&space.w_in(b.frame(), a.frame()), &z));
    let torque = z.scale(pool, pool.neg(pitch));
    constraint.rows.push(Row {
        position: Some(pool.define(lag)), // [thread]
        velocity: pool.define(pool.sub(slide, spin)),
        dimension: Dimension::LENGTH,
        what: "advance of the thread".into(),
        action: Some(RowAction::Wrench(z, torque)),
    });
    constraint
}

/// The second point stays on a curve in the first marker's plane of x and y: its distance from the marker is `radius`, an expression in
/// the symbol `angle`, the polar angle.
pub fn on_curve(
    space: &Space,
    name: &str,
    a: &Marker,
    b: &cardan_kinematics::Point,
    angle: Expr,
    radius: Expr,
    span: Option<Span>,
) -> Constraint {
    let pool = space.pool();
    let p = space.position(&a.point, b);
    let (x, y) =
        (pool.define(space.dot(&p, &a.axis(space, 0))), pool.define(space.dot(&p, &a.axis(space, 1))));
    let phi = pool.define(pool.call(Function::Atan2, &[y, x]));
    let rho = pool.define(pool.sqrt(pool.add(pool.powi(x, 2), pool.powi(y, 2))));
    let profile = Profile { marker: a.clone(), angle, radius };
    let slope = Derivation::partial(pool, angle).apply(pool, radius);
    let here: Map<_, _> = pool.as_symbol(angle).map(|s| (s, phi)).into_iter().collect();
    let mut known = Map::default();
    let [radius, slope] = [radius, slope].map(|e| pool.substitute(e, &here, &mut known));
    // e_ρ = (x, y)/ρ, e_φ = (-y, x)/ρ
    let inverse = pool.define(pool.powi(rho, -1));
    let bent = pool.define(pool.product([slope, inverse, inverse]));
    let normal = [
        pool.add(pool.mul(x, inverse), pool.mul(bent, y)),
        pool.sub(pool.mul(y, inverse), pool.mul(bent, x)),
    ];
    let [along_x, along_y] = normal.map(|e| pool.define(e));
    let normal = a.axis(space, 0).scale(pool, along_x).add(pool, &a.axis(space, 1).scale(pool, along_y));
    let row = Row {
        position: Some(pool.define(pool.sub(rho, radius))), // [polar]
        velocity: pool.define(space.dot(&seen_from(space, a, b), &normal)),
        dimension: Dimension::LENGTH,
        what: format!("distance of {} from the curve of {}", b.name, space.frame(a.frame()).name),
        action: Some(RowAction::Force(normal)),
    };
    let constraint =
        Constraint::new(name, ConstraintKind::OnCurve, vec![row], span).about(Figure::Cam(profile, None));
    constraint.between(a.frame(), b.frame, b)
}
