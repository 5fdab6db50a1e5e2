//! What joints bear: multipliers, shared with the least norm where rows are redundant.

use cardan_base::{Id, Map};
use cardan_model::ConstraintId;

use crate::geometry::{self as g, Vec3};
use crate::mechanism::{Mechanism, SHIFT};
use crate::scalar_rows::RowLaw;
use crate::template::{FREEDOMS, STATE};

impl Mechanism<'_> {
    /// Shares what redundant rows bear with the least norm, at the last evaluation. [least-norm]
    ///
    /// ```text
    /// [least-norm]   (S + ε D) λ_{k+1} = S λ + ε D λ_k,  λ_0 = 0      S = G M⁻¹ Gᵀ, D its diagonal, which measures rows
    /// ```
    pub fn share(&mut self) {
        if !self.skipped.contains(&true) {
            return;
        }
        let mut x = vec![0.0; FREEDOMS * self.n_parts()];
        let mut b = vec![0.0; self.n_rows];
        self.spread(&self.lambda, &mut x);
        self.gather(&x, &mut b);
        let skipped = std::mem::replace(&mut self.skipped, vec![false; self.n_rows]);
        self.fill();
        // Rows of forces and of torques have diagonals of different sizes.
        let diagonal = self.diagonal();
        let shifts: Vec<f64> =
            diagonal.iter().map(|d| d.map_or(0.0, |slot| SHIFT * self.values[slot])).collect();
        for (slot, shift) in diagonal.into_iter().zip(&shifts) {
            slot.into_iter().for_each(|slot| self.values[slot] += shift);
        }
        self.ldl.factorise(&self.values, &self.skipped, 0.0);
        let mut lambda = vec![0.0; self.n_rows];
        for _ in 0..4 {
            lambda.iter_mut().zip(b.iter().zip(&shifts)).for_each(|(l, (b, e))| *l = b + e * *l);
            self.ldl.solve(&mut lambda);
        }
        self.lambda = lambda;
        self.skipped = skipped;
    }

    /// Places of the diagonal of G M⁻¹ Gᵀ, row by row; nothing for a row that acts on no part.
    pub(super) fn diagonal(&self) -> Vec<Option<usize>> {
        let same = self.contributions.iter().filter(|c| c.is_same);
        let firsts: Map<usize, usize> = same.map(|c| (c.a, c.first)).collect();
        let mut found = vec![None; self.n_rows];
        for block in &self.blocks {
            let Some(first) = block.sides.first().and_then(|(_, at)| firsts.get(at)) else { continue };
            for r in 0..block.rows {
                // Row r of a lower triangle ends with its diagonal.
                found[block.first + r] = Some(self.slots[first + r * (r + 3) / 2]);
            }
        }
        found
    }

    /// The powers of drives at the last evaluation: multiplier times prescribed rate.
    pub fn drive_power(&self, constraint: ConstraintId) -> f64 {
        let mut power = 0.0;
        for (k, row) in self.rows.iter().enumerate() {
            let RowLaw::Stated { velocity, source, .. } = &row.law else { continue };
            if source.0 != constraint.index() {
                continue;
            }
            let moved: f64 = row
                .terms
                .iter()
                .map(|(f, c, p)| c * p.map_or(1.0, |p| self.scalars.value(p)) * self.rate(*f))
                .sum();
            let lambda = self.lambda[self.blocks[self.first_scalar + k].first];
            power -= lambda * (self.scalars.value(*velocity) - moved);
        }
        power
    }

    /// Force on the second part of a chain and torque about a place, in inertial axes, by all rows of the chain.
    pub fn chain_reaction(&self, y: &[f64], chain: usize, about: Vec3) -> (Vec3, Vec3) {
        let part = self.structure.chains[chain].b;
        let (mut force, mut torque) = ([0.0; 3], [0.0; 3]);
        let s = &y[STATE * part..];
        let r = g::matrix([s[3], s[4], s[5], s[6]]);
        for block in self.blocks.iter().filter(|b| b.chain == Some(chain)) {
            let Some((_, first)) = block.sides.iter().find(|(p, _)| *p == part) else { continue };
            for i in 0..block.rows {
                let row = &self.gradient[first + FREEDOMS * i..][..FREEDOMS];
                let l = self.lambda[block.first + i];
                force = g::add(force, g::scale(l, [row[0], row[1], row[2]]));
                torque = g::add(torque, g::scale(l, g::apply(&r, [row[3], row[4], row[5]])));
            }
        }
        // From the mass centre to the place.
        let arm = g::sub([s[0], s[1], s[2]], about);
        (force, g::add(torque, g::cross(arm, force)))
    }

    /// Multipliers of a constraint of the model, by row.
    pub fn multipliers(&self, constraint: usize) -> Option<Vec<f64>> {
        let mut found: Vec<(usize, f64)> = vec![];
        for block in &self.blocks {
            match block.constraint {
                Some((c, row)) if c == constraint => {
                    found.extend((0..block.rows).map(|r| (row + r, self.lambda[block.first + r])));
                }
                _ => {}
            }
        }
        found.sort_by_key(|f| f.0);
        (!found.is_empty()).then(|| found.into_iter().map(|f| f.1).collect())
    }
}
