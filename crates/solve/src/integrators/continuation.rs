//! What a method remembers at the beginning of a step, so that an integration that was stopped inside the step goes on as if it had not been.
//!
//! An explicit step follows from time, state and size. An implicit one also depends on the Jacobian and factors that it goes on using, on the past
//! of a multistep formula, on the polynomial that starts Newton's iteration; and step size control looks at the error before.

use std::fmt;

use crate::options::Method;
use crate::stepper::Stepper;
use crate::stiffness::{CalmWatch, StiffnessWatch};

/// The beginning of a step with all that its method remembers there.
pub struct Continuation {
    /// When.
    pub t: f64,
    /// The size of the step that is to be tried first.
    pub(crate) h: f64,
    /// The method; absent where it remembers nothing.
    pub(crate) stepper: Option<Box<dyn Stepper>>,
    pub(crate) method: Method,
    pub(crate) stiffness: StiffnessWatch,
    pub(crate) calm: CalmWatch,
}

impl Clone for Continuation {
    fn clone(&self) -> Self {
        Continuation {
            t: self.t,
            h: self.h,
            stepper: self.stepper.as_ref().and_then(|s| s.copy()),
            method: self.method,
            stiffness: self.stiffness.clone(),
            calm: self.calm.clone(),
        }
    }
}

impl fmt::Debug for Continuation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} from t = {} with h = {}", self.method, self.t, self.h)
    }
}

/// Two are the same step; what a method remembers is not compared.
impl PartialEq for Continuation {
    fn eq(&self, other: &Self) -> bool {
        (self.t, self.h, self.method) == (other.t, other.h, other.method)
    }
}
