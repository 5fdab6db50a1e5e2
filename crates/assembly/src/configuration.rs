//! Where bodies are in a position of a mechanism, and on which side the elbows of its planar loops lie.
//!
//! ```text
//! [elbow]    A - E - B, two links that follow from the others:   height = up · (E - F),   F the foot of E on the line A B
//! ```
//!
//! Of the loop of a four-bar linkage A is the tip of the crank, E the pin that closes the loop, B the pivot of the rocker. The elbow is up if it
//! lies above the line from A to B against gravity, or along y where gravity does not matter.

use cardan_kinematics::{FrameId, Point};
use cardan_lower::{LowerError, ModelProgram, expressions_program};
use cardan_model::{JointId, Model};
use cardan_program::{Execute, Interpreter, Label, Stages};

/// Three points of two links, by places among the outputs.
#[derive(Clone, PartialEq, Debug)]
struct Elbow {
    /// The constraint whose loop it is in.
    constraint: String,
    /// A, E, B: the first of three components each.
    points: [usize; 3],
}

/// A program that tells where bodies are.
pub(crate) struct Poses {
    made: ModelProgram,
    engine: Interpreter,
    stages: Stages,
    inputs: Vec<f64>,
    outputs: Vec<f64>,
    /// Outputs that are poses.
    n_poses: usize,
    elbows: Vec<Elbow>,
    /// Against gravity in the inertial frame, or y.
    up: [f64; 3],
}

impl Poses {
    /// With the parameters that `parameters` gives by place; `dependent` tells which coordinates follow from the others.
    pub fn new(
        model: &Model,
        parameters: &[f64],
        dependent: &dyn Fn(usize) -> bool,
        up: [f64; 3],
    ) -> Result<Option<Poses>, LowerError> {
        let space = &model.space;
        let ground = space.newtonian();
        let (one, zero) = (space.pool().one(), space.pool().zero());
        let mut named = vec![];
        let mut point = |p: &Point| {
            let first = named.len();
            let components = space.components(&space.position(&space.origin(ground), p), ground);
            named.extend(components.map(|e| (Label::named("place"), e)));
            first
        };
        for (_, body) in model.bodies.iter() {
            for shift in [[zero; 3], [one, zero, zero], [zero, one, zero]] {
                point(&Point { name: String::new(), frame: body.frame, coordinates: shift });
            }
        }
        let mut elbows = vec![];
        for (_, c) in model.constraints.iter() {
            let Some(ends) = &c.ends else { continue };
            let follows = |j: &JointId| match &model.joints[*j].coordinates[..] {
                [q] => {
                    let place = model.coordinates.ids().position(|k| k == *q);
                    place.is_some_and(dependent)
                        && model.coordinates[*q].quantity.dimension.to_string() == "rad"
                }
                _ => false,
            };
            let through = model.joints_between(ends.first, ends.second);
            let links: Vec<JointId> = through.into_iter().filter(follows).collect();
            let [a, b] = links[..] else { continue };
            let frame = |j: JointId| model.joints[j].frames.last().copied().unwrap_or(ground);
            let (a, b) = (frame(a), frame(b));
            let in_series = is_above(model, a, b);
            let (pin, first, second) = (ends.at.clone(), space.origin(a), space.origin(b));
            let points = if in_series { [first, second, pin] } else { [first, pin, second] };
            elbows.push((c.name.clone(), points));
        }
        let n_poses = 9 * model.bodies.len();
        let elbows = elbows
            .into_iter()
            .map(|(constraint, points)| Elbow { constraint, points: points.map(|p| point(&p)) })
            .collect();
        let made = expressions_program(model, "poses", named)?;
        let Ok(engine) = Interpreter::new(&made.program) else { return Ok(None) };
        let mut inputs = vec![0.0; made.program.inputs().len()];
        let known = parameters.len().min(inputs.len());
        inputs[..known].copy_from_slice(&parameters[..known]);
        let outputs = vec![0.0; made.program.outputs().len()];
        let stages = made.program.all_stages();
        Ok(Some(Poses { made, engine, stages, inputs, outputs, n_poses, elbows, up }))
    }

    /// Places of three points of each body, which tell positions apart however coordinates name them.
    pub fn at(&mut self, state: &[f64]) -> Option<&[f64]> {
        for (input, value) in self.made.inputs.state().zip(state) {
            self.inputs[input] = *value;
        }
        self.engine.run(self.stages, &self.inputs, &mut self.outputs).ok()?;
        Some(&self.outputs[..self.n_poses])
    }

    /// The elbows of planar loops in a position: `pin: elbow up`. [elbow]
    pub fn elbows(&mut self, state: &[f64]) -> Vec<String> {
        if self.at(state).is_none() {
            return vec![];
        }
        let three = |first: usize| [self.outputs[first], self.outputs[first + 1], self.outputs[first + 2]];
        let side = |elbow: &Elbow| {
            let [a, e, b] = elbow.points.map(three);
            let minus = |p: [f64; 3], q: [f64; 3]| [p[0] - q[0], p[1] - q[1], p[2] - q[2]];
            let dot = |p: [f64; 3], q: [f64; 3]| p.iter().zip(&q).map(|(x, y)| x * y).sum::<f64>();
            let (along, out) = (minus(b, a), minus(e, a));
            let length = dot(along, along);
            let part = if length > 0.0 { dot(out, along) / length } else { 0.0 };
            let off = [out[0] - part * along[0], out[1] - part * along[1], out[2] - part * along[2]];
            let (height, reach) = (dot(off, self.up), dot(out, out).sqrt());
            let word = match height {
                h if h > 1e-6 * reach => "elbow up",
                h if h < -1e-6 * reach => "elbow down",
                _ if dot(off, off).sqrt() < 1e-6 * reach => "stretched",
                _ => "elbow level",
            };
            format!("{}: {word}", elbow.constraint)
        };
        self.elbows.iter().map(side).collect()
    }
}

/// Whether a frame hangs, over others or not, on another.
fn is_above(model: &Model, below: FrameId, above: FrameId) -> bool {
    std::iter::successors(Some(above), |f| model.space.frame(*f).parent).skip(1).any(|f| f == below)
}
