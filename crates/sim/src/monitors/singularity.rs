//! Singular positions: where constraints that are usually independent repeat one another, or say nothing, for an instant.
//!
//! ```text
//! [least]      σ = |Gᵀ w|,  G Gᵀ w = σ² w              of the rows that are kept, divided by their usual lengths; by inverse iteration
//! [signed]     Gᵀ w turns round where σ vanishes       w goes on continuously, so the sign of (Gᵀ w)·(Gᵀ w)_marked tells the side
//! [usual]      lengths and σ: the largest at the start and in places beside it
//! [nearness]   m = ± σ / its largest value so far
//! [fewer]      rank of all rows, singular values above VANISHES  <  its usual rank
//! ```
//!
//! All bars of a parallelogram in one line are such a position. Accelerations that follow from the constraints lose digits there as
//! 1/σ²; `cardan_solve` leaps across. Rows that are kept may repeat one another where others, left out because they repeated these at the
//! start, still say the same: that is passed alike, and is no singular position.
//!
//! The constraints that repeat one another there are those without which the rank is the same.

use std::fmt;

use cardan_solve::Failure;
use cardan_solve::linear::{Matrix, least_norm};

use cardan_assembly::assemble::{Loops, RowName};
use cardan_assembly::assembly_error::AssemblyError;
use cardan_assembly::newton::{Hold, Work, beside, largest};
use cardan_base::without_noise;
use cardan_jit::Engine;

/// Where a motion is in a singular position, singular values below this vanish; rows have length one usually.
const VANISHES: f64 = 1e-4;
/// A motion that cannot go on with a margin below this ends because of it.
const TO_BLAME: f64 = 0.03;
/// Rows that never have a larger σ than this repeat one another for ever.
const EVER: f64 = 1e-6;
/// Iterations that find w, and those that keep it.
const FIRST_ITERATIONS: usize = 40;
const ITERATIONS: usize = 2;
/// Directions with smaller cosines than this are not the same one a little later.
const SAME: f64 = 0.5;
/// How far beside the start rows are looked at, in the measure of `beside`. [usual]
const BESIDE: [usize; 3] = [2, 4, 6];

/// A singular position that a motion went through.
#[derive(Clone, PartialEq, Debug)]
pub struct Passage {
    /// When.
    pub t: f64,
    /// The joints and constraints that repeat one another there, or say nothing.
    pub constraints: Vec<String>,
    /// Whether it is a single equation that says nothing there.
    pub is_empty: bool,
}

impl fmt::Display for Passage {
    /// `at t = 2.657028 s the equations of pin1, pin2 repeat one another for an instant, and more motions than usual are possible`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "at t = {:.6} s {} for an instant", self.t, self.words())?;
        f.write_str(", and more motions than usual are possible")
    }
}

impl Passage {
    /// That a motion ends because of it, as a sentence without full stop.
    pub fn in_the_way(&self) -> String {
        let (t, words) = (without_noise(self.t), self.words());
        format!("near t = {t} s {words}: the motion could not be carried across this singular position")
    }

    /// `the equations of pin1, pin2 repeat one another`
    pub fn words(&self) -> String {
        let who = self.constraints.join(", ");
        let who = if who.is_empty() { String::new() } else { format!(" of {who}") };
        match self.is_empty {
            true => format!("an equation{who} says nothing"),
            false => format!("the equations{who} repeat one another"),
        }
    }
}

/// The least singular value in a state. [least]
#[derive(Clone, Default)]
struct Least {
    w: Vec<f64>,
    /// Gᵀ w.
    v: Vec<f64>,
    sigma: f64,
}

/// Constraints that can be asked whether they are near a singular position.
pub(crate) struct Regularity<'a> {
    work: Work<'a>,
    /// Rows that are kept.
    kept: Vec<usize>,
    rank: usize,
    /// The usual length of each row.
    usual: Vec<f64>,
    marked: Least,
    last: Least,
    /// The largest σ of a marked state.
    most: f64,
    /// What the motion went through.
    pub met: Vec<Passage>,
}

