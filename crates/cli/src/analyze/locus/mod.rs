//! Eigenvalues while parameters vary.
//!
//! - `parameter_grid`: a parameter and its values; `root_locus`: eigenvalues over one parameter; `stability`:
//!   verdicts over two.

pub mod parameter_grid;
pub mod root_locus;
pub mod stability;
