//! Curves and surfaces along which something moves, as solids of the page.
//!
//! A curve is drawn as far as the motion went along it, and a little further; a surface under the way of what rolls on it.

use std::f64::consts::TAU;

use cardan::assembly::ParameterValues;
use cardan::compile::geometry_samples::Letters;
use cardan::model::cam::Profile;
use cardan::model::surface::Surface;
use cardan::model::{Ends, Figure, Marker, Model, Track};
use cardan::sim::{Frames, Pose as Rigid, Trajectory};
use cardan_viewer::{BodyTrack, Pose, Scene, Shape, Solid};

/// Points of a curve.
const POINTS: usize = 400;
/// Cells of a surface along each side.
const CELLS: usize = 48;
/// How much further than the motion curves and surfaces go, as a part of it.
const FURTHER: f64 = 0.15;
const CURVE: &str = "#3d4450";
const SURFACE: &str = "#8fa3bf";

/// Adds the curves and surfaces of all constraints to a scene whose bodies are those of the model.
pub fn add(model: &Model, frames: &Frames, trajectory: Option<&Trajectory>, scene: &mut Scene) {
    let values = ParameterValues::of(model);
    let letters = Letters::new(model, &values);
    for (_, c) in model.constraints.iter() {
        let (Some(figure), Some(ends)) = (&c.figure, &c.ends) else { continue };
        let (solid, marker) = match &**figure {
            Figure::Track(Track { marker, parameter, places, coordinate }) => {
                let name = model.coordinates.iter().find(|(_, c)| c.symbol == *coordinate);
                let values = name.and_then(|(_, q)| trajectory?.series(&q.quantity.name));
                let Some((low, high)) = values.and_then(|v| range(v.iter().copied())) else { continue };
                let further = FURTHER * (high - low);
                let at = |s: f64| places.map(|p| letters.at(p, &[(*parameter, s)]));
                (curve(&letters, marker, (low - further, high + further), at), marker)
            }
            Figure::Cam(Profile { marker, angle, radius }, _) => {
                let at = |phi: f64| {
                    let r = letters.at(*radius, &[(*angle, phi)]);
                    [r * phi.cos(), r * phi.sin(), 0.0]
                };
                (curve(&letters, marker, (0.0, TAU), at), marker)
            }
            Figure::Road(_, Surface { marker, places, height }, _) => {
                let way = way(model, frames, ends, &letters, marker);
                let height = |x: f64, y: f64| letters.at(*height, &[(places[0], x), (places[1], y)]);
                let Some(solid) = patch(&way, height, |p| within(&letters, marker, p)) else { continue };
                (Shape::new(solid, Pose::default()).colored(SURFACE).translucent(0.55), marker)
            }
            // The page has a ground of its own.
            Figure::Plane(..) => continue,
        };
        match model.bodies.iter().position(|(_, b)| b.frame == marker.frame()) {
            Some(b) => {
                scene.bodies.iter_mut().skip(b).take(1).for_each(|track| track.shapes.push(solid.clone()))
            }
            None => scene.bodies.push(BodyTrack {
                name: c.name.clone(),
                description: c.description.clone(),
                shapes: vec![solid],
                ..BodyTrack::default()
            }),
        }
    }
}

/// A curve of a marker between two values of its parameter.
fn curve(letters: &Letters, marker: &Marker, (low, high): (f64, f64), at: impl Fn(f64) -> [f64; 3]) -> Shape {
    let value = |k: usize| low + (high - low) * k as f64 / POINTS as f64;
    let points = (0..=POINTS).map(|k| within(letters, marker, at(value(k)))).filter(finite).collect();
    Shape::new(Solid::Polyline { points }, Pose::default()).colored(CURVE)
}

fn finite(p: &[f64; 3]) -> bool {
    p.iter().all(|c| c.is_finite())
}

fn range(values: impl Iterator<Item = f64>) -> Option<(f64, f64)> {
    values.filter(|v| v.is_finite()).fold(None, |found, v| {
        let (low, high) = found.unwrap_or((v, v));
        Some((low.min(v), high.max(v)))
    })
}

/// Components along a marker's axes as components in its body.
fn within(letters: &Letters, marker: &Marker, p: [f64; 3]) -> [f64; 3] {
    let number = |e| letters.at(e, &[]);
    std::array::from_fn(|i| {
        let along: f64 = (0..3).map(|k| number(marker.axes[k][i]) * p[k]).sum();
        number(marker.point.coordinates[i]) + along
    })
}

