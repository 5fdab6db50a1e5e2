//! A model between inputs and outputs: the linear system, its responses to harmonic and to random
//! excitation, and feedback for it.
//!
//! - `state_space`: the linearisation as a system of named inputs and outputs;
//! - `frequency_response`: transfer functions, gains and phases, margins;
//! - `random_response`: densities, variances, crossings, comfort;
//! - `feedback`: regulators, filters and observers.

pub mod feedback;
pub mod frequency_response;
pub mod random_response;
pub mod state_space;
