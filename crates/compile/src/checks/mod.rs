//! Checks of a model before it is compiled.
//!
//! - `mass_properties`: masses and inertias; `singular_mass`: motions without inertia;
//! - `undefined_loads`: loads that are not finite at the start.

pub mod mass_properties;
pub mod singular_mass;
pub mod undefined_loads;
