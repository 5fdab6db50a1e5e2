//! Equations of constrained systems.
//!
//! - [`rows`]: constraint rows; [`elimination`]: dependent speeds with safe pivots
//!   (`pivot_threshold`); [`multipliers`]: the augmented system;
//! - [`mass_augmentation`]: inertia of massless motions; [`reaction_sharing`]: reactions of redundant
//!   joints; [`impact`]: impulses.

pub mod elimination;
pub mod impact;
pub mod mass_augmentation;
pub mod multipliers;
pub(crate) mod pivot_threshold;
pub mod reaction_sharing;
pub mod rows;
