//! Theory of linear systems on plain matrices.
//!
//! Absent by design: models, symbols, units, files. A system is four matrices with names.
//!
//! In reading order:
//!
//! - [`error`]: why a question has no answer; [`linear_algebra`]: [`matrix`]: matrices of the linear algebra library;
//! - [`state_space`]: systems and their connections; [`discretisation`]: sampled equivalents, with
//!   [`mod@matrix_exponential`];
//! - [`frequency_response`]: G(iω) at many frequencies, on the [`mod@hessenberg`] form;
//! - [`sampled_data`]: continuous systems with sampled parts, [`SampledData`];
//! - [`schur`]: the ordered Schur form, on which [`mod@lyapunov`] and [`riccati`] stand;
//! - [`linear_quadratic`]: regulator, Kalman filter, observer, compensator;
//! - [`pole_placement`]: feedback and observers with given eigenvalues;
//! - [`controllability`]: Gramians, ranks, minimal realisations, Hankel values, balanced reduction;
//! - [`transfer_function`]: poles, zeros, gain; [`mod@margins`]: crossovers and stability margins;
//! - [`random_vibration`]: [`power_spectrum`]: densities of excitations; [`random_response`]: what they cause, with
//!   [`quadrature`] over the frequencies; [`noise_realisation`]: signals in time and back;
//! - [`comfort`]: weightings of ISO 2631-1 and Sperling's index.

pub mod controllability;
pub mod discretisation;
pub mod error;
pub mod frequency_response;
pub mod linear_algebra;
pub mod linear_quadratic;
pub mod margins;
pub mod pole_placement;
pub mod random_vibration;
pub mod sampled_data;
pub mod state_space;
pub mod transfer_function;

pub use crate::linear_algebra::{hessenberg, lyapunov, matrix, matrix_exponential, riccati, schur};
pub use crate::random_vibration::{comfort, noise_realisation, power_spectrum, quadrature, random_response};

pub use crate::error::ControlError;
pub use crate::frequency_response::FrequencyResponse;
pub use crate::matrix::{Complex, ComplexMatrix, Matrix};
pub use crate::sampled_data::SampledData;
pub use crate::state_space::{Clock, StateSpace};
