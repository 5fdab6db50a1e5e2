//! What moves on the page: bodies with their shapes, springs and forces between points, paths of points.

use cardan::assembly::ParameterValues;
use cardan::expr::Expr;
use cardan::kinematics::Motion;
use cardan::model::{Body, ElementPart, LoadKind, Model, ShapeKind};
use cardan::sim::{Frames, LoadTrack, Pose as Rigid, Trajectory};
use cardan_viewer::{
    BodyOutline, BodyTrack, JointAxis, JointMotion, Link, LinkKind, Pose, Scene, Shape, Solid, dress,
    model_extent,
};

use crate::report::{attachments, curves, paths};
use crate::run::Story;
use crate::terminal::short_number;

/// The scene of a run.
pub fn scene(story: &Story) -> Scene {
    pictured(story.model(), &story.trajectory.frames, Some(&story.trajectory))
}

/// The scene of any pictures of a model.
pub fn scene_of(model: &Model, frames: &Frames) -> Scene {
    pictured(model, frames, None)
}

pub fn pictured(model: &Model, frames: &Frames, trajectory: Option<&Trajectory>) -> Scene {
    let values = ParameterValues::of(model);
    let numbers = |v: [Expr; 3]| v.map(|e| values.evaluate(model, e));
    let places = frames.bodies.iter().flat_map(|b| b.first().into_iter().chain(b.last()));
    let reach = places.map(|p| length(p.position)).filter(|r| r.is_finite()).fold(0.5, f64::max);
    let bodies = model.bodies.iter().zip(&frames.bodies).map(|((_, body), poses)| BodyTrack {
        name: body.name.clone(),
        description: body.description.clone(),
        facts: body_facts(model, &values, body),
        shapes: shapes(model, &values, body, reach),
        positions: poses.iter().map(|p| p.position).filter(|_| !is_unseen(model, body)).collect(),
        quaternions: poses.iter().map(quaternion).collect(),
    });
    let outlines: Vec<BodyOutline> =
        model.bodies.iter().map(|(_, body)| outline(model, &values, body)).collect();
    let gravity = numbers(model.space.components(&model.gravity, model.space.newtonian()));
    let g = length(gravity);
    let up = if g > 0.0 && g.is_finite() { gravity.map(|c| -c / g) } else { [0.0, 0.0, 1.0] };
    let mut scene = Scene { times: frames.times.clone(), bodies: bodies.collect(), up, ..Scene::default() };
    let origins: Vec<[f64; 3]> = scene.bodies.iter().filter_map(|b| b.positions.first().copied()).collect();
    let extent = model_extent(&outlines, &origins);
    dress(&mut scene, &outlines);
    scene.links = frames.loads.iter().filter_map(|track| link(model, track, extent)).collect();
    scene.links.extend(attachments::rods(model, &values, frames));
    scene.traces = paths::traces(model, &values, frames, trajectory);
    curves::add(model, frames, trajectory, &mut scene);
    let unseen: Vec<&str> =
        model.bodies.iter().filter(|(_, b)| is_unseen(model, b)).map(|(_, b)| b.name.as_str()).collect();
    scene.bodies.retain(|b| !unseen.contains(&b.name.as_str()));
    scene
}

/// The data of a body: mass, inertia, mass centre and the joint to its parent.
fn body_facts(model: &Model, values: &ParameterValues, body: &Body) -> Vec<(String, String)> {
    let number = |e: Expr| short_number(values.evaluate(model, e));
    let triple = |v: [Expr; 3]| format!("({})", v.map(number).join(", "));
    let fact = |label: &str, value: String| (label.to_string(), value);
    let pool = model.space.pool();
    let mut facts = vec![];
    if let Some(joint) = body.joint.map(|j| &model.joints[j]) {
        let parent = &model.space.frame(joint.parent).name;
        facts.push(fact("joint", format!("{} on {parent}", joint.kind_name())));
    }
    if body.is_massless(&model.space) {
        return facts;
    }
    let [[xx, xy, xz], [_, yy, yz], [_, _, zz]] = body.inertia;
    facts.push(fact("mass", format!("{} kg", number(body.mass))));
    facts.push(fact("mass centre", format!("{} m", triple(body.center))));
    facts.push(fact("inertia xx, yy, zz", format!("{} kg·m²", triple([xx, yy, zz]))));
    if [xy, yz, xz].iter().any(|e| !pool.is_zero(*e)) {
        facts.push(fact("inertia xy, yz, xz", format!("{} kg·m²", triple([xy, yz, xz]))));
    }
    facts
}

