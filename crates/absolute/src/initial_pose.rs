//! The start: poses and velocities of parts from the coordinates and speeds of the model, then onto the constraints.
//!
//! Coordinates that the text gives are held while the loops close, guesses may move; then speeds likewise.

use cardan_base::{Id, Map};
use cardan_expr::{Expr, SymbolId};
use cardan_kinematics::FrameId;
use cardan_model::{Given, Model};

use crate::error::AbsoluteError;
use crate::geometry::{self as g, Pose};
use crate::joint_chain::{Chain, Segment, coordinates_of};
use crate::mechanism::Mechanism;
use crate::parts::{Constants, GROUND, Structure};
use crate::scalar_rows::{RowLaw, ScalarRow};
use crate::template::STATE;

/// The coordinates of a ball or free segment.
#[derive(Clone, PartialEq, Debug)]
pub struct BallCoordinates {
    chain: usize,
    ball: usize,
    frame: FrameId,
    is_free: bool,
    coordinates: Vec<usize>,
    rates: Vec<SymbolId>,
}

/// The coordinates of all balls and free segments.
pub fn ball_coordinates(model: &Model, structure: &Structure) -> Vec<BallCoordinates> {
    let pool = model.space.pool();
    let mut found = vec![];
    for (k, chain) in structure.chains.iter().enumerate() {
        let mut ball = 0;
        for segment in &chain.segments {
            let (frame, rates, is_free) = match segment {
                Segment::Ball { frame, rates } => (*frame, &rates[..], false),
                Segment::Free { frame, rates } => (*frame, &rates[3..], true),
                _ => continue,
            };
            let rates = rates.iter().filter_map(|r| pool.as_symbol(model.space.rate(*r))).collect();
            let coordinates = coordinates_of(model, chain.joint, frame);
            found.push(BallCoordinates { chain: k, ball, frame, is_free, coordinates, rates });
            ball += 1;
        }
    }
    found
}

/// Coordinates of translations and rotations.
pub fn read_coordinates(_: &Model, chain: &Chain, travels: &[f64], q: &mut [f64]) {
    let mut k = 0;
    for segment in &chain.segments {
        if let Segment::Translation { travel, .. } | Segment::Rotation { travel, .. } = segment
            && let Some(c) = travel.coordinate
        {
            q[c] = travels[k];
        }
        k += segment.freedoms();
    }
}

/// Coordinates of the balls of a chain, near their last values.
pub fn read_balls(model: &Model, all: &[BallCoordinates], chain: usize, balls: &[Pose], q: &mut [f64]) {
    let first = all.partition_point(|b| b.chain < chain);
    for own in all[first..].iter().take_while(|b| b.chain == chain) {
        let pose = &balls[own.ball];
        let turns = match own.is_free {
            true => {
                (0..3).for_each(|i| q[own.coordinates[i]] = pose.p[i]);
                &own.coordinates[3..]
            }
            false => &own.coordinates[..],
        };
        match turns {
            [a, b, c, d] => {
                let e = g::euler_parameters(&pose.r);
                let last = [q[*a], q[*b], q[*c], q[*d]];
                let along: f64 = e.iter().zip(&last).map(|(x, y)| x * y).sum();
                let sign = if along < 0.0 { -1.0 } else { 1.0 };
                [a, b, c, d].into_iter().zip(e).for_each(|(k, x)| q[*k] = sign * x);
            }
            _ => read_angles(model, own, turns, pose, q),
        }
    }
}

