//! A model with its sampled blocks as a linear sampled-data system.
//!
//! ```text
//! [flow]     ẋ = A x + A_d d + B w,   ḋ = 0,   y = C x + C_d d + D w
//! [jump]     d⁺ = J_x x + J_d d + J_w w       at the times of each block `every`
//! [fixed point] 0 = f(y, d),  d = block(y, d)    the state about which both are taken
//! ```
//!
//! Blocks are differentiated exactly, through the states that constraints make dependent. Discrete
//! states that neither the motion nor an output feels, such as counters, are left out; blocks `when`
//! do not happen.

use cardan_base::Id;
use cardan_compile::Choice;
use cardan_control::sampled_data::{Jump, SampledData};
use cardan_control::{Complex, Matrix, StateSpace};
use cardan_lower::Happens;
use cardan_model::{Model, Target, Trigger};
use cardan_solve::linear::least_norm;

use crate::AnalysisError;
use crate::derivatives::Slopes;
use crate::frequency::state_space::LinearSystem;
use crate::linear::linearize::{LinearOptions, Linearization, linearize};
use crate::linear::stability::Stability;
use crate::linear::tangent_space::tangent;
use crate::numeric_model::{Evaluator, Named, RANK_TOLERANCE, Study};

/// A sampled block.
struct Block {
    name: String,
    /// Outputs of the program.
    period: usize,
    offset: usize,
    /// What is assigned, the row of the derivatives, and the output of the program.
    assignments: Vec<(Target, usize, usize)>,
}

/// A model with sampled blocks, ready for linearisation.
pub struct SampledModel {
    /// Its inputs of linearisation are those asked for, then the discrete states that blocks assign.
    study: Study,
    values: Evaluator,
    slopes: Slopes,
    blocks: Vec<Block>,
    n_inputs: usize,
    /// The discrete states that blocks assign, by their places among all.
    discretes: Vec<usize>,
}

/// A linear sampled-data system with names.
#[derive(Clone, Debug)]
pub struct SampledSystem {
    /// The system; its states are those of the motion, then the discrete ones that are felt.
    pub system: SampledData,
    /// The inputs.
    pub inputs: Vec<Named>,
    /// The outputs.
    pub outputs: Vec<Named>,
    /// The states.
    pub states: Vec<Named>,
    /// The names of the sampled blocks.
    pub blocks: Vec<String>,
}

/// Which states a sampled-data system keeps.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kept {
    /// All of the motion, and what the outputs see.
    Seen,
    /// What the stability of the motion depends on; there are no outputs.
    Felt,
}

/// The names of the discrete states that sampled blocks assign.
fn sampled_discretes(model: &Model) -> Vec<usize> {
    let every = model.hybrid.events.iter().filter(|(_, e)| matches!(e.trigger, Trigger::Every { .. }));
    let mut all: Vec<usize> = every
        .flat_map(|(_, e)| &e.assignments)
        .filter_map(|(target, _)| match target {
            Target::Discrete(id) => Some(id.index()),
            _ => None,
        })
        .collect();
    all.sort_unstable();
    all.dedup();
    all
}

impl SampledModel {
    /// The sampled blocks of a model, with the inputs and the values of a study of it; nothing where
    /// no block assigns a discrete state again and again.
    pub fn of(choice: &Choice, study: &Study) -> Result<Option<SampledModel>, AnalysisError> {
        let discretes = sampled_discretes(&choice.model);
        let Some(events) = choice.events.as_ref().filter(|_| !discretes.is_empty()) else { return Ok(None) };
        let mut asked: Vec<String> = study.input_names().into_iter().map(|n| n.name).collect();
        let n_inputs = asked.len();
        let named = choice.model.hybrid.discretes.iter().enumerate();
        let named = named.filter(|(k, _)| discretes.contains(k));
        asked.extend(named.map(|(_, (_, d))| d.quantity.name.clone()));
        let mut own = Study::with_host(choice, &asked, study.host().clone())?;
        own.take_values(study);
        let mut rows = vec![];
        let mut blocks = vec![];
        for event in &events.events {
            let Happens::Every { period, offset } = event.happens else { continue };
            let assignments = event.assignments.iter().map(|(target, output)| {
                rows.push(*output);
                (*target, rows.len() - 1, *output)
            });
            let assignments = assignments.collect();
            blocks.push(Block { name: event.name.clone(), period, offset, assignments });
        }
        let columns: Vec<usize> = (own.state_places()).chain(own.input_places()).collect();
        let slopes = Slopes::new(&events.program, &rows, &columns, study.host())?;
        let values = Evaluator::new(&events.program, study.host())?;
        Ok(Some(SampledModel { study: own, values, slopes, blocks, n_inputs, discretes }))
    }

