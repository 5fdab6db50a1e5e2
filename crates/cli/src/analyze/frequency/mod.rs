//! Questions about a model between its inputs and outputs.
//!
//! - `linear_system`: the state, the inputs and the outputs that a question is about;
//! - `response`: transfer functions and frequency response; `bode`: their figures;
//! - `random_response`: densities, rms values, comfort;
//! - `feedback`: regulators, filters, observers, and the closed loop as text.

pub mod bode;
pub mod feedback;
pub mod linear_system;
pub mod random_response;
pub mod response;
