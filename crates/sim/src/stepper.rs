//! Many copies of a model that advance together by equal steps, each with its own state, time and inputs: eight, four or
//! two at a time in machine code, and in as many threads as pay.
//!
//! The classical Runge-Kutta method [rk4] takes equal steps (E. Hairer, S. P. Nørsett, G. Wanner, Solving Ordinary
//! Differential Equations I, sec. II.1), so that all lanes do the same; inputs are held during a call.
//!
//! ```text
//! [rk4]   y + h/6 (k₁ + 2 k₂ + 2 k₃ + k₄),  k₁ = f(t, y), k₂ = f(t + h/2, y + h/2 k₁),
//!                                            k₃ = f(t + h/2, y + h/2 k₂), k₄ = f(t + h, y + h k₃)
//! ```
//!
//! It serves models without loops, events and switches: others have motions of their own kind and are followed one by one,
//! by a [`Session`](crate::Session) each.

use cardan_base::Id;
use cardan_compile::Plan;
use cardan_jit::{Batch, Vectors, lanes};
use cardan_program::Host;

use crate::Simulation;
use crate::rhs::normalise;

/// A model whose copies advance together.
#[derive(Clone, Debug)]
pub struct Stepper {
    plan: Plan,
    vectors: Vectors,
    /// The inputs of the program with the parameters set.
    inputs: Vec<f64>,
    /// Where the inputs of the model are among them.
    controls: Vec<usize>,
    /// Operations of one evaluation.
    cost: usize,
}

/// So many operations are worth a thread: about a millisecond.
const THREAD: usize = 4_000_000;
/// Evaluations per step.
const STAGES: usize = 4;

impl Stepper {
    /// Prepares the copies of a model with the values that a simulation has. `controls` are the places of the inputs among the
    /// parameters of the plan. Nothing where the motion is not that of ordinary differential equations without switches.
    pub fn new(simulation: &Simulation, controls: &[usize]) -> Option<Stepper> {
        if !simulation.is_smooth_tree() {
            return None;
        }
        let plan = simulation.plan().clone();
        let mut inputs = vec![0.0; simulation.program().inputs().len()];
        for (slot, value) in plan.parameters.iter().zip(simulation.values()) {
            inputs[slot.input] = value.unwrap_or(f64::NAN);
        }
        let controls = controls.iter().map(|k| plan.parameters.get(*k).map(|p| p.input));
        Some(Stepper {
            // Without vector code two lanes run one after the other.
            vectors: Vectors::new(simulation.program(), &Host::new(), lanes().max(2))?,
            controls: controls.collect::<Option<_>>()?,
            cost: simulation.program().values().len(),
            inputs,
            plan,
        })
    }

    /// How many states a copy has.
    pub fn n_states(&self) -> usize {
        self.plan.states.len()
    }

    /// How many inputs a copy has.
    pub fn n_controls(&self) -> usize {
        self.controls.len()
    }

    /// Advances copies by `steps` steps of `h`: `times` has one number per copy, `states` and `controls` have the numbers of one copy
    /// after those of the other. A copy that cannot go on has undefined numbers afterwards.
    pub fn advance(
        &self,
        times: &mut [f64],
        states: &mut [f64],
        controls: &[f64],
        (h, steps): (f64, usize),
        threads: usize,
    ) {
        let copies = times.len();
        let (n, m) = (self.n_states().max(1), self.n_controls());
        let work = copies * steps * STAGES * self.cost / self.vectors.lanes();
        let threads = threads.min(work / THREAD).max(1);
        let lanes = self.vectors.lanes();
        // Whole groups of lanes for each thread, so that results do not depend on their number.
        let share = copies.div_ceil(lanes).div_ceil(threads).max(1) * lanes;
        std::thread::scope(|scope| {
            let parts = times.chunks_mut(share).zip(states.chunks_mut(share * n)).enumerate();
            for (k, (times, states)) in parts {
                let controls = controls.get(k * share * m..).unwrap_or(&[]);
                let mut part = move || match &self.vectors {
                    Vectors::Two(batch) => self.advance_part(batch, times, states, controls, h, steps),
                    Vectors::Four(batch) => self.advance_part(batch, times, states, controls, h, steps),
                    Vectors::Eight(batch) => self.advance_part(batch, times, states, controls, h, steps),
                };
                if threads == 1 {
                    part();
                } else {
                    scope.spawn(part);
                }
            }
        });
    }

