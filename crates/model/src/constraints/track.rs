//! A point on a curve in space, given by a parameter.
//!
//! ```text
//! [track]   p·e_i - c_i(s) = 0      rate v·e_i - c_i'(s) ṡ        e_i the axes of a marker of the first body, p from it to the point of the second
//! ```
//!
//! The parameter s is a coordinate that weighs nothing, so Σ λ_i c_i' = 0: what the curve does to the point is normal to it. On a closed curve s goes
//! on from lap to lap.

use cardan_base::{Map, Span};
use cardan_kinematics::{Point, Space};
use cardan_units::Dimension;

use crate::closing::seen_from;
use crate::constraint::{Constraint, Row, RowAction};
use crate::constraint_kind::ConstraintKind;
use crate::contact_geometry::{Figure, Track};

/// A point of another body stays on a curve.
pub fn on_track(space: &Space, name: &str, track: &Track, b: &Point, span: Option<Span>) -> Constraint {
    let pool = space.pool();
    let Track { marker: a, parameter, places, coordinate: s } = track;
    let p = space.position(&a.point, b);
    let v = seen_from(space, a, b).define(pool);
    let here: Map<_, _> = pool.as_symbol(*parameter).map(|symbol| (symbol, *s)).into_iter().collect();
    let mut known = Map::default();
    let row = |k: usize| {
        let axis = a.axis(space, k);
        let place = pool.define(pool.substitute(places[k], &here, &mut known));
        Row {
            position: Some(pool.define(pool.sub(space.dot(&p, &axis), place))), // [track]
            velocity: pool.define(pool.sub(space.dot(&v, &axis), space.dt(place))),
            dimension: Dimension::LENGTH,
            what: format!("distance of {} from the curve along {}", b.name, a.axis_in_words(space, k)),
            action: Some(RowAction::Force(axis)),
        }
    };
    let rows = (0..3).map(row).collect();
    let figure = Figure::Track(track.clone());
    Constraint::new(name, ConstraintKind::OnCurve, rows, span).between(a.frame(), b.frame, b).about(figure)
}
