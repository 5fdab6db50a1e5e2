//! Rank of the constraint rows: redundancy, round-off, zero gradients.
//!
//! - `redundancy`: redundant rows in mechanical words; `constraint_selection`: rows that stay;
//! - `identities`: rows that hold by themselves;
//! - `roundoff_rows`: rows of the size of rounding; `zero_gradient`: rows without a gradient.

pub(crate) mod constraint_selection;
pub mod identities;
pub mod redundancy;
pub mod roundoff_rows;
pub mod zero_gradient;
