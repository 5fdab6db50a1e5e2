//! What a caller implements: a right-hand side, and optionally a Jacobian, a projection and events.
//!
//! ```text
//! [ode]         ẏ = f(t, y)
//! [dae]         B ẏ = f(t, y),  B diagonal: 1 for a differential component, 0 for an algebraic one
//! [jacobian]    J = ∂f/∂y
//! [invariant]   c(t, y) = 0, kept by `project`
//! [event]       g_k(t, y) crosses zero
//! ```

use crate::linear::Matrix;
use std::fmt;

/// Why a system could not answer, in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// What went wrong, as a sentence without full stop.
    pub message: String,
    /// Whether a shorter step may avoid the trouble (a trial state outside the domain of `f`) or not.
    pub recoverable: bool,
}

impl Failure {
    /// A trouble at one trial state: the integrator repeats the step with a smaller size.
    pub fn recoverable(message: impl Into<String>) -> Self {
        Failure { message: message.into(), recoverable: true }
    }

    /// A trouble that no step size cures: the integration ends.
    pub fn fatal(message: impl Into<String>) -> Self {
        Failure { message: message.into(), recoverable: false }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Failure {}

/// A stretch of time between two breakpoints, in the direction of integration (`to < from` when backward).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Segment {
    /// Where the stretch begins.
    pub from: f64,
    /// Where it ends.
    pub to: f64,
}

impl Segment {
    /// A time strictly inside: the place at which to decide which branch of a function of time is meant.
    pub fn middle(&self) -> f64 {
        0.5 * self.from + 0.5 * self.to
    }
}

/// Which sign changes of an event function count, seen in the direction of integration.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Crossing {
    /// From negative to positive.
    Up,
    /// From positive to negative.
    Down,
    /// Either.
    #[default]
    Both,
}

/// What follows an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reaction {
    /// Nothing changed: the event is reported and the step goes on.
    Continue,
    /// The state or the right-hand side changed: the integration restarts from here.
    Restart,
    /// The integration ends here.
    Stop,
}

/// What a component of the state is in B ẏ = f(t, y). `[dae]`
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Role {
    /// Row and column with a derivative: ẏ_i = f_i.
    #[default]
    Differential,
    /// No derivative: 0 = f_i. The index is the number of differentiations after which ẏ_i would appear, from 1 to 3; in an error test over
    /// a step h such an unknown counts with h to the power of index − 1.
    Algebraic {
        /// 1 when ∂f_a/∂y_a is regular.
        index: u8,
    },
}

/// A first-order system of differential equations, ẏ = f(t, y), or of differential and algebraic equations. `[ode]`, `[dae]`
pub trait System {
    /// The number of states.
    fn dim(&self) -> usize;

    /// Writes f(t, y) into `dy`. Values that are not finite are treated as a recoverable failure.
    fn derivative(&mut self, t: f64, y: &[f64], dy: &mut [f64]) -> Result<(), Failure>;

    /// Writes the exact ∂f/∂y into `j` and answers `true`; `false` asks for finite differences.
    fn jacobian(&mut self, _t: f64, _y: &[f64], _j: &mut Matrix) -> Result<bool, Failure> {
        Ok(false)
    }

    /// What component `i` is. Where some are algebraic only implicit methods apply.
    fn role(&self, _component: usize) -> Role {
        Role::Differential
    }

    /// Gives the algebraic components of `y` the values that belong to the differential ones. Called at the start, after events and at breakpoints.
    fn settle(&mut self, _t: f64, _y: &mut [f64]) -> Result<(), Failure> {
        Ok(())
    }

    /// Pulls `y` back onto the invariants after an accepted step; `true` when `y` was changed.
    fn project(&mut self, _t: f64, _y: &mut [f64]) -> Result<bool, Failure> {
        Ok(false)
    }

    /// Pulls a sample read inside a step onto the invariants; `true` when it was changed. The motion does not go on from it.
    fn project_sample(&mut self, t: f64, y: &mut [f64]) -> Result<bool, Failure> {
        self.project(t, y)
    }

    /// Pulls the state at a located event onto the invariants; `true` when it was changed. The motion goes on from it.
    fn project_hit(&mut self, t: f64, y: &mut [f64]) -> Result<bool, Failure> {
        self.project(t, y)
    }

    /// Whether there may be states at which f is not determined, such as singular positions of a mechanism; then
    /// [`System::margin`] is asked after each step.
    fn has_margin(&self) -> bool {
        false
    }

    /// How far it is to a state at which f is not determined: about one at most states, zero there, and negative beyond one that lies
    /// between the marked state and this one.
    fn margin(&mut self, _t: f64, _y: &[f64]) -> Result<f64, Failure> {
        Ok(f64::INFINITY)
    }

    /// Marks the state that [`System::margin`] was asked for last: its margin is positive from now on.
    fn mark(&mut self) {}

    /// Called for a state at which f is not determined and that the motion went through.
    fn passed(&mut self, _t: f64, _y: &[f64]) -> Result<(), Failure> {
        Ok(())
    }

    /// Called when the integration enters a stretch between two breakpoints, before any evaluation in it: the place for
    /// what happens at known times, such as the new output of a sampled controller or an impulse that changes `y`.
    ///
    /// All times at which `derivative` and `jacobian` are then evaluated lie strictly inside the segment
    /// (see [`crate::driver`]), so a function of time that is defined with `<` needs no help from here.
    fn enter(&mut self, _segment: Segment, _y: &mut [f64]) -> Result<(), Failure> {
        Ok(())
    }

    /// Whether f has narrow stretches that a step must not pass over; then [`System::passable`] is asked before and after each step.
    fn has_stretches(&self) -> bool {
        false
    }

    /// The part of the way from one time and state to another that a step may go, from 0 to 1, so that it evaluates f in every
    /// stretch that it comes through.
    fn passable(&mut self, _from: (f64, &[f64]), _to: (f64, &[f64])) -> Result<f64, Failure> {
        Ok(1.0)
    }

    /// The number of event functions.
    fn n_events(&self) -> usize {
        0
    }

    /// Whether any event function may cross zero before the integration starts anew; if none can, nobody looks.
    fn watches(&self) -> bool {
        true
    }

    /// Which crossings of event function `event` count.
    fn crossing(&self, _event: usize) -> Crossing {
        Crossing::Both
    }

    /// Writes the event functions into `g`.
    fn events(&mut self, _t: f64, _y: &[f64], _g: &mut [f64]) -> Result<(), Failure> {
        Ok(())
    }

    /// Called at a crossing, just after it; may change the state. Several at one time come in order of index.
    ///
    /// `rising` tells the direction, seen along the integration. After a reaction that turns the motion round (a bounce) the
    /// function soon crosses back, and that is a crossing like any other: count one direction only, or ask `rising`.
    fn react(&mut self, _event: usize, _rising: bool, _t: f64, _y: &mut [f64]) -> Result<Reaction, Failure> {
        Ok(Reaction::Continue)
    }
}