/// Three angles by Newton's method: q += W(q) δφ, with dq/dt = W(q) w of the model.
fn read_angles(model: &Model, own: &BallCoordinates, turns: &[usize], pose: &Pose, q: &mut [f64]) {
    let pool = model.space.pool();
    let entries: Vec<Expr> = model.space.frame(own.frame).R_PB.iter().flatten().copied().collect();
    let data: Vec<_> =
        turns.iter().map(|k| &model.coordinates[cardan_model::CoordinateId::from_index(*k)]).collect();
    let symbols: Vec<Option<SymbolId>> = data.iter().map(|c| pool.as_symbol(c.symbol)).collect();
    let rates: Vec<Expr> = data.iter().map(|c| c.rate).collect();
    for _ in 0..20 {
        let angle = |s: SymbolId| symbols.iter().position(|x| *x == Some(s)).map(|i| q[turns[i]]);
        let values = pool.evaluate_all(&entries, &|s| angle(s).unwrap_or(f64::NAN));
        let reached: g::Mat3 = std::array::from_fn(|i| std::array::from_fn(|j| values[3 * j + i]));
        let step = g::turn_vector(&g::compose(&g::transpose(&reached), &pose.r));
        let rate = |s: SymbolId| own.rates.iter().position(|x| *x == s).map(|i| step[i]);
        let moves = pool.evaluate_all(&rates, &|s| rate(s).or_else(|| angle(s)).unwrap_or(f64::NAN));
        turns.iter().zip(&moves).for_each(|(k, d)| q[*k] += d);
        if g::norm(step) < 1e-14 || moves.iter().any(|d| !d.is_finite()) {
            break;
        }
    }
}

/// How far a freedom of a ball or free segment is from where it was; nothing for a single displacement.
pub fn ball_error(chain: &Chain, freedom: usize, was: &[Pose], now: &[Pose]) -> Option<f64> {
    let (mut k, mut ball) = (0, 0);
    for segment in &chain.segments {
        let n = segment.freedoms();
        if n > 1 && (k..k + n).contains(&freedom) {
            let back = was[ball].inverse().then(&now[ball]);
            let turn = g::turn_vector(&back.r);
            let i = freedom - k;
            return Some(match segment {
                Segment::Free { .. } if i < 3 => back.p[i],
                _ => turn[i % 3],
            });
        }
        ball += usize::from(n > 1);
        k += n;
    }
    None
}

/// Rows that hold what the text gives for the start.
pub fn held_rows(model: &Model, structure: &Structure) -> Vec<ScalarRow> {
    let mut rows = vec![];
    let coordinate = |k: usize| &model.coordinates[cardan_model::CoordinateId::from_index(k)];
    let speed = |k: usize| &model.speeds[cardan_model::SpeedId::from_index(k)];
    let constants = Constants::of(model);
    let balls = ball_coordinates(model, structure);
    let by_symbol: Map<Expr, usize> = model.speeds.iter().map(|(id, u)| (u.symbol, id.index())).collect();
    for (c, chain) in structure.chains.iter().enumerate() {
        let (mut k, mut ball) = (chain.first, 0);
        for segment in &chain.segments {
            let n = segment.freedoms();
            // Per freedom: the displacement and the rate that are given.
            let mut given: Vec<(Option<f64>, Option<f64>)> = vec![(None, None); n];
            let exact = |g: Given| g == Given::Exactly;
            let rate = |e: Expr| by_symbol.get(&e).map(|s| speed(*s)).filter(|u| exact(u.given));
            match segment {
                Segment::Translation { travel, .. } | Segment::Rotation { travel, .. } => {
                    let q = travel.coordinate.map(coordinate).filter(|q| exact(q.given));
                    given[0] = (
                        q.map(|q| constants.number(q.start)),
                        rate(travel.rate).map(|u| constants.number(u.start)),
                    );
                }
                Segment::Ball { rates, .. } => {
                    hold_ball(&balls, (c, ball), &mut given, &|k| exact(coordinate(k).given));
                    for (g, r) in given.iter_mut().zip(rates) {
                        g.1 = rate(model.space.rate(*r)).map(|u| constants.number(u.start));
                    }
                }
                Segment::Free { rates, .. } => {
                    hold_ball(&balls, (c, ball), &mut given, &|k| exact(coordinate(k).given));
                    for (g, r) in given.iter_mut().zip(rates) {
                        g.1 = rate(model.space.rate(*r)).map(|u| constants.number(u.start));
                    }
                }
                _ => {}
            }
            for (i, (position, velocity)) in given.into_iter().enumerate() {
                if position.is_some() || velocity.is_some() {
                    rows.push(ScalarRow {
                        name: chain.name.clone(),
                        what: "start".into(),
                        law: RowLaw::Held { freedom: k + i, position, velocity },
                        terms: vec![(k + i, 1.0, None)],
                    });
                }
            }
            ball += usize::from(n > 1);
            k += n;
        }
    }
    rows
}

