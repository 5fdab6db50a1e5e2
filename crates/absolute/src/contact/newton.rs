//! All impulses at once: Newton's method on an augmented Lagrangian, for systems that sweeps settle slowly.
//!
//! Coulomb's law and Signorini's condition are one complementarity over the friction cone K (De Saxcé and Feng 1998):
//!
//! ```text
//! [cone]       K ∋ p  ⊥  û ∈ K*,    û = u + (b + μ |u_t|) n,    K = { |p_t| ≤ μ p_n }
//! [natural map] r = w |p - P(p - û/w)|,   P the projection onto K, w the mean of the diagonal of J B: zero where [cone] holds
//! ```
//!
//! With μ |u_t| of the last iteration, [cone] is the dual of a convex problem for the velocities (Anitescu and Hart 2004; Castro and
//! others 2022 solve it in the same unknowns). The augmented Lagrangian of Rockafellar (1976) needs no independent contacts: four
//! corners of a face are more than a rigid body needs, and the impulses nearest to the last ones are found.
//!
//! ```text
//! [minimum]    f(v) = ½ (v - v_free)ᵀ M (v - v_free) + Σ |P(y)|²/(2ρ),    y = p - ρ û
//! [newton step] (M + Σ ρ Jᵀ P'(y) J) δ = -(M (v - v_free) - Σ Jᵀ P(y)),    with a line search
//! [multiplier] p ← P(y)
//! ```
//!
//! The matrix has a block of 6 × 6 for each part and each pair that touches. Its factors are found in the order of least degree.

use crate::contact::cone::ConeRow;
use crate::contact::sparse_cholesky::{Block, SparseCholesky};
use crate::geometry::{Mat3, Vec3};
use crate::parts::{GROUND, Part};
use crate::template::FREEDOMS;

/// ρ w at first, and at most.
const PENALTY: (f64, f64) = (1e4, 1e7);
/// Iterations of [multiplier], and of [newton step] within each.
const ITERATIONS: (usize, usize) = (30, 25);
/// Halvings of a step of [newton step].
const HALVINGS: usize = 20;

/// P(y) and P'(y).
fn projection(y: Vec3, mu: f64) -> (Vec3, Mat3) {
    let rubs = y[1].hypot(y[2]);
    if mu <= 0.0 {
        let slope = if y[0] > 0.0 { 1.0 } else { 0.0 };
        return ([y[0].max(0.0), 0.0, 0.0], [[slope, 0.0, 0.0], [0.0; 3], [0.0; 3]]);
    }
    if rubs <= mu * y[0] {
        return (y, [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]);
    }
    if mu * rubs <= -y[0] {
        return ([0.0; 3], [[0.0; 3]; 3]);
    }
    let (s, t) = (y[1] / rubs, y[2] / rubs);
    let f = 1.0 / (1.0 + mu * mu);
    let n = f * (y[0] + mu * rubs);
    let (along, across) = (f * mu * mu, mu * n / rubs);
    let slope = [
        [f, f * mu * s, f * mu * t],
        [f * mu * s, along * s * s + across * t * t, (along - across) * s * t],
        [f * mu * t, (along - across) * s * t, along * t * t + across * s * s],
    ];
    ([n, mu * n * s, mu * n * t], slope)
}

/// How far a contact is from its laws, m/s. [natural map]
pub(super) fn residual(row: &ConeRow, v: &[f64]) -> f64 {
    let u = row.velocity(v);
    let w = (row.w[0][0] + row.w[1][1] + row.w[2][2]) / 3.0;
    let p = row.impulse;
    let slides = if row.friction > 0.0 { row.friction * u[1].hypot(u[2]) } else { 0.0 };
    let lack = [u[0] + row.bias + slides, u[1], u[2]];
    let (near, _) = projection(std::array::from_fn(|i| p[i] - lack[i] / w), row.friction);
    w * (p[0] - near[0]).hypot(p[1] - near[1]).hypot(p[2] - near[2])
}

