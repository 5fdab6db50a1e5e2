//! Compilation of a model: choice of the formalism by cost, program, layout, Jacobian.
//!
//! ```text
//! Model ─choose▶ Choice (equations, program, constraint rows) ─Plan::of▶ Plan
//! ```
//!
//! Absent by design: integration, text, files.
//!
//! In reading order:
//!
//! - [`formalism_selection`]: the formalism of least cost; `parallel_selection`: the
//!   threads that derive the candidates;
//! - [`checks`]: mass properties, singular mass matrix, undefined loads;
//! - [`layout`]: places of quantities in the program's inputs and outputs; [`small_coordinates`]:
//!   coordinates declared small;
//! - `jacobian`: the exact Jacobian; `coordinate_choice`: independent coordinates of linkages that
//!   close in closed form;
//! - [`parameter_variation`]: parameters and initial values that vary; [`geometry_samples`]: numbers
//!   along curves and over surfaces.

pub mod checks;
pub(crate) mod coordinate_choice;
pub mod formalism_selection;
pub mod geometry_samples;
pub mod jacobian;
pub mod layout;
pub(crate) mod parallel_selection;
pub mod parameter_variation;
pub mod small_coordinates;

pub use crate::checks::mass_properties::{Doubt, implausible};
pub use crate::coordinate_choice::{ClosedForm, closed_form};
pub use crate::formalism_selection::{Choice, ChoiceError, ChosenLoops, Considered, choose, choose_keeping};
pub use crate::jacobian::JacobianWay;
pub use crate::layout::{Closure, Plan};
pub use crate::parameter_variation::{Varied, vary};
