//! The sparse equations of motion in absolute coordinates.
//!
//! ```text
//! [newton]     m v̇ = f + ...,   J ẇ + w × J w = τ + ...        in the inertial axes and in the body
//! [augmented]  M a + h = Q + Gᵀ λ,   G a + γ = 0
//! [schur]      (G M⁻¹ Gᵀ) λ = -(γ + G M⁻¹ (Q - h))             sparse, positive definite on independent rows
//! [position]   δ = -M⁻¹ Gᵀ (G M⁻¹ Gᵀ)⁻¹ g                       the shortest way onto the constraints, by mass
//! [velocity]   δv = -M⁻¹ Gᵀ (G M⁻¹ Gᵀ)⁻¹ ġ
//! ```
//!
//! The pattern of [schur] is that of joints that share a part: a chain of n links has a band, whatever n is. Rows that
//! repeat others are found by their pivots ([`SparseLdl`]) and left out of the equations; they are named, and reactions
//! share what they bear with the least norm.
//!
//! - `pattern`: blocks of rows and the pattern of the matrix; `measurement`: coordinates of joints; `applied_loads`: forces;
//! - `projection`: onto the constraints; `reactions`: what joints bear;
//! - `natural_coordinates`: what these ask for; `linearisation`: derivatives of forces; `singularity`: positions in which rows repeat one another;
//! - `multipliers`: multipliers and reactions that expressions name; `works`: of loads and drives.

mod applied_loads;
mod linearisation;
mod measurement;
pub(crate) mod multipliers;
mod natural_coordinates;
mod pattern;
mod projection;
mod reactions;
pub mod singularity;
pub mod works;

use std::collections::BTreeMap;
use std::sync::Arc;

use cardan_base::Id;
use cardan_expr::{Depends, Expr};
use cardan_model::{Event, Model, Target};
use cardan_solve::sparse::SparseLdl;

use crate::contact::{ContactLaw, Contacts};
use crate::error::Unsupported;
use crate::geometry::{self as g, Pose, Vec3};
use crate::joint_chain::{Lookup, Measured};
use crate::kernel::Kernel;
use crate::loads::Loads;
use crate::mechanism::pattern::{Origin, Placed, chains_of_freedoms, group, marked, pattern};
use crate::pairing::{Pair, PairKind, Place, pairs};
use crate::parts::{Constants, GROUND, Structure};
use crate::scalar_rows::{RowLaw, ScalarRow, Scalars, following_rows, freedoms_of_speeds, stated_rows};
use crate::template::{FREEDOMS, STATE};

/// Pivots below this part of the diagonal are those of rows that repeat others.
const DEPENDENT: f64 = 1e-9;
/// Pivots below this part of the diagonal vanish for an instant, in a singular position.
pub(crate) const SINGULAR: f64 = 1e-13;
/// Repetitions by which lent inertia loses its effect, at most. [lent](crate::parts::Part::lend)
pub(crate) const REPEATS: usize = 12;
/// A change of accelerations by less than this part of them is none.
const SETTLED: f64 = 1e-14;
/// A part of the diagonal that makes redundant rows regular while reactions are shared.
const SHIFT: f64 = 1e-9;
/// The state of the ground.
pub(crate) const AT_REST: [f64; STATE] = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0];

/// Pairs of one kind.
#[derive(Clone, Debug)]
struct PairGroup {
    kind: PairKind,
    kernel: Kernel,
    rows: usize,
    /// The block of each instance.
    blocks: Vec<usize>,
    /// Parts of each instance.
    parts: Vec<[usize; 2]>,
    /// Places of size, rate and acceleration among the scalars, where the size varies.
    sizes: Vec<Option<[usize; 3]>>,
}

/// Rows that belong together, and the parts they act on.
#[derive(Clone, PartialEq, Debug)]
pub struct Block {
    /// Of the joint or constraint.
    pub name: String,
    /// The constraint of the model with its first row, unless it is a joint of the tree.
    pub constraint: Option<(usize, usize)>,
    /// The chain, if it is a joint of the tree.
    pub chain: Option<usize>,
    /// The first of its rows.
    pub first: usize,
    /// How many.
    pub rows: usize,
    /// What they keep, in words of the template.
    pub what: Arc<[String]>,
    /// The markers of a pair.
    pub places: Option<Box<[Place; 2]>>,
    /// Parts, and where their derivatives begin: rows of six.
    pub sides: Vec<(usize, usize)>,
}