impl<'a> Regularity<'a> {
    /// With the parameters among `inputs`; the rank is that of an ordinary position, `dropped` are the rows that nothing keeps.
    pub fn new(
        loops: &'a Loops,
        engine: &Engine,
        inputs: &[f64],
        rank: usize,
        dropped: &[usize],
    ) -> Result<Self, Failure> {
        Ok(Regularity {
            work: Work::new(loops, engine, inputs).map_err(failure)?,
            kept: (0..loops.rows.len()).filter(|r| !dropped.contains(r)).collect(),
            rank,
            usual: vec![],
            marked: Least::default(),
            last: Least::default(),
            most: 0.0,
            met: vec![],
        })
    }

    /// What limits for lengths are multiplied by.
    pub fn size(&self) -> f64 {
        if self.work.size.is_nan() { 1.0 } else { self.work.size }
    }

    /// The kept constraint that is open the most, and by how much.
    pub fn widest(&mut self, t: f64, y: &[f64]) -> Result<(RowName, f64), Failure> {
        self.work.at(t);
        self.work.run(y).map_err(failure)?;
        let kept = self.work.positions().into_iter().filter(|(r, _)| self.kept.contains(r)).collect();
        let (row, gap) = largest(&kept);
        Ok((self.work.loops.rows[row].clone(), gap.abs()))
    }

    fn rows(&mut self, t: f64, y: &[f64]) -> Result<Vec<Vec<f64>>, Failure> {
        self.work.at(t);
        self.work.run(y).map_err(failure)?;
        Ok(self.work.rows())
    }

    /// Takes a position as the start; what is usual shows beside it as well, for it may be near a singular one. [usual]
    pub fn start(&mut self, t: f64, y: &[f64]) -> Result<(), Failure> {
        let mut places = vec![self.rows(t, y)?];
        let hold = Hold::nothing(self.work.n_speeds);
        for attempt in BESIDE {
            self.work.at(t);
            self.work.run(y).map_err(failure)?;
            let shift: Vec<f64> = (0..self.work.n_speeds).map(|k| beside(k, attempt)).collect();
            let place = self.work.displaced(y, &shift, 1.0, &hold);
            places.extend(self.rows(t, &place));
        }
        let length = |row: &Vec<f64>| dot(row, row).sqrt();
        let longest = |r: usize| places.iter().map(|rows| length(&rows[r])).fold(0.0, f64::max);
        self.usual = (0..self.work.loops.rows.len()).map(longest).collect();
        for mut rows in places {
            self.scale(&mut rows);
            let rows: Vec<&Vec<f64>> = self.kept.iter().map(|r| &rows[*r]).collect();
            let Some(w) = least_direction(&rows, first_guess(rows.len()), FIRST_ITERATIONS) else { continue };
            self.most = self.most.max(combined(&rows, &w, self.work.n_speeds).1);
        }
        Ok(())
    }

    /// Rows divided by their usual lengths.
    fn scaled(&mut self, t: f64, y: &[f64]) -> Result<Vec<Vec<f64>>, Failure> {
        let mut rows = self.rows(t, y)?;
        self.scale(&mut rows);
        Ok(rows)
    }

    fn scale(&self, rows: &mut [Vec<f64>]) {
        for (row, usual) in rows.iter_mut().zip(&self.usual).filter(|(_, usual)| **usual > 0.0) {
            row.iter_mut().for_each(|x| *x /= usual);
        }
    }

