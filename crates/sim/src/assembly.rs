//! Assembly: a position and a velocity that satisfy all constraints, and which of these are independent.
//!
//! ```text
//! [newton]      G δ = -g,  q ← q + W δ     the shortest δ, shortened while |g| does not fall
//! [velocity]    G δ = -v,  u ← u + δ
//! [rank]        a row is redundant if it lies in the span of the rows before it, here and in a position beside
//! ```
//!
//! Values given for the start are kept as long as the others can close the loops; only if they cannot are all moved.

use std::fmt;

use cardan_base::Id;
use cardan_lower::{ClosureProgram, Phase};
use cardan_program::{Execute, Stages};
use cardan_solve::linear::{Matrix, least_norm};

use crate::Engine;
use crate::plan::stages;

/// A row of a constraint, as people know it.
#[derive(Clone, PartialEq, Debug)]
pub struct RowName {
    /// The constraint.
    pub constraint: String,
    /// What it fixes.
    pub what: String,
    /// The unit of its residual.
    pub unit: String,
}

/// What assembly needs besides the program.
#[derive(Clone, PartialEq, Debug)]
pub struct Loops {
    /// Residuals and Jacobians.
    pub closure: ClosureProgram,
    /// The rows by name.
    pub rows: Vec<RowName>,
    /// Speeds whose coordinates were given at the start.
    pub fixed_positions: Vec<bool>,
    /// Speeds that were given at the start.
    pub fixed_speeds: Vec<bool>,
    /// Groups of coordinates whose squares sum to one.
    pub unit_quadruples: Vec<[usize; 4]>,
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
    /// Largest residual that is left.
    pub residual: f64,
    /// Whether values given for the start had to be changed.
    pub moved_given: bool,
}

/// Why a system cannot be assembled.
#[derive(Clone, PartialEq, Debug)]
pub enum AssemblyError {
    /// The loop stays open: the row, its residual, and the number of iterations.
    Open(RowName, f64, usize),
    /// A velocity that no motion can have: the row and its residual.
    Velocity(RowName, f64),
    /// The constraints could not be evaluated.
    Evaluation(String),
}

impl fmt::Display for AssemblyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AssemblyError::Open(row, gap, n) => write!(
                f,
                "the loop through `{}` cannot be closed: {} is left open by {:.3e} {} after {n} iterations",
                row.constraint,
                row.what,
                gap.abs(),
                row.unit
            ),
            AssemblyError::Velocity(row, v) => {
                write!(
                    f,
                    "no motion satisfies `{}`: {} keeps a rate of {:.3e}",
                    row.constraint,
                    row.what,
                    v.abs()
                )
            }
            AssemblyError::Evaluation(reason) => {
                write!(f, "the constraints could not be evaluated: {reason}")
            }
        }
    }
}

impl std::error::Error for AssemblyError {}

const MAX_ITERATIONS: usize = 60;
const RANK_TOLERANCE: f64 = 1e-9;
/// No mechanism moves so fast, in SI units.
const UNBOUNDED: f64 = 1e9;
/// A loop is closed when its residuals are below this, in SI units.
const CLOSED: f64 = 1e-12;