/// A model in absolute coordinates, ready to be evaluated.
#[derive(Clone, Debug)]
pub struct Mechanism<'m> {
    pub(crate) model: &'m Model,
    /// Parts and chains.
    pub structure: Structure,
    groups: Vec<PairGroup>,
    pub(crate) rows: Vec<ScalarRow>,
    /// The block of the first scalar row.
    first_scalar: usize,
    /// Blocks of rows.
    pub blocks: Vec<Block>,
    pub(crate) loads: Loads,
    pub(crate) scalars: Scalars,
    /// Rates of auxiliary states.
    pub(crate) state_rates: Vec<usize>,
    pub(crate) freedoms: Vec<usize>,
    gravity: Vec3,
    n_rows: usize,
    /// Values at the last evaluation.
    pub(crate) g: Vec<f64>,
    pub(crate) g_rate: Vec<f64>,
    gamma: Vec<f64>,
    pub(crate) gradient: Vec<f64>,
    /// M⁻¹ times the gradient.
    weighted: Vec<f64>,
    ldl: SparseLdl,
    values: Vec<f64>,
    /// For each pair of blocks on a part: sides, rows, first slot.
    contributions: Vec<Contribution>,
    slots: Vec<usize>,
    /// Rows that are left out.
    pub skipped: Vec<bool>,
    /// Rows that say nothing now.
    idle: Vec<bool>,
    /// Rows of velocities alone.
    nonholonomic: Vec<bool>,
    /// Displacements of chains at the last accepted state.
    pub travels: Vec<f64>,
    /// Turns and displacements of balls and free segments, by chain.
    pub balls: Vec<Vec<Pose>>,
    /// Coordinates, speeds and their derivatives at the last evaluation.
    pub(crate) q: Vec<f64>,
    pub(crate) u: Vec<f64>,
    measured: Vec<Measured>,
    /// Forces on parts.
    pub(crate) force: Vec<f64>,
    /// Multipliers at the last evaluation.
    pub lambda: Vec<f64>,
    /// Accelerations at the last evaluation.
    pub acceleration: Vec<f64>,
    /// Powers of loads at the last evaluation, by load; NaN where there is none.
    pub(crate) powers: Vec<f64>,
    /// Potentials likewise.
    pub(crate) potentials: Vec<f64>,
    pub(crate) euler_coordinates: Vec<crate::initial_pose::BallCoordinates>,
    /// Parts to which inertia is lent.
    pub(crate) lent: Vec<usize>,
    /// Discrete states as they are.
    pub(crate) discretes: Vec<f64>,
    /// Contacts between shapes.
    pub contacts: Option<Contacts>,
    /// Forces of rigid contacts on parts while rows are recorded; else nothing.
    pub(crate) contact_forces: Vec<f64>,
}

#[derive(Clone, Copy, Debug)]
struct Contribution {
    a: usize,
    b: usize,
    rows: [usize; 2],
    first: usize,
    is_same: bool,
}