/// Where the origin of the first body goes over the plane of a marker of the second.
fn way(model: &Model, frames: &Frames, ends: &Ends, letters: &Letters, marker: &Marker) -> Vec<[f64; 2]> {
    let track = |frame| {
        let body = model.bodies.iter().position(|(_, b)| b.frame == frame)?;
        frames.bodies.get(body)
    };
    let Some(rolling) = track(ends.first) else { return vec![] };
    let ground = track(marker.frame());
    let origin = within(letters, marker, [0.0; 3]);
    let axes = [0, 1].map(|k: usize| marker.axes[k].map(|e| letters.at(e, &[])));
    let seen = |(k, pose): (usize, &Rigid)| {
        let mut p = pose.position;
        if let Some(ground) = ground.and_then(|g| g.get(k)) {
            let d: [f64; 3] = std::array::from_fn(|i| p[i] - ground.position[i]);
            p = std::array::from_fn(|j| (0..3).map(|i| ground.rotation[i][j] * d[i]).sum());
        }
        axes.map(|axis| (0..3).map(|i| axis[i] * (p[i] - origin[i])).sum())
    };
    rolling.iter().enumerate().map(seen).collect()
}

/// Triangles over an ellipse around a way, or over a rectangle where the way leaves the ellipse.
fn patch(
    way: &[[f64; 2]],
    height: impl Fn(f64, f64) -> f64,
    place: impl Fn([f64; 3]) -> [f64; 3],
) -> Option<Solid> {
    let ((x0, x1), (y0, y1)) = (range(way.iter().map(|p| p[0]))?, range(way.iter().map(|p| p[1]))?);
    let further = FURTHER * (x1 - x0).max(y1 - y0).max(1e-3);
    let middle = [0.5 * (x0 + x1), 0.5 * (y0 + y1)];
    let half = [0.5 * (x1 - x0) + further, 0.5 * (y1 - y0) + further];
    let out = |p: &[f64; 2]| ((p[0] - middle[0]) / half[0]).hypot((p[1] - middle[1]) / half[1]);
    let is_round = way.iter().filter(|p| finite(&[p[0], p[1], 0.0])).all(|p| out(p) <= 1.0);
    let mut vertices = Vec::with_capacity((CELLS + 1) * (CELLS + 1));
    for i in 0..=CELLS {
        for j in 0..=CELLS {
            let [mut u, mut v] = [i, j].map(|k| 2.0 * k as f64 / CELLS as f64 - 1.0);
            if is_round {
                // The square [-1, 1]² as a disc.
                (u, v) = (u * (1.0 - 0.5 * v * v).sqrt(), v * (1.0 - 0.5 * u * u).sqrt());
            }
            let (x, y) = (middle[0] + half[0] * u, middle[1] + half[1] * v);
            vertices.push(place([x, y, height(x, y)]));
        }
    }
    let mut triangles = vec![];
    for i in 0..CELLS {
        for j in 0..CELLS {
            let corner = |i: usize, j: usize| i * (CELLS + 1) + j;
            let quad = [corner(i, j), corner(i + 1, j), corner(i + 1, j + 1), corner(i, j + 1)];
            if quad.iter().all(|k| finite(&vertices[*k])) {
                let [a, b, c, d] = quad.map(|k| k as u32);
                triangles.extend([[a, b, c], [a, c, d]]);
            }
        }
    }
    // What is not there is not referred to; numbers that are not finite have no place on a page.
    vertices.iter_mut().filter(|v| !finite(v)).for_each(|v| *v = [0.0; 3]);
    (!triangles.is_empty()).then_some(Solid::Mesh { vertices, triangles })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_patch_lies_on_its_surface_and_under_its_way() {
        let way: Vec<[f64; 2]> = (0..40).map(|k| f64::from(k).sin_cos()).map(|(s, c)| [2.0 * c, s]).collect();
        let height = |x: f64, y: f64| if x > 2.2 { f64::NAN } else { x * y };
        let Some(Solid::Mesh { vertices, triangles }) = patch(&way, height, |p| p) else { panic!("no mesh") };
        for t in &triangles {
            for k in t {
                let [x, y, z] = vertices[*k as usize];
                assert!((z - x * y).abs() < 1e-12 && x <= 2.2, "{x} {y} {z}");
            }
        }
        let reach = vertices.iter().map(|v| v[1].abs()).fold(0.0, f64::max);
        assert!((1.0..2.0).contains(&reach), "{reach}");
        // A way into the corners takes the whole rectangle.
        let corners = [[-1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]];
        let Some(Solid::Mesh { vertices, .. }) = patch(&corners, |_, _| 0.0, |p| p) else {
            panic!("no mesh")
        };
        assert!(vertices.iter().any(|v| v[0] > 1.2 && v[1] > 1.2));
    }
}
