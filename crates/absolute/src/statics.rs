//! Equilibria: Newton's method with line search, and relaxation where it fails.
//!
//! ```text
//! [balance]     Q + Gᵀλ = 0,   g = 0                                     at rest
//! [statics]     ( K + s M   -Gᵀ ) (δ ; δλ) = (Q + Gᵀλ ; -g)              s = 0
//! [relax]       s from the largest stiffness on, in proportion to the residual: implicit steps of ẏ = M⁻¹ (Q + Gᵀλ)
//! [residual]    |M⁻¹ (Q + Gᵀλ)|, the largest component: an acceleration
//! ```
//!
//! A relaxation goes downhill as a motion with heavy damping does (switched evolution relaxation; Kelley and Keyes 1998), so it finds
//! equilibria that are stable where forces have a potential; Newton's method alone finds the nearest.

use crate::error::AbsoluteError;
use crate::geometry as g;
use crate::implicit::iteration_matrix::{IterationMatrix, Weights};
use crate::mechanism::Mechanism;
use crate::template::FREEDOMS;

/// Newton's steps, and steps of a relaxation.
const NEWTON_STEPS: usize = 40;
const RELAXATION_STEPS: usize = 2000;
/// Residuals below this part of the usual accelerations are balance.
const BALANCE: f64 = 1e-11;
/// Of positions, with what sums of them add.
const ROUNDING: f64 = 1e-15;
/// No part turns further in one step.
const LONGEST_TURN: f64 = 0.25;
/// Halvings of a step.
const HALVINGS: usize = 12;

/// Where a search for an equilibrium ended.
#[derive(Clone, Debug)]
pub struct Balance {
    /// The state, at rest.
    pub state: Vec<f64>,
    /// The largest acceleration that is left over. [residual]
    pub residual: f64,
    /// Whether it is balance.
    pub is_balanced: bool,
    /// Steps of Newton's method and of the relaxation.
    pub steps: (usize, usize),
    /// The part that is accelerated the most.
    pub part: usize,
}

/// Whether to look for the nearest equilibrium or to roll downhill.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Search {
    /// Newton's method, a relaxation only where it fails.
    Nearest,
    /// A relaxation from the beginning.
    Downhill,
}

struct Statics<'s, 'm> {
    m: &'s mut Mechanism<'m>,
    matrix: IterationMatrix,
    t: f64,
    lambda: Vec<f64>,
    y: Vec<f64>,
    /// The size of accelerations that count as usual.
    usual: f64,
}

/// Finds an equilibrium near a state.
pub fn equilibrium(
    m: &mut Mechanism<'_>,
    t: f64,
    start: &[f64],
    search: Search,
) -> Result<Balance, AbsoluteError> {
    let mut y = start.to_vec();
    m.bring_to_rest(&mut y);
    m.accelerate(t, &y).map_err(AbsoluteError::NotFinite)?;
    // Accelerations of the parts by their loads alone: a body that hangs is as well balanced as its weight is small.
    let usual = largest(&without_joints(m)).0.max(1e-9);
    let lambda = m.lambda.clone();
    let matrix = IterationMatrix::new(m, true)?;
    let mut statics = Statics { m, matrix, t, lambda, y, usual };
    statics.find(search).map_err(AbsoluteError::NotFinite)
}

impl Statics<'_, '_> {
    fn find(&mut self, search: Search) -> Result<Balance, String> {
        let (mut newton, mut relaxation) = (0, 0);
        let start = (self.y.clone(), self.lambda.clone());
        if search == Search::Nearest {
            newton = self.by_newton()?;
        }
        if search == Search::Downhill || !self.is_balanced()? {
            if search == Search::Nearest {
                (self.y, self.lambda) = start;
            }
            relaxation = self.by_relaxation()?;
            newton += self.by_newton()?;
        }
        let (residual, part) = self.residual()?;
        Ok(Balance {
            state: self.y.clone(),
            residual,
            is_balanced: self.is_balanced()?,
            steps: (newton, relaxation),
            part,
        })
    }

    fn is_balanced(&mut self) -> Result<bool, String> {
        let open = self.m.g.iter().zip(&self.m.skipped).filter(|(_, s)| !**s).map(|(g, _)| g.abs());
        let open = open.fold(0.0, f64::max);
        // Stiff springs leave what rounding of positions makes of their forces.
        let rounding = ROUNDING * self.matrix.stiffest() * self.m.size(&self.y);
        Ok(self.residual()?.0 <= 100.0 * BALANCE * self.usual + rounding && open < 1e-8)
    }

    /// [residual] at the present state, and the part.
    fn residual(&mut self) -> Result<(f64, usize), String> {
        self.evaluate(&self.y.clone())?;
        let (a, k) = largest(&self.accelerations(&self.lambda));
        Ok((a, k / FREEDOMS))
    }

    fn evaluate(&mut self, y: &[f64]) -> Result<(), String> {
        self.m.evaluate(self.t, y)?;
        self.m.apply_loads(y)
    }

