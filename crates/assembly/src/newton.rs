//! Constraints as numbers, and Newton's method that closes them.
//!
//! ```text
//! [newton]    G δ = -g,  q ← q + W δ            the shortest δ = D z, shortened while |g| does not fall
//! [held]      δ_k = 0  or  W_i δ = 0            coordinates that must not move
//! [gap]       (GᵀG + μ 1) δ = -Gᵀ g             the least gap where nothing closes (Levenberg, Marquardt)
//! [repeats]   μ = |g|²                          a long step is not needed where this one, damped by the gap, closes as well
//! [size]      g / max(min(1, 1000 a / m), a / 1000 m)    lengths, a the longest arm, or a thousandth of the loop's lengths: 1 pm and 1e9 m are closed as well as 1 m
//! ```
//!
//! Where constraints repeat one another, the last singular value is no longer zero but as small as the gap as soon as the loops are a little
//! open, and [newton] would go far along a direction that closes nothing. [repeats] stays where it is (Yamashita and Fukushima 2001).
//!
//! D is one for what nobody said anything about and small for guesses, so that guesses move last.

use cardan_base::Id;
use cardan_lower::Phase;
use cardan_model::Given;
use cardan_program::{Execute, Stages};
use cardan_solve::linear::{Matrix, least_norm};

use crate::assemble::Loops;
use crate::assembly_error::AssemblyError;
use crate::gimbal_lock::Turns;
use crate::rank::identities::Rate;
use cardan_jit::Engine;
use cardan_lower::stages;

const MAX_ITERATIONS: usize = 60;
/// Singular values below this fraction of the largest count as zero.
pub const RANK_TOLERANCE: f64 = 1e-9;
/// Arms longer than a part of this of a metre, and shorter than as many metres, need no other measure than SI. [size]
const LEAST_PER_ARM: f64 = 1e3;
/// Where nothing is known of lengths, shorter arms are rounding: no mechanism is smaller than an atom.
const LEAST_ARM: f64 = 1e-12;
/// A loop is closed when its residuals are below this, in SI units. [size]
pub(crate) const CLOSED: f64 = 1e-12;
/// Where nothing more can be gained, it is closed below this.
pub(crate) const NEARLY_CLOSED: f64 = 1e-9;
/// How far a guess moves for one step of what nobody said anything about.
const GUESSES_MOVE: f64 = 0.1;
/// How many places beside the guess are tried.
const NEARBY: usize = 4;
/// Near singular positions steps are longer than what they are good for.
const LARGEST_TURN: f64 = 1.5;
/// A damped step that leaves no more than this part of the squared gap closes as well as one without damping. [repeats]
const CLOSES: f64 = 0.1;
/// Where a search begins whose guess is in the lock of three turns: rates are then a few times speeds.
const BESIDE_LOCK: f64 = 0.3;
/// How many places far from the guess are tried for the least gap.
const FAR_FOR_GAP: usize = 8;
const GAP_ITERATIONS: usize = 200;

/// What may move, and how willingly.
#[derive(Clone, PartialEq, Debug)]
pub struct Hold {
    /// D: per speed its willingness; zero where it is held.
    willing: Vec<f64>,
    /// Coordinates that are held although several speeds move them.
    coordinates: Vec<usize>,
}

impl Hold {
    /// Nothing is held.
    pub fn nothing(n_speeds: usize) -> Hold {
        Hold { willing: vec![1.0; n_speeds], coordinates: vec![] }
    }
    /// Holds the coordinates that are at least so sure.
    pub fn positions(loops: &Loops, held: &dyn Fn(usize) -> bool) -> Hold {
        let mut hold = Hold::nothing(loops.speeds.len());
        for (i, q) in loops.coordinates.iter().enumerate() {
            match (q.own_speed, held(i)) {
                (Some(k), true) => hold.willing[k] = 0.0,
                (None, true) => hold.coordinates.push(i),
                (Some(k), false) if q.given == Given::Approximately => hold.willing[k] = GUESSES_MOVE,
                _ => {}
            }
        }
        hold
    }
    /// Holds the speeds.
    pub fn speeds(loops: &Loops, held: &dyn Fn(usize) -> bool) -> Hold {
        let mut hold = Hold::nothing(loops.speeds.len());
        for (k, u) in loops.speeds.iter().enumerate() {
            if held(k) {
                hold.willing[k] = 0.0;
            } else if u.given == Given::Approximately {
                hold.willing[k] = GUESSES_MOVE;
            }
        }
        hold
    }
    /// Whether this speed may change.
    pub fn moves(&self, speed: usize) -> bool {
        self.willing[speed] > 0.0
    }
}

