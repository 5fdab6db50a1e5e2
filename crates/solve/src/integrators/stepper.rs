//! What every method can do: try a step, say how it went, and answer for every time inside it.
//!
//! The driver owns time and state. The life of a step is
//!
//! ```text
//! start ─▶ attempt ─rejected▶ attempt …
//!             └─accepted▶ prepare_dense ─▶ interpolate … ─▶ advance ─▶ attempt …
//! ```

use crate::bdf::Bdf;
use crate::control::Tolerance;
use crate::dop853::Dop853;
use crate::dopri5::Dopri5;
use crate::evaluate::{Evaluator, Trouble};
use crate::options::{Method, Options};
use crate::radau5::Radau5;
use crate::rk4::Rk4;

/// How an attempt ended, with the step size that the method would take next.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Verdict {
    /// The error is below the tolerance.
    Accepted { next: f64 },
    /// It is not (or Newton's iteration did not converge); `component` has the largest share.
    Rejected { next: f64, component: Option<usize> },
}

/// A method with its working memory.
pub(crate) trait Stepper: Send + Sync {
    /// Which method this is.
    fn method(&self) -> Method;

    /// The order that enters the choice of the first step size; `None` for a fixed step.
    fn first_step_order(&self) -> Option<i32>;

    /// Forgets the past and evaluates the slope at (t, y).
    fn start(&mut self, evaluator: &mut Evaluator<'_>, t: f64, y: &[f64]) -> Result<(), Trouble>;

    /// The slope at the beginning of the step.
    fn slope(&self) -> &[f64];

    /// Whether the slope after a projection is wanted by `advance`.
    fn needs_slope(&self) -> bool {
        true
    }

    /// Tries a step of size `h` from (t, y), which may differ from the last end by what a projection moved.
    fn attempt(
        &mut self,
        evaluator: &mut Evaluator<'_>,
        t: f64,
        y: &[f64],
        h: f64,
    ) -> Result<Verdict, Trouble>;

    /// The state at the end of the accepted step.
    fn end(&self) -> &[f64];

    /// Makes `interpolate` possible for the accepted step from (t, y) of size `h`.
    fn prepare_dense(
        &mut self,
        evaluator: &mut Evaluator<'_>,
        t: f64,
        y: &[f64],
        h: f64,
    ) -> Result<(), Trouble>;

    /// The state at the fraction `theta` of the accepted step.
    fn interpolate(&self, theta: f64, out: &mut [f64]);

    /// Makes the end of the accepted step the beginning of the next. `slope` replaces the slope there
    /// when the state was moved by a projection.
    fn advance(&mut self, slope: Option<&[f64]>);

    /// Itself, before a step, if a step depends on more than time, state and size.
    fn copy(&self) -> Option<Box<dyn Stepper>> {
        None
    }

    /// The size of h·|λ| in the accepted step, λ the dominant eigenvalue of the Jacobian, where the method knows it.
    fn h_lambda(&mut self) -> Option<f64>;
}

/// The stepper of a method for `n` states; `Auto` begins explicitly.
pub(crate) fn stepper(
    method: Method,
    n: usize,
    tolerance: &Tolerance,
    options: &Options,
) -> Box<dyn Stepper> {
    match method {
        Method::Rk4 => Box::new(Rk4::new(n)),
        Method::Dopri5 => Box::new(Dopri5::new(n, tolerance.clone())),
        Method::Dop853 => Box::new(Dop853::new(n, tolerance.clone())),
        // `driver::refuse` has turned the last one away.
        Method::Radau5 | Method::Alpha | Method::Moreau => Box::new(Radau5::new(n, tolerance)),
        Method::Bdf => Box::new(Bdf::new(n, tolerance, options.max_order)),
        Method::Auto => stepper(explicit_for(tolerance.rtol), n, tolerance, options),
    }
}

/// The explicit method that `Auto` uses at a relative tolerance.
///
/// The higher order pays from about six digits on: Hairer, Nørsett & Wanner I, II.10, Fig. 10.1.
pub(crate) fn explicit_for(rtol: f64) -> Method {
    if rtol > 1e-6 { Method::Dopri5 } else { Method::Dop853 }
}
