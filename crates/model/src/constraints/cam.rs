//! Cams: a roller or a flat face on a profile in polar coordinates.
//!
//! The profile is r(φ) in the plane of x and y of a marker of the cam. At its point c of polar angle φ, along the directions away from the marker and
//! across,
//!
//! ```text
//! [profile]   c = (r, 0),   tangent (r', r)/l,   normal outward n = (r, -r')/l,   l = sqrt(r² + r'²)
//! ```
//!
//! The place of contact has a coordinate q of its own, which weighs nothing and counts from where a round cam would touch: φ = θ + q with θ the polar angle of
//! the roller's centre Q, or that of the direction f across the face, which points away from the cam. With ρ the distance of Q from the marker, R the radius of the
//! roller and F a point of the face:
//!
//! ```text
//! [roller]    n·(Q - c) - R = 0      rate v_Q·n               [below-roller]   (r' (ρ cos q - r) - r ρ sin q)/l = 0
//! [face]      F·f - r cos q = 0      rate (v_F + w × (c - F))·f    [below-face]     (r' cos q - r sin q) = 0
//! ```
//!
//! with velocities as seen from the cam. A roller with negative radius runs inside a ring. Nothing but [below-roller] or [below-face] sees q once these hold, so
//! their multipliers are zero, and all force is normal to the profile.

use cardan_base::{Map, Span};
use cardan_expr::{Derivation, Expr, Function};
use cardan_kinematics::{Point, Space, Vector};
use cardan_units::Dimension;

use crate::closing::{Marker, seen_from};
use crate::constraint::{Constraint, Row, RowAction};
use crate::constraint_kind::ConstraintKind;
use crate::contact_geometry::Figure;

/// A profile in the plane of x and y of a marker.
#[derive(Clone, PartialEq, Debug)]
pub struct Profile {
    /// Of the cam.
    pub marker: Marker,
    /// The symbol that stands for the polar angle.
    pub angle: Expr,
    /// The radius, an expression in it.
    pub radius: Expr,
}

/// What touches the cam.
#[derive(Clone, PartialEq, Debug)]
pub enum Follower {
    /// A roller with its centre and radius.
    Roller(Point, Expr),
    /// A flat face with one of its points and the unit vector across it, away from the cam.
    Face(Point, Vector),
}

/// The profile at the contact: radius, slope, and the directions away from the marker and across.
struct Place {
    radius: Expr,
    slope: Expr,
    out: Vector,
    across: Vector,
}

/// [profile] at the polar angle of (x, y), turned by q.
fn place(space: &Space, cam: &Profile, [x, y]: [Expr; 2], size: Expr, q: Expr) -> Place {
    let pool = space.pool();
    let phi = pool.define(pool.add(pool.call(Function::Atan2, &[y, x]), q));
    let here: Map<_, _> = pool.as_symbol(cam.angle).map(|s| (s, phi)).into_iter().collect();
    let mut known = Map::default();
    let slope = Derivation::partial(pool, cam.angle).apply(pool, cam.radius);
    let [radius, slope] = [cam.radius, slope].map(|e| pool.define(pool.substitute(e, &here, &mut known)));
    let over = pool.define(pool.powi(size, -1));
    let [cos, sin] = [Function::Cos, Function::Sin].map(|f| pool.mul(pool.call(f, &[q]), over));
    let c = pool.define(pool.sub(pool.mul(cos, x), pool.mul(sin, y)));
    let s = pool.define(pool.add(pool.mul(sin, x), pool.mul(cos, y)));
    let (ex, ey) = (cam.marker.axis(space, 0), cam.marker.axis(space, 1));
    let out = ex.scale(pool, c).add(pool, &ey.scale(pool, s));
    let across = ey.scale(pool, c).sub(pool, &ex.scale(pool, s));
    Place { radius, slope, out, across }
}

/// The rows of a follower on a cam and the point of contact, in the frame of the cam; `q` is the coordinate of the contact.
pub fn on_cam(
    space: &Space,
    name: &str,
    cam: &Profile,
    follower: &Follower,
    q: Expr,
    span: Option<Span>,
) -> (Constraint, Point) {
    let pool = space.pool();
    let marker = &cam.marker;
    let plane = |v: &Vector| [0, 1].map(|i| pool.define(space.dot(v, &marker.axis(space, i))));
    let (cos, sin) = (pool.call(Function::Cos, &[q]), pool.call(Function::Sin, &[q]));
    let (Follower::Roller(point, _) | Follower::Face(point, _)) = follower;
    let p = space.position(&marker.point, point);
    let v = seen_from(space, marker, point).define(pool);
    let towards = match follower {
        Follower::Roller(..) => plane(&p),
        Follower::Face(_, across) => plane(across),
    };
    let size = pool.define(pool.sqrt(pool.add(pool.powi(towards[0], 2), pool.powi(towards[1], 2))));
    let Place { radius: r, slope, out, across } = place(space, cam, towards, size, q);
    let (gap, normal, rate, below) = match follower {
        Follower::Roller(_, roller) => {
            let l = pool.define(pool.sqrt(pool.add(pool.powi(r, 2), pool.powi(slope, 2))));
            let (n, t) = (pool.define(pool.div(r, l)), pool.define(pool.div(slope, l)));
            let normal = out.scale(pool, n).sub(pool, &across.scale(pool, t)).define(pool);
            let away = pool.define(pool.sub(pool.mul(size, cos), r));
            let side = pool.mul(size, sin);
            let gap = pool.sub(pool.add(pool.mul(n, away), pool.mul(t, side)), *roller); // [roller]
            (gap, normal, v, pool.sub(pool.mul(t, away), pool.mul(n, side)))
        }
        Follower::Face(_, f) => {
            let arm = out.scale(pool, r).sub(pool, &p);
            let w = space.w_in(point.frame, marker.frame());
            let rate = v.add(pool, &space.cross(&w, &arm)).define(pool);
            let gap = pool.sub(space.dot(&p, f), pool.product([r, cos, size])); // [face]
            (gap, f.clone(), rate, pool.sub(pool.mul(slope, cos), pool.mul(r, sin)))
        }
    };
    let below = pool.define(below);
    let rows = vec![
        Row {
            position: Some(pool.define(gap)),
            velocity: pool.define(space.dot(&rate, &normal)),
            dimension: Dimension::LENGTH,
            what: format!("distance of {} from the cam {}", point.name, space.frame(marker.frame()).name),
            action: Some(RowAction::Force(normal)),
        },
        Row {
            position: Some(below), // [below-roller], [below-face]
            velocity: pool.define(space.dt(below)),
            dimension: Dimension::LENGTH,
            what: "place of the contact on the cam".into(),
            action: None,
        },
    ];
    let offset = space.components(&out.scale(pool, r), marker.frame());
    let coordinates = std::array::from_fn(|i| pool.define(pool.add(marker.point.coordinates[i], offset[i])));
    let contact = Point { name: format!("{name}.point"), frame: marker.frame(), coordinates };
    let figure = Figure::Cam(cam.clone(), Some((follower.clone(), q)));
    let constraint = Constraint::new(name, ConstraintKind::OnCurve, rows, span).about(figure);
    (constraint.between(marker.frame(), point.frame, &contact), contact)
}
