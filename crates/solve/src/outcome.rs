//! What comes back: samples on the way, and at the end the reason for stopping with the cost.

use crate::continuation::Continuation;
use crate::options::Problem;
use crate::options::{Method, Options};
use crate::system::Failure;
use std::fmt;

/// Why the observer is called.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind<'a> {
    /// A requested sample.
    Output,
    /// An accepted step of size `h` has ended here. For progress; costs nothing to ignore.
    Step {
        /// The step size, negative when backward in time.
        h: f64,
        /// The method that made it.
        method: Method,
        /// The size of the next step, where the method proposes one.
        next: Option<f64>,
    },
    /// An event function crossed zero. `y` of the sample is the state after the reaction.
    Event {
        /// Which event function.
        event: usize,
        /// Whether it crossed upward, seen along the integration.
        rising: bool,
        /// The state before the reaction.
        before: &'a [f64],
    },
}

/// A state on its way to the observer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample<'a> {
    /// The time.
    pub t: f64,
    /// The state.
    pub y: &'a [f64],
    /// Why it is shown.
    pub kind: Kind<'a>,
}

/// The observer's answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Control {
    /// Go on.
    Continue,
    /// Stop as soon as possible.
    Stop,
}

/// Why an integration ended.
#[derive(Clone, Debug, PartialEq)]
pub enum StopReason {
    /// The final time was reached.
    ReachedEnd,
    /// An event asked to stop.
    Event {
        /// Which event function.
        event: usize,
        /// When.
        t: f64,
    },
    /// The observer asked to stop.
    StoppedByObserver,
    /// The error test asks for steps shorter than the machine or the options allow.
    StepTooSmall {
        /// Where.
        t: f64,
        /// The step size asked for.
        h: f64,
        /// The state with the largest scaled error, where known.
        component: Option<usize>,
    },
    /// The limit of steps was reached.
    TooManySteps {
        /// Where.
        t: f64,
        /// The limit.
        limit: u64,
    },
    /// So many steps lead so little further that the end is out of reach.
    Creeps {
        /// Where.
        t: f64,
        /// Where it was so many steps before.
        from: f64,
        /// The number of steps.
        steps: u64,
    },
    /// Steps are as long as ever, and the end is further away than all that are allowed lead.
    OutOfReach {
        /// Where.
        t: f64,
        /// How many steps to the end there would be at this pace.
        needed: f64,
        /// The limit.
        limit: u64,
    },
    /// A derivative became infinite or undefined, whatever the step size.
    NonFinite {
        /// Where.
        t: f64,
        /// The first state whose derivative is not finite.
        component: usize,
    },
    /// The system could not answer.
    SystemFailed {
        /// Where.
        t: f64,
        /// What it said.
        failure: Failure,
    },
    /// The problem or the options make no sense.
    Refused {
        /// Why, as a sentence without full stop.
        reason: String,
    },
}

impl fmt::Display for StopReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StopReason::ReachedEnd => write!(f, "the final time was reached"),
            StopReason::Event { event, t } => write!(f, "event {event} ended the integration at t = {t}"),
            StopReason::StoppedByObserver => write!(f, "stopped on request"),
            StopReason::StepTooSmall { t, h, component } => {
                write!(f, "the step size fell to {h:.3e} at t = {t}")?;
                match component {
                    Some(i) => write!(f, "; the error of state {i} is the largest"),
                    None => Ok(()),
                }
            }
            StopReason::TooManySteps { t, limit } => {
                write!(f, "the limit of {limit} steps was reached at t = {t}")
            }
            StopReason::Creeps { t, from, steps } => {
                write!(
                    f,
                    "the last {steps} steps led only from t = {from} to {t}: a force that switches without end, such as dry \
                     friction at rest, or a tolerance finer than the rounding of stiff forces"
                )
            }
            StopReason::OutOfReach { t, needed, limit } => {
                write!(
                    f,
                    "the end is out of reach at t = {t}: at this pace it takes about {needed:.0e} steps, and {limit} are allowed; ask for \
                     a shorter time or a coarser tolerance"
                )
            }
            StopReason::NonFinite { t, component } => {
                write!(f, "the derivative of state {component} is not finite near t = {t}")
            }
            StopReason::SystemFailed { t, failure } => write!(f, "at t = {t}: {failure}"),
            StopReason::Refused { reason } => f.write_str(reason),
        }
    }
}

/// The cost of an integration.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// Accepted steps.
    pub accepted: u64,
    /// Rejected steps: error too large, no convergence, or failure of the system at a trial state.
    pub rejected: u64,
    /// Evaluations of f, those for finite differences included.
    pub evaluations: u64,
    /// Evaluations of ∂f/∂y, exact or by finite differences.
    pub jacobians: u64,
    /// Factorisations; a real and a complex one for the same step size count as one.
    pub factorisations: u64,
    /// Iterations of simplified Newton.
    pub newton_iterations: u64,
    /// Evaluations of the event functions.
    pub event_evaluations: u64,
    /// Steps and samples that were pulled back onto the invariants.
    pub projections: u64,
}

/// A change of method on the way.
#[derive(Clone, Debug, PartialEq)]
pub struct Switch {
    /// When.
    pub t: f64,
    /// The method before.
    pub from: Method,
    /// The method after.
    pub to: Method,
    /// Why, in words.
    pub reason: String,
}

/// A tolerance that rounding does not allow.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Coarser {
    /// When it was first met.
    pub t: f64,
    /// The component that lost most.
    pub component: usize,
    /// The error that the tolerances allow it there.
    pub asked: f64,
    /// The error by which steps are judged instead.
    pub kept: f64,
}

/// The end of an integration.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// Why it ended.
    pub stop: StopReason,
    /// What it cost.
    pub stats: Stats,
    /// The changes of method.
    pub switches: Vec<Switch>,
    /// When the motion went through states at which the right-hand side is not determined.
    pub passages: Vec<f64>,
    /// The first time at which an explicit method found the problem stiff.
    pub stiff_at: Option<f64>,
    /// Where the tolerance was first below rounding, and what was kept instead. Only a multistep method looks.
    pub coarser: Option<Coarser>,
    /// The method at the end.
    pub method: Method,
    /// The last time reached.
    pub t_reached: f64,
    /// The state there.
    pub y_reached: Vec<f64>,
    /// The beginning of the last step, where it was asked for.
    pub continuation: Option<Continuation>,
}

impl Outcome {
    /// Nothing has happened yet; what several integrations bring is added to it.
    pub fn before(problem: &Problem, options: &Options) -> Outcome {
        Outcome {
            stop: StopReason::ReachedEnd,
            stats: Stats::default(),
            switches: vec![],
            passages: vec![],
            stiff_at: None,
            coarser: None,
            method: options.method,
            t_reached: problem.t0,
            y_reached: problem.y0.clone(),
            continuation: None,
        }
    }
}
