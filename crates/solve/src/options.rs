//! What is asked (a [`Problem`]) and how it is to be computed ([`Options`]).

use std::fmt;

use crate::continuation::Continuation;

/// The times at which samples are wanted.
#[derive(Clone, Debug, PartialEq)]
pub enum Output {
    /// At the start and at the end of every accepted step.
    Steps,
    /// At these times, ordered in the direction of integration; those outside the interval are ignored.
    Times(Vec<f64>),
}

impl Output {
    /// The times `t0, t0 + dt, …` and, whatever `dt` is, the end `t1`.
    ///
    /// A last grid point closer to `t1` than 1e-9 dt is `t1` itself. A `dt` that is not positive gives the ends only.
    pub fn every(t0: f64, t1: f64, dt: f64) -> Output {
        let mut times = vec![t0];
        if dt > 0.0 && (t1 - t0).is_finite() {
            let n = ((t1 - t0).abs() / dt - 1e-9).ceil();
            let step = dt.copysign(t1 - t0);
            let mut k = 1.0;
            while k < n {
                times.push(t0 + k * step);
                k += 1.0;
            }
        }
        if t1 != t0 {
            times.push(t1);
        }
        Output::Times(times)
    }
}

/// An initial value problem: where to start, where to end, what to report.
#[derive(Clone, Debug, PartialEq)]
pub struct Problem {
    /// Initial time.
    pub t0: f64,
    /// Final time; less than `t0` for integration backward in time.
    pub t1: f64,
    /// Initial state.
    pub y0: Vec<f64>,
    /// The wanted samples.
    pub output: Output,
    /// Times at which the right-hand side or one of its derivatives jumps, in any order.
    pub breakpoints: Vec<f64>,
}

impl Problem {
    /// A problem without breakpoints that reports every step.
    pub fn new(t0: f64, t1: f64, y0: impl Into<Vec<f64>>) -> Self {
        Problem { t0, t1, y0: y0.into(), output: Output::Steps, breakpoints: Vec::new() }
    }
}

/// A method of integration.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Method {
    /// Explicit while that costs least, `Radau5` where the problem is stiff.
    #[default]
    Auto,
    /// The classical method of order 4 with fixed steps, for real time.
    Rk4,
    /// Dormand and Prince, order 5(4): loose tolerances.
    Dopri5,
    /// Dormand and Prince, order 8(5,3): smooth problems and tight tolerances.
    Dop853,
    /// Radau IIA, order 5, implicit: stiff problems.
    Radau5,
    /// Backward differentiation, orders 1 to 6, implicit: stiff and costly problems.
    Bdf,
    /// Generalised-α, order 2, implicit, with sparse matrices: large systems in absolute coordinates.
    Alpha,
    /// Moreau's time stepping with fixed steps, order 1: many rigid contacts in absolute coordinates.
    Moreau,
}

impl Method {
    /// Whether it solves equations with algebraic unknowns.
    pub fn is_implicit(self) -> bool {
        matches!(self, Method::Radau5 | Method::Bdf | Method::Alpha)
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Method::Auto => "auto",
            Method::Rk4 => "rk4",
            Method::Dopri5 => "dopri5",
            Method::Dop853 => "dop853",
            Method::Radau5 => "radau5",
            Method::Bdf => "bdf",
            Method::Alpha => "alpha",
            Method::Moreau => "moreau",
        })
    }
}

/// Absolute tolerance: one for all states or one for each.
#[derive(Clone, Debug, PartialEq)]
pub enum Absolute {
    /// The same for every state.
    Uniform(f64),
    /// One per state.
    Each(Vec<f64>),
}

impl Absolute {
    pub(crate) fn at(&self, i: usize) -> f64 {
        match self {
            Absolute::Uniform(a) => *a,
            Absolute::Each(a) => a[i],
        }
    }
}

/// How to integrate.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// The method.
    pub method: Method,
    /// The method that `Auto` begins with, where an earlier stretch of the same motion has found it.
    pub resume: Option<Method>,
    /// Relative tolerance of the local error.
    pub rtol: f64,
    /// Absolute tolerance of the local error.
    pub atol: Absolute,
    /// The first step size, also after a breakpoint or event; chosen from the problem when absent.
    pub first_step: Option<f64>,
    /// The size of the very first step, where an earlier stretch of the same motion has proposed it.
    pub resume_step: Option<f64>,
    /// A first step that is chosen from the problem, and the trial step by which it is, are no longer than this: the rest of the interval bounds
    /// them too, and says nothing where it is chosen by somebody who will ask for more.
    pub first_step_bound: f64,
    /// Whether the outcome is to have a [`Continuation`].
    pub keeps: bool,
    /// Where to go on, from the outcome of an earlier stretch of the same motion.
    pub continuation: Option<Continuation>,
    /// The fixed step size of `Rk4`.
    pub fixed_step: f64,
    /// The highest order of `Bdf`, from 1 to 6.
    pub max_order: usize,
    /// No step is longer than this.
    pub max_step: f64,
    /// The integration gives up when the error asks for a step shorter than this.
    ///
    /// A step shorter than the spacing of numbers around the current time always ends it.
    pub min_step: f64,
    /// The integration gives up after this many accepted and rejected steps.
    pub max_steps: u64,
    /// Operations of one evaluation, by which `Auto` weighs it against linear algebra; zero where they are not known.
    pub operations: f64,
    /// At so many fractions of a step, six or more, the event functions are looked at in any case.
    pub event_probes: usize,
    /// So many further looks may be made where it is in doubt what event functions do between looks; steps and crossings allow more, up to this.
    pub event_looks: u64,
}

/// The tolerances keep the energy of a chaotic double pendulum and of a cart-pole with a nearly singular mass matrix to
/// 1e-10 over ten seconds (see the tests); two digits less save two fifths of the cost and lose two digits.
impl Default for Options {
    fn default() -> Self {
        Options {
            method: Method::Auto,
            resume: None,
            rtol: 1e-11,
            atol: Absolute::Uniform(1e-13),
            first_step: None,
            resume_step: None,
            first_step_bound: f64::INFINITY,
            keeps: false,
            continuation: None,
            fixed_step: 1e-3,
            max_order: 6,
            max_step: f64::INFINITY,
            min_step: 0.0,
            max_steps: 100_000_000,
            operations: 0.0,
            event_probes: 8,
            event_looks: 100_000,
        }
    }
}

impl Options {
    /// The defaults with another method.
    pub fn with_method(method: Method) -> Self {
        Options { method, ..Options::default() }
    }

    /// The same with these tolerances, `atol` for every state.
    pub fn tolerances(mut self, rtol: f64, atol: f64) -> Self {
        self.rtol = rtol;
        self.atol = Absolute::Uniform(atol);
        self
    }
}