/// Solves for the impulses of all contacts. Says whether the laws of contact hold to the tolerance; where it would cost too much, or joints
/// spread the impulses, nothing is done. A factorisation may multiply so many pairs of blocks.
pub(super) fn solve_together(
    rows: &mut [ConeRow],
    v: &mut [f64],
    free: &[f64],
    parts: &[Part],
    tolerance: f64,
    most_pairs: usize,
) -> bool {
    let pairs: Vec<[usize; 2]> = rows.iter().map(|r| r.parts).collect();
    if rows.iter().any(|r| !r.reached.is_empty()) {
        return false;
    }
    let Some(mut matrix) = SparseCholesky::new(parts.len(), &pairs, most_pairs) else { return false };
    let mut system = System { rows, parts, free, matrix: &mut matrix, slides: vec![], rho: vec![] };
    let mut penalty = PENALTY.0;
    let mut before = f64::INFINITY;
    let mut x = v.to_vec();
    let mut best: Option<(f64, Vec<Vec3>)> = None;
    for _ in 0..ITERATIONS.0 {
        system.prepare(&x, penalty);
        if !system.minimise(&mut x, 0.01 * tolerance) {
            break;
        }
        // [multiplier]; velocities of the impulses, so that momentum is balanced.
        for k in 0..system.rows.len() {
            system.rows[k].impulse = projection(system.multiplier(k, &x), system.rows[k].friction).0;
        }
        x.copy_from_slice(free);
        system.rows.iter().for_each(|r| r.push(&mut x, r.impulse));
        let now = system.rows.iter().map(|r| residual(r, &x)).fold(0.0, f64::max);
        if best.as_ref().is_none_or(|(b, _)| now < *b) {
            best = Some((now, system.rows.iter().map(|r| r.impulse).collect()));
        }
        if now <= tolerance {
            break;
        }
        if now > 0.1 * before {
            penalty = (10.0 * penalty).min(PENALTY.1);
        }
        before = now;
    }
    let Some((reached, impulses)) = best else { return false };
    rows.iter_mut().zip(impulses).for_each(|(r, p)| r.impulse = p);
    v.copy_from_slice(free);
    rows.iter().for_each(|r| r.push(v, r.impulse));
    reached <= tolerance
}

/// [minimum] for given p and μ |u_t|.
struct System<'a> {
    rows: &'a mut [ConeRow],
    parts: &'a [Part],
    free: &'a [f64],
    matrix: &'a mut SparseCholesky,
    /// b + μ |u_t| and ρ of each contact.
    slides: Vec<f64>,
    rho: Vec<f64>,
}

