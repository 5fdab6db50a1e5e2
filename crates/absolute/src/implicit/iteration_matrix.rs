//! The matrix of implicit methods, of equilibria and of small vibrations.
//!
//! ```text
//! [matrix]   ( m M + c C + k K   -Gᵀ )        C = ∂(h - Q)/∂(v; w),   K = -∂(Q + Gᵀλ)/∂(directions)
//!            (       G            0  )
//! ```
//!
//! A part, a spring, a bushing and a joint add blocks of their own. The derivatives of springs, dampers, bushings and gyroscopic terms
//! are exact, by one kernel per kind; with `is_whole` so are those of Gᵀλ by the kernels of pairs, and loads and rows written as
//! expressions are differenced. Without it they are left out, which costs Newton's method iterations where such loads are stiff.

use cardan_solve::sparse::SparseLu;

use crate::error::Unsupported;
use crate::geometry as g;
use crate::kernel::Kernel;
use crate::mechanism::{AT_REST, Mechanism};
use crate::parts::GROUND;
use crate::template::{FREEDOMS, STATE};

/// Factors of M, C and K.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Weights {
    /// Of M.
    pub mass: f64,
    /// Of C.
    pub damping: f64,
    /// Of K.
    pub stiffness: f64,
}

/// M, C and K as lists of values in the order of the pattern.
#[derive(Clone, Debug, Default)]
struct Blocks {
    mass: Vec<f64>,
    damping: Vec<f64>,
    stiffness: Vec<f64>,
}

/// The sparse matrix with its factors.
#[derive(Debug)]
pub struct IterationMatrix {
    lu: SparseLu,
    values: Vec<f64>,
    /// Slots of the entries in the order in which they are added.
    slots: Vec<usize>,
    slopes: Vec<Kernel>,
    /// Derivatives of Gᵀλ, by groups of pairs.
    geometric: Vec<Kernel>,
    is_whole: bool,
    blocks: Blocks,
    /// Pairs of parts of each block of 36 values.
    places: Vec<(usize, usize)>,
}

fn state(y: &[f64], part: usize) -> &[f64] {
    if part == GROUND { &AT_REST[..] } else { &y[STATE * part..][..STATE] }
}

impl IterationMatrix {
    /// Analyses the pattern of a mechanism.
    pub fn new(m: &Mechanism<'_>, is_whole: bool) -> Result<IterationMatrix, Unsupported> {
        let (n_parts, n_rows) = (m.n_parts(), m.n_rows());
        let n = FREEDOMS * n_parts + n_rows;
        let mut places: Vec<(usize, usize)> = (0..n_parts).map(|k| (k, k)).collect();
        let mut pair = |parts: &[usize]| {
            let moving = || parts.iter().filter(|p| **p != GROUND);
            places.extend(moving().flat_map(|a| moving().map(move |b| (*a, *b))));
        };
        m.loads.groups.iter().flat_map(|g| &g.instances).for_each(|i| pair(&i.parts));
        let mut geometric = vec![];
        if is_whole {
            m.pairs_of_groups().flatten().for_each(|parts| pair(parts));
            geometric = m.geometric_kernels()?;
            m.couplings().iter().for_each(|parts| pair(parts));
        }
        let mut entries = vec![];
        for (a, b) in &places {
            for i in 0..FREEDOMS {
                entries.extend((0..FREEDOMS).map(|j| (FREEDOMS * a + i, FREEDOMS * b + j)));
            }
        }
        for b in &m.blocks {
            for (part, _) in &b.sides {
                for r in 0..b.rows {
                    let row = FREEDOMS * n_parts + b.first + r;
                    entries.extend((0..FREEDOMS).map(|j| (row, FREEDOMS * part + j)));
                    entries.extend((0..FREEDOMS).map(|j| (FREEDOMS * part + j, row)));
                }
            }
        }
        entries.extend((0..n_rows).map(|r| (FREEDOMS * n_parts + r, FREEDOMS * n_parts + r)));
        let (lu, slots) = SparseLu::new(n, &entries)
            .ok_or_else(|| Unsupported::Program("the sparse matrix could not be analysed".into()))?;
        let slopes: Result<Vec<Kernel>, Unsupported> = m.loads.groups.iter().map(|g| g.slopes()).collect();
        Ok(IterationMatrix {
            values: vec![0.0; lu.n_values()],
            slopes: slopes?,
            blocks: Blocks::default(),
            lu,
            slots,
            geometric,
            is_whole,
            places,
        })
    }