/// Rows with their residuals.
pub type Residuals = Vec<(usize, f64)>;

/// A program of constraints at work.
pub struct Work<'a> {
    /// The constraint system.
    pub loops: &'a Loops,
    engine: Engine,
    inputs: Vec<f64>,
    /// Whether the parameters have the values that the rows were looked at with.
    has_default_values: bool,
    /// Outputs of the last evaluation.
    pub outputs: Vec<f64>,
    evaluate: Stages,
    /// Number of generalized speeds.
    pub n_speeds: usize,
    /// Rows whose residual of position is not looked at.
    pub left_out: Vec<usize>,
    /// What limits for lengths are multiplied by; not a number before the first evaluation. [size]
    pub size: f64,
}

impl<'a> Work<'a> {
    /// Runs the setup with the parameters among `inputs`.
    pub fn new(loops: &'a Loops, engine: &Engine, inputs: &[f64]) -> Result<Self, AssemblyError> {
        let program = &loops.closure.program;
        let mut outputs = vec![0.0; engine.n_outputs()];
        let mut engine = engine.clone();
        let setup = stages(program, Phase::Setup, Phase::Setup);
        engine.run(setup, inputs, &mut outputs).map_err(|e| AssemblyError::Evaluation(e.to_string()))?;
        let evaluate = stages(program, Phase::Time, Phase::Motion);
        let n_speeds = loops.speeds.len();
        let mut parameters = loops.closure.inputs.parameters.iter();
        let has_default_values = parameters.all(|p| p.default.is_none_or(|x| inputs[p.input.index()] == x));
        let (inputs, left_out, size) = (inputs.to_vec(), vec![], f64::NAN);
        Ok(Work { loops, engine, inputs, has_default_values, outputs, evaluate, n_speeds, left_out, size })
    }
    /// The start that the model gives, open as it may be.
    pub fn start(&self) -> Vec<f64> {
        self.loops.closure.start.clone().map(|k| self.outputs[k]).collect()
    }
    /// Sets the time.
    pub fn at(&mut self, t: f64) {
        self.loops.set_time(&mut self.inputs, t);
    }
    /// The time.
    pub fn time(&self) -> f64 {
        self.inputs[self.loops.closure.inputs.time.index()]
    }
    /// G, row by row; rows that are rounding vanish.
    pub fn rows(&self) -> Vec<Vec<f64>> {
        let dense = |r: usize| {
            let mut row = vec![0.0; self.n_speeds];
            self.columns(r).iter().for_each(|(k, output)| row[*k] = self.outputs[*output]);
            row
        };
        (0..self.loops.rows.len()).map(dense).collect()
    }
    /// The columns of a row of G: speeds and outputs; none of a row that is rounding here.
    fn columns(&self, row: usize) -> &[(usize, usize)] {
        let columns = &self.loops.closure.jacobian[row];
        let by = |(k, output): &(usize, usize)| (self.loops.speeds[*k].unit.as_str(), self.outputs[*output]);
        let is_void = match self.loops.rates[row] {
            Rate::Varies => false,
            Rate::Vanishes => true,
            Rate::VanishesHere => self.has_default_values,
        };
        if is_void || self.loops.is_rounding(row, columns.iter().map(by)) { &[] } else { columns }
    }
    /// Whether a joint is put together the wrong way round: its rows hold, and its axes point opposite ways by more than a cosine.
    pub fn is_reversed(&self, cosine: f64) -> bool {
        !self.reversed(cosine).is_empty()
    }
    /// The joints of which that holds.
    pub fn reversed(&self, cosine: f64) -> Vec<&'a str> {
        let facing = self.loops.closure.facing.iter().filter(|(_, k)| self.outputs[*k] < -cosine);
        facing.map(|(joint, _)| joint.as_str()).collect()
    }
    /// Whether turns one after the other have lost an axis in a position, though nobody asked for it.
    pub fn is_locked(&self, state: &[f64]) -> bool {
        self.loops.turns.iter().any(|turns| turns.are_locked(state) && !self.is_given(turns))
    }
    fn is_given(&self, turns: &Turns) -> bool {
        self.loops.coordinates[turns.middle].given == Given::Exactly
    }
    /// A guess with the middle angles of locked turns a little beside their lock.
    pub fn unlocked(&self, guess: &[f64]) -> Vec<f64> {
        let mut beside = guess.to_vec();
        for turns in self.loops.turns.iter().filter(|t| t.are_locked(guess) && !self.is_given(t)) {
            beside[turns.middle] += BESIDE_LOCK;
        }
        beside
    }
    /// The rows of G that hold positions.
    pub fn holonomic_rows(&self) -> Vec<Vec<f64>> {
        let rows = self.rows().into_iter().zip(&self.loops.closure.positions);
        rows.filter(|(_, p)| p.is_some()).map(|(row, _)| row).collect()
    }
    /// Rows that vanish for what leaves held coordinates alone although several speeds move them.
    pub fn held_rows(&self, hold: &Hold) -> Vec<Vec<f64>> {
        let dense = |i: &usize| {
            let mut row = vec![0.0; self.n_speeds];
            self.loops.closure.rates[*i].iter().for_each(|(k, w)| row[*k] = self.outputs[*w]);
            row
        };
        hold.coordinates.iter().map(dense).collect()
    }
    /// Evaluates everything at a state.
    pub fn run(&mut self, state: &[f64]) -> Result<(), AssemblyError> {
        for (input, value) in self.loops.closure.inputs.state().zip(state) {
            self.inputs[input] = *value;
        }
        let run = self.engine.run(self.evaluate, &self.inputs, &mut self.outputs);
        run.map_err(|e| AssemblyError::Evaluation(e.to_string()))?;
        if self.outputs.iter().any(|x| !x.is_finite()) {
            return Err(AssemblyError::Evaluation("a residual is not finite".into()));
        }
        if self.size.is_nan() {
            self.size = self.measured();
        }
        Ok(())
    }
    /// One for arms from a millimetre to a kilometre. [size]
    fn measured(&self) -> f64 {
        let turns = |k: usize| is_turn(&self.loops.speeds[k].unit);
        let rows = self.loops.closure.jacobian.iter().enumerate().filter(|(r, _)| self.is_length(*r));
        let arms = rows.flat_map(|(_, row)| row).filter(|(k, _)| turns(*k));
        let arm = arms.map(|(_, output)| self.outputs[*output].abs()).fold(0.0, f64::max);
        // An arm that vanishes by accident does not make the mechanism small.
        let least = self.loops.reach.iter().flatten().fold(0.0, |m: f64, reach| m.max(reach / LEAST_PER_ARM));
        if arm == 0.0 || least == 0.0 && arm < LEAST_ARM {
            return 1.0;
        }
        let arm = arm.max(least);
        (arm * LEAST_PER_ARM).min(1.0).max(arm / LEAST_PER_ARM)
    }
    fn is_length(&self, row: usize) -> bool {
        self.loops.rows[row].unit == "m"
    }
    /// What a residual of this row is measured by.
    fn unit_of(&self, row: usize) -> f64 {
        if self.is_length(row) { self.size } else { 1.0 }
    }
    /// The largest of residuals by their measure, to compare with limits.
    pub fn measure(&self, residuals: &Residuals) -> f64 {
        residuals.iter().map(|(row, x)| x.abs() / self.unit_of(*row)).fold(0.0, f64::max)
    }
    /// g.
    pub fn positions(&self) -> Residuals {
        let rows = self.loops.closure.positions.iter().enumerate();
        let rows = rows.filter(|(r, _)| !self.left_out.contains(r));
        rows.filter_map(|(r, p)| Some((r, self.outputs[(*p)?]))).collect()
    }
    /// v.
    pub fn velocities(&self) -> Residuals {
        self.loops.closure.velocities.iter().enumerate().map(|(r, v)| (r, self.outputs[*v])).collect()
    }
    /// The shortest δ with G δ = -residual that leaves alone what is held; with `damping`, a compromise. [newton] [held] [gap]
    pub fn step(&self, residuals: &Residuals, hold: &Hold, damping: f64) -> Result<Vec<f64>, AssemblyError> {
        self.step_of_rank(residuals, hold, damping, RANK_TOLERANCE)
    }
    /// The same where singular values below another part of the largest count as zero.
    pub fn step_of_rank(
        &self,
        residuals: &Residuals,
        hold: &Hold,
        damping: f64,
        tolerance: f64,
    ) -> Result<Vec<f64>, AssemblyError> {
        let free: Vec<usize> = (0..self.n_speeds).filter(|k| hold.moves(*k)).collect();
        let n_rows = residuals.len() + hold.coordinates.len();
        let n_damped = if damping > 0.0 { free.len() } else { 0 };
        let mut g = Matrix::zeros(n_rows + n_damped, free.len());
        let rows = residuals.iter().map(|(row, _)| self.columns(*row));
        let rows = rows.chain(hold.coordinates.iter().map(|i| &self.loops.closure.rates[*i][..]));
        let measure = |i: usize| residuals.get(i).map_or(1.0, |(row, _)| self.unit_of(*row));
        for (i, columns) in rows.enumerate() {
            for (k, output) in columns {
                if let Ok(j) = free.binary_search(k) {
                    g[(i, j)] = self.outputs[*output] * hold.willing[*k] / measure(i);
                }
            }
        }
        (0..n_damped).for_each(|j| g[(n_rows + j, j)] = damping);
        let mut b: Vec<f64> = residuals.iter().map(|(row, x)| -x / self.unit_of(*row)).collect();
        b.resize(n_rows + n_damped, 0.0);
        let found = least_norm(&g, &b, tolerance).map_err(|e| AssemblyError::Evaluation(e.message))?;
        let mut delta = vec![0.0; self.n_speeds];
        free.iter().zip(found.x).for_each(|(k, x)| delta[*k] = hold.willing[*k] * x);
        Ok(delta)
    }
    /// q + W δ, Euler parameters of unit norm, what is held unmoved.
    pub fn displaced(&self, state: &[f64], delta: &[f64], fraction: f64, hold: &Hold) -> Vec<f64> {
        let mut next = state.to_vec();
        for (i, row) in self.loops.closure.rates.iter().enumerate() {
            next[i] += fraction * row.iter().map(|(k, w)| self.outputs[*w] * delta[*k]).sum::<f64>();
        }
        for quadruple in &self.loops.unit_quadruples {
            let norm = quadruple.iter().map(|k| next[*k] * next[*k]).sum::<f64>().sqrt();
            if norm > 0.0 {
                quadruple.iter().for_each(|k| next[*k] /= norm);
            }
        }
        // One of four Euler parameters cannot stay by itself where the norm is kept; all four can.
        let is_held = |i: &usize| hold.coordinates.contains(i);
        let stays = |i: &&usize| {
            let mut quadruples = self.loops.unit_quadruples.iter();
            quadruples.find(|q| q.contains(i)).is_none_or(|q| q.iter().all(is_held))
        };
        hold.coordinates.iter().filter(stays).for_each(|i| next[*i] = state[*i]);
        next
    }
}

