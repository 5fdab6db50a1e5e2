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
        // Slopes of both levels, and the coordinates at which they were taken.
        let mut slopes: Option<((Matrix, Matrix), Vec<f64>)> = None;
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
                let (positions, velocities) = match slopes.take() {
                    Some((taken, at)) if is_near(&at, &y[..n_q]) => &slopes.insert((taken, at)).0,
                    _ => {
                        let taken = self.surface_slopes(&self.placed(t, y), y)?;
                        &slopes.insert((taken, y[..n_q].to_vec())).0
                    }
                };
                let (from, columns, first) =
                    if level == 0 { (positions, n_q, 0) } else { (velocities, n_u, n_q) };
                if !from.is_finite() {
                    // Says which derivative is not finite.
                    self.local(t, y)?;
                }
                let mut j = Matrix::zeros(residual.len(), columns);
                for c in 0..columns {
                    j.column_mut(c).copy_from_slice(from.column(first + c));
                }
                let step = match shortest(&j, &residual) {
                    Some(step) => step,
                    None => least_norm(&j, &residual, RANK_TOLERANCE)?.x,
                };
                step.iter().enumerate().for_each(|(k, d)| y[first + k] -= d);
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

/// Coordinates so near to one another share their slopes: a correction is then exact to as many digits.
const SAME_SLOPES: f64 = 1e-9;

fn is_near(a: &[f64], b: &[f64]) -> bool {
    a.iter().zip(b).all(|(a, b)| (a - b).abs() <= SAME_SLOPES * (1.0 + a.abs()))
}

/// Pivots of J Jᵀ below this part of the row's own square leave too few digits.
const WELL_CONDITIONED: f64 = 1e-6;

/// The shortest solution of J x = r where the rows of J are well independent: x = Jᵀ (J Jᵀ)⁻¹ r by
/// Cholesky's factors. It corrects a state, so that fewer digits than those of singular values do.
fn shortest(j: &Matrix, r: &[f64]) -> Option<Vec<f64>> {
    let (m, n) = (j.n_rows(), j.n_cols());
    let mut l = Matrix::zeros(m, m);
    for c in 0..n {
        let column = j.column(c);
        for b in (0..m).filter(|b| column[*b] != 0.0) {
            (b..m).for_each(|a| l[(a, b)] += column[a] * column[b]);
        }
    }
    let mut x = r.to_vec();
    for b in 0..m {
        let own = l[(b, b)];
        let pivot = own - (0..b).map(|k| l[(b, k)] * l[(b, k)]).sum::<f64>();
        if pivot.is_nan() || pivot <= WELL_CONDITIONED * own {
            return None;
        }
        let root = pivot.sqrt();
        l[(b, b)] = root;
        for a in b + 1..m {
            let sum: f64 = (0..b).map(|k| l[(a, k)] * l[(b, k)]).sum();
            l[(a, b)] = (l[(a, b)] - sum) / root;
        }
        let sum: f64 = (0..b).map(|k| l[(b, k)] * x[k]).sum();
        x[b] = (x[b] - sum) / root;
    }
    for b in (0..m).rev() {
        let sum: f64 = (b + 1..m).map(|a| l[(a, b)] * x[a]).sum();
        x[b] = (x[b] - sum) / l[(b, b)];
    }
    let mut step = vec![0.0; n];
    j.multiply_transposed(&x, &mut step);
    Some(step)
}

/// A closed form that leaves more than this was none, in SI units.
const CLOSED: f64 = 1e-12;
