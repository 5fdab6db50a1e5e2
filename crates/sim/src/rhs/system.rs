//! The mechanism as the integrators see it: rates, Jacobian, projections, switches.

use cardan_program::Execute;
use cardan_solve::{Crossing, Failure, Matrix, Reaction, Segment, System};

use crate::monitors::singularity::Regularity;
use crate::rhs::{Jacobian, Mechanism, set_up};

impl System for Mechanism<'_> {
    fn dim(&self) -> usize {
        self.plan.states.len() + self.plan.powers.len()
    }

    fn derivative(&mut self, t: f64, y: &[f64], dy: &mut [f64]) -> Result<(), Failure> {
        if let Some(modes) = &mut self.modes {
            return modes.rates(t, y, dy);
        }
        self.place(t, y);
        let run = self.engine.run(self.plan.motion, &self.inputs, &mut self.outputs);
        run.map_err(|e| Failure::recoverable(e.to_string()))?;
        let rates = self.plan.states.iter().map(|s| s.derivative);
        let powers = self.plan.powers.iter().map(|(_, p)| *p);
        for (slot, output) in dy.iter_mut().zip(rates.chain(powers)) {
            *slot = self.outputs[output]; // [rate]
        }
        if self.is_fork(t, y) || self.corrector.is_some() && dy.iter().any(|d| !d.is_finite()) {
            self.limit(t, y, dy)?;
        }
        Ok(())
    }

    fn jacobian(&mut self, t: f64, y: &[f64], j: &mut Matrix) -> Result<bool, Failure> {
        // On a surface weights depend on the state, too: differences see that.
        if self.is_sliding() {
            return Ok(false);
        }
        if let Jacobian::Later(source, left) = self.jacobian {
            let Some(left) = left.checked_sub(y.len()) else {
                self.jacobian = Jacobian::Source(source);
                return self.jacobian(t, y, j);
            };
            self.jacobian = Jacobian::Later(source, left);
            return Ok(false);
        }
        // Where the derivative of the frozen program has no value, that of the structure may have one.
        if let Some(modes) = &mut self.modes
            && modes.jacobian(t, y, j)?
            && j.as_slice().iter().all(|x| x.is_finite())
        {
            return Ok(true);
        }
        if let Jacobian::Source(source) = self.jacobian {
            self.jacobian = match source() {
                Some(exact) => {
                    Jacobian::Ready(exact, Box::new(set_up(self.plan, &exact.engine, &self.inputs)?))
                }
                None => Jacobian::Absent,
            };
        }
        self.place(t, y);
        let Jacobian::Ready(exact, memory) = &mut self.jacobian else { return Ok(false) };
        let (engine, outputs) = memory.as_mut();
        let run = engine.run(self.plan.motion, &self.inputs, outputs);
        run.map_err(|e| Failure::recoverable(e.to_string()))?;
        j.clear();
        for (k, (row, column)) in exact.pattern.iter().enumerate() {
            j[(*row, *column)] = outputs[exact.first + k];
        }
        // At an edge, such as that of the size of a vector that vanishes, differences see a slope where the derivative has no value.
        Ok(j.as_slice().iter().all(|x| x.is_finite()))
    }

    fn has_margin(&self) -> bool {
        self.regularity.is_some()
    }

    fn margin(&mut self, t: f64, y: &[f64]) -> Result<f64, Failure> {
        let n = self.plan.states.len();
        self.regularity.as_mut().map_or(Ok(f64::INFINITY), |r| r.margin(t, &y[..n]))
    }

    fn mark(&mut self) {
        self.regularity.iter_mut().for_each(Regularity::mark);
    }

    fn passed(&mut self, t: f64, y: &[f64]) -> Result<(), Failure> {
        let n = self.plan.states.len();
        self.regularity.as_mut().map_or(Ok(()), |r| r.passed(t, &y[..n]))
    }

    fn project(&mut self, t: f64, y: &mut [f64]) -> Result<bool, Failure> {
        if self.corrector.is_none() || self.struck.is_infinite() {
            return self.onto(t, y);
        }
        let before = y.to_vec();
        let moved = self.onto(t, y)?;
        self.note_impulse(t, &before, y)?;
        Ok(moved)
    }

    fn project_sample(&mut self, t: f64, y: &mut [f64]) -> Result<bool, Failure> {
        if self.corrector.is_none() || self.struck.is_infinite() {
            return self.onto(t, y);
        }
        let before = y.to_vec();
        let moved = self.onto(t, y)?;
        // A sample at the instant of an impulse that is still to come shows the speeds before it.
        if self.is_struck(&before, y) {
            y.copy_from_slice(&before);
        }
        Ok(moved)
    }

    fn project_hit(&mut self, t: f64, y: &mut [f64]) -> Result<bool, Failure> {
        self.meet(t, y)
    }

    fn enter(&mut self, segment: Segment, y: &mut [f64]) -> Result<(), Failure> {
        // Inside the stretch, as evaluations will be.
        let inside = 8.0 * f64::EPSILON * segment.from.abs().max(segment.to.abs());
        let inside = inside.min(0.25 * (segment.to - segment.from).abs());
        let t = segment.from + inside.copysign(segment.to - segment.from);
        // A motion begins on its constraints.
        if std::mem::replace(&mut self.begun, true) {
            self.strike(segment.from, t, y)?;
        }
        self.modes.as_mut().map_or(Ok(()), |m| m.enter(segment.from, t, y))
    }

    fn n_events(&self) -> usize {
        self.modes.as_ref().map_or(0, |m| m.n_events())
    }

    fn watches(&self) -> bool {
        self.modes.as_ref().is_some_and(|m| m.watches())
    }

    fn crossing(&self, _event: usize) -> Crossing {
        Crossing::Down
    }

    fn events(&mut self, t: f64, y: &[f64], g: &mut [f64]) -> Result<(), Failure> {
        self.modes.as_mut().map_or(Ok(()), |m| m.margins(t, y, g))
    }

    fn react(&mut self, event: usize, _rising: bool, t: f64, y: &mut [f64]) -> Result<Reaction, Failure> {
        self.modes.as_mut().map_or(Ok(()), |m| m.cross(event, t, y))?;
        self.strike(t, t, y)?;
        Ok(Reaction::Restart)
    }

    fn has_stretches(&self) -> bool {
        self.modes.as_ref().is_some_and(|m| m.has_stretches())
    }

    fn passable(&mut self, from: (f64, &[f64]), to: (f64, &[f64])) -> Result<f64, Failure> {
        self.modes.as_mut().map_or(Ok(1.0), |m| m.passable(from, to))
    }
}