/// The largest residual and its row.
pub fn largest(residuals: &Residuals) -> (usize, f64) {
    residuals.iter().copied().fold((0, 0.0), |m, r| if r.1.abs() > f64::abs(m.1) { r } else { m })
}

/// Whether a speed with this unit turns something: angles count as numbers where nobody calls them radians.
pub(crate) fn is_turn(unit: &str) -> bool {
    unit.starts_with("rad") || unit.starts_with('1')
}

fn square(residuals: &Residuals) -> f64 {
    residuals.iter().map(|(_, x)| x * x).sum()
}

/// A place where the method ended.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Reached {
    /// Where.
    pub state: Vec<f64>,
    /// After so many iterations.
    pub iterations: usize,
    /// Whether everything is closed there.
    pub closed: bool,
}

/// Steps of different sizes in different directions, the same on every machine.
pub fn beside(k: usize, attempt: usize) -> f64 {
    0.05 * attempt as f64 * (1.0 + k as f64 * 2.399_963).sin()
}

/// Closes the loops from the guess or, where Newton's method is stuck there because the guess is a singular position (all
/// bars in one line, say), from a place a little beside it.
pub(crate) fn close_nearby(
    work: &mut Work<'_>,
    guess: &[f64],
    hold: &Hold,
) -> Result<Reached, AssemblyError> {
    let first = close(work, guess, hold)?;
    if first.closed {
        return Ok(first);
    }
    for attempt in 1..=NEARBY {
        work.run(guess)?;
        let shift: Vec<f64> =
            (0..work.n_speeds).map(|k| if hold.moves(k) { beside(k, attempt) } else { 0.0 }).collect();
        let start = work.displaced(guess, &shift, 1.0, hold);
        match close(work, &start, hold) {
            Ok(found) if found.closed => return Ok(found),
            _ => {}
        }
    }
    Ok(first)
}