impl System<'_> {
    fn prepare(&mut self, v: &[f64], penalty: f64) {
        self.slides.clear();
        self.rho.clear();
        for row in &*self.rows {
            let u = row.velocity(v);
            self.slides.push(row.bias + row.friction.max(0.0) * u[1].hypot(u[2]));
            self.rho.push(3.0 * penalty / (row.w[0][0] + row.w[1][1] + row.w[2][2]));
        }
    }

    /// y
    fn multiplier(&self, k: usize, v: &[f64]) -> Vec3 {
        let (row, rho) = (&self.rows[k], self.rho[k]);
        let u = row.velocity(v);
        let p = row.impulse;
        [p[0] - rho * (u[0] + self.slides[k]), p[1] - rho * u[1], p[2] - rho * u[2]]
    }

    /// f and its gradient.
    fn value(&self, v: &[f64], gradient: &mut [f64]) -> f64 {
        let mut f = 0.0;
        for (k, part) in self.parts.iter().enumerate() {
            let at = FREEDOMS * k..FREEDOMS * (k + 1);
            let (v, free) = (&v[at.clone()], &self.free[at.clone()]);
            let d: [f64; FREEDOMS] = std::array::from_fn(|i| v[i] - free[i]);
            let g = &mut gradient[at];
            for i in 0..3 {
                g[i] = part.mass * d[i];
                g[3 + i] = (0..3).map(|j| part.inertia[i][j] * d[3 + j]).sum();
            }
            f += 0.5 * g.iter().zip(&d).map(|(g, d)| g * d).sum::<f64>();
        }
        for (k, row) in self.rows.iter().enumerate() {
            let (p, _) = projection(self.multiplier(k, v), row.friction);
            f += 0.5 * (p[0] * p[0] + p[1] * p[1] + p[2] * p[2]) / self.rho[k];
            for (part, jacobian) in row.parts.iter().zip(&row.jacobian).filter(|(p, _)| **p != GROUND) {
                for j in 0..FREEDOMS {
                    gradient[FREEDOMS * part + j] -=
                        jacobian[0][j] * p[0] + jacobian[1][j] * p[1] + jacobian[2][j] * p[2];
                }
            }
        }
        f
    }

    /// [newton step]; whether it ended.
    fn minimise(&mut self, v: &mut [f64], tolerance: f64) -> bool {
        let n = v.len();
        let (mut gradient, mut next, mut trial) = (vec![0.0; n], vec![0.0; n], vec![0.0; n]);
        let mut f = self.value(v, &mut gradient);
        for _ in 0..ITERATIONS.1 {
            self.assemble(v);
            if !self.matrix.factorise() {
                return false;
            }
            let mut step: Vec<f64> = gradient.iter().map(|g| -g).collect();
            self.matrix.solve(&mut step);
            let largest = step.iter().fold(0.0, |m: f64, s| m.max(s.abs()));
            if largest.is_nan() {
                return false;
            }
            let slope: f64 = step.iter().zip(&gradient).map(|(s, g)| s * g).sum();
            let mut part = 1.0;
            let mut value = f;
            for _ in 0..HALVINGS {
                (0..n).for_each(|i| trial[i] = v[i] + part * step[i]);
                value = self.value(&trial, &mut next);
                // What rounding leaves of f cannot be told from a descent.
                if value <= f + 1e-4 * part * slope + 1e-14 * f.abs() {
                    break;
                }
                part *= 0.5;
            }
            v.copy_from_slice(&trial);
            std::mem::swap(&mut gradient, &mut next);
            f = value;
            if part == 1.0 && largest <= tolerance {
                break;
            }
        }
        true
    }

    fn assemble(&mut self, v: &[f64]) {
        self.matrix.clear();
        for (k, part) in self.parts.iter().enumerate() {
            let mut block: Block = [[0.0; FREEDOMS]; FREEDOMS];
            for i in 0..3 {
                block[i][i] = part.mass;
                (0..3).for_each(|j| block[3 + i][3 + j] = part.inertia[i][j]);
            }
            self.matrix.add(k, k, &block);
        }
        for (k, row) in self.rows.iter().enumerate() {
            let (_, slope) = projection(self.multiplier(k, v), row.friction);
            if slope == [[0.0; 3]; 3] {
                continue;
            }
            let slope = slope.map(|r| r.map(|s| self.rho[k] * s));
            for (one, left) in row.parts.iter().zip(&row.jacobian).filter(|(p, _)| **p != GROUND) {
                for (two, right) in row.parts.iter().zip(&row.jacobian).filter(|(p, _)| **p != GROUND) {
                    if !self.matrix.is_below(*one, *two) {
                        continue;
                    }
                    let mut block: Block = [[0.0; FREEDOMS]; FREEDOMS];
                    for a in 0..3 {
                        let turned: [f64; FREEDOMS] =
                            std::array::from_fn(|j| (0..3).map(|b| slope[a][b] * right[b][j]).sum());
                        for i in 0..FREEDOMS {
                            (0..FREEDOMS).for_each(|j| block[i][j] += left[a][i] * turned[j]);
                        }
                    }
                    self.matrix.add(*one, *two, &block);
                }
            }
        }
    }
}