/// Switches and margins of a mechanism, for systems that hold it as `mechanism` and watch for nothing else.
macro_rules! watched_by_mechanism {
    () => {
        fn has_margin(&self) -> bool {
            self.mechanism.has_margin()
        }
        fn margin(&mut self, t: f64, y: &[f64]) -> Result<f64, Failure> {
            self.mechanism.margin(t, y)
        }
        fn mark(&mut self) {
            self.mechanism.mark();
        }
        fn passed(&mut self, t: f64, y: &[f64]) -> Result<(), Failure> {
            self.mechanism.passed(t, y)
        }
        fn enter(&mut self, segment: cardan_solve::Segment, y: &mut [f64]) -> Result<(), Failure> {
            self.mechanism.enter(segment, y)
        }
        fn n_events(&self) -> usize {
            self.mechanism.n_events()
        }
        fn watches(&self) -> bool {
            self.mechanism.watches()
        }
        fn crossing(&self, event: usize) -> cardan_solve::Crossing {
            self.mechanism.crossing(event)
        }
        fn events(&mut self, t: f64, y: &[f64], g: &mut [f64]) -> Result<(), Failure> {
            self.mechanism.events(t, y, g)
        }
        fn react(
            &mut self,
            event: usize,
            rising: bool,
            t: f64,
            y: &mut [f64],
        ) -> Result<cardan_solve::Reaction, Failure> {
            self.mechanism.react(event, rising, t, y)
        }
        fn has_stretches(&self) -> bool {
            self.mechanism.has_stretches()
        }
        fn passable(&mut self, from: (f64, &[f64]), to: (f64, &[f64])) -> Result<f64, Failure> {
            self.mechanism.passable(from, to)
        }
    };
}
pub(crate) use watched_by_mechanism;
