//! Which motions to look at when values are uncertain or to be chosen, and what their results have in common.
//!
//! ```text
//! SweepAxis × SweepAxis × … ─SweepPlan▶ member k ▶ values        results of all members ─statistics▶ spread, influence
//! ```
//!
//! A plan is a function: the values of member `k` follow from the plan and `k` alone, so that members can be computed in any
//! order, on any number of cores, today or after an interruption.
//!
//! Absent by design: models, motions, threads, files. Values are plain numbers.
//!
//! In reading order:
//!
//! - [`random`]: numbers from a seed and a place; [`normal`]: the normal distribution and its quantiles;
//! - [`axis`]: what one value may be;
//! - [`plan`]: grid, list, Latin hypercube, Monte Carlo;
//! - [`statistics`]: spread of results and the influence of values on them.

pub mod axis;
pub mod normal;
pub mod plan;
pub mod random;
pub mod statistics;

pub use crate::axis::SweepAxis;
pub use crate::plan::{Design, PlanError, SweepPlan};
pub use crate::statistics::{Spread, influence, spread};
