//! Questions about a model between its inputs and outputs.
//!
//! - `linear_system`: the state, the inputs and the outputs that a question is about;
//! - `loop_opening`: the loop opened at a variable;
//! - `response`: transfer functions and frequency response; `bode`: their figures;
//! - `stepped_sine`: the response of the nonlinear model to a stepped sine;
//! - `random_response`: densities, rms values, comfort;
//! - `feedback`: regulators, filters, observers, and the closed loop as text;
//! - `handling`: understeer gradient, gains and rollover threshold of a vehicle.

pub mod bode;
pub mod feedback;
pub mod handling;
pub mod linear_system;
pub mod loop_opening;
pub mod random_response;
pub mod response;
pub mod stepped_sine;
