//! Targets of inverse kinematics: constraints that bring a point to a place and turn a body as asked, for the solver that closes loops.
//!
//! ```text
//! [place]     p - r = 0
//! [turn]      Σ a_i × b_i / (1 + Σ a_i · b_i) = tan(θ/2) n = 0
//! ```
//!
//! a_i are the axes wanted and b_i those of the body, which a turn by θ about n takes into one another (Rodrigues). Unlike conditions
//! that axes be normal to one another, these vanish in one attitude only.

use cardan_expr::{Expr, Kind, Rational};
use cardan_kinematics::{FrameId, Point, Vector};
use cardan_model::{Constraint, ConstraintId, Given, Model, Row};
use cardan_units::Dimension;

use crate::AnalysisError;

/// Lets go of all drives, `motion NAME on q = …`, of the outputs, which may tell of their forces, and of given starts: targets decide
/// instead, and all coordinates move equally willingly.
pub fn release_drives(model: &mut Model) {
    release_starts(model);
    for (_, c) in model.constraints.iter_mut().filter(|(_, c)| c.kind == "motion") {
        c.rows.clear();
        c.multipliers.clear();
    }
    model.outputs.clear();
}

fn release_starts(model: &mut Model) {
    model.coordinates.iter_mut().for_each(|(_, q)| q.given = Given::Nothing);
}

/// Brings a point of a body, given by its components in the body's frame, to a place in the inertial frame; SI units.
pub fn reach(
    model: &mut Model,
    body: &str,
    point: [f64; 3],
    place: [f64; 3],
) -> Result<ConstraintId, AnalysisError> {
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
    Ok(add(model, format!("target of {body}"), gap, Dimension::LENGTH, words))
}

/// Turns a body into an attitude: row i holds the components of its axis i in the inertial frame.
pub fn orient(model: &mut Model, body: &str, axes: [[f64; 3]; 3]) -> Result<ConstraintId, AnalysisError> {
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

/// Turns a body like another one, or like a frame.
pub fn orient_like(model: &mut Model, body: &str, like: &str) -> Result<ConstraintId, AnalysisError> {
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
fn turn(model: &mut Model, body: &str, frame: FrameId, wanted: &[Vector]) -> ConstraintId {
    let space = &model.space;
    let pool = space.pool();
    let (mut sum, mut cosines) = (Vector::ZERO, pool.one());
    for (a, b) in wanted.iter().zip(&axes(model, frame)) {
        sum = sum.add(pool, &space.cross(a, b));
        cosines = pool.add(cosines, space.dot(a, b));
    }
    let rows = space.components(&sum, space.newtonian()).map(|e| pool.div(e, cosines));
    let words = ["x", "y", "z"].map(|axis| format!("attitude of {body} about {axis}"));
    add(model, format!("attitude of {body}"), rows, Dimension::ANGLE, words)
}

fn add(
    model: &mut Model,
    name: String,
    rows: [Expr; 3],
    dimension: Dimension,
    words: [String; 3],
) -> ConstraintId {
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
    let pool = model.space.pool();
    let force = |k: usize| pool.symbol(format!("lambda({name}, {k})"), Kind::Unknown);
    let multipliers = (1..=rows.len()).map(force).collect();
    release_starts(model);
    let constraint = Constraint { multipliers, ..Constraint::new(&name, "target", rows, None) };
    model.constraints.push(constraint)
}
