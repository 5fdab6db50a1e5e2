//! Paths of points that the page draws: those that outputs name, else those of the ends of the
//! tree.
//!
//! An output names a point if its values are a coordinate of the point in the Newtonian frame at
//! every frame of the animation. Values decide, not expressions: `position(N.o, rod.tip)`, its
//! height alone and `L*sin(q)` all name the tip.

use cardan::assembly::ParameterValues;
use cardan::model::{Body, Model};
use cardan::sim::{ColumnKind, Frames, Pose, Trajectory};
use cardan::units::{Dimension, Unit};
use cardan_viewer::Trace;

use crate::report::attachments;
use crate::report::scene::is_unseen;

/// No more paths than this are drawn.
const MAX_TRACES: usize = 12;
/// Departure of an output from a coordinate, as a part of the largest coordinate, up to which they
/// are the same.
const SAME: f64 = 1e-9;

/// The paths of a motion.
pub fn traces(
    model: &Model,
    values: &ParameterValues,
    frames: &Frames,
    trajectory: Option<&Trajectory>,
) -> Vec<Trace> {
    let outputs = trajectory.map_or(vec![], |t| output_series(t, frames));
    let named: Vec<Trace> =
        if outputs.is_empty() { vec![] } else { named_by(model, values, frames, &outputs) };
    let mut found = if named.is_empty() { ends_of_the_tree(model, values, frames) } else { named };
    found.truncate(MAX_TRACES);
    found
}

/// Lengths among the outputs, at the times of the frames.
fn output_series(trajectory: &Trajectory, frames: &Frames) -> Vec<Vec<f64>> {
    let times = trajectory.times();
    let rows: Vec<usize> =
        (frames.times.iter()).filter_map(|t| times.binary_search_by(|row| row.total_cmp(t)).ok()).collect();
    if rows.len() != frames.times.len() || rows.len() < 2 {
        return vec![];
    }
    let columns = trajectory.columns.iter().enumerate();
    let outputs = columns.filter(|(_, c)| c.kind == ColumnKind::Output && is_length(&c.unit));
    let series = outputs.map(|(k, _)| {
        let column = trajectory.rows.column(k);
        rows.iter().map(|row| column[*row]).collect::<Vec<f64>>()
    });
    series.filter(|values| values.iter().all(|v| v.is_finite())).collect()
}

fn is_length(unit: &str) -> bool {
    Unit::parse(unit).is_ok_and(|u| u.dimension() == Dimension::LENGTH)
}

fn changes(values: &[f64]) -> bool {
    values.windows(2).any(|w| w[0] != w[1])
}

/// Points of all bodies whose coordinates are outputs, one of them at least one that changes: of
/// points with the same outputs, the one that the model names itself, else the mass centre, else
/// the origin.
fn named_by(model: &Model, values: &ParameterValues, frames: &Frames, outputs: &[Vec<f64>]) -> Vec<Trace> {
    let mut candidates: Vec<(usize, Trace)> = vec![];
    for ((_, body), poses) in
        model.bodies.iter().zip(&frames.bodies).filter(|((_, b), _)| !is_unseen(model, b))
    {
        let center = body.center.map(|e| values.evaluate(model, e));
        let points = attachments::named_points(model, values, body.frame).into_iter().map(|p| (0, p));
        let others =
            [(1, (format!("{}.cm", body.name), center)), (2, (format!("{}.o", body.name), [0.0; 3]))];
        candidates.extend(points.chain(others).map(|(rank, (name, at))| (rank, trace(name, at, poses))));
    }
    candidates.sort_by_key(|(rank, _)| *rank);
    let mut found: Vec<(Vec<usize>, Trace)> = vec![];
    for (_, trace) in candidates {
        let named: Vec<usize> = (0..outputs.len()).filter(|k| is_coordinate(&outputs[*k], &trace)).collect();
        let is_known = |known: &Vec<usize>| named.iter().all(|k| known.contains(k));
        let moves = named.iter().any(|k| changes(&outputs[*k]));
        if moves && !found.iter().any(|(known, _)| is_known(known)) {
            found.retain(|(known, _)| !known.iter().all(|k| named.contains(k)));
            found.push((named, trace));
        }
    }
    found.into_iter().map(|(_, trace)| trace).collect()
}

/// Whether the values are one of the coordinates of the path.
fn is_coordinate(values: &[f64], trace: &Trace) -> bool {
    (0..3).any(|i| {
        let largest = trace.points.iter().fold(0.0, |most: f64, p| most.max(p[i].abs()));
        let pairs = values.iter().zip(&trace.points);
        values.len() == trace.points.len()
            && pairs.into_iter().all(|(v, p)| (v - p[i]).abs() <= SAME * largest)
    })
}

