//! Assembly: a position and a velocity that satisfy all constraints, and which of these are independent.
//!
//! ```text
//! [ladder]      hold values and guesses; then let the others follow the guesses as far as they can, and hold values alone; then let values yield
//!               that a drive moves together with others
//! [unlocked]    a position in which three turns have lost an axis is taken where nothing else closes the loops
//! [velocity]    G δ = -v,  u ← u + δ
//! [rank]        a row is redundant if it lies in the span of the rows before it, here and in a position beside; `kept` says which stay
//! [blur]        σ ≤ BLUR sqrt(g) cannot be told from zero
//! ```
//!
//! Where the rows of G lose rank, loops close quadratically, g ~ δ², and the position is known to δ ~ sqrt(g) only. Newton's method ends as far
//! beside such a position, where its singular value is not yet zero, and the branch that it ends on is a matter of rounding. [blur] takes it for what it is.
//!
//! Where values leave the loops open, each of them is let go in turn: those whose freedom closes the loops are the ones that fight.

use cardan_base::Id;
use cardan_lower::ClosureProgram;
use cardan_model::Given;
use cardan_solve::linear::{Matrix, least_norm};

use crate::assembly_error::{AssemblyError, Fight, OpenLoop, short};
use crate::bifurcation::Fork;
use crate::free_initial_speeds::open_speeds;
use crate::gimbal_lock::{Lock, Turns};
use crate::newton::{
    CLOSED, Hold, MEANT, NEARLY_CLOSED, RANK_TOLERANCE, Reached, Work, beside, close, close_far,
    close_nearby, largest, least_open, turned_rightly,
};
use crate::rank::constraint_selection::kept_rows;
use crate::rank::identities::Rate;
use crate::rank::zero_gradient::aimless;
use cardan_jit::Engine;

/// A row of a constraint, as people know it.
#[derive(Clone, PartialEq, Debug)]
pub struct RowName {
    /// The constraint.
    pub constraint: String,
    /// What it fixes.
    pub what: String,
    /// The unit of its residual.
    pub unit: String,
    /// The joints of the tree that its loop goes through; empty where it couples numbers.
    pub through: Vec<String>,
    /// Whether it makes something follow a function of time.
    pub drives: bool,
    /// Whether it is a condition on rates alone, so that its unit is that of a rate.
    pub of_rates: bool,
}

impl RowName {
    /// A gap of its position, or of what it is a condition on, with its unit: `0.35 m`, `0.1 rad`.
    pub fn size(&self, gap: f64) -> String {
        match self.unit.as_str() {
            "1" => short(gap),
            unit => format!("{} {unit}", short(gap)),
        }
    }
    /// A gap of its rate with its unit: `0.35 m/s`, whether it is a condition on positions or on rates.
    pub fn size_of_rate(&self, gap: f64) -> String {
        match self.unit.as_str() {
            _ if self.of_rates => self.size(gap),
            unit => format!("{} {unit}/s", short(gap)),
        }
    }
}

/// A coordinate or speed at the start.
#[derive(Clone, PartialEq, Debug)]
pub struct Begin {
    /// Its name.
    pub name: String,
    /// Its SI unit.
    pub unit: String,
    /// How sure its value is.
    pub given: Given,
    /// Whether a drive moves it together with others: a value that the drive does not admit is a guess then.
    pub yields: bool,
    /// Of a coordinate: the speed that is its rate, if a single one is.
    pub own_speed: Option<usize>,
}

impl Begin {
    /// How sure its value is where drives come before values.
    fn given_to(&self, drives_first: bool) -> Given {
        if drives_first && self.yields { self.given.min(Given::Approximately) } else { self.given }
    }
}