/// [newton]
pub(crate) fn close(work: &mut Work<'_>, guess: &[f64], hold: &Hold) -> Result<Reached, AssemblyError> {
    let mut state = guess.to_vec();
    work.run(&state)?;
    for iterations in 0..MAX_ITERATIONS {
        let residuals = work.positions();
        let gap = work.measure(&residuals);
        if gap <= CLOSED {
            return Ok(Reached { state, iterations, closed: true });
        }
        let delta = work.step(&residuals, hold, 0.0)?;
        let before = square(&residuals);
        let turns = (0..work.n_speeds).filter(|k| is_turn(&work.loops.speeds[*k].unit));
        let turn = turns.map(|k| delta[k].abs()).fold(0.0, f64::max);
        let base = work.outputs.clone();
        if turn > LARGEST_TURN {
            let damped = work.step(&residuals, hold, work.measure(&residuals))?; // [repeats]
            let next = work.displaced(&state, &damped, 1.0, hold);
            if work.run(&next).is_ok() && square(&work.positions()) <= CLOSES * before {
                state = next;
                continue;
            }
        }
        let mut fraction = f64::min(1.0, LARGEST_TURN / turn);
        loop {
            work.outputs.clone_from(&base);
            let next = work.displaced(&state, &delta, fraction, hold);
            if work.run(&next).is_ok() && square(&work.positions()) < before {
                state = next;
                break;
            }
            fraction /= 2.0;
            if fraction < 1e-6 * f64::min(1.0, LARGEST_TURN / turn) {
                // Nothing more to gain: rounding, or a loop that cannot close.
                work.run(&state)?;
                return Ok(Reached { state, iterations, closed: gap <= NEARLY_CLOSED });
            }
        }
    }
    Ok(Reached { state, iterations: MAX_ITERATIONS, closed: false })
}

