//! Newton's law of every body in the form of d'Alembert and Lagrange, from nothing but where bodies are.
//!
//! ```text
//! [virtual-power]   Σ_b ( m ẍ·δx + Σ_kl S_kl r̈_k·δr_l )  =  Σ_b m g·δx + Σ forces F·δx_F + Σ torques T·δθ
//! [second-moments]  S = ½ tr(I) 1 - I = ∫ r r^T dm      about the mass centre, along the axes r_1, r_2, r_3 of the body
//! [path]            q(t + h) = q + h q̇ + ½ h² q̈,       q̈ = d/dh q̇(t + h, q + h q̇, u + h u̇)
//! [variation]       δq = q̇(u = δu) - q̇(u = 0),          δu allowed by all constraints
//! [virtual-turn]            δθ = ½ Σ_k r_k × δr_k
//! ```
//!
//! Mass centres x and axes r_k are functions of coordinates and time that the page draws. Their second derivatives along the motion and their first ones along each
//! virtual displacement are differences. No velocity, angular velocity, partial velocity or mass matrix of any
//! formalism is used, so whatever all formalisms might have in common is tested as well. Constraint forces do no virtual work.

use cardan_base::Id;
use cardan_kinematics::FrameId;
use cardan_lower::expressions_program;
use cardan_model::{LoadKind, Model};
use cardan_program::Label;
use cardan_sim::{Frames, LoadTrack, Pose};
use cardan_units::Dimension;

use super::{Check, Limits, State, drops_small_quantities, idle};
use crate::AnalysisError;
use crate::linear::tangent_space::tangent;
use crate::numeric_model::{Evaluator, Study};
use crate::verify::richardson::{Estimate, first, first_difference, second, second_difference};

/// Second differences have half of the digits of a number.
const LIMITS: Limits = Limits { doubtful: 1e-6, wrong: 1e-4 };
/// Numbers of a body: its mass centre and its axes.
const WIDTH: usize = 12;
/// How far all turns together may go in a difference, in radians.
const TURN: f64 = 1.0;
/// A difference over this turn tells the order of magnitude.
const GLANCE: f64 = 1e-3;
/// What turns more slowly than this does not limit differences, rad/s.
const SLOW: f64 = 0.1;
/// A direction in which less than this part of what others feel is felt says nothing.
const NOTHING: f64 = 1e-9;
/// Directions in which differences are less sure than this tell nothing.
const UNSURE: f64 = 1e-6;

type Vec3 = [f64; 3];

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