/// What assembly needs besides the program.
#[derive(Clone, PartialEq, Debug)]
pub struct Loops {
    /// Residuals and Jacobians.
    pub closure: ClosureProgram,
    /// The rows by name.
    pub rows: Vec<RowName>,
    /// Per row whether motions change its residual.
    pub rates: Vec<Rate>,
    /// Per row of a joint the lengths that its loop is made of, in metres.
    pub reach: Vec<Option<f64>>,
    /// The coordinates.
    pub coordinates: Vec<Begin>,
    /// The speeds.
    pub speeds: Vec<Begin>,
    /// Groups of coordinates whose squares sum to one.
    pub unit_quadruples: Vec<[usize; 4]>,
    /// Joints that turn by three angles, which may lose an axis.
    pub turns: Vec<Turns>,
}

/// Where a coordinate or speed got its value from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum How {
    /// It was given and kept.
    Given,
    /// It was guessed, and the guess is true.
    Kept,
    /// It was guessed, and had to move.
    Moved,
    /// Nothing was said, and the constraints ask for this.
    Found,
    /// Nothing was said, and zero does.
    Free,
}

impl How {
    /// In a word.
    pub fn name(self) -> &'static str {
        match self {
            How::Given => "given",
            How::Kept => "kept",
            How::Moved => "moved",
            How::Found => "found",
            How::Free => "free",
        }
    }
}

/// A coordinate or speed after assembly, in SI units.
#[derive(Clone, PartialEq, Debug)]
pub struct Placed {
    /// Its name.
    pub name: String,
    /// Its SI unit.
    pub unit: String,
    /// Where its value comes from.
    pub how: How,
    /// The value that assembly began with.
    pub wanted: f64,
    /// The value.
    pub value: f64,
}

/// An assembled state.
#[derive(Clone, PartialEq, Debug)]
pub struct Assembled {
    /// Coordinates, speeds, auxiliary states.
    pub state: Vec<f64>,
    /// Rows that are independent of the ones before them.
    pub independent: Vec<usize>,
    /// Rows that repeat others.
    pub redundant: Vec<usize>,
    /// Newton iterations at position level.
    pub iterations: usize,
    /// Largest residual of position that is left, in SI units.
    pub residual: f64,
    /// Largest residual of velocity that is left, in SI units.
    pub velocity_residual: f64,
    /// Where the coordinates, then the speeds, got their values from.
    pub placed: Vec<Placed>,
    /// A closed position beside this one, looked at where rows repeat others: what vanishes here may not vanish there.
    pub neighbour: Option<Vec<f64>>,
    /// Speeds that nobody gave and nothing decides although they move.
    pub open_speeds: Vec<usize>,
    /// That this position is singular, if it is.
    pub fork: Option<Fork>,
    /// Joints whose axes point opposite ways, although they do not in the guess.
    pub reversed: Vec<String>,
}

/// No mechanism moves so fast, in SI units.
const UNBOUNDED: f64 = 1e9;
/// What is less than this part of itself beside an assembled position vanishes there: a loop that closes quadratically is still open
/// by the root of its residual.
const VANISHES: f64 = 1e-4;
/// A closed position beside another is no farther than so many times the place where the search for it began.
const NEIGHBOUR: f64 = 2.0;
/// What is less than this part of itself beside an assembled position is rounding there.
const EMPTY: f64 = 1e-11;
/// A position may be ten times farther than the root of its gap from the singular one that it stands for, and usual lengths are those 0.05 beside. [blur]
const BLUR: f64 = 200.0;
/// No gap is known better than this, in SI units.
const ROUNDING: f64 = 1e-16;
/// Residuals of velocity below this are rounding, in SI units.
const AT_REST: f64 = 1e-9;

/// Assembles the start that the parameters among `inputs` give, at the time among them.
pub fn assemble(loops: &Loops, engine: &Engine, inputs: &[f64]) -> Result<Assembled, AssemblyError> {
    let mut work = Work::new(loops, engine, inputs)?;
    let guess = work.start();
    assemble_from(&mut work, &guess)
}

