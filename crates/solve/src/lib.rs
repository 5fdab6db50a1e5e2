//! Integrators, root finding and linear algebra over plain slices.
//!
//! A caller describes its differential (or differential and algebraic) equations by a [`System`] and its question by a [`Problem`];
//! [`integrate`] walks from `t0` to `t1`, hands every sample to an observer as soon as it is computed,
//! and returns an [`Outcome`] that says why it ended.
//!
//! Absent by design: symbols, frames, bodies, units, names, files, clocks. A state is a slice of numbers.
//!
//! In reading order:
//!
//! - [`linear`]: dense matrices and their factorisations; [`sparse`]: matrices of a fixed sparse pattern; the only places that know
//!   the linear algebra library;
//! - [`mod@spectrum`]: eigenvalues with error bounds;
//! - [`system`]: what a caller implements;
//! - [`options`]: tolerances, methods, limits;
//! - [`outcome`]: samples on the way, stop reason and statistics at the end;
//! - `evaluate`: the guarded right-hand side (finite values, counted, on the right side of breakpoints);
//! - `control`: error norm, first step size, step size control; `roundoff_tolerance`: the tolerance that rounding leaves;
//! - `integrators`: `tableau`, `stepper`: what every method has in common; `order_conditions`: the tableaux against the theory, a test;
//! - `rk4`, `dopri5`, `dop853`, `radau5`, `bdf`: the methods, one file each;
//! - `stiffness`: when an explicit method is held back by stability rather than accuracy, and when it no longer is;
//! - `events`: `event_bracketing`: where to look at event functions so that none is missed;
//! - `event`: sign changes located on dense output;
//! - `singularity_extrapolation`: the motion before a state at which the right-hand side is not determined, continued beyond it;
//! - `continuation`: what a method remembers where an integration was stopped;
//! - [`driver`]: the loop that joins them; [`lanes`]: many motions of one system, several at a time;
//! - [`jacobian`]: finite differences for a system without an exact Jacobian;
//! - [`roots`]: a root of one function of one variable;
//! - [`nonlinear`]: systems of equations, possibly redundant or underdetermined.

pub(crate) mod events;
pub(crate) mod integrators;
pub(crate) mod roundoff_tolerance;

pub mod linear;
pub mod options;
pub mod outcome;
pub mod sparse;
pub mod spectrum;
pub mod system;

mod evaluate;

pub mod driver;
pub mod jacobian;
pub mod lanes;
pub mod nonlinear;
pub mod roots;

pub(crate) use crate::events::{event, event_bracketing, singularity_extrapolation};
pub(crate) use crate::integrators::{
    bdf, continuation, control, dop853, dopri5, radau5, rk4, stepper, stiffness, tableau,
};

pub use crate::continuation::Continuation;
pub use crate::driver::integrate;
pub use crate::lanes::{LaneMethod, LaneNews, LaneProblem, LaneSystem, integrate_lanes};
pub use crate::linear::Matrix;
pub use crate::options::{Absolute, Method, Options, Output, Problem};
pub use crate::outcome::{Coarser, Control, Kind, Outcome, Sample, Stats, StopReason, Switch};
pub use crate::spectrum::{Eigenvalue, spectrum};
pub use crate::system::{Crossing, Failure, Reaction, Role, Segment, System};
