//! Singular positions: where constraints that are usually independent repeat one another for an instant.
//!
//! ```text
//! [regular]    rank of G, its rows divided by their lengths at the start, singular values above NEAR σ_1  =  its usual rank
//! ```
//!
//! All bars of a parallelogram in one line are such a position. Accelerations that follow from the constraints lose digits there as
//! 1/σ², so an error test would shorten steps without end; one step without test carries the motion across instead.
//!
//! The constraints that repeat one another there are those without which the rank is the same.

use std::fmt;

use cardan_solve::Failure;
use cardan_solve::linear::{Matrix, least_norm};

use crate::Engine;
use crate::assembly::Loops;
use crate::closing::Work;
use crate::open::AssemblyError;

/// Singular values below this part of the largest are lost for accelerations with eleven digits.
const NEAR: f64 = 1e-4;

/// A singular position that a motion went through.
#[derive(Clone, PartialEq, Debug)]
pub struct Passage {
    /// Just after it.
    pub t: f64,
    /// The joints and constraints that repeat one another there.
    pub constraints: Vec<String>,
}

impl fmt::Display for Passage {
    /// `at t = 2.657028 s the equations of pin1, pin2 repeat one another for an instant, and more motions than usual are possible`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let who = self.constraints.join(", ");
        let who = if who.is_empty() { String::new() } else { format!(" of {who}") };
        write!(f, "at t = {:.6} s the equations{who} repeat one another for an instant", self.t)?;
        f.write_str(", and more motions than usual are possible")
    }
}

/// Constraints that can be asked whether they are near a singular position.
pub(crate) struct Regularity<'a> {
    work: Work<'a>,
    rank: usize,
    /// The length of each row at the start.
    usual: Vec<f64>,
    /// Where they were near one, in the order of asking.
    met: Vec<Passage>,
}

impl<'a> Regularity<'a> {
    /// With the parameters among `inputs`; the rank is that of an ordinary position.
    pub fn new(loops: &'a Loops, engine: &Engine, inputs: &[f64], rank: usize) -> Result<Self, Failure> {
        Ok(Regularity {
            work: Work::new(loops, engine, inputs).map_err(failure)?,
            rank,
            usual: vec![],
            met: vec![],
        })
    }

    /// What limits for lengths are multiplied by.
    pub fn size(&self) -> f64 {
        if self.work.size.is_nan() { 1.0 } else { self.work.size }
    }

    fn rows(&mut self, t: f64, y: &[f64]) -> Result<Vec<Vec<f64>>, Failure> {
        self.work.at(t);
        self.work.run(y).map_err(failure)?;
        Ok(self.work.rows())
    }

    /// Takes a position as an ordinary one.
    pub fn start(&mut self, t: f64, y: &[f64]) -> Result<(), Failure> {
        let length = |row: &Vec<f64>| row.iter().map(|x| x * x).sum::<f64>().sqrt();
        self.usual = self.rows(t, y)?.iter().map(length).collect();
        Ok(())
    }

    /// [regular]
    pub fn holds(&mut self, t: f64, y: &[f64]) -> Result<bool, Failure> {
        let rows = self.scaled(t, y)?;
        let rank = self.rank_without(&rows, None, NEAR)?;
        if rank >= self.rank {
            return Ok(true);
        }
        let mut constraints: Vec<String> = vec![];
        for (k, row) in self.work.loops.rows.iter().enumerate() {
            if self.rank_without(&rows, Some(k), NEAR)? == rank && !constraints.contains(&row.constraint) {
                constraints.push(row.constraint.clone());
            }
        }
        self.met.push(Passage { t, constraints });
        Ok(false)
    }

    /// Rows divided by their lengths at the start.
    fn scaled(&mut self, t: f64, y: &[f64]) -> Result<Vec<Vec<f64>>, Failure> {
        let mut rows = self.rows(t, y)?;
        for (row, usual) in rows.iter_mut().zip(&self.usual).filter(|(_, usual)| **usual > 0.0) {
            row.iter_mut().for_each(|x| *x /= usual);
        }
        Ok(rows)
    }

    /// [regular] with another limit than `NEAR`.
    pub fn is_beyond(&mut self, t: f64, y: &[f64], limit: f64) -> Result<bool, Failure> {
        let rows = self.scaled(t, y)?;
        Ok(self.rank_without(&rows, None, limit)? >= self.rank)
    }

    /// The rank of rows, one of them left out.
    fn rank_without(&self, rows: &[Vec<f64>], out: Option<usize>, limit: f64) -> Result<usize, Failure> {
        let mut g = Matrix::zeros(rows.len(), self.work.n_speeds);
        for (i, row) in rows.iter().enumerate().filter(|(i, _)| Some(*i) != out) {
            row.iter().enumerate().for_each(|(k, x)| g[(i, k)] = *x);
        }
        Ok(least_norm(&g, &vec![0.0; rows.len()], limit)?.rank)
    }

    /// What was met at the end of a step across a singular position.
    pub fn passage(&self, t: f64) -> Passage {
        let before = self.met.iter().rev().find(|p| p.t <= t);
        Passage { t, constraints: before.map_or(vec![], |p| p.constraints.clone()) }
    }
}

fn failure(error: AssemblyError) -> Failure {
    Failure::recoverable(error.to_string())
}