/// The same from a state instead of the start; what is given keeps the value that it has there.
pub(crate) fn assemble_from(work: &mut Work<'_>, guess: &[f64]) -> Result<Assembled, AssemblyError> {
    let yields = work.loops.coordinates.iter().any(|q| q.yields && q.given == Given::Exactly);
    let unlocked = work.unlocked(guess);
    if let Some(lock) = Lock::among(&work.loops.turns, work.time(), &unlocked)
        && work.run(&unlocked).is_err()
    {
        return Err(AssemblyError::Locked(Box::new(lock)));
    }
    let Reached { mut state, iterations, .. } = match place(work, &unlocked, false) {
        Err(AssemblyError::Open(_)) if yields => place(work, &unlocked, true)?,
        found => found?,
    };
    for i in 0..work.loops.coordinates.len() {
        state[i] = nearest_turn(work, &state, i, guess[i]);
    }
    leave_alone(work, &mut state, &unlocked)?;
    let reversed = reversed(work, guess, &state)?;
    let blur = blur(work, &state)?;
    let velocity_residual = set_in_motion(work, &mut state, blur)?;
    let residual = largest(&work.positions()).1.abs();
    work.left_out = empty_rows(work, &state);
    work.run(&state)?;
    let here: Vec<f64> = work.rows().iter().map(|row| length(row)).collect();
    let usual = usual_lengths(work, &state);
    work.run(&state)?;
    let (mut independent, mut redundant) = independent_rows(work, &here, blur);
    let vanishes = |(r, row): (usize, &Vec<f64>)| length(row) <= blur * usual[r];
    let mut is_fork = work.rows().iter().enumerate().filter(|(r, _)| independent.contains(r)).any(vanishes);
    let mut neighbour = None;
    if !redundant.is_empty()
        && let Ok(((more, fewer), there)) = elsewhere(work, &state, &usual)
    {
        if more.len() > independent.len() {
            is_fork = true;
            (independent, redundant) = (more, fewer);
        }
        neighbour = Some(there);
    }
    work.run(&state)?;
    if let Some(r) = aimless(work, &redundant, &here, &usual) {
        return Err(AssemblyError::Aimless(Box::new(work.loops.rows[r].clone())));
    }
    if !redundant.is_empty() && !is_fork {
        let kept = kept_rows(work, &state, independent.len());
        if kept.len() == independent.len() {
            redundant = (0..work.loops.rows.len()).filter(|r| !kept.contains(r)).collect();
            independent = kept;
        }
        work.run(&state)?;
    }
    work.left_out.clear();
    let fork = if is_fork { Some(Fork::of(work, &state, &usual, &independent, blur)?) } else { None };
    let placed = placed(work.loops, guess, &state);
    work.run(&state)?;
    let all = work.rows();
    let own: Vec<Vec<f64>> = independent.iter().filter_map(|r| all.get(*r).cloned()).collect();
    let (first, speeds) = (work.loops.coordinates.len(), &work.loops.speeds);
    let moves = |k: usize| placed.get(first + k).is_some_and(|p: &Placed| p.how == How::Found);
    let open_speeds = open_speeds(&own, &|k| speeds[k].given != Given::Nothing, &moves);
    Ok(Assembled {
        neighbour,
        open_speeds,
        state,
        independent,
        redundant,
        iterations,
        residual,
        velocity_residual,
        placed,
        fork,
        reversed,
    })
}

/// The joints that are the wrong way round in a closed position and not so in the guess.
fn reversed(work: &mut Work<'_>, guess: &[f64], state: &[f64]) -> Result<Vec<String>, AssemblyError> {
    let meant = work.run(guess).map_or(vec![], |()| work.reversed(MEANT));
    work.run(state)?;
    let mut found = work.reversed(0.0);
    found.dedup();
    Ok(found.into_iter().filter(|joint| !meant.contains(joint)).map(str::to_string).collect())
}