/// The freedoms of a ball are held if all of its coordinates are given; displacements are counted from the start.
fn hold_ball(
    all: &[BallCoordinates],
    place: (usize, usize),
    given: &mut [(Option<f64>, Option<f64>)],
    exact: &dyn Fn(usize) -> bool,
) {
    let Some(own) = all.iter().find(|b| (b.chain, b.ball) == place) else { return };
    let (shifts, turns) = own.coordinates.split_at(if own.is_free { 3 } else { 0 });
    let held = |list: &[usize]| !list.is_empty() && list.iter().all(|k| exact(*k));
    if held(shifts) {
        (0..3).for_each(|i| given[i].0 = Some(0.0));
    }
    if held(turns) {
        let n = given.len();
        (n - 3..n).for_each(|i| given[i].0 = Some(0.0));
    }
}

/// The state that the starts of coordinates and speeds give, loops open as they may be.
pub fn initial_state(mechanism: &mut Mechanism<'_>, t: f64) -> Result<Vec<f64>, AbsoluteError> {
    let model = mechanism.model;
    let constants = Constants::of(model);
    let mut q: Vec<f64> = model.coordinates.iter().map(|(_, q)| constants.number(q.start)).collect();
    let mut u: Vec<f64> = model.speeds.iter().map(|(_, u)| constants.number(u.start)).collect();
    if let Some(found) = assembled_state(model) {
        let (n, m) = (q.len(), u.len());
        q.copy_from_slice(&found[..n]);
        u.copy_from_slice(&found[n..n + m]);
    }
    if let Some(k) = q.iter().position(|x| !x.is_finite()) {
        let (_, c) = model.coordinates.iter().nth(k).ok_or(AbsoluteError::NotFinite("a start".into()))?;
        return Err(AbsoluteError::NotFinite(format!("the start of `{}`", c.quantity.name)));
    }
    let s: Vec<f64> = model.states.iter().map(|(_, s)| constants.number(s.start)).collect();
    state_at(mechanism, t, [&q, &u, &s])
}

/// The state of the parts at coordinates, speeds and auxiliary states; angles are counted on from these coordinates.
pub fn state_at(mechanism: &mut Mechanism<'_>, t: f64, at: [&[f64]; 3]) -> Result<Vec<f64>, AbsoluteError> {
    let [q, u, s] = at;
    let model = mechanism.model;
    let pool = model.space.pool();
    let constants = Constants::of(model);
    let mut values: Map<SymbolId, f64> = Map::default();
    let mut put = |symbol: Expr, value: f64| {
        pool.as_symbol(symbol).into_iter().for_each(|s| _ = values.insert(s, value))
    };
    put(model.space.time(), t);
    model.coordinates.iter().zip(q).for_each(|((_, c), v)| put(c.symbol, *v));
    model.speeds.iter().zip(u).for_each(|((_, c), v)| put(c.symbol, *v));
    model.states.iter().zip(s).for_each(|((_, c), v)| put(c.symbol, *v));
    model.hybrid.discretes.iter().zip(&mechanism.discretes).for_each(|((_, d), v)| put(d.symbol, *v));
    let value =
        |e: Expr| pool.evaluate(e, &|s| values.get(&s).copied().unwrap_or_else(|| constants.parameter(s)));
    mechanism.q.copy_from_slice(q);
    let n_parts = mechanism.n_parts();
    let mut y = vec![0.0; mechanism.n_states()];
    let mut poses = vec![Pose::IDENTITY; n_parts];
    let mut twists = vec![([0.0; 3], [0.0; 3]); n_parts];
    let mut known = vec![false; n_parts];
    for k in 0..mechanism.structure.chains.len() {
        let chain = mechanism.structure.chains[k].clone();
        let (mut travels, mut rates, mut balls) = (vec![], vec![], vec![]);
        for segment in &chain.segments {
            match segment {
                Segment::Translation { travel, .. } | Segment::Rotation { travel, .. } => {
                    travels.push(travel.coordinate.map_or_else(|| value(travel.value), |c| q[c]));
                    rates.push(travel.speed.map_or_else(|| value(travel.rate), |s| u[s]));
                }
                Segment::Ball { frame, rates: own } => {
                    balls.push(frame_pose(model, *frame, &value));
                    travels.extend([0.0; 3]);
                    rates.extend(own.iter().map(|r| value(model.space.rate(*r))));
                }
                Segment::Free { frame, rates: own } => {
                    balls.push(frame_pose(model, *frame, &value));
                    travels.extend([0.0; 6]);
                    rates.extend(own.iter().map(|r| value(model.space.rate(*r))));
                }
                _ => {}
            }
        }
        mechanism.travels[chain.first..chain.first + travels.len()].copy_from_slice(&travels);
        mechanism.balls[k].copy_from_slice(&balls);
        // A cut joint ends in a part that another joint carries.
        if chain.b == GROUND || known[chain.b] {
            continue;
        }
        known[chain.b] = true;
        let (base, moves) = match chain.a {
            GROUND => (Pose::IDENTITY, ([0.0; 3], [0.0; 3])),
            a => (poses[a], twists[a]),
        };
        let (reached, ..) = chain.columns(&travels, &balls, None);
        let twist = chain.twist(&travels, &balls, &rates);
        let pose = base.then(&reached);
        let d = g::sub(pose.p, base.p);
        let w = g::add(moves.1, g::apply(&base.r, [twist[3], twist[4], twist[5]]));
        let v =
            g::add(g::add(moves.0, g::cross(moves.1, d)), g::apply(&base.r, [twist[0], twist[1], twist[2]]));
        (poses[chain.b], twists[chain.b]) = (pose, (v, w));
        let part = &mechanism.structure.parts[chain.b];
        let s = &mut y[STATE * chain.b..][..STATE];
        let arm = g::apply(&pose.r, part.center);
        s[..3].copy_from_slice(&g::add(pose.p, arm));
        s[3..7].copy_from_slice(&g::euler_parameters(&pose.r));
        s[7..10].copy_from_slice(&g::add(v, g::cross(w, arm)));
        s[10..].copy_from_slice(&g::apply_transposed(&pose.r, w));
    }
    y[STATE * n_parts..].copy_from_slice(s);
    match y.iter().all(|x| x.is_finite()) {
        true => Ok(y),
        false => Err(AbsoluteError::NotFinite("a pose or velocity at the start".into())),
    }
}

