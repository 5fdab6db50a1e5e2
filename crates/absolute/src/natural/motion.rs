//! A run in natural coordinates: explicit integration of the accelerations, each step projected
//! onto the equations.

use cardan_sim::{Observer, Settings};
use cardan_solve::{Control, Failure, Kind, Options, Outcome, Problem, StopReason, System, integrate};

use crate::error::AbsoluteError;
use crate::mechanism::Mechanism;
use crate::mechanism::works::Works;
use crate::motion::{AbsoluteMotion, Record};
use crate::natural::Natural;

/// The equations as an integrator sees them.
struct Flow<'m> {
    natural: Natural,
    mechanism: Mechanism<'m>,
    works: Works,
    left_open: (f64, f64),
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
    ) -> Result<Outcome, AbsoluteError> {
        let natural = self.natural()?;
        let mechanism = self.mechanism.clone();
        let mut y0 = natural.state_of(&mechanism, &self.start);
        let mut reader = Flow {
            natural: natural.clone(),
            mechanism: self.mechanism.clone(),
            works: Works::default(),
            left_open: (0.0, 0.0),
        };
        let mut flow = Flow { natural, mechanism, works: self.works.clone(), left_open: (0.0, 0.0) };
        let wrong = |e: String| AbsoluteError::NotFinite(e);
        flow.natural.project(&mut flow.mechanism, problem.t0, &mut y0).map_err(wrong)?;
        let n = flow.n_states();
        y0.resize(n + flow.works.len(), 0.0);
        let problem = Problem { y0, ..problem.clone() };
        let span = settings.to - settings.from;
        let mut outcome = integrate(&mut flow, &problem, options, &mut |sample| match sample.kind {
            Kind::Output => {
                let (state, works) = sample.y.split_at(n);
                let mut add = || {
                    reader.mechanism.measure(&reader.natural.absolute(state), true);
                    reader.natural.accelerate(&mut reader.mechanism, sample.t, state)?;
                    let mut y = reader.natural.absolute(state);
                    y.extend(works);
                    let a = reader.natural.accelerations_of_parts(state);
                    record.add(self, sample.t, &y, Some(&a))
                };
                match add() {
                    Ok(()) => observer.row(record.rows.row(record.rows.len() - 1)),
                    Err(e) => _ = record.trouble.get_or_insert((sample.t, e)),
                }
                Control::Continue
            }
            Kind::Step { .. } => {
                let y = reader.natural.absolute(&sample.y[..n]);
                reader.mechanism.measure(&y, true);
                self.mechanism.measure(&y, true);
                let done = if span == 0.0 { 1.0 } else { (sample.t - settings.from) / span };
                let goes_on = !record.creeps(done) && observer.progress(done);
                if goes_on { Control::Continue } else { Control::Stop }
            }
            Kind::Event { .. } => Control::Continue,
        });
        *left_open = flow.left_open;
        outcome.y_reached = flow.natural.absolute(&outcome.y_reached[..n]);
        // Components are those of natural coordinates, which have no names.
        match &mut outcome.stop {
            StopReason::StepTooSmall { component, .. } => *component = None,
            StopReason::NonFinite { component, .. } => *component = usize::MAX,
            _ => {}
        }
        Ok(outcome)
    }
}
