//! How a run begins: the state at the start on its constraints, or why there is none.

use std::fmt;

use cardan_solve::{Failure, System};

use super::Simulation;

use crate::nonsmooth::{Modes, Shown};
use crate::record::trajectory::Beginning;
use crate::rhs::Mechanism;
use crate::settings::SettingsError;
use cardan_assembly::assemble::{Assembled, assemble};
use cardan_assembly::assembly_error::AssemblyError;
use cardan_assembly::bifurcation::{Fork, Way};
use cardan_assembly::gimbal_lock::Lock;
use cardan_model::Given;

/// Why a simulation did not start.
#[derive(Clone, PartialEq, Debug)]
pub enum StartError {
    /// These parameters have no value.
    Missing(Vec<String>),
    /// A setting makes no sense.
    Settings(SettingsError),
    /// A value at the start is infinite or undefined.
    NotFinite {
        /// What: the start of a state, a time derivative, a parameter.
        what: String,
    },
    /// Three turns have lost an axis, and rates have no bound.
    Locked(Box<Lock>),
    /// The program could not be evaluated.
    Evaluation(String),
    /// The loops cannot be closed.
    Assembly(AssemblyError),
    /// Constraints say something that they did not say when the equations were derived.
    Unforeseen(String),
    /// A value given for the start that the constraints do not keep.
    Moved {
        /// Of what.
        name: String,
        /// The value given, in SI units.
        given: f64,
        /// The one that the constraints would have instead.
        found: f64,
        /// Its unit.
        unit: String,
    },
    /// The position is singular, and nothing says which way the motion goes.
    Fork(Box<Fork>),
}

impl fmt::Display for StartError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StartError::Missing(names) => {
                let list = names.iter().map(|n| format!("`{n}`")).collect::<Vec<_>>().join(", ");
                let (verb, noun) =
                    if names.len() == 1 { ("has", "parameter") } else { ("have", "parameters") };
                write!(f, "the {noun} {list} {verb} no value")
            }
            StartError::Settings(error) => error.fmt(f),
            StartError::NotFinite { what } => write!(f, "{what} is not a finite number"),
            StartError::Evaluation(message) | StartError::Unforeseen(message) => f.write_str(message),
            StartError::Locked(lock) => lock.fmt(f),
            StartError::Assembly(error) => error.fmt(f),
            StartError::Fork(fork) => fork.fmt(f),
            StartError::Moved { name, given, found, unit } => write!(
                f,
                "the start `{name}` = {given} {unit} is not kept: constraints that say next to nothing there would make it {found} {unit}; \
                 remove one that repeats others, or start where they differ"
            ),
        }
    }
}

impl std::error::Error for StartError {}

impl From<Failure> for StartError {
    fn from(failure: Failure) -> Self {
        StartError::Evaluation(failure.message)
    }
}

impl From<SettingsError> for StartError {
    fn from(error: SettingsError) -> Self {
        StartError::Settings(error)
    }
}

impl Simulation {
    /// Whether other rows of the constraints are independent with these values than those that the equations were derived with.
    pub(crate) fn says_otherwise(&self, from: f64) -> bool {
        let Ok(mut inputs) = self.inputs() else { return false };
        if let Some(silent) = &self.silent {
            return matches!(silent.breaks(&inputs, from), Ok(Some(_)));
        }
        let Some(closing) = &self.closing else { return false };
        closing.loops.set_time(&mut inputs, from);
        let kept = (0..closing.loops.rows.len()).filter(|r| !closing.dropped.contains(r));
        assemble(&closing.loops, &closing.assembly, &inputs).is_ok_and(|a| !kept.eq(a.independent))
    }

    /// Rates where friction along a direction that vanishes holds the start; left as they are where nothing is held.
    fn rates_at_rest(&self, inputs: &[f64], from: f64, y: &[f64], dy: &mut [f64]) -> Result<(), StartError> {
        let Some(compiled) = self.switching() else { return Ok(()) };
        let mut modes = Modes::new(compiled, &self.plan, inputs, (from, 1.0, 1.0))?;
        modes.may_slide(Shown::default());
        let (mut state, mut rates) = (y.to_vec(), dy.to_vec());
        let found = modes.enter(from, from, &mut state).and_then(|()| modes.rates(from, &state, &mut rates));
        if found.is_ok() && rates.iter().all(|r| r.is_finite()) {
            dy.copy_from_slice(&rates);
        }
        Ok(())
    }

