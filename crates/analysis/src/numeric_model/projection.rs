//! Projection of a state onto its constraints.

use cardan_solve::Matrix;
use cardan_solve::linear::least_norm;

use crate::AnalysisError;
use crate::numeric_model::{RANK_TOLERANCE, Study};

const MAX_CORRECTIONS: usize = 40;

impl Study {
    /// Pulls a state onto its constraints: its position in closed form where there is one, else by shortest steps, then its velocity
    /// by shortest steps. Gives what is left.
    pub fn close(&mut self, t: f64, y: &mut [f64]) -> Result<f64, AnalysisError> {
        let (n_q, n_u, _) = self.sizes();
        let first = usize::from(self.closed_at_once(t, y)?);
        for level in first..2 {
            let mut left = f64::INFINITY;
            for _ in 0..MAX_CORRECTIONS {
                let found = self.residuals(t, y)?;
                let residual = if level == 0 { found.positions } else { found.velocities };
                let now = residual.iter().fold(0.0, |m: f64, x| x.abs().max(m));
                if now == 0.0 || now >= 0.5 * left {
                    break;
                }
                left = now;
                let inputs = self.placed(t, y);
                let (positions, velocities) = self.surface_slopes(&inputs, y)?;
                let (from, columns, first) =
                    if level == 0 { (&positions, n_q, 0) } else { (&velocities, n_u, n_q) };
                if !from.is_finite() {
                    // Says which derivative is not finite.
                    self.local(t, y)?;
                }
                let mut j = Matrix::zeros(residual.len(), columns);
                for c in 0..columns {
                    j.column_mut(c).copy_from_slice(from.column(first + c));
                }
                let step = least_norm(&j, &residual, RANK_TOLERANCE)?;
                step.x.iter().enumerate().for_each(|(k, d)| y[first + k] -= d);
            }
        }
        Ok(self.residuals(t, y)?.largest())
    }

    /// Moves the coordinates onto the constraints in closed form, if there is one and no dead point is near.
    fn closed_at_once(&mut self, t: f64, y: &mut [f64]) -> Result<bool, AnalysisError> {
        let Some(mut form) = self.closed_form.take() else { return Ok(false) };
        let mut trial = y.to_vec();
        let applied = form.apply(&mut trial, |y| self.placed(t, y));
        self.closed_form = Some(form);
        if !applied? {
            return Ok(false);
        }
        let left = self.residuals(t, &trial)?.positions.iter().fold(0.0, |m: f64, x| x.abs().max(m));
        let closed = left <= CLOSED;
        if closed {
            y.copy_from_slice(&trial);
        }
        Ok(closed)
    }
}

/// A closed form that leaves more than this was none, in SI units.
const CLOSED: f64 = 1e-12;
