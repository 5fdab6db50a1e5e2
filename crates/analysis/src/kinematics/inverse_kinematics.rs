//! Targets of inverse kinematics: constraints that bring a point to a place and turn a body as asked, for the solver that closes loops.
//!
//! ```text
//! [place]     p - r = 0
//! [turn]      Σ a_i × b_i / (1 + Σ a_i · b_i) = tan(θ/2) n = 0
//! ```
//!
//! a_i are the axes wanted and b_i those of the body, which a turn by θ about n takes into one another (Rodrigues). Unlike conditions
//! that axes be normal to one another, these vanish in one attitude only.

use cardan_expr::{Expr, Rational};
use cardan_kinematics::{FrameId, Point, Vector};
use cardan_model::{Constraint, ConstraintKind, Drive, Model, Row};
use cardan_units::Dimension;

use crate::AnalysisError;

/// The target that brings a point of a body, given by its components in the body's frame, to a place in the inertial frame; SI units.
pub fn reach(
    model: &Model,
    body: &str,
    point: [f64; 3],
    place: [f64; 3],
) -> Result<Constraint, AnalysisError> {
    let frame = frame_of(model, body)?;
    let ground = model.space.newtonian();
    let numbers = |model: &Model, x: [f64; 3]| -> Result<[Expr; 3], AnalysisError> {
        let [a, b, c] = x.map(|x| Rational::from_f64(x).map(|r| model.space.pool().number(r)));
        match (a, b, c) {
            (Some(a), Some(b), Some(c)) => Ok([a, b, c]),
            _ => Err(AnalysisError::Question("a target must be finite".into())),
        }
    };
    let point = Point { name: format!("{body}.target"), frame, coordinates: numbers(model, point)? };
    let place = Point { name: "target".into(), frame: ground, coordinates: numbers(model, place)? };
    let gap = model.space.components(&model.space.position(&place, &point), ground); // [place]
    let words = ["x", "y", "z"].map(|axis| format!("place of {body} along {axis}"));
    Ok(target(model, format!("target of {body}"), gap, Dimension::LENGTH, words))
}

/// The target that turns a body into an attitude: row i holds the components of its axis i in the inertial frame.
pub fn orient(model: &Model, body: &str, axes: [[f64; 3]; 3]) -> Result<Constraint, AnalysisError> {
    let frame = frame_of(model, body)?;
    let ground = model.space.newtonian();
    let mut wanted = vec![];
    for axis in axes {
        let mut components = [model.space.pool().zero(); 3];
        for (slot, x) in components.iter_mut().zip(axis) {
            let exact = Rational::from_f64(x)
                .ok_or_else(|| AnalysisError::Question("a direction must be finite".into()))?;
            *slot = model.space.pool().number(exact);
        }
        wanted.push(model.space.vector(ground, components));
    }
    Ok(turn(model, body, frame, &wanted))
}

/// The target that turns a body like another one, or like a frame.
pub fn orient_like(model: &Model, body: &str, like: &str) -> Result<Constraint, AnalysisError> {
    let (frame, like) = (frame_of(model, body)?, frame_of(model, like)?);
    let wanted = axes(model, like);
    Ok(turn(model, body, frame, &wanted))
}

fn frame_of(model: &Model, body: &str) -> Result<FrameId, AnalysisError> {
    let found = model.bodies.iter().find(|(_, b)| b.name == body).map(|(_, b)| b.frame);
    let names = model.bodies.iter().map(|(_, b)| b.name.as_str());
    found.ok_or_else(|| AnalysisError::unknown("body", body, names))
}

fn axes(model: &Model, frame: FrameId) -> Vec<Vector> {
    let (one, zero) = (model.space.pool().one(), model.space.pool().zero());
    let unit = |i: usize| std::array::from_fn(|k| if k == i { one } else { zero });
    (0..3).map(|i| model.space.vector(frame, unit(i))).collect()
}

/// [turn]
fn turn(model: &Model, body: &str, frame: FrameId, wanted: &[Vector]) -> Constraint {
    let space = &model.space;
    let pool = space.pool();
    let (mut sum, mut cosines) = (Vector::ZERO, pool.one());
    for (a, b) in wanted.iter().zip(&axes(model, frame)) {
        sum = sum.add(pool, &space.cross(a, b));
        cosines = pool.add(cosines, space.dot(a, b));
    }
    let rows = space.components(&sum, space.newtonian()).map(|e| pool.div(e, cosines));
    let words = ["x", "y", "z"].map(|axis| format!("attitude of {body} about {axis}"));
    target(model, format!("attitude of {body}"), rows, Dimension::ANGLE, words)
}

fn target(
    model: &Model,
    name: String,
    rows: [Expr; 3],
    dimension: Dimension,
    words: [String; 3],
) -> Constraint {
    let rows: Vec<Row> = rows
        .into_iter()
        .zip(words)
        .map(|(e, what)| Row {
            position: Some(e),
            velocity: model.space.dt(e),
            dimension,
            what,
            action: None,
        })
        .collect();
    Constraint::new(&name, ConstraintKind::Drive(Drive::Target), rows, None)
}
