//! The mechanism with its comparisons as event functions of the integrator, before what switches with the state.

use cardan_solve::{Crossing, Failure, Matrix, Reaction, Segment, System};

use crate::events::Logic;
use crate::events::hybrid_system::HybridSystem;

/// A mechanism that stops the integration when an event is due.
pub(crate) struct Watched<'w, 'a> {
    pub mechanism: &'w mut dyn HybridSystem,
    pub logic: &'w mut Logic<'a>,
    /// The roots seen at the time of the last one, and that time.
    pub seen: (f64, Vec<usize>),
}

impl System for Watched<'_, '_> {
    fn dim(&self) -> usize {
        self.mechanism.dim()
    }
    fn derivative(&mut self, t: f64, y: &[f64], dy: &mut [f64]) -> Result<(), Failure> {
        self.mechanism.derivative(t, y, dy)
    }
    fn jacobian(&mut self, t: f64, y: &[f64], j: &mut Matrix) -> Result<bool, Failure> {
        self.mechanism.jacobian(t, y, j)
    }
    fn project(&mut self, t: f64, y: &mut [f64]) -> Result<bool, Failure> {
        self.mechanism.project(t, y)
    }
    fn project_hit(&mut self, t: f64, y: &mut [f64]) -> Result<bool, Failure> {
        self.mechanism.project_hit(t, y)
    }
    fn project_sample(&mut self, t: f64, y: &mut [f64]) -> Result<bool, Failure> {
        self.mechanism.project_sample(t, y)
    }
    fn enter(&mut self, segment: Segment, y: &mut [f64]) -> Result<(), Failure> {
        self.mechanism.enter(segment, y)
    }
    fn n_events(&self) -> usize {
        self.logic.n_watched() + self.mechanism.n_events()
    }
    fn watches(&self) -> bool {
        !self.logic.roots.is_empty() || self.mechanism.watches()
    }
    fn crossing(&self, event: usize) -> Crossing {
        event.checked_sub(self.logic.n_watched()).map_or(Crossing::Both, |k| self.mechanism.crossing(k))
    }
    fn events(&mut self, t: f64, y: &[f64], g: &mut [f64]) -> Result<(), Failure> {
        let (roots, switches) = g.split_at_mut(self.logic.n_watched());
        let measured = self.mechanism.measured(t, y)?;
        self.logic.root_numbers(t, &measured, roots)?;
        self.mechanism.events(t, y, switches)
    }
    fn has_stretches(&self) -> bool {
        self.mechanism.has_stretches()
    }
    fn passable(&mut self, from: (f64, &[f64]), to: (f64, &[f64])) -> Result<f64, Failure> {
        self.mechanism.passable(from, to)
    }
    fn react(&mut self, event: usize, rising: bool, t: f64, y: &mut [f64]) -> Result<Reaction, Failure> {
        if let Some(switch) = event.checked_sub(self.logic.n_watched()) {
            return self.mechanism.react(switch, rising, t, y);
        }
        if self.seen.0 != t {
            self.seen = (t, vec![]);
        }
        if event < self.logic.roots.len() {
            self.seen.1.push(event);
        }
        let due = self.logic.crossed(event, rising);
        Ok(if due { Reaction::Stop } else { Reaction::Continue })
    }
}