fn cross(a: Vec3, b: Vec3) -> Vec3 {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// What a body brings into the sums.
struct Matter {
    mass: f64,
    center: Vec3,
    second: [Vec3; 3],
}

/// What a load acts on: places of bodies among all; nothing for the ground.
struct Action {
    on: Option<usize>,
    from: Option<usize>,
    is_torque: bool,
}

pub fn check(study: &mut Study, states: &[State]) -> Result<Check, AnalysisError> {
    const NAME: &str = "virtual power";
    if drops_small_quantities(study) {
        return Ok(idle(NAME, "quantities are declared small, and products of them are dropped"));
    }
    if !study.model().rotors.is_empty() {
        return Ok(idle(NAME, "rotors behind gears have no place of their own"));
    }
    let mut bodies = Bodies::of(study)?;
    let Some(actions) = actions(study.model()) else {
        return Ok(idle(NAME, "a load acts on a frame between two bodies"));
    };
    let mut all = vec![];
    for state in states {
        study.hold_discretes(&state.discretes);
        if let Some((matter, gravity)) = bodies.at(study, state)? {
            all.extend(at(study, state, &matter, &actions, gravity)?);
        }
    }
    let directions = all.len();
    // Where nothing is displaced or nothing acts, rounding is all there is.
    let nothing = NOTHING * all.iter().fold(0.0f64, |m, sums| m.max(sums.size));
    let worst = all.iter().map(|sums| sums.relative(nothing)).fold(0.0, f64::max);
    if directions == 0 {
        return Ok(idle(
            NAME,
            "nothing may be displaced: drives determine the motion, or differences converge nowhere",
        ));
    }
    let compared = format!(
        "Newton's law of every body, from places alone, along {directions} displacements at {} states",
        states.len()
    );
    Ok(LIMITS.judge(NAME, compared, worst))
}

/// Gravity, masses, mass centres and inertias as numbers.
struct Bodies(Evaluator);

impl Bodies {
    fn of(study: &Study) -> Result<Bodies, AnalysisError> {
        let model = study.model();
        let mut all = model.space.components(&model.gravity, model.space.newtonian()).to_vec();
        for (_, body) in model.bodies.iter() {
            all.push(body.mass);
            all.extend(body.center);
            all.extend(body.inertia.iter().flatten());
        }
        let named = all.into_iter().map(|e| (Label::named("matter"), e));
        let made = expressions_program(model, "matter", named)?;
        Ok(Bodies(Evaluator::new(&made.program, study.host())?))
    }

    /// Nothing where masses or gravity have no value. Moments of inertia without one are those that no motion needs: a sliding block has none.
    fn at(&mut self, study: &Study, state: &State) -> Result<Option<(Vec<Matter>, Vec3)>, AnalysisError> {
        let all = self.0.run(&study.placed(state.t, &state.y))?;
        let matter = |of: &[f64]| {
            let inertia =
                |k: usize, l: usize| Some(of[4 + 3 * k + l]).filter(|x| x.is_finite()).unwrap_or(0.0);
            let half = 0.5 * (inertia(0, 0) + inertia(1, 1) + inertia(2, 2));
            let unit = |k: usize, l: usize| if k == l { half } else { 0.0 };
            Matter {
                mass: of[0],
                center: [of[1], of[2], of[3]],
                second: std::array::from_fn(|k| std::array::from_fn(|l| unit(k, l) - inertia(k, l))), // [second-moments]
            }
        };
        let gravity = [all[0], all[1], all[2]];
        let matter: Vec<Matter> = all[3..].chunks_exact(13).map(matter).collect();
        let is_known = |m: &Matter| m.mass.is_finite() && m.center.iter().all(|x| x.is_finite());
        let known = gravity.iter().all(|x| x.is_finite()) && matter.iter().all(is_known);
        Ok(known.then_some((matter, gravity)))
    }
}

/// Which bodies each load acts on; nothing if one acts on a frame that no body is fixed in.
fn actions(model: &Model) -> Option<Vec<Action>> {
    let root = model.space.newtonian();
    let body = |mut frame: FrameId| -> Option<Option<usize>> {
        loop {
            if frame == root {
                return Some(None);
            }
            if let Some(k) = model.bodies.iter().position(|(_, b)| b.frame == frame) {
                return Some(Some(k));
            }
            if model.is_moving(frame) {
                return None;
            }
            frame = model.space.frame(frame).parent?;
        }
    };
    let action = |kind: &LoadKind| {
        Some(match kind {
            LoadKind::Force { at, reaction, .. } => Action {
                on: body(at.frame)?,
                from: reaction.as_ref().map_or(Some(None), |r| body(r.frame))?,
                is_torque: false,
            },
            LoadKind::Torque { on, reaction, .. } => {
                Action { on: body(*on)?, from: reaction.map_or(Some(None), body)?, is_torque: true }
            }
        })
    };
    model.loads.iter().map(|(_, load)| action(&load.kind)).collect()
}

/// Mass centre and axes of every body.
fn places(study: &mut Study, t: f64, y: &[f64], matter: &[Matter]) -> Vec<f64> {
    let mut frames = Frames::default();
    if study.picture(t, y, &mut frames).is_err() {
        return vec![f64::NAN; WIDTH * matter.len()];
    }
    let mut out = vec![];
    for (poses, m) in frames.bodies.iter().zip(matter) {
        let Pose { position, rotation } = poses[0];
        out.extend((0..3).map(|i| position[i] + dot(&rotation[i], &m.center)));
        (0..3).for_each(|k| out.extend((0..3).map(|i| rotation[i][k])));
    }
    out
}

/// The sums in each direction; none in a singular position.
fn at(
    study: &mut Study,
    state: &State,
    matter: &[Matter],
    actions: &[Action],
    gravity: Vec3,
) -> Result<Vec<Sums>, AnalysisError> {
    let State { t, y, .. } = state;
    let (n_q, n_u, _) = study.sizes();
    let speeds = n_q..n_q + n_u;
    let rates = study.rates(*t, y)?;
    let free = study.local(*t, y).and_then(|local| tangent(study, &local, &[]));
    let (true, Ok(free)) = (rates[..n_q + n_u].iter().all(|x| x.is_finite()), free) else {
        return Ok(vec![]);
    };
    let turns: Vec<bool> = study
        .model()
        .coordinates
        .iter()
        .map(|(_, q)| q.quantity.dimension.without_angle() == Dimension::ONE)
        .collect();
    let turning = |of: &dyn Fn(usize) -> f64| (0..n_q).filter(|k| turns[*k]).map(of).sum::<f64>();

    // [path]
    let moved = |study: &mut Study, h: f64| {
        let beside: Vec<f64> = y.iter().zip(&rates).map(|(y, r)| y + h * r).collect();
        study.rates(t + h, &beside).map_or_else(|_| vec![f64::NAN; n_q], |r| r[..n_q].to_vec())
    };
    let pace = turning(&|k| rates[k].abs()).max(SLOW);
    let bends = first(|h| moved(study, h), TURN / pace);
    let pace = pace.max(turning(&|k| bends[k].value.abs()).sqrt());
    let path = |h: f64| -> Vec<f64> {
        let bend = |k: usize| if k < n_q { 0.5 * h * h * bends[k].value } else { 0.0 };
        y.iter().zip(&rates).enumerate().map(|(k, (y, r))| y + h * r + bend(k)).collect()
    };
    // Frames that are driven turn with time itself.
    let crude = second_difference(|h| places(study, t + h, &path(h), matter), GLANCE / pace);
    let bodies = crude.chunks_exact(WIDTH).flat_map(|b| &b[3..]);
    let pace = bodies.filter(|x| x.is_finite()).fold(pace, |m, x| m.max(x.abs().sqrt()));
    let accelerations = second(|h| places(study, t + h, &path(h), matter), TURN / pace);
    let here = places(study, *t, y, matter);
    let mut frames = Frames::default();
    study.picture(*t, y, &mut frames)?;

    let mut all = vec![];
    let still: Vec<f64> =
        y.iter().enumerate().map(|(k, y)| if speeds.contains(&k) { 0.0 } else { *y }).collect();
    for (column, _) in free.independent.iter().enumerate().filter(|(_, place)| speeds.contains(place)) {
        // [variation]
        let mut varied = still.clone();
        speeds.clone().for_each(|k| varied[k] = free.basis[(k, column)]);
        let (a, b) = (study.rates(*t, &varied)?, study.rates(*t, &still)?);
        let direction: Vec<f64> = a[..n_q].iter().zip(&b).map(|(a, b)| a - b).collect();
        let mut beside = |h: f64| {
            let mut beside = y.clone();
            direction.iter().enumerate().for_each(|(k, d)| beside[k] += h * d);
            places(study, *t, &beside, matter)
        };
        let pace = turning(&|k| direction[k].abs()).max(SLOW);
        // What gears drive turns faster than any coordinate.
        let crude = first_difference(&mut beside, GLANCE / pace);
        let axes = crude.chunks_exact(WIDTH).flat_map(|b| &b[3..]);
        let pace = axes.filter(|x| x.is_finite()).fold(pace, |m, x| m.max(x.abs()));
        let variation = first(beside, TURN / pace);
        let sums = balance(matter, actions, gravity, &frames.loads, &here, &accelerations, &variation);
        // Where differences do not converge they tell nothing.
        if sums.unsure <= UNSURE * sums.size {
            all.push(sums);
        }
    }
    Ok(all)
}

/// The sum that must vanish, what its terms add up to without their signs, and how unsure the differences in it are.
#[derive(Default)]
struct Sums {
    left: f64,
    size: f64,
    unsure: f64,
}

impl Sums {
    /// What is left as a part of what there is, or of `nothing` if that is more.
    fn relative(&self, nothing: f64) -> f64 {
        if self.left == 0.0 { 0.0 } else { self.left.abs() / self.size.max(nothing) }
    }
    /// Adds c a·d, with a and d known from differences.
    fn add(&mut self, c: f64, a: &[Estimate], d: &[Estimate]) {
        let norm =
            |v: &[Estimate], of: fn(&Estimate) -> f64| v.iter().map(|e| of(e) * of(e)).sum::<f64>().sqrt();
        let value: fn(&Estimate) -> f64 = |e| e.value;
        let error: fn(&Estimate) -> f64 = |e| e.error;
        self.left += c * a.iter().zip(d).map(|(a, d)| a.value * d.value).sum::<f64>();
        self.size += c.abs() * norm(a, value) * norm(d, value);
        self.unsure += c.abs() * (norm(a, error) * norm(d, value) + norm(a, value) * norm(d, error));
    }
}

/// [virtual-power] in one direction.
fn balance(
    matter: &[Matter],
    actions: &[Action],
    gravity: Vec3,
    loads: &[LoadTrack],
    here: &[f64],
    accelerations: &[Estimate],
    variation: &[Estimate],
) -> Sums {
    let mut sums = Sums::default();
    let exactly = |x: f64| Estimate { value: x, error: 0.0 };
    for (b, m) in matter.iter().enumerate() {
        let of = b * WIDTH..(b + 1) * WIDTH;
        let (a, d) = (&accelerations[of.clone()], &variation[of]);
        sums.add(m.mass, &a[..3], &d[..3]);
        sums.add(-m.mass, &gravity.map(exactly), &d[..3]);
        for k in 0..3 {
            for l in 0..3 {
                sums.add(m.second[k][l], &a[3 + 3 * k..6 + 3 * k], &d[3 + 3 * l..6 + 3 * l]);
            }
        }
    }
    let change =
        |k: usize, first: usize| -> Vec3 { std::array::from_fn(|i| variation[k * WIDTH + first + i].value) };
    let place = |k: usize, first: usize| -> Vec3 { std::array::from_fn(|i| here[k * WIDTH + first + i]) };
    // [virtual-turn]
    let turn = |k: usize| -> Vec3 {
        let parts = [3, 6, 9].map(|axis| cross(place(k, axis), change(k, axis)));
        std::array::from_fn(|i| 0.5 * parts.iter().map(|v| v[i]).sum::<f64>())
    };
    let shift = |k: usize, at: Vec3| -> Vec3 {
        let (center, moved) = (place(k, 0), change(k, 0));
        let swung = cross(turn(k), std::array::from_fn(|i| at[i] - center[i]));
        std::array::from_fn(|i| moved[i] + swung[i])
    };
    for load in loads {
        let action = &actions[load.load.index()];
        let (vector, at) = (load.vector[0], load.at[0]);
        let opposite = load.reaction.as_ref().map_or(at, |r| r[0]);
        for (felt_by, at, sign) in [(action.on, at, -1.0), (action.from, opposite, 1.0)] {
            let Some(k) = felt_by else { continue };
            let moved = if action.is_torque { turn(k) } else { shift(k, at) };
            sums.add(sign, &vector.map(exactly), &moved.map(exactly));
        }
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A ball of unit mass that nothing but gravity moves, displaced downward.
    #[test]
    fn a_ball_must_fall_as_gravity_says() {
        let ball = || Matter {
            mass: 1.0,
            center: [0.0; 3],
            second: [[0.1, 0.0, 0.0], [0.0, 0.1, 0.0], [0.0, 0.0, 0.1]],
        };
        let here = [0.0, 0.0, 2.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
        let alone = |of: [f64; 3]| -> Vec<Estimate> {
            let value = |k: usize| if k < 3 { of[k] } else { 0.0 };
            (0..WIDTH).map(|k| Estimate { value: value(k), error: 0.0 }).collect()
        };
        let left = |fall: f64| {
            let (a, d) = (alone([0.0, 0.0, fall]), alone([0.0, 0.0, -1.0]));
            balance(&[ball()], &[], [0.0, 0.0, -9.81], &[], &here, &a, &d).relative(0.0)
        };
        assert_eq!(left(-9.81), 0.0);
        assert!(left(-9.7) > 1e-3);
    }
}
