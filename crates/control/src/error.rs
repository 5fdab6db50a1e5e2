//! Why a question about a linear system has no answer.

use std::fmt;

/// Why a question about a linear system has no answer.
#[derive(Clone, Debug, PartialEq)]
pub enum ControlError {
    /// Matrices whose sizes do not fit one another.
    Size {
        /// Which matrices, with their sizes.
        what: String,
    },
    /// A matrix with elements that are not finite.
    NotFinite,
    /// A matrix that must be inverted is singular.
    Singular {
        /// Which matrix.
        what: &'static str,
    },
    /// An iteration that does not end.
    NoConvergence {
        /// Which iteration.
        what: &'static str,
    },
    /// A system that must be stable has an eigenvalue that is not.
    Unstable {
        /// The real part of the eigenvalue, or its magnitude for a sampled system.
        value: f64,
    },
    /// No feedback can stabilise the system, or the cost does not see an unstable mode.
    NotStabilisable,
    /// The inputs do not reach every state, so poles cannot be assigned.
    NotControllable {
        /// The dimension of the controllable subspace.
        rank: usize,
        /// The number of states.
        n_states: usize,
    },
    /// White noise passes directly to an output, so its variance is infinite.
    InfiniteVariance,
    /// A frequency at which the response is infinite.
    PoleOnAxis {
        /// The angular frequency.
        frequency: f64,
    },
    /// Periods of samples without a common multiple that is not too long.
    Incommensurate {
        /// One period, s.
        first: f64,
        /// Another, s.
        second: f64,
    },
    /// A number outside the range that its meaning allows.
    Value {
        /// Which number and which range.
        what: &'static str,
        /// The number.
        value: f64,
    },
}

impl fmt::Display for ControlError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ControlError::Size { what } => write!(f, "the sizes do not fit: {what}"),
            ControlError::NotFinite => write!(f, "a matrix has elements that are not finite"),
            ControlError::Singular { what } => write!(f, "{what} is singular"),
            ControlError::NoConvergence { what } => write!(f, "{what} does not converge"),
            ControlError::Unstable { value } => {
                write!(f, "the system is not stable: it has an eigenvalue at {value}")
            }
            ControlError::NotStabilisable => {
                write!(f, "no stabilising solution: an unstable mode is not reached or not weighted")
            }
            ControlError::NotControllable { rank, n_states } => {
                write!(f, "the inputs reach {rank} of {n_states} states")
            }
            ControlError::InfiniteVariance => {
                write!(f, "white noise passes directly to an output: its variance is infinite")
            }
            ControlError::PoleOnAxis { frequency } => {
                write!(f, "the response is infinite at {frequency} rad/s")
            }
            ControlError::Incommensurate { first, second } => {
                write!(
                    f,
                    "the periods {first} s and {second} s of samples have no common multiple of at most 2000 instants"
                )
            }
            ControlError::Value { what, value } => write!(f, "{what}, but is {value}"),
        }
    }
}

impl std::error::Error for ControlError {}