/// Whether a body is the frame of a contact, which holds coordinates and is nowhere.
pub fn is_unseen(model: &Model, body: &Body) -> bool {
    body.joint.is_some_and(|j| model.joints[j].is_contact())
}

fn length(v: [f64; 3]) -> f64 {
    v.iter().map(|c| c * c).sum::<f64>().sqrt()
}

/// The unit quaternion (w, x, y, z) of a rotation, by the largest of its four squares (Shepperd 1978).
fn quaternion(pose: &Rigid) -> [f64; 4] {
    let r = &pose.rotation;
    let trace = r[0][0] + r[1][1] + r[2][2];
    let squares = [trace, r[0][0], r[1][1], r[2][2]];
    let largest = (0..4).max_by(|i, j| squares[*i].total_cmp(&squares[*j])).unwrap_or(0);
    let q = match largest {
        0 => [1.0 + trace, r[2][1] - r[1][2], r[0][2] - r[2][0], r[1][0] - r[0][1]],
        k => {
            let (i, j, k) = (k - 1, k % 3, (k + 1) % 3);
            let mut q = [0.0; 4];
            q[0] = r[k][j] - r[j][k];
            q[1 + i] = 1.0 + r[i][i] - r[j][j] - r[k][k];
            q[1 + j] = r[i][j] + r[j][i];
            q[1 + k] = r[i][k] + r[k][i];
            q
        }
    };
    let norm = q.iter().map(|c| c * c).sum::<f64>().sqrt();
    if norm > 0.0 && norm.is_finite() { q.map(|c| c / norm) } else { [1.0, 0.0, 0.0, 0.0] }
}

/// How many faces stand for a turn.
const FACES: u32 = 48;

/// The surface of a polygon (radius, height) that turns about z.
fn turned(profile: &[[f64; 2]]) -> Solid {
    let n = u32::try_from(profile.len()).unwrap_or(0);
    let mut vertices = vec![];
    let mut triangles = vec![];
    for k in 0..FACES {
        let angle = std::f64::consts::TAU * f64::from(k) / f64::from(FACES);
        vertices.extend(profile.iter().map(|[r, z]| [r * angle.cos(), r * angle.sin(), *z]));
        for i in 0..n {
            let (j, next) = ((i + 1) % n, (k + 1) % FACES);
            let [a, b, c, d] = [k * n + i, k * n + j, next * n + j, next * n + i];
            triangles.extend([[a, d, c], [a, c, b]]);
        }
    }
    Solid::Mesh { vertices, triangles }
}

/// The surface of a polygon, counted against the clock, from -h to h along z.
fn drawn_out(corners: &[[f64; 2]], h: f64) -> Solid {
    let n = u32::try_from(corners.len()).unwrap_or(0);
    let level = |z: f64| corners.iter().map(move |[x, y]| [*x, *y, z]);
    let vertices: Vec<[f64; 3]> = level(-h).chain(level(h)).collect();
    let mut triangles = vec![];
    for i in 0..n {
        let j = (i + 1) % n;
        triangles.extend([[i, j, n + j], [i, n + j, n + i]]);
    }
    for [a, b, c] in ears(corners) {
        triangles.extend([[n + a, n + b, n + c], [a, c, b]]);
    }
    Solid::Mesh { vertices, triangles }
}

/// The triangles of a polygon, by cutting off corners in which no other corner lies.
fn ears(corners: &[[f64; 2]]) -> Vec<[u32; 3]> {
    let cross =
        |p: [f64; 2], q: [f64; 2], r: [f64; 2]| (q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0]);
    let mut left: Vec<usize> = (0..corners.len()).collect();
    let mut triangles = vec![];
    while left.len() > 2 {
        let n = left.len();
        let ear = (0..n).find(|&k| {
            let [a, b, c] = [left[(k + n - 1) % n], left[k], left[(k + 1) % n]];
            let inside = |&&i: &&usize| {
                let p = corners[i];
                ![a, b, c].contains(&i)
                    && cross(corners[a], corners[b], p) >= 0.0
                    && cross(corners[b], corners[c], p) >= 0.0
                    && cross(corners[c], corners[a], p) >= 0.0
            };
            cross(corners[a], corners[b], corners[c]) > 0.0 && !left.iter().any(|i| inside(&i))
        });
        let k = ear.unwrap_or(0);
        let index = |i: usize| u32::try_from(left[i % n]).unwrap_or(0);
        triangles.push([index(k + n - 1), index(k), index(k + 1)]);
        left.remove(k);
    }
    triangles
}

