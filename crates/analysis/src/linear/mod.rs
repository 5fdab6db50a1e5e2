//! Linear equations about a state: matrices, eigenvalues, mode shapes, root loci.
//!
//! - `tangent_space`: independent states of a constrained system; `linearize`: A, B, C, D and M, D, K;
//! - `descriptor`: the same in all coordinates, with multipliers;
//! - `ignorable_coordinates`: directions in which nothing changes; `nonsmooth_points`: kinks and jumps;
//! - `higher_order_terms`: stability that linear equations leave undecided;
//! - `uncertainty`: rounding errors of the entries of A; `stability`: eigenvalues with error bounds
//!   and the verdict;
//! - `modes`: eigenvalues and shapes in words; `mode_shapes`: a mode as a motion; `root_locus`:
//!   eigenvalues over a parameter; `effective_mass`: what a shaken base excites; `stability_map`: verdicts over two.

pub mod descriptor;
pub mod effective_mass;
pub(crate) mod higher_order_terms;
pub(crate) mod ignorable_coordinates;
pub mod linearize;
pub mod mode_shapes;
pub mod modes;
pub mod nonsmooth_points;
pub mod root_locus;
pub mod stability;
pub mod stability_map;
pub(crate) mod tangent_space;
pub(crate) mod uncertainty;
