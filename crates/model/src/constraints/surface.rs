//! What rolls without slip on a curved surface: a ball, a disc, a wheel with a round tyre.
//!
//! The surface is z = H(x, y) in the axes of a marker of body A. A wheel has its centre P, the unit axis a, a ring of radius R and around
//! it a tube of radius r, as in [`rolling`](crate::rolling); a ball has no ring. There is no closed form for the place where a ring touches
//! a surface, so the place has coordinates of its own, which weigh nothing: φ, how far the point of the ring is turned from the one that would touch
//! a plane, and (ξ, η), how far along x and y the contact lies from there.
//!
//! ```text
//! [lowest]         d = (a₁a₃, a₂a₃, a₃² - 1)/s,  k = (-a₂, a₁, 0)/s      s = sqrt(1 - a₃²), components along the marker's axes
//! [ring]           C = P + R ρ,  ρ = d cos φ + k sin φ                     its tangent τ = k cos φ - d sin φ
//! [gradient]       e = (-∂H/∂x, -∂H/∂y, 1) at C + (ξ, η),   n = e/|e|
//! [beside]         τ·e = 0                                                the ring goes along the surface
//! [foot]           ξ = h ∂H/∂x,  η = h ∂H/∂y,   h = C_z - H               from the contact to C runs the normal
//! [touch-surface]  r |e| - e·(-ξ, -η, h) = 0,   rate -(v + w × c)·e        c = R ρ - r n;  v of P, w of the wheel, as seen from A
//! [grip]           (v + w × c)·t = 0                                       t = (1, 0, ∂H/∂x) and (0, 1, ∂H/∂y)
//! ```
//!
//! Surfaces at a fixed distance from one another have the same normals. So where H is the path of the tube's middle, r above what is
//! touched, ξ and η vanish and [touch-surface] is H - C_z = 0; a ball then needs no coordinates at all. The rate of [touch-surface] is that of the material point at the contact, because
//! all that φ, ξ and η do to it vanishes with [beside] and [foot]. Nothing else acts on them: the multipliers of [beside] and [foot] are zero.

use cardan_base::{Map, Span};
use cardan_expr::{Derivation, Expr, Function};
use cardan_kinematics::{Point, Space, Vector};
use cardan_units::Dimension;

use crate::closing::{Marker, seen_from};
use crate::constraint::{Constraint, Row, RowAction};
use crate::constraint_kind::ConstraintKind;
use crate::contact_geometry::Figure;
use crate::rolling::Wheel;

/// A surface over the plane of x and y of a marker.
#[derive(Clone, PartialEq, Debug)]
pub struct Surface {
    /// Where x, y and z count from, and along what.
    pub marker: Marker,
    /// The symbols that stand for x and y.
    pub places: [Expr; 2],
    /// z, an expression in these.
    pub height: Expr,
}

/// The coordinates of a place of contact, as far as it has any.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Touching {
    /// φ of a ring.
    pub turn: Option<Expr>,
    /// ξ and η, where the surface is the one that is touched and what touches is round.
    pub beside: Option<[Expr; 2]>,
}

/// A point of a ring and its tangent, along the axes of a marker. [ring]
fn ring(space: &Space, wheel: &Wheel, axes: &[Vector; 3], turn: Option<Expr>) -> Option<[[Expr; 3]; 2]> {
    let pool = space.pool();
    let (axis, turn) = (wheel.axis.as_ref()?, turn?);
    let a: [Expr; 3] = std::array::from_fn(|i| pool.define(space.dot(axis, &axes[i])));
    let s = pool.define(pool.sqrt(pool.sub(pool.one(), pool.powi(a[2], 2))));
    let over = pool.define(pool.powi(s, -1));
    let along = |k: usize| pool.product([a[k], a[2], over]);
    let lowest = [along(0), along(1), pool.neg(s)]; // [lowest]
    let side = [pool.neg(pool.mul(a[1], over)), pool.mul(a[0], over), pool.zero()];
    let (cos, sin) = (pool.call(Function::Cos, &[turn]), pool.call(Function::Sin, &[turn]));
    let mix = |x: Expr, u: [Expr; 3], y: Expr, v: [Expr; 3]| -> [Expr; 3] {
        std::array::from_fn(|i| pool.define(pool.add(pool.mul(x, u[i]), pool.mul(y, v[i]))))
    };
    Some([mix(cos, lowest, sin, side), mix(cos, side, pool.neg(sin), lowest)])
}