/// How far a plane is drawn, and how thick, as parts of the reach of all bodies.
const PLANE: (f64, f64) = (2.5, 0.01);

fn shapes(model: &Model, values: &ParameterValues, body: &Body, reach: f64) -> Vec<Shape> {
    let number = |e: Expr| values.evaluate(model, e);
    let made = body.shapes.iter().map(|shape| {
        let at = shape.at.map(number);
        let axis = shape.axis.map_or([0.0, 0.0, 1.0], |a| a.map(number));
        let along = Pose::along(at, axis);
        let (solid, pose) = match &shape.kind {
            ShapeKind::Box(size) => (Solid::Box { size: size.map(number) }, Pose::at(at)),
            ShapeKind::Sphere(r) => (Solid::Sphere { radius: number(*r) }, Pose::at(at)),
            ShapeKind::Ellipsoid(radii) => (Solid::Ellipsoid { radii: radii.map(number) }, Pose::at(at)),
            ShapeKind::Cylinder(r, l) => (Solid::Cylinder { radius: number(*r), length: number(*l) }, along),
            ShapeKind::Capsule(r, l) => {
                let radius = number(*r);
                (Solid::Capsule { radius, end_radius: radius, length: number(*l) }, along)
            }
            ShapeKind::Cone(r, l) => (Solid::Cone { radius: number(*r), length: number(*l) }, along),
            ShapeKind::Plane => {
                let (edge, thick) = (PLANE.0 * reach, PLANE.1 * reach);
                let below = std::array::from_fn(|i| at[i] - 0.5 * thick * axis[i] / length(axis));
                (Solid::Box { size: [edge, edge, thick] }, Pose::along(below, axis))
            }
            ShapeKind::Rod(to, r) => {
                let to = to.map(number);
                let span: [f64; 3] = std::array::from_fn(|i| to[i] - at[i]);
                let middle = std::array::from_fn(|i| 0.5 * (at[i] + to[i]));
                let radius = number(*r);
                let solid = Solid::Capsule { radius, end_radius: radius, length: length(span) };
                (solid, Pose::along(middle, span))
            }
            ShapeKind::Tube(r, inner, l) => {
                let (r, inner, h) = (number(*r), number(*inner), 0.5 * number(*l));
                (turned(&[[inner, -h], [r, -h], [r, h], [inner, h]]), along)
            }
            ShapeKind::Mesh(vertices, triangles) => {
                let (vertices, triangles) = (vertices.clone(), triangles.clone());
                (Solid::Mesh { vertices, triangles }, Pose::at(at))
            }
            ShapeKind::Revolution(profile) => {
                (turned(&profile.iter().map(|c| c.map(number)).collect::<Vec<_>>()), along)
            }
            ShapeKind::Extrusion(corners, l) => {
                let corners: Vec<[f64; 2]> = corners.iter().map(|c| c.map(number)).collect();
                (drawn_out(&corners, 0.5 * number(*l)), Pose::at(at))
            }
        };
        let made = Shape::new(solid, pose);
        match &shape.color {
            Some(color) => made.colored(color.clone()),
            None => made,
        }
    });
    made.collect()
}