impl<'m> Mechanism<'m> {
    /// Derives a model. With `hold`, there are rows that hold what the text gives for the start.
    pub fn new(model: &'m Model, hold: bool) -> Result<Mechanism<'m>, Unsupported> {
        refuse(model)?;
        let constants = Constants::of(model);
        let lookup = Lookup::of(model);
        let mut structure = Structure::of(model, &constants, &lookup)?;
        let freedoms = freedoms_of_speeds(model, &structure.chains)?;
        let mut scalars = Scalars::default();
        let mut blocks: Vec<Block> = vec![];
        let mut by_kind: BTreeMap<usize, (PairKind, Vec<Placed>)> = BTreeMap::new();
        let mut kinds: Vec<PairKind> = vec![];
        let mut place = |pair: Pair, origin: Origin| {
            let k = kinds.iter().position(|kind| *kind == pair.kind).unwrap_or_else(|| {
                kinds.push(pair.kind);
                kinds.len() - 1
            });
            by_kind.entry(k).or_insert((pair.kind, vec![])).1.push(Placed { pair, origin });
        };
        for (k, chain) in structure.chains.iter().enumerate() {
            for pair in pairs(chain)? {
                place(
                    pair,
                    Origin { name: chain.name.clone(), chain: Some(k), constraint: None, sizes: None },
                );
            }
        }
        let mut is_pair = vec![false; model.constraints.len()];
        structure.absorbed.iter().for_each(|k| is_pair[*k] = true);
        for (id, constraint) in model.constraints.iter() {
            if is_pair[id.index()] {
                continue;
            }
            let Some(found) = marked(model, &constants, &structure, &mut scalars, id)? else { continue };
            is_pair[id.index()] = true;
            let (pair, sizes) = found;
            let name = constraint.name.clone();
            place(pair, Origin { name, chain: None, constraint: Some(id.index()), sizes });
        }
        let mut groups = vec![];
        let mut n_rows = 0;
        let mut n_values = 0;
        for (_, (kind, placed)) in by_kind {
            groups.push(group(kind, placed, &structure, (&mut blocks, &mut n_rows, &mut n_values))?);
        }
        let first_scalar = blocks.len();
        let mut rows = stated_rows(model, &|k| is_pair[k], &freedoms, &mut scalars)?;
        rows.extend(following_rows(model, &structure.chains, &freedoms, &mut scalars));
        if hold {
            rows.extend(crate::initial_pose::held_rows(model, &structure));
        }
        let chain_of = chains_of_freedoms(&structure);
        for row in &rows {
            let mut parts: Vec<usize> = row
                .terms
                .iter()
                .flat_map(|(k, ..)| {
                    let chain = &structure.chains[chain_of[*k]];
                    [chain.a, chain.b]
                })
                .filter(|p| *p != GROUND)
                .collect();
            parts.sort_unstable();
            parts.dedup();
            let source = match &row.law {
                RowLaw::Stated { source, .. } => Some(*source),
                _ => None,
            };
            let mut sides = vec![];
            for part in parts {
                sides.push((part, n_values));
                n_values += FREEDOMS;
            }
            blocks.push(Block {
                name: row.name.clone(),
                constraint: source,
                chain: match &row.law {
                    RowLaw::Follows { freedom, .. } => Some(chain_of[*freedom]),
                    _ => None,
                },
                first: n_rows,
                rows: 1,
                what: Arc::new([row.what.clone()]),
                places: None,
                sides,
            });
            n_rows += 1;
        }
        let mut nonholonomic = vec![false; n_rows];
        for (row, block) in rows.iter().zip(&blocks[first_scalar..]) {
            nonholonomic[block.first] = matches!(row.law, RowLaw::Stated { position: None, .. });
        }
        let loads = Loads::of(model, &constants, &structure, &mut scalars)?;
        let state_rates = model.states.iter().map(|(_, s)| scalars.ask(s.rate)).collect();
        scalars.compile(model, &[])?;
        let discretes: Vec<f64> =
            model.hybrid.discretes.iter().map(|(_, d)| constants.number(d.start)).collect();
        scalars.hold(&discretes);
        let gravity = constants.numbers(model.space.components(&model.gravity, model.space.newtonian()));
        let (ldl, contributions, slots) = pattern(&blocks, n_rows, structure.parts.len());
        // Impacts of contacts have one try only.
        if model.shape_contacts().next().is_none() {
            lend(&mut structure, &blocks);
        }
        let n_freedoms: usize = structure.chains.iter().map(|c| c.freedoms()).sum();
        let balls = structure.chains.iter().map(|c| vec![Pose::IDENTITY; c.n_balls()]).collect();
        let n_parts = structure.parts.len();
        let euler_coordinates = crate::initial_pose::ball_coordinates(model, &structure);
        Ok(Mechanism {
            model,
            groups,
            rows,
            first_scalar,
            blocks,
            loads,
            scalars,
            state_rates,
            freedoms,
            gravity,
            n_rows,
            g: vec![0.0; n_rows],
            g_rate: vec![0.0; n_rows],
            gamma: vec![0.0; n_rows],
            gradient: vec![0.0; n_values],
            weighted: vec![0.0; n_values],
            values: vec![0.0; ldl.n_values()],
            ldl,
            contributions,
            slots,
            skipped: vec![false; n_rows],
            idle: vec![false; n_rows],
            nonholonomic,
            travels: vec![0.0; n_freedoms],
            balls,
            q: vec![0.0; model.coordinates.len()],
            u: vec![0.0; model.speeds.len()],
            measured: vec![Measured::default(); structure.chains.len()],
            force: vec![0.0; FREEDOMS * n_parts],
            lambda: vec![0.0; n_rows],
            acceleration: vec![0.0; FREEDOMS * n_parts],
            powers: vec![f64::NAN; model.loads.len()],
            potentials: vec![f64::NAN; model.loads.len()],
            euler_coordinates,
            discretes,
            lent: (0..n_parts).filter(|k| structure.parts[*k].is_lent()).collect(),
            contacts: Contacts::of(model, &constants, &structure)?,
            contact_forces: vec![],
            structure,
        })
    }

    /// The number of parts.
    pub fn n_parts(&self) -> usize {
        self.structure.parts.len()
    }

    /// The laws of contacts between shapes.
    pub fn contact_laws(&self) -> &[ContactLaw] {
        self.contacts.as_ref().map_or(&[], |c| &c.pairs.laws)
    }

    /// The number of numbers in a state: 13 for each part, then auxiliary states.
    pub fn n_states(&self) -> usize {
        STATE * self.n_parts() + self.model.states.len()
    }

    /// The number of constraint rows.
    pub fn n_rows(&self) -> usize {
        self.n_rows
    }

    /// The number of different kernels.
    pub fn n_kernels(&self) -> usize {
        self.groups.len() + self.loads.groups.len()
    }

    /// Independent rows.
    pub fn n_independent(&self) -> usize {
        self.skipped.iter().filter(|s| !**s).count()
    }

    /// Numbers in the factor of the sparse matrix.
    pub fn n_filled(&self) -> usize {
        self.ldl.n_filled()
    }

    /// Discrete states have these values from now on.
    pub fn hold(&mut self, discretes: &[f64]) {
        self.discretes.copy_from_slice(discretes);
        self.scalars.hold(discretes);
    }

    /// Whether coordinates must be measured at every evaluation.
    pub(crate) fn measures(&self) -> bool {
        !self.scalars.is_empty() || !self.rows.is_empty()
    }

    /// Constraint and row of a block's row, in words.
    pub fn row_name(&self, row: usize) -> String {
        let block = self.blocks.partition_point(|b| b.first <= row) - 1;
        let block = &self.blocks[block];
        let mut words = block.what[row - block.first].clone();
        for (place, side) in block.places.iter().flat_map(|p| p.iter()).zip(["A", "B"]) {
            for (axis, name) in place.axes.iter().zip(["x", "y", "z"]) {
                let own = self.axis_in_words(place.part, *axis);
                words = words.replace(&format!("({name}0, {name}1, {name}2) of {side}"), &own);
            }
        }
        format!("{}: {words}", block.name)
    }

    /// An axis in words of its part: `z of crank`, or with components where it is none of the part's own axes.
    fn axis_in_words(&self, part: usize, axis: Vec3) -> String {
        let space = &self.model.space;
        let ground = &space.frame(space.newtonian()).name;
        let name = self.structure.parts.get(part).map_or(ground, |p| &p.name);
        let own = (0..3).find(|k| (axis[*k].abs() - 1.0).abs() < 1e-12);
        match own {
            Some(k) => format!("{} of {name}", ["x", "y", "z"][k]),
            None => {
                let [x, y, z] = axis.map(|c| (c * 1e3).round() / 1e3 + 0.0);
                format!("({x}, {y}, {z}) of {name}")
            }
        }
    }

    /// Evaluates the constraint rows and expressions at a state.
    pub fn evaluate(&mut self, t: f64, y: &[f64]) -> Result<(), String> {
        if self.measures() {
            self.measure(y, false);
            let s = &y[STATE * self.n_parts()..][..self.model.states.len()];
            self.scalars.run(t, [&self.q, &self.u, s], &[], &[])?;
        }
        let state = |part: usize| if part == GROUND { &AT_REST[..] } else { &y[STATE * part..][..STATE] };
        for group in &mut self.groups {
            for (k, parts) in group.parts.iter().enumerate() {
                group.kernel.set(k, 0, state(parts[0]));
                group.kernel.set(k, STATE, state(parts[1]));
                if let Some(places) = &group.sizes[k] {
                    let sizes = places.map(|p| self.scalars.value(p));
                    group.kernel.set(k, 2 * STATE + 24, &sizes);
                }
            }
            group.kernel.run()?;
            let n = group.rows;
            for (k, block) in group.blocks.iter().enumerate() {
                let block = &self.blocks[*block];
                let side =
                    |of: usize| block.sides.iter().find(|(p, _)| *p == group.parts[k][of] && *p != GROUND);
                let places = [side(0), side(1)];
                for r in 0..n {
                    self.g[block.first + r] = group.kernel.output(k, r);
                    self.g_rate[block.first + r] = group.kernel.output(k, n + r);
                    self.gamma[block.first + r] = group.kernel.output(k, 2 * n + r);
                    for (s, place) in places.iter().enumerate() {
                        let Some((_, first)) = place else { continue };
                        for j in 0..FREEDOMS {
                            self.gradient[first + FREEDOMS * r + j] =
                                group.kernel.output(k, 3 * n + 2 * FREEDOMS * r + FREEDOMS * s + j);
                        }
                    }
                }
            }
        }
        self.evaluate_scalar_rows(y);
        for block in &self.blocks {
            for (part, first) in &block.sides {
                let data = &self.structure.parts[*part];
                for r in 0..block.rows {
                    let at = first + FREEDOMS * r;
                    let row = &self.gradient[at..at + FREEDOMS];
                    let turned = g::apply(&data.inverse, [row[3], row[4], row[5]]);
                    let out: [f64; 6] =
                        std::array::from_fn(|j| if j < 3 { row[j] / data.mass } else { turned[j - 3] });
                    self.weighted[at..at + FREEDOMS].copy_from_slice(&out);
                }
            }
        }
        Ok(())
    }

    fn evaluate_scalar_rows(&mut self, y: &[f64]) {
        for k in 0..self.rows.len() {
            let block = &self.blocks[self.first_scalar + k];
            let (at, sides) = (block.first, block.sides.clone());
            let row = self.rows[k].clone();
            let mut drift = 0.0;
            for (_, first) in &sides {
                self.gradient[*first..first + FREEDOMS].fill(0.0);
            }
            for (freedom, factor, place) in &row.terms {
                let c = factor * place.map_or(1.0, |p| self.scalars.value(p));
                drift += c * self.bias(*freedom);
                for (part, gradient) in self.rate_gradient(y, *freedom) {
                    let Some((_, first)) = sides.iter().find(|(p, _)| *p == part) else { continue };
                    (0..FREEDOMS).for_each(|j| self.gradient[first + j] += c * gradient[j]);
                }
            }
            let value = |p: usize| self.scalars.value(p);
            let (g, rate, gamma) = match &row.law {
                RowLaw::Stated { position, velocity, bias, .. } => {
                    (position.map_or(0.0, value), value(*velocity), drift + value(*bias))
                }
                RowLaw::Follows { freedom, places } => (
                    self.travel(y, *freedom) - value(places[0]),
                    self.rate(*freedom) - value(places[1]),
                    drift - value(places[2]),
                ),
                RowLaw::Held { freedom, position, velocity } => (
                    position.map_or(0.0, |x| self.travel(y, *freedom) - x),
                    velocity.map_or(0.0, |v| self.rate(*freedom) - v),
                    drift,
                ),
            };
            (self.g[at], self.g_rate[at], self.gamma[at]) = (g, rate, gamma);
        }
    }

    /// Factorises [schur]; the rows that were found to repeat others.
    pub fn factorise(&mut self, least: f64) -> Vec<usize> {
        self.fill();
        self.ldl.factorise(&self.values, &self.skipped, least)
    }

    /// The values of G M⁻¹ Gᵀ.
    fn fill(&mut self) {
        self.values.fill(0.0);
        for c in &self.contributions {
            let mut slot = c.first;
            let (left, _) = self.weighted[c.a..c.a + FREEDOMS * c.rows[0]].as_chunks::<FREEDOMS>();
            let (right, _) = self.gradient[c.b..c.b + FREEDOMS * c.rows[1]].as_chunks::<FREEDOMS>();
            for (i, a) in left.iter().enumerate() {
                let end = if c.is_same { i + 1 } else { c.rows[1] };
                for b in &right[..end] {
                    let sum =
                        a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] + a[4] * b[4] + a[5] * b[5];
                    self.values[self.slots[slot]] += sum;
                    slot += 1;
                }
            }
        }
    }

