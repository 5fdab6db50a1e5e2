//! Records of a motion: samples, columns, energy balance.
//!
//! - `recorder`, `step_observer`: states to rows; `one_sided_output`: rows at discontinuities;
//! - `energy_balance`: the audit; `contact_report`: time stepping over contacts; `trajectory`: the result.

pub mod contact_report;
pub mod energy_balance;
pub(crate) mod one_sided_output;
pub mod recorder;
pub mod step_observer;
pub mod trajectory;
