//! What a block of an event does to the parts.
//!
//! ```text
//! [event-closing]    δ = -M⁻¹Gᵀ(GM⁻¹Gᵀ)⁻¹ g + Σ c_a μ_a,   Σ_b (w_a c_b) μ_b = q_a - q - w_a δ₀     until loops are closed
//! [event-impulse]    δv = δv₀ + Σ c_a μ_a,   Σ_b (e_a c_b) μ_b = v_a - e_a (v + δv₀)
//! [event-free]       c_a = (I - M⁻¹Gᵀ(GM⁻¹Gᵀ)⁻¹G) M⁻¹ e_aᵀ      what the constraints leave of a demand
//! ```
//!
//! δ₀ and δv₀ go onto the constraints alone. c_a keeps them, so that the sum is the least change in the metric of the masses
//! that meets both: the solution of the bordered system by its Schur complement. A demand for which nothing is left, because the
//! constraints contradict it, is left unmet and told.

use cardan_base::{Id, without_noise};
use cardan_expr::SymbolId;
use cardan_model::{CoordinateId, SpeedId, Target};
use cardan_solve::Failure;

use crate::geometry as g;
use crate::initial_pose::state_at;
use crate::mechanism::{Mechanism, REPEATS, SINGULAR};
use crate::parts::GROUND;
use crate::template::{FREEDOMS, STATE};

/// More corrections do not close a loop either.
const MOST: usize = 60;
/// Gaps below this are closed, in SI units.
const CLOSED: f64 = 1e-9;
/// No correction makes a gap below this smaller.
const ROUNDING: f64 = 1e-14;
/// An assigned coordinate that differs by more than this part of its size has not been kept.
const KEPT: f64 = 1e-9;
/// A demanded speed is met if it differs by less than this part of what it was and is to be, …
const MET: f64 = 1e-9;
/// … or this part of all speeds.
const MET_OF_ALL: f64 = 1e-12;
/// What is left of a demand below this part of it is rounding.
const NOTHING_LEFT: f64 = 1e-11;