/// More speeds than this are not assembled by the coordinates of the tree, whose program grows with its loops.
const MAX_SPEEDS: usize = 60;

/// The start that assembly finds in the coordinates of the tree, which keeps guesses where it can; nothing for a large model.
fn assembled_state(model: &Model) -> Option<Vec<f64>> {
    if model.constraints.is_empty() || model.speeds.len() > MAX_SPEEDS {
        return None;
    }
    let found = cardan_assembly::assembled(model).ok()??;
    Some(found.state).filter(|s| s.iter().all(|x| x.is_finite()))
}

fn frame_pose(model: &Model, frame: FrameId, value: &dyn Fn(Expr) -> f64) -> Pose {
    let data = model.space.frame(frame);
    let r = g::transpose(&data.R_PB.map(|row| row.map(value)));
    // Euler parameters of a text need not have unit norm.
    let r = g::matrix(g::normalised(g::euler_parameters(&r)));
    Pose { p: data.p_PoBo_P.map(value), r }
}

/// Puts the mechanism together at a time: the state, and the rows that repeat others.
pub fn assemble(mechanism: &mut Mechanism<'_>, t: f64) -> Result<(Vec<f64>, Vec<usize>), AbsoluteError> {
    let mut y = initial_state(mechanism, t)?;
    let names = |m: &Mechanism<'_>, row: usize| m.row_name(row);
    let open = |m: &Mechanism<'_>, e: Result<(usize, f64), String>| match e {
        Ok((row, gap)) => AbsoluteError::Open(names(m, row), gap),
        Err(words) => AbsoluteError::NotFinite(words),
    };
    let held = mechanism.set_idle_for_positions();
    if let Err(e) = mechanism.assemble(t, &mut y) {
        return Err(open(mechanism, e));
    }
    mechanism.measure(&y, true);
    if held {
        mechanism.set_idle_for_velocities();
        mechanism.evaluate(t, &y).map_err(AbsoluteError::NotFinite)?;
        mechanism.select_rows();
        mechanism.correct_velocity(&mut y);
    }
    mechanism.release();
    let redundant = match mechanism.assemble(t, &mut y) {
        Ok(rows) => rows,
        Err(e) => return Err(open(mechanism, e)),
    };
    mechanism.measure(&y, true);
    Ok((y, redundant))
}