    fn advance_part<const LANES: usize>(
        &self,
        batch: &Batch<LANES>,
        times: &mut [f64],
        states: &mut [f64],
        controls: &[f64],
        h: f64,
        steps: usize,
    ) {
        let (n, m) = (self.n_states(), self.n_controls());
        let mut field = Field {
            plan: &self.plan,
            batch: batch.clone(),
            inputs: self.inputs.iter().map(|x| [*x; LANES]).collect(),
            outputs: vec![[0.0; LANES]; batch.n_outputs()],
        };
        // A lane whose setup fails has undefined numbers.
        let _ = field.batch.run(self.plan.setup, &field.inputs, &mut field.outputs);
        let zero = || vec![[0.0; LANES]; n];
        let (mut y, mut at, mut sum, mut k) = (zero(), zero(), zero(), zero());
        for (first, times) in (0..).step_by(LANES).zip(times.chunks_mut(LANES)) {
            // Lanes beyond the last copy repeat it.
            let copy = |lane: usize| first + lane.min(times.len() - 1);
            for lane in 0..LANES {
                (0..n).for_each(|i| y[i][lane] = states[copy(lane) * n + i]);
                for (j, place) in self.controls.iter().enumerate() {
                    field.inputs[*place][lane] = controls[copy(lane) * m + j];
                }
            }
            let mut t: [f64; LANES] = std::array::from_fn(|lane| times[lane.min(times.len() - 1)]);
            for _ in 0..steps {
                // [rk4]
                let middle = t.map(|t| t + 0.5 * h);
                let end = t.map(|t| t + h);
                field.rates(&t, &y, &mut k);
                sum.copy_from_slice(&k);
                for (time, reach, weight) in
                    [(&middle, 0.5 * h, 2.0), (&middle, 0.5 * h, 2.0), (&end, h, 1.0)]
                {
                    for i in 0..n {
                        for lane in 0..LANES {
                            at[i][lane] = y[i][lane] + reach * k[i][lane];
                        }
                    }
                    field.rates(time, &at, &mut k);
                    for i in 0..n {
                        for lane in 0..LANES {
                            sum[i][lane] += weight * k[i][lane];
                        }
                    }
                }
                for i in 0..n {
                    for lane in 0..LANES {
                        y[i][lane] += h / 6.0 * sum[i][lane];
                    }
                }
                t = end;
                self.normalise(&mut y);
            }
            for (lane, time) in times.iter_mut().enumerate() {
                *time = t[lane];
                (0..n).for_each(|i| states[(first + lane) * n + i] = y[i][lane]);
            }
        }
    }

    /// Euler parameters keep their length.
    fn normalise<const LANES: usize>(&self, y: &mut [[f64; LANES]]) {
        if self.plan.unit_quadruples.is_empty() {
            return;
        }
        let mut own = vec![0.0; y.len()];
        for lane in 0..LANES {
            own.iter_mut().zip(y.iter()).for_each(|(x, row)| *x = row[lane]);
            if self.plan.unit_quadruples.iter().any(|q| normalise(&mut own, q).is_err()) {
                own.fill(f64::NAN);
            }
            own.iter().zip(y.iter_mut()).for_each(|(x, row)| row[lane] = *x);
        }
    }
}

/// The program in lanes.
struct Field<'p, const LANES: usize> {
    plan: &'p Plan,
    batch: Batch<LANES>,
    inputs: Vec<[f64; LANES]>,
    outputs: Vec<[f64; LANES]>,
}

impl<const LANES: usize> Field<'_, LANES> {
    fn rates(&mut self, t: &[f64; LANES], y: &[[f64; LANES]], dy: &mut [[f64; LANES]]) {
        self.inputs[self.plan.time.index()] = *t;
        self.plan.states.iter().zip(y).for_each(|(slot, y)| self.inputs[slot.input] = *y);
        // A singular system makes its lane's unknowns undefined.
        let _ = self.batch.run(self.plan.motion, &self.inputs, &mut self.outputs);
        self.plan.states.iter().zip(dy).for_each(|(slot, dy)| *dy = self.outputs[slot.derivative]);
    }
}