/// Positions. [ladder] [unlocked]
fn place(work: &mut Work<'_>, guess: &[f64], drives_first: bool) -> Result<Reached, AssemblyError> {
    let loops = work.loops;
    let given = |i: usize| loops.coordinates[i].given_to(drives_first);
    let said = |least: Given| (0..loops.coordinates.len()).any(|i| given(i) == least);
    let mut locked = None;
    let hold = Hold::positions(loops, &|i| given(i) >= Given::Approximately);
    let mut found = close_nearby(work, guess, &hold)?;
    if found.closed {
        let rightly = turned_rightly(work, guess, &hold, found.clone())?;
        if !work.is_locked(&rightly.state) {
            return finer(work, rightly, &Hold::positions(loops, &|i| given(i) == Given::Exactly));
        }
        locked = Some(rightly);
    }
    let hold = Hold::positions(loops, &|i| given(i) == Given::Exactly);
    if said(Given::Approximately) {
        // What nobody said anything about follows the guesses first, so that these choose the branch.
        let follow = Hold::positions(loops, &|i| given(i) >= Given::Approximately);
        let near = least_open(work, guess, &follow)?;
        found = close_nearby(work, &work.unlocked(&near), &hold)?;
        if found.closed {
            let rightly = turned_rightly(work, guess, &hold, found.clone())?;
            if !work.is_locked(&rightly.state) {
                return Ok(rightly);
            }
            locked = locked.or(Some(rightly));
        }
    }
    if let Some(far) = close_far(work, guess, &hold)?
        && (locked.is_none() || !work.is_locked(&far.state))
    {
        return Ok(far);
    }
    if let Some(locked) = locked {
        return Ok(locked);
    }
    least_open(work, &found.state, &hold)?;
    let mut open = OpenLoop::of(work, found.iterations);
    if said(Given::Exactly) {
        let held = fights(work, guess)?;
        if held.is_empty() {
            // The values are not to blame: the gap is the one that is left without them.
            least_open(work, &found.state, &Hold::nothing(work.n_speeds))?;
            open = OpenLoop::of(work, found.iterations);
        }
        open.held = held;
    }
    Err(AssemblyError::Open(Box::new(open)))
}

/// A closed position or, where guesses were held and leave more than rounding open, the one to which they yield: what is left open would be
/// closed later by values that were given.
fn finer(work: &mut Work<'_>, found: Reached, hold: &Hold) -> Result<Reached, AssemblyError> {
    work.run(&found.state)?;
    let open = work.measure(&work.positions());
    if open <= CLOSED {
        return Ok(found);
    }
    let next = close(work, &found.state, hold)?;
    work.run(&next.state)?;
    Ok(if next.closed && work.measure(&work.positions()) < open { next } else { found })
}

/// The given values that are in the way: those that close the loops if they alone are free, or all of them if only together; none
/// if the loops cannot be closed without them either.
fn fights(work: &mut Work<'_>, guess: &[f64]) -> Result<Vec<Fight>, AssemblyError> {
    let loops = work.loops;
    let exact = |i: usize| loops.coordinates[i].given == Given::Exactly;
    let held: Vec<usize> = (0..loops.coordinates.len()).filter(|i| exact(*i)).collect();
    let mut fights = vec![];
    for i in &held {
        let hold = Hold::positions(loops, &|k| exact(k) && k != *i);
        let found = close_nearby(work, guess, &hold)?;
        let q = &loops.coordinates[*i];
        fights.push(Fight {
            name: q.name.clone(),
            unit: q.unit.clone(),
            value: guess[*i],
            would_be: found.closed.then(|| nearest_turn(work, &found.state, *i, guess[*i])),
        });
    }
    let helps = fights.iter().any(|f| f.would_be.is_some());
    fights.retain(|f| !helps || f.would_be.is_some());
    let nothing = Hold::nothing(work.n_speeds);
    if !helps && !close_nearby(work, guess, &nothing)?.closed && close_far(work, guess, &nothing)?.is_none() {
        fights.clear();
    }
    Ok(fights)
}

/// A coordinate of a closed position, by whole turns nearer to a value where the constraints do not feel them.
fn nearest_turn(work: &mut Work<'_>, state: &[f64], i: usize, value: f64) -> f64 {
    let turns = ((state[i] - value) / std::f64::consts::TAU).round();
    if work.loops.coordinates[i].unit != "rad" || turns == 0.0 {
        return state[i];
    }
    let mut other = state.to_vec();
    other[i] -= turns * std::f64::consts::TAU;
    let closed = work.run(&other).is_ok() && work.measure(&work.positions()) < NEARLY_CLOSED;
    if closed { other[i] } else { state[i] }
}

