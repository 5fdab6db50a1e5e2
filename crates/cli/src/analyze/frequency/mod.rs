//! Questions about a model between its inputs and outputs.
//!
//! - `linear_system`: the state, the inputs and the outputs that a question is about;
//! - `base_motion`: inputs that move constraints, with their rates;
//! - `loop_opening`: the loop opened at a variable;
//! - `response`: transfer functions and frequency response; `bode`: their figures;
//! - `sampled_loop`: the loop that sampled blocks close;
//! - `stepped_sine`: the response of the nonlinear model to a stepped sine;
//! - `harmonic_balance`: its periodic motions and their stability;
//! - `random_response`: densities, rms values, comfort;
//! - `noise`: the nonlinear model under a realisation of the excitation;
//! - `feedback`: regulators, filters, observers, and the closed loop as text;
//! - `handling`: understeer gradient, gains and rollover threshold of a vehicle.

pub mod base_motion;
pub mod bode;
pub mod feedback;
pub mod handling;
pub mod harmonic_balance;
pub mod linear_system;
pub mod loop_opening;
pub mod noise;
pub mod random_response;
pub mod response;
pub mod sampled_loop;
pub mod stepped_sine;