    /// Finds the rows that repeat others at the last evaluation, and leaves them out from now on.
    /// Which rows repeat others is a matter of G alone; each part is taken as round, so that thin rods do not blur the pivots.
    pub fn select_rows(&mut self) -> Vec<usize> {
        self.skipped.copy_from_slice(&self.idle);
        let weighted = self.weighted.clone();
        self.weigh_round();
        let found = self.factorise(DEPENDENT);
        self.weighted = weighted;
        found.iter().for_each(|row| self.skipped[*row] = true);
        found
    }

    /// x += s M⁻¹ Gᵀ λ, six numbers for each part.
    pub(crate) fn spread(&self, lambda: &[f64], x: &mut [f64]) {
        for block in &self.blocks {
            for (part, first) in &block.sides {
                for r in 0..block.rows {
                    let l = lambda[block.first + r];
                    let row = &self.weighted[first + FREEDOMS * r..][..FREEDOMS];
                    let x = &mut x[FREEDOMS * part..][..FREEDOMS];
                    x.iter_mut().zip(row).for_each(|(x, w)| *x += l * w);
                }
            }
        }
    }

    /// x += Gᵀ λ
    pub(crate) fn pull(&self, lambda: &[f64], x: &mut [f64]) {
        for block in &self.blocks {
            for (part, first) in &block.sides {
                for r in 0..block.rows {
                    let l = lambda[block.first + r];
                    let row = &self.gradient[first + FREEDOMS * r..][..FREEDOMS];
                    let x = &mut x[FREEDOMS * part..][..FREEDOMS];
                    x.iter_mut().zip(row).for_each(|(x, g)| *x += l * g);
                }
            }
        }
    }