    /// The names of the sampled blocks.
    pub fn block_names(&self) -> Vec<String> {
        self.blocks.iter().map(|b| b.name.clone()).collect()
    }

    /// The system about a state, from the inputs to the outputs named. [flow] [jump]
    pub fn system(
        &mut self,
        t: f64,
        y: &[f64],
        (options, wanted, kept): (&LinearOptions, &[String], Kept),
    ) -> Result<SampledSystem, AnalysisError> {
        let linear = linearize(&mut self.study, t, y, options)?;
        let found = LinearSystem::of(&self.study, &linear, wanted)?;
        let (n, n_w, n_d) = (linear.independent.len(), self.n_inputs, self.discretes.len());
        let StateSpace { a, b, c, d, .. } = &found.system;
        let n_out = if kept == Kept::Felt { 0 } else { found.outputs.len() };
        let size = n + n_d;
        let split = |x: &Matrix, by: &Matrix, i: usize, j: usize| {
            if j < n { x[(i, j)] } else { by[(i, n_w + j - n)] }
        };
        let flow = Matrix::from_fn(size, size, |i, j| if i < n { split(a, b, i, j) } else { 0.0 });
        let drive = Matrix::from_fn(size, n_w, |i, j| if i < n { b[(i, j)] } else { 0.0 });
        let seen = Matrix::from_fn(n_out, size, |i, j| split(c, d, i, j));
        let direct = Matrix::from_fn(n_out, n_w, |i, j| d[(i, j)]);
        let jumps = self.jumps(t, y, &linear)?;
        let is_seed = |k: usize| match kept {
            Kept::Felt => k < n && !linear.ignorable.contains(&k),
            Kept::Seen => k < n || (0..n_out).any(|i| seen[(i, k)] != 0.0),
        };
        let felt = felt((0..size).filter(|k| is_seed(*k)).collect(), &flow, &jumps);
        let square = |m: &Matrix| Matrix::from_fn(felt.len(), felt.len(), |i, j| m[(felt[i], felt[j])]);
        let tall = |m: &Matrix| Matrix::from_fn(felt.len(), m.ncols(), |i, j| m[(felt[i], j)]);
        let wide = Matrix::from_fn(n_out, felt.len(), |i, j| seen[(i, felt[j])]);
        let mut system = StateSpace::new(square(&flow), tall(&drive), wide, direct)?;
        let jumps = jumps.iter().map(|j| Jump { state: square(&j.state), input: tall(&j.input), ..*j });
        let inputs: Vec<Named> = linear.inputs[..n_w].to_vec();
        let outputs: Vec<Named> = found.outputs[..n_out].to_vec();
        let names = |list: &[Named]| list.iter().map(|n| n.name.clone()).collect::<Vec<_>>();
        (system.inputs, system.outputs) = (names(&inputs), names(&outputs));
        let state = |k: &usize| match k.checked_sub(n) {
            None => linear.independent[*k].named.clone(),
            Some(k) => linear.inputs[n_w + k].clone(),
        };
        let states = felt.iter().map(state).collect();
        let system = SampledData::new(system, jumps.collect())?;
        Ok(SampledSystem { system, inputs, outputs, states, blocks: self.block_names() })
    }

