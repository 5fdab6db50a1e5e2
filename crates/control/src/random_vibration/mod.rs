//! Random vibration.
//!
//! - `power_spectrum`: densities of excitations; `random_response`: what they cause; `quadrature` over the frequencies;
//! - `noise_realisation`: signals in time and back; `comfort`: weightings of ISO 2631-1 and Sperling's index.

pub mod comfort;
pub mod noise_realisation;
pub mod power_spectrum;
pub mod quadrature;
pub mod random_response;
