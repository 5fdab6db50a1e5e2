//! Singular positions: where constraints that are usually independent repeat one another for an instant.
//!
//! ```text
//! [regular]    rank of G, its rows divided by their lengths at the start, singular values above NEAR σ_1  =  its usual rank
//! ```
//!
//! All bars of a parallelogram in one line are such a position. Accelerations that follow from the constraints lose digits there as
//! 1/σ², so an error test would shorten steps without end; one step without test carries the motion across instead.

use cardan_solve::Failure;
use cardan_solve::linear::{Matrix, least_norm};

use crate::Engine;
use crate::assembly::Loops;
use crate::closing::Work;
use crate::open::AssemblyError;

/// Singular values below this part of the largest are lost for accelerations with eleven digits.
const NEAR: f64 = 1e-4;

/// Constraints that can be asked whether they are near a singular position.
pub(crate) struct Regularity<'a> {
    work: Work<'a>,
    rank: usize,
    /// The length of each row at the start.
    usual: Vec<f64>,
}

impl<'a> Regularity<'a> {
    /// With the parameters among `inputs`; the rank is that of an ordinary position.
    pub fn new(loops: &'a Loops, engine: &Engine, inputs: &[f64], rank: usize) -> Result<Self, Failure> {
        Ok(Regularity { work: Work::new(loops, engine, inputs).map_err(failure)?, rank, usual: vec![] })
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
        let rows = self.rows(t, y)?;
        let mut g = Matrix::zeros(rows.len(), self.work.n_speeds);
        for (i, row) in rows.iter().enumerate() {
            let scale = self.usual.get(i).copied().filter(|s| *s > 0.0).unwrap_or(1.0);
            row.iter().enumerate().for_each(|(k, x)| g[(i, k)] = x / scale);
        }
        Ok(least_norm(&g, &vec![0.0; rows.len()], NEAR)?.rank >= self.rank)
    }
}

fn failure(error: AssemblyError) -> Failure {
    Failure::recoverable(error.to_string())
}