    /// [nearness]
    pub fn margin(&mut self, t: f64, y: &[f64]) -> Result<f64, Failure> {
        let rows = self.scaled(t, y)?;
        let rows: Vec<&Vec<f64>> = self.kept.iter().map(|r| &rows[*r]).collect();
        if rows.is_empty() {
            return Ok(f64::INFINITY);
        }
        let is_new = self.marked.w.len() != rows.len();
        let guess: Vec<f64> = match is_new {
            true => first_guess(rows.len()),
            false => self.marked.w.clone(),
        };
        let Some(w) = least_direction(&rows, guess, if is_new { FIRST_ITERATIONS } else { ITERATIONS })
        else {
            return Err(Failure::recoverable("the constraints have no finite directions"));
        };
        let (v, sigma) = combined(&rows, &w, self.work.n_speeds);
        let turned = dot(&v, &self.marked.v);
        // Another direction may become the least one; then nothing was passed.
        let is_same = !is_new
            && dot(&w, &self.marked.w).abs() > SAME
            && turned.abs() > SAME * sigma * self.marked.sigma;
        let side = if is_same && turned < 0.0 { -1.0 } else { 1.0 }; // [signed]
        self.last = Least { w, v, sigma };
        let most = self.most.max(sigma);
        Ok(if most > EVER { side * sigma / most } else { f64::INFINITY })
    }

    /// Signs are counted from the state that was looked at last.
    pub fn mark(&mut self) {
        self.marked.clone_from(&self.last);
        self.most = self.most.max(self.last.sigma);
    }

    /// Notes a singular position; nothing where only rows that are kept repeat one another. [fewer]
    pub fn passed(&mut self, t: f64, y: &[f64]) -> Result<(), Failure> {
        let found = self.repeating(t, y, VANISHES)?;
        self.met.extend(found);
        Ok(())
    }

    /// What keeps a motion from going on in this state, if it is near a singular position.
    pub fn blamed(&mut self, t: f64, y: &[f64]) -> Option<Passage> {
        let margin = self.margin(t, y).ok()?.abs();
        let sigma = self.last.sigma;
        let near = if margin < TO_BLAME { self.repeating(t, y, 2.0 * sigma.max(VANISHES)) } else { Ok(None) };
        near.ok().flatten()
    }

    /// The constraints that repeat one another where singular values below `limit` count as none; nothing where the rank is the usual one.
    fn repeating(&mut self, t: f64, y: &[f64], limit: f64) -> Result<Option<Passage>, Failure> {
        let rows = self.scaled(t, y)?;
        let rank = self.rank_without(&rows, None, limit)?;
        if rank >= self.rank {
            return Ok(None);
        }
        let names: Vec<&String> = self.kept.iter().map(|k| &self.work.loops.rows[*k].constraint).collect();
        let (mut constraints, mut is_empty): (Vec<String>, bool) = (vec![], true);
        for (k, name) in self.kept.iter().zip(&names) {
            if self.rank_without(&rows, Some(*k), limit)? == rank {
                is_empty &= names.iter().filter(|other| *other == name).count() == 1;
                if !constraints.contains(name) {
                    constraints.push(name.to_string());
                }
            }
        }
        let is_empty = is_empty && constraints.len() == 1;
        Ok(Some(Passage { t, constraints, is_empty }))
    }

    /// Whether singular values are larger than `limit` times the largest.
    pub fn is_beyond(&mut self, t: f64, y: &[f64], limit: f64) -> Result<bool, Failure> {
        let rows = self.scaled(t, y)?;
        let most = self.singular_values(&rows, None)?.first().copied().unwrap_or(0.0);
        Ok(self.rank_without(&rows, None, limit * most)? >= self.rank)
    }

    /// The number of singular values above a limit, one of the rows left out.
    fn rank_without(&self, rows: &[Vec<f64>], out: Option<usize>, limit: f64) -> Result<usize, Failure> {
        Ok(self.singular_values(rows, out)?.iter().filter(|s| **s > limit).count())
    }

