//! A model between inputs and outputs: the linear system, its responses to harmonic and to random
//! excitation, and feedback for it.
//!
//! - `state_space`: the linearisation as a system of named inputs and outputs;
//! - `base_motion`: excitation by a motion that is given, with its rates;
//! - `frequency_response`: transfer functions, gains and phases, margins;
//! - `sampled_blocks`: sampled controllers by their discrete equivalent;
//! - `stepped_sine`: the response of the nonlinear model, period by period;
//! - `harmonic_balance`: periodic motions over the frequency, with Floquet's multipliers;
//! - `noise_response`: the nonlinear model under a realisation of noise;
//! - `random_response`: densities, variances, crossings, comfort;
//! - `feedback`: regulators, filters and observers;
//! - `handling`: how a vehicle answers to its steering.

pub mod base_motion;
pub mod feedback;
pub mod frequency_response;
pub mod handling;
pub mod harmonic_balance;
pub mod noise_response;
pub mod random_response;
pub mod sampled_blocks;
pub mod state_space;
pub mod stepped_sine;