/// A place far from a state, the same on every machine: half a turn either way, and as far as the arms of the mechanism reach.
/// The fractional parts of n φ^-k, with φ^(d+1) = φ + 1, fill the space of d dimensions evenly (Weyl).
pub(crate) fn far_from(
    work: &mut Work<'_>,
    state: &[f64],
    hold: &Hold,
    n: usize,
) -> Result<Vec<f64>, AssemblyError> {
    work.run(state)?;
    let turns = |k: usize| is_turn(&work.loops.speeds[k].unit);
    let arms = work.loops.closure.jacobian.iter().flatten().filter(|(k, _)| turns(*k));
    let reach = arms.map(|(_, output)| work.outputs[*output].abs()).fold(0.0, f64::max);
    let reach = if reach > 0.0 { reach } else { 1.0 };
    let power = 1.0 / (work.n_speeds as f64 + 1.0);
    let ratio = (0..40).fold(1.5, |x: f64, _| (1.0 + x).powf(power));
    let shift = |k: usize| {
        let part = (0.5 + n as f64 * ratio.powi(-(k as i32) - 1)).fract();
        let size = if turns(k) { std::f64::consts::PI } else { 2.0 * reach };
        if hold.moves(k) { size * (2.0 * part - 1.0) } else { 0.0 }
    };
    let shift: Vec<f64> = (0..work.n_speeds).map(shift).collect();
    Ok(work.displaced(state, &shift, 1.0, hold))
}