    /// G x
    pub(crate) fn gather(&self, x: &[f64], out: &mut [f64]) {
        out.fill(0.0);
        for block in &self.blocks {
            for (part, first) in &block.sides {
                for r in 0..block.rows {
                    let row = &self.gradient[first + FREEDOMS * r..][..FREEDOMS];
                    let x = &x[FREEDOMS * part..][..FREEDOMS];
                    out[block.first + r] += row.iter().zip(x).map(|(a, b)| a * b).sum::<f64>();
                }
            }
        }
    }

    /// Takes out of a change of velocities what the joints forbid, by the factors of the last evaluation: the impulses of joints.
    pub(crate) fn constrain(&mut self, x: &mut [f64]) {
        let mut rhs = vec![0.0; self.n_rows];
        self.gather(x, &mut rhs);
        rhs.iter_mut().for_each(|r| *r = -*r);
        self.ldl.solve(&mut rhs);
        self.spread(&rhs, x);
    }

    /// Solves [schur] with the factors of the last factorisation.
    pub(crate) fn solve_rows(&mut self, rhs: &mut [f64]) {
        self.ldl.solve(rhs);
    }

    /// Accelerations by the forces of the last evaluation alone, without joints.
    fn fall(&self, a: &mut [f64]) {
        for (k, part) in self.structure.parts.iter().enumerate() {
            let f = &self.force[FREEDOMS * k..][..FREEDOMS];
            let turned = g::apply(&part.inverse, [f[3], f[4], f[5]]);
            for i in 0..3 {
                a[FREEDOMS * k + i] = f[i] / part.mass;
                a[FREEDOMS * k + i + 3] = turned[i];
            }
        }
    }

