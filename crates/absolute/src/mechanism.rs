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

use std::collections::BTreeMap;

use cardan_base::Id;
use cardan_model::{ConstraintId, Model};
use cardan_solve::sparse::{SparseLdl, minimum_degree};

use crate::error::Unsupported;
use crate::geometry::{self as g, Pose, Vec3};
use crate::joint_chain::{Lookup, Measured, Relative};
use crate::kernel::Kernel;
use crate::loads::{Loads, MovingPoint};
use crate::pairing::{Pair, PairKind, Place, pairs};
use crate::parts::{Constants, GROUND, Structure};
use crate::scalar_rows::{
    RowLaw, ScalarRow, Scalars, following_rows, freedoms_of_speeds, pair_kind, stated_rows,
};
use crate::template::{FREEDOMS, STATE, pair_program};

/// Pivots below this part of the diagonal are those of rows that repeat others.
const DEPENDENT: f64 = 1e-9;
/// The state of the ground.
pub(crate) const AT_REST: [f64; STATE] = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0];

/// Pairs of one kind.
#[derive(Clone, Debug)]
struct PairGroup {
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
    /// What they keep, in words.
    pub what: Vec<String>,
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
        let structure = Structure::of(model, &constants, &lookup)?;
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
                place(pair, Origin { name: chain.name.clone(), chain: Some(k), constraint: None, sizes: None });
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
                chain: None,
                first: n_rows,
                rows: 1,
                what: vec![row.what.clone()],
                sides,
            });
            n_rows += 1;
        }
        let loads = Loads::of(model, &constants, &structure, &mut scalars)?;
        let state_rates = model.states.iter().map(|(_, s)| scalars.ask(s.rate)).collect();
        scalars.compile(model, &[])?;
        let gravity = constants.numbers(model.space.components(&model.gravity, model.space.newtonian()));
        let (ldl, contributions, slots) = pattern(&blocks, n_rows, structure.parts.len());
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
            structure,
        })
    }

    /// The number of parts.
    pub fn n_parts(&self) -> usize {
        self.structure.parts.len()
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
    /// Whether coordinates must be measured at every evaluation.
    pub(crate) fn measures(&self) -> bool {
        !self.scalars.is_empty() || !self.rows.is_empty()
    }
    /// Constraint and row of a block's row, in words.
    pub fn row_name(&self, row: usize) -> String {
        let block = self.blocks.partition_point(|b| b.first <= row) - 1;
        let block = &self.blocks[block];
        format!("{}: {}", block.name, block.what[row - block.first])
    }

    /// The pose of a part's frame.
    pub fn pose(&self, y: &[f64], part: usize) -> Pose {
        match self.structure.parts.get(part) {
            None => Pose::IDENTITY,
            Some(data) => {
                let s = &y[STATE * part..];
                let r = g::matrix([s[3], s[4], s[5], s[6]]);
                Pose { p: g::sub([s[0], s[1], s[2]], g::apply(&r, data.center)), r }
            }
        }
    }

    /// Motion of one part's frame relative to another's.
    pub fn relative(&self, y: &[f64], a: usize, b: usize) -> Relative {
        let (pa, pb) = (self.pose(y, a), self.pose(y, b));
        let (va, wa, aa) = self.motion_of_origin(y, a, &pa);
        let (vb, wb, ab) = self.motion_of_origin(y, b, &pb);
        let d = g::sub(pb.p, pa.p);
        let into = |v: Vec3| g::apply_transposed(&pa.r, v);
        let slide = g::sub(g::sub(vb, va), g::cross(wa, d));
        let spin = g::sub(wb, wa);
        let centripetal = g::cross(wa, g::cross(wa, d));
        let coriolis = g::scale(2.0, g::cross(wa, slide));
        let bias = g::sub(g::sub(g::sub(ab, aa), centripetal), coriolis);
        let turning = g::scale(-1.0, g::cross(wa, spin));
        let join = |u: Vec3, v: Vec3| [u[0], u[1], u[2], v[0], v[1], v[2]];
        Relative {
            pose: pa.inverse().then(&pb),
            twist: join(into(slide), into(spin)),
            bias: join(into(bias), into(turning)),
        }
    }

    /// Velocity and acceleration (at constant v and w) of a part's origin, and its angular velocity, in inertial axes.
    fn motion_of_origin(&self, y: &[f64], part: usize, pose: &Pose) -> (Vec3, Vec3, Vec3) {
        let Some(data) = self.structure.parts.get(part) else { return ([0.0; 3], [0.0; 3], [0.0; 3]) };
        let s = &y[STATE * part..];
        let w = g::apply(&pose.r, [s[10], s[11], s[12]]);
        let r = g::scale(-1.0, g::apply(&pose.r, data.center));
        let v = g::add([s[7], s[8], s[9]], g::cross(w, r));
        (v, w, g::cross(w, g::cross(w, r)))
    }

    /// Measures coordinates and speeds of a state. With `keep`, angles are counted on from here.
    pub fn measure(&mut self, y: &[f64], keep: bool) {
        for k in 0..self.structure.chains.len() {
            let chain = &self.structure.chains[k];
            let relative = self.relative(y, chain.a, chain.b);
            let (first, n) = (chain.first, chain.freedoms());
            let mut travels = self.travels[first..first + n].to_vec();
            let mut balls = self.balls[k].clone();
            chain.locate(&relative.pose, &mut travels, &mut balls);
            self.measured[k] = chain.rates(&relative, &travels, &balls);
            crate::initial_pose::read_coordinates(self.model, chain, &travels, &mut self.q);
            if keep {
                self.travels[first..first + n].copy_from_slice(&travels);
                self.balls[k].copy_from_slice(&balls);
            }
            crate::initial_pose::read_balls(self.model, &self.euler_coordinates, k, &balls, &mut self.q);
        }
        for (speed, freedom) in self.freedoms.iter().enumerate() {
            self.u[speed] = self.rate(*freedom);
        }
    }

    fn chain_of(&self, freedom: usize) -> (usize, usize) {
        let k = self.structure.chains.partition_point(|c| c.first <= freedom) - 1;
        (k, freedom - self.structure.chains[k].first)
    }
    fn rate(&self, freedom: usize) -> f64 {
        let (k, i) = self.chain_of(freedom);
        self.measured[k].rates[i]
    }
    fn bias(&self, freedom: usize) -> f64 {
        let (k, i) = self.chain_of(freedom);
        self.measured[k].bias[i]
    }
    /// The displacement of a freedom at the state that was measured last, relative to what is kept.
    fn travel(&self, y: &[f64], freedom: usize) -> f64 {
        let (k, i) = self.chain_of(freedom);
        let chain = &self.structure.chains[k];
        let relative = self.relative(y, chain.a, chain.b);
        let mut travels = self.travels[chain.first..chain.first + chain.freedoms()].to_vec();
        let mut balls = self.balls[k].clone();
        chain.locate(&relative.pose, &mut travels, &mut balls);
        match crate::initial_pose::ball_error(chain, i, &self.balls[k], &balls) {
            Some(error) => error,
            None => travels[i],
        }
    }

    /// Derivatives of a freedom's rate by the velocities of its parts.
    fn rate_gradient(&self, y: &[f64], freedom: usize) -> [(usize, [f64; 6]); 2] {
        let (k, i) = self.chain_of(freedom);
        let chain = &self.structure.chains[k];
        let row = self.measured[k].inverse[i];
        let (pa, pb) = (self.pose(y, chain.a), self.pose(y, chain.b));
        let linear = g::apply(&pa.r, [row[0], row[1], row[2]]);
        let angular = g::apply(&pa.r, [row[3], row[4], row[5]]);
        let center = |part: usize| match part {
            GROUND => [0.0; 3],
            _ => [y[STATE * part], y[STATE * part + 1], y[STATE * part + 2]],
        };
        // Both sides are seen at the origin of the second part.
        let (ra, rb) = (g::sub(pb.p, center(chain.a)), g::sub(pb.p, center(chain.b)));
        let ta = g::apply_transposed(&pa.r, g::add(g::cross(ra, linear), angular));
        let tb = g::apply_transposed(&pb.r, g::add(g::cross(rb, linear), angular));
        let join = |s: f64, u: Vec3, v: Vec3| [s * u[0], s * u[1], s * u[2], s * v[0], s * v[1], s * v[2]];
        [(chain.a, join(-1.0, linear, ta)), (chain.b, join(1.0, linear, tb))]
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
                let side = |of: usize| block.sides.iter().find(|(p, _)| *p == group.parts[k][of] && *p != GROUND);
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
                    let out: [f64; 6] = std::array::from_fn(|j| if j < 3 { row[j] / data.mass } else { turned[j - 3] });
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
            for i in 0..c.rows[0] {
                let a = &self.weighted[c.a + FREEDOMS * i..][..FREEDOMS];
                let end = if c.is_same { i + 1 } else { c.rows[1] };
                for j in 0..end {
                    let b = &self.gradient[c.b + FREEDOMS * j..][..FREEDOMS];
                    let sum: f64 = a.iter().zip(b).map(|(x, y)| x * y).sum();
                    self.values[self.slots[slot]] += sum;
                    slot += 1;
                }
            }
        }
    }

    /// Finds the rows that repeat others at the last evaluation, and leaves them out from now on.
    pub fn select_rows(&mut self) -> Vec<usize> {
        self.skipped.copy_from_slice(&self.idle);
        let found = self.factorise(DEPENDENT);
        found.iter().for_each(|row| self.skipped[*row] = true);
        found
    }

    /// x += s M⁻¹ Gᵀ λ, six numbers for each part.
    fn spread(&self, lambda: &[f64], x: &mut [f64]) {
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
    fn gather(&self, x: &[f64], out: &mut [f64]) {
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

    /// Forces on all parts at the last evaluation; potentials and powers of loads.
    pub(crate) fn apply_loads(&mut self, y: &[f64]) -> Result<(), String> {
        for (k, part) in self.structure.parts.iter().enumerate() {
            let s = &y[STATE * k..];
            let w = [s[10], s[11], s[12]];
            let gyroscopic = g::cross(w, g::apply(&part.inertia, w)); // [newton]
            let f = &mut self.force[FREEDOMS * k..][..FREEDOMS];
            for i in 0..3 {
                f[i] = part.mass * self.gravity[i];
                f[i + 3] = -gyroscopic[i];
            }
        }
        let state = |part: usize| if part == GROUND { &AT_REST[..] } else { &y[STATE * part..][..STATE] };
        for group in &mut self.loads.groups {
            for (k, instance) in group.instances.iter().enumerate() {
                group.kernel.set(k, 0, state(instance.parts[0]));
                group.kernel.set(k, STATE, state(instance.parts[1]));
            }
            group.kernel.run()?;
            for (k, instance) in group.instances.iter().enumerate() {
                for (s, part) in instance.parts.iter().enumerate().filter(|(_, p)| **p != GROUND) {
                    for j in 0..FREEDOMS {
                        self.force[FREEDOMS * part + j] += group.kernel.output(k, FREEDOMS * s + j);
                    }
                }
                if let Some(load) = instance.potential {
                    self.potentials[load] = group.kernel.output(k, 2 * FREEDOMS);
                }
                for (load, place) in &instance.powers {
                    self.powers[*load] = group.kernel.output(k, *place);
                }
            }
        }
        for k in 0..self.loads.stated.len() {
            self.apply_stated(y, k);
        }
        for (load, place) in &self.loads.potentials {
            self.potentials[*load] = self.scalars.value(*place);
        }
        Ok(())
    }

    fn apply_stated(&mut self, y: &[f64], k: usize) {
        let load = self.loads.stated[k].clone();
        let mut vector = [0.0; 3];
        for (part, axis, place) in &load.terms {
            let axis = g::apply(&self.pose(y, *part).r, *axis);
            vector = g::add(vector, g::scale(self.scalars.value(*place), axis));
        }
        let at = |m: &Mechanism<'_>, p: &MovingPoint| {
            let point = p.frame.pose.at(p.coordinates.map(|c| m.scalars.value(c)));
            m.pose(y, p.frame.part).at(point)
        };
        let mut power = 0.0;
        match &load.at {
            Some(point) => {
                let place = at(self, point);
                power += self.push(y, load.on, vector, place);
                if let Some((part, elsewhere)) = &load.reaction {
                    let place = elsewhere.as_ref().map_or(place, |p| at(self, p));
                    power += self.push(y, *part, g::scale(-1.0, vector), place);
                }
            }
            None => {
                power += self.twist(y, load.on, vector);
                if let Some((part, _)) = &load.reaction {
                    power += self.twist(y, *part, g::scale(-1.0, vector));
                }
            }
        }
        self.powers[load.load] = power;
    }

    /// A force on a part at a place; its power.
    fn push(&mut self, y: &[f64], part: usize, force: Vec3, place: Vec3) -> f64 {
        if part == GROUND {
            return 0.0;
        }
        let s = &y[STATE * part..];
        let r = g::matrix([s[3], s[4], s[5], s[6]]);
        let arm = g::sub(place, [s[0], s[1], s[2]]);
        let torque = g::apply_transposed(&r, g::cross(arm, force));
        let f = &mut self.force[FREEDOMS * part..][..FREEDOMS];
        (0..3).for_each(|i| {
            f[i] += force[i];
            f[i + 3] += torque[i];
        });
        g::dot(force, [s[7], s[8], s[9]]) + g::dot(torque, [s[10], s[11], s[12]])
    }

    fn twist(&mut self, y: &[f64], part: usize, torque: Vec3) -> f64 {
        if part == GROUND {
            return 0.0;
        }
        let s = &y[STATE * part..];
        let r = g::matrix([s[3], s[4], s[5], s[6]]);
        let torque = g::apply_transposed(&r, torque);
        let f = &mut self.force[FREEDOMS * part..][..FREEDOMS];
        (0..3).for_each(|i| f[i + 3] += torque[i]);
        g::dot(torque, [s[10], s[11], s[12]])
    }

    /// Accelerations and multipliers at a state. [augmented], [schur]
    pub fn accelerate(&mut self, t: f64, y: &[f64]) -> Result<(), String> {
        self.evaluate(t, y)?;
        self.apply_loads(y)?;
        let mut a = std::mem::take(&mut self.acceleration);
        for (k, part) in self.structure.parts.iter().enumerate() {
            let f = &self.force[FREEDOMS * k..][..FREEDOMS];
            let turned = g::apply(&part.inverse, [f[3], f[4], f[5]]);
            for i in 0..3 {
                a[FREEDOMS * k + i] = f[i] / part.mass;
                a[FREEDOMS * k + i + 3] = turned[i];
            }
        }
        if self.n_rows > 0 {
            self.factorise(0.0);
            let mut rhs = std::mem::take(&mut self.lambda);
            self.gather(&a, &mut rhs);
            rhs.iter_mut().zip(&self.gamma).for_each(|(r, c)| *r = -(*r + c));
            self.ldl.solve(&mut rhs);
            self.spread(&rhs, &mut a);
            self.lambda = rhs;
        }
        self.acceleration = a;
        Ok(())
    }

    /// Shares what redundant rows bear with the least norm, at the last evaluation. [least-norm]
    ///
    /// ```text
    /// [least-norm]   (S + ε 1) λ_{k+1} = S λ + ε λ_k,  λ_0 = 0        stays in the range of S = G M⁻¹ Gᵀ
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
        let shift = 1e-8 * self.ldl.largest_on_diagonal(&self.values);
        self.ldl.shift(&mut self.values, shift);
        self.ldl.factorise(&self.values, &self.skipped, 0.0);
        let mut lambda = vec![0.0; self.n_rows];
        for _ in 0..4 {
            lambda.iter_mut().zip(&b).for_each(|(l, b)| *l = b + shift * *l);
            self.ldl.solve(&mut lambda);
        }
        self.lambda = lambda;
        self.skipped = skipped;
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

    /// Moves parts by six numbers each.
    fn shift(&self, y: &mut [f64], by: &[f64], factor: f64) {
        for k in 0..self.n_parts() {
            let d = &by[FREEDOMS * k..][..FREEDOMS];
            let s = &mut y[STATE * k..][..STATE];
            (0..3).for_each(|i| s[i] += factor * d[i]);
            let e = g::turned([s[3], s[4], s[5], s[6]], g::scale(factor, [d[3], d[4], d[5]]));
            s[3..7].copy_from_slice(&e);
        }
    }

    /// The largest residual of rows that are not left out, with the row.
    fn largest(&self, values: &[f64]) -> (f64, usize) {
        let kept = values.iter().enumerate().filter(|(row, _)| !self.skipped[*row]);
        kept.map(|(row, v)| (if v.is_nan() { f64::INFINITY } else { v.abs() }, row))
            .max_by(|a, b| a.0.total_cmp(&b.0))
            .unwrap_or((0.0, 0))
    }

    /// One step of Newton's method towards the constraints; the residual before it. The factors are those of the last factorisation.
    fn newton_step(&mut self, y: &mut [f64], factor: f64) {
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
        self.factorise(0.0);
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
        self.factorise(0.0);
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
            && !(gap < 1e-8)
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

    fn set_idle(&mut self, idle: impl Fn(bool, bool) -> bool) -> bool {
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
        (self.ldl, self.contributions, self.slots) = pattern(&self.blocks, n, self.n_parts());
        self.values = vec![0.0; self.ldl.n_values()];
    }

    /// Accelerations of the freedoms at the last evaluation, by speed.
    pub fn accelerations_of_speeds(&mut self, y: &[f64]) -> Vec<f64> {
        let mut found = vec![];
        for freedom in &self.freedoms {
            let mut sum = self.bias(*freedom);
            for (part, gradient) in self.rate_gradient(y, *freedom) {
                if part != GROUND {
                    let a = &self.acceleration[FREEDOMS * part..][..FREEDOMS];
                    sum += gradient.iter().zip(a).map(|(x, y)| x * y).sum::<f64>();
                }
            }
            found.push(sum);
        }
        found
    }

    /// Kinetic energy, and potential energy of gravity.
    pub fn energies(&self, y: &[f64]) -> (f64, f64) {
        let (mut kinetic, mut potential) = (0.0, 0.0);
        for (k, part) in self.structure.parts.iter().enumerate() {
            let s = &y[STATE * k..][..STATE];
            let (v, w) = ([s[7], s[8], s[9]], [s[10], s[11], s[12]]);
            kinetic += 0.5 * (part.mass * g::dot(v, v) + g::dot(w, g::apply(&part.inertia, w)));
            potential -= part.mass * g::dot(self.gravity, [s[0], s[1], s[2]]);
        }
        (kinetic, potential)
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

fn norm(x: &[f64]) -> f64 {
    let n = x.iter().map(|x| x * x).sum::<f64>().sqrt();
    if n.is_nan() { f64::INFINITY } else { n }
}

/// What this formalism has no equations for.
fn refuse(model: &Model) -> Result<(), Unsupported> {
    if !model.hybrid.events.is_empty() || !model.hybrid.discretes.is_empty() || !model.hybrid.externals.is_empty() {
        return Err(Unsupported::Hybrid);
    }
    if model.space.pool().has_small_symbols() {
        return Err(Unsupported::Small);
    }
    match model.rotors.first() {
        Some(rotor) => Err(Unsupported::Rotor(rotor.name.clone())),
        None => Ok(()),
    }
}

/// Where a pair comes from.
struct Origin {
    name: String,
    chain: Option<usize>,
    constraint: Option<usize>,
    sizes: Option<[usize; 3]>,
}

struct Placed {
    pair: Pair,
    origin: Origin,
}

/// A constraint between markers that are fixed in parts, as a pair.
fn marked(
    model: &Model,
    constants: &Constants<'_>,
    structure: &Structure,
    scalars: &mut Scalars,
    id: ConstraintId,
) -> Result<Option<(Pair, Option<[usize; 3]>)>, Unsupported> {
    let constraint = &model.constraints[id];
    let pool = model.space.pool();
    let (Some(kind), Some(markers)) = (pair_kind(constraint.kind), &constraint.markers) else { return Ok(None) };
    let mut places = vec![];
    for marker in markers.iter() {
        let fixed = marker.point.coordinates.iter().chain(marker.axes.iter().flatten());
        let is_fixed = fixed.clone().all(|e| pool.is_constant(*e));
        let Some(at) = structure.frames[marker.frame().index()].filter(|_| is_fixed) else { return Ok(None) };
        let axes = marker.axes.map(|row| g::apply(&at.pose.r, constants.numbers(row)));
        let point = at.pose.at(constants.numbers(marker.point.coordinates));
        places.push(Place { part: at.part, point, axes });
    }
    let mut sizes = None;
    let size = match constraint.size {
        None => 0.0,
        Some(e) if pool.is_constant(e) => constants.number(e),
        Some(e) => {
            let rate = model.space.dt(e);
            sizes = Some([e, rate, model.space.dt(rate)].map(|e| scalars.ask(e)));
            0.0
        }
    };
    Ok(Some((Pair { kind, a: places[0], b: places[1], size }, sizes)))
}

/// Compiles the kernel of a kind and gives its instances their data.
fn group(
    kind: PairKind,
    placed: Vec<Placed>,
    structure: &Structure,
    (blocks, n_rows, n_values): (&mut Vec<Block>, &mut usize, &mut usize),
) -> Result<PairGroup, Unsupported> {
    let made = pair_program(kind).map_err(|e| Unsupported::Program(e.to_string()))?;
    let mut kernel = Kernel::new(&made.program, placed.len())?;
    let center = |part: usize| structure.parts.get(part).map_or([0.0; 3], |p| p.center);
    let mut group_parts = vec![];
    let mut own = vec![];
    let mut sizes = vec![];
    for (k, Placed { pair, origin }) in placed.into_iter().enumerate() {
        for (s, place) in [pair.a, pair.b].iter().enumerate() {
            let mut data = g::sub(place.point, center(place.part)).to_vec();
            data.extend(place.axes.iter().flatten());
            kernel.set(k, 2 * STATE + 12 * s, &data);
        }
        kernel.set(k, 2 * STATE + 24, &[pair.size, 0.0, 0.0]);
        let parts = [pair.a.part, pair.b.part];
        let mut sides = vec![];
        for part in parts.iter().filter(|p| **p != GROUND) {
            sides.push((*part, *n_values));
            *n_values += FREEDOMS * made.rows;
        }
        own.push(blocks.len());
        blocks.push(Block {
            name: origin.name,
            constraint: origin.constraint.map(|c| (c, 0)),
            chain: origin.chain,
            first: *n_rows,
            rows: made.rows,
            what: made.what.clone(),
            sides,
        });
        *n_rows += made.rows;
        group_parts.push(parts);
        sizes.push(origin.sizes);
    }
    Ok(PairGroup { kernel, rows: made.rows, blocks: own, parts: group_parts, sizes })
}

/// The chain of each freedom.
fn chains_of_freedoms(structure: &Structure) -> Vec<usize> {
    let mut found = vec![];
    for (k, chain) in structure.chains.iter().enumerate() {
        found.extend(std::iter::repeat_n(k, chain.freedoms()));
    }
    found
}

/// The pattern of [schur]: blocks that share a part.
fn pattern(blocks: &[Block], n_rows: usize, n_parts: usize) -> (SparseLdl, Vec<Contribution>, Vec<usize>) {
    let mut on_part: Vec<Vec<(usize, usize)>> = vec![vec![]; n_parts];
    for (k, block) in blocks.iter().enumerate() {
        block.sides.iter().for_each(|(part, first)| on_part[*part].push((k, *first)));
    }
    let mut neighbours: Vec<Vec<usize>> = vec![vec![]; blocks.len()];
    let mut known: cardan_base::Map<(usize, usize), usize> = cardan_base::Map::default();
    let mut entries: Vec<(usize, usize)> = vec![];
    let mut contributions = vec![];
    for list in &on_part {
        for (a, at_a) in list {
            for (b, at_b) in list.iter().filter(|(b, _)| b <= a) {
                let (i, j) = (&blocks[*a], &blocks[*b]);
                let first = *known.entry((*a, *b)).or_insert_with(|| {
                    let first = entries.len();
                    for r in 0..i.rows {
                        let end = if a == b { r + 1 } else { j.rows };
                        entries.extend((0..end).map(|c| (i.first + r, j.first + c)));
                    }
                    neighbours[*a].push(*b);
                    neighbours[*b].push(*a);
                    first
                });
                contributions.push(Contribution {
                    a: *at_a,
                    b: *at_b,
                    rows: [i.rows, j.rows],
                    first,
                    is_same: a == b,
                });
            }
        }
    }
    let order: Vec<usize> = minimum_degree(&neighbours)
        .into_iter()
        .flat_map(|k| blocks[k].first..blocks[k].first + blocks[k].rows)
        .collect();
    let (ldl, slots) = SparseLdl::new(n_rows, &entries, &order);
    (ldl, contributions, slots)
}