impl Mechanism<'_> {
    /// Gives coordinates, speeds and auxiliary states the values that a block assigns. Whether parts were placed anew.
    pub(crate) fn reset(
        &mut self,
        t: f64,
        y: &mut [f64],
        states: &[f64],
        assigned: &[(Target, f64)],
        block: &str,
    ) -> Result<bool, Failure> {
        let n = STATE * self.n_parts();
        y[n..].copy_from_slice(states);
        let (mut places, mut speeds, mut overwrites) = (vec![], vec![], false);
        for (target, value) in assigned {
            match target {
                Target::Coordinate(id) => places.push((id.index(), *value)),
                Target::Speed(id) => speeds.push((id.index(), *value)),
                Target::Overwrite(id) => {
                    speeds.push((id.index(), *value));
                    overwrites = true;
                }
                Target::Discrete(_) | Target::State(_) | Target::Struck(_) => {}
            }
        }
        if places.is_empty() && speeds.is_empty() {
            return Ok(false);
        }
        self.measure(y, false);
        let before = self.u.clone();
        if !places.is_empty() || overwrites {
            self.place(t, y, states, assigned)?;
        }
        if !places.is_empty() && self.n_rows() > 0 {
            self.close(t, y, &places, block)?;
        }
        self.give_impulse(t, y, &speeds, &before, block)?;
        Ok(!places.is_empty())
    }

    /// [place], [overwrite]
    fn place(&mut self, t: f64, y: &mut [f64], s: &[f64], assigned: &[(Target, f64)]) -> Result<(), Failure> {
        let (mut q, mut u) = (self.q.clone(), self.u.clone());
        let mut moves = false;
        for (target, value) in assigned {
            match target {
                Target::Coordinate(id) => {
                    q[id.index()] = *value;
                    moves = true;
                }
                Target::Overwrite(id) => u[id.index()] = *value,
                _ => {}
            }
        }
        let (travels, balls) = (self.travels.clone(), self.balls.clone());
        let new = state_at(self, t, [&q, &u, s]).map_err(|e| Failure::fatal(e.to_string()))?;
        if moves {
            y.copy_from_slice(&new);
        } else {
            // A rounding of the position must not undo a condition.
            (self.travels, self.balls) = (travels, balls);
            for (old, new) in y.chunks_exact_mut(STATE).zip(new.chunks_exact(STATE)).take(self.n_parts()) {
                old[7..].copy_from_slice(&new[7..]);
            }
        }
        Ok(())
    }

    /// [event-closing]
    fn close(&mut self, t: f64, y: &mut [f64], places: &[(usize, f64)], block: &str) -> Result<(), Failure> {
        let wrong = |e: String| Failure::fatal(format!("`{block}`: {e}"));
        let mut gap = f64::INFINITY;
        for _ in 0..MOST {
            self.measure(y, true);
            self.evaluate(t, y).map_err(wrong)?;
            let lost = places.iter().map(|(k, value)| (value - self.q[*k]).abs()).fold(0.0, f64::max);
            let now = self.largest(&self.g).0.max(lost);
            if now <= ROUNDING || now <= CLOSED && now >= 0.5 * gap || now.is_nan() {
                gap = now;
                break;
            }
            gap = now;
            self.factorise(SINGULAR);
            let mut step = self.onto_constraints();
            let rows: Vec<Vec<f64>> = places.iter().map(|(k, _)| self.coordinate_row(t, y, *k)).collect();
            let demands: Vec<f64> = places
                .iter()
                .zip(&rows)
                .map(|((k, value), row)| value - self.q[*k] - dot(row, &step))
                .collect();
            let more = self.meet(&rows, &demands);
            step.iter_mut().zip(&more).for_each(|(s, m)| *s += m);
            self.shift(y, &step, 1.0);
        }
        let lost = places.iter().find(|(k, value)| (self.q[*k] - value).abs() > KEPT * (1.0 + value.abs()));
        if gap <= CLOSED && lost.is_none() {
            return Ok(());
        }
        let name = |k: usize| self.model.coordinates[CoordinateId::from_index(k)].quantity.name.clone();
        let words: Vec<String> =
            places.iter().map(|(k, value)| format!("`{}` := {}", name(*k), without_noise(*value))).collect();
        let why = match lost {
            Some((k, _)) if self.largest(&self.g).0 <= CLOSED => {
                format!("they keep `{}` at {}", name(*k), without_noise(self.q[*k]))
            }
            _ => "the loops do not close there".into(),
        };
        Err(Failure::fatal(format!(
            "`{block}` assigns {}, a position that the constraints do not allow: {why}",
            words.join(", ")
        )))
    }

    /// [event-impulse]
    fn give_impulse(
        &mut self,
        t: f64,
        y: &mut [f64],
        speeds: &[(usize, f64)],
        before: &[f64],
        block: &str,
    ) -> Result<(), Failure> {
        let wrong = |e: String| Failure::fatal(format!("`{block}`: {e}"));
        let old = y.to_vec();
        let mut change = vec![0.0; FREEDOMS * self.n_parts()];
        // Lent inertia loses its effect as in accelerations.
        for _ in 0..if self.lent.is_empty() { 1 } else { REPEATS } {
            y.copy_from_slice(&old);
            let mut from = vec![0.0; change.len()];
            self.add_lent(&change, &mut from);
            add_velocity(y, &from);
            self.evaluate(t, y).map_err(wrong)?;
            if self.n_rows() > 0 {
                self.factorise(SINGULAR);
                self.correct_velocity(y);
            }
            self.measure(y, false);
            let rows: Vec<Vec<f64>> = speeds.iter().map(|(k, _)| self.speed_row(y, *k, 1.0)).collect();
            let demands: Vec<f64> = speeds.iter().map(|(k, value)| value - self.u[*k]).collect();
            add_velocity(y, &self.meet(&rows, &demands));
            let place = |k: usize| STATE * (k / FREEDOMS) + 7 + k % FREEDOMS;
            change = (0..change.len()).map(|k| y[place(k)] - old[place(k)]).collect();
        }
        self.measure(y, false);
        let fastest = self.u.iter().chain(before).fold(0.0, |m: f64, u| m.max(u.abs()));
        let is_unmet = |(k, value): &&(usize, f64)| {
            let allowed = MET * (value.abs() + before[*k].abs()) + MET_OF_ALL * fastest;
            // What is not a number is not met either.
            let missed = (self.u[*k] - value).abs();
            missed.is_nan() || missed > allowed
        };
        let Some((k, _)) = speeds.iter().find(is_unmet) else { return Ok(()) };
        let name = |k: usize| self.model.speeds[SpeedId::from_index(k)].quantity.name.clone();
        let words: Vec<String> =
            speeds.iter().map(|(k, value)| format!("`{}` := {}", name(*k), without_noise(*value))).collect();
        Err(Failure::fatal(format!(
            "`{block}` assigns {}, which the constraints do not allow: with them `{}` is {}; let it assign speeds that are free, and no more than there are freedoms",
            words.join(", "),
            name(*k),
            without_noise((self.u[*k] * 1e12).round() / 1e12),
        )))
    }

    /// The displacement onto the constraints, by the factors of the last evaluation.
    fn onto_constraints(&mut self) -> Vec<f64> {
        let mut rhs: Vec<f64> = self.g.iter().map(|x| -x).collect();
        self.solve_rows(&mut rhs);
        let mut step = vec![0.0; FREEDOMS * self.n_parts()];
        self.spread(&rhs, &mut step);
        step
    }

    /// The derivative of a speed by the velocities of all parts, times a factor.
    fn speed_row(&self, y: &[f64], speed: usize, factor: f64) -> Vec<f64> {
        let mut row = vec![0.0; FREEDOMS * self.n_parts()];
        for (part, gradient) in self.rate_gradient(y, self.freedoms[speed]) {
            if part != GROUND {
                let own = &mut row[FREEDOMS * part..][..FREEDOMS];
                own.iter_mut().zip(&gradient).for_each(|(r, x)| *r += factor * x);
            }
        }
        row
    }

    /// The derivative of a coordinate's rate by the velocities of all parts: q̇ = W u.
    fn coordinate_row(&self, t: f64, y: &[f64], coordinate: usize) -> Vec<f64> {
        let model = self.model;
        let pool = model.space.pool();
        let rate = model.coordinates[CoordinateId::from_index(coordinate)].rate;
        let constants = crate::parts::Constants::of(model);
        let position = |s: SymbolId| {
            let k = model.coordinates.iter().position(|(_, c)| pool.as_symbol(c.symbol) == Some(s));
            let at = (pool.as_symbol(model.space.time()) == Some(s)).then_some(t);
            k.map(|k| self.q[k]).or(at)
        };
        let with = |one: Option<usize>| {
            let speed = |s: SymbolId| {
                let k = model.speeds.iter().position(|(_, u)| pool.as_symbol(u.symbol) == Some(s))?;
                Some(f64::from(u8::from(one == Some(k))))
            };
            pool.evaluate(rate, &|s| {
                speed(s).or_else(|| position(s)).unwrap_or_else(|| constants.parameter(s))
            })
        };
        let rest = with(None);
        let parts = pool.reachable([rate]);
        let mut row = vec![0.0; FREEDOMS * self.n_parts()];
        for (id, _) in model.speeds.iter().filter(|(_, u)| parts.binary_search(&u.symbol).is_ok()) {
            let more = self.speed_row(y, id.index(), with(Some(id.index())) - rest);
            row.iter_mut().zip(&more).for_each(|(r, m)| *r += m);
        }
        row
    }

    /// The least change within the constraints that meets demands, as far as they can be met. [event-free]
    fn meet(&mut self, rows: &[Vec<f64>], demands: &[f64]) -> Vec<f64> {
        let mut columns = vec![];
        let mut whole = vec![];
        for row in rows {
            let mut c = vec![0.0; row.len()];
            for (k, part) in self.structure.parts.iter().enumerate() {
                let r = &row[FREEDOMS * k..][..FREEDOMS];
                let turned = g::apply(&part.inverse, [r[3], r[4], r[5]]);
                for i in 0..3 {
                    c[FREEDOMS * k + i] = r[i] / part.mass;
                    c[FREEDOMS * k + i + 3] = turned[i];
                }
            }
            whole.push(dot(row, &c));
            if self.n_rows() > 0 {
                self.constrain(&mut c);
            }
            columns.push(c);
        }
        let w = rows.iter().map(|row| columns.iter().map(|c| dot(row, c)).collect()).collect();
        let mut step = vec![0.0; FREEDOMS * self.n_parts()];
        for (column, mu) in columns.iter().zip(solve(w, demands, &whole)) {
            step.iter_mut().zip(column).for_each(|(s, c)| *s += mu * c);
        }
        step
    }
}