/// Puts back what the search moved though the constraints do not feel it, such as the attitude of a ball that rolls.
fn leave_alone(work: &mut Work<'_>, state: &mut [f64], guess: &[f64]) -> Result<(), AssemblyError> {
    let loops = work.loops;
    let whole = |i: usize| loops.unit_quadruples.iter().any(|q| q.contains(&i));
    let singles = (0..loops.coordinates.len()).filter(|i| !whole(*i)).map(|i| vec![i]);
    let groups: Vec<Vec<usize>> = singles.chain(loops.unit_quadruples.iter().map(|q| q.to_vec())).collect();
    work.run(state)?;
    let closed = work.measure(&work.positions()).max(CLOSED);
    for group in groups {
        let moved = group.iter().any(|i| (state[*i] - guess[*i]).abs() > 1e-9 * (1.0 + guess[*i].abs()));
        if !moved {
            continue;
        }
        let mut other = state.to_vec();
        group.iter().for_each(|i| other[*i] = guess[*i]);
        if work.run(&other).is_ok() && work.measure(&work.positions()) <= closed {
            state.copy_from_slice(&other);
        }
    }
    work.run(state)
}

/// Velocities; the largest residual that is left. [velocity] [ladder]
fn set_in_motion(work: &mut Work<'_>, state: &mut Vec<f64>, blur: f64) -> Result<f64, AssemblyError> {
    let loops = work.loops;
    let first = loops.closure.rates.len();
    let given = |k: usize| loops.speeds[k].given;
    let ladder = [(Given::Approximately, false), (Given::Exactly, false), (Given::Exactly, true)];
    for (k, (least, drives_first)) in ladder.into_iter().enumerate() {
        let mut found = moving(work, state, blur, &|k| loops.speeds[k].given_to(drives_first) >= least)?;
        if found.closed {
            work.run(&found.state)?;
            let left = work.measure(&work.velocities());
            // What guesses leave open would be closed later by values that were given.
            if k == 0 && left > CLOSED {
                let next = moving(work, state, blur, &|k| given(k) == Given::Exactly)?;
                work.run(&next.state)?;
                if next.closed && work.measure(&work.velocities()) < left {
                    found = next;
                }
            }
            *state = found.state;
            work.run(state)?;
            return Ok(largest(&work.velocities()).1.abs());
        }
    }
    let mut held = vec![];
    for k in (0..loops.speeds.len()).filter(|k| given(*k) == Given::Exactly) {
        let found = moving(work, state, blur, &|j| given(j) == Given::Exactly && j != k)?;
        let (name, unit) = (loops.speeds[k].name.clone(), loops.speeds[k].unit.clone());
        let would_be = found.closed.then(|| found.state[first + k]);
        held.push(Fight { name, unit, value: state[first + k], would_be });
    }
    let at = moving(work, state, blur, &|k| given(k) == Given::Exactly)?.state;
    let helps = held.iter().any(|f| f.would_be.is_some());
    held.retain(|f| !helps || f.would_be.is_some());
    if !helps && !moving(work, state, blur, &|_| false)?.closed {
        held.clear();
    }
    work.run(&at)?;
    Err(AssemblyError::Velocity(Box::new(OpenLoop { held, ..OpenLoop::of_rates(work) })))
}

