//! Questions about a model between its inputs and outputs.
//!
//! - `linear_system`: the state, the inputs and the outputs that a question is about;
//! - `response`: transfer functions and frequency response; `bode`: their figures.

pub mod bode;
pub mod linear_system;
pub mod response;