    /// Accelerations and multipliers at a state. [augmented], [schur]
    pub fn accelerate(&mut self, t: f64, y: &[f64]) -> Result<(), String> {
        self.evaluate(t, y)?;
        self.apply_loads(y)?;
        let mut a = std::mem::take(&mut self.acceleration);
        self.fall(&mut a);
        if self.n_rows > 0 {
            self.factorise(SINGULAR);
            if self.lent.is_empty() {
                self.bind(&mut a);
            } else if !self.repeat_bind(&mut a) {
                // Nothing but the moment itself resists a turn that a load drives.
                self.take_back();
                self.acceleration = a;
                return self.accelerate(t, y);
            }
        }
        self.acceleration = a;
        Ok(())
    }

    /// Adds what the joints do to accelerations without them. [schur]
    fn bind(&mut self, a: &mut [f64]) {
        let mut rhs = std::mem::take(&mut self.lambda);
        self.gather(a, &mut rhs);
        rhs.iter_mut().zip(&self.gamma).for_each(|(r, c)| *r = -(*r + c));
        self.ldl.solve(&mut rhs);
        self.spread(&rhs, a);
        self.lambda = rhs;
    }

    /// As [`bind`](Self::bind), repeated until what inertia was lent has no effect; whether that comes to an end.
    /// [lent](crate::parts::Part::lend)
    fn repeat_bind(&mut self, a: &mut [f64]) -> bool {
        let free = a.to_vec();
        let size = free.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
        self.bind(a);
        // Rods that do not spin feel nothing of it.
        let mut push = vec![0.0; a.len()];
        self.add_lent(a, &mut push);
        let largest = a.iter().fold(size, |m, x| m.max(x.abs()));
        if push.iter().all(|x| x.abs() <= SETTLED * largest) {
            return true;
        }
        let mut last = f64::INFINITY;
        for _ in 0..REPEATS {
            let before = a.to_vec();
            a.copy_from_slice(&free);
            self.add_lent(&before, a);
            self.bind(a);
            let turns = |k: &usize| FREEDOMS * k + 3..FREEDOMS * (k + 1);
            let change =
                self.lent.iter().flat_map(turns).map(|i| (a[i] - before[i]).abs()).fold(0.0, f64::max);
            let largest = a.iter().fold(size, |m, x| m.max(x.abs()));
            if change <= SETTLED * largest {
                return true;
            }
            if change.is_nan() || change > 0.5 * last {
                return change <= 1e3 * SETTLED * largest;
            }
            last = change;
        }
        false
    }

