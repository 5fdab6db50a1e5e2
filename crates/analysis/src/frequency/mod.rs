//! A model between inputs and outputs: the linear system, its responses to harmonic and to random
//! excitation, and feedback for it.
//!
//! - `state_space`: the linearisation as a system of named inputs and outputs;
//! - `frequency_response`: transfer functions, gains and phases, margins;
//! - `stepped_sine`: the response of the nonlinear model, period by period;
//! - `random_response`: densities, variances, crossings, comfort;
//! - `feedback`: regulators, filters and observers;
//! - `handling`: how a vehicle answers to its steering.

pub mod feedback;
pub mod frequency_response;
pub mod handling;
pub mod random_response;
pub mod state_space;
pub mod stepped_sine;
