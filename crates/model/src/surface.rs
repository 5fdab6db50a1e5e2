//! A ball that rolls without slip on a curved surface, given by where its centre can be.
//!
//! Surfaces at a fixed distance from one another have the same normals. So the surface z = H(x, y) of the centre, in the axes of a marker
//! of body A, gives normal and point of contact in closed form; the surface that is touched lies one radius r below it.
//!
//! ```text
//! [gradient]       e = (-∂H/∂x, -∂H/∂y, 1),   n = e/|e|
//! [foot]           c = -r n                                 from the centre to the point of contact
//! [touch-surface]  H(x, y) - z = 0      rate -v·e           v, w as seen from A
//! [grip]           (v + w × c)·t = 0    t = (1, 0, ∂H/∂x) and (0, 1, ∂H/∂y)
//! ```

use cardan_base::{Map, Span};
use cardan_expr::{Derivation, Expr};
use cardan_kinematics::{Point, Space, Vector};
use cardan_units::Dimension;

use crate::closing::{Marker, seen_from};
use crate::constraint::{Constraint, Row, RowAction};

/// The rows of a ball on a surface and the point of contact, in the frame of the surface. `height` is an expression in the two symbols
/// of `places`. The ball counts as the first body.
pub fn on_surface(
    space: &Space,
    name: &str,
    (centre, radius): (&Point, Expr),
    ground: &Marker,
    (places, height): ([Expr; 2], Expr),
    span: Option<Span>,
) -> (Constraint, Point) {
    let pool = space.pool();
    let p = space.position(&ground.point, centre);
    let axes: [Vector; 3] = std::array::from_fn(|i| ground.axis(space, i));
    let at: [Expr; 3] = std::array::from_fn(|i| pool.define(space.dot(&p, &axes[i])));
    let here: Map<_, _> = places.iter().zip(at).filter_map(|(s, x)| Some((pool.as_symbol(*s)?, x))).collect();
    let mut known = Map::default();
    let mut place = |e: Expr| pool.define(pool.substitute(e, &here, &mut known));
    let slopes = places.map(|s| place(Derivation::partial(pool, s).apply(pool, height)));
    let height = place(height);
    let mut gradient = axes[2].clone(); // [gradient]
    for (axis, slope) in axes.iter().zip(slopes) {
        gradient = gradient.sub(pool, &axis.scale(pool, slope));
    }
    let steep = pool.sum([pool.one(), pool.powi(slopes[0], 2), pool.powi(slopes[1], 2)]);
    let size = pool.define(pool.sqrt(steep));
    let arm = gradient.scale(pool, pool.neg(pool.div(radius, size))).define(pool); // [foot]
    let v = seen_from(space, ground, centre).define(pool);
    let w = space.w_in(centre.frame, ground.frame());
    let slip = v.add(pool, &space.cross(&w, &arm)).define(pool);
    let frame = &space.frame(ground.frame()).name;
    let mut rows = vec![Row {
        position: Some(pool.define(pool.sub(height, at[2]))), // [touch-surface]
        velocity: pool.define(pool.neg(space.dot(&v, &gradient))),
        dimension: Dimension::LENGTH,
        what: format!("distance of {} from the surface", centre.name),
        action: Some(RowAction::Force(gradient)),
    }];
    for (k, letter) in ["x", "y"].into_iter().enumerate() {
        let along = axes[k].add(pool, &axes[2].scale(pool, slopes[k]));
        rows.push(Row {
            position: None,
            velocity: pool.define(pool.neg(space.dot(&slip, &along))), // [grip]
            dimension: Dimension::VELOCITY,
            what: format!("slip along {letter} of {frame}"),
            action: Some(RowAction::Force(along)),
        });
    }
    let offset = space.components(&p.add(pool, &arm), ground.frame());
    let coordinates = std::array::from_fn(|i| pool.define(pool.add(ground.point.coordinates[i], offset[i])));
    let contact = Point { name: format!("{name}.point"), frame: ground.frame(), coordinates };
    let constraint = Constraint::new(name, "rolling", rows, span);
    (constraint.between(centre.frame, ground.frame(), &contact), contact)
}