    /// x += (M + E)⁻¹ E a
    pub(crate) fn add_lent(&self, a: &[f64], x: &mut [f64]) {
        for k in &self.lent {
            let part = &self.structure.parts[*k];
            let a = &a[FREEDOMS * k + 3..][..3];
            let push = g::apply(&part.inverse, g::apply(&part.lent, [a[0], a[1], a[2]]));
            (0..3).for_each(|i| x[FREEDOMS * k + 3 + i] += push[i]);
        }
    }

    /// Lends no inertia any more.
    fn take_back(&mut self) {
        for k in std::mem::take(&mut self.lent) {
            self.structure.parts[k].take_back();
        }
    }

    /// The time derivative of a state.
    pub fn derivative(&mut self, t: f64, y: &[f64], dy: &mut [f64]) -> Result<(), String> {
        self.accelerate(t, y)?;
        for k in 0..self.n_parts() {
            let (s, d) = (&y[STATE * k..][..STATE], &mut dy[STATE * k..][..STATE]);
            d[..3].copy_from_slice(&s[7..10]);
            let rates = g::euler_rates([s[3], s[4], s[5], s[6]], [s[10], s[11], s[12]]);
            d[3..7].copy_from_slice(&rates);
            d[7..].copy_from_slice(&self.acceleration[FREEDOMS * k..][..FREEDOMS]);
        }
        let first = STATE * self.n_parts();
        for (k, place) in self.state_rates.iter().enumerate() {
            dy[first + k] = self.scalars.value(*place);
        }
        Ok(())
    }
}

/// Lends inertia to parts that joints turn though they have next to none.
fn lend(structure: &mut Structure, blocks: &[Block]) {
    let mut reach = vec![0.0f64; structure.parts.len()];
    for place in blocks.iter().flat_map(|b| b.places.iter().flat_map(|p| p.iter())) {
        if let Some(part) = structure.parts.get(place.part) {
            reach[place.part] = reach[place.part].max(g::norm(g::sub(place.point, part.center)));
        }
    }
    structure.parts.iter_mut().zip(reach).for_each(|(part, reach)| part.lend(reach));
}

/// What this formalism has no equations for.
fn refuse(model: &Model) -> Result<(), Unsupported> {
    if let Some((_, external)) = model.hybrid.externals.iter().next() {
        return Err(Unsupported::External(external.name.clone()));
    }
    let strikes = |e: &Event| e.assignments.iter().any(|(target, _)| matches!(target, Target::Struck(_)));
    if let Some((_, event)) = model.hybrid.events.iter().find(|(_, e)| strikes(e)) {
        return Err(Unsupported::Struck(event.name.clone()));
    }
    if model.gravity.terms().iter().any(|(_, e)| !model.space.pool().is_constant(*e)) {
        return Err(Unsupported::Gravity);
    }
    if model.space.pool().has_small_symbols() {
        return Err(Unsupported::Small);
    }
    let pool = model.space.pool();
    let follows = |e: Expr| pool.depends(e).intersects(Depends::TIME);
    if let Some((_, input)) = model.inputs().find(|(_, p)| p.default.is_some_and(follows)) {
        return Err(Unsupported::Input(input.quantity.name.clone()));
    }
    match model.rotors.first() {
        Some(rotor) => Err(Unsupported::Rotor(rotor.name.clone())),
        None => Ok(()),
    }
}