    fn singular_values(&self, rows: &[Vec<f64>], out: Option<usize>) -> Result<Vec<f64>, Failure> {
        let mut g = Matrix::zeros(rows.len(), self.work.n_speeds);
        for (i, row) in rows.iter().enumerate().filter(|(i, _)| Some(*i) != out) {
            row.iter().enumerate().for_each(|(k, x)| g[(i, k)] = *x);
        }
        Ok(least_norm(&g, &vec![0.0; rows.len()], 0.0)?.singular_values)
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

/// A w that no symmetry makes orthogonal to the one that is sought.
fn first_guess(n: usize) -> Vec<f64> {
    (0..n).map(|k| 1.0 + 0.5 * (1.0 + k as f64 * 2.399_963).sin()).collect()
}

/// Gᵀ w and its length.
fn combined(rows: &[&Vec<f64>], w: &[f64], n_speeds: usize) -> (Vec<f64>, f64) {
    let mut v = vec![0.0; n_speeds];
    for (row, w) in rows.iter().zip(w) {
        v.iter_mut().zip(row.iter()).for_each(|(v, g)| *v += w * g);
    }
    let sigma = dot(&v, &v).sqrt();
    (v, sigma)
}

/// w of [least], from a guess; nothing where rows are not finite or all vanish.
fn least_direction(rows: &[&Vec<f64>], guess: Vec<f64>, iterations: usize) -> Option<Vec<f64>> {
    let n = rows.len();
    // A row has entries at the few speeds of its loop.
    let own = |row: &&Vec<f64>| (0..row.len()).filter(|k| row[*k] != 0.0).collect::<Vec<usize>>();
    let places: Vec<Vec<usize>> = rows.iter().map(own).collect();
    let product = |i: usize, j: usize| places[j].iter().map(|k| rows[i][*k] * rows[j][*k]).sum::<f64>();
    // The Cholesky factor of G Gᵀ, row by row; a little is added lest a pivot vanish.
    let trace: f64 = (0..n).map(|i| product(i, i)).sum();
    let mut factor = vec![vec![0.0; n]; n];
    for i in 0..n {
        for j in 0..=i {
            let rest = product(i, j) - dot(&factor[i][..j], &factor[j][..j]);
            factor[i][j] = match i == j {
                true => rest.max(4.0 * f64::EPSILON * trace).sqrt(),
                false => rest / factor[j][j],
            };
        }
    }
    let mut w = guess;
    for _ in 0..iterations {
        for i in 0..n {
            w[i] = (w[i] - dot(&factor[i][..i], &w[..i])) / factor[i][i];
        }
        for i in (0..n).rev() {
            let above: f64 = (i + 1..n).map(|k| factor[k][i] * w[k]).sum();
            w[i] = (w[i] - above) / factor[i][i];
        }
        let length = dot(&w, &w).sqrt();
        if !(length > 0.0 && length.is_finite()) {
            return None;
        }
        w.iter_mut().for_each(|x| *x /= length);
    }
    Some(w)
}

fn failure(error: AssemblyError) -> Failure {
    Failure::recoverable(error.to_string())
}

#[cfg(test)]
mod tests {
    use crate::monitors::singularity::*;

    #[test]
    fn the_least_direction_is_that_of_the_singular_value_decomposition() {
        // Rows of a plane parallelogram a little beside its flat position.
        let rows = [vec![0.01, 0.02, 0.0], vec![1.0, 2.0, 1e-3]];
        let rows: Vec<&Vec<f64>> = rows.iter().collect();
        let w = least_direction(&rows, vec![1.0, 1.0], 40).unwrap();
        let v: Vec<f64> = (0..3).map(|k| w[0] * rows[0][k] + w[1] * rows[1][k]).collect();
        let sigma = dot(&v, &v).sqrt();
        let mut g = Matrix::zeros(2, 3);
        (0..6).for_each(|k| g[(k / 3, k % 3)] = rows[k / 3][k % 3]);
        let expected = least_norm(&g, &[0.0; 2], 0.0).unwrap().singular_values[1];
        assert!((sigma - expected).abs() < 1e-8, "{sigma} {expected}");
    }
}