    /// The state at the start, works included, once everything in it and its derivative are finite.
    pub(super) fn start(
        &self,
        mechanism: &mut Mechanism<'_>,
        inputs: &[f64],
        from: f64,
        warnings: &mut Vec<String>,
    ) -> Result<(Vec<f64>, Beginning), StartError> {
        let mut y = mechanism.start();
        let mut beginning = Beginning::default();
        let name = |k: usize| self.plan.states[k].label.name.as_str();
        for quadruple in &self.plan.unit_quadruples {
            let norm = quadruple.iter().map(|k| y[*k] * y[*k]).sum::<f64>().sqrt();
            if (norm - 1.0).abs() > 1e-9 {
                let first = name(quadruple[0]);
                warnings.push(format!(
                    "the Euler parameters from `{first}` on start with norm {norm}; they are scaled to 1"
                ));
            }
        }
        if let Some(closing) = &self.closing {
            let mut inputs = inputs.to_vec();
            closing.loops.set_time(&mut inputs, from);
            let assembled =
                assemble(&closing.loops, &closing.assembly, &inputs).map_err(StartError::Assembly)?;
            if let Some(words) = assembled.unforeseen(&closing.loops, &closing.dropped) {
                return Err(StartError::Unforeseen(words));
            }
            for joint in &assembled.reversed {
                warnings.push(format!(
                    "`{joint}` is put together the wrong way round: its axes point opposite ways, and no other position that closes the loops was found; other start \
                     values may close it rightly, and `second` with a minus, or a guess that turns it, says that this is meant"
                ));
            }
            y.clone_from(&assembled.state);
            beginning.assembly = Some(assembled);
        }
        if let Some(silent) = &self.silent
            && let Some(words) = silent.breaks(inputs, from).map_err(StartError::Assembly)?
        {
            return Err(StartError::Unforeseen(words));
        }
        if let Some(k) = y.iter().position(|y| !y.is_finite()) {
            return Err(StartError::NotFinite { what: format!("the start of `{}`", name(k)) });
        }
        y.resize(self.plan.states.len() + self.plan.powers.len(), 0.0);
        mechanism.measure(from, &y)?;
        // Assembly knows nothing of unit norm, and scaling nothing of loops: each undoes a little of the other, ever less.
        // In a singular position rows may vanish but for rounding, which says nothing of speeds; assembly knows that, the corrector does not.
        for _ in 0..if beginning.fork().is_some() { 0 } else { 4 } {
            mechanism.project(from, &mut y)?;
        }
        if let Some(assembled) = &beginning.assembly {
            self.kept_as_given(assembled, &y)?;
        }
        mechanism.norm_drift = 0.0;
        mechanism.take_as_regular(from, &y)?;
        let mut dy = vec![0.0; y.len()];
        if beginning.fork().is_some_and(|f| f.way == Way::Told) {
            mechanism.fork_at(from, &y);
        }
        mechanism.derivative(from, &y, &mut dy)?;
        if dy.iter().any(|d| !d.is_finite()) {
            self.rates_at_rest(inputs, from, &y, &mut dy)?;
        }
        if let Some(fork) = beginning.fork() {
            if fork.way == Way::Mixed || dy.iter().any(|d| !d.is_finite()) {
                return Err(StartError::Fork(Box::new(fork.clone())));
            }
            if fork.way == Way::AtRest {
                warnings.push(fork.to_string());
            }
        }
        let unbounded = dy.iter().position(|d| !d.is_finite());
        if unbounded.is_some()
            && let Some(lock) = Lock::among(&self.plan.turns, from, &y)
        {
            return Err(StartError::Locked(Box::new(lock)));
        }
        match unbounded {
            None => {
                let first = self.plan.n_coordinates;
                beginning.accelerations = dy[first..first + self.plan.n_speeds].to_vec();
                Ok((y, beginning))
            }
            Some(k) if k < self.plan.states.len() => Err(StartError::NotFinite {
                what: format!("the time derivative of `{}` at the start", name(k)),
            }),
            Some(k) => {
                let load = &self.plan.powers[k - self.plan.states.len()].0;
                Err(StartError::NotFinite { what: format!("the power of `{load}` at the start") })
            }
        }
    }

    /// That the first projection has left what was given where it was; unit norms and drives may change it.
    fn kept_as_given(&self, assembled: &Assembled, y: &[f64]) -> Result<(), StartError> {
        let Some(closing) = &self.closing else { return Ok(()) };
        let begins = closing.loops.coordinates.iter().chain(&closing.loops.speeds);
        for (k, begin) in begins.enumerate() {
            let [given, found] = [assembled.state[k], y[k]];
            let is_given = begin.given == Given::Exactly && !begin.yields;
            let scaled = closing.loops.unit_quadruples.iter().any(|four| four.contains(&k));
            if is_given && !scaled && (found - given).abs() > MOVED * (1.0 + given.abs()) {
                let (name, unit) = (begin.name.clone(), begin.unit.clone());
                return Err(StartError::Moved { name, given, found, unit });
            }
        }
        Ok(())
    }
}

/// A projection onto constraints that were assembled changes less than this.
const MOVED: f64 = 1e-6;
