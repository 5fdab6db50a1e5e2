//! What the iteration matrix asks of a mechanism: residuals, derivatives of constraint forces, differences of loads by expressions.
//!
//! ```text
//! [geometric]    ∂(Gᵀλ)/∂(directions) at constant λ                    by the kernels of pairs
//! [coupled]      loads and rows by expressions feel the parts of the joints that they name; these are differenced
//! ```

use cardan_base::Map;
use cardan_expr::Expr;

use crate::error::Unsupported;
use crate::geometry as g;
use crate::kernel::Kernel;
use crate::mechanism::{AT_REST, Mechanism, PairGroup, SINGULAR};
use crate::parts::GROUND;
use crate::scalar_rows::RowLaw;
use crate::template::{FREEDOMS, STATE, pair_slopes_program};

/// Displacements of differences: central ones are best near the cube root of the rounding error.
const DIFFERENCE: f64 = 6e-6;

impl Mechanism<'_> {
    /// Q - h + Gᵀλ - M a, six numbers for each part, at the last evaluation.
    pub(crate) fn newton_residual(&self, a: &[f64], lambda: &[f64], out: &mut [f64]) {
        out.copy_from_slice(&self.force);
        self.pull(lambda, out);
        for (p, part) in self.structure.parts.iter().enumerate() {
            let a = &a[FREEDOMS * p..][..FREEDOMS];
            let turned = g::apply(&part.inertia, [a[3], a[4], a[5]]);
            for i in 0..3 {
                out[FREEDOMS * p + i] -= part.mass * a[i];
                out[FREEDOMS * p + i + 3] -= turned[i];
            }
        }
    }

    /// G a + γ at the last evaluation.
    pub(crate) fn row_accelerations(&self, a: &[f64], out: &mut [f64]) {
        self.gather(a, out);
        out.iter_mut().zip(&self.gamma).for_each(|(x, c)| *x += c);
    }

    /// Whether a row constrains velocities alone.
    pub(crate) fn is_nonholonomic(&self, row: usize) -> bool {
        self.nonholonomic[row]
    }

    /// Solves with G M⁻¹ Gᵀ of the rows of positions, at the last evaluation.
    pub(crate) fn solve_positions(&mut self, x: &mut [f64]) {
        self.fill();
        let skip: Vec<bool> = self.skipped.iter().zip(&self.nonholonomic).map(|(s, n)| *s || *n).collect();
        self.ldl.factorise(&self.values, &skip, SINGULAR);
        x.iter_mut().zip(&skip).filter(|(_, s)| **s).for_each(|(x, _)| *x = 0.0);
        self.ldl.solve(x);
    }

    /// Parts of the instances of each group of pairs.
    pub(crate) fn pairs_of_groups(&self) -> impl Iterator<Item = &Vec<[usize; 2]>> {
        self.groups.iter().map(|g| &g.parts)
    }

    /// Kernels of [geometric], with the data of their pairs.
    pub(crate) fn geometric_kernels(&self) -> Result<Vec<Kernel>, Unsupported> {
        let made = |group: &PairGroup| {
            let program = pair_slopes_program(group.kind).map_err(|e| Unsupported::Program(e.to_string()))?;
            let mut kernel = Kernel::new(&program, group.parts.len())?;
            for k in 0..group.parts.len() {
                let data: Vec<f64> = (2 * STATE..2 * STATE + 27).map(|i| group.kernel.input(k, i)).collect();
                kernel.set(k, 2 * STATE, &data);
            }
            Ok(kernel)
        };
        self.groups.iter().map(made).collect()
    }

    /// Runs [geometric] at a state.
    pub(crate) fn run_geometric(
        &self,
        kernels: &mut [Kernel],
        y: &[f64],
        lambda: &[f64],
    ) -> Result<(), String> {
        let state = |part: usize| if part == GROUND { &AT_REST[..] } else { &y[STATE * part..][..STATE] };
        for (group, kernel) in self.groups.iter().zip(kernels) {
            for (k, (parts, block)) in group.parts.iter().zip(&group.blocks).enumerate() {
                let block = &self.blocks[*block];
                kernel.set(k, 0, state(parts[0]));
                kernel.set(k, STATE, state(parts[1]));
                let sizes: Vec<f64> = (0..3).map(|i| group.kernel.input(k, 2 * STATE + 24 + i)).collect();
                kernel.set(k, 2 * STATE + 24, &sizes);
                let kept = |r: usize| if self.skipped[r] { 0.0 } else { lambda[r] };
                let own: Vec<f64> = (block.first..block.first + block.rows).map(kept).collect();
                kernel.set(k, 2 * STATE + 27, &own);
            }
            kernel.run()?;
        }
        Ok(())
    }

    /// Parts that feel one another through loads and rows by expressions. [coupled]
    pub(crate) fn couplings(&self) -> Vec<Vec<usize>> {
        let mut found: Vec<Vec<usize>> = vec![];
        let mut owner: Map<Expr, usize> = Map::default();
        for (k, chain) in self.structure.chains.iter().enumerate() {
            let coordinates = &self.model.joints[chain.joint].coordinates;
            owner.extend(coordinates.iter().map(|q| (self.model.coordinates[*q].symbol, k)));
        }
        for ((_, speed), freedom) in self.model.speeds.iter().zip(&self.freedoms) {
            owner.insert(speed.symbol, self.chain_of(*freedom).0);
        }
        let pool = self.model.space.pool();
        let chains_of = |e: Expr| -> Vec<usize> {
            let chains = pool.reachable([e]).into_iter().filter_map(|x| owner.get(&x));
            chains.flat_map(|k| [self.structure.chains[*k].a, self.structure.chains[*k].b]).collect()
        };
        for load in &self.loads.stated {
            let mut parts = vec![load.on];
            parts.extend(load.reaction.iter().map(|(p, _)| *p));
            for (part, _, place) in &load.terms {
                parts.push(*part);
                parts.extend(chains_of(self.scalars.expression(*place)));
            }
            let points = load.at.iter().chain(load.reaction.iter().filter_map(|(_, p)| p.as_ref()));
            for point in points {
                parts.push(point.frame.part);
                point.coordinates.iter().for_each(|c| parts.extend(chains_of(self.scalars.expression(*c))));
            }
            found.push(parts);
        }
        for (k, row) in self.rows.iter().enumerate() {
            let mut parts: Vec<usize> =
                self.blocks[self.first_scalar + k].sides.iter().map(|(p, _)| *p).collect();
            let places = match &row.law {
                RowLaw::Stated { position, velocity, .. } => {
                    position.iter().chain([velocity]).copied().collect()
                }
                RowLaw::Follows { places, .. } => places.to_vec(),
                RowLaw::Held { .. } => vec![],
            };
            places.into_iter().for_each(|p| parts.extend(chains_of(self.scalars.expression(p))));
            found.push(parts);
        }
        for parts in &mut found {
            parts.retain(|p| *p != GROUND);
            parts.sort_unstable();
            parts.dedup();
        }
        found
    }

    /// Differences of loads and rows by expressions: stiffness and damping, block by block as [`Self::couplings`] lists them.
    pub(crate) fn difference_couplings(
        &mut self,
        t: f64,
        y: &[f64],
        lambda: &[f64],
        (stiffness, damping): (&mut [f64], &mut [f64]),
    ) -> Result<(), String> {
        let couplings = self.couplings();
        if couplings.is_empty() {
            return Ok(());
        }
        let kept = (self.force.clone(), self.gradient.clone(), self.powers.clone());
        let n = FREEDOMS * self.n_parts();
        let mut next = 0;
        let mut place = y.to_vec();
        let all: Vec<usize> = {
            let mut all: Vec<usize> = couplings.iter().flatten().copied().collect();
            all.sort_unstable();
            all.dedup();
            all
        };
        // Columns of each part that takes part: forces of every coupling apart.
        let n_loads = self.loads.stated.len();
        let mut columns: Map<(usize, usize, bool), Vec<Vec<f64>>> = Map::default();
        for part in &all {
            for k in 0..FREEDOMS {
                for is_rate in [false, true] {
                    let mut sides = vec![];
                    for sign in [1.0, -1.0] {
                        place.copy_from_slice(y);
                        let mut step = vec![0.0; n];
                        step[FREEDOMS * part + k] = sign * DIFFERENCE;
                        match is_rate {
                            true => place[STATE * part + 7 + k] += sign * DIFFERENCE,
                            false => self.shift(&mut place, &step, 1.0),
                        }
                        sides.push(self.coupled_forces(t, &place, lambda, &couplings, *part)?);
                    }
                    let slopes: Vec<Vec<f64>> = sides[0]
                        .iter()
                        .zip(&sides[1])
                        .map(|(a, b)| a.iter().zip(b).map(|(a, b)| (a - b) / (2.0 * DIFFERENCE)).collect())
                        .collect();
                    columns.insert((*part, k, is_rate), slopes);
                }
            }
        }
        for (c, parts) in couplings.iter().enumerate() {
            for (ia, _) in parts.iter().enumerate() {
                for b in parts {
                    for i in 0..FREEDOMS {
                        for j in 0..FREEDOMS {
                            let value = |is_rate: bool| {
                                let list = columns.get(&(*b, j, is_rate)).map_or(&[][..], |l| &l[c]);
                                list.get(FREEDOMS * ia + i).copied().unwrap_or(0.0)
                            };
                            stiffness[next] = -value(false);
                            // A row acts with its multiplier whatever the speeds are.
                            damping[next] = if c < n_loads { -value(true) } else { 0.0 };
                            next += 1;
                        }
                    }
                }
            }
        }
        (self.force, self.gradient, self.powers) = kept;
        self.evaluate(t, y)?;
        self.apply_loads(y)
    }

    /// Forces of every coupling that names a part, on the parts of the coupling; nothing for the others.
    fn coupled_forces(
        &mut self,
        t: f64,
        y: &[f64],
        lambda: &[f64],
        couplings: &[Vec<usize>],
        part: usize,
    ) -> Result<Vec<Vec<f64>>, String> {
        self.measure(y, false);
        let s = &y[STATE * self.n_parts()..][..self.model.states.len()];
        self.scalars.run(t, [&self.q, &self.u, s], &[], &[])?;
        self.evaluate_scalar_rows(y);
        let n_loads = self.loads.stated.len();
        let mut found = Vec::with_capacity(couplings.len());
        for (c, parts) in couplings.iter().enumerate() {
            if !parts.contains(&part) {
                found.push(vec![]);
                continue;
            }
            let mut own = Vec::with_capacity(FREEDOMS * parts.len());
            if c < n_loads {
                parts.iter().for_each(|p| self.force[FREEDOMS * p..][..FREEDOMS].fill(0.0));
                self.apply_stated(y, c);
                parts.iter().for_each(|p| own.extend(&self.force[FREEDOMS * p..][..FREEDOMS]));
            } else {
                let block = &self.blocks[self.first_scalar + c - n_loads];
                let l = if self.skipped[block.first] { 0.0 } else { lambda[block.first] };
                for p in parts {
                    let side = block.sides.iter().find(|(q, _)| q == p);
                    own.extend((0..FREEDOMS).map(|j| side.map_or(0.0, |(_, at)| l * self.gradient[at + j])));
                }
            }
            found.push(own);
        }
        Ok(found)
    }

    /// S with each part taken as round, factorised; its diagonal.
    pub(crate) fn fill_round(&mut self) -> Vec<f64> {
        let weighted = self.weighted.clone();
        self.weigh_round();
        self.fill();
        self.weighted = weighted;
        let diagonal = self.diagonal();
        // A little is added lest a pivot vanish.
        let found: Vec<f64> = diagonal.iter().map(|d| d.map_or(0.0, |slot| self.values[slot])).collect();
        for slot in diagonal.into_iter().flatten() {
            self.values[slot] *= 1.0 + 64.0 * f64::EPSILON;
        }
        self.ldl.factorise(&self.values, &self.skipped, 0.0);
        found.iter().zip(&self.skipped).map(|(d, s)| if *s { 0.0 } else { *d }).collect()
    }

    /// W Gᵀ with each part taken as round, so that thin rods do not blur what G alone says.
    pub(super) fn weigh_round(&mut self) {
        for block in &self.blocks {
            for (part, first) in &block.sides {
                let data = &self.structure.parts[*part];
                let moment = (0..3).map(|i| data.inertia[i][i] + data.lent[i][i]).fold(0.0, f64::max);
                for k in 0..FREEDOMS * block.rows {
                    let inertia = if k % FREEDOMS < 3 { data.mass } else { moment };
                    self.weighted[first + k] = self.gradient[first + k] / inertia;
                }
            }
        }
    }
}
