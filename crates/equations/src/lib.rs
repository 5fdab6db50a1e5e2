//! Equations of motion from a model, by several formalisms.
//!
//! Every formalism returns the same [`Equations`], so that they can be compared term by term.
//!
//! Absent by design: floats, but for the choice of pivots; text, programs.
//!
//! In reading order:
//!
//! - [`equations`](mod@equations): the result type and its derivation; [`residual`]: the equations
//!   before they are solved, for external solvers;
//! - [`kane`], [`recursive`], [`lagrange`]: the formalisms; [`applied_forces`], [`energy`]: what they share;
//! - `collect_terms`: like terms in the speeds; [`small`]: terms of higher order;
//! - [`ldl`]: the accelerations by symbolic LDLᵀ; [`constrained`]: the same under constraints;
//! - [`reactions`]: forces and torques of joints; [`reaction_laws`]: loads that depend on them;
//! - [`minimal_form`]: linkages that close in closed form;
//! - [`forms`]: states with their roles, implicit, residual and linear forms.

#![allow(non_snake_case, reason = "monogram notation: R_AB, w_AB, p_PQ carry their frames in capitals")]

pub mod applied_forces;
pub(crate) mod collect_terms;
pub mod constrained;
pub mod equations;
pub mod forms;
pub mod minimal_form;
pub mod residual;

pub mod energy;
pub mod kane;
pub mod lagrange;
pub mod ldl;
pub mod reaction_laws;
pub mod reactions;
pub mod recursive;
pub mod small;

pub use crate::constrained::impact::{AssignedCoordinate, AssignedSpeed, Impact, impact};
pub use crate::constrained::multipliers::{Augmented, Corrections};
pub use crate::constrained::reaction_sharing::{Openness, Place, openness};
pub use crate::constrained::rows::{ConstraintRow, ConstraintRows};
pub use crate::equations::{
    Energy, Equations, Failure, Formalism, Motion, derive, derive_motion, derive_unreduced, derive_with,
    inverse, mass_matrix, slope_systems, slopes,
};
pub use crate::recursive::derivatives::{SlopeSystems, Slopes};
pub use crate::residual::{Unsolved, unsolved};

pub use crate::forms::{
    ImplicitForm, LinearForm, ResidualForm, StateRole, StateVariable, SymbolicSplit, VariableKind, ggl_form,
    implicit_form, linear_form, states,
};
pub use crate::reaction_laws::SolvedLaws;
