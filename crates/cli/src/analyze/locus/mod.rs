//! Eigenvalues while parameters vary.
//!
//! - `over`: a parameter and its values; `root_locus`: eigenvalues over one parameter; `stability`:
//!   verdicts over two.

pub mod over;
pub mod root_locus;
pub mod stability;