/// A motion near that of a state that meets the constraints as well as possible.
fn moving(
    work: &mut Work<'_>,
    start: &[f64],
    blur: f64,
    held: &dyn Fn(usize) -> bool,
) -> Result<Reached, AssemblyError> {
    let first = work.loops.closure.rates.len();
    work.run(start)?;
    let delta = work.step_of_rank(&work.velocities(), &Hold::speeds(work.loops, held), 0.0, blur)?;
    let mut state = start.to_vec();
    // In a singular position a given speed may ask for others without bound: then it cannot be kept.
    let bounded = delta.iter().all(|d| d.abs() < UNBOUNDED);
    if bounded {
        delta.iter().enumerate().for_each(|(k, d)| state[first + k] += d);
    }
    work.run(&state)?;
    let scale = 1.0 + state[first..].iter().fold(0.0, |m: f64, u| m.max(u.abs()));
    let closed = bounded && work.measure(&work.velocities()) <= blur.max(AT_REST) * scale;
    Ok(Reached { state, iterations: 1, closed })
}

fn placed(loops: &Loops, guess: &[f64], state: &[f64]) -> Vec<Placed> {
    let all = loops.coordinates.iter().chain(&loops.speeds);
    let place = |(k, b): (usize, &Begin)| {
        let moved = (state[k] - guess[k]).abs() > 1e-9 * (1.0 + guess[k].abs());
        let how = match (b.given, moved) {
            (Given::Exactly, true) if b.yields => How::Moved,
            (Given::Exactly, _) => How::Given,
            (Given::Approximately, false) => How::Kept,
            (Given::Approximately, true) => How::Moved,
            (Given::Nothing, true) => How::Found,
            (Given::Nothing, false) => How::Free,
        };
        Placed { name: b.name.clone(), unit: b.unit.clone(), how, wanted: guess[k], value: state[k] }
    };
    all.enumerate().map(place).collect()
}

/// Rows that are independent of those before them, and the others.
type Ranked = (Vec<usize>, Vec<usize>);

/// The independent and redundant rows in a position a little beside an assembled one, which may be singular: a row that repeats
/// others there says something as soon as the mechanism moves. A position far off is no neighbour, and may be singular itself.
fn elsewhere(work: &mut Work<'_>, state: &[f64], usual: &[f64]) -> Result<(Ranked, Vec<f64>), AssemblyError> {
    let hold = Hold::nothing(work.n_speeds);
    for part in [1.0, 0.2, 0.04] {
        work.run(state)?;
        let shift: Vec<f64> = (0..work.n_speeds).map(|k| beside(k, 1)).collect();
        let guess = work.displaced(state, &shift, part, &hold);
        let there = close(work, &guess, &hold)?;
        let n = work.loops.coordinates.len();
        let way = |to: &[f64]| (0..n).map(|k| (to[k] - state[k]).abs()).fold(0.0, f64::max);
        if there.closed && way(&there.state) <= NEIGHBOUR * way(&guess) {
            work.run(&there.state)?;
            return Ok((independent_rows(work, usual, VANISHES), there.state));
        }
    }
    Err(AssemblyError::Evaluation("no position beside this one is closed".into()))
}

/// Rows that say nothing wherever the others hold: such as `a b = 0` beside `b = 0`. What they say of speeds is zero but for rounding,
/// and rounding must not hold a speed. A row whose directions vanish in an assembled position is one of these if loops that are
/// closed without it, from a place beside that position, close it as well; `b² = 0` alone is not.
fn empty_rows(work: &mut Work<'_>, state: &[f64]) -> Vec<usize> {
    let mut empty = vec![];
    let hold = Hold::nothing(work.n_speeds);
    let shift: Vec<f64> = (0..work.n_speeds).map(|k| beside(k, 1)).collect();
    let guess = work.displaced(state, &shift, 1.0, &hold);
    let lengths = |work: &Work<'_>| work.rows().iter().map(|row| length(row)).collect::<Vec<f64>>();
    let here = lengths(work);
    if work.run(&guess).is_err() {
        return empty;
    }
    let (usual, open) = (lengths(work), work.positions());
    for (r, gap) in open.into_iter().filter(|(r, _)| here[*r] <= EMPTY * usual[*r]) {
        work.left_out.push(r);
        let closed = close(work, &guess, &hold).is_ok_and(|there| there.closed);
        work.left_out.pop();
        let left =
            work.positions().into_iter().find(|(k, _)| *k == r).map_or(f64::INFINITY, |(_, g)| g.abs());
        if closed && left <= EMPTY * gap.abs() {
            empty.push(r);
            work.left_out.push(r);
        }
    }
    work.left_out.clear();
    empty
}

