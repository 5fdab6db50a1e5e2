//! A session under an integrator outside, as Model Exchange of FMI asks for it: continuous equations between events,
//! indicators whose signs tell of events, and what happens at one.
//!
//! ```text
//! place_at(t, x) ─▶ derivatives, outputs, indicators      the modes are those of the last event
//! settle         ─▶ blocks happen, modes change, constraints hold again; the next time event
//! ```
//!
//! Between events the sides of all switches stay as they were at the last event, the [`Anchor`]: an integrator that looks beyond a
//! switch sees the equations before it go on, and finds the switch by the sign of its indicator.

use cardan_base::{Id, Map};
use cardan_program::InputId;
use cardan_solve::System;

use super::session::{Session, SessionError};
use crate::events::Logic;
use crate::rhs::{Jacobian, Mechanism};
use crate::settings::Settings;

/// Where the modes of a motion were last settled.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Anchor {
    pub t: f64,
    /// States and works.
    pub y: Vec<f64>,
}

/// What happened at an event.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Settled {
    /// Whether the state has changed.
    pub moved: bool,
    /// When the next event is whose time is known.
    pub next: Option<f64>,
    /// Whether a block has ended the motion.
    pub is_over: bool,
}

/// Constraints are let go so far, in metres and radians, before an integrator outside is asked for an event.
const DRIFT: f64 = 1e-9;
/// One switch may set off another; so many rounds are looked at.
const ROUNDS: usize = 64;

impl Session {
    /// Takes a time and a state from an integrator outside, as they are: nothing is projected, and nothing happens.
    pub fn place_at(&mut self, t: f64, state: Option<&[f64]>) -> Result<(), SessionError> {
        let n = self.simulation().plan.states.len();
        let state = state.unwrap_or(&self.y[..n]);
        if state.len() != n {
            return Err(SessionError::Length(state.len(), n));
        }
        if !t.is_finite() || state.iter().any(|x| !x.is_finite()) {
            return Err(SessionError::NotFinite("a number of this state".to_owned()));
        }
        let mut y = state.to_vec();
        y.extend_from_slice(&self.y[n..]);
        (self.t, self.y) = (t, y);
        self.pause_here();
        Ok(())
    }

    /// How many indicators there are.
    pub fn n_indicators(&self) -> Result<usize, SessionError> {
        let watched = self.logic()?.map_or(0, |logic| logic.n_watched());
        self.look(|mechanism, _, _| Ok(watched + mechanism.n_events()))
    }

    /// Numbers whose sign changes where something happens: those of conditions, then those of switches.
    pub fn indicators(&self) -> Result<Vec<f64>, SessionError> {
        let mut all = vec![];
        if let Some(mut logic) = self.logic()? {
            all = vec![1.0; logic.n_watched()];
            logic.root_numbers(self.t, &self.y, &mut all)?;
        }
        self.look(|mechanism, t, y| {
            let mut switches = vec![1.0; mechanism.n_events()];
            mechanism.events(t, y, &mut switches)?;
            all.extend(switches);
            Ok(all)
        })
    }

    /// Whether constraints are to be restored by an event.
    pub fn has_drifted(&self) -> Result<bool, SessionError> {
        if !self.simulation().has_loops() {
            return Ok(false);
        }
        self.closed(|mechanism, t, y| {
            Ok(mechanism.widest_gap(t, y)?.is_some_and(|(_, gap)| gap.abs() > DRIFT))
        })
    }

    /// Lets everything happen that is due at the present time and state.
    pub fn settle(&mut self) -> Result<Settled, SessionError> {
        let before = self.y.clone();
        // Switches whose margin is used up change their side.
        let (modes, y) = self.look(|mechanism, t, y| {
            let mut y = y.to_vec();
            let mut margins = vec![1.0; mechanism.n_events()];
            for _ in 0..ROUNDS {
                mechanism.events(t, &y, &mut margins)?;
                let Some(switch) = margins.iter().position(|g| *g <= 0.0) else { break };
                mechanism.react(switch, false, t, &mut y)?;
            }
            Ok((mechanism.modes().map(|m| m.memory()), y))
        })?;
        (self.y, self.modes) = (y, modes);
        if self.simulation().has_loops() {
            self.y = self.closed(|mechanism, t, y| {
                let mut y = y.to_vec();
                mechanism.project(t, &mut y)?;
                Ok(y)
            })?;
        }
        self.anchor = None;
        self.pause_here();
        let is_over = match self.simulation().events().is_some() {
            false => false,
            true => match self.follow(self.t) {
                Err(SessionError::Ended(_)) => true,
                done => done.map(|()| false)?,
            },
        };
        // From here on the modes are those of this instant.
        let (modes, y) =
            self.look(|mechanism, _, y| Ok((mechanism.modes().map(|m| m.memory()), y.to_vec())))?;
        (self.y, self.modes) = (y, modes);
        self.anchor = Some(Anchor { t: self.t, y: self.y.clone() });
        self.pause_here();
        let moved = before.iter().zip(&self.y).any(|(a, b)| a.to_bits() != b.to_bits());
        Ok(Settled { moved, next: self.next_time_event()?, is_over })
    }

    /// The first time after the present one at which something is known to happen, to the end of the experiment.
    fn next_time_event(&self) -> Result<Option<f64>, SessionError> {
        let simulation = self.simulation();
        let length = (self.settings.to - self.settings.from).max(1.0);
        let settings = Settings { from: self.t, to: self.t + length, ..self.settings.clone() };
        let inputs = simulation.inputs_with(&self.values)?;
        let mut known: Map<usize, f64> =
            simulation.plan.parameters.iter().map(|p| (p.input, inputs[p.input])).collect();
        for ((_, input), value) in simulation.plan.discretes.iter().zip(self.discretes()) {
            known.insert(*input, *value);
        }
        let known = |i: InputId| known.get(&i.index()).copied();
        let switching = simulation.switching_times(&settings, &known).0.times;
        let mut next = switching.into_iter().filter(|t| *t > self.t).fold(f64::INFINITY, f64::min);
        if let Some(mut logic) = self.logic()? {
            logic.until(settings.to);
            logic.look(self.t, &self.y)?;
            next = next.min(logic.next_time(self.t));
        }
        Ok(next.is_finite().then_some(next))
    }

    /// The conditions as they are remembered; nothing where the model has none.
    fn logic(&self) -> Result<Option<Logic<'_>>, SessionError> {
        let Some((program, engine)) = &self.simulation().events else { return Ok(None) };
        let inputs = self.simulation().inputs_with(&self.values)?;
        let mut logic = Logic::new(program, engine, inputs, self.settings.from)?;
        self.conditions.iter().for_each(|memory| logic.recall(memory));
        Ok(Some(logic))
    }

    /// Runs a function on a mechanism that knows its constraints.
    fn closed<T>(
        &self,
        ask: impl FnOnce(&mut Mechanism<'_>, f64, &[f64]) -> Result<T, SessionError>,
    ) -> Result<T, SessionError> {
        let simulation = self.simulation();
        let inputs = simulation.inputs_with(&self.values)?;
        let mut mechanism =
            Mechanism::new(&simulation.plan, &simulation.engine, inputs.clone(), Jacobian::Absent)?;
        simulation.close_by(&mut mechanism, &inputs)?;
        mechanism.hold(self.discretes());
        mechanism.measure(self.t, &self.y)?;
        ask(&mut mechanism, self.t, &self.y)
    }
}
