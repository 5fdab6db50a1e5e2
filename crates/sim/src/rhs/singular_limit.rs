//! Rates in a singular position, where they are 0/0.
//!
//! ```text
//! [limit]      ẏ = (ẏ(t + ε) + ẏ(t - ε)) / 2    in a singular position, where ẏ is 0/0
//! ```

use cardan_program::{Execute, Stages};
use cardan_solve::{Failure, System};

use crate::rhs::Mechanism;

/// How far from a singular position its accelerations are looked at, in radians or metres.
const BESIDE: f64 = 1e-4;
/// Accelerations before and after it that differ by more than this part of themselves have no limit in common.
const SAME: f64 = 0.1;

impl Mechanism<'_> {
    /// Takes rates as a limit in this state from now on. [limit]
    pub fn fork_at(&mut self, t: f64, y: &[f64]) {
        self.fork = Some((t, y[..self.plan.states.len()].to_vec()));
    }

    pub(crate) fn is_fork(&self, t: f64, y: &[f64]) -> bool {
        self.fork.as_ref().is_some_and(|(at, place)| *at == t && place[..] == y[..place.len()])
    }

    /// Rates in a singular position: the mean of those a little before and after it on the same motion, if they agree; else none are
    /// finite. [limit]
    pub(crate) fn limit(&mut self, t: f64, y: &[f64], dy: &mut [f64]) -> Result<(), Failure> {
        let found = self.beside(t, y, dy, self.plan.motion)?;
        let rates = self.plan.states.iter().map(|s| s.derivative);
        let rates: Vec<usize> = rates.chain(self.plan.powers.iter().map(|(_, p)| *p)).collect();
        let mean = found.and_then(|[before, after]| {
            let size = rates.iter().fold(0.0, |m: f64, k| m.max(before[*k].abs()).max(after[*k].abs()));
            let agree = rates.iter().all(|k| (before[*k] - after[*k]).abs() <= SAME * (1.0 + size));
            agree.then(|| rates.iter().map(|k| 0.5 * (before[*k] + after[*k])).collect::<Vec<f64>>())
        });
        match mean {
            Some(mean) => dy.copy_from_slice(&mean),
            None => dy[self.plan.n_coordinates..].fill(f64::NAN),
        }
        Ok(())
    }

    /// All outputs of some stages a little before and after a state that moves at these rates, on the constraints; nothing at rest.
    pub fn beside(
        &mut self,
        t: f64,
        y: &[f64],
        rates: &[f64],
        stages: Stages,
    ) -> Result<Option<[Vec<f64>; 2]>, Failure> {
        let n = self.plan.n_coordinates;
        let fastest = rates[..n].iter().fold(0.0, |m: f64, x| m.max(x.abs()));
        if !(fastest > 0.0 && fastest.is_finite()) {
            return Ok(None);
        }
        let mut found = [vec![], vec![]];
        for (outputs, step) in found.iter_mut().zip([-BESIDE / fastest, BESIDE / fastest]) {
            let mut place = y.to_vec();
            (0..n).for_each(|k| place[k] += step * rates[k]);
            let left = self.left_open();
            self.project(t + step, &mut place)?;
            if let (Some(corrector), Some(left)) = (&mut self.corrector, left) {
                corrector.left = left;
            }
            self.place(t + step, &place);
            let run = self.engine.run(stages, &self.inputs, &mut self.outputs);
            run.map_err(|e| Failure::recoverable(e.to_string()))?;
            outputs.clone_from(&self.outputs);
        }
        self.place(t, y);
        Ok(Some(found))
    }
}
