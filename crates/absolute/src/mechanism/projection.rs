//! Onto the constraints: after a step, and from a start that may be far from them.

use crate::geometry as g;
use crate::mechanism::pattern::pattern;
use crate::mechanism::{DEPENDENT, Mechanism, SINGULAR};
use crate::scalar_rows::RowLaw;
use crate::template::{FREEDOMS, STATE};

impl Mechanism<'_> {
    /// Moves parts by six numbers each.
    pub(crate) fn shift(&self, y: &mut [f64], by: &[f64], factor: f64) {
        for k in 0..self.n_parts() {
            let d = &by[FREEDOMS * k..][..FREEDOMS];
            let s = &mut y[STATE * k..][..STATE];
            (0..3).for_each(|i| s[i] += factor * d[i]);
            let e = g::turned([s[3], s[4], s[5], s[6]], g::scale(factor, [d[3], d[4], d[5]]));
            s[3..7].copy_from_slice(&e);
        }
    }

    /// The largest residual of rows that are not left out, with the row.
    pub(crate) fn largest(&self, values: &[f64]) -> (f64, usize) {
        let kept = values.iter().enumerate().filter(|(row, _)| !self.skipped[*row]);
        kept.map(|(row, v)| (if v.is_nan() { f64::INFINITY } else { v.abs() }, row))
            .max_by(|a, b| a.0.total_cmp(&b.0))
            .unwrap_or((0.0, 0))
    }

    /// One step of Newton's method towards the constraints; the residual before it. The factors are those of the last factorisation.
    pub(super) fn newton_step(&mut self, y: &mut [f64], factor: f64) {
        let mut rhs: Vec<f64> = self.g.iter().map(|x| -x).collect();
        self.ldl.solve(&mut rhs);
        let mut step = vec![0.0; FREEDOMS * self.n_parts()];
        self.spread(&rhs, &mut step);
        self.shift(y, &step, factor);
    }

    /// Pulls a state onto the constraints of position and velocity; the residuals that are left. [position], [velocity]
    pub fn project(&mut self, t: f64, y: &mut [f64]) -> Result<(f64, f64), String> {
        for k in 0..self.n_parts() {
            let s = &mut y[STATE * k + 3..][..4];
            let e = g::normalised([s[0], s[1], s[2], s[3]]);
            s.copy_from_slice(&e);
        }
        if self.n_rows == 0 {
            return Ok((0.0, 0.0));
        }
        self.evaluate(t, y)?;
        self.factorise(SINGULAR);
        let mut open = self.largest(&self.g).0;
        for _ in 0..4 {
            if open < 1e-13 {
                break;
            }
            self.newton_step(y, 1.0);
            self.evaluate(t, y)?;
            let now = self.largest(&self.g).0;
            if now >= 0.5 * open {
                open = now;
                break;
            }
            open = now;
        }
        self.factorise(SINGULAR);
        self.correct_velocity(y);
        Ok((open, self.largest(&self.g_rate).0))
    }

    pub(crate) fn correct_velocity(&mut self, y: &mut [f64]) {
        let mut rhs: Vec<f64> = self.g_rate.iter().map(|x| -x).collect();
        self.ldl.solve(&mut rhs);
        let mut step = vec![0.0; FREEDOMS * self.n_parts()];
        self.spread(&rhs, &mut step);
        for k in 0..self.n_parts() {
            let s = &mut y[STATE * k + 7..][..FREEDOMS];
            s.iter_mut().zip(&step[FREEDOMS * k..]).for_each(|(s, d)| *s += d);
        }
    }

    /// Finds a state on the constraints from a start that may be far from them, and the rows that are independent there.
    /// The row that stays open and its residual if there is none.
    pub fn assemble(&mut self, t: f64, y: &mut [f64]) -> Result<Vec<usize>, Result<(usize, f64), String>> {
        let words = Err::<(usize, f64), String>;
        if self.n_rows == 0 {
            return Ok(vec![]);
        }
        self.skipped.copy_from_slice(&self.idle);
        let mut trial = y.to_vec();
        self.evaluate(t, y).map_err(words)?;
        let mut open = norm(&self.g);
        for _ in 0..60 {
            if open < 1e-12 {
                break;
            }
            self.factorise(DEPENDENT);
            let mut factor = 1.0;
            let before = open;
            let rhs = self.g.clone();
            loop {
                trial.copy_from_slice(y);
                self.g.copy_from_slice(&rhs);
                self.newton_step(&mut trial, factor);
                self.evaluate(t, &trial).map_err(words)?;
                open = norm(&self.g);
                if open < before || factor < 1e-3 {
                    break;
                }
                // The factors belong to the last state.
                self.evaluate(t, y).map_err(words)?;
                self.factorise(DEPENDENT);
                factor *= 0.5;
            }
            if open >= before {
                break;
            }
            y.copy_from_slice(&trial);
            self.measure(y, true);
        }
        self.evaluate(t, y).map_err(words)?;
        let dependent = self.select_rows();
        let all = self.g.iter().enumerate().map(|(k, v)| (v.abs(), k)).max_by(|a, b| a.0.total_cmp(&b.0));
        if let Some((gap, row)) = all
            && (gap.is_nan() || gap >= 1e-8)
            && !self.idle[row]
        {
            return Err(Ok((row, gap)));
        }
        self.correct_velocity(y);
        Ok(dependent)
    }

    /// While positions are sought, only rows of held displacements count; whether any row is held.
    pub(crate) fn set_idle_for_positions(&mut self) -> bool {
        self.set_idle(|position, _| !position)
    }

    /// While speeds are sought, only rows of held rates count.
    pub(crate) fn set_idle_for_velocities(&mut self) {
        self.set_idle(|_, velocity| !velocity);
    }

    pub(super) fn set_idle(&mut self, idle: impl Fn(bool, bool) -> bool) -> bool {
        let mut any = false;
        for (k, row) in self.rows.iter().enumerate() {
            let RowLaw::Held { position, velocity, .. } = &row.law else { continue };
            any = true;
            let at = self.blocks[self.first_scalar + k].first;
            self.idle[at] = idle(position.is_some(), velocity.is_some());
        }
        any
    }

    /// Forgets the rows that hold the start.
    pub(crate) fn release(&mut self) {
        let kept = self.rows.iter().filter(|r| !matches!(r.law, RowLaw::Held { .. })).count();
        self.idle.fill(false);
        if kept == self.rows.len() {
            return;
        }
        // Held rows come last.
        self.rows.truncate(kept);
        self.blocks.truncate(self.first_scalar + kept);
        let n = self.blocks.last().map_or(0, |b| b.first + b.rows);
        self.n_rows = n;
        let lists = [&mut self.g, &mut self.g_rate, &mut self.gamma, &mut self.lambda];
        lists.into_iter().for_each(|list| list.truncate(n));
        self.skipped.truncate(n);
        self.idle.truncate(n);
        self.nonholonomic.truncate(n);
        (self.ldl, self.contributions, self.slots) = pattern(&self.blocks, n, self.n_parts());
        self.values = vec![0.0; self.ldl.n_values()];
    }
}

fn norm(x: &[f64]) -> f64 {
    let n = x.iter().map(|x| x * x).sum::<f64>().sqrt();
    if n.is_nan() { f64::INFINITY } else { n }
}