    /// J and K of each block, on all states. [jump]
    fn jumps(&mut self, t: f64, y: &[f64], linear: &Linearization) -> Result<Vec<Jump>, AnalysisError> {
        let (n, n_w, n_d) = (linear.independent.len(), self.n_inputs, self.discretes.len());
        let inputs = self.study.placed(t, y);
        let slopes = self.slopes.run(&inputs)?;
        let n_y = self.study.n_states();
        let (n_q, n_u, _) = self.study.sizes();
        let mut jumps = vec![];
        for block in &self.blocks {
            let mut state = cardan_control::matrix::identity(n + n_d);
            let mut input = Matrix::zeros(n + n_d, n_w);
            for (target, row, _) in &block.assignments {
                let refused = |what: &str| {
                    let name = &block.name;
                    AnalysisError::Question(format!(
                        "the sampled block `{name}` assigns {what}; only blocks that assign discrete and free \
                         auxiliary states have a linear equivalent"
                    ))
                };
                let place = match target {
                    Target::Discrete(id) => {
                        self.discretes.iter().position(|k| *k == id.index()).map(|k| n + k)
                    }
                    Target::State(id) => {
                        let place = n_q + n_u + id.index();
                        linear.independent.iter().position(|x| x.place == place)
                    }
                    Target::Coordinate(_) => return Err(refused("a coordinate")),
                    Target::Speed(_) | Target::Overwrite(_) | Target::Struck(_) => {
                        return Err(refused("a speed"));
                    }
                };
                let place = place.ok_or_else(|| refused("a state that depends on others"))?;
                let by_state = |column: &[f64]| (0..n_y).map(|k| slopes[(*row, k)] * column[k]).sum::<f64>();
                let by_input = |j: usize| slopes[(*row, n_y + j)] + by_state(linear.shift.column(j));
                let all: Vec<f64> = (0..n)
                    .map(|j| by_state(linear.basis.column(j)))
                    .chain((0..n_d).map(|j| by_input(n_w + j)))
                    .collect();
                if let Some(j) = all.iter().position(|x| !x.is_finite()) {
                    let name = &block.name;
                    return Err(AnalysisError::Evaluation(format!(
                        "the derivative {j} of the sampled block `{name}` is not finite at this state"
                    )));
                }
                all.iter().enumerate().for_each(|(j, x)| state[(place, j)] = *x);
                (0..n_w).for_each(|j| input[(place, j)] = by_input(j));
            }
            let out = self.values.run(&inputs)?;
            jumps.push(Jump { period: out[block.period], offset: out[block.offset], state, input });
        }
        Ok(jumps)
    }

    /// What the blocks would change at a state: places among the discrete states asked for, and by how
    /// much. Blocks of the same target count by the last.
    fn changes(&mut self, t: f64, y: &[f64]) -> Result<Vec<f64>, AnalysisError> {
        let inputs = self.study.placed(t, y);
        let out = self.values.run(&inputs)?;
        let held = self.study.discretes();
        let mut changes = vec![0.0; self.discretes.len()];
        for (target, _, output) in self.blocks.iter().flat_map(|b| &b.assignments) {
            let Target::Discrete(id) = target else { continue };
            let Some(k) = self.discretes.iter().position(|k| *k == id.index()) else { continue };
            changes[k] = out[*output] - held[id.index()];
        }
        Ok(changes)
    }

    /// The discrete states that the motion feels, by their places among those that blocks assign.
    fn felt_discretes(&mut self, t: f64, y: &[f64]) -> Result<Vec<usize>, AnalysisError> {
        let linear = linearize(&mut self.study, t, y, &LinearOptions::default())?;
        let (n, n_w, n_d) = (linear.independent.len(), self.n_inputs, self.discretes.len());
        let jumps = self.jumps(t, y, &linear)?;
        let flow = Matrix::from_fn(n + n_d, n + n_d, |i, j| match (i < n, j < n) {
            (true, true) => linear.a[(i, j)],
            (true, false) => linear.b[(i, n_w + j - n)],
            _ => 0.0,
        });
        let felt = felt((0..n).collect(), &flow, &jumps);
        Ok(felt.into_iter().filter_map(|k| k.checked_sub(n)).collect())
    }

    /// Whether the blocks change nothing that the motion feels, at a state.
    pub fn is_settled(&mut self, t: f64, y: &[f64]) -> Result<bool, AnalysisError> {
        let felt = self.felt_discretes(t, y)?;
        let changes = self.changes(t, y)?;
        Ok(felt.iter().all(|k| changes[*k].abs() <= 1e-8))
    }