/// A program of constraints at work.
pub(crate) struct Work<'a> {
    pub loops: &'a Loops,
    engine: Engine,
    inputs: Vec<f64>,
    outputs: Vec<f64>,
    evaluate: Stages,
    pub n_speeds: usize,
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
        let n_speeds = loops.fixed_speeds.len();
        Ok(Work { loops, engine, inputs: inputs.to_vec(), outputs, evaluate, n_speeds })
    }
    /// Sets the time.
    pub fn at(&mut self, t: f64) {
        self.loops.set_time(&mut self.inputs, t);
    }
    /// G, row by row.
    pub fn rows(&self) -> Vec<Vec<f64>> {
        let dense = |columns: &Vec<(usize, usize)>| {
            let mut row = vec![0.0; self.n_speeds];
            columns.iter().for_each(|(k, output)| row[*k] = self.outputs[*output]);
            row
        };
        self.loops.closure.jacobian.iter().map(dense).collect()
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
        Ok(())
    }
    fn positions(&self) -> Vec<(usize, f64)> {
        let rows = self.loops.closure.positions.iter().enumerate();
        rows.filter_map(|(r, p)| Some((r, self.outputs[(*p)?]))).collect()
    }
    fn velocities(&self) -> Vec<(usize, f64)> {
        self.loops.closure.velocities.iter().enumerate().map(|(r, v)| (r, self.outputs[*v])).collect()
    }
    /// The shortest δ with G δ = -residual that leaves the fixed speeds alone.
    fn step(&self, residuals: &[(usize, f64)], fixed: &[bool]) -> Result<Vec<f64>, AssemblyError> {
        let free: Vec<usize> = (0..self.n_speeds).filter(|k| !fixed[*k]).collect();
        let mut g = Matrix::zeros(residuals.len(), free.len());
        for (i, (row, _)) in residuals.iter().enumerate() {
            for (k, output) in &self.loops.closure.jacobian[*row] {
                if let Ok(j) = free.binary_search(k) {
                    g[(i, j)] = self.outputs[*output];
                }
            }
        }
        let b: Vec<f64> = residuals.iter().map(|(_, x)| -x).collect();
        let found = least_norm(&g, &b, RANK_TOLERANCE).map_err(|e| AssemblyError::Evaluation(e.message))?;
        let mut delta = vec![0.0; self.n_speeds];
        free.iter().zip(found.x).for_each(|(k, x)| delta[*k] = x);
        Ok(delta)
    }
    /// q + W δ, Euler parameters of unit norm
    fn displaced(&self, state: &[f64], delta: &[f64], fraction: f64) -> Vec<f64> {
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
        next
    }
}

fn largest(residuals: &[(usize, f64)]) -> (usize, f64) {
    residuals.iter().copied().fold((0, 0.0), |m, r| if r.1.abs() > f64::abs(m.1) { r } else { m })
}

/// Assembles the start that the parameters among `inputs` give, at the time among them.
pub fn assemble(loops: &Loops, engine: &Engine, inputs: &[f64]) -> Result<Assembled, AssemblyError> {
    let mut work = Work::new(loops, engine, inputs)?;
    let guess: Vec<f64> = loops.closure.start.clone().map(|k| work.outputs[k]).collect();
    let n_speeds = work.n_speeds;
    let nothing = vec![false; n_speeds];
    let first = close_nearby(&mut work, &guess, &loops.fixed_positions);
    let (mut state, iterations, moved_given) = match first {
        Ok((state, n)) => (state, n, false),
        Err(_) if loops.fixed_positions.contains(&true) => {
            let (state, n) = close_nearby(&mut work, &guess, &nothing)?;
            (state, n, true)
        }
        Err(error) => return Err(error),
    };
    work.run(&state)?;
    let n_coordinates = loops.closure.rates.len();
    for fixed in [&loops.fixed_speeds, &nothing] {
        work.run(&state)?;
        let delta = work.step(&work.velocities(), fixed)?;
        // In a singular position a given speed may ask for others without bound: then it cannot be kept.
        if fixed.contains(&true) && delta.iter().any(|d| d.abs() > UNBOUNDED) {
            continue;
        }
        delta.iter().enumerate().for_each(|(k, d)| state[n_coordinates + k] += d);
        work.run(&state)?;
        if largest(&work.velocities()).1.abs() < 1e-9 {
            break;
        }
    }
    let (row, left) = largest(&work.velocities());
    if left.abs() > 1e-7 {
        return Err(AssemblyError::Velocity(loops.rows[row].clone(), left));
    }
    let (mut independent, mut redundant) = independent_rows(&work, RANK_TOLERANCE);
    let residual = largest(&work.positions()).1.abs();
    if !redundant.is_empty()
        && let Ok((more, fewer)) = elsewhere(&mut work, &state)
        && more.len() > independent.len()
    {
        (independent, redundant) = (more, fewer);
    }
    Ok(Assembled { state, independent, redundant, iterations, residual, moved_given })
}

/// The independent and redundant rows in a position a little beside an assembled one, which may be singular: a row that repeats
/// others there says something as soon as the mechanism moves.
fn elsewhere(work: &mut Work<'_>, state: &[f64]) -> Result<(Vec<usize>, Vec<usize>), AssemblyError> {
    work.run(state)?;
    let shift: Vec<f64> = (0..work.n_speeds).map(|k| beside(k, 1)).collect();
    let guess = work.displaced(state, &shift, 1.0);
    let (there, _) = close_positions(work, &guess, &vec![false; work.n_speeds])?;
    work.run(&there)?;
    // A loop that closes quadratically is still open by the root of its residual.
    Ok(independent_rows(work, 1e-4))
}