/// The tips of the bodies at the ends of the tree, or their mass centres where no point is named.
fn ends_of_the_tree(model: &Model, values: &ParameterValues, frames: &Frames) -> Vec<Trace> {
    let is_leaf =
        |body: &Body| !is_unseen(model, body) && model.joints.iter().all(|(_, j)| j.parent != body.frame);
    let leaves = model.bodies.iter().zip(&frames.bodies).filter(|((_, body), _)| is_leaf(body));
    let path = |body: &Body, poses: &[Pose]| {
        let length = |p: &[f64; 3]| p.iter().map(|c| c * c).sum::<f64>();
        let points = attachments::named_points(model, values, body.frame).into_iter();
        let tip = points.max_by(|(_, a), (_, b)| length(a).total_cmp(&length(b)));
        let center = || (format!("{}.cm", body.name), body.center.map(|e| values.evaluate(model, e)));
        let (name, at) = tip.unwrap_or_else(center);
        trace(name, at, poses)
    };
    leaves.map(|((_, body), poses)| path(body, poses)).collect()
}

/// The path of a point with fixed components `at` in its body.
fn trace(name: String, at: [f64; 3], poses: &[Pose]) -> Trace {
    let place = |p: &Pose| {
        std::array::from_fn(|i| p.position[i] + (0..3).map(|j| p.rotation[i][j] * at[j]).sum::<f64>())
    };
    Trace { name, points: poses.iter().map(place).collect(), color: String::new() }
}

#[cfg(test)]
mod tests {
    use cardan_viewer::Solid;

    use super::*;
    use crate::report::scene::pictured;

    const ROD: &str = "model rod\nparameter L = 1 [m]\ngravity = -9.81 [m/s^2] * N.z\n\
        body rod on N by rotate(y = q) { mass = 2 [kg]; inertia = (1/6, 1/6, 0) [kg*m^2]; center = (0, 0, -L/2)\n\
        point tip = (0, 0, -L) }\nstart { q = 60 [deg] }\nsimulate { to = 1 [s], every = 0.1 [s] }\n";

    fn paths(text: &str) -> Vec<(String, Vec<[f64; 3]>)> {
        let run = cardan::run("trial.mbs", text).unwrap_or_else(|e| panic!("{e}"));
        let (model, t) = (run.compiled.model(), &run.trajectory);
        let found = traces(model, &ParameterValues::of(model), &t.frames, Some(t));
        found.into_iter().map(|t| (t.name, t.points)).collect()
    }

    #[test]
    fn the_first_picture_reaches_to_the_tip() {
        let run = cardan::run("trial.mbs", ROD).expect("a rod swings");
        let scene = pictured(run.compiled.model(), &run.trajectory.frames, Some(&run.trajectory));
        let rod = &scene.bodies[0].shapes[0].solid;
        assert!(matches!(rod, Solid::Capsule { length, .. } if (length - 1.0).abs() < 1e-12), "{rod:?}");
        let [(name, points)] = &paths(ROD)[..] else { panic!("one path") };
        assert_eq!(name, "rod.tip");
        assert!(points.iter().all(|p| (p[0].hypot(p[2]) - 1.0).abs() < 1e-12));
    }

    #[test]
    fn outputs_name_the_points_that_are_traced() {
        let with = |outputs: &str| paths(&format!("{ROD}{outputs}\n"));
        let names = |outputs: &str| with(outputs).into_iter().map(|(name, _)| name).collect::<Vec<_>>();
        assert_eq!(names("output c = position(N.o, rod.cm)"), ["rod.cm"]);
        assert_eq!(
            names("output height = L - L*cos(q)"),
            ["rod.tip"],
            "a height from the floor is no coordinate"
        );
        assert_eq!(names("output x = -L*sin(q) in [mm]"), ["rod.tip"]);
        assert_eq!(names("output x = -L*sin(q), c = position(N.o, rod.cm)"), ["rod.tip", "rod.cm"]);
        assert_eq!(names("output still = position(N.o, rod.o)"), ["rod.tip"], "a point at rest has no path");
    }

    #[test]
    fn points_of_a_frame_fixed_in_a_body_belong_to_it() {
        let text = format!("{ROD}frame hook on rod by fixed(angles = (0, 0, 90) [deg]) at (0, 0, -L)\n");
        let text = text + "point end on hook = (0.5, 0, 0) [m]\noutput e = position(N.o, end)\n";
        let [(name, points)] = &paths(&text)[..] else { panic!("one path") };
        assert_eq!(name, "end");
        assert!(points.iter().all(|p| (p[1] - 0.5).abs() < 1e-12 && (p[0].hypot(p[2]) - 1.0).abs() < 1e-12));
    }
}