/// Below which part of the largest a singular value of G counts as zero in a closed position. [blur]
fn blur(work: &mut Work<'_>, state: &[f64]) -> Result<f64, AssemblyError> {
    let blur = BLUR * work.measure(&work.positions()).clamp(ROUNDING, CLOSED).sqrt();
    let usual = usual_lengths(work, state);
    work.run(state)?;
    let rows = work.rows();
    let mut g = Matrix::zeros(rows.len(), work.n_speeds);
    for (i, row) in rows.iter().enumerate().filter(|(i, _)| usual[*i] > 0.0) {
        row.iter().enumerate().for_each(|(k, x)| g[(i, k)] = x / usual[i]);
    }
    let found = least_norm(&g, &vec![0.0; rows.len()], RANK_TOLERANCE);
    let sizes = found.map_err(|e| AssemblyError::Evaluation(e.message))?.singular_values;
    let most = sizes.first().copied().unwrap_or(0.0);
    let is_blurred = sizes.iter().any(|size| *size > RANK_TOLERANCE * most && *size <= blur * most);
    Ok(if is_blurred { blur } else { RANK_TOLERANCE })
}

/// The lengths of rows a little beside a state, or at it where that cannot be evaluated.
fn usual_lengths(work: &mut Work<'_>, state: &[f64]) -> Vec<f64> {
    let hold = Hold::nothing(work.n_speeds);
    let shift: Vec<f64> = (0..work.n_speeds).map(|k| beside(k, 1)).collect();
    let place = work.displaced(state, &shift, 1.0, &hold);
    let here: Vec<f64> = work.rows().iter().map(|row| length(row)).collect();
    match work.run(&place) {
        Ok(()) => work.rows().iter().zip(here).map(|(row, here)| length(row).max(here)).collect(),
        Err(_) => here,
    }
}

fn length(v: &[f64]) -> f64 {
    v.iter().map(|x| x * x).sum::<f64>().sqrt()
}

/// [rank] By orthogonalisation, in the order of declaration; rests are compared with the lengths that rows have usually.
fn independent_rows(work: &Work<'_>, usual: &[f64], tolerance: f64) -> Ranked {
    let mut basis: Vec<Vec<f64>> = vec![];
    let (mut independent, mut redundant) = (vec![], vec![]);
    for (r, mut row) in work.rows().into_iter().enumerate() {
        // Twice is enough (Kahan and Parlett).
        for _ in 0..2 {
            for b in &basis {
                let along: f64 = b.iter().zip(&row).map(|(x, y)| x * y).sum();
                row.iter_mut().zip(b).for_each(|(y, x)| *y -= along * x);
            }
        }
        let after = length(&row);
        if usual[r] > 0.0 && after > tolerance * usual[r] && !work.left_out.contains(&r) {
            row.iter_mut().for_each(|x| *x /= after);
            basis.push(row);
            independent.push(r);
        } else {
            redundant.push(r);
        }
    }
    (independent, redundant)
}

impl Assembled {
    /// What constraints say here that they did not say where `dropped` was found, in words: another value of a parameter may do that.
    pub fn unforeseen(&self, loops: &Loops, dropped: &[usize]) -> Option<String> {
        if self.independent.len() <= loops.rows.len().saturating_sub(dropped.len()) {
            return None;
        }
        let row = self.independent.iter().find(|r| dropped.contains(r)).and_then(|r| loops.rows.get(*r))?;
        Some(format!(
            "with these values `{}` says something that it does not say with those of the text ({}); the equations must be derived with them, as \
             `--set` does",
            row.constraint, row.what
        ))
    }
}

impl Loops {
    /// The time among the inputs.
    pub fn set_time(&self, inputs: &mut [f64], t: f64) {
        inputs[self.closure.inputs.time.index()] = t;
    }
}
