//! A run in natural coordinates: explicit integration of the accelerations, each step projected
//! onto the equations.

use std::borrow::Cow;

use cardan_sim::events::event_loop::Integrate;
use cardan_sim::events::{Followed, HybridSystem, Logic};
use cardan_sim::{Observer, Settings};
use cardan_solve::{Control, Failure, Options, Problem, StopReason, System, integrate};

use crate::error::AbsoluteError;
use crate::events::{Measured, News, Reached, follow};
use crate::mechanism::Mechanism;
use crate::mechanism::works::Works;
use crate::motion::{AbsoluteMotion, Record, energy};
use crate::natural::Natural;

/// The equations as an integrator sees them.
struct Flow<'m> {
    natural: Natural,
    mechanism: Mechanism<'m>,
    works: Works,
    left_open: (f64, f64),
    /// Loads with a potential.
    stored: Vec<usize>,
    /// What events read, if there are any.
    measured: Measured,
    reached: Reached,
}

impl Flow<'_> {
    /// Numbers in a state, without works.
    fn n_states(&self) -> usize {
        2 * self.natural.n_coordinates() + self.mechanism.state_rates.len()
    }
}

impl System for Flow<'_> {
    fn dim(&self) -> usize {
        self.n_states() + self.works.len()
    }

    fn derivative(&mut self, t: f64, y: &[f64], dy: &mut [f64]) -> Result<(), Failure> {
        let n = self.n_states();
        let m = &mut self.mechanism;
        self.natural.derivative(m, t, &y[..n], &mut dy[..n]).map_err(Failure::recoverable)?;
        dy[n..].copy_from_slice(&self.works.powers(m));
        Ok(())
    }

    fn project(&mut self, t: f64, y: &mut [f64]) -> Result<bool, Failure> {
        let n = self.n_states();
        let m = &mut self.mechanism;
        let left = self.natural.project(m, t, &mut y[..n]).map_err(Failure::recoverable)?;
        self.left_open = (self.left_open.0.max(left.0), self.left_open.1.max(left.1));
        m.measure(&self.natural.absolute(&y[..n]), true);
        Ok(true)
    }
}

/// Blocks act on the parts, from which the natural coordinates after them follow.
impl HybridSystem for Flow<'_> {
    fn measured<'y>(&mut self, t: f64, y: &'y [f64]) -> Result<Cow<'y, [f64]>, Failure> {
        let parts = self.natural.absolute(&y[..self.n_states()]);
        let found = self.measured.of(&mut self.mechanism, t, &parts).map_err(Failure::recoverable)?;
        Ok(Cow::Owned(found))
    }

    fn energy(&mut self, t: f64, y: &[f64]) -> Result<f64, Failure> {
        let parts = self.natural.absolute(&y[..self.n_states()]);
        energy(&mut self.mechanism, &self.stored, t, &parts)
    }

    fn jump(&mut self, logic: &mut Logic<'_>, event: usize, t: f64, y: &mut [f64]) -> Result<(), Failure> {
        let n = self.n_states();
        let mut parts = self.natural.absolute(&y[..n]);
        let before = parts.clone();
        let measured = self.measured.clone();
        measured.jump(&mut self.mechanism, (logic, event), t, &mut parts, &self.reached)?;
        // A rounding of the position must not undo a condition.
        if parts != before {
            y[..n].copy_from_slice(&self.natural.state_of(&self.mechanism, &parts));
        }
        Ok(())
    }
}

impl<'m> AbsoluteMotion<'m> {
    /// The natural coordinates of the model at its start.
    pub fn natural(&mut self) -> Result<Natural, AbsoluteError> {
        Ok(Natural::of(&mut self.mechanism, &self.start)?)
    }

    /// Follows the motion in natural coordinates; rows are recorded as in absolute ones.
    pub(crate) fn follow_naturally(
        &mut self,
        settings: &Settings,
        (problem, options): (&Problem, &Options),
        record: &mut Record,
        observer: &mut dyn Observer,
        left_open: &mut (f64, f64),
    ) -> Result<Followed, AbsoluteError> {
        let natural = self.natural()?;
        let mechanism = self.mechanism.clone();
        let mut y0 = natural.state_of(&mechanism, &self.start);
        let mut reader = Flow {
            natural: natural.clone(),
            mechanism: self.mechanism.clone(),
            works: Works::default(),
            left_open: (0.0, 0.0),
            stored: vec![],
            measured: Measured::default(),
            reached: Reached::default(),
        };
        let events = self.events.clone();
        let mut flow = Flow {
            natural,
            mechanism,
            works: self.works.clone(),
            left_open: (0.0, 0.0),
            stored: self.stored.clone(),
            measured: events.as_ref().map(|e| e.measured.clone()).unwrap_or_default(),
            reached: Reached::default(),
        };
        let wrong = |e: String| AbsoluteError::NotFinite(e);
        flow.natural.project(&mut flow.mechanism, problem.t0, &mut y0).map_err(wrong)?;
        let n = flow.n_states();
        y0.resize(n + flow.works.len(), 0.0);
        let problem = Problem { y0, ..problem.clone() };
        let reached = flow.reached.clone();
        let mut tell = |news: News<'_>| match news {
            News::Row(t, y) => {
                let (state, works) = y.split_at(n);
                let mut add = || {
                    reader.mechanism.measure(&reader.natural.absolute(state), true);
                    reader.natural.accelerate(&mut reader.mechanism, t, state)?;
                    let mut y = reader.natural.absolute(state);
                    y.extend(works);
                    let a = reader.natural.accelerations_of_parts(state);
                    record.add(self, t, &y, Some(&a))
                };
                match add() {
                    Ok(()) => observer.row(record.rows.row(record.rows.len() - 1)),
                    Err(e) => _ = record.trouble.get_or_insert((t, e)),
                }
                Control::Continue
            }
            News::Step(t, y) => {
                let y = reader.natural.absolute(&y[..n]);
                reader.mechanism.measure(&y, true);
                self.mechanism.measure(&y, true);
                self.stepped(settings, t, record, observer)
            }
            News::Jump(discretes, work) => {
                reached.take_over(&mut reader.mechanism);
                reader.mechanism.hold(discretes);
                self.jumped(discretes, work, record, &reached);
                Control::Continue
            }
        };
        let scalars = flow.mechanism.scalars.clone();
        let moved = (&mut flow as &mut dyn HybridSystem, &mut integrate as &mut Integrate<'_>);
        let mut followed = follow(moved, events.as_ref(), &scalars, (&problem, options), &mut tell)?;
        let outcome = &mut followed.outcome;
        *left_open = flow.left_open;
        outcome.y_reached = flow.natural.absolute(&outcome.y_reached[..n]);
        // Components are those of natural coordinates, which have no names.
        match &mut outcome.stop {
            StopReason::StepTooSmall { component, .. } => *component = None,
            StopReason::NonFinite { component, .. } => *component = usize::MAX,
            _ => {}
        }
        Ok(followed)
    }
}