    /// The state near `y` in which the mechanism rests and the blocks change nothing, and all discrete
    /// states there; by Newton's method on both. [fixed point]
    pub fn settle(&mut self, t: f64, y: &[f64]) -> Result<(Vec<f64>, Vec<f64>), AnalysisError> {
        let felt = self.felt_discretes(t, y)?;
        let (mut y, n_y, n_w) = (y.to_vec(), self.study.n_states(), self.n_inputs);
        let mut size = f64::INFINITY;
        for _ in 0..MAX_STEPS {
            let local = self.study.local(t, &y)?;
            let tangent = tangent(&self.study, &local, &[])?;
            let (free, n) = (&tangent.independent, tangent.independent.len());
            let rates = self.study.rates(t, &y)?;
            let changes = self.changes(t, &y)?;
            let rest: Vec<f64> =
                free.iter().map(|k| rates[*k]).chain(felt.iter().map(|k| changes[*k])).collect();
            size = rest.iter().fold(0.0, |m: f64, x| x.abs().max(m));
            if size <= SETTLED {
                return Ok((y, self.study.discretes().to_vec()));
            }
            let slopes = self.slopes.run(&self.study.placed(t, &y))?;
            let mut rows = vec![None; self.discretes.len()];
            for (target, row, _) in self.blocks.iter().flat_map(|b| &b.assignments) {
                let Target::Discrete(id) = target else { continue };
                if let Some(k) = self.discretes.iter().position(|k| *k == id.index()) {
                    rows[k] = Some(*row);
                }
            }
            let mut j = cardan_solve::Matrix::zeros(rest.len(), rest.len());
            for column in 0..rest.len() {
                let (direction, of) = match column.checked_sub(n) {
                    None => (tangent.basis.column(column), None),
                    Some(k) => (tangent.shift.column(n_w + felt[k]), Some(n_y + n_w + felt[k])),
                };
                let slope = |m: &cardan_solve::Matrix, row: usize| {
                    let along: f64 = (0..n_y).map(|k| m[(row, k)] * direction[k]).sum();
                    along + of.map_or(0.0, |place| m[(row, place)])
                };
                free.iter().enumerate().for_each(|(i, k)| j[(i, column)] = slope(&local.field, *k));
                for (i, k) in felt.iter().enumerate() {
                    let own = if column == n + i { 1.0 } else { 0.0 };
                    j[(n + i, column)] = rows[*k].map_or(0.0, |row| slope(&slopes, row)) - own;
                }
            }
            let step = least_norm(&j, &rest, RANK_TOLERANCE)?.x;
            let mut discretes = self.study.discretes().to_vec();
            for (i, k) in felt.iter().enumerate() {
                discretes[self.discretes[*k]] -= step[n + i];
            }
            for (row, y) in y.iter_mut().enumerate() {
                *y -= (0..n).map(|c| tangent.basis[(row, c)] * step[c]).sum::<f64>();
                let shifts = felt.iter().enumerate();
                *y -= shifts.map(|(i, k)| tangent.shift[(row, n_w + k)] * step[n + i]).sum::<f64>();
            }
            self.study.hold_discretes(&discretes);
            self.study.close(t, &mut y)?;
        }
        Err(AnalysisError::Question(format!(
            "no state near the start was found in which the mechanism rests and its sampled blocks change nothing \
             (what is left is {size:.1e})"
        )))
    }
}

impl SampledSystem {
    /// Multipliers, poles ln z / T of those that are not zero, and the verdict.
    pub fn stability(&self) -> Result<(Vec<Complex>, Vec<Complex>, Stability), AnalysisError> {
        let (z, s) = (self.system.multipliers()?, self.system.poles()?);
        let largest = z.iter().map(|z| z.norm()).fold(0.0, f64::max);
        let verdict = match largest {
            x if x < 1.0 - MARGINAL => Stability::Asymptotic,
            x if x > 1.0 + MARGINAL => Stability::Unstable,
            _ => Stability::Marginal,
        };
        Ok((z, s, verdict))
    }
}

/// What some states depend on, in order of the states.
fn felt(seeds: Vec<usize>, flow: &Matrix, jumps: &[Jump]) -> Vec<usize> {
    let mut felt = seeds;
    let mut done = 0;
    while done < felt.len() {
        let i = felt[done];
        done += 1;
        for j in 0..flow.ncols() {
            let needs = flow[(i, j)] != 0.0 || jumps.iter().any(|jump| jump.state[(i, j)] != 0.0);
            if needs && !felt.contains(&j) {
                felt.push(j);
            }
        }
    }
    felt.sort_unstable();
    felt
}

/// Newton's method ends after so many steps.
const MAX_STEPS: usize = 50;
/// Rates and changes below this are rest, in SI units.
const SETTLED: f64 = 1e-10;
/// Multipliers so near the unit circle neither grow nor decay.
const MARGINAL: f64 = 1e-9;