/// Steps of different sizes in different directions, the same on every machine.
fn beside(k: usize, attempt: usize) -> f64 {
    0.05 * attempt as f64 * (1.0 + k as f64 * 2.399_963).sin()
}

/// Closes the loops from the guess or, where Newton's method is stuck there because the guess is a singular position (all
/// bars in one line, say), from a place a little beside it.
fn close_nearby(
    work: &mut Work<'_>,
    guess: &[f64],
    fixed: &[bool],
) -> Result<(Vec<f64>, usize), AssemblyError> {
    let stuck = match close_positions(work, guess, fixed) {
        Ok(found) => return Ok(found),
        Err(error) => error,
    };
    for attempt in 1..=NEARBY {
        work.run(guess)?;
        let shift: Vec<f64> =
            (0..work.n_speeds).map(|k| if fixed[k] { 0.0 } else { beside(k, attempt) }).collect();
        let start = work.displaced(guess, &shift, 1.0);
        if let Ok(found) = close_positions(work, &start, fixed) {
            return Ok(found);
        }
    }
    Err(stuck)
}

/// How many places beside the guess are tried.
const NEARBY: usize = 4;

/// [newton]
fn close_positions(
    work: &mut Work<'_>,
    guess: &[f64],
    fixed: &[bool],
) -> Result<(Vec<f64>, usize), AssemblyError> {
    let mut state = guess.to_vec();
    work.run(&state)?;
    let size = |r: &[(usize, f64)]| r.iter().map(|(_, x)| x * x).sum::<f64>();
    for iteration in 0..MAX_ITERATIONS {
        let residuals = work.positions();
        let (row, gap) = largest(&residuals);
        if gap.abs() <= CLOSED {
            return Ok((state, iteration));
        }
        let delta = work.step(&residuals, fixed)?;
        let before = size(&residuals);
        let mut fraction = 1.0;
        let base = work.outputs.clone();
        loop {
            work.outputs.clone_from(&base);
            let next = work.displaced(&state, &delta, fraction);
            if work.run(&next).is_ok() && size(&work.positions()) < before {
                state = next;
                break;
            }
            fraction /= 2.0;
            if fraction < 1e-6 {
                // Nothing more to gain: rounding, or a loop that cannot close.
                work.run(&state)?;
                let closed = gap.abs() <= 1e3 * CLOSED;
                return if closed {
                    Ok((state, iteration))
                } else {
                    Err(AssemblyError::Open(work.loops.rows[row].clone(), gap, iteration))
                };
            }
        }
    }
    let (row, gap) = largest(&work.positions());
    Err(AssemblyError::Open(work.loops.rows[row].clone(), gap, MAX_ITERATIONS))
}

/// [rank] By orthogonalisation, in the order of declaration.
fn independent_rows(work: &Work<'_>, tolerance: f64) -> (Vec<usize>, Vec<usize>) {
    let mut basis: Vec<Vec<f64>> = vec![];
    let (mut independent, mut redundant) = (vec![], vec![]);
    for (r, mut row) in work.rows().into_iter().enumerate() {
        let norm = |v: &[f64]| v.iter().map(|x| x * x).sum::<f64>().sqrt();
        let before = norm(&row);
        // Twice is enough (Kahan and Parlett).
        for _ in 0..2 {
            for b in &basis {
                let along: f64 = b.iter().zip(&row).map(|(x, y)| x * y).sum();
                row.iter_mut().zip(b).for_each(|(y, x)| *y -= along * x);
            }
        }
        let after = norm(&row);
        if before > 0.0 && after > tolerance * before {
            row.iter_mut().for_each(|x| *x /= after);
            basis.push(row);
            independent.push(r);
        } else {
            redundant.push(r);
        }
    }
    (independent, redundant)
}

impl Loops {
    /// The time among the inputs.
    pub(crate) fn set_time(&self, inputs: &mut [f64], t: f64) {
        inputs[self.closure.inputs.time.index()] = t;
    }
}