/// The closed position nearest to a guess that is found from places far from it, one in which no turns have lost an axis and joints are the right
/// way round if there is any; nothing if none is found.
pub(crate) fn close_far(
    work: &mut Work<'_>,
    guess: &[f64],
    hold: &Hold,
) -> Result<Option<Reached>, AssemblyError> {
    let n_coordinates = work.loops.coordinates.len();
    let mut best: Option<((bool, bool, f64), Reached)> = None;
    for n in 1..=FAR {
        let start = far_from(work, guess, hold, n)?;
        let Ok(found) = close(work, &start, hold) else { continue };
        let way: f64 = (0..n_coordinates).map(|k| (found.state[k] - guess[k]).powi(2)).sum();
        let rank = (work.is_locked(&found.state), work.is_reversed(0.0), way);
        if found.closed && best.as_ref().is_none_or(|(least, _)| rank < *least) {
            best = Some((rank, found));
        }
    }
    Ok(best.map(|(_, found)| found))
}

/// The closed position that was found from a guess or, where a joint is the wrong way round in it, one nearby or far in which none is. A guess that
/// puts a joint the wrong way round itself is taken at its word; a position in which turns one after the other lose an axis is no better one.
pub(crate) fn turned_rightly(
    work: &mut Work<'_>,
    guess: &[f64],
    hold: &Hold,
    found: Reached,
) -> Result<Reached, AssemblyError> {
    work.run(&found.state)?;
    if !work.is_reversed(0.0) {
        return Ok(found);
    }
    work.run(guess)?;
    if work.is_reversed(MEANT) {
        return Ok(found);
    }
    let near = less_open(work, guess, hold)?;
    if let Ok(near) = close(work, &near, hold)
        && near.closed
        && !work.is_reversed(0.0)
        && !work.is_locked(&near.state)
    {
        return Ok(near);
    }
    let far = close_far(work, guess, hold)?;
    if let Some(far) = far {
        work.run(&far.state)?;
        if !work.is_reversed(0.0) && !work.is_locked(&far.state) {
            return Ok(far);
        }
    }
    work.run(&found.state)?;
    Ok(found)
}

/// Axes that point opposite ways by more than this cosine in a guess are meant to.
pub(crate) const MEANT: f64 = 0.75;

/// How many places far from the guess are tried where none nearby leads to a closed position.
const FAR: usize = 40;

/// Where the loops are open as little as can be found from a place where they do not close, and from others far from it.
pub(crate) fn least_open(work: &mut Work<'_>, from: &[f64], hold: &Hold) -> Result<Vec<f64>, AssemblyError> {
    let mut best: Option<(f64, Vec<f64>)> = None;
    for n in 0..=FAR_FOR_GAP {
        let start = if n == 0 { from.to_vec() } else { far_from(work, from, hold, n)? };
        let Ok(state) = less_open(work, &start, hold) else { continue };
        let gap = square(&work.positions());
        // Another place must be better by more than rounding.
        if best.as_ref().is_none_or(|(least, _)| gap < 0.999 * least) {
            best = Some((gap, state));
        }
    }
    let state = best.map_or(from.to_vec(), |(_, state)| state);
    work.run(&state)?;
    Ok(state)
}

/// Downhill to the least gap. [gap]
fn less_open(work: &mut Work<'_>, from: &[f64], hold: &Hold) -> Result<Vec<f64>, AssemblyError> {
    let mut state = from.to_vec();
    let mut damping = 0.1;
    work.run(&state)?;
    for _ in 0..GAP_ITERATIONS {
        let residuals = work.positions();
        let before = square(&residuals);
        let delta = work.step(&residuals, hold, damping)?;
        let next = work.displaced(&state, &delta, 1.0, hold);
        if work.run(&next).is_ok() && square(&work.positions()) < before {
            let gained = before - square(&work.positions());
            (state, damping) = (next, f64::max(damping / 4.0, 1e-8));
            if gained < 1e-14 * before {
                break;
            }
        } else {
            work.run(&state)?;
            damping *= 4.0;
            if damping > 1e6 {
                break;
            }
        }
    }
    work.run(&state)?;
    Ok(state)
}