/// Adds six numbers for each part to its velocities.
fn add_velocity(y: &mut [f64], by: &[f64]) {
    for (k, d) in by.iter().enumerate() {
        y[STATE * (k / FREEDOMS) + 7 + k % FREEDOMS] += d;
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

/// Solves W μ = d, W symmetric and not negative, by elimination with the largest pivot; what has no pivot stays zero.
fn solve(mut w: Vec<Vec<f64>>, demands: &[f64], whole: &[f64]) -> Vec<f64> {
    let n = demands.len();
    let mut d = demands.to_vec();
    let mut order: Vec<usize> = vec![];
    while let Some(p) = (0..n)
        .filter(|k| !order.contains(k) && w[*k][*k] > NOTHING_LEFT * whole[*k])
        .max_by(|a, b| (w[*a][*a] / whole[*a]).total_cmp(&(w[*b][*b] / whole[*b])))
    {
        order.push(p);
        let pivot = w[p].clone();
        for k in (0..n).filter(|k| !order.contains(k)) {
            let factor = w[k][p] / pivot[p];
            w[k].iter_mut().zip(&pivot).for_each(|(x, y)| *x -= factor * y);
            d[k] -= factor * d[p];
        }
    }
    let mut mu = vec![0.0; n];
    for p in order.iter().rev() {
        let known: f64 = order.iter().filter(|k| *k != p).map(|k| w[*p][*k] * mu[*k]).sum();
        mu[*p] = (d[*p] - known) / w[*p][*p];
    }
    mu
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn demands_that_repeat_others_are_left_out() {
        let w = vec![vec![4.0, 2.0, 4.0], vec![2.0, 3.0, 2.0], vec![4.0, 2.0, 4.0]];
        let mu = solve(w.clone(), &[8.0, 5.0, 8.0], &[4.0, 3.0, 4.0]);
        for row in 0..3 {
            let sum: f64 = (0..3).map(|k| w[row][k] * mu[k]).sum();
            assert!((sum - [8.0, 5.0, 8.0][row]).abs() < 1e-14, "{mu:?}");
        }
    }
}