/// The rows of what rolls on a surface, and the point of contact in the frame of the surface. What rolls counts as the first body.
pub fn on_surface(
    space: &Space,
    name: &str,
    wheel: &Wheel,
    ground: &Surface,
    touching: Touching,
    span: Option<Span>,
) -> (Constraint, Point) {
    let pool = space.pool();
    let marker = &ground.marker;
    let centre = &wheel.centre;
    let p = space.position(&marker.point, centre);
    let axes: [Vector; 3] = std::array::from_fn(|i| marker.axis(space, i));
    let mut at: [Expr; 3] = std::array::from_fn(|i| pool.define(space.dot(&p, &axes[i])));
    let ring = ring(space, wheel, &axes, touching.turn);
    let mut arm = Vector::ZERO;
    if let Some([out, _]) = &ring {
        for i in 0..3 {
            let reach = pool.mul(wheel.ring, out[i]);
            at[i] = pool.define(pool.add(at[i], reach));
            arm = arm.add(pool, &axes[i].scale(pool, reach));
        }
    }
    let beside = touching.beside.unwrap_or([pool.zero(); 2]);
    let place = [0, 1].map(|i| pool.define(pool.add(at[i], beside[i])));
    let here: Map<_, _> =
        ground.places.iter().zip(place).filter_map(|(s, x)| Some((pool.as_symbol(*s)?, x))).collect();
    let mut known = Map::default();
    let mut placed = |e: Expr| pool.define(pool.substitute(e, &here, &mut known));
    let slopes = ground.places.map(|s| placed(Derivation::partial(pool, s).apply(pool, ground.height)));
    let height = placed(ground.height);
    let mut gradient = axes[2].clone(); // [gradient]
    for (axis, slope) in axes.iter().zip(slopes) {
        gradient = gradient.sub(pool, &axis.scale(pool, slope));
    }
    let steep = pool.sum([pool.one(), pool.powi(slopes[0], 2), pool.powi(slopes[1], 2)]);
    let size = pool.define(pool.sqrt(steep));
    let arm = arm.sub(pool, &gradient.scale(pool, pool.div(wheel.tyre, size))).define(pool);
    let v = seen_from(space, marker, centre).define(pool);
    let w = space.w_in(centre.frame, marker.frame());
    let slip = v.add(pool, &space.cross(&w, &arm)).define(pool);
    let mut gap = pool.sub(height, at[2]); // [touch-surface]
    if touching.beside.is_some() {
        let lean = pool.add(pool.mul(slopes[0], beside[0]), pool.mul(slopes[1], beside[1]));
        gap = pool.sub(pool.add(gap, pool.mul(wheel.tyre, size)), lean);
    }
    // A ball's own turning does not lift it: its rate is that of its centre.
    let rate = if ring.is_some() { &slip } else { &v };
    let mut rows = vec![Row {
        position: Some(pool.define(gap)),
        velocity: pool.define(pool.neg(space.dot(rate, &gradient))),
        dimension: Dimension::LENGTH,
        what: format!("distance of {} from the surface", centre.name),
        action: Some(RowAction::Force(gradient)),
    }];
    for k in 0..2 {
        let along = axes[k].add(pool, &axes[2].scale(pool, slopes[k]));
        rows.push(Row {
            position: None,
            velocity: pool.define(pool.neg(space.dot(&slip, &along))), // [grip]
            dimension: Dimension::VELOCITY,
            what: format!("slip along {}", marker.axis_in_words(space, k)),
            action: Some(RowAction::Force(along)),
        });
    }
    let mut locate = |position: Expr, dimension: Dimension, what: String| {
        let position = pool.define(position);
        let velocity = pool.define(space.dt(position));
        rows.push(Row { position: Some(position), velocity, dimension, what, action: None });
    };
    if touching.beside.is_some() {
        let over = pool.define(pool.sub(at[2], height));
        for k in 0..2 {
            let foot = pool.sub(beside[k], pool.mul(slopes[k], over)); // [foot]
            let what = format!("place of the contact along {}", marker.axis_in_words(space, k));
            locate(foot, Dimension::LENGTH, what);
        }
    }
    if let Some([_, tangent]) = &ring {
        let level = pool.add(pool.mul(slopes[0], tangent[0]), pool.mul(slopes[1], tangent[1]));
        locate(pool.sub(tangent[2], level), Dimension::ANGLE, "place of the contact on the rim".into()); // [beside]
    }
    let offset = space.components(&p.add(pool, &arm), marker.frame());
    let coordinates = std::array::from_fn(|i| pool.define(pool.add(marker.point.coordinates[i], offset[i])));
    let contact = Point { name: format!("{name}.point"), frame: marker.frame(), coordinates };
    let figure = Figure::Road(wheel.clone(), ground.clone(), touching);
    let constraint = Constraint::new(name, ConstraintKind::Rolling, rows, span).about(figure);
    (constraint.between(centre.frame, marker.frame(), &contact), contact)
}