    /// M⁻¹ (Q + Gᵀλ)
    fn accelerations(&self, lambda: &[f64]) -> Vec<f64> {
        let mut f = self.m.force.clone();
        self.m.pull(lambda, &mut f);
        divided(self.m, &f)
    }

    fn merit(&self, lambda: &[f64]) -> f64 {
        let a: f64 = self.accelerations(lambda).iter().map(|a| (a / self.usual).powi(2)).sum();
        let g: f64 = self.m.g.iter().zip(&self.m.skipped).map(|(g, s)| if *s { 0.0 } else { g * g }).sum();
        let sum = a + g;
        if sum.is_nan() { f64::INFINITY } else { sum }
    }

    /// The step with a shift s at the present state, no longer than parts may turn.
    fn step(&mut self, shift: f64) -> Result<Option<(Vec<f64>, f64)>, String> {
        let n = FREEDOMS * self.m.n_parts();
        self.evaluate(&self.y.clone())?;
        self.matrix.update(self.m, self.t, &self.y, &self.lambda)?;
        if !self.matrix.factorise(self.m, Weights { mass: shift, damping: 0.0, stiffness: 1.0 }) {
            return Ok(None);
        }
        let mut rhs = vec![0.0; n + self.lambda.len()];
        rhs[..n].copy_from_slice(&self.m.force);
        self.m.pull(&self.lambda, &mut rhs[..n]);
        for (r, (g, skipped)) in self.m.g.iter().zip(&self.m.skipped).enumerate() {
            rhs[n + r] = if *skipped { 0.0 } else { -g };
        }
        if !self.matrix.solve(&mut rhs) {
            return Ok(None);
        }
        let turn = rhs[..n].chunks_exact(FREEDOMS).map(|d| g::norm([d[3], d[4], d[5]])).fold(0.0, f64::max);
        Ok(Some((rhs, (LONGEST_TURN / turn).min(1.0))))
    }

    fn moved(&self, step: &[f64], factor: f64) -> (Vec<f64>, Vec<f64>) {
        let n = FREEDOMS * self.m.n_parts();
        let mut y = self.y.clone();
        self.m.shift(&mut y, &step[..n], factor);
        let lambda = self.lambda.iter().zip(&step[n..]).map(|(l, d)| l + factor * d).collect();
        (y, lambda)
    }

    /// Newton's method with line search; the steps it took.
    fn by_newton(&mut self) -> Result<usize, String> {
        for k in 0..NEWTON_STEPS {
            let before = {
                self.evaluate(&self.y.clone())?;
                self.merit(&self.lambda)
            };
            if before.sqrt() < BALANCE {
                return Ok(k);
            }
            let Some((step, mut factor)) = self.step(0.0)? else { return Ok(k) };
            let mut is_better = false;
            for _ in 0..HALVINGS {
                let (y, lambda) = self.moved(&step, factor);
                self.evaluate(&y)?;
                if self.merit(&lambda) < before * (1.0 - 0.1 * factor) {
                    (self.y, self.lambda, is_better) = (y, lambda, true);
                    break;
                }
                factor *= 0.5;
            }
            if !is_better {
                return Ok(k);
            }
            self.m.measure(&self.y, true);
        }
        Ok(NEWTON_STEPS)
    }

    /// [relax]; the steps it took.
    fn by_relaxation(&mut self) -> Result<usize, String> {
        self.evaluate(&self.y.clone())?;
        self.matrix.update(self.m, self.t, &self.y, &self.lambda)?;
        let first = self.matrix.stiffest().max(self.usual);
        let mut shift = first;
        let mut before = self.merit(&self.lambda).sqrt();
        for k in 0..RELAXATION_STEPS {
            if before < 1e-6 {
                return Ok(k);
            }
            let Some((step, factor)) = self.step(shift)? else {
                shift = (4.0 * shift).max(1e-9 * first);
                continue;
            };
            (self.y, self.lambda) = self.moved(&step, factor);
            self.m.measure(&self.y, true);
            self.evaluate(&self.y.clone())?;
            let now = self.merit(&self.lambda).sqrt();
            shift *= (now / before).clamp(0.3, 2.0);
            before = now;
        }
        Ok(RELAXATION_STEPS)
    }
}

/// M⁻¹ f
fn divided(m: &Mechanism<'_>, f: &[f64]) -> Vec<f64> {
    let mut a = f.to_vec();
    for (k, part) in m.structure.parts.iter().enumerate() {
        let f = &f[FREEDOMS * k..][..FREEDOMS];
        // As of a round part, so that a thin rod does not count more about its axis.
        let moment = (0..3).map(|i| part.inertia[i][i]).fold(0.0, f64::max);
        (0..FREEDOMS).for_each(|i| a[FREEDOMS * k + i] = f[i] / if i < 3 { part.mass } else { moment });
    }
    a
}

fn without_joints(m: &Mechanism<'_>) -> Vec<f64> {
    divided(m, &m.force)
}

fn largest(a: &[f64]) -> (f64, usize) {
    let sizes = a.iter().enumerate().map(|(k, a)| (a.abs(), k));
    sizes.max_by(|a, b| a.0.total_cmp(&b.0)).unwrap_or((0.0, 0))
}
