//! Across a state at which the right-hand side is not determined: the motion before it, continued.
//!
//! ```text
//! [hermite]    p(t_i) = y_i,  ṗ(t_i) = f(t_i, y_i)    in Newton's form, the nearest times first
//! [nodes]      t, and states of the past at distances of at least NEAREST, NEAREST GROWTH, NEAREST GROWTH², … to where it is not determined
//! [degree]      as many nodes as change the end the least when the last one is left out
//! ```
//!
//! A mechanism goes smoothly through a singular position, but its accelerations are 0/0 there and lose digits with the square of the
//! distance. Nothing is evaluated near it: the nodes lie far enough before it, the end as far behind it, and beside their distances the gap
//! is small, so that the polynomial is about as good there as the states that it comes from.

use std::collections::VecDeque;

use crate::evaluate::{Evaluator, Trouble};
use crate::options::Method;
use crate::stepper::{Stepper, Verdict};

/// The distance of the second node, in distances to the state that is not determined, …
const NEAREST: f64 = 1.0;
/// … and how many times further each next one is.
const GROWTH: f64 = 1.6;
const MOST_NODES: usize = 7;
/// So many states of the past are kept at most.
const MEMORY: usize = 256;

/// The states at the ends of the last steps.
#[derive(Default)]
pub(crate) struct Trail {
    states: VecDeque<(f64, Vec<f64>)>,
}

impl Trail {
    /// Forgets all: the motion begins anew.
    pub(crate) fn clear(&mut self) {
        self.states.clear();
    }

    /// Adds the end of a step. Where steps are short, every other state is forgotten, so that the past stays long enough.
    pub(crate) fn push(&mut self, t: f64, y: &[f64]) {
        if self.states.len() >= MEMORY {
            let mut k = 0;
            self.states.retain(|_| {
                k += 1;
                k % 2 == 0
            });
        }
        self.states.push_back((t, y.to_vec()));
    }

    /// The state before the last one.
    pub(crate) fn before(&self) -> Option<(f64, &[f64])> {
        let k = self.states.len().checked_sub(2)?;
        self.states.get(k).map(|(t, y)| (*t, y.as_slice()))
    }

    /// The last states, one for each of the distances that `gap`, the time to where the motion is not determined, asks for. [nodes]
    fn nodes(&self, gap: f64) -> Vec<(f64, &[f64])> {
        let mut found: Vec<(f64, &[f64])> = vec![];
        let mut distance = 0.0;
        let last = self.states.back().map_or(0.0, |(t, _)| *t);
        for (t, y) in self.states.iter().rev() {
            if (last - t).abs() >= distance && found.len() < MOST_NODES {
                found.push((*t, y));
                let next = if distance == 0.0 { NEAREST * gap } else { GROWTH * distance };
                distance = next.max((last - t).abs() * GROWTH);
            }
        }
        // Two are needed; where the past is short, its beginning is all there is.
        if let (1, Some((t, y))) = (found.len(), self.states.front().filter(|(t, _)| *t != last)) {
            found.push((*t, y));
        }
        found
    }
}

/// The motion before, continued beyond the last state of its trail.
#[derive(Clone)]
pub(crate) struct Leap {
    method: Method,
    t: f64,
    h: f64,
    /// Each node twice, and the divided differences that belong to them; the first of them count.
    times: Vec<f64>,
    differences: Vec<Vec<f64>>,
    n_kept: usize,
    slope: Vec<f64>,
    end: Vec<f64>,
}

impl Leap {
    /// From the last state of `trail`, `gap` before where the motion is not determined; nothing where too little is known of the past.
    pub(crate) fn new(
        evaluator: &mut Evaluator<'_>,
        trail: &Trail,
        gap: f64,
        method: Method,
    ) -> Result<Option<Leap>, Trouble> {
        let nodes = trail.nodes(gap);
        let (Some((t, y)), true) = (nodes.first(), nodes.len() > 1) else { return Ok(None) };
        let n = y.len();
        let (mut times, mut table, mut slopes): (Vec<f64>, Vec<Vec<f64>>, Vec<Vec<f64>>) = Default::default();
        for (at, state) in &nodes {
            let mut slope = vec![0.0; n];
            evaluator.derivative(*at, state, &mut slope)?;
            times.extend([*at, *at]);
            table.extend([state.to_vec(), state.to_vec()]);
            slopes.extend([slope.clone(), slope]);
        }
        // Divided differences in place, column by column; those of a double node are its slope. [hermite]
        for order in 1..times.len() {
            for k in (order..times.len()).rev() {
                let width = times[k] - times[k - order];
                for i in 0..n {
                    table[k][i] =
                        if width == 0.0 { slopes[k][i] } else { (table[k][i] - table[k - 1][i]) / width };
                }
            }
        }
        let slope = slopes.swap_remove(0);
        let (t, n_kept) = (*t, times.len());
        Ok(Some(Leap { method, t, h: 0.0, times, differences: table, n_kept, slope, end: vec![0.0; n] }))
    }

    /// Takes as many nodes as agree best about the end of a step of size `h`. [degree]
    pub(crate) fn aim(&mut self, h: f64, norm: &dyn Fn(&[f64], &[f64]) -> f64) {
        let mut ends: Vec<Vec<f64>> = vec![];
        let mut sum = vec![0.0; self.end.len()];
        let mut factor = 1.0;
        for (k, difference) in self.differences.iter().enumerate() {
            sum.iter_mut().zip(difference).for_each(|(s, d)| *s += factor * d);
            factor *= self.t + h - self.times[k];
            if k % 2 == 1 {
                ends.push(sum.clone());
            }
        }
        let change = |k: usize| {
            let e: Vec<f64> = ends[k].iter().zip(&ends[k - 1]).map(|(a, b)| a - b).collect();
            norm(&e, &ends[k])
        };
        let best = (1..ends.len()).min_by(|a, b| change(*a).total_cmp(&change(*b)));
        self.n_kept = 2 * (best.unwrap_or(0) + 1);
        self.h = h;
        self.end.clone_from(&ends[best.unwrap_or(0)]);
    }

    /// The state a time after the last one.
    pub(crate) fn after(&self, h: f64, out: &mut [f64]) {
        out.fill(0.0);
        for (t, difference) in self.times.iter().zip(&self.differences).take(self.n_kept).rev() {
            let factor = self.t + h - t;
            out.iter_mut().zip(difference).for_each(|(x, d)| *x = *x * factor + d);
        }
    }
}

impl Stepper for Leap {
    fn method(&self) -> Method {
        self.method
    }

    fn first_step_order(&self) -> Option<i32> {
        Some(1)
    }

    fn start(&mut self, _: &mut Evaluator<'_>, _: f64, _: &[f64]) -> Result<(), Trouble> {
        Ok(())
    }

    fn slope(&self) -> &[f64] {
        &self.slope
    }

    fn needs_slope(&self) -> bool {
        false
    }

    fn attempt(&mut self, _: &mut Evaluator<'_>, _: f64, _: &[f64], h: f64) -> Result<Verdict, Trouble> {
        Ok(Verdict::Accepted { next: h })
    }

    fn end(&self) -> &[f64] {
        &self.end
    }

    fn prepare_dense(&mut self, _: &mut Evaluator<'_>, _: f64, _: &[f64], _: f64) -> Result<(), Trouble> {
        Ok(())
    }

    fn interpolate(&self, theta: f64, out: &mut [f64]) {
        self.after(theta * self.h, out);
    }

    fn advance(&mut self, _: Option<&[f64]>) {}

    fn h_lambda(&mut self) -> Option<f64> {
        None
    }
}