/// Where a body's mass and joints are, for bodies without shapes.
fn outline(model: &Model, values: &ParameterValues, body: &Body) -> BodyOutline {
    let space = &model.space;
    let numbers = |v: [Expr; 3]| v.map(|e| values.evaluate(model, e));
    let finite = |v: &[f64; 3]| v.iter().all(|c| c.is_finite());
    let mass_center = (!space.pool().is_zero(body.mass)).then(|| numbers(body.center)).filter(finite);
    // Joints of children that start with a fixed offset from this body.
    let children = model.joints.iter().filter(|(_, j)| j.parent == body.frame);
    let starts = children.filter_map(|(_, j)| {
        let first = space.frame(*j.frames.first()?);
        (first.motion == Motion::Fixed).then(|| numbers(first.p_PoBo_P)).filter(finite)
    });
    let mut joint_points: Vec<[f64; 3]> = starts.collect();
    joint_points.extend(attachments::closing_points(model, values, body.frame));
    let held_points = attachments::held_points(model, values, body.frame);
    let named_points =
        attachments::named_points(model, values, body.frame).into_iter().map(|(_, p)| p).collect();
    // The last motion of the joint, if its axis is fixed in the body.
    let mut joint_axes = Vec::new();
    if let Some(frame) = body.joint.and_then(|j| model.joints[j].frames.last().copied()) {
        let axis = match &space.frame(frame).motion {
            Motion::Rotation { direction, .. } => Some((*direction, JointMotion::Rotation)),
            Motion::Translation { direction, .. } => Some((*direction, JointMotion::Translation)),
            _ => None,
        };
        if let Some((direction, motion)) = axis {
            let direction = numbers(direction);
            if finite(&direction) {
                joint_axes.push(JointAxis { direction, motion });
            }
        }
    }
    BodyOutline { mass_center, joint_points, held_points, named_points, joint_axes }
}

/// A spring or damper between its ends, or an arrow for a force.
fn link(model: &Model, track: &LoadTrack, extent: f64) -> Option<Link> {
    let load = &model.loads[track.load];
    let linked = |kind: LinkKind, to: Vec<[f64; 3]>| Link {
        name: load.name.clone(),
        description: load.description.clone(),
        kind,
        from: track.at.clone(),
        to,
        color: String::new(),
    };
    let part = model.element_of_load(track.load).map(|(_, part)| part);
    match (&track.reaction, part) {
        (Some(ends), None) if load.potential.is_some() => {
            return Some(linked(LinkKind::Spring, ends.clone()));
        }
        (Some(ends), Some(ElementPart::Spring)) => return Some(linked(LinkKind::Spring, ends.clone())),
        (Some(ends), Some(ElementPart::Damper)) => return Some(linked(LinkKind::Damper, ends.clone())),
        _ => {}
    }
    if load.conservative {
        return None;
    }
    let kind = match load.kind {
        LoadKind::Force { .. } => LinkKind::Force,
        LoadKind::Torque { .. } => LinkKind::Torque,
    };
    let largest = track.vector.iter().map(|v| length(*v)).filter(|l| l.is_finite()).fold(0.0, f64::max);
    if largest == 0.0 {
        return None;
    }
    let scale = 0.25 * extent / largest;
    let tips = track.at.iter().zip(&track.vector);
    let tips = tips.map(|(at, v)| std::array::from_fn(|i| at[i] + scale * v[i]));
    Some(linked(kind, tips.collect()))
}

#[cfg(test)]
mod tests {
    use cardan_viewer::scene::rotate;

    use super::*;

    /// Rotations about skew axes, among them half turns, where three of the four squares vanish.
    #[test]
    fn a_quaternion_turns_like_its_matrix() {
        for (axis, angle) in [
            ([0.0, 0.0, 1.0], 0.3),
            ([1.0, 0.0, 0.0], std::f64::consts::PI),
            ([0.0, 1.0, 0.0], std::f64::consts::PI),
            ([0.0, 0.0, 1.0], -std::f64::consts::PI),
            ([3.0 / 13.0, 4.0 / 13.0, 12.0 / 13.0], 2.5),
            ([0.6, -0.8, 0.0], 3.1),
        ] {
            // R = 1 cos + (1 - cos) a aᵀ + sin [a×]
            let (s, c) = f64::sin_cos(angle);
            let [x, y, z]: [f64; 3] = axis;
            let cross = [[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]];
            let rotation = std::array::from_fn(|i| {
                std::array::from_fn(|j| {
                    f64::from(u8::from(i == j)) * c + (1.0 - c) * axis[i] * axis[j] + s * cross[i][j]
                })
            });
            let q = quaternion(&Rigid { position: [0.0; 3], rotation });
            let v = [0.3, -0.7, 1.1];
            let turned = rotate(q, v);
            for i in 0..3 {
                let expected: f64 = (0..3).map(|j| rotation[i][j] * v[j]).sum();
                assert!((turned[i] - expected).abs() < 1e-14, "{axis:?} {angle}");
            }
        }
    }
}