    /// Computes M, C and K at a state. The mechanism was evaluated there; `lambda` are the multipliers.
    pub fn update(&mut self, m: &mut Mechanism<'_>, t: f64, y: &[f64], lambda: &[f64]) -> Result<(), String> {
        let n = FREEDOMS * FREEDOMS * self.places.len();
        let mut found = std::mem::take(&mut self.blocks);
        for list in [&mut found.mass, &mut found.damping, &mut found.stiffness] {
            list.clear();
            list.resize(n, 0.0);
        }
        for (k, part) in m.structure.parts.iter().enumerate() {
            let s = &y[STATE * k..];
            let w = [s[10], s[11], s[12]];
            let momentum = g::apply(&part.inertia, w);
            for i in 0..FREEDOMS {
                for j in 0..FREEDOMS {
                    let at = FREEDOMS * (FREEDOMS * k + i) + j;
                    if i < 3 && i == j {
                        found.mass[at] = part.mass;
                    } else if i >= 3 && j >= 3 {
                        // ∂(w × J w)/∂w = [w] J - [J w]
                        let column = [part.inertia[0][j - 3], part.inertia[1][j - 3], part.inertia[2][j - 3]];
                        let spun = g::sub(g::cross(w, column), g::cross(momentum, g::IDENTITY[j - 3]));
                        found.mass[at] = part.inertia[i - 3][j - 3];
                        found.damping[at] = spun[i - 3];
                    }
                }
            }
        }
        let mut next = FREEDOMS * FREEDOMS * m.n_parts();
        const ALL: usize = 2 * FREEDOMS * 2 * FREEDOMS;
        let mut add = |kernel: &Kernel, k: usize, parts: &[usize; 2], is_damped: bool| {
            for (sa, _) in parts.iter().enumerate().filter(|(_, p)| **p != GROUND) {
                for (sb, _) in parts.iter().enumerate().filter(|(_, p)| **p != GROUND) {
                    for i in 0..FREEDOMS {
                        for j in 0..FREEDOMS {
                            let at = 2 * FREEDOMS * (FREEDOMS * sa + i) + FREEDOMS * sb + j;
                            found.stiffness[next] = -kernel.output(k, at);
                            if is_damped {
                                found.damping[next] = -kernel.output(k, ALL + at);
                            }
                            next += 1;
                        }
                    }
                }
            }
        };
        for (group, kernel) in m.loads.groups.iter().zip(&mut self.slopes) {
            for (k, instance) in group.instances.iter().enumerate() {
                kernel.set(k, 0, state(y, instance.parts[0]));
                kernel.set(k, STATE, state(y, instance.parts[1]));
            }
            kernel.run()?;
            for (k, instance) in group.instances.iter().enumerate() {
                add(kernel, k, &instance.parts, true);
            }
        }
        if self.is_whole {
            m.run_geometric(&mut self.geometric, y, lambda)?;
            for (parts, kernel) in m.pairs_of_groups().zip(&self.geometric) {
                for (k, parts) in parts.iter().enumerate() {
                    add(kernel, k, parts, false);
                }
            }
            m.difference_couplings(t, y, lambda, (&mut found.stiffness[next..], &mut found.damping[next..]))?;
        }
        self.blocks = found;
        Ok(())
    }

    /// Fills and factorises [matrix] with the gradient of the last evaluation; `false` if it is singular.
    pub fn factorise(&mut self, m: &Mechanism<'_>, weights: Weights) -> bool {
        let Weights { mass, damping, stiffness } = weights;
        let Blocks { mass: of_mass, damping: of_damping, stiffness: of_stiffness } = &self.blocks;
        self.values.fill(0.0);
        for (k, slot) in self.slots[..of_mass.len()].iter().enumerate() {
            self.values[*slot] += mass * of_mass[k] + damping * of_damping[k] + stiffness * of_stiffness[k];
        }
        let mut next = of_mass.len();
        for b in &m.blocks {
            for (_, first) in &b.sides {
                for r in 0..b.rows {
                    let is_kept = !m.skipped[b.first + r];
                    let row = &m.gradient[first + FREEDOMS * r..][..FREEDOMS];
                    for sign in [1.0, -1.0] {
                        for x in row {
                            self.values[self.slots[next]] += if is_kept { sign * x } else { 0.0 };
                            next += 1;
                        }
                    }
                }
            }
        }
        for skipped in &m.skipped {
            self.values[self.slots[next]] += if *skipped { 1.0 } else { 0.0 };
            next += 1;
        }
        self.lu.factorise(&self.values)
    }

    /// Replaces the right-hand side by the solution; `false` if a number is not finite.
    pub fn solve(&self, rhs: &mut [f64]) -> bool {
        self.lu.solve(rhs)
    }

    /// x += (m M + c C + k K) d
    pub fn times(&self, weights: Weights, d: &[f64], x: &mut [f64]) {
        let Blocks { mass, damping, stiffness } = &self.blocks;
        for (p, (a, b)) in self.places.iter().enumerate() {
            for i in 0..FREEDOMS {
                let first = FREEDOMS * (FREEDOMS * p + i);
                for j in 0..FREEDOMS {
                    let k = first + j;
                    let value = weights.mass * mass[k]
                        + weights.damping * damping[k]
                        + weights.stiffness * stiffness[k];
                    x[FREEDOMS * a + i] += value * d[FREEDOMS * b + j];
                }
            }
        }
    }

    /// Sizes of M and K: the largest ratio of diagonal entries, a squared circular frequency; zero before an update.
    pub fn stiffest(&self) -> f64 {
        if self.blocks.mass.is_empty() {
            return 0.0;
        }
        let diagonal = |list: &[f64], n: usize| -> Vec<f64> {
            let mut sums = vec![0.0; n];
            for (p, (a, _)) in self.places.iter().enumerate().filter(|(_, (a, b))| a == b) {
                for i in 0..FREEDOMS {
                    sums[FREEDOMS * a + i] += list[FREEDOMS * (FREEDOMS * p + i) + i];
                }
            }
            sums
        };
        let n = self.places.iter().map(|(a, _)| FREEDOMS * (a + 1)).max().unwrap_or(0);
        let (m, k) = (diagonal(&self.blocks.mass, n), diagonal(&self.blocks.stiffness, n));
        m.iter().zip(&k).map(|(m, k)| k.abs() / m).fold(0.0, f64::max)
    }
}
